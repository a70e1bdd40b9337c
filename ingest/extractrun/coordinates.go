package extractrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// readCoordinates reads records of the input by their coordinates. Each is read alone, so a wrong coordinate costs that
// record only. An error is one of the whole input, such as a missing file.
func (r *inputReader) readCoordinates(ctx context.Context) error {
	r.archived = true // the records are counted, whatever is there
	r.counts[facts.CountRecordsAsked] = int64(len(r.in.Records))
	for _, span := range spans(r.in.Records) {
		last := span[len(span)-1]
		body, err := r.in.OpenRange(ctx, source.Range{Offset: span[0].Offset, Length: last.End() - span[0].Offset})
		switch {
		case err == nil:
			err = r.readSpan(body, span)
			body.Close() // it was read only
		case errors.Is(err, source.ErrEnds):
			for _, record := range span {
				r.miss(record, err)
			}
			err = nil
		}
		if err != nil {
			return err
		}
	}
	r.bytes, r.whole = max(r.bytes, 0), true
	return nil
}

// spans groups records that follow each other without a gap. Each group is one request.
func spans(records []source.Range) [][]source.Range {
	var list [][]source.Range
	from := 0
	for i := range records {
		if i+1 == len(records) || records[i].End() != records[i+1].Offset {
			list = append(list, records[from:i+1])
			from = i + 1
		}
	}
	return list
}

// readSpan reads records that follow each other without a gap.
func (r *inputReader) readSpan(body io.Reader, span []source.Range) error {
	in := &counting{r: ending{body}, n: span[0].Offset, progress: r.w.opts.Progress}
	defer func() {
		if n := in.n - span[0].Offset; n > 0 {
			r.bytes = max(r.bytes, 0) + n
		}
	}()
	for _, record := range span {
		one := &io.LimitedReader{R: in, N: record.Length}
		if err := r.readCoordinate(one, record); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, one) // if the length is too long, the next record begins at its own offset
		if err != nil {
			return fmt.Errorf("%s, at offset %d: %w", r.in.Name, in.n, err)
		}
	}
	return nil
}

// ending turns the error that the input ends within a range into io.EOF.
type ending struct{ r io.Reader }

func (e ending) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if errors.Is(err, source.ErrEnds) {
		err = io.EOF
	}
	return n, err
}

// readCoordinate reads the record at an offset, or several that share a compressed member. It ignores what follows.
func (r *inputReader) readCoordinate(body io.Reader, at source.Range) error {
	a, err := archive.NewReader(body, archive.Options{Base: at.Offset})
	switch {
	case errors.Is(err, archive.ErrEmpty), errors.Is(err, archive.ErrNotArchive):
		r.miss(at, err)
		return nil
	case err != nil:
		return fmt.Errorf("%s, at offset %d: %w", r.in.Name, at.Offset, err)
	}
	found := false
	var stats archive.Stats // without what follows the record
	for {
		stats = a.Stats()
		stats.Defects = maps.Clone(stats.Defects)
		record, err := a.Next()
		var lost *archive.RecordError
		if errors.As(err, &lost) && lost.Offset == at.Offset {
			r.lose(err)
			found = true
			continue
		}
		if err != nil && err != io.EOF && lost == nil {
			return fmt.Errorf("%s, at offset %d: %w", r.in.Name, at.Offset, err)
		}
		if err != nil || record.Offset != at.Offset {
			break
		}
		found = true
		r.w.opts.Progress.Records.Add(1)
		if err := r.readRecord(a, record); err != nil {
			return err
		}
	}
	if !found {
		r.miss(at, nil)
		return nil
	}
	stats.Truncated = false // the record is lost, and the input has not ended
	r.stats.Merge(stats)
	return nil
}

// miss counts a record that is not at its coordinate. cause is why nothing could be read, if known.
func (r *inputReader) miss(at source.Range, cause error) {
	r.stats.Lost++
	reason := "no record begins there"
	if errors.Is(cause, archive.ErrEmpty) || errors.Is(cause, io.ErrUnexpectedEOF) {
		reason = "the archive ends before"
	}
	r.lose(fmt.Errorf("record at offset %d: %s", at.Offset, reason))
}
