package commit

import (
	"io"
	"sync"
)

// A Store takes whole files under names, as a folder does, for processes on many machines that share no file system: objects of S3, say.
// Names are below the store, with slashes. A file has its name at once or not at all; no rename reaches it, and nothing is locked. It is
// safe for concurrent use.
type Store interface {
	// String is the name of the store, for sentences.
	String() string
	// List returns the lengths of all files whose names begin so, by their names.
	List(beginning string) (map[string]int64, error)
	// Read returns the content of a small file. The error wraps fs.ErrNotExist where there is none.
	Read(name string) ([]byte, error)
	// Open returns a file of that length, from List, to be read at offsets. It needs no closing.
	Open(name string, size int64) (io.ReaderAt, error)
	// Put gives a file of this machine a name that none has. A file of the same content is as good, so that several may put it; where
	// one of another content has the name the error wraps fs.ErrExist.
	Put(file, name string) error
	// Replace gives a file of this machine a name, whatever file had it.
	Replace(file, name string) error
	// Write gives content a name, whatever file had it.
	Write(name string, content []byte) error
	// WriteNew gives content a name that none has: of several processes one is the first, and the others get fs.ErrExist.
	WriteNew(name string, content []byte) error
	// Copy gives a file a second name, whatever file had it.
	Copy(from, to string) error
	// Remove removes a file, if it is there.
	Remove(name string) error
}

// atOnce is how many files of a store are asked for at a time: each takes a request, and most of that is waiting.
const atOnce = 16

// Each calls do for every name, several at a time, and returns the first error, after which it begins with no other.
func Each[T any](names []T, do func(T) error) error {
	var mu sync.Mutex
	var failed error
	next := 0
	take := func() (name T, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if failed != nil || next >= len(names) {
			return name, false
		}
		next++
		return names[next-1], true
	}
	var wg sync.WaitGroup
	for range min(atOnce, len(names)) {
		wg.Go(func() {
			for name, ok := take(); ok; name, ok = take() {
				if err := do(name); err != nil {
					mu.Lock()
					if failed == nil {
						failed = err
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return failed
}
