// Package source lists the archives to read and opens their bytes: files, folders, patterns, standard input, remote
// files (through package remote), listings of paths and coordinates of records. It does not look at the bytes: that is
// the job of package archive.
package source

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/ingest/remote"
)

// Stdin is the argument for standard input.
const Stdin = "-"

// An Opener opens an input from its beginning. Each kind of input has its own.
type Opener interface {
	// Open returns the bytes of the input. The caller closes the result. Reads fail with the error of ctx when ctx is
	// done.
	Open(ctx context.Context) (io.ReadCloser, error)
}

// A Ranger is an Opener that can also open a range, like files and range requests. Several ranges may be open at once.
type Ranger interface {
	Opener
	// OpenRange returns length bytes from the offset on. If the input ends before, the bytes end early, or with
	// ErrEnds. The caller closes the result. Reads fail with the error of ctx when ctx is done.
	OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error)
}

// Input is one archive to read. There may be millions, so it holds little more than the name.
type Input struct {
	// Name is the input as given, or the given folder with the path below it. It is the key of table inputs.
	Name string

	// Size is the number of bytes to read if known, else -1: the length of the input, or of its Records together.
	Size int64

	// Records are the records to read, by offset, at most one at each; nil means the whole input.
	Records []Range

	// Listed says that a listing or coordinates name the input, not an argument. Such an input may be missing.
	Listed bool

	// Place is the position of the input in the result of Expand, from 0. It stays the same in a Shard of the list.
	Place int

	stream bool
	root   root // nil if the input cannot be opened
}

// A root opens inputs by name. All inputs of a listing share one.
type root interface{ opener(name string) Opener }

// A Range is a range of bytes in an input.
type Range struct{ Offset, Length int64 }

// End returns the offset of the first byte after the range.
func (r Range) End() int64 { return r.Offset + r.Length }

// New returns an input that opens with o. size is -1 if unknown.
func New(name string, size int64, o Opener) Input {
	return Input{Name: name, Size: size, root: singleRoot{o}}
}

// singleRoot is the root of one input.
type singleRoot struct{ of Opener }

func (a singleRoot) opener(string) Opener { return a.of }

// SizeOf returns the length of an opened input in bytes, -1 if it is unknown. For a remote file the server declares it.
func SizeOf(opened io.Reader) int64 {
	if sized, ok := opened.(interface{ Size() int64 }); ok {
		return sized.Size()
	}
	return -1
}

// Located is an input with its Opener. Several openings of one Located share state, such as the version of a remote
// file.
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

// Open opens the input. The caller closes the result. Reads fail with the error of ctx when ctx is done. Standard input
// can be opened once.
func (in Located) Open(ctx context.Context) (io.ReadCloser, error) {
	if in.opener == nil {
		return nil, fmt.Errorf("the input %q has no source", in.Name)
	}
	return in.opener.Open(ctx)
}

// IsStream reports whether the input is a stream like standard input: the same name may give other bytes each time.
func (in Input) IsStream() bool { return in.stream }

// Fault returns an error if the input is known to be unreadable, before it is opened.
func (in Input) Fault() error {
	f, _ := in.Locate().opener.(fault)
	return f.error
}

// OpenRange opens the bytes of a range, as in Ranger. It returns an error for an input that is no Ranger.
func (in Located) OpenRange(ctx context.Context, r Range) (io.ReadCloser, error) {
	ranger, ok := in.opener.(Ranger)
	if !ok {
		if err := in.Fault(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("the input %q can only be read from its beginning", in.Name)
	}
	return ranger.OpenRange(ctx, r.Offset, r.Length)
}

// A Request describes a list of inputs.
type Request struct {
	// Args are files, folders, patterns, URLs (https://, http://, s3://) and Stdin. A file may have any name. Of a
	// folder all files count that IsArchiveName accepts, at any depth. Hidden files and folders are skipped, symbolic
	// links followed. A name without a file that has one of *?[ is a pattern, which expands as in a shell, sorted by
	// bytes. Its element ** matches any number of folders.
	Args []string

	// Paths are listings: files with one path a line, gzip or not, local, remote or Stdin. Records are files of
	// coordinates.
	Paths, Records []string

	// Base is a folder or URL, to which paths in listings and coordinates are relative. "" is the working directory. It
	// does not appear in the names of inputs.
	Base string

	// Limit is the most inputs, from the first on; 0 means all.
	Limit int

	Stdin  io.Reader
	Remote *remote.Client // nil: with default options
}

// Expand returns the inputs of the arguments, like List.
func Expand(ctx context.Context, args []string, stdin io.Reader) ([]Input, error) {
	return List(ctx, Request{Args: args, Stdin: stdin})
}

// List returns the inputs of the arguments in their order, then those of the listings in theirs, then those of the
// coordinates by name. A file is listed once, under the first name that leads to it.
//
// These are errors: an argument that does not exist, an unreadable folder, an invalid line of a listing, and a request
// without inputs. A file from a listing or folder that is missing is an input with a Fault instead. Without it every
// percentage would have another denominator.
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
		return nil, errors.New("no archive was found: in folders, names of archives end with .warc, .arc, .wat or " +
			".wet, and .gz, .bz2 or .zst where they are compressed")
	}
	if req.Limit > 0 && len(e.inputs) > req.Limit {
		e.inputs = e.inputs[:req.Limit]
	}
	for i := range e.inputs {
		e.inputs[i].Place = i
	}
	return e.inputs, nil
}

// maxDepth limits the depth of folders.
const maxDepth = 256

// maxInputs limits the inputs of a run, and the lines of listings and coordinates: a crawl has some hundred thousand
// files.
const maxInputs = 10_000_000

// expansion is the state of List.
type expansion struct {
	ctx    context.Context
	req    Request
	inputs []Input
	lines  int // of listings and coordinates

	files, below        *files // roots of names as they are, and of names below the base
	remote, remoteBelow *remoteRoot

	// seen holds a digest of the place of each input: the real path, or the URL. Hard links are separate files, with
	// names of their own in the archive's catalogue.
	seen    map[placeDigest]struct{}
	folders map[string]string // real paths of folders
}

func newExpansion(ctx context.Context, req Request) *expansion {
	if req.Remote == nil {
		req.Remote = remote.New(remote.Options{})
	}
	return &expansion{
		ctx: ctx, req: req, seen: map[placeDigest]struct{}{}, folders: map[string]string{},
		files: &files{}, below: &files{req.Base}, remote: &remoteRoot{req.Remote, ""},
		remoteBelow: &remoteRoot{req.Remote, req.Base},
	}
}

// A placeDigest identifies a place: the beginning of its SHA-256.
type placeDigest [16]byte

// checkStdin returns an error if the request uses standard input twice.
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
		return errors.New("standard input can be only one of: an archive, a listing, coordinates")
	}
	return nil
}

// take adds an input with bytes at that place, once.
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

// argument adds the inputs of an argument.
func (e *expansion) argument(arg string) error {
	if arg == Stdin {
		in := New(Stdin, -1, &once{r: e.req.Stdin})
		in.stream = true
		return e.take(in, Stdin)
	}
	if remote.IsRemote(arg) {
		return e.addRemote(Input{Name: arg, Size: -1}, e.remote)
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

// found adds a file or a folder.
func (e *expansion) found(name string, info fs.FileInfo) error {
	if info.IsDir() {
		return e.folder(name, info, nil)
	}
	return e.file(name, info)
}

func (e *expansion) file(name string, info fs.FileInfo) error {
	in := Input{Name: name, Size: -1, root: e.files}
	if info.Mode().IsRegular() {
		in.Size = info.Size()
	} else {
		in.stream = true
	}
	return e.take(in, e.realPath(name))
}

// missing adds a file that cannot be read.
func (e *expansion) missing(name string, err error) error {
	return e.take(New(name, -1, fault{explain(name, err)}), e.realPath(name))
}

// folder adds the archives below the folder. above are its parents, so that a link to one of them ends the walk.
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
		case err != nil: // a broken link
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

// realPath returns the path that the name leads to, or the name itself if unknown.
func (e *expansion) realPath(name string) string {
	folder, last := filepath.Split(name)
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 || last == ".." || last == "." ||
		last == "" {
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

// maxFolders limits the cache of real paths.
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

// absent is the error for a file or folder of that name. It is fs.ErrNotExist.
type absent string

func (m absent) Error() string        { return fmt.Sprintf("there is no file or folder %q", string(m)) }
func (m absent) Is(target error) bool { return target == fs.ErrNotExist }

// explain returns an error about a path as one sentence.
func explain(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent(name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%q may not be read: %w", name, fs.ErrPermission)
	}
	return fmt.Errorf("%q cannot be read: %w", name, err)
}

// archiveEndings are the endings of the names of archives, before those of compression and of unfinished files.
var (
	archiveEndings     = []string{".warc", ".arc", ".wat", ".wet"}
	compressionEndings = []string{".gz", ".zst", ".bz2"}
	unfinishedEndings  = []string{".open", ".bad"}
)

// IsArchiveName reports whether a file in a folder counts as an archive. In any case, its name ends with .warc, .arc,
// .wat or .wet, then at most one of .gz, .zst and .bz2, then at most one of .open and .bad, which crawlers use for
// unfinished files. So .warc.wat.gz, .arc.bz2 and .warc.gz.open match; .warc.paths.gz and .warc.cdx do not.
func IsArchiveName(name string) bool {
	name = trimOne(strings.ToLower(name), unfinishedEndings)
	name = trimOne(name, compressionEndings)
	return trimOne(name, archiveEndings) != name
}

// trimOne cuts off one of the endings, once.
func trimOne(name string, endings []string) string {
	for _, ending := range endings {
		if trimmed, ok := strings.CutSuffix(name, ending); ok && trimmed != "" {
			return trimmed
		}
	}
	return name
}

// files is the root of the files below a folder; "" is the working directory.
type files struct{ base string }

func (f *files) path(name string) string {
	if f.base == "" {
		return name
	}
	return filepath.Join(f.base, filepath.FromSlash(name))
}

func (f *files) opener(name string) Opener { return file(f.path(name)) }

// missing is the root of files that did not exist when they were listed.
type missing struct{ *files }

func (m missing) opener(name string) Opener { return fault{explain(m.path(name), fs.ErrNotExist)} }

// file is the path of a file to open.
type file string

func (path file) Open(ctx context.Context) (io.ReadCloser, error) {
	return path.OpenRange(ctx, 0, math.MaxInt64)
}

func (path file) OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(string(path))
	if err != nil {
		return nil, explain(string(path), err)
	}
	if offset != 0 { // without seeking, a file can still be read from its beginning
		if _, err := f.Seek(offset, io.SeekStart); err != nil {
			f.Close()
			return nil, explain(string(path), err)
		}
	}
	return &reader{ctx: ctx, r: io.LimitReader(f, length), close: f.Close}, nil
}

// fault is the Opener of an unreadable input.
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

// reader ends with the error of the context when the context is done.
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

// Size returns the size of what it reads, see SizeOf.
func (r *reader) Size() int64 { return SizeOf(r.r) }
