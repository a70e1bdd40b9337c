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

// readRecords reads records of an input by their coordinates. Each is read by itself, and nothing beside it: a wrong
// coordinate costs that record.
func (q *queue) readRecords(ctx context.Context, w *worker, i int) error {
	r := q.reading(i)
	p := w.part(r.in, r)
	p.failure = p.runRecords(ctx, r)
	w.done(p)
	if err := endOfRun(ctx, p.failure); err != nil {
		return err
	}
	r.opened = true // whatever there is: its records are counted
	r.merge(p)
	r.whole = p.failure == nil
	r.counts[facts.CountRecordsAsked] = int64(len(r.in.Records))
	r.bytes = p.read
	if p.failure != nil && p.read == 0 {
		r.bytes = -1
	}
	return q.finish(nil, r, p.failure)
}

// spans parts records into runs of those that touch, which are asked for together.
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

// runRecords reads the records of an input. An error is one of the input, such as that it is not there.
func (p *part) runRecords(ctx context.Context, r *reading) (err error) {
	defer guard(p.in, &p.faulty, &err)
	for _, span := range spans(p.in.Records) {
		last := span[len(span)-1]
		body, err := p.in.OpenRange(ctx, source.Range{Offset: span[0].Offset, Length: last.End() - span[0].Offset})
		if err == nil {
			err = p.runSpan(body, span, r)
			body.Close() // it was read only
		} else if errors.Is(err, source.ErrEnds) {
			for _, record := range span {
				p.missRecord(record, r, err)
			}
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runSpan reads records that touch.
func (p *part) runSpan(body io.Reader, span []source.Range, r *reading) error {
	p.counting = &counting{r: ending{body}, n: span[0].Offset, progress: p.w.opts.Progress}
	defer func() { p.read += p.counting.n - span[0].Offset }()
	for _, record := range span {
		one := &io.LimitedReader{R: p.counting, N: record.Length}
		if err := p.runRecord(one, record, r); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, one) // a length that is too long: the next one begins where it says
		if err != nil {
			return fmt.Errorf("%s, at offset %d: %w", p.in.Name, p.counting.n, err)
		}
	}
	return nil
}

// ending ends where the input does, be it within a range.
type ending struct{ r io.Reader }

func (e ending) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if errors.Is(err, source.ErrEnds) {
		err = io.EOF
	}
	return n, err
}

// runRecord reads what is at an offset: one record, or several that share a compressed member. What is behind it is not
// looked at.
func (p *part) runRecord(body io.Reader, at source.Range, r *reading) error {
	a, err := archive.NewReader(body, archive.Options{Base: at.Offset, Strict: p.w.opts.Refuse.archive})
	switch {
	case errors.Is(err, archive.ErrEmpty), errors.Is(err, archive.ErrNotArchive):
		p.missRecord(at, r, err)
		return nil
	case err != nil:
		return fmt.Errorf("%s, at offset %d: %w", p.in.Name, at.Offset, err)
	}
	p.archive = a
	defer func() {
		a.Close()
		p.archive = nil // what it saw is in the reading
	}()
	found := false
	var stats archive.Stats // without what is behind the record
	for {
		stats = a.Stats()
		stats.Defects = maps.Clone(stats.Defects)
		record, err := a.Next()
		var lost *archive.RecordError
		if errors.As(err, &lost) && lost.Offset == at.Offset {
			p.lose(err)
			found = true
			continue
		}
		if err != nil && err != io.EOF && lost == nil {
			return fmt.Errorf("%s, at offset %d: %w", p.in.Name, at.Offset, err)
		}
		if err != nil || record.Offset != at.Offset {
			break
		}
		found = true
		p.offset = record.Offset
		p.w.opts.Progress.Records.Add(1)
		if err := p.readRecord(record); err != nil {
			return err
		}
	}
	if !found {
		p.missRecord(at, r, errNoRecord)
		return nil
	}
	stats.Truncated = false // the record is lost, and the input has not ended
	r.stats.Merge(stats)
	return nil
}

// errNoRecord tells of a coordinate that is not the beginning of a record.
var errNoRecord = errors.New("no record begins there")

// missRecord counts a record that is not where it should be.
func (p *part) missRecord(at source.Range, r *reading, cause error) {
	r.stats.Lost++
	if errors.Is(cause, archive.ErrEmpty) || errors.Is(cause, io.ErrUnexpectedEOF) {
		cause = errors.New("the archive ends before")
	} else {
		cause = errNoRecord
	}
	if p.lost == nil {
		p.lost = fmt.Errorf("record at offset %d: %w", at.Offset, cause)
	}
}
