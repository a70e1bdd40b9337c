package arrow

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/acapscan/acapscan/internal/storage"
)

// A file is a stream between the magic, padded to eight bytes, and a footer with
// the place of every batch (Arrow columnar format, "IPC File Format").
const (
	fileMagic = "ARROW1\x00\x00"
	endMarker = "\xff\xff\xff\xff\x00\x00\x00\x00"
)

// Info says what has been written.
type Info struct {
	Rows   int64
	Bytes  int64  // size of the file
	SHA256 string // of the file, in lower-case hexadecimal
}

// FileWriter writes rows to an IPC file that has its name only from Commit on.
// The same rows give the same bytes, however they are split over calls of Write.
// Batches are not compressed, so that readers can map them into memory. A
// FileWriter must not be used by two goroutines at once.
type FileWriter[T any] struct {
	path string
	sink *fileSink // nil after Commit and Abort
	rows *Writer[T]
	n    int64
}

// Create starts a file, as [storage.Create] does, with the given key/value pairs in
// its schema; the map may be nil.
func Create[T any](path string, metadata map[string]string) (*FileWriter[T], error) {
	file, err := storage.Create(path)
	if err != nil {
		return nil, err
	}
	w := &FileWriter[T]{path: path, sink: &fileSink{file: file, buffered: bufio.NewWriterSize(file, 1<<20)}}
	w.rows, err = newWriter[T](metadata, func(schema *arrow.Schema) (batchWriter, error) {
		return ipc.NewFileWriter(w.sink, ipc.WithSchema(schema))
	})
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

// Write adds rows. It keeps nothing of them. After an error the file cannot be
// committed.
func (w *FileWriter[T]) Write(rows []T) error {
	if w.sink == nil {
		return fmt.Errorf("arrow: %s is closed", w.path)
	}
	w.n += int64(len(rows))
	return w.rows.Write(rows)
}

// Commit writes what is left and gives the file its name, as
// [storage.File.Commit] does.
func (w *FileWriter[T]) Commit() (Info, error) {
	if w.sink == nil {
		return Info{}, fmt.Errorf("arrow: %s is closed", w.path)
	}
	if err := w.finish(); err != nil {
		return Info{}, errors.Join(err, w.Abort())
	}
	file := w.sink.file
	w.sink = nil
	return Info{Rows: w.n, Bytes: file.Size(), SHA256: file.SHA256()}, file.Commit()
}

// finish writes what is left, and the footer.
func (w *FileWriter[T]) finish() error {
	if w.rows.err == nil {
		// A batch without rows for a file without rows, since some readers want one;
		// and what the library forgets: the marker by which a stream ends.
		if w.rows.rows > 0 || w.n == 0 {
			w.rows.err = w.rows.flush()
		}
		if w.rows.err == nil {
			_, w.rows.err = io.WriteString(w.sink, endMarker)
		}
	}
	if err := w.rows.Close(); err != nil {
		return err
	}
	return w.sink.buffered.Flush()
}

// Abort removes the temporary file. After Commit, or a second time, it does
// nothing, so that it can be deferred.
func (w *FileWriter[T]) Abort() error {
	if w.sink == nil {
		return nil
	}
	if w.rows != nil && !w.rows.closed {
		w.rows.closed = true
		w.rows.builder.Release()
	}
	file := w.sink.file
	w.sink = nil
	return file.Abort()
}

// fileSink gathers what goes to a file. The library seeks in order to ask where it
// is, and never anywhere else.
type fileSink struct {
	file     *storage.File
	buffered *bufio.Writer
	n        int64 // bytes written, gathered ones included
}

func (s *fileSink) Write(p []byte) (int, error) {
	n, err := s.buffered.Write(p)
	s.n += int64(n)
	return n, err
}

func (s *fileSink) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.New("arrow: a file is written from its beginning to its end")
	}
	return s.n, nil
}

// FileReader reads rows from a file, as a [Reader] does from a stream. It reads
// the stream within the file and not the footer, so that all limits of a Reader
// hold; a file without the stream's end marker gives an error. A FileReader must
// not be used by two goroutines at once.
type FileReader[T any] struct {
	file io.ReadCloser // nil after Close
	path string
	in   *Reader[T]
	left []T // read and not yet handed out
}

// OpenFrom opens a file for reading rows of type T, from its first byte. The name stands in errors. An error about a
// column that is missing or of another type names it. Close closes in.
func OpenFrom[T any](name string, in io.ReadCloser) (*FileReader[T], error) {
	r := &FileReader[T]{file: in, path: name}
	if err := r.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), in.Close())
	}
	return r, nil
}

func (r *FileReader[T]) open() (err error) {
	in := bufio.NewReaderSize(r.file, 1<<20)
	var magic [len(fileMagic)]byte
	if _, err := io.ReadFull(in, magic[:]); err != nil || string(magic[:]) != fileMagic {
		return errors.New("arrow: not an Arrow IPC file: it does not begin with ARROW1")
	}
	if r.in, err = NewReader[T](in); err == io.EOF {
		return damaged(errNotWhole)
	}
	return err
}

// Metadata returns the key/value pairs of the schema, in a new map.
func (r *FileReader[T]) Metadata() map[string]string { return r.in.Metadata() }

// Read sets rows to the next ones and returns how many there were, fewer than
// len(rows) only before the end; then the error is io.EOF. What rows refer to is
// new and the caller's.
func (r *FileReader[T]) Read(rows []T) (n int, err error) {
	if r.file == nil {
		return 0, fmt.Errorf("arrow: %s is closed", r.path)
	}
	for n < len(rows) {
		if len(r.left) == 0 {
			if r.left, err = r.in.Read(); err == io.EOF {
				return n, io.EOF
			} else if err != nil {
				return n, fmt.Errorf("%s: %w", r.path, err)
			}
		}
		took := copy(rows[n:], r.left)
		n, r.left = n+took, r.left[took:]
	}
	return n, nil
}

// Close closes the file. A second call does nothing.
func (r *FileReader[T]) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}
