package parquet

import (
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/acapscan/acapscan/output/rowtype/rowtest"
)

type key struct {
	Host string `parquet:"host,dict"`
}

func write[T any](t testing.TB, rows []T, opts Options) (string, Info) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.parquet")
	w, err := Create[T](path, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	info, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	return path, info
}

// readAll reads a file through a buffer of the given number of rows.
func readAll[T any](path string, buffer int) (rows []T, err error) {
	r, err := Open[T](path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return rest(r, buffer)
}

func rest[T any](r *Reader[T], buffer int) (rows []T, err error) {
	buf := make([]T, buffer)
	for {
		n, err := r.Read(buf)
		rows = append(rows, buf[:n]...)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
	}
}

func TestRoundTrip(t *testing.T) {
	tests := map[string][]rowtest.Every{
		"no rows":                    nil,
		"everything set":             {rowtest.Full()},
		"everything null or zero":    {rowtest.Empty()},
		"everything there but empty": {rowtest.Bare()},
		"all three": {rowtest.Empty(), rowtest.Full(), rowtest.Bare(), rowtest.Full(),
			rowtest.Empty()},
		"more than a batch":            rowtest.Many(3*batchRows + 1),
		"several row groups (by rows)": rowtest.Many(2500),
	}
	for name, rows := range tests {
		t.Run(name, func(t *testing.T) {
			path, info := write(t, rows, Options{RowGroupRows: 1000})
			if info.Rows != int64(len(rows)) {
				t.Errorf("Info.Rows = %d, want %d", info.Rows, len(rows))
			}
			for _, buffer := range []int{1, 7, 4096} {
				got, err := readAll[rowtest.Every](path, buffer)
				if err != nil {
					t.Fatal(err)
				}
				if diff := rowtest.Diff(rows, got); diff != "" {
					t.Errorf("buffer of %d rows (-want +got):\n%s", buffer, diff)
				}
			}
		})
	}
}

func TestWriteTidies(t *testing.T) {
	row, want := rowtest.Untidy()
	path, _ := write(t, []rowtest.Every{row}, Options{})
	got, err := readAll[rowtest.Every](path, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := rowtest.Diff([]rowtest.Every{want}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, _ := rowtest.Untidy(); rowtest.Diff([]rowtest.Every{again}, []rowtest.Every{row}) != "" {
		t.Error("the writer changed the caller's row")
	}
}

// BenchmarkWrite writes a million simple rows a round.
func BenchmarkWrite(b *testing.B) {
	rows := rowtest.SimpleRows(1_000_000)
	dir := b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		w, err := Create[rowtest.Simple](filepath.Join(dir, "rows.parquet"), Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Write(rows); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkRead reads them back.
func BenchmarkRead(b *testing.B) {
	const n = 1_000_000
	path, _ := write(b, rowtest.SimpleRows(n), Options{})
	buf := make([]rowtest.Simple, 1024)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open[rowtest.Simple](path)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = r.Read(buf)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
		r.Close()
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
}
