package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/job"
)

// metaSchema is the footer key of the version of the Fact row.
const metaSchema = "acapscan.facts_schema"

// Writer writes one facts file, or as many as its facts need: facts are ordered by Compare within a file, so they are
// held until they reach RunBytes. A Writer is not safe for concurrent use.
type Writer struct {
	base  string // path without number and extension
	opts  WriterOptions
	held  *arena // nil before the first fact, and after Close
	bytes int    // of the held facts
	files []job.File

	record []byte // of the fact that is added
}

// WriterOptions say how facts are written. The zero value is good.
type WriterOptions struct {
	RunBytes  int    // about how many bytes of facts are held and sorted at once; 0 means 16 MiB
	CreatedBy string // program and version, for the footer
	// MergedBytes bounds files that are merged from those of several Writers; 0 means 1 GiB. It bounds their indexes.
	MergedBytes int64
	Arenas      *Arenas // of Writers with the same options, whose memory they hand on; nil: it is the Writer's alone
}

// Create starts the facts of one task. Its files are base-000.facts, base-001.facts, …; none appears before it is
// whole.
func Create(base string, opts WriterOptions) *Writer {
	if opts.RunBytes <= 0 {
		opts.RunBytes = 16 << 20
	}
	if opts.MergedBytes <= 0 {
		opts.MergedBytes = 1 << 30
	}
	return &Writer{base: base, opts: opts}
}

// Files lists the files that are written, by their names in the folder.
func (w *Writer) Files() []job.File { return w.files }

func runName(base string, run int) string { return fmt.Sprintf("%s-%03d%s", base, run, Extension) }

// Write adds a fact, and keeps nothing of it.
func (w *Writer) Write(f *Fact) error {
	w.enter()
	w.record = appendFields(w.record[:0], f)
	w.held.Add(int(classOf(f.Kind)), w.record, f.Body, bodyLength(f))
	if w.bytes += len(w.record) + len(f.Body) + extsort.HeldBytes; w.bytes < w.opts.RunBytes {
		return nil
	}
	return w.flush()
}

// Close writes what is held. A task without facts leaves one file without rows, so that its end shows.
func (w *Writer) Close() error {
	if w.bytes > 0 || len(w.files) == 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.leave()
	return nil
}

// enter takes an arena, if the Writer has none.
func (w *Writer) enter() {
	if w.held == nil {
		w.held = w.opts.Arenas.take()
	}
}

// leave gives the arena back, which is empty.
func (w *Writer) leave() {
	if w.held != nil {
		w.opts.Arenas.giveBack(w.held)
		w.held = nil
	}
}

// empty forgets the facts that wait.
func (w *Writer) empty() {
	if w.bytes = 0; w.held != nil {
		w.held.Empty()
	}
}

// Discard takes back all that was written and has not been moved away, as if the task had not begun.
func (w *Writer) Discard() error {
	for ; len(w.files) > 0; w.files = w.files[:len(w.files)-1] {
		if err := os.Remove(runName(w.base, len(w.files)-1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	w.empty()
	return nil
}

func (w *Writer) flush() error {
	w.enter()
	held := w.held
	file, err := writeFile(runName(w.base, len(w.files)), w.opts.CreatedBy, &held.writer,
		func(class int, add func(record, body []byte) error) error {
			for record := range held.Sorted(class) {
				if err := add(splitBody(record)); err != nil {
					return err
				}
			}
			return nil
		})
	if err != nil {
		return err
	}
	w.files = append(w.files, file)
	w.empty()
	return nil
}

// Size is about how much memory the fact holds, in bytes.
func (f *Fact) Size() int {
	n := 600 + len(f.URL) + len(f.Site) + len(f.Body) + len(f.FetchRedirect)
	for i := range f.Directives {
		d := &f.Directives[i]
		n += 120 + len(d.Value) + len(d.Raw) + len(d.Name) + len(d.ElementID)
	}
	return n + 40*len(f.Counts)
}
