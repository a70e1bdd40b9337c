package weburl

import "testing"

// RFC 3986 5.4.1 and 5.4.2, with a base that has a site; what the fragment of a reference was is dropped.
func TestResolveRFC3986Examples(t *testing.T) {
	const base = "http://a/b/c/d;p?q"
	for ref, want := range map[string]string{
		"g":             "http://a/b/c/g",
		"./g":           "http://a/b/c/g",
		"g/":            "http://a/b/c/g/",
		"/g":            "http://a/g",
		"//g":           "http://g",
		"?y":            "http://a/b/c/d;p?y",
		"g?y":           "http://a/b/c/g?y",
		"#s":            "http://a/b/c/d;p?q",
		"g#s":           "http://a/b/c/g",
		";x":            "http://a/b/c/;x",
		"":              "http://a/b/c/d;p?q",
		".":             "http://a/b/c/",
		"./":            "http://a/b/c/",
		"..":            "http://a/b/",
		"../":           "http://a/b/",
		"../g":          "http://a/b/g",
		"../..":         "http://a/",
		"../../":        "http://a/",
		"../../g":       "http://a/g",
		"../../../g":    "http://a/g",
		"/./g":          "http://a/g",
		"/../g":         "http://a/g",
		"g.":            "http://a/b/c/g.",
		".g":            "http://a/b/c/.g",
		"g..":           "http://a/b/c/g..",
		"..g":           "http://a/b/c/..g",
		"./../g":        "http://a/b/g",
		"./g/.":         "http://a/b/c/g/",
		"g/./h":         "http://a/b/c/g/h",
		"g/../h":        "http://a/b/c/h",
		"g;x=1/../y":    "http://a/b/c/y",
		"g?y/../x":      "http://a/b/c/g?y/../x",
		"http:g":        "http://a/b/c/g", // 5.4.2: for backward compatibility
		"http://G/../x": "http://g/x",
	} {
		if got, ok := Resolve(base, ref); got != want || !ok {
			t.Errorf("%q: %q (%v), want %q", ref, got, ok, want)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name, base, ref, want string
	}{
		{"base without path", "http://h.com", "a", "http://h.com/a"},
		{"base without path, query", "http://h.com?x", "?y", "http://h.com?y"},
		{"base without path, slash in query", "http://h.com?x/y", "a", "http://h.com/a"},
		{"reference to another scheme", "http://h.com/a", "HTTPS://H.com/a", "https://h.com/a"},
		{"the scheme stays with two slashes", "https://h.com/a", "//g.com/b", "https://g.com/b"},
		{"port stays", "http://h.com:8080/a", "/b", "http://h.com:8080/b"},
		{"blanks around", "http://h.com/a", " /b\r\n", "http://h.com/b"},
		{"blank within stays", "http://h.com/a", "/b c?d e", "http://h.com/b c?d e"},
		{"backslashes", "http://h.com/a", `\b\c?d\e`, `http://h.com/b/c?d\e`},
		{"backslashes before a host", "http://h.com/a", `\\g.com\b`, "http://g.com/b"},
		{"backslashes in an absolute one", "http://h.com/a", `http:\\g.com\b\c`, "http://g.com/b/c"},
		{"same scheme, one slash", "http://h.com/a/b", "http:/c", "http://h.com/c"},
		{"other scheme, one slash", "http://h.com/a/b", "https:/c.com/d", "https://c.com/d"},
		{"bytes beyond ASCII stay", "http://h.com/", "/\xfc%fc", "http://h.com/\xfc%fc"},
		{"absolute at a base that is none", "urn:x", "http://h.com/a", "http://h.com/a"},
		{"double slashes stay", "http://h.com/", "/a//b/../c", "http://h.com/a//c"},
		{"robots.txt on another host", "http://h.com/robots.txt", "https://www.h.com/robots.txt",
			"https://www.h.com/robots.txt"},
		{"relative at a base that is none", "dns:h.com", "/a", ""},
		{"another kind of scheme", "http://h.com/", "mailto:a@h.com", ""},
		{"ftp", "http://h.com/", "ftp://h.com/", ""},
		{"bad port", "http://h.com/", "http://h.com:x/", ""},
		{"no host", "http://h.com/", "//", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := Resolve(c.base, c.ref); got != c.want || ok != (c.want != "") {
				t.Errorf("Resolve(%q, %q) = %q, %v; want %q", c.base, c.ref, got, ok, c.want)
			}
		})
	}
}

func TestEquivalent(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       bool
	}{
		{"case of scheme and host (6.2.2.1)", "HTTP://Example.COM/a", "http://example.com/a", true},
		{"case of the path", "http://example.com/A", "http://example.com/a", false},
		{"case of an escape (6.2.2.1)", "http://example.com/%3a", "http://example.com/%3A", true},
		{"unreserved escape (6.2.2.2)", "http://example.com/%7Eb", "http://example.com/~b", true},
		{"reserved escape", "http://example.com/a%2Fb", "http://example.com/a/b", false},
		{"escape in the query", "http://example.com/?%61", "http://example.com/?a", true},
		{"dot segments (6.2.2.3)", "http://example.com/a/./b/../c", "http://example.com/a/c", true},
		{"encoded dot segments", "http://example.com/a/%2e%2E/c", "http://example.com/c", true},
		{"dot segments in the query", "http://example.com/?/../a", "http://example.com/?/a", false},
		{"default port (6.2.3)", "http://example.com:80/", "http://example.com/", true},
		{"default port of https", "https://example.com:443/", "https://example.com/", true},
		{"another port", "http://example.com:8080/", "http://example.com/", false},
		{"empty path (6.2.3)", "http://example.com", "http://example.com/", true},
		{"empty query", "http://example.com/?", "http://example.com/", false},
		{"fragment", "http://example.com/a#b", "http://example.com/a", true},
		{"scheme", "http://example.com/", "https://example.com/", false},
		{"www", "http://www.example.com/", "http://example.com/", false},
		{"trailing slash", "http://example.com/a/", "http://example.com/a", false},
		{"blank", "http://example.com/a b", "http://example.com/a%20b", true},
		{"beyond ASCII", "http://bücher.example/ü", "http://xn--bcher-kva.example/%c3%bc", true},
		{"stray percent", "http://example.com/%zz", "http://example.com/%25zz", true},
		{"userinfo", "http://u@example.com/", "http://example.com/", false},
		{"ftp", "FTP://Example.com/a/../b", "ftp://example.com/b", true},
		{"urn", "URN:a:%61", "urn:a:a", true},
		{"no URL", " a b#c", "a b", true},
		{"no URL, encoded", "a b", "a%20b", false},
		{"a host that only decoding would make", "http:h:%38", "http:h:8", false},
		{"no URL, other text", "a", "b", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Equivalent(c.a, c.b); got != c.want {
				t.Errorf("%q is %q, %q is %q", c.a, Normal(c.a), c.b, Normal(c.b))
			}
		})
	}
}
