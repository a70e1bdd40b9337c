package markup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/facts"
)

// nested reads the nesting of the elements of a page with ids, as "inner<outer" by id.
func nested(page string, as facts.Parser) []string {
	ids, offsets := map[int64]string{}, []int64(nil)
	for i := range page {
		if page[i] != '<' {
			continue
		}
		tag, _, _ := strings.Cut(page[i:], ">")
		if _, id, ok := strings.Cut(tag, "id="); ok {
			ids[int64(i)] = strings.Trim(strings.Fields(id)[0], `'"/`)
			offsets = append(offsets, int64(i))
		}
	}
	slices.Reverse(offsets) // the order of the question does not count
	list := []string{}
	for inner, outer := range Nesting([]byte(page), as, offsets) {
		list = append(list, ids[inner]+"<"+ids[outer])
	}
	slices.Sort(list)
	return list
}

func TestNesting(t *testing.T) {
	for _, c := range []struct {
		name, page string
		as         facts.Parser
		want       []string
	}{
		{"one inside the other, with others between", `<div id=a><section><p id=b>`, facts.ParsedHTML, []string{"b<a"}},
		{"the nearest", `<div id=a><div id=b><p id=c></div><p id=d></div><p id=e>`, facts.ParsedHTML,
			[]string{"b<a", "c<b", "d<a"}},
		{"a p ends where the next begins", `<p id=a><p id=b>`, facts.ParsedHTML, []string{}},
		{"a void element holds nothing", `<img id=a><br id=b /><span id=c>`, facts.ParsedHTML, []string{}},
		{"a solidus closes nothing in HTML", `<div id=a /><p id=b>`, facts.ParsedHTML, []string{"b<a"}},
		{"a form element that was closed too late", `<b id=a><p id=b></b><i id=c></i></p>`, facts.ParsedHTML,
			[]string{"c<b"}},
		{"content that a table throws out", `<table id=a><tr><td id=b><p id=c></td></tr><div id=d></div></table>`,
			facts.ParsedHTML, []string{"b<a", "c<b"}},
		{"an element that the tree drops", `<td id=a><p id=b>`, facts.ParsedHTML, []string{}},
		{"the page's own attribute of that name", `<div id=a data-acapscan-offset=7><p data-acapscan-offset=1 id=b>`,
			facts.ParsedHTML, []string{"b<a"}},
		{"a name that ends in a solidus or a bracket", `<div/id=a><p/id=b><i id=c></i>`, facts.ParsedHTML,
			[]string{"b<a", "c<b"}},
		{"a solidus closes in XML",
			`<?xml version="1.0"?><html><body><div id="a"/><p id="b"><i id="c"/></p></body></html>`, facts.ParsedXML,
			[]string{"c<b"}},
		{"a p inside a p in XML", `<html><body><p id="a"><p id="b"/></p></body></html>`, facts.ParsedXML,
			[]string{"b<a"}},
		{"XML that lost an end tag", `<html><body><div id="a"><p id="b"></div><p id="c"/></body></html>`,
			facts.ParsedXML, []string{"b<a"}},
		{"XML in another encoding",
			"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9<b id='a'>\xff<c id='b'/></b></a>", facts.ParsedXML,
			[]string{"b<a"}},
		{"XML up to where it cannot be read", `<a><b id="a"><c id="b"/><<<<<d id="c"/></b></a>`, facts.ParsedXML,
			[]string{"b<a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, nested(c.page, c.as)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is hostile ends, and soon.
func TestNestingIsBounded(t *testing.T) {
	deep := func(n int, end string) (page []byte, offsets []int64) {
		var b bytes.Buffer
		for i := range n {
			if i%100 == 0 {
				offsets = append(offsets, int64(b.Len()))
			}
			fmt.Fprintf(&b, "<n%d>", i)
		}
		b.WriteString(strings.Repeat(end, n))
		return b.Bytes(), offsets
	}
	page, offsets := deep(100_000, "</x>")
	if got := Nesting(page, facts.ParsedXML, offsets); len(got) > maxDepth {
		t.Errorf("%d elements nested", len(got))
	}
	if got := Nesting(page, facts.ParsedHTML, offsets); got != nil {
		t.Errorf("the tree of a document so deep has %d elements", len(got))
	}
	if got := Nesting([]byte("<p>"), facts.ParsedHTML, []int64{-5, 0, 99}); len(got) != 0 {
		t.Errorf("offsets outside of the page have %v", got)
	}
}
