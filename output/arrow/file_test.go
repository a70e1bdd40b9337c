package arrow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// writeTo writes a file in calls of at most each rows.
func writeTo[T any](t *testing.T, path string, rows []T, each int) Info {
	t.Helper()
	w, err := Create[T](path, map[string]string{"b": "2", "a": "1"})
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(rows, each) {
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	info, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func open[T any](path string) (*FileReader[T], error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return OpenFrom[T](path, in)
}

func readFrom[T any](path string, each int) (all []T, _ error) {
	r, err := open[T](path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		rows := make([]T, each)
		n, err := r.Read(rows)
		all = append(all, rows[:n]...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

func TestFileRoundTrip(t *testing.T) {
	for name, rows := range map[string][]rowtest.Every{
		"no rows":         nil,
		"all three":       {rowtest.Empty(), rowtest.Full(), rowtest.Bare()},
		"several batches": rowtest.Many(batchRows + 1),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.arrow")
			info := writeTo(t, path, rows, 1000)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(b)
			if want := (Info{int64(len(rows)), int64(len(b)), hex.EncodeToString(sum[:])}); info != want {
				t.Errorf("said %+v, want %+v", info, want)
			}
			got, err := readFrom[rowtest.Every](path, max(2, len(rows)/3))
			if err != nil {
				t.Fatal(err)
			}
			if diff := rowtest.Diff(rows, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}

			// The library's own reader goes by the footer.
			theirs, err := ipc.NewFileReader(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			var n int64
			for i := range theirs.NumRecords() {
				batch, err := theirs.Record(i)
				if err != nil {
					t.Fatal(err)
				}
				n += batch.NumRows()
			}
			if n != int64(len(rows)) || theirs.NumRecords() == 0 {
				t.Errorf("the footer leads to %d rows in %d batches, want %d", n, theirs.NumRecords(), len(rows))
			}
			r, err := open[rowtest.Every](path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if m := r.Metadata(); len(m) != 2 || m["a"] != "1" || m["b"] != "2" {
				t.Errorf("metadata %v", m)
			}
		})
	}
}

func TestFileBytesAreTheSame(t *testing.T) {
	rows := rowtest.Many(batchRows + 10)
	dir := t.TempDir()
	want := writeTo(t, filepath.Join(dir, "a"), rows, len(rows))
	for _, each := range []int{1, 77} {
		if got := writeTo(t, filepath.Join(dir, "b"), rows, each); got != want {
			t.Errorf("%d rows at a time: %+v, at once %+v", each, got, want)
		}
	}
}

func TestFileAppearsWithCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.arrow")
	if err := os.WriteFile(path, []byte("earlier"), 0o644); err != nil {
		t.Fatal(err)
	}
	names := func() (names []string) {
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	w, err := Create[key](path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([]key{{"a"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "earlier" || !slices.Equal(names(), []string{"a.arrow"}) {
		t.Errorf("after Abort there are %v, with %q", names(), b)
	}
	if err := w.Write([]key{{"a"}}); err == nil {
		t.Error("a file that was given up takes rows")
	}
	if _, err := w.Commit(); err == nil {
		t.Error("a file that was given up can be committed")
	}
	writeTo(t, path, []key{{"a"}}, 1)
	if got, err := readFrom[key](path, 2); err != nil || len(got) != 1 || !slices.Equal(names(), []string{"a.arrow"}) {
		t.Errorf("after Commit there are %v, with %v: %v", names(), got, err)
	}
	if _, err := Create[key](filepath.Join(path, "below"), nil); err == nil {
		t.Error("a file below a file")
	}
}

func TestDamagedArrowFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.arrow")
	writeTo(t, path, rowtest.Many(20), 20)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := bytes.Index(b, []byte(endMarker)) + len(endMarker)
	for _, n := range []int{0, 1, 7, 8, 9, 100, whole / 2, whole - 1} {
		if err := os.WriteFile(path, b[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readFrom[rowtest.Every](path, 7); err == nil {
			t.Errorf("%d of %d bytes are read as a whole file", n, len(b))
		}
	}
}
