// Command tracked rejects executable binaries, files larger than 1 MB and source lines longer than 120 columns in git.
// `make lint` runs it in the root of the repository. It prints a line for each such file and exits with status 1.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	maxBytes  = 1_000_000
	headBytes = 4096 // of a file, for its format
)

func main() {
	refused, err := check(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "tracked:", err)
		os.Exit(1)
	}
	for _, line := range refused {
		fmt.Fprintln(os.Stderr, line)
	}
	if len(refused) > 0 {
		os.Exit(1)
	}
}

// check returns a line for each rejected file that git tracks below folder, in git's order. Outside of a repository, as
// in an unpacked release, there is none.
func check(folder string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(folder, ".git")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	git := exec.Command("git", "ls-files", "-z")
	git.Dir = folder
	git.Stderr = os.Stderr
	list, err := git.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var refused []string
	for _, name := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		reason, err := refuse(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if reason != "" {
			refused = append(refused, name+": "+reason)
		}
	}
	return refused, nil
}

// refuse returns why a file must not be tracked, or "". It accepts a file that was deleted and not committed yet.
func refuse(name string) (string, error) {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, headBytes))
	if err != nil {
		return "", err
	}
	if format := executable(head); format != "" {
		return "an executable binary (" + format + ")", nil
	}
	if info.Size() > maxBytes {
		return fmt.Sprintf("%d bytes; a tracked file must not exceed %d", info.Size(), maxBytes), nil
	}
	rest, err := io.ReadAll(file)
	if err != nil {
		return "", err
	}
	return longLine(filepath.ToSlash(name), append(head, rest...)), nil
}

// executable returns the format of an executable file from its first bytes, or "".
func executable(head []byte) string {
	starts := func(magic ...string) bool {
		for _, m := range magic {
			if bytes.HasPrefix(head, []byte(m)) {
				return true
			}
		}
		return false
	}
	switch {
	case starts("\x7fELF"):
		return "ELF"
	case starts("\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe",
		"\xca\xfe\xba\xbf"):
		return "Mach-O"
	case starts("MZ") && len(head) >= 64:
		// The header of DOS has the offset of the header of PE.
		if at := uint64(binary.LittleEndian.Uint32(head[60:])); at < uint64(len(head)) &&
			bytes.HasPrefix(head[at:], []byte("PE\x00\x00")) {
			return "PE"
		}
	}
	return ""
}
