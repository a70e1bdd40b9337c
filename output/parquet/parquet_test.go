package parquet

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"
)

type usage string

type qualifier struct {
	Name  string  `parquet:"name,dict"`
	Value *string `parquet:"value,plain"`
}

type count struct {
	Key   string `parquet:"key,dict"`
	Value int64  `parquet:"value"`
}

type counts []count

type place struct {
	Line   int32    `parquet:"line"`
	Parent *parent  `parquet:"parent"`
	Tags   []string `parquet:"tags,list,optional,plain"`
}

type parent struct {
	ID *int64 `parquet:"id"`
}

type key struct {
	Host string `parquet:"host,dict"`
}

// every has a column of every kind.
type every struct {
	key
	URL        string              `parquet:"url,plain"`
	Title      *string             `parquet:"title,plain"`
	Usage      usage               `parquet:"usage,dict"`
	Other      *usage              `parquet:"other,dict"`
	Small      int16               `parquet:"small"`
	Status     *int16              `parquet:"status"`
	Lines      int32               `parquet:"lines"`
	Errors     *int32              `parquet:"errors,dict"`
	Offset     int64               `parquet:"offset"`
	Length     *int64              `parquet:"length"`
	OK         bool                `parquet:"ok"`
	Selected   *bool               `parquet:"selected"`
	Body       []byte              `parquet:"body,optional,plain"`
	Digest     []byte              `parquet:"digest,dict"`
	Fetched    time.Time           `parquet:"fetched,timestamp(millisecond)"`
	Modified   *time.Time          `parquet:"modified"`
	Millis     int64               `parquet:"millis,timestamp"`
	Agents     []string            `parquet:"agents,list,dict"`
	Purposes   []usage             `parquet:"purposes,list,optional,dict"`
	Maybe      []*string           `parquet:"maybe,list,plain"`
	Numbers    []int32             `parquet:"numbers,list"`
	Qualifiers []qualifier         `parquet:"qualifiers,list"`
	Nested     [][]int64           `parquet:"-"`
	Place      *place              `parquet:"place"`
	Inner      place               `parquet:"inner"`
	ByStatus   counts              `parquet:"by_status,map"`
	ByType     counts              `parquet:"by_type,map,optional"`
	hidden     map[string]struct{} // not exported: no column
}

// diff is cmp.Diff for many rows, of which cmp is fond only when they differ.
func diff(want, got []every) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, allowHidden)
}

func ptr[T any](v T) *T { return &v }

var (
	noon = time.Date(2024, 5, 18, 12, 0, 0, 123_000_000, time.UTC)

	fullRow = every{
		key: key{Host: "example.com"}, URL: "https://example.com/", Title: ptr("T"), Usage: "allow", Other: ptr(usage("deny")),
		Small: -3, Status: ptr(int16(404)), Lines: 1 << 30, Errors: ptr(int32(-1)), Offset: 1 << 40, Length: ptr(int64(-1 << 60)),
		OK: true, Selected: ptr(false), Body: []byte("\x00\xff body"), Digest: []byte{1}, Fetched: noon, Modified: ptr(noon.Add(time.Hour)),
		Millis: noon.UnixMilli(), Agents: []string{"*", "CCBot", ""}, Purposes: []usage{"index", "show"}, Maybe: []*string{nil, ptr("x"), nil},
		Numbers: []int32{3, 1, 2}, Qualifiers: []qualifier{{"a", ptr("1")}, {"b", nil}},
		Place: &place{Line: 7, Parent: &parent{ID: ptr(int64(9))}, Tags: []string{"t"}}, Inner: place{Line: 8, Parent: &parent{}, Tags: []string{}},
		ByStatus: counts{{"200", 3}, {"404", 1}}, ByType: counts{{"text/html", 4}},
	}
	// emptyRow has the zero value where null is not allowed, and null elsewhere.
	emptyRow = every{Fetched: time.UnixMilli(0).UTC(), Digest: []byte{}}
	// bareRow has things that are there and empty.
	bareRow = every{
		Fetched: noon, Digest: []byte{}, Title: ptr(""), Other: ptr(usage("")), Status: ptr(int16(0)), Errors: ptr(int32(0)),
		Length: ptr(int64(0)), Selected: ptr(false), Body: []byte{}, Modified: ptr(time.UnixMilli(0).UTC()), Purposes: []usage{},
		Place: &place{}, ByType: counts{},
	}
)

var allowHidden = cmp.AllowUnexported(every{})

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

func manyRows(n int) []every {
	kinds := []every{fullRow, emptyRow, bareRow}
	rows := make([]every, n)
	for i := range rows {
		rows[i] = kinds[i%7%3]
		rows[i].URL = fmt.Sprintf("https://example.com/%d", i)
		rows[i].Offset = int64(i)
		if i%11 == 0 {
			rows[i].Agents = slices.Repeat([]string{"a", fmt.Sprint(i)}, i%50)
		}
	}
	return rows
}

// afterReading is what rows become: an empty list that cannot be null is nil.
func afterReading(rows []every) []every {
	rows = slices.Clone(rows)
	for i := range rows {
		if len(rows[i].Agents) == 0 {
			rows[i].Agents = nil
		}
	}
	return rows
}

func TestRoundTrip(t *testing.T) {
	tests := map[string][]every{
		"no rows":                      nil,
		"everything set":               {fullRow},
		"everything null or zero":      {emptyRow},
		"everything there but empty":   {bareRow},
		"all three":                    {emptyRow, fullRow, bareRow, fullRow, emptyRow},
		"more than a batch":            manyRows(3*batchRows + 1),
		"several row groups (by rows)": manyRows(2500),
	}
	for name, rows := range tests {
		t.Run(name, func(t *testing.T) {
			path, info := write(t, rows, Options{RowGroupRows: 1000})
			if info.Rows != int64(len(rows)) {
				t.Errorf("Info.Rows = %d, want %d", info.Rows, len(rows))
			}
			for _, buffer := range []int{1, 7, 4096} {
				got, err := readAll[every](path, buffer)
				if err != nil {
					t.Fatal(err)
				}
				if diff := diff(afterReading(rows), got); diff != "" {
					t.Errorf("buffer of %d rows (-want +got):\n%s", buffer, diff)
				}
			}
		})
	}
}

func TestReadOverwritesRows(t *testing.T) {
	path, _ := write(t, []every{emptyRow}, Options{})
	r, err := Open[every](path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := []every{fullRow}
	if n, err := r.Read(rows); n != 1 || err != nil {
		t.Fatalf("Read = %d, %v", n, err)
	}
	if diff := cmp.Diff(emptyRow, rows[0], allowHidden); diff != "" {
		t.Errorf("something of the earlier row is left (-want +got):\n%s", diff)
	}
	if n, err := r.Read(rows); n != 0 || err != io.EOF {
		t.Errorf("Read at the end = %d, %v, want 0, EOF", n, err)
	}
}

func TestWriteNormalises(t *testing.T) {
	berlin := time.FixedZone("CEST", 7200)
	row := every{
		URL:      "a\xff\xfeb\x80",
		Agents:   []string{"\xc3"},
		Fetched:  noon.In(berlin).Add(999 * time.Microsecond),
		Body:     []byte("\xff"),
		ByStatus: counts{{"b", 1}, {"\xff", 2}, {"a", 3}, {"\xfe", 4}, {"b", 5}},
	}
	before := slices.Clone(row.ByStatus)
	path, _ := write(t, []every{row}, Options{})
	got, err := readAll[every](path, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := every{
		URL:      "a\uFFFDb\uFFFD",
		Agents:   []string{"\uFFFD"},
		Fetched:  noon,
		Body:     []byte("\xff"),
		Digest:   []byte{},
		ByStatus: counts{{"a", 3}, {"b", 6}, {"\uFFFD", 6}},
	}
	if diff := cmp.Diff([]every{want}, got, allowHidden); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Equal(before, row.ByStatus) {
		t.Errorf("the writer changed the caller's map to %v", row.ByStatus)
	}
}

func TestBytesAreTheSame(t *testing.T) {
	rows := manyRows(3000)
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
			w, err := Create[every](path, opts)
			if err != nil {
				t.Fatal(err)
			}
			scratch := make([]every, split)
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

	w = create() // never finished, as by a kill
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
	w.file.Close() // as a full disk: what is written fails
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
	if _, err := os.Stat(path + TempSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a temporary file: %v", err)
	}
}

type loop struct {
	Next *loop `parquet:"next"`
}

func TestCreateRefusesTags(t *testing.T) {
	create := func(path string, row any) error {
		_, err := treeOf(reflect.TypeOf(row))
		return err
	}
	tests := map[string]struct {
		row  any
		want string // in the error
	}{
		"string without an encoding": {struct {
			A string `parquet:"the_url"`
		}{}, "column the_url"},
		"bytes without an encoding": {struct {
			A []byte `parquet:"body,optional"`
		}{}, "column body"},
		"list of strings without an encoding": {struct {
			A []string `parquet:"agents,list"`
		}{}, "column agents"},
		"string in a list of structs without an encoding": {struct {
			A []struct {
				B string `parquet:"b"`
			} `parquet:"a,list"`
		}{}, "column a.b"},
		"Go map": {struct {
			A map[string]int64 `parquet:"a,map"`
		}{}, "column a: a Go map has no order"},
		"map of other columns": {struct {
			A []qualifier `parquet:"a,map"`
		}{}, "column a"},
		"two encodings": {struct {
			A string `parquet:"a,dict,plain"`
		}{}, "column a"},
		"encoding of older readers' undoing": {struct {
			A string `parquet:"a,delta"`
		}{}, `"delta"`},
		"no tag": {struct{ URL string }{}, "field URL"},
		"no name": {struct {
			URL string `parquet:",dict"`
		}{}, "field URL"},
		"slice without list": {struct {
			A []int64 `parquet:"a"`
		}{}, "column a"},
		"optional value": {struct {
			A int64 `parquet:"a,optional"`
		}{}, "column a"},
		"pointer to a slice": {struct {
			A *[]byte `parquet:"a,plain"`
		}{}, "column a"},
		"pointer to a pointer": {struct {
			A **int64 `parquet:"a"`
		}{}, "column a"},
		"list of no slice": {struct {
			A int64 `parquet:"a,list"`
		}{}, "column a"},
		"map of no map": {struct {
			A int64 `parquet:"a,map"`
		}{}, "column a"},
		"timestamp of a string": {struct {
			A string `parquet:"a,plain,timestamp"`
		}{}, "column a"},
		"microseconds": {struct {
			A int64 `parquet:"a,timestamp(microsecond)"`
		}{}, "column a"},
		"float": {struct {
			A float64 `parquet:"a"`
		}{}, "column a"},
		"dictionary of booleans": {struct {
			A bool `parquet:"a,dict"`
		}{}, "column a"},
		"two columns of one name": {struct {
			A int64 `parquet:"a"`
			B int64 `parquet:"a"`
		}{}, "column a"},
		"type that contains itself": {loop{}, "nested too deeply"},
		"no columns":                {struct{}{}, "no columns"},
		"no struct":                 {"", "must be structs"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := create("", tt.row)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "x")
	if _, err := Create[struct {
		A string `parquet:"the_url"`
	}](path, Options{}); err == nil || !strings.Contains(err.Error(), "column the_url") {
		t.Errorf("Create: %v", err)
	}
	if _, err := os.Stat(path + TempSuffix); err == nil {
		t.Error("Create left a file behind")
	}
}

func TestSchema(t *testing.T) {
	got, err := Schema[every]()
	if err != nil {
		t.Fatal(err)
	}
	place := "struct<line: int32, parent: struct<id: int64?>?, tags: list<string>?>"
	want := []Column{
		{"host", "string", false}, {"url", "string", false}, {"title", "string", true}, {"usage", "string", false}, {"other", "string", true},
		{"small", "int16", false}, {"status", "int16", true}, {"lines", "int32", false}, {"errors", "int32", true},
		{"offset", "int64", false}, {"length", "int64", true}, {"ok", "bool", false}, {"selected", "bool", true},
		{"body", "binary", true}, {"digest", "binary", false},
		{"fetched", "timestamp[ms, UTC]", false}, {"modified", "timestamp[ms, UTC]", true}, {"millis", "timestamp[ms, UTC]", false},
		{"agents", "list<string>", false}, {"purposes", "list<string>", true}, {"maybe", "list<string?>", false}, {"numbers", "list<int32>", false},
		{"qualifiers", "list<struct<name: string, value: string?>>", false}, {"place", place, true}, {"inner", place, false},
		{"by_status", "map<string, int64>", false}, {"by_type", "map<string, int64>", true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFileSchema(t *testing.T) {
	type row struct {
		URL      string      `parquet:"url,plain"`
		Fetched  time.Time   `parquet:"fetched"`
		Agents   []string    `parquet:"agents,list,dict"`
		ByStatus counts      `parquet:"by_status,map"`
		Ask      []qualifier `parquet:"ask,list,optional"`
		Body     []byte      `parquet:"body,optional,plain"`
		Status   *int16      `parquet:"status"`
	}
	path, _ := write(t, []row{{}}, Options{})
	r, err := Open[row](path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := `message row {
	required binary url (STRING);
	required int64 fetched (TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS));
	required group agents (LIST) {
		repeated group list {
			required binary element (STRING);
		}
	}
	required group by_status (MAP) {
		repeated group key_value {
			required binary key (STRING);
			required int64 value (INT(64,true));
		}
	}
	optional group ask (LIST) {
		repeated group list {
			required group element {
				required binary name (STRING);
				optional binary value (STRING);
			}
		}
	}
	optional binary body;
	optional int32 status (INT(16,true));
}`
	if diff := cmp.Diff(want, r.pq.Schema().String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, g := range r.pq.Metadata().RowGroups {
		for _, c := range g.Columns {
			for _, e := range c.MetaData.Encoding {
				if s := e.String(); s != "PLAIN" && s != "RLE" && s != "RLE_DICTIONARY" {
					t.Errorf("column %v is encoded as %s", c.MetaData.PathInSchema, s)
				}
			}
			if c.MetaData.Codec.String() != "ZSTD" {
				t.Errorf("column %v is compressed with %v", c.MetaData.PathInSchema, c.MetaData.Codec)
			}
		}
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

func TestOpenNamesTheColumn(t *testing.T) {
	type row struct {
		URL   string   `parquet:"url,plain"`
		N     int64    `parquet:"n"`
		Inner parent   `parquet:"inner"`
		List  []string `parquet:"list,list,plain"`
		Map   counts   `parquet:"map,map"`
	}
	path, _ := write(t, []row{{URL: "u", N: 5}}, Options{})
	check := func(name, want string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	_, err := Open[struct {
		X string `parquet:"extra,plain"`
	}](path)
	check("missing", "column extra is missing", err)
	_, err = Open[struct {
		Inner struct {
			X *int64 `parquet:"x"`
		} `parquet:"inner"`
	}](path)
	check("missing in a struct", "column inner.x is missing", err)
	_, err = Open[struct {
		N int32 `parquet:"n"`
	}](path)
	check("another width", "column n is", err)
	_, err = Open[struct {
		N string `parquet:"n,plain"`
	}](path)
	check("another type", "column n is", err)
	_, err = Open[struct {
		N *int64 `parquet:"n"`
	}](path)
	check("nullable", "column n is", err)
	_, err = Open[struct {
		N time.Time `parquet:"n"`
	}](path)
	check("timestamp", "column n is", err)
	_, err = Open[struct {
		List []int64 `parquet:"list,list"`
	}](path)
	check("list of another type", "column list is", err)
	_, err = Open[struct {
		List counts `parquet:"list,map"`
	}](path)
	check("map for a list", "column list is", err)
	_, err = Open[struct {
		URL parent `parquet:"url"`
	}](path)
	check("struct for a leaf", "column url is", err)

	got, err := readAll[struct {
		N int64 `parquet:"n"`
	}](path, 1)
	if err != nil || len(got) != 1 || got[0].N != 5 {
		t.Errorf("some of the columns: %v, %v", got, err)
	}
}

func TestSeekRange(t *testing.T) {
	type row struct {
		N     int64      `parquet:"n"`
		At    *time.Time `parquet:"at"`
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
			rows[i].At = ptr(time.UnixMilli(int64(-i)).UTC())
		}
		rows[i].Inner.N = ptr(int64(i / 30))
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

// readDamaged reads what there is to read. It must not panic.
func readDamaged(path string) error {
	r, err := Open[every](path)
	if err != nil {
		return err
	}
	defer r.Close()
	r.Metadata()
	if err := r.SeekRange("offset", 0, 1<<40); err != nil {
		return err
	}
	buf := make([]every, 64)
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
	path, _ := write(t, manyRows(700), Options{RowGroupRows: 300})
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
		r, err := Open[every](path)
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
			if got, err := readAll[every](damaged, 64); err == nil && !reflect.DeepEqual(want, got) {
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
		if _, err := Open[every](filepath.Dir(damaged)); err == nil {
			t.Error("a folder: no error")
		}
		if _, err := Open[every](damaged + ".not"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no file: %v", err)
		}
	})
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

func FuzzOpen(f *testing.F) {
	path, _ := write(f, manyRows(40), Options{RowGroupRows: 30})
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

type simple struct {
	Host    string    `parquet:"host,dict"`
	URL     string    `parquet:"url,plain"`
	Fetched time.Time `parquet:"fetched"`
	Status  *int16    `parquet:"status"`
	Offset  int64     `parquet:"offset"`
	Length  int64     `parquet:"length"`
	MIME    *string   `parquet:"mime,dict"`
	OK      bool      `parquet:"ok"`
}

func simpleRows(n int) []simple {
	types := []*string{ptr("text/html"), nil, ptr("text/plain")}
	rows := make([]simple, n)
	for i := range rows {
		host := fmt.Sprintf("www%d.example.com", i/20)
		rows[i] = simple{host, fmt.Sprintf("https://%s/path/%d", host, i), noon.Add(time.Duration(i) * time.Second),
			ptr(int16(200 + i%5)), int64(i) * 1000, int64(i % 9999), types[i%3], i%2 == 0}
	}
	return rows
}

// BenchmarkWrite writes a million simple rows a round.
func BenchmarkWrite(b *testing.B) {
	rows := simpleRows(1_000_000)
	dir := b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		w, err := Create[simple](filepath.Join(dir, "rows.parquet"), Options{})
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
	path, _ := write(b, simpleRows(n), Options{})
	buf := make([]simple, 1024)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open[simple](path)
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
