package facts

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/internal/storage"
)

// A Set is facts files that are read as one. It is safe for concurrent use.
type Set struct {
	files  []setFile
	rows   int64
	ranged bool
	lo, hi int64 // of site hashes, where ranged
	passes func(*Fact) bool
	kinds  []Kind  // none: all
	hosts  []int64 // site hashes, sorted; nil: all
	// unnamed are the stores with facts of inputs whose crawl nothing names, by their done markers.
	unnamed []string
}

// A setFile is a facts file in a store. Its digest is "" where no done marker was read.
type setFile struct {
	in storage.Store
	job.File
}

func (f *setFile) String() string { return f.in.String() + "/" + f.Name }

// wholeBytes is how long a file of a store may be to be asked for at once, where all of it is read.
const wholeBytes = 16 << 20

// A fileReader reads a facts file.
type fileReader struct {
	index *index
	file  *setFile
	bytes *errorRecorder
}

// open opens the file, of which all is to be read, or a part.
func (f *setFile) open(all bool) (*fileReader, error) {
	at, err := f.content(all)
	if err != nil {
		return nil, err
	}
	r := &fileReader{file: f, bytes: &errorRecorder{ReaderAt: at}}
	if r.index, err = readIndex(r.bytes, f.Bytes); err != nil {
		return nil, errors.Join(r.explain(explainIndex(f.String(), err)), at.Close())
	}
	return r, nil
}

// path is the name of a file on this machine.
func (f *setFile) path() string { return filepath.Join(f.in.String(), f.Name) }

// content opens the file. One that is not on this machine and of which all is to be read is asked for at once, and
// compared with its digest, if it is not too long for that.
func (f *setFile) content(all bool) (storage.ReaderAt, error) {
	at, err := f.in.OpenAt(f.Name, f.Bytes)
	if err != nil || f.in.Local() || !all || f.Bytes > wholeBytes {
		return at, err
	}
	defer at.Close()
	content := make([]byte, f.Bytes)
	if n, err := at.ReadAt(content, 0); n < len(content) {
		return nil, err
	}
	sum := sha256.Sum256(content)
	return inMemory{bytes.NewReader(content)}, f.compare(hex.EncodeToString(sum[:]))
}

// compare compares a digest of the file with that of the done marker of its input.
func (f *setFile) compare(digest string) error {
	if f.SHA256 == "" || f.SHA256 == digest {
		return nil
	}
	return fmt.Errorf("%s is not what the done marker of its input says; remove that marker, and make these facts "+
		"again", f)
}

type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// An errorRecorder records why a read failed.
type errorRecorder struct {
	storage.ReaderAt
	err error
}

func (r *errorRecorder) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// explain returns why a read of the store failed, if that was it: then nothing is wrong with the file.
func (r *fileReader) explain(err error) error {
	if r.bytes.err != nil {
		return r.bytes.err
	}
	return err
}

// Close closes the file.
func (r *fileReader) Close() error { return r.bytes.Close() }

// ErrNoFacts tells that a place holds no facts files.
var ErrNoFacts = errors.New("no facts files found")

// OpenFolder opens the finished facts, or answers, in a folder of a store: by the names that are there, or checked, see
// job.Files. The error wraps fs.ErrNotExist where there is no plan of facts.
func OpenFolder(in storage.Store, checked bool) (*Set, error) {
	kind := FactsJob()
	if answers, err := job.IsPlanned(in, AnswersJob().Makes); err != nil {
		return nil, err
	} else if answers {
		kind = AnswersJob()
	}
	j, err := job.Open(in, kind, job.Options{})
	if err != nil {
		return nil, err
	}
	if v := j.Plan.Schema; v != SchemaVersion {
		return nil, fmt.Errorf("%s holds facts of version %d, this program reads version %d", in, v, SchemaVersion)
	}
	files, err := j.Files(checked)
	if err != nil {
		return nil, err
	}
	s := &Set{}
	for _, file := range files {
		s.files = append(s.files, setFile{in, file})
		s.rows += file.Rows
	}
	if j.Unnamed() {
		s.unnamed = []string{in.String()}
	}
	return s, nil
}

// Open opens facts of this machine: facts files, folders of facts, and folders of these, each file once, whatever names
// lead to it. It looks into every file that no plan tells of, so that one that is no facts file, or of another version,
// is an error now.
func Open(paths []string) (*Set, error) { return open(paths, true) }

// OpenUnchecked is Open by the names that are there, as in OpenFolder.
func OpenUnchecked(paths []string) (*Set, error) { return open(paths, false) }

func open(paths []string, checked bool) (*Set, error) {
	var folders, files []string
	for _, path := range paths {
		err := walk(path, func(name string, entry fs.DirEntry, isRoot bool) error {
			switch {
			case entry.IsDir() && entry.Name() == storage.WorkFolder && !isRoot:
				return fs.SkipDir // what is there is not finished
			case entry.IsDir():
			case entry.Name() == job.PlanFile:
				folders = append(folders, filepath.Dir(name))
			case isRoot || filepath.Ext(name) == Extension:
				files = append(files, name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var parts []*Set
	planned := map[string]bool{}
	folders = eachOnce(folders)
	for _, folder := range folders {
		part, err := OpenFolder(storage.NewFolder(folder), checked)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		planned[placeOf(folder)] = true
	}
	for _, name := range eachOnce(files) {
		if planned[filepath.Dir(placeOf(name))] {
			continue
		}
		part, err := openFile(name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return Join(parts...)
}

// openFile opens a facts file that no plan tells of.
func openFile(name string) (*Set, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a facts file of this program: it is not a regular file", name)
	}
	file := setFile{storage.NewFolder(filepath.Dir(name)), job.File{Name: filepath.Base(name), Bytes: info.Size()}}
	r, err := file.open(false)
	if err != nil {
		return nil, err
	}
	file.Rows = r.index.records()
	return &Set{files: []setFile{file}, rows: file.Rows}, r.Close()
}

// Join makes one set of several.
func Join(parts ...*Set) (*Set, error) {
	s := &Set{}
	for _, part := range parts {
		s.files = append(s.files, part.files...)
		s.rows += part.rows
		s.unnamed = append(s.unnamed, part.unnamed...)
	}
	if len(s.files) == 0 {
		return nil, ErrNoFacts
	}
	slices.SortFunc(s.files, func(a, b setFile) int {
		return cmp.Or(strings.Compare(a.in.String(), b.in.String()), strings.Compare(a.Name, b.Name))
	})
	return s, nil
}

// Listing is a digest of the names and sizes of the files, whatever folders these are in: machines may mount them
// elsewhere.
func (s *Set) Listing() string {
	lines := make([]string, len(s.files))
	for i := range s.files {
		lines[i] = fmt.Sprintf("%d %s\n", s.files[i].Bytes, s.files[i].Name)
	}
	return digestLines(lines)
}

// Digest tells one set of facts from another, in whatever folders. Files of this machine are read, several at a time
// (0: on all cores), until ctx ends; of others the done markers say what is in them.
func (s *Set) Digest(ctx context.Context, workers int) (string, error) {
	return s.digest(ctx, workers, func(file *setFile) bool { return file.in.Local() })
}

// DigestOfMarkers is Digest by the done markers. Only files without one are read.
func (s *Set) DigestOfMarkers(ctx context.Context, workers int) (string, error) {
	return s.digest(ctx, workers, func(*setFile) bool { return false })
}

func (s *Set) digest(ctx context.Context, workers int, reads func(*setFile) bool) (string, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	lines := make([]string, len(s.files))
	err := parallel.Run(ctx, workers, len(s.files), func(ctx context.Context) parallel.Worker {
		return parallel.Worker{Do: func(i int) error {
			file := &s.files[i]
			digest := file.SHA256
			if digest == "" || reads(file) {
				var err error
				if digest, err = file.digest(ctx); err != nil {
					return err
				}
			}
			lines[i] = fmt.Sprintf("%s %s\n", file.Name, digest)
			return nil
		}}
	})
	return digestLines(lines), err
}

// KnownDigest is Digest by the done markers alone. Of a file without one it says nothing.
func (s *Set) KnownDigest() string {
	lines := make([]string, len(s.files))
	for i := range s.files {
		lines[i] = fmt.Sprintf("%s %s\n", s.files[i].Name, s.files[i].SHA256)
	}
	return digestLines(lines)
}

func digestLines(lines []string) string {
	slices.Sort(lines) // the order of arguments does not show
	sum := sha256.New()
	for _, line := range lines {
		io.WriteString(sum, line)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// digest reads the file, and compares it with its done marker.
func (f *setFile) digest(ctx context.Context) (string, error) {
	digest, err := storage.Digest(ctx, f.in, f.Name)
	if err != nil {
		return "", err
	}
	return digest, f.compare(digest)
}

// eachOnce leaves each file or folder once, under the first name that leads to it: facts that are read twice are
// counted twice.
func eachOnce(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		place := placeOf(name)
		known := seen[place]
		seen[place] = true
		return known
	})
}

// placeOf is the same for all names of a file or folder.
func placeOf(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil { // else opening it says what is wrong
		name = real
	}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	return name
}

// walk goes through a file, or a folder and what is below it, under the name that the user gave: a link to a folder is
// the folder.
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

// Range returns the store of those facts whose site hashes are in [lo, hi]. Of each file it reads the row groups that
// may have some. Its Rows are still those of all.
func (s *Set) Range(lo, hi int64) *Set {
	part := *s
	part.ranged, part.lo, part.hi = true, lo, hi
	return &part
}

// OfHosts returns the store of those facts whose site hashes are among some, which are sorted. It reads the blocks that
// may have some. Sorted, it may have facts of other hosts too. Its Rows are still those of all.
func (s *Set) OfHosts(hashes []int64) *Set {
	part := *s
	part.hosts = hashes
	return &part
}

// blocksOf selects the blocks that may have facts of some hosts, nil for all.
func blocksOf(blocks []extsort.Block, hosts []int64) []extsort.Block {
	if hosts == nil {
		return blocks
	}
	return extsort.Among(blocks, hosts)
}

// Filter returns the store of those facts that pass. Its Rows are still those of all.
func (s *Set) Filter(passes func(*Fact) bool) *Set {
	part := *s
	part.passes = passes
	return &part
}

// isFar reports whether files lie where each read waits for an answer.
func (s *Set) isFar() bool {
	return slices.ContainsFunc(s.files, func(f setFile) bool { return !f.in.Local() })
}

// WithKinds returns the store of the facts of some kinds. It does not read the sections of other classes: most facts of
// a crawl are pages. Its Rows are still those of all.
func (s *Set) WithKinds(kinds ...Kind) *Set {
	part := *s
	part.kinds = kinds
	return &part
}

// wants reports whether the set may have facts of a class.
func (s *Set) wants(class Class) bool {
	return len(s.kinds) == 0 || slices.ContainsFunc(s.kinds, func(k Kind) bool { return classOf(k) == class })
}

// Rows returns how many facts the store holds.
func (s *Set) Rows() int64 { return s.rows }

// Unnamed lists the stores with facts of inputs whose crawl neither extract --crawl, nor their path, nor a warcinfo
// names. Done markers tell this: the list lacks single files, streams, and facts that were opened unchecked.
func (s *Set) Unnamed() []string { return s.unnamed }

// Scan calls visit for every fact, file by file. The fact is the callee's to keep.
func (s *Set) Scan(visit func(*Fact) error) error { return s.scanFiles(visit, nil) }

// ScanPassing is Scan, but a fact and its body are good only until visit returns, its texts and lists longer.
func (s *Set) ScanPassing(visit func(*Fact) error) error {
	return s.scanFiles(visit, &spareFact{all: true})
}

func (s *Set) scanFiles(visit func(*Fact) error, spare *spareFact) error {
	for i := range s.files {
		if err := s.scanFile(&s.files[i], visit, spare); err != nil {
			return err
		}
	}
	return nil
}

// hashes returns the site hashes of the set's facts, [lo, hi].
func (s *Set) hashes() (lo, hi int64) {
	if s.ranged {
		return s.lo, s.hi
	}
	return extsort.MinHash, extsort.MaxHash
}

// scanFile calls visit for the facts of a file. With spare memory they pass by.
func (s *Set) scanFile(file *setFile, visit func(*Fact) error, spare *spareFact) error {
	r, err := file.open(!s.ranged)
	if err != nil {
		return err
	}
	defer r.Close()
	lo, hi := s.hashes()
	var all []*extsort.Cursor
	for class := range r.index.sections {
		if !s.wants(Class(class)) {
			continue
		}
		blocks := blocksOf(extsort.Span(r.index.sections[class].blocks, lo, hi), s.hosts)
		in := io.ReaderAt(r.bytes)
		if !file.in.Local() {
			in = &readAhead{ReaderAt: r.bytes, blocks: blocks}
		}
		all = append(all, extsort.NewCursor(in, file.String(), blocks, lo, hi))
	}
	stream, err := extsort.Merge(all...)
	hosts := s.hosts
	for in := (Facts{Stream: stream, spare: spare}); err == nil; {
		if err = in.Next(); err != nil {
			break
		}
		if s.hosts != nil {
			hash := extsort.HashOf(in.Record())
			for len(hosts) > 0 && hosts[0] < hash {
				hosts = hosts[1:]
			}
			if len(hosts) == 0 || hosts[0] != hash {
				continue
			}
		}
		var f *Fact
		if spare != nil {
			f, err = in.Passing()
		} else {
			f, err = in.Fact()
		}
		if err != nil {
			break
		}
		if (s.passes == nil || s.passes(f)) && (len(s.kinds) == 0 || slices.Contains(s.kinds, f.Kind)) {
			if err := visit(f); err != nil {
				return err
			}
		}
		spare.pass(f)
	}
	if err == io.EOF {
		return nil
	}
	return r.explain(err)
}

// readAheadBytes is about how much of a class in a distant file one read asks for.
const readAheadBytes = 12 << 20

// A readAhead reads several blocks at once.
type readAhead struct {
	io.ReaderAt
	blocks []extsort.Block // to read
	at     int64           // of held
	held   []byte
}

func (r *readAhead) ReadAt(p []byte, off int64) (int, error) {
	if off < r.at || off+int64(len(p)) > r.at+int64(len(r.held)) {
		end := off + int64(len(p))
		for _, b := range r.blocks {
			if b.End() > off+readAheadBytes {
				break
			}
			end = max(end, b.End())
		}
		r.at, r.held = off, slices.Grow(r.held[:0], int(end-off))[:end-off]
		if n, err := r.ReaderAt.ReadAt(r.held, off); n < len(r.held) {
			r.held = nil
			return 0, err
		}
	}
	return copy(p, r.held[off-r.at:]), nil
}
