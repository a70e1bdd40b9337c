package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/agents"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/internal/console"
	"github.com/acapscan/acapscan/internal/terms"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

// newCompletion is the verb completion. That of package cobra has a verb below it for each shell.
func newCompletion(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script with which a shell completes verbs, flags and values",
		Long: `Print a script with which a shell completes verbs, flags and values, such as usages, rules, tables and
crawlers. SHELL is bash, zsh, fish or powershell. Load the script in each session, or write it where the shell looks for
completions.
` + exitStatusText,
		Example: "  acapscan completion bash >~/.local/share/bash-completion/completions/acapscan\n" +
			"  source <(acapscan completion bash)\n" +
			"  acapscan completion zsh >~/.zfunc/_acapscan\n" +
			"  acapscan completion fish >~/.config/fish/completions/acapscan.fish",
		Args:      exactly("the name of a shell"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return pipeline.Usagef("there is no completion for %q, but for bash, zsh, fish and powershell%s",
				args[0], console.Suggestion(args[0], shells))
		},
	}
}

// flagValues are the values of flags, for completion.
func flagValues() map[string][]string {
	var rules, crawlers []string
	for _, r := range policy.Rules() {
		rules = append(rules, fmt.Sprintf("%s\t%s", r, r.Text()))
	}
	for _, a := range agents.Common() {
		crawlers = append(crawlers, fmt.Sprintf("%s\t%s", a.Name, a.Operator))
	}
	var repairs []string
	for _, d := range policy.Repairs() {
		repairs = append(repairs, string(d))
	}
	return map[string][]string{
		"agent": crawlers, "agents": append([]string{"@common"}, crawlers...), "directives": {"default", "all"},
		"fail-on": {"defects"}, "format": {"parquet", "arrow"}, "other": terms.Names[terms.OtherReading](),
		"pages": {"acap", "default", "all"}, "permissions": {"default", "acap-sites", "all-sites", "all"},
		"profile": terms.Names[terms.Profile](), "progress": {"auto", "bar", "plain", "json", "none"},
		"refuse": repairs, "usage": terms.Names[terms.Usage](), "without": rules,
	}
}

// addCompletions completes the values of flags and arguments of all verbs.
func addCompletions(root *cobra.Command) {
	values := flagValues()
	for _, cmd := range root.Commands() {
		for name, list := range values {
			complete := cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
			_ = cmd.RegisterFlagCompletionFunc(name, complete) // fails for verbs without the flag
		}
	}
}

// completeTables completes the first argument with the names of the tables, and others with folders.
func completeTables(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return tableNames(), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}
