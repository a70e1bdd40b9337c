// Package extractrun is the work list of the first stage: archives in, facts out, several at a time. It knows no
// policy. A bad record costs that record, a bad file that file; both are counted in the file's input fact.
package extractrun

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
)

// Options of a run. The zero value is good.
type Options struct {
	Workers  int // parts of inputs read at a time; 0 means all cores
	Extract  extract.Options
	Facts    facts.WriterOptions
	Progress *Progress // told of what is read; may be nil
	// Crawl and Subset are those of every input, whatever its path and its warcinfo say; "" leaves them to these.
	Crawl, Subset string
	// Refuse are the defects that cost a record; none by default.
	Refuse Refused
	// OnFailure is told of each input with an error, which names it; may be nil. Several workers may call it at a time.
	OnFailure func(input string, err error)
	// OnUnnamed is told of each input with records whose crawl neither Crawl, nor its path, nor a warcinfo names; may
	// be nil. An input that an earlier run has read counts, too. Several workers may call it at a time.
	OnUnnamed func(source.Input)
	// Stretch is the length of the parts in which several workers read one input, in bytes; 0 means DefaultStretch. It
	// changes no facts.
	Stretch int64
	// Guess is how much memory the facts of a stretch may take before its worker waits for the stretches in front of
	// it, in bytes; 0 means DefaultGuess. It changes no facts.
	Guess int
}

// DefaultGuess is the default of Options.Guess.
const DefaultGuess = 16 << 20

// DefaultStretch is the default of Options.Stretch: long enough that its beginning, which has to be searched for, costs
// nothing, and short enough that a usual archive of a gigabyte is work for all cores.
const DefaultStretch = 16 << 20

// Progress counts what has been read. Workers only add to it; who shows it reads it.
type Progress struct {
	Bytes      atomic.Int64 // of inputs, as read
	Passed     atomic.Int64 // bytes of inputs that will not be read: what is left of one that ended early, and what an earlier run has read
	Inputs     atomic.Int64 // finished
	Unreadable atomic.Int64 // those of them that ended with an error, or incomplete
	Records    atomic.Int64
	Robots     atomic.Int64 // captures of /robots.txt
	ACAPPages  atomic.Int64 // pages with ACAP in them
}

// found counts what was found in a capture.
func (p *Progress) found(f *extract.Found) {
	if f.IsRobots() {
		p.Robots.Add(1)
	}
	if f.HasACAP() {
		p.ACAPPages.Add(1)
	}
}

// A Summary tells what a run read, and what the runs read that it goes on with.
type Summary struct {
	Inputs     int   `json:"inputs"`
	Unreadable int   `json:"unreadable"` // inputs that ended with an error, or incomplete
	Bytes      int64 `json:"bytes"`
	Records    int64 `json:"records"`
	Lost       int64 `json:"lost"` // records that could not be read whole

	Kept      int   `json:"-"` // inputs that an earlier run has read
	KeptBytes int64 `json:"-"`

	unnamed bool // of one input: it has records whose crawl nothing names
}

func (s *Summary) add(t Summary) {
	s.Inputs += t.Inputs
	s.Unreadable += t.Unreadable
	s.Bytes += t.Bytes
	s.Records += t.Records
	s.Lost += t.Lost
}

// Run is RunTo for a folder of this machine, whose facts are of these inputs and options.
func Run(ctx context.Context, inputs []source.Input, folder string, opts Options) (sum Summary, err error) {
	store := storage.NewFolder(folder)
	defer func() { err = errors.Join(err, store.Close()) }()
	to, err := facts.NewSink(store)
	if err != nil {
		return Summary{}, err
	}
	return RunTo(ctx, inputs, to, opts)
}

// RunTo reads every input into facts files of its own, named after the input's Place in the whole list, so that they
// are the same whoever reads which. Inputs that have done markers are not read again, unless nobody knows whether they
// are the same: the sink was opened with the plan of this list and these options. Where fewer inputs than workers are
// left, several workers read one input, with the same facts. An input that cannot be read is no error of the run.
// Errors are those of the output, and of ctx.
func RunTo(ctx context.Context, inputs []source.Input, to *facts.Sink, opts Options) (Summary, error) {
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.Progress == nil {
		opts.Progress = &Progress{}
	}
	if opts.Stretch <= 0 {
		opts.Stretch = DefaultStretch
	}
	if opts.Guess <= 0 {
		opts.Guess = DefaultGuess
	}
	if opts.Facts.Arenas == nil {
		opts.Facts.Arenas = new(facts.Arenas)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q, err := newQueue(ctx, inputs, to, opts)
	if err != nil {
		return Summary{}, err
	}
	defer context.AfterFunc(ctx, q.wake)()
	var wg sync.WaitGroup
	for range opts.Workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := &worker{opts: opts}
			for {
				do := q.take()
				if do == nil {
					return
				}
				if w.captures == nil {
					w.captures, w.finder = capture.NewReader(capture.Options{Want: extract.Want}), extract.NewFinder(opts.Extract)
				}
				if err := do(ctx, w); err != nil {
					cancel(err)
				}
			}
		}()
	}
	wg.Wait()
	return q.total, context.Cause(ctx)
}

// A worker reads one part of an input after another. Its readers keep their buffers; they are nil before they are
// needed.
type worker struct {
	opts     Options
	captures *capture.Reader
	finder   *extract.Finder
}

// do reads a part to its end, or goes on with it, and closes it.
func (w *worker) do(p *part) {
	if p.failure == nil {
		p.failure = p.run()
	}
	w.done(p)
}

// done closes a part.
func (w *worker) done(p *part) {
	p.close()
	if p.archive != nil {
		p.archive.Close()
	}
	if p.faulty {
		w.captures, w.finder = nil, nil // nobody knows what the panic left in them
	}
}

// A task is something for a worker to do. Its error ends the run.
type task func(ctx context.Context, w *worker) error

// A queue is the inputs to be read, and those being read that more workers may help with. All that it holds, and all
// splits, are guarded by its mutex; changed tells those who wait.
type queue struct {
	ctx    context.Context
	opts   Options
	to     *facts.Sink
	inputs []source.Input
	unread []int // places in inputs of those that are to be read

	mu      sync.Mutex
	changed *sync.Cond
	next    int      // of those that are to be read
	open    int      // inputs that are not finished
	splits  []*split // those of them that are read in stretches
	total   Summary
}

func newQueue(ctx context.Context, inputs []source.Input, to *facts.Sink, opts Options) (*queue, error) {
	q := &queue{ctx: ctx, opts: opts, to: to, inputs: inputs}
	q.changed = sync.NewCond(&q.mu)
	read := make([]bool, len(inputs))
	err := to.Done(source.Places(inputs), func(i int, m *job.DoneMarker) bool {
		var kept Summary
		if m.Retry || inputs[i].IsStream() || json.Unmarshal(m.Summary, &kept) != nil {
			return false
		}
		read[i] = true
		q.total.add(kept)
		q.total.Kept++
		q.total.KeptBytes += kept.Bytes
		if opts.OnUnnamed != nil && m.Unnamed {
			opts.OnUnnamed(inputs[i])
		}
		opts.Progress.Inputs.Add(1)
		opts.Progress.Passed.Add(max(inputs[i].Size, 0))
		opts.Progress.Unreadable.Add(int64(kept.Unreadable))
		return true
	})
	if err != nil {
		return nil, err
	}
	for i := range inputs {
		if !read[i] {
			q.unread = append(q.unread, i)
		}
	}
	return q, nil
}

// wake lets all look again who wait.
func (q *queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed.Broadcast()
}

// take returns the next task: what has its turn in an input that is being read, else the next input, else what may be
// wanted of one that is being read. So each worker has an input of its own as long as there are some. It waits where
// there may be a task later, and returns nil where there is none.
func (q *queue) take() task {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.ctx.Err() == nil {
		if do := q.takeStretch(true); do != nil {
			return do
		}
		if i := q.next; i < len(q.unread) {
			q.next++
			q.open++
			return func(ctx context.Context, w *worker) error { return q.read(ctx, w, i, 0) }
		}
		if do := q.takeStretch(false); do != nil {
			return do
		}
		if q.open == 0 {
			return nil
		}
		q.changed.Wait()
	}
	return nil
}

// takeStretch returns the task to read a stretch of an input that several workers may read, see split.take.
func (q *queue) takeStretch(inTurn bool) task {
	for _, s := range q.splits {
		if do := s.take(inTurn); do != nil {
			return do
		}
	}
	return nil
}

// maxAnew is how often an input is read from its beginning again, because it was changed while it was read.
const maxAnew = 3

// read reads an input, as far as no others help with it. So often before it was changed while it was read.
func (q *queue) read(ctx context.Context, w *worker, i, changed int) error {
	if q.input(i).Records != nil {
		return q.readRecords(ctx, w, i)
	}
	r := q.reading(i)
	in := r.in
	p := w.part(in, r)
	until := int64(0)
	if i >= len(q.unread)-q.opts.Workers && q.opts.Workers > 1 && in.IsRanged() && in.Size > q.opts.Stretch {
		until = q.opts.Stretch
	}
	p.failure = p.begin(ctx, until)
	var s *split
	if until > 0 {
		p.each = func() error {
			if s == nil {
				if ahead, ok := p.archive.Ahead(0); ok {
					s = q.split(r, ahead)
				}
			}
			return nil
		}
	}
	w.do(p)
	if s == nil && p.failure == nil {
		if end, more := p.archive.End(); more { // before any record could be read
			s = q.split(r, end)
		}
	}
	if s != nil {
		return s.begun(ctx, w, p)
	}
	if err := endOfRun(ctx, p.failure); err != nil {
		return err
	}
	if errors.Is(p.failure, remote.ErrChanged) && changed < maxAnew {
		if err := r.out.Discard(); err != nil {
			return err
		}
		return q.read(ctx, w, i, changed+1)
	}
	r.merge(p)
	r.bytes = -1
	if c := p.counting; c != nil {
		r.bytes, r.digest = c.n, c.digest()
	}
	return q.finish(nil, r, p.failure)
}

// reading begins the reading of an input.
func (q *queue) reading(i int) *reading {
	in := q.input(i)
	return newReading(q.opts, in.Locate(), q.to.Create(in.Place, q.opts.Facts))
}

// input is one of those that are to be read.
func (q *queue) input(i int) source.Input { return q.inputs[q.unread[i]] }

// endOfRun returns the error that ends the run, and not the input only.
func endOfRun(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var failed *outputError
	if errors.As(err, &failed) {
		return failed.error
	}
	return nil
}

// finish writes what is left to be written of an input, of which s is the split, if there is one.
func (q *queue) finish(s *split, r *reading, failure error) error {
	sum, err := r.finish(failure)
	if err != nil {
		return err
	}
	told, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	m := job.DoneMarker{Item: r.in.Name, Unreadable: sum.Unreadable > 0, Unnamed: sum.unnamed, Summary: told}
	m.Retry = errors.Is(failure, remote.ErrUnavailable) || errors.Is(failure, remote.ErrChanged)
	if err := q.to.Finish(r.in.Place, r.out, m); err != nil {
		return err
	}
	q.opts.Progress.Inputs.Add(1)
	q.opts.Progress.Unreadable.Add(int64(sum.Unreadable))
	q.opts.Progress.Passed.Add(max(0, r.in.Size-sum.Bytes))
	q.mu.Lock()
	defer q.mu.Unlock()
	q.total.add(sum)
	q.open--
	q.splits = slices.DeleteFunc(q.splits, func(other *split) bool { return other == s })
	q.changed.Broadcast()
	return nil
}

// outputError is an error of the output: it ends the run, not the input.
type outputError struct{ error }

func (e *outputError) Unwrap() error { return e.error }
