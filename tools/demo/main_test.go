package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/output/parquet"
	"github.com/acapscan/acapscan/output/table"
)

func writePermissions(t *testing.T, dir, crawl string, rows []table.Permission) {
	t.Helper()
	folder := filepath.Join(dir, "permissions", "crawl="+crawl)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := parquet.Create[table.Permission](filepath.Join(folder, "part-00000.parquet"), parquet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(rows); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Commit(); err != nil {
		t.Fatal(err)
	}
}

func TestRunCountsSitesByUsageAndDecision(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's [a] folder")
	site := func(agent string, purpose *string, usage table.Usage, decision table.Decision) table.Permission {
		return table.Permission{Scope: "site", Agent: agent, Purpose: purpose, Usage: usage, Decision: decision}
	}
	writePermissions(t, dir, "2012", []table.Permission{
		site("*", nil, "index", "allowed"),
		site("*", nil, "index", "disallowed"),
		site("*", nil, "crawl", "disallowed"),
		site("*", nil, "follow", "conditional"),
		site("*", table.Of("news"), "follow", "allowed"),
		site("CCBot", nil, "follow", "allowed"),
		{Scope: "page", Agent: "*", Usage: "follow", Decision: "allowed"},
	})
	writePermissions(t, dir, "2018", []table.Permission{site("*", nil, "index", "disallowed")})

	var out strings.Builder
	if err := run([]string{dir}, &out); err != nil {
		t.Fatal(err)
	}
	_, answer, _ := strings.Cut(out.String(), "\n\n")
	answer, sql, _ := strings.Cut(answer, "\n\n")
	want := `usage                 allowed  conditional  disallowed
index                       1            0           2
crawl                       0            0           1
follow                      0            1           0`
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("the answer (-want +got):\n%s", diff)
	}
	if !strings.Contains(sql, "it''s [a] folder/permissions/**/*.parquet')") {
		t.Errorf("the query does not quote the folder:\n%s", sql)
	}
}

func TestRunFailsInASentence(t *testing.T) {
	empty := t.TempDir()
	broken := t.TempDir()
	writePermissions(t, broken, "local", nil)
	if err := os.WriteFile(filepath.Join(broken, "permissions", "crawl=local", "part-00001.parquet"),
		[]byte("not Parquet at all"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"no folder", nil, "give the folder"},
		{"two folders", []string{empty, empty}, "give the folder"},
		{"a folder without tables", []string{empty}, "holds no table permissions"},
		{"a file that is no Parquet", []string{broken}, "part-00001.parquet"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			err := run(tt.args, &out)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("run: %v, want an error with %q", err, tt.want)
			}
			if out.Len() > 0 {
				t.Errorf("run wrote %q next to its error", out.String())
			}
		})
	}
}
