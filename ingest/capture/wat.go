package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/weburl"
)

// A Summary is what a WAT record has of a page instead of its body. It has the name and content of METAs wherever they
// stood in the page, and no class attributes, processing instructions or tags.
type Summary struct {
	Type  archive.RecordType // of the summarized record
	HTML  bool               // the writer of the WAT parsed the page as HTML
	Metas []Meta             // in the order of the page
}

// A Meta is a META with a name and a content from a WAT file. Character references are decoded.
type Meta struct {
	Name, Content []byte
	Index         int // among all METAs of the page, from 0
}

// MaxMetas limits the METAs of one Summary.
const MaxMetas = 10_000

// isWAT reports whether a metadata record may belong to a WAT file.
func isWAT(contentType []byte) bool {
	mime, _, _ := bytes.Cut(contentType, []byte(";"))
	return bytes.EqualFold(bytes.TrimSpace(mime), []byte("application/json"))
}

// readWAT reads the capture that a WAT record summarizes. The format is the JSON of ia-web-commons, as in Common Crawl
// and the Internet Archive. It reads at most Options.MaxBody bytes. A record that is damaged or too long is read as far
// as possible, at least up to the answer.
func (r *Reader) readWAT(rec *archive.Record) (*Capture, error) {
	block := &io.LimitedReader{R: rec.Block, N: int64(r.opts.MaxBody)}
	w := watReader{dec: json.NewDecoder(block), header: r.header[:0]}
	w.dec.UseNumber()
	failed := w.read()
	switch {
	case !w.answered && (failed == nil || !w.enveloped):
		return nil, SkipType // a request, a warcinfo, or other JSON
	case !w.answered && !isDamage(failed):
		return nil, failed
	case !w.answered:
		return nil, SkipWAT
	}
	uri := w.uri
	if uri == "" {
		uri = rec.URI
	}
	if uri == "" {
		return nil, SkipURL
	}
	u, ok := weburl.Split(uri)
	if !ok {
		return nil, SkipScheme
	}
	r.capture = Capture{
		URL: uri, Parsed: u, Site: r.sites.Make(u.SiteLen(), u.WriteSite), Time: w.date, Length: -1, Record: rec,
		Defects: r.capture.Defects[:0],
		Status:  w.status, BodyBytes: w.length, Summary: &Summary{Type: w.typ, HTML: w.html, Metas: w.metas},
	}
	c := &r.capture
	r.header, c.Header = w.header, w.header
	if c.Status < 100 || c.Status > 599 {
		r.note(StatusInvalid)
	}
	for _, digest := range []string{w.payloadDigest, w.entityDigest} {
		if c.Digest == "" && digest != "" {
			c.Digest = r.digest(digest)
		}
	}
	c.Truncated, c.MimeDetected = r.word([]byte(w.truncated)), r.word([]byte(w.detected))
	c.BodyTruncated = c.Truncated != ""
	r.readFields()
	switch {
	case failed == nil:
	case block.N <= 0:
		r.note(WATLimit)
	case isJSONError(failed):
		r.note(WATInvalid)
	default:
		if err := r.blockError(failed); err != nil {
			return nil, err
		}
	}
	if w.limited {
		r.note(WATLimit)
	}
	return c, nil
}

// typeOf returns the type with this WARC-Type.
func typeOf(name string) archive.RecordType {
	for _, t := range archive.RecordTypes() {
		if strings.EqualFold(name, t.String()) {
			return t
		}
	}
	return archive.OtherType
}

// isJSONError distinguishes errors in the JSON from errors of the input.
func isJSONError(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) || err == io.EOF || err == io.ErrUnexpectedEOF
}

// isDamage reports whether an error costs the record only.
func isDamage(err error) bool {
	var lost *archive.RecordError
	return isJSONError(err) || errors.As(err, &lost)
}

// A watReader reads the JSON of one WAT record and takes the values at known places. Its depth is that of these places.
// encoding/json limits the depth of the values that it skips.
type watReader struct {
	dec     *json.Decoder
	passed  json.RawMessage
	limited bool // the record exceeded a limit

	enveloped, answered, html bool

	typ                         archive.RecordType
	uri                         string
	date                        time.Time
	status                      int
	length                      int64
	payloadDigest, entityDigest string
	truncated, detected         string
	header                      []Field
	metas                       []Meta
	seen                        int // METAs
}

func (w *watReader) read() error {
	return w.object(map[string]func() error{"Envelope": w.envelope})
}

func (w *watReader) envelope() error {
	w.enveloped = true
	return w.object(map[string]func() error{
		"WARC-Header-Metadata": w.warcHeader, "ARC-Header-Metadata": w.arcHeader, "Payload-Metadata": w.payload,
	})
}

func (w *watReader) warcHeader() error {
	return w.object(map[string]func() error{
		"WARC-Type":                    w.text(func(s string) { w.typ = typeOf(s) }),
		"WARC-Target-URI":              w.text(func(s string) { w.uri = s }),
		"WARC-Date":                    w.text(func(s string) { w.date, _ = archive.ParseDate(s) }),
		"WARC-Payload-Digest":          w.text(func(s string) { w.payloadDigest = s }),
		"WARC-Truncated":               w.text(func(s string) { w.truncated = s }),
		"WARC-Identified-Payload-Type": w.text(func(s string) { w.detected = s }),
	})
}

func (w *watReader) arcHeader() error {
	w.typ = archive.Response
	return w.object(map[string]func() error{
		"Target-URI": w.text(func(s string) { w.uri = s }),
		"Date":       w.text(func(s string) { w.date, _ = archive.ParseDate(s) }),
	})
}

func (w *watReader) payload() error {
	return w.object(map[string]func() error{"HTTP-Response-Metadata": w.response})
}

func (w *watReader) response() error {
	w.answered = true
	return w.object(map[string]func() error{
		"Response-Message": func() error {
			return w.object(map[string]func() error{"Status": w.text(func(s string) { w.status, _ = strconv.Atoi(s) })})
		},
		"Headers": w.headers,
		"Entity-Length": w.text(func(s string) {
			if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
				w.length = n
			}
		}),
		"Entity-Digest": w.text(func(s string) { w.entityDigest = s }),
		"HTML-Metadata": func() error {
			w.html = true
			return w.object(map[string]func() error{
				"Head": func() error { return w.object(map[string]func() error{"Metas": w.allMetas}) },
			})
		},
	})
}

// headers reads the fields of the HTTP header. The value of a name is a string, or a list if the field is repeated.
func (w *watReader) headers() error {
	return w.members(func(name string) error {
		return w.texts(func(value string) {
			if len(w.header) >= maxFields {
				w.limited = true
				return
			}
			w.header = append(w.header, Field{[]byte(name), bytes.Trim([]byte(value), " \t\r\n")})
		})
	})
}

// allMetas reads the list of METAs and skips those without a name or a content.
func (w *watReader) allMetas() error {
	return w.elements(func() error {
		var m Meta
		var named, filled bool
		err := w.object(map[string]func() error{
			"name":    w.text(func(s string) { m.Name, named = []byte(s), true }),
			"content": w.text(func(s string) { m.Content, filled = []byte(s), true }),
		})
		m.Index = w.seen
		w.seen++
		switch {
		case !named || !filled:
		case m.Index >= MaxMetas:
			w.limited = true
		default:
			w.metas = append(w.metas, m)
		}
		return err
	})
}

// object reads an object. take has a function for each name that matters; other values are skipped.
func (w *watReader) object(take map[string]func() error) error {
	return w.members(func(name string) error {
		if read := take[name]; read != nil {
			return read()
		}
		return w.pass()
	})
}

// members calls value for each member of an object. It skips any other value.
func (w *watReader) members(value func(name string) error) error {
	return w.within('{', func() error {
		t, err := w.dec.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		return value(name)
	})
}

// elements calls value for each element of a list. It skips any other value.
func (w *watReader) elements(value func() error) error { return w.within('[', value) }

// within reads an opening delimiter, calls next while there is more, and reads the closing one.
func (w *watReader) within(open json.Delim, next func() error) error {
	t, err := w.dec.Token()
	if err != nil {
		return err
	}
	delim, nested := t.(json.Delim)
	if !nested {
		return nil
	}
	if delim != open {
		return w.passRest(delim)
	}
	for w.dec.More() {
		if err := next(); err != nil {
			return err
		}
	}
	_, err = w.dec.Token()
	return err
}

// text returns a function that reads a string or number and passes it to take. It skips any other value.
func (w *watReader) text(take func(string)) func() error {
	return func() error {
		given := false
		return w.texts(func(s string) {
			if !given {
				take(s)
			}
			given = true
		})
	}
}

// texts reads a string or a list of strings.
func (w *watReader) texts(take func(string)) error {
	t, err := w.dec.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case string:
		take(t)
	case json.Number:
		take(t.String())
	case json.Delim:
		if t != '[' {
			return w.passRest(t)
		}
		for w.dec.More() {
			if err := w.pass(); err != nil {
				return err
			}
			var s string
			if w.passed[0] == '"' && json.Unmarshal(w.passed, &s) == nil {
				take(s)
			}
		}
		_, err = w.dec.Token()
	}
	return err
}

// pass skips the next value.
func (w *watReader) pass() error { return w.dec.Decode(&w.passed) }

// passRest skips the rest of a list or object.
func (w *watReader) passRest(opened json.Delim) error {
	for w.dec.More() {
		if opened == '{' {
			if _, err := w.dec.Token(); err != nil {
				return err
			}
		}
		if err := w.pass(); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}
