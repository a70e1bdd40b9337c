package source

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/acapscan/acapscan/ingest/remote"
)

// maxPath bounds a path in a listing, in bytes. Keys of S3 have 1024 at most.
const maxPath = 4 << 10

// checkBase tells what is wrong with the base.
func (e *expansion) checkBase() error {
	base := e.req.Base
	if base == "" {
		return nil
	}
	if !remote.IsRemote(base) {
		info, err := os.Stat(base)
		if err != nil {
			return explain(base, err)
		}
		if !info.IsDir() {
			return fmt.Errorf("the base %q is a file, and neither a folder nor a URL", base)
		}
		return nil
	}
	if strings.ContainsAny(base, "?#") {
		return fmt.Errorf("the base %q has a query or a fragment, which paths cannot be added to", base)
	}
	_, err := e.farBelow.file("x")
	return err
}

// listed takes the input that a line of a listing names, which may come from a stranger. Records are those to be read of it, nil for
// all.
func (e *expansion) listed(path string, isLocal bool, records []Range) error {
	if err := checkPath(path); err != nil {
		return err
	}
	in := Input{Name: path, Size: -1, Records: records, Listed: true}
	for _, r := range records {
		in.Size = max(in.Size, 0) + r.Length
	}
	switch base := e.req.Base; {
	case remote.IsRemote(path): // it says itself where it is
		return e.elsewhere(in, e.far)
	case base == "" && !isLocal:
		return errors.New("a path without a base: a listing on another machine cannot name files of this one, so a base has to say where they are")
	case base == "":
		return e.here(in, e.files)
	case filepath.IsAbs(path) || strings.HasPrefix(path, "/"):
		return errors.New("an absolute path, where paths are relative to a base")
	case hasParent(path):
		return errors.New("a path that leaves the base, or may, by its '..'")
	case remote.IsRemote(base):
		return e.elsewhere(in, e.farBelow)
	default:
		return e.here(in, e.below)
	}
}

// elsewhere takes an input on another machine.
func (e *expansion) elsewhere(in Input, root *far) error {
	file, err := root.file(in.Name)
	if err != nil {
		return err
	}
	in.root = root
	return e.take(in, file.Place())
}

// here takes an input that should be a file.
func (e *expansion) here(in Input, root *files) error {
	path := root.path(in.Name)
	info, err := os.Stat(path)
	switch in.root = root; {
	case errors.Is(err, fs.ErrNotExist): // in a listing of another crawl, all are
		in.root, in.Size = missing{root}, -1
	case err != nil:
		in.root, in.Size = alone{fault{explain(path, err)}}, -1
	case info.IsDir():
		in.root, in.Size = alone{fault{fmt.Errorf("%q is a folder, and not an archive", path)}}, -1
	case !info.Mode().IsRegular():
		in.root, in.Size = alone{fault{fmt.Errorf("%q is no regular file, and listings name no others", path)}}, -1
	case in.Records == nil:
		in.Size = info.Size()
	}
	return e.take(in, e.realPath(path))
}

// checkPath tells what is odd about a path in a listing, whatever it is relative to.
func checkPath(path string) error {
	switch {
	case path == "":
		return errors.New("an empty path")
	case len(path) > maxPath:
		return fmt.Errorf("a path of %d bytes, more than %d", len(path), maxPath)
	case !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7F }):
		return fmt.Errorf("%q has characters that no path has", short(path))
	case strings.HasPrefix(path, "WARC/"):
		return errors.New("this is the beginning of an archive, and not a list of archives")
	case strings.HasPrefix(path, "<"):
		return fmt.Errorf("%q is no path; is this a web page?", short(path))
	case strings.HasSuffix(path, "/"):
		return fmt.Errorf("%q is a folder, and listings name archives", short(path))
	case strings.Contains(path, "://") && !remote.IsRemote(path):
		return fmt.Errorf("%q is neither a path nor a URL that can be read", short(path))
	}
	return nil
}

// short shows the beginning of what may be long.
func short(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}

// hasParent reports whether an element of the path is "..".
func hasParent(path string) bool {
	for rest, more := path, true; more; {
		var element string
		element, rest, more = strings.Cut(strings.ReplaceAll(rest, `\`, "/"), "/")
		if element == ".." {
			return true
		}
	}
	return false
}

// join returns the URL of a path below a base. In a web address the path is percent-encoded; keys of S3 are as they are.
func join(base, path string) string {
	base = strings.TrimSuffix(base, "/") + "/"
	if strings.EqualFold(base[:min(5, len(base))], "s3://") {
		return base + path
	}
	return base + (&url.URL{Path: path}).EscapedPath()
}
