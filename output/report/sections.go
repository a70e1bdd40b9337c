package report

import (
	"fmt"
	"html/template"

	"github.com/acapscan/acapscan/output/manifest"
)

// Lengths of lists on the page.
const (
	shownDomains   = 15
	shownVersions  = 12
	shownFeatures  = 24
	shownFields    = 20
	shownCrawls    = 120
	shownPlaces    = 60
	shownDefects   = 80
	shownReasons   = 20
	shownRules     = 6
	shownQualifier = 20
	shownCrawlers  = 30
)

// page puts the figures into words.
func (f *Figures) page() *page {
	s := &f.Sites
	p := &page{
		Style: template.CSS(styleText),
		Title: "What these archives say in ACAP",
		Lead:  f.lead(),
		Stats: []stat{
			{number(s.Sites), "sites seen", "a scheme, a host and a port" + f.eachCrawl()},
			{number(s.RobotsRead), "robots.txt files read", share(s.RobotsRead, s.Sites) + " of sites seen"},
			{number(s.Adopters), "sites with ACAP", share(s.Adopters, s.Sites) + " of sites seen"},
			{number(s.Pages.Pages), "page captures seen", "on " + plural(s.SitesWithPages, "site")},
			{number(s.Pages.ACAPMeta), "page captures with an ACAP META",
				share(s.Pages.ACAPMeta, s.Pages.Pages) + " of page captures"},
			{number(f.Conflicts.Total), "conflicts", "on " + plural(s.AnyConflict, "site")},
		},
		Cautions: f.cautions(),
		Sections: []section{
			f.readSection(), f.robotsSection(), f.adoptionSection(), f.agentSection(), f.statementSection(), f.permissionSection(),
			f.conflictSection(), f.defectSection(), f.runSection(),
		},
		Closing: "Made by acapscan report from the tables of the run alone. The ids R-… are those of " +
			"docs/semantics.md; the columns behind every figure are in docs/tables.md.",
	}
	figures, tables := 0, 0
	for i := range p.Sections {
		for j := range p.Sections[i].Figures {
			fig := &p.Sections[i].Figures[j]
			fig.draw()
			if fig.Chart != nil {
				figures++
				fig.Label = fmt.Sprintf("Figure %d", figures)
			} else {
				tables++
				fig.Label = fmt.Sprintf("Table %d", tables)
			}
		}
	}
	return p
}

func (f *Figures) several() bool { return f.Sites.Crawls.Len() > 1 }

func (f *Figures) eachCrawl() string {
	if f.several() {
		return ", once in each crawl"
	}
	return ""
}

func (f *Figures) lead() []string {
	in := &f.Inputs
	what := fmt.Sprintf("%s of web archives, %s, %s.", plural(in.Inputs, "file"), bytesOf(in.Bytes),
		plural(in.Records, "record"))
	switch crawls := f.Sites.Crawls; {
	case f.Crawl != "":
		what += fmt.Sprintf(" Only crawl %s of the run is shown.", visible(f.Crawl))
	case crawls.Len() == 1:
		what += fmt.Sprintf(" Crawl: %s.", visible(crawls.Names()[0]))
	case crawls.Len() > 1:
		what += fmt.Sprintf(" %s crawls.", number(int64(crawls.Len())))
	}
	if f.First.IsZero() {
		return []string{what}
	}
	return []string{what, fmt.Sprintf("Captures of robots.txt and of kept pages from %s to %s.",
		f.First.UTC().Format("2 January 2006"), f.Last.UTC().Format("2 January 2006"))}
}

func (f *Figures) cautions() []string {
	list := []string{
		"This is a count of what is in the archives. It says nothing about the web as a whole: the crawler chose the sites " +
			"and the pages.",
		"A crawler that obeys robots.txt never fetches a page that robots.txt denies to it, so denied pages are missing " +
			"here. Figures about pages and figures about robots.txt have different denominators, and page figures lean " +
			"towards permission.",
		"A site is a scheme, a host and a port, not a publisher. " + f.twins(),
	}
	if f.several() {
		list = append(list, "The run covers several crawls. A site counts once in each crawl that saw it. --crawl "+
			"restricts the report to one of them.")
	}
	return append(list,
		"Allowed may only mean that no statement decides: silence is permission (R-DEC-12). The table “What these "+
			"decisions rest on” shows how often.",
		"Conflicts and decisions follow the rules and the interpretation that section “The run” states. Rules marked "+
			"“ours” in docs/semantics.md are our choices.")
}

// twins says how far a site is from a publisher.
func (f *Figures) twins() string {
	text := fmt.Sprintf("Of the sites seen, %s were seen over both http and https.",
		withShare(f.Sites.OtherScheme, f.Sites.Sites))
	if n := f.Sites.Fingerprinted; n > 0 {
		prints := f.Sites.Fingerprints
		most := prints.By()[0]
		distinct := number(int64(prints.Len()))
		if prints.Full() {
			distinct = "more than " + distinct
		}
		text += fmt.Sprintf(" The %s with ACAP statements in robots.txt share %s different sets of them; the most common "+
			"set is on %s.",
			plural(n, "site"), distinct, plural(prints.Get(most, 0), "site"))
	}
	return text
}

func option(m *manifest.Manifest, name string) string {
	if value := m.Options[name]; value != "" {
		return visible(value)
	}
	return "not stated"
}
