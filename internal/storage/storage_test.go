package storage_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/internal/storage/storagetest"
)

func TestStores(t *testing.T) {
	for name, open := range storagetest.Stores(t) {
		t.Run(name, func(t *testing.T) {
			storagetest.TestStore(t, func(*testing.T) storagetest.Process { return open() })
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Nothing of this package is left in a folder but files that were put.
func TestFolderIsTidy(t *testing.T) {
	dir := t.TempDir()
	killed := storage.NewFolder(dir)
	check(t, storage.Write(killed, "a/b/c", []byte("c")))
	_, err := killed.Stage()
	check(t, err)
	check(t, storage.Write(killed, "_work/other", nil))
	f := storage.NewFolder(dir)
	_, err = f.Stage()
	check(t, err)
	release, err := f.Lock(storage.Alone)
	check(t, err)
	if got := names(t, filepath.Join(dir, storage.WorkFolder)); len(got) != 2 { // its own stage stays
		t.Errorf("in the work folder are %v", got)
	}
	check(t, f.Close())
	if got := names(t, filepath.Join(dir, storage.WorkFolder)); !slices.Equal(got, []string{"other"}) {
		t.Errorf("left are %v", got)
	}
	check(t, storage.RemoveAll(f, ""))
	check(t, f.Close())
	release()
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left are %v", got)
	}
}

// A killed process leaves its stage in a folder that is below the work folder of others. It goes with that.
func TestRemoveAllTakesFolders(t *testing.T) {
	dir := t.TempDir()
	_, err := storage.NewFolder(filepath.Join(dir, storage.WorkFolder, "answers")).Stage()
	check(t, err)
	_, err = storage.NewFolder(filepath.Join(dir, storage.WorkFolder, "facts")).Stage()
	check(t, err)
	f := storage.NewFolder(dir)
	_, err = f.Stage()
	check(t, err)
	check(t, storage.RemoveAll(storage.Sub(f, storage.WorkFolder+"/facts"), ""))
	if got := names(t, filepath.Join(dir, storage.WorkFolder)); len(got) != 2 || got[0] != "answers" {
		t.Errorf("in the work folder are %v", got) // and the stage of f
	}
	check(t, storage.RemoveAll(f, storage.WorkFolder+"/"))
	check(t, storage.Write(f, "a", nil)) // its stage is there
	check(t, f.Close())
	if got := names(t, dir); !slices.Equal(got, []string{"a"}) {
		t.Errorf("left are %v", got)
	}
}

// A file of another program that has the name of the work folder stays, and nothing can be written.
func TestWorkFolderThatIsAFile(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, storage.WorkFolder), []byte("mine"), 0o644))
	f := storage.NewFolder(dir)
	release, err := f.Lock(storage.Alone)
	check(t, err)
	check(t, storage.RemoveAll(f, storage.WorkFolder+"/"))
	if err := storage.Write(f, "a", nil); err == nil {
		t.Error("there is a stage")
	}
	check(t, f.Close())
	release()
	if got := names(t, dir); !slices.Equal(got, []string{storage.WorkFolder}) {
		t.Errorf("left are %v", got)
	}
}

func TestLock(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks there")
	}
	folder := filepath.Join(t.TempDir(), "out")
	acquire := func(mode storage.Mode) (release func()) {
		t.Helper()
		release, err := storage.NewFolder(folder).Lock(mode)
		check(t, err)
		return release
	}
	busy := func(mode storage.Mode) {
		t.Helper()
		if _, err := storage.NewFolder(folder).Lock(mode); !errors.Is(err, storage.ErrBusy) {
			t.Errorf("a second lock of mode %d: %v", mode, err)
		}
	}
	release := acquire(storage.Alone)
	busy(storage.Alone)
	busy(storage.Shared)
	release()
	if got := names(t, folder); len(got) != 0 {
		t.Errorf("left are %v", got)
	}
	one, two := acquire(storage.Shared), acquire(storage.Shared)
	busy(storage.Alone)
	one()
	busy(storage.Alone)
	two()
	release = acquire(storage.Alone) // on the file that those left
	busy(storage.Alone)
	release()
	release()
}

// A task that shares a folder comes while the last of the others tidies up, and waits.
func TestSharedWaitsForAMoment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks there")
	}
	folder := storage.NewFolder(filepath.Join(t.TempDir(), "out"))
	release, err := folder.Lock(storage.Alone)
	check(t, err)
	time.AfterFunc(50*time.Millisecond, release)
	shared, err := folder.Lock(storage.Shared)
	check(t, err)
	shared()
}

// A file has its name from Commit on, and what was there before until then.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	check(t, os.WriteFile(name, []byte("before"), 0o644))
	write := func() *storage.File {
		t.Helper()
		f, err := storage.Create(name)
		check(t, err)
		_, err = f.Write([]byte("abc"))
		check(t, err)
		return f
	}
	holds := func(want string) {
		t.Helper()
		content, err := os.ReadFile(name)
		if got := names(t, dir); err != nil || string(content) != want || len(got) != 1 {
			t.Errorf("%q (%v), beside %v, want %q alone", content, err, got, want)
		}
	}
	aborted := write()
	check(t, aborted.Abort())
	check(t, aborted.Abort())
	holds("before")
	if err := aborted.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit after Abort: %v", err)
	}
	f := write()
	check(t, f.Commit())
	check(t, f.Abort())
	holds("abc")
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, appendix B.1
	if f.Size() != 3 || f.SHA256() != sum {
		t.Errorf("size %d, digest %s", f.Size(), f.SHA256())
	}
	if _, err := f.Write([]byte("d")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Commit: %v", err)
	}
}
