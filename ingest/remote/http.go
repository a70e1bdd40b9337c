package remote

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// maxRedirects limits the redirects of one request.
const maxRedirects = 5

// newTransport returns the transport of the client. Only connecting has time limits; an idleTimer limits the rest.
func newTransport(agent string) http.RoundTripper {
	return &withAgent{agent: agent, next: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    30 * time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // the bytes must stay as they are
	}}
}

// withAgent sets User-Agent.
type withAgent struct {
	agent string
	next  http.RoundTripper
}

func (t *withAgent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", t.agent)
	return t.next.RoundTrip(r)
}

// web is the service of https://, and of http:// if allowed.
type web struct {
	client *Client
	http   *http.Client
}

func (s *web) get(ctx context.Context, at location, q query) (*answer, error) {
	header := http.Header{}
	if !q.whole() {
		header.Set("Range", q.rangeHeader())
		if v := q.of.validator(); v != "" {
			header.Set("If-Range", v)
		}
	}
	resp, idle, err := s.do(ctx, at, http.MethodGet, header)
	if err != nil {
		return nil, err
	}
	a, err := answerOf(at, q, resp)
	if err != nil {
		resp.Body.Close()
		idle.end()
		return nil, err
	}
	a.body, a.idle = resp.Body, idle
	return a, nil
}

func (s *web) head(ctx context.Context, at location) (version, error) {
	resp, idle, err := s.do(ctx, at, http.MethodHead, http.Header{})
	if err != nil {
		return version{}, err
	}
	defer idle.end()
	resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		if err := checkCoding(at.url.Path, resp.Header.Get("Content-Encoding")); err != nil {
			return version{}, err
		}
		return versionOf(resp.Header, resp.ContentLength), nil
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return version{size: -1}, nil // the server answers only GET
	}
	return version{}, permanent("the server answered %d, which says nothing of the file", resp.StatusCode)
}

// do makes a request and follows redirects. The caller must check the response; a refusal is an error.
func (s *web) do(ctx context.Context, at location, method string, header http.Header) (*http.Response, *idleTimer,
	error) {
	u := at.url
	header.Set("Accept-Encoding", "identity")
	for range maxRedirects + 1 {
		var resp *http.Response
		idle, err := s.client.once(ctx, u.Host, func(ctx context.Context) error {
			req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
			if err != nil {
				return permanentError{err}
			}
			req.Header = header
			resp, err = s.http.Do(req)
			return unwrapURL(err)
		})
		if err != nil {
			return nil, nil, err
		}
		if resp.StatusCode < 300 || isAnswer(method, resp.StatusCode) {
			s.client.succeeded(u.Host)
			return resp, idle, nil
		}
		idle.start() // the body of a refusal has a time limit, too
		next, err := s.redirected(u, resp)
		if next == nil && err == nil {
			err = refusalOf(at, u.Host, resp)
		}
		resp.Body.Close()
		idle.end()
		if err != nil {
			return nil, nil, err
		}
		u = next
	}
	return nil, nil, permanent("the server redirects more than %d times", maxRedirects)
}

// isAnswer reports whether a status above 299 says something about the file.
func isAnswer(method string, status int) bool {
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		return method == http.MethodGet
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return method == http.MethodHead
	}
	return false
}

// redirected returns the target of a redirect, or nil if the response is none.
func (s *web) redirected(from *url.URL, resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	to, err := resp.Location()
	switch {
	case err != nil:
		return nil, permanent("the server redirects, and says to no URL")
	case to.Scheme != "https" && to.Scheme != "http" || to.Host == "":
		return nil, permanent("the server redirects to %s, which is neither https:// nor http://", to.Redacted())
	case from.Scheme == "https" && to.Scheme != "https":
		return nil, permanent("the server redirects from https:// to %s, which is not protected on its way",
			to.Redacted())
	}
	to.User, to.Fragment, to.Host = nil, "", plainHost(to)
	return to, s.client.opts.allowed(to)
}

// unwrapURL removes the URL from an error of package http, since callers add the name.
func unwrapURL(err error) error {
	if wrapped, ok := err.(*url.Error); ok {
		return wrapped.Err
	}
	return err
}

// maxDetail bounds how much of the body of a refusal an error quotes, in bytes.
const maxDetail = 200

// refusalOf returns the error of a response that is no file.
func refusalOf(at location, host string, resp *http.Response) *refusal {
	no := &refusal{name: at.name, host: host, status: resp.StatusCode, after: resp.Header.Get("Retry-After")}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		// Common Crawl writes here how it can be reached.
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		no.detail = printable(text)
	}
	return no
}

// printable makes text from a server one short line.
func printable(text []byte) string {
	text = bytes.ToValidUTF8(text, nil)
	line := strings.Join(strings.FieldsFunc(string(text), func(r rune) bool {
		return r <= ' ' || r == 0x7F || r >= 0x80 &&
			r < 0xA0
	}), " ")
	if len(line) > maxDetail {
		line = strings.ToValidUTF8(line[:maxDetail], "") + "…"
	}
	return line
}

// answerOf reads the header of a response to a query.
func answerOf(at location, q query, resp *http.Response) (*answer, error) {
	switch resp.StatusCode {
	case http.StatusOK:
		if err := checkCoding(at.url.Path, resp.Header.Get("Content-Encoding")); err != nil {
			return nil, err
		}
		return &answer{length: resp.ContentLength, version: versionOf(resp.Header, resp.ContentLength)}, nil
	case http.StatusPartialContent:
		if err := checkCoding(at.url.Path, resp.Header.Get("Content-Encoding")); err != nil {
			return nil, err
		}
		from, to, size, err := contentRange(resp.Header.Get("Content-Range"))
		switch {
		case err != nil:
			return nil, permanentError{err}
		case q.whole():
			return nil, permanent("the server sent a part of the file, and the whole was asked for")
		case from != q.from:
			return nil, permanent("byte %d was asked for, and the server sent from byte %d on", q.from, from)
		case q.to >= 0 && to > q.to:
			return nil, permanent("the server sent up to byte %d, and up to byte %d was asked for", to, q.to)
		case resp.ContentLength >= 0 && resp.ContentLength != to-from:
			return nil, permanent("the server sent %d bytes as bytes %d to %d", resp.ContentLength, from, to)
		}
		return &answer{from: from, length: to - from, version: versionOf(resp.Header, size)}, nil
	case http.StatusRequestedRangeNotSatisfiable:
		size, err := strconv.ParseInt(strings.TrimPrefix(resp.Header.Get("Content-Range"), "bytes */"), 10, 64)
		if err != nil || size < 0 || q.from < size {
			return nil, permanent("the server says that there is nothing at byte %d, and not how long the file is",
				q.from)
		}
		return &answer{from: q.from, length: -1, version: versionOf(resp.Header, size)}, nil
	}
	return nil, permanent("the server answered %d, which is no file", resp.StatusCode)
}

func versionOf(h http.Header, size int64) version {
	return version{etag: h.Get("ETag"), modified: h.Get("Last-Modified"), size: size}
}

// contentRange reads the header field Content-Range. to is the offset after the last byte; size is -1 if the server
// writes an asterisk.
func contentRange(value string) (from, to, size int64, err error) {
	bad := fmt.Errorf("the server sent a part of the file, and Content-Range %q does not say which", value)
	rest, ok := strings.CutPrefix(value, "bytes ")
	span, total, ok2 := strings.Cut(rest, "/")
	first, last, ok3 := strings.Cut(span, "-")
	if !ok || !ok2 || !ok3 {
		return 0, 0, 0, bad
	}
	from, err1 := strconv.ParseInt(first, 10, 64)
	to, err2 := strconv.ParseInt(last, 10, 64)
	if size = -1; total != "*" {
		var err3 error
		if size, err3 = strconv.ParseInt(total, 10, 64); err3 != nil || size <= to {
			return 0, 0, 0, bad
		}
	}
	if err1 != nil || err2 != nil || from < 0 || to < from || to+1 < 0 {
		return 0, 0, 0, bad
	}
	return from, to + 1, size, nil
}

// checkCoding returns an error if the server compressed the file for the transfer: offsets would be wrong. Servers also
// declare gzip for a file that is itself gzip; the file's name decides.
func checkCoding(name, coding string) error {
	switch strings.ToLower(strings.TrimSpace(coding)) {
	case "", "identity", "aws-chunked":
		return nil
	case "gzip", "x-gzip":
		if ext := strings.ToLower(path.Ext(name)); ext == ".gz" || ext == ".tgz" {
			return nil
		}
	}
	return permanent("the server sends the file in the coding %q, although it was asked for it as it is", coding)
}
