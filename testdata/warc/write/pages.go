package main

import "strings"

// meta returns a META.
func meta(name, content string) string {
	return `<meta name="` + name + `" content="` + content + `">`
}

// A leaf is a page of Town Papers.
type leaf struct {
	path      string
	http      []byte
	shows     string
	conflicts []string
}

// leaves writes an archive with the pages of one site and its robots.txt.
func (c *collection) leaves(path, date, shows, label, robots, class, robotsShows string, leaves ...leaf) {
	w := c.newWARC(path, date, shows)
	w.robots(town(label), robots, rules, class, robotsShows)
	for _, l := range leaves {
		w.page(town(label)+l.path, l.http, l.shows, l.conflicts...)
	}
	w.done()
}

// addPages adds what can stand in a page and its header.
func addPages(c *collection) {
	text := "<p>The council met on Tuesday. Nothing was decided.</p>"
	head := func(path, shows string, heads ...string) leaf {
		return leaf{path, htmlPage(strings.Trim(path, "/."), strings.Join(heads, "\n"), text), shows, nil}
	}
	body := func(path, shows, heads, content string) leaf {
		return leaf{path, htmlPage(strings.Trim(path, "/."), heads, content), shows, nil}
	}
	const open = "User-agent: *\nDisallow: /private/\n"

	smart8 := htmlPage("smart quotes", "<META name=“robots”\ncontent=“ACAP allow-present-currentcopy prohibited-modification=format”>", text)
	smart1252 := ok("text/html; charset=windows-1252", html("Caf\xE9", "<META name=\x93robots\x94 content=\x93ACAP disallow-index\x94>", text))

	c.leaves("good/pages/meta.warc.gz", "2012-05-17", "ACAP in METAs", "meta", open, beyond, "METAs of every form, below",
		head("/any.html", "addressed to any crawler", meta("robots", "ACAP disallow-index"), meta("robots", "ACAP allow-follow")),
		head("/named.html", "addressed to a crawler by name", meta("SearchBot1", "ACAP disallow-preserve")),
		head("/any-and-named.html", "the named one excepted", meta("robots", "ACAP disallow-index"), meta("SearchBot1", "ACAP allow-index")),
		head("/purpose.html", "with a purpose, also one that is a host", meta("robots", "ACAP news disallow-index"), meta("searchbot", "ACAP news.search.example allow-index")),
		head("/qualifiers.html", "with qualifiers", meta("robots", "ACAP allow-present-snippet max-length=20-words"), meta("SearchBot1", "ACAP allow-preserve time-limit=until-2030-01-01"),
			meta("SearchBot1", "ACAP allow-index must-use-resource=the-acap:extract:id:i012345")),
		head("/expired.html", "a time-limit that ended before the capture: expired", meta("robots", "ACAP allow-index time-limit=until-2008-03-01")),
		head("/location.html", "location is the page's own: spent", meta("robots", "ACAP allow-index location=http://meta.town-papers.example/location.html")),
		head("/copy-of-location.html", "location is another's: disallowed, location-mismatch", meta("robots", "ACAP allow-index location=http://meta.town-papers.example/location.html")),
		head("/version.html", "the version stated in a META; `ref` counts", meta("robots", "ACAP version 1.1"), meta("robots", "ACAP allow-other ref=http://terms.town-papers.example/")),
		head("/no-version.html", "`version-gate`: `ref` without a version is ignored", meta("robots", "ACAP allow-other ref=http://terms.town-papers.example/"), meta("robots", "ACAP disallow-index")),
		head("/several.html", "`several-in-one-meta`", meta("robots", "ACAP allow-index, disallow-preserve, news allow-present")),
		leaf{"/smart-quotes.html", smart8, "`smart-quotes` as UTF-8, with a line end in the tag", nil},
		leaf{"/smart-quotes-1252.html", smart1252, "`smart-quotes` as windows-1252 bytes", nil},
		head("/description.html", "prose in a description: counted in `acap_text`, no statement", meta("robots", "noarchive"), meta("description", "ACAP is explained to publishers who allow-listed it")),
		head("/bad-robots-meta.html", "addressed to robots, so it counts, though it says nothing that is understood", meta("robots", "ACAP please be kind")),
		head("/unknown-usage.html", "`unknown-usage`", meta("robots", "ACAP disallow-scrape")),
		head("/odd-markup.html", "upper case, no quotes, no blank, entities, line ends, a repeated attribute",
			"<META NAME='robots'CONTENT='ACAP&#32;disallow-index'>", "<meta\nname=robots\ncontent=\"ACAP\n\tdisallow-preserve\">", `<meta name="robots" name="x" content="acap allow-follow" content="noindex">`),
		head("/long.html", "`value-limit`: a META of 5,000 characters is cut", meta("robots", "ACAP disallow-index"+strings.Repeat(" ", 5000))),
		head("/deep.html", "`nesting-limit`: templates 600 deep, below a META that is in none", meta("robots", "ACAP disallow-index"), strings.Repeat("<template>", 600)),
		body("/not-metas.html", "METAs in comment, script, style, template, textarea and body are none; one in the head is",
			"<!-- "+meta("robots", "ACAP disallow-crawl")+" -->\n<script>document.write('"+meta("robots", "ACAP disallow-crawl")+"')</script>\n<style>/* "+
				meta("robots", "ACAP disallow-crawl")+" */</style>\n<template>"+meta("robots", "ACAP disallow-crawl")+"</template>\n"+meta("robots", "ACAP disallow-index"),
			"<textarea>"+meta("robots", "ACAP disallow-crawl")+"</textarea>\n"+meta("robots", "ACAP disallow-crawl")),
	)

	w := c.newWARC("good/pages/class.warc.gz", "2012-05-17", "ACAP in class attributes")
	classRobots := "##ACAP version=1.1\nACAP-qualified-usage: teaser present-extract max-length=50-words\nACAP-crawler: *\nACAP-allow-index: /\nACAP-disallow-preserve: /\n"
	w.robots(town("class"), classRobots, rules, beyond, "class tokens of every form, below; it defines the usage that one of them names")
	class := func(path, shows, content string, conflicts ...string) {
		w.page(town("class")+path, htmlPage(strings.Trim(path, "/."), "", content), shows, conflicts...)
	}
	class("/disallow.html", "an element that may not be indexed", `<p>News.</p><div id="gossip" class="the-acap:disallow-index">Gossip.</div>`, "element-page")
	class("/allow.html", "an element that may be indexed, as the page may", `<div class="lead the-acap:allow-index wide">News.</div>`)
	class("/two-tokens.html", "two tokens on one element", `<p class="the-acap:disallow-index the-acap:disallow-present-snippet">Gossip.</p>`, "element-page")
	class("/both-senses.html", "both senses on one element: disallowed", `<p class="the-acap:allow-index the-acap:disallow-index">Gossip.</p>`, "element-page")
	class("/nested.html", "the innermost element decides", `<div class="the-acap:disallow-index">Gossip. <span class="the-acap:allow-index">Fact.</span></div>`, "element-page")
	class("/crawl-token.html", "a crawl token takes all usages with it for crawlers that know no elements", `<ul class="the-acap:disallow-crawl"><li>One</ul>`)
	class("/local-usage.html", "a usage that the site's robots.txt defines", `<p class="the-acap:allow-(teaser)">Teaser.</p>`)
	class("/undefined-usage.html", "`undefined-name`", `<p class="the-acap:allow-(nowhere)">Teaser.</p>`)
	class("/pilot-namespace.html", "`pilot-namespace`: `acap:`", `<p class="acap:disallow-index">Gossip.</p>`, "element-page")
	class("/letter-case.html", "case does not count; no quotes", `<P CLASS=THE-ACAP:Disallow-Index ID=g1>Gossip.</P>`, "element-page")
	class("/not-tokens.html", "tokens in comment, script, template and text are none; other classes are not ours", `<!-- <p class="the-acap:disallow-index"> --><script>var s='<p class="the-acap:disallow-index">'</script>`+
		`<template><p class="the-acap:disallow-index">x</p></template><p title="the-acap:disallow-index" class="acap:blue">the-acap:disallow-index</p>`)
	w.robots(town("local-usage-only"), "##ACAP version=1.1\nUser-agent: *\nDisallow: /private/\n", rules, beyond, "ACAP in a class token, and a marker")
	w.page(town("local-usage-only")+"/story.html", htmlPage("Story", "", `<p class="the-acap:disallow-preserve">x</p>`), "the only ACAP of its site but for the marker; the page is silent, so there is no conflict")
	w.done()

	addConflicts(c, text)
	addXML(c)

	c.leaves("good/pages/header.warc.gz", "2025-10-12", "X-Robots-Tag", "header", open, none, "X-Robots-Tag of every form, below",
		leaf{"/noindex.html", htmlPage("a", "", text, "X-Robots-Tag: noindex, nofollow"), "two rules in a field", nil},
		leaf{"/agent.html", htmlPage("a", "", text, "X-Robots-Tag: SearchBot1: noindex, noarchive", "X-Robots-Tag: nosnippet"), "an agent lasts to the end of its field", nil},
		leaf{"/several.html", htmlPage("a", "", text, "x-robots-tag: noarchive", "X-ROBOTS-TAG: NoTranslate"), "several fields, any case", nil},
		leaf{"/max.html", htmlPage("a", "", text, "X-Robots-Tag: max-snippet:50, max-image-preview:large, max-video-preview:-1"), "rules with values are no agents", nil},
		leaf{"/max-none.html", htmlPage("a", "", text, "X-Robots-Tag: max-snippet:0, max-image-preview:none"), "values that prohibit", nil},
		leaf{"/after-822.html", htmlPage("a", "", text, "X-Robots-Tag: unavailable_after: 25 Dec 2025 15:00:00 GMT"), "a date of RFC 822", nil},
		leaf{"/after-850.html", htmlPage("a", "", text, "X-Robots-Tag: unavailable_after: Thursday, 25-Dec-25 15:00:00 GMT"), "a date of RFC 850", nil},
		leaf{"/after-8601.html", htmlPage("a", "", text, "X-Robots-Tag: SearchBot1: unavailable_after: 2025-12-25T15:00:00Z"), "a date of ISO 8601, for an agent", nil},
		leaf{"/after-past.html", htmlPage("a", "", text, "X-Robots-Tag: unavailable_after: 2024-12-25"), "a date before the capture: expired", nil},
		leaf{"/report.pdf", ok("application/pdf", "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n", "X-Robots-Tag: noindex"), "a PDF, which can carry nothing itself", nil},
	)

	c.leaves("good/pages/conventional.warc.gz", "2018-08-19", "conventional METAs", "conventional", open, none, "conventional METAs of every form, below",
		head("/index-follow.html", "says what silence says: counted, no row", meta("robots", "index, follow")),
		head("/none.html", "none", meta("robots", "none")),
		head("/noarchive.html", "noarchive, nocache", meta("robots", "NOARCHIVE"), meta("SearchBot1", "nocache")),
		head("/nosnippet.html", "nosnippet", meta("googlebot", "nosnippet")),
		head("/max-snippet.html", "max-snippet", meta("robots", "max-snippet:120, max-image-preview:standard")),
		head("/translate.html", "notranslate", meta("robots", "notranslate")),
		head("/after.html", "unavailable_after", meta("robots", "unavailable_after: 25-Aug-2019 15:00:00 EST")),
		head("/recorded.html", "directives that are recorded", meta("robots", "noodp, noydir, noimageindex, indexifembedded, sparkle")),
		head("/odd-values.html", "`unknown-directive-value`", meta("robots", "noarchive, max-snippet:few, unavailable_after: soon")),
		head("/contradiction.html", "index and noindex: the most restrictive counts", meta("robots", "index"), meta("robots", "noindex")),
		head("/plain.html", "no directive: counted, no row"),
	)
}

// addConflicts adds a page for each kind of conflict that a page can be part of.
func addConflicts(c *collection, text string) {
	w := c.newWARC("good/pages/conflict.warc.gz", "2012-05-17", "each kind of conflict that a page is part of")
	robots := "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-preserve: /\nACAP-allow-index: /\n\nACAP-crawler: SearchBot1\nACAP-disallow-index: /\n"
	w.robots(town("conflict"), robots, rules, beyond, "what the pages below contradict; `named-any` by itself")
	page := func(path, shows, head string, header []string, conflicts ...string) {
		w.page(town("conflict")+path, htmlPage(strings.Trim(path, "/."), head, text, header...), shows, conflicts...)
	}
	page("/page-robots.html", "META against ACAP in robots.txt: embedded wins", meta("robots", "ACAP allow-preserve"), nil, "page-robots")
	page("/page-tie.html", "two METAs: disallowed", meta("robots", "ACAP allow-follow")+meta("robots", "ACAP disallow-follow"), nil, "page-tie")
	page("/page-acap-rep.html", "ACAP META against conventional META: ACAP wins", meta("robots", "nofollow")+meta("robots", "ACAP allow-follow"), nil, "page-acap-rep")
	page("/page-acap-header.html", "ACAP META against X-Robots-Tag", meta("robots", "ACAP allow-present-currentcopy"), []string{"X-Robots-Tag: noarchive"}, "page-acap-rep")
	page("/rep-page-acap-robots.html", "noindex in the page against ACAP in robots.txt: the more restrictive counts", meta("robots", "noindex"), nil, "rep-page-acap-robots")
	page("/meta-header.html", "conventional META against X-Robots-Tag", meta("robots", "follow"), []string{"X-Robots-Tag: nofollow"}, "meta-header")
	page("/named-any.html", "a META for one crawler against one for all", meta("robots", "ACAP disallow-follow")+meta("SearchBot1", "ACAP allow-follow"), nil)
	w.page(town("conflict")+"/element-page.html", htmlPage("element", meta("robots", "ACAP allow-follow"), `<ul class="the-acap:disallow-follow"><li><a href="/ad">Ad</a></ul>`),
		"an element against its page", "element-page")
	page("/reading.html", "`other` in the page, read broadly and narrowly", meta("robots", "ACAP disallow-other"), nil, "reading")
	w.page(town("conflict")+"/pi-meta.xhtml", ok("application/xhtml+xml", `<?xml version="1.0"?>
<?robots index="no" follow="yes"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Both</title><meta name="robots" content="index,follow"/></head><body><p>x</p></body></html>
`), "PI against META", "pi-meta")
	w.page(town("conflict")+"/pi-pi.xml", xmlPage("<?xml version=\"1.0\"?>\n<?robots index=\"no\" follow=\"yes\"?>\n<?robots index=\"yes\" follow=\"no\"?>\n<story>x</story>\n"), "two PIs: the first counts", "pi-pi")

	page("/page-robots-agree.html", "META and ACAP in robots.txt agree", meta("robots", "ACAP disallow-preserve"), nil)
	page("/page-acap-rep-laxer.html", "ACAP META against a laxer conventional META: ACAP wins", meta("robots", "follow")+meta("robots", "ACAP disallow-follow"), nil, "page-acap-rep")
	page("/page-acap-rep-agree.html", "ACAP META and conventional META agree", meta("robots", "nofollow")+meta("robots", "ACAP disallow-follow"), nil)
	page("/neither.html", "noindex in the page against ACAP in robots.txt, and an ACAP META that leaves both aside", meta("robots", "noindex")+meta("robots", "ACAP allow-index"), nil, "rep-page-acap-robots")
	page("/other-usage.html", "a conventional META about a usage on which robots.txt is silent", meta("robots", "nofollow"), nil)
	page("/meta-before-header.html", "conventional META stricter than X-Robots-Tag", meta("robots", "nofollow"), []string{"X-Robots-Tag: follow"}, "meta-header")
	page("/meta-and-header.html", "conventional META and X-Robots-Tag about different usages", meta("robots", "nofollow"), []string{"X-Robots-Tag: noarchive"})
	page("/named-as-any.html", "a META for one crawler that says what one for all says", meta("robots", "ACAP disallow-follow")+meta("SearchBot1", "ACAP disallow-follow"), nil)
	w.page(town("conflict")+"/element-lifts-nothing.html", htmlPage("element", "", `<p class="the-acap:allow-preserve">Keep this.</p>`),
		"a permission in an element, which does not lift what robots.txt prohibits", "element-page")
	w.page(town("conflict")+"/element-agrees.html", htmlPage("element", meta("robots", "ACAP disallow-follow"), `<ul class="the-acap:disallow-follow"><li><a href="/ad">Ad</a></ul>`),
		"an element that says what its page says")
	w.robots(town("other-in-page"), "User-agent: *\nDisallow: /private/\n", rules, beyond, "its page speaks of `other`, its robots.txt has no ACAP")
	w.page(town("other-in-page")+"/other-allowed.html", htmlPage("other", meta("robots", "ACAP allow-other"), text), "`other` permitted, and nothing else said: read broadly and narrowly the same")
	w.page(town("conflict")+"/pi-pi.html", ok("text/html", "<!DOCTYPE html>\n<?robots index=\"no\" follow=\"yes\"?>\n<?robots index=\"yes\" follow=\"no\"?>\n<html><head><title>x</title></head><body><p>x</p></body></html>\n"),
		"two PIs in HTML, where neither counts", "pi-pi")
	w.page(town("conflict")+"/pi-pi-same.xml", xmlPage("<?xml version=\"1.0\"?>\n<?robots index=\"no\" follow=\"yes\"?>\n<?robots\nindex=\"no\"\nfollow=\"yes\"?>\n<story>x</story>\n"), "two PIs that say the same")
	w.done()

	at := func(path string) string { return town("conflict") + path }
	c.clashes = append(c.clashes,
		clash{"page-robots", "override", "first", at("/page-robots.html"), at("/page-robots-agree.html"), "the META agrees with robots.txt"},
		clash{"page-tie", "contradiction", "first", at("/page-tie.html"), at("/named-any.html"), "one of the two METAs names a crawler"},
		clash{"page-acap-rep", "override", "first", at("/page-acap-rep.html"), at("/page-acap-rep-agree.html"), "both say the same"},
		clash{"page-acap-rep", "contradiction", "first", at("/page-acap-rep-laxer.html"), at("/page-acap-rep-agree.html"), "both say the same"},
		clash{"rep-page-acap-robots", "contradiction", "first", at("/rep-page-acap-robots.html"), at("/other-usage.html"), "robots.txt is silent on this usage"},
		clash{"rep-page-acap-robots", "contradiction", "second", town("change") + "/after.html", town("change") + "/between.html", "the robots.txt in force permits"},
		clash{"rep-page-acap-robots", "contradiction", "neither", at("/neither.html"), at("/other-usage.html"), "robots.txt is silent on this usage"},
		clash{"meta-header", "contradiction", "first", at("/meta-before-header.html"), at("/meta-and-header.html"), "they speak of different usages"},
		clash{"meta-header", "contradiction", "second", at("/meta-header.html"), at("/meta-and-header.html"), "they speak of different usages"},
		clash{"pi-meta", "contradiction", "first", at("/pi-meta.xhtml"), town("xml") + "/both-agree.xhtml", "both say the same"},
		clash{"pi-meta", "contradiction", "second", town("xml") + "/both-differ.html", town("xml") + "/illegal-pi.xhtml", "the PI is not legal"},
		clash{"pi-pi", "contradiction", "first", at("/pi-pi.xml"), at("/pi-pi-same.xml"), "both say the same, in another layout"},
		clash{"pi-pi", "contradiction", "neither", at("/pi-pi.html"), town("xml") + "/illegal.xml", "one of them alone is legal"},
		clash{"named-any", "override", "first", at("/named-any.html"), at("/named-as-any.html"), "both say the same"},
		clash{"element-page", "override", "first", at("/element-page.html"), at("/element-agrees.html"), "the element says what its page says"},
		clash{"element-page", "contradiction", "second", at("/element-lifts-nothing.html"), town("class") + "/allow.html", "robots.txt permits, too"},
		clash{"reading", "contradiction", "first", at("/reading.html"), town("other-in-page") + "/other-allowed.html", "`other` permits"},
	)
}

// addXML adds pages in XML, and PIs where none belong.
func addXML(c *collection) {
	const declaration = "<?xml version=\"1.0\"?>\n"
	const story = "<story><title>Tides</title><p>High water at noon.</p></story>\n"
	xml := func(path, shows, before string) leaf {
		return leaf{path, xmlPage(declaration + before + "\n" + story), shows, nil}
	}
	both := func(path, mediaType, pi, content, shows string, conflicts ...string) leaf {
		return leaf{path, ok(mediaType, declaration+pi+"\n<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\">\n<head><title>Tides</title>"+
			"<meta name=\"robots\" content=\""+content+"\"/></head>\n<body><p class=\"the-acap:disallow-preserve\">High water at noon.</p></body></html>\n"), shows, conflicts}
	}
	c.leaves("good/pages/xml.warc.gz", "2012-05-17", "robots processing instructions", "xml", "User-agent: *\nDisallow: /private/\n", beyond,
		"processing instructions of every form, below; a class token in XHTML",
		xml("/yes-yes.xml", "first legal form", `<?robots index="yes" follow="yes"?>`),
		xml("/no-yes.xml", "second legal form", `<?robots index="no" follow="yes"?>`),
		xml("/yes-no.xml", "third legal form", `<?robots index="yes" follow="no"?>`),
		xml("/no-no.xml", "fourth legal form, over two lines", "<?robots\n\tindex=\"no\"\n\tfollow=\"no\"?>"),
		xml("/trailing-space.xml", "`pi-trailing-space`", `<?robots index="no" follow="no" ?>`),
		xml("/illegal.xml", "`pi-syntax`: single quotes, wrong order, upper case, one attribute; then a legal one, which counts",
			"<?robots index='no' follow='no'?>\n<?robots follow=\"no\" index=\"no\"?>\n<?robots index=\"NO\" follow=\"NO\"?>\n<?robots index=\"no\"?>\n<?robots index=\"no\" follow=\"no\"?>"),
		xml("/only-illegal.xml", "`pi-syntax` and nothing else: silence", `<?robots noindex?>`),
		xml("/doctype.xml", "in the DOCTYPE's internal subset", "<!DOCTYPE story [\n<!ELEMENT story ANY>\n<?robots index=\"no\" follow=\"yes\"?>\n]>"),
		leaf{"/late.xml", xmlPage(declaration + "<story><p>High water at noon.</p><?robots index=\"no\" follow=\"no\"?></story>\n"), "`pi-late`: after text", nil},
		leaf{"/not-pis.xml", xmlPage(declaration + "<!-- <?robots index=\"no\" follow=\"no\"?> -->\n<?robotsx index=\"no\"?><story><![CDATA[<?robots index=\"no\" follow=\"no\"?>]]></story>\n"), "in comment and CDATA, and another target: none", nil},
		leaf{"/no-media-type", answer("200 OK", declaration+"<?robots index=\"no\" follow=\"no\"?>\n"+story), "no media type, an XML declaration: XML", nil},
		leaf{"/feed.rss", ok("application/rss+xml; charset=utf-8", declaration+"<?robots index=\"no\" follow=\"yes\"?>\n<rss version=\"2.0\"><channel><title>Tides</title></channel></rss>\n"), "any `+xml`", nil},
		both("/both-agree.xhtml", "application/xhtml+xml", `<?robots index="no" follow="yes"?>`, "noindex,follow", "PI and META that agree; a class token"),
		both("/both-differ.xhtml", "application/xhtml+xml", `<?robots index="no" follow="yes"?>`, "index,nofollow", "PI and META that differ, as XML: the PI counts", "pi-meta"),
		both("/both-differ.html", "text/html", `<?robots index="no" follow="yes"?>`, "index,nofollow", "the same as HTML: the META counts, the PI is recorded", "pi-meta"),
		both("/illegal-pi.xhtml", "application/xhtml+xml", `<?robots index="none"?>`, "noindex", "no legal PI: the META counts"),
		both("/acap.xhtml", "application/xhtml+xml", `<?robots index="no" follow="yes"?>`, "ACAP allow-index", "an ACAP META counts in XML too", "page-acap-rep"),
	)
}
