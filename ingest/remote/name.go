package remote

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// schemes are the beginnings of names of files on other machines.
var schemes = []string{"https://", "http://", "s3://"}

// maxName is the length limit of a name, in bytes.
const maxName = 8 << 10

// IsRemote reports whether a name is a URL that a Client can read, and not a path. The scheme may be in any case.
func IsRemote(name string) bool {
	for _, scheme := range schemes {
		if len(name) >= len(scheme) && strings.EqualFold(name[:len(scheme)], scheme) {
			return true
		}
	}
	return false
}

// A location is where a file is.
type location struct {
	name string // as given
	host string // of the rate limit: a host, or a bucket

	url         *url.URL // of https and http
	bucket, key string   // of s3
}

// locate reads a name.
func (c *Client) locate(name string) (location, error) {
	if len(name) > maxName {
		return location{}, fmt.Errorf("a name of %d bytes is longer than %d", len(name), maxName)
	}
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok || !IsRemote(name) {
		return location{}, fmt.Errorf("%q begins with none of %s", name, strings.Join(schemes, ", "))
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		return location{}, fmt.Errorf("%q has control characters", name)
	}
	if strings.EqualFold(scheme, "s3") {
		return locateS3(name, rest)
	}
	u, err := url.Parse(name)
	switch {
	case err != nil:
		return location{}, fmt.Errorf("%q is no URL: %w", name, errors.Unwrap(err))
	case u.Hostname() == "":
		return location{}, fmt.Errorf("%q names no host", name)
	case u.User != nil:
		return location{}, fmt.Errorf("the URL of a file at %s has a password or a user's name, and names of inputs "+
			"stand in the tables", u.Host)
	case u.Fragment != "" || strings.Contains(name, "#"):
		return location{}, fmt.Errorf("%q has a fragment, which is no part of a file: a # in its name is written %%23",
			name)
	}
	if err := c.opts.allowed(u); err != nil {
		return location{}, err
	}
	u.Host = plainHost(u)
	return location{name: name, host: u.Host, url: u}, nil
}

// plainHost returns the host of a URL in lower case, with the port unless it is the scheme's. So one server has one
// name, and one rate.
func plainHost(u *url.URL) string {
	host, port := strings.ToLower(u.Host), u.Port()
	if port == "" || port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return host
}

// place returns the URL in a normal form.
func (at location) place() string {
	if at.url == nil {
		return "s3://" + at.bucket + "/" + at.key
	}
	place := at.url.Scheme + "://" + at.url.Host + cmp.Or(at.url.EscapedPath(), "/")
	if at.url.RawQuery != "" {
		place += "?" + at.url.RawQuery
	}
	return place
}

// allowed returns an error if the bytes of a URL would come unprotected from another machine.
func (o *Options) allowed(u *url.URL) error {
	switch {
	case strings.EqualFold(u.Scheme, "https"), o.PlainHTTP, isLoopback(u.Hostname()):
		return nil
	}
	return permanent("%s is not protected on its way: write https://, or allow it with --plain-http", u.Redacted())
}

// isLoopback reports whether a host is this machine.
func isLoopback(name string) bool {
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// locateS3 reads what follows s3://: a bucket, a slash, and a key as it is.
func locateS3(name, rest string) (location, error) {
	bucket, key, _ := strings.Cut(rest, "/")
	switch {
	case bucket == "" || len(bucket) > 255 || strings.ContainsFunc(bucket, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_", r))
	}):
		return location{}, fmt.Errorf("%q names no bucket", name)
	case key == "" || strings.HasSuffix(key, "/"):
		return location{}, fmt.Errorf("%q names no object of the bucket %s", name, bucket)
	}
	return location{name: name, host: "s3://" + bucket, bucket: bucket, key: key}, nil
}
