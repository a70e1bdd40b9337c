package decide_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/internal/longtest"
)

// A mutation leaves a part out of a key by which decisions are cached: what differs only there shares an answer.
type mutation struct{ name, file, from, to string }

// forgets is a mutation of the key of the statements that apply to an agent.
func forgets(vocabulary string) mutation {
	return mutation{
		"the statements of " + vocabulary, "view.go",
		"				found.addGrouped(c)\n				add(i, c.bits())\n",
		"				found.addGrouped(c)\n				if e.Vocabulary != policy." + vocabulary +
			" {\n					add(i, c.bits())\n				}\n",
	}
}

var mutations = []mutation{
	forgets("REP"), forgets("AIPref"), forgets("ContentSignal"),
	{"the statements of ACAP", "view.go", "found.acap = append(found.acap, c)\n				add(i, c.bits())",
		"found.acap = append(found.acap, c)"},
	{"that an agent is named", "view.go", "return bit(c.Named) | bit(c.itself)<<1", "return bit(c.itself)<<1"},
	{"that a record names the agent itself", "view.go", "bit(c.Named) | bit(c.itself)<<1 |", "bit(c.Named) |"},
	{"that a purpose is named", "view.go", " | bit(c.Specific)<<2 }", " }"},
	{"whether a group counts", "view.go", "return 8 | bit(c.inForce)", "return 8"},
	{"the path of statements", "view.go", "(last.path == path || v.site.only != nil)", "true"},
	{"the path of matches", "decide.go", "last != nil && last.path == path", "last != nil"},
	{"the page of a decision about crawl", "decide.go", "last.page == page && last.question == q",
		"last.question == q"},
	{"the question of a decision about crawl", "decide.go", "last.page == page && last.question == q",
		"last.page == page"},
	{"the patterns of a path", "cache.go", "c.key = binary.AppendUvarint(c.key, uint64(i))",
		"_ = binary.AppendUvarint(c.key, uint64(i))"},
	{"the interpretation", "cache.go", "if other.opts == opts {", "if true {"},
	{"the agent", "cache.go", "key := agentKey{v.agent, v.purpose}", `key := agentKey{"", v.purpose}`},
	{"the purpose", "cache.go", "key := agentKey{v.agent, v.purpose}", `key := agentKey{v.agent, ""}`},
	{"an unresolved reference", "cache.go", "flags := byte(bit(v.unresolvedNamed))", "flags := byte(0)"},
	{"the page of location", "cache.go", "if a.located && a.url != q.URL {", "if false {"},
	{"the time", "cache.go", "case !a.timed:", "case true:"},
	{"rules of the space of paths", "../extent/extent.go", `key += r.key() + "|"`, `_ = r.key()`},
	{"the preference of the space of paths", "../extent/extent.go", "s.explored(u.String(), Pref",
		`s.explored("", Pref`},
	{"the preference of an extent", "../extent/extent.go", "		return u.String()\n", "		return \"\"\n"},
	{"crawl of an extent", "../extent/extent.go", "key = append(key, 'c')", "_ = 'c'"},
	{"whether statements cover the usage of an extent", "../extent/extent.go", "key = append(key, '-')",
		"key = append(key, '+')"},
	{"the time of an extent", "../extent/extent.go", "extentKey{s.coverage(u), at}",
		"extentKey{coverage: s.coverage(u)}"},
}

// A key that forgets something makes two crawlers, usages, paths or times share an answer. The tests of this package
// fail for each such mistake.
func TestKeysThatForgetAreCaught(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("compiles the package once for each mistake")
	}
	for _, m := range mutations {
		t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			source, err := filepath.Abs(m.file)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), m.from); n != 1 {
				t.Fatalf("%s has %q %d times: the mistake needs another place", m.file, m.from, n)
			}
			mutant, overlay := filepath.Join(t.TempDir(), "mutant.go"), filepath.Join(t.TempDir(), "overlay.json")
			replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{source: mutant}})
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range map[string]string{
				mutant: strings.Replace(string(text), m.from, m.to, 1), overlay: string(replaced),
			} {
				if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			child := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-failfast", "-overlay", overlay, ".")
			child.Env = append(os.Environ(), "ACAPSCAN_LONG=") // this test is none of them
			said, err := child.CombinedOutput()
			switch {
			case err == nil:
				t.Error("no test fails")
			case !strings.Contains(string(said), "--- FAIL: "):
				t.Errorf("%v: %s", err, said)
			}
		})
	}
}
