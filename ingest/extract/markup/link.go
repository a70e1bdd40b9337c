package markup

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"github.com/acapscan/acapscan/ingest/facts"
)

const rslType = "application/rsl+xml"

// mayNameLicence reports whether a text has the media type of RSL, in any case.
func mayNameLicence(text []byte) bool {
	for {
		n := bytes.IndexByte(text, '+')
		if n < 0 {
			return false
		}
		const before, after = len("application/rsl"), len("+xml")
		if n >= before && len(text) >= n+after && FoldEqual(text[n-before:n+after], rslType) {
			return true
		}
		text = text[n+1:]
	}
}

// link records a link element that names a licence of RSL (R-RSL-1): one of its relations is license, and its type is
// that of RSL.
func (f *Findings) link(src []byte, t *tag) {
	written := src[t.start:t.end]
	if !mayNameLicence(written) {
		return
	}
	if len(written) > decodeLimit {
		f.defect(DefectValue)
		return
	}
	// Few pages come here, so a parser that knows every attribute is fast enough.
	tokens := html.NewTokenizer(bytes.NewReader(written))
	tokens.Next()
	values := map[string]string{}
	for _, a := range tokens.Token().Attr {
		if _, known := values[a.Key]; !known {
			values[a.Key] = a.Val
		}
	}
	href, named := values["href"]
	mediaType, _, _ := strings.Cut(values["type"], ";")
	if !named || !strings.EqualFold(strings.TrimFunc(mediaType, isBlankRune), rslType) {
		return
	}
	for relation := range strings.FieldsFuncSeq(values["rel"], isBlankRune) {
		if strings.EqualFold(relation, "license") {
			f.add(Directive{Carrier: facts.CarrierLink, Name: []byte("link"), Value: []byte(href), offset: t.start,
				raw: written})
			return
		}
	}
}
