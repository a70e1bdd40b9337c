package extractrun

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/longtest"
)

// Limits of TestSoak.
const (
	soakUsual = 3 * time.Second // its length in a usual run of the tests
	soakLimit = 256 << 20       // bytes of memory, the limit of the runtime; the peak must stay near it
	// the time of any input, whatever its size, on a busy machine
	soakFree  = 20 * time.Second
	soakRate  = 30 * time.Microsecond // more time for each byte
	soakInput = 300 << 10             // longer inputs are cut
	soakText  = 2 << 20               // how much text of an archive is compressed again
	// larger archives, inflated, are left out, because they take too long for their size
	soakInflated = 12 << 20
)

// TestSoak damages archives, also real ones if present, in many ways, and reads them. It checks that
// nothing panics, each input ends in time, at its last byte or with an error that names it,
// short reads give the same facts, and memory stays below a limit. It takes SOAK (a duration: 10m), by default
// a few seconds; SOAK_SEED repeats a run.
func TestSoak(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("reads damaged archives for seconds")
	}
	length, seed := soakUsual, uint64(time.Now().UnixNano())
	if s := os.Getenv("SOAK"); s != "" {
		var err error
		if length, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	if s := os.Getenv("SOAK_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("SOAK_SEED=%d", seed)
	s := &soak{r: rand.New(rand.NewPCG(seed, 0)), archives: soakArchives(t)}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(soakLimit))
	peak := longtest.WatchMemory(t)
	inputs, size, met := 0, int64(0), map[string]bool{}
	for end := time.Now().Add(length); time.Now().Before(end); inputs++ {
		name, content := s.input()
		size += int64(len(content))
		if t.Failed() || !soakOnce(t, name, content, met) {
			folder, err := os.MkdirTemp("", "soak")
			if err == nil {
				err = os.WriteFile(filepath.Join(folder, "input"), content, 0o600)
			}
			t.Fatalf("the input is in %s, %v", folder, err)
		}
	}
	high := peak.Load()
	if high > soakLimit+soakLimit/8 {
		t.Errorf("memory went up to %d MiB, with a limit of %d", high>>20, soakLimit>>20)
	}
	if inputs == 0 {
		t.Error("no input was read")
	}
	for layer, all := range map[string][]string{"archive": codesOf(archive.Defects()),
		"HTTP": codesOf(capture.Defects()), "HTML": codesOf(markup.Defects())} {
		n := 0
		for _, code := range all {
			if met[code] {
				n++
			}
		}
		if t.Logf("%s: %d of %d codes of defects", layer, n, len(all)); length >= time.Minute && n < len(all)/2 {
			t.Errorf("the damage shows in %d of %d codes of defects only: it does not reach the layer %s", n, len(all),
				layer)
		}
	}
	t.Logf("%d inputs, %.1f MiB, %d codes of defects, %d MiB of memory at most", inputs, float64(size)/(1<<20),
		len(met), high>>20)
}

// The facts of an input that is no archive do not depend on the sizes of reads.
func TestRefusedInputInShortReads(t *testing.T) {
	noise := make([]byte, 60<<10)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	for name, content := range map[string][]byte{
		"gzip-of-gzip.warc.gz": packed(packed(noise)), "noise.warc": noise,
		"long.warc": bytes.Repeat(noise, 20), "empty.warc": nil,
	} {
		soakOnce(t, name, content, map[string]bool{})
	}
}

// soakOnce reads an input at once and in short reads, and adds the defects that it met to met. It returns false if
// something is wrong.
func soakOnce(t *testing.T, name string, content []byte, met map[string]bool) bool {
	t.Helper()
	deadline := soakFree + time.Duration(len(content))*soakRate
	var want map[string]string
	for _, atOnce := range []int{len(content), 1001} {
		opts := Options{Workers: 1, Extract: extract.Options{Pages: extract.PagesAll}}
		open := opener(func() io.Reader { return &shortReads{bytes.NewReader(content), atOnce} })
		folder, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		var sum Summary
		done := make(chan struct{})
		go func() {
			defer close(done)
			sum, err = Run(context.Background(), []source.Input{source.New(name, int64(len(content)), open)}, folder,
				opts)
		}()
		select {
		case <-done:
		case <-time.After(deadline):
			stacks := make([]byte, 64<<10)
			t.Errorf("%s (%d bytes, %d a read): not finished in %v\n%s", name, len(content), atOnce, deadline,
				stacks[:runtime.Stack(stacks, true)])
			return false
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return false
		}
		if got := files(t, folder); want == nil {
			want = got
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: short reads give other facts", name)
			return false
		}
		in := onlyInput(t, allFacts(t, folder))
		for _, c := range in.Counts {
			if code, is := strings.CutPrefix(c.Name, facts.CountDefectPrefix); is {
				met[code] = true
			}
		}
		whole := countsOf(in)[facts.CountIncomplete] == 0
		switch {
		case strings.Contains(in.Error, "fault"):
			t.Errorf("%s: %s", name, in.Error)
		case whole && sum.Bytes != int64(len(content)):
			t.Errorf("%s: %d of %d bytes were read", name, sum.Bytes, len(content))
		case !whole && !strings.Contains(in.Error, archive.ErrNotArchive.Error()) &&
			!strings.Contains(in.Error, archive.ErrEmpty.Error()):
			t.Errorf("%s: not read to its end, with the error %q", name, in.Error)
		case (sum.Unreadable == 1) != (in.Error != ""):
			t.Errorf("%s: unreadable %d, error %q", name, sum.Unreadable, in.Error)
		default:
			os.RemoveAll(folder)
			continue
		}
		return false
	}
	return true
}

// shortReads returns at most n bytes a read.
type shortReads struct {
	io.Reader
	n int
}

func (r *shortReads) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), r.n)]) }

func codesOf[D ~string](defects []D) (codes []string) {
	for _, d := range defects {
		codes = append(codes, string(d))
	}
	return codes
}

func packed(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(content)
	z.Close() // into memory: no error
	return b.Bytes()
}

// A seed is an archive, and its decompressed text.
type seed struct {
	name    string
	content []byte
	text    []byte
}

// soakArchives returns the fixtures and, if present, the real archives.
func soakArchives(t *testing.T) (list []seed) {
	t.Helper()
	defer func() {
		_, err := os.Stat(realArchives)
		t.Logf("%d archives, real ones among them: %t", len(list), err == nil)
	}()
	for _, folder := range []string{"../../testdata/warc", realArchives} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !source.IsArchiveName(path) {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil || len(content) > 4<<20 {
				return err
			}
			if text, whole := textOf(content); whole {
				list = append(list, seed{filepath.Base(path), content, text})
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if len(list) < 50 {
		t.Fatalf("only %d archives", len(list))
	}
	return list
}

// textOf returns the first records of an archive without compression. whole is false if it
// is too large.
func textOf(content []byte) (text []byte, whole bool) {
	r, err := archive.NewReader(bytes.NewReader(content), archive.Options{})
	if err != nil {
		return nil, true
	}
	var b bytes.Buffer
	for total := int64(0); ; {
		rec, err := r.Next()
		if err == io.EOF {
			return b.Bytes(), true
		} else if err != nil {
			continue
		}
		block, _ := io.ReadAll(io.LimitReader(rec.Block, soakInflated)) // damaged records are used as far as they go
		if total += int64(len(block)); total >= soakInflated {
			return nil, false
		}
		if b.Len() > soakText {
			continue
		}
		if rec.Format == archive.FormatARC {
			fmt.Fprintf(&b, "%s %s %s %s %d\n%s\n", rec.URI, rec.IP, rec.Header.Get("Archive-date"), rec.ContentType,
				len(block), block)
			continue
		}
		fmt.Fprintf(&b, "WARC/1.0\r\n")
		for _, f := range rec.Header {
			fmt.Fprintf(&b, "%s: %s\r\n", f.Name, f.Value)
		}
		fmt.Fprintf(&b, "\r\n%s\r\n\r\n", block)
	}
}

// A soak makes damaged inputs from archives.
type soak struct {
	r        *rand.Rand
	archives []seed
}

// input returns a damaged archive, or one made of damaged text, so that the damage reaches HTTP and HTML.
func (s *soak) input() (name string, content []byte) {
	a := s.archives[s.r.IntN(len(s.archives))]
	name = a.name
	damage := func(b []byte) []byte {
		for range 1 + s.r.IntN(4) {
			d := damages[s.r.IntN(len(damages))]
			b = d.do(s, b)
			name += ", " + d.name
		}
		return b
	}
	if len(a.text) > 0 && s.r.IntN(3) > 0 {
		text := damage(s.window(a.text))
		p := packings[s.r.IntN(len(packings))]
		name, content = name+" "+p.name, p.do(s, text)
		if s.r.IntN(4) > 0 {
			return name, content
		}
		return name, damage(content)
	}
	return name, damage(s.window(a.content))
}

// window returns a part of long content, mostly its beginning.
func (s *soak) window(b []byte) []byte {
	if len(b) > soakInput {
		at := 0
		if s.r.IntN(3) == 0 {
			at = s.r.IntN(len(b) - soakInput)
		}
		b = b[at : at+soakInput]
	}
	return bytes.Clone(b)
}

// span returns a part of b, more often a short one.
func (s *soak) span(b []byte) (from, to int) {
	from = s.r.IntN(len(b) + 1)
	return from, min(len(b), from+s.r.IntN(1<<s.r.IntN(17)))
}

// at returns an offset in b: any, or one of a mark.
func (s *soak) at(b []byte) int {
	at := s.r.IntN(len(b) + 1)
	mark := marks[s.r.IntN(len(marks))]
	if i := bytes.Index(b[at:], []byte(mark)); i >= 0 {
		at += i + s.r.IntN(len(mark)+1)
	}
	return at
}

// marks are bytes that readers of archives, HTTP and HTML search for.
var marks = []string{
	"", "\x1f\x8b\x08", "WARC/1.", "\r\n\r\n", "Content-Length: ", "HTTP/1.", "\n", "<meta", "<!--", "<script",
	"</head>", "<body", "class=", "=\"", ">", "http://",
	"\x28\xb5\x2f\xfd", "chunked", "charset",
}

// pieces are inserted at wrong places.
var pieces = []string{
	"\x00", "\xff\xfe", "\xef\xbb\xbf", "\r\n", "\n", "\r\n\r\n", "WARC/1.0\r\nWARC-Type: response\r\n", "WARC/1.1\r\n",
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff",
	"\x28\xb5\x2f\xfd", "BZh9", "Content-Encoding: gzip\r\n", "Content-Encoding: br, zstd, deflate\r\n",
	"Transfer-Encoding: chunked\r\n", "Content-Length: 99\r\n",
	"Content-Type: text/html; charset=utf-16\r\n", "Content-Type: application/xhtml+xml\r\n",
	"X-Robots-Tag: noindex\r\n", " folded\r\n", "HTTP/1.1 200 OK\r\n\r\n", "0\r\n\r\n", "ffffffffffffffff\r\n",
	"<!--", "-->", "<script>", "</script>", "<template>", "<svg>", "<math>", "<title>", "<![CDATA[",
	"<?robots index=\"no\" follow=\"yes\"?>", "<!DOCTYPE a [", "<plaintext>",
	"<meta name=robots content=\"ACAP disallow-index\">", "<p class='the-acap:disallow-index'>", "<META name=“", "&#x",
	"&", "<", "\"", "='",
	"http://x.example/ 192.0.2.1 20080430204825 text/html 9\n", "/robots.txt", "User-agent: *\nDisallow: /\n",
	`{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{`,
}

var declared = regexp.MustCompile(`(?i)(Content-Length *: *)\d+|( text/[a-z]+ )\d+\n`)

// damages are the ways to damage an input or a text.
var damages = []struct {
	name string
	do   func(s *soak, b []byte) []byte
}{
	{"bits flipped", func(s *soak, b []byte) []byte {
		for range 1 + s.r.IntN(20) {
			if at := s.at(b); at < len(b) {
				b[at] ^= 1 << s.r.IntN(8)
			}
		}
		return b
	}},
	{"bytes overwritten", func(s *soak, b []byte) []byte {
		from, to := s.span(b)
		for i := from; i < to; i++ {
			b[i] = byte(s.r.Uint32())
		}
		return b
	}},
	{"part cut out", func(s *soak, b []byte) []byte { from, to := s.span(b); return slices.Delete(b, from, to) }},
	{"end cut off", func(s *soak, b []byte) []byte { return b[:s.at(b)] }},
	{"beginning cut off", func(s *soak, b []byte) []byte { return b[s.at(b):] }},
	{"part repeated", func(s *soak, b []byte) []byte {
		from, to := s.span(b)
		times := min(1+s.r.IntN(1<<s.r.IntN(11)), soakInput/max(1, to-from))
		return slices.Insert(b, to, bytes.Repeat(b[from:to], times)...)
	}},
	{"part of another", func(s *soak, b []byte) []byte {
		other := s.archives[s.r.IntN(len(s.archives))]
		part := other.content
		if s.r.IntN(2) == 0 {
			part = other.text
		}
		from, to := s.span(part)
		return slices.Insert(b, s.at(b), part[from:to]...)
	}},
	{"pieces put in", func(s *soak, b []byte) []byte {
		for range 1 + s.r.IntN(4) {
			piece := strings.Repeat(pieces[s.r.IntN(len(pieces))], 1+s.r.IntN(1<<s.r.IntN(9)))
			b = slices.Insert(b, s.at(b), []byte(piece)...)
		}
		return b
	}},
	{"lengths that lie", func(s *soak, b []byte) []byte {
		return declared.ReplaceAllFunc(b, func(found []byte) []byte {
			digits := bytes.IndexAny(found, "0123456789")
			if s.r.IntN(3) > 0 || digits < 0 {
				return found
			}
			n, _ := strconv.ParseInt(strings.TrimSpace(string(found[digits:])), 10, 64) // too large: 2^63-1
			lies := []string{fmt.Sprint(n + 1 + s.r.Int64N(200)), fmt.Sprint(max(0, n-1-s.r.Int64N(200))), "-1", "0",
				"1099511627776", "99999999999999999999", "x", ""}
			lie := slices.Concat(found[:digits], []byte(lies[s.r.IntN(len(lies))]))
			if found[len(found)-1] == '\n' {
				lie = append(lie, '\n')
			}
			return lie
		})
	}},
	{"lines shuffled", func(s *soak, b []byte) []byte {
		from, to := s.span(b)
		lines := bytes.SplitAfter(bytes.Clone(b[from:to]), []byte("\n"))
		s.r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		copy(b[from:to], slices.Concat(lines...))
		return b
	}},
	{"nothing", func(_ *soak, b []byte) []byte { return b }},
}

// packings are ways to make an archive of text.
var packings = []struct {
	name string
	do   func(s *soak, text []byte) []byte
}{
	{"as it is", func(_ *soak, text []byte) []byte { return text }},
	{"in one member", func(_ *soak, text []byte) []byte { return packed(text) }},
	{"in a member a record", func(_ *soak, text []byte) []byte { return inMembers(apart(text)) }},
	{"in members anywhere", func(s *soak, text []byte) []byte {
		var parts [][]byte
		for len(text) > 0 {
			n := min(len(text), 1+s.r.IntN(20_000))
			parts, text = append(parts, text[:n]), text[n:]
		}
		return inMembers(parts)
	}},
	{"in zstd frames", func(_ *soak, text []byte) []byte {
		var parts []string
		for _, part := range apart(text) {
			parts = append(parts, string(part))
		}
		return []byte(frames(parts))
	}},
}

// apart splits a text before each record.
func apart(text []byte) (parts [][]byte) {
	for {
		i := bytes.Index(text[min(len(text), 1):], []byte("\nWARC/1."))
		if i < 0 {
			return append(parts, text)
		}
		parts, text = append(parts, text[:i+2]), text[i+2:]
	}
}

func inMembers(parts [][]byte) (b []byte) {
	for _, part := range parts {
		b = append(b, packed(part)...)
	}
	return b
}
