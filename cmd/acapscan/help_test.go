package main

import (
	"strings"
	"testing"
)

func TestEveryVerbHelps(t *testing.T) {
	root := newRoot()
	root.InitDefaultHelpFlag()
	verbs := []string{""}
	for _, cmd := range root.Commands() {
		verbs = append(verbs, cmd.Name())
	}
	for _, want := range []string{"scan", "extract", "resolve", "analyze", "report", "export", "check", "explain",
		"schema", "agents", "version"} {
		if !strings.Contains(strings.Join(verbs, " "), want) {
			t.Errorf("there is no verb %s", want)
		}
	}
	for _, verb := range verbs {
		t.Run("acapscan "+verb, func(t *testing.T) {
			args := []string{verb, "--help"}
			if verb == "" {
				args = args[1:]
			}
			got := must(t, exitDone, args...)
			for _, part := range []string{"EXIT STATUS", "  0    done", "  1    failed", "  2    wrong usage",
				"  130  interrupted", "Examples:\n  acapscan "} {
				if !strings.Contains(got.stdout, part) {
					t.Errorf("the help lacks %q:\n%s", part, got.stdout)
				}
			}
			// Which verbs can end with status 3, of those that the tests see end.
			incomplete := map[string]bool{"": true, "scan": true, "extract": true, "resolve": false, "analyze": true,
				"report": false, "export": false, "check": false,
				"explain": false, "schema": false, "agents": false, "version": false}
			if want, known := incomplete[verb]; known && strings.Contains(got.stdout, "\n  3    ") != want {
				t.Errorf("exit status 3 belongs to verbs that read archives, and to no other:\n%s", got.stdout)
			}
			if got.stderr != "" {
				t.Errorf("stderr has %q", got.stderr)
			}
			if verb != "" {
				if again := must(t, exitDone, "help", verb); again != got {
					t.Errorf("'help %s' says other than '%s --help'", verb, verb)
				}
			}
		})
	}
}

func TestWrongUsage(t *testing.T) {
	file := write(t, "robots.txt", []byte("User-agent: *\nDisallow:\n"))
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"no such verb", []string{"frob"}, "frob"},
		{"help of no such verb", []string{"help", "frob"}, "frob"},
		{"no such flag", []string{"scan", "--frob"}, "frob"},
		{"scan without an input", []string{"scan", "-o", "x"}, "input"},
		{"scan without -o", []string{"scan", "x"}, "-o"},
		{"scan to standard output", []string{"scan", "x", "-o", "-"}, "analyze - -o -"},
		{"a number that is none", []string{"scan", "x", "-o", "y", "--workers", "many"}, "workers"},
		{"a negative number of workers", []string{"scan", "x", "-o", "y", "--workers", "-1"}, "workers"},
		{"a share of more than all", []string{"scan", "x", "-o", "y", "--min-complete", "1.5"}, "--min-complete"},
		{"a share that is no number", []string{"extract", "x", "-o", "y", "--min-complete", "NaN"}, "--min-complete"},
		{"a negative share", []string{"analyze", "x", "-o", "y", "--min-complete", "-0.1"}, "--min-complete"},
		{"no such set of pages", []string{"scan", "x", "-o", "y", "--pages", "some"}, "pages"},
		{"no such set of directives", []string{"scan", "x", "-o", "y", "--directives", "some"}, "directives"},
		{"no such set of permissions", []string{"scan", "x", "-o", "y", "--permissions", "some"}, "permissions"},
		{"no such profile", []string{"scan", "x", "-o", "y", "--profile", "2"}, "profile"},
		{"no such rule", []string{"scan", "x", "-o", "y", "--without", "r-dec-1"}, "r-dec-1"},
		{"no such repair", []string{"scan", "x", "-o", "y", "--refuse", "syntax"}, "missing-colon"},
		{"analyze without no such rule", []string{"analyze", "x", "-o", "y", "--without", "R-DEC-99"}, "R-DEC-99"},
		{"resolve without no such rule", []string{"resolve", "x", "--without", ""}, "--without"},
		{"no such progress", []string{"scan", "x", "-o", "y", "--progress", "dots"}, "progress"},
		{"an agent that is no name", []string{"scan", "x", "-o", "y", "--agents", "a b/1"}, "a b/1"},
		{"extract without -o", []string{"extract", "x"}, "-o"},
		{"analyze without facts", []string{"analyze", "-o", "x"}, "facts"},
		{"analyze without -o", []string{"analyze", "x"}, "-o"},
		{"explain without a URL", []string{"explain"}, "--url"},
		{"explain with two arguments", []string{"explain", "--url", "http://a.example/", "x", "y"}, "y"},
		{"explain of what is no web address", []string{"explain", "--url", "mailto:a@a.example"}, "mailto"},
		{"explain of no usage", []string{"explain", "--url", "http://a.example/", "--usage", "read"}, "read"},
		{"explain at no time", []string{"explain", "--url", "http://a.example/", "--at", "noon"}, "noon"},
		{"explain without an agent", []string{"explain", "--url", "http://a.example/", "--agent", ""}, "--agent"},
		{"explain with no header", []string{"explain", "--url", "http://a.example/", "--header", "noindex"}, "noindex"},
		{"explain with no profile", []string{"explain", "--url", "http://a.example/", "--profile", "1.0"}, "1.0"},
		{"explain with no reading of other", []string{"explain", "--url", "http://a.example/", "--other", "wide"},
			"wide"},
		{"explain with a status that has a file", []string{"explain", "--url", "http://a.example/", "--robots-status",
			"200"}, "200"},
		{"explain with a file and a status", []string{"explain", "--url", "http://a.example/", "--robots", file,
			"--robots-status", "404"}, "exclude"},
		{"check without a file", []string{"check"}, "file"},
		{"check with no kind of failure", []string{"check", file, "--fail-on", "rules"}, "rules"},
		{"schema of no table", []string{"schema", "frob"}, "frob"},
		{"schema of two tables", []string{"schema", "pages", "robots"}, "robots"},
		{"no such format", []string{"scan", "x", "-o", "y", "--format", "csv"}, "parquet or arrow"},
		{"a format of streams", []string{"analyze", "x", "-o", "-", "--format", "arrow"}, "for folders"},
		{"export without a folder", []string{"export", "pages"}, "folder of a run"},
		{"export of no table", []string{"export", "frob", "x"}, "frob"},
		{"export of two folders", []string{"export", "pages", "x", "y"}, "y"},
		{"version with an argument", []string{"version", "x"}, "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must(t, exitUsage, c.args...)
			said := got.sentences()
			if len(said) != 2 || !strings.Contains(said[0], c.says) || !strings.Contains(said[1], "acapscan help") {
				t.Errorf("it says %q", said)
			}
			if got.stdout != "" {
				t.Errorf("stdout has %q", got.stdout)
			}
		})
	}
}
