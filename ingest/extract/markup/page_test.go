package markup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
)

var noRaw = cmpopts.IgnoreFields(facts.Directive{}, "Raw")

func metaD(offset int64, name, value string) facts.Directive {
	return facts.Directive{Carrier: facts.CarrierMeta, Offset: offset, Name: name, Value: value}
}

func smart(d facts.Directive) facts.Directive {
	d.SmartQuotes = true
	return d
}

// R-META-1, R-META-2: which METAs are raw directives, and how their values are read.
func TestMetaDirectives(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []facts.Directive
	}{
		{"robots, any case, trimmed", `<meta name=" Robots " content="NOINDEX">`,
			[]facts.Directive{metaD(0, "Robots", "NOINDEX")}},
		{"ACAP to any crawler", `<meta name="robots" content="ACAP allow-index">`,
			[]facts.Directive{metaD(0, "robots", "ACAP allow-index")}},
		{"ACAP to a named crawler, any case", `<meta name="searchbot" content="acap allow-index">`,
			[]facts.Directive{metaD(0, "searchbot", "acap allow-index")}},
		{"prose that begins with ACAP", `<meta name="description" content="ACAP is a protocol">`,
			[]facts.Directive{metaD(0, "description", "ACAP is a protocol")}},
		{"ACAP is the token alone", `<meta name="keywords" content="ACAPULCO, hotels">`, nil},
		{"known crawler, any content", `<meta name="Googlebot-News" content="whatever">`,
			[]facts.Directive{metaD(0, "Googlebot-News", "whatever")}},
		{"unknown crawler, known directives", `<meta name="somebot" content="noindex, nofollow">`,
			[]facts.Directive{metaD(0, "somebot", "noindex, nofollow")}},
		{"unknown crawler, directives with values",
			`<meta name="somebot" content="max-snippet: 20 unavailable_after: 25 Jun 2010 15:00:00 EST">`,
			[]facts.Directive{metaD(0, "somebot", "max-snippet: 20 unavailable_after: 25 Jun 2010 15:00:00 EST")}},
		{"a lone word, to what sounds like a crawler", `<meta name="SearchBot1" content="none">`,
			[]facts.Directive{metaD(0, "SearchBot1", "none")}},
		{"a lone word is no directive, archive included",
			`<meta name="section" content="Archive"><meta name=x content=cache>`, nil},
		{"names that say something of the document are no crawlers'",
			`<meta name="keywords" content="noindex"><meta name=Description content="index, follow">`, nil},
		{"a lone word is no directive",
			`<meta name="distribution" content="all"><meta name=x content=index><meta name=rating content=none>`, nil},
		{"other METAs",
			`<meta name="viewport" content="width=1"><meta name="keywords" content="noindex, apples"><meta ` +
				`http-equiv=robots content=noindex>`, nil},
		{"no name", `<meta content="ACAP allow-index">`, nil},
		{"no content", `<meta name=robots>`, nil},
		{"typographic quotes, UTF-8", "<meta name=“robots” content=“ACAP disallow-index”>",
			[]facts.Directive{smart(metaD(0, "robots", "ACAP disallow-index"))}},
		{"typographic quotes, windows-1252", "<meta name=\x93robots\x94 content=\x93ACAP disallow-index\x94>",
			[]facts.Directive{smart(metaD(0, "robots", "ACAP disallow-index"))}},
		{"typographic quotes, low and reversed", "<meta name=\"robots\" content= „ACAP disallow-index‟ />",
			[]facts.Directive{smart(metaD(0, "robots", "ACAP disallow-index"))}},
		{"typographic quote closed by a straight one", "<meta name=robots content=“ACAP allow-index\">",
			[]facts.Directive{smart(metaD(0, "robots", "ACAP allow-index"))}},
		{"typographic quotes within straight ones are text", "<meta name=robots content=\"“ACAP allow-index”\">",
			[]facts.Directive{metaD(0, "robots", "“ACAP allow-index”")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Page([]byte(tt.src), "text/html", nil)
			if diff := cmp.Diff(tt.want, got.Directives, noRaw); diff != "" {
				t.Error(diff)
			}
			for _, d := range got.Directives {
				if !strings.HasPrefix(tt.src[d.Offset:], d.Raw) || !strings.HasSuffix(d.Raw, ">") {
					t.Errorf("raw %q is not at %d", d.Raw, d.Offset)
				}
			}
		})
	}
}

func classD(offset int64, element, id, token string) facts.Directive {
	return facts.Directive{Carrier: facts.CarrierClass, Offset: offset, Name: element, ElementID: id, Value: token,
		Raw: token}
}

// R-CLASS-1: tokens of elements of the body, with element name, id and offset.
func TestClassTokens(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []facts.Directive
	}{
		{"one", `<DIV id="a&amp;b" class="x The-ACAP:disallow-index y">`,
			[]facts.Directive{classD(0, "div", "a&b", "The-ACAP:disallow-index")}},
		{"pilot namespace", `<p class=acap:allow-index>`, []facts.Directive{classD(0, "p", "", "acap:allow-index")}},
		{"several tokens share the offset", "<p><b class='the-acap:allow-index\nthe-acap:disallow-present'>",
			[]facts.Directive{
				classD(3, "b", "", "the-acap:allow-index"), classD(3, "b", "", "the-acap:disallow-present")}},
		{"colon as a character reference", `<p class="the-acap&#58;allow-index">`,
			[]facts.Directive{classD(0, "p", "", "the-acap:allow-index")}},
		{"the body itself", `<body class="the-acap:allow-index">`,
			[]facts.Directive{classD(0, "body", "", "the-acap:allow-index")}},
		{"typographic quotes", "<p class=“the-acap:allow-index”>",
			[]facts.Directive{smart(classD(0, "p", "", "the-acap:allow-index"))}},
		{"not in a noscript, which is text where scripting is on",
			`<body><noscript><p class="the-acap:allow-index"></noscript>`, nil},
		{"in svg", `<svg><style><g class="the-acap:allow-index"/>`,
			[]facts.Directive{classD(12, "g", "", "the-acap:allow-index")}},
		{"not in the head", `<link class="the-acap:allow-index"><title class=acap:x></title>`, nil},
		{"not in comments, scripts, templates, raw text",
			`<p><!-- <p class="acap:a"> --><script><p class="acap:a"></script><template><p class="acap:a"></template>` +
				`<textarea><p class="acap:a"></textarea><iframe><p class=acap:a></iframe><xmp><p class=acap:a>`, nil},
		{"not inside a word", `<p class="not-the-acap:allow-index">`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Page([]byte(tt.src), "text/html", nil)
			if diff := cmp.Diff(tt.want, got.Directives); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func piD(offset int64, target, data string, late bool) facts.Directive {
	return facts.Directive{Carrier: facts.CarrierPI, Offset: offset, Name: target, Value: data, Late: late}
}

// R-PI-1, S1: robots PIs of XML documents, and of documents parsed as HTML.
func TestPIs(t *testing.T) {
	for _, tt := range []struct {
		name, mime, src string
		want            []facts.Directive
	}{
		{"in the prolog", "text/xml", `<?xml version="1.0"?><?robots index="no" follow="yes"?><a/>`,
			[]facts.Directive{piD(21, "robots", `index="no" follow="yes"`, false)}},
		{"white space at the end is kept", "text/xml", "<?robots\n index=\"no\" follow=\"yes\" ?><a/>",
			[]facts.Directive{piD(0, "robots", `index="no" follow="yes" `, false)}},
		{"in the internal subset", "application/xml",
			`<!DOCTYPE a [<!ENTITY e "]>"><!-- <?robots?> --><?robots x?>]><a/>`,
			[]facts.Directive{piD(48, "robots", "x", false)}},
		{"in an element", "a/b+xml", `<a><b/><?robots x?></a>`, []facts.Directive{piD(7, "robots", "x", false)}},
		{"after text", "text/xml", `<a>text<?robots x?></a>`, []facts.Directive{piD(7, "robots", "x", true)}},
		{"after CDATA", "text/xml", `<a><![CDATA[text]]><?robots x?></a>`,
			[]facts.Directive{piD(19, "robots", "x", true)}},
		{"any case of the target", "text/xml", `<?ROBOTS x?>`, []facts.Directive{piD(0, "ROBOTS", "x", false)}},
		{"several", "text/xml", `<?robots?><?robots a>b?>`,
			[]facts.Directive{piD(0, "robots", "", false), piD(10, "robots", "a>b", false)}},
		{"not in comments and CDATA", "text/xml", `<!-- <?robots x?> --><a><![CDATA[<?robots x?>]]></a>`, nil},
		{"another target", "text/xml", `<?robotsx a?><?xml-robots?>`, nil},
		{"HTML", "text/html", `<p>text<?robots index="no"?></p>`,
			[]facts.Directive{piD(7, "robots", `index="no"`, false)}},
		{"HTML, not in a template", "text/html", `<template><?robots x?></template><?robots y?>`,
			[]facts.Directive{piD(33, "robots", "y", false)}},
		{"HTML, not in a script", "text/html", `<script><?robots x?></script>`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Page([]byte(tt.src), tt.mime, nil)
			if diff := cmp.Diff(tt.want, got.Directives, noRaw); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// METAs and class tokens of XHTML that is parsed as XML.
func TestXHTML(t *testing.T) {
	const head = `<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" ` +
		`"x"><html>`
	at := int64(len(head))
	for _, tt := range []struct {
		name, src string
		want      []facts.Directive
	}{
		{"META in the head", `<head><meta name="robots" content="noindex"/></head>`,
			[]facts.Directive{metaD(at+6, "robots", "noindex")}},
		{"prefix", `<h:head><h:meta name="robots" content="noindex"/></h:head>`,
			[]facts.Directive{metaD(at+8, "robots", "noindex")}},
		{"METAs left open", `<head><meta name="a" content="b"><meta name="robots" content="noindex"></meta><meta ` +
			`name="robots" content="x"></head>`,
			[]facts.Directive{metaD(at+33, "robots", "noindex"), metaD(at+78, "robots", "x")}},
		{"not in a title, script, comment",
			`<head><title><meta name="robots" content="noindex"/></title><!--<meta name="robots" ` +
				`content="noindex"/>--></head>`,
			nil},
		{"META in the body", `<head></head><body><p><meta name="robots" content="noindex"/></p></body>`,
			[]facts.Directive{ofBody(metaD(at+22, "robots", "noindex"))}},
		{"META in a template", `<head></head><body><template><meta name="robots" content="noindex"/></template></body>`,
			nil},
		{"META behind the body", `<head></head><body></body><meta name="robots" content="noindex"/>`, nil},
		{"class tokens",
			`<head/><body><p id="i" class="the-acap:allow-index"/><template><p class="acap:a"/></template></` +
				`body><p class="acap:b"/>`,
			[]facts.Directive{classD(at+13, "p", "i", "the-acap:allow-index")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Page([]byte(head+tt.src+"</html>"), "application/xhtml+xml", nil)
			if diff := cmp.Diff(tt.want, got.Directives, noRaw); diff != "" {
				t.Error(diff)
			}
			if got.ParsedAs != facts.ParsedXML || got.Charset != "windows-1252" {
				t.Errorf("parsed as %q in %q", got.ParsedAs, got.Charset)
			}
		})
	}
}

func ofBody(d facts.Directive) facts.Directive {
	d.InBody = true
	return d
}

// R-META-1: in a document parsed as XML only XHTML has METAs and classes; PIs are every document's.
func TestOnlyXHTMLHasMETAs(t *testing.T) {
	for _, tt := range []struct {
		root, prefix string
		want         bool
	}{
		{`html`, "", true},
		{`HTML`, "", true},
		{`html xmlns=""`, "", true},
		{`html lang="en" xmlns = ' http&#58;//www.w3.org/1999/xhtml '`, "", true},
		{`html xmlns:o="urn:other" xmlns="http://www.w3.org/1999/xhtml"`, "", true},
		{`h:html xmlns:h="http://www.w3.org/1999/xhtml"`, "h:", true},
		{`h:html xmlns="urn:other" xmlns:h="http://www.w3.org/1999/xhtml" xmlns:other="urn:other"`, "h:", true},
		{`html xmlns="urn:other"`, "", false},
		{`html xmlns="http://www.w3.org/1999/XHTML"`, "", false},
		{`h:html xmlns:h="urn:other" xmlns="http://www.w3.org/1999/xhtml"`, "h:", false},
		{`package xmlns="http://www.w3.org/1999/xhtml"`, "", false},
		{`feed`, "", false},
	} {
		name, _, _ := strings.Cut(tt.root, " ")
		src := "<?xml version='1.0'?><!-- <html> --><" + tt.root + "><?robots x?><" + tt.prefix + `head><` + tt.prefix +
			`meta name="robots" content="noindex"/></` + tt.prefix +
			`head><html><head/></html><` + tt.prefix + `body class="the-acap:allow-index"><` + tt.prefix +
			`meta name="robots" content="noindex"/></` + tt.prefix + `body></` + name + ">"
		var carriers []string
		for _, d := range Page([]byte(src), "application/xml", nil).Directives {
			carriers = append(carriers, string(d.Carrier))
		}
		want := []string{"pi"}
		if tt.want {
			want = []string{"pi", "meta", "class", "meta"}
		}
		if diff := cmp.Diff(want, carriers); diff != "" {
			t.Errorf("<%s> (-want +got):\n%s", tt.root, diff)
		}
	}
}

// R-PARSE-1.
func TestParser(t *testing.T) {
	for _, tt := range []struct {
		mime, body string
		want       facts.Parser
	}{
		{"text/html", "<?xml version='1.0'?><html/>", facts.ParsedHTML},
		{"text/xml", "<html>", facts.ParsedXML},
		{"application/xml", "", facts.ParsedXML},
		{"application/xhtml+xml", "<html>", facts.ParsedXML},
		{"image/svg+xml", "<svg/>", facts.ParsedXML},
		{"", "<?xml version='1.0'?><a/>", facts.ParsedXML},
		{"", "\xEF\xBB\xBF \n<!DOCTYPE html>", facts.ParsedHTML},
		{"", "plain text", ""},
		{"text/plain", "<HTML><p>", facts.ParsedHTML},
		{"text/plain", "<http://example.com/>", ""},
		{"text/plain", "<?xml version='1.0'?>", ""},
		{"application/pdf", "<html>", ""},
	} {
		if got := ParserOf(tt.mime, []byte(tt.body)); got != tt.want {
			t.Errorf("%q %q: %q, want %q", tt.mime, tt.body, got, tt.want)
		}
	}
}

// R-HDR-1, R-AIP-3, R-SIG-3, R-TDM-1: all fields of their names, whatever the body is.
func TestHeaderFields(t *testing.T) {
	header := capture.Header{
		{Name: []byte("Date"), Value: []byte("x")},
		{Name: []byte("x-robots-tag"), Value: []byte("noindex")},
		{Name: []byte("X-Robots-Tag"), Value: []byte("googlebot: nofollow")},
		{Name: []byte("CONTENT-USAGE"), Value: []byte("train-ai=n")},
		{Name: []byte("Content-Usage-Report-Only"), Value: []byte("train-ai=n")},
		{Name: []byte("TDM-Reservation"), Value: []byte("1")},
		{Name: []byte("tdm-policy"), Value: []byte("/p")},
		{Name: []byte("content-signal"), Value: []byte("search=yes")},
	}
	got := Page([]byte("%PDF"), "application/pdf", header)
	want := []facts.Directive{
		{Carrier: facts.CarrierHeader, Offset: 1, Name: "x-robots-tag", Value: "noindex", Raw: "x-robots-tag: noindex"},
		{Carrier: facts.CarrierHeader, Offset: 2, Name: "X-Robots-Tag", Value: "googlebot: nofollow",
			Raw: "X-Robots-Tag: googlebot: nofollow"},
		{Carrier: facts.CarrierHeader, Offset: 3, Name: "CONTENT-USAGE", Value: "train-ai=n",
			Raw: "CONTENT-USAGE: train-ai=n"},
		{Carrier: facts.CarrierHeader, Offset: 5, Name: "TDM-Reservation", Value: "1", Raw: "TDM-Reservation: 1"},
		{Carrier: facts.CarrierHeader, Offset: 6, Name: "tdm-policy", Value: "/p", Raw: "tdm-policy: /p"},
		{Carrier: facts.CarrierHeader, Offset: 7, Name: "content-signal", Value: "search=yes",
			Raw: "content-signal: search=yes"},
	}
	if diff := cmp.Diff(want, got.Directives); diff != "" || got.ParsedAs != "" || got.Charset != "" {
		t.Errorf("parsed as %q in %q: %s", got.ParsedAs, got.Charset, diff)
	}
}

func TestCharset(t *testing.T) {
	for _, tt := range []struct{ name, served, src, want string }{
		{"mark before header", "koi8-r", "\xEF\xBB\xBF<p>", "utf-8"},
		{"header before META", "Latin1", "<meta charset=utf-8>", "windows-1252"},
		{"META", "", "<meta charset=KOI8-R>", "koi8-r"},
		{"META http-equiv", "", `<meta http-equiv="Content-Type" content="text/html; charset = 'Shift_JIS'">`,
			"shift_jis"},
		{"none", "", "<p>", "windows-1252"},
		{"unknown label", "x-none", "<p>", "x-none"},
		{"UTF-16 that was decoded", "utf-16be", "<meta charset=utf-16>", "utf-16be"},
	} {
		var s Scanner
		found := s.Scan([]byte(tt.src), facts.ParsedHTML)
		if got := found.CharsetOf(facts.ParsedHTML, strings.ToLower(tt.served), []byte(tt.src)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Which pages keep a row (tables.md): anything but what allows is restrictive.
func TestRestrictive(t *testing.T) {
	for content, want := range map[string]bool{
		"":                   false,
		"all":                false,
		"index, follow":      false,
		"INDEX FOLLOW":       false,
		"index,follow,noodp": false,
		"noydir":             false,
		"max-snippet:-1":     false,
		"max-snippet: -1, max-image-preview:large, max-video-preview:-1": false,
		"archive":                    false,
		"none":                       true,
		"noindex":                    true,
		"index,nofollow":             true,
		"noarchive":                  true,
		"max-snippet:20":             true,
		"max-image-preview:standard": true,
		"unavailable_after: 25 Jun 2010 15:00:00 EST": true,
		"7 days": true,
	} {
		if got := IsRestrictive([]byte(content)); got != want {
			t.Errorf("%q: %v", content, got)
		}
	}
}

func TestNormalContent(t *testing.T) {
	for content, want := range map[string]string{
		"NOFOLLOW  NoIndex":                           "noindex,nofollow",
		"noindex,nofollow,noindex":                    "noindex,nofollow",
		"follow, index,max-snippet: -1":               "index,follow,max-snippet:-1",
		"noindex\x00unavailable_after: 1 May\x00none": "none,noindex,unavailable_after",
		"":       "",
		"\xFF":   "\uFFFD",
		" , ,, ": "",
	} {
		if got := NormalContent([]byte(content)); got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}

func TestDirectivesAreBounded(t *testing.T) {
	got := Page([]byte(strings.Repeat("<meta name=robots content=none>", facts.MaxDirectives+5)), "text/html", nil)
	if len(got.Directives) != facts.MaxDirectives || !cmp.Equal(got.Defects, []string{string(DefectDirectives)}) {
		t.Errorf("%d directives, defects %v", len(got.Directives), got.Defects)
	}
	got = Page([]byte("<meta name=robots content='ACAP "+strings.Repeat("é", 5000)+"'>"), "text/html", nil)
	if len(got.Directives) != 1 || len(got.Directives[0].Value) > facts.MaxRaw ||
		!strings.HasSuffix(got.Directives[0].Value, "é") || !cmp.Equal(got.Defects, []string{string(DefectValue)}) {
		t.Errorf("%d directives, defects %v", len(got.Directives), got.Defects)
	}
}
