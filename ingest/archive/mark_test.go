package archive

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/acapscan/acapscan/internal/longtest"
)

// readInParts reads an archive as several Readers would that each look for the first member behind a border: what a
// Reader guessed is taken where it joins, else the part is read again. It returns how many guesses were right.
func readInParts(t *testing.T, input string, borders []int64, opts Options) (records []got, stats Stats, joined int) {
	t.Helper()
	from := func(offset int64) io.Reader { return strings.NewReader(input[min(offset, size(input)):]) }
	first := opts
	first.Until = borders[0]
	r, err := NewReader(from(0), first)
	if err != nil {
		t.Fatal(err)
	}
	records, stats = readRest(t, r, true)
	ahead, ok := r.Ahead(0)
	if !ok {
		t.Fatal("it cannot be read in parts")
	}
	for i, border := range borders {
		at, more := r.End()
		if !more {
			break
		}
		opts.Until = 0
		if i+1 < len(borders) {
			opts.Until = borders[i+1]
		}
		if opts.Until > 0 && at.Offset >= opts.Until {
			continue
		}
		search := opts
		if search.Until == 0 {
			search.Until = noLimit
		}
		ahead.Offset = border
		guess, err := Search(from(border), ahead, search)
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		var more2 []got
		var stats2 Stats
		if err == nil {
			more2, stats2 = readRest(t, guess, true)
			if i%2 == 0 {
				guess.Close()
			}
		}
		if err == nil && guess.Join(at) {
			joined++
			r = guess
			if i%8 < 2 { // once of a closed one
				again := Resume(from(at.Offset), at, opts)
				readRest(t, again, false)
				end, more := guess.End()
				if end2, more2 := again.End(); more && end != end2 || more != more2 {
					t.Fatalf("the guess behind %d ends at %+v, its stretch at %+v", border, end, end2)
				}
			}
		} else {
			r = Resume(from(at.Offset), at, opts)
			more2, stats2 = readRest(t, r, true)
		}
		records = append(records, more2...)
		stats.Merge(stats2)
	}
	return records, stats, joined
}

// stored returns the text as a gzip member that is not compressed, so that
// what it holds stands in the archive as it is.
func stored(text string) string {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		panic(err)
	}
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// partArchives are small archives that have something of everything that may stand at a border between two parts.
func partArchives(t *testing.T) map[string]string {
	a, b, c := warcText("http://a/", "aaaa"), warcText("http://b/", strings.Repeat("b", 300)),
		warcText("http://c/", "c\n")
	ma, mb, mc := member(a), member(b), member(c)
	inner := members(a, b, c)
	long := warcText("http://long/", "x", "X-Long: "+strings.Repeat("y", 2000))
	z := frames(a, b, c)
	var samples [][]byte
	for i := range 50 {
		samples = append(samples, []byte(warcText(fmt.Sprintf("http://%d/", i), page(100+i))))
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: []byte(a + b)})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dict))
	if err != nil {
		t.Fatal(err)
	}
	withDict := ""
	for _, text := range []string{a, b, c, a} {
		withDict += string(enc.EncodeAll([]byte(text), nil))
	}
	return map[string]string{
		"a member a record":                ma + mb + mc + ma,
		"several records a member":         member(a+b) + member(c) + member(c+a+b),
		"all records in one member":        member(a + b + c),
		"empty members":                    ma + member("") + member("") + mb + member("") + mc + member(""),
		"members of line ends":             ma + member("\r\n\r\n") + mb + member("\n") + mc,
		"junk between members":             ma + "some junk" + mb + "\x1f\x8b\x08junk that looks like one" + mc,
		"members that are junk":            ma + member("no record") + mb + member("junk\n") + member(c),
		"junk before records in a member":  ma + member("junk\n"+b) + member("junk\n"+c) + ma,
		"junk at the beginning":            "junk" + ma + mb + mc,
		"junk at the end":                  ma + mb + strings.Repeat("junk", 20),
		"zeros at the end":                 ma + mb + strings.Repeat("\x00", 50),
		"a wrong checksum":                 ma + flip(mb, len(mb)-6) + mc + ma,
		"every checksum wrong":             ma + flip(mb, len(mb)-6) + flip(mc, len(mc)-6) + flip(ma, len(ma)-6) + mc,
		"damage within a member":           ma + flip(mb, 40) + mc + ma,
		"damage at the head of a member":   ma + flip(mb, 0) + mc + flip(ma, 3) + mb,
		"cut within a member":              ma + mb + mc[:len(mc)-20],
		"cut within a member's head":       ma + mb + mc[:5],
		"cut in the middle":                ma + mb[:len(mb)/2] + mc + ma,
		"a record over several members":    ma + member(b[:150]) + member(b[150:200]) + member(b[200:]) + mc,
		"a record and the rest of another": ma + member(b[:150]) + member(b[150:]+c) + ma,
		"a record that ends with its member": ma + member(b[:len(b)-50]) + mc + member(strings.TrimRight(a, "\r\n")) +
			mc,
		"a header over two members":    ma + member(b[:30]) + member(b[30:]) + mc,
		"a record without a length":    ma + member(warcText("http://u/", "x", "Content-Length")) + mc,
		"an archive in a stored block": ma + stored(warcText("http://nested/", inner)) + mc + ma,
		"archives in archives, stored": stored(warcText("http://1/", stored(warcText("http://2/", inner)))) +
			stored(warcText("http://3/", inner+"x")),
		"a damaged member with an archive":   ma + flip(stored(warcText("http://nested/", inner)), 300) + mc + ma,
		"a cut member with an archive":       ma + stored(warcText("http://nested/", inner))[:700],
		"a header that is too long":          ma + member(long) + mb + member(long+a) + mc,
		"a header too long over two members": ma + member(long[:900]) + member(long[900:]+b) + mc,
		"a header too long and damage":       ma + flip(stored(long), 1500) + mc,
		"ARC": members(arcVersionBlock, arcText("http://a/", "text/html", "aa"),
			arcText("http://b/", "-", "b\n"), arcText("http://c/", "text/html", "")),
		"ARC with two versions": members(arcVersionBlock, arcText("http://a/", "text/html", "aa"),
			strings.Replace(arcVersionBlock, "1 1 E", "2 0 E", 1),
			arcText("http://b/", "text/html", "b")),
		"ARC with WARC records": members(arcVersionBlock, a, arcText("http://b/", "text/html", "b"), c),
		"WARC with ARC records": members(a, arcText("http://b/", "text/html", "b"), c),
		"zstd":                  z + z,
		"zstd, skippable frames": z + "\x50\x2a\x4d\x18\x04\x00\x00\x00skip" + z +
			"\x50\x2a\x4d\x18\x04\x00\x00\x00skip",
		"zstd, archive skipped": z + "\x51\x2a\x4d\x18" + string([]byte{byte(len(z)), byte(len(z) >> 8), 0, 0}) + z +
			z,
		"zstd, damaged":           z + flip(z, 60) + z,
		"zstd, cut":               z + z[:len(z)-9],
		"zstd, cut within a skip": z + "\x50\x2a\x4d\x18\x04\x00\x00\x00s",
		"zstd with a dictionary": "\x5d\x2a\x4d\x18" + string([]byte{byte(len(dict)), byte(len(dict) >> 8), 0, 0}) +
			string(dict) + withDict,
	}
}

// collectRarely makes a test cheaper that reads small archives a thousand times: nearly all memory is buffers that end
// with their reader, and collecting them whenever they come to the 4 MiB of a small heap takes more time than reading.
func collectRarely(t *testing.T) {
	before := debug.SetGCPercent(1600)
	t.Cleanup(func() { debug.SetGCPercent(before) })
}

// In whatever parts an archive is read, they have the records, defects and statistics of one reading.
func TestPartsAreTheWhole(t *testing.T) {
	collectRarely(t)
	opts := Options{MaxHeader: 1000}
	for name, input := range partArchives(t) {
		t.Run(name, func(t *testing.T) {
			opts := opts
			opts.Size = size(input)
			if strings.Contains(name, "junk") {
				opts.Strict = map[Defect]bool{Junk: true}
			}
			records, stats := readOnce(t, strings.NewReader(input), opts, true)
			if len(records) < 2 {
				t.Fatalf("%d records show little", len(records))
			}
			joined := 0
			check := func(what int64, borders []int64) {
				t.Helper()
				records2, stats2, n := readInParts(t, input, borders, opts)
				joined += n
				if diff := cmp.Diff(records, records2); diff != "" {
					t.Fatalf("%d: records (-whole +parts):\n%s", what, diff)
				}
				if diff := cmp.Diff(stats, stats2); diff != "" {
					t.Fatalf("%d: stats (-whole +parts):\n%s", what, diff)
				}
			}
			step := int64(1)
			if !longtest.Enabled() {
				step = 17
			}
			for at := int64(1); at <= size(input); at += step {
				check(at, []int64{at})
			}
			for _, part := range []int64{1, 7, 64, 100, 200, 300, 500, 1000} {
				if part == 1 && !longtest.Enabled() {
					continue
				}
				var borders []int64
				for at := part; at < size(input); at += part {
					borders = append(borders, at)
				}
				if len(borders) > 0 {
					check(part, borders)
				}
			}
			if joined == 0 && name != "all records in one member" && name != "a record without a length" {
				t.Error("no guess was ever right")
			}
		})
	}
}

// The version of ARC records is that of the last version block, which may stand in another part.
func TestPartsOfVersions(t *testing.T) {
	input := partArchives(t)["ARC with two versions"]
	versions := func(r *Reader) (list []string) {
		for {
			rec, err := r.Next()
			if err != nil {
				return list
			}
			list = append(list, rec.Version)
		}
	}
	for at := int64(1); at < size(input); at++ {
		r, err := NewReader(strings.NewReader(input), Options{Until: at})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		ahead, _ := r.Ahead(at)
		got := append([]string{"1.1"}, versions(r)...)
		if end, more := r.End(); more {
			guess, err := Search(strings.NewReader(input[at:]), ahead, Options{Until: noLimit})
			var rest []string
			if err == nil {
				rest = versions(guess)
			}
			if err != nil || !guess.Join(end) {
				rest = versions(Resume(strings.NewReader(input[end.Offset:]), end, Options{}))
			}
			got = append(got, rest...)
		}
		if want := "1.1 1.1 2.0 2.0"; strings.Join(got, " ") != want {
			t.Fatalf("parted at %d the versions are %q, want %s", at, got, want)
		}
	}
}

// checkParts reads an archive in parts of each of these sizes and compares
// with one reading. It returns how many guesses were right.
func checkParts(t *testing.T, input string, parts ...int64) (joined int) {
	t.Helper()
	opts := Options{Size: size(input)}
	records, stats := readOnce(t, strings.NewReader(input), opts, true)
	for _, part := range parts {
		var borders []int64
		for at := part; at < size(input); at += part {
			borders = append(borders, at)
		}
		if len(borders) == 0 {
			continue
		}
		records2, stats2, n := readInParts(t, input, borders, opts)
		joined += n
		if diff := cmp.Diff(records, records2); diff != "" {
			t.Fatalf("parts of %d: records (-whole +parts):\n%.3000s", part, diff)
		}
		if diff := cmp.Diff(stats, stats2); diff != "" {
			t.Fatalf("parts of %d: stats (-whole +parts):\n%s", part, diff)
		}
	}
	return joined
}

// A damaged member that is larger than what is kept for a second look is
// searched from the same place wherever reading began.
func TestPartsOfLargeDamagedMembers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 5<<20)
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	var in strings.Builder
	var starts []int64
	for i := range 3 {
		in.WriteString(member(warcText(fmt.Sprintf("http://%d/", i), page(5000*i+100))))
		starts = append(starts, size(in.String()))
		// An archive every 100 KB, some of which lie before what is kept when the damage shows, at the end.
		var content strings.Builder
		for j := 0; j < len(random); j += 100 << 10 {
			content.Write(random[j:min(j+100<<10, len(random))])
			content.WriteString(member(warcText(fmt.Sprintf("http://%d.%d/", i, j), "x")))
		}
		large := stored(warcText(fmt.Sprintf("http://large-%d/", i), content.String()))
		in.WriteString(flip(large, len(large)-7))
	}
	in.WriteString(member(warcText("http://end/", "x")))
	parts := []int64{2<<20 + 77}
	for _, at := range starts[1:] {
		parts = append(parts, at, at-1)
	}
	if joined := checkParts(t, in.String(), parts...); joined == 0 {
		t.Error("no guess was ever right")
	}
}

// Where so much was read again that the search after damage only goes on, it does so in parts, too.
func TestPartsOfMuchDamage(t *testing.T) {
	good := member(warcText("http://good/", "x"))
	bogus := strings.Repeat(magicGzip+"\x00\x00\x00\x00\x00\x00\xff\xff\xff", 300)
	input := strings.Repeat(good, 3) + strings.Repeat(bogus+good+good, 3) + good
	if _, stats := readOnce(t, strings.NewReader(input), Options{}, true); stats.Total() != 3+2 {
		t.Fatalf("%d records: the search was not given up", stats.Total())
	}
	checkParts(t, input, 500, 700, 3000, 8000)

	// A Reader that guesses gives up earlier than one that knows how little was read again before it.
	var long strings.Builder
	for i := range 10 {
		long.WriteString(stored(warcText(fmt.Sprintf("http://%d/", i), page(50_000))))
	}
	input = long.String() + strings.Repeat(magicGzip+"\x00\x00\x00\x00\x00\x00\xff\xff\xff", 518) + good
	if _, stats := readOnce(t, strings.NewReader(input), Options{}, true); stats.Total() != 10+1 {
		t.Fatalf("%d records: the search was given up", stats.Total())
	}
	// the first guess is closed, the second is not
	for _, part := range []int64{size(long.String()) - 60_000, (size(long.String()) - 60_000) / 2} {
		checkParts(t, input, part)
	}
}

func TestRealArchivesInParts(t *testing.T) {
	readIndex(t)
	files, joined := 0, 0
	err := filepath.WalkDir(realArchives, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "arc") || strings.HasSuffix(path, ".md") {
			return err
		}
		input, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(realArchives, path)
		r, err := NewReader(bytes.NewReader(input), Options{})
		if err != nil || realDifferences[name].bomb {
			return nil
		}
		if _, err := r.Next(); err != nil {
			return nil
		}
		if _, ok := r.Ahead(0); !ok {
			return nil
		}
		files++
		t.Run(name, func(t *testing.T) {
			joined += checkParts(t, string(input), max(1000, size(string(input))/50), size(string(input))/7,
				size(string(input))/2)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 40 || joined < 5*files {
		t.Errorf("%d files, %d guesses were right", files, joined)
	}
}
