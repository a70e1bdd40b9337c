package weburl

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// surtKey returns the sort key of URL indexes: "com,example)/path?a=b". It follows the aggressive canonicaliser of the
// Internet Archive, as in Common Crawl's index (the Java version in ia-web-commons). The key is ASCII and has no
// scheme, userinfo, fragment, www, www2, default port, session ids, dot segments, and double or trailing slashes. Path
// and query are decoded repeatedly, minimally encoded, and in lower case. Parameters are sorted. Special cases:
//
//   - dns: gives the reversed name and a parenthesis, as there;
//   - another scheme with a host (ftp://) is treated like http;
//   - text without a scheme is read with http:// before it, as there;
//   - a URL without a host (urn:, filedesc:, warcinfo:, an invalid port) is its own key, cut at MaxLength, with blanks,
//     controls and bytes beyond ASCII encoded. Without a URL the key is empty.
//
// u is Split(raw), and host its SURTHost. README.md in this folder lists the differences from the Archive's
// implementations, with reasons. testdata/surt-examples.txt has their published examples.
func (u URL) surtKey(raw, host string) string {
	if u.Host != "" && u.Scheme != "filedesc" {
		return u.surt(host)
	}
	if u.Scheme == "dns" && u.Path != "" {
		return string(appendEncoded(nil, []byte(reversed(u.Path, ',')))) + ")"
	}
	if u.Scheme == "" && len(raw) <= MaxLength {
		if web, ok := Split("http://" + clean(raw)); ok {
			return web.SURT()
		}
	}
	raw = clean(raw[:min(len(raw), MaxLength)])
	b := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if c := raw[i]; c <= ' ' || c >= 0x7f {
			b = append(b, '%', lowerHex[c>>4], lowerHex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// SURT returns Columns.SURTKey of a URL with a host.
func (u URL) SURT() string { return u.surt(u.SURTHost()) }

func (u URL) surt(host string) string {
	if u.Port == "" && !u.HasQuery && isPlainPath(u.Path) {
		return host + ")" + u.Path
	}
	return u.canonicalSURT(host)
}

// isPlainPath reports whether a path is canonical as it is, like /robots.txt.
func isPlainPath(path string) bool {
	if path == "" || path[0] != '/' || len(path) > 1 && path[len(path)-1] == '/' {
		return false
	}
	for i := 1; i < len(path); i++ {
		switch c := path[i]; {
		case 'a' <= c && c <= 'z', isDigit(c), c == '-', c == '_':
		case c == '/' || c == '.':
			if path[i-1] == '/' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (u URL) canonicalSURT(host string) string {
	var keyBuf, partBuf [512]byte
	key := append(keyBuf[:0], host...)
	if u.Port != "" && u.Port != defaultPort(u.Scheme) {
		key = append(key, ':')
		key = append(key, u.Port...)
	}
	key = append(key, ')')

	part := appendUnescaped(partBuf[:0], u.Path)
	part = normalSegments(part)
	at := len(key)
	key = stripPathSession(appendEncoded(key, part), at)
	if len(key)-at > 1 && key[len(key)-1] == '/' {
		key = key[:len(key)-1]
	}
	if !u.HasQuery {
		return string(key)
	}
	at = len(key)
	key = appendEncoded(append(key, '?'), appendUnescaped(part[:0], u.Query))
	query := sortParameters(stripQuerySessions(key[at+1:]))
	if len(query) == 0 {
		return string(key[:at])
	}
	return string(append(key[:at+1], query...))
}

// SURTHost returns the host of SURT keys: labels in reverse order, separated by commas, without www:
// "com,example,news". It is surt_host_name in Common Crawl's host index. IPv4 addresses are reversed, too. IPv6
// addresses have no brackets, so a port after them looks like one more number: the Archive's implementations do the
// same.
func (u URL) SURTHost() string {
	if isIPv6(u.Host) {
		return reversed(u.Host[1:len(u.Host)-1], ',')
	}
	h := strings.TrimLeft(u.Host, ".")
	for strings.Contains(h, "..") {
		h = strings.ReplaceAll(h, "..", ".")
	}
	if ip, ok := looseIPv4(h); ok {
		return reversed(ip, ',')
	}
	// At least two labels must remain, because www.com is a domain (Common Crawl's change to the Archive's rule).
	for strings.HasPrefix(h, "www") {
		digits := strings.TrimLeft(h[3:], "0123456789")
		if !strings.HasPrefix(digits, ".") || strings.LastIndexByte(digits, '.') < 2 {
			break
		}
		h = digits[1:]
	}
	h = reversed(h, ',')
	if isASCII(h) {
		return h
	}
	b := make([]byte, 0, len(h)+32)
	for i := 0; i < len(h); i++ {
		if c := h[i]; c < utf8.RuneSelf {
			b = append(b, c)
		} else {
			b = append(b, '%', lowerHex[c>>4], lowerHex[c&15])
		}
	}
	return string(b)
}

// appendEncoded appends s in lower case. It encodes blanks, controls, bytes beyond ASCII, # and %. The only escapes in
// s are those of bytes that are not UTF-8; they stay.
func appendEncoded(dst, s []byte) []byte {
	for i, c := range s {
		if c == '%' {
			if _, ok := encodedAt(s, i, 0); ok {
				dst = append(dst, c)
				continue
			}
		}
		switch {
		case c <= ' ' || c == '#' || c == '%' || c >= utf8.RuneSelf:
			dst = append(dst, '%', lowerHex[c>>4], lowerHex[c&15])
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c|0x20)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// normalSegments removes "." segments, ".." segments with the previous one, and empty segments but the last from a
// decoded path. Like the canonicaliser, it keeps a ".." without a previous segment, and the next ".." can remove it. It
// changes path in place.
func normalSegments(path []byte) []byte {
	if len(path) == 0 {
		return append(path, '/')
	}
	if !bytes.Contains(path, []byte("//")) && !bytes.Contains(path, []byte("/.")) {
		return path
	}
	type segment struct{ from, to int }
	var room [32]segment
	kept := room[:0]
	for from := 1; from <= len(path); {
		to := from
		for to < len(path) && path[to] != '/' {
			to++
		}
		switch s := path[from:to]; {
		case string(s) == ".":
		case string(s) == ".." && len(kept) > 0:
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, segment{from, to})
		}
		from = to + 1
	}
	out := path[:1] // segments move to the left only
	for i, s := range kept {
		last := i == len(kept)-1
		if s.from == s.to && !last {
			continue
		}
		out = append(out, path[s.from:s.to]...)
		if !last {
			out = append(out, '/')
		}
	}
	return out
}

// ASP.NET writes the session before the page in the path, in parentheses, in two forms.
var aspSessions = [...]*regexp.Regexp{
	regexp.MustCompile(`^.*/(\((?:[a-z]\([0-9a-z]{24}\))+\)/)[^?]+\.aspx`),
	regexp.MustCompile(`^.*/(\([0-9a-z]{24}\)/)[^?]+\.aspx`),
}

// stripPathSession removes the session id of ASP.NET from the path key[at:], which is encoded and in lower case.
func stripPathSession(key []byte, at int) []byte {
	if i := bytes.Index(key[at:], []byte("/(")); i < 0 || !bytes.Contains(key[at+i:], []byte(")/")) ||
		!bytes.Contains(key[at+i:], []byte(".aspx")) {
		return key
	}
	for _, re := range aspSessions {
		if m := re.FindStringSubmatchIndex(string(key[at:])); m != nil {
			key = slices.Delete(key, at+m[2], at+m[3])
		}
	}
	return key
}

// stripQuerySessions removes session ids from an encoded query in lower case: the last one of each kind. Like the
// canonicaliser, it accepts a name that ends with the session's name (fsid= loses sid=… and f stays), and keeps the &
// before the last parameter.
func stripQuerySessions(q []byte) []byte {
	if !bytes.Contains(q, []byte("sid=")) && !bytes.Contains(q, []byte("sessionid")) &&
		!bytes.Contains(q, []byte("cftoken=")) {
		return q
	}
	for _, kind := range []func(p []byte) int{
		func(p []byte) int { return sessionStart(p, "jsessionid=") },
		func(p []byte) int { return sessionStart(p, "phpsessid=") },
		func(p []byte) int { return sessionStart(p, "sid=") },
		aspSessionStart,
	} {
		for end := len(q); end >= 0; {
			from := bytes.LastIndexByte(q[:end], '&') + 1
			if i := kind(q[from:end]); i >= 0 {
				q = cutParameter(q, from+i, end)
				break
			}
			end = from - 1
		}
	}
	return stripColdFusion(q)
}

// cutParameter deletes q[from:to] and the & after it.
func cutParameter(q []byte, from, to int) []byte {
	return slices.Delete(q, from, min(to+1, len(q)))
}

// sessionStart returns where name and a value of 32 letters and digits begin at the end of the parameter p, or -1.
func sessionStart(p []byte, name string) int {
	const size = 32
	i := len(p) - size - len(name)
	if i < 0 || string(p[i:i+len(name)]) != name {
		return -1
	}
	for _, c := range p[len(p)-size:] {
		if !isDigit(c) && !isLetter(c) {
			return -1
		}
	}
	return i
}

// aspSessionStart returns where aspsessionid, eight letters, = and 24 letters begin at the end of the parameter p, or
// -1.
func aspSessionStart(p []byte) int {
	const name, key, size = "aspsessionid", 8, 24
	i := len(p) - size - 1 - key - len(name)
	if i < 0 || string(p[i:i+len(name)]) != name || p[len(p)-size-1] != '=' {
		return -1
	}
	for j, c := range p[i+len(name):] {
		if j != key && !isLetter(c) {
			return -1
		}
	}
	return i
}

// stripColdFusion removes the last cfid=…&cftoken=….
func stripColdFusion(q []byte) []byte {
	const id, token = "cfid=", "cftoken="
	next := -1 // the following parameter
	for end := len(q); end >= 0; {
		from := bytes.LastIndexByte(q[:end], '&') + 1
		if next >= 0 && bytes.HasPrefix(q[next:], []byte(token)) && end > from {
			nextEnd := len(q)
			if i := bytes.IndexByte(q[next:], '&'); i >= 0 {
				nextEnd = next + i
			}
			// The value must not be empty, and may contain the name.
			if i := bytes.LastIndex(q[from:end-1], []byte(id)); i >= 0 && nextEnd > next+len(token) {
				return cutParameter(q, from+i, nextEnd)
			}
		}
		next, end = from, from-1
	}
	return q
}

// sortParameters sorts the parameters of a query by name, then by value. No value precedes an empty value.
func sortParameters(q []byte) []byte {
	n := bytes.Count(q, []byte("&")) + 1
	if n == 1 {
		return q
	}
	parts := bytes.Split(q, []byte("&"))
	compare := func(a, b []byte) int {
		aName, aValue, aHas := bytes.Cut(a, []byte("="))
		bName, bValue, bHas := bytes.Cut(b, []byte("="))
		if c := bytes.Compare(aName, bName); c != 0 {
			return c
		}
		if aHas != bHas {
			if aHas {
				return 1
			}
			return -1
		}
		return bytes.Compare(aValue, bValue)
	}
	if slices.IsSortedFunc(parts, compare) {
		return q
	}
	slices.SortFunc(parts, compare)
	return bytes.Join(parts, []byte("&"))
}
