package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// anyFolders is the element of a pattern that matches any number of folders, or none.
const anyFolders = "**"

// hasMeta reports whether a name can be a pattern.
func hasMeta(name string) bool { return strings.ContainsAny(name, "*?[") }

// pattern adds the files and folders that match a pattern, as a shell would.
func (e *expansion) pattern(pattern string) error {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return fmt.Errorf("there is no file or folder %q, and the pattern is malformed", pattern)
	}
	var elements []string
	for _, element := range strings.Split(filepath.ToSlash(pattern), "/") {
		if element != "" && !(element == anyFolders && len(elements) > 0 && elements[len(elements)-1] == anyFolders) {
			elements = append(elements, element)
		}
	}
	from := ""
	if filepath.IsAbs(pattern) {
		from = string(filepath.Separator)
	}
	var fits []string
	if err := e.match(from, elements, 0, &fits); err != nil {
		return err
	}
	if len(fits) == 0 {
		return fmt.Errorf("no file or folder matches the pattern %q: %w", pattern, fs.ErrNotExist)
	}
	slices.Sort(fits)
	for _, name := range slices.Compact(fits) {
		info, err := os.Stat(name)
		if err != nil {
			err = e.missing(name, err)
		} else {
			err = e.found(name, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// match adds what matches the elements of a pattern below a folder. "" is the working directory.
func (e *expansion) match(folder string, elements []string, depth int, fits *[]string) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	if len(elements) == 0 {
		*fits = append(*fits, filepath.Clean(folder))
		return nil
	}
	if depth > maxDepth {
		return fmt.Errorf("the folder %q is nested more than %d deep", folder, maxDepth)
	}
	element, rest := elements[0], elements[1:]
	if element == anyFolders {
		if err := e.match(folder, rest, depth, fits); err != nil || len(rest) == 0 {
			return err // the folder alone gives all archives below it
		}
	} else if !hasMeta(element) {
		path := filepath.Join(folder, element)
		if _, err := os.Lstat(path); err != nil {
			return nil
		}
		return e.match(path, rest, depth+1, fits)
	}
	entries, err := os.ReadDir(filepath.Clean(folder))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil
	case err != nil:
		return explain(folder, err)
	}
	for _, entry := range entries {
		name := entry.Name()
		path := filepath.Join(folder, name)
		switch hidden := strings.HasPrefix(name, "."); {
		case hidden && !strings.HasPrefix(element, "."):
		case element == anyFolders:
			if entry.IsDir() { // without links, which may form a cycle
				err = e.match(path, elements, depth+1, fits)
			}
		default:
			if ok, _ := filepath.Match(element, name); ok {
				err = e.match(path, rest, depth+1, fits)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
