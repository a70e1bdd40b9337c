package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A release is what all platforms share.
type release struct {
	work    string    // a folder for binaries
	version string    // such as 0.1.0, or 0.1.0.dev0+gCOMMIT of a commit without a tag
	commit  string    // 40 hexadecimal digits; "" outside of a git clone, as in unpacked sources
	time    time.Time // of all files: that of the commit, or SOURCE_DATE_EPOCH
	shared  []file    // of the archives: licence, README, manual, completions
	python  []file    // of the wheels: the module
	head    []byte    // the metadata of the wheels, without a version and a description
	readme  []byte    // the description of the wheels
}

// prepare reads the commit and the files that all platforms share. The manual and the completions come from the program
// itself, so it is built for this machine too.
func prepare(ctx context.Context, work string) (*release, error) {
	r := &release{work: work}
	at, err := git(ctx, "show", "-s", "--format=%H %ct", "HEAD")
	if err != nil {
		fmt.Fprintln(os.Stderr, "release: the program will not know its commit, and has no release version:", err)
		at = " 315532800" // 1980, where the times of zip files begin
	}
	commit, seconds, _ := strings.Cut(at, " ")
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds = epoch
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	r.commit, r.time = commit, time.Unix(unix, 0).UTC()

	host := platform{os: runtime.GOOS, arch: runtime.GOARCH}
	program, err := r.compile(ctx, host)
	if err != nil {
		return nil, err
	}
	said, err := command(ctx, nil, program, "--version")
	if err != nil {
		return nil, err
	}
	if r.version, err = versionOf(ctx, strings.TrimPrefix(string(said), "acapscan "), commit); err != nil {
		return nil, err
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		if err := r.add(&r.shared, name, name); err != nil {
			return nil, err
		}
	}
	manual := filepath.Join(work, "man1")
	if _, err := command(ctx, nil, program, "man", manual); err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(manual, "*.1")) // in order
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		if err := r.add(&r.shared, "share/man/man1/"+filepath.Base(page), page); err != nil {
			return nil, err
		}
	}
	for _, c := range [][2]string{{"bash", "bash-completion/completions/acapscan"},
		{"fish", "fish/vendor_completions.d/acapscan.fish"}, {"zsh", "zsh/site-functions/_acapscan"}} {
		script, err := command(ctx, nil, program, "completion", c[0])
		if err != nil {
			return nil, err
		}
		r.shared = append(r.shared, file{"share/" + c[1], script, 0o644})
	}
	return r, r.readModule("cmd/acapscan-python")
}

// add reads a file for the archives.
func (r *release) add(to *[]file, name, path string) error {
	content, err := os.ReadFile(path)
	*to = append(*to, file{name, content, 0o644})
	return err
}

// versionOf is the version of the release. It is the program's version if the commit has
// its tag and nothing is changed. Others have one that package indexes refuse.
func versionOf(ctx context.Context, program, commit string) (string, error) {
	program = strings.TrimSpace(program)
	if commit == "" {
		return program + ".dev0+unknown", nil
	}
	changes, err := git(ctx, "status", "--porcelain")
	if err != nil {
		return "", err
	}
	tags, err := git(ctx, "tag", "--points-at", "HEAD", "v*")
	if err != nil {
		return "", err
	}
	return label(program, commit, strings.Fields(tags), changes != "")
}

func label(program, commit string, tags []string, changed bool) (string, error) {
	switch development := program + ".dev0+g" + commit[:12]; {
	case changed:
		return development + ".changed", nil
	case len(tags) == 0:
		return development, nil
	case !slices.Contains(tags, "v"+program):
		return "", fmt.Errorf("the tag %s is not the version of the program, %s", tags[0], program)
	}
	return program, nil
}

// A binary is the program for one platform.
type binary struct {
	content   []byte
	licenses  []byte // of the libraries in it
	materials []byte // its bill of materials
}

// files are those that go with the program wherever it goes.
func (b *binary) files(p platform) []file {
	return []file{{"acapscan" + p.exe(), b.content, 0o755}, {"THIRD-PARTY.txt", b.licenses, 0o644}}
}

// environment are the variables that change what the compiler makes. All are set, so that none comes from this machine.
func (p platform) environment() []string {
	return []string{"GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0", "GOFLAGS=",
		"GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off"}
}

// compile links the program statically, and returns its path. With -trimpath no path of this machine is in it.
func (r *release) compile(ctx context.Context, p platform) (string, error) {
	path := filepath.Join(r.work, p.os+"-"+p.arch+p.exe())
	_, err := command(ctx, p.environment(), "go", "build", "-trimpath", "-mod=readonly", "-ldflags=-s -w",
		fmt.Sprintf("-buildvcs=%t", r.commit != ""), "-o", path, "./cmd/acapscan")
	return path, err
}

// build makes the program for a platform, and lists what is in it.
func (r *release) build(ctx context.Context, p platform) (*binary, error) {
	path, err := r.compile(ctx, p)
	if err != nil {
		return nil, err
	}
	b := &binary{}
	if b.content, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	libraries, err := findLibraries(ctx, p, info)
	if err != nil {
		return nil, err
	}
	b.licenses = licenseTexts(libraries)
	b.materials, err = r.materials(p, b.content, libraries)
	return b, err
}

func git(ctx context.Context, arguments ...string) (string, error) {
	out, err := command(ctx, nil, "git", arguments...)
	return strings.TrimSpace(string(out)), err
}

// command runs a program and returns its output. Its messages are in the error.
func command(ctx context.Context, environment []string, name string, arguments ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, arguments...)
	c.Env = append(os.Environ(), environment...)
	var messages bytes.Buffer
	c.Stderr = &messages
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(arguments, " "), err, messages.Bytes())
	}
	return out, nil
}
