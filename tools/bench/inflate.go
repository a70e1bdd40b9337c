//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/klauspost/compress/gzip"

	"github.com/acapscan/acapscan/ingest/archive/inflate"
)

// inflating is the time of our decoder and of klauspost/compress for the same members, round by round.
type inflating struct {
	What      string    `json:"what"`
	Want      float64   `json:"want"` // how many times as fast ours was to become
	Bytes     int64     `json:"bytes"`
	Members   int       `json:"members"`
	Ours      []float64 `json:"ours_s"` // of processor time
	Klauspost []float64 `json:"klauspost_s"`
}

func (x inflating) ratio() float64 { return ratio(x.Klauspost, x.Ours) }

// hugeMember is the name of the measurement on one huge member.
const hugeMember = "one huge member"

// inflatingRounds is the number of rounds, inflatingBytes the bytes of a corpus, hugeBytes the content of the huge
// member.
const (
	inflatingRounds = 5
	inflatingBytes  = 48 << 20
	hugeBytes       = 192 << 20
)

// inflating compares the decoders on the members of the corpora, and on one huge member.
func (b *bench) inflating(ctx context.Context, r *result) error {
	r.Inflating = nil
	for _, shape := range []struct {
		what, corpus string
		want         float64
	}{{"pages", "pages", 2.5}, {"small members (robots.txt)", "robotstxt", 2.8}, {hugeMember, "pages", 2.3}} {
		files, err := b.archives(shape.corpus)
		if err != nil {
			return err
		}
		out, err := b.inside(ctx, "inflate", shape.what, files[0])
		if err != nil {
			return err
		}
		var x inflating
		if err := json.Unmarshal(out, &x); err != nil {
			return err
		}
		x.What, x.Want = shape.what, shape.want
		fmt.Fprintf(b.log, "inflate  %-28s %.2f times klauspost/compress\n", x.What, x.ratio())
		r.Inflating = append(r.Inflating, x)
	}
	return nil
}

// measureInflating measures in one process.
func measureInflating(what, path string) (*inflating, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in, err := io.ReadAll(io.LimitReader(file, inflatingBytes))
	if err != nil {
		return nil, err
	}
	if what == hugeMember {
		if in, err = oneMember(in); err != nil {
			return nil, err
		}
	}
	var ours inflate.Reader
	var theirs gzip.Reader
	x := &inflating{}
	source, piece := bufio.NewReaderSize(nil, 64<<10), make([]byte, 64<<10)
	through := func(open func() (io.Reader, error)) (seconds float64, members int, content int64, err error) {
		rest := bytes.NewReader(in)
		source.Reset(rest)
		begin := processorTime()
		for {
			r, err := open()
			for err == nil {
				var n int
				n, err = r.Read(piece)
				content += int64(n)
			}
			if err != io.EOF {
				return 0, 0, 0, err
			}
			members++
			if _, err := source.Peek(1); err != nil {
				return processorTime() - begin, members, content, nil
			}
		}
	}
	if in, err = wholeMembers(in); err != nil {
		return nil, err
	}
	for range inflatingRounds {
		took, members, content, err := through(func() (io.Reader, error) { return &ours, ours.Reset(source) })
		if err != nil {
			return nil, err
		}
		took2, members2, content2, err := through(func() (io.Reader, error) {
			err := theirs.Reset(source)
			theirs.Multistream(false)
			return &theirs, err
		})
		if err != nil {
			return nil, err
		}
		if members != members2 || content != content2 {
			return nil, fmt.Errorf("%d members with %d bytes, klauspost/compress reads %d with %d", members, content,
				members2, content2)
		}
		x.Members, x.Ours, x.Klauspost = members, append(x.Ours, took), append(x.Klauspost, took2)
	}
	x.Bytes = int64(len(in))
	return x, nil
}

// wholeMembers cuts off an incomplete member at the end of the input.
func wholeMembers(in []byte) ([]byte, error) {
	rest := bytes.NewReader(in)
	source := bufio.NewReader(rest)
	var r inflate.Reader
	for end := 0; ; end = len(in) - rest.Len() - source.Buffered() {
		err := r.Reset(source)
		if err == nil {
			_, err = io.Copy(io.Discard, &r)
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return in[:end], nil
		case err != nil:
			return nil, err
		}
	}
}

// oneMember makes one member from the content of many.
func oneMember(members []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(members))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, 6)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(w, io.LimitReader(r, hugeBytes)); err != nil && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// processorTime returns the processor time of this process, in seconds.
func processorTime() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
