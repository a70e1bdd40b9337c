package parquet

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/rowtype/rowtest"
	"github.com/google/go-cmp/cmp"
)

func TestTreeRefusesEncodings(t *testing.T) {
	tests := map[string]struct {
		row  any
		want string // in the error
	}{
		"string without an encoding": {struct {
			A string `parquet:"the_url"`
		}{}, "column the_url: the tag must choose dict or plain"},
		"bytes without an encoding": {struct {
			A []byte `parquet:"body,optional"`
		}{}, "column body: the tag must choose dict or plain"},
		"list of strings without an encoding": {struct {
			A []string `parquet:"agents,list"`
		}{}, "column agents: the tag must choose dict or plain"},
		"string in a list of structs without an encoding": {struct {
			A []struct {
				B string `parquet:"b"`
			} `parquet:"a,list"`
		}{}, "column a.b: the tag must choose dict or plain"},
		"dictionary of booleans": {struct {
			A bool `parquet:"a,dict"`
		}{}, "column a: bool cannot have a dictionary"},
		"encoding of a struct": {struct {
			A key `parquet:"a,plain"`
		}{}, "column a: parquet.key cannot have an encoding"},
		"encoding of a map": {struct {
			A rowtest.Counts `parquet:"a,dict"`
		}{}, "column a: rowtest.Counts cannot have an encoding"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := treeOf(reflect.TypeOf(tt.row))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestCreateRefusesTags(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	check := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	_, err := Create[struct {
		A string `parquet:"the_url"`
	}](path, Options{})
	check(err, "column the_url")
	_, err = Create[struct {
		A int64 `parquet:"n,optional"`
	}](path, Options{})
	check(err, "column n")
	_, err = Create[string](path, Options{})
	check(err, "must be structs")
	if _, err := os.Stat(path + storage.TempSuffix); err == nil {
		t.Error("Create left a file behind")
	}
}

func TestSchema(t *testing.T) {
	got, err := Schema[rowtest.Every]()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rowtest.Columns(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFileSchema(t *testing.T) {
	type row struct {
		URL      string              `parquet:"url,plain"`
		Fetched  time.Time           `parquet:"fetched,timestamp"`
		Agents   []string            `parquet:"agents,list,dict"`
		ByStatus rowtest.Counts      `parquet:"by_status"`
		Ask      []rowtest.Qualifier `parquet:"ask,list,optional"`
		Body     []byte              `parquet:"body,optional,plain"`
		Status   *int16              `parquet:"status"`
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

func TestOpenNamesTheColumn(t *testing.T) {
	type row struct {
		URL   string         `parquet:"url,plain"`
		N     int64          `parquet:"n"`
		Inner rowtest.Parent `parquet:"inner"`
		List  []string       `parquet:"list,list,plain"`
		Map   rowtest.Counts `parquet:"map"`
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
		N time.Time `parquet:"n,timestamp"`
	}](path)
	check("timestamp", "column n is", err)
	_, err = Open[struct {
		List []int64 `parquet:"list,list"`
	}](path)
	check("list of another type", "column list is", err)
	_, err = Open[struct {
		List rowtest.Counts `parquet:"list"`
	}](path)
	check("map for a list", "column list is", err)
	_, err = Open[struct {
		URL rowtest.Parent `parquet:"url"`
	}](path)
	check("struct for a leaf", "column url is", err)

	got, err := readAll[struct {
		N int64 `parquet:"n"`
	}](path, 1)
	if err != nil || len(got) != 1 || got[0].N != 5 {
		t.Errorf("some of the columns: %v, %v", got, err)
	}
}
