// Package manifest writes what makes a folder of tables complete: the record of what was run on what (_manifest.json), the list of
// files (paths.gz), schema files, DuckDB views (views.sql, of Parquet alone: DuckDB does not open Arrow files), a Frictionless data
// package (datapackage.json), the same in Croissant (croissant.json) and, last, _SUCCESS.
//
// Wall-clock times and host names stand in _manifest.json and nowhere else; everything is in an order that does not depend on how
// the run went. The package writes no tables, and nothing inside a table's folder.
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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/table"
)

// Version is the version of the form of _manifest.json. 1: the first.
const Version = 1

// Names of the files beside the tables' folders.
const (
	FileName        = "_manifest.json"
	SuccessName     = "_SUCCESS"
	PathsName       = "paths.gz"
	SchemaFolder    = "schema"
	ViewsName       = "views.sql"
	DataPackageName = "datapackage.json"
	CroissantName   = "croissant.json"
)

// MaxBytes bounds the manifest, written or read: some hundred bytes an input and a file, for as many inputs as a run may have.
const MaxBytes int64 = 8 << 30

// A Manifest is what _manifest.json holds: a run, its inputs and its output.
type Manifest struct {
	Version int     `json:"manifest_version"` // set by Write
	Program Program `json:"program"`

	SchemaVersion       int    `json:"schema_version"`        // set by Write: table.SchemaVersion
	RulesVersion        string `json:"rules_version"`         // of docs/semantics.md
	PublicSuffixVersion string `json:"public_suffix_version"` // of the list that registered domains go by

	// Options holds every option that changes results, by its name, defaults included. Options such as a number of workers do
	// not belong here.
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
	Path   string `json:"path"` // relative to the output folder, with slashes: robots/crawl=…/subset=…/part-00000.parquet
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

// HashOptions returns the SHA-256, in lower-case hexadecimal, of the options in the order of their names. Runs of one version on the
// same inputs with equal hashes give the same tables.
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

// Write checks that the tables in dir are what m says and writes everything beside them, _SUCCESS last. It sets the fields of m that
// say so and sorts its lists. Every file appears whole under its name; a Write that was killed is simply repeated.
//
// The caller has written all part files before and puts them all into m.Outputs: a file in a table's folder that is not listed, or
// is listed and not there at its size, is an error, since readers take whole folders. A table may have no file, although a file
// without rows is better: then readers other than views.sql find the table too.
func Write(dir string, m *Manifest) error {
	if err := Invalidate(dir); err != nil {
		return err
	}
	if err := m.complete(); err != nil {
		return err
	}
	if err := checkFolders(dir, m.Outputs); err != nil {
		return err
	}
	files, err := m.files()
	if err != nil {
		return err
	}
	if m.Format() != table.Parquet { // an earlier run may have left it
		if err := os.Remove(filepath.Join(dir, ViewsName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	schemas := filepath.Join(dir, SchemaFolder)
	if err := os.MkdirAll(schemas, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if f.name == SuccessName {
			if err := storage.SyncFolder(schemas); err != nil {
				return err
			}
		}
		if err := storage.WriteFile(filepath.Join(dir, filepath.FromSlash(f.name)), f.content); err != nil {
			return err
		}
	}
	return nil
}

// WriteTo is Write for tables in a store, where nobody invalidates what is finished. Of several that say the same, _SUCCESS is the first's.
func WriteTo(store storage.Store, m *Manifest) error {
	if err := m.complete(); err != nil {
		return err
	}
	if err := checkStored(store, m.Outputs); err != nil {
		return err
	}
	files, err := m.files()
	if err != nil {
		return err
	}
	for _, f := range files {
		write := store.Write
		if f.name == SuccessName {
			write = store.WriteNew
		}
		if err := write(f.name, f.content); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// A file stands beside the tables.
type file struct {
	name    string // in the output folder, with slashes
	content []byte
}

// files are all that stand beside the tables, _SUCCESS last.
func (m *Manifest) files() ([]file, error) {
	text, err := encode(m)
	if err != nil {
		return nil, fmt.Errorf("cannot encode %s: %w", FileName, err)
	}
	if int64(len(text)) > MaxBytes {
		return nil, fmt.Errorf("%s would be larger than %d bytes", FileName, MaxBytes)
	}
	var files []file
	for _, d := range table.All() {
		files = append(files, file{SchemaFolder + "/" + string(d.Name) + ".json", d.Schema()})
	}
	if m.Format() == table.Parquet {
		files = append(files, file{ViewsName, views(m.Tables)})
	}
	return append(files, []file{
		{DataPackageName, dataPackage(m)},
		{CroissantName, croissant(m)},
		{PathsName, pathList(m.Outputs)},
		{FileName, text},
		{SuccessName, nil},
	}...), nil
}

// Beside lists the names, in an output folder, of what stands beside the tables, but for FileName and SuccessName.
func Beside() []string {
	return []string{SchemaFolder, ViewsName, DataPackageName, CroissantName, PathsName}
}

// Invalidate removes _SUCCESS, so that nobody takes the folder for complete. A run calls it before it changes any table. It is no
// error if the folder or the file is not there.
func Invalidate(dir string) error {
	err := os.Remove(filepath.Join(dir, SuccessName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return storage.SyncFolder(dir)
}

// ErrNotComplete is what Read returns for a folder without _SUCCESS: nothing was written there, or a run is not finished.
var ErrNotComplete = errors.New("no finished run")

// Read returns the manifest of the finished run in dir. The error wraps ErrNotComplete where there is none.
func Read(dir string) (*Manifest, error) {
	if _, err := os.Stat(filepath.Join(dir, SuccessName)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds %w", dir, ErrNotComplete)
	} else if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, FileName)
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readNamed(name, file)
}

// ReadFrom is Read for tables in a store.
func ReadFrom(store storage.Store) (*Manifest, error) {
	if _, err := store.Read(SuccessName); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds %w", store, ErrNotComplete)
	} else if err != nil {
		return nil, err
	}
	in, err := store.Stream(FileName)
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

// Difference tells in a sentence why a run that is planned as next would not give the tables that the finished run m gave; "" where
// it would. Sizes and digests of inputs count where both know them.
func (m *Manifest) Difference(next *Manifest) string {
	switch {
	case m.Program.Version != next.Program.Version || m.Program.Commit != next.Program.Commit:
		return fmt.Sprintf("It was made by version %s (%s), this is %s (%s).",
			m.Program.Version, m.Program.Commit, next.Program.Version, next.Program.Commit)
	case m.SchemaVersion != table.SchemaVersion:
		return fmt.Sprintf("Its tables have schema version %d, this program writes %d.", m.SchemaVersion, table.SchemaVersion)
	case m.RulesVersion != next.RulesVersion:
		return fmt.Sprintf("It was decided by version %s of the rules, this program has %s.", m.RulesVersion, next.RulesVersion)
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
	changed := storage.ChangedOptions(have, want)
	return fmt.Sprintf("It was made with other options: %s.", strings.Join(changed, ", "))
}

// SortInputs sorts inputs by name. Inputs of one name have an order too, so that a list is written the same in every run.
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

// checkStored is checkFolders for a store.
func checkStored(store storage.Store, outputs []Output) error {
	listed, err := store.List("")
	if err != nil {
		return err
	}
	for _, o := range outputs {
		if bytes, ok := listed[o.Path]; !ok || bytes != o.Bytes {
			return fmt.Errorf("%s in %s is not as it was written", o.Path, store)
		}
	}
	return CheckForeign(store, listed, outputs)
}

// CheckForeign tells of a file in a store that lies where tables go and is none of these outputs, given all files there: readers of the table
// would take it in. In a folder it is removed; in a store nobody knows whether a run is at work that it is of.
func CheckForeign(store storage.Store, listed map[string]int64, outputs []Output) error {
	ours := make(map[string]bool, len(outputs))
	for _, o := range outputs {
		ours[o.Path] = true
	}
	for name := range listed {
		of, _, _ := strings.Cut(name, "/")
		if _, isTable := table.Lookup(table.Name(of)); isTable && !ours[name] {
			return fmt.Errorf("%s holds %s, which is of other tables; choose another folder, or remove it", store, name)
		}
	}
	return nil
}

// checkFolders compares the tables' folders with the list, which is sorted by path.
func checkFolders(dir string, outputs []Output) error {
	seen := 0
	for _, d := range table.All() {
		root := filepath.Join(dir, string(d.Name))
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				if name == root && errors.Is(err, fs.ErrNotExist) {
					return fs.SkipDir
				}
				return err
			}
			if _, part := table.FormatOf(name); entry.IsDir() || !part {
				return nil
			}
			relative, err := filepath.Rel(dir, name)
			if err != nil {
				return err
			}
			relative = filepath.ToSlash(relative)
			i, listed := slices.BinarySearchFunc(outputs, relative, func(o Output, path string) int {
				return strings.Compare(o.Path, path)
			})
			if !listed {
				return fmt.Errorf("%s holds %s, which is not of this run: readers of the table would take it in", dir, relative)
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			if info.Size() != outputs[i].Bytes {
				return fmt.Errorf("%s in %s has %d bytes and was written with %d", relative, dir, info.Size(), outputs[i].Bytes)
			}
			seen++
			return nil
		})
		if err != nil {
			return err
		}
	}
	if seen < len(outputs) {
		return fmt.Errorf("%d of %d part files are not in %s", len(outputs)-seen, len(outputs), dir)
	}
	return nil
}
