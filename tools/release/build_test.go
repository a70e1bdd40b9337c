package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"

	"github.com/acapscan/acapscan/internal/longtest"
)

// TestReleaseIsReproducible builds the last commit for linux/amd64 in two clones, the second time without what the
// compiler has cached, compares the files byte for byte, and looks into the archive.
func TestReleaseIsReproducible(t *testing.T) {
	needClone(t)
	program := filepath.Join(t.TempDir(), "release")
	runIn(t, ".", nil, "go", "build", "-o", program, ".")
	var folders []string
	for _, environment := range [][]string{nil, {"GOCACHE=" + t.TempDir()}} {
		clone, out := filepath.Join(t.TempDir(), "clone"), t.TempDir()
		runIn(t, "../..", nil, "git", "clone", "--quiet", "--no-hardlinks", ".", clone)
		runIn(t, clone, environment, program, "-o", out, "-platforms", "linux/amd64",
			"-kinds", "archives,wheels,images")
		folders = append(folders, out)
	}
	first, err := os.ReadDir(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadDir(folders[1])
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 5 || len(second) != 5 {
		t.Fatalf("the folders have %d and %d files, want 5", len(first), len(second))
	}
	for _, entry := range first {
		a, err := os.ReadFile(filepath.Join(folders[0], entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(folders[1], entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s is not the same twice", entry.Name())
		}
	}
	runIn(t, folders[0], nil, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")
	checkArchive(t, folders[0])
}

// checkArchive looks into the archive of linux/amd64 and its bill of materials.
func checkArchive(t *testing.T, folder string) {
	t.Helper()
	archives, _ := filepath.Glob(filepath.Join(folder, "*.tar.gz"))
	in, err := os.Open(archives[0])
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(head.Name, "/")
		if files[name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"LICENSE", "README.md", "share/man/man1/acapscan.1", "share/man/man1/acapscan-scan.1",
		"share/bash-completion/completions/acapscan", "share/zsh/site-functions/_acapscan",
		"share/fish/vendor_completions.d/acapscan.fish"} {
		if len(files[name]) == 0 {
			t.Errorf("the archive lacks %s", name)
		}
	}
	program, err := elf.NewFile(bytes.NewReader(files["acapscan"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP {
			t.Error("the program is linked dynamically")
		}
	}
	if home, err := os.Getwd(); err != nil || bytes.Contains(files["acapscan"], []byte(path.Dir(home))) {
		t.Error("the program has a path of this machine")
	}
	file := filepath.Join(t.TempDir(), "acapscan")
	if err := os.WriteFile(file, files["acapscan"], 0o755); err != nil {
		t.Fatal(err)
	}
	commit := runIn(t, ".", nil, "git", "rev-parse", "--short=12", "HEAD")
	if said := runIn(t, ".", nil, file, "version"); !strings.Contains(said, "(commit "+commit+",") {
		t.Errorf("the program says %q, and was built from %s", said, commit)
	}
	var materials cdxDocument
	list, err := os.ReadFile(strings.TrimSuffix(archives[0], ".tar.gz") + ".cdx.json")
	if err == nil {
		err = json.Unmarshal(list, &materials)
	}
	if err != nil {
		t.Fatal(err)
	}
	modules := runIn(t, "../..", []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}, "go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/acapscan")
	want := map[string]bool{"std": true}
	for _, name := range strings.Fields(modules) {
		want[name] = true
	}
	for _, c := range materials.Components {
		if !want[c.Name] || !bytes.Contains(files["THIRD-PARTY.txt"], []byte(c.Name+" ")) {
			t.Errorf("%s is listed, and not in the program or not in THIRD-PARTY.txt", c.Name)
		}
		delete(want, c.Name)
	}
	for name := range want {
		t.Errorf("%s is in the program, and not listed", name)
	}
}

// TestGoInstall installs the last commit as 'go install …@VERSION' does, from a module proxy of files: as a
// pseudo-version, which names the commit, and as the version of a tag.
func TestGoInstall(t *testing.T) {
	needClone(t)
	const name = "github.com/acapscan/acapscan"
	commit := runIn(t, ".", nil, "git", "rev-parse", "--short=12", "HEAD")
	cache := runIn(t, ".", nil, "go", "env", "GOMODCACHE")
	for version, want := range map[string]string{
		"v0.0.0-20261122000000-" + commit: commit,
		"v0.1.0":                          "v0.1.0",
	} {
		proxy, home := t.TempDir(), t.TempDir()
		folder := filepath.Join(proxy, filepath.FromSlash(name), "@v")
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		this := module.Version{Path: name, Version: version}
		err := modzip.CreateFromVCS(&packed, this, filepath.Join("..", ".."), "HEAD", "")
		if err != nil {
			t.Fatal(err)
		}
		for file, content := range map[string]string{
			"list": version + "\n", version + ".zip": packed.String(),
			version + ".mod":  runIn(t, "../..", nil, "git", "show", "HEAD:go.mod") + "\n",
			version + ".info": `{"Version":"` + version + `","Time":"2026-11-22T00:00:00Z"}`,
		} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		environment := []string{"GOPROXY=file://" + proxy + ",file://" + filepath.Join(cache, "cache", "download"),
			"GOSUMDB=off", "GOMODCACHE=" + filepath.Join(home, "mod"), "GOBIN=" + home, "GOFLAGS=-modcacherw",
			"CGO_ENABLED=0"}
		runIn(t, home, environment, "go", "install", "-trimpath", name+"/cmd/acapscan@"+version)
		said := runIn(t, home, nil, filepath.Join(home, "acapscan"), "version")
		if !strings.Contains(said, "(commit "+want+",") {
			t.Errorf("%s: the program says %q", version, said)
		}
	}
}

// needClone skips a test that compiles the last commit, unless that may take minutes, and in sources without git.
func needClone(t *testing.T) {
	t.Helper()
	if !longtest.Enabled() {
		t.Skip("it compiles everything: make long")
	}
	if _, err := os.Stat("../../.git"); err != nil {
		t.Skip("there is no commit: ", err)
	}
}

// runIn runs a program in a folder and returns what it writes, without the last line's end.
func runIn(t *testing.T, folder string, environment []string, name string, arguments ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, arguments...)
	c.Dir = folder
	c.Env = append(os.Environ(), environment...)
	var messages bytes.Buffer
	c.Stderr = &messages
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, messages.Bytes())
	}
	return strings.TrimSuffix(string(out), "\n")
}
