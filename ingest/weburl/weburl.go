// Package weburl is a URL as archives write it: split leniently, its site, its place relative to another URL, and the columns
// that Common Crawl's columnar index has of it.
//
// Archives hold what servers and crawlers wrote: blanks, bytes that are not UTF-8, upper-case hosts, hosts in any script, missing
// slashes, backslashes, and schemes that are no web addresses (dns:, whois:, urn:, filedesc:). net/url refuses many of them, so
// this room splits by hand, after RFC 3986 appendix B and, where that is too strict, after what browsers do.
//
// It knows nothing of archives, robots.txt patterns or policies, fetches nothing, and imports nothing else of this program. No
// input makes it fail with more than a false: work and memory are linear in the length of a URL (sorting a query's parameters
// aside), and no URL longer than MaxLength is looked at.
package weburl

import (
	"strconv"
	"strings"
)

// MaxLength is the length in bytes beyond which a URL is not split. Servers refuse far shorter ones; what is longer is a data: URL
// or an attack.
const MaxLength = 64 << 10

// A URL is a split URL. Its zero value is what Split gives for text that it cannot read.
type URL struct {
	Scheme   string // lower case; "" if there is none
	Userinfo string // as written, without the @; empty and absent are one
	// Host is in lower case and, where IDNA can write it so, in ASCII; without a trailing dot. IPv6 addresses keep their brackets, IPv4
	// addresses have four decimal parts. Bytes that cannot stand in a host are percent-encoded, so that a URL put together from its
	// parts is split into the same parts again. It is valid UTF-8.
	Host string
	// Port is what was written, without leading zeros; "" if none was. A default port that was written is kept.
	Port string
	// Path is as written, from the authority on; of a URL without an authority it is all behind the scheme. Of an http or https URL
	// it is empty or begins with a slash.
	Path     string
	Query    string // as written, without the question mark
	HasQuery bool   // a question mark was written; Query may still be empty
}

// Split takes a URL apart. It reports whether it is an http or https URL with a host, a sound port if any, and at most MaxLength
// bytes: one that has a site. Of other URLs it gives the parts that it can tell. Blanks and controls at both ends and TAB, CR and
// LF anywhere are dropped, as browsers do, and so is the fragment.
//
// Leniencies for http and https: any number of slashes or backslashes may stand behind the scheme, none included; a backslash
// ends the authority as a slash does.
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

// clean drops the fragment, then what no reader of URLs heeds: blanks and controls at both ends, and TAB, CR, LF anywhere.
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

// cutScheme cuts s behind a scheme's colon (RFC 3986 3.1) and gives the scheme in lower case.
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

// cutPort parts host and port. A colon without a port is dropped. It fails on a port that is none: not digits, or above 65535.
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

// defaultPort is the port that a scheme uses where none is written; "" where it is not known.
func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// String puts the URL together again: the parts as they are, no fragment. Split gives the same parts of it for a URL that has a
// site.
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

// Site is scheme, host and port, the unit that a robots.txt speaks for (RFC 9309 2.3): "http://example.com",
// "https://example.com:8443". A default port is left out. "" for a URL that Split does not report as one with a site.
func (u URL) Site() string {
	var b strings.Builder
	b.Grow(u.SiteLen())
	u.WriteSite(&b)
	return b.String()
}

// WriteSite writes what Site returns.
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

// SiteLen is the most bytes that WriteSite writes.
func (u *URL) SiteLen() int { return len(u.Scheme) + len("://") + len(u.Host) + len(":") + len(u.Port) }

// PathQuery is what robots.txt patterns are matched against (R-PAT-1): path and query, bytes as written. An empty path is "/".
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

// IsRobots reports whether the URL is that of its site's robots.txt (RFC 9309 2.3): the path is exactly "/robots.txt" and there is
// no query. With a query, even an empty one, it is another resource, which crawlers do not ask for when they want the rules.
func (u URL) IsRobots() bool {
	return u.Path == "/robots.txt" && !u.HasQuery && u.Host != "" && defaultPort(u.Scheme) != ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
