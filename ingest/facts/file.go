package facts

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
)

// This file has the form of a facts file: fileMark; a section for each Class, of sorted blocks; an index of the blocks;
// the checksum and the length of the index, four bytes each; and fileMark. So the second stage merges facts files as
// they are, and reads a body once, where the first stage wrote it.

const (
	fileMark    = "acapfact"
	fileTrailer = 8 + len(fileMark)
	// indexAtOnce is how much of the end of a file is read at first, or this part of a long one. Indexes are shorter:
	// some 1/700 of a file of pages.
	indexAtOnce, indexPart = 32 << 10, 400
)

// An index is where the records of a facts file are.
type index struct {
	createdBy string
	sections  [classes]section
}

type section struct {
	records int64
	blocks  []extsort.Block
}

func (x *index) records() (n int64) {
	for i := range x.sections {
		n += x.sections[i].records
	}
	return n
}

// append appends the index.
func (x *index) append(b []byte) []byte {
	b = appendText(binary.AppendUvarint(b, SchemaVersion), x.createdBy)
	for i := range x.sections {
		s := &x.sections[i]
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(s.records)), uint64(len(s.blocks)))
		last := int64(extsort.MinHash)
		for _, block := range s.blocks {
			for _, n := range []uint64{
				uint64(block.Fields), uint64(block.Bodies), uint64(block.First - last),
				uint64(block.Last - block.First),
			} {
				b = binary.AppendUvarint(b, n)
			}
			last = block.Last
		}
	}
	return b
}

// readIndex reads the index of a file of that size.
func readIndex(in io.ReaderAt, size int64) (*index, error) {
	tail := make([]byte, min(size, max(indexAtOnce, size/indexPart)))
	if n, err := in.ReadAt(tail, size-int64(len(tail))); n < len(tail) {
		return nil, err
	}
	if size < int64(len(fileMark)+fileTrailer) || string(tail[len(tail)-len(fileMark):]) != fileMark {
		return nil, notFacts(in)
	}
	end := len(tail) - fileTrailer
	sum, length := binary.LittleEndian.Uint32(tail[end:]), int64(binary.LittleEndian.Uint32(tail[end+4:]))
	start := size - int64(fileTrailer) - length // of the index
	if start < int64(len(fileMark)) {
		return nil, errIndex
	}
	text := tail[:end]
	if length > int64(end) {
		text = make([]byte, length)
		if n, err := in.ReadAt(text, start); n < len(text) {
			return nil, err
		}
	} else {
		text = text[int64(end)-length:]
	}
	if extsort.Checksum(text) != sum {
		return nil, errIndex
	}
	return parseIndex(text, start)
}

// parseIndex decodes an index that begins at an offset of its file.
func parseIndex(text []byte, start int64) (*index, error) {
	r := &recordReader{text: string(text)}
	if version := r.uvarint(); version != SchemaVersion {
		return nil, versionError(fmt.Sprint(version))
	}
	x := &index{createdBy: r.string()}
	at := int64(len(fileMark))
	for i := range x.sections {
		s := &x.sections[i]
		s.records = int64(r.uvarint())
		s.blocks = make([]extsort.Block, r.count())
		last := int64(extsort.MinHash)
		for i := range s.blocks {
			b := &s.blocks[i]
			fields, bodies := r.uvarint(), r.uvarint()
			b.First = last + int64(r.uvarint())
			b.Last = b.First + int64(r.uvarint())
			if fields > uint64(start) || bodies > uint64(start) {
				return nil, errIndex
			}
			b.At, b.Fields, b.Bodies = at, uint32(fields), uint32(bodies)
			at, last = b.End(), b.Last
		}
	}
	if r.failed || r.at != len(r.text) || at != start {
		return nil, errIndex
	}
	return x, nil
}

var errIndex = errors.New("it is cut or damaged")

// A versionError is the version of facts that this program does not read.
type versionError string

func (e versionError) Error() string { return "facts of version " + string(e) }

// notFacts tells why a file without a mark at its end is not read. Up to version 3 facts files were Parquet.
func notFacts(in io.ReaderAt) error {
	var begin [len(fileMark)]byte
	n, _ := in.ReadAt(begin[:], 0)
	switch {
	case n >= 4 && string(begin[:4]) == "PAR1":
		return versionError("3 or older")
	case n == len(begin) && string(begin[:]) == fileMark:
		return errIndex
	}
	return errors.New("it has no index")
}

// explainIndex makes a sentence of an error of readIndex.
func explainIndex(name string, err error) error {
	if version, ok := errors.AsType[versionError](err); ok {
		return fmt.Errorf("%s holds %w, this program reads version %d", name, version, SchemaVersion)
	}
	return fmt.Errorf("%s is not a facts file of this program: %w", name, err)
}

// writeFile writes a facts file with that writer. records adds those of a class, in order.
func writeFile(
	name, createdBy string, w *extsort.BlockWriter, records func(class int, add func(record, body []byte) error) error,
) (job.File, error) {
	file, err := storage.Create(name)
	if err != nil {
		return job.File{}, err
	}
	defer file.Abort()
	out := bufio.NewWriterSize(file, 256<<10)
	out.WriteString(fileMark)
	w.Reset(out, int64(len(fileMark)))
	x := index{createdBy: createdBy}
	for class := range x.sections {
		if err := records(class, w.Add); err != nil {
			return job.File{}, err
		}
		section := &x.sections[class]
		if section.blocks, section.records, err = w.Section(); err != nil {
			return job.File{}, err
		}
	}
	text := x.append(nil)
	out.Write(text)
	out.Write(binary.LittleEndian.AppendUint32(nil, extsort.Checksum(text)))
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	out.WriteString(fileMark)
	if err := out.Flush(); err != nil {
		return job.File{}, err
	}
	done := job.File{Name: filepath.Base(name), Bytes: file.Size(), SHA256: file.SHA256(), Rows: x.records()}
	return done, file.Commit()
}
