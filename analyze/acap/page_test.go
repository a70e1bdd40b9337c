package acap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
)

func TestPageMetas(t *testing.T) {
	quoted := meta(1, "robots", "ACAP allow-index")
	quoted.SmartQuotes = true
	for _, test := range []struct {
		name   string
		markup []policy.Markup
		want   []string
	}{
		{"S0 2.1", []policy.Markup{meta(1, "robots", "index nofollow"), meta(2, "robots", "ACAP allow-index"),
			meta(3, "robots", "ACAP disallow-follow")},
			[]string{"2.1 acap-allow-index", "3.1 acap-disallow-follow"}},
		{"S0 2.2.1 a named crawler", []policy.Markup{meta(1, "crawler-name", "ACAP allow-index")},
			[]string{"1.1 acap-allow-index [crawler-name]"}},
		{"S0 2.2.2 a purpose", []policy.Markup{meta(1, "crawler-identification", "ACAP news allow-index"),
			meta(2, "searchbot", "ACAP news.search.com allow-index")},
			[]string{"1.1 acap-allow-index [crawler-identification] <news>",
				"2.1 acap-allow-index [searchbot] <news.search.com>"}},
		{"S0 2.2.3.2 qualifiers", []policy.Markup{
			meta(1, "searchbot", "ACAP allow-present-snippet\nmax-length=100-chars"),
			meta(2, "searchbot", "ACAP allow-index\nmust-use-resource=the-acap:extract:class:abstract")}, []string{
			"1.1 acap-allow-present-snippet [searchbot] {max-length=100-chars}",
			"2.1 acap-allow-index [searchbot] {must-use-resource=the-acap:extract:class:abstract}"}},
		{"S0 2.2.9.1 location", []policy.Markup{meta(1, "robots",
			"ACAP allow-crawl\nlocation=http://myserver.com/legitimate-copy.htm")},
			[]string{"1.1 acap-allow-crawl {location=http://myserver.com/legitimate-copy.htm}"}},
		{"S2 Ex 4.2, 4.6, 4.9, 4.12", []policy.Markup{
			meta(1, "robots", "nofollow"), meta(2, "robots", "ACAP disallow-follow"),
			meta(3, "robots", "ACAP disallow-index"),
			meta(4, "robots", "ACAP disallow-preserve"), meta(5, "robots", "ACAP disallow-present-snippet")}, []string{
			"2.1 acap-disallow-follow", "3.1 acap-disallow-index", "4.1 acap-disallow-preserve",
			"5.1 acap-disallow-present-snippet"}},
		{"S2 Ex 5.3, 5.6", []policy.Markup{
			meta(1, "SearchBot1", "ACAP allow-preserve time-limit=until-2008-03-01"),
			meta(2, "SearchBot1", "ACAP allow-index must-use-resource=the-acap:extract:id:i012345")}, []string{
			"1.1 acap-allow-preserve [SearchBot1] {time-limit=until-2008-03-01}",
			"2.1 acap-allow-index [SearchBot1] {must-use-resource=the-acap:extract:id:i012345}"}},
		{"S2 Ex 5.9, 5.10, 5.11", []policy.Markup{
			meta(1, "robots", "ACAP allow-present-snippet max-length=20-words"),
			meta(2, "snippet", "This is the snippet text to be presented"),
			meta(3, "robots", "ACAP allow-present-snippet \n            "+
				"must-use-resource=the-acap:extract:meta:snippet"),
			meta(4, "robots", "ACAP allow-present-currentcopy prohibited-modification=format")}, []string{
			"1.1 acap-allow-present-snippet {max-length=20-words}",
			"3.1 acap-allow-present-snippet {must-use-resource=the-acap:extract:meta:snippet}",
			"4.1 acap-allow-present-currentcopy {prohibited-modification=format}"}},
		{"S2 A.2.2", []policy.Markup{
			meta(1, "snippet-exalead-acap", "Op de vandaag gepubliceerde nieuwe ATP-rankings"),
			meta(2, "ExaBotAcap12",
				"ACAP allow-present-snippet must-use-resource=the-acap:extract:meta:snippet-exalead-acap")}, []string{
			"2.1 acap-allow-present-snippet [ExaBotAcap12] " +
				"{must-use-resource=the-acap:extract:meta:snippet-exalead-acap}"}},

		{"R-META-1 any case, any white space, only a whole token", []policy.Markup{
			meta(1, " ROBOTS ", " \tacap\u00a0Allow-Index\r\n"), meta(2, "robots", "ACAPULCO allow-index"),
			meta(3, "robots", "index, ACAP allow-index")},
			[]string{"1.1 acap-allow-index"}},
		{"R-META-1 prose in a description", []policy.Markup{
			meta(1, "description", "ACAP is a protocol that lets publishers allow-index their pages"),
			meta(2, "description", "ACAP allow-index and more"),
			meta(3, "keywords", "ACAP, robots"), meta(4, "description", "ACAP"),
			meta(5, "description", "ACAP version 2 is out"),
			meta(6, "", "ACAP allow-index"), meta(7, "description", "ACAP allow-dance"),
			meta(8, "description", "no ACAP")}, []string{"6 acap-text"}},
		{"R-META-1 a robots META that says nothing readable", []policy.Markup{meta(1, "robots", "ACAP"),
			meta(2, "robots", "ACAP noindex"), meta(3, "robots", "ACAP version one")},
			[]string{"1.1 acap invalid !syntax", "2.1 acap invalid !syntax", "3.1 acap invalid !syntax"}},
		{"R-AGENT-1 more than a name", []policy.Markup{meta(1, "Bot/2.1", "ACAP disallow-index")},
			[]string{"1.1 acap-disallow-index [Bot] !crawler-name-syntax"}},
		{"R-META-2 typographic quotes", []policy.Markup{quoted},
			[]string{"1.1 acap-allow-index repaired !smart-quotes"}},
		{"R-META-3 several, commas dropped", []policy.Markup{
			meta(1, "robots", "ACAP allow-index, disallow-follow,disallow-preserve , allow-present-snippet "+
				"max-length=20-words, news allow-present,"),
			meta(2, "bot", "ACAP a,b allow-index max-length = 3-words,allow-crawl location=http://a.example/x,y")},
			[]string{
				"1.1 acap-allow-index !several-in-one-meta",
				"1.2 acap-disallow-follow !several-in-one-meta",
				"1.3 acap-disallow-preserve !several-in-one-meta",
				"1.4 acap-allow-present-snippet {max-length=20-words} !several-in-one-meta",
				"1.5 acap-allow-present <news> !several-in-one-meta",
				"2.1 acap-allow-index [bot] <a,b> {max-length=3-words} !several-in-one-meta !qualifier-not-for-usage",
				"2.2 acap-allow-crawl [bot] {location=http://a.example/x,y} !several-in-one-meta"}},
		{"R-META-3 words that belong to nothing", []policy.Markup{
			meta(1, "robots", "ACAP allow-index noarchive"), meta(2, "robots", "ACAP disallow-index nofollow"),
			meta(3, "robots", "ACAP time-limit=3-days allow-index"),
			meta(4, "robots", "ACAP http://x.example/?a=b allow-index")}, []string{
			"1.1 acap-allow-index {noarchive=} !unknown-qualifier", "2.1 acap-disallow-index !qualified-prohibition",
			"3.1 acap-allow-index <time-limit=3-days> invalid !syntax",
			"4.1 acap-allow-index <http://x.example/?a=b>"}},
		{"R-META-4", []policy.Markup{meta(1, "robots", "ACAP Version 1.1"), meta(2, "robots", "ACAP version 1.0"),
			meta(3, "robots", "ACAP version 3")}, []string{
			"1.1 acap-version recorded", "2.1 acap-version recorded", "3.1 acap-version recorded !version-unknown"}},
		{"R-META-4 a version and a rule in one", []policy.Markup{meta(1, "robots",
			"ACAP version 1.1, allow-other ref=x"), meta(2, "robots", "ACAP version 1.1 or so")}, []string{
			"1.1 acap-version recorded", "1.2 acap-allow-other {ref=x} !several-in-one-meta",
			"2.1 acap-version recorded", "2.2 acap invalid !syntax"}},
		{"R-USE-1", []policy.Markup{meta(1, "robots", "ACAP allow-dance"), meta(2, "robots", "ACAP allow-(name)")},
			[]string{"1.1 acap-allow-dance ignored !unknown-usage", "2.1 acap-allow-(name) ignored !unknown-usage"}},
		{"R-QUAL-1", []policy.Markup{meta(1, "robots", "ACAP disallow-index time-limit=3-days")},
			[]string{"1.1 acap-disallow-index !qualified-prohibition"}},
		{"R-LEX-6", []policy.Markup{meta(1, "robots", "ACAP allow-present-links"),
			meta(2, "robots", "ACAP allow-index must-use-resource=acap:extract:id:x")}, []string{
			"1.1 acap-allow-present-link repaired !present-links",
			"2.1 acap-allow-index {must-use-resource=the-acap:extract:id:x} repaired !pilot-namespace"}},
		{"other sources are passed over", []policy.Markup{
			{Source: policy.PI, Value: "ACAP allow-index"},
			{Source: policy.HTTPHeader, Name: "X-Robots-Tag", Value: "ACAP allow-index"}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, "statements", test.want, showPage(page(nil, Options{}, test.markup...)))
		})
	}
}

func TestPageRVer1(t *testing.T) {
	rule := meta(1, "robots", "ACAP allow-other ref=x")
	read, ignored := "1.1 acap-allow-other {ref=x}", "1.1 acap-allow-other {ref=x} ignored !version-gate"
	for _, test := range []struct {
		name   string
		site   string // the site's robots.txt, "" for none
		markup []policy.Markup
		want   string
		stated string
	}{
		{"no version", "", []policy.Markup{rule}, ignored, ""},
		{"the META's, wherever it stands", "", []policy.Markup{rule, meta(2, "robots", "ACAP version 1.1")}, read,
			"1.1"},
		{"the site's is not the page's", "##ACAP version=1.1", []policy.Markup{rule}, ignored, ""},
		{"nor is a pilot's", "##ACAP version=0.9", []policy.Markup{rule}, ignored, ""},
		{"one in the body is none", "", []policy.Markup{rule, ofBody(meta(2, "robots", "ACAP version 1.1"))}, ignored,
			""},
		{"the META's before the site's", "##ACAP version=1.1",
			[]policy.Markup{rule, meta(2, "robots", "ACAP version 1.0")}, ignored, "1.0"},
		{"the first META's", "", []policy.Markup{rule, meta(2, "bot", "ACAP VERSION 1.1"),
			meta(3, "robots", "ACAP version 1.0")}, read, "1.1"},
		{"prose is none", "", []policy.Markup{rule, meta(2, "description", "ACAP version 1.1 is out")}, ignored, ""},
		{"a META without a name is none", "", []policy.Markup{rule, meta(2, "", "ACAP version 1.1")}, ignored, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var site *policy.File
			if test.site != "" {
				site = robots(test.site, Options{})
			}
			p := page(site, Options{}, test.markup...)
			check(t, "statement", test.want, show(p.Statements[0]))
			check(t, "version", test.stated, p.Version.Text)
		})
	}
}

func ofBody(m policy.Markup) policy.Markup {
	m.InBody = true
	return m
}

// R-META-1: METAs of the body are told, and decide nothing unless an option says so.
func TestPageBodyMETAs(t *testing.T) {
	markup := []policy.Markup{
		ofBody(meta(1, "robots", "ACAP version 1.1")),
		ofBody(meta(2, "Bot", "ACAP news allow-present time-limit=1-days")),
		ofBody(meta(3, "robots", "ACAP please")), ofBody(meta(4, "robots", "ACAP allow-dance")),
		ofBody(meta(5, "description", "ACAP is a protocol")),
		class(6, "the-acap:allow-index"),
	}
	p := page(nil, Options{}, markup...)
	check(t, "statements", []string{
		"1.1 acap-version ignored !meta-in-body",
		"2.1 acap-allow-present [Bot] <news> {time-limit=1-days} ignored !meta-in-body",
		"3.1 acap invalid !meta-in-body !syntax", "4.1 acap-allow-dance ignored !meta-in-body !unknown-usage",
		"6.1 acap-allow-index", "1 acap-text"}, showPage(p))
	check(t, "version", "", p.Version.Text)
	check(t, "features", []policy.Feature{policy.FeatureClass}, p.Features)

	p = page(nil, Options{BodyMETAs: true}, markup...)
	check(t, "statements that count", []string{
		"1.1 acap-version recorded !meta-in-body",
		"2.1 acap-allow-present [Bot] <news> {time-limit=1-days} !meta-in-body",
		"3.1 acap invalid !meta-in-body !syntax", "4.1 acap-allow-dance ignored !meta-in-body !unknown-usage",
		"6.1 acap-allow-index", "1 acap-text"}, showPage(p))
	check(t, "version", "1.1", p.Version.Text)
	check(t, "how many features", 6, len(p.Features))
}

// R-META-1: the name *.
func TestPageNameAny(t *testing.T) {
	p := page(nil, Options{}, meta(1, " * ", "ACAP allow-index"), meta(2, "*", "ACAP please"),
		meta(3, "*", "ACAP version 1.1"))
	check(t, "statements", []string{"1.1 acap-allow-index !meta-name-any", "3.1 acap-version recorded !meta-name-any",
		"1 acap-text"}, showPage(p))
}

func TestPageRClass1(t *testing.T) {
	site := robots(lines(
		"ACAP-qualified-usage: short preserve time-limit=1-days", "ACAP-composite-usage: both index (short)",
		"ACAP-composite-usage: none dance",
		"ACAP-qualified-usage: here index location=http://a.example/"), Options{})
	for _, test := range []struct {
		name    string
		options Options
		value   string
		want    []string
	}{
		{"S0 2.2.5", Options{}, "the-acap:allow-index", []string{"7.1 acap-allow-index"}},
		{"any case, among other classes, two of them", Options{},
			"wide THE-ACAP:Disallow-Present-Snippet  x\nthe-acap:allow-index", []string{
				"7.1 acap-disallow-present-snippet", "7.2 acap-allow-index"}},
		{"pilot namespace", Options{}, "acap:allow-index acap:other",
			[]string{"7.1 acap-allow-index repaired !pilot-namespace"}},
		{"pilot namespace, strict", Options{Refuse: policy.Slips()}, "acap:allow-index",
			[]string{"7.1 acap-allow-index invalid !pilot-namespace"}},
		{"present-links", Options{}, "the-acap:allow-present-links",
			[]string{"7.1 acap-allow-present-link repaired !present-links"}},
		{"local usages", Options{}, "the-acap:allow-(SHORT) the-acap:allow-(both)", []string{
			"7.1 acap-allow-(short) =preserve {time-limit=1-days}", "7.2 acap-allow-(both) =index",
			"7.3 acap-allow-(both) =preserve {time-limit=1-days}"}},
		{"local usages that say nothing", Options{},
			"the-acap:allow-(nil) the-acap:allow-(none) the-acap:disallow-(short)", []string{
				"7.1 acap-allow-(nil) invalid !undefined-name", "7.2 acap-allow-(none) ignored !unknown-usage",
				"7.3 acap-disallow-(short) invalid !local-usage-in-prohibition"}},
		{"R-QUAL-3 a qualifier that does not belong in a class", Options{}, "the-acap:allow-(here)", []string{
			"7.1 acap-allow-(here) =index {location=http://a.example/} !qualifier-not-for-source"}},
		{"unknown tokens of the name space", Options{}, "the-acap:credit the-acap:allow-dance the-acap", []string{
			"7.1 the-acap:credit ignored !unknown-field", "7.2 acap-allow-dance ignored !unknown-usage"}},
		{"no ACAP", Options{}, "allow-index acap-allow-index", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := page(site, test.options, class(7, test.value))
			check(t, "statements", test.want, showPage(p))
			for _, s := range p.Statements {
				if s.Source != policy.Class || s.Element == nil || s.Element.ID != "x" || s.Raw != test.value {
					t.Errorf("got %+v", s)
				}
			}
		})
	}
	t.Run("without a robots.txt nothing is defined", func(t *testing.T) {
		check(t, "statements", []string{"7.1 acap-allow-(short) invalid !undefined-name"},
			showPage(page(nil, Options{}, class(7, "the-acap:allow-(short)"))))
	})
	t.Run("one token at a time is numbered on", func(t *testing.T) {
		check(t, "statements", []string{"7.1 acap-allow-index", "7.2 acap-allow-follow", "9.1 acap-allow-index"},
			showPage(
				page(nil, Options{}, class(7, "the-acap:allow-index"), class(7, "the-acap:allow-follow"),
					class(9, "the-acap:allow-index"))))
	})
}

func TestPageFeatures(t *testing.T) {
	p := page(nil, Options{}, meta(1, "robots", "ACAP version 1.1"),
		meta(2, "bot", "ACAP news allow-index time-limit=1-days"), class(3, "the-acap:allow-index"))
	check(t, "features", []policy.Feature{
		policy.FeatureMetaVersion, policy.FeaturePurpose, policy.FeatureQualifier, policy.FeatureMeta,
		policy.FeatureNamedCrawler, policy.FeatureClass,
	}, p.Features)
	p = page(nil, Options{}, meta(1, "robots", "ACAP"), meta(2, "description", "ACAP rules"), class(3, "the-acap:x"))
	check(t, "features of nothing readable", nil, p.Features)
}

func TestPageBounds(t *testing.T) {
	site := robots("ACAP-composite-usage: c"+strings.Repeat(" index", maxParts), Options{})
	var markup []policy.Markup
	for i := range 2000 {
		markup = append(markup, class(int64(i), strings.Repeat("the-acap:allow-(c) ", 50)))
	}
	p := page(site, Options{}, markup...)
	if n := len(p.Statements); n > maxPage+maxParts {
		t.Errorf("%d statements", n)
	}
	last := p.Statements[len(p.Statements)-1]
	check(t, "the last one says so", true, last.HasDefect(policy.DefectSizeLimit))

	p = page(nil, Options{}, meta(1, "robots", "ACAP"+strings.Repeat(" allow-index", 1000)))
	check(t, "statements of one META", maxParts, len(p.Statements))
	check(t, "the last one", fmt.Sprintf("1.%d acap-allow-index !several-in-one-meta !size-limit", maxParts),
		show(p.Statements[maxParts-1]))
}

// Typographic quotes that are refused make what they stand around invalid, the version too.
func TestPageRefusesSmartQuotes(t *testing.T) {
	quoted := func(m policy.Markup) policy.Markup {
		m.SmartQuotes = true
		return m
	}
	markup := []policy.Markup{
		quoted(meta(1, "robots", "ACAP allow-index")), quoted(meta(2, "robots", "ACAP version 1.1")),
		quoted(class(3, "the-acap:disallow-index")),
		meta(4, "robots", "ACAP allow-follow"),
	}
	for name, test := range map[string]struct {
		options Options
		version string
		want    []string
	}{
		"repaired": {Options{Refuse: policy.Slips()}, "1.1",
			[]string{"1.1 acap-allow-index repaired !smart-quotes", "2.1 acap-version recorded !smart-quotes",
				"3.1 acap-disallow-index repaired !smart-quotes", "4.1 acap-allow-follow"}},
		"refused": {Options{Refuse: []policy.Defect{policy.DefectSmartQuotes}}, "",
			[]string{"1.1 acap-allow-index invalid !smart-quotes",
				"2.1 acap-version invalid !smart-quotes", "3.1 acap-disallow-index invalid !smart-quotes",
				"4.1 acap-allow-follow"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := page(nil, test.options, markup...)
			check(t, "statements", test.want, showPage(p))
			check(t, "version", test.version, p.Version.Text)
		})
	}
}
