package extractrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// crawled returns an archive with captures of all kinds.
func crawled() []byte {
	const page = "<html><head><meta name=robots content=noindex><title>x</title></head></html>"
	return archiveOf(
		warcinfo("isPartOf: C-1\r\n"),
		record("request", "http://a.example/", "GET / HTTP/1.1\r\n\r\n"),
		response("http://a.example/robots.txt", 200, "text/plain", "User-agent: *\nDisallow: /x\n"),
		response("http://a.example/", 200, "text/html", page),
		response("http://a.example/feed", 200, "application/xml", "<?xml version=\"1.0\"?><a/>"),
		response("http://a.example/moved", 302, "text/html", ""),
		response("http://b.example/robots.txt", 404, "text/html", "no"),
		response("http://b.example/down", 503, "text/html", "no"),
		response("http://b.example/early", 103, "text/html", ""),
		record("response", "http://b.example/odd", "no header at all"),
		response("http://b.example/cut", 200, "text/html", page, "WARC-Truncated: length"),
		record("revisit", "http://b.example/again", "HTTP/1.1 200 OK\r\n\r\n"),
		record("resource", "http://b.example/own", page, "Content-Type: text/html"),
		record("response", "dns:a.example", "a.example. 1 IN A 192.0.2.1"),
		record("response", "", "HTTP/1.1 200 OK\r\n\r\n"),
		record("metadata", "http://a.example/", "fetchTimeMs: 7"),
		record("conversion", "http://a.example/", "x"),
		record("continuation", "http://a.example/", "x"),
		record("whatever", "http://a.example/", "x"),
	)
}

func TestInputCountersAddUp(t *testing.T) {
	content := crawled()
	list, sum := read(t, []source.Input{bytesInput("a.warc.gz", content)}, Options{})
	in := onlyInput(t, list)
	counts := countsOf(in)

	byType, byStatus := int64(0), int64(0)
	for name, n := range counts {
		if strings.HasPrefix(name, facts.CountRecordPrefix) {
			byType += n
		}
		if strings.HasPrefix(name, facts.CountStatusPrefix) {
			byStatus += n
		}
	}
	if counts[facts.CountRecords] != 19 || byType != 19 {
		t.Errorf("%d records, %d by type, want 19", counts[facts.CountRecords], byType)
	}
	if counts[facts.CountCaptures] != 11 || byStatus != 11 {
		t.Errorf("%d captures, %d by status, want 11", counts[facts.CountCaptures], byStatus)
	}
	want := map[string]int64{
		facts.CountMembers: 19, facts.CountRecords: 19, facts.CountCaptures: 11,
		facts.CountRecordPrefix + "warcinfo": 1, facts.CountRecordPrefix + "request": 1, facts.CountRecordPrefix +
			"response": 11,
		facts.CountRecordPrefix + "revisit": 1, facts.CountRecordPrefix + "resource": 1, facts.CountRecordPrefix +
			"metadata": 1,
		facts.CountRecordPrefix + "conversion": 1, facts.CountRecordPrefix + "other": 2,
		facts.CountStatusPrefix + "2xx": 5, facts.CountStatusPrefix + "3xx": 1, facts.CountStatusPrefix + "4xx": 1,
		facts.CountStatusPrefix + "5xx": 1, facts.CountStatusPrefix + "other": 1, facts.CountStatusPrefix + "none": 2,
		facts.CountRobots: 2, facts.CountHTML: 3, facts.CountXML: 1, facts.CountTruncatedRecords: 1,
		facts.CountSkippedPrefix + "not-http": 1, facts.CountSkippedPrefix + "no-url": 1,
	}
	for name, n := range want {
		if counts[name] != n {
			t.Errorf("%s is %d, want %d", name, counts[name], n)
		}
	}
	digest := sha256.Sum256(content)
	if in.InputDigest != hex.EncodeToString(digest[:]) || in.InputBytes != int64(len(content)) || in.Error != "" {
		t.Errorf("digest %q, %d bytes, error %q", in.InputDigest, in.InputBytes, in.Error)
	}
	if want := (Summary{Inputs: 1, Bytes: int64(len(content)), Records: 19}); sum != want {
		t.Errorf("summary %+v, want %+v", sum, want)
	}

	// The counters of the input are the sums over the sites.
	sums := map[string]int64{}
	for _, site := range ofKind(list, facts.KindSite) {
		for name, n := range countsOf(site) {
			sums[name] += n
		}
	}
	for _, name := range []string{facts.CountCaptures, facts.CountPages, facts.CountHTML, facts.CountXML,
		facts.CountStatusPrefix + "2xx", facts.CountBytes} {
		if sums[name] != counts[name] {
			t.Errorf("%s: the sites have %d, the input %d", name, sums[name], counts[name])
		}
	}
}

func TestDefectsOfTheArchiveAreCountedOnce(t *testing.T) {
	in := bytesInput("a.warc.gz", archiveOf(
		response("http://a.example/", 200, "text/html", "<p>", "WARC-Date: 2012-05-17T08:00:00Z"),
		record("metadata", "http://a.example/", "x", "no colon here"),
	))
	list, _ := read(t, []source.Input{in}, Options{})
	counts := countsOf(onlyInput(t, list))
	if n := counts[facts.CountDefectPrefix+string(archive.HeaderRepeated)]; n != 1 {
		t.Errorf("a defect of a capture is counted %d times, want 1", n)
	}
	if n := counts[facts.CountDefectPrefix+string(archive.HeaderNoColon)]; n != 1 {
		t.Errorf("a defect of a record that is no capture is counted %d times, want 1", n)
	}
	if n, ok := counts[facts.CountFirstDefect]; !ok || n != 0 {
		t.Errorf("the first defect is at %d, %v; want 0", n, ok)
	}
}

func TestFactsSayWhereTheyAre(t *testing.T) {
	first := warcinfo("isPartOf: C-1\r\n")
	robots := response("http://a.example/robots.txt", 200, "text/plain", "User-agent: *\n")
	page := response("http://a.example/", 200, "text/html", "<meta name=robots content=noindex>")
	name := "/mnt/crawl-data/CC-MAIN-2012-21/segments/7/robotstxt/a.warc.gz"
	list, _ := read(t, []source.Input{bytesInput(name, archiveOf(first, robots, page))}, Options{})
	type place struct {
		Kind                             facts.Kind
		Crawl, Subset, Segment, Filename string
		Offset, Length                   int64
	}
	var got []place
	for _, kind := range []facts.Kind{facts.KindRobots, facts.KindPage} {
		for _, f := range ofKind(list, kind) {
			got = append(got, place{f.Kind, f.Crawl, f.Subset, f.Segment, f.Filename, f.RecordOffset, f.RecordLength})
			if f.SiteHash != facts.HashSite("http://a.example") {
				t.Errorf("the hash of site %s is that of another", f.Site)
			}
		}
	}
	const filename = "crawl-data/CC-MAIN-2012-21/segments/7/robotstxt/a.warc.gz"
	at := int64(len(first))
	want := []place{
		{facts.KindRobots, "CC-MAIN-2012-21", "robotstxt", "7", filename, at, int64(len(robots))},
		{facts.KindPage, "CC-MAIN-2012-21", "robotstxt", "7", filename, at + int64(len(robots)), int64(len(page))},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

func TestBadInputCostsThatInput(t *testing.T) {
	one := response("http://a.example/1", 200, "text/html", "<meta name=robots content=noindex>")
	two := response("http://a.example/2", 200, "text/html", strings.Repeat("<meta name=robots content=noindex>", 40))
	three := response("http://a.example/3", 200, "text/html", "<meta name=robots content=noindex>")
	flipped := archiveOf(one, two, three)
	flipped[len(one)+len(two)-6] ^= 1 // in the checksum of the member
	good := bytesInput("good.warc.gz", archiveOf(one, two, three))
	many := bytes.Repeat(one, 2000) // more than the reader buffers
	const some = -1                 // the number depends on the buffer
	for _, c := range []struct {
		name    string
		in      source.Input
		records int64 // that are returned
		lost    int64
		pages   int
		whole   bool // read to the end
		says    []string
	}{
		{"empty", bytesInput("bad", nil), 0, 0, 0, false, []string{"bad", "empty"}},
		{"not an archive", bytesInput("bad", []byte("this is a text, and a long one at that\n")), 0, 0, 0, false,
			[]string{"bad", "not a WARC or ARC archive"}},
		{"a flipped bit", bytesInput("bad", flipped), 3, 1, 3, true, []string{"bad", fmt.Sprint("offset ", len(one)),
			"1 record cannot"}},
		{"cut within a member", bytesInput("bad", archiveOf(one, two)[:len(one)+len(two)-20]), 2, 1, 2, true,
			[]string{"bad", fmt.Sprint("offset ", len(one)), "ends within"}},
		{"an error while reading", source.New("bad", -1, opener(func() io.Reader {
			return io.MultiReader(bytes.NewReader(many), errorReader{errors.New("the disk is gone")})
		})), some, 0, some, false, []string{"bad", "the disk is gone", "offset"}},
		{"an error on opening", source.New("bad", -1, failingOpener{}), 0, 0, 0, false,
			[]string{"bad", "may not be read"}},
		{"a fault of ours", source.New("bad", -1, opener(func() io.Reader {
			return io.MultiReader(bytes.NewReader(many), panicReader{})
		})), some, 0, some, false, []string{"bad", "fault", "index out of range"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			said := map[string]string{}
			opts := Options{Workers: 1, OnFailure: func(input string, err error) {
				mu.Lock()
				defer mu.Unlock()
				said[input] += err.Error()
			}}
			list, sum := read(t, []source.Input{c.in, good}, opts)
			if sum.Inputs != 2 || sum.Unreadable != 1 || sum.Lost != c.lost || c.records != some &&
				sum.Records != 3+c.records {
				t.Errorf("summary %+v, want %d records, %d lost", sum, 3+c.records, c.lost)
			}
			inputs := ofKind(list, facts.KindInput)
			if len(inputs) != 2 || inputs[1].Error != "" || countsOf(inputs[1])[facts.CountCaptures] != 3 {
				t.Fatalf("the good input suffers: %+v", inputs)
			}
			for _, text := range c.says {
				if !strings.Contains(inputs[0].Error, text) {
					t.Errorf("error %q lacks %q", inputs[0].Error, text)
				}
				if !strings.Contains(said["bad"], text) {
					t.Errorf("what is said, %q, lacks %q", said["bad"], text)
				}
			}
			if strings.Contains(inputs[0].Error, "\n") {
				t.Errorf("the error has several lines: %q", inputs[0].Error)
			}
			if said["good.warc.gz"] != "" {
				t.Errorf("of the good input is said %q", said["good.warc.gz"])
			}
			pages := 0
			for _, f := range ofKind(list, facts.KindPage) {
				if f.Filename == "bad" {
					pages++
				}
			}
			if c.pages == some && pages == 0 || c.pages != some && pages != c.pages {
				t.Errorf("%d pages of the bad input, want %d", pages, c.pages)
			}
			counts := countsOf(inputs[0])
			if whole := counts[facts.CountIncomplete] == 0; whole != c.whole {
				t.Errorf("read to the end: %v, want %v", whole, c.whole)
			}
			if counts[facts.CountSkippedPrefix+"damaged"] != c.lost {
				t.Errorf("%d records skipped as damaged, want %d", counts[facts.CountSkippedPrefix+"damaged"], c.lost)
			}
		})
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

type panicReader struct{}

func (panicReader) Read(p []byte) (int, error) {
	var none []byte
	return int(none[len(p)]), nil
}

type failingOpener struct{}

func (failingOpener) Open(context.Context) (io.ReadCloser, error) {
	return nil, errors.New(`"bad" may not be read`)
}

func TestWorkersDoNotShow(t *testing.T) {
	var inputs []source.Input
	for i := range 7 {
		content := crawled()
		if i == 3 {
			content = content[:len(content)/2]
		}
		inputs = append(inputs, bytesInput(fmt.Sprintf("%d.warc.gz", i), content))
		inputs[i].Place = i
	}
	var want map[string]string
	for _, workers := range []int{1, 2, 4, 0} {
		folder := t.TempDir()
		if _, err := Run(t.Context(), inputs, folder, Options{Workers: workers}); err != nil {
			t.Fatal(err)
		}
		got := files(t, folder)
		if len(got) != 2*len(inputs) { // facts and done markers
			t.Fatalf("%d workers leave %s", workers, names(got))
		}
		if want == nil {
			want = got
		}
		for name, content := range got {
			if content != want[name] {
				t.Errorf("%s is another with %d workers", name, workers)
			}
		}
	}
}

func TestOneBufferForAllInputsLeaksNothing(t *testing.T) {
	// One worker reads a large page, then one that is cut: nothing of the first may show in the second.
	large := bytesInput("large", archiveOf(response("http://a.example/", 200, "text/html",
		"<meta name=robots content='noindex,nofollow,noarchive'>")))
	small := bytesInput("small", archiveOf(response("http://b.example/", 200, "text/html",
		"<meta name=robots content=noindex>")))
	together, _ := read(t, []source.Input{large, small}, Options{Workers: 1, Facts: facts.WriterOptions{RunBytes: 1}})
	alone, _ := read(t, []source.Input{small}, Options{Workers: 1})
	var got []facts.Fact
	for _, f := range together {
		if f.Filename == "small" {
			got = append(got, f)
		}
	}
	// each fact has a file of its own, so the order differs
	slices.SortFunc(got, func(a, b facts.Fact) int { return facts.Compare(&a, &b) })
	if diff := cmp.Diff(alone, got); diff != "" {
		t.Errorf("(-alone +after another):\n%s", diff)
	}
}

func TestCancelled(t *testing.T) {
	t.Run("before it begins", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Run(ctx, []source.Input{bytesInput("a", crawled())}, t.TempDir(), Options{}); !errors.Is(err,
			context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
	t.Run("within an input", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		opened := 0
		endless := source.New("endless", -1, opener(func() io.Reader {
			opened++
			return &endlessReader{ctx: ctx, record: response("http://a.example/", 200, "text/html", "<p>"), after: 100,
				cancel: cancel}
		}))
		folder := t.TempDir()
		said := 0
		_, err := Run(ctx, []source.Input{endless, endless}, folder, Options{Workers: 1,
			OnFailure: func(string, error) { said++ }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
		if opened != 1 || said != 0 {
			t.Errorf("%d inputs opened, %d failures told; want 1 and 0", opened, said)
		}
		if left := files(t, folder); len(left) != 0 {
			t.Errorf("left behind: %s", names(left))
		}
	})
}

// Standard input ends with the error of the program's context, a moment before the worker's context ends.
func TestCancelledStreamIsNotFinished(t *testing.T) {
	stream := source.New("-", -1, opener(func() io.Reader { return iotest.ErrReader(context.Canceled) }))
	folder := t.TempDir()
	if _, err := Run(t.Context(), []source.Input{stream}, folder, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if left := files(t, folder); len(left) != 0 {
		t.Errorf("left behind: %s", names(left))
	}
}

// endlessReader repeats one record. It cancels the context after some reads, and then fails like a source.
type endlessReader struct {
	ctx    context.Context
	record []byte
	rest   []byte
	after  int
	cancel func()
}

func (r *endlessReader) Read(p []byte) (int, error) {
	if r.after--; r.after == 0 {
		r.cancel()
	}
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.rest) == 0 {
		r.rest = r.record
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func TestOutputThatCannotBeWrittenEndsTheRun(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(folder, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), []source.Input{bytesInput("a", crawled())}, folder, Options{})
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one sentence", err)
	}
}

func TestProgressTellsWhatIsRead(t *testing.T) {
	content := crawled()
	acap := archiveOf(response("http://a.example/", 200, "text/html",
		"<meta name=robots content='ACAP disallow-preserve'><p class=the-acap:allow-follow>"))
	var p Progress
	list, _ := read(t, []source.Input{bytesInput("a", content), bytesInput("b", content), bytesInput("c", acap)},
		Options{Progress: &p})
	if p.Bytes.Load() != int64(2*len(content)+len(acap)) || p.Inputs.Load() != 3 || p.Records.Load() != 39 {
		t.Errorf("%d bytes, %d inputs, %d records", p.Bytes.Load(), p.Inputs.Load(), p.Records.Load())
	}
	var robots, metas int64
	for i := range list {
		if list[i].Kind == facts.KindInput {
			robots += countsOf(list[i])[facts.CountRobots]
			metas += countsOf(list[i])[facts.CountACAPMeta]
		}
	}
	if robots == 0 || metas == 0 || p.Robots.Load() != robots || p.ACAPPages.Load() != metas {
		t.Errorf("%d robots.txt and %d pages with ACAP, want %d and %d", p.Robots.Load(), p.ACAPPages.Load(), robots,
			metas)
	}
	if p.Unreadable.Load() != 0 || p.Passed.Load() != 0 {
		t.Errorf("%d unreadable, %d bytes passed over", p.Unreadable.Load(), p.Passed.Load())
	}
}

// The unread rest of an input that ends early counts as passed. So bytes read and passed are the size of all inputs,
// and a progress bar can show what remains.
func TestProgressOfInputsThatEndEarly(t *testing.T) {
	none := append([]byte("this is no archive, "), make([]byte, 8<<20)...)
	missing := source.New("missing", 1000, failingOpener{})
	var p Progress
	read(t, []source.Input{bytesInput("none", none), missing}, Options{Progress: &p, Workers: 1})
	if p.Inputs.Load() != 2 || p.Unreadable.Load() != 2 {
		t.Errorf("%d inputs, %d unreadable", p.Inputs.Load(), p.Unreadable.Load())
	}
	if read, passed := p.Bytes.Load(), p.Passed.Load(); read == int64(len(none)) ||
		read+passed != int64(len(none))+1000 {
		t.Errorf("%d bytes read, %d passed over, of %d", read, passed, len(none)+1000)
	}
}

func TestStandardInputIsDigestedToo(t *testing.T) {
	content := crawled()
	inputs, err := source.Expand(t.Context(), []string{source.Stdin}, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	list, _ := read(t, inputs, Options{})
	in := onlyInput(t, list)
	digest := sha256.Sum256(content)
	if in.InputDigest != hex.EncodeToString(digest[:]) || in.InputBytes != int64(len(content)) || in.Filename != "-" {
		t.Errorf("%s: digest %q, %d bytes", in.Filename, in.InputDigest, in.InputBytes)
	}
}
