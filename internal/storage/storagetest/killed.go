package storagetest

import (
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/acapscan/acapscan/internal/storage"
)

// ErrKilled is the error of a process that is dead.
var ErrKilled = errors.New("killed")

// A Deed changes one file of a store.
type Deed string

// The deeds.
const (
	Put    Deed = "Put"
	PutNew Deed = "PutNew"
	Move   Deed = "Move"
	Remove Deed = "Remove"
)

// Watched is a store whose deeds are told, one after another, before they are done. An error of before ends the
// process: nothing happens, and nothing happens any more.
func Watched(s storage.Store, before func(deed Deed, name string) error) storage.Store {
	return &watched{Store: s, before: before}
}

// KilledAfter is a store whose process is killed after so many deeds. Reading is no deed.
func KilledAfter(s storage.Store, deeds int) storage.Store {
	return Watched(s, func(Deed, string) error {
		if deeds == 0 {
			return ErrKilled
		}
		deeds--
		return nil
	})
}

type watched struct {
	storage.Store
	before func(Deed, string) error

	mu   sync.Mutex
	dead error
}

// do tells of a deed and does it.
func (w *watched) do(deed Deed, name string, run func() error) error {
	w.mu.Lock()
	if w.dead == nil {
		w.dead = w.before(deed, name)
	}
	dead := w.dead
	w.mu.Unlock()
	if dead != nil {
		return dead
	}
	return run()
}

func (w *watched) Put(files ...storage.Entry) error {
	for _, file := range files {
		if err := w.do(Put, file.Name, func() error { return w.Store.Put(file) }); err != nil {
			return err
		}
	}
	return nil
}

func (w *watched) PutNew(file storage.Entry) error {
	return w.do(PutNew, file.Name, func() error { return w.Store.PutNew(file) })
}

func (w *watched) Move(moves ...storage.Move) error {
	for _, move := range moves {
		if err := w.do(Move, move.To, func() error { return w.Store.Move(move) }); err != nil {
			return err
		}
	}
	return nil
}

func (w *watched) Remove(names ...string) error {
	for _, name := range names {
		if err := w.do(Remove, name, func() error { return w.Store.Remove(name) }); err != nil {
			return err
		}
	}
	return nil
}

// Close does nothing for a process that was killed: its stage stays.
func (w *watched) Close() error {
	w.mu.Lock()
	dead := w.dead
	w.mu.Unlock()
	if dead != nil {
		return nil
	}
	return w.Store.Close()
}

// Contents returns the content of all files of a store, by their names.
func Contents(t testing.TB, s storage.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := s.List("", func(name string, _ int64) error {
		in, err := s.Open(name)
		if err != nil {
			return err
		}
		defer in.Close()
		text, err := io.ReadAll(in)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Process opens a store as another process does. The table of stores that tests go through is Stores.
type Process func() storage.Store

// Stores returns the kinds of store that are at hand wherever tests run, each with a function that makes an empty one,
// of which every call of the result is a process of its own.
func Stores(t testing.TB) map[string]func() Process {
	return map[string]func() Process{
		"folder": func() Process {
			dir := t.TempDir()
			return func() storage.Store { return storage.NewFolder(dir) }
		},
		"memory": func() Process {
			m := New()
			return func() storage.Store { return m.Process() }
		},
	}
}
