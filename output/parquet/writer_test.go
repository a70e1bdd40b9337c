package parquet

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"
)

func TestBytesAreTheSame(t *testing.T) {
	rows := rowtest.Many(3000)
	opts := Options{
		RowGroupRows: 1100,
		CreatedBy:    "acapscan version 1.2.3",
		Metadata:     map[string]string{"schema": "1", "rules": "2", "a": "", "z": "z", "m": "m"},
	}
	path, info := write(t, rows, opts)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Bytes != int64(len(want)) {
		t.Errorf("Info.Bytes = %d, the file has %d", info.Bytes, len(want))
	}
	if !bytes.Contains(want, []byte(opts.CreatedBy)) {
		t.Errorf("the file does not name %q", opts.CreatedBy)
	}
	for _, split := range []int{1, 3, 64, 255, 257, 2999} {
		t.Run(fmt.Sprintf("in writes of %d rows", split), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rows.parquet")
			w, err := Create[rowtest.Every](path, opts)
			if err != nil {
				t.Fatal(err)
			}
			scratch := make([]rowtest.Every, split)
			for part := range slices.Chunk(rows, split) {
				n := copy(scratch, part)
				if err := w.Write(scratch[:n]); err != nil {
					t.Fatal(err)
				}
				clear(scratch) // the writer must have kept nothing
			}
			again, err := w.Commit()
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if again != info || !bytes.Equal(got, want) {
				t.Errorf("got %+v, want %+v", again, info)
			}
		})
	}
}

func TestRowGroupsAreBounded(t *testing.T) {
	type row struct {
		Text string `parquet:"text,dict"`
	}
	rows := make([]row, 2000)
	for i := range rows {
		rows[i].Text = strings.Repeat(fmt.Sprint(i), 1000)
	}
	tests := map[string]struct {
		opts Options
		min  int
	}{
		"one by default":  {Options{}, 1},
		"by rows":         {Options{RowGroupRows: 500}, 4},
		"by bytes":        {Options{RowGroupBytes: 1 << 20}, 5},
		"a group per row": {Options{RowGroupBytes: 1}, 2000},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path, _ := write(t, rows, tt.opts)
			r, err := Open[row](path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if got := len(r.groups); got < tt.min || got > 2*tt.min-1 && tt.min > 1 {
				t.Errorf("%d row groups, want %d or a few more", got, tt.min)
			}
			got, err := rest(r, 100)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(rows, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDictionaryIsBounded(t *testing.T) {
	type row struct {
		Text string `parquet:"text,dict"`
	}
	rows := make([]row, 40_000)
	for i := range rows {
		rows[i].Text = fmt.Sprintf("%01000d", i)
	}
	path, _ := write(t, rows, Options{})
	r, err := Open[row](path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	pages := r.groups[0].ColumnChunks()[0].(*pq.FileColumnChunk).PagesFrom(r.file)
	defer pages.Close()
	dict, err := pages.ReadDictionary()
	if err != nil {
		t.Fatal(err)
	}
	if dict.Size() > 2*dictionaryBytes+batchBytes {
		t.Errorf("a dictionary of %d bytes", dict.Size())
	}
	got, err := rest(r, 1000)
	if err != nil || !slices.Equal(got, rows) {
		t.Errorf("rows differ after the dictionary was given up (error %v)", err)
	}
}

func TestFileAppearsWithCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.parquet")
	names := func() []string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	create := func() *Writer[key] {
		w, err := Create[key](path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write([]key{{"a"}, {"b"}}); err != nil {
			t.Fatal(err)
		}
		return w
	}
	want := func(step string, want ...string) {
		t.Helper()
		if got := names(); !slices.Equal(got, want) {
			t.Errorf("after %s the folder has %q, want %q", step, got, want)
		}
	}

	w := create()
	want("Write", "rows.parquet.tmp")
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	want("Abort")
	if err := w.Abort(); err != nil {
		t.Errorf("a second Abort: %v", err)
	}
	if err := w.Write([]key{{"c"}}); err == nil {
		t.Error("Write after Abort: no error")
	}
	if _, err := w.Commit(); err == nil {
		t.Error("Commit after Abort: no error")
	}
	want("Commit of an aborted file")

	create() // never finished, as by a kill
	w = create()
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	want("Commit", "rows.parquet")
	if err := w.Abort(); err != nil {
		t.Errorf("Abort after Commit: %v", err)
	}
	want("Abort after Commit", "rows.parquet")
	if err := w.Write([]key{{"c"}}); err == nil {
		t.Error("Write after Commit: no error")
	}
	if rows, err := readAll[key](path, 10); err != nil || len(rows) != 2 {
		t.Errorf("read %v, %v", rows, err)
	}
}

func TestFailedWriteCannotBeCommitted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.parquet")
	w, err := Create[key](path, Options{RowGroupRows: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.file.Abort() // as a full disk: what is written fails
	noise := make([]byte, 1<<18)
	rand.NewChaCha8([32]byte{}).Read(noise)
	if w.Write([]key{{hex.EncodeToString(noise)}}) == nil {
		t.Fatal("no error from Write")
	}
	if _, err := w.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit: %v, want the error of Write", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
	if _, err := os.Stat(path + storage.TempSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a temporary file: %v", err)
	}
}
