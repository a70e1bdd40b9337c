package conformance_test

import (
	"io/fs"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/tools/conformance"
)

// FuzzRead reads cases that anyone may have written, and runs those that can be: with a rule left out, twice the same,
// and whatever it is no panic.
func FuzzRead(f *testing.F) {
	n := 0
	err := fs.WalkDir(suite, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".json" || name == "schema.json" {
			return err
		}
		if n++; n%15 != 1 { // enough to begin with
			return nil
		}
		text, err := fs.ReadFile(suite, name)
		f.Add(path.Base(name), text, uint8(n))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("x.json", []byte(`{"id":"x","title":"t","source":"s","robots":{"base64":"/w=="},"defects":[]}`), uint8(0))
	f.Fuzz(func(t *testing.T, name string, text []byte, out uint8) {
		c, err := conformance.Read(name, text)
		if err != nil {
			return
		}
		var without policy.RuleSet
		if rules := policy.Rules(); int(out) < len(rules) {
			without = without.With(rules[out])
		}
		if diff := cmp.Diff(runner.Run(c, without), runner.Run(c, without)); diff != "" {
			t.Errorf("run again, it ends otherwise:\n%s", diff)
		}
	})
}
