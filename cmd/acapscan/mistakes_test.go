package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/internal/terms"
)

// Every mistake at the command line has a sentence of its own, and the help that comes after it.
func TestMistakes(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for _, name := range []string{"a.warc", "robots.txt", "page.html"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	usages, tables := strings.Join(terms.Names[terms.Usage](), ", "), strings.Join(tableNames(), ", ")
	for _, c := range []struct {
		args []string
		says string
		help string // after 'acapscan help'
	}{
		{[]string{"scna", "a.warc", "-o", "out"}, `there is no verb "scna"; did you mean scan?`, ""},
		{[]string{"anlayze", "facts"}, `there is no verb "anlayze"; did you mean analyze?`, ""},
		{[]string{"frobnicate"}, `there is no verb "frobnicate"`, ""},
		{[]string{"help", "exlpain"}, `there is no verb "exlpain"; did you mean explain?`, ""},
		{[]string{"scan", "a.warc", "--otput", "out"}, "there is no flag --otput; did you mean --output?", " scan"},
		{[]string{"scan", "a.warc", "-page", "all"}, "there is no flag -page; did you mean --pages?", " scan"},
		{[]string{"explain", "-u", "http://a.example/"}, "there is no flag -u", " explain"},
		{[]string{"scan", "a.warc"}, "-o DIR is missing: where to write", " scan"},
		{[]string{"extract", "a.warc", "-o"}, "--output needs a value: --output FACTS", " extract"},
		{[]string{"scan", "-o", "out"}, "an input is missing: a file, a folder, a URL, --paths or --records", " scan"},
		{[]string{"scan", "htp://a.example/a.warc", "-o", "out"},
			"htp://a.example/a.warc: acapscan reads no htp:// URLs, but https://, http:// and s3://", " scan"},
		{[]string{"scan", "s3:/bucket/a.warc", "-o", "out"},
			"s3:/bucket/a.warc has one slash after the colon; did you mean s3://bucket/a.warc?", " scan"},
		{[]string{"scan", "a.warc", "-o", "out", "--memory", "10"},
			`--memory: "10" is no size such as 800MB or 2GiB`, " scan"},
		{[]string{"scan", "a.warc", "-o", "out", "--memory", "1M"},
			"--memory 1 MB is too little: one worker needs 256 MiB", " scan"},
		{[]string{"scan", "a.warc", "-o", "out", "--workers", "all"}, `--workers: "all" is no whole number`, " scan"},
		{[]string{"scan", "a.warc", "-o", "out", "--min-complete", "90%"},
			`--min-complete: "90%" is no number`, " scan"},
		{[]string{"scan", "a.warc", "-o", "out", "--strict=maybe"},
			`--strict: "maybe" is neither true nor false; the flag needs no value`, " scan"},
		{[]string{"scan", "a.warc", "-o", "out", "--pages", "some"},
			`--pages is acap, default or all, not "some"`, " scan"},
		{[]string{"scan", "a.warc", "-o", "out", "--without", "R-DEC-99"},
			`--without: "R-DEC-99" is no rule of docs/semantics.md`, " scan"},
		{[]string{"scan", "a.warc", "-o", "-"}, "scan writes a folder; " +
			"'acapscan extract INPUT -o - | acapscan analyze - -o -' writes to standard output", " scan"},
		{[]string{"explain"}, "--url is missing", " explain"},
		{[]string{"explain", "a.warc"}, "explain a.warc needs --offset N if it is an archive, and --site SITE or " +
			"--url URL if it is the folder of a run", " explain"},
		{[]string{"explain", "a.warc", "--offset", "-3"}, "--offset -3 is negative", " explain"},
		{[]string{"explain", "a.warc", "--offset", "0", "--site", "a.example"},
			"--offset is for an archive, and --site and --crawl are for the folder of a run", " explain"},
		{[]string{"explain", "--site", "a.example"}, "--offset needs an archive, and --site, --crawl and --base-url " +
			"the folder of a run: acapscan explain ARCHIVE --offset N, or acapscan explain DIR --site " +
			"SITE", " explain"},
		{[]string{"explain", ".", "--site", "a.example", "--robots", "robots.txt"}, "--robots, --page, --tdmrep " +
			"and their flags exclude a folder: the captures of a run come from its archives", " explain"},
		{[]string{"explain", "--url", "a.example/news"},
			`--url "a.example/news" is no http or https URL; did you mean https://a.example/news?`, " explain"},
		{[]string{"explain", "--url", "http://a.example/", "--usage", "train"},
			`--usage "train" is none of the usages ` + usages, " explain"},
		{[]string{"explain", "--url", "http://a.example/", "--usage", "indx"},
			`--usage "indx" is none of the usages ` + usages + "; did you mean index?", " explain"},
		{[]string{"explain", "--url", "http://a.example/", "--at", "yesterday"},
			`--at "yesterday" is no date such as 2012-05-17 and no time such as 2012-05-17T08:30:00Z`, " explain"},
		{[]string{"export"}, "the table and the folder of a run are missing: acapscan export TABLE DIR", " export"},
		{[]string{"export", "adoption"},
			"the folder of a run is missing: acapscan export adoption DIR", " export"},
		{[]string{"export", "out"},
			"the table is missing: acapscan export TABLE out; tables are " + tables, " export"},
		{[]string{"export", "out", "adoption"}, "the table stands first: acapscan export adoption out", " export"},
		{[]string{"export", "adopion", "out"},
			`there is no table "adopion"; tables are ` + tables + "; did you mean adoption?", " export"},
		{[]string{"report"}, "the folder of a run is missing", " report"},
		{[]string{"check", "robots.txt", "--fail-on", "rules"}, `--fail-on is defects, not "rules"`, " check"},
		{[]string{"completion", "zhs"},
			`there is no completion for "zhs", but for bash, zsh, fish and powershell; did you mean zsh?`,
			" completion"},
	} {
		got := must(t, exitUsage, c.args...)
		if want := "acapscan: " + c.says + "\nacapscan: see 'acapscan help" + c.help + "'\n"; got.stderr != want {
			t.Errorf("%q says\n%swant\n%s", c.args, got.stderr, want)
		}
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"scan", "b.warc", "-o", "out"}, `there is no file or folder "b.warc"`},
		{[]string{"check", "gone.txt"}, `there is no file "gone.txt"`},
		{[]string{"explain", "--robots", "gone.txt", "--url", "http://a.example/"}, `there is no file "gone.txt"`},
		{[]string{"report", "out", "-o", "-"}, `there is no folder "out"`},
		{[]string{"report", "a.warc", "-o", "-"}, "a.warc is a file, and the folder of a run is needed"},
		{[]string{"analyze", "facts", "-o", "out"}, `there is no file or folder "facts"`},
	} {
		if got := must(t, exitFailed, c.args...); got.stderr != "acapscan: "+c.says+"\n" {
			t.Errorf("%q says\n%swant\n%s", c.args, got.stderr, c.says)
		}
	}
}

func TestVersionFlag(t *testing.T) {
	if got := must(t, exitDone, "--version"); got.stdout != "acapscan "+programVersion+"\n" {
		t.Errorf("it prints %q", got.stdout)
	}
}

// Scripts for shells ask the program for values.
func TestCompletion(t *testing.T) {
	for _, shell := range shells {
		if got := must(t, exitDone, "completion", shell); len(got.stdout) < 1000 {
			t.Errorf("%s: %d bytes", shell, len(got.stdout))
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"explain", "--usage", ""}, "\npresent-snippet\n"},
		{[]string{"scan", "--agents", ""}, "@common\n"},
		{[]string{"scan", "--without", ""}, "\nR-DEC-1\t"},
		{[]string{"scan", "--other", ""}, "narrow\n"},
		{[]string{"export", ""}, "\nadoption\n"},
		{[]string{"schema", ""}, "\nconflicts\n"},
		{[]string{"completion", ""}, "fish\n"},
	} {
		got := must(t, exitDone, append([]string{cobra.ShellCompRequestCmd}, c.args...)...)
		contains(t, got.stdout, c.want)
	}
	contains(t, must(t, exitDone, cobra.ShellCompRequestCmd, "scan", "--p").stdout, "--permissions\t")
}

func contains(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%q is missing in\n%s", want, text)
	}
}
