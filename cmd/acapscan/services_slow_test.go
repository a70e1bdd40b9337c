//go:build unix

package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/internal/storage"
)

// A bad line is a connection that passes bytes in both directions, and not well.
type badLine struct {
	delay time.Duration // before each piece
	piece int           // in bytes
	cut   int64         // after so many bytes in one direction; 0: never
}

// behind returns the server for clients that reach it over bad lines: choose gives the one of each connection, by
// number. cuts counts those that broke.
func (s *server) behind(choose func(number int64) badLine) (other *server, cuts *atomic.Int64) {
	t := s.t
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	cuts = new(atomic.Int64)
	go func() {
		for number := int64(0); ; number++ {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer client.Close()
				real, err := net.Dial("tcp", "127.0.0.1:"+s.port)
				if err != nil {
					return
				}
				defer real.Close()
				line := choose(number)
				var once sync.Once
				end := make(chan struct{})
				pass := func(to, from net.Conn) {
					if line.pass(to, from) {
						cuts.Add(1)
					}
					once.Do(func() { close(end) })
				}
				go pass(real, client)
				go pass(client, real)
				<-end
			}()
		}
	}()
	inner := *s
	inner.flags = []string{"--s3-endpoint", "http://" + listener.Addr().String()}
	return &inner, cuts
}

// pass copies until one side ends or the line is cut.
func (l badLine) pass(to io.Writer, from io.Reader) (cut bool) {
	b := make([]byte, l.piece)
	for total := int64(0); ; {
		n, err := from.Read(b)
		time.Sleep(l.delay)
		if total += int64(n); l.cut > 0 && total > l.cut {
			return true
		}
		if _, werr := to.Write(b[:n]); err != nil || werr != nil {
			return false
		}
	}
}

// An array job over lines that delay, trickle and break.
func testServiceSlowAnswers(s *server) {
	slow, cuts := s.behind(func(number int64) badLine {
		switch number % 4 {
		case 0:
			return badLine{delay: 100 * time.Millisecond, piece: 1 << 20}
		case 1:
			return badLine{delay: 2 * time.Millisecond, piece: 2000}
		case 2:
			return badLine{piece: 1000, cut: 500 + rand.Int64N(30_000)}
		}
		return badLine{piece: 1 << 20}
	})
	slow.arrayJob("slow", func(do func()) { do() })
	if cuts.Load() == 0 {
		s.t.Error("no line broke")
	}
	s.t.Logf("%d lines broke", cuts.Load())
}

// An archive that was written in parts is read in several pieces, since its line breaks again and again.
func testServiceLargeFiles(s *server) {
	t := s.t
	archive := largeArchive(t)
	if about, err := os.Stat(archive); err != nil || about.Size() <= remote.DefaultPartBytes {
		t.Fatalf("%+v (%v)", about, err)
	}
	local := scanOf(t, exitDone, archive)
	const name = "crawl-data/CC-MAIN-2025-43/segments/1/robotstxt/large.warc"
	if err := s.folder("large").Put(storage.Entry{Name: name, Path: archive}); err != nil {
		t.Fatal(err)
	}
	broken, cuts := s.behind(func(int64) badLine { return badLine{piece: 1 << 20, cut: 20 << 20} })
	broken.must(exitDone, "extract", "s3://run/large/"+name, "-o", "s3://run/large/facts")
	if cuts.Load() == 0 {
		t.Error("no line broke")
	}
	s.must(exitDone, "resolve", "s3://run/large/facts", "-o", "s3://run/large/answers")
	s.must(exitDone, "analyze", "s3://run/large/facts", "s3://run/large/answers", "--bucket", "0/1", "-o",
		"s3://run/large/tables")
	s.must(exitDone, "complete", "s3://run/large/tables")
	if diff := cmp.Diff(rowsOf(t, local), rowsOf(t, s.download("large/tables"))); diff != "" {
		t.Errorf("rows (-scan +S3):\n%.3000s", diff)
	}
	for name := range s.content("large") {
		if err := s.folder("large").Remove(name); err != nil {
			t.Error(err)
		}
	}
}

// largeArchive writes robots.txt files that hardly compress. Its path is that of an archive of Common Crawl.
func largeArchive(t *testing.T) string {
	t.Helper()
	const sites, bodyBytes = 80, 450_000
	random := rand.NewChaCha8([32]byte{})
	raw := make([]byte, bodyBytes*3/4)
	var b bytes.Buffer
	for site := range sites {
		if _, err := random.Read(raw); err != nil {
			t.Fatal(err)
		}
		body := "User-agent: *\nDisallow: /x\nACAP-crawler: *\nACAP-disallow-crawl: /p\n"
		for text := base64.StdEncoding.EncodeToString(raw); text != ""; {
			n := min(len(text), 200)
			body, text = body+"# "+text[:n]+"\n", text[n:]
		}
		b.Write(response(fmt.Sprintf("http://site%d.example/robots.txt", site), "text/plain", body))
	}
	archive := filepath.Join(t.TempDir(), "crawl-data", "CC-MAIN-2025-43", "segments", "1", "robotstxt", "large.warc")
	if err := os.MkdirAll(filepath.Dir(archive), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return archive
}
