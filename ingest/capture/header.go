package capture

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/acapscan/acapscan/ingest/archive"
)

// readHeader reads an HTTP header from r.in into r.head and parses it. If the block has no header, found is false, and
// r.head holds the bytes that were read.
func (r *Reader) readHeader() (found bool, err error) {
	r.head = r.head[:0]
	if r.readPlainHeader() {
		return r.parseHeader(), nil
	}
	r.in.rest = nil // nothing of it was consumed
	lineStart, lines := 0, 0
	for {
		part, err := r.in.buf.ReadSlice('\n')
		r.head = append(r.head, part...)
		switch {
		case err == bufio.ErrBufferFull || err == nil && len(r.head) > r.opts.MaxHeader:
			if len(r.head) > r.opts.MaxHeader {
				r.note(HeaderTooLarge)
				r.tooLarge = true
				return r.parseHeader(), nil
			}
			continue
		case err != nil && err != io.EOF:
			if err := r.blockError(err); err != nil {
				return false, err
			}
		}
		line := trimLineEnd(r.head[lineStart:])
		lineStart = len(r.head)
		if err == nil && len(line) == 0 && lines == 0 && lineStart < maxLeadingBlank {
			continue // blank lines before the status line
		}
		if lines == 0 && !beginsHeader(line) {
			return false, nil
		}
		lines++
		if err != nil {
			r.note(HeaderEnd)
			return r.parseHeader(), nil
		}
		if len(line) == 0 {
			return r.parseHeader(), nil
		}
	}
}

// readPlainHeader reads the header into r.head at once if it is well-formed and entirely in memory, as nearly all
// are. Otherwise it reads nothing.
func (r *Reader) readPlainHeader() bool {
	b := r.in.peek(1)
	n := archive.PlainHeader(b, nil)
	if n == 0 || n > r.opts.MaxHeader {
		return false
	}
	if line, _ := cutLine(b); len(line) == 0 || !beginsHeader(line) {
		return false
	}
	r.head = append(r.head, b[:n]...)
	r.in.discard(n)
	return true
}

// maxLeadingBlank limits the blank lines before a header, in bytes.
const maxLeadingBlank = 16

// beginsHeader reports whether an HTTP header can begin with this line: a status line or, where that is missing, a
// field that servers send.
func beginsHeader(line []byte) bool {
	if hasFoldPrefix(line, "http/") || hasFoldPrefix(line, "http ") || hasFoldPrefix(line, "icy ") {
		return true
	}
	name, _, ok := bytes.Cut(line, []byte(":"))
	return ok && len(name) <= len(longestFirstField) && firstFields[strings.ToLower(string(name))]
}

// firstFields are the fields that can begin a header without a status line. Otherwise a robots.txt without any header
// would look like a header.
var firstFields = map[string]bool{
	"accept-ranges": true, "age": true, "allow": true, "cache-control": true, "connection": true,
	"content-encoding": true,
	"content-language": true, "content-length": true, "content-location": true, "content-type": true, "date": true,
	"etag":    true,
	"expires": true, "keep-alive": true, "last-modified": true, "link": true, "location": true, "mime-version": true,
	"p3p":    true,
	"pragma": true, "server": true, "set-cookie": true, "status": true, "transfer-encoding": true, "vary": true,
	"via":             true,
	longestFirstField: true, "x-powered-by": true, "x-robots-tag": true,
}

const longestFirstField = "x-content-type-options"

// parseHeader fills the capture from r.head. Names and values are slices of it.
func (r *Reader) parseHeader() bool {
	c := &r.capture
	rest := bytes.TrimLeft(r.head, "\r\n")
	line, after := cutLine(rest)
	if hasFoldPrefix(line, "http/") || hasFoldPrefix(line, "http ") || hasFoldPrefix(line, "icy ") {
		c.Status = r.status(line)
		rest = after
	} else {
		r.note(NoStatusLine)
	}
	if unfold(rest) {
		r.note(HeaderFolded)
	}
	for len(rest) > 0 && len(r.header) < maxFields {
		line, rest = cutLine(rest)
		if len(line) == 0 {
			continue
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			r.note(HeaderNoColon)
			continue
		}
		r.header = append(r.header, Field{bytes.TrimSpace(name), trimBlanks(value)})
	}
	c.Header = r.header
	return true
}

// maxFields limits the fields of a header.
const maxFields = 4096

// unfold joins folded lines in place (RFC 9112 5.2), and reports whether there was one.
func unfold(header []byte) bool {
	folded := false
	for i := 0; ; i++ {
		n := bytes.IndexByte(header[i:], '\n')
		if i += n; n < 0 || i+1 == len(header) {
			return folded
		}
		if header[i+1] == ' ' || header[i+1] == '\t' {
			header[i], folded = ' ', true
			if i > 0 && header[i-1] == '\r' {
				header[i-1] = ' '
			}
		}
	}
}

// cutLine returns the first line, without its line end, and the rest.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return trimLineEnd(line), rest
}

// trimLineEnd drops CR and LF at the end. It is faster than bytes.TrimRight, which first builds a set of characters.
func trimLineEnd(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == '\r' || b[len(b)-1] == '\n') {
		b = b[:len(b)-1]
	}
	return b
}

// trimBlanks drops spaces and tabs at both ends.
func trimBlanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// status reads a status line with any version and any white space. The reason may be missing. It returns 0 if the
// status is invalid.
func (r *Reader) status(line []byte) int {
	i := 0
	for i < len(line) && line[i] != ' ' && line[i] != '\t' {
		i++
	}
	if i == len(line) {
		r.note(StatusInvalid)
		return 0
	}
	digits := bytes.TrimLeft(line[i:], " \t")
	status, n := 0, 0
	for n < len(digits) && n < 4 && '0' <= digits[n] && digits[n] <= '9' {
		status = status*10 + int(digits[n]-'0')
		n++
	}
	if status < 100 || status > 999 {
		r.note(StatusInvalid)
		return 0
	}
	if status > 599 {
		r.note(StatusInvalid)
	}
	return status
}

// hasFoldPrefix reports whether b begins with s, ignoring ASCII case. s must be in lower case.
func hasFoldPrefix(b []byte, s string) bool {
	if len(b) < len(s) {
		return false
	}
	for i := range len(s) {
		if toLower(b[i]) != s[i] {
			return false
		}
	}
	return true
}
