package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/cmd/acapscan/manual"
)

func TestManual(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man1")
	must(t, exitDone, "man", folder)
	macro := regexp.MustCompile(`^\.(TH|SH|TP|PP|BR|nf|fi)\s`)
	plain := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\&`, "", `\fB`, "", `\fI`, "", `\fR`, "")
	root := newRoot()
	for _, cmd := range append(root.Commands(), root) {
		name := manual.Name(cmd) + ".1"
		page, err := os.ReadFile(filepath.Join(folder, name))
		if cmd.Hidden != os.IsNotExist(err) {
			t.Errorf("%s: hidden is %t, and reading its page: %v", name, cmd.Hidden, err)
		}
		if cmd.Hidden {
			continue
		}
		for line := range strings.Lines(string(page)) {
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !macro.MatchString(line) {
				t.Errorf("%s: %q is read as a command", name, line)
			}
		}
		text := plain.Replace(string(page))
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, usage := pflag.UnquoteUsage(f)
			contains(t, text, strings.TrimSpace("--"+f.Name+" "+value)+"\n"+usage)
		})
		description, status, _ := strings.Cut(cmd.Long, "\nEXIT STATUS\n")
		contains(t, text, strings.ReplaceAll(strings.TrimSpace(description), "\n\n", "\n.PP\n"))
		contains(t, text, ".SH EXIT STATUS\n.nf\n"+status)
		contains(t, text, cmd.Example)
	}
}
