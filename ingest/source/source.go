// Package source says where the bytes of archives come from: files, folders and
// standard input. It must not look at the bytes: what they are is found out by
// package archive.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Stdin is the argument that stands for standard input.
const Stdin = "-"

// An Opener opens an input for reading from its beginning. Each place that
// bytes come from has its own.
type Opener interface {
	// Open returns the bytes of the input. The caller closes what it returns.
	// Reads fail with the error of ctx once ctx is done.
	Open(ctx context.Context) (io.ReadCloser, error)
}

// A Ranger is an Opener that can begin anywhere, as files and range requests can. It may be opened several times at once.
type Ranger interface {
	Opener
	// OpenAt returns the bytes of the input from the offset on, none beyond its end. The caller closes what it returns, and may
	// do so long before the end. Reads fail with the error of ctx once ctx is done.
	OpenAt(ctx context.Context, offset int64) (io.ReadCloser, error)
}

// Input is one archive to read.
type Input struct {
	// Name is the input as it was given, or as it was found below a folder that
	// was given: the folder as given, and the path below it. It is the key of
	// the input in the table inputs.
	Name string

	// Size is the length in bytes as far as it is known before reading, else -1.
	Size int64

	// Place is the place of the input in the list that Expand returned, from 0. It stays the same in a Shard of the list.
	Place int

	opener Opener
}

// New returns an input that opens with o. A size that is not known is -1.
func New(name string, size int64, o Opener) Input {
	return Input{Name: name, Size: size, opener: o}
}

// Open opens the input. The caller closes what it returns. Reads fail with the
// error of ctx once ctx is done. Standard input can be opened once.
func (in Input) Open(ctx context.Context) (io.ReadCloser, error) {
	if in.opener == nil {
		return nil, fmt.Errorf("the input %q has no source", in.Name)
	}
	return in.opener.Open(ctx)
}

// IsRanged reports whether OpenAt can open the input anywhere, up to a size that is known.
func (in Input) IsRanged() bool {
	_, ok := in.opener.(Ranger)
	return ok && in.Size >= 0
}

// OpenAt opens the input at an offset, as Ranger says. An input that is not IsRanged gives an error.
func (in Input) OpenAt(ctx context.Context, offset int64) (io.ReadCloser, error) {
	ranger, ok := in.opener.(Ranger)
	if !ok {
		return nil, fmt.Errorf("the input %q can only be read from its beginning", in.Name)
	}
	return ranger.OpenAt(ctx, offset)
}

// Expand returns the inputs that the arguments name, in the order of the
// arguments and within a folder in the order of the paths (by byte). An
// argument is a file, which is taken whatever its name; a folder, of which all
// files are taken that IsArchiveName accepts, at any depth; or Stdin, which
// reads from stdin. Hidden files and folders below a folder are left out.
// Symbolic links are followed; a file is taken once, under the first name
// that leads to it.
//
// An argument that does not exist, or a folder that cannot be read, is an
// error of one sentence, and so is a list of arguments that names no input.
func Expand(ctx context.Context, args []string, stdin io.Reader) ([]Input, error) {
	e := expansion{ctx: ctx}
	for _, arg := range args {
		if arg == Stdin {
			if !e.stdin {
				e.stdin = true
				e.inputs = append(e.inputs, New(Stdin, -1, &once{r: stdin}))
			}
			continue
		}
		info, err := os.Stat(arg)
		if err != nil {
			return nil, explain(arg, err)
		}
		if info.IsDir() {
			err = e.folder(arg, info, nil)
		} else {
			e.file(arg, info)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(e.inputs) == 0 {
		return nil, errors.New("no archive was found in what was given")
	}
	for i := range e.inputs {
		e.inputs[i].Place = i
	}
	return e.inputs, nil
}

// maxDepth is how deep folders are walked.
const maxDepth = 256

// expansion is the state of Expand.
type expansion struct {
	ctx    context.Context
	inputs []Input
	stdin  bool

	// seen holds the real path of each file taken. Hard links are other files:
	// they have names of their own in the archive's catalogue.
	seen map[string]bool
}

// file takes the file once.
func (e *expansion) file(name string, info fs.FileInfo) {
	key := realPath(name)
	if e.seen[key] {
		return
	}
	if e.seen == nil {
		e.seen = make(map[string]bool)
	}
	e.seen[key] = true
	size := int64(-1)
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	e.inputs = append(e.inputs, New(name, size, file(name)))
}

// folder takes the archives below the folder. The folders that lead to it are
// in above, so that a link back to one of them ends the walk there.
func (e *expansion) folder(name string, info fs.FileInfo, above []fs.FileInfo) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	for _, a := range above {
		if os.SameFile(a, info) {
			return nil
		}
	}
	if len(above) >= maxDepth {
		return fmt.Errorf("the folder %q is nested more than %d deep", name, maxDepth)
	}
	above = append(above[:len(above):len(above)], info)
	entries, err := os.ReadDir(name) // sorted by name
	if err != nil {
		return explain(name, err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path := filepath.Join(name, entry.Name())
		isDir := entry.IsDir()
		if !isDir && entry.Type()&fs.ModeSymlink == 0 && !IsArchiveName(entry.Name()) {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			if entry.Type()&fs.ModeSymlink != 0 && !IsArchiveName(entry.Name()) {
				continue // a broken link that nobody asked for
			}
			return explain(path, err)
		}
		switch {
		case info.IsDir():
			if err := e.folder(path, info, above); err != nil {
				return err
			}
		case info.Mode().IsRegular() && IsArchiveName(entry.Name()):
			e.file(path, info)
		}
	}
	return nil
}

// realPath returns the path that the name leads to, the name itself where that
// cannot be told.
func realPath(name string) string {
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		path = name
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// explain makes one sentence of an error about a path.
func explain(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file or folder %q: %w", name, fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%q may not be read: %w", name, fs.ErrPermission)
	}
	return fmt.Errorf("%q cannot be read: %w", name, err)
}

// archiveEndings are the ends of the names of archives, before those of
// compression and of an unfinished file.
var (
	archiveEndings     = []string{".warc", ".arc", ".wat", ".wet"}
	compressionEndings = []string{".gz", ".zst", ".bz2"}
	unfinishedEndings  = []string{".open", ".bad"}
)

// IsArchiveName reports whether a file of that name is taken when it is found
// below a folder: the name, in any case, ends with .warc, .arc, .wat or .wet,
// then at most one of .gz, .zst and .bz2, then at most one of .open and .bad,
// which crawlers give to files that they did not finish. So .warc.wat.gz,
// .arc.bz2 and .warc.gz.open are taken; .warc.paths.gz and .warc.cdx are not.
func IsArchiveName(name string) bool {
	name = trimOne(strings.ToLower(name), unfinishedEndings)
	name = trimOne(name, compressionEndings)
	return trimOne(name, archiveEndings) != name
}

// trimOne cuts one of the endings off, once.
func trimOne(name string, endings []string) string {
	for _, ending := range endings {
		if trimmed, ok := strings.CutSuffix(name, ending); ok && trimmed != "" {
			return trimmed
		}
	}
	return name
}

// file opens a file of that path.
type file string

func (path file) Open(ctx context.Context) (io.ReadCloser, error) { return path.OpenAt(ctx, 0) }

func (path file) OpenAt(ctx context.Context, offset int64) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(string(path))
	if err != nil {
		return nil, explain(string(path), err)
	}
	if offset != 0 { // what cannot seek may still be read from its beginning
		if _, err := f.Seek(offset, io.SeekStart); err != nil {
			f.Close()
			return nil, explain(string(path), err)
		}
	}
	return &reader{ctx: ctx, r: f, close: f.Close}, nil
}

// once is a stream that can be opened once and is not closed.
type once struct {
	r      io.Reader
	opened bool
}

func (o *once) Open(ctx context.Context) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case o.r == nil:
		return nil, errors.New("there is no standard input")
	case o.opened:
		return nil, errors.New("standard input can be read only once")
	}
	o.opened = true
	return &reader{ctx: ctx, r: o.r, close: func() error { return nil }}, nil
}

// reader ends with the error of the context once that is done.
type reader struct {
	ctx   context.Context
	r     io.Reader
	close func() error
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

func (r *reader) Close() error { return r.close() }
