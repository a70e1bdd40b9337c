package main

import (
	"fmt"
	"testing"
	"unicode/utf16"

	"github.com/acapscan/acapscan/output/table"
)

// wide writes text in an encoding, without a mark.
func wide(encoding, text string) (body []byte) {
	unit := func(c uint32, size int, high bool) {
		for i := range size {
			if high {
				i = size - 1 - i
			}
			body = append(body, byte(c>>(8*i)))
		}
	}
	high := encoding[6:] == "be"
	if encoding[:6] == "utf-16" {
		for _, c := range utf16.Encode([]rune(text)) {
			unit(uint32(c), 2, high)
		}
		return body
	}
	for _, c := range text {
		unit(uint32(c), 4, high)
	}
	return body
}

// explain and check read the bytes of a page and of a robots.txt as scan does, UTF-16 and UTF-32 included: by the mark,
// or by what the header says (R-LEX-1).
func TestWideTextIsReadAlike(t *testing.T) {
	t.Parallel()
	const (
		robots = "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-preserve: /ü\n"
		page   = "<html><head>\n<title>𝄞</title>\n<meta name=\"robots\" content=\"ACAP " +
			"disallow-index\">\n</head><body></body></html>\n"
	)
	for _, encoding := range []string{"utf-16le", "utf-16be", "utf-32le", "utf-32be"} {
		for _, mark := range []string{"\uFEFF", ""} {
			t.Run(fmt.Sprintf("%s mark %t", encoding, mark != ""), func(t *testing.T) {
				charset := ""
				if mark == "" {
					charset = "; charset=" + encoding
				}
				file, html := wide(encoding, mark+robots), wide(encoding, mark+page)
				out := scanOf(t, exitDone, write(t, "a.warc",
					response("http://a.example/robots.txt", "text/plain"+charset, string(file)),
					response("http://a.example/%C3%BC", "text/html"+charset, string(html))), "--permissions", "all")
				written := map[string]table.Permission{}
				for _, at := range rows[table.Permission](t, out, table.Permissions) {
					if at.Row.Scope == "page" && at.Row.Agent == "*" {
						written[string(at.Row.Usage)] = at.Row
					}
				}
				robotsFile, pageFile := write(t, "robots.txt", file), write(t, "page.html", html)
				said := objects(t, must(t, exitDone, "explain", "--json", "--url", "http://a.example/%C3%BC",
					"--robots", robotsFile, "--robots-media-type",
					"text/plain"+charset, "--page", pageFile, "--media-type", "text/html"+charset).stdout)
				if len(said) != len(written) || len(said) == 0 {
					t.Fatalf("%d usages, the table has %d", len(said), len(written))
				}
				for _, a := range said {
					row := written[a["usage"].(string)]
					if a["decision"] != string(row.Decision) || a["basis"] != string(row.Basis) {
						t.Errorf("%v: explain says %v by %v, the table %s by %s", a["usage"], a["decision"], a["basis"],
							row.Decision, row.Basis)
					}
					switch a["usage"] {
					case "index":
						first := a["deciding"].([]any)[0].(map[string]any)
						if a["basis"] != "acap-page" || first["line"] != 3.0 {
							t.Errorf("index: %v", a)
						}
					case "preserve":
						if a["decision"] != "disallowed" {
							t.Errorf("preserve: %v", a)
						}
					}
				}
				if listed := objects(t, must(t, exitDone, "check", "--json", "--media-type", "text/html"+charset,
					pageFile).stdout); len(listed) == 0 ||
					listed[0]["source"] != "meta" || listed[0]["byte_offset"] != 33.0 {
					t.Errorf("check: %v", listed)
				}
			})
		}
	}
}
