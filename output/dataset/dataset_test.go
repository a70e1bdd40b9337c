package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/parquet"
	"github.com/acapscan/acapscan/output/table"
)

func adoption(sites ...string) []table.Adoption {
	var rows []table.Adoption
	for _, s := range sites {
		row := table.Adoption{Site: s, Class: "none", Outcome: "not-captured", Pages: int64(len(s))}
		table.FillHost(&row.Host, s)
		rows = append(rows, row)
	}
	return rows
}

func input(name string) []table.Input { return []table.Input{{WARCFilename: name, Complete: true}} }

func newManifest() *manifest.Manifest {
	return &manifest.Manifest{Program: manifest.Program{Name: "acapscan", Version: "test"}}
}

func create(t *testing.T, dir string) *Writer {
	t.Helper()
	w, err := Create(storage.NewFolder(dir), Options{CreatedBy: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tree lists the files of a folder with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	check(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		relative, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(relative)] = string(content)
		return err
	}))
	return files
}

// parquetFiles lists the part files of a folder.
func parquetFiles(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	for name := range tree(t, dir) {
		if strings.HasSuffix(name, ".parquet") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestCommit(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir)
	check(t, Add(w, table.Adoptions, "CC-2", "", 3, adoption("http://b.example")))
	check(t, Add(w, table.Adoptions, "CC-1", "", 0, adoption("http://a.example", "http://c.example")))
	check(t, Add(w, table.Inputs, "CC-1", "warc", 0, input("a.warc.gz")))
	check(t, Add(w, table.Inputs, "CC-1", "robotstxt", 0, input("b.warc.gz")))
	check(t, Add(w, table.Pages, "CC-1", "warc", 0, []table.Page{}))
	if found := parquetFiles(t, dir); len(found) != 0 {
		t.Errorf("before the end there are %v", found)
	}
	m := newManifest()
	check(t, w.Commit(m))
	want := []string{
		"adoption/crawl=CC-1/part-00000.parquet", "adoption/crawl=CC-2/part-00003.parquet",
		"agents/crawl=CC-1/part-00000.parquet", "conflicts/crawl=CC-1/part-00000.parquet",
		"directives/crawl=CC-1/subset=robotstxt/part-00000.parquet",
		"inputs/crawl=CC-1/subset=robotstxt/part-00000.parquet", "inputs/crawl=CC-1/subset=warc/part-00000.parquet",
		"pages/crawl=CC-1/subset=robotstxt/part-00000.parquet", "permissions/crawl=CC-1/part-00000.parquet",
		"robots/crawl=CC-1/subset=robotstxt/part-00000.parquet",
	}
	if diff := cmp.Diff(want, parquetFiles(t, dir)); diff != "" {
		t.Errorf("part files (-want +got), those of tables without rows in the first partition:\n%s", diff)
	}
	var listed []string
	for _, o := range m.Outputs {
		listed = append(listed, o.Path)
		if o.Bytes == 0 || len(o.SHA256) != 64 {
			t.Errorf("the manifest says of %s %d bytes, digest %q", o.Path, o.Bytes, o.SHA256)
		}
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("the manifest lists (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, WorkFolder)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the work folder is still there: %v", err)
	}
	if _, err := manifest.Read(storage.NewFolder(dir)); err != nil {
		t.Error(err)
	}
	check(t, w.Abort())
	if _, err := manifest.Read(storage.NewFolder(dir)); err != nil {
		t.Errorf("Abort after Commit: %v", err)
	}
}

func TestPartTwice(t *testing.T) {
	w := create(t, t.TempDir())
	check(t, Add(w, table.Adoptions, "", "", 0, adoption("http://a.example")))
	if err := Add(w, table.Adoptions, table.LocalCrawl, "", 0, adoption("http://b.example")); err == nil {
		t.Error("a second part of the same name took the place of the first")
	}
}

func TestNoSuchTable(t *testing.T) {
	if err := Add(create(t, t.TempDir()), "nonsense", "", "", 0, adoption("http://a.example")); err == nil {
		t.Error("no error")
	}
}

// An earlier run stays until the next is committed, and then goes as a whole; what is not a table's stays.
func TestSecondRun(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o644))
	first := create(t, dir)
	check(t, Add(first, table.Adoptions, "CC-1", "", 7, adoption("http://a.example")))
	check(t, first.Commit(newManifest()))
	before := tree(t, dir)

	aborted := create(t, dir)
	check(t, Add(aborted, table.Adoptions, "CC-1", "", 0, adoption("http://b.example")))
	check(t, aborted.Abort())
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("an aborted run changed (-before +after):\n%s", diff)
	}

	second := create(t, dir)
	check(t, Add(second, table.Adoptions, "CC-2", "", 0, adoption("http://c.example")))
	check(t, second.Commit(newManifest()))
	for _, name := range parquetFiles(t, dir) {
		if strings.Contains(name, "CC-1") {
			t.Errorf("%s is of the earlier run", name)
		}
	}
	if content, err := os.ReadFile(filepath.Join(dir, "notes.txt")); err != nil || string(content) != "mine" {
		t.Errorf("notes are %q, %v", content, err)
	}
}

// Remains of a run that was killed go when the next begins, and the facts of a run that is under way stay.
func TestKilledRun(t *testing.T) {
	dir := t.TempDir()
	killed := create(t, dir)
	check(t, Add(killed, table.Adoptions, "CC-1", "", 0, adoption("http://a.example")))
	facts := filepath.Join(dir, storage.WorkFolder, "facts")
	check(t, os.MkdirAll(facts, 0o755))
	check(t, os.WriteFile(filepath.Join(facts, "000000-000.facts"), nil, 0o644))

	store := storage.NewFolder(dir)
	release, err := store.Lock(storage.Alone)
	check(t, err)
	w, err := Create(store, Options{})
	check(t, err)
	check(t, Add(w, table.Adoptions, "CC-2", "", 0, adoption("http://b.example")))
	check(t, w.Abort())
	check(t, store.Close())
	release()
	if _, err := os.Stat(filepath.Join(facts, "000000-000.facts")); err != nil {
		t.Errorf("the facts are gone: %v", err)
	}
	if found := tree(t, dir); len(found) != 1 {
		t.Errorf("there is %v", found)
	}
}

// A commit that fails before anything has changed leaves the earlier run as it was, and the next run goes its way.
func TestFailedCommit(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir)
	check(t, Add(w, table.Adoptions, "CC-1", "", 0, adoption("http://a.example")))
	check(t, w.Commit(newManifest()))

	w = create(t, dir)
	check(t, Add(w, table.Adoptions, "CC-2", "", 0, adoption("http://b.example")))
	check(t, Add(w, table.Conflicts, "CC-2", "", 0, []table.Conflict{{Site: "http://b.example"}}))
	check(t, os.Remove(w.stagedPath("conflicts/crawl=CC-2/part-00000.parquet")))
	if err := w.Commit(newManifest()); err == nil {
		t.Fatal("no error though a staged file is gone")
	}
	if _, err := manifest.Read(storage.NewFolder(dir)); err != nil {
		t.Errorf("the earlier run: %v", err)
	}
	w = create(t, dir)
	check(t, Add(w, table.Adoptions, "CC-3", "", 0, adoption("http://c.example")))
	check(t, w.Commit(newManifest()))
	if _, err := manifest.Read(storage.NewFolder(dir)); err != nil {
		t.Error(err)
	}
	if found := parquetFiles(t, dir); len(found) != len(table.All()) || !strings.Contains(found[0], "CC-3") {
		t.Errorf("part files are %v", found)
	}
}

// The files do not depend on who adds which part, and when.
func TestManyWriters(t *testing.T) {
	run := func(order []int) map[string]string {
		dir := t.TempDir()
		w := create(t, dir)
		var wg sync.WaitGroup
		for _, i := range order {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if err := Add(w, table.Adoptions, fmt.Sprintf("CC-%d", i%3), "", i,
					adoption(fmt.Sprintf("http://host%d.example", i))); err != nil {
					t.Error(err)
				}
			}()
		}
		wg.Wait()
		check(t, w.Commit(newManifest()))
		files := tree(t, dir)
		delete(files, manifest.FileName)
		return files
	}
	if diff := cmp.Diff(run([]int{0, 1, 2, 3, 4, 5, 6, 7}), run([]int{7, 3, 1, 0, 2, 6, 5, 4})); diff != "" {
		t.Errorf("(-one order +another):\n%s", diff)
	}
}

// A stream has eight tables, one after another, each with its partition columns, whatever bytes the partition's names
// have.
func TestStream(t *testing.T) {
	const strange = "a/b=%2F ü\x00'"
	dir := t.TempDir()
	w := create(t, dir)
	check(t, Add(w, table.Adoptions, strange, "", 0, adoption("http://a.example", "http://b.example")))
	check(t, Add(w, table.Adoptions, "CC-1", "", 0, adoption("http://c.example")))
	check(t, Add(w, table.Inputs, strange, "../x", 0, input("a.warc.gz")))
	m := newManifest()
	check(t, w.Commit(m))
	var out bytes.Buffer
	check(t, Stream(storage.NewFolder(dir), m, &out))

	stream := bytes.NewReader(out.Bytes())
	var names []string
	for range table.All() {
		name := nameOf(t, out.Bytes()[len(out.Bytes())-stream.Len():])
		names = append(names, name)
		switch table.Name(name) {
		case table.Adoptions:
			rows := readAll[adoptionRow](t, stream)
			var got []string
			for _, r := range rows {
				if r.Subset != nil {
					t.Errorf("adoption has the subset %q", *r.Subset)
				}
				got = append(got, r.Crawl+" "+r.Site)
			}
			slices.Sort(got)
			if want := []string{"CC-1 http://c.example", strange + " http://a.example", strange +
				" http://b.example"}; !slices.Equal(got, want) {
				t.Errorf("adoption is %q, want %q", got, want)
			}
		case table.Inputs:
			rows := readAll[inputRow](t, stream)
			if len(rows) != 1 || rows[0].Crawl != strange || rows[0].Subset == nil || *rows[0].Subset != "../x" ||
				rows[0].WARCFilename != "a.warc.gz" {
				t.Errorf("inputs are %+v", rows)
			}
		case table.RobotsTxt:
			readNone[robotsRow](t, stream)
		case table.Pages:
			readNone[pageRow](t, stream)
		case table.Directives:
			readNone[directiveRow](t, stream)
		case table.Agents:
			readNone[agentRow](t, stream)
		case table.Permissions:
			readNone[permissionRow](t, stream)
		case table.Conflicts:
			readNone[conflictRow](t, stream)
		}
	}
	var want []string
	for _, d := range table.All() {
		want = append(want, string(d.Name))
	}
	if !slices.Equal(names, want) || stream.Len() != 0 {
		t.Errorf("streams are of %v and %d bytes more, want %v", names, stream.Len(), want)
	}
}

// nameOf reads the name of the table that a stream is of. Every table has the column that it asks for.
func nameOf(t *testing.T, stream []byte) string {
	t.Helper()
	type row struct {
		Crawl string `parquet:"crawl,dict"`
	}
	r, err := arrow.NewReader[row](bytes.NewReader(stream))
	check(t, err)
	return r.Metadata()[MetaTable]
}

func readAll[T any](t *testing.T, stream io.Reader) []T {
	t.Helper()
	r, err := arrow.NewReader[T](stream)
	check(t, err)
	var all []T
	for {
		rows, err := r.Read()
		if err == io.EOF {
			return all
		}
		check(t, err)
		all = append(all, rows...)
	}
}

func readNone[T any](t *testing.T, stream io.Reader) {
	t.Helper()
	if rows := readAll[T](t, stream); len(rows) != 0 {
		t.Errorf("%d rows in an empty table", len(rows))
	}
}

// A file says by whom it was made, and is read back as it was written.
func TestContents(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(storage.NewFolder(dir), Options{CreatedBy: "program 1",
		Metadata: map[string]string{"acapscan.schema": "1"}})
	check(t, err)
	rows := adoption("http://a.example", "http://b.example")
	check(t, Add(w, table.Adoptions, "", "", 0, rows))
	check(t, w.Commit(newManifest()))
	r, err := parquet.Open[table.Adoption](filepath.Join(dir, "adoption", "crawl=local", "part-00000.parquet"))
	check(t, err)
	defer r.Close()
	got := make([]table.Adoption, 2)
	if n, err := r.Read(got); n != 2 || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if r.Metadata()["acapscan.schema"] != "1" {
		t.Errorf("metadata is %v", r.Metadata())
	}
}

// Either format is staged and replaced as the other is, and read back the same.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []table.Format{table.Parquet, table.Arrow, table.Parquet} {
		w, err := Create(storage.NewFolder(dir), Options{Format: f, CreatedBy: "program 1",
			Metadata: map[string]string{"acapscan.schema": "1"}})
		check(t, err)
		check(t, Add(w, table.Adoptions, "CC-1", "", 0, adoption("http://a.example", "http://b.example")))
		m := newManifest()
		check(t, w.Commit(m))
		if len(m.Outputs) != len(table.All()) || m.Format() != f {
			t.Errorf("%s: %d files of %s", f, len(m.Outputs), m.Format())
		}
		for name := range tree(t, dir) {
			if found, part := table.FormatOf(name); part && found != f {
				t.Errorf("%s: there is %s", f, name)
			}
		}
		in, err := OpenPart[table.Adoption](storage.NewFolder(dir), m.Outputs[slices.IndexFunc(m.Outputs,
			func(o manifest.Output) bool { return strings.HasPrefix(o.Path, "adoption/") })])
		check(t, err)
		rows := make([]table.Adoption, 3)
		n, err := in.Read(rows)
		if n != 2 || err != nil && err != io.EOF || rows[1].Site != "http://b.example" {
			t.Errorf("%s: %d rows %+v, %v", f, n, rows[:n], err)
		}
		check(t, in.Close())
		if f == table.Arrow {
			name := filepath.Join(dir, "adoption", "crawl=CC-1", table.PartName(0, f))
			file, err := os.Open(name)
			check(t, err)
			in, err := arrow.OpenFrom[table.Adoption](name, file)
			check(t, err)
			if diff := cmp.Diff(map[string]string{MetaTable: "adoption", "acapscan.schema": "1"},
				in.Metadata()); diff != "" {
				t.Error(diff)
			}
			check(t, in.Close())
		}
		var out bytes.Buffer
		check(t, StreamTable(storage.NewFolder(dir), m, table.Adoptions, &out))
		if got := readAll[adoptionRow](t, &out); len(got) != 2 || got[0].Crawl != "CC-1" ||
			got[1].Site != "http://b.example" {
			t.Errorf("%s: the stream has %+v", f, got)
		}
		m.Outputs[0].Rows++
		if err := StreamTable(storage.NewFolder(dir), m, table.Adoptions, &out); err == nil ||
			!strings.Contains(err.Error(), "has 2 rows, and the run wrote 3") {
			t.Errorf("%s: of another number of rows: %v", f, err)
		}
	}
	for _, name := range []string{"nothing.parquet", "nothing.arrow"} {
		if in, err := OpenPart[table.Adoption](storage.NewFolder(dir), manifest.Output{Path: name}); in != nil ||
			!errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, %v", name, in, err)
		}
	}
}
