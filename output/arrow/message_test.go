package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

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
	dictionary := arrow.Field{Name: "s", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8,
		ValueType: arrow.BinaryTypes.String}}
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
	b := stream(t, rowtest.Many(20))
	for n := range b {
		_, err := readStream[rowtest.Every](bytes.NewReader(b[:n]))
		switch {
		case n == 0 && err != io.EOF:
			t.Errorf("no bytes: %v, want EOF", err)
		case n > 0 && !errors.Is(err, io.ErrUnexpectedEOF):
			t.Fatalf("%d of %d bytes: %v, want an unexpected EOF", n, len(b), err)
		}
	}
}

func TestMutatedStreams(t *testing.T) {
	b := stream(t, rowtest.Many(20))
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
		readStream[rowtest.Every](bytes.NewReader(bad)) // an error or rows, never a panic
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
	b := stream(f, []rowtest.Every{rowtest.Full(), rowtest.Empty(), rowtest.Bare()})
	f.Add(b)
	f.Add(b[:len(b)-8])
	f.Add(stream(f, []key{{"a"}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := bytes.NewReader(b)
		for range 10 { // as many streams as there are; an error or rows, never a panic
			if _, err := readStream[rowtest.Every](in); err != nil {
				break
			}
		}
	})
}
