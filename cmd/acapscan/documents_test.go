package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentsNameWhatExists checks the pages for contributors: the files and folders that they name exist, and so do
// names such as `facts.Fact`.
func TestDocumentsNameWhatExists(t *testing.T) {
	root := filepath.Join("..", "..")
	declared := declarations(t, root)
	path := regexp.MustCompile("`((?:cmd|ingest|analyze|output|internal|tools|testdata|notebooks|docs)/[^` ]+)`")
	name := regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z]+)`")
	found := 0
	for _, page := range []string{"docs/life.md", "docs/extending.md", "docs/architecture.md", "docs/glossary.md",
		"CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range path.FindAllStringSubmatch(string(text), -1) {
			found++
			if strings.Contains(m[1], "NAME") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s names %s: %v", page, m[1], err)
			}
		}
		for _, m := range name.FindAllStringSubmatch(string(text), -1) {
			found++
			if !declared[m[1]+"."+m[2]] {
				t.Errorf("%s names %s.%s, which no package declares", page, m[1], m[2])
			}
		}
	}
	if found < 100 {
		t.Errorf("the pages have %d names, which is few", found)
	}
}

// declarations lists the exported names of all packages, as package.Name.
func declarations(t *testing.T, root string) map[string]bool {
	t.Helper()
	declared := map[string]bool{}
	for _, folder := range []string{"ingest", "analyze", "output", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				switch d := decl.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil {
						declared[file.Name.Name+"."+d.Name.Name] = true
					}
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						switch s := spec.(type) {
						case *ast.TypeSpec:
							declared[file.Name.Name+"."+s.Name.Name] = true
						case *ast.ValueSpec:
							for _, n := range s.Names {
								declared[file.Name.Name+"."+n.Name] = true
							}
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return declared
}

// TestTroubleshootingQuotesMessages checks that the program has the messages of docs/troubleshooting.md: those in code
// marks in the first column of its tables. "…" stands for any text.
func TestTroubleshootingQuotesMessages(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	broken := regexp.MustCompile(`"\s*\+\n\s*"`) // a message over several lines
	for _, folder := range []string{"cmd", "ingest", "analyze", "output", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			code, err := os.ReadFile(path)
			source.Write(broken.ReplaceAll(code, nil))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	messages := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+`[^|]*) \\|").FindAllStringSubmatch(string(text), -1) {
		for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if !strings.Contains(quoted[1], " ") {
				continue // a code word, such as AccessDenied
			}
			messages++
			for part := range strings.SplitSeq(quoted[1], "…") {
				if !strings.Contains(source.String(), strings.TrimSpace(part)) {
					t.Errorf("no package has the message %q", quoted[1])
				}
			}
		}
	}
	if messages < 8 {
		t.Errorf("%d messages are few", messages)
	}
}
