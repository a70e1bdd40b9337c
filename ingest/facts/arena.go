package facts

import (
	"sync"

	"github.com/acapscan/acapscan/internal/extsort"
)

// An arena is facts that wait to be written, and the memory for it.
type arena struct {
	*extsort.Held
	writer extsort.BlockWriter
}

// Arenas are the memory of Writers that follow one another: new memory for each file would be most of the garbage of
// stage 1. They are safe for concurrent use. The zero value is ready.
type Arenas struct {
	mu   sync.Mutex
	free []*arena
}

func (r *Arenas) take() *arena {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if n := len(r.free); n > 0 {
			last := r.free[n-1]
			r.free = r.free[:n-1]
			return last
		}
	}
	return &arena{Held: extsort.NewHeld(int(classes))}
}

// giveBack takes back an empty arena.
func (r *Arenas) giveBack(empty *arena) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, empty)
}
