package bodytext_test

import (
	"strings"
	"testing"

	"github.com/acapscan/acapscan/ingest/bodytext"
)

// R-LEX-7: a page for the first stage is a page whatever rules are left out. FuzzNotRobots compares it with the second
// stage.
func TestIsPage(t *testing.T) {
	begin := strings.Repeat(" ", 4<<10-1) + "<"
	for body, want := range map[string]bool{
		"<html>": true, "\xEF\xBB\xBF\r\n<p>": true, begin: true, " " + begin: false, "": false, "User-agent: *": false,
		"<p>\nUser-agent: *": false, "<p>\rDISALLOW :": false, "<p>\n\u00A0hosT:": false, "<p>\nhost": true,
		"<p>\nhos\u0074s:": true, "<p>Sitemap:": true, "<p>ACAP": false, "<p>\nacap-": false,
	} {
		if got := bodytext.IsPage([]byte(body)); got != want {
			t.Errorf("%q: %t", body, got)
		}
	}
}

func TestLacksACAP(t *testing.T) {
	for body, want := range map[string]bool{
		"": true, "aca": true, "acap": false, "User-agent: *\nDisallow: /acap": false, "xAcApx": false, "aacap": false,
		"acacap": false, "ac ap": true, "pacap": false, "paca p": true, "capcapaacaacp": true, "a": true,
		"\xFE\xFF\x00a": false, "\xFF\xFEa\x00": false, "\x00\x00\xFE\xFF": false,
	} {
		for pad := range 9 {
			if pad > 0 && body != "" && (body[0] >= 0x80 || body[0] == 0) {
				continue // only the first byte tells of another encoding
			}
			padded := strings.Repeat("-", pad) + body + strings.Repeat("c", pad)
			if got := bodytext.LacksACAP([]byte(padded)); got != want {
				t.Errorf("%q: %v", padded, got)
			}
		}
	}
}

// A page is read once for both questions.
func FuzzIsPage(f *testing.F) {
	for _, text := range []string{
		"<p>", "<html>\n\t        host:", "<p>\r\n  <a>acxp acap", "<p>\n\xC2\xA0 disallow:", "<a>\nacac\nacap-",
		"<\n\u00A0\n",
		"<html>" + strings.Repeat("abcp ac p acxp ", 9) + "\n                  \t allow :", "<\xFF\xFE\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		want := bodytext.BeginsAsPage(body[:min(len(body), 4<<10)]) && bodytext.LacksACAP(body) &&
			!bodytext.HasKnownField(body)
		if got := bodytext.IsPage(body); got != want {
			t.Errorf("%q: %t", body, got)
		}
	})
}
