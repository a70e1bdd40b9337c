// Package rowtest has the rows with which every codec is tested: a row type with
// a column of every kind, and rows of it that are full, empty, or in need of
// tidying. Only tests may import it.
//
// What a row holds is shared between the rows that are handed out, and must not be
// changed.
package rowtest

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Every has a column of every kind, with null allowed and not.
type Every struct {
	key
	URL        string              `parquet:"url,plain"`
	Title      *string             `parquet:"title,optional,plain"`
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
	Modified   *time.Time          `parquet:"modified,timestamp"`
	Millis     int64               `parquet:"millis,timestamp"`
	Agents     []string            `parquet:"agents,list,dict"`
	Purposes   []usage             `parquet:"purposes,list,optional,dict"`
	Maybe      []*string           `parquet:"maybe,list,plain"`
	Numbers    []int32             `parquet:"numbers,list"`
	Qualifiers []Qualifier         `parquet:"qualifiers,list"`
	Skipped    [][]int64           `parquet:"-"`
	Place      *place              `parquet:"place"`
	Inner      place               `parquet:"inner"`
	ByStatus   Counts              `parquet:"by_status"`
	ByType     Counts              `parquet:"by_type,optional"`
	_          map[string]struct{} // not exported: no column
}

type (
	// key is embedded although it is not exported: its field is a column.
	key struct {
		Host string `parquet:"host,dict"`
	}
	usage string
	place struct {
		Line   int32    `parquet:"line"`
		Parent *Parent  `parquet:"parent"`
		Tags   []string `parquet:"tags,list,optional,plain"`
	}
	// Parent is a struct that may be there with nothing in it but null.
	Parent struct {
		ID *int64 `parquet:"id"`
	}
	// Qualifier is an element of a list of structs.
	Qualifier struct {
		Name  string  `parquet:"name,dict"`
		Value *string `parquet:"value,plain"`
	}
	// Counts is a map.
	Counts map[string]int64
)

// Diff is cmp.Diff, which is slow with many rows that are alike.
func Diff(want, got []Every) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, cmp.AllowUnexported(Every{}))
}

var noon = time.Date(2024, 5, 18, 12, 0, 0, 123_000_000, time.UTC)

// Full returns a row with a value in every column that is neither null nor empty.
func Full() Every {
	return Every{
		key: key{Host: "example.com"}, URL: "https://example.com/", Title: new("T"), Usage: "allow",
		Other: new(usage("deny")), Small: -3, Status: new(int16(404)), Lines: 1 << 30, Errors: new(int32(-1)),
		Offset: 1 << 40, Length: new(int64(-1 << 60)), OK: true, Selected: new(false), Body: []byte("\x00\xff body"),
		Digest: []byte{1}, Fetched: noon, Modified: new(noon.Add(time.Hour)), Millis: noon.UnixMilli(),
		Agents: []string{"*", "CCBot", ""}, Purposes: []usage{"index", "show"}, Maybe: []*string{nil, new("x"), nil},
		Numbers: []int32{3, 1, 2}, Qualifiers: []Qualifier{{"a", new("1")}, {"b", nil}},
		Place: &place{Line: 7, Parent: &Parent{ID: new(int64(9))}, Tags: []string{"t"}},
		Inner: place{Line: 8, Parent: &Parent{}, Tags: []string{}}, ByStatus: Counts{"200": 3, "404": 1},
		ByType: Counts{"text/html": 4},
	}
}

// Empty returns a row with the zero value where null is not allowed, and null
// elsewhere.
func Empty() Every { return Every{Fetched: time.UnixMilli(0).UTC(), Digest: []byte{}} }

// Bare returns a row with things that are there and empty.
func Bare() Every {
	return Every{
		Fetched: noon, Digest: []byte{}, Title: new(""), Other: new(usage("")), Status: new(int16(0)),
		Errors: new(int32(0)), Length: new(int64(0)), Selected: new(false), Body: []byte{},
		Modified: new(time.UnixMilli(0).UTC()), Purposes: []usage{}, Place: &place{}, ByType: Counts{},
	}
}

// Many returns n rows, of which no two have the same URL. Offset counts them.
func Many(n int) []Every {
	kinds := []Every{Full(), Empty(), Bare()}
	rows := make([]Every, n)
	for i := range rows {
		rows[i] = kinds[i%7%3]
		rows[i].URL = fmt.Sprintf("https://example.com/%d", i)
		rows[i].Offset = int64(i)
		if i%11 == 0 {
			rows[i].Agents = slices.Repeat([]string{"a", fmt.Sprint(i)}, 1+i%50)
		}
	}
	return rows
}

// Untidy returns a row that is not written as it is, and what it is when it has
// been written and read.
func Untidy() (row, tidy Every) {
	row = Every{
		URL:      "a\xff\xfeb\x80",
		Agents:   []string{"\xc3"},
		Numbers:  []int32{},
		Fetched:  noon.In(time.FixedZone("CEST", 7200)).Add(999 * time.Microsecond),
		Body:     []byte("\xff"),
		ByStatus: Counts{"b": 6, "\xff": 2, "a": 3, "\xfe": 4},
	}
	tidy = Every{
		URL:      "a\uFFFDb\uFFFD",
		Agents:   []string{"\uFFFD"},
		Fetched:  noon,
		Body:     []byte("\xff"),
		Digest:   []byte{},
		ByStatus: Counts{"a": 3, "b": 6, "\uFFFD": 6},
	}
	return row, tidy
}
