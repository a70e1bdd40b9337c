package inflate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"testing"

	kgzip "github.com/klauspost/compress/gzip"
)

// pages makes HTML of about the given size, different each time: what a crawl's members are like.
func page(random *rand.Rand, size int) []byte {
	words := []string{"the", "of", "publisher", "permission", "crawler", "<p>", "</p>\n", "<a href=\"/news/", "\">",
		"</a>", "<div class=\"item\">", "</div>\n", "usage", "and", "in", "index", "archive", "2009", "-05-", "to",
		"is", "that", "for", "policy"}
	b := []byte("WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n\r\n" +
		"HTTP/1.1 200 OK\r\n\r\n<html><head><title>")
	for len(b) < size {
		b = append(b, words[random.IntN(len(words))]...)
		switch random.IntN(4) {
		case 0:
			for range random.IntN(9) {
				b = append(b, byte('a'+random.IntN(26)))
			}
		case 1:
			b = append(b, byte('0'+random.IntN(10)))
		}
		b = append(b, ' ')
	}
	return b
}

func BenchmarkMembers(b *testing.B) {
	for _, shape := range []struct {
		name    string
		size, n int
	}{{"small", 900, 4000}, {"pages", 24000, 400}, {"huge", 30_000_000, 1}} {
		random := rand.New(rand.NewPCG(3, 4))
		var in bytes.Buffer
		for range shape.n {
			in.Write(member(b, page(random, shape.size), gzip.DefaultCompression))
		}
		run := func(name string, read func(source *bufio.Reader) error) {
			b.Run(shape.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(in.Len()))
				source := bufio.NewReaderSize(nil, 128<<10)
				for b.Loop() {
					source.Reset(bytes.NewReader(in.Bytes()))
					for range shape.n {
						if err := read(source); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
		buf := make([]byte, 64<<10)
		drain := func(r io.Reader) error {
			for {
				if _, err := r.Read(buf); err == io.EOF {
					return nil
				} else if err != nil {
					return err
				}
			}
		}
		var ours Reader
		run("acapscan", func(source *bufio.Reader) error {
			if err := ours.Reset(source); err != nil {
				return err
			}
			return drain(&ours)
		})
		var theirs kgzip.Reader
		run("klauspost", func(source *bufio.Reader) error {
			if err := theirs.Reset(source); err != nil {
				return err
			}
			theirs.Multistream(false)
			return drain(&theirs)
		})
	}
}
