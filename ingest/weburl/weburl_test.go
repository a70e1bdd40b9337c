package weburl

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      URL
		ok        bool
	}{
		{"plain", "http://example.com/a?b=c", URL{Scheme: "http", Host: "example.com", Path: "/a", Query: "b=c",
			HasQuery: true}, true},
		{"no path", "http://example.com", URL{Scheme: "http", Host: "example.com"}, true},
		{"no path, query", "http://example.com?a/b",
			URL{Scheme: "http", Host: "example.com", Query: "a/b", HasQuery: true}, true},
		{"empty query", "http://example.com/?", URL{Scheme: "http", Host: "example.com", Path: "/", HasQuery: true},
			true},
		{"fragment dropped", "http://example.com/a#b?c", URL{Scheme: "http", Host: "example.com", Path: "/a"}, true},
		{"question mark in query", "http://h.com/a?b?c",
			URL{Scheme: "http", Host: "h.com", Path: "/a", Query: "b?c", HasQuery: true}, true},
		{"case", "HTTPS://WWW.Example.COM/A?B", URL{Scheme: "https", Host: "www.example.com", Path: "/A", Query: "B",
			HasQuery: true}, true},
		{"userinfo", "http://u:p@h.com/", URL{Scheme: "http", Userinfo: "u:p", Host: "h.com", Path: "/"}, true},
		{"two at signs", "http://a@b@h.com/", URL{Scheme: "http", Userinfo: "a@b", Host: "h.com", Path: "/"}, true},
		{"at sign in path", "http://h.com/a@b", URL{Scheme: "http", Host: "h.com", Path: "/a@b"}, true},
		{"port", "http://h.com:8080/", URL{Scheme: "http", Host: "h.com", Port: "8080", Path: "/"}, true},
		{"default port is kept", "http://h.com:80/", URL{Scheme: "http", Host: "h.com", Port: "80", Path: "/"}, true},
		{"port with zeros", "http://h.com:0080/", URL{Scheme: "http", Host: "h.com", Port: "80", Path: "/"}, true},
		{"empty port", "http://h.com:/", URL{Scheme: "http", Host: "h.com", Path: "/"}, true},
		{"port is no number", "http://h.com:x/", URL{Scheme: "http", Path: "/"}, false},
		{"port with sign", "http://h.com:+80/", URL{Scheme: "http", Path: "/"}, false},
		{"port too large", "http://h.com:65536/", URL{Scheme: "http", Path: "/"}, false},
		{"two ports", "http://h.com:1:2/", URL{Scheme: "http", Path: "/"}, false},
		{"IPv6", "http://[2001:DB8::1]:81/", URL{Scheme: "http", Host: "[2001:db8::1]", Port: "81", Path: "/"}, true},
		{"IPv6 not closed", "http://[::1/", URL{Scheme: "http", Path: "/"}, false},
		{"brackets without address", "http://[x]/", URL{Scheme: "http", Host: "%5bx%5d", Path: "/"}, true},
		{"IPv4", "http://192.168.0.1/", URL{Scheme: "http", Host: "192.168.0.1", Path: "/"}, true},
		{"IPv4 as one number", "http://2130706433/", URL{Scheme: "http", Host: "127.0.0.1", Path: "/"}, true},
		{"IPv4 of two numbers", "http://127.1/", URL{Scheme: "http", Host: "127.0.0.1", Path: "/"}, true},
		{"number out of range", "http://1.2.3.256/", URL{Scheme: "http", Host: "1.2.3.256", Path: "/"}, true},
		{"perhaps octal", "http://010.0.0.1/", URL{Scheme: "http", Host: "010.0.0.1", Path: "/"}, true},
		{"trailing dot", "http://h.com./", URL{Scheme: "http", Host: "h.com", Path: "/"}, true},
		{"host of dots", "http://../", URL{Scheme: "http", Path: "/"}, false},
		{"IDN", "http://Bücher.example/", URL{Scheme: "http", Host: "xn--bcher-kva.example", Path: "/"}, true},
		{"IDN, IDNA 2003 mapping", "http://straße.de/", URL{Scheme: "http", Host: "strasse.de", Path: "/"}, true},
		{"IDN percent-encoded", "http://b%C3%BCcher.example/",
			URL{Scheme: "http", Host: "xn--bcher-kva.example", Path: "/"}, true},
		{"IDN with ideographic full stop", "http://例え。テスト/",
			URL{Scheme: "http", Host: "xn--r8jz45g.xn--zckzah", Path: "/"}, true},
		{"host is not UTF-8", "http://b\xfccher.example/", URL{Scheme: "http", Host: "b%fccher.example", Path: "/"},
			true},
		{"underscore in host", "http://a_b.example.com/", URL{Scheme: "http", Host: "a_b.example.com", Path: "/"},
			true},
		{"blank in host", "http://a b.com/", URL{Scheme: "http", Host: "a%20b.com", Path: "/"}, true},
		{"encoded slash in host", "http://a%2Fb.com/", URL{Scheme: "http", Host: "a%2fb.com", Path: "/"}, true},
		{"encoded letter in host", "http://ex%61mple.com/", URL{Scheme: "http", Host: "example.com", Path: "/"}, true},
		{"blanks around", " \thttp://h.com/a \r\n", URL{Scheme: "http", Host: "h.com", Path: "/a"}, true},
		{"blank before fragment", "http://h.com/a #b", URL{Scheme: "http", Host: "h.com", Path: "/a"}, true},
		{"blank within", "http://h.com/a b?c d", URL{Scheme: "http", Host: "h.com", Path: "/a b", Query: "c d",
			HasQuery: true}, true},
		{"line ends within", "http://h.c\r\nom/a\tb", URL{Scheme: "http", Host: "h.com", Path: "/ab"}, true},
		{"bytes as written", "http://h.com/\xfc%fC?\xff",
			URL{Scheme: "http", Host: "h.com", Path: "/\xfc%fC", Query: "\xff", HasQuery: true}, true},
		{"one slash", "http:/h.com/a", URL{Scheme: "http", Host: "h.com", Path: "/a"}, true},
		{"no slash", "http:h.com/a", URL{Scheme: "http", Host: "h.com", Path: "/a"}, true},
		{"four slashes", "http:////h.com/a", URL{Scheme: "http", Host: "h.com", Path: "/a"}, true},
		{"backslashes", `http:\\h.com\a\b`, URL{Scheme: "http", Host: "h.com", Path: `/a\b`}, true},
		{"no host", "http://", URL{Scheme: "http"}, false},
		{"no host, query", "http://?a", URL{Scheme: "http", Query: "a", HasQuery: true}, false},
		{"no host, port", "http://:80/", URL{Scheme: "http", Port: "80", Path: "/"}, false},
		{"ftp", "ftp://h.com/A", URL{Scheme: "ftp", Host: "h.com", Path: "/A"}, false},
		{"dns", "dns:h.com", URL{Scheme: "dns", Path: "h.com"}, false},
		{"whois", "whois://whois.example/h.com", URL{Scheme: "whois", Host: "whois.example", Path: "/h.com"}, false},
		{"urn", "urn:uuid:1", URL{Scheme: "urn", Path: "uuid:1"}, false},
		{"filedesc", "filedesc:x.arc.gz", URL{Scheme: "filedesc", Path: "x.arc.gz"}, false},
		{"no scheme", "h.com/a", URL{}, false},
		{"colon in path only", "/a:b", URL{}, false},
		{"empty", "", URL{}, false},
		{"too long", "http://h.com/" + strings.Repeat("a", MaxLength), URL{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Split(c.raw)
			if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok {
				t.Errorf("Split(%q): ok %v, want %v; -want +got:\n%s", c.raw, ok, c.ok, diff)
			}
		})
	}
}

// RFC 9309 2.3: rules hold for scheme, host and port.
func TestSite(t *testing.T) {
	for raw, want := range map[string]string{
		"http://Example.com/a?b":         "http://example.com",
		"http://u:p@example.com:80/":     "http://example.com",
		"https://example.com:443":        "https://example.com",
		"https://example.com:80/":        "https://example.com:80",
		"https://example.com:8443/":      "https://example.com:8443",
		"http://www.example.com./":       "http://www.example.com",
		"http://[::1]:8080/":             "http://[::1]:8080",
		"http://bücher.example/":         "http://xn--bcher-kva.example",
		"ftp://example.com/":             "",
		"dns:example.com":                "",
		"http://example.com:port/":       "",
		"urn:uuid:1":                     "",
		"/robots.txt":                    "",
		"http:/example.com//robots.txt#": "http://example.com",
	} {
		u, ok := Split(raw)
		if got := u.Site(); got != want || ok != (want != "") {
			t.Errorf("Site of %q is %q (%v), want %q", raw, got, ok, want)
		}
	}
}

func TestPathQueryAndIsRobots(t *testing.T) {
	for _, c := range []struct {
		raw, want string
		robots    bool
	}{
		{"http://h.com", "/", false},
		{"http://h.com/", "/", false},
		{"http://h.com?", "/?", false},
		{"http://h.com?a=/b", "/?a=/b", false},
		{"http://h.com/a/../%7e b;c?\xff#f", "/a/../%7e b;c?\xff", false},
		{"http://h.com/robots.txt", "/robots.txt", true},
		{"http://h.com:81/robots.txt#x", "/robots.txt", true},
		{"http://h.com/robots.txt?", "/robots.txt?", false},
		{"http://h.com/robots.txt?a", "/robots.txt?a", false},
		{"http://h.com/Robots.txt", "/Robots.txt", false},
		{"http://h.com//robots.txt", "//robots.txt", false},
		{"http://h.com/a/robots.txt", "/a/robots.txt", false},
		{"ftp://h.com/robots.txt", "/robots.txt", false},
	} {
		u, _ := Split(c.raw)
		if got := u.PathQuery(); got != c.want || u.IsRobots() != c.robots {
			t.Errorf("%q: PathQuery %q, IsRobots %v; want %q, %v", c.raw, got, u.IsRobots(), c.want, c.robots)
		}
	}
}

// hostile are inputs whose cost would be seen if it grew faster than their length.
func hostile() map[string]string {
	fill := func(s string) string { return "http://h.com/" + strings.Repeat(s, (MaxLength-20)/len(s)) }
	return map[string]string{
		"escaped escapes":   fill("%25") + "41",
		"25 chain":          "http://h.com/%" + strings.Repeat("25", MaxLength/2-20),
		"dot segments":      fill("/.."),
		"down and up":       fill("/a/.."),
		"empty segments":    fill("/"),
		"parameters":        "http://h.com/?" + strings.Repeat("b&a&", MaxLength/4-20),
		"session names":     "http://h.com/?" + strings.Repeat("cfid=", MaxLength/5-20) + "1&cftoken=",
		"cftoken":           "http://h.com/?" + strings.Repeat("cfid=&cftoken=&", MaxLength/15-20),
		"aspx sessions":     fill("/(a(0123456789abcdef01234567))/.aspx"),
		"open parentheses":  fill("/(") + ")/.aspx",
		"lead bytes":        fill("%C3"),
		"continuations":     fill("%BC"),
		"long host":         "http://" + strings.Repeat("a.", MaxLength/2-20) + "com/",
		"dotted host":       "http://a" + strings.Repeat(".", MaxLength-20) + "com/",
		"www host":          "http://" + strings.Repeat("www.", MaxLength/4-20) + "com/",
		"long Unicode host": "http://" + strings.Repeat("ü", MaxLength/2-20) + ".com/",
		"Unicode label":     "http://" + strings.Repeat("äöü", 160) + ".com/",
		"at signs":          "http://" + strings.Repeat("@", MaxLength-20),
		"slashes":           "http:" + strings.Repeat(`\/`, MaxLength/2-20),
		"line ends":         "http://" + strings.Repeat("a\n", MaxLength/2-20),
		"beyond the limit":  "http://h.com/" + strings.Repeat("%25", MaxLength),
	}
}

func TestHostileInputIsBounded(t *testing.T) {
	for name, raw := range hostile() {
		t.Run(name, func(t *testing.T) {
			if n := len(ColumnsOf(raw).SURTKey); n > 4*MaxLength {
				t.Errorf("key of %d bytes", n)
			}
			if n := len(Normal(raw)); n > 4*MaxLength {
				t.Errorf("normal form of %d bytes", n)
			}
			if s, ok := Resolve("http://h.com/a/b", raw); ok && len(s) > MaxLength {
				t.Errorf("resolved to %d bytes", len(s))
			}
			ColumnsOf(raw)
		})
	}
}

func FuzzURL(f *testing.F) {
	for _, raw := range []string{
		"http://www.example.com:80/a/../b?c=d&a#e", `http:\\u:p@Bücher.example\x`, "http://[::1]:8080/%25%32%35?%C3%BC",
		"dns:example.com",
		"http://127.1/", "http://\xff%2F％41.com./\xff", "urn:a:b", "ftp://h/(a(0123456789abcdef01234567))/x.aspx",
		"http://h/?a&b=&jsessionid=0123456789abcdef0123456789abcdef&cfid=1&cftoken=2", "//x", "http://K.com/",
		"http://a..b/ ",
	} {
		f.Add(raw, "../x?y")
		f.Add("http://example.com/a/b", raw)
	}
	f.Fuzz(func(t *testing.T, raw, ref string) {
		if len(raw)+len(ref) > MaxLength/8 { // what is put together again must not be too long
			t.Skip()
		}
		u, ok := Split(raw)
		if !utf8.ValidString(u.Host) {
			t.Errorf("host %q is not UTF-8", u.Host)
		}
		if ok != (u.Site() != "") {
			t.Errorf("Split says %v, site is %q", ok, u.Site())
		}
		if ok {
			again, ok := Split(u.String())
			if diff := cmp.Diff(u, again); diff != "" || !ok {
				t.Errorf("%q does not survive being put together (%v): -first +second\n%s", u.String(), ok, diff)
			}
			if site, ok := Split(u.Site()); !ok || site.Site() != u.Site() {
				t.Errorf("site %q has the site %q", u.Site(), site.Site())
			}
			if u.PathQuery()[0] != '/' {
				t.Errorf("path and query %q", u.PathQuery())
			}
		}

		c := ColumnsOf(raw)
		for _, s := range []string{c.SURTKey, c.HostName, c.HostNameReversed, c.HostTLD, c.HostRegisteredDomain,
			c.SURTHostName, c.Path, c.Query} {
			if !utf8.ValidString(s) {
				t.Errorf("column %q is not UTF-8", s)
			}
		}
		if strings.ContainsFunc(c.SURTKey, func(r rune) bool { return r <= ' ' || r >= 0x80 }) {
			t.Errorf("key %q is not printable ASCII", c.SURTKey)
		}
		if ok {
			checkSURTAgain(t, u)
		}

		if n := Normal(raw); Normal(n) != n {
			t.Errorf("normal form %q has the normal form %q", n, Normal(n))
		}
		if r, ok := Resolve(raw, ref); ok {
			a, ok := Split(r)
			if !ok || a.String() != r {
				t.Errorf("%q at %q gives %q, which is split into %q (%v)", ref, raw, r, a.String(), ok)
			}
			if same, _ := Resolve(r, ""); same != r {
				t.Errorf("%q with an empty reference is %q", r, same)
			}
			if root, _ := Resolve(r, "/robots.txt"); root == "" || site(root) != a.Site() {
				t.Errorf("robots.txt of %q is %q", r, root)
			}
		}
	})
}

// checkSURTAgain fails if the path and query of a key, read again, give another key. It leaves out what a key may lose
// only in part (session ids go one at a time), and what it does not tell apart: a question mark that was encoded in the
// path, a parenthesis in the host.
func checkSURTAgain(t *testing.T, u URL) {
	for _, part := range []string{"sid=", "session", "cfid", "cftoken", ".aspx"} {
		if strings.Contains(u.SURT(), part) {
			return
		}
	}
	if strings.Contains(u.Host, ")") || strings.Contains(string(appendUnescaped(nil, u.Path)), "?") {
		return
	}
	_, key, _ := strings.Cut(u.SURT(), ")")
	again := URL{Scheme: "http", Host: "h.com"}
	again.Path, again.Query, again.HasQuery = strings.Cut(key, "?")
	if got := again.SURT(); got != "com,h)"+key {
		t.Errorf("key %q, read again, gives %q", u.SURT(), got)
	}
}

func site(raw string) string {
	u, _ := Split(raw)
	return u.Site()
}

const ordinary = "https://www.example.co.uk/news/2013/05/Story-Title.html?page=2&id=1234&ref=home"

func BenchmarkSplit(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := Split(ordinary); !ok {
			b.Fatal("not split")
		}
	}
}

func BenchmarkSite(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if site(ordinary) == "" {
			b.Fatal("no site")
		}
	}
}

func BenchmarkColumnsOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if ColumnsOf(ordinary).SURTKey == "" {
			b.Fatal("no key")
		}
	}
}

func BenchmarkColumns(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if ColumnsOf(ordinary).HostRegisteredDomain == "" {
			b.Fatal("no domain")
		}
	}
}

// BenchmarkHostile shows the cost of the longest URLs that are looked at; SetBytes makes them comparable.
func BenchmarkHostile(b *testing.B) {
	for name, raw := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				ColumnsOf(raw)
				Normal(raw)
			}
		})
	}
}
