package main

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// Values of the tables, as the README repeats them.
const (
	rules       = "rules"
	noRules     = "no-rules"
	absent      = "absent"
	forbidden   = "forbidden"
	unreachable = "unreachable"
	unresolved  = "redirect-unresolved"
	notRobots   = "not-robots"
	notCaptured = "not-captured"

	none        = "none"
	markerOnly  = "marker-only"
	withoutRule = "record-without-rules"
	mirrors     = "mirrors-rep"
	differs     = "crawl-differs"
	beyond      = "beyond-rep"
)

// town is a site of Town Papers.
func town(label string) string { return "http://" + label + ".town-papers.example" }

// A title is a robots.txt of Town Papers.
type title struct{ label, body, class, shows string }

// pathsOf are paths of titles at which a page is captured too, so that a scan decides there and not only at the root.
var pathsOf = map[string]string{
	"narrowest": "/TEXTS/scan.gif", "neither-nested": "/reports/annual.html", "tie": "/draw/1.html", "crawl-prohibited": "/closed.html",
	"ten-of-present": "/news/1.html", "sub-records": "/news/1.html", "resource-set": "/secret.html", "qualifiers": "/i/1.html",
	"named": "/1.html", "wildcards": "/story-print.html", "query": "/?sid=7", "expired": "/1.html", "other": "/public/1.html",
}

// noRule are the titles whose robots.txt has no rule that decides.
var noRule = map[string]bool{"invalid-rules": true, "requests": true}

// titles writes an archive with a robots.txt a site.
func (c *collection) titles(path, date, shows string, titles ...title) {
	w := c.newWARC(path, date, shows)
	here := htmlPage("Decided here", meta("robots", "ACAP allow-follow"), "<p>Crawlers came by.</p>")
	for _, t := range titles {
		outcome := rules
		if noRule[t.label] {
			outcome = noRules
		}
		w.robots(town(t.label), t.body, outcome, t.class, t.shows)
		if path := pathsOf[t.label]; path != "" {
			w.page(town(t.label)+path, here, "a path of this site, decided by its robots.txt: "+t.shows)
		}
	}
	w.done()
}

// copyOfREP is conventional rules and ACAP that says the same.
const copyOfREP = `User-agent: *
Disallow: /print/

ACAP-crawler: *
ACAP-disallow-crawl: /print/
`

// addRobots adds what can stand in a robots.txt.
func addRobots(c *collection) {
	c.titles("good/robots/marker.warc.gz", "2012-05-17", "the version marker, and where it stands",
		title{"marker-first", "##ACAP version=1.1\n" + copyOfREP, mirrors, "marker on the first line"},
		title{"marker-late", "# The Late Edition\n" + copyOfREP + "\n##ACAP version=1.0\n", mirrors, "`marker-not-first`: marker on the last line"},
		title{"marker-hashes", "###ACAP version=1.0\n" + copyOfREP, mirrors, "`marker-extra-hashes`"},
		title{"marker-loose", "## acap  Version = 1.1 and what follows\n" + copyOfREP, mirrors, "marker in another case, with blanks and words behind it"},
		title{"marker-twice", "##ACAP version=1.0\n" + copyOfREP + "##ACAP version=1.1\n", mirrors, "two markers: the first counts"},
		title{"marker-only", "##ACAP version=1.0\nUser-agent: *\nDisallow: /print/\n", markerOnly, "marker and no ACAP field"},
		title{"marker-missing", copyOfREP, mirrors, "ACAP fields without a marker"},
		title{"marker-one-hash", "#ACAP version=1.0\nUser-agent: *\nDisallow: /print/\n", none, "one hash is a comment, no marker"},
		title{"marker-pilot", "##ACAP version=0.2 # pilot version\nACAP-crawler: *\nACAP-allow-other: / ref=http://terms.town-papers.example/\n", beyond,
			"below 1.0: everything is read, `ref` too"},
		title{"marker-future", "##ACAP version=2.0\nACAP-crawler: *\nACAP-allow-other: / ref=http://terms.town-papers.example/\n", beyond,
			"`version-unknown`: read as 1.1"},
	)

	c.titles("good/robots/record.warc.gz", "2012-05-17", "records: whom they speak to, where they begin and end",
		title{"no-rules", "##ACAP version=1.0\nUser-agent: Lighthouse\nDisallow:\n\nUser-agent: *\nDisallow:\n\nACAP-crawler: Lighthouse\n# User-agent: Lighthouse\n" +
			"ACAP-crawler: *\n# User-agent: *\n", withoutRule, "`record-without-rules`: crawlers and nothing said to them"},
		title{"named", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: /\nACAP-disallow-preserve: /\n\nACAP-crawler: SearchBot1\nACAP-crawler: SearchBot2\n" +
			"ACAP-allow-index: /\n", beyond, "SearchBot1 and SearchBot2 may index, others not (`named-any`); on preserve the record of `*` speaks to all; SearchBot is neither"},
		title{"several-any", "##ACAP version=1.1\nUser-agent: *\nDisallow: /files/\n\nACAP-crawler: *\nACAP-allow-crawl: /\n\nACAP-crawler: *\nACAP-disallow-crawl: /files/\n", mirrors,
			"`several-any-records`: merged"},
		title{"any-with-named", "ACAP-crawler: SearchBot1\nACAP-crawler: *\nACAP-disallow-index: /drafts/\n", beyond, "`any-with-named`: all agents"},
		title{"outside-record", "##ACAP version=1.0\nACAP-disallow-crawl: /lost/\n\nACAP-crawler: *\nACAP-disallow-crawl: /kept/\n", differs,
			"`rule-outside-record`: the first rule is ignored"},
		title{"foreign-lines", "##ACAP version=1.0\nUser-agent: *\nACAP-crawler: *\nDisallow: /cgi/\nDisallow: /print/\nACAP-disallow-crawl: /cgi/\nACAP-disallow-crawl: /print/\n" +
			"User-agent: Lighthouse\nDisallow: /\n", differs, "`conventional-in-record`: each vocabulary is read as if the other were not there"},
		title{"crawler-name", "ACAP-crawler: MSNPTC/1.0\nACAP-disallow-crawl: /\nACAP-crawler: Two Words\nACAP-disallow-crawl: /words/\n", differs,
			"`crawler-name-syntax`: the name ends at the slash or blank"},
		title{"letter-case", "##ACAP version=1.1\nacap-CRAWLER: searchBOT1\nAcap-Disallow-INDEX: /Drafts/\n", beyond, "names of fields and crawlers ignore case, paths do not"},
		title{"unknown-field", "##ACAP version=1.1\nACAP-crawler: SearchBot1\nACAP-disallow-index: /a/\nACAP-embargo: /b/\nACAP-crawler: SearchBot2\nACAP-disallow-index: /c/\n", beyond,
			"`unknown-field`: ignored, parts nothing"},
		title{"invalid-rules", "##ACAP version=1.0\nACAP-crawler: *\nACAP-disallow-crawl: drafts/\nACAP-disallow-crawl:\nACAP-disallow-scrape: /\n", withoutRule,
			"`path-not-rooted`, `missing-resource`, `unknown-usage`: no rule is left"},
		title{"requests", "##ACAP version=0.2\nACAP-crawler: SearchBot1\nACAP-request-take-down: /court/verdict.html\nACAP-request-re-crawl: /index.html\n", withoutRule,
			"requests are recorded"},
	)

	c.titles("good/robots/beside-rep.warc.gz", "2012-05-17", "ACAP beside conventional rules: the same, drifted, contradicting",
		title{"mirror", "##ACAP version=1.0\nUser-agent: *\nDisallow: /cgi-bin/\nDisallow: /search\n\nUser-agent: SearchBot1\nDisallow: /\n\n" +
			"ACAP-crawler: *\nACAP-disallow-crawl: /cgi-bin/\nACAP-disallow-crawl: /search\n\nACAP-crawler: SearchBot1\nACAP-disallow-crawl: /\n", mirrors, "the same for all"},
		title{"drift-acap", "##ACAP version=1.1\nUser-agent: *\nDisallow: /incoming/\nDisallow: /banner/\n\n" +
			"ACAP-crawler: *\nACAP-disallow-crawl: /incoming/\nACAP-disallow-crawl: /banner/\nACAP-disallow-crawl: /apps/\n", differs, "`acap-rep-drift`: ACAP has a path more"},
		title{"drift-rep", "##ACAP version=1.0\nUser-agent: *\nDisallow: /incoming/\nDisallow: /banner/\nDisallow: /popup/\nDisallow: /test/\n\n" +
			"ACAP-crawler: *\nACAP-disallow-crawl: /incoming/\nACAP-disallow-crawl: /banner/\n", differs, "`acap-rep-drift`: the conventional rules have two paths more"},
		title{"contradiction", "##ACAP version=1.0\nUser-agent: *\nDisallow:\n\nACAP-crawler: *\nACAP-disallow-crawl: /service/\nACAP-disallow-crawl: /search/\n", differs,
			"`acap-rep`: an empty Disallow lets in, ACAP does not"},
		title{"archive-opened", "##ACAP version=1.1\nUser-agent: *\nDisallow: /archive/\n\nACAP-crawler: *\nACAP-allow-crawl: /archive/\n", differs,
			"`acap-rep` of severity override: ACAP opens what is closed conventionally"},
		title{"one-agent", "##ACAP version=1.0\nUser-agent: *\nDisallow: /x/\n\nUser-agent: SearchBot1\nDisallow: /\n\nACAP-crawler: *\nACAP-disallow-crawl: /x/\n\n" +
			"ACAP-crawler: SearchBot1\nACAP-allow-crawl: /\n", differs, "the same for `*`, not for SearchBot1"},
		title{"ignore-conventional", "##ACAP version=1.1\nUser-agent: *\nDisallow: /\n\nACAP-ignore-conventional-records\n\nACAP-crawler: *\nACAP-allow-crawl: /\nACAP-disallow-crawl: /private/\n", differs,
			"conventional records do not count for deciding; the `acap-rep` is told all the same"},
		title{"conventional-only", "User-agent: *\nDisallow: /private/\nCrawl-delay: 5\nSitemap: http://conventional-only.town-papers.example/sitemap.xml\n", none, "no ACAP"},
	)

	addUsages(c)
	addDefinitions(c)
	addQualifiers(c)
	addReferences(c)

	c.titles("good/robots/repair.warc.gz", "2012-05-17", "spellings that are repaired (`--strict`: invalid)",
		title{"missing-colon", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-present-snippet /news/ max-length=20-words\n", beyond, "`missing-colon`"},
		title{"space-for-hyphen", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow preserve: / time-limit=100-days\nACAP disallow crawl: /site/\n", beyond, "`space-for-hyphen`"},
		title{"present-links", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-present: /news/\nACAP-allow-present-links: /news/*.html$\n", beyond, "`present-links`"},
		title{"pilot-namespace", "##ACAP version=0.2\nACAP-resource-set: closed /a/ /b/\nACAP-crawler: *\nACAP-disallow-crawl: acap:resource-set:closed\n" +
			"ACAP-allow-index: / must-use-resource=acap:extract:id:summary\n", beyond, "`pilot-namespace`: `acap:` for `the-acap:`"},
		title{"prose", "User-agent: *\nDisallow: /x/\n\nACAP is not used here.\n", none, "a line of prose that begins with the word is no field"},
	)

	c.titles("good/robots/pattern.warc.gz", "2012-05-17", "resources",
		title{"wildcards", "##ACAP version=1.1\nUser-agent: *\nDisallow: /*-print.html$\nDisallow: *.htm$\n\nACAP-crawler: *\nACAP-disallow-crawl: /*-print.html$\nACAP-disallow-crawl: *.htm$\n",
			beyond, "`*` anywhere, also first; `$` last"},
		title{"dollar-within", "ACAP-crawler: *\nACAP-disallow-crawl: /cash$/\nACAP-disallow-crawl: /end$\n", differs, "`$` within a pattern is literal"},
		title{"percent", "##ACAP version=1.1\nUser-agent: *\nDisallow: /caf%c3%a9/\nDisallow: /%7Eeditor/\n\nACAP-crawler: *\nACAP-disallow-crawl: /café/\nACAP-disallow-crawl: /~editor/\n",
			mirrors, "percent-encoding is compared as RFC 9309 does"},
		title{"hash-in-value", "##ACAP version=1.1\nUser-agent: * # all\nDisallow: /old#new/ # cut\n\nACAP-crawler: * # all\nACAP-disallow-crawl: /old\n", mirrors, "a value is cut at `#`"},
		title{"query", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-crawl: /*?print=\nACAP-disallow-index: /?sid=\n", beyond, "patterns reach over the query"},
	)

	addBytes(c)

	c.titles("good/robots/vocabulary.warc.gz", "2025-10-12", "robots.txt of other vocabularies",
		title{"content-signal", "# As a condition of accessing this website …\nUser-Agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n", none, "Content-Signal, counted by name"},
		title{"content-usage", "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\nAllow: /\n", none, "Content-Usage"},
		title{"license", "License: http://license.town-papers.example/terms.xml\n\nUser-agent: *\nAllow: /\n", none, "License"},
		title{"old-fields", "User-agent: *\nDisallow: /x/\nNoindex: /y/\nCrawl-delay: 10\nRequest-rate: 1/5\nVisit-time: 0600-0845\nHost: old-fields.town-papers.example\n" +
			"Sitemap: http://old-fields.town-papers.example/sitemap.xml\n", none, "fields that are recorded, and unknown ones"},
		title{"all-of-them", "##ACAP version=1.1\nUser-agent: *\nContent-Signal: ai-train=no\nAllow: /\n\nACAP-crawler: *\nACAP-disallow-other: /\n", beyond, "ACAP beside Content-Signal"},
	)
}

func addUsages(c *collection) {
	all := "##ACAP version=1.1\nACAP-crawler: *\n"
	for _, u := range strings.Fields("crawl follow index preserve present other present-original present-currentcopy present-oldcopy present-snippet " +
		"present-extract present-thumbnail present-oldsnippet present-oldextract present-oldthumbnail present-link") {
		all += "ACAP-allow-" + u + ": /open/" + u + "/\nACAP-disallow-" + u + ": /closed/" + u + "/\n"
	}
	c.titles("good/robots/usage.warc.gz", "2012-05-17", "the sixteen usages, and how statements about them are weighed",
		title{"sixteen", all, beyond, "each usage allowed and disallowed"},
		title{"ten-of-present", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-present: /news/\nACAP-allow-present-snippet: /news/\nACAP-allow-present-link: /news/\n", beyond,
			"`present` covers its ten; the narrower usage wins"},
		title{"other", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: /public/\nACAP-disallow-other: /public/\n", beyond,
			"`other` reaches usages that nothing else is said of; `reading`: other-narrow decides otherwise"},
		title{"crawl-prohibited", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-crawl: /\nACAP-allow-index: /\nACAP-allow-crawl: /$\n", beyond,
			"what may not be crawled may not be used: basis crawl-prohibited, `decision_if_crawled` keeps the rest"},
		title{"narrowest", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: /TEXTS/\nACAP-disallow-index: /TEXTS/*.gif$\nACAP-disallow-preserve: /\nACAP-allow-preserve: *.htm$\n", beyond,
			"the narrower scope wins, either way"},
		title{"neither-nested", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: /reports/\nACAP-disallow-index: /*annual\n", beyond,
			"scopes that cross: the method of characters"},
		title{"tie", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: /draw/\nACAP-disallow-index: /draw/\n", beyond, "`acap-tie`: undetermined, so disallowed"},
		title{"named-any", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-present: /gallery/\n\nACAP-crawler: PictureBot\nACAP-allow-present: /gallery/\n", beyond,
			"`named-any`: one crawler is excepted"},
		title{"pilot-reading", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-present: /news/\nACAP-disallow-present-snippet: /\n", beyond,
			"`reading`, `acap-tie`: for snippets of /news/ neither scope holds the other; profile pilot decides otherwise"},
		title{"unknown-usage", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-scrape: /\nACAP-allow-present-hologram: /\nACAP-disallow-index: /x/\n", beyond, "`unknown-usage`: ignored"},
	)
	c.titles("good/robots/purpose.warc.gz", "2012-05-17", "usage purposes",
		title{"sub-records", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-preserve: /\nACAP-usage-purpose: news-search\nACAP-usage-purpose: news-alert\nACAP-allow-preserve: /news/\n" +
			"ACAP-usage-purpose: image-search\nACAP-disallow-index: /news/\n", beyond, "general rules, then two sub-records, the first of two purposes"},
		title{"purpose-pattern", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: /\nACAP-usage-purpose: news*\nACAP-allow-index: /\n", beyond, "a purpose with a wildcard"},
		title{"purpose-uri", "##ACAP version=1.1\nACAP-crawler: SearchBot1\nACAP-usage-purpose: http://news.search.example\nACAP-allow-index: /sport/\nACAP-disallow-index: /\n", beyond, "a purpose that is a URI"},
		title{"purpose-any", "##ACAP version=0.2\nACAP-crawler: *\nACAP-usage-purpose: *\nACAP-disallow-index: /drafts/\n", beyond, "`*` fits every purpose and none"},
		title{"purpose-by-record", "##ACAP version=1.1\nACAP-crawler: *\nACAP-usage-purpose: news\nACAP-disallow-index: /\nACAP-crawler: SearchBot1\nACAP-disallow-preserve: /\n", beyond,
			"a sub-record ends with its record"},
	)
}

func addDefinitions(c *collection) {
	c.titles("good/robots/definition.warc.gz", "2012-05-17", "resource sets, qualified and composite usages",
		title{"resource-set", "##ACAP version=1.1\nACAP-resource-set: permitted /$ /index.html /public/ /news/\nACAP-crawler: *\nACAP-disallow-crawl: /\nACAP-allow-crawl: the-acap:resource-set:permitted\n", beyond,
			"a set of patterns under one name"},
		title{"qualified-usage", "##ACAP version=1.1\nACAP-qualified-usage: brief-preserve preserve time-limit=30-days\nACAP-qualified-usage: framed present-original required-context=within-original-frame\n" +
			"ACAP-crawler: *\nACAP-allow-(brief-preserve): /news/\nACAP-allow-(FRAMED): /\n", beyond, "usages with their qualifiers under a name, whose case does not count"},
		title{"composite-usage", "##ACAP version=1.1\nACAP-qualified-usage: short-snippet present-snippet max-length=120-chars\nACAP-composite-usage: search index (short-snippet) present-link\n" +
			"ACAP-crawler: *\nACAP-disallow-other: /\nACAP-allow-(search): /news/\n", beyond, "several usages under one name: a statement a part"},
		title{"local-usage", "##ACAP version=1.1\nACAP-qualified-usage: teaser present-extract max-length=50-words\nACAP-crawler: *\nACAP-disallow-preserve: /\n", beyond,
			"defined here, used by a class token (pages/class.warc.gz has the page)"},
		title{"definition-late", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: the-acap:resource-set:closed\nACAP-resource-set: closed /a/ /b/\nACAP-allow-index: /c/\n", beyond,
			"`definition-late`: read all the same, parts no record"},
		title{"undefined-name", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-(nowhere): /\nACAP-disallow-index: the-acap:resource-set:nowhere\nACAP-disallow-index: /x/\n", beyond, "`undefined-name`: invalid"},
		title{"redefined-name", "##ACAP version=1.1\nACAP-qualified-usage: brief preserve time-limit=1-days\nACAP-composite-usage: BRIEF index preserve\nACAP-crawler: *\nACAP-allow-(brief): /\n", beyond,
			"`redefined-name`: the first counts; the two kinds of usages share names"},
		title{"local-in-prohibition", "##ACAP version=1.1\nACAP-composite-usage: display present-original present-currentcopy\nACAP-crawler: *\nACAP-disallow-(display): /\nACAP-disallow-index: /x/\n", beyond,
			"`local-usage-in-prohibition`: invalid"},
		title{"set-member", "##ACAP version=1.1\nACAP-resource-set: mixed /a/ b/ /c/\nACAP-crawler: *\nACAP-disallow-crawl: the-acap:resource-set:mixed\n", beyond, "a member that is no pattern is left out"},
	)
}

func addQualifiers(c *collection) {
	each := `##ACAP version=1.1
ACAP-crawler: *
ACAP-allow-index: /a/ time-limit=until-recrawled
ACAP-allow-preserve: /a/ time-limit=until-2030-12-31
ACAP-allow-present: /a/ time-limit=14-days
ACAP-allow-index: /b/ must-use-resource=/summaries/b.html
ACAP-allow-index: /c/ must-use-resource=the-acap:extract:id:abstract
ACAP-allow-present-snippet: /c/ must-use-resource=the-acap:extract:class:teaser
ACAP-allow-present-thumbnail: /c/ must-use-resource=the-acap:extract:meta:thumb
ACAP-allow-present: /d/ must-include-resource=http://qualifiers.town-papers.example/logo.png
ACAP-allow-present: /e/ must-include-resource=the-acap:credit:id:byline
ACAP-allow-present: /f/ must-include-resource=the-acap:link:class:source must-include-resource=the-acap:icon:/favicon.ico must-include-resource=the-acap:text:meta:rights
ACAP-allow-present-snippet: /g/ max-length=150-chars
ACAP-allow-present-extract: /g/ max-length=20-words
ACAP-allow-present-oldsnippet: /g/ max-length=100-chars
ACAP-allow-present-oldextract: /g/ max-length=10-words
ACAP-allow-present: /h/ prohibited-modification=any
ACAP-allow-present-original: /i/ prohibited-modification=format prohibited-modification=style
ACAP-allow-present-currentcopy: /i/ prohibited-modification=translation
ACAP-allow-present-oldcopy: /i/ prohibited-modification=annotation
ACAP-allow-present-currentcopy: /j/ prohibited-context=within-user-frame
ACAP-allow-present-original: /j/ required-context=within-original-frame
ACAP-allow-present: /k/ target-condition=subscribers
ACAP-allow-other: /k/ ref=http://terms.town-papers.example/k
`
	c.titles("good/robots/qualifier.warc.gz", "2012-05-17", "qualifiers: right, wrong, expired, of another version",
		title{"qualifiers", each, beyond, "every qualifier where it belongs"},
		title{"not-for-usage", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: / max-length=20-words\nACAP-allow-crawl: / time-limit=3-days\nACAP-allow-present-link: / must-use-resource=/x\n", beyond,
			"`qualifier-not-for-usage`: conditional all the same"},
		title{"not-for-source", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: / location=http://not-for-source.town-papers.example/\n", beyond,
			"`qualifier-not-for-source`: location is for METAs"},
		title{"unknown-qualifier", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: / colour=blue\n", beyond, "`unknown-qualifier`"},
		title{"unknown-value", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: / time-limit=soon\nACAP-allow-present: / prohibited-modification=all\nACAP-allow-present-snippet: / max-length=20\n", beyond,
			"`unknown-qualifier-value`"},
		title{"any-modification", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-present: / prohibited-modification=any prohibited-modification=style\n", beyond,
			"`redundant-qualifier`: `any` includes what stands beside it"},
		title{"blanks", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-present-snippet: /news/\tmax-length = 20-words\nACAP-allow-preserve: / time-limit= 3-days\n", beyond, "blanks around `=`"},
		title{"prohibition", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-preserve: / time-limit=30-days\n", beyond, "`qualified-prohibition`: it stands without them"},
		title{"expired", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: / time-limit=until-2012-05-16\nACAP-allow-preserve: / time-limit=until-2012-05-17\n", beyond,
			"captured on 17 May 2012: index has expired the evening before, preserve has not"},
		title{"together", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-present-snippet: / max-length=20-words\nACAP-allow-present: / time-limit=3-days\nACAP-allow-present-snippet: /\n", beyond,
			"permissions hold together; an unqualified one lifts no qualifier"},
		title{"gate-1-0", "##ACAP version=1.0\nACAP-crawler: *\nACAP-disallow-other: /\nACAP-allow-other: /shop/ ref=http://terms.town-papers.example/\n", beyond, "`version-gate`: 1.0 has no `ref`"},
		title{"gate-none", "ACAP-crawler: *\nACAP-disallow-present: /\nACAP-allow-present: /shop/ target-condition=members\n", beyond, "`version-gate`: without a version"},
	)
}

func addReferences(c *collection) {
	w := c.newWARC("good/robots/reference.warc.gz", "2012-05-17", "permissions references")
	refer := func(version, to string) string {
		return "##ACAP version=" + version + "\nACAP-crawler: *\nACAP-disallow-crawl: /cgi-bin/\n\nACAP-crawler: SearchBot1\nACAP-permissions-reference: " + to + "\n"
	}
	w.robots(town("ref-own"), refer("0.2", "/searchbot1/robots.txt"), rules, differs, "a reference to a file of the same site")
	w.capture(town("ref-own")+"/searchbot1/robots.txt", ok("text/plain", "##ACAP version=0.2\nACAP-crawler: SearchBot1\nACAP-disallow-index: /archive/\nACAP-allow-preserve: / time-limit=3-days\n"))
	w.robots(town("ref-other"), refer("0.2", "http://policies.town-papers.example/acap/shared-robots.txt"), rules, differs, "a reference to another host")
	w.robots(town("ref-policy"), refer("0.2", "http://policies.town-papers.example/acap/policy.txt"), rules, differs, "a reference to a file that only its content tells to be a policy")
	w.capture(town("policies")+"/acap/shared-robots.txt", ok("text/plain", "ACAP-crawler: *\nACAP-disallow-present: /archive/\n"))
	w.capture(town("policies")+"/acap/policy.txt", ok("text/plain", "# For all our titles\nACAP-crawler: SearchBot1\nACAP-disallow-index: /archive/\n"))
	w.expect(town("policies"), notCaptured, none, "has the files that others refer to, and no robots.txt in the corpus")
	w.robots(town("ref-missing"), refer("0.2", "/nowhere/robots.txt"), rules, differs, "a file that the corpus does not have: basis reference-unresolved for SearchBot1")
	w.robots(town("ref-html"), refer("0.2", "/policy.html"), rules, differs, "a page, not a robots.txt: unresolved")
	w.page(town("ref-html")+"/policy.html", htmlPage("Our policy", "", "<p>ACAP-disallow-index: everything, please.</p>"), "prose, no policy")
	w.robots(town("ref-1-1"), refer("1.1", "/searchbot1/robots.txt"), rules, differs, "`pilot-feature`: references are no part of 1.1; unresolved")
	w.robots(town("ref-with-rules"), "##ACAP version=0.2\nACAP-crawler: *\nACAP-permissions-reference: /nowhere/robots.txt\nACAP-disallow-index: /x/\n", rules, beyond,
		"`fields-with-reference`: the rule counts")
	w.done()
}

func addBytes(c *collection) {
	w := c.newWARC("good/robots/bytes.warc.gz", "2012-05-17", "encodings, line ends, sizes")
	w.robots(town("nbsp-utf8"), "##ACAP version=1.1\nUser-agent:\u00A0*\nDisallow:\u00A0/files/\n\nACAP-crawler:\u00A0*\n#\u00A0\u00A0User-agent: *\nACAP-disallow-crawl:\u00A0/files/\n", rules, mirrors,
		"`nbsp`: U+00A0 as UTF-8")
	w.robots(town("nbsp-latin1"), "##ACAP version=1.1\nACAP-crawler:\xA0*\nACAP-disallow-index:\xA0/files/\n", rules, beyond, "`nbsp`: a lone A0 byte, where the body is not UTF-8")
	w.robots(town("nbsp-within-utf8"), "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: /voil\u00E0/\n", rules, beyond, "no `nbsp`: the A0 byte is part of a letter")
	w.robots(town("bom"), "\uFEFF##ACAP version=1.1\n"+copyOfREP, rules, mirrors, "byte order mark before the marker")
	w.robots(town("utf-16le"), utf16Text(binary.LittleEndian, "##ACAP version=1.1\r\n"+copyOfREP), rules, mirrors, "UTF-16, little end first")
	w.robots(town("utf-16be"), utf16Text(binary.BigEndian, "##ACAP version=1.1\r\n"+copyOfREP), rules, mirrors, "UTF-16, big end first")
	w.robots(town("line-ends-cr"), strings.ReplaceAll("##ACAP version=1.1\n"+copyOfREP, "\n", "\r"), rules, mirrors, "lines end in CR")
	w.robots(town("line-ends-crlf"), strings.ReplaceAll("##ACAP version=1.1\n"+copyOfREP, "\n", "\r\n"), rules, mirrors, "lines end in CRLF")
	w.robots(town("line-ends-mixed"), "##ACAP version=1.1\r\nUser-agent: *\rDisallow: /print/\n\rACAP-crawler: *\r\n\r\nACAP-disallow-crawl: /print/", rules, mirrors, "all line ends, none at the end")
	w.robots(town("not-utf8"), "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: /caf\xE9/\n", rules, beyond, "bytes that are not UTF-8")
	w.robots(town("too-long"), "##ACAP version=1.1\n"+copyOfREP+strings.Repeat("# The editors thank all crawlers for reading this far.\n", 9600)+"ACAP-disallow-crawl: /never-read/\n", rules, mirrors,
		"`size-limit`: 510 KiB, a rule behind the limit")
	cut := "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-crawl: /a/\nACAP-disallow-crawl: /private"
	w.capture(town("cut")+"/robots.txt", answer("200 OK", cut[:len(cut)-len("rivate")], "Content-Type: text/plain", "Content-Length: 4096"), "WARC-Truncated: length")
	w.expect(town("cut"), rules, differs, "WARC-Truncated: the last line is cut to `/p`, and dropped")
	w.done()
}

// utf16Text encodes text in UTF-16 with its byte order mark.
func utf16Text(order binary.ByteOrder, text string) string {
	var b []byte
	for _, unit := range append([]uint16{0xFEFF}, utf16.Encode([]rune(text))...) {
		var pair [2]byte
		order.PutUint16(pair[:], unit)
		b = append(b, pair[:]...)
	}
	return string(b)
}

// addAnswers adds what a request for robots.txt can come to.
func addAnswers(c *collection) {
	w := c.newWARC("good/robots/answer.warc.gz", "2012-05-17", "what a request for robots.txt comes to")
	fails := func(label, status, outcome, shows string) {
		w.capture(town(label)+"/robots.txt", failure(status))
		w.expect(town(label), outcome, none, shows)
	}
	fails("missing", "404 Not Found", absent, "404: no rules")
	fails("gone", "410 Gone", absent, "410")
	fails("login", "401 Authorization Required", forbidden, "401 counts as absent")
	fails("closed", "403 Forbidden", forbidden, "403 counts as absent")
	fails("broken", "503 Service Unavailable", unreachable, "503: all is disallowed")
	fails("beyond-599", "600 Other", unreachable, "`http-status-invalid`: a status above 599")
	fails("busy", "429 Too Many Requests", unreachable, "429: as 5xx")
	w.robots(town("empty"), "", noRules, none, "an empty file")
	w.robots(town("comments"), "# Crawlers are welcome.\n", noRules, none, "comments only")
	w.capture(town("home-page")+"/robots.txt", htmlPage("Page not found", `<META name="robots" content="ACAP disallow-index">`, "<p>Try our front page.</p>"))
	w.expect(town("home-page"), notRobots, beyond, "HTML with status 200 in the place of robots.txt, an ACAP META in it")
	w.capture(town("plain-home-page")+"/robots.txt", ok("text/plain", html("Welcome", "", "<p>All the news.</p>")))
	w.expect(town("plain-home-page"), notRobots, none, "HTML said to be text/plain")
	w.capture(town("html-type")+"/robots.txt", ok("text/html", "##ACAP version=1.1\n"+copyOfREP))
	w.expect(town("html-type"), rules, mirrors, "a robots.txt said to be text/html")

	secure := strings.Replace(town("moved"), "http:", "https:", 1)
	w.capture(town("moved")+"/robots.txt", redirect(secure+"/robots.txt"))
	w.expect(town("moved"), rules, mirrors, "redirect from http to https, in the corpus")
	w.robots(secure, "##ACAP version=1.1\n"+copyOfREP, rules, mirrors, "where http leads to")
	w.capture(town("moved-host")+"/robots.txt", redirect(town("moved-to")+"/en/robots.txt"))
	w.expect(town("moved-host"), rules, differs, "redirect to another host and path")
	w.capture(town("moved-to")+"/en/robots.txt", ok("text/plain", "ACAP-crawler: *\nACAP-disallow-crawl: /borrowed/\n"))
	w.expect(town("moved-to"), notCaptured, none, "has the answer, but no /robots.txt")
	w.capture(town("moved-away")+"/robots.txt", redirect("http://elsewhere.example/robots.txt"))
	w.expect(town("moved-away"), unresolved, none, "redirect to a host that is not in the corpus")
	w.capture(town("loop")+"/robots.txt", redirect(town("loop")+"/robots.txt"))
	w.expect(town("loop"), unresolved, none, "redirect to itself")
	w.capture(town("relative")+"/robots.txt", redirect("/robots.txt?lang=en"))
	w.capture(town("relative")+"/robots.txt?lang=en", ok("text/plain", "##ACAP version=1.1\n"+copyOfREP))
	w.expect(town("relative"), rules, mirrors, "relative redirect")

	w.capture(town("mailto")+"/robots.txt", redirect("mailto:editor@mailto.town-papers.example"))
	w.expect(town("mailto"), unresolved, none, "redirect to what is no web address")
	w.capture(town("long-header")+"/robots.txt", answer("200 OK", "User-agent: *\nDisallow: /behind/a/long/header/\n", "X-Remark: "+strings.Repeat("long ", 60<<10)))
	w.expect(town("long-header"), noRules, none, "`http-header-too-large`: 300 KiB, and the body is not found")
	w.capture(town("endless-header")+"/robots.txt", []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nServer: httpd\r\n"))
	w.expect(town("endless-header"), noRules, none, "`http-header-unterminated`: no empty line, and no body")

	secure = strings.Replace(town("twins"), "http:", "https:", 1)
	w.robots(town("twins"), "User-agent: *\nDisallow: /\n", rules, none, "http: closed, and no ACAP")
	w.robots(secure, "##ACAP version=1.1\n"+copyOfREP, rules, mirrors, "https: open, with ACAP")

	w.page(town("unasked")+"/story.html", htmlPage("Unasked", `<meta name="robots" content="ACAP disallow-preserve">`, "<p>Nobody asked for our robots.txt.</p>"),
		"its robots.txt was never captured: basis robots-not-captured")
	w.expect(town("unasked"), notCaptured, beyond, "a page with a META, and no robots.txt in the corpus")
	w.done()

	w = c.newWARC("good/robots/over-time.warc.gz", "2012-05-14", "two robots.txt of one site with pages before, between and after; a revisit")
	first, second := "##ACAP version=1.0\nACAP-crawler: *\nACAP-allow-index: /\n", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: /\n"
	story := func(date, path, shows string, conflicts ...string) {
		w.on(date).page(town("change")+path, htmlPage("Town hall", `<meta name="robots" content="ACAP allow-preserve">`+"\n"+`<meta name="robots" content="index">`, "<p>No change.</p>"), shows, conflicts...)
	}
	story("2012-05-14", "/before.html", "before the first robots.txt: the nearest after it counts, index allowed")
	w.on("2012-05-15").capture(town("change")+"/robots.txt", ok("text/plain", first))
	story("2012-05-16", "/between.html", "under the first: index allowed")
	w.on("2012-05-17").robots(town("change"), second, rules, beyond, "two robots.txt; the second speaks for the site")
	story("2012-05-18", "/after.html", "under the second: index disallowed", "rep-page-acap-robots")
	w.on("2012-05-19").capture(town("change")+"/robots.txt", failure("503 Service Unavailable"))
	story("2012-05-20", "/down.html", "after a 503, which says nothing: still under the second", "rep-page-acap-robots")
	body := "##ACAP version=1.1\n" + copyOfREP
	w.on("2012-05-15").robots(town("revisit"), body, rules, mirrors, "the second capture is a revisit of the first")
	w.on("2012-05-18").revisit(town("revisit")+"/robots.txt", answer("200 OK", "", "Content-Type: text/plain"), []byte(body))
	w.done()
}
