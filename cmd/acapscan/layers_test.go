package main_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// depguard refuses imports that .depguard.yaml does not list (make lint). What it does not look at is tested here: that
// every package has a list and a row in docs/architecture.md, and that every line has a reason and a use.

const modulePath = "github.com/acapscan/acapscan/"

// An arrow allows the package from to import what begins with to, or, where to ends in $, just that. Packages of this
// module are named by their folder.
type arrow struct{ from, to, why string }

func (a arrow) allows(imported string) bool {
	if exact, ok := strings.CutSuffix(a.to, "$"); ok {
		return imported == exact
	}
	return strings.HasPrefix(imported, a.to)
}

var (
	listHead  = regexp.MustCompile(`^([a-z/-]+):$`)
	listFiles = regexp.MustCompile(`^  files: \["\*\*/([a-z/-]+)/\*\.go", "!\$test"\]$`)
	listAllow = regexp.MustCompile(`^    - (\S+)(?: # (.+))?$`)
	exception = regexp.MustCompile(`^    - "!\*\*/([a-z/-]+)/\*\.go"$`)
)

// layers are the lists of .depguard.yaml.
type layers struct {
	lists      []string // packages that have one
	exceptions []string // packages that the list of all others leaves out
	arrows     []arrow
}

func readLayers(t *testing.T) (l layers) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", ".depguard.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	current := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if m := listHead.FindStringSubmatch(line); m != nil {
			current = m[1]
			l.lists = append(l.lists, current)
		} else if m := listFiles.FindStringSubmatch(line); m != nil && m[1] != current {
			t.Errorf("the list of %s is about the files of %s", current, m[1])
		} else if m := exception.FindStringSubmatch(line); m != nil {
			l.exceptions = append(l.exceptions, m[1])
		} else if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
			current = "" // lists of several packages: they name no package of this module
		} else if m := listAllow.FindStringSubmatch(line); m != nil && current != "" && m[1] != "$gostd" {
			l.arrows = append(l.arrows, arrow{current, strings.TrimPrefix(m[1], modulePath), m[2]})
		}
	}
	return l
}

// readImports maps the packages of this module to what they import, tests apart.
func readImports(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-f",
		`{{if .GoFiles}}{{.ImportPath}} {{join .Imports " "}}{{end}}`, "./...")
	list.Dir = filepath.Join("..", "..")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(strings.ReplaceAll(line, modulePath, ""))
		found[names[0]] = names[1:]
	}
	return found
}

func TestLayers(t *testing.T) {
	l, imports := readLayers(t), readImports(t)
	var packages []string
	for name := range imports {
		packages = append(packages, name)
	}
	slices.Sort(packages)
	if diff := cmp.Diff(packages, l.lists); diff != "" {
		t.Errorf("packages, and lists in .depguard.yaml (-packages +lists):\n%s", diff)
	}
	if diff := cmp.Diff(l.lists, l.exceptions); diff != "" {
		t.Errorf("lists, and what the list of other packages leaves out (-lists +left out):\n%s", diff)
	}
	for _, a := range l.arrows {
		if a.why == "" {
			t.Errorf("%s may import %s without a reason", a.from, a.to)
		}
		if !slices.ContainsFunc(imports[a.from], a.allows) {
			t.Errorf("%s does not import %s: its line in .depguard.yaml has no use", a.from, a.to)
		}
	}
}

// The table of docs/architecture.md has a row for every package with a list, and for no other folder.
func TestLayersAreDrawn(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]bool{}
	name := regexp.MustCompile("`([a-z/-]+)/`")
	for line := range strings.Lines(string(text)) {
		cell, _, row := strings.Cut(line, " | ")
		if !row || !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, folder := range name.FindAllStringSubmatch(cell, -1) {
			drawn[folder[1]] = true
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(folder[1]))); err != nil {
				t.Errorf("the table has a row for %s: %v", folder[1], err)
			}
		}
	}
	for _, list := range readLayers(t).lists {
		// A package for tests may stand in the row of the package above it.
		if !drawn[list] && !strings.Contains(string(text), "`"+path.Base(list)+"`") {
			t.Errorf("the table has no row for %s", list)
		}
	}
}
