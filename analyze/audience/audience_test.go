package audience

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
)

// "*" and no purpose come first, agents named in ACAP before the others, and a name in both once.
func TestOrder(t *testing.T) {
	got := Of(Names{
		InACAP: []policy.Agent{"Zed", "*", "ant"}, Conventional: []policy.Agent{"bee", "ZED", "a\xff", ""},
		Purposes: []string{"News", "archive", "NEWS", "\xff"},
	}, 100)
	want := Audience{Agents: []policy.Agent{"*", "ant", "zed", "bee"}, Purposes: []string{"", "archive", "NEWS"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = got.With([]policy.Agent{"Cat", "bee"})
	if want := []policy.Agent{"*", "ant", "bee", "cat", "zed"}; !slices.Equal(got.Agents, want) {
		t.Errorf("with further agents: %q, want %q", got.Agents, want)
	}
}

// A file may name any number; the audience is cut, and says so.
func TestLimits(t *testing.T) {
	var many Names
	for i := range 3 * MaxAgents {
		many.Conventional = append(many.Conventional, policy.Agent(fmt.Sprintf("bot%04d", i)))
		many.Purposes = append(many.Purposes, fmt.Sprintf("purpose%04d", i))
	}
	many.InACAP = []policy.Agent{"named-in-acap"}
	for _, test := range []struct {
		cases, agents, purposes int
	}{
		{MaxAgents * MaxPurposes, MaxAgents, MaxPurposes}, {100, 10, 10}, {2, 1, 2}, {1, 1, 1}, {0, 1, 1}, {-1, 1, 1},
	} {
		a := Of(many, test.cases)
		if len(a.Agents) != test.agents || len(a.Purposes) != test.purposes || !a.Cut {
			t.Errorf("%d cases: %d agents, %d purposes, cut %v; want %d and %d", test.cases, len(a.Agents),
				len(a.Purposes), a.Cut, test.agents, test.purposes)
		}
		if len(a.Agents) > 1 && a.Agents[1] != "named-in-acap" {
			t.Errorf("%d cases: the agent named in ACAP is dropped before others", test.cases)
		}
	}
	file := &policy.File{NamedGroups: many.Conventional, NamedRecords: many.InACAP}
	if whole, cut := Of(many, 1<<20), Of(NamesOfFile(file, nil), 1<<20); !slices.Equal(whole.Agents, cut.Agents) ||
		!cut.Cut {
		t.Error("the names of a file give fewer agents than an audience has")
	}
}

// Agents in the same lists are in one class, and agents that no list names are in the class of "*".
func TestClasses(t *testing.T) {
	record := []policy.Agent{"a", "b"}
	file := &policy.File{
		Statements: []policy.Statement{{Agents: record}, {Agents: record}, {Agents: []policy.Agent{"c", "*"}}},
		References: []policy.Reference{{
			Agents: []policy.Agent{"d"}, Resolved: []policy.Statement{{Agents: []policy.Agent{"E"}}},
		}},
		NamedGroups: []policy.Agent{"*", "F"}, // a group without rules
	}
	c := NewClasses(file)
	first := c.First([]policy.Agent{"*", "unnamed", "a", "B", "c", "d", "e", "f"})
	if want := []policy.Agent{"*", "a", "c", "d", "e", "f"}; !slices.Equal(first, want) {
		t.Errorf("the first of each class are %q, want %q", first, want)
	}
	if c := PageClasses(file.Statements); c.Of("f") != c.Of("*") || c.Of("A") != c.Of("b") || c.Of("a") == c.Of("c") {
		t.Error("the classes of a page are those of its statements")
	}
}
