package main

// addStory adds the three crawls of the story: publishers over thirteen years.
func addStory(c *collection) {
	const (
		spring = "good/crawl-data/CC-MAIN-2012-21/segments/1337256000000.12/"
		summer = "good/crawl-data/CC-MAIN-2018-34/segments/1534221215284.54/"
		autumn = "good/crawl-data/CC-MAIN-2025-43/segments/1760258000000.33/"
	)

	w := c.newWARC(spring+"robotstxt/CC-MAIN-20120517-robotstxt-00000.warc.gz", "2012-05-17", "2012: ACAP in use")
	w.robots("http://www.lantern.example", lantern2012, rules, beyond, "ACAP 1.1 in full")
	w.robots("http://www.harbour-post.example", harbour2012, rules, mirrors, "a copy of the conventional rules")
	w.robots("http://acap.vuurtoren.example", vuurtoren, rules, beyond, "the pilot, with a purpose and a repair")
	w.robots("http://journals.tidal.example", tidal, rules, beyond, "crawlers named and no rule; a page has a META")
	w.robots("http://www.corner-shop.example", "User-agent: *\nDisallow: /basket/\n", rules, none, "no ACAP")
	w.done()

	w = c.newWARC(spring+"warc/CC-MAIN-20120517-warc-00000.warc.gz", "2012-05-18", "2012: pages")
	w.page("http://www.lantern.example/", htmlPage("The Lantern", meta("robots", "ACAP version 1.1")+"\n"+meta("robots", "ACAP allow-present-snippet max-length=30-words"),
		`<p>Ferry late again.</p><div id="agency" class="the-acap:disallow-index">Wire report.</div>`), "a version, a qualified permission, an element", "element-page")
	w.page("http://www.lantern.example/news/ferry.html", htmlPage("Ferry late again", meta("robots", "ACAP allow-preserve")+"\n"+meta("SearchBot1", "ACAP disallow-preserve"),
		"<p>The ferry was late again on Thursday.</p>"), "embedded beats robots.txt; one crawler excepted", "page-robots")
	w.page("http://www.lantern.example/news/weather.html", htmlPage("Fog expected", meta("robots", "index,follow"), "<p>Fog.</p>"), "a boilerplate META: no row of its own")
	w.page("http://www.lantern.example/letters/1.html", htmlPage("Letters", meta("robots", "noindex"), "<p>Sir,</p>"), "a conventional META against ACAP in robots.txt", "rep-page-acap-robots")
	w.page("http://www.harbour-post.example/tides.html", htmlPage("Tides", "", "<p>High water at noon.</p>"), "says nothing: counted")
	w.page("http://acap.vuurtoren.example/nieuws/1.html", htmlPage("Nieuws", meta("snippet-lichtbundel", "Mist op de vaargeul")+"\n"+
		meta("LichtBundel12", "ACAP allow-present-snippet must-use-resource=the-acap:extract:meta:snippet-lichtbundel"), "<p>Mist.</p>"), "a snippet of the publisher's own")
	w.page("http://journals.tidal.example/articles/7.xml", xmlPage("<?xml version=\"1.0\"?>\n<?robots index=\"yes\" follow=\"no\"?>\n<article><title>On slack water</title></article>\n"),
		"an article with a processing instruction")
	w.page("http://journals.tidal.example/articles/7.html", htmlPage("On slack water", meta("SearchBot1", "ACAP allow-index must-use-resource=the-acap:extract:class:abstract"),
		`<p class="abstract">Water stands still.</p>`), "index by the abstract")
	w.page("http://journals.tidal.example/articles/7.pdf", ok("application/pdf", "%PDF-1.4\n%%EOF\n", "X-Robots-Tag: noarchive"), "a PDF with X-Robots-Tag")
	w.page("http://www.corner-shop.example/", htmlPage("Corner Shop", "", "<p>Open until eight.</p>"), "says nothing: counted")
	w.done()

	w = c.newWARC(summer+"robotstxt/CC-MAIN-20180819-robotstxt-00000.warc.gz", "2018-08-19", "2018: ACAP forgotten")
	w.capture("http://www.lantern.example/robots.txt", redirect("https://www.lantern.example/robots.txt"))
	w.expect("http://www.lantern.example", rules, beyond, "redirect to https")
	w.robots("https://www.lantern.example", lantern2018, rules, beyond, "the old ACAP under new conventional rules")
	w.robots("http://www.harbour-post.example", harbour2018, rules, differs, "drifted: a directory was added to the conventional rules only")
	w.capture("http://acap.vuurtoren.example/robots.txt", failure("503 Service Unavailable", "Retry-After: 3600"))
	w.expect("http://acap.vuurtoren.example", unreachable, beyond, "down; a page still has a META")
	w.robots("http://journals.tidal.example", tidal, rules, withoutRule, "unchanged")
	w.on("2018-08-20").revisit("http://journals.tidal.example/robots.txt", answer("200 OK", "", "Content-Type: text/plain"), []byte(tidal))
	w.robots("http://www.corner-shop.example", "User-agent: *\nDisallow: /basket/\n", rules, none, "no ACAP")
	w.done()

	w = c.newWARC(summer+"warc/CC-MAIN-20180819-warc-00000.warc.gz", "2018-08-19", "2018: pages; every answer has an empty line more between header and body, as that crawl has")
	w.page("https://www.lantern.example/letters/2.html", extraLine(htmlPage("Letters", meta("robots", "index,follow")+"\n"+meta("SearchBot1", "nosnippet"), "<p>Madam,</p>")),
		"conventional METAs only; a boilerplate does not lift ACAP in robots.txt", "rep-page-acap-robots")
	w.page("https://www.lantern.example/archive/2012/ferry.html", extraLine(htmlPage("Ferry late again", meta("robots", "ACAP allow-preserve"), "<p>As of 2012.</p>")),
		"an old template still carries ACAP", "page-robots")
	w.page("http://www.harbour-post.example/tides.html", extraLine(htmlPage("Tides", "", "<p>High water at two.</p>")), "says nothing: counted")
	w.page("http://acap.vuurtoren.example/nieuws/1.html", extraLine(htmlPage("Nieuws", meta("snippet-lichtbundel", "Mist op de vaargeul")+"\n"+meta("LichtBundel12", "ACAP allow-present-snippet must-use-resource=the-acap:extract:meta:snippet-lichtbundel"), "<p>Mist.</p>")),
		"its robots.txt cannot be reached: basis robots-unreachable for what the META does not say")
	w.page("http://www.corner-shop.example/", extraLine(htmlPage("Corner Shop", meta("robots", "noindex,nofollow"), "<p>Open until nine.</p>")), "a conventional META")
	w.done()

	w = c.newWARC(summer+"crawldiagnostics/CC-MAIN-20180819-crawldiagnostics-00000.warc.gz", "2018-08-19", "2018: answers of pages that are no 200")
	w.page("http://www.lantern.example/", redirect("https://www.lantern.example/"), "a redirect: counted")
	w.page("https://www.lantern.example/news/weather.html", failure("404 Not Found", "X-Robots-Tag: noindex"), "gone, with an X-Robots-Tag")
	w.done()

	w = c.newWARC(autumn+"robotstxt/CC-MAIN-20251012-robotstxt-00000.warc.gz", "2025-10-12", "2025: other vocabularies")
	w.robots("https://www.lantern.example", lantern2025, rules, beyond, "newer vocabularies; one page still has ACAP")
	w.capture("https://www.harbour-post.example/robots.txt", failure("404 Not Found"))
	w.expect("https://www.harbour-post.example", absent, none, "gone")
	w.robots("https://www.corner-shop.example", "User-agent: *\nAllow: /\n\nUser-agent: LearnBot\nDisallow: /\n", rules, none, "no ACAP; one crawler is shut out")
	w.done()

	w = c.newWARC(autumn+"warc/CC-MAIN-20251012-warc-00000.warc.gz", "2025-10-12", "2025: pages; the crawler has decoded the bodies and says so in X-Crawler-* fields")
	crawler := []string{"X-Crawler-Content-Encoding: gzip", "X-Crawler-Content-Length: 211"}
	w.capture("https://www.lantern.example/2025/bridge.html", htmlPage("Bridge closes", meta("robots", "max-snippet:160, max-image-preview:large"), "<p>For repairs.</p>", crawler...),
		"WARC-Identified-Payload-Type: text/html")
	w.c.pages = append(w.c.pages, page{w.crawl, "https://www.lantern.example/2025/bridge.html", nil, "what a crawler detected; a conventional limit on snippets"})
	w.page("https://www.lantern.example/archive/2012/ferry.html", htmlPage("Ferry late again", meta("robots", "ACAP allow-preserve"), "<p>As of 2012.</p>", crawler...), "the last ACAP of the story")
	w.page("https://www.corner-shop.example/", htmlPage("Corner Shop", meta("robots", "noindex"), "<p>Open until ten.</p>", crawler...), "a conventional META")
	w.done()
}

// extraLine doubles the empty line between header and body.
func extraLine(http []byte) []byte {
	return replaceOnce(http, "\r\n\r\n", "\r\n\r\n\r\n")
}

const lantern2012 = `##ACAP version=1.1
# The Lantern. Crawlers that cannot read ACAP: see the conventional rules.
User-agent: *
Disallow: /print/
Disallow: /archive/
Sitemap: http://www.lantern.example/sitemap.xml

ACAP-ignore-conventional-records

ACAP-resource-set: pictures /*.jpg$ /*.png$
ACAP-qualified-usage: week-preserve preserve time-limit=7-days
ACAP-qualified-usage: own-frame present-original required-context=within-original-frame
ACAP-composite-usage: show (own-frame) present-link

ACAP-crawler: *
ACAP-disallow-crawl: /print/
ACAP-allow-index: /
ACAP-disallow-index: the-acap:resource-set:pictures
ACAP-disallow-preserve: /
ACAP-allow-(week-preserve): /news/
ACAP-disallow-present: /archive/
ACAP-allow-(show): /archive/
ACAP-allow-present-snippet: /news/ max-length=40-words
ACAP-disallow-present-thumbnail: /news/

# Agreed with SearchBot in March
ACAP-crawler: SearchBot1
ACAP-crawler: SearchBot2
ACAP-allow-crawl: /archive/
ACAP-allow-present: /archive/ time-limit=until-2012-12-31
ACAP-allow-present-currentcopy: /archive/ prohibited-modification=any
ACAP-usage-purpose: http://alerts.search.example
ACAP-disallow-present: /letters/
ACAP-disallow-other: /letters/
`

const lantern2018 = `##ACAP version=1.1
User-agent: *
Disallow: /print/
Disallow: /search?
Allow: /archive/

User-agent: BulkBot
Disallow: /

ACAP-crawler: *
ACAP-disallow-crawl: /print/
ACAP-disallow-crawl: /archive/photos/
ACAP-disallow-preserve: /
ACAP-disallow-index: /letters/
ACAP-disallow-present-currentcopy: /

ACAP-crawler: BulkBot
ACAP-allow-crawl: /
`

const lantern2025 = `# The Lantern reserves its rights.
License: https://www.lantern.example/license.xml

User-agent: *
Content-Signal: search=yes, ai-input=no, ai-train=no
Allow: /
Disallow: /search?

User-agent: LearnBot
Disallow: /

Sitemap: https://www.lantern.example/sitemap.xml
`

const harbour2012 = `##ACAP version=1.0
User-agent: *
Disallow: /cgi-bin/
Disallow: /admin/

User-agent: BulkBot
Disallow: /

ACAP-crawler: *
# User-agent: *
ACAP-disallow-crawl: /cgi-bin/
# Disallow: /cgi-bin/
ACAP-disallow-crawl: /admin/
# Disallow: /admin/

ACAP-crawler: BulkBot
# User-agent: BulkBot
ACAP-disallow-crawl: /
# Disallow: /
`

const harbour2018 = `##ACAP version=1.0
User-agent: *
Disallow: /cgi-bin/
Disallow: /admin/
Disallow: /wp-json/

User-agent: BulkBot
Disallow: /

ACAP-crawler: *
# User-agent: *
ACAP-disallow-crawl: /cgi-bin/
# Disallow: /cgi-bin/
ACAP-disallow-crawl: /admin/
# Disallow: /admin/

ACAP-crawler: BulkBot
# User-agent: BulkBot
ACAP-disallow-crawl: /
# Disallow: /
`

const vuurtoren = `##ACAP version=0.2  #pilot version
# for http://acap.vuurtoren.example

User-agent: *
Disallow: /

ACAP-ignore-conventional-records

ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-allow-index: /
ACAP-disallow-crawl: /site/
ACAP-allow preserve: /  time-limit=100-days
ACAP-disallow-present-currentcopy: /

ACAP-crawler: LichtBundel12
ACAP-usage-purpose: http://zoek.lichtbundel.example  # this service only
ACAP-disallow-index: /nieuws/
ACAP-allow-index: /sport/
ACAP-allow present-snippet: /sport/ max-length=150-chars
`

const tidal = `##ACAP version=1.0

User-agent: SearchBot1
Disallow:

User-agent: *
Disallow:

ACAP-crawler: SearchBot1
# User-agent: SearchBot1
ACAP-crawler: *
# User-agent: *
`
