package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// forgetAfter is how many bytes must follow an error before it stops counting. So a server that breaks off every few
// bytes fails.
const forgetAfter = 1 << 20

// minBytes is how many bytes a server must send within Options.Idle: a byte a minute counts as idle.
const minBytes = 4 << 10

// A reader reads a range of a file, with as many transfers as needed. It is for one goroutine.
type reader struct {
	ctx     context.Context
	o       *Object
	query   query
	version version

	at          int64 // the next byte
	lastFailure int64 // offset of the last error
	tried       attempts
	transfer    *transfer
	err         error // of all further reads
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
			if err := r.request(); err != nil {
				return 0, r.fail(err)
			}
			continue
		}
		n, err := r.transfer.Read(p[:min(int64(len(p)), end-r.at)])
		r.at += int64(n)
		switch {
		case r.at >= end: // whatever the server sends after it
		case err == io.EOF && r.version.size < 0 && r.query.to < 0:
			r.err = r.closing(io.EOF) // the length was unknown: the file ends here
		case err != nil:
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			r.drop()
			if err := r.handleBreak(err); err != nil {
				r.fail(err)
			}
		}
		if n > 0 {
			return n, nil // the next read returns the error
		}
	}
}

// Size returns the length of the file in bytes, -1 if the server did not declare it.
func (r *reader) Size() int64 { return r.version.size }

// end returns the offset after the last byte to read.
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

// atEnd returns the error of a read at the end.
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

// handleBreak counts an error of a transfer and waits before the next one. Its own error ends the reading.
func (r *reader) handleBreak(err error) error {
	if r.at-r.lastFailure >= forgetAfter {
		r.tried = attempts{}
	}
	r.lastFailure = r.at
	if err := r.o.client.handleError(r.ctx, r.o.at, fmt.Errorf("the transfer broke at byte %d: %w", r.at, err),
		&r.tried); err != nil {
		return withName(r.o.at, err)
	}
	return nil
}

// request begins a transfer at the current byte.
func (r *reader) request() error {
	return r.o.client.try(r.ctx, r.o.at, &r.tried, func() error {
		q := query{from: r.at, to: r.query.to, of: r.version}
		a, err := r.o.service.get(r.ctx, r.o.at, q)
		if err != nil {
			return err
		}
		r.transfer = &transfer{client: r.o.client, body: a.body, idle: a.idle}
		if err := r.check(q, a); err != nil {
			r.drop()
			return err
		}
		return nil
	})
}

// check checks that an answer has the requested bytes, and skips to the current one.
func (r *reader) check(q query, a *answer) error {
	if r.version.contradicts(a.version) {
		return fmt.Errorf("%w (%s)", ErrChanged, difference(r.version, a.version))
	}
	switch {
	case a.from > q.from:
		return permanent("byte %d was asked for, and the server sent from byte %d on", q.from, a.from)
	case a.length >= 0 && a.version.size >= 0 && a.from+a.length > a.version.size:
		return permanent("the server sends %d bytes from byte %d on, of a file of %d", a.length, a.from, a.version.size)
	case r.query.to < 0 && a.version.size > r.o.client.opts.MaxBytes:
		return permanent("it is %d bytes long, and no more than %d are read", a.version.size, r.o.client.opts.MaxBytes)
	case a.from < q.from && r.query.to >= 0:
		return permanent("the server sends the whole file where a part of it is asked for")
	}
	if !r.version.known() {
		r.version = a.version
	}
	// A server without ranges begins at the beginning of the file.
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

// A transfer is the body of one answer. Its reads fail if the server sends too little for too long.
type transfer struct {
	client *Client
	body   io.ReadCloser
	idle   *idleTimer

	waited time.Duration // in reads, since the last check
	bytes  int64         // of these reads
}

func (t *transfer) Read(p []byte) (int, error) {
	t.idle.start()
	before := t.client.clock.now()
	n, err := t.body.Read(p)
	t.idle.stop()
	t.waited += t.client.clock.now().Sub(before)
	t.bytes += int64(n)
	if err == nil && t.waited >= t.client.opts.Idle {
		if t.bytes < minBytes {
			err = errIdle(t.client.opts.Idle)
		}
		t.waited, t.bytes = 0, 0
	}
	if err != nil && err != io.EOF {
		err = t.idle.cause(err)
	}
	return n, err
}

func (t *transfer) Close() {
	t.idle.end()
	t.body.Close()
}

// errIdle means that a server sent next to nothing for this long.
type errIdle time.Duration

func (e errIdle) Error() string {
	return fmt.Sprintf("the server sent next to nothing for %v", time.Duration(e))
}

// An idleTimer cancels a request if the server sends nothing for Options.Idle.
type idleTimer struct {
	client      *Client
	host        string
	ctx         context.Context
	cancel      context.CancelCauseFunc
	mu          sync.Mutex
	cancelTimer func() bool
}

// once makes one request to a host, when the rate allows. The caller ends the timer after reading the answer.
func (c *Client) once(ctx context.Context, host string, request func(ctx context.Context) error) (*idleTimer, error) {
	if err := c.waitTurn(ctx, host); err != nil {
		return nil, err
	}
	ctx, w := c.withIdleTimer(ctx, host)
	if err := request(ctx); err != nil {
		w.end()
		return nil, w.cause(err)
	}
	w.stop()
	return w, nil
}

// withIdleTimer returns a context for a request, with a running timer.
func (c *Client) withIdleTimer(ctx context.Context, host string) (context.Context, *idleTimer) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &idleTimer{client: c, host: host, ctx: ctx, cancel: cancel}
	w.start()
	return ctx, w
}

// start starts the timer again.
func (w *idleTimer) start() {
	w.stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	limit := w.client.idle(w.host)
	w.cancelTimer = w.client.clock.after(limit, func() { w.cancel(errIdle(limit)) })
}

// stop stops the timer.
func (w *idleTimer) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancelTimer != nil {
		w.cancelTimer()
		w.cancelTimer = nil
	}
}

// end ends the request.
func (w *idleTimer) end() {
	w.stop()
	w.cancel(nil)
}

// cause returns errIdle if the timer caused the error, else err.
func (w *idleTimer) cause(err error) error {
	var idle errIdle
	if err != nil && errors.As(context.Cause(w.ctx), &idle) {
		return idle
	}
	return err
}
