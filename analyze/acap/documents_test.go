package acap

import "testing"

// The examples of the documents, comment lines left out. S2 Ex 4.10, 5.8 and A.2.1 need repairs; the composite usage of
// S3 4.5.3.2 breaks the document's own rules twice.
func TestDocumentExamplesInRobots(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"S2 Ex 1.1", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
`, []string{
			"5.1 acap-disallow-crawl /",
		}},
		{"S2 Ex 1.2", `##ACAP version=1.1
User-agent: *
Disallow: /
Allow: /$   # A crawler may give up if not allowed to crawl the root
Allow: /index.html$
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-allow-crawl: /$
ACAP-allow-crawl: /index.html$
`, []string{
			"7.1 acap-disallow-crawl /",
			"8.1 acap-allow-crawl /$",
			"9.1 acap-allow-crawl /index.html$",
		}},
		{"S2 Ex 1.3", `##ACAP version=1.1
User-agent: *
Disallow: /
User-agent: SearchBot1
User-agent: SearchBot2
Allow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-crawler: SearchBot1
ACAP-crawler: SearchBot2
ACAP-allow-crawl: /
`, []string{
			"8.1 acap-disallow-crawl /",
			"11.1 acap-allow-crawl / [SearchBot1 SearchBot2]",
		}},
		{"S2 Ex 1.4", `##ACAP version=1.1
User-agent: SearchBot1
User-agent: SearchBot2
Disallow: /
User-agent: *
Allow: /
ACAP-crawler: SearchBot1
ACAP-crawler: SearchBot2
ACAP-disallow-crawl: /
ACAP-crawler: *
ACAP-allow-crawl: /
`, []string{
			"9.1 acap-disallow-crawl / [SearchBot1 SearchBot2]",
			"11.1 acap-allow-crawl /",
		}},
		{"S2 Ex 1.5", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-allow-crawl: /
`, []string{
			"5.1 acap-allow-crawl /",
		}},
		{"S2 Ex 1.6", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-ignore-conventional-records
ACAP-crawler: *
ACAP-allow-crawl: /
`, []string{
			"4.1 acap-ignore-conventional-records [] recorded",
			"6.1 acap-allow-crawl /",
		}},
		{"S2 Ex 2.1", `##ACAP version=1.1
ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-crawler: SearchBot1
ACAP-usage-purpose: news.*
ACAP-usage-purpose: images.*
ACAP-disallow-crawl: /
`, []string{
			"3.1 acap-allow-crawl /",
			"7.1 acap-disallow-crawl / [SearchBot1] <news.* images.*>",
		}},
		{"S2 Ex 2.2", `##ACAP version=1.1
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-usage-purpose: sports
ACAP-allow-crawl: /
`, []string{
			"3.1 acap-disallow-crawl /",
			"5.1 acap-allow-crawl / <sports>",
		}},
		{"S2 Ex 3.1", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-disallow-crawl: /nocrawl/
`, []string{
			"5.1 acap-allow-crawl /",
			"6.1 acap-disallow-crawl /nocrawl/",
		}},
		{"S2 Ex 3.2", `##ACAP version=1.1
User-agent: *   # addressed to all crawlers
Disallow: /     # but...
Allow: /$   # A crawler may give up if not allowed to crawl the root
Allow: /index.html$
Allow: /public/
Allow: /promotion/
Allow: /news/
ACAP-crawler: *   # addressed to all crawlers
ACAP-disallow-crawl: /   # but...
ACAP-allow-crawl: /$
ACAP-allow-crawl: /index.html$
ACAP-allow-crawl: /public/
ACAP-allow-crawl: /promotion/
ACAP-allow-crawl: /news/
`, []string{
			"10.1 acap-disallow-crawl /",
			"11.1 acap-allow-crawl /$",
			"12.1 acap-allow-crawl /index.html$",
			"13.1 acap-allow-crawl /public/",
			"14.1 acap-allow-crawl /promotion/",
			"15.1 acap-allow-crawl /news/",
		}},
		{"S2 Ex 3.2 restated", `##ACAP version=1.1
User-agent: *   # addressed to all crawlers
Disallow: /     # but...
Allow: /$   # A crawler may give up if not allowed to crawl the root
Allow: /index.html$
Allow: /public/
Allow: /promotion/
Allow: /news/
ACAP-resource-set: permitted /$ /index.html /public/ /promotion/ /news/
ACAP-crawler: *   # addressed to all crawlers
ACAP-disallow-crawl: /   # but...
ACAP-allow-crawl: the-acap:resource-set:permitted
`, []string{
			"9.1 acap-resource-set /$ /index.html /public/ /promotion/ /news/ [] recorded",
			"11.1 acap-disallow-crawl /",
			"12.1 acap-allow-crawl the-acap:resource-set:permitted",
		}},
		{"S2 Ex 3.3", `##ACAP version=1.1
User-agent: *   # addressed to any crawler
Disallow: /
Allow: /$   # A crawler may give up if not allowed to crawl the root
Allow: /index.html$
Allow: /public/*.htm$
Allow: /public/*.html$
ACAP-crawler: *   # addressed to any crawler
ACAP-disallow-crawl: /
ACAP-allow-crawl: /$
ACAP-allow-crawl: /index.html$
ACAP-allow-crawl: /public/*.htm$
ACAP-allow-crawl: /public/*.html$
`, []string{
			"9.1 acap-disallow-crawl /",
			"10.1 acap-allow-crawl /$",
			"11.1 acap-allow-crawl /index.html$",
			"12.1 acap-allow-crawl /public/*.htm$",
			"13.1 acap-allow-crawl /public/*.html$",
		}},
		{"S2 Ex 4.1", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-allow-crawl: /$
ACAP-allow-crawl: /public/
ACAP-disallow-follow: /public/catalog/
`, []string{
			"5.1 acap-disallow-crawl /",
			"6.1 acap-allow-crawl /$",
			"7.1 acap-allow-crawl /public/",
			"8.1 acap-disallow-follow /public/catalog/",
		}},
		{"S2 Ex 4.3", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-allow-crawl: /$
ACAP-allow-crawl: /public/
ACAP-allow-index: /public/
ACAP-disallow-other: /public/
`, []string{
			"5.1 acap-disallow-crawl /",
			"6.1 acap-allow-crawl /$",
			"7.1 acap-allow-crawl /public/",
			"8.1 acap-allow-index /public/",
			"9.1 acap-disallow-other /public/",
		}},
		{"S2 Ex 4.4", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-crawler: SearchBot1
ACAP-allow-crawl: /$   # always allow crawlers access to the root /
ACAP-allow-crawl: /TEXTS/
ACAP-allow-index: /TEXTS/
ACAP-disallow-index: /TEXTS/*.gif$
ACAP-disallow-index: /TEXTS/*.png$
ACAP-disallow-index: /TEXTS/*.jpg$
`, []string{
			"5.1 acap-disallow-crawl /",
			"7.1 acap-allow-crawl /$ [SearchBot1]",
			"8.1 acap-allow-crawl /TEXTS/ [SearchBot1]",
			"9.1 acap-allow-index /TEXTS/ [SearchBot1]",
			"10.1 acap-disallow-index /TEXTS/*.gif$ [SearchBot1]",
			"11.1 acap-disallow-index /TEXTS/*.png$ [SearchBot1]",
			"12.1 acap-disallow-index /TEXTS/*.jpg$ [SearchBot1]",
		}},
		{"S2 Ex 4.4 restated", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-resource-set: images /TEXTS/*.gif$ /TEXTS/*.png$ /TEXTS/*.jpg$
ACAP-crawler: SearchBot1
ACAP-allow-crawl: /$   # always allow crawlers access to the root /
ACAP-allow-crawl: /TEXTS/
ACAP-allow-index: /TEXTS/
ACAP-disallow-index: the-acap:resource-set:images
`, []string{
			"5.1 acap-disallow-crawl /",
			"6.1 acap-resource-set /TEXTS/*.gif$ /TEXTS/*.png$ /TEXTS/*.jpg$ [] recorded !definition-late",
			"8.1 acap-allow-crawl /$ [SearchBot1]",
			"9.1 acap-allow-crawl /TEXTS/ [SearchBot1]",
			"10.1 acap-allow-index /TEXTS/ [SearchBot1]",
			"11.1 acap-disallow-index the-acap:resource-set:images [SearchBot1]",
		}},
		{"S2 Ex 4.5", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-crawler: SearchBot1
ACAP-allow-crawl: /$
ACAP-allow-crawl: /TEXTS/
ACAP-disallow-index: /TEXTS/
ACAP-allow-index: /TEXTS/*.html
`, []string{
			"5.1 acap-disallow-crawl /",
			"7.1 acap-allow-crawl /$ [SearchBot1]",
			"8.1 acap-allow-crawl /TEXTS/ [SearchBot1]",
			"9.1 acap-disallow-index /TEXTS/ [SearchBot1]",
			"10.1 acap-allow-index /TEXTS/*.html [SearchBot1]",
		}},
		{"S2 Ex 4.7", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-crawler: SearchBot1
ACAP-allow-crawl: /$
ACAP-allow-crawl: /public/
ACAP-allow-index: /public/
ACAP-disallow-preserve: /public/
`, []string{
			"5.1 acap-disallow-crawl /",
			"7.1 acap-allow-crawl /$ [SearchBot1]",
			"8.1 acap-allow-crawl /public/ [SearchBot1]",
			"9.1 acap-allow-index /public/ [SearchBot1]",
			"10.1 acap-disallow-preserve /public/ [SearchBot1]",
		}},
		{"S2 Ex 4.8", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-crawler: SearchBot1
ACAP-allow-crawl: /$
ACAP-allow-crawl: /public/
ACAP-allow-index: /public/
ACAP-disallow-preserve: /public/
ACAP-allow-preserve: /public/*.htm$
ACAP-allow-preserve: /public/*.html$
`, []string{
			"5.1 acap-disallow-crawl /",
			"7.1 acap-allow-crawl /$ [SearchBot1]",
			"8.1 acap-allow-crawl /public/ [SearchBot1]",
			"9.1 acap-allow-index /public/ [SearchBot1]",
			"10.1 acap-disallow-preserve /public/ [SearchBot1]",
			"11.1 acap-allow-preserve /public/*.htm$ [SearchBot1]",
			"12.1 acap-allow-preserve /public/*.html$ [SearchBot1]",
		}},
		{"S2 Ex 4.10", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-crawler: SearchBot1
ACAP-allow-crawl: /$
ACAP-allow-crawl: /news/
ACAP-allow-index: /news/
ACAP-allow-preserve: /news/
ACAP-disallow-present: /news/
ACAP-allow-present-snippet: /news/*.htm$
ACAP-allow-present-thumbnail: /news/*.htm$
ACAP-allow-present-links: /news/*.htm$
ACAP-allow-present-snippet: /news/*.html$
ACAP-allow-present-thumbnail: /news/*.html$
ACAP-allow-present-links: /news/*.html$
`, []string{
			"5.1 acap-disallow-crawl /",
			"7.1 acap-allow-crawl /$ [SearchBot1]",
			"8.1 acap-allow-crawl /news/ [SearchBot1]",
			"9.1 acap-allow-index /news/ [SearchBot1]",
			"10.1 acap-allow-preserve /news/ [SearchBot1]",
			"11.1 acap-disallow-present /news/ [SearchBot1]",
			"12.1 acap-allow-present-snippet /news/*.htm$ [SearchBot1]",
			"13.1 acap-allow-present-thumbnail /news/*.htm$ [SearchBot1]",
			"14.1 acap-allow-present-link /news/*.htm$ [SearchBot1] repaired !present-links",
			"15.1 acap-allow-present-snippet /news/*.html$ [SearchBot1]",
			"16.1 acap-allow-present-thumbnail /news/*.html$ [SearchBot1]",
			"17.1 acap-allow-present-link /news/*.html$ [SearchBot1] repaired !present-links",
		}},
		{"S2 Ex 4.11", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-crawler: SearchBot1
ACAP-allow-crawl: /$
ACAP-allow-crawl: /news/
ACAP-allow-index: /news/
ACAP-allow-preserve: /news/
ACAP-allow-present: /news/
ACAP-disallow-present-thumbnail: /news/
`, []string{
			"5.1 acap-disallow-crawl /",
			"7.1 acap-allow-crawl /$ [SearchBot1]",
			"8.1 acap-allow-crawl /news/ [SearchBot1]",
			"9.1 acap-allow-index /news/ [SearchBot1]",
			"10.1 acap-allow-preserve /news/ [SearchBot1]",
			"11.1 acap-allow-present /news/ [SearchBot1]",
			"12.1 acap-disallow-present-thumbnail /news/ [SearchBot1]",
		}},
		{"S2 Ex 4.13", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-allow-crawl: /$
ACAP-allow-crawl: /news/
ACAP-allow-index: /news/
ACAP-allow-preserve: /news/
ACAP-allow-present: /news/
ACAP-disallow-present-currentcopy: /news/
ACAP-disallow-present-oldcopy: /news/
ACAP-disallow-present-original: /news/
ACAP-allow-present-original: /news/*.htm$
ACAP-allow-present-original: /news/*.html$
`, []string{
			"5.1 acap-disallow-crawl /",
			"6.1 acap-allow-crawl /$",
			"7.1 acap-allow-crawl /news/",
			"8.1 acap-allow-index /news/",
			"9.1 acap-allow-preserve /news/",
			"10.1 acap-allow-present /news/",
			"11.1 acap-disallow-present-currentcopy /news/",
			"12.1 acap-disallow-present-oldcopy /news/",
			"13.1 acap-disallow-present-original /news/",
			"14.1 acap-allow-present-original /news/*.htm$",
			"15.1 acap-allow-present-original /news/*.html$",
		}},
		{"S2 Ex 4.14", `##ACAP version=1.1
User-agent: *
Allow: /   # implied, but included for clarity
Disallow: /archive/
ACAP-crawler: SearchBot1
ACAP-allow-crawl: /archive/   # overrides conventional policy
ACAP-allow-present: /archive/
ACAP-disallow-present-oldcopy: /archive/
`, []string{
			"6.1 acap-allow-crawl /archive/ [SearchBot1]",
			"7.1 acap-allow-present /archive/ [SearchBot1]",
			"8.1 acap-disallow-present-oldcopy /archive/ [SearchBot1]",
		}},
		{"S2 Ex 5.1", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: SearchBot1
ACAP-disallow-crawl: /
ACAP-allow-crawl: /$
ACAP-allow-crawl: /index.html$
ACAP-allow-index: /index.html time-limit=until-recrawled
ACAP-allow-preserve: /index.html time-limit=until-recrawled
`, []string{
			"5.1 acap-disallow-crawl / [SearchBot1]",
			"6.1 acap-allow-crawl /$ [SearchBot1]",
			"7.1 acap-allow-crawl /index.html$ [SearchBot1]",
			"8.1 acap-allow-index /index.html [SearchBot1] {time-limit=until-recrawled}",
			"9.1 acap-allow-preserve /index.html [SearchBot1] {time-limit=until-recrawled}",
		}},
		{"S2 Ex 5.2", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-allow-crawl: /$
ACAP-allow-crawl: /serial/
ACAP-allow-index: /serial/ time-limit=until-2008-03-01
ACAP-allow-preserve: /serial/ time-limit=until-2008-03-01
`, []string{
			"5.1 acap-allow-crawl /$",
			"6.1 acap-allow-crawl /serial/",
			"7.1 acap-allow-index /serial/ {time-limit=until-2008-03-01}",
			"8.1 acap-allow-preserve /serial/ {time-limit=until-2008-03-01}",
		}},
		{"S2 Ex 5.4", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: SpecialBot1
ACAP-disallow-crawl: /
ACAP-allow-crawl: /$
ACAP-allow-crawl: /current/
ACAP-allow-index: /current/ time-limit=14-days
ACAP-allow-preserve: /current/ time-limit=14-days
`, []string{
			"5.1 acap-disallow-crawl / [SpecialBot1]",
			"6.1 acap-allow-crawl /$ [SpecialBot1]",
			"7.1 acap-allow-crawl /current/ [SpecialBot1]",
			"8.1 acap-allow-index /current/ [SpecialBot1] {time-limit=14-days}",
			"9.1 acap-allow-preserve /current/ [SpecialBot1] {time-limit=14-days}",
		}},
		{"S2 Ex 5.5", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: SearchBot1
ACAP-disallow-crawl: /
ACAP-allow-crawl: /$
ACAP-allow-crawl: /articles/
ACAP-allow-index: /articles/ must-use-resource=the-acap:extract:class:abstract
`, []string{
			"5.1 acap-disallow-crawl / [SearchBot1]",
			"6.1 acap-allow-crawl /$ [SearchBot1]",
			"7.1 acap-allow-crawl /articles/ [SearchBot1]",
			"8.1 acap-allow-index /articles/ [SearchBot1] {must-use-resource=the-acap:extract:class:abstract}",
		}},
		{"S2 Ex 5.7", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: SearchBot1
ACAP-disallow-crawl: /
ACAP-allow-crawl: /$
ACAP-allow-crawl: /articles/
ACAP-allow-index: /articles/ must-use-resource=the-acap:extract:meta:index-text
`, []string{
			"5.1 acap-disallow-crawl / [SearchBot1]",
			"6.1 acap-allow-crawl /$ [SearchBot1]",
			"7.1 acap-allow-crawl /articles/ [SearchBot1]",
			"8.1 acap-allow-index /articles/ [SearchBot1] {must-use-resource=the-acap:extract:meta:index-text}",
		}},
		{"S2 Ex 5.8", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-allow-crawl: /$
ACAP-allow-crawl: /news/
ACAP-allow-present-snippet /news/ max-length=20-words
`, []string{
			"5.1 acap-allow-crawl /$",
			"6.1 acap-allow-crawl /news/",
			"7.1 acap-allow-present-snippet /news/ {max-length=20-words} repaired !missing-colon",
		}},
		{"S2 Ex 5.11", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-allow-present-currentcopy: / prohibited-modification=format
`, []string{
			"5.1 acap-allow-crawl /",
			"6.1 acap-allow-present-currentcopy / {prohibited-modification=format}",
		}},
		{"S2 Ex 5.12", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-disallow-crawl: /
ACAP-allow-crawl: /$
ACAP-allow-crawl: *.htm$
ACAP-allow-crawl: *.html$
ACAP-allow-present-currentcopy: *.htm$ prohibited-modification=style
ACAP-allow-present-currentcopy: *.html$ prohibited-modification=style
`, []string{
			"5.1 acap-disallow-crawl /",
			"6.1 acap-allow-crawl /$",
			"7.1 acap-allow-crawl *.htm$",
			"8.1 acap-allow-crawl *.html$",
			"9.1 acap-allow-present-currentcopy *.htm$ {prohibited-modification=style}",
			"10.1 acap-allow-present-currentcopy *.html$ {prohibited-modification=style}",
		}},
		{"S2 Ex 5.13", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-allow-present: / prohibited-modification=translation
`, []string{
			"5.1 acap-allow-crawl /",
			"6.1 acap-allow-present / {prohibited-modification=translation}",
		}},
		{"S2 Ex 5.14", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-allow-present: / prohibited-modification=annotation
`, []string{
			"5.1 acap-allow-crawl /",
			"6.1 acap-allow-present / {prohibited-modification=annotation}",
		}},
		{"S2 Ex 5.15", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-allow-present-currentcopy: / prohibited-context=within-user-frame
`, []string{
			"5.1 acap-allow-crawl /",
			"6.1 acap-allow-present-currentcopy / {prohibited-context=within-user-frame}",
		}},
		{"S2 Ex 5.16", `##ACAP version=1.1
User-agent: *
Disallow: /
ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-allow-present-original: / required-context=within-original-frame
`, []string{
			"5.1 acap-allow-crawl /",
			"6.1 acap-allow-present-original / {required-context=within-original-frame}",
		}},
		{"S2 A.2.1", `##ACAP version=0.2
User-agent: *
Disallow: /
ACAP-ignore-conventional-records
ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-allow-index: /
ACAP-disallow-crawl: /site/        # not allowed to crawl the non-content directories
ACAP-allow preserve: /  time-limit=100-days  # not allowed to store/preserve content longer than 100 days
ACAP-disallow-present-currentcopy: /   # not allowed to display preserved (cached) copies
ACAP-crawler: ExaBotAcap12
ACAP-usage-purpose: http://acap2.exalead.com  # only allowed to use content in service http://acap2.exalead.com
ACAP-disallow-index: /nieuws/         # not allowed to index the news section
ACAP-allow-index: /sport/             # allowed to index the sports section
ACAP-allow present-snippet: /sport/ max-length=150-chars  # limit the snippet of sport to 150 chars
`, []string{
			"4.1 acap-ignore-conventional-records [] recorded",
			"6.1 acap-allow-crawl /",
			"7.1 acap-allow-index /",
			"8.1 acap-disallow-crawl /site/",
			"9.1 acap-allow-preserve / {time-limit=100-days} repaired !space-for-hyphen",
			"10.1 acap-disallow-present-currentcopy /",
			"13.1 acap-disallow-index /nieuws/ [ExaBotAcap12] <http://acap2.exalead.com>",
			"14.1 acap-allow-index /sport/ [ExaBotAcap12] <http://acap2.exalead.com>",
			"15.1 acap-allow-present-snippet /sport/ [ExaBotAcap12] <http://acap2.exalead.com> {max-length=150-chars} repaired !space-for-hyphen",
		}},
		{"S3 4.7", `##ACAP version=0.2 # pilot version
ACAP-qualified-usage: short-term-preserve preserve time-limit=30-days
ACAP-qualified-usage: present-original-format present prohibited-modification=format
ACAP-resource-set: foobar /public/foo /public/bar
ACAP-crawler: *
ACAP-usage-purpose: *
ACAP-allow-crawl: /
ACAP-allow-index: /public
ACAP-disallow-index: /
ACAP-allow-preserve: /public
ACAP-allow-(short-term-preserve): /news
ACAP-disallow-preserve: /
ACAP-allow-(present-original-format): *.pdf
ACAP-allow-present: /public
ACAP-disallow-present-thumbnail: /public
ACAP-disallow-present: /
ACAP-disallow-present: acap:resource-set:foobar
ACAP-crawler: xyz
ACAP-permissions-reference: /xyz/robots.txt
`, []string{
			"2.1 acap-qualified-usage [] recorded",
			"3.1 acap-qualified-usage [] recorded",
			"4.1 acap-resource-set /public/foo /public/bar [] recorded",
			"7.1 acap-allow-crawl / <*>",
			"8.1 acap-allow-index /public <*>",
			"9.1 acap-disallow-index / <*>",
			"10.1 acap-allow-preserve /public <*>",
			"11.1 acap-allow-(short-term-preserve) =preserve /news <*> {time-limit=30-days}",
			"12.1 acap-disallow-preserve / <*>",
			"13.1 acap-allow-(present-original-format) =present *.pdf <*> {prohibited-modification=format}",
			"14.1 acap-allow-present /public <*>",
			"15.1 acap-disallow-present-thumbnail /public <*>",
			"16.1 acap-disallow-present / <*>",
			"17.1 acap-disallow-present acap:resource-set:foobar <*> repaired !pilot-namespace",
			"19.1 acap-permissions-reference /xyz/robots.txt [xyz] recorded",
		}},
		{"S3 4.5.3.2", `ACAP-composite-usage: display-in-frame (display-original) (display-copy-in-frame)
ACAP-qualified-usage: display-copy-in-frame present used-resource=stored-copy context=within-frame
ACAP-crawler: *
ACAP-disallow-(display-in-frame): /
ACAP-allow-(display-in-frame): /frames/
`, []string{
			"1.1 acap-composite-usage [] recorded !undefined-name",
			"2.1 acap-qualified-usage [] recorded",
			"4.1 acap-disallow-(display-in-frame) / invalid !local-usage-in-prohibition",
			"5.1 acap-allow-(display-in-frame) /frames/ invalid !undefined-name",
			"5.2 acap-allow-(display-in-frame) =present /frames/ {used-resource=stored-copy} {context=within-frame} !unknown-qualifier",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, "statements", test.want, showFile(robots(test.text, Options{})))
		})
	}
}
