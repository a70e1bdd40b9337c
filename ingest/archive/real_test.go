package archive

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// realArchives is the collection of archives from public repositories, with
// INDEX.md that says what a lenient scan found in them.
const realArchives = "../../../shared/data/warc"

// indexed is a row of INDEX.md.
type indexed struct {
	members int64 // -1: plain
	records int64
}

// readIndex returns the rows of INDEX.md by the path of the file.
func readIndex(t *testing.T) map[string]indexed {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(realArchives, "INDEX.md"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the shared archives are not here")
	} else if err != nil {
		t.Fatal(err)
	}
	count := regexp.MustCompile(`^\d+`)
	rows := make(map[string]indexed)
	folder := ""
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			folder = strings.ReplaceAll(strings.TrimSpace(name), "/", "+")
		}
		f := strings.Split(line, "|")
		if len(f) < 7 {
			continue
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		records := count.FindString(f[5])
		if records == "" {
			continue
		}
		row := indexed{members: -1}
		row.records, _ = strconv.ParseInt(records, 10, 64)
		if f[4] != "-" {
			row.members, _ = strconv.ParseInt(f[4], 10, 64)
		}
		rows[filepath.Join(folder, f[1])] = row
	}
	if len(rows) < 50 {
		t.Fatalf("read only %d rows of INDEX.md", len(rows))
	}
	return rows
}

// realDifferences are the files whose outcome is not what INDEX.md has, and why.
var realDifferences = map[string]struct {
	records int64
	err     error
	why     string
}{}

func TestRealArchives(t *testing.T) {
	index := readIndex(t)
	err := filepath.WalkDir(realArchives, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "INDEX.md" {
			return err
		}
		name, err := filepath.Rel(realArchives, path)
		if err != nil {
			return err
		}
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			r, err := NewReader(f, Options{Size: info.Size()})
			if err != nil {
				t.Logf("ERR %v index %v", err, index[name])
				return
			}
			for {
				rec, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Log("NEXT", err)
					var lost *RecordError
					if !errors.As(err, &lost) {
						t.Fatal(err)
					}
					continue
				}
				n, err := io.Copy(io.Discard, rec.Block)
				if err != nil {
					t.Log("BLOCK", err)
				}
				l, err := r.Finish()
				if err != nil {
					t.Log("FIN", err)
				}
				if len(index) == 0 {
					t.Log(l, n)
				}
			}
			s := r.Stats()
			row := index[name]
			flag := ""
			if s.Total() != row.records || row.members >= 0 && s.Members != row.members {
				flag = "DIFF"
			}
			t.Logf("%s %d records of %d, %d members of %d, lost %d read %d of %d skipped %d %d trunc %v %v", flag, s.Total(), row.records, s.Members, row.members, s.Lost, s.BytesRead, info.Size(), s.SkippedInput, s.SkippedContent, s.Truncated, s.Defects)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
