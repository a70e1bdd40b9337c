package report

import (
	"strings"
	"testing"
)

func TestNumbersInWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(0), "0"}, {number(999), "999"}, {number(1000), "1,000"}, {number(-1234567), "-1,234,567"},
		{share(0, 0), "–"}, {share(0, 5), "0%"}, {share(5, 5), "100%"}, {share(1, 3), "33.3%"},
		{share(2, 3), "66.7%"},
		{share(39, 101_698), "0.038%"}, {share(101_659, 101_698), "99.962%"}, {share(1, 1000), "0.10%"},
		{share(9, 1000), "0.90%"},
		{share(1, 1<<62), "0.000000000000000022%"}, {share(9996, 10_000), "99.960%"}, {share(1, 64), "1.6%"},
		{share(1, 8), "12.5%"},
		{bytesOf(1), "1 byte"}, {bytesOf(999), "999 bytes"}, {bytesOf(1000), "1.0 kB"}, {bytesOf(1_549_000), "1.5 MB"},
		{bytesOf(999_999), "1.0 MB"}, {bytesOf(3_000_000_000_000_000_000), "3,000.0 PB"},
		{plural(1, "site"), "1 site"}, {plural(0, "site"), "0 sites"}, {plural(2000, "site"), "2,000 sites"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "Disallow: /a", "Disallow: /a"},
		{"lines and tabs", "a\r\nb\tc", "a  b c"},
		{"controls", "a\x00\x1b[31mb\u0085", "a\ufffd\ufffd[31mb\ufffd"},
		{"direction of writing", "a\u202eb\u2066c\u200f", "a\ufffdb\ufffdc\ufffd"},
		{"not UTF-8", "a\xe9b", "a\ufffdb"},
		{"cut between characters", strings.Repeat("é", 200), strings.Repeat("é", 150) + "…"},
	} {
		if got := visible(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLink(t *testing.T) {
	for address, linked := range map[string]bool{
		"http://www.example.com/a?b#c": true, "https://[::1]:8080/": true, "": false, "/a": false,
		"//www.example.com/": false, "javascript:alert(1)": false,
		"data:text/html,x": false, "HTTP://www.example.com/": true, "https:///a": false, "https://a@b.example/": false,
		"ftp://www.example.com/":       false,
		"https://www.example.com/\x00": false, "https://www.example.com/\u202e": false,
		" https://www.example.com/":                               false,
		"https://www.example.com/" + strings.Repeat("a", maxLink): false,
	} {
		if got := link(address) != ""; got != linked {
			t.Errorf("link(%q) = %v", address, got)
		}
	}
}
