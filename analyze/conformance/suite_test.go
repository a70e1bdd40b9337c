package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/acapscan/acapscan/analyze/conformance"
	"github.com/acapscan/acapscan/analyze/policy"
)

// suite is the suite of this project.
var suite = os.DirFS(filepath.Join("..", "..", "testdata", "conformance"))

func cases(t *testing.T) []*conformance.Case {
	t.Helper()
	list, err := conformance.ReadAll(suite)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("there are no cases")
	}
	return list
}

func TestSuite(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.Path, func(t *testing.T) {
			for _, d := range runner.Run(c, policy.RuleSet{}) {
				t.Error(d)
			}
		})
	}
}
