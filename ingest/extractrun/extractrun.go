// Package extractrun runs the first stage: several workers read archives, each one of its own, into facts. It knows no
// policy. A bad record costs that record, a bad file that file; the input fact of the file counts both.
package extractrun

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/internal/storage"
)

// Options of a run. The zero value is good.
type Options struct {
	Workers  int // inputs read at a time; 0 means all cores
	Extract  extract.Options
	Facts    facts.WriterOptions
	Progress *Progress // counts what is read; may be nil
	// Crawl and Subset apply to every input. "" means that the path and the warcinfo of an input decide.
	Crawl, Subset string
	// OnFailure receives each input that has an error, and the error; may be nil. Several workers may call it at once.
	OnFailure func(input string, err error)
	// OnUnnamed receives each input with records whose crawl neither Crawl, nor its path, nor a warcinfo names; may be
	// nil. Inputs that an earlier run has read count, too. Several workers may call it at once.
	OnUnnamed func(source.Input)
}

// Progress counts what has been read. Only the workers add to it.
type Progress struct {
	Bytes atomic.Int64 // of inputs, as read
	// Passed counts bytes of inputs that will not be read: the rest of an input that ended early, and inputs that an
	// earlier run has read.
	Passed     atomic.Int64
	Inputs     atomic.Int64 // finished
	Unreadable atomic.Int64 // finished with an error, or incomplete
	Records    atomic.Int64
	Robots     atomic.Int64 // captures of /robots.txt
	ACAPPages  atomic.Int64 // pages with ACAP in them
	Facts      atomic.Int64 // captures with a fact: work for stage 2
}

func (p *Progress) add(f *extract.Found) {
	if f.IsRobots() {
		p.Robots.Add(1)
	}
	if f.HasACAP() {
		p.ACAPPages.Add(1)
	}
	if f.HasFact() {
		p.Facts.Add(1)
	}
}

// A Summary counts what a run read, with what the runs before it read that it continues.
type Summary struct {
	Inputs     int   `json:"inputs"`
	Unreadable int   `json:"unreadable"` // inputs that ended with an error, or incomplete
	Bytes      int64 `json:"bytes"`
	Records    int64 `json:"records"`
	Lost       int64 `json:"lost"` // records that could not be read whole

	Kept      int   `json:"-"` // inputs that an earlier run has read
	KeptBytes int64 `json:"-"`

	unnamed bool // of one input: it has records, and nothing names their crawl
}

func (s *Summary) add(t Summary) {
	s.Inputs += t.Inputs
	s.Unreadable += t.Unreadable
	s.Bytes += t.Bytes
	s.Records += t.Records
	s.Lost += t.Lost
}

// Run is RunTo for a local folder, which holds facts of these inputs and options only.
func Run(ctx context.Context, inputs []source.Input, folder string, opts Options) (sum Summary, err error) {
	store := storage.NewFolder(folder)
	defer func() { err = errors.Join(err, store.Close()) }()
	to, err := facts.NewSink(store)
	if err != nil {
		return Summary{}, err
	}
	return RunTo(ctx, inputs, to, opts)
}

// RunTo reads every input into facts files of its own, named after the input's Place in the whole list. So the files
// are the same for any number of workers. Inputs with done markers are not read again, except streams: the plan of the
// sink is that of this list and these options. An unreadable input is no error of the run. Errors are those of the
// output, and of ctx.
func RunTo(ctx context.Context, inputs []source.Input, to *facts.Sink, opts Options) (Summary, error) {
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.Progress == nil {
		opts.Progress = &Progress{}
	}
	if opts.Facts.Arenas == nil {
		opts.Facts.Arenas = new(facts.Arenas)
	}
	r := &run{opts: opts, to: to}
	unread, err := r.unread(inputs)
	if err != nil {
		return Summary{}, err
	}
	err = parallel.Run(ctx, opts.Workers, len(unread), func(ctx context.Context) parallel.Worker {
		w := &worker{run: r}
		return parallel.Worker{Do: func(i int) error { return w.read(ctx, unread[i]) }}
	})
	return r.total, err
}

// A run is what the workers share.
type run struct {
	opts Options
	to   *facts.Sink

	mu    sync.Mutex
	total Summary
}

// unread returns the inputs that no earlier run has read, and counts the others.
func (r *run) unread(inputs []source.Input) ([]source.Input, error) {
	isRead := make([]bool, len(inputs))
	err := r.to.Done(source.Places(inputs), func(i int, m *job.DoneMarker) bool {
		var kept Summary
		if m.Retry || inputs[i].IsStream() || json.Unmarshal(m.Summary, &kept) != nil {
			return false
		}
		isRead[i] = true
		r.total.add(kept)
		r.total.Kept++
		r.total.KeptBytes += kept.Bytes
		if r.opts.OnUnnamed != nil && m.Unnamed {
			r.opts.OnUnnamed(inputs[i])
		}
		r.opts.Progress.Inputs.Add(1)
		r.opts.Progress.Passed.Add(max(inputs[i].Size, 0))
		r.opts.Progress.Unreadable.Add(int64(kept.Unreadable))
		return true
	})
	var unread []source.Input
	for i, in := range inputs {
		if !isRead[i] {
			unread = append(unread, in)
		}
	}
	return unread, err
}

// A worker reads one input after another. Its readers keep their buffers.
type worker struct {
	*run
	captures *capture.Reader // nil before the first input, and after a panic
	finder   *extract.Finder
}

// maxRereads is how often an input is read again because it changed while it was read.
const maxRereads = 3

// read reads an input into facts. Its error ends the run.
func (w *worker) read(ctx context.Context, in source.Input) error {
	for rereads := 0; ; rereads++ {
		if w.captures == nil {
			w.captures = capture.NewReader(capture.Options{Want: extract.Want})
			w.finder = extract.NewFinder(w.opts.Extract)
		}
		r := newInputReader(w, in)
		failure := r.read(ctx)
		if r.faulty {
			w.captures, w.finder = nil, nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(failure, context.Canceled) {
			return failure // a stream may have the context of the program, which ends before ctx does
		}
		var failed *outputError
		if errors.As(failure, &failed) {
			return failed.error
		}
		if !errors.Is(failure, remote.ErrChanged) || in.Records != nil || rereads == maxRereads {
			return w.finish(r, failure)
		}
		if err := r.out.Discard(); err != nil {
			return err
		}
	}
}

// finish ends the facts of an input and writes its done marker.
func (w *worker) finish(r *inputReader, failure error) error {
	sum, err := r.finish(failure)
	if err != nil {
		return err
	}
	summary, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	m := job.DoneMarker{Item: r.in.Name, Unreadable: sum.Unreadable > 0, Unnamed: sum.unnamed, Summary: summary}
	m.Retry = errors.Is(failure, remote.ErrUnavailable) || errors.Is(failure, remote.ErrChanged)
	if err := w.to.Finish(r.in.Place, r.out, m); err != nil {
		return err
	}
	w.opts.Progress.Inputs.Add(1)
	w.opts.Progress.Unreadable.Add(int64(sum.Unreadable))
	w.opts.Progress.Passed.Add(max(0, r.in.Size-sum.Bytes))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.add(sum)
	return nil
}

// outputError is an error of the output: it ends the run, not the input.
type outputError struct{ error }

func (e *outputError) Unwrap() error { return e.error }
