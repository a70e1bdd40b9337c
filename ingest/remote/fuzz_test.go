package remote

import "testing"

// What a server writes into its header is hostile: whatever it is, lengths and waits stay within what can be counted.
func FuzzHeader(f *testing.F) {
	for _, seed := range []string{
		"bytes 0-99/100", "bytes 50-99/*", "bytes */100", "bytes 0-9223372036854775807/*", "bytes 9-1/100",
		"bytes 0--1/5", "bytes +1-2/3", "bytes 0-99/99",
		"120", "-5", "99999999999999999999", "Sat, 21 Nov 2026 12:01:30 GMT", "Mon, 01 Jan 0001 00:00:00 GMT",
		"Fri, 31 Dec 9999 23:59:59 GMT",
		"gzip", "x-gzip, br", "text\x1b[31m\r\nred", "\xff\xfe", "",
	} {
		f.Add(seed)
	}
	now := newClock().now()
	f.Fuzz(func(t *testing.T, value string) {
		if from, to, size, err := contentRange(value); err == nil &&
			(from < 0 || to <= from || size >= 0 && to > size ||
				size < -1) {
			t.Errorf("the part from %d to %d of %d", from, to, size)
		}
		if wait, ok := retryAfter(value, now); wait < 0 || !ok && wait != 0 {
			t.Errorf("a wait of %v", wait)
		}
		for _, r := range printable([]byte(value)) {
			if r < ' ' || r >= 0x7F && r < 0xA0 {
				t.Errorf("a control character %q", r)
			}
		}
		if v := (version{etag: value, modified: value, size: int64(len(value))}); v.contradicts(v) {
			t.Error("a version contradicts itself")
		}
	})
}

func FuzzName(f *testing.F) {
	for _, seed := range []string{"https://example.org/x", "http://[::1%25eth0]:80/x", "s3://bucket/key", "s3://b/",
		"https://u:p@h/", "http://localhost.", "HTTPS://[", "s3://../..", "http://0x7f.1/x"} {
		f.Add(seed)
	}
	c := New(Options{})
	f.Fuzz(func(t *testing.T, name string) {
		at, err := c.locate(name)
		if err != nil {
			return
		}
		switch {
		case !IsRemote(name):
			t.Error("a name that is not remote is taken")
		case at.host == "", (at.url == nil) == (at.bucket == ""):
			t.Errorf("no one to ask: %+v", at)
		case at.url != nil && at.url.User != nil:
			t.Error("a password is taken")
		case at.url != nil && at.url.Scheme == "http" && !isLoopback(at.url.Hostname()):
			t.Errorf("%s is another machine", at.url.Hostname())
		}
	})
}
