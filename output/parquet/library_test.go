package parquet

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/output/columns"
	"github.com/acapscan/acapscan/output/rowtype"
	pq "github.com/parquet-go/parquet-go"
)

// ofLibrary returns the file that the writer of the Parquet library makes of rows, with batches as ours.
func ofLibrary[T any](t *testing.T, rows []T, opts Options) []byte {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	config := pq.DefaultWriterConfig()
	config.Schema = pq.SchemaOf(new(T))
	held, err := columns.New[T]()
	check(err)
	for i := range rows {
		held.Append(&rows[i])
	}
	w, err := Create[T](t.TempDir()+"/schema", opts)
	check(err)
	config.Schema = pq.NewSchema("row", groupOf(w.out.tree.Root.Children))
	config.CreatedBy, config.KeyValueMetadata = w.opts.CreatedBy, opts.Metadata
	config.Compression, config.PageBufferSize = usualCodec, w.opts.PageBytes
	config.DictionaryMaxBytes, config.DataPageStatistics = dictionaryBytes, false
	check(w.Abort())
	out := pq.NewGenericWriter[T](&file, settings{config})
	texts := make([]int, len(held.Leaves()))
	group, groupBytes, from := 0, int64(0), 0
	batchBytesSoFar := int64(0)
	for i := range rows {
		size := int64(held.RowBytes()[i])
		group, groupBytes, batchBytesSoFar = group+1, groupBytes+size, batchBytesSoFar+size
		full := group >= w.opts.RowGroupRows || groupBytes >= w.opts.RowGroupBytes
		if !full && i+1-from < batchRows && batchBytesSoFar < batchBytes && i+1 < len(rows) {
			continue
		}
		_, err := out.Write(rows[from : i+1])
		check(err)
		for n, l := range held.Leaves() {
			if l.Node.Encoding != rowtype.EncodingDict || l.Node.Kind != rowtype.String {
				continue
			}
			for row := from; row <= i; row++ {
				for e, to := l.Entries(uint32(row)); e < to; e++ {
					if l.Defs() == nil || int(l.Defs()[e]) == l.Node.Def {
						texts[n] += len(l.Text(l.Words()[e]))
					}
				}
			}
			if texts[n] >= dictionaryBytes {
				check(out.ColumnWriters()[n].Flush())
				texts[n] = 0
			}
		}
		from, batchBytesSoFar = i+1, 0
		if full {
			check(out.Flush())
			group, groupBytes = 0, 0
			clear(texts)
		}
	}
	check(out.Close())
	return file.Bytes()
}

type settings struct{ config *pq.WriterConfig }

func (s settings) ConfigureWriter(config *pq.WriterConfig) { *config = *s.config }

// A mixed row has columns of every kind but []byte and maps that may be null: nulls among these are lost by the library
// (parquet-go v0.32.0, writeRowsFuncOfOptional).
type mixed struct {
	Host     string     `parquet:"host,plain"`
	TLD      *string    `parquet:"tld,optional,dict"`
	Word     string     `parquet:"word,dict"`
	Raw      *string    `parquet:"raw,optional,plain"`
	Fetched  *time.Time `parquet:"fetched,optional,timestamp(millisecond)"`
	Status   *int16     `parquet:"status,optional"`
	Line     int32      `parquet:"line"`
	Offset   *int64     `parquet:"offset,optional"`
	Count    int64      `parquet:"count"`
	Selected bool       `parquet:"selected"`
	Blocked  *bool      `parquet:"blocked,optional"`
	Agents   []string   `parquet:"agents,list,dict"`
	IDs      []string   `parquet:"ids,list,plain"`
	Pairs    []struct {
		Name  string `parquet:"name,dict"`
		Value string `parquet:"value,plain"`
	} `parquet:"pairs,list"`
	Counts map[string]int64 `parquet:"counts"`
	Never  *string          `parquet:"never,optional,dict"`
	Nil    *int64           `parquet:"nil,optional"`
}

func mixedRows(n int, long int) []mixed {
	r := rand.New(rand.NewPCG(uint64(n), uint64(long)))
	pick := func(n int) int { return r.IntN(n) }
	rows := make([]mixed, n)
	for i := range rows {
		row := &rows[i]
		row.Host, row.Word = fmt.Sprintf("www%d.example", i/3), fmt.Sprint("word", pick(7))
		row.Line, row.Count, row.Selected = int32(pick(1000)-500), int64(pick(1e9))-5e8, pick(2) == 0
		if pick(3) > 0 {
			row.TLD, row.Raw = new("tld"), new(strings.Repeat(fmt.Sprint("raw", i), 1+pick(long)))
			row.Word = strings.Repeat(fmt.Sprint(pick(n)), 1+pick(long))
			row.Status, row.Offset, row.Blocked = new(int16(pick(600))), new(int64(i)*900), new(pick(2) == 0)
			row.Fetched = new(time.UnixMilli(1_500_000_000_000 + int64(pick(1e6))).UTC())
		}
		for range pick(4) {
			row.Agents = append(row.Agents, fmt.Sprint("bot", pick(40)))
			row.IDs = append(row.IDs, fmt.Sprint(pick(9999)))
		}
		for range max(0, pick(9)-6) {
			row.Pairs = append(row.Pairs, struct {
				Name  string `parquet:"name,dict"`
				Value string `parquet:"value,plain"`
			}{fmt.Sprint("name", pick(3)), ""})
		}
		if pick(2) == 0 {
			row.Counts = map[string]int64{"a": int64(i), "b": 1, fmt.Sprint(pick(30)): 3}
		}
	}
	return rows
}

// TestAsTheLibrary: our files have the bytes that the writer of the library makes.
func TestAsTheLibrary(t *testing.T) {
	for _, tt := range []struct {
		n, long int
		opts    Options
	}{
		{n: 0, long: 1}, {n: 1, long: 1}, {n: 2, long: 3}, {n: 64, long: 2}, {n: 300, long: 3},
		{n: 5000, long: 4, opts: Options{Metadata: map[string]string{"b": "2", "a": "1"}, CreatedBy: "x version 1"}},
		{n: 5000, long: 10, opts: Options{PageBytes: 3000}},
		{n: 4000, long: 40, opts: Options{RowGroupRows: 700, PageBytes: 10_000}},
		{n: 4000, long: 40, opts: Options{RowGroupBytes: 300_000, PageBytes: 20_000}},
		{n: 6000, long: 900},
	} {
		t.Run(fmt.Sprintf("%d rows, %+v", tt.n, tt.opts), func(t *testing.T) {
			rows := mixedRows(tt.n, tt.long)
			want := ofLibrary(t, rows, tt.opts)
			path, _ := write(t, rows, tt.opts)
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, got) {
				at := 0
				for at < min(len(want), len(got)) && want[at] == got[at] {
					at++
				}
				t.Errorf("%d bytes, want %d; different from byte %d on", len(got), len(want), at)
			}
		})
	}
}
