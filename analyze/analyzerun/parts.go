package analyzerun

import (
	"cmp"
	"iter"

	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/output/columns"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/table"
)

// A lot collects the rows of a part of a bucket, sums them up, and writes them to part files. It keeps its memory for
// the next part. It is for one goroutine.
type lot struct {
	inputs      parts[table.Input]
	robots      parts[table.Robots]
	pages       parts[table.Page]
	directives  parts[table.Directive]
	adoption    parts[table.Adoption]
	agents      parts[table.Agent]
	permissions permissionParts
	conflicts   parts[table.Conflict]
}

func newLot() *lot {
	return &lot{
		inputs: parts[table.Input]{name: table.Inputs}, robots: parts[table.Robots]{name: table.RobotsTxt},
		pages: parts[table.Page]{name: table.Pages}, directives: parts[table.Directive]{name: table.Directives},
		adoption: parts[table.Adoption]{name: table.Adoptions}, agents: parts[table.Agent]{name: table.Agents},
		permissions: permissionParts{parts: parts[table.Permission]{name: table.Permissions}},
		conflicts:   parts[table.Conflict]{name: table.Conflicts},
	}
}

// tables returns where the survey puts rows.
func (l *lot) tables() survey.Tables {
	return survey.Tables{
		Inputs: &l.inputs, Robots: &l.robots, Pages: &l.pages, Directives: &l.directives, Adoption: &l.adoption,
		Agents: &l.agents, Permissions: &l.permissions, Conflicts: &l.conflicts,
	}
}

// A lotTable is a table of a lot. Its methods are for the partitions of at least so many rows.
type lotTable interface {
	count(least int) int64
	write(out *dataset.Writer, least, part int) error
	forget(least int)
}

func (l *lot) all() []lotTable {
	return []lotTable{
		&l.inputs, &l.robots, &l.pages, &l.directives, &l.adoption, &l.agents, &l.permissions, &l.conflicts,
	}
}

// count counts the rows of partitions of at least so many rows.
func (l *lot) count(least int) (n int64) {
	for _, t := range l.all() {
		n += t.count(least)
	}
	return n
}

// write writes the partitions of at least so many rows to part files of a number.
func (l *lot) write(out *dataset.Writer, least, part int) error {
	for _, t := range l.all() {
		if err := t.write(out, least, part); err != nil {
			return err
		}
	}
	return nil
}

// forget removes the partitions of at least so many rows.
func (l *lot) forget(least int) {
	for _, t := range l.all() {
		t.forget(least)
	}
}

// summarize sums up the partitions of at least so many rows.
func (l *lot) summarize(least int) (*Summary, error) {
	s := newSummary()
	s.RobotsCaptures, s.Pages = l.robots.count(least), l.pages.count(least)
	s.Statements, s.Permissions = l.directives.count(least), l.permissions.count(least)
	s.Sites, s.ConflictRows = l.adoption.count(least), l.conflicts.count(least)
	return s, cmp.Or(each(&l.inputs, least, s.addInput), each(&l.directives, least, s.addDirective),
		each(&l.adoption, least, s.addSite), each(&l.conflicts, least, s.addConflict))
}

// parts are the rows of a table by partition.
type parts[T any] struct {
	name  table.Name
	rows  map[survey.Partition]*columns.Rows[T]
	last  survey.Partition
	at    *columns.Rows[T]   // of last; nil before the first row
	spare []*columns.Rows[T] // without rows
}

// Next adds a row.
func (p *parts[T]) Next(at survey.Partition) *T { return p.in(at).Next() }

// in returns the rows of a partition.
func (p *parts[T]) in(at survey.Partition) *columns.Rows[T] {
	if p.at == nil || p.last != at {
		p.last, p.at = at, p.of(at)
	}
	return p.at
}

// permissionParts are the rows of permissions by partition.
type permissionParts struct {
	parts[table.Permission]
}

// Count returns how many rows a partition has.
func (p *permissionParts) Count(at survey.Partition) int { return p.in(at).Len() }

// Again adds copies of n rows of a partition, the first of which has the number from, for another agent.
func (p *permissionParts) Again(at survey.Partition, from, n int, agent string) {
	rows := p.in(at)
	rows.Again(from, n, rows.Column("agent"), agent)
}

// Repeat adds copies of the last row of a partition for other usages.
func (p *permissionParts) Repeat(at survey.Partition, usages []string) {
	rows := p.in(at)
	rows.Repeat(rows.Column("usage"), usages)
}

func (p *parts[T]) of(at survey.Partition) *columns.Rows[T] {
	if rows := p.rows[at]; rows != nil {
		return rows
	}
	var rows *columns.Rows[T]
	if n := len(p.spare); n > 0 {
		rows, p.spare = p.spare[n-1], p.spare[:n-1]
	} else {
		var err error
		if rows, err = columns.New[T](); err != nil {
			panic(err) // the tags of a table are sound
		}
	}
	if p.rows == nil {
		p.rows = map[survey.Partition]*columns.Rows[T]{}
	}
	p.rows[at] = rows
	return rows
}

// some goes through the partitions of at least so many rows.
func (p *parts[T]) some(least int) iter.Seq2[survey.Partition, *columns.Rows[T]] {
	return func(yield func(survey.Partition, *columns.Rows[T]) bool) {
		for at, rows := range p.rows {
			if rows.Len() >= least && !yield(at, rows) {
				return
			}
		}
	}
}

func (p *parts[T]) count(least int) (n int64) {
	for _, rows := range p.some(least) {
		n += int64(rows.Len())
	}
	return n
}

func (p *parts[T]) write(out *dataset.Writer, least, part int) error {
	for at, rows := range p.some(least) {
		if err := dataset.AddColumns(out, p.name, at.Crawl, at.Subset, part, rows); err != nil {
			return err
		}
	}
	return nil
}

const (
	keptBytes = 16 << 20 // memory of a partition that is kept for the next rows, at most
	keptParts = 4        // partitions of a table whose memory is kept
)

// forget keeps memory up to a limit: partitions come and go.
func (p *parts[T]) forget(least int) {
	for at, rows := range p.some(least) {
		delete(p.rows, at)
		if len(p.spare) < keptParts && rows.Memory() <= keptBytes {
			rows.Reset()
			p.spare = append(p.spare, rows)
		}
	}
	p.at = nil
}

// each calls add for some columns of each row of the partitions of at least so many rows.
func each[C, T any](p *parts[T], least int, add func(*C)) error {
	var row C
	for _, rows := range p.some(least) {
		in, err := columns.Read[C](rows)
		if err != nil {
			return err
		}
		for i := range rows.Len() {
			in.Row(uint32(i), &row)
			add(&row)
		}
	}
	return nil
}
