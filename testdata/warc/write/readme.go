package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const readmeHead = `# Archives to test with

<!-- Made by "go run ./testdata/warc/write -o testdata/warc". Do not edit. -->

Small archives of our own. They hold no third-party content: publishers, crawlers, texts and addresses are invented, hosts end in
the reserved ` + "`.example`" + `, some in ` + "`.test`" + `. No archive that is known holds an ACAP class token or a robots processing instruction, so here is every
feature of ACAP, every conflict that the program tells, and every way known to us in which archives are broken.

- ` + "`good/`" + ` holds archives that are read to their end without loss: ` + "`acapscan scan testdata/warc/good`" + ` exits 0 and leaves no table empty.
- ` + "`series/`" + ` holds three crawls of one coast, for what changes over time. A scan exits 0.
- ` + "`hostile/`" + ` holds policies made to be costly. A scan takes seconds, exits 0, and tells what is not exact.
- ` + "`damaged/`" + ` holds archives that are not whole or that lie about themselves. A scan of everything exits 3: records are lost, inputs
  are cut, empty or no archives. Where nothing is lost, the defect is counted all the same.

` + "`testdata/warc/write/`" + ` is the program that makes them, a trap a line: to add one, add it there.

## The story

Five publishers, visited in 2012, 2018 and 2025 (` + "`good/crawl-data/`" + `, in the layout of Common Crawl: a folder a crawl, a segment
and a subset; each capture as request, response and metadata):

| publisher | 2012 | 2018 | 2025 |
|---|---|---|---|
| The Lantern, a national daily: ` + "`www.lantern.example`" + ` | adopts ACAP 1.1 in full, in robots.txt, METAs and class attributes | has moved to https and kept its old file, which contradicts its new conventional rules | has dropped ACAP for newer vocabularies; one template still carries a META |
| Harbour Post: ` + "`www.harbour-post.example`" + ` | the official converter's copy of its conventional rules | a directory was added to the conventional rules only | gone: 404 |
| De Vuurtoren: ` + "`acap.vuurtoren.example`" + ` | a test site of the 2007 pilot, still on line | its server is down: 503 | |
| Society of Tidal Science: ` + "`journals.tidal.example`" + ` | crawlers named and no rule; articles in XML with robots processing instructions | the same file, answered as a revisit | |
| Corner Shop: ` + "`www.corner-shop.example`" + ` | knows nothing of ACAP | a conventional META | the same |

A second story, for change over time, is in ` + "`series/`" + `: the newspapers of one coast, visited in November of 2008, 2009 and 2011.
Some adopt ACAP, one after the other; some forget it, drop it, or say in conventional words what they had said in ACAP. One moves to
https, one cannot be reached for a year, one comes late. ` + "`gull-gazette`" + ` keeps its ACAP while its conventional rules grow, and
` + "`slipway`" + ` a permission that had ended when the third visit came.

Two more houses show one thing a site: Town Papers (` + "`*.town-papers.example`" + `), whose local titles each have a webmaster with ideas of
their own, and the Wire Service (` + "`*.wire-service.example`" + `), whose archives have been through many hands. The label of the host
names what it shows. They have no crawl in their path or warcinfo: their rows are of crawl ` + "`local`" + `.

`

// readme says what each archive, site and page shows, and what must be seen of it.
func (c *collection) readme() []byte {
	var b bytes.Buffer
	b.WriteString(readmeHead)
	b.WriteString("## Archives\n\nWhat a reader must see: records returned, records lost (among those returned, or not), defects of framing.\n\n" +
		"| archive | records | lost | defects | shows |\n|---|---|---|---|---|\n")
	for _, f := range c.files {
		defects := strings.Join(f.defects, ", ")
		fmt.Fprintf(&b, "| `%s` | %d | %d | %s | %s |\n", f.path, f.records, f.lost, defects, f.shows)
	}
	b.WriteString("\n## Sites\n\nWhat a scan of `good/` must say in the table `adoption`.\n\n" +
		"| crawl | site | robots_outcome | adoption_class | shows |\n|---|---|---|---|---|\n")
	sites := slices.Clone(c.sites)
	slices.SortStableFunc(sites, func(a, b site) int { return cmp.Compare(a.crawl, b.crawl) })
	writeSites(&b, sites, "good")
	b.WriteString("\n## Pages\n\nKinds that must be among a page's rows in the table `conflicts`; those of robots.txt alone are with the site.\n\n" +
		"| crawl | page | conflicts | shows |\n|---|---|---|---|\n")
	pages := slices.Clone(c.pages)
	slices.SortStableFunc(pages, func(a, b page) int { return cmp.Compare(a.crawl, b.crawl) })
	for _, p := range pages {
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", p.crawl, p.url, strings.Join(p.conflicts, ", "), p.shows)
	}
	b.WriteString("\n## Conflicts\n\nEach kind as a scan of `good/` must find it at a site or page, and a near miss at which it must not.\n\n" +
		"| kind | severity | winner | at | near miss | there |\n|---|---|---|---|---|---|\n")
	for _, x := range c.clashes {
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` | `%s` | %s |\n", x.kind, x.severity, x.winner, x.at, x.nearMiss, x.differ)
	}
	b.WriteString("\n## Sites of the series\n\nThe same of a scan of `series/`.\n\n| crawl | site | robots_outcome | adoption_class | shows |\n|---|---|---|---|---|\n")
	writeSites(&b, sites, "series")
	b.WriteString("\n## Hostile sites\n\nThe same of a scan of `hostile/`.\n\n| crawl | site | robots_outcome | adoption_class | shows |\n|---|---|---|---|---|\n")
	writeSites(&b, sites, "hostile")
	return b.Bytes()
}

func writeSites(b *bytes.Buffer, sites []site, folder string) {
	for _, s := range sites {
		if s.folder == folder {
			fmt.Fprintf(b, "| %s | `%s` | %s | %s | %s |\n", s.crawl, s.name, s.outcome, s.class, s.shows)
		}
	}
}
