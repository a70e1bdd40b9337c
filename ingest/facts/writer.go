package facts

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/output/parquet"
)

// metaSchema is the footer key of the version of the Fact row.
const metaSchema = "acapscan.facts_schema"

// Writer writes one facts file, or as many as its facts need: facts are ordered by Compare within a file, so they are
// held until they reach RunBytes. A Writer is not safe for concurrent use.
type Writer struct {
	base  string // path without number and extension
	opts  WriterOptions
	arena *factArena // nil before the first fact, and after Close
	bytes int
	files []job.File
}

// A heldFact waits to be sorted. Sorting moves these, and not the facts, which are twenty times as long.
type heldFact struct {
	hash  int64
	place int // the order of Write
	fact  *Fact
}

// WriterOptions say how facts are written. The zero value is good.
type WriterOptions struct {
	RunBytes  int     // about how many bytes of facts are held and sorted at once; 0 means 16 MiB
	CreatedBy string  // program and version, for the footer
	Arenas    *Arenas // of Writers with the same options, whose memory they hand on; nil: it is the Writer's alone
}

// Create starts the facts of one task. Its files are base-000.facts, base-001.facts, …; none appears before it is
// whole.
func Create(base string, opts WriterOptions) *Writer {
	if opts.RunBytes <= 0 {
		opts.RunBytes = 16 << 20
	}
	return &Writer{base: base, opts: opts}
}

// Files lists the files that are written, by their names in the folder.
func (w *Writer) Files() []job.File { return w.files }

func runName(base string, run int) string { return fmt.Sprintf("%s-%03d%s", base, run, Extension) }

// Write adds a copy of a fact, its Body and its Counts. It keeps the strings, Directives and Defects, which the caller
// must not change.
func (w *Writer) Write(f *Fact) error {
	w.enter()
	w.arena.held = append(w.arena.held, heldFact{hash: f.SiteHash, place: len(w.arena.held), fact: w.arena.keep(f)})
	w.bytes += f.Size()
	if w.bytes < w.opts.RunBytes {
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
	if w.arena == nil {
		w.arena = w.opts.Arenas.take()
	}
}

// leave gives the arena back, which is empty.
func (w *Writer) leave() {
	if w.arena != nil {
		w.opts.Arenas.giveBack(w.arena)
		w.arena = nil
	}
}

// empty forgets the facts that wait.
func (w *Writer) empty() {
	if w.bytes = 0; w.arena != nil {
		w.arena.empty()
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
	held := w.arena.held
	slices.SortFunc(held, func(a, b heldFact) int {
		if d := cmp.Compare(a.hash, b.hash); d != 0 {
			return d // as most do, without a look at the fact
		}
		return cmp.Or(Compare(a.fact, b.fact), cmp.Compare(a.place, b.place))
	})
	out, err := w.open()
	if err != nil {
		return err
	}
	defer out.Abort()
	sorted := func(yield func(*Fact) bool) {
		for _, h := range held {
			if !yield(h.fact) {
				return
			}
		}
	}
	if err := out.WriteEach(sorted); err != nil {
		return err
	}
	info, err := out.Commit()
	if err != nil {
		return err
	}
	w.files = append(w.files, job.File{Name: filepath.Base(runName(w.base, len(w.files))), Bytes: info.Bytes, SHA256: info.SHA256, Rows: info.Rows})
	w.empty()
	return nil
}

// open starts the next file.
func (w *Writer) open() (*parquet.Writer[Fact], error) {
	path := runName(w.base, len(w.files))
	if out := w.arena.out; out != nil {
		return out, out.Reopen(path)
	}
	var err error
	w.arena.out, err = parquet.Create[Fact](path, parquet.Options{
		RowGroupRows: 1 << 12, PageBytes: 256 << 10, Fast: true, CreatedBy: w.opts.CreatedBy,
		Metadata: map[string]string{metaSchema: strconv.Itoa(SchemaVersion)},
	})
	return w.arena.out, err
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
