package dataset

import (
	"fmt"
	"io"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
	"github.com/acapscan/acapscan/output/manifest"
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
	agentRow struct {
		partition
		table.Agent
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

// Stream writes the tables of a finished run as Arrow IPC streams, one after another on out, in the order of table.All;
// each names its table in its schema metadata and has the partition columns before the table's own.
func Stream(store storage.Store, m *manifest.Manifest, out io.Writer) error {
	for _, d := range table.All() {
		if err := StreamTable(store, m, d.Name, out); err != nil {
			return err
		}
	}
	return nil
}

// StreamTable writes one table of a finished run as Stream does. The rows of its files follow one another in the order
// of their paths.
func StreamTable(store storage.Store, m *manifest.Manifest, name table.Name, out io.Writer) error {
	var files []manifest.Output
	for _, o := range m.Outputs {
		if of, ok := o.Table(); ok && of == name {
			files = append(files, o)
		}
	}
	if err := rowsOf[name].stream(store, name, files, out); err != nil {
		return fmt.Errorf("table %s: %w", name, err)
	}
	return nil
}

// rowKind is what is done for a table by the type of its rows.
type rowKind struct {
	stageNone func(w *Writer, name table.Name, folder string) error // a file without rows
	stream    func(store storage.Store, name table.Name, files []manifest.Output, out io.Writer) error
}

// kindOf makes the rowKind of rows T, which a stream has as R.
func kindOf[T, R any](with func(partition, T) R) rowKind {
	return rowKind{
		stageNone: func(w *Writer, name table.Name, folder string) error {
			return stage(w, name, folder, 0, func(out partWriter[T]) error { return out.Write(nil) })
		},
		stream: func(store storage.Store, name table.Name, files []manifest.Output, out io.Writer) error {
			return streamTable(store, name, files, out, with)
		},
	}
}

// rowsOf has the rows of every table.
var rowsOf = map[table.Name]rowKind{
	table.Inputs:      kindOf(func(p partition, r table.Input) inputRow { return inputRow{p, r} }),
	table.RobotsTxt:   kindOf(func(p partition, r table.Robots) robotsRow { return robotsRow{p, r} }),
	table.Pages:       kindOf(func(p partition, r table.Page) pageRow { return pageRow{p, r} }),
	table.Directives:  kindOf(func(p partition, r table.Directive) directiveRow { return directiveRow{p, r} }),
	table.Adoptions:   kindOf(func(p partition, r table.Adoption) adoptionRow { return adoptionRow{p, r} }),
	table.Agents:      kindOf(func(p partition, r table.Agent) agentRow { return agentRow{p, r} }),
	table.Permissions: kindOf(func(p partition, r table.Permission) permissionRow { return permissionRow{p, r} }),
	table.Conflicts:   kindOf(func(p partition, r table.Conflict) conflictRow { return conflictRow{p, r} }),
}

func streamTable[T, R any](store storage.Store, name table.Name, files []manifest.Output, out io.Writer,
	with func(partition, T) R) error {
	w, err := arrow.NewWriter[R](out, map[string]string{MetaTable: string(name)})
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := streamFile(store, file, w, with); err != nil {
			return err
		}
	}
	return w.Close()
}

func streamFile[T, R any](store storage.Store, file manifest.Output, w *arrow.Writer[R],
	with func(partition, T) R) error {
	r, err := OpenPart[T](store, file)
	if err != nil {
		return err
	}
	defer r.Close()
	var p partition
	p.Crawl, p.Subset = table.PartitionOf(file.Path)
	rows := make([]T, readRows)
	var total int64
	for {
		n, err := r.Read(rows)
		total += int64(n)
		batch := make([]R, n)
		for i := range batch {
			batch[i] = with(p, rows[i])
		}
		if err := w.Write(batch); err != nil {
			return err
		}
		if err == io.EOF && total != file.Rows {
			return fmt.Errorf("%s has %d rows, and the run wrote %d", file.Path, total, file.Rows)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
