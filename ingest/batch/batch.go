// Package batch is the work list of the first stage: archives in, facts out, several at a time. It knows no policy. A bad record
// costs that record, a bad file that file; both are counted in the file's input fact.
package batch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
)

// Options of a run. The zero value is good.
type Options struct {
	Workers  int // inputs read at a time; 0 means all cores
	Extract  extract.Options
	Facts    facts.WriterOptions
	Progress *Progress // told of what is read; may be nil
	// OnFailure is told of each input with an error, which names it; may be nil. Several workers may call it at a time.
	OnFailure func(input string, err error)
}

// Progress counts what has been read. Workers only add to it; who shows it reads it.
type Progress struct {
	Bytes   atomic.Int64 // of inputs, as read
	Inputs  atomic.Int64 // finished
	Records atomic.Int64
}

// A Summary tells what a run read.
type Summary struct {
	Inputs     int
	Unreadable int // inputs that ended with an error, or incomplete
	Bytes      int64
	Records    int64
	Lost       int64 // records that could not be read whole
}

func (s *Summary) add(t Summary) {
	s.Inputs += t.Inputs
	s.Unreadable += t.Unreadable
	s.Bytes += t.Bytes
	s.Records += t.Records
	s.Lost += t.Lost
}

// Run reads every input into facts files of its own in folder, named after the input's place in the list, so that they are the same
// whoever reads which. An input that cannot be read is no error of the run. Errors are those of the output, and of ctx.
func Run(ctx context.Context, inputs []source.Input, folder string, opts Options) (Summary, error) {
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.Progress == nil {
		opts.Progress = &Progress{}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		next  atomic.Int64
		total Summary
		mu    sync.Mutex
		wg    sync.WaitGroup
	)
	for range min(opts.Workers, len(inputs)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := newWorker(opts)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(inputs) || ctx.Err() != nil {
					return
				}
				sum, err := w.read(ctx, inputs[i], facts.Create(filepath.Join(folder, fmt.Sprintf("%06d", i)), opts.Facts))
				if err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				total.add(sum)
				mu.Unlock()
				opts.Progress.Inputs.Add(1)
			}
		}()
	}
	wg.Wait()
	return total, context.Cause(ctx)
}

// A worker reads one input after another. Its capture reader keeps its buffers.
type worker struct {
	opts     Options
	captures *capture.Reader
}

func newWorker(opts Options) *worker {
	return &worker{opts: opts, captures: newCaptures()}
}

func newCaptures() *capture.Reader { return capture.NewReader(capture.Options{Want: extract.Want}) }

// read reads one input into facts. The error is that of the output or of ctx; what is wrong with the input stands in its fact.
func (w *worker) read(ctx context.Context, in source.Input, out *facts.Writer) (Summary, error) {
	r := newReading(w, in, out)
	err := r.run(ctx)
	if ctx.Err() != nil {
		return Summary{}, context.Cause(ctx)
	}
	var failed *outputError
	if errors.As(err, &failed) {
		return Summary{}, failed.error
	}
	sum, err := r.finish(err)
	if r.faulty {
		w.captures = newCaptures() // nobody knows what the panic left in it
	}
	return sum, err
}

// outputError is an error of the output: it ends the run, not the input.
type outputError struct{ error }

func (e *outputError) Unwrap() error { return e.error }

// isLost tells an error that costs one record.
func isLost(err error) bool {
	if err == nil {
		return false // as for most records, without an allocation
	}
	var lost *archive.RecordError
	return errors.As(err, &lost)
}
