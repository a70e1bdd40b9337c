package weburl

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// maxUnicodeHost limits the hosts that IDNA converts, because its time is quadratic in the length of a label. The DNS
// allows 253 bytes in ASCII.
const maxUnicodeHost = 1 << 10

// asciiHosts maps like the writers of Common Crawl's index (IDNA 2003: a sharp s becomes ss). It is lenient:
// underscores, long labels and misplaced hyphens exist.
var asciiHosts = idna.New(idna.MapForLookup(), idna.Transitional(true), idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.CheckJoiners(false), idna.ValidateLabels(false), idna.VerifyDNSLength(false))

// normalHost returns a host in the form of URL.Host, or "".
func normalHost(s string) string {
	if isPlainHost(s) {
		return s
	}
	if strings.IndexByte(s, '%') >= 0 || !utf8.ValidString(s) {
		s = string(appendUnescaped(nil, s))
	}
	s = strings.TrimRight(strings.ToLower(s), ".")
	if !isASCII(s) && len(s) <= maxUnicodeHost {
		// Some characters map to a percent sign or to dots. The percent sign would be an encoding the next time.
		if ascii, err := asciiHosts.ToASCII(s); err == nil && strings.IndexByte(ascii, '%') < 0 {
			s = strings.TrimRight(ascii, ".")
		}
	}
	if isIPv6(s) {
		return s
	}
	s = escapeHost(s)
	if ip, ok := decimalIPv4(s); ok {
		return ip
	}
	return s
}

// isPlainHost reports whether s is in normal form already, as most hosts are.
func isPlainHost(s string) bool {
	if s == "" {
		return true
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('a' <= c && c <= 'z' || isDigit(c) || c == '-' || c == '.' || c == '_') {
			return false
		}
	}
	last := s[len(s)-1]
	return last != '.' && !isDigit(last)
}

// escapeHost encodes characters that would end or split the host in the URL. Encoded bytes that are not UTF-8 stay.
func escapeHost(s string) string {
	const forbidden = "#%/:<>?@[\\]^|"
	bad := func(i int) bool {
		c := s[i]
		if c == '%' && i+2 < len(s) && hexValue(s[i+1]) >= 8 && hexValue(s[i+2]) >= 0 {
			return false
		}
		return c <= ' ' || c == 0x7f || strings.IndexByte(forbidden, c) >= 0
	}
	n := 0
	for i := range len(s) {
		if bad(i) {
			n++
		}
	}
	if n == 0 {
		return s
	}
	b := make([]byte, 0, len(s)+2*n)
	for i := range len(s) {
		if c := s[i]; bad(i) {
			b = append(b, '%', lowerHex[c>>4], lowerHex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

func isIPv6(host string) bool {
	if len(host) < 4 || host[0] != '[' || host[len(host)-1] != ']' {
		return false
	}
	ip, err := netip.ParseAddr(host[1 : len(host)-1])
	return err == nil && ip.Is6() && ip.Zone() == ""
}

// isIP reports whether a host in normal form is an IP address.
func isIP(host string) bool {
	if host == "" || !isDigit(host[len(host)-1]) {
		return isIPv6(host)
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Is4()
}

// decimalIPv4 reads an IPv4 address of one to four decimal numbers: 127.1 and 2130706433 are 127.0.0.1, as in Common
// Crawl's index. It rejects hexadecimal numbers, and leading zeros, because some programs read these as octal.
func decimalIPv4(s string) (string, bool) { return shortIPv4(s, false) }

// looseIPv4 reads an address as in SURT keys. It also accepts octal numbers with leading zeros. Of a single number
// beyond 32 bits the last 32 count, because proxies of the Wayback Machine wrote such hosts.
func looseIPv4(s string) (string, bool) {
	if s == "" || !isDigit(s[len(s)-1]) { // most hosts; an error of strconv would allocate
		return "", false
	}
	if n, err := strconv.ParseUint(s, 10, 63); err == nil {
		return ipv4(uint32(n)), true
	}
	return shortIPv4(s, true)
}

// shortIPv4 reads an IPv4 address of one to four numbers; the last one fills the remaining bytes. Numbers with a
// leading zero are octal or invalid.
func shortIPv4(s string, octal bool) (string, bool) {
	if s == "" || len(s) > 40 || !isDigit(s[len(s)-1]) {
		return "", false
	}
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return "", false
	}
	var ip uint64
	for i, p := range parts {
		base := 10
		if len(p) > 1 && p[0] == '0' {
			if !octal {
				return "", false
			}
			base = 8
		}
		n, err := strconv.ParseUint(p, base, 32) // accepts no sign
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if err != nil || n>>bits != 0 {
			return "", false
		}
		ip = ip<<bits | n
	}
	return ipv4(uint32(ip)), true
}

func ipv4(n uint32) string {
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()
}

// reversed returns the labels of a host in reverse order, separated by sep.
func reversed(host string, sep byte) string {
	if strings.IndexByte(host, '.') < 0 {
		return host
	}
	b := make([]byte, 0, len(host))
	for end := len(host); ; {
		i := strings.LastIndexByte(host[:end], '.')
		b = append(b, host[i+1:end]...)
		if i < 0 {
			return string(b)
		}
		b = append(b, sep)
		end = i
	}
}

// RegisteredDomain returns the registered part of a host (in the form of URL.Host): the public suffix and one label.
// Only the list's ICANN section counts, as in cc-index: blogspot.com for x.blogspot.com. It is "" for IP addresses,
// public suffixes, and unknown top-level domains.
func RegisteredDomain(host string) string {
	if isIP(host) || host == "" || host[0] == '.' || strings.Contains(host, "..") {
		return ""
	}
	suffix, icann := publicsuffix.PublicSuffix(host)
	for !icann {
		// A private rule, or none: then the suffix is the last label. The ICANN suffix of a private one is above it.
		_, above, found := strings.Cut(suffix, ".")
		if !found {
			return ""
		}
		suffix, icann = publicsuffix.PublicSuffix(above)
	}
	if len(host) <= len(suffix) {
		return ""
	}
	label := strings.LastIndexByte(host[:len(host)-len(suffix)-1], '.') + 1
	return host[label:]
}

// PublicSuffixVersion returns the revision and date of the list in RegisteredDomain.
func PublicSuffixVersion() string { return publicsuffix.List.String() }

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
