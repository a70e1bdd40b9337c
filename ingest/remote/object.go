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
	seen version // the state of the file that offsets refer to
}

// Object returns the file of that name. It sends no request: the error is about the name, or about the options.
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

// Place returns the URL in a normal form: the scheme and host in lower case, without the default port.
func (o *Object) Place() string { return o.at.place() }

// Stat requests the length of the file, in bytes, and its entity tag. They are -1 and "" if the server does not send
// them.
func (o *Object) Stat(ctx context.Context) (size int64, etag string, err error) {
	var v version
	err = o.client.try(ctx, o.at, new(attempts), func() error {
		v, err = o.service.head(ctx, o.at)
		return err
	})
	if err != nil {
		return 0, "", err
	}
	o.setVersion(v)
	return v.size, v.etag, nil
}

// Open returns the bytes of the file as it is now, from its beginning. Its method Size returns the length of the file,
// -1 if unknown. The caller closes the result. Reads continue
// after broken connections, wait if the server demands it, and fail with the error of ctx when ctx is done.
func (o *Object) Open(ctx context.Context) (io.ReadCloser, error) {
	return o.open(ctx, query{to: -1}, true)
}

// OpenRange returns length bytes of the file from the offset on, and requests just these. If the file ends before, so
// do the bytes, with ErrEnds. If the file changed since Open, Stat or another OpenRange, the error is ErrChanged.
// Otherwise it is like Open.
func (o *Object) OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
	if length < 0 || offset < 0 || offset+length < 0 {
		return nil, fmt.Errorf("%s: there are no %d bytes at offset %d", o.at.name, length, offset)
	}
	if length == 0 {
		return io.NopCloser(&reader{ctx: ctx, o: o, at: offset, query: query{from: offset, to: offset}}), nil
	}
	return o.open(ctx, query{from: offset, to: offset + length}, false)
}

func (o *Object) open(ctx context.Context, q query, fresh bool) (io.ReadCloser, error) {
	if q.from < 0 {
		return nil, fmt.Errorf("%s: there is no offset %d", o.at.name, q.from)
	}
	r := &reader{ctx: ctx, o: o, query: q, at: q.from, lastFailure: q.from}
	if !fresh {
		r.version = o.version()
	}
	if err := r.request(); err != nil {
		return nil, err
	}
	if fresh {
		o.setVersion(r.version)
	} else if v, ok := o.checkVersion(r.version); !ok {
		r.Close()
		return nil, fmt.Errorf("%s: %w (%s)", o.at.name, ErrChanged, difference(v, r.version))
	}
	return r, nil
}

// setVersion sets the current state of the file.
func (o *Object) setVersion(v version) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = v
}

// checkVersion reports whether v can be the state seen before. The first state is always right.
func (o *Object) checkVersion(v version) (seen version, ok bool) {
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

// difference describes how two versions differ.
func difference(v, w version) string {
	switch {
	case v.size >= 0 && w.size >= 0 && v.size != w.size:
		return fmt.Sprintf("%d bytes before, %d now", v.size, w.size)
	case v.etag != w.etag:
		return fmt.Sprintf("ETag %s before, %s now", v.etag, w.etag)
	}
	return fmt.Sprintf("of %s before, of %s now", v.modified, w.modified)
}

// try repeats a request until it succeeds, or until an error is final.
func (c *Client) try(ctx context.Context, at location, tried *attempts, request func() error) error {
	for {
		if tried.failures == 0 {
			tried.since = c.clock.now()
		}
		err := request()
		if err == nil {
			return nil
		}
		if err := c.handleError(ctx, at, err, tried); err != nil {
			return withName(at, err)
		}
	}
}

// withName adds the name of the file to an error that lacks it.
func withName(at location, err error) error {
	var no *refusal
	if errors.As(err, &no) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", at.name, err)
}
