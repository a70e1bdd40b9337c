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

// A Summary is what a WAT record says of a page in place of its body. A WAT is a partial source: it has the METAs by name and content,
// wherever in the page they stood and without their tags, and no class attribute, processing instruction or body.
type Summary struct {
	Type  archive.RecordType // of the record that is summed up
	HTML  bool               // it was read as HTML by whoever made the WAT
	Metas []Meta             // in the order of the page
}

// A Meta is a META with a name and a content, as a WAT has them: character references are decoded.
type Meta struct {
	Name, Content []byte
	Index         int // among all METAs of the page, from 0
}

// MaxMetas bounds the METAs of one Summary.
const MaxMetas = 10_000

// isWAT tells whether a metadata record may be one of a WAT.
func isWAT(contentType []byte) bool {
	mime, _, _ := bytes.Cut(contentType, []byte(";"))
	return bytes.EqualFold(bytes.TrimSpace(mime), []byte("application/json"))
}

// readWAT reads the capture that a record of a WAT sums up: JSON as ia-web-commons writes it for Common Crawl and the Internet
// Archive. At most Options.MaxBody bytes of it are read. What is damaged or too long counts as far as it goes, if it goes as far as
// the answer.
func (r *Reader) readWAT(rec *archive.Record) (*Capture, error) {
	block := &io.LimitedReader{R: rec.Block, N: int64(r.opts.MaxBody)}
	w := watReader{dec: json.NewDecoder(block), header: r.header[:0]}
	w.dec.UseNumber()
	failed := w.read()
	switch {
	case !w.answered && (failed == nil || !w.enveloped):
		return nil, SkipType // a request, a warcinfo, or JSON that is no WAT
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
		URL: uri, Parsed: u, Site: r.sites.Make(u.SiteLen(), u.WriteSite), Time: w.date, Length: -1, Record: rec, Defects: r.capture.Defects[:0],
		Status: w.status, BodyBytes: w.length, Summary: &Summary{Type: w.typ, HTML: w.html, Metas: w.metas},
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

// typeOf reads the value of WARC-Type.
func typeOf(name string) archive.RecordType {
	for _, t := range archive.RecordTypes() {
		if strings.EqualFold(name, t.String()) {
			return t
		}
	}
	return archive.OtherType
}

// isJSONError tells what is wrong with the text from what is wrong with the input.
func isJSONError(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) || err == io.EOF || err == io.ErrUnexpectedEOF
}

// isDamage tells whether an error costs the record only.
func isDamage(err error) bool {
	var lost *archive.RecordError
	return isJSONError(err) || errors.As(err, &lost)
}

// A watReader goes through the JSON of one WAT record and takes what it knows, by its place. It is no deeper than that place; what
// is passed over may nest as deep as encoding/json allows.
type watReader struct {
	dec     *json.Decoder
	passed  json.RawMessage
	limited bool // there was more than the bounds

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

// read reads the record.
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

// headers reads the fields of the HTTP header: a name's value is a text, or a list of texts where the field is repeated.
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

// allMetas reads the list of METAs. Those without a name or a content are passed over.
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

// object reads an object: the values of the names that take has a function for, by that function; the others are passed over.
func (w *watReader) object(take map[string]func() error) error {
	return w.members(func(name string) error {
		if read := take[name]; read != nil {
			return read()
		}
		return w.pass()
	})
}

// members reads an object, each value by value. What is no object is passed over.
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

// elements reads a list. What is no list is passed over.
func (w *watReader) elements(value func() error) error { return w.within('[', value) }

// within reads what stands between an opening delimiter and its end, as long as there is more.
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

// text returns a function that reads one text, or number, and gives it to take. A value of another kind is passed over.
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

// texts reads a text or a list of texts.
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

// pass passes over the next value, whatever it is.
func (w *watReader) pass() error { return w.dec.Decode(&w.passed) }

// passRest passes over what is left of a list or object that was opened.
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
