package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// A constant that the list lacks would be missing from docs/defects.md too.
func TestDefectsAreAllConstants(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "defect.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []Defect
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Defect" {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, Defect(code))
		}
		return true
	})
	if got := Defects(); !slices.Equal(got, want) || len(got) < 40 {
		t.Errorf("got %v\nwant %v", got, want)
	}
	for _, d := range Repairs() {
		if !slices.Contains(want, d) {
			t.Errorf("%s is no defect", d)
		}
	}
}
