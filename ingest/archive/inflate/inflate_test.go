package inflate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"testing"
)

// member compresses content at a level.
func member(t testing.TB, content []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(content)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// contents are texts of many kinds: what a member's blocks can look like depends on them.
func contents() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	words := make([]byte, 0, 1_000_000)
	for len(words) < 1_000_000 {
		w := random.IntN(3000)
		for ; w > 0; w /= 7 {
			words = append(words, byte('a'+w%26))
		}
		words = append(words, ' ')
	}
	skewed := make([]byte, 400_000)
	for i := range skewed {
		for skewed[i] = 0; random.IntN(2) == 0 && skewed[i] < 255; skewed[i]++ {
		}
	}
	list := map[string][]byte{
		"nothing": nil, "a byte": {'x'}, "noise": noise, "words": words, "skewed": skewed,
		"zeros": make([]byte, 1_000_000), "all": append(append(append([]byte{}, words...), noise...), skewed...),
	}
	for _, period := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 31, 32, 33, 258, 259, 32767, 32768, 32769} {
		p := make([]byte, 100_000)
		for i := range p {
			if p[i] = noise[i]; i >= period {
				p[i] = p[i-period]
			}
		}
		list["period "+string(rune('0'+period%10))+"/"+string(rune('0'+period/10%10))] = p
	}
	return list
}

func TestReader(t *testing.T) {
	for name, content := range contents() {
		for _, level := range []int{gzip.HuffmanOnly, gzip.NoCompression, 1, 6, 9} {
			var r Reader
			in := append(member(t, content, level), "tail"...)
			source := bufio.NewReaderSize(bytes.NewReader(in), 64<<10)
			if err := r.Reset(source); err != nil {
				t.Fatalf("%s, level %d: %v", name, level, err)
			}
			got, err := io.ReadAll(&r)
			if err != nil || !bytes.Equal(got, content) {
				t.Fatalf("%s, level %d: %d bytes of %d, %v", name, level, len(got), len(content), err)
			}
			if rest, _ := io.ReadAll(source); string(rest) != "tail" {
				t.Errorf("%s, level %d: %q is left", name, level, rest)
			}
		}
	}
}

// TestPeek looks at a member in pieces of all sizes, which the window has to move for.
func TestPeek(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for name, content := range contents() {
		var r Reader
		if err := r.Reset(bufio.NewReader(bytes.NewReader(member(t, content, 6)))); err != nil {
			t.Fatal(err)
		}
		for at := 0; ; {
			n := random.IntN(MaxPeek>>random.IntN(12)) + 1
			b, err := r.Peek(n)
			if len(b) != min(n, len(content)-at) || !bytes.Equal(b, content[at:at+len(b)]) {
				t.Fatalf("%s: at %d Peek(%d) shows %d other bytes, %v", name, at, n, len(b), err)
			}
			if ended := at+n > len(content); ended != (err == io.EOF) || err != nil && err != io.EOF {
				t.Fatalf("%s: at %d of %d Peek(%d): %v", name, at, len(content), n, err)
			}
			if at == len(content) {
				break
			}
			if r.Buffered() < len(b) {
				t.Fatalf("%s: %d bytes are buffered of %d shown", name, r.Buffered(), len(b))
			}
			if random.IntN(4) == 0 {
				k, _ := io.ReadFull(&r, make([]byte, random.IntN(len(b)+1)))
				at += k
				continue
			}
			k, _ := r.Discard(random.IntN(len(b) + 1))
			at += k
		}
	}
}
