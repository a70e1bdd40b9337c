// Package weburl splits, normalises and resolves URLs as archives have them. It computes their site and their columns
// in Common Crawl's columnar index.
//
// Archives have what servers and crawlers wrote: blanks, bytes that are not UTF-8, hosts in any case or script, missing
// slashes, backslashes, and schemes outside of the web (dns:, whois:, urn:, filedesc:). net/url refuses many of them.
// So this package follows RFC 3986 appendix B, and browsers where that is too strict.
//
// No input causes an error, only a false. Time and memory are linear in the length of a URL, except for sorting the
// parameters of a query. A URL longer than MaxLength is not split.
package weburl

import (
	"strconv"
	"strings"
)

// MaxLength is the longest URL that is split, in bytes. Servers accept far shorter ones. Longer ones are data: URLs or
// attacks.
const MaxLength = 64 << 10

// A URL is a split URL. Its zero value is the result of Split for unreadable text.
type URL struct {
	Scheme   string // lower case; "" if missing
	Userinfo string // as written, without the @; "" if empty or missing
	// Host is in lower case, in ASCII if IDNA can convert it, and without a trailing dot. IPv6 addresses have brackets,
	// IPv4 addresses have four decimal parts. Bytes that a host must not have are percent-encoded, so Split and String
	// are inverse. Host is valid UTF-8.
	Host string
	// Port is as written, without leading zeros; "" if missing. It may be the default port.
	Port string
	// Path is as written, after the authority, or after the scheme if there is no authority. Of an http or https URL it
	// is empty or begins with a slash.
	Path     string
	Query    string // as written, without the question mark
	HasQuery bool   // the URL has a question mark; Query may still be empty
}

// Split splits a URL. It reports whether the URL has a site: it is an http or https URL with a host, a valid port if
// any, and at most MaxLength bytes. Of other URLs it returns the parts that it can find. Like browsers, it drops blanks
// and controls at both ends, and TAB, CR and LF anywhere. It drops the fragment.
//
// For http and https it is lenient: any number of slashes or backslashes may follow the scheme. A backslash ends the
// authority like a slash.
func Split(raw string) (URL, bool) {
	if len(raw) > MaxLength {
		return URL{}, false
	}
	s := clean(raw)
	scheme, rest, ok := cutScheme(s)
	if !ok {
		return URL{}, false
	}
	u := URL{Scheme: scheme}
	web := scheme == "http" || scheme == "https"
	if web {
		rest = strings.TrimLeft(rest, `/\`)
	} else if strings.HasPrefix(rest, "//") {
		rest = rest[2:]
	} else {
		u.Path, u.Query, u.HasQuery = strings.Cut(rest, "?")
		return u, false
	}

	i := 0
	for i < len(rest) && rest[i] != '/' && rest[i] != '?' && (rest[i] != '\\' || !web) {
		i++
	}
	authority, rest := rest[:i], rest[i:]
	u.Path, u.Query, u.HasQuery = strings.Cut(rest, "?")
	if web && strings.HasPrefix(u.Path, `\`) {
		u.Path = "/" + u.Path[1:]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		u.Userinfo, authority = authority[:i], authority[i+1:]
	}
	host, port, ok := cutPort(authority)
	if !ok {
		return u, false
	}
	u.Host, u.Port = normalHost(host), port
	return u, web && u.Host != ""
}

// clean drops the fragment, then blanks and controls at both ends, and TAB, CR, LF anywhere.
func clean(raw string) string {
	s, _, _ := strings.Cut(raw, "#")
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	if !strings.ContainsAny(s, "\t\r\n") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '\t' && c != '\r' && c != '\n' {
			b = append(b, c)
		}
	}
	return string(b)
}

// cutScheme splits s after the colon of a scheme (RFC 3986 3.1) and returns the scheme in lower case.
func cutScheme(s string) (scheme, rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isLetter(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return strings.ToLower(s[:i]), s[i+1:], true
		default:
			return "", s, false
		}
	}
	return "", s, false
}

// cutPort splits host and port. It drops a colon without a port. It returns false for an invalid port: not digits, or
// above 65535.
func cutPort(s string) (host, port string, ok bool) {
	from := 0
	if strings.HasPrefix(s, "[") {
		from = strings.IndexByte(s, ']') + 1
	}
	i := strings.IndexByte(s[from:], ':')
	if i < 0 {
		return s, "", true
	}
	host, port = s[:from+i], s[from+i+1:]
	if port == "" {
		return host, "", true
	}
	for j := 0; j < len(port); j++ {
		if !isDigit(port[j]) {
			return "", "", false
		}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", "", false
	}
	return host, strconv.FormatUint(n, 10), true
}

// defaultPort returns the default port of a scheme, or "" if unknown.
func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// String returns the URL from its parts, without fragment. If the URL has a site, Split returns the same parts again.
func (u URL) String() string {
	var b strings.Builder
	b.Grow(len(u.Scheme) + len(u.Userinfo) + len(u.Host) + len(u.Port) + len(u.Path) + len(u.Query) + 8)
	if u.Scheme != "" {
		b.WriteString(u.Scheme)
		b.WriteByte(':')
	}
	if u.Host != "" {
		b.WriteString("//")
		if u.Userinfo != "" {
			b.WriteString(u.Userinfo)
			b.WriteByte('@')
		}
		b.WriteString(u.Host)
		if u.Port != "" {
			b.WriteByte(':')
			b.WriteString(u.Port)
		}
	}
	b.WriteString(u.Path)
	if u.HasQuery {
		b.WriteByte('?')
		b.WriteString(u.Query)
	}
	return b.String()
}

// Site returns scheme, host and port without a default port, as in "http://example.com" or "https://example.com:8443".
// A robots.txt applies to a site (RFC 9309 2.3). It is "" for a URL without a site according to Split.
func (u URL) Site() string {
	var b strings.Builder
	b.Grow(u.SiteLen())
	u.WriteSite(&b)
	return b.String()
}

// WriteSite writes the result of Site.
func (u *URL) WriteSite(b *strings.Builder) {
	if u.Host == "" || defaultPort(u.Scheme) == "" {
		return
	}
	b.WriteString(u.Scheme)
	b.WriteString("://")
	b.WriteString(u.Host)
	if u.Port != "" && u.Port != defaultPort(u.Scheme) {
		b.WriteByte(':')
		b.WriteString(u.Port)
	}
}

// SiteLen returns an upper bound of the bytes that WriteSite writes.
func (u *URL) SiteLen() int { return len(u.Scheme) + len("://") + len(u.Host) + len(":") + len(u.Port) }

// PathQuery returns what robots.txt patterns match (R-PAT-1): path and query as written. An empty path is "/".
func (u URL) PathQuery() string {
	if u.Path != "" && !u.HasQuery {
		return u.Path
	}
	path := u.Path
	if path == "" {
		path = "/"
	}
	if !u.HasQuery {
		return path
	}
	return path + "?" + u.Query
}

// IsRobots reports whether the URL is that of its site's robots.txt (RFC 9309 2.3): the path is exactly "/robots.txt"
// and there is no query. With a query, even an empty one, it is another resource.
func (u URL) IsRobots() bool {
	return u.Path == "/robots.txt" && !u.HasQuery && u.Host != "" && defaultPort(u.Scheme) != ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
