package manifest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/storage/storagetest"
	"github.com/acapscan/acapscan/output/table"
	"github.com/google/go-cmp/cmp"
)

func of[T any](v T) *T { return &v }

// sample is a run with two part files, in no order.
func sample() *Manifest {
	return &Manifest{
		Program:             Program{Name: "acapscan", Version: "0.1.0", Commit: "abc"},
		RulesVersion:        "1",
		PublicSuffixVersion: "list of 2026",
		Options:             map[string]string{"pages": "restrictive", "at": ""},
		Started:             time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Ended:               time.Date(2026, 1, 2, 3, 5, 5, 0, time.UTC),
		Host:                "node1",
		Counts:              map[string]int64{"records": 12},
		Inputs: []Input{
			{Name: "b.warc.gz", Error: "the file ends inside a gzip member at offset 12"},
			{Name: "a.warc.gz", Bytes: of(int64(100)), SHA256: of("aa")},
		},
		Outputs: []Output{
			{Path: "robots/crawl=local/subset=warc/part-00000.parquet", Rows: 3, Bytes: 4, SHA256: "ff"},
			{Path: "adoption/crawl=local/part-00000.parquet", Rows: 1, Bytes: 2, SHA256: "ee"},
		},
	}
}

// folder makes an output folder that holds the part files of a manifest, at their sizes.
func folder(t *testing.T, m *Manifest) string {
	t.Helper()
	dir := t.TempDir()
	for _, o := range m.Outputs {
		put(t, dir, o.Path, strings.Repeat("x", int(o.Bytes)))
	}
	return dir
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// contents reads every file of a folder, by its name with slashes.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		relative, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(relative)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestRoundTrip(t *testing.T) {
	m := sample()
	dir := folder(t, m)
	if err := Write(storage.NewFolder(dir), m); err != nil {
		t.Fatal(err)
	}
	got, err := Read(storage.NewFolder(dir))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
	if got.Inputs[0].Name != "a.warc.gz" || !strings.HasPrefix(got.Outputs[0].Path, "adoption/") {
		t.Error("the lists are not sorted")
	}
	want := Contents{Files: 1, Rows: 3, Bytes: 4}
	if got.Tables[table.RobotsTxt] != want || len(got.Tables) != len(table.All()) {
		t.Errorf("tables: %+v", got.Tables)
	}
}

func TestFilesBesideTheTables(t *testing.T) {
	m := sample()
	dir := folder(t, m)
	if err := Write(storage.NewFolder(dir), m); err != nil {
		t.Fatal(err)
	}
	files := contents(t, dir)
	want := []string{SuccessName, FileName, DataPackageName, PathsName, ViewsName}
	for _, o := range m.Outputs {
		want = append(want, o.Path)
	}
	for _, d := range table.All() {
		name := SchemaFolder + "/" + string(d.Name) + ".json"
		want = append(want, name)
		if files[name] != string(d.Schema()) {
			t.Errorf("%s is not the table's schema", name)
		}
	}
	var got []string
	for name := range files {
		got = append(got, name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	r, err := gzip.NewReader(strings.NewReader(files[PathsName]))
	if err != nil {
		t.Fatal(err)
	}
	list, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := m.Outputs[0].Path + "\n" + m.Outputs[1].Path + "\n"; string(list) != want {
		t.Errorf("%s: %q", PathsName, list)
	}
	if files[SuccessName] != "" {
		t.Errorf("%s: %q", SuccessName, files[SuccessName])
	}
}

func TestOnlyTheManifestTellsWhenAndWhereTheRunWas(t *testing.T) {
	one, two := sample(), sample()
	two.Started, two.Ended, two.Host = two.Started.Add(time.Hour), two.Ended.Add(2*time.Hour), "node2"
	slices.Reverse(two.Inputs)
	slices.Reverse(two.Outputs)
	write := func(m *Manifest) map[string]string {
		dir := folder(t, m)
		if err := Write(storage.NewFolder(dir), m); err != nil {
			t.Fatal(err)
		}
		return contents(t, dir)
	}
	first, second := write(one), write(two)
	if first[FileName] == second[FileName] {
		t.Error("the manifest does not tell the runs apart")
	}
	delete(first, FileName)
	delete(second, FileName)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
}

func TestWriteRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, m *Manifest, dir string)
		want   string // part of the error
	}{
		{"a part file of another run", func(t *testing.T, m *Manifest, dir string) {
			put(t, dir, "pages/crawl=old/subset=warc/part-00000.parquet", "x")
		}, "pages/crawl=old/subset=warc/part-00000.parquet, which is not of this run"},
		{"a part file that is not there", func(t *testing.T, m *Manifest, dir string) {
			m.Outputs = append(m.Outputs, Output{Path: "conflicts/crawl=local/part-00000.parquet"})
		}, "1 of 3 part files are not"},
		{"a part file of another size", func(t *testing.T, m *Manifest, dir string) {
			put(t, dir, m.Outputs[0].Path, "longer than it was")
		}, "has 18 bytes and was written with 4"},
		{"a part file listed twice", func(t *testing.T, m *Manifest, dir string) {
			m.Outputs = append(m.Outputs, m.Outputs[0])
		}, "twice"},
		{"a path that climbs out", func(t *testing.T, m *Manifest, dir string) {
			m.Outputs[0].Path = "robots/crawl=local/../../part-00000.parquet"
		}, "no part file"},
		{"a table that is none of the eight", func(t *testing.T, m *Manifest, dir string) {
			m.Outputs[0].Path = "robot/crawl=local/subset=warc/part-00000.parquet"
		}, "no part file"},
		{"a partition that the table does not have", func(t *testing.T, m *Manifest, dir string) {
			m.Outputs[0].Path = "adoption/crawl=local/subset=warc/part-00000.parquet"
		}, "no part file"},
		{"a folder that is no partition", func(t *testing.T, m *Manifest, dir string) {
			m.Outputs[0].Path = "robots/local/warc/part-00000.parquet"
		}, "no part file"},
		{"a file of another format", func(t *testing.T, m *Manifest, dir string) {
			m.Outputs[0].Path = "robots/crawl=local/subset=warc/part-00000.csv"
		}, "no part file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := sample()
			dir := folder(t, m)
			put(t, dir, SuccessName, "")
			test.change(t, m, dir)
			err := Write(storage.NewFolder(dir), m)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if _, err := os.Stat(filepath.Join(dir, SuccessName)); err == nil {
				t.Error("the folder is marked complete")
			}
		})
	}
}

func TestUnfinishedFilesInTableFoldersAreLetBe(t *testing.T) {
	m := sample()
	dir := folder(t, m)
	put(t, dir, "robots/crawl=local/subset=warc/part-00001.parquet"+storage.TempSuffix, "killed")
	if err := Write(storage.NewFolder(dir), m); err != nil {
		t.Error(err)
	}
}

func TestSuccessIsLast(t *testing.T) {
	for _, name := range []string{ViewsName, DataPackageName, PathsName, FileName} {
		t.Run(name, func(t *testing.T) {
			m := sample()
			dir := folder(t, m)
			if err := Write(storage.NewFolder(dir), m); err != nil {
				t.Fatal(err)
			}
			// A folder that is not empty stands where the file belongs: it cannot be written.
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			put(t, dir, name+"/in-the-way", "")
			if err := Write(storage.NewFolder(dir), m); err == nil {
				t.Fatal("no error")
			}
			if _, err := Read(storage.NewFolder(dir)); !errors.Is(err, ErrNotComplete) {
				t.Errorf("a run that failed counts as finished: %v", err)
			}
		})
	}
}

// Killed at any moment, Write is done again to the same end, in any store; _SUCCESS is there when all is.
func TestKilledAtAnyMoment(t *testing.T) {
	m := sample()
	tables := storagetest.Contents(t, storage.NewFolder(folder(t, m)))
	for name, open := range storagetest.Stores(t) {
		t.Run(name, func(t *testing.T) {
			fill := func() storagetest.Process {
				process := open()
				for name, content := range tables {
					if err := storage.Write(process(), name, []byte(content)); err != nil {
						t.Fatal(err)
					}
				}
				return process
			}
			whole := fill()()
			if err := Write(whole, m); err != nil {
				t.Fatal(err)
			}
			want := storagetest.Contents(t, whole)
			for deeds := 0; ; deeds++ {
				process := fill()
				err := Write(storagetest.KilledAfter(process(), deeds), m)
				_, unfinished := Read(process())
				if err == nil {
					if deeds < 10 || unfinished != nil {
						t.Errorf("after %d deeds: %v", deeds, unfinished)
					}
					return
				}
				if !errors.Is(err, storagetest.ErrKilled) || !errors.Is(unfinished, ErrNotComplete) {
					t.Fatalf("after %d deeds: %v, and then %v", deeds, err, unfinished)
				}
				if err := Write(process(), m); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, storagetest.Contents(t, process())); diff != "" {
					t.Fatalf("after %d deeds (-undisturbed +killed):\n%.2000s", deeds, diff)
				}
			}
		})
	}
}

func TestReadNeedsAFinishedRun(t *testing.T) {
	m := sample()
	dir := folder(t, m)
	if _, err := Read(storage.NewFolder(dir)); !errors.Is(err, ErrNotComplete) {
		t.Errorf("before: %v", err)
	}
	if err := Write(storage.NewFolder(dir), m); err != nil {
		t.Fatal(err)
	}
	if err := Invalidate(storage.NewFolder(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(storage.NewFolder(dir)); !errors.Is(err, ErrNotComplete) {
		t.Errorf("after Invalidate: %v", err)
	}
	if err := Invalidate(storage.NewFolder(filepath.Join(dir, "nowhere"))); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestReadRefusesWhatIsNoManifest(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":             "half of a mani",
		"another form":        `{"manifest_version": 99}`,
		"no version":          `{}`,
		"a list":              `[]`,
		"numbers out of type": `{"manifest_version": 1, "inputs": [{"bytes": "many"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, SuccessName, "")
			put(t, dir, FileName, text)
			if m, err := Read(storage.NewFolder(dir)); err == nil {
				t.Errorf("read as %+v", m)
			} else if !strings.Contains(err.Error(), FileName) {
				t.Errorf("the error does not name the file: %v", err)
			}
		})
	}
}

func TestDifference(t *testing.T) {
	tests := []struct {
		name   string
		change func(next *Manifest)
		want   string // part of the sentence; "" for none
	}{
		{"the same", func(*Manifest) {}, ""},
		{"other times and host", func(m *Manifest) { m.Started, m.Host = time.Time{}, "x" }, ""},
		{"inputs in another order", func(m *Manifest) { slices.Reverse(m.Inputs) }, ""},
		{"sizes not known yet", func(m *Manifest) { m.Inputs[1] = Input{Name: "a.warc.gz"} }, ""},
		{"another version", func(m *Manifest) { m.Program.Version = "0.2.0" }, "version 0.1.0"},
		{"another commit", func(m *Manifest) { m.Program.Commit = "def" }, "def"},
		{"other rules", func(m *Manifest) { m.RulesVersion = "2" }, "rules"},
		{"another list of suffixes", func(m *Manifest) { m.PublicSuffixVersion = "x" }, "public suffix"},
		{"another option", func(m *Manifest) { m.Options = map[string]string{"pages": "all", "at": "", "new": ""} },
			"options: new, pages."},
		{"an input less", func(m *Manifest) { m.Inputs = m.Inputs[:1] }, "2 inputs, these are 1"},
		{"another input", func(m *Manifest) { m.Inputs[0].Name = "c.warc.gz" }, "b.warc.gz"},
		{"an input of another size", func(m *Manifest) { m.Inputs[1].Bytes = of(int64(101)) }, "a.warc.gz has changed"},
		{"an input of another digest", func(m *Manifest) { m.Inputs[1].SHA256 = of("bb") }, "a.warc.gz has changed"},
	}
	done := sample()
	dir := folder(t, done)
	if err := Write(storage.NewFolder(dir), done); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := Read(storage.NewFolder(dir))
			if err != nil {
				t.Fatal(err)
			}
			next := sample()
			test.change(next)
			got := m.Difference(next)
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestDifferenceOfAnOlderSchema(t *testing.T) {
	m := sample()
	if err := m.complete(); err != nil {
		t.Fatal(err)
	}
	m.SchemaVersion--
	if got := m.Difference(sample()); !strings.Contains(got, "schema version") {
		t.Errorf("%q", got)
	}
}

func TestHashOptions(t *testing.T) {
	empty := HashOptions(nil)
	if empty != HashOptions(map[string]string{}) {
		t.Error("no options have two hashes")
	}
	if HashOptions(map[string]string{"a": "b", "c": ""}) == HashOptions(map[string]string{"a": "b"}) {
		t.Error("an option that is there and empty is as if not there")
	}
	if HashOptions(map[string]string{"a": "b\",\"c\":\""}) == HashOptions(map[string]string{"a": "b", "c": ""}) {
		t.Error("a value can pretend to be an option")
	}
}

func TestViews(t *testing.T) {
	m := sample()
	if err := m.complete(); err != nil {
		t.Fatal(err)
	}
	script := string(views(m.Tables))
	for _, d := range table.All() {
		if !strings.Contains(script, "CREATE OR REPLACE VIEW "+string(d.Name)+" AS\n") {
			t.Errorf("no view of %s", d.Name)
		}
		reads := strings.Contains(script, "|| '"+string(d.Name)+"/**/*.parquet',\n  hive_partitioning = true")
		if reads != (m.Tables[d.Name].Files > 0) {
			t.Errorf("%s with %d files is read from them: %v", d.Name, m.Tables[d.Name].Files, reads)
		}
	}
	// Tables without files have every column, those of the partition last, as DuckDB adds them.
	if !strings.Contains(script, "CAST(NULL AS VARCHAR) AS site,\n") ||
		!strings.Contains(script, "  CAST(NULL AS VARCHAR) AS crawl\nWHERE false;") {
		t.Error(script)
	}
}

func TestDataPackage(t *testing.T) {
	m := sample()
	if err := m.complete(); err != nil {
		t.Fatal(err)
	}
	var got packageFile
	decoder := json.NewDecoder(bytes.NewReader(dataPackage(m)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, r := range got.Resources {
		paths = append(paths, r.Path...)
		d, _ := table.Lookup(r.Name)
		if len(r.Schema.Fields) != len(d.Columns()) {
			t.Errorf("%s has %d fields, the table %d columns", r.Name, len(r.Schema.Fields), len(d.Columns()))
		}
	}
	slices.Sort(paths)
	if diff := cmp.Diff([]string{m.Outputs[0].Path, m.Outputs[1].Path}, paths); diff != "" {
		t.Error(diff)
	}
}

func TestEveryColumnTypeHasNamesElsewhere(t *testing.T) {
	for _, d := range table.All() {
		for _, c := range d.Columns() {
			if duckType(c.Type) == "" || frictionlessType(c.Type) == "" { // both panic at a type that they do not know
				t.Errorf("%s.%s", d.Name, c.Name)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	m := sample()
	if err := m.complete(); err != nil {
		f.Fatal(err)
	}
	text, err := encode(m)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"manifest_version":1,"inputs":[{}],"outputs":[{"path":"/"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := decode(text)
		if err != nil {
			return
		}
		// What was read can be compared, checked and written, whatever it holds.
		m.Difference(sample())
		if m.complete() != nil {
			return
		}
		again, err := encode(m)
		if err != nil {
			t.Skip("a year that JSON cannot hold") // time.Time refuses years beyond 9999
		}
		if _, err := decode(again); err != nil {
			t.Errorf("written, it cannot be read: %v\n%s", err, again)
		}
	})
}

func TestArrowFolder(t *testing.T) {
	m := sample()
	for i := range m.Outputs {
		m.Outputs[i].Path = strings.TrimSuffix(m.Outputs[i].Path, ".parquet") + ".arrow"
	}
	dir := folder(t, m)
	put(t, dir, ViewsName, "of an earlier run")
	if err := Write(storage.NewFolder(dir), m); err != nil {
		t.Fatal(err)
	}
	if m.Format() != table.Arrow || m.Tables[table.RobotsTxt].Rows != 3 {
		t.Errorf("format %s, tables %v", m.Format(), m.Tables)
	}
	if _, views := contents(t, dir)[ViewsName]; views {
		t.Error("there are views of files that DuckDB does not open")
	}

	put(t, dir, "robots/crawl=local/subset=warc/part-00001.parquet", "x")
	if err := Write(storage.NewFolder(dir), m); err == nil || !strings.Contains(err.Error(), "part-00001.parquet") {
		t.Errorf("a file of the other format: %v", err)
	}
	m.Outputs[0].Path = strings.TrimSuffix(m.Outputs[0].Path, ".arrow") + ".parquet"
	if err := Write(storage.NewFolder(dir), m); err == nil || !strings.Contains(err.Error(), "two formats") {
		t.Errorf("files of both formats: %v", err)
	}
}
