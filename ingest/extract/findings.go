package extract

import (
	"bytes"

	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
)

// A Defect is the code of a limit that a page exceeds. Codes are stable, because tables have them.
//
// Each constant's comment is its row in docs/defects.md, which a test of cmd/acapscan generates.
type Defect string

// Defects of page markup.
const (
	// templates or foreign elements are nested deeper than the limit.
	DefectNesting Defect = "nesting-limit"
	// the page has more directives than the limit (facts.MaxDirectives). The first are kept.
	DefectDirectives Defect = "directives-limit"
	// a directive is longer than the limit (facts.MaxRaw), or names and ids around the class tokens of a page exceed
	// 1 MiB. They are cut.
	DefectValue Defect = "value-limit"
)

// Defects returns every defect.
func Defects() []Defect { return []Defect{DefectNesting, DefectDirectives, DefectValue} }

// rawDirective is a facts.Directive before it is copied from the source. Most pages with directives have no row, so
// they need no copy.
type rawDirective struct {
	carrier   facts.Carrier
	offset    int
	name      []byte
	value     []byte
	elementID []byte
	raw       []byte
	smart     bool
	late      bool
	inBody    bool // a META in the body
	acap      bool // a META whose content begins with ACAP, or a class token
}

// A sink receives the findings of a scanner. All arguments except src are valid during the call only.
type sink interface {
	meta(src []byte, t *tag, inBody bool)  // a META of the head, or of the body
	class(src []byte, t *tag)              // an element of the body with a class attribute
	pi(src []byte, lt, end int, late bool) // "<?" at lt and what follows, to end
	encoding(label []byte)                 // of an XML declaration
	defect(d Defect)
}

// findings are the findings of a scan of one page. Byte slices belong to the page or were made for it.
type findings struct {
	directives []rawDirective
	defects    []Defect
	charset    []byte // label in the first META that has one, or in the XML declaration
	elements   int    // bytes of the names and ids of elements in directives
}

// maxElements limits the names and ids of a page's class tokens, in bytes. Every token of an element repeats them, so a
// short page could cause facts of a hundred megabytes.
const maxElements = 1 << 20

// maxElementName is the length of element names beyond this limit; all names of HTML are shorter.
const maxElementName = 32

func (f *findings) reset() {
	*f = findings{directives: f.directives[:0], defects: f.defects[:0]}
}

func (f *findings) defect(d Defect) {
	for _, have := range f.defects {
		if have == d {
			return
		}
	}
	f.defects = append(f.defects, d)
}

func (f *findings) add(d rawDirective) {
	if len(f.directives) >= facts.MaxDirectives {
		f.defect(DefectDirectives)
		return
	}
	if len(d.value) > facts.MaxRaw {
		d.value = cut(d.value, facts.MaxRaw)
		f.defect(DefectValue)
	}
	d.name, d.elementID, d.raw = cut(d.name, facts.MaxRaw), cut(d.elementID, facts.MaxRaw), cut(d.raw, facts.MaxRaw)
	f.directives = append(f.directives, d)
}

// decodeLimit limits what is decoded of a value: facts.MaxRaw bytes of references in their shortest usual form.
const decodeLimit = 4 * facts.MaxRaw

// meta records a META if it is a raw directive, and the charset of a META in the head.
func (f *findings) meta(src []byte, t *tag, inBody bool) {
	if len(f.charset) == 0 && !inBody {
		f.metaCharset(src, t)
	}
	d, ok := readMETA(src, t)
	if !ok {
		return
	}
	if len(t.content.in(src)) > decodeLimit {
		f.defect(DefectValue)
	}
	d.inBody = inBody
	f.add(d)
}

// readMETA returns a META as a raw directive, if it is one.
func readMETA(src []byte, t *tag) (d rawDirective, ok bool) {
	if !t.name.set || !t.content.set {
		return rawDirective{}, false
	}
	name := bytes.TrimFunc(decodeValue(cut(t.name.in(src), decodeLimit)), isBlankRune)
	if len(name) == 0 {
		return rawDirective{}, false
	}
	content := decodeValue(cut(t.content.in(src), decodeLimit))
	acap := beginsWithACAP(content)
	if !acap && !isConventional(name, content) {
		return rawDirective{}, false
	}
	return rawDirective{
		carrier: facts.CarrierMeta, offset: t.start, name: name, value: content, raw: src[t.start:t.end],
		smart: t.name.smart || t.content.smart, acap: acap,
	}, true
}

// summary records the METAs of a WAT that are raw directives. Negative offsets mean that their places are unknown.
func (f *findings) summary(metas []capture.Meta) {
	for _, m := range metas {
		name, content := bytes.TrimFunc(withoutNUL(m.Name), isBlankRune), withoutNUL(m.Content)
		acap := beginsWithACAP(content)
		if len(name) == 0 || !acap && !isConventional(name, content) {
			continue
		}
		f.add(rawDirective{carrier: facts.CarrierMeta, offset: m.Index - capture.MaxMetas, name: name, value: content,
			acap: acap})
	}
}

// withoutNUL replaces NUL, which no HTML attribute contains.
func withoutNUL(value []byte) []byte { return bytes.ReplaceAll(value, []byte{0}, []byte("\uFFFD")) }

// metaCharset records the charset in a META, in either form.
func (f *findings) metaCharset(src []byte, t *tag) {
	if t.charset.set {
		f.charset = bytes.TrimFunc(t.charset.in(src), isBlankRune)
		return
	}
	if !foldEqual(t.httpEquiv.in(src), "content-type") {
		return
	}
	content := cut(t.content.in(src), 256)
	for i := range content {
		if !foldPrefix(content[i:], "charset") {
			continue
		}
		rest := bytes.TrimLeft(content[i+len("charset"):], " \t\r\n\f")
		if len(rest) == 0 || rest[0] != '=' {
			continue
		}
		rest = bytes.Trim(rest[1:], " \t\r\n\f\"'")
		if end := bytes.IndexAny(rest, " \t\r\n\f;\"'"); end >= 0 {
			rest = rest[:end]
		}
		f.charset = rest
		return
	}
}

// class records the ACAP tokens of an element's class attribute (R-CLASS-1).
func (f *findings) class(src []byte, t *tag) {
	raw := t.class.in(src)
	if !mayHoldClassToken(raw) {
		return
	}
	raw = cut(raw, classLimit)
	var name, id []byte // of the element, shared by all its tokens
	for rest := decodeValue(raw); ; {
		rest = rest[skipSpace(rest, 0):]
		if len(rest) == 0 {
			return
		}
		end := 0
		for end < len(rest) && !isSpace(rest[end]) {
			end++
		}
		if token := rest[:end]; foldPrefix(token, "the-acap:") || foldPrefix(token, "acap:") {
			if name == nil {
				name = elementName(src[t.nameStart:t.nameEnd])
				id = cut(decodeValue(cut(t.id.in(src), decodeLimit)), facts.MaxRaw)
			}
			if f.elements += len(name) + len(id); f.elements > maxElements {
				name, id = cut(name, maxElementName), nil
				f.defect(DefectValue)
			}
			f.add(rawDirective{
				carrier: facts.CarrierClass, offset: t.start, name: name, value: token, elementID: id, raw: token,
				smart: t.class.smart, acap: true,
			})
		}
		rest = rest[end:]
	}
}

// elementName returns a tag's name as HTML defines it: ASCII letters in lower case, NUL replaced.
func elementName(name []byte) []byte {
	return bytes.ReplaceAll([]byte(lower(cut(name, facts.MaxRaw))), []byte{0}, []byte("\uFFFD"))
}

// classLimit is how much is read of one class attribute, in bytes.
const classLimit = 64 << 10

// pi records the processing instruction at lt, which ends before end, if its target is robots in any case (R-PI-1). In
// HTML it ends with '>', in XML with "?>". The value is the text after the target, without leading white space.
func (f *findings) pi(src []byte, lt, end int, late bool) {
	data := src[lt+len("<?") : end]
	if !foldPrefix(data, "robots") {
		return
	}
	target := data[:len("robots")]
	data = bytes.TrimSuffix(bytes.TrimSuffix(data[len(target):], []byte(">")), []byte("?"))
	if len(data) > 0 && !isSpace(data[0]) {
		return
	}
	f.add(rawDirective{
		carrier: facts.CarrierPI, offset: lt, name: target, value: data[skipSpace(data, 0):], raw: src[lt:end],
		late: late,
	})
}

func (f *findings) encoding(label []byte) { f.charset = label }

// copyDirectives copies the directives, in document order.
func (f *findings) copyDirectives() []facts.Directive {
	if len(f.directives) == 0 {
		return nil
	}
	out := make([]facts.Directive, len(f.directives))
	for i, d := range f.directives {
		out[i] = facts.Directive{
			Carrier: d.carrier, Offset: int64(d.offset), Name: string(d.name), Value: string(d.value),
			ElementID: string(d.elementID), SmartQuotes: d.smart, Late: d.late, InBody: d.inBody, Raw: string(d.raw),
		}
	}
	return out
}

// isBlankRune reports whether r is white space in HTML.
func isBlankRune(r rune) bool { return r < 0x80 && isSpace(byte(r)) }
