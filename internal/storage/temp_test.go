package storage_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/acapscan/acapscan/internal/storage"
)

// The temporary folder of a process that was killed goes with the next one on this machine. That of a process at work
// stays, and so does what belongs to another machine or to no one known.
func TestTempFolder(t *testing.T) {
	temp := filepath.Join(t.TempDir(), "a[b]*")
	check(t, os.Mkdir(temp, 0o755))
	t.Setenv("TMPDIR", temp)
	alive, release, err := storage.TempFolder("test")
	check(t, err)
	if _, err := os.Stat(filepath.Join(alive, storage.LockFile)); err != nil {
		check(t, release())
		t.Skip("there are no locks here")
	}
	check(t, os.WriteFile(filepath.Join(alive, "x"), nil, 0o644))
	host, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(alive), "acapscan-"), "-")
	left := func(name string, lock bool) string {
		t.Helper()
		check(t, os.MkdirAll(filepath.Join(temp, name, "more"), 0o755))
		if lock {
			check(t, os.WriteFile(filepath.Join(temp, name, storage.LockFile), nil, 0o644))
		}
		return name
	}
	killed := left("acapscan-"+host+"-s3-1", true)
	others := []string{
		left("acapscan-"+host+"-s3-2", false), left("acapscan-"+host+"x-s3-3", true), left("other-"+host, true),
	}
	check(t, os.Symlink(filepath.Join(temp, others[2]), filepath.Join(temp, "acapscan-"+host+"-link")))

	dir, release2, err := storage.TempFolder("test")
	check(t, err)
	got := names(t, temp)
	want := append([]string{filepath.Base(alive), filepath.Base(dir), "acapscan-" + host + "-link"}, others...)
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q without %s", got, want, killed)
	}
	if got := names(t, alive); len(got) != 2 {
		t.Errorf("a folder at work has %q", got)
	}
	check(t, release())
	check(t, release2())
	for _, gone := range []string{alive, dir} {
		if _, err := os.Stat(gone); err == nil {
			t.Errorf("%s is left", gone)
		}
	}
}

// Calls at the same time do not take the folders of each other for those of killed processes.
func TestTempFoldersAtOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for range 200 {
				dir, release, err := storage.TempFolder("test")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Stat(filepath.Join(dir, storage.LockFile)); err != nil {
					t.Error(err)
				}
				if err := release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
}
