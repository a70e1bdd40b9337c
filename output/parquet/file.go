package parquet

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/acapscan/acapscan/output/columns"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const magic = "PAR1"

// A fileWriter writes row groups, the page index and the footer.
type fileWriter struct {
	tree   *tree
	out    *bufio.Writer
	offset int64

	footer  format.FileMetaData
	columns []*columnWriter
	checks  []check
	indexes [][]format.ColumnIndex // by row group and column
	offsets [][]format.OffsetIndex

	protocol thrift.CompactProtocol
}

// newFileWriter begins a file.
func newFileWriter(out io.Writer, t *tree, opts Options) (*fileWriter, error) {
	w := &fileWriter{tree: t, out: bufio.NewWriterSize(out, 1<<16)}
	if err := w.readFooter(opts); err != nil {
		return nil, err
	}
	for i, leaf := range t.Leaves {
		w.columns = append(w.columns, newColumnWriter(leaf, filePath(t, i), opts))
	}
	_, err := io.WriteString(w, magic)
	return w, err
}

// readFooter has the library write a file without rows: its footer has the schema in the form of the format. The
// library panics where it does not like a schema.
func (w *fileWriter) readFooter(opts Options) (err error) {
	t := w.tree
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parquet: the schema of %v is not accepted: %v", t.Root.Type, p)
		}
	}()
	config := pq.DefaultWriterConfig()
	config.Schema = pq.NewSchema("row", groupOf(t.Root.Children))
	config.CreatedBy = opts.CreatedBy
	config.KeyValueMetadata = opts.Metadata
	empty := pq.NewWriter(io.Discard, config)
	if err := empty.Close(); err != nil {
		return fmt.Errorf("parquet: the schema of %v: %w", t.Root.Type, err)
	}
	w.footer = *empty.File().Metadata()
	if n := len(w.footer.ColumnOrders); n != len(t.Leaves) {
		return fmt.Errorf("parquet: %v has %d leaf columns, the library made %d", t.Root.Type, len(t.Leaves), n)
	}
	return nil
}

// Write writes to the file.
func (w *fileWriter) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	w.offset += int64(n)
	return n, err
}

// writeGroup writes a row group of the rows of these numbers.
func (w *fileWriter) writeGroup(leaves []columns.Leaf, sizes []uint32, order []uint32) error {
	if len(order) == 0 {
		return nil
	}
	group := format.RowGroup{
		NumRows: int64(len(order)), FileOffset: w.offset, Ordinal: int16(len(w.footer.RowGroups)),
		SortingColumns: []format.SortingColumn{},
	}
	if len(w.footer.RowGroups) == pq.MaxRowGroups {
		return pq.ErrTooManyRowGroups
	}
	indexes := make([]format.ColumnIndex, len(leaves))
	offsets := make([]format.OffsetIndex, len(leaves))
	w.checks = checksOf(w.checks, sizes, order)
	for i, c := range w.columns {
		chunk, err := c.write(w, &leaves[i], order, w.checks)
		if err != nil {
			return fmt.Errorf("column %s: %w", leaves[i].Node.Path, err)
		}
		indexes[i], offsets[i] = chunk.index, format.OffsetIndex{PageLocations: chunk.pages}
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: chunk.meta})
		group.TotalByteSize += chunk.meta.TotalUncompressedSize
		group.TotalCompressedSize += chunk.meta.TotalCompressedSize
	}
	w.footer.RowGroups = append(w.footer.RowGroups, group)
	w.indexes, w.offsets = append(w.indexes, indexes), append(w.offsets, offsets)
	return nil
}

// close writes the page index and the footer.
func (w *fileWriter) close(rows int64) error {
	encoder := thrift.NewEncoder(w.protocol.NewWriter(w))
	for i, indexes := range w.indexes {
		for j := range indexes {
			column := &w.footer.RowGroups[i].Columns[j]
			column.ColumnIndexOffset = w.offset
			if err := encoder.Encode(&indexes[j]); err != nil {
				return err
			}
			column.ColumnIndexLength = int32(w.offset - column.ColumnIndexOffset)
		}
	}
	for i, offsets := range w.offsets {
		for j := range offsets {
			column := &w.footer.RowGroups[i].Columns[j]
			column.OffsetIndexOffset = w.offset
			if err := encoder.Encode(&offsets[j]); err != nil {
				return err
			}
			column.OffsetIndexLength = int32(w.offset - column.OffsetIndexOffset)
		}
	}
	start := w.offset
	w.footer.NumRows = rows
	if err := encoder.Encode(&w.footer); err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint32(nil, uint32(w.offset-start))
	if _, err := w.Write(append(end, magic...)); err != nil {
		return err
	}
	return w.out.Flush()
}

// encodings are those of a column's pages, in the order of the format.
func encodingsOf(c *column, dictionary bool) []format.Encoding {
	list := []format.Encoding{format.Plain}
	if c.Def > 0 {
		list = append(list, format.RLE)
	}
	if dictionary {
		list = append(list, format.RLEDictionary)
	}
	slices.Sort(list)
	return list
}
