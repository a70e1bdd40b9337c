package markup

import (
	"bytes"
	"slices"

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

// A Directive is a facts.Directive before it is copied from the page. Most pages with directives have no row, so they
// need no copy.
type Directive struct {
	Carrier     facts.Carrier
	Name, Value []byte
	InBody      bool // a META in the body
	ACAP        bool // a META whose content begins with ACAP, or a class token

	offset    int
	elementID []byte
	raw       []byte
	smart     bool
	late      bool
}

// A receiver receives the findings of a scanner. All arguments except src are valid during the call only.
type receiver interface {
	meta(src []byte, t *tag, inBody bool)  // a META of the head, or of the body
	class(src []byte, t *tag)              // an element of the body with a class attribute
	pi(src []byte, lt, end int, late bool) // "<?" at lt and what follows, to end
	link(src []byte, t *tag)               // a link element of the head
	encoding(label []byte)                 // of an XML declaration
	defect(d Defect)
}

// Findings are what one page says. Byte slices belong to the page or were made for it.
type Findings struct {
	Directives []Directive // in document order, then those of the header
	Defects    []string    // codes of the page's Defects, each once
	charset    []byte      // label in the first META that has one, or in the XML declaration; as written
	elements   int         // bytes of the names and ids of elements in directives
	full       bool        // a directive was left out
}

// maxElements limits the names and ids of a page's class tokens, in bytes. Every token of an element repeats them, so a
// short page could cause facts of a hundred megabytes.
const maxElements = 1 << 20

// maxElementName is the length of element names beyond this limit; all names of HTML are shorter.
const maxElementName = 32

func (f *Findings) reset() {
	*f = Findings{Directives: f.Directives[:0], Defects: f.Defects[:0]}
}

func (f *Findings) defect(d Defect) {
	if !slices.Contains(f.Defects, string(d)) {
		f.Defects = append(f.Defects, string(d))
	}
}

func (f *Findings) add(d Directive) {
	if len(f.Directives) >= facts.MaxDirectives {
		if !f.full {
			f.defect(DefectDirectives)
		}
		f.full = true
		return
	}
	if len(d.Value) > facts.MaxRaw {
		d.Value = cut(d.Value, facts.MaxRaw)
		f.defect(DefectValue)
	}
	d.Name, d.elementID, d.raw = cut(d.Name, facts.MaxRaw), cut(d.elementID, facts.MaxRaw), cut(d.raw, facts.MaxRaw)
	f.Directives = append(f.Directives, d)
}

// decodeLimit limits what is decoded of a Value: facts.MaxRaw bytes of references in their shortest usual form.
const decodeLimit = 4 * facts.MaxRaw

// meta records a META if it is a raw directive, and the charset of a META in the head.
func (f *Findings) meta(src []byte, t *tag, inBody bool) {
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
	d.InBody = inBody
	f.add(d)
}

// readMETA returns a META as a raw directive, if it is one.
func readMETA(src []byte, t *tag) (d Directive, ok bool) {
	if !t.name.set || !t.content.set {
		return Directive{}, false
	}
	name := bytes.TrimFunc(decodeValue(cut(t.name.in(src), decodeLimit)), isBlankRune)
	if len(name) == 0 {
		return Directive{}, false
	}
	content := decodeValue(cut(t.content.in(src), decodeLimit))
	acap := beginsWithACAP(content)
	if !acap && !IsPreference(name) && !isConventional(name, content) {
		return Directive{}, false
	}
	return Directive{
		Carrier: facts.CarrierMeta, offset: t.start, Name: name, Value: content, raw: src[t.start:t.end],
		smart: t.name.smart || t.content.smart, ACAP: acap,
	}, true
}

// summary records the METAs of a WAT that are raw directives. Negative offsets mean that their places are unknown.
func (f *Findings) summary(metas []capture.Meta) {
	for _, m := range metas {
		name, content := bytes.TrimFunc(withoutNUL(m.Name), isBlankRune), withoutNUL(m.Content)
		acap := beginsWithACAP(content)
		if len(name) == 0 || !acap && !IsPreference(name) && !isConventional(name, content) {
			continue
		}
		f.add(Directive{Carrier: facts.CarrierMeta, offset: m.Index - capture.MaxMetas, Name: name, Value: content,
			ACAP: acap})
	}
}

// withoutNUL replaces NUL, which no HTML attribute contains.
func withoutNUL(value []byte) []byte { return bytes.ReplaceAll(value, []byte{0}, []byte("\uFFFD")) }

// metaCharset records the charset in a META, in either form.
func (f *Findings) metaCharset(src []byte, t *tag) {
	if t.charset.set {
		f.charset = bytes.TrimFunc(t.charset.in(src), isBlankRune)
		return
	}
	if !FoldEqual(t.httpEquiv.in(src), "content-type") {
		return
	}
	content := cut(t.content.in(src), 256)
	for i := range content {
		if !FoldPrefix(content[i:], "charset") {
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
func (f *Findings) class(src []byte, t *tag) {
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
		if token := rest[:end]; FoldPrefix(token, "the-acap:") || FoldPrefix(token, "acap:") {
			if name == nil {
				name = elementName(src[t.nameStart:t.nameEnd])
				id = cut(decodeValue(cut(t.id.in(src), decodeLimit)), facts.MaxRaw)
			}
			if f.elements += len(name) + len(id); f.elements > maxElements {
				name, id = cut(name, maxElementName), nil
				f.defect(DefectValue)
			}
			f.add(Directive{
				Carrier: facts.CarrierClass, offset: t.start, Name: name, Value: token, elementID: id, raw: token,
				smart: t.class.smart, ACAP: true,
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
func (f *Findings) pi(src []byte, lt, end int, late bool) {
	data := src[lt+len("<?") : end]
	if !FoldPrefix(data, "robots") {
		return
	}
	target := data[:len("robots")]
	data = bytes.TrimSuffix(bytes.TrimSuffix(data[len(target):], []byte(">")), []byte("?"))
	if len(data) > 0 && !isSpace(data[0]) {
		return
	}
	f.add(Directive{
		Carrier: facts.CarrierPI, offset: lt, Name: target, Value: data[skipSpace(data, 0):], raw: src[lt:end],
		late: late,
	})
}

func (f *Findings) encoding(label []byte) { f.charset = label }

// Copy copies the directives.
func (f *Findings) Copy() []facts.Directive {
	if len(f.Directives) == 0 {
		return nil
	}
	out := make([]facts.Directive, len(f.Directives))
	for i, d := range f.Directives {
		out[i] = facts.Directive{
			Carrier: d.Carrier, Offset: int64(d.offset), Name: string(d.Name), Value: string(d.Value),
			ElementID: string(d.elementID), SmartQuotes: d.smart, Late: d.late, InBody: d.InBody, Raw: string(d.raw),
		}
	}
	return out
}

// isBlankRune reports whether r is white space in HTML.
func isBlankRune(r rune) bool { return r < 0x80 && isSpace(byte(r)) }
