package rowtype_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/output/rowtype"
	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	"github.com/google/go-cmp/cmp"
)

// found is what a test looks at of a column.
type found struct {
	Path     string
	Kind     rowtype.Kind
	Encoding rowtype.Encoding
	Optional bool
	Pointer  bool
	Type     string
	Index    []int
}

func TestOfFindsColumns(t *testing.T) {
	type host struct {
		Host string `parquet:"host,dict"`
	}
	type counts map[string]int64
	type row struct {
		Left out `parquet:"-"`
		host
		_        float64    // not exported: no column
		URL      *string    `parquet:"url,plain"`
		Fetched  *time.Time `parquet:"fetched,timestamp"`
		Millis   []int64    `parquet:"millis,list,timestamp"`
		Body     []byte     `parquet:"body,optional,dict"`
		Hosts    []*host    `parquet:"hosts,list,optional"`
		Names    [][]string `parquet:"-"`
		ByStatus counts     `parquet:"by_status,optional"`
		Named    host       `parquet:"named"`
		OK       bool       `parquet:"ok,plain"`
		Small    int16      `parquet:"small,dict"`
	}
	root, err := rowtype.Of(reflect.TypeFor[row]())
	if err != nil {
		t.Fatal(err)
	}
	var got []found
	var walk func(c *rowtype.Column)
	walk = func(c *rowtype.Column) {
		got = append(got, found{c.Path, c.Kind, c.Encoding, c.Optional, c.Pointer, c.Type.String(), c.Index})
		for _, child := range c.Children {
			walk(child)
		}
	}
	for _, c := range root.Children {
		walk(c)
	}
	const unset, plain, dict = rowtype.EncodingUnset, rowtype.EncodingPlain, rowtype.EncodingDict
	want := []found{
		{"host", rowtype.String, dict, false, false, "string", []int{1, 0}},
		{"url", rowtype.String, plain, true, true, "string", []int{3}},
		{"fetched", rowtype.Timestamp, unset, true, true, "time.Time", []int{4}},
		{"millis", rowtype.List, unset, false, false, "[]int64", []int{5}},
		{"millis", rowtype.Timestamp, unset, false, false, "int64", nil},
		{"body", rowtype.Bytes, dict, true, false, "[]uint8", []int{6}},
		{"hosts", rowtype.List, unset, true, false, "[]*rowtype_test.host", []int{7}},
		{"hosts", rowtype.Struct, unset, true, true, "rowtype_test.host", nil},
		{"hosts.host", rowtype.String, dict, false, false, "string", []int{0}},
		{"by_status", rowtype.Map, unset, true, false, "rowtype_test.counts", []int{9}},
		{"by_status.key", rowtype.String, dict, false, false, "string", nil},
		{"by_status.value", rowtype.Int64, unset, false, false, "int64", nil},
		{"named", rowtype.Struct, unset, false, false, "rowtype_test.host", []int{10}},
		{"named.host", rowtype.String, dict, false, false, "string", []int{0}},
		{"ok", rowtype.Bool, plain, false, false, "bool", []int{11}},
		{"small", rowtype.Int16, dict, false, false, "int16", []int{12}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

// out is a type that no column can have.
type out chan int

type loop struct {
	Next *loop `parquet:"next"`
}

func TestOfRefuses(t *testing.T) {
	tests := map[string]struct {
		row  any
		want string // in the error
	}{
		"map of other keys": {struct {
			A map[int64]int64 `parquet:"a"`
		}{}, "column a: a map must be of string to int64, not map[int64]int64"},
		"map of other values": {struct {
			A map[string]string `parquet:"a"`
		}{}, "column a: a map must be of string to int64, not map[string]string"},
		"pointer to a map": {struct {
			A *map[string]int64 `parquet:"a"`
		}{}, "column a: a pointer to map[string]int64 has two ways to be null"},
		"map as a list": {struct {
			A map[string]int64 `parquet:"a,list"`
		}{}, "column a: the option list needs a slice, not map[string]int64"},
		"time without the option": {struct {
			A *time.Time `parquet:"a"`
		}{}, "column a: a time.Time needs the option timestamp"},
		"two encodings": {struct {
			A string `parquet:"a,dict,plain"`
		}{}, "column a: the tag chooses an encoding twice"},
		"encoding of older readers' undoing": {struct {
			A string `parquet:"a,delta"`
		}{}, `column a: unknown tag option "delta"`},
		"no tag": {struct{ URL string }{}, "field URL"},
		"no name": {struct {
			URL string `parquet:",dict"`
		}{}, "field URL"},
		"slice without an option": {struct {
			A []int64 `parquet:"a"`
		}{}, "column a: a slice needs the option list"},
		"list of lists": {struct {
			A [][]int64 `parquet:"a,list"`
		}{}, "column a: a slice needs the option list"},
		"optional value": {struct {
			A int64 `parquet:"a,optional"`
		}{}, "column a: optional needs a pointer"},
		"pointer to a slice": {struct {
			A *[]byte `parquet:"a,plain"`
		}{}, "column a: a pointer to []uint8"},
		"pointer to a pointer": {struct {
			A **int64 `parquet:"a"`
		}{}, "column a: type *int64"},
		"list of no slice": {struct {
			A int64 `parquet:"a,list"`
		}{}, "column a: the option list needs a slice"},
		"option of another library": {struct {
			A []rowtest.Qualifier `parquet:"a,map"`
		}{}, `column a: unknown tag option "map"`},
		"timestamp of a string": {struct {
			A string `parquet:"a,plain,timestamp"`
		}{}, "column a: the option timestamp"},
		"microseconds": {struct {
			A int64 `parquet:"a,timestamp(microsecond)"`
		}{}, "column a: unknown tag option"},
		"float in a struct": {struct {
			A struct {
				B float64 `parquet:"b"`
			} `parquet:"a"`
		}{}, "column a.b: type float64"},
		"two columns of one name": {struct {
			A int64 `parquet:"a"`
			B int64 `parquet:"a"`
		}{}, "column a: two fields"},
		"type that contains itself": {loop{}, "nested too deeply"},
		"no columns":                {struct{}{}, "no columns"},
		"no struct":                 {"", "rows must be structs, not string"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := rowtype.Of(reflect.TypeOf(tt.row))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestDeclarations(t *testing.T) {
	root, err := rowtype.Of(reflect.TypeFor[rowtest.Every]())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rowtest.Columns(), root.Declarations()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzOf(f *testing.F) {
	types := []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[*string](), reflect.TypeFor[int64](), reflect.TypeFor[time.Time](),
		reflect.TypeFor[[]byte](), reflect.TypeFor[[]string](), reflect.TypeFor[rowtest.Counts](),
		reflect.TypeFor[*loop](),
	}
	f.Add("url,plain", byte(0))
	f.Add("title,optional,plain", byte(1))
	f.Add("at,timestamp(millisecond:utc)", byte(2))
	f.Add("agents,list,optional,dict", byte(5))
	f.Add("counts,optional", byte(6))
	f.Add("-", byte(7))
	f.Fuzz(func(t *testing.T, tag string, which byte) {
		field := reflect.StructField{Name: "A", Type: types[int(which)%len(types)],
			Tag: reflect.StructTag("parquet:" + strconv.Quote(tag))}
		root, err := rowtype.Of(reflect.StructOf([]reflect.StructField{field}))
		if err != nil {
			return
		}
		name, _, _ := strings.Cut(tag, ",")
		if got := root.Declarations(); len(got) != 1 || got[0].Name != name || got[0].Type == "" ||
			got[0].Nullable != root.Children[0].Optional {
			t.Errorf("tag %q of a %v gives %+v", tag, field.Type, got)
		}
	})
}
