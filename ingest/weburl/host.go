package weburl

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// maxUnicodeHost bounds the hosts that are given to IDNA, whose work grows with the square of a label. The DNS allows 253 bytes
// in ASCII.
const maxUnicodeHost = 1 << 10

// asciiHosts maps as crawlers that write Common Crawl's index do (IDNA 2003: a sharp s becomes ss), and is lenient: underscores,
// long labels and misplaced hyphens exist.
var asciiHosts = idna.New(idna.MapForLookup(), idna.Transitional(true), idna.StrictDomainName(false), idna.CheckHyphens(false),
	idna.CheckJoiners(false), idna.ValidateLabels(false), idna.VerifyDNSLength(false))

// normalHost writes a host as URL.Host says; "" if there is none.
func normalHost(s string) string {
	if isPlainHost(s) {
		return s
	}
	if strings.IndexByte(s, '%') >= 0 || !utf8.ValidString(s) {
		s = string(appendUnescaped(nil, s))
	}
	s = strings.TrimRight(strings.ToLower(s), ".")
	if !isASCII(s) && len(s) <= maxUnicodeHost {
		// Some characters are mapped to a percent sign or to dots: the first would read as an encoding the next time.
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

// isPlainHost reports whether s is a host that needs nothing done: most are.
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

// escapeHost encodes what would end a host, or part it, if the URL were split again. An encoded byte that is not UTF-8 stays.
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

// isIP reports whether a normal host is an IP address.
func isIP(host string) bool {
	if host == "" || !isDigit(host[len(host)-1]) {
		return isIPv6(host)
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Is4()
}

// decimalIPv4 reads an IPv4 address of one to four decimal numbers: 127.1 and 2130706433 are 127.0.0.1. Common Crawl's index writes such
// hosts with four numbers. A number with a leading zero is octal to some readers and decimal to others: such a host is left as it is,
// and so are hexadecimal ones.
func decimalIPv4(s string) (string, bool) { return shortIPv4(s, false) }

// looseIPv4 reads addresses as SURT keys do, with four numbers also where decimalIPv4 leaves them alone: numbers with leading zeros are
// octal, unless there is but one, and of a single number beyond 32 bits the last 32 count, since proxies of the Wayback Machine wrote
// such hosts.
func looseIPv4(s string) (string, bool) {
	if s == "" || !isDigit(s[len(s)-1]) { // most hosts: an error of strconv is an allocation
		return "", false
	}
	if n, err := strconv.ParseUint(s, 10, 63); err == nil {
		return ipv4(uint32(n)), true
	}
	return shortIPv4(s, true)
}

// shortIPv4 reads an IPv4 address of one to four numbers, the last of which fills the bytes that are left. Numbers with a leading zero
// are octal, or none at all.
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
		n, err := strconv.ParseUint(p, base, 32) // takes no sign
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

// reversed gives the labels of a host in reverse order, parted by sep.
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

// RegisteredDomain is the part of a host (as URL.Host is written) that was registered with a registry: the public suffix and one
// label more. Only the list's ICANN section counts, as in cc-index: x.blogspot.com gives blogspot.com. "" for IP addresses, for public
// suffixes themselves and where the list does not know the top-level domain.
func RegisteredDomain(host string) string {
	if isIP(host) || host == "" || host[0] == '.' || strings.Contains(host, "..") {
		return ""
	}
	suffix, icann := publicsuffix.PublicSuffix(host)
	for !icann {
		// A private rule, or none: then the suffix is the last label. The registry's suffix of a private one is above it.
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

// PublicSuffixVersion names the list that RegisteredDomain goes by, with its revision and date.
func PublicSuffixVersion() string { return publicsuffix.List.String() }

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
