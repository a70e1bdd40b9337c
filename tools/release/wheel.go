package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// readModule reads the sources of the Python package: its modules, the head of its metadata, and its description.
func (r *release) readModule(folder string) (err error) {
	if r.head, err = os.ReadFile(filepath.Join(folder, "METADATA")); err != nil {
		return err
	}
	if r.readme, err = os.ReadFile(filepath.Join(folder, "README.md")); err != nil {
		return err
	}
	for _, name := range []string{"__init__.py", "__main__.py", "py.typed"} {
		if err := r.add(&r.python, "acapscan/"+name, filepath.Join(folder, "src", "acapscan", name)); err != nil {
			return err
		}
	}
	return nil
}

// wheel makes the Python package for a platform, after the binary distribution format of packaging.python.org. The
// binary is a script of it, so installers put it next to python.
func (r *release) wheel(p platform, built *binary) ([]output, error) {
	name := "acapscan-" + r.version
	info := name + ".dist-info/"
	var wheel bytes.Buffer
	wheel.WriteString("Wheel-Version: 1.0\nGenerator: acapscan tools/release\nRoot-Is-Purelib: false\n")
	for _, tag := range p.wheelTags {
		fmt.Fprintf(&wheel, "Tag: py3-none-%s\n", tag)
	}
	license := r.shared[0].content
	metadata := fmt.Appendf(nil, "%sVersion: %s\n\n%s", r.head, r.version, r.readme)
	files := append(r.python[:len(r.python):len(r.python)],
		file{name + ".data/scripts/acapscan" + p.exe(), built.content, 0o755},
		file{info + "licenses/LICENSE", license, 0o644},
		file{info + "licenses/THIRD-PARTY.txt", built.licenses, 0o644},
		file{info + "sboms/acapscan.cdx.json", built.materials, 0o644},
		file{info + "WHEEL", wheel.Bytes(), 0o644},
		file{info + "METADATA", metadata, 0o644})
	var record bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.content)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.content))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	files = append(files, file{info + "RECORD", record.Bytes(), 0o644})
	var b bytes.Buffer
	err := writeZip(&b, files, r.time)
	return []output{{name + "-py3-none-" + strings.Join(p.wheelTags, ".") + ".whl", b.Bytes()}}, err
}
