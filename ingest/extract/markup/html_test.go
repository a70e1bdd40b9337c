package markup

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/longtest"
)

// trace is a receiver that notes every META of the head, directive or not, those of the body that are directives, every
// class token and every robots PI.
type trace struct {
	Findings
	metas   []string
	inBody  []string
	classes []string
	pis     []string
	links   []string // targets
}

func (tr *trace) meta(src []byte, t *tag, inBody bool) {
	if !t.name.set || !t.content.set {
		return
	}
	name, content := string(decodeValue(t.name.in(src))), string(decodeValue(t.content.in(src)))
	switch {
	case !inBody:
		tr.metas = append(tr.metas, metaText(name, content))
	case isDirective(name, content):
		tr.inBody = append(tr.inBody, metaText(name, content))
	}
}

func metaText(name, content string) string { return fmt.Sprintf("%q=%q", name, content) }

// isDirective reports whether a META is a raw directive.
func isDirective(name, content string) bool {
	name = strings.TrimFunc(name, isBlankRune)
	return name != "" && (beginsWithACAP([]byte(content)) || IsPreference([]byte(name)) ||
		isConventional([]byte(name), []byte(content)))
}

func (tr *trace) class(src []byte, t *tag) {
	before := len(tr.Findings.Directives)
	tr.Findings.class(src, t)
	for _, d := range tr.Findings.Directives[before:] {
		tr.classes = append(tr.classes, fmt.Sprintf("%s#%s %q", d.Name, d.elementID, d.Value))
	}
}

func (tr *trace) pi(src []byte, lt, end int, late bool) {
	before := len(tr.Findings.Directives)
	tr.Findings.pi(src, lt, end, late)
	for range tr.Findings.Directives[before:] {
		tr.pis = append(tr.pis, asComment(bytes.TrimSuffix(src[lt+len("<"):end], []byte(">"))))
	}
}

func (tr *trace) link(src []byte, t *tag) {
	before := len(tr.Findings.Directives)
	tr.Findings.link(src, t)
	for _, d := range tr.Findings.Directives[before:] {
		tr.links = append(tr.links, string(d.Value))
	}
}

// isLicence reports whether a link element names a licence of RSL.
func isLicence(n *html.Node) bool {
	rel, _ := attribute(n, "rel")
	mediaType, _ := attribute(n, "type")
	mediaType, _, _ = strings.Cut(lower([]byte(mediaType)), ";")
	return strings.TrimFunc(mediaType, isBlankRune) == rslType &&
		slices.Contains(strings.FieldsFunc(lower([]byte(rel)), isBlankRune), "license")
}

// asComment is the text of a comment as the reference has it.
func asComment(data []byte) string {
	return html.UnescapeString(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD").Replace(string(data)))
}

// robotsPI is the comment that the tree has in place of a robots PI.
var robotsPI = regexp.MustCompile(`(?i)^\?robots(?:[ \t\r\n\f]|\??$)`)

// otherPI finds what the tree does not let tell from such a comment, or makes such a comment of: real comments with
// that text, and character references, which the reference decodes there.
var otherPI = regexp.MustCompile(`(?i)<(?:!--|!|/)\?robots|<\?[^>]*&`)

func scanned(src []byte) *trace {
	var tr trace
	var s htmlScanner
	s.scan(src, &tr)
	tr.classes = set(tr.classes)
	slices.Sort(tr.inBody)
	slices.Sort(tr.pis)
	return &tr
}

func set(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

// references is what the tree of a document has, each list in the order of a trace.
type references struct{ metas, inBody, classes, pis, links []string }

// reference reads a document with golang.org/x/net/html, scripting on (R-META-1): the METAs in its head, the directives
// among those in its body, the class tokens of its body and the comments that are robots PIs, templates aside. ok is
// false where the reference refuses the document.
func reference(src []byte) (found references, ok bool) {
	doc, err := html.ParseWithOptions(bytes.NewReader(bytes.TrimPrefix(src, utf8BOM)),
		html.ParseOptionEnableScripting(true))
	if err != nil {
		return references{}, false
	}
	var walk func(n *html.Node, inHead, inBody bool)
	walk = func(n *html.Node, inHead, inBody bool) {
		if n.Type == html.ElementNode && n.Data == "template" && n.Namespace == "" {
			found.classes = append(found.classes, classTokens(n, inBody)...)
			return
		}
		if n.Type == html.CommentNode && robotsPI.MatchString(n.Data) {
			found.pis = append(found.pis, n.Data)
		}
		if n.Type == html.ElementNode && n.Parent != nil && n.Parent.Type == html.ElementNode &&
			n.Parent.Parent != nil && n.Parent.Parent.Type == html.DocumentNode {
			inHead = n.Data == "head"
			inBody = n.Data == "body"
		}
		if n.Type == html.ElementNode {
			if n.Data == "meta" && n.Namespace == "" {
				name, hasName := attribute(n, "name")
				content, hasContent := attribute(n, "content")
				switch {
				case !hasName || !hasContent:
				case inHead:
					found.metas = append(found.metas, metaText(name, content))
				case inBody && isDirective(name, content):
					found.inBody = append(found.inBody, metaText(name, content))
				}
			}
			if href, named := attribute(n, "href"); n.Data == "link" && n.Namespace == "" && inHead && named &&
				isLicence(n) {
				found.links = append(found.links, href)
			}
			found.classes = append(found.classes, classTokens(n, inBody)...)
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child, inHead, inBody)
		}
	}
	walk(doc, false, false)
	// A tree may change their order.
	slices.Sort(found.inBody)
	slices.Sort(found.pis)
	found.classes = set(found.classes)
	return found, true
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

func classTokens(n *html.Node, inBody bool) (tokens []string) {
	class, _ := attribute(n, "class")
	id, _ := attribute(n, "id")
	for _, token := range strings.FieldsFunc(class, func(r rune) bool { return r < 0x80 && isSpace(byte(r)) }) {
		if inBody && (FoldPrefix([]byte(token), "the-acap:") || FoldPrefix([]byte(token), "acap:")) {
			tokens = append(tokens, fmt.Sprintf("%s#%s %q", lower([]byte(n.Data)), id, token))
		}
	}
	return tokens
}

// hasTypographicQuotes leaves out what R-META-2 reads otherwise on purpose.
func hasTypographicQuotes(src []byte) bool {
	for i := range src {
		if src[i] == '=' && quoteLen(src[skipSpace(src, i+1):]) > 0 {
			return true
		}
	}
	return false
}

// foreignInTemplate reports whether svg or math stands in a document with templates: the known difference of
// htmlScanner.
func foreignInTemplate(src []byte) bool {
	return bytes.Contains(bytes.ToLower(src), []byte("<template")) && hasForeign(src)
}

// hasForeign reports whether svg or math stands in a document. The scanner keeps no list of open elements: where one is
// left open, an end tag that belongs to nothing closes it, and what follows may be raw text that is markup in the tree,
// or the other way round.
func hasForeign(src []byte) bool {
	low := bytes.ToLower(src)
	return bytes.Contains(low, []byte("<svg")) || bytes.Contains(low, []byte("<math"))
}

// treeDrops reports whether the document has tags that a tree may drop, move out of the body or rename, so that the
// class tokens of the tags are more than those of the tree.
func treeDrops(src []byte) bool {
	low := bytes.ToLower(src)
	for _, s := range []string{"<svg", "<math", "<t", "<caption", "<col", "<frame", "<html", "<body", "<head", "<form",
		"<select",
		"<option", "<image", "&"} {
		if bytes.Contains(low, []byte(s)) {
			return true
		}
	}
	return false
}

// bodyReplaced reports whether a frameset may stand behind the beginning of a body, whose place it takes in the tree,
// with other rules for what follows.
func bodyReplaced(src []byte) bool {
	var s htmlScanner
	s.scan(src, &Findings{})
	return s.phase == inBody && bytes.Contains(bytes.ToLower(src), []byte("<frameset"))
}

// codedType reports whether a media type may be written with character references, which the scanner does not look for.
func codedType(src []byte) bool { return referenceInType.Match(src) }

var referenceInType = regexp.MustCompile(`(?i)type\s*=\s*["']?[^"'<>]*&`)

func compare(t *testing.T, src []byte) {
	t.Helper()
	if hasTypographicQuotes(src) {
		return
	}
	want, ok := reference(src)
	if !ok {
		return
	}
	got := scanned(src)
	if !foreignInTemplate(src) {
		if diff := cmp.Diff(want.metas, got.metas); diff != "" {
			t.Fatalf("METAs of %q (-tree +Scanner):\n%s", src, diff)
		}
		if diff := cmp.Diff(want.links, got.links); diff != "" && !codedType(src) {
			t.Fatalf("licences of %q (-tree +Scanner):\n%s", src, diff)
		}
	}
	if !hasForeign(src) && !bodyReplaced(src) {
		if diff := cmp.Diff(want.inBody, got.inBody); diff != "" {
			t.Fatalf("METAs in the body of %q (-tree +Scanner):\n%s", src, diff)
		}
	}
	if !foreignInTemplate(src) && !bodyReplaced(src) && !otherPI.Match(src) {
		if !slices.Equal(want.pis, got.pis) {
			t.Fatalf("PIs of %q (-tree +Scanner):\n%s", src, cmp.Diff(want.pis, got.pis))
		}
	}
	if !treeDrops(src) {
		if diff := cmp.Diff(want.classes, got.classes); diff != "" {
			t.Fatalf("class tokens of %q (-tree +Scanner):\n%s", src, diff)
		}
	}
}

// R-META-1: the METAs of the head, as the HTML standard builds it.
func TestMETAsOfTheHead(t *testing.T) {
	const m = `<meta name=robots content=noindex>`
	for _, tt := range []struct {
		name, src string
		want      int
	}{
		{"in the head", "<html><head>" + m + "</head>", 1},
		{"no tags around", m, 1},
		{"byte order mark", "\xEF\xBB\xBF" + m, 1},
		{"after doctype and comment", "<!DOCTYPE html><!-- c -->\n" + m, 1},
		{"in a comment", "<!--" + m + "-->", 0},
		{"in an unclosed comment", "<!-- -- > " + m, 0},
		{"after an abrupt comment", "<!-->" + m, 1},
		{"in CDATA, which HTML has not", "<![CDATA[>" + m + "]]>", 1},
		{"in script", "<script>" + m + "</script>", 0},
		{"in script hidden by a comment", "<script><!--<script></script>" + m + "</script>--></script>", 0},
		{"behind script", "<script>'<'</script>" + m, 1},
		{"in style", "<style>" + m + "</style>", 0},
		{"in title", "<title>" + m + "</title>", 0},
		{"in title that is not closed", "<title>" + m, 0},
		{"in template", "<template>" + m + "</template>", 0},
		{"in template in template", "<template><template></template>" + m + "</template>" + m, 1},
		{"in template with table cells", "<template><td><tr></template>" + m, 1},
		{"in noscript in the head", "<noscript>" + m + "</noscript>" + m, 1},
		{"behind a noscript with an image", "<noscript><img>" + m + "</noscript>" + m, 1},
		{"behind a noscript in a noscript", "<noscript><noscript></noscript>" + m + "</noscript>" + m, 2},
		{"behind a noscript after </head>", "<head></head><noscript></noscript>" + m, 0},
		{"in noscript that is not closed", "<noscript>" + m, 0},
		{"in noscript of the body", "<body><noscript>" + m + "</noscript>", 0},
		{"in textarea", "<textarea>" + m + "</textarea>", 0},
		{"in the body", "<body>" + m, 0},
		{"after text", "text" + m, 0},
		{"after a div", "<div></div>" + m, 0},
		{"after </head>", "<head></head>" + m, 1},
		{"after </head> and white space", "<head></head>\n &#32; " + m, 1},
		{"after </head> and text", "<head></head>x" + m, 0},
		{"after </body>", "<head></head></body>" + m, 0},
		{"in frameset", "<head></head><frameset>" + m, 0},
		{"after unknown end tags", "</p></div>" + m, 1},
		{"in an attribute", `<link title="` + m + `">`, 0},
		{"tag that does not end", "<meta name=robots content=noindex", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := scanned([]byte(tt.src)); len(got.metas) != tt.want {
				t.Errorf("%d METAs %v, want %d", len(got.metas), got.metas, tt.want)
			}
			compare(t, []byte(tt.src))
		})
	}
}

// Attributes are read as the HTML standard reads them.
func TestAttributes(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"no space, no quotes", `<META NAME='robots'CONTENT=noindex>`, `"robots"="noindex"`},
		{"self-closing", `<meta name="a" content="b"/>`, `"a"="b"`},
		{"solidus in an unquoted value", `<meta name=a content=b/>`, `"a"="b/"`},
		{"solidus between", `<meta/name=a/content=b>`, `"a/content"="b"`},
		{"entities", `<meta name=a content="&lt;b&#62;&amp;amp;&hellip;">`, `"a"="<b>&amp;…"`},
		{"entities without semicolon", `<meta name=a content="x&copy=1&notit;&copy&lt">`, `"a"="x&copy=1&notit;©<"`},
		{"newlines", "<meta\nname=a\r\ncontent='b\r\nc\rd'>", `"a"="b\nc\nd"`},
		{"duplicates", `<meta name=a name=b content=c CONTENT=d>`, `"a"="c"`},
		{"no value", `<meta name content=c>`, `""="c"`},
		{"equals sign first", `<meta =x name=a content=b>`, `"a"="b"`},
		{"blanks around the equals sign", "<meta name = a content\t=\n'b'>", `"a"="b"`},
		{"NUL", "<meta name=a\x00b content=c>", `"a` + "\uFFFD" + `b"="c"`},
		{"angle in quotes", `<meta name=a content="x>y">`, `"a"="x>y"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := []byte(tt.src)
			if tt.name == "solidus between" {
				tt.want = scannedReference(src)
			}
			if got := strings.Join(scanned(src).metas, " "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			compare(t, src)
		})
	}
}

func scannedReference(src []byte) string {
	found, _ := reference(src)
	return strings.Join(found.metas, " ")
}

// soup generates documents out of pieces that decide where the head ends, what is raw text, and how attributes are
// read.
func soup(r *rand.Rand, pieces []string, n int) []byte {
	var b strings.Builder
	for range n {
		p := pieces[r.IntN(len(pieces))]
		if strings.Contains(p, "%d") {
			p = fmt.Sprintf(p, r.IntN(1000))
		}
		b.WriteString(p)
	}
	return []byte(b.String())
}

var headPieces = []string{
	"<meta name=robots content=n%d>", "<META content='ACAP allow-index' name=\"x%d\">",
	"<meta name=a%d content=&quot;b/>",
	"<meta name=robots content=n%d>", "<meta name=robots content=n%d>", "<html>", "<head>", "</head>", "<body>",
	"</body>", "</html>",
	"<title>", "</title>", "<style>", "</style>", "<script>", "</script>", "<noscript>", "</noscript>", "<noframes>",
	"</noframes>",
	"<template>", "</template>", "<template>", "</template>", "<col>", "<td>", "<tr>", "<table>", "</table>",
	"<meta name=TDM-Reservation content=%d>", "<select>", "<link>",
	"<link rel=license type=application/rsl+xml href=l%d>",
	"<LINK HREF='%d' TYPE=\"Application/RSL+XML; a\" rel=\"x LICENSE\"/>", "<link rel=license type=text/html href=x>",
	"<base>", "<bgsound>", "</br>", "<br>", "</p>", "<!--", "-->", "--!>", "<!-->", "<!doctype html>", "<!x>",
	"<?robots n%d?>", "<?robotsx>", "<![CDATA[", "]]>", " ", "\n", "&#32;", "&nbsp;", "&Tab;", "\x00", "x", "<", "</",
	"</>", "<a", "\"", "'", "=", ">", "/", "<textarea>", "</textarea>",
	"<xmp>", "</xmp>", "<iframe>", "</iframe>", "<plaintext>", "<frameset>", "<!--<script ", "<script>", "<!--", "-",
	"<1", "<p>",
	"<colgroup>", "<caption>", "<form>", "<svg>", "</svg>", "<title/>", "<script/>", "<template/>",
}

// scriptPieces make the states of script data, in which an end tag may be hidden.
var scriptPieces = []string{
	"<script>", "</script>", "<script", "<!--", "-->", "--", "-", "<", "<1", "</", "/", ">", "!", "script",
	"<meta name=a content=b>", " ",
}

var bodyPieces = []string{
	"<p class='the-acap:disallow-index' id=p%d>", "<b class=acap:x%d>",
	"<div id=d%d class=\"a THE-ACAP:allow-present\tacap:b\">", "</p>",
	"</b>", "</div>", "<a href=x class=the-acap:x%d>", "</a>", "<span class=the-acap-x>", "text", "<?robots n%d?>",
	"<?ROBOTS\tn%d>", "<!-- <p class=acap:c> -->", "<script>",
	"</script>", "<style>", "</style>", "<iframe>", "</iframe>", "<noscript>", "</noscript>", "<xmp>", "</xmp>",
	"<p class=acap:p class=acap:q>",
	"<li class='acap:l%d'>", "<ul>", "</ul>", "<br class=acap:br%d>", "<!--", "-->", "<", "\"", "'",
	"<h1 class=acap:h%d/>", "<button class=acap:u%d>",
	"<meta name=robots content=n%d>", "<META content='ACAP allow-x%d' NAME=\"a\">",
	"<meta name=bot%d content=noindex/>", "<meta itemprop=x content=x%d>",
	"<nobr class=acap:n%d>", "<marquee class=acap:m%d>", "<textarea class=acap:a%d>", "</textarea>",
	"<custom-x class=acap:x%d>", "</custom-x>",
}

// An end tag in an unclosed svg ends that only if it closes an element around it, or is of p or br.
func TestEndTagsInForeignContent(t *testing.T) {
	for _, src := range []string{
		"<svg></body><style><?robots n1?>", "<svg></html><style><?robots n2?>", "<svg></table><style><?robots n3?>",
		"<table><td><svg></table><style><?robots n4?>", "<div><svg></div><style><?robots n5?>",
		"<svg></p><style><?robots n6?>", "<svg></br><style><?robots n7?>", "<div></div><svg></div><style><?robots n8?>",
		"<hr><svg></hr><style><?robots n9?>",
	} {
		compare(t, []byte(src))
	}
}

func TestSoupsAgreeWithTheReference(t *testing.T) {
	n := 40_000
	if !longtest.Enabled() {
		n = 4000
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		compare(t, soup(r, headPieces, 1+r.IntN(30)))
		compare(t, soup(r, scriptPieces, 1+r.IntN(16)))
		compare(t, append([]byte("<meta name=a content=b>"), soup(r, bodyPieces, 1+r.IntN(30))...))
	}
}

// shared returns the folder of archives and pages next to the repository, "" if it is not there.
func shared(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	dir = filepath.Join(dir, "..", "shared", "data")
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// eachPage calls f with the body of every HTML page in the archives and pages of shared, until it wants no more. It
// returns how many there were.
func eachPage(t testing.TB, f func(name string, body []byte) (more bool)) int {
	dir, pages := shared(t), 0
	if dir == "" {
		return 0
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.HasSuffix(path, ".html"):
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			pages++
			if !f(path, body) {
				return fs.SkipAll
			}
			return nil
		case !strings.Contains(path, ".warc") && !strings.Contains(path, ".arc"):
			return nil
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		in, err := archive.NewReader(file, archive.Options{})
		if err != nil {
			return nil // empty, or no archive
		}
		out := capture.NewReader(capture.Options{})
		for lost := 0; lost < 1000; {
			rec, err := in.Next()
			if _, isLost := err.(*archive.RecordError); isLost {
				lost++
				continue
			}
			if err != nil {
				return nil // the end, or no archive
			}
			if c, err := out.Read(rec); err == nil && c.Body != nil &&
				ParserOf(c.MimeType, c.Body) == facts.ParsedHTML {
				pages++
				if !f(path+" "+c.URL, c.Body) {
					return fs.SkipAll
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// addRealPages seeds a fuzz target with small real pages, where they are there.
func addRealPages(f *testing.F, add func(body []byte)) {
	seeds := 0
	eachPage(f, func(_ string, body []byte) bool {
		if len(body) <= 8<<10 {
			seeds++
			add(bytes.Clone(body))
		}
		return seeds < 64
	})
}

// withPolicy writes robots PIs, METAs and class tokens into a page, at random places, since real pages have hardly any:
// what looks like a tag in a script or comment gets some, too.
func withPolicy(r *rand.Rand, page []byte) []byte {
	var b bytes.Buffer
	tags := bytes.Count(page, []byte("<"))
	for rest := page; ; {
		text, markup, found := bytes.Cut(rest, []byte("<"))
		b.Write(text)
		if !found {
			return b.Bytes()
		}
		// A page gets about twenty of each.
		if r.IntN(tags) < 20 {
			fmt.Fprintf(&b, "<?robots n%d?>", b.Len())
		}
		if r.IntN(tags) < 10 {
			fmt.Fprintf(&b, "<Meta name=robots content=n%d>", b.Len())
		}
		b.WriteByte('<')
		name := 0
		for name < len(markup) && isLetter(markup[name]) {
			name++
		}
		b.Write(markup[:name])
		if name > 0 && r.IntN(tags) < 20 {
			fmt.Fprintf(&b, " class=the-acap:x%d ", b.Len())
		}
		rest = markup[name:]
	}
}

func TestRealPagesAgreeWithTheReference(t *testing.T) {
	if shared(t) == "" {
		t.Skip("the folder ../shared/data with real archives is not here")
	}
	r := rand.New(rand.NewPCG(5, 6))
	metas, inBody, acap, pis, classes, dropped := 0, 0, 0, 0, 0, 0
	agree := func(name string, body []byte) {
		want, ok := reference(body)
		if !ok || hasTypographicQuotes(body) {
			return
		}
		got := scanned(body)
		metas, inBody = metas+len(got.metas), inBody+len(got.inBody)
		if diff := cmp.Diff(want.metas, got.metas); diff != "" {
			t.Errorf("METAs of %s (-tree +Scanner):\n%s", name, diff)
		}
		if diff := cmp.Diff(want.inBody, got.inBody); diff != "" {
			t.Errorf("METAs in the body of %s (-tree +Scanner):\n%s", name, diff)
		}
		pis += len(got.pis)
		if diff := cmp.Diff(want.pis, got.pis); diff != "" {
			t.Errorf("PIs of %s (-tree +Scanner):\n%s", name, diff)
		}
		// The tags may have more tokens than the tree, which drops elements; never less.
		for _, token := range want.classes {
			if _, found := slices.BinarySearch(got.classes, token); !found {
				t.Errorf("class tokens of %s: the tree has %s, the Scanner has not", name, token)
			}
		}
		classes, dropped = classes+len(want.classes), dropped+len(got.classes)-len(want.classes)
	}
	pages := eachPage(t, func(name string, body []byte) bool {
		agree(name, body)
		agree(name+" with policy", withPolicy(r, body))
		for _, d := range Page(body, "text/html", nil).Directives {
			if beginsWithACAP([]byte(d.Value)) {
				acap++
			}
		}
		return true
	})
	if pages < 100 || metas < 200 || inBody < 1000 || acap < 4 || pis < 1000 || classes < 1000 {
		t.Errorf("only %d pages were read, with %d METAs and %d in bodies, %d ACAP, %d PIs, %d class tokens", pages,
			metas, inBody, acap, pis, classes)
	}
	t.Logf("%d pages; with what was written in: %d METAs and %d in bodies, %d ACAP, %d PIs, %d class tokens and %d "+
		"that trees drop",
		pages, metas, inBody, acap, pis, classes, dropped)
}

// FuzzHTML checks that the scanner agrees with the reference, and that its findings lie within the document.
func FuzzHTML(f *testing.F) {
	f.Add([]byte("<title>x</title><META NAME='robots'CONTENT=noindex><template><meta name=a content=b></template><p " +
		"class='the-acap:allow-index'>"))
	f.Add([]byte("<noscript><meta name=robots content=none></noscript></head> <meta name=x content='ACAP " +
		"allow-crawl'><?robots index=\"no\"?>"))
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		f.Add(soup(r, headPieces, 20))
		f.Add(soup(r, bodyPieces, 20))
	}
	addRealPages(f, func(body []byte) { f.Add(body) })
	f.Fuzz(func(t *testing.T, src []byte) {
		compare(t, src)
		var found Findings
		var s htmlScanner
		s.scan(src, &found)
		for _, d := range found.Directives {
			if d.offset < 0 || d.offset >= len(src) || src[d.offset] != '<' {
				t.Fatalf("offset %d is not that of a tag in %q", d.offset, src)
			}
		}
		var x xmlScanner
		x.scan(src, &found)
	})
}

// hostileDocuments are documents of n of whatever makes a scanner look far ahead, or back.
func hostileDocuments(n int) map[string]string {
	return map[string]string{
		"nested divs":         strings.Repeat("<div class='the-acap:allow-index'>", n),
		"nested templates":    strings.Repeat("<template>", n) + "<meta name=a content=b>",
		"nested svg":          "<p class=acap:x>" + strings.Repeat("<svg>", n) + strings.Repeat("</p>", n),
		"template ends":       strings.Repeat("<template>", 500) + strings.Repeat("</svg>", n),
		"open comments":       strings.Repeat("<!--", n),
		"open quotes":         strings.Repeat("<a b=\"", n),
		"many attributes":     "<meta" + strings.Repeat(" a=b", n) + ">",
		"text of references":  strings.Repeat("&#32;", n) + "<meta name=robots content=none>",
		"long value":          "<meta name=robots content='ACAP " + strings.Repeat("&amp;", n) + "'>",
		"open PIs":            strings.Repeat("<?robots ", n),
		"script with escapes": "<script>" + strings.Repeat("<!--<script>", n),
		"doctype in doctype":  strings.Repeat("<!DOCTYPE [", n),
		"smart quotes":        strings.Repeat("<meta name=“", n),
		"ends of no element": "<p class=acap:x>" + strings.Repeat("<svg><desc>", 250) +
			strings.Repeat("</foreignobject>", n),
		"open CDATA":   "<p class=acap:x><svg>" + strings.Repeat("<![CDATA[", n),
		"dashes":       "<p class=acap:x><!" + strings.Repeat("--", n) + strings.Repeat("->", n),
		"equals signs": "<meta name=robots " + strings.Repeat("= ", n) + ">",
		"blanks": "<meta name=robots a=" + strings.Repeat(" ", n) + ">" + strings.Repeat("<p> ", n) +
			"<b class=acap:x>",
		"almost the gate":     strings.Repeat("<?robot acap acap; ", n) + strings.Repeat("cap:&", n),
		"open tags":           "<p class=acap:x>" + strings.Repeat("<a ", n),
		"open ends":           "<p class=acap:x>" + strings.Repeat("</a ", n),
		"a comment of angles": "<p class=acap:x><!--" + strings.Repeat(" >", n) + "-->",
		"PIs in a doctype":    "<!DOCTYPE a [" + strings.Repeat("<?robots x='>'?> '>'", n) + "]>",
		"tokens of one class": "<body><p id='" + strings.Repeat("&lt;", n) + "' class='" +
			strings.Repeat("acap:x ", n) + "'>",
		"directives":      strings.Repeat("<meta name=robots content='ACAP disallow-index'>", n),
		"METAs of a body": "<body>" + strings.Repeat("<meta itemprop=x content=y>", n),
		"METAs in METAs":  "<body>" + strings.Repeat("<meta name=x content='", n) + strings.Repeat("'>", n),
		"open METAs":      "<body>" + strings.Repeat("<meta ", n),
		"long METAs": "<body>" + strings.Repeat("<meta name=x content='"+strings.Repeat("&amp;", 40)+"'>",
			n/40),
		"directives of bodies": "<body>" + strings.Repeat("<meta name=robots content='ACAP disallow-index'>", n),
		"pairs of no META":     "<body>" + strings.Repeat("<m", n),
		"almost ends of raw": "<title>" + strings.Repeat("</titl", n) + "</title><script>" +
			strings.Repeat("</scrip<!--", n),
	}
}

// Hostile documents are read within all limits.
func TestHostileDocuments(t *testing.T) {
	for name, src := range hostileDocuments(300_000) {
		t.Run(name, func(t *testing.T) {
			var s Scanner
			for _, as := range []facts.Parser{facts.ParsedHTML, facts.ParsedXML} {
				s.Scan([]byte(src), as)
				if len(s.found.Directives) > facts.MaxDirectives {
					t.Errorf("%d directives", len(s.found.Directives))
				}
				elements, all := 0, 0
				for _, d := range s.found.Directives {
					if len(d.Value) > facts.MaxRaw || len(d.raw) > facts.MaxRaw {
						t.Fatalf("a value of %d bytes, raw %d", len(d.Value), len(d.raw))
					}
					elements += len(d.elementID)
					all += len(d.Name) + len(d.Value) + len(d.elementID) + len(d.raw)
				}
				if all > 2*len(src)+2*maxElements {
					t.Errorf("%d bytes of directives out of %d of the document", all, len(src))
				}
				if elements > maxElements {
					t.Errorf("ids of %d bytes", elements)
				}
			}
		})
	}
}

// plainPage is a page of about 20 KB without directives.
func plainPage() []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<title>An article about nothing</title>\n")
	b.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta name=\"description\" content=\"Nothing, at length.\">\n")
	for i := range 12 {
		fmt.Fprintf(&b, "<link rel=\"stylesheet\" href=\"https://static.example.com/css/part%d.css?v=3\" "+
			"media=\"all\">\n", i)
	}
	b.WriteString("<script>window.data = {\"a\": 1, \"b\": \"<p>\"};" + strings.Repeat(" f(1 < 2);", 60) +
		"</script>\n</head>\n<body class=\"page home\">\n")
	for i := 0; b.Len() < 20<<10; i++ {
		fmt.Fprintf(&b, "<div class=\"item item-%d\"><a href=\"https://example.com/story/%d?from=home\">Story: "+
			"%d</a><p>Some words &amp; more of them.</p></div>\n", i, i, i)
	}
	b.WriteString("</body></html>\n")
	return []byte(b.String())
}

func TestPagesWithoutDirectivesAllocateNothing(t *testing.T) {
	plain := plainPage()
	body := func(text string) []byte { return bytes.Replace(plain, []byte("</body>"), []byte(text+"</body>"), 1) }
	head := func(text string) []byte { return bytes.Replace(plain, []byte("</head>"), []byte(text+"</head>"), 1) }
	var s Scanner
	for name, page := range map[string][]byte{
		"plain": plain,
		"scripts and styles": head("<script><!-- document.write('<script></script>') " +
			"--></script><style>p{}</style><noscript><link rel=x></noscript>"),
		"comments": head("<!-- <meta name=robots content=noindex> --><!-->"),
		"templates": head(strings.Repeat("<template><meta name=robots content=none></template>",
			20)),
		"METAs of microdata": body("<meta itemprop=name content='a &amp; b'><meta name=author " +
			"content=x><main>"),
		"METAs that are none of ours": head("<meta property=og:title content='x'><meta name=keywords content='a, " +
			"b'><meta http-equiv=Refresh content=5>"),
		"a body that is read to the end": body("acap: <!-- c --><script>x</script><svg><desc><p class='a " +
			"b'></desc></svg><template></template>"),
		"PIs of others": body("<?xml version='1.0'?><?robots-txt?>"),
	} {
		if n := testing.AllocsPerRun(50, func() { s.Scan(page, facts.ParsedHTML) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
		if len(s.found.Directives) > 0 {
			t.Errorf("%s: the page has directives: %v", name, s.found.Directives)
		}
	}
}

// R-META-1: METAs of the body are found wherever the tree has them there.
func TestMETAsOfTheBody(t *testing.T) {
	const m = `<meta name=robots content=noindex>`
	for _, tt := range []struct {
		name, src string
		want      int
	}{
		{"in the body", "<head></head><body>" + m, 1},
		{"after text", "text" + m, 1},
		{"after </body>", "<body></body>" + m, 1},
		{"deep inside", "<body><table><tr><td><ul><li>" + m, 1},
		{"in a table, which throws it out", "<body><table>" + m + "</table>", 1},
		{"in svg, which it ends", "<body><svg>" + m + "</svg>", 1},
		{"any case and white space", "<body><MeTa\n\tName=ROBOTS\fContent=NOINDEX/>", 1},
		{"ACAP for one crawler", "<body><meta name=Bot content='acap disallow-index'>", 1},
		{"character references", "<body><meta name=&#114;obots content=&#65;CAP>", 1},
		{"typographic quotes", "<body><meta name=“robots” content=“ACAP disallow-index”>", 1},
		{"behind one that is not closed", "<body><!-- <meta content=' -->" + m, 1},
		{"several", "<body>" + m + "<p>" + m, 2},
		{"one of the head is another", "<head>" + m + "</head><body>", 0},
		{"of microdata", "<body><meta itemprop=name content=noindex>", 0},
		{"in a comment", "<body><!--" + m + "-->", 0},
		{"in script", "<body><script>'" + m + "'</script>", 0},
		{"in a template", "<body><template>" + m + "</template>", 0},
		{"in noscript", "<body><noscript>" + m + "</noscript>", 0},
		{"in textarea", "<body><textarea>" + m + "</textarea>", 0},
		{"in an attribute", "<body><p title='" + m + "'>", 0},
		{"in a frameset", "<head></head><frameset>" + m, 0},
		{"tag that does not end", "<body><meta name=robots content=noindex", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := 0
			for _, d := range Page([]byte(tt.src), "text/html", nil).Directives {
				if d.InBody {
					got++
				}
			}
			if got != tt.want {
				t.Errorf("%d METAs, want %d", got, tt.want)
			}
			compare(t, []byte(tt.src))
		})
	}
}

// The hints, read eight or sixteen bytes at a time, are those of a search byte by byte.
func TestGates(t *testing.T) {
	pieces := []string{"acap:", "ACAP&", "<?robots", "<?ROBOTS", "<meta ", "<Meta\n", "<meta/", "<META>", "acap", "<m",
		"<?", "ap:", "c", ":", "<", "<meta", "x",
		"\x1cmeta", "\x00", "\xff", "m", "http://", "<metadata>", "Aca", "p", "&", "=", " ", "something that is long"}
	r := rand.New(rand.NewPCG(7, 8))
	for range 100_000 {
		src := soup(r, pieces, r.IntN(12))
		want := hints{classToken: mayHoldClassToken(src), pi: bytes.Contains(bytes.ToLower(src), []byte("<?robots")),
			lastMETA: -1}
		for i := range src {
			if beginsMETA(src[i:]) {
				want.lastMETA = i
			}
		}
		got := findHints(src)
		if want.classToken || want.pi { // what is behind it does not matter
			if !got.classToken && !got.pi || got.classToken && !want.classToken || got.pi && !want.pi {
				t.Fatalf("%q: %+v, want %+v", src, got, want)
			}
		} else if got != want {
			t.Fatalf("%q: %+v, want %+v", src, got, want)
		}
	}
}

// Of a page without directives findHints reads each byte, and the scanner reads the head only.
func TestPagesWithoutDirectivesCostOnePass(t *testing.T) {
	page := plainPage()
	head := bytes.Index(page, []byte("<body"))
	for _, tt := range []struct {
		name, tail string
		read       int
	}{
		{"no directive", "", head},
		{"a class token at the very end", "<p class=the-acap:allow-index>", len(page)},
		{"a PI at the very end", "<?robots x?>", len(page)},
		{"a META at the very end", "<META CONTENT=noindex NAME=Robots>", len(page)},
		{"METAs of microdata",
			"<meta itemprop=datePublished content=2008-11-30><meta name=twitter:card content=summary><meta " +
				"name=robots>", head},
		{"what is no META", "<metadata name=robots content=noindex><main name=robots content=noindex>", head},
	} {
		var s htmlScanner
		s.scan(append(bytes.Clone(page), tt.tail...), &Findings{})
		if slack := len("<body class=\"page home\">"); s.end < tt.read || s.end > tt.read+max(slack, len(tt.tail)) {
			t.Errorf("%s: the Scanner read %d bytes of %d, the head has %d", tt.name, s.end, len(page)+len(tt.tail),
				head)
		}
	}
}

// BenchmarkScan20KB compares a page without directives with what the reference costs.
func BenchmarkScan20KB(b *testing.B) {
	body := plainPage()
	b.Run("scanner", func(b *testing.B) {
		var s Scanner
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			s.Scan(body, facts.ParsedHTML)
		}
	})
	b.Run("scannerWithBody", func(b *testing.B) {
		var s Scanner
		body := bytes.Replace(body, []byte("item-3\""), []byte("item-3 the-acap:allow-index\""), 1)
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			s.Scan(body, facts.ParsedHTML)
		}
	})
	b.Run("scannerWithMicrodata", func(b *testing.B) {
		var s Scanner
		body := bytes.ReplaceAll(body, []byte("<p>"), []byte("<meta itemprop=\"position\" content=\"1\"><p>"))
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			s.Scan(body, facts.ParsedHTML)
		}
	})
	b.Run("hints", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			if g := findHints(body); g.classToken || g.pi {
				b.Fatal("the page has directives")
			}
		}
	})
	b.Run("memory", func(b *testing.B) { // one look at each byte, as fast as can be
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			if bytes.IndexByte(body, 0xFF) >= 0 {
				b.Fatal("the page has such a byte")
			}
		}
	})
	b.Run("referenceTokenizer", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			z := html.NewTokenizer(bytes.NewReader(body))
			for z.Next() != html.ErrorToken {
			}
		}
	})
}
