package decide_test

import "testing"

// This file decides the documents' own examples as their markup says. Where prose and markup differ, the prose is quoted.

// enabled is a robots.txt that closes the site to whoever does not read ACAP, as most examples of S2 begin; the first line given
// is line 4.
func enabled(list ...string) string {
	return lines(append([]string{"##ACAP version=1.1", "User-agent: *", "Disallow: /"}, list...)...)
}

func TestGuideCrawlers(t *testing.T) {
	run(t, []scene{
		{name: "S2 Ex 1.1/prohibit all crawlers",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /"),
			asks: []ask{
				{"* crawl /", "disallowed acap-robots R-DEC-2 R-DEC-0", "by 5; lost 3 R-DEC-2"},
				{"SearchBot1 crawl /a/b.html?c=d", "disallowed acap-robots R-DEC-2 R-DEC-0", "by 5; lost 3 R-DEC-2"},
				{"* index /", "disallowed crawl-prohibited R-DEC-2 R-DEC-0 R-DEC-11", "by 5; lost 3 R-DEC-2; if crawled allowed"},
				{"* other /", "disallowed crawl-prohibited R-DEC-2 R-DEC-0 R-DEC-11", ""},
				{"* crawl /robots.txt", "allowed silence R-PAT-1", "lost 5 R-PAT-1, 3 R-PAT-1"},
				{"* crawl /robots.txt?", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
			}},
		{name: "S2 Ex 1.2/restrict to specified content",
			robots: enabled("Allow: /$", "Allow: /index.html$",
				"ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /index.html$"),
			asks: []ask{
				{"* crawl /", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", "by 8; lost 7 R-DEC-5, 4 R-DEC-2, 3 R-DEC-2"},
				{"* crawl /index.html", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", "by 9; lost 7 R-DEC-5, 5 R-DEC-2, 3 R-DEC-2"},
				{"* crawl /index.html?a", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
				{"* crawl /x", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
				{"* present-link /index.html", "allowed silence R-DEC-12", ""},
			}},
		{name: "S2 Ex 1.3/permit only named crawlers",
			robots: enabled("User-agent: SearchBot1", "User-agent: SearchBot2", "Allow: /",
				"ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-crawler: SearchBot1", "ACAP-crawler: SearchBot2", "ACAP-allow-crawl: /"),
			asks: []ask{
				{"SearchBot1 crawl /a", "allowed acap-robots R-DEC-2 R-DEC-4 R-DEC-0", "by 11; lost 8 R-DEC-4, 6 R-DEC-2, 3 R-DEC-2"},
				{"searchbot2 crawl /a", "allowed acap-robots R-DEC-2 R-DEC-4 R-DEC-0", ""},
				{"SearchBot3 crawl /a", "disallowed acap-robots R-DEC-2 R-DEC-0", "by 8; lost 3 R-DEC-2"},
				{"SearchBot crawl /a", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
				{"* crawl /a", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
			}},
		{name: "S2 Ex 1.4/prohibit named crawlers",
			robots: lines("##ACAP version=1.1", "User-agent: SearchBot1", "User-agent: SearchBot2", "Disallow: /", "User-agent: *", "Allow: /",
				"ACAP-crawler: SearchBot1", "ACAP-crawler: SearchBot2", "ACAP-disallow-crawl: /", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
			asks: []ask{
				{"SearchBot1 crawl /a", "disallowed acap-robots R-DEC-2 R-DEC-4 R-DEC-0", "by 9; lost 11 R-DEC-4, 4 R-DEC-2, 6 R-DEC-2"},
				{"SearchBot9 crawl /a", "allowed acap-robots R-DEC-2 R-DEC-0", "by 11; lost 6 R-DEC-2"},
				{"SearchBot1 index /a", "disallowed crawl-prohibited R-DEC-2 R-DEC-4 R-DEC-0 R-DEC-11", ""},
			}},
		{name: "S2 Ex 1.5/permit only ACAP-enabled crawlers",
			robots: enabled("ACAP-crawler: *", "ACAP-allow-crawl: /"),
			asks: []ask{
				{"* crawl /a", "allowed acap-robots R-DEC-2 R-DEC-0", "by 5; lost 3 R-DEC-2"},
				{"SearchBot1 index /a", "allowed silence R-DEC-12", ""},
			}},
		{name: "S2 Ex 1.6/ignore conventional policies",
			robots: enabled("ACAP-ignore-conventional-records", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
			asks:   []ask{{"* crawl /a", "allowed acap-robots R-REC-6 R-DEC-0", "by 6; lost 3 R-REC-6"}}},
	})
}

func TestGuidePurposes(t *testing.T) {
	run(t, []scene{
		{name: "S2 Ex 2.1/prohibit specified services",
			robots: lines("##ACAP version=1.1", "ACAP-crawler: *", "ACAP-allow-crawl: /",
				"ACAP-crawler: SearchBot1", "ACAP-usage-purpose: news.*", "ACAP-usage-purpose: images.*", "ACAP-disallow-crawl: /"),
			asks: []ask{
				{"SearchBot1 crawl /a <news.example>", "disallowed acap-robots R-DEC-3 R-DEC-0", "by 7; lost 3 R-DEC-3"},
				{"SearchBot1 crawl /a <IMAGES.x>", "disallowed acap-robots R-DEC-3 R-DEC-0", ""},
				{"SearchBot1 crawl /a <news>", "allowed acap-robots R-DEC-0", "by 3"},
				{"SearchBot1 crawl /a <sports>", "allowed acap-robots R-DEC-0", ""},
				{"SearchBot1 crawl /a", "allowed acap-robots R-DEC-0", ""},
				{"SearchBot2 crawl /a <news.example>", "allowed acap-robots R-DEC-0", ""},
			}},
		{name: "S2 Ex 2.2/permit only a named service",
			robots: lines("##ACAP version=1.1", "ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-usage-purpose: sports", "ACAP-allow-crawl: /"),
			asks: []ask{
				{"* crawl /a <sports>", "allowed acap-robots R-DEC-3 R-DEC-0", "by 5; lost 3 R-DEC-3"},
				{"* crawl /a <Sports>", "allowed acap-robots R-DEC-3 R-DEC-0", ""},
				{"* crawl /a <sport>", "disallowed acap-robots R-DEC-0", ""},
				{"* crawl /a <sports.uk>", "disallowed acap-robots R-DEC-0", ""},
				{"* crawl /a", "disallowed acap-robots R-DEC-0", ""},
				{"* index /a", "disallowed crawl-prohibited R-DEC-0 R-DEC-11", ""},
				{"* index /a <sports>", "allowed silence R-DEC-12", ""},
			}},
	})
}

func TestGuideContent(t *testing.T) {
	directories := []ask{
		{"* crawl /", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", ""},
		{"* crawl /index.html", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", ""},
		{"* crawl /public/x", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", ""},
		{"* crawl /promotion/", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", ""},
		{"* crawl /news/a/b", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", ""},
		{"* crawl /public", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
		{"* crawl /private/", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
	}
	conventional := []string{"Allow: /$", "Allow: /index.html$", "Allow: /public/", "Allow: /promotion/", "Allow: /news/"} // 4 to 8
	run(t, []scene{
		{name: "S2 2.3/the longer pattern overrides", robots: acap("ACAP-disallow-crawl: /", "ACAP-allow-crawl: /public/"),
			asks: []ask{
				{"* crawl /public/a", "allowed acap-robots R-DEC-5 R-DEC-0", "by 4; lost 3 R-DEC-5"},
				{"* crawl /publicity", "disallowed acap-robots R-DEC-0", ""},
			}},
		{name: "S2 Ex 3.1/all but a directory",
			robots: enabled("ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-disallow-crawl: /nocrawl/"),
			asks: []ask{
				{"* crawl /a", "allowed acap-robots R-DEC-2 R-DEC-0", "by 5; lost 3 R-DEC-2"},
				{"* crawl /nocrawl/", "disallowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", "by 6; lost 5 R-DEC-5, 3 R-DEC-2"},
				{"* crawl /nocrawl", "allowed acap-robots R-DEC-2 R-DEC-0", ""},
			}},
		{name: "S2 Ex 3.2/specified directories",
			robots: enabled(append(conventional, "ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /index.html$",
				"ACAP-allow-crawl: /public/", "ACAP-allow-crawl: /promotion/", "ACAP-allow-crawl: /news/")...),
			asks: append(directories[:len(directories):len(directories)],
				ask{"* crawl /index.html5", "disallowed acap-robots R-DEC-2 R-DEC-0", ""})},
		{name: "S2 Ex 3.2 restated/a resource set",
			robots: enabled(append(conventional, "ACAP-resource-set: permitted /$ /index.html /public/ /promotion/ /news/",
				"ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: the-acap:resource-set:permitted")...),
			// The set has /index.html without the '$' of the example that it restates.
			asks: append(directories[:len(directories):len(directories)],
				ask{"* crawl /index.html5", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", "by 12; lost 11 R-DEC-5, 3 R-DEC-2"})},
		{name: "S2 Ex 3.3/files and file types",
			robots: enabled("Allow: /$", "Allow: /index.html$", "Allow: /public/*.htm$", "Allow: /public/*.html$",
				"ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /index.html$",
				"ACAP-allow-crawl: /public/*.htm$", "ACAP-allow-crawl: /public/*.html$"),
			asks: []ask{
				{"* crawl /public/a.htm", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", ""},
				{"* crawl /public/a/b.html", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", ""},
				{"* crawl /public/a.gif", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
				{"* crawl /public/a.html?b", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
				{"* crawl /a.html", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
			}},
	})
}

func TestGuideUsages(t *testing.T) {
	const outside = "disallowed crawl-prohibited R-DEC-2 R-DEC-0 R-DEC-11"
	run(t, []scene{
		{name: "S2 Ex 4.1/links not to be followed",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /public/", "ACAP-disallow-follow: /public/catalog/"),
			asks: []ask{
				{"* crawl /public/catalog/1", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", ""},
				{"* follow /public/catalog/1", "disallowed acap-robots R-DEC-0", "by 8"},
				{"* follow /public/1", "allowed silence R-DEC-12", ""},
				{"* index /public/catalog/1", "allowed silence R-DEC-12", ""},
				{"* follow /x", outside, "by 5; lost 3 R-DEC-2; if crawled allowed"},
			}},
		{name: "S2 Ex 4.2/links not to be followed, META", page: metas("robots: nofollow", "robots: ACAP disallow-follow"),
			asks: []ask{
				{"* follow /", "disallowed acap-page R-DEC-2 R-DEC-0", "by meta 2; lost meta 1 R-DEC-2"},
				{"SearchBot1 follow /", "disallowed acap-page R-DEC-2 R-DEC-0", ""},
				{"* index /", "allowed silence R-DEC-12", ""},
			}},
		{name: "S2 Ex 4.3/index specified resources",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /public/",
				"ACAP-allow-index: /public/", "ACAP-disallow-other: /public/"),
			asks: []ask{
				{"* index /public/a", "allowed acap-robots R-DEC-0", "by 8"},
				// "Other usages are explicitly prohibited in this case."
				{"* follow /public/a", "disallowed acap-robots R-DEC-13 R-DEC-0", "by 9"},
				{"* preserve /public/a", "disallowed acap-robots R-DEC-13 R-DEC-0", ""},
				{"* present-snippet /public/a", "disallowed acap-robots R-DEC-13 R-DEC-0", ""},
				{"* other /public/a", "disallowed acap-robots R-DEC-0", ""},
				{"* crawl /public/a", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", ""},
				{"* follow /public/a narrow", "allowed silence R-DEC-12", ""},
				{"* other /public/a narrow", "disallowed acap-robots R-DEC-0", ""},
				// "the prohibition to crawl other resources means that only resources in /public can be indexed"
				{"* index /a", outside, "by 5; lost 3 R-DEC-2; if crawled allowed"},
			}},
		{name: "S2 Ex 4.4/no images in the index",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-crawler: SearchBot1", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /TEXTS/",
				"ACAP-allow-index: /TEXTS/", "ACAP-disallow-index: /TEXTS/*.gif$", "ACAP-disallow-index: /TEXTS/*.png$", "ACAP-disallow-index: /TEXTS/*.jpg$"),
			asks: []ask{
				{"SearchBot1 index /TEXTS/a.html", "allowed acap-robots R-DEC-0", "by 9"},
				{"SearchBot1 index /TEXTS/a.gif", "disallowed acap-robots R-DEC-5 R-DEC-0", "by 10; lost 9 R-DEC-5"},
				{"SearchBot1 index /TEXTS/a.gif?x", "allowed acap-robots R-DEC-0", ""},
				{"SearchBot1 crawl /TEXTS/a.gif", "allowed acap-robots R-DEC-2 R-DEC-4 R-DEC-0", "by 8; lost 5 R-DEC-4, 3 R-DEC-2"},
				// The named record is silent here, so the other speaks (R-DEC-4).
				{"SearchBot1 crawl /other", "disallowed acap-robots R-DEC-2 R-DEC-0", "by 5; lost 3 R-DEC-2"},
				{"SearchBot1 index /other", outside, ""},
				{"SearchBot2 index /TEXTS/a.html", outside, ""},
			}},
		{name: "S2 Ex 4.4 restated/a resource set, defined between records",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-resource-set: images /TEXTS/*.gif$ /TEXTS/*.png$ /TEXTS/*.jpg$",
				"ACAP-crawler: SearchBot1", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /TEXTS/", "ACAP-allow-index: /TEXTS/",
				"ACAP-disallow-index: the-acap:resource-set:images"),
			asks: []ask{
				{"SearchBot1 index /TEXTS/a.html", "allowed acap-robots R-DEC-0", "by 10"},
				{"SearchBot1 index /TEXTS/a.png", "disallowed acap-robots R-DEC-5 R-DEC-0", "by 11; lost 10 R-DEC-5"},
				{"SearchBot1 crawl /TEXTS/a.gif", "allowed acap-robots R-DEC-2 R-DEC-4 R-DEC-0", ""},
			}},
		{name: "S2 Ex 4.5/index HTML only",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-crawler: SearchBot1", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /TEXTS/",
				"ACAP-disallow-index: /TEXTS/", "ACAP-allow-index: /TEXTS/*.html"),
			asks: []ask{
				{"SearchBot1 index /TEXTS/a.html", "allowed acap-robots R-DEC-5 R-DEC-0", "by 10; lost 9 R-DEC-5"},
				{"SearchBot1 index /TEXTS/a.html.gif", "allowed acap-robots R-DEC-5 R-DEC-0", ""}, // the pattern has no '$'
				{"SearchBot1 index /TEXTS/a.gif", "disallowed acap-robots R-DEC-0", ""},
			}},
		{name: "S2 Ex 4.6/no index, META", page: metas("robots: noindex", "robots: ACAP disallow-index"),
			asks: []ask{{"* index /", "disallowed acap-page R-DEC-2 R-DEC-0", "by meta 2; lost meta 1 R-DEC-2"}}},
		{name: "S2 Ex 4.7/index, do not preserve",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-crawler: SearchBot1", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /public/",
				"ACAP-allow-index: /public/", "ACAP-disallow-preserve: /public/"),
			asks: []ask{
				{"SearchBot1 index /public/a", "allowed acap-robots R-DEC-0", ""},
				{"SearchBot1 preserve /public/a", "disallowed acap-robots R-DEC-0", "by 10"},
				{"SearchBot1 present-currentcopy /public/a", "allowed silence R-DEC-12", ""},
				{"SearchBot2 preserve /public/a", outside, "by 5; lost 3 R-DEC-2; if crawled allowed"},
			}},
		{name: "S2 Ex 4.8/preserve HTML only",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-crawler: SearchBot1", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /public/",
				"ACAP-allow-index: /public/", "ACAP-disallow-preserve: /public/", "ACAP-allow-preserve: /public/*.htm$", "ACAP-allow-preserve: /public/*.html$"),
			asks: []ask{
				{"SearchBot1 preserve /public/a.htm", "allowed acap-robots R-DEC-5 R-DEC-0", "by 11; lost 10 R-DEC-5"},
				{"SearchBot1 preserve /public/a.html", "allowed acap-robots R-DEC-5 R-DEC-0", "by 12; lost 10 R-DEC-5"},
				{"SearchBot1 preserve /public/a.gif", "disallowed acap-robots R-DEC-0", ""},
			}},
		{name: "S2 Ex 4.9/do not preserve, META", page: metas("robots: ACAP disallow-preserve"),
			asks: []ask{{"* preserve /", "disallowed acap-page R-DEC-0", "by meta 1"}, {"* present-currentcopy /", "allowed silence R-DEC-12", ""}}},
		{name: "S2 Ex 4.10/some representations",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-crawler: SearchBot1", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /news/",
				"ACAP-allow-index: /news/", "ACAP-allow-preserve: /news/", "ACAP-disallow-present: /news/", // 11
				"ACAP-allow-present-snippet: /news/*.htm$", "ACAP-allow-present-thumbnail: /news/*.htm$", "ACAP-allow-present-links: /news/*.htm$",
				"ACAP-allow-present-snippet: /news/*.html$", "ACAP-allow-present-thumbnail: /news/*.html$", "ACAP-allow-present-links: /news/*.html$"),
			asks: []ask{
				{"SearchBot1 present-snippet /news/a.htm", "allowed acap-robots R-DEC-5 R-DEC-0", "by 12; lost 11 R-DEC-5"},
				{"SearchBot1 present-thumbnail /news/a.html", "allowed acap-robots R-DEC-5 R-DEC-0", "by 16; lost 11 R-DEC-5"},
				{"SearchBot1 present-link /news/a.html", "allowed acap-robots R-DEC-5 R-DEC-0", "by 17; lost 11 R-DEC-5"}, // R-LEX-6
				{"SearchBot1 present-link /news/a.gif", "disallowed acap-robots R-DEC-0", "by 11"},
				{"SearchBot1 present-currentcopy /news/a.htm", "disallowed acap-robots R-DEC-0", ""},
				{"SearchBot1 present-original /news/a.htm", "disallowed acap-robots R-DEC-0", ""},
				{"SearchBot1 present /news/a.htm", "disallowed acap-robots R-DEC-0", ""},
				{"SearchBot1 preserve /news/a.htm", "allowed acap-robots R-DEC-0", ""},
			}},
		{name: "S2 Ex 4.11/no thumbnails",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-crawler: SearchBot1", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /news/",
				"ACAP-allow-index: /news/", "ACAP-allow-preserve: /news/", "ACAP-allow-present: /news/", "ACAP-disallow-present-thumbnail: /news/"),
			asks: []ask{
				{"SearchBot1 present-thumbnail /news/a", "disallowed acap-robots R-DEC-5 R-DEC-0", "by 12; lost 11 R-DEC-5"},
				{"SearchBot1 present-oldthumbnail /news/a", "allowed acap-robots R-DEC-0", "by 11"},
				{"SearchBot1 present /news/a", "allowed acap-robots R-DEC-0", ""},
				// The pilot has no way to tell which of the two is narrower: the paths are the same.
				{"SearchBot1 present-thumbnail /news/a pilot", "disallowed undetermined R-DEC-7", "by 12; lost 11 R-DEC-7"},
			}},
		{name: "S2 Ex 4.12/no snippet, META", page: metas("robots: ACAP disallow-present-snippet"),
			asks: []ask{{"* present-snippet /", "disallowed acap-page R-DEC-0", ""}, {"* present-extract /", "allowed silence R-DEC-12", ""}}},
		{name: "S2 Ex 4.13/the original only",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /news/", "ACAP-allow-index: /news/",
				"ACAP-allow-preserve: /news/", "ACAP-allow-present: /news/", // 10
				"ACAP-disallow-present-currentcopy: /news/", "ACAP-disallow-present-oldcopy: /news/", "ACAP-disallow-present-original: /news/",
				"ACAP-allow-present-original: /news/*.htm$", "ACAP-allow-present-original: /news/*.html$"),
			asks: []ask{
				{"* present-original /news/a.htm", "allowed acap-robots R-DEC-5 R-DEC-0", "by 14; lost 10 R-DEC-5, 13 R-DEC-5"},
				{"* present-original /news/a.gif", "disallowed acap-robots R-DEC-5 R-DEC-0", "by 13; lost 10 R-DEC-5"},
				{"* present-currentcopy /news/a.htm", "disallowed acap-robots R-DEC-5 R-DEC-0", ""},
				{"* present-oldcopy /news/a.htm", "disallowed acap-robots R-DEC-5 R-DEC-0", ""},
				{"* present-snippet /news/a.htm", "allowed acap-robots R-DEC-0", "by 10"},
			}},
		{name: "S2 Ex 4.14/the most recent copy",
			robots: lines("##ACAP version=1.1", "User-agent: *", "Allow: /", "Disallow: /archive/",
				"ACAP-crawler: SearchBot1", "ACAP-allow-crawl: /archive/", "ACAP-allow-present: /archive/", "ACAP-disallow-present-oldcopy: /archive/"),
			asks: []ask{
				{"SearchBot1 crawl /archive/a", "allowed acap-robots R-DEC-2 R-DEC-0", "by 6; lost 4 R-DEC-2, 3 R-DEC-2"},
				{"SearchBot1 present-currentcopy /archive/a", "allowed acap-robots R-DEC-0", "by 7"},
				{"SearchBot1 present-oldcopy /archive/a", "disallowed acap-robots R-DEC-5 R-DEC-0", "by 8; lost 7 R-DEC-5"},
				{"SearchBot1 crawl /a", "allowed rep-robots R-REP-1", "by 3"},
				{"SearchBot2 crawl /archive/a", "disallowed rep-robots R-REP-1", "by 4; lost 3 R-REP-1"},
				{"SearchBot2 present-currentcopy /archive/a", "disallowed crawl-prohibited R-REP-1 R-DEC-11", "by 4; lost 3 R-REP-1; if crawled allowed"},
			}},
	})
}

func TestGuideRestrictions(t *testing.T) {
	run(t, []scene{
		{name: "S2 Ex 5.1/until recrawled",
			robots: enabled("ACAP-crawler: SearchBot1", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /index.html$",
				"ACAP-allow-index: /index.html time-limit=until-recrawled", "ACAP-allow-preserve: /index.html time-limit=until-recrawled"),
			asks: []ask{
				{"SearchBot1 index /index.html", "conditional acap-robots R-DEC-0", "by 8; if time-limit=until-recrawled"},
				{"SearchBot1 preserve /index.html @2030-01-01", "conditional acap-robots R-DEC-0", "by 9; if time-limit=until-recrawled"},
				// The prose has "present" in its title; the markup does not speak of it.
				{"SearchBot1 present /index.html", "allowed silence R-DEC-12", ""},
				{"SearchBot1 index /x", "disallowed crawl-prohibited R-DEC-2 R-DEC-0 R-DEC-11", ""},
				{"SearchBot2 crawl /index.html", "disallowed rep-robots R-REP-1", "by 3"},
			}},
		{name: "S2 Ex 5.2/until a date",
			robots: enabled("ACAP-crawler: *", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /serial/",
				"ACAP-allow-index: /serial/ time-limit=until-2008-03-01", "ACAP-allow-preserve: /serial/ time-limit=until-2008-03-01"),
			asks: []ask{
				{"* index /serial/1", "conditional acap-robots R-DEC-0", "by 7; if time-limit=until-2008-03-01"},
				{"* index /serial/1 @2008-03-01T23:59:59", "conditional acap-robots R-DEC-0", ""},
				{"* index /serial/1 @2008-03-02", "disallowed expired R-DEC-0 R-DEC-10", "by 7"},
				{"* present /serial/1 @2008-03-02", "allowed silence R-DEC-12", ""},
				{"* crawl /x", "disallowed rep-robots R-REP-1", ""},
			}},
		{name: "S2 Ex 5.3/until a date, META", page: metas("SearchBot1: ACAP allow-preserve time-limit=until-2008-03-01"),
			asks: []ask{
				{"SearchBot1 preserve / @2008-02-28", "conditional acap-page R-DEC-0", "by meta 1; if time-limit=until-2008-03-01"},
				{"SearchBot1 preserve / @2009-01-01", "disallowed expired R-DEC-0 R-DEC-10", "by meta 1"},
				// "to index and preserve": the markup says preserve only.
				{"SearchBot1 index / @2009-01-01", "allowed silence R-DEC-12", ""},
				{"SearchBot2 preserve / @2009-01-01", "allowed silence R-DEC-12", ""},
			}},
		{name: "S2 Ex 5.4/for some days",
			robots: enabled("ACAP-crawler: SpecialBot1", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /current/",
				"ACAP-allow-index: /current/ time-limit=14-days", "ACAP-allow-preserve: /current/ time-limit=14-days"),
			asks: []ask{
				{"SpecialBot1 index /current/a @2099-01-01", "conditional acap-robots R-DEC-0", "by 8; if time-limit=14-days"},
				{"SpecialBot1 preserve /current/a", "conditional acap-robots R-DEC-0", ""},
				{"SpecialBot1 follow /current/a", "allowed silence R-DEC-12", ""},
			}},
		{name: "S2 Ex 5.5/index an element by its class",
			robots: enabled("ACAP-crawler: SearchBot1", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /articles/",
				"ACAP-allow-index: /articles/ must-use-resource=the-acap:extract:class:abstract"),
			asks: []ask{{"SearchBot1 index /articles/1", "conditional acap-robots R-DEC-0", "by 8; if must-use-resource=the-acap:extract:class:abstract"}}},
		{name: "S2 Ex 5.6/index an element by its id, META", page: metas("SearchBot1: ACAP allow-index must-use-resource=the-acap:extract:id:i012345"),
			asks: []ask{
				{"SearchBot1 index /", "conditional acap-page R-DEC-0", "by meta 1; if must-use-resource=the-acap:extract:id:i012345"},
				{"* index /", "allowed silence R-DEC-12", ""},
			}},
		{name: "S2 Ex 5.7/index a META",
			robots: enabled("ACAP-crawler: SearchBot1", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /articles/",
				"ACAP-allow-index: /articles/ must-use-resource=the-acap:extract:meta:index-text"),
			asks: []ask{{"SearchBot1 index /articles/1", "conditional acap-robots R-DEC-0", "by 8; if must-use-resource=the-acap:extract:meta:index-text"}}},
		{name: "S2 Ex 5.8/length of a snippet, the colon missing",
			robots: enabled("ACAP-crawler: *", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /news/", "ACAP-allow-present-snippet /news/ max-length=20-words"),
			asks: []ask{
				{"* present-snippet /news/a", "conditional acap-robots R-DEC-0", "by 7; if max-length=20-words"},
				{"* present-extract /news/a", "allowed silence R-DEC-12", ""},
				{"* crawl /other", "disallowed rep-robots R-REP-1", ""},
			}},
		{name: "S2 Ex 5.9/length of a snippet, META", page: metas("robots: ACAP allow-present-snippet max-length=20-words"),
			asks: []ask{{"* present-snippet /", "conditional acap-page R-DEC-0", "by meta 1; if max-length=20-words"}}},
		{name: "S2 Ex 5.10/text of a snippet, META with typographic quotes",
			page: "<html><head><META name=”snippet” content=”This is the snippet text to be presented”>\n<META name=\"robots\"\n" +
				"   content=\"ACAP allow-present-snippet\n            must-use-resource=the-acap:extract:meta:snippet\"></head></html>",
			asks: []ask{{"* present-snippet /", "conditional acap-page R-DEC-0", "by meta 2; if must-use-resource=the-acap:extract:meta:snippet"}}},
		{name: "S2 Ex 5.11/no change of format",
			robots: enabled("ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-allow-present-currentcopy: / prohibited-modification=format"),
			asks: []ask{
				{"* present-currentcopy /a.pdf", "conditional acap-robots R-DEC-0", "by 6; if prohibited-modification=format"},
				{"* present-oldcopy /a.pdf", "allowed silence R-DEC-12", ""},
			}},
		{name: "S2 Ex 5.11 again/META in typographic quotes",
			page: "<html><head><META name=”robots”\ncontent=”ACAP allow-present-currentcopy prohibited-modification=format”></head></html>",
			asks: []ask{{"* present-currentcopy /", "conditional acap-page R-DEC-0", "by meta 1; if prohibited-modification=format"}}},
		{name: "S2 Ex 5.12/no change of layout",
			robots: enabled("ACAP-crawler: *", "ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: *.htm$", "ACAP-allow-crawl: *.html$",
				"ACAP-allow-present-currentcopy: *.htm$ prohibited-modification=style", "ACAP-allow-present-currentcopy: *.html$ prohibited-modification=style"),
			asks: []ask{
				{"* crawl /a/b.htm", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", "by 7; lost 5 R-DEC-5, 3 R-DEC-2"},
				{"* crawl /a/b.html", "allowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", ""},
				{"* crawl /a/b.gif", "disallowed acap-robots R-DEC-2 R-DEC-0", ""},
				{"* present-currentcopy /a/b.html", "conditional acap-robots R-DEC-0", "by 10; if prohibited-modification=style"},
				// S3's own method has '*' wider than '/', so its reading of the example prohibits what the example permits.
				{"* crawl /a/b.htm pilot", "disallowed acap-robots R-DEC-2 R-DEC-6 R-DEC-0", "by 5; lost 7 R-DEC-6, 3 R-DEC-2"},
			}},
		{name: "S2 Ex 5.13/no translation",
			robots: enabled("ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-allow-present: / prohibited-modification=translation"),
			asks: []ask{
				{"* present /a", "conditional acap-robots R-DEC-0", "by 6; if prohibited-modification=translation"},
				{"* present-oldcopy /a", "conditional acap-robots R-DEC-0", "by 6; if prohibited-modification=translation"},
			}},
		{name: "S2 Ex 5.14/no annotation",
			robots: enabled("ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-allow-present: / prohibited-modification=annotation"),
			asks:   []ask{{"* present-snippet /a", "conditional acap-robots R-DEC-0", "by 6; if prohibited-modification=annotation"}}},
		{name: "S2 Ex 5.15/no frame",
			robots: enabled("ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-allow-present-currentcopy: / prohibited-context=within-user-frame"),
			asks:   []ask{{"* present-currentcopy /a", "conditional acap-robots R-DEC-0", "by 6; if prohibited-context=within-user-frame"}}},
		{name: "S2 Ex 5.16/the original frame",
			robots: enabled("ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-allow-present-original: / required-context=within-original-frame"),
			asks: []ask{
				{"* present-original /a", "conditional acap-robots R-DEC-0", "by 6; if required-context=within-original-frame"},
				{"* present-currentcopy /a", "allowed silence R-DEC-12", ""},
			}},
	})
}

func TestPersgroep(t *testing.T) {
	robots := lines("##ACAP version=0.2  #pilot version", "User-agent: *", "Disallow: /", "ACAP-ignore-conventional-records",
		"ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-allow-index: /", "ACAP-disallow-crawl: /site/",
		"ACAP-allow preserve: /  time-limit=100-days", "ACAP-disallow-present-currentcopy: /", // 10
		"ACAP-crawler: ExaBotAcap12", "ACAP-usage-purpose: http://acap2.exalead.com", "ACAP-disallow-index: /nieuws/",
		"ACAP-allow-index: /sport/", "ACAP-allow present-snippet: /sport/ max-length=150-chars")
	run(t, []scene{
		{name: "S2 A.2.1/robots.txt", robots: robots,
			asks: []ask{
				{"* crawl /nieuws/1", "allowed acap-robots R-REC-6 R-DEC-0", "by 6; lost 3 R-REC-6"},
				{"* crawl /site/1", "disallowed acap-robots R-REC-6 R-DEC-5 R-DEC-0", "by 8; lost 6 R-DEC-5, 3 R-REC-6"},
				{"* index /site/1", "disallowed crawl-prohibited R-REC-6 R-DEC-5 R-DEC-0 R-DEC-11", ""},
				{"* preserve /nieuws/1", "conditional acap-robots R-DEC-0", "by 9; if time-limit=100-days"},
				{"* present-currentcopy /nieuws/1", "disallowed acap-robots R-DEC-0", "by 10"},
				{"* present-snippet /nieuws/1", "allowed silence R-DEC-12", ""},
				{"ExaBotAcap12 index /nieuws/1 <http://acap2.exalead.com>", "disallowed acap-robots R-DEC-3 R-DEC-0", "by 13; lost 7 R-DEC-3"},
				{"ExaBotAcap12 index /sport/1 <http://acap2.exalead.com>", "allowed acap-robots R-DEC-3 R-DEC-0", "by 14; lost 7 R-DEC-3"},
				{"ExaBotAcap12 present-snippet /sport/1 <http://acap2.exalead.com>", "conditional acap-robots R-DEC-0", "by 15; if max-length=150-chars"},
				// "only allowed to use content in service http://acap2.exalead.com": the markup prohibits no other purpose.
				{"ExaBotAcap12 index /nieuws/1 <http://www.exalead.com>", "allowed acap-robots R-DEC-0", "by 7"},
				{"ExaBotAcap12 index /nieuws/1", "allowed acap-robots R-DEC-0", ""},
			}},
		{name: "S2 A.2.2/META", robots: robots,
			page: metas("snippet-exalead-acap: Op de vandaag gepubliceerde nieuwe ATP-rankings",
				"ExaBotAcap12: ACAP allow-present-snippet must-use-resource=the-acap:extract:meta:snippet-exalead-acap"),
			asks: []ask{
				{"ExaBotAcap12 present-snippet /sport/1 <http://acap2.exalead.com>", "conditional acap-page R-DEC-1 R-DEC-0",
					"by meta 2; lost 15 R-DEC-1; if must-use-resource=the-acap:extract:meta:snippet-exalead-acap"},
				{"* present-snippet /sport/1", "allowed silence R-DEC-12", ""},
			}},
	})
}

func TestMETAFormat(t *testing.T) {
	run(t, []scene{
		{name: "S0 2.1/conventional METAs and the same in ACAP", page: metas("robots: index nofollow", "robots: ACAP allow-index", "robots: ACAP disallow-follow"),
			asks: []ask{
				{"* index /", "allowed acap-page R-DEC-2 R-DEC-0", "by meta 2; lost meta 1 R-DEC-2"},
				{"* follow /", "disallowed acap-page R-DEC-2 R-DEC-0", "by meta 3; lost meta 1 R-DEC-2"},
			}},
		{name: "S0 2.2.1/a named crawler overrides any", page: metas("robots: ACAP disallow-index", "crawler-name: ACAP allow-index"),
			asks: []ask{
				{"crawler-name index /", "allowed acap-page R-DEC-4 R-DEC-0", "by meta 2; lost meta 1 R-DEC-4"},
				{"another index /", "disallowed acap-page R-DEC-0", ""},
			}},
		{name: "S0 2.2.2/a purpose", page: metas("crawler-identification: ACAP news disallow-index"),
			asks: []ask{
				{"crawler-identification index / <news>", "disallowed acap-page R-DEC-0", ""},
				{"crawler-identification index / <sports>", "allowed silence R-DEC-12", ""},
				{"crawler-identification index /", "allowed silence R-DEC-12", ""},
			}},
		{name: "S0 2.2.8/METAs that conflict", page: metas("robots: ACAP allow-index", "robots: ACAP disallow-index"),
			asks: []ask{{"* index /", "disallowed undetermined R-DEC-7", "by meta 2; lost meta 1 R-DEC-7"}}},
		{name: "S0 2.2.8/META overrides robots.txt", robots: acap("ACAP-disallow-index: /"), page: metas("robots: ACAP allow-index"),
			asks: []ask{{"* index /", "allowed acap-page R-DEC-1 R-DEC-0", "by meta 1; lost 3 R-DEC-1"}}},
		{name: "S0 2.2.9.1/location", page: metas("robots: ACAP allow-crawl location=http://myserver.com/legitimate-copy.htm"),
			asks: []ask{
				{"* crawl http://myserver.com/legitimate-copy.htm", "allowed acap-page R-DEC-0 R-DEC-9", "by meta 1"},
				{"* crawl http://elsewhere.com/legitimate-copy.htm", "disallowed location-mismatch R-DEC-0 R-DEC-9", "by meta 1"},
				// "it should be treated as if it were not permitted to crawl it"
				{"* index http://elsewhere.com/legitimate-copy.htm", "disallowed crawl-prohibited R-DEC-0 R-DEC-9 R-DEC-11", "by meta 1; if crawled allowed"},
			}},
	})
}

func TestPilotExample(t *testing.T) {
	run(t, []scene{{
		name: "S3 4.7/a complete section",
		robots: lines("##ACAP version=0.2 # pilot version",
			"ACAP-qualified-usage: short-term-preserve preserve time-limit=30-days",
			"ACAP-qualified-usage: present-original-format present prohibited-modification=format",
			"ACAP-resource-set: foobar /public/foo /public/bar",
			"ACAP-crawler: *", "ACAP-usage-purpose: *", "ACAP-allow-crawl: /", "ACAP-allow-index: /public", "ACAP-disallow-index: /", // 9
			"ACAP-allow-preserve: /public", "ACAP-allow-(short-term-preserve): /news", "ACAP-disallow-preserve: /",
			"ACAP-allow-(present-original-format): *.pdf", "ACAP-allow-present: /public", "ACAP-disallow-present-thumbnail: /public", // 15
			"ACAP-disallow-present: /", "ACAP-disallow-present: acap:resource-set:foobar",
			"ACAP-crawler: xyz", "ACAP-permissions-reference: /xyz/robots.txt"),
		asks: []ask{
			{"* crawl /a", "allowed acap-robots R-DEC-0", "by 7"},
			{"* index /public/a", "allowed acap-robots R-DEC-5 R-DEC-0", "by 8; lost 9 R-DEC-5"},
			{"* index /a <any.thing>", "disallowed acap-robots R-DEC-0", "by 9"},
			{"* preserve /news/1", "conditional acap-robots R-DEC-5 R-DEC-0", "by 11; lost 12 R-DEC-5; if time-limit=30-days"},
			{"* preserve /public/1", "allowed acap-robots R-DEC-5 R-DEC-0", "by 10; lost 12 R-DEC-5"},
			{"* preserve /1", "disallowed acap-robots R-DEC-0", ""},
			{"* present /a.pdf", "conditional acap-robots R-DEC-5 R-DEC-0", "by 13; lost 16 R-DEC-5; if prohibited-modification=format"},
			{"* present /public/a.pdf", "conditional acap-robots R-DEC-5 R-DEC-0 R-DEC-8", "by 13, 14; lost 16 R-DEC-5; if prohibited-modification=format"},
			{"* present /public/a", "allowed acap-robots R-DEC-5 R-DEC-0", "by 14; lost 16 R-DEC-5"},
			{"* present-thumbnail /public/a", "disallowed acap-robots R-DEC-5 R-DEC-0", "by 15; lost 14 R-DEC-5, 16 R-DEC-5"},
			{"* present /public/foo", "disallowed acap-robots R-DEC-5 R-DEC-0", "by 17; lost 14 R-DEC-5, 16 R-DEC-5"},
			{"* present /public/foo.pdf", "disallowed acap-robots R-DEC-5 R-DEC-6 R-DEC-0", "by 17; lost 14 R-DEC-5, 16 R-DEC-5, 13 R-DEC-6"},
			{"* present /a", "disallowed acap-robots R-DEC-0", "by 16"},
			// The file of xyz is not there.
			{"xyz crawl /a", "disallowed reference-unresolved R-REF-1", "lost 7 R-REF-1"},
			{"xyz follow /a", "disallowed reference-unresolved R-REF-1", ""},
		},
	}})
}

func TestRobotsPI(t *testing.T) {
	const article = `<?xml version="1.0"?>` + "\n"
	run(t, []scene{
		{name: "S1/the example", mediaType: "text/xml",
			page: article + `<?robots index="no" follow="yes"?>` + "\n<headlines><title>Technology Headlines</title></headlines>",
			asks: []ask{
				{"* index /", "disallowed rep-page R-REP-2", "by pi 2"},
				{"* follow /", "allowed rep-page R-REP-2", "by pi 2"},
				{"* present /", "allowed silence R-DEC-12", ""},
			}},
		{name: "S1/the first legal one", mediaType: "text/xml",
			page: article + `<?robots follow="no" index="no"?>` + "\n" + `<?robots index="yes" follow="no"?>` + "\n" + `<?robots index="no" follow="yes"?><a/>`,
			asks: []ask{{"* index /", "allowed rep-page R-REP-2", "by pi 3"}, {"* follow /", "disallowed rep-page R-REP-2", "by pi 3"}}},
		{name: "S1/only an illegal one", mediaType: "text/xml", page: article + `<?robots index="no"?><a/>`,
			asks: []ask{{"* index /", "allowed silence R-DEC-12", ""}}},
		{name: "S1/none", mediaType: "text/xml", page: article + `<a/>`, asks: []ask{{"* index /", "allowed silence R-DEC-12", ""}}},
	})
}

func TestCommonDirectives(t *testing.T) {
	run(t, []scene{
		{name: "S4 1/the longest rule", robots: lines("User-agent: *", "Disallow: /a/", "Allow: /a/b", "Disallow: /*.pdf$", "Sitemap: http://pub.example/map.xml"),
			asks: []ask{
				{"* crawl /a/b/c", "allowed rep-robots R-REP-1", "by 3; lost 2 R-REP-1"},
				{"* crawl /a/c", "disallowed rep-robots R-REP-1", "by 2"},
				{"* crawl /x.pdf", "disallowed rep-robots R-REP-1", "by 4"},
				{"* crawl /x.pdf?", "allowed silence R-DEC-12", ""},
				{"* index /a/c", "disallowed crawl-prohibited R-REP-1 R-DEC-11", "by 2; if crawled allowed"},
			}},
		{name: "S4 2/META and header, the most restrictive", page: metas("robots: index, nosnippet"), headers: []string{"noindex, follow", "noarchive"},
			asks: []ask{
				{"* index /", "disallowed rep-page R-REP-2", "by header 1; lost meta 1 R-REP-2"},
				{"* follow /", "allowed rep-page R-REP-2", "by header 1"},
				{"* present-snippet /", "disallowed rep-page R-REP-2", "by meta 1"},
				{"* present-currentcopy /", "disallowed rep-page R-REP-2", "by header 2"},
			}},
	})
}
