// Command release builds what a release of acapscan has: archives with a static binary, its manual and its completions,
// Python wheels with the same binary, images for containers, a bill of materials for each binary, and checksums. It
// builds the git clone in the current folder; of sources without git it makes no release version. The same commit and
// the same version of Go give the same bytes in any folder. docs/releasing.md has the steps around it.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Kinds of files that this program makes.
const (
	kindArchives = "archives"
	kindWheels   = "wheels"
	kindImages   = "images"
)

// A platform is an operating system and a processor, by Go's names, with the platform tags of its wheels.
type platform struct {
	os, arch  string
	wheelTags []string
}

// platforms have binaries. A static binary for Linux runs with any C library, so its wheel has the oldest tags that pip
// knows. macOS 12 is the oldest that Go 1.26 supports.
var platforms = []platform{
	{"linux", "amd64", []string{"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"}},
	{"linux", "arm64", []string{"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"}},
	{"darwin", "amd64", []string{"macosx_12_0_x86_64"}},
	{"darwin", "arm64", []string{"macosx_12_0_arm64"}},
	{"windows", "amd64", []string{"win_amd64"}},
	{"windows", "arm64", []string{"win_arm64"}},
}

func (p platform) String() string { return p.os + "/" + p.arch }

// exe is the end of a program's file name.
func (p platform) exe() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var names []string
	for _, p := range platforms {
		names = append(names, p.String())
	}
	out := flag.String("o", "out/release", "write to this `folder`, which must be new or empty")
	wanted := flag.String("platforms", strings.Join(names, ","),
		"build for these `platforms`; host: that of this machine")
	kinds := flag.String("kinds", kindArchives+","+kindWheels, "make these `kinds` of files: archives, wheels, images")
	flag.Parse()
	if err := run(ctx, *out, *wanted, *kinds); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, wanted, kinds string) error {
	chosen, err := choose(wanted)
	if err != nil {
		return err
	}
	makers := map[string]func(*release, platform, *binary) ([]output, error){
		kindArchives: (*release).archive, kindWheels: (*release).wheel, kindImages: (*release).image,
	}
	asked := strings.Split(kinds, ",")
	for _, kind := range asked {
		if makers[kind] == nil {
			return fmt.Errorf("-kinds: %q is none of archives, wheels and images", kind)
		}
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", out)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r, err := prepare(ctx, work)
	if err != nil {
		return err
	}
	var sums []string
	for _, p := range chosen {
		built, err := r.build(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		for _, kind := range asked {
			outputs, err := makers[kind](r, p, built)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", kind, p, err)
			}
			for _, o := range outputs {
				if err := os.WriteFile(filepath.Join(out, o.name), o.content, 0o666); err != nil {
					return err
				}
				sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(o.content), o.name))
				fmt.Println(filepath.Join(out, o.name))
			}
		}
	}
	slices.SortFunc(sums, func(a, b string) int { return strings.Compare(a[sha256.Size*2:], b[sha256.Size*2:]) })
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(strings.Join(sums, "")), 0o666)
}

// choose returns the platforms named in a list.
func choose(wanted string) (chosen []platform, err error) {
	for name := range strings.SplitSeq(wanted, ",") {
		if name == "host" {
			name = runtime.GOOS + "/" + runtime.GOARCH
		}
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("-platforms: there are no releases for %q, but for %v", name, platforms)
		}
		chosen = append(chosen, platforms[i])
	}
	return chosen, nil
}

// An output is a file of the release.
type output struct {
	name    string
	content []byte
}

// archive makes the archive for people who install by hand, and the bill of materials of its binary.
func (r *release) archive(p platform, built *binary) ([]output, error) {
	name := strings.Join([]string{"acapscan", r.version, p.os, p.arch}, "-")
	files := slices.Concat(built.files(p), r.shared)
	for i := range files {
		files[i].name = name + "/" + files[i].name
	}
	var b bytes.Buffer
	write, suffix := writeTarGz, ".tar.gz"
	if p.os == "windows" {
		write, suffix = writeZip, ".zip"
	}
	err := write(&b, files, r.time)
	return []output{{name + suffix, b.Bytes()}, {name + ".cdx.json", built.materials}}, err
}

// image makes the file system of a container as a tar file, for tools/release/Containerfile. Other systems have none.
func (r *release) image(p platform, built *binary) ([]output, error) {
	if p.os != "linux" {
		return nil, nil
	}
	files := append(built.files(p),
		file{"etc/ssl/certs/ca-certificates.crt", rootCertificates(), 0o644},
		file{"tmp/", nil, 0o1777}) // for facts and sorted runs that are piped
	var b bytes.Buffer
	err := writeTar(&b, files, r.time)
	return []output{{fmt.Sprintf("acapscan-image-%s-%s.tar", p.os, p.arch), b.Bytes()}}, err
}
