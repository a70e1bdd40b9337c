package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A host is what is known of one server, or of one bucket. Its fields are guarded by the mutex of the client.
type host struct {
	name    string
	next    time.Time // when the next request may be made
	hold    time.Time // before this nothing is asked, as the server wants it
	stopped error     // nothing is asked any more
	failed  int       // how many things were given up in a row
}

// Waits between tries double from the first to the longest.
const (
	firstWait   = time.Second
	longestWait = time.Minute
)

// maxFailed is how many things in a row may be given up at one host, each after all its tries, before the host is.
const maxFailed = 10

// reaction is what a status asks for.
type reaction struct {
	again bool // the request may be made again later
	hold  bool // until then no other is made, either
	stop  bool // none is made any more
}

// reactions are by HTTP status, those of S3 included. Statuses that are not here end the file.
var reactions = map[int]reaction{
	http.StatusForbidden:           {stop: true},
	http.StatusRequestTimeout:      {again: true},
	http.StatusTooManyRequests:     {again: true, hold: true},
	http.StatusInternalServerError: {again: true},
	http.StatusBadGateway:          {again: true},
	http.StatusServiceUnavailable:  {again: true, hold: true},
	http.StatusGatewayTimeout:      {again: true},
}

// reactionsS3 are by what S3 calls an error, whatever its status.
var reactionsS3 = map[string]reaction{
	"SlowDown":                   {again: true, hold: true},
	"ConditionalRequestConflict": {again: true}, // somebody is writing the same object
	"OperationAborted":           {again: true},
	"RequestTimeout":             {again: true},
}

// A refusal is an answer that is no file.
type refusal struct {
	name   string // of the file
	host   string // that answered
	status int
	code   string // of S3, as SlowDown
	detail string // what else the server said
	after  string // Retry-After, as sent
}

func (r *refusal) Error() string {
	s := fmt.Sprintf("%s: the server answered %d", r.name, r.status)
	if text := http.StatusText(r.status); text != "" {
		s += " " + text
	}
	if r.code != "" {
		s += " (" + r.code + ")"
	}
	if r.detail != "" {
		s += ": " + r.detail
	}
	return s
}

func (r *refusal) Unwrap() error {
	if r.status == http.StatusNotFound || r.status == http.StatusGone {
		return fs.ErrNotExist
	}
	return nil
}

// A fault is something wrong with an answer that no second try will mend.
type fault struct{ error }

func (f fault) Unwrap() error { return f.error }

func faultf(format string, args ...any) error { return fault{fmt.Errorf(format, args...)} }

// unavailable is a fault that may be gone another time: ErrUnavailable, with words of its own.
type unavailable struct{ error }

func (u unavailable) Unwrap() error { return u.error }

func (u unavailable) Is(target error) bool { return target == ErrUnavailable }

// later is faultf for what may be gone another time.
func later(format string, args ...any) error { return fault{unavailable{fmt.Errorf(format, args...)}} }

// host returns what is known of a host. The caller has the mutex.
func (c *Client) host(name string) *host {
	h := c.hosts[name]
	if h == nil {
		h = &host{name: name}
		c.hosts[name] = h
	}
	return h
}

// enter waits until the rate allows the next request to a host. All callers share the rate.
func (c *Client) enter(ctx context.Context, name string) error {
	turn := time.Time{}
	for {
		wait, err := c.turn(name, &turn)
		if err != nil {
			return err
		}
		if err := c.clock.sleep(ctx, wait); err != nil {
			return err
		}
		if wait <= 0 {
			return nil
		}
	}
}

// turn takes a turn, if none was taken yet, and returns how long it is until then.
func (c *Client) turn(name string, turn *time.Time) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, now := c.host(name), c.clock.now()
	if h.stopped != nil {
		return 0, h.stopped
	}
	if wait := h.hold.Sub(now); wait > 0 {
		*turn = time.Time{} // it would be gone by then
		if wait > c.opts.MaxWait {
			return 0, later("%s asks for no request before %s, which is longer than is waited here (%v)", name,
				h.hold.UTC().Format(time.RFC3339), c.opts.MaxWait)
		}
		return wait, nil
	}
	if turn.IsZero() {
		*turn = now
		if h.next.After(now) {
			*turn = h.next
		}
		h.next = turn.Add(time.Duration(float64(time.Second) / c.opts.Rate))
	}
	return turn.Sub(now), nil
}

// wentWell notes that a host gave what was asked for.
func (c *Client) wentWell(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.host(name).failed = 0
}

// react waits as long as an error asks for, and returns nil if the same may be asked again. failures counts the errors
// since it went well.
func (c *Client) react(ctx context.Context, at location, err error, failures *int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	do, after, host := reaction{again: isPassing(err)}, "", at.host
	var no *refusal
	if errors.As(err, &no) {
		do, after, host = reactions[no.status], no.after, no.host
		if named, ok := reactionsS3[no.code]; ok {
			do = named
		}
	}
	*failures++
	switch {
	case do.stop:
		return c.stop(host, err)
	case !do.again:
		return err
	case *failures >= c.opts.Tries:
		return c.giveUp(host, fmt.Errorf("%w (given up after %d tries)", err, *failures))
	}
	wait, told := retryAfter(after, c.clock.now())
	if !told {
		wait = c.backoff(*failures)
	}
	if do.hold || told {
		c.holdHost(host, wait) // enter waits
		return nil
	}
	return c.clock.sleep(ctx, wait)
}

// backoff is how long is waited after so many errors: half of it is chance, so that workers that failed together do not
// come again together.
func (c *Client) backoff(failures int) time.Duration {
	wait := min(firstWait<<min(failures-1, 20), longestWait)
	jitter := rand.Float64
	if c.opts.jitter != nil {
		jitter = c.opts.jitter
	}
	return min(wait/2+time.Duration(jitter()*float64(wait/2)), c.opts.MaxWait)
}

// holdHost keeps all requests from a host for a while.
func (c *Client) holdHost(name string, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(name)
	if until := c.clock.now().Add(wait); until.After(h.hold) {
		h.hold = until
	}
}

// stop ends all work on a host that forbids it.
func (c *Client) stop(name string, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(name)
	if c.opts.Own {
		return fmt.Errorf("%w; see that the name is right, and that the credentials may read, list, write and delete there",
			err)
	}
	if h.stopped == nil {
		h.stopped = later("nothing more is asked of %s in this run, since it answered 403 Forbidden. Common Crawl answers "+
			"so to clients "+
			"that it has blocked for asking too fast: wait some hours, then start again with a lower --rate and an address in "+
			"--contact. "+
			"Other servers answer so where a file is not public: see that the name is right, and for s3:// the credentials",
			name)
	}
	return later("%w; %w", err, h.stopped)
}

// giveUp notes that something was given up at a host, and gives up the host after many.
func (c *Client) giveUp(name string, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(name)
	h.failed++
	if h.failed >= maxFailed && h.stopped == nil {
		h.stopped = later("nothing more is asked of %s in this run, since %d requests in a row failed there, each tried %d "+
			"times; the last: %v",
			name, h.failed, c.opts.Tries, err)
	}
	return later("%w", err)
}

// isPassing tells whether a retry may mend an error without a response: yes for connections that fail or break, no for
// wrong certificates and unknown host names.
func isPassing(err error) bool {
	var wrong fault
	var certificate *tls.CertificateVerificationError
	var name *net.DNSError
	switch {
	case errors.As(err, &wrong), errors.As(err, &certificate), errors.Is(err, ErrChanged):
		return false
	case errors.As(err, &name):
		return !name.IsNotFound
	}
	return true
}

// retryAfter reads the header field Retry-After: seconds, or a date. A date that has gone by is no wait.
func retryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		if seconds < 0 {
			return 0, false
		}
		return time.Duration(min(seconds, 1e9)) * time.Second, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0), true
	}
	return 0, false
}
