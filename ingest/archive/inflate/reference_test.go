package inflate

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/internal/longtest"
)

const plainHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// A dribble gives its bytes in pieces of the sizes given, over and over.
type dribble struct {
	b     []byte
	sizes []int
	i     int
}

func (d *dribble) Read(p []byte) (int, error) {
	if len(d.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), d.sizes[d.i%len(d.sizes)])], d.b)
	d.b, d.i = d.b[n:], d.i+1
	return n, nil
}

// maxContent bounds what the comparison holds of a bomb.
const maxContent = 4 << 20

// readMember reads a member of ours, whole or in part, and returns what is left of the input behind it.
func readMember(r *Reader, in []byte, sizes ...int) (content, rest []byte, err error) {
	source := bufio.NewReaderSize(&dribble{b: in, sizes: sizes}, 4<<10)
	if err = r.Reset(source); err == nil {
		content, err = io.ReadAll(io.LimitReader(r, maxContent))
		if err == nil && len(content) < maxContent {
			err = io.EOF
		}
	}
	rest, _ = io.ReadAll(source)
	return content, rest, err
}

// agrees compares this decoder with compress/flate on one deflate stream: success, content and bytes consumed are the
// same. Of a stream that is not whole or corrupt both give a beginning of the same content, and an error.
func agrees(t *testing.T, r *Reader, stream []byte, sizes ...int) {
	t.Helper()
	source := bytes.NewReader(stream)
	want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(source), maxContent))
	if len(want) == maxContent {
		return
	}
	if wantErr != nil {
		got, _, err := readMember(r, append([]byte(plainHeader), stream...), sizes...)
		if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("stream %x: compress/flate says %v, here it is %v", stream, wantErr, err)
		}
		if !bytes.HasPrefix(want, got) && !bytes.HasPrefix(got, want) {
			t.Fatalf("stream %x: content differs before the error", stream)
		}
		// compress/flate does not look at the last bits where they are fewer than the end of the block would take.
		if errors.Is(wantErr, io.ErrUnexpectedEOF) && len(got) > len(want)+maxLength*maxMatch {
			t.Fatalf("stream %x: content of %d bytes where the input has but %d", stream, len(got), len(want))
		}
		return
	}
	used := len(stream) - source.Len()
	in := append([]byte(plainHeader), stream[:used]...)
	in = binary.LittleEndian.AppendUint32(in, crc32.ChecksumIEEE(want))
	in = binary.LittleEndian.AppendUint32(in, uint32(len(want)))
	end := len(in)
	for _, tail := range []string{"", "\x1f\x8b", string(make([]byte, 3*lowWater))} {
		got, rest, err := readMember(r, append(in[:end:end], tail...), sizes...)
		if err != io.EOF || !bytes.Equal(got, want) || string(rest) != tail {
			t.Fatalf("stream %x, %d bytes behind it: %d bytes of %d, %d bytes left, %v", stream, len(tail), len(got),
				len(want), len(rest), err)
		}
	}
	// Every cut is noticed.
	for cut := max(0, end-12); cut < end; cut++ {
		got, _, err := readMember(r, in[:cut], sizes...)
		if !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasPrefix(want, got) {
			t.Fatalf("stream %x, cut at %d of %d: %d bytes, %v", stream, cut, end, len(got), err)
		}
	}
	// So is a wrong checksum and a wrong length.
	for _, at := range []int{end - 1, end - 5} {
		wrong := bytes.Clone(in)
		wrong[at] ^= 0x10
		if _, _, err := readMember(r, wrong, sizes...); err != ErrChecksum {
			t.Fatalf("stream %x, trailer changed: %v", stream, err)
		}
	}
}

// deflateStreams are small streams with every kind of block.
func deflateStreams(t testing.TB) [][]byte {
	var list [][]byte
	add := func(content []byte, level int) {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, level)
		if err != nil {
			t.Fatal(err)
		}
		for len(content) > 0 { // several blocks
			n := min(len(content), 700)
			w.Write(content[:n])
			w.Flush()
			content = content[n:]
		}
		w.Close()
		list = append(list, b.Bytes())
	}
	random := rand.New(rand.NewPCG(5, 6))
	for _, level := range []int{flate.HuffmanOnly, 0, 1, 6, 9} {
		add(nil, level)
		add([]byte("x"), level)
		add([]byte("abcabcabcabcabcabcabcabcabcabc"), level)
		add(page(random, 300), level)
		add(page(random, 3000), level)
		add(contents()["noise"][:2000], level)
		add(contents()["skewed"][:3000], level)
		add(make([]byte, 5000), level)
	}
	list = append(list,
		[]byte{0x03, 0x00},                   // a fixed block with nothing in it
		[]byte{0x07},                         // a block of the fourth kind
		[]byte{0x05, 0xe0, 0x81},             // codes that do not exist
		[]byte{0x01, 0x01, 0x00, 0xff, 0xff}, // a stored block whose length is wrong
	)
	return list
}

// Streams with some bits changed, bytes taken out or put in, from sources that give much or little at a time.
func TestMutatedStreams(t *testing.T) {
	streams := deflateStreams(t)
	random := rand.New(rand.NewPCG(7, 8))
	rounds := 150
	if !longtest.Enabled() {
		rounds = 40
	}
	r := new(Reader)
	for _, stream := range streams {
		agrees(t, r, stream, 1<<20)
		agrees(t, r, stream, 1, 7, 300)
		for range rounds {
			mutant := bytes.Clone(stream)
			for range 1 + random.IntN(3) {
				if len(mutant) == 0 {
					break
				}
				at := random.IntN(len(mutant))
				switch random.IntN(4) {
				case 0:
					mutant[at] ^= 1 << random.IntN(8)
				case 1:
					mutant[at] = byte(random.Uint32())
				case 2:
					mutant = append(mutant[:at], mutant[at+1:]...)
				case 3:
					mutant = append(mutant[:at:at], append([]byte{byte(random.Uint32())}, mutant[at:]...)...)
				}
			}
			agrees(t, r, mutant, 1+random.IntN(2000))
		}
	}
}

// Headers that make much of the first bytes: two bytes of a block's beginning and what follows at random.
func TestRandomStreams(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	rounds := 15_000
	if !longtest.Enabled() {
		rounds = 3_000
	}
	r := new(Reader)
	for range rounds {
		stream := make([]byte, 4+random.IntN(120))
		for i := range stream {
			stream[i] = byte(random.Uint32()) & byte(random.Uint32()|0x11)
		}
		stream[0] = stream[0]&^7 | byte(random.IntN(3))<<1 | byte(random.IntN(2))
		agrees(t, r, stream, 1<<20)
	}
}

func FuzzReader(f *testing.F) {
	for _, stream := range deflateStreams(f) {
		f.Add(stream, uint16(100))
	}
	r := new(Reader) // one for all: nothing of a stream may be left for the next
	f.Fuzz(func(t *testing.T, stream []byte, size uint16) {
		agrees(t, r, stream, 1+int(size))
	})
}

// Headers as RFC 1952 has them, and such as it has not.
func TestHeader(t *testing.T) {
	body := member(t, []byte("content"), 6)[10:]
	sum := func(header string) string {
		return header + string(binary.LittleEndian.AppendUint16(nil, uint16(crc32.ChecksumIEEE([]byte(header)))))
	}
	const start = "\x1f\x8b\x08"
	for _, test := range []struct {
		name, header string
		want         error
	}{
		{"plain", start + "\x00\x00\x00\x00\x00\x00\xff", io.EOF},
		{"text flag", start + "\x01\x00\x00\x00\x00\x00\xff", io.EOF},
		{"extra, as Heritrix writes it", start + "\x04\x00\x00\x00\x00\x00\xff\x08\x00LX\x04\x00\x01\x02\x03\x04",
			io.EOF},
		{"empty extra", start + "\x04\x00\x00\x00\x00\x00\xff\x00\x00", io.EOF},
		{"name", start + "\x08\x00\x00\x00\x00\x00\xffname\x00", io.EOF},
		{"comment", start + "\x10\x00\x00\x00\x00\x00\xffwords\x00", io.EOF},
		{"all, with a checksum", sum(start + "\x1e\x00\x00\x00\x00\x00\xff\x02\x00ABname\x00words\x00"), io.EOF},
		{"checksum only", sum(start + "\x02\x00\x00\x00\x00\x00\xff"), io.EOF},
		{"wrong checksum", start + "\x02\x00\x00\x00\x00\x00\xff\x00\x00", ErrHeader},
		{"long name", start + "\x08\x00\x00\x00\x00\x00\xff" + string(bytes.Repeat([]byte("x"), 100_000)) + "\x00",
			io.EOF},
		{"another method", "\x1f\x8b\x07\x00\x00\x00\x00\x00\x00\xff", ErrHeader},
		{"no gzip", "WARC/1.0\r\n", ErrHeader},
	} {
		r := new(Reader)
		content, rest, err := readMember(r, append([]byte(test.header), append(body, "tail"...)...), 50)
		if !errors.Is(err, test.want) || test.want == io.EOF &&
			(string(content) != "content" || string(rest) != "tail") {
			t.Errorf("%s: %q, then %q, %v", test.name, content, rest, err)
		}
		for cut := 1; cut < min(len(test.header), 64) && test.want == io.EOF; cut++ {
			if _, _, err := readMember(r, []byte(test.header[:cut]), 50); err != io.ErrUnexpectedEOF {
				t.Errorf("%s, cut at %d: %v", test.name, cut, err)
			}
		}
	}
	if err := new(Reader).Reset(bufio.NewReader(bytes.NewReader(nil))); err != io.EOF {
		t.Errorf("nothing: %v", err)
	}
}

// A source's own error is not taken for the end of the input.
func TestSourceError(t *testing.T) {
	broken := errors.New("the disk is gone")
	in := member(t, contents()["words"], 6)
	for _, n := range []int{0, 5, 10, 11, 1000, 100_000, len(in) - 1} {
		r := new(Reader)
		source := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(in[:n]), failing{broken}), 4<<10)
		err := r.Reset(source)
		if err == nil {
			_, err = io.ReadAll(r)
		}
		if !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A member that grows without end costs no memory, and none is allocated for members that follow.
func TestNoAllocation(t *testing.T) {
	in := member(t, contents()["all"], 6)
	r := new(Reader)
	source := bufio.NewReaderSize(nil, 64<<10)
	buf := make([]byte, 32<<10)
	read := func() {
		source.Reset(bytes.NewReader(in))
		if err := r.Reset(source); err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := r.Read(buf); err == io.EOF {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	read()                                         // makes the fixed codes
	if n := testing.AllocsPerRun(5, read); n > 1 { // the bytes.Reader
		t.Errorf("%v allocations", n)
	}
}

// Every member of the real archives gives what compress/gzip gives, and ends where it ends.
func TestRealMembers(t *testing.T) {
	var files []string
	filepath.WalkDir(filepath.Join("..", "..", "..", "..", "shared", "data", "warc"),
		func(path string, entry os.DirEntry, err error) error {
			if err == nil && strings.Contains(filepath.Base(path), ".gz") && entry.Type().IsRegular() {
				files = append(files, path)
			}
			return nil
		})
	if len(files) == 0 {
		t.Skip("../shared/data/warc is not here")
	}
	members := 0
	r := new(Reader)
	for _, file := range files {
		in, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for len(in) > 0 {
			theirs := bytes.NewReader(in)
			z, err := gzip.NewReader(theirs)
			if err != nil {
				break
			}
			z.Multistream(false)
			want, wantErr := io.ReadAll(z)
			source := bufio.NewReaderSize(bytes.NewReader(in), 64<<10)
			err = r.Reset(source)
			var got []byte
			if err == nil {
				got, err = io.ReadAll(r)
			}
			if (err == nil) != (wantErr == nil) || wantErr == nil && !bytes.Equal(got, want) {
				t.Fatalf("%s, %d bytes before its end: %d bytes of %d, %v, not %v", file, len(in), len(got), len(want),
					err, wantErr)
			}
			if err != nil {
				break
			}
			rest, _ := io.ReadAll(source)
			if len(rest) != theirs.Len() {
				t.Fatalf("%s, %d bytes before its end: %d bytes are left, not %d", file, len(in), len(rest),
					theirs.Len())
			}
			in = rest
			members++
		}
	}
	t.Logf("%d members of %d files", members, len(files))
	if members < 1000 {
		t.Errorf("only %d members", members)
	}
}
