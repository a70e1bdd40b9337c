package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pagesFolder is a folder of documentation.
func pagesFolder(t *testing.T) string {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a/index.html": "<html><head><title>a</title></head><body>a</body></html>", "b c.HTM": "<p>no head",
		"notes.txt": "not a page", "long.html": strings.Repeat("x", maxPage+1),
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// content inflates an archive and counts its members.
func content(t *testing.T, archive []byte) (string, int) {
	in := bytes.NewReader(archive)
	var b strings.Builder
	members := 0
	var z gzip.Reader
	for in.Len() > 0 {
		if err := z.Reset(in); err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		if _, err := io.Copy(&b, &z); err != nil {
			t.Fatal(err)
		}
		members++
	}
	return b.String(), members
}

func TestCorpusIsTheSameEachTime(t *testing.T) {
	folder := pagesFolder(t)
	write := func() map[string][]byte {
		out := t.TempDir()
		if err := run([]string{"-pages", folder, "-o", out, "-files", "1", "-robots", "2000", "-robots-files", "2"},
			io.Discard); err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		err := filepath.WalkDir(out, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			files[strings.TrimPrefix(path, out)] = text
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	files, again := write(), write()
	if len(files) != 3 {
		t.Fatalf("%d archives, want 3", len(files))
	}
	acap := 0
	for name, archive := range files {
		if !bytes.Equal(archive, again[name]) {
			t.Errorf("%s is another one the second time", name)
		}
		text, members := content(t, archive)
		if want := map[bool]int{true: 1 + 3*1000, false: 1 +
			3*2}[strings.Contains(name, "/robotstxt/")]; members != want {
			t.Errorf("%s has %d members, want %d", name, members, want)
		}
		acap += strings.Count(text, "\nACAP-crawler:")
	}
	if acap == 0 {
		t.Error("no robots.txt has ACAP")
	}
}

func TestInsertGoesBehindTheStartTag(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"a bare tag", "<head><title>", "<head>X<title>"},
		{"a tag with attributes", "<head lang=en><title>", "<head lang=en>X<title>"},
		{"another element that begins so", "<header><head>", "<header><head>X"},
		{"none", "<p>", "<p>"},
		{"a tag that does not end", "<head <p", "<head <p"},
	} {
		if got := string(insert([]byte(tt.page), "<head", "X")); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestMemberIsOneMemberOfThatSize(t *testing.T) {
	for shape, records := range map[string]int{"record": 1, "records": 48} {
		var b bytes.Buffer
		if err := run([]string{"-member", shape, "-size", "4000000"}, &b); err != nil {
			t.Fatal(err)
		}
		text, members := content(t, b.Bytes())
		if members != 1 {
			t.Errorf("%s: %d members", shape, members)
		}
		if n := strings.Count(text, "WARC/1.0\r\n"); n != records {
			t.Errorf("%s: %d records, want %d", shape, n, records)
		}
		if len(text) < 3_000_000 || len(text) > 4_100_000 {
			t.Errorf("%s: %d bytes of content", shape, len(text))
		}
	}
	if err := run([]string{"-member", "other"}, io.Discard); err == nil {
		t.Error("another shape is no error")
	}
}

func TestSharesAreTenThousandths(t *testing.T) {
	total := 0
	for _, k := range kinds {
		total += k.share
	}
	if total != 10_000 {
		t.Errorf("the shares of robots.txt add up to %d", total)
	}
	for _, list := range [][]addition{headAdditions, bodyAdditions, headerAdditions} {
		total = 0
		for _, a := range list {
			total += a.share
		}
		if total > 10_000 {
			t.Errorf("the shares of additions add up to %d", total)
		}
	}
}

// What is written has the sizes, the repetition, the share of pages, the compressibility and the markup that real files
// have, to about a third at most.
func TestLikeRealFiles(t *testing.T) {
	out := t.TempDir()
	const sites = 4000
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(writeRobotsFiles(flags{out: out, robotsFiles: 1, sites: sites}))
	names, err := filepath.Glob(filepath.Join(out, "crawl-data", crawl, "segments", segment, "robotsfiles", "*"))
	check(err)
	archive, err := os.ReadFile(names[0])
	check(err)
	text, _ := content(t, archive)
	counts := map[string]int{}
	var sizes []int
	length, pages := 0, 0
	plain, markup := kindOfBody{}, kindOfBody{}
	for _, record := range strings.Split(text, "\r\n\r\nWARC/1.0\r\n")[1:] {
		_, http, _ := strings.Cut(record, "\r\n\r\n")
		_, body, _ := strings.Cut(http, "\r\n\r\n")
		counts[body]++
		sizes = append(sizes, len(body))
		if length += len(body); strings.HasPrefix(body, "<") {
			pages++
			markup.add(body)
		} else if body != "" {
			plain.add(body)
		}
	}
	slices.Sort(sizes)
	for what, x := range map[string][2]int{
		"distinct in 4,000": {len(counts), 2857}, "mean size": {length / len(sizes), 5415},
		"median size": {sizes[len(sizes)/2], 193}, "size that a fifth exceeds": {sizes[len(sizes)*8/10], 1517},
		"pages": {pages, 308}, "empty": {counts[""], 376},
		"mean size of a robots.txt":       {plain.bytes / plain.n, 1257},
		"robots.txt: compressed, percent": {100 * plain.packed / plain.bytes, 28},
		"robots.txt: bytes a line":        {plain.bytes / plain.lines, 32},
		"pages: compressed, per mille":    {1000 * markup.packed / markup.bytes, 190},
		"pages: bytes a line":             {markup.bytes / markup.lines, 72},
		"pages: bytes a tag":              {markup.bytes / markup.tags, 59},
		"pages: METAs":                    {markup.metas / markup.n, 9},
	} {
		if got, want := x[0], x[1]; got < want*70/100 || got > want*130/100 {
			t.Errorf("%s: %d, real files: %d", what, got, want)
		}
	}
	if len(sizes) != sites {
		t.Errorf("%d files, want %d", len(sizes), sites)
	}
}

// A kindOfBody sums up the answers that are robots.txt, or pages.
type kindOfBody struct{ n, bytes, packed, lines, tags, metas int }

func (k *kindOfBody) add(body string) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, body)
	z.Close()
	k.n++
	k.bytes += len(body)
	k.packed += packed.Len() - 18 // the frame of the member
	k.lines += strings.Count(body, "\n")
	k.tags += strings.Count(body, "<")
	k.metas += strings.Count(body, "<meta")
}
