package extent

import (
	"fmt"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// Thousands of statements about a set of thousands of members are millions of rules: some of them are explored, and the
// extent is not known.
func TestExtentOfManyStatementsAboutALargeSet(t *testing.T) {
	var set []policy.Pattern
	for i := range 5000 {
		p, err := policy.ParsePattern(fmt.Sprint("/", i))
		if err != nil {
			t.Fatal(err)
		}
		set = append(set, p)
	}
	file := &policy.File{}
	for range 5000 {
		file.Statements = append(file.Statements, policy.Statement{
			Vocabulary: policy.ACAP, Source: policy.RobotsTxt, Agents: []policy.Agent{policy.AnyAgent},
			Usage: policy.Index, Sense: policy.Allow, Status: policy.Valid, Patterns: set,
		})
	}
	view := decide.NewSite(file, decide.Answered, decide.Options{}).For("*", "")
	if f := ACAP(view, policy.Index); len(f.rules) != maxRules {
		t.Fatalf("%d rules", len(f.rules))
	}
	classes := NewPathClasses(view, 1<<15)
	if got := classes.Extent(policy.Index, time.Time{}); got != policy.ExtentUnknown {
		t.Errorf("got %s", got)
	}
	if space, _ := NewExplorer(1<<15, nil).Of(ACAP(view, policy.Index)); space.Exact {
		t.Error("the exploration is exact")
	}
	file.Statements = file.Statements[:10]
	if got := NewPathClasses(decide.NewSite(file, decide.Answered, decide.Options{}).For("*", ""),
		0).Extent(policy.Index, time.Time{}); got != policy.ExtentAll {
		t.Errorf("ten statements: got %s", got)
	}
}
