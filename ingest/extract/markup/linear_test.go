package markup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/internal/longtest"
)

// Hostile documents are scanned in work that is so much a byte, however long they are, which is counted and not timed.
// The package is compiled once more, from source into which counting was written: of each function that is entered, of
// each round of a loop, and of each byte that a function of the standard library looks at or copies (work_test.go and
// planted_test.go, which the build tag countwork adds). So nothing in the scanner is there for this test, and what is
// new in it is counted, too. Not counted are comparisons of strings, and what a method of another package does.

const (
	// for a byte of a hostile document: what goes over all contexts at an end tag
	mostWork  = 100
	costsFile = "ACAPSCAN_TEST_COSTS"
)

// A documentCost is what a short document cost, and a long one of the same kind.
type documentCost struct {
	Name, As              string
	Planted               bool // not the scanner of this package, but one with a mistake
	ShortBytes, ShortWork int
	LongBytes, LongWork   int
}

// grows is by how much more a byte of the long document costs than one of the short.
func (c *documentCost) grows() float64 {
	return float64(c.LongWork) / float64(c.LongBytes) / (float64(c.ShortWork) / float64(c.ShortBytes))
}

func TestHostileDocumentsTakeLinearWork(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("compiles the package with counting written into it")
	}
	folder, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	replaced := map[string]string{}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	counted := build.Default
	counted.BuildTags = []string{"countwork"}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") && name != "planted_test.go" {
			continue
		}
		// The copy of a source has no constraints, so a file that they leave out stays as it is.
		if matches, err := counted.MatchFile(folder, name); err != nil {
			t.Fatal(err)
		} else if !matches {
			continue
		}
		to := filepath.Join(out, name)
		if err := os.WriteFile(to, countingSource(t, name), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[filepath.Join(folder, name)] = to
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-tags", "countwork",
		"-overlay", filepath.Join(out, "overlay.json"), "-run", "^TestWork$", ".")
	child.Env = append(os.Environ(), costsFile+"="+filepath.Join(out, "costs.json"))
	if said, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	text, err := os.ReadFile(filepath.Join(out, "costs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var costs []documentCost
	if err := json.Unmarshal(text, &costs); err != nil {
		t.Fatal(err)
	}
	documents, mistakes := 0, 0
	for _, c := range costs {
		// A mistake makes a byte of the long document eight times as dear; what has a bound makes it cheaper.
		linear := c.grows() < 1.1
		switch {
		case !c.Planted:
			documents++
			if !linear || c.ShortWork < c.ShortBytes || c.ShortWork > mostWork*c.ShortBytes {
				t.Errorf("%s, read as %s: %d for %d bytes, %d for %d", c.Name, c.As, c.ShortWork, c.ShortBytes,
					c.LongWork, c.LongBytes)
			}
		case linear != (c.Name == "makes no mistake"):
			t.Errorf("a Scanner that %s: %d for %d bytes, %d for %d", c.Name, c.ShortWork, c.ShortBytes, c.LongWork,
				c.LongBytes)
		case !linear:
			mistakes++
		}
	}
	if want := 2 * len(hostileDocuments(1)); documents != want || mistakes < 4 {
		t.Errorf("%d documents were read of %d, and %d mistakes found", documents, want, mistakes)
	}
}

// countingSource returns a source file of this package with counting written into it, as work_test.go has it.
func countingSource(t *testing.T, name string) []byte {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	c := counting{libraries: map[string]string{}}
	for _, spec := range file.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name == nil &&
			overBytes[imported] != "" {
			c.libraries[path.Base(imported)] = overBytes[imported]
		}
	}
	ast.Inspect(file, c.visit)
	var b bytes.Buffer
	if err := format.Node(&b, files, file); err != nil {
		t.Fatal(err)
	}
	for _, something := range c.libraries { // all calls of it may have been replaced
		fmt.Fprintf(&b, "\nvar _ = %s\n", something)
	}
	return b.Bytes()
}

// overBytes are the packages whose functions go over what they are given, with something of each.
var overBytes = map[string]string{
	"bytes": "bytes.MinRead", "strings": "strings.ToLower", "slices": "slices.Sort[[]int]",
	"unicode/utf8":          "utf8.RuneError",
	"golang.org/x/net/html": "html.EscapeString",
}

// replacements are the functions that work_test.go has something for; of all others each argument counts whole.
var replacements = map[string]bool{
	"bytes.IndexByte": true, "bytes.Index": true, "bytes.IndexAny": true, "bytes.HasPrefix": true,
	"bytes.HasSuffix": true, "bytes.TrimPrefix": true,
	"bytes.TrimSuffix": true, "bytes.Trim": true, "bytes.TrimLeft": true, "bytes.TrimSpace": true,
	"bytes.TrimFunc": true, "bytes.Contains": true,
	"bytes.Cut": true, "strings.HasPrefix": true, "strings.HasSuffix": true,
}

// counting writes counting into a file. Of the libraries that the file imports and that are of overBytes it has
// something each.
type counting struct{ libraries map[string]string }

func (c *counting) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		c.block(n.Body)
	case *ast.FuncLit:
		c.block(n.Body)
	case *ast.ForStmt:
		c.block(n.Body)
	case *ast.RangeStmt:
		c.block(n.Body)
	case *ast.CallExpr:
		c.call(n)
	}
	return true
}

func (c *counting) block(b *ast.BlockStmt) {
	if b != nil {
		b.List = append([]ast.Stmt{&ast.IncDecStmt{X: ast.NewIdent("work"), Tok: token.INC}}, b.List...)
	}
}

func (c *counting) call(call *ast.CallExpr) {
	last := len(call.Args) - 1
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		library, ok := f.X.(*ast.Ident)
		if !ok || c.libraries[library.Name] == "" {
			return
		}
		if replacements[library.Name+"."+f.Sel.Name] {
			call.Fun = ast.NewIdent(library.Name + f.Sel.Name)
			return
		}
		for i := range call.Args {
			c.wrap(call, i, "counted")
		}
	case *ast.ArrayType: // []byte(text)
		c.wrap(call, last, "counted")
	case *ast.Ident:
		switch {
		case f.Name == "string", f.Name == "append" && call.Ellipsis.IsValid(), f.Name == "copy":
			c.wrap(call, last, "counted")
		case f.Name == "make" && last > 0:
			c.wrap(call, last, "sized")
		}
	}
}

// wrap puts an argument into a call that counts it, unless it is a constant.
func (c *counting) wrap(call *ast.CallExpr, i int, by string) {
	switch arg := call.Args[i].(type) {
	case *ast.BasicLit, *ast.FuncLit:
		return
	case *ast.Ident:
		if arg.Name == "nil" {
			return
		}
	}
	call.Args[i] = &ast.CallExpr{Fun: ast.NewIdent(by), Args: []ast.Expr{call.Args[i]}}
}
