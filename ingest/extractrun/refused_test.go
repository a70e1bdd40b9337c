package extractrun

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// Each defect that a case of TestRobustness shows can be refused. Then the record that shows it makes no facts, which
// is counted and told, and all others are as they were.
func TestRefusedDefects(t *testing.T) {
	shown := map[string]bool{}
	for _, tt := range robustnesses() {
		odd := slices.ContainsFunc(tt.want.defects, func(code string) bool { return slices.Contains(RefusableDefects(), code) })
		if !odd {
			continue // and some take their time
		}
		for _, c := range tt.containers()[:1] {
			input := bytesInput("five", []byte(c.write(tt.records())))
			opts := Options{Workers: 1, Extract: extract.Options{Pages: extract.PagesAll}}
			lenient, before := read(t, []source.Input{input}, opts)
			for _, count := range ofKind(lenient, facts.KindInput)[0].Counts {
				code, ok := strings.CutPrefix(count.Name, facts.CountDefectPrefix)
				if !ok || !slices.Contains(RefusableDefects(), code) {
					continue
				}
				t.Run(fmt.Sprintf("%s: %s, %s, %s", tt.row, tt.name, c.name, code), func(t *testing.T) {
					opts.Refuse = Refused{}
					if !opts.Refuse.Add(code) || !slices.Equal(opts.Refuse.Codes(), []string{code}) {
						t.Fatalf("the set of %s is %q", code, opts.Refuse.Codes())
					}
					list, sum := read(t, []source.Input{input}, opts)
					var want []string
					refused := int64(0)
					for _, f := range ofKind(lenient, facts.KindPage) {
						if slices.Contains(f.Defects, code) {
							refused++
						} else {
							want = append(want, f.URL)
						}
					}
					var got []string
					for _, f := range ofKind(list, facts.KindPage) {
						got = append(got, f.URL)
					}
					if !slices.Equal(got, want) {
						t.Errorf("delivered %q, want %q", got, want)
					}
					// What is damaged counts as lost anyway, and was kept as far as it could be read.
					if sum.Lost < max(before.Lost, refused, 1) || sum.Unreadable != 1 {
						t.Errorf("%d records lost and %d inputs unreadable, where %d were lost and %d records show it", sum.Lost, sum.Unreadable, before.Lost, refused)
					}
					if told := ofKind(list, facts.KindInput)[0].Error; told == "" || refused > 0 && before.Lost == 0 && !strings.Contains(told, code) {
						t.Errorf("the input says %q", told)
					}
					shown[code] = shown[code] || refused > 0
				})
			}
		}
	}
	if len(shown) < 25 {
		t.Errorf("only %d defects were refused", len(shown))
	}
	if new(Refused).Add("no-such-defect") {
		t.Error("a code that nothing has was taken")
	}
}

// What is refused is the same whoever reads, and by coordinates.
func TestRefusedInStretches(t *testing.T) {
	var records []string
	for i := range 60 {
		r := page(i)
		if i%7 == 3 {
			r.http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: no-such-coding\r\n\r\n"
		}
		if i%11 == 5 {
			r.fields = append(r.fields, "a line that is no field")
		}
		records = append(records, r.String())
	}
	input := bytesInput("many", []byte(members(records...)))
	opts := Options{Workers: 1, Extract: extract.Options{Pages: extract.PagesAll}}
	for _, code := range []string{"http-coding-unknown", "header-no-colon"} {
		if !opts.Refuse.Add(code) {
			t.Fatal(code)
		}
	}
	want, alone := read(t, []source.Input{input}, opts)
	if pages := len(ofKind(want, facts.KindPage)); alone.Lost < 10 || int64(pages)+alone.Lost != 60 {
		t.Errorf("%d pages, %d records lost", pages, alone.Lost)
	}
	opts.Workers, opts.Stretch = 3, 900
	got, together := read(t, []source.Input{input}, opts)
	if together != alone || len(got) != len(want) {
		t.Errorf("several workers: %+v and %d facts, one: %+v and %d", together, len(got), alone, len(want))
	}
	var parts [][]byte
	for _, record := range records {
		parts = append(parts, []byte(member(record)))
	}
	named := source.New("many", -1, &served{content: bytes.Join(parts, nil)})
	named.Records = placesOf(parts)
	got, asked := read(t, []source.Input{named}, opts)
	if asked.Lost != alone.Lost || len(ofKind(got, facts.KindPage)) != len(ofKind(want, facts.KindPage)) {
		t.Errorf("by coordinates: %+v and %d pages, in the archive: %+v", asked, len(ofKind(got, facts.KindPage)), alone)
	}
}
