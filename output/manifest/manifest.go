// Package manifest writes what makes a folder of tables complete: the record of what was run on what (_manifest.json),
// the list of files (paths.gz), schema files, DuckDB views (views.sql, of Parquet alone: DuckDB does not open Arrow
// files), a Frictionless data package (datapackage.json) and, last, _SUCCESS.
//
// Wall-clock times and host names stand in _manifest.json and nowhere else; everything is in an order that does not
// depend on how the run went. The package writes no tables, and nothing inside a table's folder.
package manifest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/table"
)

// Version is the version of the form of _manifest.json. 1: the first.
const Version = 1

// Names of the files next to the tables' folders.
const (
	FileName        = "_manifest.json"
	SuccessName     = "_SUCCESS"
	PathsName       = "paths.gz"
	SchemaFolder    = "schema"
	ViewsName       = "views.sql"
	DataPackageName = "datapackage.json"
)

// MaxBytes bounds the manifest, written or read: some hundred bytes an input and a file, for as many inputs as a run
// may have.
const MaxBytes int64 = 8 << 30

// A Manifest is what _manifest.json holds: a run, its inputs and its output.
type Manifest struct {
	Version int     `json:"manifest_version"` // set by Write
	Program Program `json:"program"`

	SchemaVersion       int    `json:"schema_version"`        // set by Write: table.SchemaVersion
	RulesVersion        string `json:"rules_version"`         // of docs/semantics.md
	PublicSuffixVersion string `json:"public_suffix_version"` // of the list that registered domains go by

	// Options holds every option that changes results, by its name, defaults included. Options such as a number of
	// workers do not belong here.
	Options     map[string]string `json:"options"`
	OptionsHash string            `json:"options_hash"` // set by Write, see HashOptions

	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Host    string    `json:"host,omitempty"`

	Counts  map[string]int64        `json:"counts"` // of the run as a whole: records, captures, inputs with errors, …
	Tables  map[table.Name]Contents `json:"tables"` // set by Write: sums over Outputs, each table present
	Inputs  []Input                 `json:"inputs"` // Write sorts them by name
	Outputs []Output                `json:"outputs"`
}

// A Program is what ran.
type Program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

// An Input is a file that was read. Bytes and SHA256 are null where it was not read from its first byte to its last.
type Input struct {
	Name   string  `json:"name"`
	Bytes  *int64  `json:"bytes"`
	SHA256 *string `json:"sha256"` // lower-case hexadecimal
	Error  string  `json:"error,omitempty"`
}

// An Output is a part file of a table.
type Output struct {
	// relative to the output folder, with slashes: robots/crawl=…/subset=…/part-00000.parquet
	Path   string `json:"path"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // lower-case hexadecimal
}

// Table returns the table that the file belongs to. It reports false where the path is not that of a part file.
func (o Output) Table() (table.Name, bool) {
	parts := strings.Split(o.Path, "/")
	d, known := table.Lookup(table.Name(parts[0]))
	columns := d.Partitions()
	if _, ok := table.FormatOf(o.Path); !ok || !known || !fs.ValidPath(o.Path) || len(parts) != 2+len(columns) {
		return "", false
	}
	for i, column := range columns {
		if !strings.HasPrefix(parts[1+i], column+"=") {
			return "", false
		}
	}
	return d.Name, true
}

// Format returns the form of the run's part files: Parquet where it has none.
func (m *Manifest) Format() table.Format {
	for _, o := range m.Outputs {
		if f, ok := table.FormatOf(o.Path); ok {
			return f
		}
	}
	return table.Parquet
}

// Contents sums up a table.
type Contents struct {
	Files int64 `json:"files"`
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
}

// HashOptions returns the SHA-256, in lower-case hexadecimal, of the options in the order of their names. Runs of one
// version on the same inputs with equal hashes give the same tables.
func HashOptions(options map[string]string) string {
	if options == nil {
		options = map[string]string{}
	}
	text, err := json.Marshal(options) // in order of the keys
	if err != nil {
		panic(fmt.Sprintf("manifest: options: %v", err)) // a map of strings always encodes
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Write checks that the tables in a store are what m says and writes everything next to them, _SUCCESS last. It sets
// the fields of m that say so and sorts its lists. Every file appears whole under its name; a Write that was killed is
// simply repeated. Of several processes that write the same, _SUCCESS is the first's.
//
// The caller has written all part files before and puts them all into m.Outputs: a file in a table's folder that is not
// listed, or is listed and not there at its size, is an error, since readers take whole folders. A table may have no
// file, although a file without rows is better: then readers other than views.sql find the table too.
func Write(store storage.Store, m *Manifest) error {
	if store.Local() { // elsewhere another process may have finished the same
		if err := Invalidate(store); err != nil {
			return err
		}
	}
	if err := m.complete(); err != nil {
		return err
	}
	if err := checkTables(store, m.Outputs); err != nil {
		return err
	}
	files, err := m.files()
	if err != nil {
		return err
	}
	if m.Format() != table.Parquet { // an earlier run may have left it
		if err := store.Remove(ViewsName); err != nil {
			return err
		}
	}
	last := len(files) - 1
	if err := store.Put(files[:last]...); err != nil {
		return err
	}
	if err := store.PutNew(files[last]); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// files are all that stand next to the tables, _SUCCESS last.
func (m *Manifest) files() ([]storage.Entry, error) {
	text, err := encode(m)
	if err != nil {
		return nil, fmt.Errorf("cannot encode %s: %w", FileName, err)
	}
	if int64(len(text)) > MaxBytes {
		return nil, fmt.Errorf("%s would be larger than %d bytes", FileName, MaxBytes)
	}
	var files []storage.Entry
	for _, d := range table.All() {
		files = append(files, storage.Entry{Name: SchemaFolder + "/" + string(d.Name) + ".json", Content: d.Schema()})
	}
	if m.Format() == table.Parquet {
		files = append(files, storage.Entry{Name: ViewsName, Content: views(m.Tables)})
	}
	return append(files, []storage.Entry{
		{Name: DataPackageName, Content: dataPackage(m)},
		{Name: PathsName, Content: pathList(m.Outputs)},
		{Name: FileName, Content: text},
		{Name: SuccessName},
	}...), nil
}

// Names lists what a run writes, but for FileName and SuccessName: files and, of tables and schemas, folders.
func Names() []string {
	names := []string{SchemaFolder, ViewsName, DataPackageName, PathsName}
	for _, d := range table.All() {
		names = append(names, string(d.Name))
	}
	return names
}

// Invalidate removes _SUCCESS, so that no reader takes the store for complete. A run calls it before it changes any
// table. It is no error if there is none.
func Invalidate(store storage.Store) error { return store.Remove(SuccessName) }

// ErrNotComplete is what Read returns for a store without _SUCCESS: nothing was written there, or a run is not
// finished.
var ErrNotComplete = errors.New("no finished run")

// Read returns the manifest of the finished run in a store. The error wraps ErrNotComplete where there is none.
func Read(store storage.Store) (*Manifest, error) {
	if finished, err := storage.Exists(store, SuccessName); err != nil {
		return nil, err
	} else if !finished {
		return nil, fmt.Errorf("%s holds %w", store, ErrNotComplete)
	}
	in, err := store.Open(FileName)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readNamed(store.String()+"/"+FileName, in)
}

func readNamed(name string, in io.Reader) (*Manifest, error) {
	text, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > MaxBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, MaxBytes)
	}
	m, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a manifest: %w", name, err)
	}
	return m, nil
}

func decode(text []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	if m.Version != Version {
		return nil, fmt.Errorf("version %d of the form, where this program knows %d", m.Version, Version)
	}
	return m, nil
}

// Difference says in a sentence why the run planned as next would not give the tables of the finished run m; "" if it
// would. Sizes and digests of inputs count where both know them.
func (m *Manifest) Difference(next *Manifest) string {
	switch {
	case m.Program.Version != next.Program.Version || m.Program.Commit != next.Program.Commit:
		return fmt.Sprintf("It was made by version %s (%s), this is %s (%s).",
			m.Program.Version, m.Program.Commit, next.Program.Version, next.Program.Commit)
	case m.SchemaVersion != table.SchemaVersion:
		return fmt.Sprintf("Its tables have schema version %d, this program writes %d.", m.SchemaVersion,
			table.SchemaVersion)
	case m.RulesVersion != next.RulesVersion:
		return fmt.Sprintf("It was decided by version %s of the rules, this program has %s.", m.RulesVersion,
			next.RulesVersion)
	case m.PublicSuffixVersion != next.PublicSuffixVersion:
		return "It goes by another version of the public suffix list."
	case m.OptionsHash != HashOptions(next.Options):
		return differentOptions(m.Options, next.Options)
	case len(m.Inputs) != len(next.Inputs):
		return fmt.Sprintf("It was made from %d inputs, these are %d.", len(m.Inputs), len(next.Inputs))
	}
	planned := slices.Clone(next.Inputs)
	SortInputs(planned)
	for i, have := range m.Inputs {
		want := planned[i]
		switch {
		case have.Name != want.Name:
			return fmt.Sprintf("It was made from %s, this run would read %s.", have.Name, want.Name)
		case differ(have.Bytes, want.Bytes) || differ(have.SHA256, want.SHA256):
			return fmt.Sprintf("The input %s has changed since.", have.Name)
		}
	}
	return ""
}

func differ[T comparable](a, b *T) bool { return a != nil && b != nil && *a != *b }

func differentOptions(have, want map[string]string) string {
	changed := job.ChangedOptions(have, want)
	return fmt.Sprintf("It was made with other options: %s.", strings.Join(changed, ", "))
}

// SortInputs sorts inputs by name. Inputs of one name have an order too, so that a list is written the same in every
// run.
func SortInputs(inputs []Input) {
	slices.SortFunc(inputs, func(a, b Input) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), compare(a.SHA256, b.SHA256), compare(a.Bytes, b.Bytes),
			strings.Compare(a.Error, b.Error))
	})
}

// compare orders values that may be unknown; unknown ones come first.
func compare[T cmp.Ordered](a, b *T) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// complete sets what follows from the rest, and puts the lists in order.
func (m *Manifest) complete() error {
	m.Version = Version
	m.SchemaVersion = table.SchemaVersion
	m.Started, m.Ended = m.Started.UTC(), m.Ended.UTC()
	if m.Options == nil {
		m.Options = map[string]string{}
	}
	if m.Counts == nil {
		m.Counts = map[string]int64{}
	}
	m.OptionsHash = HashOptions(m.Options)
	// Lists that are empty are written so, not as null.
	m.Inputs = append([]Input{}, m.Inputs...)
	m.Outputs = append([]Output{}, m.Outputs...)
	SortInputs(m.Inputs)
	slices.SortFunc(m.Outputs, func(a, b Output) int { return strings.Compare(a.Path, b.Path) })

	m.Tables = map[table.Name]Contents{}
	for _, d := range table.All() {
		m.Tables[d.Name] = Contents{}
	}
	for i, o := range m.Outputs {
		name, ok := o.Table()
		if !ok {
			return fmt.Errorf("the manifest lists %q, which is no part file of a table", o.Path)
		}
		if i > 0 && m.Outputs[i-1].Path == o.Path {
			return fmt.Errorf("the manifest lists %s twice", o.Path)
		}
		if f, _ := table.FormatOf(o.Path); f != m.Format() {
			return fmt.Errorf("the manifest lists files in two formats, such as %s and %s", m.Outputs[0].Path, o.Path)
		}
		sum := m.Tables[name]
		sum.Files++
		sum.Rows += o.Rows
		sum.Bytes += o.Bytes
		m.Tables[name] = sum
	}
	return nil
}

// checkTables compares the tables' folders with the list.
func checkTables(store storage.Store, outputs []Output) error {
	missing := map[string]int64{}
	for _, o := range outputs {
		missing[o.Path] = o.Bytes
	}
	err := eachPart(store, func(name string, size int64) error {
		want, ours := missing[name]
		switch {
		case !ours:
			return foreign(store, name)
		case size != want:
			return fmt.Errorf("%s in %s has %d bytes and was written with %d", name, store, size, want)
		}
		delete(missing, name)
		return nil
	})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%d of %d part files are not in %s", len(missing), len(outputs), store)
	}
	return err
}

// CheckForeign gives an error for a part file in the tables' folders that is none of these outputs, since readers of
// the table would read it too. Stores with a lock remove such files instead; in others it may belong to a run at work.
func CheckForeign(store storage.Store, outputs []Output) error {
	ours := make(map[string]bool, len(outputs))
	for _, o := range outputs {
		ours[o.Path] = true
	}
	return eachPart(store, func(name string, _ int64) error {
		if !ours[name] {
			return foreign(store, name)
		}
		return nil
	})
}

func foreign(store storage.Store, name string) error {
	return fmt.Errorf("%s holds %s, which is not of this run: readers of the table would read it; choose another "+
		"folder, or remove it", store, name)
}

// eachPart calls visit for every part file in the tables' folders.
func eachPart(store storage.Store, visit func(name string, size int64) error) error {
	return EachBelow(store, Names(), func(name string, size int64) error {
		if _, part := table.FormatOf(name); !part {
			return nil
		}
		return visit(name, size)
	})
}

// EachBelow calls visit for the files of a store that have one of these names, or lie in a folder that has. A folder is
// asked name by name, since a user's folder may have many other files; other stores give one list.
func EachBelow(store storage.Store, names []string, visit func(name string, size int64) error) error {
	if !store.Local() {
		return store.List("", func(name string, size int64) error {
			if at, _, _ := strings.Cut(name, "/"); !slices.Contains(names, at) {
				return nil
			}
			return visit(name, size)
		})
	}
	for _, at := range names {
		err := store.List(at, func(name string, size int64) error {
			if name != at && !strings.HasPrefix(name, at+"/") {
				return nil
			}
			return visit(name, size)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
