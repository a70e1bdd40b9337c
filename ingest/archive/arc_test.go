package archive

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestARCLine(t *testing.T) {
	date := time.Date(2008, 4, 30, 20, 48, 25, 0, time.UTC)
	base := Record{Type: Response, URI: "http://x/", IP: "192.0.2.1", Date: date, ContentType: "text/html",
		DeclaredLength: 680}
	with := func(change func(*Record), defects ...Defect) Record {
		rec := base
		change(&rec)
		rec.Defects = defects
		return rec
	}
	tests := []struct {
		name, line string
		want       Record
	}{
		{"five columns", "http://x/ 192.0.2.1 20080430204825 text/html 680", base},
		{"spaces in the URL", "http://x/a b c 192.0.2.1 20080430204825 text/html 680",
			with(func(r *Record) { r.URI = "http://x/a b c" }, URISpaces)},
		{"spaces in the content type", "http://x/ 192.0.2.1 20080430204825 text/html; charset=utf-8 680",
			with(func(r *Record) { r.ContentType = "text/html; charset=utf-8" })},
		{"URL that ends like a line",
			"http://x/ 192.0.2.9 20070101000000 text/plain 5 192.0.2.1 20080430204825 text/html 680",
			with(func(r *Record) { r.URI = "http://x/ 192.0.2.9 20070101000000 text/plain 5" }, URISpaces)},
		{"empty content type", "http://x/ 192.0.2.1 20080430204825  680",
			with(func(r *Record) { r.ContentType = "" }, ColumnMissing)},
		{"no content type", "http://x/ 192.0.2.1 20080430204825 680",
			with(func(r *Record) { r.ContentType = "" }, ColumnMissing)},
		{"no length", "http://x/ 192.0.2.1 20080430204825 text/html",
			with(func(r *Record) { r.DeclaredLength = -1 }, LengthMissing)},
		{"no length, spaces in the content type", "http://x/ 192.0.2.1 20080430204825 text/html; charset=utf-8",
			with(func(r *Record) { r.ContentType, r.DeclaredLength = "text/html; charset=utf-8", -1 }, LengthMissing)},
		{"length that is none", "http://x/ 192.0.2.1 20080430204825 text/html abc",
			with(func(r *Record) { r.DeclaredLength = -1 }, LengthInvalid)},
		{"negative length", "http://x/ 192.0.2.1 20080430204825 text/html -1",
			with(func(r *Record) { r.DeclaredLength = -1 }, LengthInvalid)},
		{"no IP address", "http://x/ 20080430204825 text/html 680",
			with(func(r *Record) { r.IP = "" }, ColumnMissing)},
		{"empty IP address", "http://x/  20080430204825 text/html 680",
			with(func(r *Record) { r.IP = "" }, ColumnMissing)},
		{"IPv6", "http://x/ 2001:db8::1 20080430204825 text/html 680",
			with(func(r *Record) { r.IP = "2001:db8::1" })},
		{"date null", "http://x/ 192.0.2.1 null text/html 680",
			with(func(r *Record) { r.Date = time.Time{} }, DateInvalid)},
		{"date of 12 digits", "http://x/ 192.0.2.1 200804302048 text/html 680",
			with(func(r *Record) { r.Date = date.Truncate(time.Minute) })},
		{"date of 8 digits", "http://x/ 192.0.2.1 20080430 text/html 680",
			with(func(r *Record) { r.Date = date.Truncate(24 * time.Hour) })},
		{"date of 18 digits", "http://x/ 192.0.2.1 200804302048250000 text/html 680",
			with(func(r *Record) {}, DateInvalid)},
		{"date of a 13th month", "http://x/ 192.0.2.1 20081330204825 text/html 680",
			with(func(r *Record) { r.Date = time.Time{} }, DateInvalid)},
		{"dns", "dns:x 192.0.2.1 20080430204825 text/dns 680",
			with(func(r *Record) { r.URI, r.Type, r.ContentType = "dns:x", Resource, "text/dns" })},
		{"https", "https://x/ 192.0.2.1 20080430204825 text/html 680", with(func(r *Record) { r.URI = "https://x/" })},
		{"ftp", "ftp://x/ 192.0.2.1 20080430204825 text/html 680",
			with(func(r *Record) { r.URI, r.Type = "ftp://x/", Resource })},
		{"version block", "filedesc://x.arc 0.0.0.0 20080430204825 text/plain 680",
			with(func(r *Record) {
				r.URI, r.IP, r.Type, r.ContentType = "filedesc://x.arc", "0.0.0.0", Warcinfo, "text/plain"
			})},
		{"version block of 1996", "filedesc://x.arc 0 20080430204825 text/plain 680",
			with(func(r *Record) {
				r.URI, r.IP, r.Type, r.ContentType = "filedesc://x.arc", "0", Warcinfo,
					"text/plain"
			})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !isARCStart([]byte(tt.line+"\n"), false) {
				t.Fatal("it is not taken for a URL line")
			}
			got := Record{DeclaredLength: -1}
			readARCLine(tt.line, &got, func(d Defect) { got.Defects = append(got.Defects, d) })
			got.Header = nil
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
		})
	}
	for _, line := range []string{
		"", "\n", "text", "text/html 192.0.2.1 20080430204825 x 5\n", "http://x/\n", "http://x/ text/html 680\n",
		"http://x/ 192.0.2.1 20080430204825 text/html 680", // the end of the line is not in sight
		"Date: Wed, 30 Apr 2008 20:48:24 GMT\n", "Content-Length: 20080430204825x\n",
		"URL IP-address Archive-date Content-type Archive-length\n",
	} {
		if isARCStart([]byte(line), false) {
			t.Errorf("%q is taken for a URL line", line)
		}
	}
}

// TestARC reads whole archives.
func TestARC(t *testing.T) {
	a, b := arcText("http://a/", "text/html", pageA), arcText("http://b/x y", "text/html; charset=x", pageB)
	dns := arcText("dns:a", "text/dns", "20080430204825\na.\t589\tIN\tA\t192.0.2.1")
	versionText := strings.SplitAfterN(arcVersionBlock, "\n", 2)[1]
	version := func(length int64) string {
		return strings.Replace(arcVersionBlock, " 76\n", fmt.Sprintf(" %d\n", length), 1)
	}
	n := int64(len(versionText))
	uris := []string{"filedesc://x.arc", "dns:a", "http://a/", "http://b/x y"}
	blocks := []string{pageA, pageB}
	tests := []struct {
		name  string
		head  string
		input func(head string) string
	}{
		{"length of the version block with its empty line", version(n), nil},
		{"length of the version block without its empty line", version(n - 1), nil},
		{"length of the version block without its last line end", version(n - 2), nil},
		{"length of the version block with the URL line", version(n + 70), nil},
		{"length of the version block -1", version(-1), nil},
		{"length of the version block far too large", version(1 << 41), nil},
		{"no line ends between records", strings.TrimRight(version(n-1), "\n") + "\n", func(head string) string {
			return head + strings.TrimRight(dns, "\n") + "\n" + a + b
		}},
		{"extra line ends", version(n), func(head string) string {
			return head + "\n\n" + dns + "\n" + a + "\n\n" +
				b
		}},
		{"junk between records", version(n), func(head string) string {
			return head + dns + "junk\njunk\n" + a +
				"junk: x\n" + b
		}},
	}
	for _, tt := range tests {
		if tt.input == nil {
			tt.input = func(head string) string { return head + dns + a + b }
		}
		plain := tt.input(tt.head)
		for kind, input := range map[string]string{"plain": plain, "gzip": members(tt.head, dns, a, b),
			"one member": member(plain)} {
			t.Run(tt.name+", "+kind, func(t *testing.T) {
				records, stats := readAll(t, input, Options{})
				var got []string
				for _, rec := range records {
					got = append(got, rec.URI)
				}
				if diff := cmp.Diff(uris, got); diff != "" {
					t.Fatalf("URIs (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(blocks, []string{records[2].Block, records[3].Block}); diff != "" {
					t.Errorf("blocks (-want +got):\n%s", diff)
				}
				if !strings.HasPrefix(records[0].Block, "1 1 Example Crawl\n") {
					t.Errorf("version block %q", records[0].Block)
				}
				if stats.Lost > 0 || stats.Records[Warcinfo] != 1 || stats.Records[Response] != 2 ||
					stats.Records[Resource] != 1 {
					t.Errorf("stats %+v", stats)
				}
			})
		}
	}
}

func TestARCWrongLength(t *testing.T) {
	head := strings.Replace(arcVersionBlock, " 76\n", " 75\n", 1)
	a, b := arcText("http://a/", "text/html", pageA), arcText("http://b/", "text/html", pageB)
	for _, tt := range []struct {
		name, length, block string
	}{
		{"too small", "100", pageC[:0] + page(500)[:100]},
		{"too large by what begins the next URL", fmt.Sprint(len(page(500)) + 2), page(500)},
		{"too large into the next URL's path", fmt.Sprint(len(page(500)) + 10), page(500)},
		{"too large by all but the end of the next line", fmt.Sprint(len(page(500)) + 50), page(500)},
		{"too large", "700", page(500)},
		{"far too large", "9000", page(500)},
		{"2^41", "2199023255552", page(500)},
		{"none", "abc", page(500)},
	} {
		wrong := "http://x/ 192.0.2.1 20080430204825 text/html " + tt.length + "\n" + page(500) + "\n"
		for kind, input := range map[string]string{"plain": head + a + wrong + b, "gzip": members(head, a, wrong, b),
			"one member": member(head + a + wrong + b)} {
			t.Run(tt.name+", "+kind, func(t *testing.T) {
				records, stats := readAll(t, input, Options{})
				if len(records) != 4 || stats.Lost > 0 {
					t.Fatalf("%d records, %d lost", len(records), stats.Lost)
				}
				if got := strings.TrimSuffix(records[2].Block, "\n"); got != strings.TrimSuffix(tt.block, "\n") {
					t.Errorf("block of %d bytes, want %d", len(records[2].Block), len(tt.block))
				}
				if records[3].Block != pageB {
					t.Error("the record behind is not read")
				}
			})
		}
	}
}

func TestARCVersionAndHeader(t *testing.T) {
	r, err := NewReader(strings.NewReader(members(arcVersionBlock, arcText("http://a/", "text/html", pageA))),
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if rec.Format != FormatARC || rec.Version != "1.1" {
			t.Errorf("format %s, version %q", rec.Format, rec.Version)
		}
		if rec.Type == Response && (rec.Header.Get("archive-date") != "20080430204825" ||
			rec.Header.Get("URL") != "http://a/") {
			t.Errorf("header %v", rec.Header)
		}
	}
}

// FuzzARCLine: no line makes the parser panic, and the columns are in the line.
func FuzzARCLine(f *testing.F) {
	f.Add("http://x/a b 192.0.2.1 20080430204825 text/html; charset=x 680")
	f.Add("dns:x 20080430204825  39")
	f.Add("http://x/ - null")
	f.Fuzz(func(t *testing.T, line string) {
		a, ok := parseARCLine(line)
		if !ok {
			return
		}
		if !strings.HasPrefix(line, a.url) || a.date == "" {
			t.Errorf("%q is read as %+v", line, a)
		}
		for _, column := range []string{a.ip, a.date, a.contentType, a.length} {
			if !strings.Contains(line, column) {
				t.Errorf("%q is not in the line %q", column, line)
			}
		}
		var rec Record
		readARCLine(line, &rec, func(Defect) {})
	})
}
