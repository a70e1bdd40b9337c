package archive_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/archive"
)

const fixtures = "../../testdata/warc"

// TestFixturesAreWhatTheirProgramWrites holds the committed archives against what tools/fixtures makes. Compressed
// members are compared by their content: compress/gzip may compress otherwise in another version of Go.
func TestFixturesAreWhatTheirProgramWrites(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "../../tools/fixtures", "-o", dir).CombinedOutput(); err != nil {
		t.Fatalf("go run tools/fixtures: %v\n%s", err, out)
	}
	want, got := fixtureFiles(t, dir), fixtureFiles(t, fixtures)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("the folder holds other files (-written +committed):\n%s", diff)
	}
	for _, name := range want {
		written, committed := readFixture(t, dir, name), readFixture(t, fixtures, name)
		if bytes.Equal(written, committed) {
			continue
		}
		if strings.HasPrefix(name, "damaged/") || strings.HasPrefix(name, "expected/") {
			t.Errorf("%s is not what the program writes", name)
			continue
		}
		if diff := cmp.Diff(gzipMembers(t, name, written), gzipMembers(t, name, committed)); diff != "" {
			t.Errorf("%s has other members (-written +committed):\n%s", name, diff)
		}
	}
}

// TestFixturesReadAsExpected reads every archive and compares with its row of expected/archives.tsv: records, losses,
// defects. What is in good/ is read without loss.
func TestFixturesReadAsExpected(t *testing.T) {
	rows := 0
	_, lines, _ := strings.Cut(string(readFixture(t, fixtures, "expected/archives.tsv")), "\n")
	for line := range strings.Lines(lines) {
		cells := strings.Split(line, "\t")
		if len(cells) != 5 {
			t.Fatalf("%d cells in %q", len(cells), line)
		}
		name := cells[0]
		rows++
		t.Run(name, func(t *testing.T) {
			want := reading{Records: number(t, cells[1]), Lost: number(t, cells[2])}
			if cells[3] != "" {
				want.Defects = strings.Split(cells[3], ", ")
			}
			got := readThrough(t, name)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-expected +read):\n%s", diff)
			}
			if !strings.HasPrefix(name, "damaged/") && want.Lost > 0 {
				t.Error("an archive that is not in damaged/ loses records")
			}
		})
	}
	archives := slices.DeleteFunc(fixtureFiles(t, fixtures),
		func(name string) bool { return strings.HasPrefix(name, "expected/") })
	if n := len(archives); rows != n {
		t.Errorf("expected/archives.tsv has rows for %d of %d archives", rows, n)
	}
}

// A reading is what a Reader saw of an archive.
type reading struct {
	Records, Lost int64
	Defects       []string
}

func readThrough(t *testing.T, name string) reading {
	t.Helper()
	data := readFixture(t, fixtures, name)
	r, err := archive.NewReader(bytes.NewReader(data), archive.Options{Size: int64(len(data))})
	if err != nil {
		if !strings.HasPrefix(name, "damaged/") {
			t.Error(err)
		}
		return reading{}
	}
	for {
		rec, err := r.Next()
		var lost *archive.RecordError
		switch {
		case errors.As(err, &lost):
			continue
		case err == io.EOF:
			stats := r.Stats()
			var defects []string
			for d := range stats.Defects {
				defects = append(defects, string(d))
			}
			slices.Sort(defects)
			return reading{stats.Total(), stats.Lost, defects}
		case err != nil:
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, rec.Block); err != nil && !errors.As(err, &lost) {
			t.Fatal(err)
		}
		if _, err := r.Finish(); err != nil && !errors.As(err, &lost) {
			t.Fatal(err)
		}
	}
}

// fixtureFiles lists what tools/fixtures writes below dir: everything but the README.
func fixtureFiles(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if !entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") && name != "README.md" {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func readFixture(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// gzipMembers returns the content of each member of a whole gzip file.
func gzipMembers(t *testing.T, name string, data []byte) []string {
	t.Helper()
	in := bufio.NewReader(bytes.NewReader(data))
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var members []string
	for {
		z.Multistream(false)
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		members = append(members, string(text))
		if err := z.Reset(in); err == io.EOF {
			return members
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

func number(t *testing.T, cell string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(cell, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
