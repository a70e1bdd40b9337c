package facts

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/parquet"
)

// metaSchema is the footer key of the version of the Fact row.
const metaSchema = "acapscan.facts_schema"

// Writer writes one facts file, or as many as its facts need: facts are ordered by Compare within a file, so they are held until
// they reach RunBytes. A Writer is not safe for concurrent use.
type Writer struct {
	base  string // path without number and extension
	opts  WriterOptions
	room  *room // nil before the first fact, and after Close
	bytes int
	files []File
}

// A heldFact waits to be sorted. Sorting moves these, and not the facts, which are twenty times as long.
type heldFact struct {
	hash  int64
	place int // the order of Write
	fact  *Fact
}

// WriterOptions say how facts are written. The zero value is good.
type WriterOptions struct {
	RunBytes  int    // about how many bytes of facts are held and sorted at once; 0 means 16 MiB
	CreatedBy string // program and version, for the footer
	Rooms     *Rooms // of Writers with the same options, whose memory they hand on; nil: it is the Writer's alone
}

// Create starts the facts of one task. Its files are base-000.facts, base-001.facts, …; none appears before it is whole.
func Create(base string, opts WriterOptions) *Writer {
	if opts.RunBytes <= 0 {
		opts.RunBytes = 16 << 20
	}
	return &Writer{base: base, opts: opts}
}

// Files lists the files that are written, by their names in the folder.
func (w *Writer) Files() []File { return w.files }

func runName(base string, run int) string { return fmt.Sprintf("%s-%03d%s", base, run, Extension) }

// Write adds a copy of a fact, its Body and its Counts. It keeps the strings, Directives and Defects, which the caller must not change.
func (w *Writer) Write(f *Fact) error {
	w.enter()
	w.room.held = append(w.room.held, heldFact{hash: f.SiteHash, place: len(w.room.held), fact: w.room.keep(f)})
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

// enter takes a room, if the Writer has none.
func (w *Writer) enter() {
	if w.room == nil {
		w.room = w.opts.Rooms.take()
	}
}

// leave gives the room back, which is empty.
func (w *Writer) leave() {
	if w.room != nil {
		w.opts.Rooms.giveBack(w.room)
		w.room = nil
	}
}

// empty forgets the facts that wait.
func (w *Writer) empty() {
	if w.bytes = 0; w.room != nil {
		w.room.empty()
	}
}

// Discard takes back all that was written, as if the task had not begun.
func (w *Writer) Discard() error {
	for ; len(w.files) > 0; w.files = w.files[:len(w.files)-1] {
		if err := os.Remove(runName(w.base, len(w.files)-1)); err != nil {
			return err
		}
	}
	w.empty()
	return nil
}

func (w *Writer) flush() error {
	w.enter()
	held := w.room.held
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
	w.files = append(w.files, File{Name: filepath.Base(runName(w.base, len(w.files))), Bytes: info.Bytes, SHA256: info.SHA256, Rows: info.Rows})
	w.empty()
	return nil
}

// open starts the next file.
func (w *Writer) open() (*parquet.Writer[Fact], error) {
	path := runName(w.base, len(w.files))
	if out := w.room.out; out != nil {
		return out, out.Reopen(path)
	}
	var err error
	w.room.out, err = parquet.Create[Fact](path, parquet.Options{
		RowGroupRows: 1 << 12, PageBytes: 256 << 10, Fast: true, CreatedBy: w.opts.CreatedBy,
		Metadata: map[string]string{metaSchema: strconv.Itoa(SchemaVersion)},
	})
	return w.room.out, err
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

// A Store is a set of facts files that are read as one. It is safe for concurrent use.
type Store struct {
	files  []storeFile
	rows   int64
	ranged bool
	lo, hi int64 // of site hashes, where ranged
	passes func(*Fact) bool
	kinds  []Kind // none: all
}

// A storeFile is a facts file of this machine, or of a store of files.
type storeFile struct {
	name  string        // in sentences
	store storage.Store // nil: of this machine
	below string        // name in the store
	bytes int64         // in the store
	mark  string        // SHA-256 that the mark of its input tells; "" where nobody looked
}

// wholeBytes is how long a file of a store may be to be asked for at once, where all of it is read.
const wholeBytes = 16 << 20

// A fileReader reads a facts file.
type fileReader struct {
	*parquet.Reader[Fact]
	file  *storeFile
	noted *noting // nil: a file of this machine
}

// open opens the file, of which all is to be read, or a part.
func (f *storeFile) open(all bool) (*fileReader, error) {
	r := &fileReader{file: f}
	var err error
	if f.store == nil {
		r.Reader, err = parquet.Open[Fact](f.name)
	} else {
		var at io.ReaderAt
		if at, err = f.bytesOf(all); err != nil {
			return nil, err
		}
		r.noted = &noting{ReaderAt: at}
		r.Reader, err = parquet.OpenAt[Fact](f.name, r.noted, f.bytes)
	}
	if err != nil {
		return nil, r.explain(fmt.Errorf("%s is not a facts file of this program: %w", f.name, err))
	}
	return r, r.checkVersion()
}

// bytesOf opens a file of a store. One of which all is to be read is compared with its mark, if it is not too long for that.
func (f *storeFile) bytesOf(all bool) (io.ReaderAt, error) {
	at, err := f.store.Open(f.below, f.bytes)
	if err != nil || !all || f.bytes > wholeBytes {
		return at, err
	}
	content := make([]byte, f.bytes)
	if n, err := at.ReadAt(content, 0); n < len(content) {
		return nil, err
	}
	if sum := sha256.Sum256(content); f.mark != "" && hex.EncodeToString(sum[:]) != f.mark {
		return nil, fmt.Errorf("%s is not what the mark of its input says; remove that mark, and run its shard again", f.name)
	}
	return bytes.NewReader(content), nil
}

// noting notes why a read failed.
type noting struct {
	io.ReaderAt
	err error
}

func (n *noting) ReadAt(p []byte, off int64) (int, error) {
	k, err := n.ReaderAt.ReadAt(p, off)
	if err != nil && err != io.EOF {
		n.err = err
	}
	return k, err
}

// explain returns why a read of the store failed, if that was it: then nothing is wrong with the file.
func (r *fileReader) explain(err error) error {
	if r.noted != nil && r.noted.err != nil {
		return r.noted.err
	}
	return err
}

// checkVersion closes a file of another version.
func (r *fileReader) checkVersion() error {
	if v := r.Metadata()[metaSchema]; v != strconv.Itoa(SchemaVersion) {
		r.Close()
		return fmt.Errorf("%s holds facts of version %q, this program reads version %d", r.file.name, v, SchemaVersion)
	}
	return nil
}

// ErrNoFacts tells that a place holds no facts files.
var ErrNoFacts = errors.New("no facts files found")

// OpenStore opens facts files, and folders of them, each file once, whatever names lead to it. It looks into every file, so that one that
// is no facts file, or of another version, is an error now.
func OpenStore(paths []string) (*Store, error) {
	s := &Store{}
	var names []string
	for _, path := range paths {
		found, err := factsFiles(path)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	if len(names) == 0 {
		return nil, ErrNoFacts
	}
	slices.Sort(names)
	for _, name := range eachOnce(names) {
		file := storeFile{name: name}
		r, err := file.open(false)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, file)
		s.rows += r.NumRows()
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// eachOnce leaves each file once, under the first name that leads to it: facts that are read twice are counted twice.
func eachOnce(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		place := name
		if real, err := filepath.EvalSymlinks(name); err == nil { // else opening it says what is wrong
			place = real
		}
		if abs, err := filepath.Abs(place); err == nil {
			place = abs
		}
		known := seen[place]
		seen[place] = true
		return known
	})
}

func factsFiles(path string) ([]string, error) {
	var found []string
	err := walk(path, func(name string, entry fs.DirEntry, isRoot bool) error {
		if entry.IsDir() && entry.Name() == storage.WorkFolder && !isRoot {
			return fs.SkipDir // what is there is not finished
		}
		if !entry.IsDir() && (isRoot || filepath.Ext(name) == Extension) {
			found = append(found, name)
		}
		return nil
	})
	return found, err
}

// walk goes through a file, or a folder and what is below it, as somebody named it: a link to a folder is the folder.
func walk(path string, visit func(name string, entry fs.DirEntry, isRoot bool) error) error {
	root := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		root += string(filepath.Separator)
	}
	return filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return visit(name, entry, name == root)
	})
}

// Range returns the store of those facts whose site hashes are in [lo, hi]. Of each file it reads the row groups that may have some. Its
// Rows are still those of all.
func (s *Store) Range(lo, hi int64) *Store {
	part := *s
	part.ranged, part.lo, part.hi = true, lo, hi
	return &part
}

// Only returns the store of those facts that pass. Its Rows are still those of all.
func (s *Store) Only(passes func(*Fact) bool) *Store {
	part := *s
	part.passes = passes
	return &part
}

// isFar tells whether files lie in stores of files, where each read waits for an answer.
func (s *Store) isFar() bool { return len(s.files) > 0 && s.files[0].store != nil }

// Of returns the store of the facts of some kinds. A file of this machine that has none of them is passed by, but for its kinds: most files of
// a crawl are of pages. Its Rows are still those of all.
func (s *Store) Of(kinds ...Kind) *Store {
	part := *s
	part.kinds = kinds
	return &part
}

// kindRow is what is read of a fact to know its kind.
type kindRow struct {
	Kind Kind `parquet:"kind,dict"`
}

// hasAny tells whether a file of this machine has facts of some kinds.
func (f *storeFile) hasAny(kinds []Kind) (bool, error) {
	r, err := parquet.Open[kindRow](f.name)
	if err != nil {
		return false, err
	}
	defer r.Close()
	rows := make([]kindRow, 1024)
	for {
		n, err := r.Read(rows)
		if slices.ContainsFunc(rows[:n], func(row kindRow) bool { return slices.Contains(kinds, row.Kind) }) {
			return true, nil
		}
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", f.name, err)
		}
	}
}

// Rows returns how many facts the store holds.
func (s *Store) Rows() int64 { return s.rows }

// Files lists the store's files, sorted.
func (s *Store) Files() []string {
	names := make([]string, len(s.files))
	for i := range s.files {
		names[i] = s.files[i].name
	}
	return names
}

// Scan calls visit for every fact, file by file. The fact is the callee's to keep.
func (s *Store) Scan(visit func(*Fact) error) error {
	for i := range s.files {
		if err := s.scanFile(&s.files[i], visit); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) scanFile(file *storeFile, visit func(*Fact) error) error {
	if len(s.kinds) > 0 && file.store == nil {
		if has, err := file.hasAny(s.kinds); !has {
			return err
		}
	}
	r, err := file.open(!s.ranged)
	if err != nil {
		return err
	}
	defer r.Close()
	if s.ranged {
		if err := r.SeekRange("site_hash", s.lo, s.hi); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
	}
	rows := make([]Fact, 256)
	for {
		n, err := r.Read(rows)
		for i := range rows[:n] {
			f := rows[i]
			if s.ranged && (f.SiteHash < s.lo || f.SiteHash > s.hi) || s.passes != nil && !s.passes(&f) || len(s.kinds) > 0 && !slices.Contains(s.kinds, f.Kind) {
				continue
			}
			if err := visit(&f); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return r.explain(fmt.Errorf("%s: %w", file.name, err))
		}
	}
}
