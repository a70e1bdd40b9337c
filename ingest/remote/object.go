package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// An Object is one file on another machine. It is safe for concurrent use, and may be opened several times at once.
type Object struct {
	client  *Client
	service service
	at      location

	mu   sync.Mutex
	seen version // the state of the file that offsets are of
}

// Object returns the file of that name. It asks nothing yet: the error is one of the name, or of the options of the
// client.
func (c *Client) Object(name string) (*Object, error) {
	if err := c.opts.Check(); err != nil {
		return nil, err
	}
	at, err := c.locate(name)
	if err != nil {
		return nil, err
	}
	o := &Object{client: c, service: c.web, at: at}
	if at.bucket != "" {
		o.service = c.s3
	}
	return o, nil
}

// Name is the name of the file as given.
func (o *Object) Name() string { return o.at.name }

// Place is where the file is: the same for names that differ in the case of a host or scheme only, or in a port that
// goes without saying.
func (o *Object) Place() string { return o.at.place() }

// Stat asks for the length of the file, in bytes, and for its entity tag. A length is -1, and a tag "", where the
// server does not say.
func (o *Object) Stat(ctx context.Context) (size int64, etag string, err error) {
	var v version
	failures := 0
	err = o.client.try(ctx, o.at, &failures, func() error {
		v, err = o.service.head(ctx, o.at)
		return err
	})
	if err != nil {
		return 0, "", err
	}
	o.see(v)
	return v.size, v.etag, nil
}

// Open returns the bytes of the file as it is now, from its beginning. The caller closes what it returns. Reads go on
// by themselves where the connection breaks, wait where the server wants it, and fail with the error of ctx once ctx is
// done.
func (o *Object) Open(ctx context.Context) (io.ReadCloser, error) {
	return o.open(ctx, query{to: -1}, true)
}

// OpenAt returns the bytes of the file from the offset on, none beyond its end. It is the same file as before: if Open,
// Stat or another OpenAt saw it in another state, the error is ErrChanged. Otherwise it is as Open.
func (o *Object) OpenAt(ctx context.Context, offset int64) (io.ReadCloser, error) {
	return o.open(ctx, query{from: offset, to: -1}, false)
}

// OpenRange returns length bytes of the file from the offset on, with a request for just these. A file that ends before
// gives ErrEnds where it does. Otherwise it is as OpenAt.
func (o *Object) OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
	if length < 0 || offset < 0 || offset+length < 0 {
		return nil, fmt.Errorf("%s: there are no %d bytes at offset %d", o.at.name, length, offset)
	}
	if length == 0 {
		return io.NopCloser(&reader{ctx: ctx, o: o, at: offset, query: query{from: offset, to: offset}}), nil
	}
	return o.open(ctx, query{from: offset, to: offset + length}, false)
}

func (o *Object) open(ctx context.Context, q query, anew bool) (io.ReadCloser, error) {
	if q.from < 0 {
		return nil, fmt.Errorf("%s: there is no offset %d", o.at.name, q.from)
	}
	r := &reader{ctx: ctx, o: o, query: q, at: q.from, mark: q.from}
	if !anew {
		r.version = o.version()
	}
	if err := r.ask(); err != nil {
		return nil, err
	}
	if anew {
		o.see(r.version)
	} else if v, ok := o.agree(r.version); !ok {
		r.Close()
		return nil, fmt.Errorf("%s: %w (%s)", o.at.name, ErrChanged, difference(v, r.version))
	}
	return r, nil
}

// see notes the state that the file is in now.
func (o *Object) see(v version) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = v
}

// agree notes a state if none was seen before, and tells whether it can be that one.
func (o *Object) agree(v version) (seen version, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.seen.known() {
		o.seen = v
	}
	return o.seen, !o.seen.contradicts(v)
}

func (o *Object) version() version {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen
}

// difference tells two versions apart in words.
func difference(v, w version) string {
	switch {
	case v.size >= 0 && w.size >= 0 && v.size != w.size:
		return fmt.Sprintf("%d bytes before, %d now", v.size, w.size)
	case v.etag != w.etag:
		return fmt.Sprintf("ETag %s before, %s now", v.etag, w.etag)
	}
	return fmt.Sprintf("of %s before, of %s now", v.modified, w.modified)
}

// try asks until there is an answer, or an error that is no reason to ask again.
func (c *Client) try(ctx context.Context, at location, failures *int, ask func() error) error {
	for {
		err := ask()
		if err == nil {
			return nil
		}
		if err := c.react(ctx, at, err, failures); err != nil {
			return named(at, err)
		}
	}
}

// named puts the name of the file into an error that has none.
func named(at location, err error) error {
	var no *refusal
	if errors.As(err, &no) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", at.name, err)
}
