package report

import (
	"fmt"
	"slices"

	"github.com/acapscan/acapscan/internal/terms"
)

func (f *Figures) robotsSection() section {
	s, r := &f.Sites, &f.Robots
	var data []datum
	outcomes := dataTable{Head: columns("Outcome", "Sites", "Share", "Captures"), None: "No site was seen."}
	for _, name := range s.Outcomes.In(terms.Names[terms.RobotsOutcome]()) {
		if s.Sites == 0 && r.Captures == 0 {
			break
		}
		n := s.Outcomes.Get(name, 0)
		data = append(data, datum{name, []int64{n}, withShare(n, s.Sites)})
		captures := numberCell(r.Outcomes.Get(name, 0))
		if name == terms.OutcomeNotCaptured.String() {
			captures.Text = "–"
		}
		outcomes.Rows = append(outcomes.Rows, tableRow{
			Name: visible(name), Code: true, Gloss: phrase[terms.RobotsOutcome](name),
			Cells: []cell{numberCell(n), shareCell(n, s.Sites), captures},
		})
	}
	return section{ID: "robots", Title: "robots.txt", Figures: []figure{
		{
			ID: "outcomes", Caption: "What asking for robots.txt came to", Table: outcomes,
			Chart: barChart("outcomes", "Sites by what asking for robots.txt came to", data, 0),
			Notes: []note{
				counted("%s seen%s. A site goes by its latest conclusive answer (R-SITE-1); captures are all %s of /robots.txt.",
					plural(s.Sites, "site"), f.eachCrawl(), number(r.Captures)),
				caveat("not-captured means that these archives hold no request, and not that the site has no robots.txt."),
			},
		},
		{
			ID: "fields", Caption: "Fields of other vocabularies in robots.txt",
			Chart: countChart("fields", "Fields of other vocabularies in robots.txt", r.OtherFields, shownFields, r.Selected),
			Table: countTable("Field", "Files", r.OtherFields, shownFields, r.Selected),
			Notes: []note{
				counted("the %s that speak for a site.", plural(r.Selected, "capture")),
				caveat("Whatever has the form of a field is counted by its name, mistakes in writing included."),
			},
		},
	}}
}

func (f *Figures) adoptionSection() section {
	s := &f.Sites
	var data []datum
	byClass := dataTable{Head: columns("Class", "Sites", "of sites seen", "of robots.txt read"), None: "No site was seen."}
	for _, name := range s.Classes.In(classes) {
		if s.Sites == 0 {
			break
		}
		n := s.Classes.Get(name, ClassSeen)
		data = append(data, datum{name, []int64{n}, withShare(n, s.Sites)})
		byClass.Rows = append(byClass.Rows, tableRow{
			Name: visible(name), Code: true, Gloss: phrase[terms.AdoptionClass](name),
			Cells: []cell{numberCell(n), shareCell(n, s.Sites), shareCell(s.Classes.Get(name, ClassRead), s.RobotsRead)},
		})
	}
	differs := s.Classes.Get(terms.AdoptionCrawlDiffers.String(), ClassSeen)
	out := section{ID: "adoption", Title: "Adoption", Figures: []figure{{
		ID: "class", Caption: "Sites by adoption class, from least to most", Table: byClass,
		Chart: barChart("class", "Sites by adoption class", data, 0),
		Notes: []note{
			counted("%s seen%s, with or without a robots.txt; in the last column the %s whose robots.txt was read.",
				plural(s.Sites, "site"), f.eachCrawl(), number(s.RobotsRead)),
			caveat(fmt.Sprintf("A site counts as what its robots.txt that speaks for it and its captured pages show. Of %s whose robots.txt has both ACAP "+
				"and conventional rules and could be compared, %s say the same of crawling for every crawler.",
				plural(s.Compared, "site"), withShare(s.Same, s.Compared))),
			caveat(fmt.Sprintf("Of %s of class crawl-differs %s had rules too many to compare: they may be mirrors-rep.",
				plural(differs, "site"), number(s.Limits.ClassInexact))),
		},
	}}}
	if f.several() {
		out.Figures = append(out.Figures, f.crawlFigure())
	}

	versions := countTable("Version", "Sites", s.Versions, shownVersions, s.Adopters)
	stated := countData(s.Versions, shownVersions, s.Adopters)
	if s.Adopters > 0 {
		row := named("none stated")
		row.Cells = []cell{numberCell(s.NoVersion), shareCell(s.NoVersion, s.Adopters)}
		versions.Rows = append(versions.Rows, row)
		stated = append(stated, datum{"none stated", []int64{s.NoVersion}, withShare(s.NoVersion, s.Adopters)})
	}
	features := countTable("Feature", "Sites", s.Features, shownFeatures, s.Adopters)
	ofAdopters := counted("the %s with ACAP (every class but none). A site may be in several lines.", plural(s.Adopters, "site"))
	out.Figures = append(out.Figures,
		figure{
			ID: "version", Caption: "Sites with ACAP by version, as they write it", Table: versions,
			Chart: barChart("version", "Sites with ACAP by version", stated, 0),
			Notes: []note{
				ofAdopters, caveat("The version that is stated, not what is made use of: a file may state 1.1 and hold nothing that 1.0 does not have."),
			},
		},
		figure{
			ID: "feature", Caption: "Sites with ACAP by feature", Table: features,
			Chart: countChart("feature", "Sites with ACAP by feature", s.Features, shownFeatures, s.Adopters),
			Notes: []note{ofAdopters, caveat("To use a feature once is enough: how often a site does, and on how many paths or pages, is not told.")},
		})

	domains := s.Domains.By(DomainAdopters, DomainSites)
	data = nil
	byDomain := dataTable{Head: columns("Top-level domain", "with ACAP", "Sites seen", "Share"), None: "No site was seen."}
	for _, name := range first(domains, shownDomains) {
		label := "." + visible(name)
		if name == "" {
			label = "none"
		}
		n, seen := s.Domains.Get(name, DomainAdopters), s.Domains.Get(name, DomainSites)
		data = append(data, datum{label, []int64{n}, number(n) + " of " + number(seen)})
		byDomain.Rows = append(byDomain.Rows, tableRow{Name: label, Cells: []cell{numberCell(n), numberCell(seen), shareCell(n, seen)}})
	}
	if hidden := after(domains, shownDomains); len(hidden) > 0 {
		n, seen := beyond(s.Domains, hidden, DomainAdopters), beyond(s.Domains, hidden, DomainSites)
		row := named(more(s.Domains, len(hidden)) + " others")
		row.Cells = []cell{numberCell(n), numberCell(seen), shareCell(n, seen)}
		byDomain.Rows = append(byDomain.Rows, row)
	}
	pages := f.pageFigure()
	out.Figures = append(out.Figures, figure{
		ID: "domain", Caption: "Sites with ACAP by top-level domain", Table: byDomain,
		Chart: barChart("domain", "Sites with ACAP by top-level domain", data, 0),
		Notes: []note{
			counted("the sites seen under that domain. The %d domains with the most sites with ACAP are shown; “none” are IP addresses.", shownDomains),
			caveat("A share of few sites says little."),
		},
	}, pages)
	return out
}

// crawlParts is the length of a whole bar of crawlFigure: its bars are shares, since crawls differ in the number of sites.
const crawlParts = 100_000

func (f *Figures) crawlFigure() figure {
	s := &f.Sites
	t := dataTable{Head: append(columns("Crawl", "Sites seen", "robots.txt read", "with ACAP", "of sites seen"), classHeads()...)}
	var data []datum
	row := func(name string, get func(column int) int64) {
		var seen int64
		var cells []cell
		for i, class := range classes {
			n := get(i)
			seen += n
			if class != terms.AdoptionNone.String() {
				cells = append(cells, numberCell(n))
			}
		}
		adopters := seen - get(slices.Index(classes, terms.AdoptionNone.String()))
		t.Rows = append(t.Rows, tableRow{Name: name, Code: true, Cells: append([]cell{
			numberCell(seen), numberCell(get(len(classes))), numberCell(adopters), shareCell(adopters, seen),
		}, cells...)})
		var part int64
		if seen > 0 {
			part = adopters * crawlParts / seen
		}
		data = append(data, datum{name, []int64{part}, share(adopters, seen) + " of " + number(seen)})
	}
	crawls := s.Crawls.Names()
	for _, name := range first(crawls, shownCrawls) {
		row(visible(name), func(column int) int64 { return s.Crawls.Get(name, column) })
	}
	if hidden := after(crawls, shownCrawls); len(hidden) > 0 || s.Crawls.Full() {
		row("other crawls", func(column int) int64 { return beyond(s.Crawls, hidden, column) })
	}
	return figure{
		ID: "crawls", Layout: layoutBelow, Caption: "Share of sites with ACAP, crawl by crawl", Table: t,
		Chart: barChart("crawls", "Share of sites with ACAP, crawl by crawl", data, crawlParts),
		Notes: []note{
			counted("the sites seen in that crawl."),
			caveat("Crawls chose their sites differently, and of each only those files count that were among the inputs: a change between crawls need not be one of the web."),
		},
	}
}

func classHeads() []head {
	var list []head
	for _, class := range classes {
		if class != terms.AdoptionNone.String() {
			list = append(list, numberHead(class))
		}
	}
	return list
}

func (f *Figures) pageFigure() figure {
	p := f.Sites.Pages
	var data []datum
	t := dataTable{Head: columns("Page captures", "Number", "Share"), None: "No page capture was seen."}
	whole := p.Pages - p.Partial
	for _, c := range []struct {
		carrier  string
		n, among int64
	}{
		{"ACAP META", p.ACAPMeta, p.Pages}, {"ACAP class token", p.ACAPClass, whole}, {"robots instruction", p.PI, whole},
		{"X-Robots-Tag", p.XRobotsTag, p.Pages}, {"conventional META", p.Conventional, p.Pages},
	} {
		if c.among == 0 {
			continue
		}
		data = append(data, datum{c.carrier, []int64{c.n}, withShare(c.n, c.among)})
		row := named("with " + c.carrier)
		row.Cells = []cell{numberCell(c.n), shareCell(c.n, c.among)}
		t.Rows = append(t.Rows, row)
	}
	notes := []note{
		counted("all %s (%s read as HTML, %s as XML), whether they keep a row in table pages (%s do) or not. A capture may be in several lines.",
			plural(p.Pages, "page capture"), number(p.HTML), number(p.XML), number(f.Pages.Kept-f.Pages.Instead)),
		caveat("A page that several captures show counts as often. Pages that robots.txt denies to the crawler are not among them."),
	}
	if f.Pages.Instead > 0 {
		notes = append(notes, caveat(fmt.Sprintf("%s with a row came in the place of a robots.txt (R-LEX-7), %s of them with an ACAP META. They are not "+
			"counted here; their statements are in table directives.", plural(f.Pages.Instead, "page capture"), number(f.Pages.InsteadWithMetas))))
	}
	if p.Partial > 0 {
		notes = append(notes, caveat(plural(p.Partial, "page capture")+" of a WAT: no class token or robots instruction can be seen there. "+
			"The shares of these two are of the other "+number(whole)+"."))
	}
	return figure{
		ID: "pages", Caption: "Page captures by what they carry", Table: t,
		Chart: barChart("pages", "Page captures by what they carry", data, 0),
		Notes: notes,
	}
}
