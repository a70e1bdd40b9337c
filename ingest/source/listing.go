package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/acapscan/acapscan/ingest/remote"
)

// maxLine limits a line of a listing, in bytes, with its end.
const maxLine = maxPath + 2

// byteOrderMark precedes the first line, or the first name of a column, if an editor or a spreadsheet wrote the file.
const byteOrderMark = "\uFEFF"

// listing adds the inputs of a listing: each line is a path relative to the base, or a URL. Empty lines are ignored.
// Any other line is an error with its number.
func (e *expansion) listing(name string) error {
	text, err := e.openText(name)
	if err != nil {
		return err
	}
	defer text.Close()
	lines := bufio.NewReaderSize(text, maxLine)
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		if err == bufio.ErrBufferFull {
			err = fmt.Errorf("a line of more than %d bytes", maxPath)
		} else if line = bytes.TrimRight(line, "\r\n"); err == io.EOF && len(line) == 0 {
			return nil
		} else if err == nil || err == io.EOF {
			err = e.line(string(line), text.isLocal)
		}
		if err != nil {
			return inLine(text.name, number, err)
		}
	}
}

// line adds the input in a line of a listing.
func (e *expansion) line(line string, isLocal bool) error {
	if err := e.count(); err != nil || line == "" {
		return err
	}
	return e.listed(line, isLocal, nil)
}

// count counts a line of a listing, or a coordinate, against the limit.
func (e *expansion) count() error {
	if e.lines++; e.lines > maxInputs {
		return fmt.Errorf("the lists of inputs have more than %d lines", maxInputs)
	}
	if e.lines%1024 == 0 {
		return e.ctx.Err()
	}
	return nil
}

// inLine adds the place of an error.
func inLine(name string, number int, err error) error {
	return fmt.Errorf("%s, line %d: %w", name, number, err)
}

// text is a file of lines, decompressed.
type text struct {
	io.Reader
	close   func() error
	name    string
	isLocal bool // its author may name files of this machine
}

func (t *text) Close() error { return t.close() }

// openText opens a file of lines: a local or remote file, or standard input. Its first bytes decide whether it is gzip.
func (e *expansion) openText(name string) (*text, error) {
	t := &text{name: name, isLocal: true}
	var body io.ReadCloser
	var err error
	switch {
	case name == Stdin:
		t.name = "standard input"
		body, err = (&once{r: e.req.Stdin}).Open(e.ctx)
	case remote.IsRemote(name):
		t.isLocal = false
		var object remoteFile
		if object, err = e.remote.file(name); err == nil {
			body, err = object.Open(e.ctx)
		}
	default:
		body, err = file(name).Open(e.ctx)
	}
	if err != nil {
		return nil, err
	}
	t.close = body.Close
	buffered := bufio.NewReader(body)
	t.Reader = buffered
	if head, err := buffered.Peek(2); err == nil && string(head) == "\x1f\x8b" {
		if t.Reader, err = gzip.NewReader(buffered); err != nil {
			body.Close()
			return nil, fmt.Errorf("%s is not whole: %w", t.name, err)
		}
	} else if err != nil && err != io.EOF {
		body.Close()
		return nil, fmt.Errorf("%s: %w", t.name, errors.Unwrap(explain(t.name, err)))
	}
	return t, nil
}
