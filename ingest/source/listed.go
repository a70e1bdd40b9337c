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

// maxPath limits a path in a listing, in bytes. Keys of S3 have at most 1024.
const maxPath = 4 << 10

// checkBase returns an error if the base is invalid.
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
			return fmt.Errorf("the base %q is a file; it must be a folder or a URL", base)
		}
		return nil
	}
	if strings.ContainsAny(base, "?#") {
		return fmt.Errorf("the base %q has a query or a fragment, so paths cannot be appended", base)
	}
	_, err := e.remoteBelow.file("x")
	return err
}

// listed adds the input in a line of a listing, which is untrusted. records are the records to read, nil for all.
func (e *expansion) listed(path string, isLocal bool, records []Range) error {
	if err := checkPath(path); err != nil {
		return err
	}
	in := Input{Name: path, Size: -1, Records: records, Listed: true}
	for _, r := range records {
		in.Size = max(in.Size, 0) + r.Length
	}
	switch base := e.req.Base; {
	case remote.IsRemote(path): // a complete URL
		return e.addRemote(in, e.remote)
	case base == "" && !isLocal:
		return errors.New("a path without a base: a listing on another machine cannot name files of this one; give " +
			"a base")
	case base == "":
		return e.addLocal(in, e.files)
	case filepath.IsAbs(path) || strings.HasPrefix(path, "/"):
		return errors.New("an absolute path: paths must be relative to the base")
	case hasParent(path):
		return errors.New("a path with '..', which may leave the base")
	case remote.IsRemote(base):
		return e.addRemote(in, e.remoteBelow)
	default:
		return e.addLocal(in, e.below)
	}
}

// addRemote adds a remote input.
func (e *expansion) addRemote(in Input, root *remoteRoot) error {
	file, err := root.file(in.Name)
	if err != nil {
		return err
	}
	in.root = root
	return e.take(in, file.Place())
}

// addLocal adds an input that should be a local file.
func (e *expansion) addLocal(in Input, root *files) error {
	path := root.path(in.Name)
	info, err := os.Stat(path)
	switch in.root = root; {
	case errors.Is(err, fs.ErrNotExist): // all inputs, if the listing is of another crawl
		in.root, in.Size = missing{root}, -1
	case err != nil:
		in.root, in.Size = singleRoot{fault{explain(path, err)}}, -1
	case info.IsDir():
		in.root, in.Size = singleRoot{fault{fmt.Errorf("%q is a folder, not an archive", path)}}, -1
	case !info.Mode().IsRegular():
		in.root, in.Size = singleRoot{fault{fmt.Errorf("%q is not a regular file", path)}}, -1
	case in.Records == nil:
		in.Size = info.Size()
	}
	return e.take(in, e.realPath(path))
}

// checkPath returns an error if a path in a listing is invalid, whatever the base.
func checkPath(path string) error {
	switch {
	case path == "":
		return errors.New("an empty path")
	case len(path) > maxPath:
		return fmt.Errorf("a path of %d bytes, more than %d", len(path), maxPath)
	case !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7F }):
		return fmt.Errorf("%q has control characters or is not UTF-8", short(path))
	case strings.HasPrefix(path, "WARC/"):
		return errors.New("this is the beginning of an archive, not of a list of archives")
	case strings.HasPrefix(path, "<"):
		return fmt.Errorf("%q is not a path; is this a web page?", short(path))
	case strings.HasSuffix(path, "/"):
		return fmt.Errorf("%q is a folder, but a listing must name archives", short(path))
	case strings.Contains(path, "://") && !remote.IsRemote(path):
		return fmt.Errorf("%q is neither a path nor a supported URL", short(path))
	}
	return nil
}

// short cuts a long string, for messages.
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

// join returns the URL of a path below a base. In a web address the path is percent-encoded. S3 keys stay as they are.
func join(base, path string) string {
	base = strings.TrimSuffix(base, "/") + "/"
	if strings.EqualFold(base[:min(5, len(base))], "s3://") {
		return base + path
	}
	return base + (&url.URL{Path: path}).EscapedPath()
}
