// Package remote reads files on other machines, over https:// and from s3://. It keeps to the rates that public
// archives ask for (docs/remote.md), resumes broken transfers, and detects a file that changed. It also writes whole
// objects to S3. It does not know what the bytes mean.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Options of a client. The zero value is good.
type Options struct {
	// UserAgent is what the client calls itself; "" means DefaultUserAgent.
	UserAgent string
	// Contact is added to UserAgent: an address or a page where the server's operator can reach the user of the
	// program.
	Contact string
	// Rate limits the requests a second to one host, of all users of the client together; 0 means DefaultRate.
	Rate float64
	// Tries is the most requests for one thing; 0 means DefaultTries. With GiveUp it does not count.
	Tries int
	// GiveUp is how long one thing is requested again and again; 0 means until Tries.
	GiveUp time.Duration
	// Notify is called with a sentence when a host has failed twice, then each minute, and when it answers again. It
	// may be nil.
	Notify func(sentence string)
	// MaxWait is the longest wait between two tries; 0 means DefaultMaxWait. If a host demands a longer wait, the
	// request fails.
	MaxWait time.Duration
	// Idle is how long a server may send next to nothing before the transfer counts as broken; 0 means DefaultIdle.
	Idle time.Duration
	// MaxBytes limits the length of a file; 0 means DefaultMaxBytes.
	MaxBytes int64
	// PlainHTTP allows http:// to other machines. Without it http:// reaches this machine only, because anyone on the
	// way could change the bytes.
	PlainHTTP bool
	// Own means that the files belong to the user of the program: there is no default rate, and a refusal has another
	// message.
	Own bool
	// S3 says how s3:// is reached.
	S3 S3Options

	clock  clock          // nil: the one of the machine
	jitter func() float64 // nil: a random number of [0, 1)
}

// S3Options configure access to s3://. The zero value uses the credentials that the AWS tools would use, or none.
type S3Options struct {
	Anonymous bool   // use no credentials, whatever is configured
	Profile   string // of the shared AWS configuration; "" is its default
	Endpoint  string // URL of another service than that of AWS; buckets are then part of the path
	Region    string // "" is the configured one, else DefaultRegion
}

// Defaults of Options.
const (
	DefaultUserAgent = "acapscan (+https://github.com/acapscan/acapscan)"
	// DefaultRate is what Common Crawl calls polite (https://status.commoncrawl.org: "no more than once per second").
	// Ten downloads at a time, as fast as they go, have been blocked after five minutes of its small robotstxt files
	// (https://github.com/commoncrawl/cc-downloader/issues/29).
	DefaultRate     = 1.0
	DefaultTries    = 10
	DefaultMaxWait  = 5 * time.Minute
	DefaultIdle     = time.Minute
	DefaultMaxBytes = 1 << 40
	DefaultRegion   = "us-east-1" // where Common Crawl's bucket is
)

// ErrChanged means that a file changed after its first bytes were read. Discard what was read, and call Open again.
var ErrChanged = errors.New("the file was changed on the server while it was read")

// ErrEnds means that a file ends before the end of a requested range. Broken transfers have other errors.
var ErrEnds = fmt.Errorf("the file ends there: %w", io.ErrUnexpectedEOF)

// ErrUnavailable means that a later run may be able to read the file: the host demands a longer wait than
// Options.MaxWait, forbids access, or failed at every try.
var ErrUnavailable = errors.New("not available now")

// ErrNotRequested means that the host was left alone after errors about other files, so that this file was not
// requested. It is also ErrUnavailable.
var ErrNotRequested = errors.New("not requested")

// A Client reads files on other machines. It is safe for concurrent use; all users share its rate limits.
type Client struct {
	opts  Options
	clock clock
	web   *web
	s3    *s3Service

	mu    sync.Mutex
	hosts map[string]*host
}

// New returns a client. Object returns the error of invalid options; Options.Check returns it earlier.
func New(opts Options) *Client {
	if opts.UserAgent == "" {
		opts.UserAgent = DefaultUserAgent
	}
	if opts.Contact != "" {
		opts.UserAgent = withContact(opts.UserAgent, opts.Contact)
	}
	switch {
	case opts.Rate == 0 && opts.Own:
		opts.Rate = maxRate
	case opts.Rate == 0:
		opts.Rate = DefaultRate
	}
	if opts.Tries == 0 {
		opts.Tries = DefaultTries
	}
	if opts.MaxWait == 0 {
		opts.MaxWait = DefaultMaxWait
	}
	if opts.Idle == 0 {
		opts.Idle = DefaultIdle
	}
	if opts.GiveUp > 0 {
		opts.Idle = min(opts.Idle, opts.GiveUp)
	}
	if opts.MaxBytes == 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	c := &Client{opts: opts, clock: opts.clock, hosts: map[string]*host{}}
	if c.clock == nil {
		c.clock = machineClock{}
	}
	transport := newTransport(opts.UserAgent)
	c.web = &web{client: c, http: &http.Client{Transport: transport, CheckRedirect: noRedirect}}
	c.s3 = &s3Service{client: c, http: &http.Client{Transport: transport, CheckRedirect: noRedirect}}
	return c
}

// withContact puts a contact into the comment of a user agent.
func withContact(agent, contact string) string {
	if within, ok := strings.CutSuffix(agent, ")"); ok {
		return within + "; " + contact + ")"
	}
	return agent + " (" + contact + ")"
}

// noRedirect returns redirects to the caller, which knows the rate limits.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// maxRate is the highest Rate, in requests a second.
const maxRate = 1e6

// maxContact is the length limit of a contact, in bytes.
const maxContact = 200

// Check returns an error for an invalid option.
func (o Options) Check() error {
	switch {
	case !(o.Rate >= 0) || o.Rate > maxRate:
		return fmt.Errorf("a rate of %v requests a second makes no sense", o.Rate)
	case o.Rate > 0 && o.Rate < 1e-5:
		return fmt.Errorf("a rate of %v requests a second is less than one a day", o.Rate)
	case o.Tries < 0 || o.GiveUp < 0 || o.MaxWait < 0 || o.Idle < 0 || o.MaxBytes < 0:
		return errors.New("tries, waits and lengths cannot be negative")
	case len(o.Contact) > maxContact || strings.ContainsFunc(o.Contact, func(r rune) bool {
		return r < ' ' || r > '~' ||
			strings.ContainsRune(`()\`, r)
	}):
		return fmt.Errorf("the contact %q does not fit into a header field: it is at most %d characters of ASCII, "+
			"without brackets", o.Contact, maxContact)
	case o.S3.Anonymous && o.S3.Profile != "":
		return errors.New("S3 is either asked anonymously or with a profile")
	}
	if o.S3.Endpoint != "" {
		u, err := url.Parse(o.S3.Endpoint)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
			return fmt.Errorf("the S3 endpoint %q is no URL such as https://storage.example.org", o.S3.Endpoint)
		}
		if err := o.allowed(u); err != nil {
			return fmt.Errorf("the S3 endpoint %w", err)
		}
	}
	return nil
}

// A service sends requests for one scheme, each once, through Client.once. It does not wait or retry.
type service interface {
	// get requests the bytes of a query.
	get(ctx context.Context, at location, q query) (*answer, error)
	// head requests a version only.
	head(ctx context.Context, at location) (version, error)
}

// A query is a range of a file.
type query struct {
	from int64
	to   int64   // the first byte after the range; -1: the end of the file
	of   version // if known, the file must have this version
}

// whole reports whether the query is for the whole file.
func (q query) whole() bool { return q.from == 0 && q.to < 0 }

// rangeHeader is the value of the header field Range.
func (q query) rangeHeader() string {
	if q.to < 0 {
		return fmt.Sprintf("bytes=%d-", q.from)
	}
	return fmt.Sprintf("bytes=%d-%d", q.from, q.to-1)
}

// An answer has bytes of a file. The caller must check whether they are the requested ones.
type answer struct {
	body    io.ReadCloser
	idle    *idleTimer // ends with the body
	from    int64      // offset of its first byte
	length  int64      // -1: unknown
	version version
}

// A version identifies one state of a file.
type version struct {
	etag     string // as sent; weak tags begin with W/
	modified string // Last-Modified, as sent
	size     int64  // -1: unknown
}

func (v version) known() bool { return v != version{} }

// validator is the value of If-Range: a strong entity tag, else a date, else "" (RFC 9110, 13.1.5).
func (v version) validator() string {
	if v.etag != "" && !strings.HasPrefix(v.etag, "W/") {
		return v.etag
	}
	return v.modified
}

// contradicts reports whether two answers cannot be of the same state of the file.
func (v version) contradicts(w version) bool {
	if !v.known() || !w.known() {
		return false
	}
	switch {
	case v.size >= 0 && w.size >= 0 && v.size != w.size:
		return true
	case v.etag != "" && w.etag != "":
		return strings.TrimPrefix(v.etag, "W/") != strings.TrimPrefix(w.etag, "W/")
	}
	return v.modified != "" && w.modified != "" && v.modified != w.modified
}
