package parquet

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"unsafe"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/rowtype"
	pq "github.com/parquet-go/parquet-go"
)

const (
	defaultRowGroupRows  = 1 << 20
	defaultRowGroupBytes = 256 << 20
	defaultCreatedBy     = "acapscan version unknown"

	defaultPageBytes = 1 << 20
	// A dictionary that outgrows this gives way to plain values for the rest of
	// the row group; older readers load dictionaries whole.
	dictionaryBytes = 4 << 20

	// Values go to the library in batches that end at the same rows however the
	// rows arrive: pages can only end where a batch ends.
	batchRows  = 256
	batchBytes = 256 << 10
)

// Options says how a file is written. The zero value is good.
type Options struct {
	// RowGroupRows is the number of rows in a row group; 0 means 1,048,576.
	RowGroupRows int
	// RowGroupBytes ends a row group early: after the row with which its values,
	// neither encoded nor compressed, reach so many bytes. 0 means 256 MiB. Memory
	// in use is about that of one compressed row group.
	RowGroupBytes int64
	// PageBytes is about how many bytes of values a page has; 0 means 1 MiB. A writer holds two pages a column.
	PageBytes int
	// Fast takes Snappy in place of zstd: a fraction of its time, and half as much again on disk. The bytes may differ
	// between kinds of processors, whose compressors choose other matches.
	Fast bool
	// Metadata are the key/value pairs of the footer.
	Metadata map[string]string
	// CreatedBy names the program and its version, in the form that other readers
	// parse: "acapscan version 1.2.3". It must be the same for every run of a
	// version. Empty means "acapscan version unknown".
	CreatedBy string
}

// Info says what has been written.
type Info struct {
	Rows   int64
	Bytes  int64  // size of the file
	SHA256 string // of the file, in lower-case hexadecimal
}

// Writer writes rows to a file that has its name only from Commit on. The same
// rows and options give the same bytes, however the rows are split over calls of
// Write. A Writer must not be used by two goroutines at once.
type Writer[T any] struct {
	path     string
	opts     Options
	file     *storage.File // nil after Commit and Abort
	out      *pq.GenericWriter[T]
	columns  []*pq.ColumnWriter
	tree     *tree
	measured measure // of the batch; its sizes: of the row group, until a dictionary had to be looked at
	err      error   // of the first call that failed
	whole    bool    // the last file was written to its end

	rows       int64
	batch      []T   // rows that the library does not have yet
	groupRows  int   // rows in the row group, batch included
	groupBytes int64 // bytes of values in the row group, batch excluded
}

// Create starts a file, as [storage.Create] does. An error about a struct tag names
// the column.
func Create[T any](path string, opts Options) (*Writer[T], error) {
	t, err := treeOf(reflect.TypeFor[T]())
	if err == nil {
		err = t.findNilable()
	}
	if err != nil {
		return nil, err
	}
	if opts.RowGroupRows < 0 || opts.RowGroupBytes < 0 || opts.PageBytes < 0 {
		return nil, errors.New("parquet: the size of a row group or page must not be negative")
	}
	if opts.PageBytes == 0 {
		opts.PageBytes = defaultPageBytes
	}
	if opts.RowGroupRows == 0 {
		opts.RowGroupRows = defaultRowGroupRows
	}
	if opts.RowGroupBytes == 0 {
		opts.RowGroupBytes = defaultRowGroupBytes
	}
	if opts.CreatedBy == "" {
		opts.CreatedBy = defaultCreatedBy
	}
	w := &Writer[T]{opts: opts, tree: t, measured: measure{sizes: make([]int64, len(t.leaves))},
		batch: make([]T, 0, batchRows)}
	if err := w.Reopen(path); err != nil {
		return nil, err
	}
	return w, nil
}

// open starts the library's writer, which panics where it does not like a schema.
func (w *Writer[T]) open() (err error) {
	t := w.tree
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parquet: the schema of %v is not accepted: %v", t.root.Type, p)
		}
	}()
	config := pq.DefaultWriterConfig()
	config.Schema = pq.NewSchema("row", t.root.node())
	config.CreatedBy = w.opts.CreatedBy
	config.KeyValueMetadata = w.opts.Metadata
	config.Compression = usualCodec
	if w.opts.Fast {
		config.Compression = new(fastCodec)
	}
	config.PageBufferSize = w.opts.PageBytes
	config.DictionaryMaxBytes = dictionaryBytes
	// The page index has the same figures, shortened; here they would repeat
	// whole values, four times a page.
	config.DataPageStatistics = false
	// The library takes rows apart by their type only if it reads the same schema out of the type; else it does so
	// value by value, which is slower and knows no order of the entries of a map.
	if ours, theirs := config.Schema, pq.SchemaOf(new(T)); !pq.EqualNodes(ours, theirs) {
		return fmt.Errorf("parquet: the library reads another schema out of %v: %v, not %v", t.root.Type, theirs, ours)
	}
	// Passed as a function: a config passed as itself is merged, and false would
	// not overrule the default.
	w.out = pq.NewGenericWriter[T](w.file, settings{config})
	w.columns = w.out.ColumnWriters()
	if len(w.columns) != len(t.leaves) {
		return fmt.Errorf("parquet: %v has %d leaf columns, the library made %d", t.root.Type, len(t.leaves),
			len(w.columns))
	}
	return nil
}

type settings struct{ config *pq.WriterConfig }

func (s settings) ConfigureWriter(config *pq.WriterConfig) { *config = *s.config }

// Reopen starts another file after Commit or Abort, with the options of the one before. The memory of a Writer is some
// megabytes, and making it takes longer than writing a small file.
func (w *Writer[T]) Reopen(path string) error {
	if w.file != nil {
		return fmt.Errorf("parquet: %s is not finished", w.path)
	}
	file, err := storage.Create(path)
	if err != nil {
		return err
	}
	w.path, w.file = path, file
	w.rows, w.groupRows, w.groupBytes = 0, 0, 0
	w.emptyBatch()
	clear(w.measured.sizes)
	if w.err != nil || !w.whole {
		w.err, w.whole = nil, false
		// the library's writer: not made yet, or no one knows what the last file has left in it
		if err := w.open(); err != nil {
			return errors.Join(err, w.Abort())
		}
		return nil
	}
	w.whole = false
	// Reset clears the paths of the columns of the last file, and with them those of the next one
	// (parquet-go/parquet-go#602), if it finds them there.
	for _, group := range w.out.File().Metadata().RowGroups {
		for i := range group.Columns {
			group.Columns[i].MetaData.PathInSchema = nil
		}
	}
	w.out.Reset(file)
	return nil
}

// Write adds rows. What they refer to must not change until Commit or Abort; the
// rows themselves may. After an error the file cannot be committed.
func (w *Writer[T]) Write(rows []T) error {
	return w.WriteEach(func(yield func(*T) bool) {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	})
}

// WriteEach is Write for rows that do not lie side by side.
func (w *Writer[T]) WriteEach(rows iter.Seq[*T]) (err error) {
	if w.err != nil {
		return w.err
	}
	if w.file == nil {
		return fmt.Errorf("parquet: %s is closed", w.path)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parquet: writing %s: %v", w.path, p)
		}
		w.err = err
	}()
	for row := range rows {
		w.add(row)
		w.rows++
		w.groupRows++
		groupFull := w.groupRows >= w.opts.RowGroupRows || w.groupBytes+w.measured.bytes >= w.opts.RowGroupBytes
		if !groupFull && len(w.batch) < batchRows && w.measured.bytes < batchBytes {
			continue
		}
		if err := w.flushBatch(); err != nil {
			return err
		}
		if groupFull {
			if err := w.flushGroup(); err != nil {
				return err
			}
		}
	}
	return nil
}

// add puts a copy of a row into the batch.
func (w *Writer[T]) add(row *T) {
	w.batch = append(w.batch, *row)
	kept := &w.batch[len(w.batch)-1]
	if w.measured.add(w.tree.root, unsafe.Pointer(kept)); w.measured.invalid {
		makeValid(w.tree.root, reflect.ValueOf(kept).Elem())
		w.measured.invalid = false
	}
}

// flushBatch gives the batch to the library, which ends a page only there.
func (w *Writer[T]) flushBatch() error {
	for rows := w.batch; len(rows) > 0; {
		n := w.tree.writable(reflect.ValueOf(rows))
		if _, err := w.out.Write(rows[:n]); err != nil {
			return fmt.Errorf("parquet: writing %s: %w", w.path, err)
		}
		rows = rows[n:]
	}
	for i, c := range w.columns {
		// The library looks at the size of a dictionary only at the end of a page,
		// and a page of small indexes may stand for any amount of long values.
		if leaf := w.tree.leaves[i]; leaf.Encoding == rowtype.EncodingDict && w.measured.sizes[i] >= dictionaryBytes {
			if err := c.Flush(); err != nil {
				return fmt.Errorf("parquet: writing column %s of %s: %w", leaf.Path, w.path, err)
			}
			w.measured.sizes[i] = 0
		}
	}
	w.groupBytes += w.measured.bytes
	w.emptyBatch()
	return nil
}

// emptyBatch lets go of what the rows of the batch refer to.
func (w *Writer[T]) emptyBatch() {
	clear(w.batch)
	w.batch = w.batch[:0]
	w.measured.bytes = 0
}

func (w *Writer[T]) flushGroup() error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("parquet: writing %s: %w", w.path, err)
	}
	w.groupRows, w.groupBytes = 0, 0
	clear(w.measured.sizes)
	return nil
}

// Commit writes what is left and gives the file its name, as
// [storage.File.Commit] does.
func (w *Writer[T]) Commit() (Info, error) {
	if w.file == nil {
		return Info{}, fmt.Errorf("parquet: %s is closed", w.path)
	}
	if err := w.finish(); err != nil {
		return Info{}, errors.Join(err, w.Abort())
	}
	file := w.file
	w.file, w.whole = nil, true
	return Info{Rows: w.rows, Bytes: file.Size(), SHA256: file.SHA256()}, file.Commit()
}

// finish writes what is left, and the footer.
func (w *Writer[T]) finish() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parquet: writing %s: %v", w.path, p)
		}
	}()
	if w.err != nil {
		return w.err
	}
	if err := w.flushBatch(); err != nil {
		return err
	}
	if err := w.out.Close(); err != nil {
		return fmt.Errorf("parquet: writing %s: %w", w.path, err)
	}
	return nil
}

// Abort removes the temporary file. After Commit, or a second time, it does
// nothing, so that it can be deferred.
func (w *Writer[T]) Abort() error {
	if w.file == nil {
		return nil
	}
	file := w.file
	w.file = nil
	return file.Abort()
}
