package extractrun

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// served is an input that records its requests. Reads after its end fail, as from a server.
type served struct {
	content []byte
	asked   []source.Range
	broken  int64 // offset at which reading fails; 0: none
	cause   error
}

func (s *served) Open(context.Context) (io.ReadCloser, error) {
	return nil, errors.New("the request was not for a range")
}

func (s *served) OpenRange(_ context.Context, offset, length int64) (io.ReadCloser, error) {
	s.asked = append(s.asked, source.Range{Offset: offset, Length: length})
	size := int64(len(s.content))
	if offset >= size {
		return nil, fmt.Errorf("416: %w", source.ErrEnds)
	}
	end := min(offset+length, size)
	if s.broken > offset && s.broken < end {
		return io.NopCloser(io.MultiReader(bytes.NewReader(s.content[offset:s.broken]), failing{s.cause})), nil
	}
	if end < offset+length {
		return io.NopCloser(io.MultiReader(bytes.NewReader(s.content[offset:end]), failing{source.ErrEnds})), nil
	}
	return io.NopCloser(bytes.NewReader(s.content[offset:end])), nil
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

func span(offset, length int64) source.Range { return source.Range{Offset: offset, Length: length} }

// placesOf returns the ranges of the records of an archive.
func placesOf(records [][]byte) []source.Range {
	var list []source.Range
	offset := int64(0)
	for _, r := range records {
		list = append(list, source.Range{Offset: offset, Length: int64(len(r))})
		offset += int64(len(r))
	}
	return list
}

// inflated returns a record without its compression.
func inflated(t *testing.T, record []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(record))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// captures returns the facts about captures.
func captures(list []facts.Fact) []facts.Fact {
	return slices.DeleteFunc(slices.Clone(list), func(f facts.Fact) bool {
		return f.Kind == facts.KindInput ||
			f.Kind == facts.KindSite
	})
}

func TestRecordsByCoordinates(t *testing.T) {
	const name = "crawl-data/C-1/segments/7/warc/a.warc.gz"
	pageOf := func(n int) []byte {
		return response(fmt.Sprintf("http://a.example/%d", n), 200, "text/html",
			fmt.Sprintf("<meta name=robots content=noindex><p>%d", n))
	}
	records := [][]byte{warcinfo("isPartOf: C-2\r\n"), response("http://a.example/robots.txt", 200, "text/plain",
		"User-agent: *\nDisallow: /x\n"),
		pageOf(2), pageOf(3), pageOf(4), pageOf(5)}
	content := archiveOf(records...)
	at := placesOf(records)
	whole, _ := read(t, []source.Input{bytesInput(name, content)}, Options{})
	known := map[int64]facts.Fact{}
	for _, f := range captures(whole) {
		known[f.RecordOffset] = f
	}
	if len(known) != 5 {
		t.Fatalf("%d captures in the archive", len(known))
	}
	end := at[5].End()

	for _, c := range []struct {
		name  string
		asked []source.Range
		spans int
		found []int // places
		lost  int64
		says  string
	}{
		{"one record", at[2:3], 1, []int{2}, 0, ""},
		{"neighbours that touch are one request", at[1:4], 1, []int{1, 2, 3}, 0, ""},
		{"two stretches", []source.Range{at[1], at[3], at[4]}, 2, []int{1, 3, 4}, 0, ""},
		{"all", at, 1, []int{1, 2, 3, 4, 5}, 0, ""},
		{"the middle of a record costs that record", []source.Range{span(at[2].Offset+7, at[2].Length-7), at[3]}, 1,
			[]int{3}, 1,
			fmt.Sprintf("1 record cannot be read whole, the first: record at offset %d: no record begins there",
				at[2].Offset+7)},
		{"a record is found only where it begins", []source.Range{span(at[2].Offset+7, at[2].Length+at[3].Length-7)}, 1,
			nil, 1, "no record begins there"},
		{"a length that is too short", []source.Range{span(at[2].Offset, at[2].Length-9), at[3]}, 2, []int{2, 3}, 1,
			"1 record cannot be read whole"},
		{"a length that is too long", []source.Range{span(at[2].Offset, at[2].Length+20), at[4]}, 2, []int{2, 4}, 0,
			""},
		{"a length that holds the next one too", []source.Range{span(at[2].Offset, at[2].Length+at[3].Length)}, 1,
			[]int{2}, 0, ""},
		{"lengths that overlap", []source.Range{span(at[2].Offset, at[2].Length+20), at[3]}, 2, []int{2, 3}, 0, ""},
		{"behind the end", []source.Range{at[2], span(end+10, 100)}, 2, []int{2}, 1, "the archive ends before"},
		{"several behind the end", []source.Range{span(end, 100), span(end+100, 100)}, 1, nil, 2,
			"2 records cannot be read whole"},
		{"a length beyond the end", []source.Range{span(at[5].Offset, at[5].Length+100)}, 1, []int{5}, 0, ""},
		{"a record that goes on beyond the end", []source.Range{at[4], span(end-30, 100)}, 2, []int{4}, 1, "offset " +
			fmt.Sprint(end-30)},
		{"a record that is no capture", at[:1], 1, nil, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &served{content: content}
			in := source.New(name, -1, s)
			in.Records = c.asked
			list, sum := read(t, []source.Input{in}, Options{})
			if len(s.asked) != c.spans {
				t.Errorf("asked for %v", s.asked)
			}
			var bytesAsked, bytesRead int64
			for _, r := range s.asked {
				bytesAsked += r.Length
				bytesRead += max(0, min(r.End(), end)-r.Offset)
			}
			for _, r := range c.asked {
				bytesAsked -= r.Length
			}
			if bytesAsked != 0 {
				t.Errorf("%d more bytes were asked for than the records have", bytesAsked)
			}
			want := []facts.Fact{}
			for _, place := range c.found {
				f := known[at[place].Offset]
				want = append(want, f)
			}
			got := captures(list)
			byOffset := func(a, b facts.Fact) int { return int(a.RecordOffset - b.RecordOffset) }
			slices.SortFunc(got, byOffset)
			if c.name == "a length that is too short" && len(got) > 0 { // a part of it was read
				got[0].RecordLength, got[0].Defects = want[0].RecordLength, want[0].Defects
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("captures (-in the archive +by coordinates):\n%s", diff)
			}
			row := onlyInput(t, list)
			counts := countsOf(row)
			if counts[facts.CountRecordsAsked] != int64(len(c.asked)) || counts[facts.CountIncomplete] != 0 ||
				counts[facts.CountCaptures] != int64(len(c.found)) {
				t.Errorf("counts %v", counts)
			}
			if counts[facts.CountSkippedPrefix+"damaged"] != c.lost || sum.Lost != c.lost ||
				sum.Unreadable != min(1, int(c.lost)) {
				t.Errorf("%d records are lost, want %d; summary %+v", counts[facts.CountSkippedPrefix+"damaged"],
					c.lost, sum)
			}
			if row.Filename != name || row.InputDigest != "" || row.InputBytes != bytesRead ||
				!strings.Contains(row.Error, c.says) || (row.Error == "") != (c.lost == 0) {
				t.Errorf("%s: %d bytes where %d were there, digest %q, error %q", row.Filename, row.InputBytes,
					bytesRead, row.InputDigest, row.Error)
			}
			if c.lost == 0 {
				for name := range counts {
					if strings.HasPrefix(name, facts.CountDefectPrefix) {
						t.Errorf("a defect that the archive does not have: %s", name)
					}
				}
			}
		})
	}
}

func TestRecordsOfABrokenInput(t *testing.T) {
	records := [][]byte{response("http://a.example/1", 200, "text/html", "<meta name=robots content=noindex>"),
		response("http://a.example/2", 200, "text/html", "<meta name=robots content=noindex>"),
		response("http://a.example/3", 200, "text/html", "<meta name=robots content=noindex>")}
	at := placesOf(records)
	for _, c := range []struct {
		name     string
		opener   source.Opener
		found    int
		says     string
		bytes    int64
		complete bool
	}{
		{"it cannot be opened", opener(nil), 0, "only be read from its beginning", -1, false},
		{"the connection breaks", &served{content: archiveOf(records...), broken: at[1].Offset + 5,
			cause: errors.New("it broke")}, 1, "it broke", at[1].Offset + 5, false},
		{"the connection breaks for good", &served{content: archiveOf(records...), broken: at[1].Offset + 5,
			cause: io.ErrUnexpectedEOF}, 1, "unexpected EOF", at[1].Offset + 5, false},
		{"it is shorter on the way", &served{content: archiveOf(records...), broken: at[1].Offset + 5,
			cause: source.ErrEnds}, 1, "2 records", at[1].Offset + 5, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := source.New("a.warc.gz", -1, c.opener)
			in.Records = at
			list, sum := read(t, []source.Input{in}, Options{})
			row := onlyInput(t, list)
			if !strings.Contains(row.Error, c.says) || row.InputBytes != c.bytes || sum.Unreadable != 1 ||
				strings.Contains(row.Error, "\n") {
				t.Errorf("%q, %d bytes, %+v", row.Error, row.InputBytes, sum)
			}
			if complete := countsOf(row)[facts.CountIncomplete] == 0; complete != c.complete {
				t.Errorf("complete: %t", complete)
			}
			if got := ofKind(list, facts.KindPage); len(got) < c.found {
				t.Errorf("%d pages, want %d", len(got), c.found)
			}
		})
	}
}

// Records that share a member have one coordinate, and are read together. Plain archives and ARC have coordinates, too.
func TestRecordsOfEveryKindOfArchive(t *testing.T) {
	shared := []byte(member(string(slices.Concat(inflated(t, response("http://a.example/1", 200, "text/html", "<p>1")),
		inflated(t, response("http://a.example/2", 200, "text/html", "<p>2"))))))
	arc := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"
	for name, records := range map[string][][]byte{
		"shared members": {shared, shared},
		"plain": {inflated(t, response("http://a.example/1", 200, "text/html", "<p>1")),
			inflated(t, response("http://a.example/2", 200, "text/html", "<p>2")),
			inflated(t, response("http://a.example/3", 200, "text/html", "<p>3"))},
		"arc": {fmt.Appendf(nil, "http://a.example/1 192.0.2.1 20080430204825 text/html %d\n%s\n", len(arc), arc),
			fmt.Appendf(nil, "http://a.example/2 192.0.2.1 20080430204825 text/html %d\n%s\n", len(arc), arc)},
	} {
		t.Run(name, func(t *testing.T) {
			whole, _ := read(t, []source.Input{bytesInput("a.warc.gz", archiveOf(records...))}, Options{})
			at := placesOf(records)
			in := source.New("a.warc.gz", -1, &served{content: archiveOf(records...)})
			in.Records = at[1:]
			list, sum := read(t, []source.Input{in}, Options{})
			n, lost := countsOf(onlyInput(t, list))[facts.CountCaptures], sum.Lost
			all := countsOf(onlyInput(t, whole))[facts.CountCaptures]
			if want := all * int64(len(at)-1) / int64(len(at)); n != want || lost != 0 {
				t.Errorf("%d captures and %d lost, of %d in the archive", n, lost, all)
			}
		})
	}
}
