package conflict

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
)

// realRobots are robots.txt files with ACAP as sites had them; they stand next to the repository.
func realRobots(t testing.TB) map[string]*policy.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "acap", "robots", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Skip("the real robots.txt files are not here")
	}
	files := make(map[string]*policy.File)
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = readRobots(string(body))
	}
	return files
}

func agentsOf(f *policy.File) []policy.Agent {
	agents := []policy.Agent{policy.AnyAgent}
	for _, a := range append(slices.Clone(f.NamedRecords), f.NamedGroups...) {
		if !slices.ContainsFunc(agents, a.Is) {
			agents = append(agents, a)
		}
	}
	return agents
}

// TestRealRobots: of every real policy everything is found, and SameCrawl says no other than the rows.
func TestRealRobots(t *testing.T) {
	counts := make(map[Kind]int)
	for name, file := range realRobots(t) {
		site := decide.NewSite(file, decide.Answered, decide.Options{})
		found, missing := OfSite(site, agentsOf(file), nil, Options{})
		if missing != (Missing{}) {
			t.Errorf("%s: left something out: %+v", name, missing)
		}
		differs := make(map[policy.Agent]bool)
		for _, c := range found {
			counts[c.Kind]++
			if c.Approximate {
				t.Errorf("%s: %s", name, row(c))
			}
			if c.Kind == ACAPREP || c.Kind == ACAPREPDrift {
				differs[c.Agent] = true
			}
			checkSides(t, site, c)
		}
		if !bothSpeak(file) {
			continue
		}
		for _, agent := range agentsOf(file) {
			v := site.For(agent, "")
			same, exact := SameCrawl(v, extent.NewPathClasses(v, 0))
			if !exact || same == differs[agent] {
				t.Errorf("%s: %s: same crawl %t, exact %t, but rows %t", name, agent, same, exact, differs[agent])
			}
		}
	}
	t.Log(counts)
}

// checkSides asks again what the sides of a row say at its path.
func checkSides(t *testing.T, site *decide.Site, c Conflict) {
	t.Helper()
	if c.Kind != ACAPREP && c.Kind != ACAPREPDrift && c.Kind != ACAPTie {
		return
	}
	q := decide.Question{Path: c.Path, Usage: c.Usage}
	v := site.For(c.Agent, c.Purpose)
	acap, rep := v.RobotsACAP(q), v.RobotsREP(q)
	if acap.Decision() != c.FirstDecision || c.Kind != ACAPTie && rep.Decision() != c.SecondDecision {
		t.Errorf("%s: ACAP says %s, conventional rules say %s", row(c), acap.Decision(), rep.Decision())
	}
	for _, st := range []*policy.Statement{c.First, c.Second} {
		if st == nil || len(st.Patterns) == 0 {
			continue
		}
		if !slices.ContainsFunc(st.Patterns, func(p policy.Pattern) bool { return p.Match(c.Path) }) {
			t.Errorf("%s: line %d does not hold the path", row(c), st.Line)
		}
	}
}

// BenchmarkOfSite searches the real policy with most ACAP fields, for every agent that it names.
func BenchmarkOfSite(b *testing.B) {
	file := realRobots(b)["top1m-2017_151-wsj.com.txt"]
	if file == nil {
		b.Skip("the file is not here")
	}
	for b.Loop() {
		site := decide.NewSite(file, decide.Answered, decide.Options{})
		OfSite(site, agentsOf(file), nil, Options{})
	}
}
