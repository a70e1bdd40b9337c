package main

import (
	"fmt"
	"strings"
)

// addSiteConflicts adds a robots.txt for each kind of conflict that stands in a robots.txt alone, and one that just misses it.
func addSiteConflicts(c *collection) {
	c.titles("good/robots/conflict.warc.gz", "2012-05-17", "near misses of the conflicts that stand in a robots.txt alone",
		title{"tie-broken", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: /draw/\nACAP-disallow-index: /draw/1\n", beyond, "no `acap-tie`: the prohibition is the narrower one"},
		title{"tie-by-purpose", "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: /draw/\nACAP-usage-purpose: news\nACAP-disallow-index: /draw/\n", beyond,
			"no `acap-tie`: one of them is for a purpose"},
		title{"other-words", "##ACAP version=1.1\nUser-agent: *\nDisallow: /cgi/\nDisallow: /cgi/bin/\nDisallow: /*.pdf$\n\nACAP-crawler: *\nACAP-disallow-crawl: *.pdf$\n" +
			"ACAP-disallow-crawl: /cgi/*\nACAP-allow-crawl: /\n", mirrors, "no `acap-rep` and no drift: the same paths in other words"},
		title{"named-elsewhere", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-present: /gallery/\n\nACAP-crawler: PictureBot\nACAP-allow-present: /gallery/open/\n", beyond,
			"no `named-any`: the crawler's rule is about other resources"},
		title{"same-reading", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: /TEXTS/\nACAP-allow-index: /TEXTS/*.gif$\n", beyond,
			"no `reading`: inclusion, and the pilot's method of characters, agree"},
		title{"other-permits", "##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: /public/\nACAP-allow-other: /public/\n", beyond,
			"no `reading`: `other` permits, so that it does not matter what it reaches"},
	)
	c.clashes = append(c.clashes,
		clash{"acap-tie", "contradiction", "first", town("tie"), town("tie-broken"), "one pattern is narrower"},
		clash{"acap-tie", "contradiction", "first", town("tie"), town("tie-by-purpose"), "one of them is for a purpose"},
		clash{"acap-rep", "override", "first", town("archive-opened"), town("other-words"), "the same paths in other words"},
		clash{"acap-rep", "override", "first", town("ignore-conventional"), town("drift-rep"), "ACAP is silent where they differ"},
		clash{"acap-rep", "contradiction", "first", town("contradiction"), town("other-words"), "the same paths in other words"},
		clash{"acap-rep-drift", "override", "second", town("drift-rep"), town("other-words"), "the same paths in other words"},
		clash{"acap-rep-drift", "contradiction", "first", town("drift-acap"), town("mirror"), "the same rules"},
		clash{"named-any", "override", "first", town("named-any"), town("named-elsewhere"), "other resources"},
		clash{"reading", "contradiction", "first", town("pilot-reading"), town("same-reading"), "inclusion and characters agree"},
		clash{"reading", "contradiction", "first", town("other"), town("other-permits"), "`other` permits"},
	)
}

// addHostile adds policies of few kilobytes whose patterns make more kinds of path than anybody can look at. They have a folder of
// their own, since a scan of them takes seconds.
func addHostile(c *collection) {
	const patterns = 100
	each := func(format string) string {
		var b strings.Builder
		two := func(i int) string { return string([]byte{byte('a' + i%26), byte('a' + i/26)}) }
		for i := range patterns {
			fmt.Fprintf(&b, format, two(i), two(patterns-i))
		}
		return b.String()
	}
	both := each("Disallow: /*%[1]s*%[2]s\nAllow: /*%[2]s*%[1]sxx\n")
	acap := strings.NewReplacer("Disallow:", "ACAP-disallow-crawl:", "Allow:", "ACAP-allow-crawl:").Replace(both)
	prohibited := each("Disallow: /*%s*%s\n")
	c.titles("hostile/patterns.warc.gz", "2012-05-17", "patterns that make too many kinds of path to be looked at",
		title{"no-extent", "##ACAP version=1.1\nACAP-crawler: *\n" + each("ACAP-allow-index: /*%s*%s time-limit=3-days\n"), beyond,
			"extent of index `unknown`: nothing was found that is disallowed, and not all was looked at"},
		title{"an-extent", "##ACAP version=1.1\nACAP-crawler: *\n" + each("ACAP-allow-index: /%s/%s time-limit=3-days\n"), beyond,
			"extent of index `all`: as many patterns, but without wildcards"},
		title{"no-class", "##ACAP version=1.1\nUser-agent: *\n" + both + "\nACAP-crawler: *\n" + acap, differs,
			"crawl-differs, for want of an answer: `adoption_class_exact` and `conflicts_complete` are false, and there is no conflict"},
		title{"no-end", "##ACAP version=1.1\nUser-agent: *\n" + prohibited + "Disallow: /x/\n\nACAP-crawler: *\n" +
			strings.ReplaceAll(prohibited, "Disallow:", "ACAP-disallow-crawl:"), differs, "an `acap-rep-drift` that is `approximate`: it was found before the search ended"},
	)
}
