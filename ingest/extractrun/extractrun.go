// Package extractrun runs the first stage: several workers read archives, each one of its own, into facts. It knows no
// policy. A bad record costs that record, a bad file that file; the input fact of the file counts both.
package extractrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// RunTo reads every input into facts files of its own, named after the input's Place in the whole list, or into files
// that it shares with the other inputs of its batch. So the files are the same for any number of workers. Inputs with
// done markers are not read again, except streams: the plan of the sink is that of this list and these options. An
// unreadable input is no error of the run. Errors are those of the output, and of ctx.
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

// A batch is inputs that share facts files and a done marker.
type batch struct {
	number int
	inputs []source.Input

	mu   sync.Mutex
	left int         // not read yet
	read []readInput // by place among the inputs
}

// A batchSummary is what the done marker of a batch tells.
type batchSummary struct {
	Summary
	// Unnamed are the places in the batch of inputs with records of which nothing names the crawl. Of a batch of one
	// input the marker itself tells that.
	Unnamed []int `json:"unnamed,omitempty"`
}

// A readInput is an input with all its facts written.
type readInput struct {
	out   *facts.Writer
	sum   Summary
	retry bool // it may be readable another time
}

// A batchedInput is an input of a batch.
type batchedInput struct {
	source.Input
	batch *batch
	place int // in the batch
}

// batches divides the inputs of a run into batches, in their order.
func (r *run) batches(inputs []source.Input) []*batch {
	var list []*batch
	byNumber := map[int]*batch{}
	for _, in := range inputs {
		number := r.to.Plan.BatchOf(in.Place)
		b := byNumber[number]
		if b == nil {
			b = &batch{number: number}
			byNumber[number], list = b, append(list, b)
		}
		b.inputs = append(b.inputs, in)
	}
	return list
}

// A run is what the workers share.
type run struct {
	opts Options
	to   *facts.Sink

	mu    sync.Mutex
	total Summary
}

// unread returns the inputs that no earlier run has read, and counts the others.
func (r *run) unread(inputs []source.Input) ([]batchedInput, error) {
	batches := r.batches(inputs)
	numbers, isRead := make([]int, len(batches)), make([]bool, len(batches))
	for i, b := range batches {
		numbers[i] = b.number
	}
	err := r.to.Done(numbers, func(i int, m *job.DoneMarker) bool {
		var kept batchSummary
		if m.Retry || slices.ContainsFunc(batches[i].inputs, source.Input.IsStream) ||
			json.Unmarshal(m.Summary, &kept) != nil {
			return false
		}
		isRead[i] = true
		r.keep(batches[i], m, kept)
		return true
	})
	var unread []batchedInput
	for i, b := range batches {
		if !isRead[i] {
			b.left, b.read = len(b.inputs), make([]readInput, len(b.inputs))
			for place, in := range b.inputs {
				unread = append(unread, batchedInput{in, b, place})
			}
		}
	}
	return unread, err
}

// keep counts a batch that an earlier run has read.
func (r *run) keep(b *batch, m *job.DoneMarker, kept batchSummary) {
	r.total.add(kept.Summary)
	r.total.Kept += len(b.inputs)
	r.total.KeptBytes += kept.Bytes
	unnamed := kept.Unnamed
	if len(b.inputs) == 1 && m.Unnamed {
		unnamed = []int{0}
	}
	for _, place := range unnamed {
		if r.opts.OnUnnamed != nil && place < len(b.inputs) {
			r.opts.OnUnnamed(b.inputs[place])
		}
	}
	for _, in := range b.inputs {
		r.opts.Progress.Passed.Add(max(in.Size, 0))
	}
	r.opts.Progress.Inputs.Add(int64(len(b.inputs)))
	r.opts.Progress.Unreadable.Add(int64(kept.Unreadable))
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
func (w *worker) read(ctx context.Context, in batchedInput) error {
	for rereads := 0; ; rereads++ {
		if w.captures == nil {
			w.captures = capture.NewReader(capture.Options{Want: extract.Want})
			w.finder = extract.NewFinder(w.opts.Extract)
		}
		r := newInputReader(w, in.Input)
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
			return w.finish(ctx, in, r, failure)
		}
		if err := r.out.Discard(); err != nil {
			return err
		}
	}
}

// finish ends the facts of an input. Behind the last input of a batch it writes the done marker.
func (w *worker) finish(ctx context.Context, in batchedInput, r *inputReader, failure error) error {
	sum, err := r.finish(failure)
	if err != nil {
		return err
	}
	retry := errors.Is(failure, remote.ErrUnavailable) || errors.Is(failure, remote.ErrChanged)
	if in.batch.add(in.place, readInput{r.out, sum, retry}) {
		if err := w.finishBatch(ctx, in.batch); err != nil {
			return err
		}
	}
	w.opts.Progress.Inputs.Add(1)
	w.opts.Progress.Unreadable.Add(int64(sum.Unreadable))
	w.opts.Progress.Passed.Add(max(0, r.in.Size-sum.Bytes))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.add(sum)
	return nil
}

// add adds an input that is read, and reports whether it was the last one.
func (b *batch) add(place int, in readInput) (last bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read[place] = in
	b.left--
	return b.left == 0
}

// finishBatch writes the done marker of a batch that is read.
func (w *worker) finishBatch(ctx context.Context, b *batch) error {
	var all batchSummary
	m := job.DoneMarker{Item: b.inputs[0].Name}
	if others := len(b.inputs) - 1; others > 0 {
		m.Item += fmt.Sprintf(" and %d others", others)
	}
	var outs []*facts.Writer
	for place, in := range b.read {
		all.add(in.sum)
		m.Retry = m.Retry || in.retry
		if in.sum.unnamed {
			m.Unnamed = true
			all.Unnamed = append(all.Unnamed, place)
		}
		outs = append(outs, in.out)
	}
	if len(b.inputs) == 1 {
		all.Unnamed = nil
	}
	m.Unreadable = all.Unreadable > 0
	var err error
	if m.Summary, err = json.Marshal(all); err != nil {
		return err
	}
	b.read = nil
	return w.to.Finish(ctx, b.number, m, outs...)
}

// outputError is an error of the output: it ends the run, not the input.
type outputError struct{ error }

func (e *outputError) Unwrap() error { return e.error }
