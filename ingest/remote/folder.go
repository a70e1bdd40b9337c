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
	"sync/atomic"
)

// A Folder is the objects of a bucket of S3 whose keys begin alike, as a folder that many machines write to. Objects are whole from the moment
// that they have a name. It is safe for concurrent use, and ends its work when its context ends. Names are below the folder, with
// slashes.
type Folder struct {
	ctx       context.Context
	client    *Client
	at        location    // its key has no slash at its end
	plain     atomic.Bool // the service knows no conditional PUT
	partBytes int64
}

const (
	maxListed = 1 << 26   // objects of a folder: ten million inputs have a mark each, and some files
	maxRead   = 256 << 20 // bytes of an object that is read at once
	maxPuts   = 5         // how often an object is put that others put and remove
)

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
	if slices.ContainsFunc(strings.Split(at.key, "/"), func(part string) bool { return part == "" || part == "." || part == ".." }) {
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

// Read returns the content of a small object. The error wraps fs.ErrNotExist where there is none.
func (f *Folder) Read(name string) ([]byte, error) {
	in, err := f.Stream(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	content, err := io.ReadAll(io.LimitReader(in, maxRead+1))
	if err == nil && len(content) > maxRead {
		err = fmt.Errorf("%s is longer than %d bytes", f.locate(name).name, maxRead)
	}
	return content, err
}

// Stream returns the content of an object of any length, from its beginning. The error wraps fs.ErrNotExist where there is none.
func (f *Folder) Stream(name string) (io.ReadCloser, error) {
	object, err := f.object(name)
	if err != nil {
		return nil, err
	}
	return object.Open(f.ctx)
}

func (f *Folder) object(name string) (*Object, error) { return f.client.Object(f.locate(name).name) }

// List returns the lengths of all objects whose names begin so, by their names.
func (f *Folder) List(beginning string) (map[string]int64, error) {
	at := f.locate(beginning)
	found := map[string]int64{}
	for token := (*string)(nil); ; {
		err := f.try(at, func() (err error) {
			var next *string
			next, err = f.client.s3.list(f.ctx, at, token, func(key string, size int64) {
				if name, ok := strings.CutPrefix(key, f.at.key+"/"); ok && name != "" {
					found[name] = size
				}
			})
			if err == nil {
				token = next
			}
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case len(found) > maxListed:
			return nil, fmt.Errorf("%s holds more than %d objects", f, maxListed)
		case token == nil:
			return found, nil
		}
	}
}

// Put gives a file of this machine a name, at once, unless an object has it. One of the same content is as good; one of another is an
// error that wraps fs.ErrExist.
func (f *Folder) Put(file, name string) error { return f.putFile(file, name, true) }

// Replace gives a file of this machine a name, at once, whatever object had it.
func (f *Folder) Replace(file, name string) error { return f.putFile(file, name, false) }

func (f *Folder) putFile(file, name string, onlyNew bool) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, in)
	if err != nil {
		return err
	}
	return f.put(&put{at: f.locate(name), body: in, size: size, digest: hex.EncodeToString(sum.Sum(nil)), onlyNew: onlyNew})
}

// Write is Replace with content.
func (f *Folder) Write(name string, content []byte) error {
	return f.put(f.small(name, content, false))
}

// WriteNew gives content a name, at once, unless an object has it: of several processes one is the first, and the others get
// fs.ErrExist, whatever the first wrote.
func (f *Folder) WriteNew(name string, content []byte) error {
	return f.once(f.small(name, content, true))
}

// small is a put of content that is in memory.
func (f *Folder) small(name string, content []byte, onlyNew bool) *put {
	return &put{at: f.locate(name), body: bytes.NewReader(content), size: int64(len(content)), digest: digestOf(content), onlyNew: onlyNew}
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// put writes an object, unless it is there.
func (f *Folder) put(p *put) error {
	for range maxPuts {
		err := f.once(p)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		switch same, err := f.same(p); {
		case errors.Is(err, fs.ErrNotExist): // somebody removed it since
		case err != nil:
			return err
		case same:
			return nil
		case !p.onlyNew: // an upload in parts is gone, and the object is the one from before
		default:
			return fmt.Errorf("%s is there with other content, which another process wrote: %w", p.at.name, fs.ErrExist)
		}
	}
	return fmt.Errorf("%s comes and goes: other processes write and remove it", p.at.name)
}

// once writes an object, in parts if it is long.
func (f *Folder) once(p *put) error {
	s := f.client.s3
	inParts := p.size > f.partBytes
	if p.onlyNew && (inParts || f.plain.Load()) { // long ones are not sent for nothing
		switch err := f.try(p.at, func() error { _, _, err := s.about(f.ctx, p.at); return err }); {
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

// same tells whether the object that has the name is the one to be written.
func (f *Folder) same(p *put) (bool, error) {
	var size int64
	var digest string
	err := f.try(p.at, func() (err error) {
		size, digest, err = f.client.s3.about(f.ctx, p.at)
		return err
	})
	if err != nil || size != p.size || digest != "" {
		return size == p.size && digest == p.digest, err
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

// Copy gives an object a second name, at once, whatever object had it. Its bytes stay where they are.
func (f *Folder) Copy(from, to string) error {
	source, target := f.locate(from), f.locate(to)
	return f.try(source, func() error { return f.client.s3.copy(f.ctx, source, target) })
}

// Remove removes an object, if it is there.
func (f *Folder) Remove(name string) error {
	at := f.locate(name)
	err := f.try(at, func() error { return f.client.s3.remove(f.ctx, at) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// probeName is the object on which Conditional tries what the service knows. It stays.
const probeName = "_conditional"

// Conditional tells whether the service keeps an object from being put over another. One that does not still puts each object at
// once: of two processes that put the same the last one wins.
func (f *Folder) Conditional() (bool, error) {
	p := f.small(probeName, []byte("Whether this service knows conditional PUTs was tried on this object.\n"), true)
	for range 2 { // the first may find nothing
		err := f.try(p.at, func() error { return f.client.s3.put(f.ctx, p) })
		switch {
		case errors.Is(err, fs.ErrExist):
			return true, nil
		case errors.Is(err, errNoConditions):
			f.plain.Store(true)
			return false, nil
		case err != nil:
			return false, err
		}
	}
	f.plain.Store(true)
	return false, nil
}
