package rowtest

import (
	"strings"

	"github.com/acapscan/acapscan/output/rowtype"
)

const placeType = "struct<line: int32, parent: struct<id: int64?>?, tags: list<string>?>"

// Columns returns the columns of [Every].
func Columns() []rowtype.Declaration {
	var columns []rowtype.Declaration
	for _, words := range []string{
		"host: string", "url: string", "title: string?", "usage: string", "other: string?",
		"small: int16", "status: int16?", "lines: int32", "errors: int32?", "offset: int64", "length: int64?",
		"ok: bool", "selected: bool?", "body: binary?", "digest: binary",
		"fetched: timestamp[ms, UTC]", "modified: timestamp[ms, UTC]?", "millis: timestamp[ms, UTC]",
		"agents: list<string>", "purposes: list<string>?", "maybe: list<string?>", "numbers: list<int32>",
		"qualifiers: list<struct<name: string, value: string?>>", "place: " + placeType + "?", "inner: " + placeType,
		"by_status: map<string, int64>", "by_type: map<string, int64>?",
	} {
		name, typ, _ := strings.Cut(words, ": ")
		typ, nullable := strings.CutSuffix(typ, "?")
		columns = append(columns, rowtype.Declaration{Name: name, Type: typ, Nullable: nullable})
	}
	return columns
}
