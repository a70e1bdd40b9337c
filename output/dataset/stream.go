package dataset

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/acapscan/acapscan/output/arrow"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/parquet"
	"github.com/acapscan/acapscan/output/table"
)

// MetaTable is the key in an Arrow stream's schema metadata that names its table.
const MetaTable = "acapscan.table"

// A partition is what the folders of a table say and its files do not: a stream has no folders.
type partition struct {
	Crawl  string  `parquet:"crawl,dict"`
	Subset *string `parquet:"subset,optional,dict"` // null in tables that join across subsets
}

// Rows of a stream: those of the table with its partition.
type (
	inputRow struct {
		partition
		table.Input
	}
	robotsRow struct {
		partition
		table.Robots
	}
	pageRow struct {
		partition
		table.Page
	}
	directiveRow struct {
		partition
		table.Directive
	}
	adoptionRow struct {
		partition
		table.Adoption
	}
	permissionRow struct {
		partition
		table.Permission
	}
	conflictRow struct {
		partition
		table.Conflict
	}
)

// Stream writes the tables of a finished run as Arrow IPC streams, one after another on out, in the order of table.All; each names
// its table in its schema metadata and has the partition columns before the table's own.
func Stream(dir string, m *manifest.Manifest, out io.Writer) error {
	for _, d := range table.All() {
		var files []manifest.Output
		for _, o := range m.Outputs {
			if name, ok := o.Table(); ok && name == d.Name {
				files = append(files, o)
			}
		}
		var err error
		switch d.Name {
		case table.Inputs:
			err = streamTable(dir, d.Name, files, out, func(p partition, r table.Input) inputRow { return inputRow{p, r} })
		case table.RobotsTxt:
			err = streamTable(dir, d.Name, files, out, func(p partition, r table.Robots) robotsRow { return robotsRow{p, r} })
		case table.Pages:
			err = streamTable(dir, d.Name, files, out, func(p partition, r table.Page) pageRow { return pageRow{p, r} })
		case table.Directives:
			err = streamTable(dir, d.Name, files, out, func(p partition, r table.Directive) directiveRow { return directiveRow{p, r} })
		case table.Adoptions:
			err = streamTable(dir, d.Name, files, out, func(p partition, r table.Adoption) adoptionRow { return adoptionRow{p, r} })
		case table.Permissions:
			err = streamTable(dir, d.Name, files, out, func(p partition, r table.Permission) permissionRow { return permissionRow{p, r} })
		case table.Conflicts:
			err = streamTable(dir, d.Name, files, out, func(p partition, r table.Conflict) conflictRow { return conflictRow{p, r} })
		}
		if err != nil {
			return fmt.Errorf("table %s: %w", d.Name, err)
		}
	}
	return nil
}

func streamTable[T, R any](dir string, name table.Name, files []manifest.Output, out io.Writer, with func(partition, T) R) error {
	w, err := arrow.NewWriter[R](out, map[string]string{MetaTable: string(name)})
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := streamFile(dir, file, w, with); err != nil {
			return err
		}
	}
	return w.Close()
}

func streamFile[T, R any](dir string, file manifest.Output, w *arrow.Writer[R], with func(partition, T) R) error {
	r, err := parquet.Open[T](filepath.Join(dir, filepath.FromSlash(file.Path)))
	if err != nil {
		return err
	}
	defer r.Close()
	p := partitionOf(file.Path)
	rows := make([]T, 1024)
	for {
		n, err := r.Read(rows)
		batch := make([]R, n)
		for i := range batch {
			batch[i] = with(p, rows[i])
		}
		if err := w.Write(batch); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// partitionOf reads the partition out of the names of a file's folders.
func partitionOf(file string) partition {
	var p partition
	for _, folder := range strings.Split(file, "/") {
		column, value, ok := strings.Cut(folder, "=")
		if !ok {
			continue
		}
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		switch column {
		case "crawl":
			p.Crawl = value
		case "subset":
			p.Subset = &value
		}
	}
	return p
}
