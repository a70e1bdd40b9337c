package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// soundAfter is how many bytes have to come after an error before it is forgotten. A server that breaks off after every
// few bytes is given up.
const soundAfter = 1 << 20

// leastBytes is how many bytes have to come in the time that a server may be idle: one that sends a byte a minute says
// nothing.
const leastBytes = 4 << 10

// A reader reads a stretch of a file, over as many transfers as that takes. It is for one goroutine.
type reader struct {
	ctx     context.Context
	o       *Object
	query   query
	version version

	at       int64 // the next byte
	mark     int64 // where the last error was
	failures int   // errors that are not forgotten
	transfer *transfer
	err      error // of all reads to come
}

func (r *reader) Read(p []byte) (int, error) {
	for {
		if r.err != nil {
			return 0, r.err
		}
		if err := r.ctx.Err(); err != nil {
			return 0, r.fail(context.Cause(r.ctx))
		}
		end := r.end()
		if r.at >= end {
			return 0, r.fail(r.atEnd())
		}
		if len(p) == 0 {
			return 0, nil
		}
		if r.transfer == nil {
			if err := r.ask(); err != nil {
				return 0, r.fail(err)
			}
			continue
		}
		n, err := r.transfer.Read(p[:min(int64(len(p)), end-r.at)])
		r.at += int64(n)
		switch {
		case r.at >= end: // whatever the server has to add
		case err == io.EOF && r.version.size < 0 && r.query.to < 0:
			r.err = r.closing(io.EOF) // nobody said where the end is: it is here
		case err != nil:
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			r.drop()
			if err := r.broken(err); err != nil {
				r.fail(err)
			}
		}
		if n > 0 {
			return n, nil // an error comes with the next read
		}
	}
}

// end is the place of the first byte that is not read any more.
func (r *reader) end() int64 {
	end := r.o.client.opts.MaxBytes
	if r.query.to >= 0 {
		end = r.query.to
	}
	if r.version.size >= 0 {
		end = min(end, r.version.size)
	}
	return end
}

// atEnd is what a read at the end returns.
func (r *reader) atEnd() error {
	switch {
	case r.query.to >= 0 && r.at < r.query.to:
		return fmt.Errorf("%s ends at byte %d, and %d bytes of offset %d were asked for: %w",
			r.o.at.name, r.at, r.query.to-r.query.from, r.query.from, ErrEnds)
	case r.query.to < 0 && r.at >= r.o.client.opts.MaxBytes && r.version.size != r.at:
		return fmt.Errorf("%s is longer than %d bytes", r.o.at.name, r.o.client.opts.MaxBytes)
	}
	return io.EOF
}

// broken counts an error of a transfer, and waits before the next. An error of its own ends the reading.
func (r *reader) broken(err error) error {
	if r.at-r.mark >= soundAfter {
		r.failures = 0
	}
	r.mark = r.at
	if err := r.o.client.react(r.ctx, r.o.at, fmt.Errorf("the transfer broke at byte %d: %w", r.at, err),
		&r.failures); err != nil {
		return named(r.o.at, err)
	}
	return nil
}

// ask begins a transfer where the reading stands.
func (r *reader) ask() error {
	return r.o.client.try(r.ctx, r.o.at, &r.failures, func() error {
		q := query{from: r.at, to: r.query.to, of: r.version}
		a, err := r.o.service.get(r.ctx, r.o.at, q)
		if err != nil {
			return err
		}
		r.transfer = &transfer{client: r.o.client, body: a.body, idle: a.idle}
		if err := r.take(q, a); err != nil {
			r.drop()
			return err
		}
		return nil
	})
}

// take looks whether an answer is what was asked for, and goes to the byte where the reading stands.
func (r *reader) take(q query, a *answer) error {
	if r.version.contradicts(a.version) {
		return fmt.Errorf("%w (%s)", ErrChanged, difference(r.version, a.version))
	}
	switch {
	case a.from > q.from:
		return faultf("byte %d was asked for, and the server sent from byte %d on", q.from, a.from)
	case a.length >= 0 && a.version.size >= 0 && a.from+a.length > a.version.size:
		return faultf("the server sends %d bytes from byte %d on, of a file of %d", a.length, a.from, a.version.size)
	case r.query.to < 0 && a.version.size > r.o.client.opts.MaxBytes:
		return faultf("it is %d bytes long, and no more than %d are read", a.version.size, r.o.client.opts.MaxBytes)
	case a.from < q.from && r.query.to >= 0:
		return faultf("the server sends the whole file where a part of it is asked for")
	}
	if !r.version.known() {
		r.version = a.version
	}
	// A server that knows no ranges begins at the beginning: what was read is read again, and thrown away.
	if _, err := io.CopyN(io.Discard, r.transfer, q.from-a.from); err != nil {
		return fmt.Errorf("the transfer broke before byte %d: %w", q.from, err)
	}
	return nil
}

// fail ends the reading with an error.
func (r *reader) fail(err error) error {
	r.err = r.closing(err)
	return r.err
}

func (r *reader) closing(err error) error {
	r.drop()
	return err
}

// drop ends the transfer.
func (r *reader) drop() {
	if r.transfer != nil {
		r.transfer.Close()
		r.transfer = nil
	}
}

// errClosed is the error of reads after Close.
var errClosed = errors.New("the file is closed")

// Close ends the transfer, wherever it is.
func (r *reader) Close() error {
	r.fail(errClosed)
	return nil
}

// A transfer is the body of one answer. Its reads fail where the server says too little for too long.
type transfer struct {
	client *Client
	body   io.ReadCloser
	idle   *idleTimer

	waited time.Duration // in reads, since it was last looked at
	bytes  int64         // that came in them
}

func (t *transfer) Read(p []byte) (int, error) {
	t.idle.sleep()
	before := t.client.clock.now()
	n, err := t.body.Read(p)
	t.idle.stay()
	t.waited += t.client.clock.now().Sub(before)
	t.bytes += int64(n)
	if err == nil && t.waited >= t.client.opts.Idle {
		if t.bytes < leastBytes {
			err = errIdle(t.client.opts.Idle)
		}
		t.waited, t.bytes = 0, 0
	}
	if err != nil && err != io.EOF {
		err = t.idle.why(err)
	}
	return n, err
}

func (t *transfer) Close() {
	t.idle.end()
	t.body.Close()
}

// errIdle tells that a server said next to nothing for so long.
type errIdle time.Duration

func (e errIdle) Error() string {
	return fmt.Sprintf("the server sent next to nothing for %v", time.Duration(e))
}

// An idleTimer watches over a request: it ends it where the server says nothing.
type idleTimer struct {
	client *Client
	ctx    context.Context
	cancel context.CancelCauseFunc
	mu     sync.Mutex
	stop   func() bool
}

// once makes one request to a host, in its turn. The caller ends the timer when it is done with the answer.
func (c *Client) once(ctx context.Context, host string, ask func(ctx context.Context) error) (*idleTimer, error) {
	if err := c.enter(ctx, host); err != nil {
		return nil, err
	}
	ctx, w := c.watch(ctx)
	if err := ask(ctx); err != nil {
		w.end()
		return nil, w.why(err)
	}
	w.stay()
	return w, nil
}

// watch begins to watch over a request that is made with the context that it returns.
func (c *Client) watch(ctx context.Context) (context.Context, *idleTimer) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &idleTimer{client: c, ctx: ctx, cancel: cancel}
	w.sleep()
	return ctx, w
}

// sleep begins the time after which the server has said nothing for too long.
func (w *idleTimer) sleep() {
	w.stay()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop = w.client.clock.after(w.client.opts.Idle, func() { w.cancel(errIdle(w.client.opts.Idle)) })
}

// stay ends that time.
func (w *idleTimer) stay() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// end ends the request.
func (w *idleTimer) end() {
	w.stay()
	w.cancel(nil)
}

// why returns the reason for an error: that the server was idle, if that was it.
func (w *idleTimer) why(err error) error {
	var idle errIdle
	if err != nil && errors.As(context.Cause(w.ctx), &idle) {
		return idle
	}
	return err
}
