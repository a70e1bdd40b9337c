package parquet

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	pq "github.com/parquet-go/parquet-go"
)

// readDamaged reads what there is to read. It must not panic.
func readDamaged(path string) error {
	r, err := Open[rowtest.Every](path)
	if err != nil {
		return err
	}
	defer r.Close()
	r.Metadata()
	if err := r.SeekRange("offset", 0, 1<<40); err != nil {
		return err
	}
	buf := make([]rowtest.Every, 64)
	for range 1000 {
		if _, err := r.Read(buf); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	return errors.New("the file has no end")
}

func TestDamagedFiles(t *testing.T) {
	path, _ := write(t, rowtest.Many(700), Options{RowGroupRows: 300})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.parquet")
	read := func(b []byte) error {
		if err := os.WriteFile(damaged, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return readDamaged(damaged)
	}
	if err := read(good); err != nil {
		t.Fatal(err)
	}
	t.Run("cut off", func(t *testing.T) {
		for _, n := range []int{0, 1, 4, 11, 12, 100, len(good) / 2, len(good) - 1} {
			if err := read(good[:n]); err == nil {
				t.Errorf("%d of %d bytes: no error", n, len(good))
			}
		}
	})
	t.Run("pages flipped", func(t *testing.T) {
		r, err := Open[rowtest.Every](path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		end := r.pq.Metadata().RowGroups[0].Columns[0].ColumnIndexOffset
		want, err := rest(r, 64)
		if err != nil {
			t.Fatal(err)
		}
		for i := int64(4); i < end; i += 31 {
			bad := bytes.Clone(good)
			bad[i] ^= 0x10
			if read(bad) != nil {
				continue
			}
			// Page headers have no checksum, and not all that they say is needed.
			if got, err := readAll[rowtest.Every](damaged, 64); err == nil && !reflect.DeepEqual(want, got) {
				t.Errorf("a flipped bit at %d gives other rows", i)
			}
		}
	})
	t.Run("footer flipped", func(t *testing.T) {
		for i := len(good) - 1; i > len(good)-4000; i -= 31 {
			for _, mask := range []byte{0x01, 0x80, 0xff} {
				bad := bytes.Clone(good)
				bad[i] ^= mask
				read(bad) // an error or rows, never a panic
			}
		}
	})
	t.Run("not Parquet", func(t *testing.T) {
		if err := read(bytes.Repeat([]byte("PAR1"), 100)); err == nil {
			t.Error("no error")
		}
		if _, err := Open[rowtest.Every](filepath.Dir(damaged)); err == nil {
			t.Error("a folder: no error")
		}
		if _, err := Open[rowtest.Every](damaged + ".not"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no file: %v", err)
		}
	})
}

// A flipped bit in the footer turns another codec into this one, and no error of
// the library ends its search for a buffer that is large enough.
func TestOpenRefusesLZ4(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.parquet")
	rows := []struct {
		N int64 `parquet:"n"`
	}{{1}, {2}}
	if err := pq.WriteFile(path, rows, pq.Compression(&pq.Lz4Raw)); err != nil {
		t.Fatal(err)
	}
	_, err := Open[struct {
		N int64 `parquet:"n"`
	}](path)
	if err == nil || !strings.Contains(err.Error(), "column n is compressed with LZ4_RAW") {
		t.Errorf("error %v, want one about the compression of column n", err)
	}
}

func FuzzOpen(f *testing.F) {
	path, _ := write(f, rowtest.Many(40), Options{RowGroupRows: 30})
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		damaged := filepath.Join(t.TempDir(), "rows.parquet")
		if err := os.WriteFile(damaged, b, 0o600); err != nil {
			t.Fatal(err)
		}
		readDamaged(damaged) // an error or rows, never a panic
	})
}
