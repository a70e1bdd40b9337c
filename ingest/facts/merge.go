package facts

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/storage"
)

// This file merges the facts files of many inputs into few: what is not on this machine is read with requests, and each
// bucket asks every file for its part.

// merge writes what other Writers have written and closed, in as few files as MergedBytes allows, and discards theirs.
// What it writes depends on the facts and on the order of the Writers alone.
func (w *Writer) merge(ctx context.Context, from []*Writer) error {
	var some []setFile
	size := int64(0)
	flush := func() error {
		if len(some) == 0 {
			return nil
		}
		err := w.mergeFiles(ctx, some)
		some, size = nil, 0
		return err
	}
	for _, in := range from {
		for _, file := range in.Files() {
			if size+file.Bytes > w.opts.MergedBytes {
				if err := flush(); err != nil {
					return err
				}
			}
			some = append(some, setFile{storage.NewFolder(filepath.Dir(in.base)), file})
			size += file.Bytes
		}
	}
	if err := flush(); err != nil {
		return err
	}
	for _, in := range from {
		if err := in.Discard(); err != nil {
			return err
		}
	}
	return nil
}

// mergeFiles writes a file with the facts of others.
func (w *Writer) mergeFiles(ctx context.Context, from []setFile) (err error) {
	sorted, err := (&Set{files: from}).Sort(ctx, w.base+".sorted", 1, 1, extsort.MinMemory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorted.Close()) }()
	w.enter()
	defer w.leave()
	file, err := writeFile(runName(w.base, len(w.files)), w.opts.CreatedBy, &w.held.writer,
		func(class int, add func(record, body []byte) error) error {
			stream, err := sorted.Open(0, Class(class))
			for err == nil {
				if err = stream.Next(); err != nil {
					break
				}
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				var body []byte
				if body, err = stream.Body(); err == nil {
					err = add(stream.Record(), body)
				}
			}
			if err == io.EOF {
				return nil
			}
			return err
		})
	if err == nil {
		w.files = append(w.files, file)
	}
	return err
}
