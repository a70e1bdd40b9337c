package rowtype_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/acapscan/acapscan/output/rowtype"
	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	"github.com/google/go-cmp/cmp"
)

// columnOf returns the one column of a row type.
func columnOf[T any](t *testing.T) *rowtype.Column {
	t.Helper()
	root, err := rowtype.Of(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	if len(root.Children) != 1 {
		t.Fatalf("%d columns", len(root.Children))
	}
	return root.Children[0]
}

func TestValueIsNull(t *testing.T) {
	type number struct {
		N int64 `parquet:"n"`
	}
	type pointer struct {
		N *int64 `parquet:"n"`
	}
	type list struct {
		N []int64 `parquet:"n,list"`
	}
	type optionalList struct {
		N []int64 `parquet:"n,list,optional"`
	}
	tests := map[string]struct {
		column *rowtype.Column
		value  any
		want   any // nil for null
	}{
		"zero":                            {columnOf[number](t), int64(0), int64(0)},
		"pointer":                         {columnOf[pointer](t), new(int64(3)), int64(3)},
		"nil pointer":                     {columnOf[pointer](t), (*int64)(nil), nil},
		"nil slice that cannot be null":   {columnOf[list](t), []int64(nil), []int64(nil)},
		"nil slice that can be null":      {columnOf[optionalList](t), []int64(nil), nil},
		"empty slice that can be null":    {columnOf[optionalList](t), []int64{}, []int64{}},
		"slice with elements, not a null": {columnOf[optionalList](t), []int64{1}, []int64{1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			v, ok := tt.column.Value(reflect.ValueOf(tt.value))
			if ok != (tt.want != nil) {
				t.Fatalf("there is a value: %t", ok)
			}
			if ok {
				if diff := cmp.Diff(tt.want, v.Interface()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestTarget(t *testing.T) {
	type pointer struct {
		N *int64 `parquet:"n"`
	}
	type number struct {
		N int64 `parquet:"n"`
	}
	var p pointer
	columnOf[pointer](t).Target(reflect.ValueOf(&p).Elem().Field(0)).SetInt(3)
	if p.N == nil || *p.N != 3 {
		t.Errorf("a pointer: %v", p.N)
	}
	var n number
	columnOf[number](t).Target(reflect.ValueOf(&n).Elem().Field(0)).SetInt(3)
	if n.N != 3 {
		t.Errorf("no pointer: %v", n.N)
	}
}

func TestAppendZero(t *testing.T) {
	list := []int64{1, 2, 3}[:1]
	v := reflect.ValueOf(&list).Elem()
	for range 9 {
		if e := rowtype.AppendZero(v); e.Int() != 0 {
			t.Errorf("element %d is %d", len(list)-1, e.Int())
		} else {
			e.SetInt(int64(len(list)))
		}
	}
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(list, want) {
		t.Errorf("%v, want %v", list, want)
	}
}

func TestMillis(t *testing.T) {
	row := struct {
		At   time.Time
		Time int64
	}{time.Date(1969, 12, 31, 23, 0, 0, 1_999_999, time.FixedZone("", -3600)), 5}
	v := reflect.ValueOf(&row).Elem()
	if got := rowtype.Millis(v.Field(0)); got != 1 {
		t.Errorf("a time.Time is %d", got)
	}
	if got := rowtype.Millis(v.Field(1)); got != 5 {
		t.Errorf("an int64 is %d", got)
	}
	for i := range 2 {
		rowtype.SetMillis(v.Field(i), -1)
	}
	if want := time.Date(1969, 12, 31, 23, 59, 59, 999_000_000, time.UTC); row.At != want || row.Time != -1 {
		t.Errorf("set to %v and %d", row.At, row.Time)
	}
}

func TestAppendEntries(t *testing.T) {
	tests := map[string]struct {
		in   rowtest.Counts
		want []rowtype.Entry
	}{
		"none": {nil, nil},
		"sorted": {rowtest.Counts{"b": 2, "": 3, "a": 1, "ab": 4},
			[]rowtype.Entry{{"", 3}, {"a", 1}, {"ab", 4}, {"b", 2}}},
		"invalid keys": {rowtest.Counts{"\xff": 2, "a": 3, "\xfe": 4}, []rowtype.Entry{{"a", 3}, {"\uFFFD", 6}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := maps.Clone(tt.in)
			got := rowtype.AppendEntries(nil, rowtype.MapOf(reflect.ValueOf(tt.in)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !maps.Equal(before, tt.in) {
				t.Errorf("the caller's map became %v", tt.in)
			}
		})
	}
}
