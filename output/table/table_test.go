package table

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/internal/terms"
)

var update = flag.Bool("update", false, "rewrite docs/tables.md and docs/schema")

const docs = "../../docs"

func TestGoldenDocuments(t *testing.T) {
	documents := map[string][]byte{"tables.md": Dictionary()}
	for _, d := range All() {
		documents[filepath.Join("schema", string(d.Name)+".json")] = d.Schema()
	}
	for name, want := range documents {
		path := filepath.Join(docs, name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not what the row structs say; run go test ./output/table -update (-want +got):\n%s", path,
				diff)
		}
	}
}

func TestSchemaFilesAreOfTables(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(docs, "schema", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, ok := Lookup(Name(strings.TrimSuffix(filepath.Base(file), ".json"))); !ok {
			t.Errorf("%s is the schema of no table", file)
		}
	}
	if len(files) != len(All()) {
		t.Errorf("%d schema files for %d tables", len(files), len(All()))
	}
}

func TestColumns(t *testing.T) {
	for _, d := range All() {
		t.Run(string(d.Name), func(t *testing.T) {
			columns := d.Columns()
			seen := map[string]Column{}
			for _, c := range columns {
				if _, twice := seen[c.Name]; twice {
					t.Errorf("column %s is there twice", c.Name)
				}
				seen[c.Name] = c
				if !strings.HasSuffix(c.Doc, ".") {
					t.Errorf("%s: the description is no sentence: %q", c.Name, c.Doc)
				}
				if strings.ContainsAny(c.Example, "`|") {
					t.Errorf("%s: the example would break the dictionary: %q", c.Name, c.Example)
				}
				if c.Since < 1 || c.Since > SchemaVersion {
					t.Errorf("%s: since %d is no version", c.Name, c.Since)
				}
				if !isExample(c) {
					t.Errorf("%s: %q is no %s", c.Name, c.Example, c.Type)
				}
			}
			for _, list := range [][]string{d.Key, d.SortedBy} {
				for _, name := range list {
					if _, ok := seen[name]; !ok {
						t.Errorf("the table has no column %s", name)
					}
				}
			}
			for _, name := range d.Partitions() {
				if _, ok := seen[name]; ok {
					t.Errorf("partition column %s is in the files", name)
				}
			}
		})
	}
}

// isExample reports whether the example is a value of the column's type, and of its enumeration.
func isExample(c Column) bool {
	if c.Values != nil {
		return slices.Contains(c.Values, c.Example)
	}
	as := func(v any) bool { return json.Unmarshal(c.ExampleJSON(), v) == nil }
	switch c.Type {
	case TypeString:
		return as(new(string))
	case TypeBool:
		return as(new(bool))
	case TypeInt16:
		return as(new(int16))
	case TypeInt32:
		return as(new(int32))
	case TypeInt64:
		return as(new(int64))
	case TypeTimestamp:
		return as(new(time.Time))
	case TypeStrings:
		return as(new([]string))
	case TypeCounts:
		return as(new(map[string]int64))
	case TypeQualifiers:
		return as(new([]map[string]string))
	}
	return false
}

func TestColumnsOfACaptureAreInTheOrderOfTheIndex(t *testing.T) {
	want := []string{
		"url_surtkey", "url", "url_host_name", "url_host_name_reversed", "url_host_tld", "url_host_registered_domain",
		"surt_host_name", "url_protocol", "url_port", "url_path", "url_query", "fetch_time", "fetch_status",
		"fetch_redirect", "content_digest", "content_mime_type", "content_mime_detected", "content_languages",
		"content_truncated", "warc_segment", "warc_filename", "warc_record_offset", "warc_record_length",
	}
	for _, name := range []Name{RobotsTxt, Pages, Directives, Permissions, Conflicts} {
		d, _ := Lookup(name)
		var got []string
		for _, c := range d.Columns() {
			if slices.Contains(want, c.Name) {
				got = append(got, c.Name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWords(t *testing.T) {
	if got := WordOf(terms.DecisionDisallowed); got != "disallowed" || !got.Is(terms.DecisionDisallowed) ||
		got.Is(terms.DecisionAllowed) {
		t.Errorf("disallowed is %q", got)
	}
	if got := Observed(WordOf(terms.NoSense)); got != nil {
		t.Errorf("no sense is %q, and not null", *got)
	}
	if diff := cmp.Diff(Sense("").Values(), []string{"allow", "disallow"}); diff != "" {
		t.Error(diff)
	}
}

func TestHistoryEndsAtTheSchemaVersion(t *testing.T) {
	history := History()
	for i, note := range history {
		if note.Version != i+1 || note.Change == "" {
			t.Errorf("entry %d: %+v", i, note)
		}
	}
	if len(history) != SchemaVersion {
		t.Errorf("%d entries for schema version %d", len(history), SchemaVersion)
	}
}

func TestFolder(t *testing.T) {
	robots, _ := Lookup(RobotsTxt)
	adoption, _ := Lookup(Adoptions)
	tests := []struct {
		name, crawl, subset string
		table               Definition
		want                string
	}{
		{"table with subset", "CC-MAIN-2018-34", "robotstxt", robots, "robots/crawl=CC-MAIN-2018-34/subset=robotstxt"},
		{"table without subset", "CC-MAIN-2018-34", "robotstxt", adoption, "adoption/crawl=CC-MAIN-2018-34"},
		{"neither named", "", "", robots, "robots/crawl=local/subset=warc"},
		{"name that climbs", "../../etc", "..", robots, "robots/crawl=..%2F..%2Fetc/subset=.."},
		{"bytes outside of names", "a b=c%\x00é", "warc", robots, "robots/crawl=a%20b%3Dc%25%00%C3%A9/subset=warc"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.table.Folder(test.crawl, test.subset); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestFolderOfLongNames(t *testing.T) {
	adoption, _ := Lookup(Adoptions)
	seen := map[string]bool{}
	for _, crawl := range []string{strings.Repeat("a", 5000), strings.Repeat("a", 5001), strings.Repeat("\xff", 300),
		"b" + strings.Repeat("\xff", 300)} {
		folder := adoption.Folder(crawl, "")
		if len(folder) > 255 || seen[folder] {
			t.Errorf("%s: %d bytes, seen before: %v", folder, len(folder), seen[folder])
		}
		seen[folder] = true
		for i, part := range strings.Split(folder, "%")[1:] {
			if len(part) < 2 || strings.Trim(part[:2], "0123456789ABCDEF") != "" {
				t.Errorf("%s: escape %d is cut", folder, i)
			}
		}
	}
}

func TestStatementID(t *testing.T) {
	first := StatementID("a.warc.gz", 10, "robots.txt", "acap", 12, 1)
	if len(first) != 24 {
		t.Errorf("%q", first)
	}
	if again := StatementID("a.warc.gz", 10, "robots.txt", "acap", 12, 1); again != first {
		t.Errorf("%s, then %s", first, again)
	}
	others := []string{
		StatementID("b.warc.gz", 10, "robots.txt", "acap", 12, 1),
		StatementID("a.warc.gz", 11, "robots.txt", "acap", 12, 1),
		StatementID("a.warc.gz", 10, "meta", "acap", 12, 1),
		StatementID("a.warc.gz", 10, "robots.txt", "rep", 12, 1),
		StatementID("a.warc.gz", 10, "robots.txt", "acap", 13, 1),
		StatementID("a.warc.gz", 10, "robots.txt", "acap", 12, 2),
		StatementID(`a.warc.gz" 10 robots.txt acap 12`, 1, "robots.txt", "acap", 12, 1),
	}
	for i, id := range others {
		if id == first {
			t.Errorf("other %d has the same id", i)
		}
	}
}

func TestCounts(t *testing.T) {
	got := CountsOf(map[ConflictKind]int64{"reading": 2, "acap-tie": 1, "named-any": 3})
	want := Counts{"acap-tie": 1, "named-any": 3, "reading": 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if CountsOf(map[string]int64{}) != nil {
		t.Error("no entries should be nil")
	}
}

func TestNulls(t *testing.T) {
	if Observed("") != nil || Observed(Sense("")) != nil || Millis(0) != nil {
		t.Error("what was not observed is not null")
	}
	if v := Observed("index"); v == nil || *v != "index" {
		t.Error("a value became null")
	}
	if v := Of(int64(0)); v == nil || *v != 0 {
		t.Error("0 became null")
	}
	if v := Millis(1534238813000); v == nil || v.Format(time.RFC3339) != "2018-08-14T09:26:53Z" {
		t.Error(v)
	}
}

// Ids are those of the first version, whatever the name of the file: other tables name them.
func TestStatementIDStays(t *testing.T) {
	var ids StatementIDs
	for _, name := range []string{"", "a.warc.gz", `a "b\c"`, "a\nb\x7f", "ä\xff#3 for http://x.example"} {
		for i, offset := range []int64{-7, -7, 8, 8, 8} {
			source, vocabulary := []Source{"meta", "pi"}[i/3], []Vocabulary{"rep", "acap"}[i/4]
			sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %s %s %d %d", name, offset, source, vocabulary, 12*i, 3))
			want := hex.EncodeToString(sum[:12])
			if got := StatementID(name, offset, source, vocabulary, int64(12*i), 3); got != want {
				t.Errorf("%q: %s, want %s", name, got, want)
			}
			if got := ids.ID(name, offset, source, vocabulary, int64(12*i), 3); got != want {
				t.Errorf("%q: %s among others of its record, want %s", name, got, want)
			}
		}
	}
}
