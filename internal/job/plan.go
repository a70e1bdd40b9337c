package job

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/internal/storage"
)

// PlanFile is the name of the plan in the folder of a job. It is JSON Lines: what is common to all items, then an item
// a line, where items are listed. It is written once, before anything else, and never changed: a run of another job
// begins anew.
const PlanFile = "_plan.jsonl"

// A Plan is what a job does. Equal plans give equal files.
type Plan struct {
	Makes   string            `json:"makes"` // Kind.Makes
	Program string            `json:"program"`
	Schema  int               `json:"schema,omitempty"` // version of the files, where they have one
	Options map[string]string `json:"options"`          // all that changes what is made
	// Shards is how many tasks of an array job share the items; 0: one process has them all. Without Batch it does not
	// show in what is made.
	Shards int `json:"shards,omitempty"`
	// Batch is how many items of a shard are done together, with the same files and one marker; 0 or 1: each alone.
	Batch int    `json:"batch,omitempty"`
	Count int    `json:"items"` // set by Begin where Items are listed
	Items []Item `json:"-"`     // the lines behind; none where items are numbers only
}

// A shard has every Shards-th item, and a batch consecutive items of a shard. So batch i is of shard i modulo
// Shards, as item i is. Where each item is alone, the number of a batch is that of its item.

// BatchOf returns the number of the batch of an item.
func (p *Plan) BatchOf(item int) int {
	shards := max(p.Shards, 1)
	return item/shards/max(p.Batch, 1)*shards + item%shards
}

// ItemsOf lists the items of a batch.
func (p *Plan) ItemsOf(batch int) []int {
	shards, size := max(p.Shards, 1), max(p.Batch, 1)
	var items []int
	for i := range size {
		if item := (batch/shards*size+i)*shards + batch%shards; item < p.Count {
			items = append(items, item)
		}
	}
	return items
}

// Batches returns how many there are.
func (p *Plan) Batches() int {
	n := 0
	for shard := range min(max(p.Shards, 1), p.Count) {
		items := (p.Count - shard + max(p.Shards, 1) - 1) / max(p.Shards, 1)
		n += (items + max(p.Batch, 1) - 1) / max(p.Batch, 1)
	}
	return n
}

// An Item is a line of the work list. Bytes is -1 where the size is not known before the work.
type Item struct {
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	Records string `json:"records,omitempty"` // a digest of which records are to be read; "": all
}

// maxLine bounds a line of a plan, in bytes.
const maxLine = 1 << 20

// write writes a plan to the stage of the store, and returns where.
func (p *Plan) write(at storage.Store) (string, error) {
	dir, err := at.Stage()
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(dir, "plan-")
	if err != nil {
		return "", err
	}
	out := bufio.NewWriterSize(file, 1<<16)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	err = lines.Encode(p)
	for i := range p.Items {
		if err == nil {
			err = lines.Encode(&p.Items[i])
		}
	}
	return file.Name(), errors.Join(err, out.Flush(), file.Chmod(0o644), file.Close())
}

// A planReader reads a plan line by line, in bounded memory.
type planReader struct {
	name  string
	in    io.ReadCloser
	lines *bufio.Scanner
	Plan  // without its Items
}

// openPlan opens the plan in a folder. The error wraps fs.ErrNotExist where there is none.
func openPlan(at storage.Store) (*planReader, error) {
	in, err := at.Open(PlanFile)
	if err != nil {
		return nil, err
	}
	r := &planReader{name: at.String() + "/" + PlanFile, in: in, lines: bufio.NewScanner(in)}
	r.lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	if err := r.next(&r.Plan); err != nil {
		if err == io.EOF {
			err = r.damaged(io.ErrUnexpectedEOF)
		}
		return nil, errors.Join(err, in.Close())
	}
	return r, nil
}

func (r *planReader) damaged(err error) error {
	return fmt.Errorf("%s cannot be read: %w", r.name, err)
}

// next decodes the next line. It returns io.EOF at the end.
func (r *planReader) next(line any) error {
	if !r.lines.Scan() {
		if err := r.lines.Err(); err != nil {
			return r.damaged(err)
		}
		return io.EOF
	}
	if err := json.Unmarshal(r.lines.Bytes(), line); err != nil {
		return r.damaged(err)
	}
	return nil
}

// ReadPlan reads the plan of a folder, without its items. The error wraps fs.ErrNotExist where there is none.
func ReadPlan(at storage.Store) (*Plan, error) {
	r, err := openPlan(at)
	if err != nil {
		return nil, err
	}
	return &r.Plan, r.in.Close()
}

// compare reads the plan of a folder, without its items, and tells why it does not give the files that want gives; ""
// where it does. The error wraps fs.ErrNotExist where there is none.
func (k *Kind) compare(at storage.Store, want *Plan) (have *Plan, why string, err error) {
	r, err := openPlan(at)
	if err != nil {
		return nil, "", err
	}
	defer r.in.Close()
	have = &r.Plan
	switch {
	case have.Makes != want.Makes:
		return have, "they are " + have.Makes, nil
	case have.Program != want.Program:
		return have, fmt.Sprintf("they are by %s, this is %s", have.Program, want.Program), nil
	case have.Schema != want.Schema:
		return have, fmt.Sprintf("they have version %d, this program writes version %d", have.Schema, want.Schema), nil
	}
	if options := ChangedOptions(have.Options, want.Options); len(options) > 0 {
		return have, "other options, " + strings.Join(options, ", "), nil
	}
	for i := range want.Items {
		var item Item
		if err := r.next(&item); err == io.EOF {
			break
		} else if err != nil {
			return have, "", err
		}
		if why := item.difference(&want.Items[i], k.Item); why != "" {
			return have, why, nil
		}
	}
	if have.Shards == want.Shards && have.Batch != want.Batch {
		return have, fmt.Sprintf("they are of batches of %d %ss, these are of %d", have.Batch, k.Item, want.Batch), nil
	}
	if have.Count != want.Count {
		return have, fmt.Sprintf("they are of %d %ss, these are %d", have.Count, k.Item, want.Count), nil
	}
	return have, "", nil
}

// difference tells why two items do not give the same files; "" where they do.
func (have *Item) difference(want *Item, what string) string {
	switch {
	case have.Name != want.Name:
		return fmt.Sprintf("other %ss, %s where this has %s", what, have.Name, want.Name)
	case have.Bytes != want.Bytes:
		return fmt.Sprintf("the %s %s has changed: it had %s and has %s", what, have.Name, bytesOf(have.Bytes),
			bytesOf(want.Bytes))
	case have.Records != want.Records:
		return fmt.Sprintf("other records of %s", have.Name)
	}
	return ""
}

func bytesOf(n int64) string {
	if n < 0 {
		return "no known size"
	}
	return fmt.Sprintf("%d bytes", n)
}

// nameOf returns the name of an item, from the plan of a folder; "" where it has none.
func nameOf(at storage.Store, item int) (string, error) {
	r, err := openPlan(at)
	if err != nil {
		return "", err
	}
	defer r.in.Close()
	var line Item
	for range item + 1 {
		if err := r.next(&line); err == io.EOF {
			return "", nil
		} else if err != nil {
			return "", err
		}
	}
	return line.Name, nil
}

// IsPlanned reports whether a folder has the plan of a job that makes that.
func IsPlanned(at storage.Store, makes string) (bool, error) {
	plan, err := ReadPlan(at)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && plan.Makes == makes, err
}

// ChangedOptions lists the names of options that two runs do not have in common, sorted.
func ChangedOptions(have, want map[string]string) []string {
	changed := slices.Collect(maps.Keys(have))
	changed = slices.DeleteFunc(changed, func(name string) bool {
		other, ok := want[name]
		return ok && other == have[name]
	})
	for name := range want {
		if _, ok := have[name]; !ok {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// maxShares bounds how many shares a sentence names.
const maxShares = 20

// NameShares lists shares of a job's work as options of tasks have them: 0/8, 3/8.
func NameShares(shares []int, of int) string {
	names := make([]string, 0, maxShares)
	for _, i := range shares[:min(len(shares), maxShares)] {
		names = append(names, fmt.Sprintf("%d/%d", i, of))
	}
	list := strings.Join(names, ", ")
	if more := len(shares) - len(names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
