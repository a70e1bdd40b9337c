package remote

import (
	"fmt"
	"io"
	"sync"

	"github.com/acapscan/acapscan/internal/storage"
)

// Objects are read at offsets in blocks of so many bytes, of which so many are held. The last one ends where the object
// ends, since what tells of a file stands there; the first may be shorter.
const (
	blockBytes = 1 << 20
	heldBlocks = 16
)

// OpenAt opens an object, see storage.Store. Nothing is asked before the first read.
func (f *Folder) OpenAt(name string, size int64) (storage.ReaderAt, error) {
	object, err := f.object(name)
	if err != nil {
		return nil, err
	}
	return &blocks{f: f, object: object, size: size, ahead: (blockBytes - size%blockBytes) % blockBytes,
		held: map[int64][]byte{}}, nil
}

// blocks read an object at offsets, and hold what was read last.
type blocks struct {
	f      *Folder
	object *Object
	size   int64
	ahead  int64 // what the first block lacks at its beginning

	mu    sync.Mutex
	held  map[int64][]byte // by number
	order []int64          // of held ones, the oldest first
}

// Close forgets what is held.
func (b *blocks) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held, b.order = map[int64][]byte{}, nil
	return nil
}

func (b *blocks) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("%s: there is no offset %d", b.object.Name(), off)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for n < len(p) && off < b.size {
		number := b.at(off)
		block, err := b.block(number, b.at(off+int64(len(p)-n)-1))
		if err != nil {
			return n, err
		}
		k := copy(p[n:], block[off-b.start(number):])
		n, off = n+k, off+int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// at is the number of the block that a byte is in, and start the first byte of a block.
func (b *blocks) at(off int64) int64       { return (off + b.ahead) / blockBytes }
func (b *blocks) start(number int64) int64 { return max(number*blockBytes-b.ahead, 0) }

// block returns a block. Where it has to be asked for, those behind it up to last are asked for with it.
func (b *blocks) block(first, last int64) ([]byte, error) {
	if held, ok := b.held[first]; ok {
		return held, nil
	}
	last = min(last, b.at(b.size-1), first+heldBlocks-1)
	for at := first + 1; at <= last; at++ {
		if _, ok := b.held[at]; ok {
			last = at - 1
		}
	}
	from, to := b.start(first), b.start(last+1)
	in, err := b.object.OpenRange(b.f.ctx, from, to-from)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if v := b.object.version(); v.size >= 0 && v.size != b.size {
		return nil, fmt.Errorf("%s: %w (%d bytes when it was listed, %d now)", b.object.Name(), ErrChanged, b.size, v.size)
	}
	all := make([]byte, to-from)
	if _, err := io.ReadFull(in, all); err != nil {
		return nil, err
	}
	for at := first; at <= last; at++ {
		for len(b.order) >= heldBlocks {
			delete(b.held, b.order[0])
			b.order = b.order[1:]
		}
		begin, end := b.start(at)-from, b.start(at+1)-from
		b.held[at] = all[begin:end:end]
		b.order = append(b.order, at)
	}
	return b.held[first], nil
}
