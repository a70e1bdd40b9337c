package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/internal/storage"
)

// A Folder is a storage.Store: the objects of a bucket of S3 whose keys begin alike, as a folder that many machines
// write to. Nothing is locked, and an object that is moved keeps its old name too, until it is removed. A Folder ends
// its work when its context ends.
type Folder struct {
	ctx       context.Context
	client    *Client
	at        location    // its key has no slash at its end
	plain     atomic.Bool // the service knows no conditional PUT
	partBytes int64

	mu    sync.Mutex
	stage string // "" before it is needed
}

// maxPuts is how often an object is put that other processes put and remove.
const maxPuts = 5

// IsS3 tells whether a name begins with s3://.
func IsS3(name string) bool { return len(name) >= 5 && strings.EqualFold(name[:5], "s3://") }

// Folder returns a folder of that name, s3://BUCKET/KEY. It asks nothing yet.
func (c *Client) Folder(ctx context.Context, name string) (*Folder, error) {
	if err := c.opts.Check(); err != nil {
		return nil, err
	}
	at, err := c.locate(strings.TrimRight(name, "/"))
	if err != nil {
		return nil, err
	}
	if at.bucket == "" {
		return nil, fmt.Errorf("%q is no folder of S3, such as s3://bucket/run", name)
	}
	if slices.ContainsFunc(strings.Split(at.key, "/"), func(part string) bool {
		return part == "" || part == "." ||
			part == ".."
	}) {
		return nil, fmt.Errorf("%q has a part that is empty, . or ..: other tools would take it for another folder", name)
	}
	return &Folder{ctx: ctx, client: c, at: at, partBytes: DefaultPartBytes}, nil
}

// String is the name of the folder.
func (f *Folder) String() string { return f.at.place() }

// locate returns where the object of a name is.
func (f *Folder) locate(name string) location {
	at := f.at
	at.key += "/" + name
	at.name = at.place()
	return at
}

func (f *Folder) try(at location, ask func() error) error { return f.client.s3.again(f.ctx, at, ask) }

// Local tells that it is not on this machine.
func (f *Folder) Local() bool { return false }

// Open returns the content of an object, see storage.Store.
func (f *Folder) Open(name string) (io.ReadCloser, error) {
	object, err := f.object(name)
	if err != nil {
		return nil, err
	}
	return object.Open(f.ctx)
}

// Stat describes an object, see storage.Store.
func (f *Folder) Stat(name string) (storage.Info, error) {
	about, err := f.about(f.locate(name))
	return storage.Info{Size: about.size, Modified: about.modified}, err
}

func (f *Folder) object(name string) (*Object, error) { return f.client.Object(f.locate(name).name) }

// List lists objects, see storage.Store.
func (f *Folder) List(prefix string, visit func(name string, size int64) error) error {
	at := f.locate(prefix)
	for token := (*string)(nil); ; {
		var next *string
		type object struct {
			name string
			size int64
		}
		var page []object // visited once, although the list may be asked for twice
		err := f.try(at, func() (err error) {
			page = page[:0]
			next, err = f.client.s3.list(f.ctx, at, token, func(key string, size int64) {
				if name, ok := strings.CutPrefix(key, f.at.key+"/"); ok && name != "" {
					page = append(page, object{name, size})
				}
			})
			return err
		})
		if err != nil {
			return err
		}
		for _, o := range page {
			if err := visit(o.name, o.size); err != nil {
				return err
			}
		}
		if token = next; token == nil {
			return nil
		}
	}
}

// Put puts objects, see storage.Store. One that has the same content is left as it is.
func (f *Folder) Put(files ...storage.Entry) error {
	return parallel.Each(files, func(e storage.Entry) error { return f.with(e, f.put) })
}

// PutNew puts an object, see storage.Store.
func (f *Folder) PutNew(e storage.Entry) error { return f.with(e, f.once) }

// with makes a put of an entry under a name that no object has, and does it.
func (f *Folder) with(e storage.Entry, do func(*put) error) error {
	p := &put{at: f.locate(e.Name), onlyNew: true}
	if e.Path == "" {
		p.body, p.size, p.digest = bytes.NewReader(e.Content), int64(len(e.Content)), digestOf(e.Content)
		return do(p)
	}
	in, err := os.Open(e.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	if p.size, err = io.Copy(sum, in); err != nil {
		return err
	}
	p.body, p.digest = in, hex.EncodeToString(sum.Sum(nil))
	return do(p)
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// put writes an object, unless it is there with the same content.
func (f *Folder) put(p *put) error {
	for range maxPuts {
		err := f.once(p)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		switch same, err := f.same(p); {
		case errors.Is(err, fs.ErrNotExist): // another process removed it since
		case err != nil:
			return err
		case same:
			return nil
		default:
			p.onlyNew = false // the object has other content
		}
	}
	return fmt.Errorf("%s comes and goes: other processes write and remove it", p.at.name)
}

// once writes an object, in parts if it is long.
func (f *Folder) once(p *put) error {
	s := f.client.s3
	inParts := p.size > f.partBytes
	if p.onlyNew && (inParts || f.plain.Load()) { // long ones are not sent for nothing
		switch _, err := f.about(p.at); {
		case err == nil:
			return fmt.Errorf("%s: %w", p.at.name, fs.ErrExist)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	next := *p
	next.onlyNew = p.onlyNew && !f.plain.Load()
	var err error
	if inParts {
		err = s.putParts(f.ctx, &next, f.partBytes)
	} else {
		err = f.try(p.at, func() error { return s.put(f.ctx, &next) })
	}
	if next.onlyNew && errors.Is(err, errNoConditions) {
		f.plain.Store(true)
		return f.once(p)
	}
	return err
}

// about describes an object. The error wraps fs.ErrNotExist where there is none.
func (f *Folder) about(at location) (found objectInfo, err error) {
	err = f.try(at, func() (err error) {
		found, err = f.client.s3.about(f.ctx, at)
		return err
	})
	return found, err
}

// same tells whether the object that has the name is the one to be written.
func (f *Folder) same(p *put) (bool, error) {
	have, err := f.about(p.at)
	if err != nil || have.size != p.size || have.digest != "" {
		return have.size == p.size && have.digest == p.digest, err
	}
	object, err := f.client.Object(p.at.name) // another tool wrote it
	if err != nil {
		return false, err
	}
	in, err := object.Open(f.ctx)
	if err != nil {
		return false, err
	}
	defer in.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, in)
	return hex.EncodeToString(sum.Sum(nil)) == p.digest, err
}

// Move copies objects, see storage.Store. Their bytes stay within the service.
func (f *Folder) Move(moves ...storage.Move) error {
	return parallel.Each(moves, func(m storage.Move) error {
		source, target := f.locate(m.From), f.locate(m.To)
		return f.try(source, func() error { return f.client.s3.copy(f.ctx, source, target) })
	})
}

// Remove removes objects, see storage.Store.
func (f *Folder) Remove(names ...string) error {
	return parallel.Each(names, func(name string) error {
		at := f.locate(name)
		err := f.try(at, func() error { return f.client.s3.remove(f.ctx, at) })
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// Stage makes a folder of this machine, in the system's for temporary files, see storage.Store.
func (f *Folder) Stage() (dir string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stage == "" {
		f.stage, err = os.MkdirTemp("", "acapscan-s3-")
	}
	return f.stage, err
}

// Lock keeps no process away: what several put at the same time is put once.
func (f *Folder) Lock(storage.Mode) (release func(), err error) { return func() {}, nil }

// Close removes the stage, see storage.Store.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	stage := f.stage
	f.stage = ""
	if stage == "" {
		return nil
	}
	return os.RemoveAll(stage)
}

// probeName is the object on which Conditional tries what the service knows. It stays.
const probeName = "_conditional"

// Conditional tells whether the service keeps an object from being put over another. One that does not still puts each
// object at once: of two processes that put the same the last one wins.
func (f *Folder) Conditional() (known bool, err error) {
	probe := storage.Entry{Name: probeName,
		Content: []byte("Whether this service knows conditional PUTs was tried on this object.\n")}
	err = f.with(probe, func(p *put) error {
		for range 2 { // the first may find nothing
			switch err := f.try(p.at, func() error { return f.client.s3.put(f.ctx, p) }); {
			case errors.Is(err, fs.ErrExist):
				known = true
				return nil
			case errors.Is(err, errNoConditions):
				f.plain.Store(true)
				return nil
			case err != nil:
				return err
			}
		}
		f.plain.Store(true)
		return nil
	})
	return known, err
}
