package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/agents"
)

// commonCount is how many crawlers --agents @common names.
var commonCount = len(agents.Common())

func TestAgents(t *testing.T) {
	text := must(t, exitDone, "agents").stdout
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if got := strings.Fields(lines[0]); !cmp.Equal(got, []string{"NAME", "OPERATOR", "PURPOSE", "LISTED", "SOURCE"}) {
		t.Errorf("the head is %q", got)
	}
	var want, got []agents.Agent
	for i, a := range agents.Common() {
		if i+1 >= len(lines) {
			t.Fatalf("%s and those after it have no line", a.Name)
		}
		line := strings.Join(strings.Fields(lines[i+1]), " ")
		if row := strings.Join([]string{string(a.Name), a.Operator, string(a.Purpose), a.Listed, a.Source},
			" "); line != row {
			t.Errorf("got %q, want %q", line, row)
		}
		want = append(want, a)
	}
	for line := range strings.Lines(must(t, exitDone, "agents", "--json").stdout) {
		var a agents.Agent
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		got = append(got, a)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("--json (-want +got):\n%s", diff)
	}
	must(t, exitUsage, "agents", "googlebot")
}

// @common and the verb agents are one list.
func TestCommonAgentsAreTheList(t *testing.T) {
	names, err := readAgents([]string{"Zed", "@common"})
	if err != nil || len(names) != 1+commonCount || names[0] != "Zed" {
		t.Fatalf("%d names, %v", len(names), err)
	}
	for i, a := range agents.Common() {
		if names[i+1] != a.Name {
			t.Errorf("name %d is %s, want %s", i+1, names[i+1], a.Name)
		}
	}
}
