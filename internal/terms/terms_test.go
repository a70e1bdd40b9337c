package terms_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/internal/terms"
)

// enumeration tests a list: its names are those of documents and tables, each once, and are read back.
func enumeration[E terms.Enum](t *testing.T) {
	t.Helper()
	list := terms.Names[E]()
	if sorted := slices.Sorted(slices.Values(list)); len(list) == 0 || len(slices.Compact(sorted)) != len(list) {
		t.Errorf("%T has the names %q", *new(E), list)
	}
	for i, value := range terms.All[E]() {
		name := value.String()
		if name != strings.ToLower(name) || strings.ContainsAny(name, " _()") || name != list[i] {
			t.Errorf("%T has the name %q", value, name)
		}
		if back, ok := terms.Parse[E](name); !ok || back != value {
			t.Errorf("%T: %q is read as %v", value, name, back)
		}
	}
	for _, name := range []string{"", "invalid(0)", strings.ToUpper(list[0]) + "?"} {
		if value, ok := terms.Parse[E](name); ok {
			t.Errorf("%T: %q is read as %v", value, name, value)
		}
	}
	if got := E(255).String(); got != "invalid(255)" {
		t.Errorf("%T: a number outside of the list is called %q", *new(E), got)
	}
}

func described[E terms.Described](t *testing.T) {
	t.Helper()
	enumeration[E](t)
	for _, value := range terms.All[E]() {
		if words := value.Phrase(); words == "" || strings.HasSuffix(words, ".") {
			t.Errorf("%T %s has the phrase %q", value, value, words)
		}
	}
	if words := E(255).Phrase(); words != "" {
		t.Errorf("%T: no value has the phrase %q", *new(E), words)
	}
}

func TestEnumerations(t *testing.T) {
	described[terms.AdoptionClass](t)
	described[terms.RobotsOutcome](t)
	enumeration[terms.RecordType](t)
	enumeration[terms.Parser](t)
	enumeration[terms.Vocabulary](t)
	enumeration[terms.Source](t)
	enumeration[terms.Sense](t)
	described[terms.Status](t)
	enumeration[terms.Usage](t)
	enumeration[terms.Scope](t)
	enumeration[terms.Extent](t)
	described[terms.Decision](t)
	described[terms.Basis](t)
	enumeration[terms.Profile](t)
	enumeration[terms.OtherReading](t)
	described[terms.ConflictKind](t)
	enumeration[terms.Severity](t)
	enumeration[terms.Winner](t)
	enumeration[terms.Reading](t)
}

// docs/semantics.md defines the values that a reader of the tables must know the law of.
func TestSemanticsHasTheNames(t *testing.T) {
	text, err := os.ReadFile("../../docs/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]string{
		terms.Names[terms.Basis](), terms.Names[terms.ConflictKind](), terms.Names[terms.Severity](),
		terms.Names[terms.AdoptionClass](),
		terms.Names[terms.Extent](), terms.Names[terms.Decision](), terms.Names[terms.Status](),
		terms.Names[terms.Source](), terms.Names[terms.Vocabulary](), terms.Names[terms.Sense](),
		terms.Names[terms.Profile](),
	} {
		for _, name := range list {
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("docs/semantics.md does not have `%s`", name)
			}
		}
	}
}

func TestUsages(t *testing.T) {
	all := terms.All[terms.Usage]()
	if len(all) != terms.UsageCount-1 {
		t.Errorf("%d usages have a name, of %d", len(all), terms.UsageCount-1)
	}
	for _, u := range all {
		if words := u.Of("this page"); strings.Count(words, "this page") != 1 || strings.Contains(words, "%") {
			t.Errorf("usage %s has the phrase %q", u, words)
		}
		form := strings.HasPrefix(u.String(), "present-")
		if u.IsPresentation() != form || terms.UsagePresent.Covers(u) != (form || u == terms.UsagePresent) {
			t.Errorf("usage %s is a form of present: %v", u, u.IsPresentation())
		}
		for _, v := range all {
			if u.Covers(v) != (u == v) && u != terms.UsagePresent {
				t.Errorf("usage %s covers %s", u, v)
			}
		}
	}
}
