package parquet

import (
	"io"
	"testing"
	"time"

	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	"github.com/google/go-cmp/cmp"
)

func TestReadOverwritesRows(t *testing.T) {
	path, _ := write(t, []rowtest.Every{rowtest.Empty()}, Options{})
	r, err := Open[rowtest.Every](path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := []rowtest.Every{rowtest.Full()}
	if n, err := r.Read(rows); n != 1 || err != nil {
		t.Fatalf("Read = %d, %v", n, err)
	}
	if diff := rowtest.Diff([]rowtest.Every{rowtest.Empty()}, rows); diff != "" {
		t.Errorf("something of the earlier row is left (-want +got):\n%s", diff)
	}
	if n, err := r.Read(rows); n != 0 || err != io.EOF {
		t.Errorf("Read at the end = %d, %v, want 0, EOF", n, err)
	}
}

func TestMetadata(t *testing.T) {
	want := map[string]string{"schema_version": "3", "empty": ""}
	path, _ := write(t, []key{{"a"}}, Options{Metadata: want})
	r, err := Open[key](path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if diff := cmp.Diff(want, r.Metadata()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.NumRows() != 1 {
		t.Errorf("NumRows = %d", r.NumRows())
	}
}

func TestSeekRange(t *testing.T) {
	type row struct {
		N     int64      `parquet:"n"`
		At    *time.Time `parquet:"at,timestamp"`
		Inner struct {
			N *int64 `parquet:"n"`
		} `parquet:"inner"`
		List []int64 `parquet:"list,list"`
		Name string  `parquet:"name,plain"`
	}
	rows := make([]row, 100)
	for i := range rows {
		rows[i].N = int64(i)
		if i < 50 {
			rows[i].At = new(time.UnixMilli(int64(-i)).UTC())
		}
		rows[i].Inner.N = new(int64(i / 30))
	}
	path, _ := write(t, rows, Options{RowGroupRows: 10})
	r, err := Open[row](path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	tests := []struct {
		name   string
		column string
		lo, hi int64
		want   []int64 // first row of each row group
	}{
		{"one value", "n", 42, 42, []int64{40}},
		{"two row groups", "n", 49, 50, []int64{40, 50}},
		{"all", "n", -1 << 63, 1<<63 - 1, []int64{0, 10, 20, 30, 40, 50, 60, 70, 80, 90}},
		{"below", "n", -5, -1, nil},
		{"above", "n", 100, 200, nil},
		{"lo above hi", "n", 55, 45, nil},
		{"nested column", "inner.n", 3, 3, []int64{90}},
		{"timestamps; row groups of nulls cannot be told", "at", -5, -1, []int64{0, 50, 60, 70, 80, 90}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := r.SeekRange(tt.column, tt.lo, tt.hi); err != nil {
				t.Fatal(err)
			}
			got, err := rest(r, 7)
			if err != nil {
				t.Fatal(err)
			}
			var want []row
			for _, first := range tt.want {
				want = append(want, rows[first:first+10]...)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, column := range []string{"name", "list", "nothing", ""} {
		if err := r.SeekRange(column, 0, 1); err == nil {
			t.Errorf("SeekRange of %q: no error", column)
		}
	}
}

func TestReaderAfterClose(t *testing.T) {
	path, _ := write(t, []key{{"a"}}, Options{})
	r, err := Open[key](path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := r.Read(make([]key, 1)); err == nil || err == io.EOF {
		t.Errorf("Read after Close: %v", err)
	}
	if err := r.SeekRange("n", 0, 0); err == nil {
		t.Error("SeekRange after Close: no error")
	}
}
