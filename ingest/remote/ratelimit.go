package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A host is the state of one server or one bucket. The client's mutex guards it.
type host struct {
	name    string
	next    time.Time // of the next request
	paused  time.Time // no request before this, as the server demands
	stopped error     // no more requests, for this reason
	failed  int       // failed requests in a row

	// Of requests that fail and may be tried again, since the last one that succeeded.
	failing time.Time // the first began then; zero: none failed
	told    time.Time // Options.Notify was last called then; zero: it was not called
	reason  string    // as it told
}

// Waits between tries double from the first to the longest.
const (
	firstWait   = time.Second
	longestWait = time.Minute
)

// remindAfter is the time between two messages that a host still does not answer.
const remindAfter = time.Minute

// maxFailed is how many requests in a row may fail at one host, each after all its tries, before the client sends no
// more.
const maxFailed = 10

// reaction is how the client reacts to a status.
type reaction struct {
	retry  bool // the request may be repeated
	pause  bool // no request to the host before that
	refuse bool // a later run may have permission; counts for maxFailed
	stop   bool // no more requests to the host
}

// reactions are the reactions to HTTP statuses, also of S3. Any other status makes the file fail.
var reactions = map[int]reaction{
	http.StatusForbidden:           {stop: true},
	http.StatusRequestTimeout:      {retry: true},
	http.StatusTooManyRequests:     {retry: true, pause: true},
	http.StatusInternalServerError: {retry: true},
	http.StatusBadGateway:          {retry: true},
	http.StatusServiceUnavailable:  {retry: true, pause: true},
	http.StatusGatewayTimeout:      {retry: true},
}

// refuseS3 is the reaction to status 403 of S3 with any other code, such as AccessDenied. The next object may be
// allowed.
var refuseS3 = reaction{refuse: true}

// reactionsS3 are the reactions to error codes of S3, whatever the status.
var reactionsS3 = map[string]reaction{
	noBucket:                       {stop: true},
	"PermanentRedirect":            {stop: true}, // the bucket is in another region
	"AuthorizationHeaderMalformed": {stop: true}, // the same
	"InvalidAccessKeyId":           {stop: true},
	"SignatureDoesNotMatch":        {stop: true},
	"ExpiredToken":                 {stop: true},
	"InvalidToken":                 {stop: true},
	"RequestTimeTooSkewed":         {stop: true},
	"SlowDown":                     {retry: true, pause: true},
	"ConditionalRequestConflict":   {retry: true}, // another process writes the same object
	"OperationAborted":             {retry: true},
	"RequestTimeout":               {retry: true},
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
	missing := r.status == http.StatusNotFound || r.status == http.StatusGone
	if missing && (r.code == "" || r.code == noKey) { // services have other codes, such as for an unknown user
		return fs.ErrNotExist
	}
	return nil
}

// A permanentError is an error that no retry can help.
type permanentError struct{ error }

func (f permanentError) Unwrap() error { return f.error }

func permanent(format string, args ...any) error { return permanentError{fmt.Errorf(format, args...)} }

// unavailable is an ErrUnavailable with its own text.
type unavailable struct{ error }

func (u unavailable) Unwrap() error { return u.error }

func (u unavailable) Is(target error) bool { return target == ErrUnavailable }

// notRequested is an ErrNotRequested with its own text.
type notRequested struct{ unavailable }

func (n notRequested) Is(target error) bool {
	return target == ErrNotRequested || n.unavailable.Is(target)
}

// notRequestedf returns the error of all further requests to a host.
func notRequestedf(format string, args ...any) error {
	return permanentError{notRequested{unavailable{fmt.Errorf(format, args...)}}}
}

// unavailablef returns an error that ends this run's tries, and wraps ErrUnavailable.
func unavailablef(format string, args ...any) error {
	return permanentError{unavailable{fmt.Errorf(format, args...)}}
}

// host returns the state of a host. The caller holds the mutex.
func (c *Client) host(name string) *host {
	h := c.hosts[name]
	if h == nil {
		h = &host{name: name}
		c.hosts[name] = h
	}
	return h
}

// waitTurn waits until the rate allows the next request to a host. All callers share the rate.
func (c *Client) waitTurn(ctx context.Context, name string) error {
	turn := time.Time{}
	for {
		wait, err := c.turn(name, &turn)
		if err != nil {
			return err
		}
		if err := c.clock.sleep(ctx, min(wait, remindAfter)); err != nil {
			return err
		}
		if wait <= 0 {
			return nil
		}
		c.remind(name)
	}
}

// turn reserves the time of a request in *turn, if that is zero, and returns the wait until then.
func (c *Client) turn(name string, turn *time.Time) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, now := c.host(name), c.clock.now()
	if h.stopped != nil {
		return 0, h.stopped
	}
	if wait := h.paused.Sub(now); wait > 0 {
		*turn = time.Time{} // it would be over by then
		if wait > c.opts.MaxWait {
			return 0, unavailablef("%s asks for no request before %s, which is longer than is waited here (%v)", name,
				h.paused.UTC().Format(time.RFC3339), c.opts.MaxWait)
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

// succeeded records a successful request to a host.
func (c *Client) succeeded(name string) {
	c.mu.Lock()
	h := c.host(name)
	back := !h.told.IsZero()
	h.failed, h.failing, h.told = 0, time.Time{}, time.Time{}
	c.mu.Unlock()
	if back {
		c.opts.Notify(name + " answers again")
	}
}

// attempts are the failed requests for one thing since the last success.
type attempts struct {
	failures int
	since    time.Time // the first one began
}

// left returns how long the client keeps trying, and why not longer.
func (c *Client) left(a *attempts) (left time.Duration, why string) {
	if c.opts.GiveUp > 0 {
		return c.opts.GiveUp - c.clock.now().Sub(a.since), fmt.Sprintf("given up after %v", c.opts.GiveUp)
	}
	if a.failures >= c.opts.Tries {
		return 0, fmt.Sprintf("given up after %d tries", a.failures)
	}
	return math.MaxInt64, ""
}

// notifyAway reports that a host does not answer: when a request has failed twice or is to wait long, and then each
// minute. reason says how long the client waits.
func (c *Client) notifyAway(name string, a *attempts, wait, left time.Duration, err error) {
	if c.opts.Notify == nil || a.failures < 2 && wait < remindAfter {
		return
	}
	reason := fmt.Sprintf("%s, %d of %d tries are left: %v", name, c.opts.Tries-a.failures, c.opts.Tries, err)
	if c.opts.GiveUp > 0 {
		reason = fmt.Sprintf("%s, for %v at most: %v", name, left.Round(time.Second), err)
	}
	c.mu.Lock()
	h := c.host(name)
	h.reason = reason
	first := h.told.IsZero()
	if first {
		h.told = c.clock.now()
	}
	c.mu.Unlock()
	if first {
		c.opts.Notify("waiting for " + reason)
	} else {
		c.remind(name)
	}
}

// remind reports that a host still does not answer, if the last message is a minute old.
func (c *Client) remind(name string) {
	c.mu.Lock()
	h, now := c.host(name), c.clock.now()
	due := !h.told.IsZero() && now.Sub(h.told) >= remindAfter
	if due {
		h.told = now
	}
	reason := h.reason
	c.mu.Unlock()
	if due {
		c.opts.Notify("still waiting for " + reason)
	}
}

// fails records that a request to a host failed which may be tried again.
func (c *Client) fails(name string, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.host(name); h.failing.IsZero() {
		h.failing = since
	}
}

// idle returns how long a server may send next to nothing. While its requests fail, what is left of GiveUp is a limit
// too.
func (c *Client) idle(name string) time.Duration {
	if c.opts.GiveUp == 0 {
		return c.opts.Idle
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.opts.GiveUp
	if h := c.host(name); !h.failing.IsZero() {
		left = max(left-c.clock.now().Sub(h.failing), firstWait)
	}
	return min(c.opts.Idle, left)
}

// handleError waits as the error requires, and returns nil if the request may be tried again.
func (c *Client) handleError(ctx context.Context, at location, err error, tried *attempts) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	do, after, host := reaction{retry: isTransient(err)}, "", at.host
	var no *refusal
	if errors.As(err, &no) {
		do, after, host = reactions[no.status], no.after, no.host
		if named, ok := reactionsS3[no.code]; ok {
			do = named
		} else if at.bucket != "" && no.status == http.StatusForbidden {
			do = refuseS3
		}
	}
	if tried.failures++; tried.since.IsZero() {
		tried.since = c.clock.now()
	}
	switch {
	case do.stop:
		return c.stop(host, err)
	case do.refuse && c.opts.Own:
		return fmt.Errorf("%w; check the name, and that the credentials may read, list, write and delete there", err)
	case do.refuse:
		return c.giveUp(host, fmt.Errorf("%w; check the name, and that the credentials may read it", err))
	case !do.retry:
		return err
	}
	wait, known := retryAfter(after, c.clock.now())
	if !known {
		wait = c.backoff(tried.failures)
	}
	left, why := c.left(tried)
	if left <= 0 || known && wait > left {
		return c.giveUp(host, fmt.Errorf("%w (%s)", err, why))
	}
	wait = min(wait, left)
	c.fails(host, tried.since)
	c.notifyAway(host, tried, wait, left, err)
	if do.pause || known {
		c.pauseHost(host, wait) // waitTurn waits
		return nil
	}
	return c.clock.sleep(ctx, wait)
}

// backoff returns the wait after so many errors. Half of it is random, so that workers that failed together do not
// retry together.
func (c *Client) backoff(failures int) time.Duration {
	wait := min(firstWait<<min(failures-1, 20), longestWait)
	jitter := rand.Float64
	if c.opts.jitter != nil {
		jitter = c.opts.jitter
	}
	return min(wait/2+time.Duration(jitter()*float64(wait/2)), c.opts.MaxWait)
}

// pauseHost delays all requests to a host.
func (c *Client) pauseHost(name string, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(name)
	if until := c.clock.now().Add(wait); until.After(h.paused) {
		h.paused = until
	}
}

// stop ends all requests to a host, after an answer that every request would get. The other users of the client get a
// short error, because it may be written for each of many files.
func (c *Client) stop(name string, err error) error {
	if c.opts.Own {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.host(name); h.stopped == nil {
		h.stopped = notRequestedf("nothing more is asked of %s in this run, since it refused another file", name)
	}
	advice := "check its name and region, and the credentials"
	if !strings.HasPrefix(name, "s3://") {
		advice = "Common Crawl answers so to clients that it has blocked for asking too fast: wait some hours, then " +
			"start again with a lower --rate and an address in --contact. Other servers answer so where a file is " +
			"not public"
	}
	return unavailablef("%w; nothing more is asked of %s in this run: %s", err, name, advice)
}

// giveUp counts a failed request, and ends all requests to the host after maxFailed.
func (c *Client) giveUp(name string, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(name)
	h.failed++
	if h.failed >= maxFailed && h.stopped == nil && !c.opts.Own {
		h.stopped = notRequestedf("nothing more is asked of %s in this run, since %d requests in a row failed there; "+
			"the last: %v", name, h.failed, err)
	}
	return unavailablef("%w", err)
}

// isTransient reports whether a retry can help after an error without a response: after failed or broken connections,
// not after wrong certificates and unknown host names.
func isTransient(err error) bool {
	var wrong permanentError
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

// retryAfter reads the header field Retry-After: seconds, or a date. A past date means no wait.
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
