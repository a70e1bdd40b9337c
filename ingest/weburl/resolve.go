package weburl

import (
	"bytes"
	"strings"
)

// Resolve gives the URL that a reference (a Location header, a permissions-reference, a link) means in a document at base, by
// RFC 3986 section 5 and as leniently as browsers: in the reference's path and before it backslashes are slashes, a scheme like the
// base's without two slashes behind it is as if not written, and Split's leniencies apply. The fragment is dropped. It reports false
// if the result is not a URL that Split accepts as one with a site; so for a relative reference to a base that has none.
//
// The result is not normalised beyond scheme, host, port and dot segments: to find it among other URLs, compare by Normal.
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

// resolved is the target of a reference that has an authority.
func resolved(absolute string) (string, bool) {
	u, ok := Split(absolute)
	if !ok {
		return "", false
	}
	u.Path = removeDotSegments(strings.ReplaceAll(u.Path, `\`, "/"))
	return u.ifShort()
}

// ifShort is the URL's text, if Split would take it.
func (u URL) ifShort() (string, bool) {
	s := u.String()
	return s, len(s) <= MaxLength
}

// hasTwoSlashes reports whether s begins with two slashes, of either kind: with an authority.
func hasTwoSlashes(s string) bool {
	return len(s) >= 2 && (s[0] == '/' || s[0] == '\\') && (s[1] == '/' || s[1] == '\\')
}

// removeDotSegments is RFC 3986 5.2.4 for a path that is empty or begins with a slash. Empty segments stay.
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

// Normal is the URL in the normal form of RFC 3986 6.2.2: scheme and host in lower case, percent-encoding normalised, dot segments
// removed; for http and https also, by 6.2.3, no default port and "/" for an empty path. The fragment is dropped. URLs whose
// Normal is the same are Equivalent. Blanks and bytes beyond ASCII count as encoded. Of a urn: and the like scheme and
// encoding are normalised; text that is no URL stays as it is.
func Normal(raw string) string {
	raw = raw[:min(len(raw), MaxLength)]
	u, ok := Split(raw)
	if u.Host == "" {
		s := clean(raw)
		scheme, rest, hasScheme := cutScheme(s)
		switch {
		case !hasScheme:
			return s
		case defaultPort(scheme) != "" || strings.HasPrefix(rest, "//"): // decoding could make a host of what is none
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

// Equivalent reports whether two URLs are the same after the normalisation of RFC 3986 6.2.2, scheme included, fragments ignored:
// what R-DEC-9 compares a location with.
func Equivalent(a, b string) bool { return a == b || Normal(a) == Normal(b) }
