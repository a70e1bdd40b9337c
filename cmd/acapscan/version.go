package main

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// programVersion is the version of this program; CHANGELOG.md has a heading for each.
const programVersion = "0.1.0"

// commit is set by the linker (Makefile).
var commit = "unknown"

func program() manifest.Program {
	return manifest.Program{Name: "acapscan", Version: programVersion, Commit: builtFrom()}
}

// builtFrom is the commit that the linker recorded (make), or the go command: 'go build' in a clone, or 'go install' of
// a version. The version of a release is a tag, which names its commit.
func builtFrom() string {
	if info, ok := debug.ReadBuildInfo(); ok && commit == "unknown" {
		return commitOf(info)
	}
	return commit
}

func commitOf(info *debug.BuildInfo) string {
	const length = 12
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(len(s.Value), length)]
		}
	}
	version := info.Main.Version
	pseudo := regexp.MustCompile(`[0-9]{14}-([0-9a-f]{12})$`) // v0.0.0-20260102030405-abcdefabcdef
	if m := pseudo.FindStringSubmatch(version); m != nil {
		return m[1]
	}
	if version == "" || version == "(devel)" {
		return commit
	}
	return version
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the program, its rules and its tables",
		Long:    "Print the versions of program, rules, tables, facts and public suffix list.\n" + exitStatusText,
		Example: "  acapscan version",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "acapscan %s (commit %s, %s)\n"+
				"rules %d\ntables %d\nfacts %d\npublic suffix list %s\n",
				programVersion, builtFrom(), runtime.Version(), survey.RulesVersion, table.SchemaVersion,
				facts.SchemaVersion, weburl.PublicSuffixVersion())
			return err
		},
	}
}
