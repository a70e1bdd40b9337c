// Package main_test holds the layers: the command is the one package that may see every room of the house.
package main_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const modulePath = "github.com/acapscan/acapscan"

// An arrow allows the package from to import the package to. A name that ends in "/..." is every package below it. Packages of
// this module are named by their folder, others by their import path.
type arrow struct{ from, to, why string }

// rooms are the arrows between packages of this module, as docs/architecture.md draws them. What is not here is forbidden.
var rooms = []arrow{
	{"cmd/acapscan", "ingest/...", "the verbs put all rooms together"},
	{"cmd/acapscan", "analyze/...", "the verbs put all rooms together"},
	{"cmd/acapscan", "output/...", "the verbs put all rooms together"},
	{"cmd/acapscan", "internal/...", "the verbs put all rooms together"},
	{"tools/demo", "output/parquet", "the demonstration reads tables as a user does: it sees no policy and no archive"},
	{"tools/demo", "output/table", "the columns it reads are named there"},

	{"ingest/archive", "ingest/archive/inflate", "gzip members are decoded there"},
	{"ingest/archive", "ingest/texts", "leaf: headers of records are kept together"},
	{"ingest/source", "ingest/remote", "inputs on other machines"},
	{"ingest/source", "output/parquet", "coordinates of records come as a query over an index left them, in Parquet too"},
	{"ingest/capture", "ingest/archive", "a capture is read out of a record"},
	{"ingest/capture", "ingest/weburl", "leaf: the target of a redirect is made absolute"},
	{"ingest/capture", "ingest/texts", "leaf: names of sites are kept together"},
	{"ingest/extract", "ingest/texts", "leaf: names of sites and digests are kept together"},
	{"ingest/extract", "ingest/archive", "a task reads an archive record by record"},
	{"ingest/extract", "ingest/capture", "directives are found in captures"},
	{"ingest/extract", "ingest/facts", "what is found is facts"},
	{"ingest/facts", "output/parquet", "facts rest on disk in the codec that tables use"},
	{"ingest/facts", "internal/storage", "facts get their names when all of an input are whole"},
	{"ingest/facts", "internal/parallel", "leaf: files and runs of facts are read several at a time"},
	{"ingest/batch", "ingest/...", "the work list of stage 1 runs all of ingest, and knows no policy"},

	{"tools/sites", "ingest/facts", "it makes facts, for measuring the second stage"},
	{"tools/sites", "internal/parallel", "leaf: it makes inputs several at a time"},
	{"tools/projection", "ingest/facts", "it counts the facts of the stages that it measures"},
	{"tools/bench", "ingest/batch", "allocations and profiles are of the first stage alone"},
	{"tools/bench", "ingest/archive/inflate", "inflating alone is compared with another library"},
	{"tools/bench", "ingest/source", "the inputs of that stage"},
	{"tools/bench", "ingest/facts", "what extract found is compared with what others count"},

	{"analyze/robotstxt", "analyze/policy", "its events carry positions and defects of the language"},
	{"analyze/acap", "analyze/policy", "a vocabulary turns text into statements"},
	{"analyze/acap", "analyze/robotstxt", "a vocabulary is a handler of events"},
	{"analyze/rep", "analyze/policy", "a vocabulary turns text into statements"},
	{"analyze/rep", "analyze/robotstxt", "a vocabulary is a handler of events"},
	{"analyze/paths", "analyze/policy", "it knows sets of patterns, and not what they allow"},
	{"analyze/decide", "analyze/policy", "it decides on statements, whoever wrote them: no vocabulary"},
	{"analyze/decide", "analyze/paths", "an extent is a decision over all paths"},
	{"analyze/decide", "ingest/weburl", "leaf: R-DEC-8 compares URLs"},
	{"analyze/conflict", "analyze/policy", "the two sides of a conflict are statements"},
	{"analyze/conflict", "analyze/decide", "it compares decisions and makes none"},
	{"analyze/conflict", "analyze/paths", "two sides are compared over all paths"},
	{"analyze/reading", "analyze/acap", "the one place that knows which vocabularies there are"},
	{"analyze/reading", "analyze/rep", "the one place that knows which vocabularies there are"},
	{"analyze/reading", "analyze/robotstxt", "it runs the handlers over the events"},
	{"analyze/reading", "analyze/policy", "it returns policies"},
	{"analyze/reading", "ingest/facts", "facts are the contract between the stages"},
	{"analyze/survey", "analyze/acap", "adoption counts features of ACAP"},
	{"analyze/survey", "analyze/policy", "stage 2 of a site: read, decide, compare"},
	{"analyze/survey", "analyze/reading", "stage 2 of a site: read, decide, compare"},
	{"analyze/survey", "analyze/decide", "stage 2 of a site: read, decide, compare"},
	{"analyze/survey", "analyze/conflict", "stage 2 of a site: read, decide, compare"},
	{"analyze/survey", "analyze/paths", "stage 2 of a site: read, decide, compare"},
	{"analyze/survey", "ingest/facts", "facts are the contract between the stages"},
	{"analyze/survey", "ingest/weburl", "leaf: sites, and redirects between them"},
	{"analyze/survey", "output/table", "what it finds are rows"},
	{"analyze/survey", "internal/parallel", "leaf: what is between the stages goes bucket by bucket on all workers"},
	{"analyze/conformance", "analyze/policy", "cases are compared with what was read and decided"},
	{"analyze/conformance", "analyze/reading", "cases are read as documents of a corpus are"},
	{"analyze/conformance", "analyze/decide", "cases ask questions"},
	{"analyze/conformance", "analyze/survey", "cases of a crawl go through stage 2"},
	{"analyze/conformance", "ingest/facts", "facts are the contract between the stages"},
	{"analyze/conformance", "ingest/weburl", "leaf: the path of the URL that is asked about"},
	{"analyze/conformance", "output/table", "what a survey decides are rows"},
	{"analyze/batch", "analyze/survey", "the work list of stage 2 runs a survey a bucket"},
	{"analyze/batch", "ingest/facts", "facts are the contract between the stages"},
	{"analyze/batch", "output/dataset", "rows go into a data set, bucket by bucket"},
	{"analyze/batch", "output/manifest", "the inputs that were read are listed in the manifest"},
	{"analyze/batch", "output/table", "rows are made by survey and only carried here"},
	{"analyze/batch", "internal/parallel", "leaf: buckets are surveyed several at a time"},

	{"output/parquet", "internal/storage", "a file has its name when it is whole"},
	{"output/arrow", "internal/storage", "a file has its name when it is whole"},
	{"output/manifest", "internal/storage", "a file has its name when it is whole"},
	{"internal/storage", "internal/parallel", "leaf: the disk is waited for by several files at a time"},
	{"output/parquet", "output/rowtype", "leaf: the tags of a row type say the same for every format"},
	{"output/arrow", "output/rowtype", "leaf: the tags of a row type say the same for every format"},
	{"output/rowtype/rowtest", "output/rowtype", "rows for the tests of the codecs, and the columns that they have"},

	{"output/table", "ingest/weburl", "leaf: the URL columns are those of the web archive's index"},
	{"output/dataset", "internal/storage", "part files get their names when all are there"},
	{"output/dataset", "output/table", "a folder a table"},
	{"output/dataset", "output/parquet", "part files"},
	{"output/dataset", "output/arrow", "tables through pipes"},
	{"output/dataset", "output/manifest", "a data set is whole when its manifest is written"},
	{"output/dataset", "internal/parallel", "leaf: files of a store are asked for several at a time"},
	{"output/manifest", "output/table", "schema files, views and data package are made of the definitions"},
	{"output/report", "output/table", "figures are made of rows"},
	{"output/report", "output/dataset", "the report reads the tables as they were written, in either format"},
	{"output/report", "output/manifest", "what was run on what stands at its head"},
}

// libraries are the arrows to other modules: each has its place, so that it can be replaced there.
var libraries = []arrow{
	{"cmd/acapscan", "github.com/spf13/cobra", "the command line ends here"},
	{"cmd/acapscan", "github.com/spf13/pflag", "cobra's flags"},
	{"cmd/acapscan", "github.com/schollz/progressbar/v3", "progress is for people at a terminal"},
	{"cmd/acapscan", "golang.org/x/term", "is it a terminal?"},

	{"ingest/archive", "github.com/klauspost/compress/...", "zstd frames"},
	{"ingest/capture", "github.com/klauspost/compress/...", "codings of a body"},
	{"ingest/capture", "github.com/andybalholm/brotli", "a coding of a body"},
	{"ingest/facts", "github.com/klauspost/compress/...", "sorted facts rest on disk in fast blocks"},
	{"ingest/extract", "golang.org/x/net/html", "the HTML standard's table of entities, and the tree of one page for its nesting; no archive is read with its parser"},
	{"ingest/extract", "golang.org/x/net/html/charset", "the charset that a page states"},
	{"ingest/remote", "github.com/aws/aws-sdk-go-v2/...", "requests to S3 are signed there, with the credentials that its tools have"},
	{"ingest/remote", "github.com/aws/smithy-go", "what S3 calls an error"},
	{"ingest/weburl", "golang.org/x/net/idna", "internationalised host names"},
	{"ingest/weburl", "golang.org/x/net/publicsuffix", "registered domains"},

	{"output/arrow", "github.com/apache/arrow/go/v15/...", "Arrow streams; nowhere else, so that another version is an import path away"},
	{"output/parquet", "github.com/parquet-go/parquet-go/...", "the only Parquet writer"},
	{"output/parquet", "github.com/klauspost/compress/...", "its pages are compressed with windows of their length"},
	{"tools/bench", "github.com/klauspost/compress/...", "what our inflating is compared with"},
	{"output/rowtype/rowtest", "github.com/google/go-cmp/cmp", "only tests import this room"},
}

// judges decide: they see text and rows, and never a file, a clock or a network. analyze/batch carries for them.
var judges = []string{
	"analyze/policy", "analyze/robotstxt", "analyze/acap", "analyze/rep", "analyze/paths", "analyze/decide", "analyze/conflict",
	"analyze/reading", "analyze/survey", "output/table", "ingest/weburl",
}

// outside are the packages of the standard library that reach beyond the program.
var outside = []string{"os", "os/exec", "io/fs", "io/ioutil", "path/filepath", "net", "net/http", "syscall", "time/tzdata", "math/rand", "math/rand/v2"}

// houses are the folders that hold packages.
var houses = []string{"cmd", "internal", "ingest", "analyze", "output", "tools"}

// imports maps packages, by folder, to what their files import, tests apart.
type imports map[string][]string

// readImports parses the import clauses of every package below the houses of a module.
func readImports(module fs.FS) (imports, error) {
	found := imports{}
	for _, house := range houses {
		err := fs.WalkDir(module, house, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if base := entry.Name(); entry.IsDir() && (base[0] == '.' || base[0] == '_') {
				return fs.SkipDir // as the go command does
			}
			if entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			text, err := fs.ReadFile(module, name)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
			if err != nil {
				return err
			}
			folder := path.Dir(name)
			for _, spec := range file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				if !slices.Contains(found[folder], imported) {
					found[folder] = append(found[folder], imported)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// violations lists the imports that no arrow allows, sorted.
func violations(found imports) []string {
	var bad []string
	for _, from := range slices.Sorted(maps.Keys(found)) {
		for _, imported := range slices.Sorted(slices.Values(found[from])) {
			room, ours := strings.CutPrefix(imported, modulePath+"/")
			switch {
			case ours && !allowed(rooms, from, room):
				bad = append(bad, fmt.Sprintf("%s must not import %s", from, room))
			case !ours && isLibrary(imported) && !allowed(libraries, from, imported):
				bad = append(bad, fmt.Sprintf("%s must not import %s: it has no place there", from, imported))
			case slices.Contains(judges, from) && slices.Contains(outside, imported):
				bad = append(bad, fmt.Sprintf("%s must not import %s: what judges reaches nothing outside of the program", from, imported))
			}
		}
	}
	return bad
}

func allowed(arrows []arrow, from, to string) bool {
	return slices.ContainsFunc(arrows, func(a arrow) bool { return a.allows(from, to) })
}

func (a arrow) allows(from, to string) bool {
	below, wild := strings.CutSuffix(a.to, "/...")
	return a.from == from && (a.to == to || wild && (to == below || strings.HasPrefix(to, below+"/")))
}

// unused lists the arrows that no import needs.
func unused(found imports, arrows []arrow) (list []string) {
	for _, a := range arrows {
		if !slices.ContainsFunc(found[a.from], func(to string) bool { return a.allows(a.from, strings.TrimPrefix(to, modulePath+"/")) }) {
			list = append(list, a.from+" does not import "+a.to)
		}
	}
	return list
}

// isLibrary tells modules from the standard library: their first element is a domain.
func isLibrary(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".")
}

func TestLayers(t *testing.T) {
	found, err := readImports(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	if len(found["cmd/acapscan"]) == 0 {
		t.Fatal("the packages of this module were not found")
	}
	for _, line := range violations(found) {
		t.Errorf("%s (docs/architecture.md draws the arrows; a new one needs a line and a reason here)", line)
	}
	for _, line := range unused(found, slices.Concat(rooms, libraries)) {
		t.Errorf("%s any more: its line here is of no use, nor is the one in docs/architecture.md", line)
	}
}

func TestLayersEveryRoomOfTheTableExists(t *testing.T) {
	root := filepath.Join("..", "..")
	exists := func(room string) {
		room = strings.TrimSuffix(room, "/...")
		if info, err := os.Stat(filepath.Join(root, room)); err != nil || !info.IsDir() {
			t.Errorf("there is no room %s any more", room)
		}
	}
	for _, a := range rooms {
		exists(a.from)
		exists(a.to)
	}
	for _, a := range libraries {
		exists(a.from)
	}
	for _, room := range judges {
		exists(room)
	}
	for _, a := range slices.Concat(rooms, libraries) {
		if a.why == "" {
			t.Errorf("the arrow from %s to %s has no reason", a.from, a.to)
		}
	}
}

// The table of docs/architecture.md has the arrows, too.
func TestLayersAreDrawn(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([a-z/-]+)/`")
	drawn := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| `") {
			continue
		}
		said := strings.TrimSuffix(cells[2], " |")
		if strings.Contains(said, "all of") || strings.Contains(said, "everything") || strings.HasSuffix(said, " only") {
			continue
		}
		want := map[string]bool{}
		for _, room := range name.FindAllStringSubmatch(cells[0], -1) {
			for _, a := range rooms {
				if a.from == room[1] {
					want[a.to] = true
				}
			}
		}
		for _, to := range strings.Split(said, ", ") {
			known := to == "–"
			for arrow := range want {
				if arrow == to || strings.HasSuffix(arrow, "/"+to) {
					known = true
					delete(want, arrow)
				}
			}
			if !known {
				t.Errorf("%s: there is no arrow to %s", cells[0], to)
			}
		}
		for arrow := range want {
			t.Errorf("%s: the arrow to %s is not drawn", cells[0], arrow)
		}
		drawn++
	}
	if drawn < 25 {
		t.Errorf("only %d rooms are drawn", drawn)
	}
}

func TestLayersViolationsAreFound(t *testing.T) {
	const ours = modulePath + "/"
	tests := []struct {
		name  string
		found imports
		want  []string
	}{
		{"no packages", imports{}, nil},
		{"standard library", imports{"ingest/source": {"os", "net/http"}}, nil},
		{"an arrow of the table", imports{"analyze/acap": {ours + "analyze/policy"}}, nil},
		{"a folder allowed as a whole", imports{"cmd/acapscan": {ours + "output/table"}}, nil},
		{"against the arrow", imports{"analyze/policy": {ours + "analyze/acap"}}, []string{"analyze/policy must not import analyze/acap"}},
		{"output must not know policies", imports{"output/table": {ours + "analyze/policy"}}, []string{"output/table must not import analyze/policy"}},
		{"analyze knows ingest by its facts only", imports{"analyze/survey": {ours + "ingest/facts", ours + "ingest/archive"}},
			[]string{"analyze/survey must not import ingest/archive"}},
		{"a package of no room", imports{"ingest/util": {ours + "ingest/archive"}}, []string{"ingest/util must not import ingest/archive"}},
		{"a library in its place", imports{"output/arrow": {"github.com/apache/arrow/go/v15/arrow/ipc"}}, nil},
		{"a library elsewhere", imports{"output/table": {"github.com/apache/arrow/go/v15/arrow"}},
			[]string{"output/table must not import github.com/apache/arrow/go/v15/arrow: it has no place there"}},
		{"a library's name as a prefix", imports{"output/parquet": {"github.com/parquet-go/parquet-go-extra"}},
			[]string{"output/parquet must not import github.com/parquet-go/parquet-go-extra: it has no place there"}},
		{"what judges reads no file", imports{"analyze/decide": {"strings", "os"}},
			[]string{"analyze/decide must not import os: what judges reaches nothing outside of the program"}},
		{"several, sorted", imports{"output/table": {"os", ours + "cmd/acapscan"}, "analyze/rep": {ours + "analyze/acap"}}, []string{
			"analyze/rep must not import analyze/acap",
			"output/table must not import cmd/acapscan",
			"output/table must not import os: what judges reaches nothing outside of the program",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, violations(tt.found)); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLayersReadImports(t *testing.T) {
	root := t.TempDir()
	for _, house := range houses {
		if err := os.Mkdir(filepath.Join(root, house), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{
		"ingest/a/a.go":          "package a\n\nimport (\n\t\"os\"\n\tother \"" + modulePath + "/analyze/b\"\n)\n\nvar _ = other.B\n",
		"ingest/a/more.go":       "package a\n\nimport _ \"os\"\nimport `io`\n",
		"ingest/a/a_test.go":     "package a\n\nimport \"testing\"\n",
		"ingest/a/linux/only.go": "//go:build linux\n\npackage only\n\nimport \"syscall\"\n",
		"ingest/_off/off.go":     "package off\n\nimport \"fmt\"\n",
		"ingest/a/notes.md":      "import \"fmt\"\n",
	}
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readImports(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	want := imports{"ingest/a": {"os", modulePath + "/analyze/b", "io"}, "ingest/a/linux": {"syscall"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("imports (-want +got):\n%s", diff)
	}
}
