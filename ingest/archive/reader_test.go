package archive

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzReader: nothing makes the reader panic, loop, lose its place or deliver two records under one key.
func FuzzReader(f *testing.F) {
	seeds := []string{
		"", "\x1f\x8b", "WARC/1.0\r\n", "filedesc://x 0 2008",
		recA + recC, members(recA, recC), member(recA + recC), frames(recA, recC), member(member(recC)),
		members(recA[:300], recA[300:], recC), members(recA, "", "\r\n", "junk", recC),
		flip(members(recA, recC), 100), members(recA, recC)[50:], members(recA) + "junk" + members(recC),
		recA[:200], recA + "\x00\x00" + recC, warcText("http://x/", pageC, "Content-Length: 5") + recC,
		warcText("http://x/", pageC, "Content-Length: 500") + recC, warcText("http://x/", pageC, "Content-Length") +
			recC,
		arcVersionBlock + arcText("http://a/", "text/html", pageC) + arcText("http://b/", "x", ""),
		members(arcVersionBlock, arcText("http://a/", "text/html", pageC)),
		"\x5d\x2a\x4d\x18\x04\x00\x00\x00dict" + frames(recA), "BZh91AY&SY" + recA,
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	for _, input := range realSeeds(f) {
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) > 1<<20 {
			return
		}
		read, stats := fuzzOnce(t, input, true)
		unread, stats2 := fuzzOnce(t, input, false)
		if read != unread || fmt.Sprint(stats) != fmt.Sprint(stats2) {
			t.Errorf("reading blocks makes a difference: %d and %d records, %+v and %+v", read, unread, stats, stats2)
		}
	})
}

// realSeeds are the small ones among the real archives, where those are there.
func realSeeds(t testing.TB) (seeds [][]byte) {
	t.Helper()
	err := filepath.WalkDir(realArchives, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		// which inflates to a quarter of a gigabyte
		if err == nil && len(content) <= 16<<10 && !strings.HasSuffix(path, "bench.warc.bz2") {
			seeds = append(seeds, content)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return seeds
}

func fuzzOnce(t *testing.T, input []byte, blocks bool) (int, Stats) {
	r, err := NewReader(bytes.NewReader(input), Options{})
	if err != nil {
		if !errors.Is(err, ErrNotArchive) && !errors.Is(err, ErrEmpty) {
			t.Fatal(err)
		}
		return 0, Stats{}
	}
	offset, index := int64(-1), int64(0)
	for n := 0; ; n++ {
		// A record takes no less than a line of content.
		if n > 2000*(len(input)+1) {
			t.Fatal("there is no end")
		}
		rec, err := r.Next()
		if err == io.EOF {
			s := r.Stats()
			if s.BytesRead != int64(len(input)) {
				t.Fatalf("%d of %d bytes consumed", s.BytesRead, len(input))
			}
			if s.SkippedInput > int64(len(input)) || s.Lost < 0 {
				t.Fatalf("stats %+v", s)
			}
			return n, s
		}
		if err != nil {
			var lost *RecordError
			if !errors.As(err, &lost) {
				t.Fatal(err)
			}
			continue
		}
		if rec.Offset < offset || rec.Offset == offset && rec.Index <= index {
			t.Fatalf("record %d at %d follows %d at %d", rec.Index, rec.Offset, index, offset)
		}
		offset, index = rec.Offset, rec.Index
		var rest, block []byte
		if blocks {
			rest = rec.Rest()
			block, _ = io.ReadAll(rec.Block)
		}
		length, err := r.Finish()
		if rest != nil && (!bytes.Equal(rest, block) || err != nil) {
			t.Fatalf("%d bytes at %d are in memory, and the block has %d, %v", len(rest), offset, len(block), err)
		}
		if err != nil && length != -1 || length == 0 || length < -1 || length > int64(len(input))-offset {
			t.Fatalf("length %d at %d of %d, %v", length, offset, len(input), err)
		}
	}
}

// FuzzCodecs: well-formed records are the same in every wrapping, whatever their blocks hold.
func FuzzCodecs(f *testing.F) {
	f.Add([]byte("hello"), []byte(recA), []byte("\r\n\r\n"))
	f.Add([]byte(""), []byte("\n"), []byte("WARC/1.0\r\nWARC-Type: x\r\n\r\n"))
	f.Add([]byte(page(70_000)), []byte(members(recA)), []byte(arcText("http://a/", "x", "y")))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		var texts []string
		for i, block := range [][]byte{a, b, c} {
			texts = append(texts, warcText(fmt.Sprintf("http://%d/", i), string(block)))
		}
		for kind, input := range map[string]string{
			"plain": strings.Join(texts, ""), "gzip": members(texts...),
			"one member": member(strings.Join(texts, "")), "zstd": frames(texts...),
		} {
			records, stats := readOnce(t, strings.NewReader(input), Options{}, true)
			if len(records) != 3 || stats.Lost > 0 {
				t.Fatalf("%s: %d records, %d lost", kind, len(records), stats.Lost)
			}
			for i, block := range [][]byte{a, b, c} {
				if records[i].Block != string(block) {
					t.Errorf("%s: record %d has block %q, want %q", kind, i, records[i].Block, block)
				}
			}
		}
	})
}

// inflated writes a record with a block of n zeros.
func inflated(w io.Writer, n int64, header ...string) {
	text := warcText("http://big/", "", append([]string{fmt.Sprintf("Content-Length: %d", n)}, header...)...)
	io.WriteString(w, strings.TrimSuffix(text, "\r\n\r\n"))
	zeros := make([]byte, 1<<16)
	for ; n > 0; n -= int64(len(zeros)) {
		w.Write(zeros[:min(n, int64(len(zeros)))])
	}
	io.WriteString(w, "\r\n\r\n")
}

// TestMemoryIsFlat reads members that inflate to much, with a length that is
// right, wrong or missing, bad at the end or not.
func TestMemoryIsFlat(t *testing.T) {
	const n = 100 << 20
	for name, header := range map[string][]string{
		"right": nil, "wrong": {"Content-Length: 9999999999"}, "missing": {"Content-Length"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			inflated(z, n, header...)
			z.Close()
			input := b.String() + flip(b.String(), b.Len()-5) + member(recA)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := NewReader(strings.NewReader(input), Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []int64{n, n, size(pageA)} {
				rec, err := r.Next()
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.Copy(io.Discard, rec.Block)
				if _, finishErr := r.Finish(); (err != nil || finishErr != nil) != (i == 1) {
					t.Errorf("record %d: %v, %v", i, err, finishErr)
				}
				// Before a failed end it is not seen that a separator is one.
				if got != want && !(i == 1 && header != nil && got == want+4) {
					t.Errorf("record %d has %d bytes, want %d", i, got, want)
				}
			}
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 12<<20 {
				t.Errorf("%d bytes were allocated", allocated)
			}
		})
	}
}

// TestRepeatsAreBounded: an input whose every part looks like a member that
// begins a record and then fails costs no more than a multiple of its size.
func TestRepeatsAreBounded(t *testing.T) {
	head := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
	content := "WARC/1.0\r\nWARC-Type: x\r\n\r\n"
	for name, part := range map[string]string{
		"members within members": head + "\x00\xff\xff\x00\x00" + content,
		"members that hold none": head + "\x01\x04\x00\xfb\xffjunk\x00\x00\x00\x00",
		"magic only":             "\x1f\x8b\x08",
		"headers only":           head,
	} {
		t.Run(name, func(t *testing.T) {
			input := member(recA) + strings.Repeat(part, 4<<20/len(part)) + member(recB)
			r, err := NewReader(strings.NewReader(input), Options{})
			if err != nil {
				t.Fatal(err)
			}
			for n := 0; ; n++ {
				if n > len(input) {
					t.Fatal("there is no end")
				}
				if _, err := r.Next(); err == io.EOF {
					break
				}
			}
			if limit := repeatFree + repeatRate*size(input) + 2*rewindMax; r.s.repeats > limit {
				t.Errorf("%d bytes were read again, more than %d", r.s.repeats, limit)
			}
			if got := r.Stats().BytesRead; got != size(input) {
				t.Errorf("%d of %d bytes consumed", got, len(input))
			}
		})
	}
}

// TestFinish: Finish can be left out, called early and called again.
func TestFinish(t *testing.T) {
	r, err := NewReader(strings.NewReader(members(recA, recB, recC)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, rec.Block, 10); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := r.Finish(); n != size(member(recA)) || err != nil {
			t.Errorf("Finish: %d, %v", n, err)
		}
	}
	if n, err := rec.Block.Read(make([]byte, 10)); n != 0 || err != io.EOF {
		t.Errorf("Block after Finish: %d, %v", n, err)
	}
	if rec, err = r.Next(); err != nil || rec.URI != "http://b/" {
		t.Fatal(rec, err)
	}
	if rec, err = r.Next(); err != nil || rec.URI != "http://c/" || rec.Offset != size(members(recA, recB)) {
		t.Fatal(rec, err)
	}
	if _, err = r.Next(); err != io.EOF {
		t.Fatal(err)
	}
	stats := r.Stats()
	if stats.Total() != 3 || stats.Records[Response] != 3 || stats.Members != 3 || stats.Defects != nil {
		t.Errorf("stats %+v", stats)
	}
}

func TestErrorText(t *testing.T) {
	err := &RecordError{Offset: 17, Defect: BadMember, Err: io.ErrUnexpectedEOF}
	if got, want := err.Error(), "record at offset 17: bad-member: unexpected EOF"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is not wrapped")
	}
	err.Err = nil
	if got, want := err.Error(), "record at offset 17: bad-member"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestIgnore: of records that no one looks into there is no text, and all else is as it was.
func TestIgnore(t *testing.T) {
	texts := warcText("http://a/", "GET / HTTP/1.1\r\n\r\n", "WARC-Type: request", "X-Note: folded\r\n on") +
		warcText("http://b/", "x: 1\r\n", "WARC-Type: metadata", "Content-Type: application/warc-fields") +
		warcText("http://c/", "HTTP/1.1 200 OK\r\n\r\nc")
	read := func(opts Options) (list []Record, blocks []string) {
		r, err := NewReader(strings.NewReader(texts), opts)
		if err != nil {
			t.Fatal(err)
		}
		for {
			rec, err := r.Next()
			if err == io.EOF {
				return list, blocks
			}
			if err != nil {
				t.Fatal(err)
			}
			kept := *rec
			kept.Header, kept.Defects, kept.Block = slices.Clone(rec.Header), slices.Clone(rec.Defects), nil
			block, err := io.ReadAll(rec.Block)
			if err != nil {
				t.Fatal(err)
			}
			list, blocks = append(list, kept), append(blocks, string(block))
		}
	}
	want, wantBlocks := read(Options{})
	got, blocks := read(Options{Ignore: func(typ RecordType, contentType []byte) bool {
		return typ == Request || typ == Metadata && string(contentType) == "application/warc-fields"
	}})
	for i := range want[:2] {
		want[i].Header, want[i].URI, want[i].IP, want[i].ContentType = nil, "", "", ""
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("records (-all texts +ignored):\n%s", diff)
	}
	if diff := cmp.Diff(wantBlocks, blocks); diff != "" || len(blocks) != 3 {
		t.Errorf("blocks (-all texts +ignored):\n%s", diff)
	}
}

// TestSearchPassesMagic: the search goes on behind the first bytes of a member of which nothing else can be read.
func TestSearchPassesMagic(t *testing.T) {
	r, err := NewReader(strings.NewReader(member(recA)+magicGzip), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if records, _ := readRest(t, r, true); len(records) != 2 || r.s.repeats > trialCost {
		t.Errorf("%d records, %d bytes read again", len(records), r.s.repeats)
	}
}

// TestRest: a block is in memory at the end of a gzip member that fits into the window, and nowhere else.
func TestRest(t *testing.T) {
	large := warcText("http://l/", page(2*window))
	for _, tt := range []struct {
		name, input string
		want        []bool
	}{
		{"members", members(recA, recB), []bool{true, true}},
		{"records that share a member", members(recA+recB, recC), []bool{true, true, true}},
		{"records that share a large member", member(recA + large + recB), []bool{false, false, true}},
		{"a large block", members(large, recB), []bool{false, true}},
		{"a block in two members", members(recA[:len(recA)-100], recA[len(recA)-100:], recB), []bool{false, true}},
		{"a wrong checksum", flip(member(recA), len(member(recA))-6) + member(recB), []bool{false, true}},
		{"zstd", frames(recA, recB), []bool{false, false}},
		{"plain", recA + recB, []bool{false, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := NewReader(strings.NewReader(tt.input), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []bool
			for rec, err := r.Next(); err != io.EOF; rec, err = r.Next() {
				if err == nil {
					got = append(got, rec.Rest() != nil)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
			readAll(t, tt.input, Options{})
		})
	}
}

// After much damage the search only goes forward, so it misses records. Plain content before the damage raises the
// limit.
func TestSearchLimit(t *testing.T) {
	good := member(warcText("http://good/", "x"))
	bogus := magicGzip + "\x00\x00\x00\x00\x00\x00\xff\xff\xff"
	var long strings.Builder
	for i := range 10 {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(z, warcText(fmt.Sprintf("http://%d/", i), page(50_000)))
		z.Close()
		long.Write(b.Bytes())
	}
	for name, c := range map[string]struct {
		input string
		want  int64
	}{
		"given up": {strings.Repeat(good, 3) + strings.Repeat(strings.Repeat(bogus, 300)+good+good, 3) + good, 3 +
			2},
		"not given up": {long.String() + strings.Repeat(bogus, 518) + good, 10 + 1},
	} {
		if _, stats := readOnce(t, strings.NewReader(c.input), Options{}, true); stats.Total() != c.want {
			t.Errorf("%s: %d records, want %d", name, stats.Total(), c.want)
		}
	}
}
