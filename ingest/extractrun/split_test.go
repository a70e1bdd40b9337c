package extractrun

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/longtest"
)

// ranged is an input out of memory that can be opened anywhere.
type ranged struct {
	content []byte
	// wrap makes the reader that is given out of the one behind the offset; may be nil.
	wrap func(offset int64, r io.Reader) io.Reader
	// opened counts how often it was opened; may be nil.
	opened *atomic.Int64
}

func (in ranged) Open(ctx context.Context) (io.ReadCloser, error) { return in.OpenAt(ctx, 0) }

func (in ranged) OpenAt(ctx context.Context, offset int64) (io.ReadCloser, error) {
	if in.opened != nil {
		in.opened.Add(1)
	}
	var r io.Reader = bytes.NewReader(in.content[offset:])
	if in.wrap != nil {
		r = in.wrap(offset, r)
	}
	return io.NopCloser(r), ctx.Err()
}

// rangedInput gives its content bit by bit, so that no stretch is read together with another.
func rangedInput(name string, content []byte) source.Input {
	return source.New(name, int64(len(content)), ranged{content: content, wrap: func(_ int64, r io.Reader) io.Reader { return bitByBit{r} }})
}

type bitByBit struct{ io.Reader }

func (r bitByBit) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), 100)]) }

// storedRecord is a response in a gzip member that is not compressed: what the body holds stands in the archive as it
// is.
func storedRecord(uri string, body []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2012-05-17T08:00:00Z\r\nContent-Length: %d\r\n\r\n", uri, len(body)+19)
	fmt.Fprintf(z, "HTTP/1.1 200 OK\r\n\r\n%s\r\n\r\n", body)
	z.Close() // into memory: no error
	return b.Bytes()
}

// unpacked is the content of an archive of gzip members.
func unpacked(archive []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		panic(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return content
}

// brokenHeader is a member that cannot be inflated from the middle of the header of its record on, with so many bytes
// behind that.
func brokenHeader(behind int) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		panic(err)
	}
	io.WriteString(z, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://")
	z.Flush()         // into memory: no error
	b.WriteByte(0x07) // a block of no type that there is
	b.Write(bytes.Repeat([]byte{'x'}, behind))
	return b.Bytes()
}

func packed(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(content)
	z.Close()
	return b.Bytes()
}

func flipped(content []byte, at int) []byte {
	content = bytes.Clone(content)
	content[at] ^= 0x55
	return content
}

// stretchArchives are small archives with what may stand at a border between stretches, and with what goes across
// captures.
func stretchArchives(t *testing.T) map[string][]byte {
	const rules = "User-agent: *\nDisallow: /x\n"
	noindex := "<meta name=robots content=noindex>"
	robots := response("http://a.example/robots.txt", 200, "text/plain", rules)
	page := response("http://b.example/1", 200, "text/html", noindex)
	other := response("http://c.example/", 200, "text/html", "<meta name=robots content='NoFollow , noindex'><p class=the-acap:disallow-index>")
	nested := storedRecord("http://d.example/a.warc.gz", archiveOf(robots, page, other))
	site := func(i int) []byte {
		return response(fmt.Sprintf("http://%d.example/", i), 200, "text/html", noindex)
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	arc := func(uri, block string) []byte {
		return packed(fmt.Appendf(nil, "%s 192.0.2.1 20080430204825 text/html %d\n%s\n", uri, len(block), block))
	}
	html := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + noindex
	bzip2, err := base64.StdEncoding.DecodeString(fiveInBzip2)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"bzip2, a stream damaged":  archiveOf(bzip2, flipped(bzip2, 200), bzip2, flipped(bzip2, 20), bzip2),
		"bzip2, the first damaged": archiveOf(flipped(bzip2, 200), bzip2, bzip2),
		"something of everything":  crawled(),
		"bodies given out once":    archiveOf(robots, page, robots, robots, other, robots),
		"a crawl that is named late, and another": archiveOf(page, robots, warcinfo("isPartOf: C-1\r\n"), other, robots,
			warcinfo("isPartOf: C-2\r\n"), page, robots),
		"more sites than are held":     archiveOf(site(1), site(2), site(1), site(3), site(2), site(4), site(1)),
		"archives in stored archives":  archiveOf(page, nested, robots, nested, storedRecord("http://e.example/", nested), page),
		"several records a member":     archiveOf(packed(unpacked(archiveOf(page, robots))), other, packed(unpacked(archiveOf(robots, page, other))), page),
		"a damaged member":             archiveOf(page, flipped(robots, len(robots)-6), other, flipped(page, 60), robots, page),
		"no record in the first":       archiveOf(brokenHeader(400), page, robots, other),
		"nor in the first few":         archiveOf(brokenHeader(40), brokenHeader(400), brokenHeader(40), page, robots, other),
		"junk, and at the end":         archiveOf(page, []byte("junk"), robots, packed(nil), other, packed([]byte("\r\n")), page, []byte("junk")),
		"cut":                          archiveOf(page, other, robots[:len(robots)-30]),
		"cut within an archive inside": archiveOf(page, other, nested[:len(nested)-300]),
		"a record over several members": archiveOf(page, packed(unpacked(other)[:120]), packed(unpacked(other)[120:150]),
			packed(unpacked(other)[150:]), robots, page),
		"ARC":  archiveOf(arc("filedesc://x.arc", "1 1 X\nURL IP\n"), arc("http://a.example/", html), arc("http://b.example/robots.txt", "HTTP/1.1 200 OK\r\n\r\n"+rules), arc("http://a.example/2", html)),
		"zstd": archiveOf(z.EncodeAll(unpacked(page), nil), z.EncodeAll(unpacked(robots), nil), z.EncodeAll(unpacked(other), nil), z.EncodeAll(unpacked(page), nil)),
	}
}

// inStretches compares what several workers leave, stretch by stretch, with what one leaves.
func inStretches(t *testing.T, in source.Input, opts Options, stretches ...int64) {
	t.Helper()
	run := func(opts Options) (map[string]string, Summary, string) {
		folder, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		opts.OnFailure = func(_ string, err error) { said = append(said, err.Error()) }
		opts.Progress = &Progress{}
		sum, err := Run(t.Context(), []source.Input{in}, folder, opts)
		if err != nil {
			t.Fatal(err)
		}
		if n := opts.Progress.Records.Load(); n != sum.Records {
			t.Errorf("in stretches of %d %d of %d records are progress", opts.Stretch, n, sum.Records)
		}
		if n := opts.Progress.Bytes.Load(); n != in.Size {
			t.Errorf("in stretches of %d %d of %d bytes are progress", opts.Stretch, n, in.Size)
		}
		defer os.RemoveAll(folder)
		return files(t, folder), sum, strings.Join(said, "\n")
	}
	t.Helper()
	opts.Workers, opts.Stretch = 1, 0
	want, wantSum, wantSaid := run(opts)
	for _, stretch := range stretches {
		opts.Workers, opts.Stretch = 3, stretch
		got, sum, said := run(opts)
		if sum != wantSum || said != wantSaid {
			t.Fatalf("in stretches of %d: %+v %q\nwant %+v %q", stretch, sum, said, wantSum, wantSaid)
		}
		if names(got) != names(want) {
			t.Fatalf("in stretches of %d: %s, want %s", stretch, names(got), names(want))
		}
		for name := range want {
			if got[name] != want[name] {
				t.Fatalf("in stretches of %d %s is another", stretch, name)
			}
		}
	}
}

// failingAt gives an error, or panics, where the bytes behind an offset of the input would be read.
type failingAt struct {
	left int64
	r    io.Reader
	then io.Reader
}

func (f *failingAt) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return f.then.Read(p)
	}
	n, err := f.r.Read(p[:min(int64(len(p)), f.left, 100)])
	f.left -= int64(n)
	return n, err
}

type panics struct{}

func (panics) Read([]byte) (int, error) { panic("this reader is broken") }

// noisy is an archive of so many records that compression does not make shorter than 30 KB, far more than is looked at
// ahead.
func noisy(count int) []byte {
	rng := rand.New(rand.NewPCG(5, 6))
	noise := make([]byte, 30<<10)
	var records [][]byte
	for i := range count {
		for j := range noise {
			noise[j] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[rng.IntN(64)]
		}
		body := "<meta name=robots content=noindex>" + string(noise)
		records = append(records, response(fmt.Sprintf("http://%d.example/", i), 200, "text/html", body))
	}
	return archiveOf(records...)
}

// An input that cannot be read to its end ends where one reading ends.
func TestStretchesOfBadInputs(t *testing.T) {
	content := noisy(12)
	for name, then := range map[string]io.Reader{"an error": errorReader{errors.New("the disk is gone")}, "a fault of ours": panics{}} {
		t.Run(name, func(t *testing.T) {
			in := source.New("bad", int64(len(content)), ranged{content: content, wrap: func(offset int64, r io.Reader) io.Reader {
				return &failingAt{left: int64(len(content))/2 - offset, r: r, then: then}
			}})
			var want []facts.Fact
			for _, stretch := range []int64{1 << 20, 10_000, 20_000, 30_000, 100_000, int64(len(content)) / 2} {
				list, sum := read(t, []source.Input{in}, Options{Workers: 3, Stretch: stretch})
				if input := onlyInput(t, list); input.Error == "" || input.InputDigest != "" || sum.Unreadable != 1 {
					t.Errorf("in stretches of %d error %q, digest %q, %+v", stretch, input.Error, input.InputDigest, sum)
				}
				if want == nil {
					want = list
				} else if diff := cmp.Diff(want, list); diff != "" {
					t.Errorf("in stretches of %d (-one reading +stretches):\n%s", stretch, diff)
				}
			}
			if pages := ofKind(want, facts.KindPage); len(pages) < 3 || len(pages) > 9 {
				t.Errorf("%d pages", len(pages))
			}
		})
	}
}

// What cannot be read a second time, for the digest, is said.
func TestDigestThatCannotBeRead(t *testing.T) {
	content := noisy(12)
	var opened atomic.Int64
	in := source.New("bad", int64(len(content)), ranged{content: content, opened: &opened, wrap: func(offset int64, r io.Reader) io.Reader {
		if opened.Load() > 2 {
			return errorReader{errors.New("the disk is gone")}
		}
		return bitByBit{r}
	}})
	list, sum := read(t, []source.Input{in}, Options{Workers: 2, Stretch: int64(len(content))/2 + 10})
	input := onlyInput(t, list)
	if !strings.Contains(input.Error, "the disk is gone") || input.InputDigest != "" || sum.Unreadable != 1 {
		t.Errorf("error %q, digest %q, %+v", input.Error, input.InputDigest, sum)
	}
}

func TestLongStretches(t *testing.T) {
	content := noisy(15)
	damaged := flipped(content, len(content)/2)
	for _, content := range [][]byte{content, damaged, content[:len(content)-1000]} {
		for _, guess := range []int{0, 40_000} {
			inStretches(t, rangedInput("a.warc.gz", content), Options{Guess: guess, Extract: extract.Options{Pages: extract.PagesAll}}, 1000, 29_000, 99_999, 200_000)
		}
	}
}

// A speculation that takes too much memory waits for its turn, and then goes on.
func TestGuessesThatWait(t *testing.T) {
	for name, content := range stretchArchives(t) {
		opts := Options{Guess: 1}
		t.Run(name, func(t *testing.T) {
			inStretches(t, rangedInput("a.warc.gz", content), opts, 100, 333, int64(len(content))/2)
		})
	}
}

// Only the last inputs are read in stretches, where there are not enough for all workers; and only those that may be.
func TestWhatIsReadInStretches(t *testing.T) {
	content := archiveOf(crawled(), crawled())
	plain := unpacked(content)
	for _, c := range []struct {
		name    string
		content []byte
		inputs  int
		opts    Options
		split   int // how many of the inputs are opened more than once, the last ones
	}{
		{"several inputs", content, 5, Options{Workers: 2, Stretch: 500}, 2},
		{"fewer inputs than workers", content, 2, Options{Workers: 5, Stretch: 500}, 2},
		{"one worker", content, 2, Options{Workers: 1, Stretch: 500}, 0},
		{"small inputs", content, 2, Options{Workers: 2, Stretch: int64(len(content))}, 0},
		{"the usual stretch", content, 2, Options{Workers: 2}, 0},
		{"not compressed", plain, 2, Options{Workers: 2, Stretch: 500}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			opened := make([]atomic.Int64, c.inputs)
			var inputs []source.Input
			for i := range opened {
				inputs = append(inputs, source.New(fmt.Sprint(i), int64(len(c.content)), ranged{content: c.content, opened: &opened[i],
					wrap: func(_ int64, r io.Reader) io.Reader { return bitByBit{r} }}))
			}
			_, sum := read(t, inputs, c.opts)
			if sum.Inputs != c.inputs || sum.Unreadable != 0 || sum.Records != int64(38*c.inputs) {
				t.Errorf("summary %+v", sum)
			}
			for i := range opened {
				if n := opened[i].Load(); n < 1 || n > 1 != (i >= c.inputs-c.split) {
					t.Errorf("input %d of %d is opened %d times", i, c.inputs, n)
				}
			}
		})
	}
}

// cancelling cancels when it is read.
type cancelling struct{ cancel func() }

func (c cancelling) Read([]byte) (int, error) {
	c.cancel()
	return 0, context.Canceled
}

func TestCancelledWithinAStretch(t *testing.T) {
	content := bytes.Repeat(crawled(), 20)
	for _, guess := range []int{0, 1} {
		ctx, cancel := context.WithCancel(t.Context())
		in := source.New("a", int64(len(content)), ranged{content: content, wrap: func(offset int64, r io.Reader) io.Reader {
			return &failingAt{left: int64(len(content))*2/3 - offset, r: r, then: cancelling{cancel}}
		}})
		folder := t.TempDir()
		said := 0
		opts := Options{Workers: 3, Stretch: 2000, Guess: guess, OnFailure: func(string, error) { said++ }}
		if _, err := Run(ctx, []source.Input{in}, folder, opts); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
		if left := files(t, folder); len(left) != 0 || said != 0 {
			t.Errorf("left behind: %s; %d failures told", names(left), said)
		}
		cancel()
	}
}

func TestStretchesThatCannotBeWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(folder, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	in := rangedInput("a", bytes.Repeat(crawled(), 20))
	for _, opts := range []Options{{}, {Guess: 1}, {Facts: facts.WriterOptions{RunBytes: 1}}} {
		opts.Workers, opts.Stretch = 3, 2000
		if _, err := Run(t.Context(), []source.Input{in}, folder, opts); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one sentence", err)
		}
	}
}

func TestRealArchivesInStretches(t *testing.T) {
	const folder = "../../../shared/data/warc"
	inputs, err := source.Expand(t.Context(), []string{folder}, nil)
	if err != nil {
		t.Skip("the shared archives are not here")
	}
	for _, in := range inputs {
		if in.Size < 20_000 || strings.Contains(in.Name, "bomb") {
			continue
		}
		t.Run(in.Name, func(t *testing.T) { inStretches(t, in, Options{}, in.Size/40, in.Size/7, in.Size/2) })
	}
}

// However long the stretches are, the facts are those of one reading, byte for byte.
func TestStretchesDoNotShow(t *testing.T) {
	for name, content := range stretchArchives(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stretches []int64
			step := 13 // all would take minutes; package archive tries them all
			if !longtest.Enabled() {
				step = 41
			}
			for at := 1; at < len(content); at += step {
				stretches = append(stretches, int64(at))
			}
			opts := Options{Extract: extract.Options{MaxSites: 2}, Facts: facts.WriterOptions{RunBytes: 3000}}
			inStretches(t, rangedInput("a.warc.gz", content), opts, stretches...)
		})
	}
}
