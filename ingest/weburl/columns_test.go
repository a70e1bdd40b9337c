package weburl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestColumnsOf(t *testing.T) {
	port := func(n int32) *int32 { return &n }
	for _, c := range []struct {
		name, raw string
		want      Columns
	}{
		{"all", "https://www.Example.co.uk:443/A?b=C#d", Columns{
			SURTKey: "uk,co,example)/a?b=c", HostName: "www.example.co.uk", HostNameReversed: "uk.co.example.www",
			HostTLD:              "uk",
			HostRegisteredDomain: "example.co.uk", SURTHostName: "uk,co,example", Protocol: "https", Port: port(443),
			Path: "/A", Query: "b=C"}},
		{"nothing but a host", "http://localhost", Columns{
			SURTKey: "localhost)/", HostName: "localhost", HostNameReversed: "localhost", HostTLD: "localhost",
			SURTHostName: "localhost",
			Protocol:     "http"}},
		{"IPv4 address", "http://10.0.0.1:0/", Columns{
			SURTKey: "1,0,0,10:0)/", HostName: "10.0.0.1", SURTHostName: "1,0,0,10", Protocol: "http", Port: port(0),
			Path: "/"}},
		{"IPv6 address", "http://[::1]/", Columns{
			SURTKey: "::1)/", HostName: "[::1]", SURTHostName: "::1", Protocol: "http", Path: "/"}},
		{"not UTF-8", "http://h.com/\xff?\xfe", Columns{
			SURTKey: "com,h)/%ff?%fe", HostName: "h.com", HostNameReversed: "com.h", HostTLD: "com",
			HostRegisteredDomain: "h.com",
			SURTHostName:         "com,h", Protocol: "http", Path: "/\uFFFD", Query: "\uFFFD"}},
		{"dns", "dns:h.com", Columns{SURTKey: "com,h)", Protocol: "dns", Path: "h.com"}},
		{"no scheme", "x", Columns{SURTKey: "x)/"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, ColumnsOf(c.raw)); diff != "" {
				t.Errorf("%q: -want +got\n%s", c.raw, diff)
			}
		})
	}
}

func TestRegisteredDomain(t *testing.T) {
	for host, want := range map[string]string{
		"example.com":                         "example.com",
		"a.b.example.com":                     "example.com",
		"com":                                 "",
		"co.uk":                               "",
		"example.co.uk":                       "example.co.uk",
		"a.example.co.uk":                     "example.co.uk",
		"blogspot.com":                        "blogspot.com",
		"x.blogspot.com":                      "blogspot.com", // a private rule
		"x.y.github.io":                       "github.io",    // a private rule
		"b.s3.eu-west-1.amazonaws.com":        "amazonaws.com",
		"x.s3.cn-north-1.amazonaws.com.cn":    "amazonaws.com.cn",
		"x.y.ck":                              "x.y.ck", // a wildcard rule
		"a.x.y.ck":                            "x.y.ck",
		"www.ck":                              "www.ck", // its exception
		"a.www.ck":                            "www.ck",
		"example.unknown-tld":                 "",
		"localhost":                           "",
		"xn--bcher-kva.xn--p1ai":              "xn--bcher-kva.xn--p1ai",
		"10.0.0.1":                            "",
		"[::1]":                               "",
		"a..com":                              "",
		".com":                                "",
		"":                                    "",
		strings.Repeat("a.", 1000) + "org.uk": "a.org.uk",
	} {
		if got := RegisteredDomain(host); got != want {
			t.Errorf("%.60q: %q, want %q", host, got, want)
		}
	}
}

func TestPublicSuffixVersionNamesARevision(t *testing.T) {
	if v := PublicSuffixVersion(); !strings.Contains(v, "revision") || !strings.Contains(v, "20") {
		t.Errorf("version %q", v)
	}
}
