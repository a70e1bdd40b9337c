package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

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

func TestStage(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	one, err := NewStage(folder)
	check(t, err)
	two, err := NewStage(folder)
	check(t, err)
	for _, s := range []*Stage{one, two} {
		check(t, os.WriteFile(s.Path("a"), []byte("whole"), 0o644))
	}
	final := filepath.Join(folder, "below", "a")
	if err := one.Put("a", final); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	check(t, os.Mkdir(filepath.Dir(final), 0o755))
	check(t, one.Put("a", final))
	check(t, two.Put("a", final))
	check(t, one.Write(filepath.Join(folder, "b"), []byte("b")))
	check(t, os.WriteFile(one.Path("never put"), nil, 0o644))
	check(t, one.Close())
	if got := names(t, folder); !slices.Equal(got, []string{WorkFolder, "b", "below"}) {
		t.Errorf("while another stage is there: %v", got)
	}
	check(t, two.Close())
	if got := names(t, folder); !slices.Equal(got, []string{"b", "below"}) {
		t.Errorf("left are %v", got)
	}
	if text, err := os.ReadFile(final); err != nil || string(text) != "whole" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

func TestWriteNew(t *testing.T) {
	folder := t.TempDir()
	s, err := NewStage(folder)
	check(t, err)
	final := filepath.Join(folder, "a")
	check(t, s.WriteNew(final, []byte("first")))
	if err := s.WriteNew(final, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the name is taken: %v", err)
	}
	if text, err := os.ReadFile(final); err != nil || string(text) != "first" {
		t.Errorf("the file is %q, %v", text, err)
	}
	check(t, s.Close())
	if got := names(t, folder); !slices.Equal(got, []string{"a"}) {
		t.Errorf("left are %v", got)
	}
}

func TestClearStages(t *testing.T) {
	folder := t.TempDir()
	check(t, ClearStages(folder))
	killed, err := NewStage(folder)
	check(t, err)
	check(t, os.WriteFile(killed.Path("half"), nil, 0o644))
	check(t, os.WriteFile(filepath.Join(folder, WorkFolder, "other"), nil, 0o644))
	check(t, ClearStages(folder))
	if got := names(t, filepath.Join(folder, WorkFolder)); !slices.Equal(got, []string{"other"}) {
		t.Errorf("left are %v", got)
	}
}

func TestLock(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks there")
	}
	folder := filepath.Join(t.TempDir(), "out")
	acquire := func(mode Mode) *Lock {
		t.Helper()
		l, err := Acquire(folder, mode)
		check(t, err)
		return l
	}
	busy := func(mode Mode) {
		t.Helper()
		if l, err := Acquire(folder, mode); !errors.Is(err, ErrBusy) {
			t.Errorf("a second lock of mode %d: %v, %v", mode, l, err)
		}
	}
	alone := acquire(Alone)
	busy(Alone)
	busy(Shared)
	check(t, alone.Release())
	if got := names(t, folder); len(got) != 0 {
		t.Errorf("left are %v", got)
	}
	one, two := acquire(Shared), acquire(Shared)
	busy(Alone)
	check(t, one.Release())
	busy(Alone)
	check(t, two.Release())
	alone = acquire(Alone) // on the file that those left
	busy(Alone)
	check(t, alone.Release())
}

// Tasks of an array job begin and end at the same time: who closes the last stage removes the work folder, which another is about to use.
func TestStagesComeAndGoAtOnce(t *testing.T) {
	dir := t.TempDir()
	failures := make(chan error, 4)
	for range cap(failures) {
		go func() {
			for range 250 {
				stage, err := NewStage(dir)
				if err == nil {
					err = stage.Close()
				}
				if err != nil {
					failures <- err
					return
				}
			}
			failures <- nil
		}()
	}
	for range cap(failures) {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
}

// A task that shares a folder comes while the last of the others tidies up, and waits.
func TestSharedWaitsForAMoment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks there")
	}
	folder := filepath.Join(t.TempDir(), "out")
	alone, err := Acquire(folder, Alone)
	check(t, err)
	released := make(chan error)
	go func() {
		time.Sleep(50 * time.Millisecond)
		released <- alone.Release()
	}()
	shared, err := Acquire(folder, Shared)
	check(t, err)
	check(t, <-released)
	check(t, shared.Release())
}

// A file has its name from Commit on, and what was there before until then.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	check(t, WriteFile(name, []byte("before")))
	write := func() *File {
		t.Helper()
		f, err := Create(name)
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
