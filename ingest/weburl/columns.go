package weburl

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Columns are the columns of a URL in Common Crawl's columnar index (cc-index) and host index. "" and nil stand for
// null. All strings are valid UTF-8: invalid bytes in path and query become U+FFFD.
type Columns struct {
	SURTKey              string // url_surtkey; never null
	HostName             string // url_host_name
	HostNameReversed     string // url_host_name_reversed: "com.example.www"; null for IP addresses
	HostTLD              string // url_host_tld: the last label; null for IP addresses
	HostRegisteredDomain string // url_host_registered_domain, see RegisteredDomain
	SURTHostName         string // surt_host_name, see URL.SURTHost
	Protocol             string // url_protocol: the scheme
	Port                 *int32 // url_port; null if the URL has none
	Path                 string // url_path, as written
	Query                string // url_query, as written; null also if a question mark ends the URL
}

// ColumnsOf returns the columns of a URL. Without a host these are the key, the protocol, and the rest as path and
// query.
func ColumnsOf(raw string) Columns {
	u, _ := Split(raw)
	c := Columns{
		HostName: u.Host,
		Protocol: u.Scheme,
		Path:     validText(u.Path),
		Query:    validText(u.Query),
	}
	if u.Host != "" {
		c.SURTHostName = u.SURTHost()
	}
	c.SURTKey = u.surtKey(raw, c.SURTHostName)
	if u.Host == "" {
		return c
	}
	if u.Port != "" { // an error of strconv would allocate
		if n, err := strconv.ParseUint(u.Port, 10, 16); err == nil {
			port := int32(n)
			c.Port = &port
		}
	}
	if isIP(u.Host) {
		return c
	}
	c.HostNameReversed = reversed(u.Host, '.')
	c.HostTLD = u.Host[strings.LastIndexByte(u.Host, '.')+1:]
	c.HostRegisteredDomain = RegisteredDomain(u.Host)
	return c
}

func validText(s string) string {
	if utf8.ValidString(s) { // nearly always; ToValidUTF8 is slower
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
