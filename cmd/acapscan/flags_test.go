package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Every flag of every verb is used by a test: a line of a script, or a function of a test in Go, that has both. Wrong
// usage is no use.
func TestEveryFlagIsUsed(t *testing.T) {
	var uses []string
	for _, pattern := range []string{"testdata/script/*.txtar", "*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %q, %v", pattern, files, err)
		}
		for _, file := range files {
			if file == "help_test.go" || file == "flags_test.go" {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.SplitAfter(string(text), "\n")
			if strings.HasSuffix(file, ".go") {
				parts = strings.Split(string(text), "\nfunc ")
			}
			for _, part := range parts {
				if !strings.HasPrefix(part, "status 2 ") {
					uses = append(uses, part)
				}
			}
		}
	}
	for _, cmd := range newRoot().Commands() {
		verb := regexp.MustCompile(`acapscan ` + cmd.Name() + ` |"` + cmd.Name() + `"`)
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if flag.Name != "help" && !isUsed(uses, verb, flag) {
				t.Errorf("no test uses %s --%s", cmd.Name(), flag.Name)
			}
		})
	}
}

func isUsed(uses []string, verb *regexp.Regexp, flag *pflag.Flag) bool {
	words := `[ "]--` + flag.Name + `[ ="\n]`
	if flag.Shorthand != "" {
		words += `|[ "]-` + flag.Shorthand + `[ "\n]`
	}
	word := regexp.MustCompile(words)
	for _, use := range uses {
		if verb.MatchString(use) && word.MatchString(use) {
			return true
		}
	}
	return false
}
