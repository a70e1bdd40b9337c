package markup

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
)

// R-RSL-1: links of the head and of the header that name a licence of RSL.
func TestLicences(t *testing.T) {
	const rsl = `<link rel="license" type="application/rsl+xml" href="/l.xml">`
	for _, test := range []struct {
		name, mediaType, src string
		want                 []string
	}{
		{"head", "text/html", "<html><head>" + rsl + "</head>", []string{"12 /l.xml"}},
		{"letters and order", "text/html",
			`<LINK HREF='/a?b=1&amp;c' TYPE="Application/RSL+XML; v=1" REL=" LICENSE  x">`,
			[]string{"0 /a?b=1&c"}},
		{"the first of an attribute counts", "text/html",
			`<link rel=license rel=x type=application/rsl+xml href=/a href=/b>`, []string{"0 /a"}},
		{"body", "text/html", "<body>" + rsl, nil},
		{"template", "text/html", "<template>" + rsl + "</template>", nil},
		{"comment", "text/html", "<!--" + rsl + "-->", nil},
		{"script", "text/html", "<script>" + rsl + "</script>", nil},
		{"another type", "text/html", `<link rel=license type=text/html href="/application/rsl+xml">`, nil},
		{"no type", "text/html", `<link rel=license href=/a title=application/rsl+xml>`, nil},
		{"another relation", "text/html", `<link rel=alternate type=application/rsl+xml href=/a>`, nil},
		{"part of a relation", "text/html", `<link rel=license-x type=application/rsl+xml href=/a>`, nil},
		{"no target", "text/html", `<link rel=license type=application/rsl+xml>`, nil},
		{"XHTML", "application/xhtml+xml", `<x:html xmlns:x="http://www.w3.org/1999/xhtml"><x:head>` +
			`<x:link rel="license" type="application/rsl+xml" href="/l.xml"/></x:head><x:body/></x:html>`,
			[]string{"55 /l.xml"}},
		{"XHTML in the body", "application/xhtml+xml", `<html><head/><body>` + strings.TrimSuffix(rsl, ">") +
			"/></body></html>",
			nil},
		{"other XML", "application/xml", `<a><head>` + strings.TrimSuffix(rsl, ">") + "/></head></a>", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range Page([]byte(test.src), test.mediaType, nil).Directives {
				if d.Carrier != facts.CarrierLink || d.Name != "link" ||
					!strings.HasPrefix(test.src[d.Offset:], d.Raw) {
					t.Errorf("%+v", d)
				}
				got = append(got, fmt.Sprintf("%d %s", d.Offset, d.Value))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Only those fields Link are kept that may name such a licence.
func TestLicenceFields(t *testing.T) {
	header := capture.Header{
		{Name: []byte("Link"), Value: []byte(`</style.css>; rel=preload`)},
		{Name: []byte("link"), Value: []byte(`</l.xml>; rel=license; type="application/RSL+xml"`)},
		{Name: []byte("Link"), Value: []byte(`</l.xml>; rel=license; type="application/rss+xml"`)},
		{Name: []byte("Linked"), Value: []byte("application/rsl+xml")},
	}
	got := Page(nil, "", header).Directives
	if len(got) != 1 || got[0].Offset != 1 {
		t.Errorf("%+v", got)
	}
}

// A long element is not read.
func TestLicenceTooLong(t *testing.T) {
	page := Page([]byte(`<link rel=license type=application/rsl+xml href="`+strings.Repeat("a", decodeLimit)+`">`),
		"text/html", nil)
	if len(page.Directives) > 0 || len(page.Defects) != 1 || page.Defects[0] != string(DefectValue) {
		t.Errorf("%d directives, defects %v", len(page.Directives), page.Defects)
	}
}
