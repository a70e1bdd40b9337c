package archive

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// benchArchive is about 20 MB of content: requests, responses of 0 to 60 KB of words, and metadata.
func benchArchive() []string {
	rng := rand.New(rand.NewPCG(3, 4))
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprintf("%x", rng.Uint32()>>rng.IntN(24))
	}
	var texts []string
	for total := 0; total < 20<<20; {
		var b strings.Builder
		b.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
		for n := rng.IntN(60_000); b.Len() < n; {
			fmt.Fprintf(&b, "<p>%s %s", words[rng.IntN(50)], words[rng.IntN(len(words))])
		}
		uri := fmt.Sprintf("http://%d.example/", len(texts))
		for _, text := range []string{
			warcText(uri, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "WARC-Type: request"),
			warcText(uri, b.String()),
			warcText(uri, "fetchTimeMs: 17\r\n", "WARC-Type: metadata"),
		} {
			texts = append(texts, text)
			total += len(text)
		}
	}
	return texts
}

// BenchmarkReader reads every block of an archive, next to the inflating of the same members alone. MB/s are of
// content.
func BenchmarkReader(b *testing.B) {
	texts := benchArchive()
	plain := strings.Join(texts, "")
	gz := members(texts...)
	for _, bb := range []struct{ name, input string }{
		{"plain", plain}, {"gzip", gz}, {"one-member", member(plain)}, {"zstd", frames(texts...)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(plain)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := NewReader(strings.NewReader(bb.input), Options{})
				if err != nil {
					b.Fatal(err)
				}
				buf := make([]byte, 32<<10)
				n := 0
				for {
					rec, err := r.Next()
					if err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
					if _, err := io.CopyBuffer(onlyWriter{io.Discard}, rec.Block, buf); err != nil {
						b.Fatal(err)
					}
					if _, err := r.Finish(); err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != len(texts) {
					b.Fatalf("%d records of %d", n, len(texts))
				}
			}
		})
	}
	b.Run("inflate-only", func(b *testing.B) {
		b.SetBytes(int64(len(plain)))
		buf := make([]byte, 128<<10)
		for b.Loop() {
			in := bytes.NewReader([]byte(gz))
			z := new(gzip.Reader)
			for in.Len() > 0 {
				if err := z.Reset(in); err != nil {
					b.Fatal(err)
				}
				z.Multistream(false)
				for {
					if _, err := z.Read(buf); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	})
}

// onlyWriter hides ReadFrom, so that io.CopyBuffer uses the buffer.
type onlyWriter struct{ io.Writer }
