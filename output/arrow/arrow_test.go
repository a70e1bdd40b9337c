package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
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

type parent struct {
	ID *int64 `parquet:"id"`
}

type place struct {
	Line   int32    `parquet:"line"`
	Parent *parent  `parquet:"parent"`
	Tags   []string `parquet:"tags,list,optional,plain"`
}

type key struct {
	Host string `parquet:"host,dict"`
}

// every has a column of every kind.
type every struct {
	key
	URL        string      `parquet:"url,plain"`
	Title      *string     `parquet:"title,optional,plain"`
	Usage      usage       `parquet:"usage,dict"`
	Other      *usage      `parquet:"other,dict"`
	Small      int16       `parquet:"small"`
	Status     *int16      `parquet:"status"`
	Lines      int32       `parquet:"lines"`
	Errors     *int32      `parquet:"errors,dict"`
	Offset     int64       `parquet:"offset"`
	Length     *int64      `parquet:"length"`
	OK         bool        `parquet:"ok"`
	Selected   *bool       `parquet:"selected"`
	Body       []byte      `parquet:"body,optional,plain"`
	Digest     []byte      `parquet:"digest,dict"`
	Fetched    time.Time   `parquet:"fetched,timestamp(millisecond)"`
	Modified   *time.Time  `parquet:"modified"`
	Millis     int64       `parquet:"millis,timestamp"`
	Agents     []string    `parquet:"agents,list,dict"`
	Purposes   []usage     `parquet:"purposes,list,optional,dict"`
	Maybe      []*string   `parquet:"maybe,list,plain"`
	Numbers    []int32     `parquet:"numbers,list"`
	Qualifiers []qualifier `parquet:"qualifiers,list"`
	Skipped    [][]int64   `parquet:"-"`
	Place      *place      `parquet:"place"`
	Inner      place       `parquet:"inner"`
	ByStatus   counts      `parquet:"by_status,map"`
	ByType     counts      `parquet:"by_type,map,optional"`
	hidden     bool        // not exported: no column
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

	allowHidden = cmp.AllowUnexported(every{})
)

func manyRows(n int) []every {
	kinds := []every{fullRow, emptyRow, bareRow}
	rows := make([]every, n)
	for i := range rows {
		rows[i] = kinds[i%7%3]
		rows[i].URL = fmt.Sprintf("https://example.com/%d", i)
		if i%11 == 0 {
			rows[i].Agents = slices.Repeat([]string{"a", fmt.Sprint(i)}, 1+i%50)
		}
	}
	return rows
}

func appendStream[T any](t testing.TB, w io.Writer, rows []T, metadata map[string]string) {
	t.Helper()
	out, err := NewWriter[T](w, metadata)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func stream[T any](t testing.TB, rows []T) []byte {
	t.Helper()
	var b bytes.Buffer
	appendStream(t, &b, rows, nil)
	return b.Bytes()
}

func readStream[T any](in io.Reader) ([]T, error) {
	r, err := NewReader[T](in)
	if err != nil {
		return nil, err
	}
	var all []T
	for {
		rows, err := r.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		if len(rows) == 0 {
			return all, errors.New("Read gave no rows and no error")
		}
		all = append(all, rows...)
	}
}

func TestRoundTrip(t *testing.T) {
	tests := map[string][]every{
		"no rows":                    nil,
		"everything set":             {fullRow},
		"everything null or zero":    {emptyRow},
		"everything there but empty": {bareRow},
		"all three":                  {emptyRow, fullRow, bareRow, fullRow, emptyRow},
		"several batches":            manyRows(2*batchRows + 1),
	}
	for name, rows := range tests {
		t.Run(name, func(t *testing.T) {
			b := stream(t, rows)
			readers := map[string]io.Reader{
				"whole":        bytes.NewReader(b),
				"half at once": iotest.HalfReader(bytes.NewReader(b)),
				"with the end": iotest.DataErrReader(bytes.NewReader(b)),
			}
			for name, in := range readers {
				got, err := readStream[every](in)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if diff := diff(rows, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestWriteNormalises(t *testing.T) {
	row := every{
		URL:      "a\xff\xfeb\x80",
		Agents:   []string{"\xc3"},
		Fetched:  noon.In(time.FixedZone("CEST", 7200)).Add(999 * time.Microsecond),
		Body:     []byte("\xff"),
		ByStatus: counts{{"b", 1}, {"\xff", 2}, {"a", 3}, {"\xfe", 4}, {"b", 5}},
	}
	before := slices.Clone(row.ByStatus)
	got, err := readStream[every](bytes.NewReader(stream(t, []every{row})))
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
	rows := manyRows(batchRows + 100)
	metadata := map[string]string{"schema": "1", "rules": "2", "a": "", "z": "z"}
	var want bytes.Buffer
	appendStream(t, &want, rows, metadata)
	for _, split := range []int{1, 1000, batchRows - 1, batchRows + 1} {
		t.Run(fmt.Sprintf("in writes of %d rows", split), func(t *testing.T) {
			var got bytes.Buffer
			w, err := NewWriter[every](&got, metadata)
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
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Error("other bytes")
			}
		})
	}
}

func TestStreamsFollowOneAnother(t *testing.T) {
	var pipe bytes.Buffer
	first, second := manyRows(batchRows+1), []key{{"a"}, {"b"}}
	appendStream(t, &pipe, first, map[string]string{"table": "first"})
	appendStream(t, &pipe, second, map[string]string{"table": "second"})
	appendStream[key](t, &pipe, nil, nil)
	appendStream(t, &pipe, second, nil)

	in := iotest.HalfReader(&pipe)
	got1, err := readStream[every](in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := diff(first, got1); diff != "" {
		t.Errorf("first stream (-want +got):\n%s", diff)
	}
	for i, want := range [][]key{second, nil, second} {
		got, err := readStream[key](in)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stream %d (-want +got):\n%s", i+2, diff)
		}
	}
	if _, err := NewReader[key](in); err != io.EOF {
		t.Errorf("after the last stream: %v, want EOF itself", err)
	}
}

func TestReadStopsAtTheEndMarker(t *testing.T) {
	const rest = "what follows"
	in := strings.NewReader(string(stream(t, []key{{"a"}})) + rest)
	if _, err := readStream[key](in); err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(in); string(got) != rest {
		t.Errorf("left on the reader: %q, want %q", got, rest)
	}
}

func TestMetadata(t *testing.T) {
	want := map[string]string{"schema_version": "3", "empty": ""}
	var b bytes.Buffer
	appendStream(t, &b, []key{{"a"}}, want)
	r, err := NewReader[key](&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.Metadata()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSchema(t *testing.T) {
	got, err := Schema[every]()
	if err != nil {
		t.Fatal(err)
	}
	place := "struct<line: int32, parent: struct<id: int64?>?, tags: list<string>?>"
	want := []Column{ // as in the test of output/parquet
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

func TestNewReaderNamesTheColumn(t *testing.T) {
	type row struct {
		URL   string   `parquet:"url,plain"`
		N     int64    `parquet:"n"`
		Inner parent   `parquet:"inner"`
		List  []string `parquet:"list,list,plain"`
		Map   counts   `parquet:"map,map"`
		Null  *int64   `parquet:"null"`
	}
	b := stream(t, []row{{URL: "u", N: 5}})
	check := func(name, want string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	_, err := readStream[struct {
		X string `parquet:"extra,plain"`
	}](bytes.NewReader(b))
	check("missing", "column extra is missing", err)
	_, err = readStream[struct {
		Inner struct {
			X *int64 `parquet:"x"`
		} `parquet:"inner"`
	}](bytes.NewReader(b))
	check("missing in a struct", "column inner.x is missing", err)
	_, err = readStream[struct {
		N int32 `parquet:"n"`
	}](bytes.NewReader(b))
	check("another width", "column n is int64, not int32", err)
	_, err = readStream[struct {
		N time.Time `parquet:"n"`
	}](bytes.NewReader(b))
	check("timestamp", "column n is int64, not timestamp[ms, UTC]", err)
	_, err = readStream[struct {
		List []int64 `parquet:"list,list"`
	}](bytes.NewReader(b))
	check("list of another type", "column list is string, not int64", err)
	_, err = readStream[struct {
		List counts `parquet:"list,map"`
	}](bytes.NewReader(b))
	check("map for a list", "column list is list<string>, not map<string, int64>", err)
	_, err = readStream[struct {
		Map []count `parquet:"map,list"`
	}](bytes.NewReader(b))
	check("list for a map", "column map is map<string, int64>, not list", err)
	_, err = readStream[struct {
		URL parent `parquet:"url"`
	}](bytes.NewReader(b))
	check("struct for a leaf", "column url is string, not struct", err)
	_, err = readStream[struct {
		Null int64 `parquet:"null"`
	}](bytes.NewReader(b))
	check("null where none may be", "column null is null", err)

	got, err := readStream[struct {
		N *int64 `parquet:"n"`
	}](bytes.NewReader(b))
	if err != nil || len(got) != 1 || *got[0].N != 5 {
		t.Errorf("some of the columns, nullable in T only: %v, %v", got, err)
	}
}

type loop struct {
	Next *loop `parquet:"next"`
}

func TestTagsThatCannotBe(t *testing.T) {
	tests := map[string]struct {
		row  any
		want string // in the error
	}{
		"no tag": {struct{ URL string }{}, "field URL"},
		"slice without an option": {struct {
			A []int64 `parquet:"a"`
		}{}, "column a"},
		"Go map": {struct {
			A map[string]int64 `parquet:"a,map"`
		}{}, "column a"},
		"map of other columns": {struct {
			A []qualifier `parquet:"a,map"`
		}{}, "column a"},
		"optional value": {struct {
			A int64 `parquet:"a,optional"`
		}{}, "column a"},
		"pointer to a slice": {struct {
			A *[]byte `parquet:"a,plain"`
		}{}, "column a"},
		"float in a struct": {struct {
			A struct {
				B float64 `parquet:"b"`
			} `parquet:"a"`
		}{}, "column a.b"},
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
			_, err := columnsOf(reflect.TypeOf(tt.row))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := NewWriter[struct{ URL string }](io.Discard, nil); err == nil {
		t.Error("NewWriter: no error")
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

// foreign makes a stream of one column as another program might.
func foreign(t *testing.T, field arrow.Field, values string, opts ...ipc.Option) []byte {
	t.Helper()
	column, _, err := array.FromJSON(memory.DefaultAllocator, field.Type, strings.NewReader(values))
	if err != nil {
		t.Fatal(err)
	}
	schema := arrow.NewSchema([]arrow.Field{field}, nil)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, append(opts, ipc.WithSchema(schema))...)
	if err := w.Write(array.NewRecord(schema, []arrow.Array{column}, int64(column.Len()))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestForeignStreams(t *testing.T) {
	type row struct {
		N int64 `parquet:"n"`
	}
	nullable := arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}
	if got, err := readStream[row](bytes.NewReader(foreign(t, nullable, "[1, 2]"))); err != nil || len(got) != 2 {
		t.Errorf("nullable, without nulls: %v, %v", got, err)
	}
	_, err := readStream[row](bytes.NewReader(foreign(t, nullable, "[1, null]")))
	if err == nil || !strings.Contains(err.Error(), "column n is null") {
		t.Errorf("nullable, with a null: %v", err)
	}
	_, err = readStream[row](bytes.NewReader(foreign(t, nullable, "[1]", ipc.WithZstd())))
	if err == nil || !strings.Contains(err.Error(), "compressed") {
		t.Errorf("compressed: %v", err)
	}
	dictionary := arrow.Field{Name: "s", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}}
	_, err = readStream[key](bytes.NewReader(foreign(t, dictionary, `["a"]`)))
	if err == nil || !strings.Contains(err.Error(), `column "s" is dictionary-encoded`) {
		t.Errorf("dictionary: %v", err)
	}
	large := arrow.Field{Name: "s", Type: arrow.BinaryTypes.LargeString}
	_, err = readStream[key](bytes.NewReader(foreign(t, large, `["a"]`)))
	if err == nil || !strings.Contains(err.Error(), `column "s"`) {
		t.Errorf("large string: %v", err)
	}
}

func TestTruncatedStreams(t *testing.T) {
	b := stream(t, manyRows(20))
	for n := range b {
		_, err := readStream[every](bytes.NewReader(b[:n]))
		switch {
		case n == 0 && err != io.EOF:
			t.Errorf("no bytes: %v, want EOF", err)
		case n > 0 && !errors.Is(err, io.ErrUnexpectedEOF):
			t.Fatalf("%d of %d bytes: %v, want an unexpected EOF", n, len(b), err)
		}
	}
}

func TestMutatedStreams(t *testing.T) {
	b := stream(t, manyRows(20))
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		bad := bytes.Clone(b)
		for range 1 + random.IntN(4) {
			// Most of the time in the metadata, which comes first.
			limit := len(b)
			if random.IntN(4) > 0 {
				limit = 6000
			}
			i := random.IntN(limit)
			switch random.IntN(3) {
			case 0:
				bad[i] ^= 1 << random.IntN(8)
			case 1:
				bad[i] = 0xff
			default:
				if i+8 <= len(bad) {
					binary.LittleEndian.PutUint64(bad[i:], random.Uint64()>>random.IntN(64))
				}
			}
		}
		readStream[every](bytes.NewReader(bad)) // an error or rows, never a panic
	}
}

func TestHostileLengths(t *testing.T) {
	tests := map[string][]byte{
		"not a stream":       []byte("WARC/1.0\r\nWARC-Type: response\r\n"),
		"metadata of 4 GiB":  {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3},
		"metadata of 8 MiB":  {0xff, 0xff, 0xff, 0xff, 0, 0, 0x80, 0, 1, 2, 3},
		"end marker alone":   {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0},
		"metadata of zeros":  append([]byte{0xff, 0xff, 0xff, 0xff, 16, 0, 0, 0}, make([]byte, 16)...),
		"metadata too short": {0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 1},
	}
	for name, b := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := readStream[key](bytes.NewReader(b)); err == nil || err == io.EOF {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestChecker changes single numbers in the metadata of a batch.
func TestChecker(t *testing.T) {
	b := stream(t, []key{{"aaaaaaaa"}})
	batch := b[8+binary.LittleEndian.Uint32(b[4:]):] // after the schema
	meta := batch[8 : 8+binary.LittleEndian.Uint32(batch[4:])]
	want := layout{nodes: 1, buffers: 3}
	var got layout
	if _, err := checkMessage(b[8:8+binary.LittleEndian.Uint32(b[4:])], &got); err != nil || got != want {
		t.Fatalf("the schema: %+v, %v, want %+v", got, err, want)
	}
	body, err := checkMessage(meta, &want)
	if err != nil || body == 0 {
		t.Fatalf("a good batch: %d, %v", body, err)
	}
	c := &checker{b: meta, budget: len(meta)}
	msg := c.follow(0)
	content := c.table(msg, 2)
	nodes, _ := c.vector(content, 1, 16)
	buffers, n := c.vector(content, 2, 16)
	tests := map[string]struct {
		at    int
		value int64
		want  string
	}{
		"fewer columns":      {nodes - 4, 0, "columns"},
		"fewer buffers":      {buffers - 4, 2, "buffers"},
		"negative body":      {c.slot(msg, 3), -1, "body"},
		"body of an exabyte": {c.slot(msg, 3), 1 << 60, "body"},
		"negative rows":      {c.slot(content, 0), -1, "rows"},
		"negative length":    {nodes, -1, "values"},
		"length of 2^60":     {nodes, 1 << 60, "values"},
		"more nulls":         {nodes + 8, 1 << 40, "null"},
		"negative offset":    {buffers + 16*(n-1), -8, "buffers"},
		"offset overflows":   {buffers + 16*(n-1), 1<<63 - 4, "buffers"},
		"buffer past body":   {buffers + 16*(n-1) + 8, body + 1, "buffers"},
		"buffers overlap":    {buffers + 16*(n-2) + 8, body, "buffers"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bad := bytes.Clone(meta)
			if strings.HasPrefix(name, "fewer") { // the length of a vector
				binary.LittleEndian.PutUint32(bad[tt.at:], uint32(tt.value))
			} else {
				binary.LittleEndian.PutUint64(bad[tt.at:], uint64(tt.value))
			}
			if _, err := checkMessage(bad, &want); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestSchemaWithoutEnd(t *testing.T) {
	deep := arrow.Field{Name: "s", Type: arrow.BinaryTypes.String}
	for range maxFieldDepth + 1 {
		deep = arrow.Field{Name: "s", Type: arrow.StructOf(deep)}
	}
	wide := make([]arrow.Field, maxFields+1)
	for i := range wide {
		wide[i] = arrow.Field{Name: "s", Type: arrow.PrimitiveTypes.Int64}
	}
	for name, fields := range map[string][]arrow.Field{"deep": {deep}, "wide": wide} {
		var b bytes.Buffer
		w := ipc.NewWriter(&b, ipc.WithSchema(arrow.NewSchema(fields, nil)))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := NewReader[key](&b); err == nil || !strings.Contains(err.Error(), "too many fields") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzReader(f *testing.F) {
	b := stream(f, []every{fullRow, emptyRow, bareRow})
	f.Add(b)
	f.Add(b[:len(b)-8])
	f.Add(stream(f, []key{{"a"}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := bytes.NewReader(b)
		for range 10 { // as many streams as there are; an error or rows, never a panic
			if _, err := readStream[every](in); err != nil {
				break
			}
		}
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
	b.ReportAllocs()
	for b.Loop() {
		w, err := NewWriter[simple](io.Discard, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(w.Write(rows), w.Close()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkRead reads them back.
func BenchmarkRead(b *testing.B) {
	const n = 1_000_000
	in := stream(b, simpleRows(n))
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReader[simple](bytes.NewReader(in))
		for err == nil {
			_, err = r.Read()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
}
