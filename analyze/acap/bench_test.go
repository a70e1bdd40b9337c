package acap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// fileOf has so many rules; with 10,000 it is about as much as is read of one file, 500 KiB.
func fileOf(rules int) []byte {
	var b strings.Builder
	b.WriteString("##ACAP version=1.1\nACAP-resource-set: images /*.gif$ /*.png$\nACAP-crawler: *\n")
	for i := range rules {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, "ACAP-disallow-crawl: /section/%06d/\n", i)
		case 1:
			fmt.Fprintf(&b, "ACAP-allow-present-snippet: /news/%06d/ max-length=20-words\n", i)
		case 2:
			b.WriteString("ACAP-disallow-index: the-acap:resource-set:images\n")
		case 3:
			fmt.Fprintf(&b, "ACAP-allow-preserve: /news/%06d/*.html$ # kept\n", i)
		}
	}
	return []byte(b.String())
}

func BenchmarkReadRobots(b *testing.B) {
	for _, rules := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("rules=%d", rules), func(b *testing.B) {
			body := fileOf(rules)
			doc := robotstxt.Parse(body, robotstxt.Options{})
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				f := &policy.File{}
				ReadRobots(doc, Options{}, f)
				if len(f.Statements) != rules+1 {
					b.Fatal(len(f.Statements))
				}
			}
		})
	}
}

// What a hostile file makes of 500 KiB: composite usages, qualifiers, names.
func BenchmarkReadRobotsHostile(b *testing.B) {
	composite := "ACAP-qualified-usage: q index" + strings.Repeat(" a=b", 64) + "\nACAP-composite-usage: c" +
		strings.Repeat(" (q)", 64) + "\nACAP-crawler: *\n"
	for _, test := range []struct{ name, head, line string }{
		{"composite", composite, "ACAP-allow-(c): / a=b\n"},
		{"qualified", composite, "ACAP-allow-(q): / a=b\n"},
		{"crawlers", "", "ACAP-crawler a\n"},
		{"conventional", "ACAP-crawler: *\n", "Allow:\n"},
		{"members", "", "ACAP-resource-set: a /" + strings.Repeat(" /", 1000) + strings.Repeat(" x", 1000) + "\n"},
		{"one line", "ACAP-crawler: *\nACAP-allow-index: /", " a=b"},
		{"blanks", "ACAP-crawler: *\nACAP-allow ", "index-"},
	} {
		text := test.head + strings.Repeat(test.line, (robotstxt.DefaultLimit-len(test.head))/len(test.line))
		doc := robotstxt.Parse([]byte(text), robotstxt.Options{})
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				f := &policy.File{}
				ReadRobots(doc, Options{}, f)
				Fingerprint(f.Statements)
			}
		})
	}
}
