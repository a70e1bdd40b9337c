package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/acapscan/acapscan/analyze/explain"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/source"
)

// A place is where a capture is in the archives.
type place struct {
	Filename string // warc_filename
	Offset   int64  // warc_record_offset, in bytes
	URL      string // of the capture, because several records can share a compressed member; "": the first
}

// maxRecord limits the bytes of an archive that readAt requests.
const maxRecord = 1 << 36

// readAt reads the capture at a place of an archive, with its whole body. It ignores the Filename.
func readAt(ctx context.Context, in source.Input, at place) (*capture.Capture, error) {
	archived := in.Locate()
	body, err := archived.OpenRange(ctx, source.Range{Offset: at.Offset, Length: maxRecord})
	var c *capture.Capture
	if err == nil {
		c, err = readCapture(toEnd{body}, at.Offset, at)
	}
	var lost *archive.RecordError
	if errors.As(err, &lost) { // a zstd frame can need the dictionary at the beginning of the archive
		if body, err = archived.Open(ctx); err == nil {
			c, err = readCapture(body, 0, at)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s, offset %d: %w", in.Name, at.Offset, err)
	}
	return c, nil
}

// toEnd is a range that is longer than what is left of the archive: its end is that of the archive.
type toEnd struct{ io.ReadCloser }

func (e toEnd) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if errors.Is(err, source.ErrEnds) {
		err = io.EOF
	}
	return n, err
}

// readCapture reads the capture at a place from bytes of an archive that begin at an offset. It closes body.
func readCapture(body io.ReadCloser, base int64, at place) (*capture.Capture, error) {
	defer body.Close() // it was read only
	records, err := archive.NewReader(body, archive.Options{Base: base, Ignore: capture.Ignores})
	if err != nil {
		return nil, err
	}
	captures := capture.NewReader(capture.Options{})
	missing := errors.New("no record begins there")
	for {
		record, err := records.Next()
		var lost *archive.RecordError
		switch {
		case errors.As(err, &lost) && lost.Offset < at.Offset, err == nil && record.Offset < at.Offset:
			continue
		case err == io.EOF, err == nil && record.Offset > at.Offset:
			return nil, missing
		case err != nil:
			return nil, err
		}
		c, err := captures.Read(record)
		var skip capture.Skip
		switch {
		case errors.As(err, &skip):
			missing = fmt.Errorf("the record is no capture: %w", skip)
		case err != nil:
			return nil, err
		case at.URL == "" || c.URL == at.URL:
			return c, nil
		default:
			missing = fmt.Errorf("the record has the URL %q, not %q", c.URL, at.URL)
		}
	}
}

// read reads a capture of an archive.
func read(ctx context.Context, client *remote.Client, archive string, at place) (*capture.Capture, error) {
	inputs, err := source.List(ctx, source.Request{Args: []string{archive}, Remote: client})
	if err != nil {
		return nil, err
	}
	if len(inputs) != 1 {
		return nil, pipeline.Usagef("--offset needs one archive, and %s is several", archive)
	}
	return readAt(ctx, inputs[0], at)
}

// document makes a document of a capture.
func document(name string, offset int64, c *capture.Capture) (*explain.Document, error) {
	name = fmt.Sprintf("%s, offset %d", name, offset)
	if c.Summary != nil {
		return nil, fmt.Errorf("%s: a WAT has only a summary of the page; explain its WARC", name)
	}
	mediaType := c.MimeType + "; charset=utf-8" // the body is decoded
	return &explain.Document{
		Name: name, Body: c.Body, Headers: len(c.Header), Fact: markup.Page(c.Body, mediaType, c.Header),
	}, nil
}
