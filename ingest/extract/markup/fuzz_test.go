package markup

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
)

// robotsPIs are the robots PIs of a document by encoding/xml: where they begin and what they hold. ok is false where
// that does not accept the document, or would pass over PIs that count, in an internal subset.
func robotsPIs(src []byte) (found []facts.Directive, ok bool) {
	d := xml.NewDecoder(bytes.NewReader(src))
	d.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errors.New("another charset") }
	late := false
	for {
		at := d.InputOffset()
		token, err := d.RawToken()
		if err != nil {
			return found, err == io.EOF
		}
		switch token := token.(type) {
		case xml.Directive:
			return nil, false
		case xml.CharData:
			late = late || len(bytes.Trim(token, " \t\r\n\f")) > 0
		case xml.ProcInst:
			if strings.EqualFold(token.Target, "robots") {
				found = append(found, facts.Directive{Carrier: facts.CarrierPI, Offset: at, Name: token.Target,
					Value: string(token.Inst), Late: late})
			}
		}
	}
}

// FuzzPage reads pages as either parser does, with a header field: what is found lies where it says, within its bounds;
// and of XML that is well-formed the PIs are those that encoding/xml finds.
func FuzzPage(f *testing.F) {
	for _, src := range []string{
		`<?xml version="1.0"?><?robots index="no" follow="yes"?><a>t<?robots x?><![CDATA[<?robots y?>]]><!-- ` +
			`<?robots z?> ` +
			`--></a>`,
		`<!DOCTYPE a [<!ENTITY e "]>"><?robots x?>]><html><head><meta name="robots" content="noindex"/></head><body ` +
			`class="the-acap:allow-index"/></html>`,
		"\xef\xbb\xbf<?ROBOTS\tx ?><x:html><x:head><meta name=“Bot” content=“ACAP allow-index”></x:head>",
		`<head><meta charset=utf-8><meta name=robots content="&#97;ll"><body class='x the-acap:disallow-(q)' id=i>`,
		"<?robots", "<!", "<a b='", "&",
	} {
		f.Add([]byte(src), "text/html", "noindex")
		f.Add([]byte(src), "application/xhtml+xml", "Bot: max-snippet: 3")
		f.Add([]byte(src), "", "")
	}
	addRealPages(f, func(body []byte) { f.Add(body, "text/html", "noindex") })
	f.Fuzz(func(t *testing.T, src []byte, mediaType, field string) {
		page := Page(src, mediaType, capture.Header{{Name: []byte("X-Robots-Tag"), Value: []byte(field)}})
		if again := Page(src, mediaType, capture.Header{{Name: []byte("X-Robots-Tag"),
			Value: []byte(field)}}); cmp.Diff(page, again) != "" {
			t.Error("read again, it is another")
		}
		if len(page.Directives) > facts.MaxDirectives {
			t.Errorf("%d directives", len(page.Directives))
		}
		var offsets []int64
		var pis []facts.Directive
		for _, d := range page.Directives {
			if len(d.Value) > facts.MaxRaw || len(d.Name) > facts.MaxRaw || len(d.Raw) > facts.MaxRaw ||
				len(d.ElementID) > facts.MaxRaw {
				t.Errorf("a directive beyond its bounds: %d, %d, %d bytes", len(d.Name), len(d.Value), len(d.Raw))
			}
			if d.Carrier == facts.CarrierHeader {
				continue
			}
			if d.Offset < 0 || d.Offset >= int64(len(src)) || src[d.Offset] != '<' {
				t.Fatalf("%s at %d is no tag of %q", d.Carrier, d.Offset, src)
			}
			offsets = append(offsets, d.Offset)
			if d.Carrier == facts.CarrierPI {
				pis = append(pis, d)
			}
		}
		if page.ParsedAs == "" && len(offsets) > 0 {
			t.Errorf("directives of what is no page: %v", page.Directives)
		}
		for inner, outer := range Nesting(src, page.ParsedAs, offsets) {
			// What a late html or body tag says is said of the element that is open.
			late := FoldPrefix(src[outer:], "<body") || FoldPrefix(src[outer:], "<html")
			if outer == inner || outer > inner && !late {
				t.Errorf("the element at %d stands in the one at %d", inner, outer)
			}
		}
		// encoding/xml makes LF of CR
		if page.ParsedAs != facts.ParsedXML || len(src) > 2000 || bytes.IndexByte(src, '\r') >= 0 {
			return
		}
		if want, ok := robotsPIs(src); ok {
			if diff := cmp.Diff(want, pis, noRaw); diff != "" {
				t.Errorf("PIs of %q (-encoding/xml +here):\n%s", src, diff)
			}
		}
	})
}
