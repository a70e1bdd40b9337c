package report

import (
	"slices"

	"github.com/acapscan/acapscan/internal/terms"
)

func (f *Figures) robotsSection() section {
	s, r := &f.Sites, &f.Robots
	outcomes := figure{
		ID: "outcomes", Caption: "Results of requests for robots.txt",
		Table: dataTable{Head: columns("Outcome", "Sites", "Share", "Captures"), None: "No site was seen."},
		Notes: []note{
			counted("%s seen%s. A site counts by its latest conclusive answer (R-SITE-1); the last column counts all %s "+
				"captures of /robots.txt.",
				plural(s.Sites, "site"), f.eachCrawl(), number(r.Captures)),
			caveat("not-captured: these archives have no request. The site may have a robots.txt."),
		},
	}
	for _, name := range s.Outcomes.In(terms.Names[terms.RobotsOutcome]()) {
		if s.Sites == 0 && r.Captures == 0 {
			break
		}
		captures := numberCell(r.Outcomes.Get(name, 0))
		if name == terms.OutcomeNotCaptured.String() {
			captures.Text = "–"
		}
		outcomes.addCount(explained[terms.RobotsOutcome](name, captures), s.Outcomes.Get(name, 0), s.Sites)
	}
	return section{ID: "robots", Title: "robots.txt", Figures: []figure{
		outcomes,
		countFigure("fields", "Fields of other vocabularies in robots.txt", "Field", "Files",
			r.OtherFields, shownFields, r.Selected,
			counted("the %s in force for a site.", plural(r.Selected, "capture")),
			caveat("Every line with the form of a field counts by its name, spelling errors included.")),
	}}
}

func (f *Figures) adoptionSection() section {
	out := section{ID: "adoption", Title: "Adoption", Figures: []figure{f.classFigure()}}
	if f.several() {
		out.Figures = append(out.Figures, f.crawlFigure())
	}
	s := &f.Sites
	ofAdopters := counted("the %s with ACAP (every class but none). A site may be in several lines.",
		plural(s.Adopters, "site"))
	versions := countFigure("version", "Sites with ACAP by version, as they write it", "Version", "Sites",
		s.Versions, shownVersions, s.Adopters, ofAdopters,
		caveat("The stated version, not the features: a file may state 1.1 and use only features of 1.0."))
	if s.Adopters > 0 {
		versions.addCount(named("none stated"), s.NoVersion, s.Adopters)
	}
	features := countFigure("feature", "Sites with ACAP by feature", "Feature", "Sites",
		s.Features, shownFeatures, s.Adopters, ofAdopters,
		caveat("One use is enough. The figure does not show how often a site uses the feature, or on how many paths or "+
			"pages."))
	out.Figures = append(out.Figures, versions, features, f.domainFigure(), f.pageFigure())
	return out
}

func (f *Figures) classFigure() figure {
	s := &f.Sites
	fig := figure{
		ID: "class", Caption: "Sites by adoption class, from least to most",
		Table: dataTable{Head: columns("Class", "Sites", "of sites seen", "of robots.txt read"), None: "No site was seen."},
		Notes: []note{
			counted("%s seen%s, with or without a robots.txt; in the last column the %s whose robots.txt was read.",
				plural(s.Sites, "site"), f.eachCrawl(), number(s.RobotsRead)),
			caveat("The class of a site follows from its robots.txt in force and its captured pages. Of %s whose "+
				"robots.txt has both ACAP and conventional rules and could be compared, %s decide crawling equally for every "+
				"crawler.", plural(s.Compared, "site"), withShare(s.Same, s.Compared)),
			caveat("Of %s of class crawl-differs %s had rules too many to compare: they may be mirrors-rep.",
				plural(s.Classes.Get(terms.AdoptionCrawlDiffers.String(), ClassSeen), "site"), number(s.Limits.ClassInexact)),
		},
	}
	for _, name := range s.Classes.In(classes) {
		if s.Sites == 0 {
			break
		}
		read := shareCell(s.Classes.Get(name, ClassRead), s.RobotsRead)
		fig.addCount(explained[terms.AdoptionClass](name, read), s.Classes.Get(name, ClassSeen), s.Sites)
	}
	return fig
}

func (f *Figures) domainFigure() figure {
	domains := f.Sites.Domains
	fig := figure{
		ID: "domain", Caption: "Sites with ACAP by top-level domain",
		Table: dataTable{Head: columns("Top-level domain", "with ACAP", "Sites seen", "Share"), None: "No site was seen."},
		Notes: []note{
			counted("the sites seen under that domain. The %d domains with the most sites with ACAP are shown; “none” are "+
				"IP addresses.", shownDomains),
			caveat("A share of few sites means little."),
		},
	}
	row := func(name string, counts []int64) tableRow {
		n, seen := counts[DomainAdopters], counts[DomainSites]
		return named(name, numberCell(n), numberCell(seen), shareCell(n, seen))
	}
	names := domains.By()
	for _, name := range first(names, shownDomains) {
		label := "." + visible(name)
		if name == "" {
			label = "none"
		}
		counts := domains.Values(name)
		fig.add(row(label, counts))
		end := number(counts[DomainAdopters]) + " of " + number(counts[DomainSites])
		fig.data = append(fig.data, datum{label, counts[DomainAdopters : DomainAdopters+1], end})
	}
	if hidden := after(names, shownDomains); len(hidden) > 0 {
		fig.add(row(more(domains, len(hidden))+" others", domains.Beyond(hidden)))
	}
	return fig
}

// crawlParts is the length of a whole bar of crawlFigure: its bars are shares, since crawls differ in the number of
// sites.
const crawlParts = 100_000

func (f *Figures) crawlFigure() figure {
	none := slices.Index(classes, terms.AdoptionNone.String())
	others := slices.Delete(slices.Clone(classes), none, none+1)
	fig := figure{
		ID: "crawls", Layout: layoutBelow, Caption: "Share of sites with ACAP, crawl by crawl", most: crawlParts,
		Table: dataTable{Head: columns(append([]string{"Crawl", "Sites seen", "robots.txt read", "with ACAP",
			"of sites seen"},
			others...)...)},
		Notes: []note{
			counted("the sites seen in that crawl."),
			caveat("Crawls chose their sites differently, and only the files among the inputs count. A change between crawls " +
				"may not be a change of the web."),
		},
	}
	row := func(name string, counts []int64) {
		inClass, read := slices.Clone(counts[:len(classes)]), counts[len(classes)]
		seen := sum(inClass)
		adopters := seen - inClass[none]
		cells := append(numberCells(seen, read, adopters), shareCell(adopters, seen))
		fig.add(coded(name, append(cells, numberCells(slices.Delete(inClass, none, none+1)...)...)...))
		part := adopters * crawlParts / max(seen, 1)
		fig.data = append(fig.data, datum{visible(name), []int64{part}, share(adopters, seen) + " of " + number(seen)})
	}
	crawls := f.Sites.Crawls.Names()
	for _, name := range first(crawls, shownCrawls) {
		row(name, f.Sites.Crawls.Values(name))
	}
	if hidden := after(crawls, shownCrawls); len(hidden) > 0 || f.Sites.Crawls.Full() {
		row("other crawls", f.Sites.Crawls.Beyond(hidden))
	}
	return fig
}

func (f *Figures) pageFigure() figure {
	p := f.Sites.Pages
	fig := figure{
		ID: "pages", Caption: "Page captures by what they carry",
		Table: dataTable{Head: columns("Page captures with", "Number", "Share"), None: "No page capture was seen."},
		Notes: []note{
			counted("all %s (%s read as HTML, %s as XML), whether they keep a row in table pages (%s do) or not. A capture "+
				"may be in several lines.",
				plural(p.Pages, "page capture"), number(p.HTML), number(p.XML), number(f.Pages.Kept-f.Pages.Instead)),
			caveat("A page with several captures counts several times. Pages that robots.txt denies to the crawler are " +
				"missing."),
		},
	}
	whole := p.Pages - p.Partial
	for _, c := range []struct {
		carrier  string
		n, among int64
	}{
		{"ACAP META", p.ACAPMeta, p.Pages}, {"ACAP class token", p.ACAPClass, whole}, {"robots instruction", p.PI, whole},
		{"X-Robots-Tag", p.XRobotsTag, p.Pages}, {"conventional META", p.Conventional, p.Pages},
	} {
		if c.among > 0 {
			fig.addCount(named(c.carrier), c.n, c.among)
		}
	}
	if f.Pages.Instead > 0 {
		fig.Notes = append(fig.Notes, caveat("%s with a row came in the place of a robots.txt (R-LEX-7), %s of them with "+
			"an ACAP META. They are not counted here; their statements are in table directives.",
			plural(f.Pages.Instead, "page capture"), number(f.Pages.InsteadWithMetas)))
	}
	if p.Partial > 0 {
		fig.Notes = append(fig.Notes, caveat("%s of a WAT: no class token or robots instruction can be seen there. The "+
			"shares of these two are of the other %s.", plural(p.Partial, "page capture"), number(whole)))
	}
	return fig
}
