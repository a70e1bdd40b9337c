package arrow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

func TestBytesAreTheSame(t *testing.T) {
	rows := rowtest.Many(batchRows + 100)
	metadata := map[string]string{"schema": "1", "rules": "2", "a": "", "z": "z"}
	var want bytes.Buffer
	appendStream(t, &want, rows, metadata)
	for _, split := range []int{1, 1000, batchRows - 1, batchRows + 1} {
		t.Run(fmt.Sprintf("in writes of %d rows", split), func(t *testing.T) {
			var got bytes.Buffer
			w, err := NewWriter[rowtest.Every](&got, metadata)
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
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Error("other bytes")
			}
		})
	}
}

func TestBatchesAreBounded(t *testing.T) {
	rows := make([]key, 3*batchRows/2)
	for i := 0; i < len(rows); i += 100 {
		rows[i].Host = strings.Repeat("x", batchBytes/20)
	}
	in, err := ipc.NewReader(bytes.NewReader(stream(t, rows)))
	if err != nil {
		t.Fatal(err)
	}
	batches := 0
	for in.Next() {
		batches++
		if n := in.Record().NumRows(); n > batchRows {
			t.Errorf("a batch of %d rows", n)
		}
		if n := in.Record().Column(0).Data().Buffers()[2].Len(); n > batchBytes+batchBytes/20 {
			t.Errorf("a batch of %d bytes", n)
		}
	}
	if in.Err() != nil || batches < 6 {
		t.Errorf("%d batches, error %v", batches, in.Err())
	}
}

// failing accepts some bytes, then fails as a closed pipe does.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestWriterAfterAnError(t *testing.T) {
	w, err := NewWriter[key](&failing{left: 100}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]key, batchRows)
	if err := w.Write(rows); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write: %v", err)
	}
	if err := w.Write(rows[:1]); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write again: %v", err)
	}
	for range 2 {
		if err := w.Close(); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Close: %v", err)
		}
	}

	w, err = NewWriter[key](io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rows); err == nil {
		t.Error("Write after Close: no error")
	}
}
