package table

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/acapscan/acapscan/output/parquet"
	"github.com/google/go-cmp/cmp"
)

func TestFilesHaveTheDocumentedColumns(t *testing.T) {
	t.Run("inputs", fileHasColumns[Input])
	t.Run("robots", fileHasColumns[Robots])
	t.Run("pages", fileHasColumns[Page])
	t.Run("directives", fileHasColumns[Directive])
	t.Run("adoption", fileHasColumns[Adoption])
	t.Run("agents", fileHasColumns[Agent])
	t.Run("permissions", fileHasColumns[Permission])
	t.Run("conflicts", fileHasColumns[Conflict])
}

func fileHasColumns[T any](t *testing.T) {
	schema, err := parquet.Schema[T]()
	if err != nil {
		t.Fatal(err)
	}
	var want []parquet.Column
	for _, c := range columnsOf(reflect.TypeFor[T]()) {
		want = append(want, parquet.Column{Name: c.Name, Type: string(c.Type), Nullable: c.Nullable})
	}
	if diff := cmp.Diff(want, schema); diff != "" {
		t.Errorf("-documented +Parquet:\n%s", diff)
	}
	rows := make([]T, 2) // one of nulls, one in which every column has a value
	fill(reflect.ValueOf(&rows[1]).Elem())
	path := filepath.Join(t.TempDir(), "rows.parquet")
	w, err := parquet.Create[T](path, parquet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	r, err := parquet.Open[T](path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := make([]T, 2)
	if n, err := r.Read(got); n != 2 {
		t.Fatal(n, err)
	}
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
}

// fill sets every field of a row to some value that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.UnixMilli(1534238813123).UTC()))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.SetInt(7)
	}
}
