package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// A place is where the part files of a plan wait for the commit, with the plan and the marks of buckets.
type place interface {
	fmt.Stringer
	plan() (*Plan, error)                   // the error wraps fs.ErrNotExist where there is none
	begin(plan []byte) error                // fs.ErrExist where there is a plan
	read(mark string) ([]byte, error)       // the error wraps fs.ErrNotExist where there is none
	mark(name string, content []byte) error // after all part files that it names
	put(finals []string) error              // part files of the stage
	holds(final string, bytes int64) bool   // a part file waits, or is there already

	// commit gives all part files their names, which are sorted, and has the manifest written, see Writer.Commit.
	commit(m *manifest.Manifest, finals []string, staged map[string]part) error
	clear() error // removes what waited
}

// A folder is a place on a file system.
type folder struct {
	dir   string
	stage *storage.Stage
}

func (f *folder) String() string       { return f.dir }
func (f *folder) plan() (*Plan, error) { return ReadPlan(f.dir) }

func (f *folder) begin(plan []byte) error {
	if err := os.MkdirAll(workFolder(f.dir), 0o755); err != nil {
		return err
	}
	return f.stage.WriteNew(filepath.Join(workFolder(f.dir), planFile), plan)
}

func (f *folder) read(mark string) ([]byte, error) {
	return os.ReadFile(filepath.Join(workFolder(f.dir), mark))
}

func (f *folder) mark(name string, content []byte) error {
	return f.stage.Write(filepath.Join(workFolder(f.dir), name), content)
}

func (f *folder) put(finals []string) error {
	placed := make(map[string]string, len(finals))
	for _, final := range finals {
		to := placedPath(f.dir, final)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		placed[stagedName(final)] = to
	}
	return f.stage.PutAll(placed)
}

// holds finds part files under their final names where the commit had begun.
func (f *folder) holds(final string, bytes int64) bool {
	return hasSize(placedPath(f.dir, final), bytes) || committing(f.dir) && hasSize(finalPath(f.dir, final), bytes)
}

// commit removes the part files of an earlier run before these get their names.
func (f *folder) commit(m *manifest.Manifest, finals []string, staged map[string]part) error {
	if err := manifest.Invalidate(f.dir); err != nil {
		return err
	}
	if err := f.clearTables(); err != nil {
		return err
	}
	for _, final := range finals {
		to := finalPath(f.dir, final)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		err := os.Rename(placedPath(f.dir, final), to)
		if errors.Is(err, fs.ErrNotExist) && staged[final].placed && hasSize(to, staged[final].Bytes) {
			err = nil // before a kill
		}
		if err != nil {
			return err
		}
	}
	if err := f.syncFolders(finals); err != nil {
		return err
	}
	return manifest.Write(f.dir, m)
}

func (f *folder) clear() error { return Clear(f.dir) }

// syncFolders makes the names of part files durable, with those of the folders above them: what _SUCCESS vouches for must be there
// after a power cut, too.
func (f *folder) syncFolders(finals []string) error {
	folders := map[string]bool{}
	for _, final := range finals {
		for at := path.Dir(final); at != "."; at = path.Dir(at) {
			folders[at] = true
		}
	}
	for _, at := range slices.Sorted(maps.Keys(folders)) {
		if err := storage.SyncFolder(finalPath(f.dir, at)); err != nil {
			return err
		}
	}
	return nil
}

// clearTables removes all files of the tables that are not of this run, and notes that those which are there from now on are.
func (f *folder) clearTables() error {
	if committing(f.dir) {
		return nil
	}
	for _, d := range table.All() {
		if err := os.RemoveAll(filepath.Join(f.dir, string(d.Name))); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(workFolder(f.dir), 0o755); err != nil {
		return err
	}
	return f.stage.Write(filepath.Join(workFolder(f.dir), committedFile), nil)
}

// placedPath is where a part file waits for the commit in a folder.
func placedPath(dir, final string) string {
	return filepath.Join(workFolder(dir), filepath.FromSlash(final)+stagedSuffix)
}

// finalPath is where a part file lies in the end.
func finalPath(dir, final string) string { return filepath.Join(dir, filepath.FromSlash(final)) }

func hasSize(name string, bytes int64) bool {
	info, err := os.Stat(name)
	return err == nil && info.Size() == bytes
}

// committing tells whether part files of this plan have begun to get their final names.
func committing(dir string) bool {
	_, err := os.Stat(filepath.Join(workFolder(dir), committedFile))
	return err == nil
}

// stored is a place in a store of files. Each name is put once; who puts the same again finds it there.
type stored struct {
	store storage.Store
	stage *storage.Stage
	list  func() (map[string]int64, error) // all that waits, as it was first
}

// newStored is newWriter for tables in a store.
func newStored(store storage.Store, work string, plan Plan, opts Options) (*Writer, error) {
	w, err := newWriter(work, plan, opts)
	if err != nil {
		return nil, err
	}
	w.at = &stored{store: store, stage: w.stage, list: sync.OnceValues(func() (map[string]int64, error) {
		return store.List(waitingName(""))
	})}
	return w, nil
}

// waitingName is the name in a store of what waits for the commit.
func waitingName(name string) string { return WorkFolder + "/tables/" + name }

func (s *stored) String() string       { return s.store.String() }
func (s *stored) plan() (*Plan, error) { return ReadPlanIn(s.store) }

func (s *stored) begin(plan []byte) error { return s.store.WriteNew(waitingName(planFile), plan) }

func (s *stored) read(mark string) ([]byte, error) {
	listed, err := s.list()
	if err != nil {
		return nil, err
	}
	if _, ok := listed[waitingName(mark)]; !ok {
		return nil, fs.ErrNotExist
	}
	return s.store.Read(waitingName(mark))
}

func (s *stored) mark(name string, content []byte) error {
	err := s.store.WriteNew(waitingName(name), content)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	have, err := s.store.Read(waitingName(name))
	switch {
	case err != nil:
		return err
	case string(have) == string(content):
		return nil
	case json.Unmarshal(have, &mark{}) == nil:
		return fmt.Errorf("%s: another process made other part files of this bucket", s.store)
	}
	return s.store.Write(waitingName(name), content) // what cannot be read counts for nothing
}

func (s *stored) put(finals []string) error {
	return parallel.Each(finals, func(final string) error {
		return s.store.Put(s.stage.Path(stagedName(final)), waitingName(final+stagedSuffix))
	})
}

func (s *stored) holds(final string, bytes int64) bool {
	listed, err := s.list()
	have, ok := listed[waitingName(final+stagedSuffix)]
	return err == nil && ok && have == bytes
}

// commit gives part files their names as copies; what waited is removed when _SUCCESS is there. Killed at any moment, or done by several at a
// time, it is done again to the same end.
func (s *stored) commit(m *manifest.Manifest, finals []string, _ map[string]part) error {
	listed, err := s.store.List("")
	if err != nil {
		return err
	}
	if err := manifest.CheckForeign(s.store, listed, m.Outputs); err != nil {
		return err
	}
	err = parallel.Each(finals, func(final string) error { return s.store.Copy(waitingName(final+stagedSuffix), final) })
	if err != nil {
		return err
	}
	return manifest.WriteTo(s.store, m)
}

func (s *stored) clear() error { return ClearIn(s.store) }

// CheckIn tells of files in a store that lie where tables go, or what stands beside them, and that no run made: its end would put its own over them.
func CheckIn(store storage.Store) error {
	for _, mark := range []string{manifest.SuccessName, waitingName(planFile)} {
		listed, err := store.List(mark)
		if _, ours := listed[mark]; ours || err != nil {
			return err // a run knows what is there, see stored.commit
		}
	}
	listed, err := store.List("")
	if err != nil {
		return err
	}
	ours := append(manifest.Beside(), manifest.FileName)
	for name := range listed {
		if at, _, _ := strings.Cut(name, "/"); slices.Contains(ours, at) {
			return fmt.Errorf("%s holds %s, which no run of this program made and which this one would replace; choose another folder", store, name)
		}
	}
	return manifest.CheckForeign(store, listed, nil)
}

// ClearIn is Clear for a store.
func ClearIn(store storage.Store) error {
	listed, err := store.List(waitingName(""))
	if err != nil {
		return err
	}
	return parallel.Each(slices.Collect(maps.Keys(listed)), store.Remove)
}
