// Package source says which archives are to be read, and where their bytes come
// from: files, folders, patterns, standard input, other machines (through
// package remote), listings of paths and coordinates of records. It must not
// look at the bytes of an archive: what they are is found out by package
// archive.
package source

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/ingest/remote"
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

// Input is one archive to read, as it was listed. There may be millions, of which little more than the names is held.
type Input struct {
	// Name is the input as it was given, or as it was found below a folder that
	// was given: the folder as given, and the path below it. It is the key of
	// the input in the table inputs.
	Name string

	// Size is how many bytes there are to read, as far as it is known before reading, else -1: the length of the input, or of its Records
	// together.
	Size int64

	// Records are the records that are to be read, in the order of their offsets, no two at one offset; nil means the whole input.
	Records []Range

	// Listed tells that a listing or coordinates name the input, not an argument: what they name and is not there is an input all the same.
	Listed bool

	// Place is the place of the input in the list that Expand returned, from 0. It stays the same in a Shard of the list.
	Place int

	stream bool
	root   root // nil: it cannot be opened
}

// Places lists the places of inputs.
func Places(inputs []Input) []int {
	places := make([]int, len(inputs))
	for i := range inputs {
		places[i] = inputs[i].Place
	}
	return places
}

// A root opens inputs by their names. One serves all inputs of a listing.
type root interface{ opener(name string) Opener }

// A Range is a stretch of an input, in bytes.
type Range struct{ Offset, Length int64 }

// End is the offset of the first byte behind the range.
func (r Range) End() int64 { return r.Offset + r.Length }

// New returns an input that opens with o. A size that is not known is -1.
func New(name string, size int64, o Opener) Input {
	return Input{Name: name, Size: size, root: alone{o}}
}

// alone is the root of one input.
type alone struct{ of Opener }

func (a alone) opener(string) Opener { return a.of }

// Located is an input with what opens it. What several openings have to agree on, such as the state of a file on another machine, they do
// for one Located.
type Located struct {
	Input
	opener Opener
}

// Locate returns the input for reading.
func (in Input) Locate() Located {
	if in.root == nil {
		return Located{Input: in}
	}
	return Located{in, in.root.opener(in.Name)}
}

// Open opens the input. The caller closes what it returns. Reads fail with the
// error of ctx once ctx is done. Standard input can be opened once.
func (in Located) Open(ctx context.Context) (io.ReadCloser, error) {
	if in.opener == nil {
		return nil, fmt.Errorf("the input %q has no source", in.Name)
	}
	return in.opener.Open(ctx)
}

// IsRanged reports whether OpenAt can open the input anywhere, up to a size that is known.
func (in Located) IsRanged() bool {
	_, ok := in.opener.(Ranger)
	return ok && in.Size >= 0 && in.Records == nil
}

// IsStream reports whether the input is known by its name alone, as standard input is: the same name may give other bytes each time.
func (in Input) IsStream() bool { return in.stream }

// Fault returns why the input is known not to be readable before it is opened, nil if it is not.
func (in Input) Fault() error {
	f, _ := in.Locate().opener.(fault)
	return f.error
}

// A RangeOpener is a Ranger that can be asked for just the bytes of a range.
type RangeOpener interface {
	Ranger
	// OpenRange returns so many bytes from the offset on. Where the input ends before, the bytes end early, or with ErrEnds.
	OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error)
}

// OpenRange opens the bytes of a range, and asks for no more where it can. They may end early where the input does.
func (in Located) OpenRange(ctx context.Context, r Range) (io.ReadCloser, error) {
	if o, ok := in.opener.(RangeOpener); ok {
		return o.OpenRange(ctx, r.Offset, r.Length)
	}
	body, err := in.OpenAt(ctx, r.Offset)
	if err != nil {
		return nil, err
	}
	return limited{io.LimitReader(body, r.Length), body}, nil
}

// limited is the beginning of an opened input.
type limited struct {
	io.Reader
	io.Closer
}

// OpenAt opens the input at an offset, as Ranger says. An input that is not IsRanged gives an error.
func (in Located) OpenAt(ctx context.Context, offset int64) (io.ReadCloser, error) {
	ranger, ok := in.opener.(Ranger)
	if !ok {
		if err := in.Fault(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("the input %q can only be read from its beginning", in.Name)
	}
	return ranger.OpenAt(ctx, offset)
}

// A Request says which inputs are meant.
type Request struct {
	// Args are names of files, folders, patterns (see below), files on other machines, and Stdin. A name that begins with https://,
	// http:// or s3:// is one on another machine. A file is taken whatever its name; of a folder all files are taken that
	// IsArchiveName accepts, at any depth, hidden files and folders left out, symbolic links followed. A name that no file has and that
	// holds one of *?[ is a pattern, as a shell would expand it, in the order of the bytes; an element ** is any number of folders.
	Args []string

	// Paths are listings: files of one path a line, gzip or not, here, on another machine or Stdin. Records are coordinates: see there.
	Paths, Records []string

	// Base is where paths of listings and coordinates begin: a folder, or a URL. "" is the folder that the program runs in. It is no
	// part of the name of an input.
	Base string

	// Limit is how many inputs are taken at most, the first ones; 0 means all.
	Limit int

	Stdin  io.Reader
	Remote *remote.Client // nil: one with default options
}

// Expand returns the inputs that the arguments name, as List does.
func Expand(ctx context.Context, args []string, stdin io.Reader) ([]Input, error) {
	return List(ctx, Request{Args: args, Stdin: stdin})
}

// List returns the inputs that are asked for: those of the arguments in their order, then those of the listings in theirs, then those
// of the coordinates in the order of their names. A file is taken once, under the first name that leads to it.
//
// What somebody typed and is not there is an error of one sentence, before anything is read; so are a folder that cannot be read, an
// odd line of a listing, and a request that names no input. What a listing names, or a folder holds, and is not there is an input with
// a Fault: it counts among the inputs, since without it every percentage would have another denominator.
func List(ctx context.Context, req Request) ([]Input, error) {
	e := newExpansion(ctx, req)
	if err := e.checkBase(); err != nil {
		return nil, err
	}
	if err := e.checkStdin(); err != nil {
		return nil, err
	}
	for _, arg := range req.Args {
		if err := e.argument(arg); err != nil {
			return nil, err
		}
	}
	for _, name := range req.Paths {
		if err := e.listing(name); err != nil {
			return nil, err
		}
	}
	if err := e.coordinates(req.Records); err != nil {
		return nil, err
	}
	if len(e.inputs) == 0 {
		return nil, errors.New("no archive was found in what was given")
	}
	if req.Limit > 0 && len(e.inputs) > req.Limit {
		e.inputs = e.inputs[:req.Limit]
	}
	for i := range e.inputs {
		e.inputs[i].Place = i
	}
	return e.inputs, nil
}

// maxDepth is how deep folders are walked.
const maxDepth = 256

// maxInputs bounds the inputs of a run, and the lines of listings and coordinates: a crawl has some hundred thousand files.
const maxInputs = 10_000_000

// expansion is the state of List.
type expansion struct {
	ctx    context.Context
	req    Request
	inputs []Input
	lines  int // of listings and coordinates

	files, below  *files // roots of what is named as it is, and of what lies below the base
	far, farBelow *far

	// seen holds a digest of the place of each input taken: the real path, or the URL. Hard links are other files: they have names of their
	// own in the archive's catalogue.
	seen    map[placeDigest]struct{}
	folders map[string]string // real paths of folders
}

func newExpansion(ctx context.Context, req Request) *expansion {
	if req.Remote == nil {
		req.Remote = remote.New(remote.Options{})
	}
	return &expansion{
		ctx: ctx, req: req, seen: map[placeDigest]struct{}{}, folders: map[string]string{},
		files: &files{}, below: &files{req.Base}, far: &far{req.Remote, ""}, farBelow: &far{req.Remote, req.Base},
	}
}

// A placeDigest tells places apart: the beginning of their SHA-256, in which no two are alike.
type placeDigest [16]byte

// checkStdin tells of a standard input that would have to be two things.
func (e *expansion) checkStdin() error {
	n := 0
	for _, list := range [][]string{e.req.Paths, e.req.Records} {
		for _, name := range list {
			if name == Stdin {
				n++
			}
		}
	}
	if slices.Contains(e.req.Args, Stdin) {
		n++
	}
	if n > 1 {
		return errors.New("standard input can be one of an archive, a listing and coordinates")
	}
	return nil
}

// take takes an input whose bytes are at that place, once.
func (e *expansion) take(in Input, place string) error {
	sum := sha256.Sum256([]byte(place))
	digest := placeDigest(sum[:])
	if _, taken := e.seen[digest]; taken {
		return nil
	}
	if len(e.inputs) >= maxInputs {
		return fmt.Errorf("there are more than %d inputs", maxInputs)
	}
	e.seen[digest] = struct{}{}
	e.inputs = append(e.inputs, in)
	return nil
}

// argument takes what somebody typed.
func (e *expansion) argument(arg string) error {
	if arg == Stdin {
		in := New(Stdin, -1, &once{r: e.req.Stdin})
		in.stream = true
		return e.take(in, Stdin)
	}
	if remote.IsRemote(arg) {
		return e.elsewhere(Input{Name: arg, Size: -1}, e.far)
	}
	info, err := os.Stat(arg)
	if err != nil && !errors.Is(err, fs.ErrPermission) && hasMeta(arg) {
		return e.pattern(arg)
	}
	if err != nil {
		return explain(arg, err)
	}
	return e.found(arg, info)
}

// found takes a file or a folder.
func (e *expansion) found(name string, info fs.FileInfo) error {
	if info.IsDir() {
		return e.folder(name, info, nil)
	}
	return e.file(name, info)
}

// file takes a file.
func (e *expansion) file(name string, info fs.FileInfo) error {
	in := Input{Name: name, Size: -1, root: e.files}
	if info.Mode().IsRegular() {
		in.Size = info.Size()
	} else {
		in.stream = true
	}
	return e.take(in, e.realPath(name))
}

// missing takes a file that cannot be read.
func (e *expansion) missing(name string, err error) error {
	return e.take(New(name, -1, fault{explain(name, err)}), e.realPath(name))
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
		switch {
		case err != nil && IsArchiveName(entry.Name()):
			err = e.missing(path, err)
		case err != nil: // a broken link that nobody asked for
			err = nil
		case info.IsDir():
			err = e.folder(path, info, above)
		case info.Mode().IsRegular() && IsArchiveName(entry.Name()):
			err = e.file(path, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// realPath returns the path that the name leads to, the name itself where that
// cannot be told.
func (e *expansion) realPath(name string) string {
	folder, last := filepath.Split(name)
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 || last == ".." || last == "." || last == "" {
		return realPath(name)
	}
	real, known := e.folders[folder]
	if !known {
		if real = realPath(filepath.Clean(folder)); len(e.folders) >= maxFolders {
			e.folders = make(map[string]string)
		}
		e.folders[folder] = real
	}
	return filepath.Join(real, last)
}

// maxFolders bounds the real paths that are kept in mind.
const maxFolders = 100_000

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

// files is the root of the files below a folder; "" is the one that the program runs in.
type files struct{ base string }

func (f *files) path(name string) string {
	if f.base == "" {
		return name
	}
	return filepath.Join(f.base, filepath.FromSlash(name))
}

func (f *files) opener(name string) Opener { return file(f.path(name)) }

// missing is the root of those that were not there when they were listed.
type missing struct{ *files }

func (m missing) opener(name string) Opener { return fault{explain(m.path(name), fs.ErrNotExist)} }

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

// fault is the opener of an input that cannot be read.
type fault struct{ error }

func (f fault) Open(context.Context) (io.ReadCloser, error) { return nil, f.error }

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
