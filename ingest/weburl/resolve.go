package weburl

import (
	"bytes"
	"strings"
)

// Resolve returns the target of a reference (a Location header, a permissions-reference, a link) in a document at base.
// It follows RFC 3986 section 5, and is as lenient as browsers: backslashes before and in the path are slashes, and the
// base's scheme without two slashes after it is ignored. The leniencies of Split apply. The fragment is dropped.
// Resolve returns false if the target has no site according to Split.
//
// Only scheme, host, port and dot segments of the result are normalised. Use Normal to compare it.
func Resolve(base, ref string) (string, bool) {
	if len(ref) > MaxLength {
		return "", false
	}
	b, okBase := Split(base)
	ref = clean(ref)
	if scheme, rest, ok := cutScheme(ref); ok {
		if scheme != "http" && scheme != "https" {
			return "", false
		}
		if !okBase || scheme != b.Scheme || hasTwoSlashes(rest) {
			return resolved(ref)
		}
		ref = rest
	}
	if !okBase {
		return "", false
	}
	if hasTwoSlashes(ref) {
		return resolved(b.Scheme + ":" + ref)
	}
	path, query, hasQuery := strings.Cut(ref, "?")
	path = strings.ReplaceAll(path, `\`, "/")
	switch {
	case path == "":
		if hasQuery {
			b.Query, b.HasQuery = query, true
		}
	case path[0] == '/':
		b.Path, b.Query, b.HasQuery = removeDotSegments(path), query, hasQuery
	default:
		dir := b.Path[:strings.LastIndexByte(b.Path, '/')+1]
		if dir == "" {
			dir = "/"
		}
		b.Path, b.Query, b.HasQuery = removeDotSegments(dir+path), query, hasQuery
	}
	return b.ifShort()
}

// resolved returns the target of a reference with an authority.
func resolved(absolute string) (string, bool) {
	u, ok := Split(absolute)
	if !ok {
		return "", false
	}
	u.Path = removeDotSegments(strings.ReplaceAll(u.Path, `\`, "/"))
	return u.ifShort()
}

// ifShort returns the text of the URL, if Split would accept it.
func (u URL) ifShort() (string, bool) {
	s := u.String()
	return s, len(s) <= MaxLength
}

// hasTwoSlashes reports whether s begins with two slashes or backslashes: with an authority.
func hasTwoSlashes(s string) bool {
	return len(s) >= 2 && (s[0] == '/' || s[0] == '\\') && (s[1] == '/' || s[1] == '\\')
}

// removeDotSegments implements RFC 3986 5.2.4 for a path that is empty or begins with a slash. Empty segments stay.
func removeDotSegments(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); {
		end := len(path)
		if j := strings.IndexByte(path[i+1:], '/'); j >= 0 {
			end = i + 1 + j
		}
		switch segment := path[i+1 : end]; segment {
		case ".", "..":
			if segment == ".." {
				out = out[:max(bytes.LastIndexByte(out, '/'), 0)]
			}
			if end == len(path) {
				out = append(out, '/') // a dot segment at the end leaves its slash
			}
		default:
			out = append(out, path[i:end]...)
		}
		i = end
	}
	return string(out)
}

// Normal returns the URL in the normal form of RFC 3986 6.2.2: scheme and host in lower case, percent-encoding
// normalised, dot segments removed. By 6.2.3 an http or https URL has no default port, and "/" instead of an empty
// path. The fragment is dropped. Blanks and bytes beyond ASCII count as encoded. Of urn: and the like only scheme and
// encoding are normalised. Text that is not a URL stays as it is.
func Normal(raw string) string {
	raw = raw[:min(len(raw), MaxLength)]
	u, ok := Split(raw)
	if u.Host == "" {
		s := clean(raw)
		scheme, rest, hasScheme := cutScheme(s)
		switch {
		case !hasScheme:
			return s
		case defaultPort(scheme) != "" || strings.HasPrefix(rest, "//"): // decoding could create a host
			return scheme + ":" + rest
		}
		return scheme + ":" + normalPercent(rest)
	}
	u.Userinfo = normalPercent(u.Userinfo)
	u.Path = removeDotSegments(normalPercent(u.Path))
	u.Query = normalPercent(u.Query)
	if ok {
		if u.Path == "" {
			u.Path = "/"
		}
		if u.Port == defaultPort(u.Scheme) {
			u.Port = ""
		}
	}
	return u.String()
}

// Equivalent reports whether two URLs have the same Normal form. R-DEC-9 compares locations in this way.
func Equivalent(a, b string) bool { return a == b || Normal(a) == Normal(b) }
