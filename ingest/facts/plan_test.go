package facts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func plan(names ...string) Plan {
	p := Plan{Program: "acapscan 1", Options: map[string]string{"pages": "default"}}
	for _, name := range names {
		p.Inputs = append(p.Inputs, PlannedInput{Name: name, Bytes: 10})
	}
	return p
}

// names lists the files of a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	check(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestPlan(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "facts")
	done, err := Begin(folder, plan("a", "b"), false)
	if done != nil || err != nil {
		t.Fatalf("a new folder: %v, %v", done, err)
	}
	// The run is killed: it has left facts, half a file, and things that are not its own.
	for _, name := range []string{"000000-000.facts", "000001-000.facts.tmp", "notes.txt"} {
		check(t, os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o644))
	}
	if _, err := Begin(folder, plan("a"), false); err == nil || !strings.Contains(err.Error(), "--overwrite") {
		t.Errorf("another plan in an unfinished folder: %v", err)
	}
	done, err = Begin(folder, plan("a", "b"), false)
	if done != nil || err != nil {
		t.Fatalf("the same plan once more: %v, %v", done, err)
	}
	if got := names(t, folder); !slices.Equal(got, []string{PlanFile, "notes.txt"}) {
		t.Errorf("left is %v", got)
	}
	write(t, filepath.Join(folder, "000000"), someFacts(3), WriterOptions{})
	finished := plan("a", "b")
	finished.Unreadable = 1
	check(t, End(folder, finished))

	done, err = Begin(folder, plan("a", "b"), false)
	if err != nil || done == nil || !done.Finished || done.Unreadable != 1 {
		t.Fatalf("the same plan when finished: %+v, %v", done, err)
	}
	for what, other := range map[string]Plan{
		"inputs": plan("a", "c"), "size": {Program: "acapscan 1", Options: map[string]string{"pages": "default"}, Inputs: []PlannedInput{{"a", 11}, {"b", 10}}},
		"options": {Program: "acapscan 1", Options: map[string]string{"pages": "all"}, Inputs: plan("a", "b").Inputs},
		"program": {Program: "acapscan 2", Options: map[string]string{"pages": "default"}, Inputs: plan("a", "b").Inputs},
	} {
		if _, err := Begin(folder, other, false); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("other %s: %v", what, err)
		}
	}
	if got := names(t, folder); !slices.Contains(got, "000000-000.facts") {
		t.Errorf("a refused plan removed facts: %v", got)
	}
	if done, err = Begin(folder, plan("c"), true); done != nil || err != nil {
		t.Errorf("overwriting: %v, %v", done, err)
	}
	if got := names(t, folder); !slices.Equal(got, []string{PlanFile, "notes.txt"}) {
		t.Errorf("after overwriting there is %v", got)
	}
}

func TestFolderOfUnknownFacts(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "000000"), someFacts(3), WriterOptions{})
	if _, err := Begin(folder, plan("a"), false); err == nil || !strings.Contains(err.Error(), PlanFile) {
		t.Errorf("facts without a plan: %v", err)
	}
	check(t, os.WriteFile(filepath.Join(folder, PlanFile), []byte("{"), 0o644))
	if _, err := Begin(folder, plan("a"), false); err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("a damaged plan: %v", err)
	}
	if _, err := Begin(folder, plan("a"), true); err != nil {
		t.Errorf("overwriting a damaged plan: %v", err)
	}
}
