package manifest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/output/table"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/schema/run anew")

// exampleRun is a run with one part file of each table but conflicts, which shows a table without files.
// Sizes and digests are made up.
func exampleRun(t *testing.T) *Manifest {
	t.Helper()
	m := &Manifest{Program: Program{Name: "acapscan", Version: "0.0.0-example"}}
	for _, d := range table.All() {
		if d.Name == table.Conflicts {
			continue
		}
		m.Outputs = append(m.Outputs, Output{
			Path: d.Folder("CC-MAIN-2018-34", "robotstxt") + "/" + table.PartName(0, table.Parquet),
			Rows: 1, Bytes: 4096, SHA256: strings.Repeat("0", 64),
		})
	}
	if err := m.complete(); err != nil {
		t.Fatal(err)
	}
	return m
}

// What stands next to the tables of a run follows from the row structs; docs has it for readers without a run.
func TestGoldenDocuments(t *testing.T) {
	m := exampleRun(t)
	folder := filepath.Join("..", "..", "docs", "schema", "run")
	for name, want := range map[string][]byte{ViewsName: views(m.Tables), DataPackageName: dataPackage(m)} {
		path := filepath.Join(folder, name)
		if *update {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not what the row structs say; run make generate (-want +got):\n%s", path, diff)
		}
	}
}
