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

// A Folder is a storage.Store: the objects of an S3 bucket under one prefix. Many machines may write to it: there is no
// lock. A moved object also keeps its old name until it is removed. All calls fail when the context ends.
type Folder struct {
	ctx       context.Context
	client    *Client
	at        location    // the key has no final slash
	plain     atomic.Bool // the service does not support conditional PUTs
	partBytes int64

	mu           sync.Mutex
	stage        string // "" until needed
	releaseStage func() error
}

// maxPuts limits the tries to put an object that other processes put and remove at the same time.
const maxPuts = 5

// IsS3 reports whether a name begins with s3://, in any case.
func IsS3(name string) bool { return len(name) >= 5 && strings.EqualFold(name[:5], "s3://") }

// Folder returns the folder of that name, s3://BUCKET/KEY. It sends no request.
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
		return nil, fmt.Errorf("%q has a part that is empty, . or ..: other tools would take it for another folder",
			name)
	}
	return &Folder{ctx: ctx, client: c, at: at, partBytes: DefaultPartBytes}, nil
}

// String returns the name of the folder.
func (f *Folder) String() string { return f.at.place() }

// locate returns the location of an object.
func (f *Folder) locate(name string) location {
	at := f.at
	at.key += "/" + name
	at.name = at.place()
	return at
}

func (f *Folder) try(at location, request func() error) error {
	return f.client.s3.retry(f.ctx, at, request)
}

// Local returns false: the folder is not on this machine.
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
	about, err := f.stat(f.locate(name))
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
		var page []object // collected first, because the request may be repeated
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

// Put puts objects, see storage.Store. It leaves an object that has the same content.
func (f *Folder) Put(files ...storage.Entry) error {
	return parallel.Each(files, func(e storage.Entry) error { return f.with(e, f.put) })
}

// PutNew puts an object, see storage.Store.
func (f *Folder) PutNew(e storage.Entry) error { return f.with(e, f.once) }

// with calls do with a put of the entry, for a new object.
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

// put writes an object unless it exists with the same content.
func (f *Folder) put(p *put) error {
	for range maxPuts {
		err := f.once(p)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		switch same, err := f.same(p); {
		case errors.Is(err, fs.ErrNotExist): // another process has removed it
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

// once writes an object, in parts if it is large.
func (f *Folder) once(p *put) error {
	s := f.client.s3
	inParts := p.size > f.partBytes
	if p.onlyNew && (inParts || f.plain.Load()) { // checked first, so that large objects are not sent in vain
		switch _, err := f.stat(p.at); {
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

// stat describes an object. The error wraps fs.ErrNotExist if there is none.
func (f *Folder) stat(at location) (found objectInfo, err error) {
	err = f.try(at, func() (err error) {
		found, err = f.client.s3.stat(f.ctx, at)
		return err
	})
	return found, err
}

// same reports whether the existing object has the content to be written.
func (f *Folder) same(p *put) (bool, error) {
	have, err := f.stat(p.at)
	if err != nil || have.size != p.size || have.digest != "" {
		return have.size == p.size && have.digest == p.digest, err
	}
	object, err := f.client.Object(p.at.name) // another tool wrote it, so it has no digest
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

// Move copies objects within the service, see storage.Store.
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

// Stage makes a local folder among the system's temporary files, see storage.Store.
func (f *Folder) Stage() (dir string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stage == "" {
		f.stage, f.releaseStage, err = storage.TempFolder("s3")
	}
	return f.stage, err
}

// Lock does nothing: several processes may put the same object at once.
func (f *Folder) Lock(storage.Mode) (release func(), err error) { return func() {}, nil }

// Close removes the stage, see storage.Store.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	release := f.releaseStage
	f.stage, f.releaseStage = "", nil
	if release == nil {
		return nil
	}
	return release()
}

// probeName is the object that Conditional writes. It stays.
const probeName = "_conditional"

// Conditional reports whether the service supports conditional PUTs. Without them each PUT is still atomic, and the
// last one of several wins.
func (f *Folder) Conditional() (known bool, err error) {
	probe := storage.Entry{Name: probeName,
		Content: []byte("Whether this service knows conditional PUTs was tried on this object.\n")}
	err = f.with(probe, func(p *put) error {
		for range 2 { // the first PUT may create the object
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
