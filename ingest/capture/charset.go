package capture

import "github.com/acapscan/acapscan/ingest/bodytext"

// toUTF8 converts a body in UTF-16 or UTF-32 to UTF-8, and sets the charset to that encoding (R-LEX-1).
func (r *Reader) toUTF8() {
	c := &r.capture
	name, mark := bodytext.Encoding(c.Body, c.Charset)
	if name == "" {
		return
	}
	c.Charset = name
	r.text = bodytext.Append(r.text[:0], c.Body, name, mark)
	if !c.BodyTruncated {
		c.BodyBytes = int64(len(r.text))
	}
	if len(r.text) > r.opts.MaxBody {
		r.text = r.text[:r.opts.MaxBody]
		r.note(BodyLimit)
		c.BodyTruncated = true
	}
	c.Body = r.text
}
