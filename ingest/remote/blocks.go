package remote

import (
	"fmt"
	"io"
	"sync"

	"github.com/acapscan/acapscan/internal/storage"
)

// Objects are read at offsets in blocks of blockBytes, and the last cachedBlocks are cached. The last block ends where
// the object ends, because a Parquet file has its metadata there. The first block may be shorter. A read of more than
// longBytes is one request for just these bytes, and is not cached: the caller holds enough.
const (
	blockBytes   = 1 << 20
	cachedBlocks = 16
	longBytes    = 4 << 20
)

// OpenAt opens an object, see storage.Store. The first read sends the first request.
func (f *Folder) OpenAt(name string, size int64) (storage.ReaderAt, error) {
	object, err := f.object(name)
	if err != nil {
		return nil, err
	}
	return &blocks{f: f, object: object, size: size, ahead: (blockBytes - size%blockBytes) % blockBytes,
		cached: map[int64][]byte{}}, nil
}

// blocks reads an object at offsets, and caches the last blocks.
type blocks struct {
	f      *Folder
	object *Object
	size   int64
	ahead  int64 // by how much the first block is shorter

	mu     sync.Mutex
	cached map[int64][]byte // by number
	order  []int64          // of cached blocks, the oldest first
}

// Close empties the cache.
func (b *blocks) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cached, b.order = map[int64][]byte{}, nil
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
		if _, cached := b.cached[number]; !cached && len(p)-n > longBytes {
			k, err := b.read(p[n:min(int64(len(p)), int64(n)+b.size-off)], off)
			if n, off = n+k, off+int64(k); err != nil {
				return n, err
			}
			continue
		}
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

// at returns the number of the block of a byte, and start the offset of a block.
func (b *blocks) at(off int64) int64       { return (off + b.ahead) / blockBytes }
func (b *blocks) start(number int64) int64 { return max(number*blockBytes-b.ahead, 0) }

// block returns a block. If it is not cached, one request reads it and those after it, up to last.
func (b *blocks) block(first, last int64) ([]byte, error) {
	if block, ok := b.cached[first]; ok {
		return block, nil
	}
	last = min(last, b.at(b.size-1), first+cachedBlocks-1)
	for at := first + 1; at <= last; at++ {
		if _, ok := b.cached[at]; ok {
			last = at - 1
		}
	}
	from, to := b.start(first), b.start(last+1)
	all := make([]byte, to-from)
	if _, err := b.read(all, from); err != nil {
		return nil, err
	}
	for at := first; at <= last; at++ {
		for len(b.order) >= cachedBlocks {
			delete(b.cached, b.order[0])
			b.order = b.order[1:]
		}
		begin, end := b.start(at)-from, b.start(at+1)-from
		b.cached[at] = all[begin:end:end]
		b.order = append(b.order, at)
	}
	return b.cached[first], nil
}

// read reads bytes with one request.
func (b *blocks) read(p []byte, off int64) (n int, err error) {
	in, err := b.object.OpenRange(b.f.ctx, off, int64(len(p)))
	if err != nil {
		return 0, err
	}
	defer in.Close()
	if v := b.object.version(); v.size >= 0 && v.size != b.size {
		return 0, fmt.Errorf("%s: %w (%d bytes when it was listed, %d now)", b.object.Name(), ErrChanged, b.size,
			v.size)
	}
	return io.ReadFull(in, p)
}
