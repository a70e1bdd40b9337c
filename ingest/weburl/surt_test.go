package weburl

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// The keys were checked against the Java canonicaliser that writes Common Crawl's index; where README.md lists a
// difference, the case says so.
func TestSURTKey(t *testing.T) {
	const id32, id24 = "0123456789abcdef0123456789ABCDEF", "abcdefghijklmnopqrstuvwx"
	for _, c := range []struct{ name, raw, want string }{
		{"plain", "http://example.com/path?a=b", "com,example)/path?a=b"},
		{"no path", "http://example.com", "com,example)/"},
		{"no path, query", "http://example.com?a", "com,example)/?a"},
		{"scheme, case, fragment", "HTTPS://Example.COM/A/b?C=D#E", "com,example)/a/b?c=d"},
		{"userinfo", "http://u:p@example.com/", "com,example)/"},
		{"one label", "http://localhost/", "localhost)/"},

		{"www", "http://www.example.com/", "com,example)/"},
		{"www with digits", "http://www23.example.com/", "com,example)/"},
		{"www twice", "http://www.www2.example.com/", "com,example)/"},
		{"www of a suffix", "http://www.co.uk/", "uk,co)/"},
		{"www is the name (README)", "http://www3.com/", "com,www3)/"},
		{"wwwx", "http://wwwx.example.com/", "com,example,wwwx)/"},
		{"www inside", "http://a.www.example.com/", "com,example,www,a)/"},
		{"dots", "http://..a...example.com./", "com,example,a)/"},
		{"IDN", "http://www.bücher.example/", "example,xn--bcher-kva)/"},
		{"IPv4", "http://192.168.1.254:80/x", "254,1,168,192)/x"},
		{"IPv4 as a number", "http://2130706433/", "1,0,0,127)/"},
		{"IPv4 with octal numbers", "http://0177.0.0.010/", "8,0,0,127)/"},
		{"IPv4 with a leading zero that is not octal", "http://08.0.0.1/", "1,0,0,08)/"},
		{"IPv4 number with a leading zero", "http://017/", "17,0,0,0)/"},
		{"IPv4 number beyond 32 bits", "http://4294967297/", "1,0,0,0)/"},
		{"IPv4 after dots", "http://.127.1/", "1,0,0,127)/"},
		{"hexadecimal IPv4", "http://0x7f.0.0.1/", "1,0,0,0x7f)/"},
		{"www before what would be an IPv4", "http://www.127.1/", "1,127)/"},
		{"IPv6", "http://[2001:DB8::1]/x", "2001:db8::1)/x"},
		{"IPv6 with a port", "http://[::1]:8080/x", "::1:8080)/x"},
		{"IPv6 that holds IPv4", "http://[::ffff:1.2.3.4]/", "4,3,2,::ffff:1)/"},
		{"port 0 (README)", "http://example.com:0/", "com,example:0)/"},
		{"host is not UTF-8", "http://b\xfccher.example/", "example,b%fccher)/"},
		{"host is not UTF-8, encoded", "http://b%25FCcher.example/", "example,b%fccher)/"},
		{"host beyond IDNA", "http://\u00ad\u0378.com/", "com,%c2%ad%cd%b8)/"},

		{"default port", "http://example.com:80/", "com,example)/"},
		{"default port of https", "https://example.com:443/", "com,example)/"},
		{"the other's default port", "https://example.com:80/", "com,example:80)/"},
		{"port", "http://example.com:8080/a", "com,example:8080)/a"},
		{"port with zeros", "http://example.com:00080/", "com,example)/"},

		{"trailing slash", "http://example.com/a/", "com,example)/a"},
		{"double slashes", "http://example.com//a///b//", "com,example)/a/b"},
		{"dot segments", "http://example.com/a/./b/../c/.", "com,example)/a/c"},
		{"up from the root is kept", "http://example.com/../a", "com,example)/../a"},
		{"up from the root, a pair", "http://example.com/../../a", "com,example)/a"},
		{"nothing left", "http://example.com/a/..", "com,example)/"},
		{"names of dots", "http://example.com/.../..a/.b", "com,example)/.../..a/.b"},
		{"path parameters", "http://example.com/a;v=1/b;jsessionid=" + id32,
			"com,example)/a;v=1/b;jsessionid=0123456789abcdef0123456789abcdef"},
		{"backslash in path", `http://example.com/a\b`, `com,example)/a\b`},

		{"decoded", "http://example.com/%7Ea%2fb%3Fc", "com,example)/~a/b?c"},
		{"decoded dots", "http://example.com/a/%2e%2E/b", "com,example)/b"},
		{"decoded repeatedly", "http://example.com/%252525252541", "com,example)/a"},
		{"decoding makes an escape", "http://example.com/%%34%31", "com,example)/a"},
		{"decoding completes UTF-8", "http://example.com/%C3%25B%43", "com,example)/%c3%bc"},
		{"blanks and controls", "http://example.com/a b%0A%00\x7f", "com,example)/a%20b%0a%00\x7f"},
		{"number sign", "http://example.com/%23?%23", "com,example)/%23?%23"},
		{"stray percent", "http://example.com/100%/%zz?%4", "com,example)/100%25/%25zz?%254"},
		{"UTF-8, raw and encoded", "http://example.com/ü%C3%BC", "com,example)/%c3%bc%c3%bc"},
		{"not UTF-8, encoded", "http://example.com/%FC", "com,example)/%fc"},
		{"not UTF-8, escaped twice", "http://example.com/%25FC?%25fc", "com,example)/%fc?%fc"},
		{"not UTF-8, raw", "http://example.com/\xfc", "com,example)/%fc"},
		{"UTF-8 after a broken piece", "http://example.com/%E2%82%E2%82%AC", "com,example)/%e2%82%e2%82%ac"},
		{"surrogate", "http://example.com/%ED%A0%80", "com,example)/%ed%a0%80"},
		{"unsafe ASCII stays", "http://example.com/a|\"<>^`{}", "com,example)/a|\"<>^`{}"},

		{"empty query", "http://example.com/?", "com,example)/"},
		{"parameters sorted", "http://example.com/?b=2&a=1&c", "com,example)/?a=1&b=2&c"},
		{"names before values", "http://example.com/?a-b=2&a=1", "com,example)/?a=1&a-b=2"},
		{"no value, empty value, value", "http://example.com/?a=1&a=&a", "com,example)/?a&a=&a=1"},
		{"sorted in lower case", "http://example.com/?B=1&a=2", "com,example)/?a=2&b=1"},
		{"empty parameters", "http://example.com/?b&&a&", "com,example)/?&&a&b"},
		{"a lone ampersand", "http://example.com/?&", "com,example)/?&"},
		{"decoded ampersand", "http://example.com/?b=%26a", "com,example)/?a&b="},
		{"trailing slash in query", "http://example.com/a/?b/", "com,example)/a?b/"},

		{"jsessionid", "http://example.com/?a=1&jsessionid=" + id32 + "&b=2", "com,example)/?a=1&b=2"},
		{"jsessionid alone", "http://example.com/?JSESSIONID=" + id32, "com,example)/"},
		{"session last leaves its ampersand", "http://example.com/?a=1&PHPSESSID=" + id32, "com,example)/?&a=1"},
		{"sid", "http://example.com/?sid=" + id32 + "&a", "com,example)/?a"},
		{"sid twice: the last goes", "http://example.com/?sid=" + id32 + "&sid=" + id32 + "&a",
			"com,example)/?a&sid=0123456789abcdef0123456789abcdef"},
		{"sid as the end of a name", "http://example.com/?fsid=" + id32 + "&b", "com,example)/?fb"},
		{"sid too short", "http://example.com/?sid=" + id32[1:], "com,example)/?sid=123456789abcdef0123456789abcdef"},
		{"sid too long", "http://example.com/?sid=" + id32 + "0",
			"com,example)/?sid=0123456789abcdef0123456789abcdef0"},
		{"sid with other characters", "http://example.com/?sid=" + id32[1:] + "-",
			"com,example)/?sid=123456789abcdef0123456789abcdef-"},
		{"aspsessionid", "http://example.com/?ASPSESSIONIDABCDEFGH=" + id24 + "&z=1", "com,example)/?z=1"},
		{"aspsessionid with digits in its key", "http://example.com/?aspsessionidabcdefg1=" + id24,
			"com,example)/?aspsessionidabcdefg1=" + id24},
		{"cfid and cftoken", "http://example.com/?z=1&CFID=1&CFTOKEN=2&b=2", "com,example)/?b=2&z=1"},
		{"cfid and cftoken apart", "http://example.com/?cfid=1&x&cftoken=2", "com,example)/?cfid=1&cftoken=2&x"},
		{"cfid empty", "http://example.com/?cfid=&cftoken=2", "com,example)/?cfid=&cftoken=2"},
		{"cftoken empty", "http://example.com/?cfid=1&cftoken=", "com,example)/?cfid=1&cftoken="},
		{"ASP.NET", "http://example.com/x/(S(0123456789abcdef01234567))/p.aspx", "com,example)/x/p.aspx"},
		{"ASP.NET, several", "http://example.com/(a(0123456789abcdef01234567)F(0123456789abcdef01234567))/p.aspx?z",
			"com,example)/p.aspx?z"},
		{"ASP.NET, first form", "http://example.com/(0123456789abcdef01234567)/p.aspx", "com,example)/p.aspx"},
		{"ASP.NET, not a page of it", "http://example.com/(0123456789abcdef01234567)/p.html",
			"com,example)/(0123456789abcdef01234567)/p.html"},

		{"robots.txt", "https://www.example.com/robots.txt", "com,example)/robots.txt"},
		{"ftp", "ftp://www.example.com/A", "com,example)/a"},
		{"dns", "dns:www.Example.com", "com,example,www)"},
		{"whois (README)", "whois://whois.example/h.com", "example,whois)/h.com"},
		{"urn", "urn:UUID:1", "urn:UUID:1"},
		{"filedesc", "filedesc:Foo 1.arc", "filedesc:Foo%201.arc"},
		{"one slash (README)", "http:/example.com/x", "com,example)/x"},
		{"backslash ends the host (README)", `http://example.com\x`, "com,example)/x"},
		{"bad port (README)", "http://example.com:x/", "http://example.com:x/"},
		{"no scheme", " www.example.com/A\xff?b ", "com,example)/a%ff?b"},
		{"no scheme, no host", "/?a b", "/?a%20b"},
		{"no scheme, bad port (README)", "a.example:x/", "a.example:x/"},
		{"two schemes (README)", "http://https://example.com/", "https)/example.com"},
		{"filedesc with slashes", "filedesc://foo.arc", "filedesc://foo.arc"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ColumnsOf(c.raw).SURTKey; got != c.want {
				t.Errorf("SURTKey(%q) = %q, want %q", c.raw, got, c.want)
			}
		})
	}
}

// The Internet Archive and those who carry its canonicaliser on publish URLs and their keys. The file says where.
func TestPublishedSURTKeys(t *testing.T) {
	text, err := os.ReadFile("testdata/surt-examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	examples, departures := 0, 0
	for n, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		var fields []string
		for _, quoted := range strings.Split(line, "\t") {
			field, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("line %d: %v", n+1, err)
			}
			fields = append(fields, field)
		}
		switch examples++; len(fields) {
		case 2:
		case 3:
			if departures++; fields[2] == fields[1] {
				t.Errorf("line %d: %q is said to depart, and does not", n+1, fields[0])
			}
		default:
			t.Fatalf("line %d has %d columns", n+1, len(fields))
		}
		if got, want := ColumnsOf(fields[0]).SURTKey, fields[len(fields)-1]; got != want {
			t.Errorf("line %d: SURTKey(%q) = %q, want %q", n+1, fields[0], got, want)
		}
	}
	if examples < 100 || departures > 4 {
		t.Errorf("%d examples, and %d depart", examples, departures)
	}
}

func TestSURTHost(t *testing.T) {
	for raw, want := range map[string]string{
		"http://[::1]:80/":             "::1",
		"http://example.org/":          "org,example",
		"http://www.example.org:8080/": "org,example",
		"http://fr.news.example.org/":  "org,example,news,fr",
		"http://10.0.0.1/":             "1,0,0,10",
		"dns:example.org":              "",
	} {
		if u, _ := Split(raw); u.SURTHost() != want {
			t.Errorf("SURTHost of %q is %q, want %q", raw, u.SURTHost(), want)
		}
	}
}
