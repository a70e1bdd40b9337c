package arrow

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/output/rowtype"
	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	"github.com/acapscan/acapscan/output/table"
	"github.com/google/go-cmp/cmp"
)

// schema lists the columns of a row type as the Arrow schema of a stream has them.
func schema[T any](t *testing.T) (columns []rowtype.Declaration) {
	t.Helper()
	root, err := columnsOf(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fieldsOf(root) {
		columns = append(columns, rowtype.Declaration{Name: f.Name, Type: typeName(f.Type), Nullable: f.Nullable})
	}
	return columns
}

func TestSchema(t *testing.T) {
	if diff := cmp.Diff(rowtest.Columns(), schema[rowtest.Every](t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTablesHaveTheDocumentedColumns(t *testing.T) {
	for name, got := range map[table.Name][]rowtype.Declaration{
		table.Inputs: schema[table.Input](t), table.RobotsTxt: schema[table.Robots](t),
		table.Pages: schema[table.Page](t), table.Directives: schema[table.Directive](t),
		table.Adoptions: schema[table.Adoption](t), table.Permissions: schema[table.Permission](t),
		table.Conflicts: schema[table.Conflict](t),
	} {
		d, _ := table.Lookup(name)
		var want []rowtype.Declaration
		for _, c := range d.Columns() {
			want = append(want, rowtype.Declaration{Name: c.Name, Type: string(c.Type), Nullable: c.Nullable})
		}
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
			t.Errorf("%s (-documented +Arrow):\n%s", name, diff)
		}
	}
}

func TestNewReaderNamesTheColumn(t *testing.T) {
	type row struct {
		URL   string         `parquet:"url,plain"`
		N     int64          `parquet:"n"`
		Inner rowtest.Parent `parquet:"inner"`
		List  []string       `parquet:"list,list,plain"`
		Map   rowtest.Counts `parquet:"map"`
		Null  *int64         `parquet:"null"`
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
		N time.Time `parquet:"n,timestamp"`
	}](bytes.NewReader(b))
	check("timestamp", "column n is int64, not timestamp[ms, UTC]", err)
	_, err = readStream[struct {
		List []int64 `parquet:"list,list"`
	}](bytes.NewReader(b))
	check("list of another type", "column list is string, not int64", err)
	_, err = readStream[struct {
		List rowtest.Counts `parquet:"list"`
	}](bytes.NewReader(b))
	check("map for a list", "column list is list<string>, not map<string, int64>", err)
	_, err = readStream[struct {
		Map []rowtest.Qualifier `parquet:"map,list"`
	}](bytes.NewReader(b))
	check("list for a map", "column map is map<string, int64>, not list", err)
	_, err = readStream[struct {
		URL rowtest.Parent `parquet:"url"`
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

func TestNewWriterRefusesTags(t *testing.T) {
	_, err := NewWriter[struct {
		A int64 `parquet:"n,optional"`
	}](io.Discard, nil)
	if err == nil || !strings.Contains(err.Error(), "column n") {
		t.Errorf("error %v, want one about column n", err)
	}
	if _, err := NewWriter[string](io.Discard, nil); err == nil || !strings.Contains(err.Error(), "must be structs") {
		t.Errorf("no struct: %v", err)
	}
}

func TestStringsNeedNoEncoding(t *testing.T) {
	type row struct {
		Text string `parquet:"text"`
	}
	want := []row{{"a"}, {""}}
	got, err := readStream[row](bytes.NewReader(stream(t, want)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
