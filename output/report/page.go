package report

import (
	"fmt"
	"slices"

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
	shownInHeat    = 10
)

// A page is what the template shows: words and numbers as they stand there.
type page struct {
	Title    string
	Lead     []string
	Findings []finding
	Stats    []stat
	Cautions []string
	Sections []section
	Closing  string
}

// A finding is one of the sentences at the top, with its share and the figure that carries it.
type finding struct{ Value, Text, Figure string }

// A stat is one of the numbers below the findings.
type stat struct{ Value, Name, Of string }

type section struct {
	ID, Title string
	Intro     []string
	Figures   []figure
	Examples  []exampleGroup
}

type exampleGroup struct {
	ID, Kind, Gloss string
	Of              string // how many there are
	Examples        []exampleView
}

type exampleView struct {
	Site    address
	Facts   []fact
	Sides   []sideView
	Outcome string
}

type fact struct {
	Name  string
	Value address
}

// An address is text that is a link where Link is not empty.
type address struct{ Text, Link string }

type sideView struct {
	Title  string
	Place  string
	Text   string
	Absent string // instead of Text
	Says   string
	Wins   bool
}

// page puts the numbers into words.
func (f *Report) page() *page {
	s := &f.Sites
	detail := f.statementSection()
	detail.Figures = append([]figure{f.outcomeFigure()}, append(detail.Figures, f.defectFigure())...)
	p := &page{
		Title:    "What these archives say to crawlers",
		Lead:     f.lead(),
		Findings: f.findings(),
		Stats: []stat{
			{number(s.Sites), "sites seen", "a scheme, a host and a port" + f.eachCrawl()},
			{number(s.RobotsRead), "robots.txt files read", share(s.RobotsRead, s.Sites) + " of sites seen"},
			{number(s.Adopters), "sites with ACAP", share(s.Adopters, s.Sites) + " of sites seen"},
			{number(s.Pages.Pages), "page captures seen", "on " + plural(s.SitesWithPages, "site")},
			{number(f.Conflicts.Total), "conflicts", "on " + plural(s.AnyConflict, "site")},
		},
		Cautions: f.cautions(),
		Sections: []section{
			f.agentSection(), f.vocabularySection(), f.changeSection(), f.permissionSection(), f.conflictSection(),
			detail, f.readSection(), f.runSection(),
		},
		Closing: "Made by acapscan report from the tables of the run alone. The columns behind every figure are in " +
			"docs/tables.md. In CSV files shares are fractions of 1, and an apostrophe stands before text that a " +
			"spreadsheet would take for a formula.",
	}
	p.Sections = slices.DeleteFunc(p.Sections, func(s section) bool { return len(s.Figures) == 0 })
	figures, tables := 0, 0
	for i := range p.Sections {
		for j := range p.Sections[i].Figures {
			fig := &p.Sections[i].Figures[j]
			if s.Sites == 0 { // sentences about none of 0 sites say nothing
				fig.Headline = ""
			}
			fig.finish()
			if fig.Charted() {
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

// findings are the answers to the first three questions.
func (f *Report) findings() []finding {
	s, a, c := &f.Sites, &f.Agents, &f.Conflicts
	if s.Sites == 0 {
		return nil
	}
	blocked := "–"
	if names := f.crawlers(); len(names) > 0 {
		blocked = share(a.Blocked(names[0]).Fully(), a.Sites)
	} else if a.Sites > 0 {
		blocked = share(0, a.Sites)
	}
	vocabularies := f.adoptionSentence()
	if read := s.RobotsRead; read > 0 {
		vocabularies += fmt.Sprintf(" Conventional rules stand in %s.", among(f.withREP(), read, "robots.txt file"))
	}
	return []finding{
		{blocked, f.blockedSentence(), "agents-blocked"},
		{share(s.Adopters, s.Sites), vocabularies, "class"},
		{share(c.Contradicting, s.Sites), f.conflictSentence(), "kinds"},
	}
}

func (f *Report) several() bool { return f.Sites.Crawls.Len() > 1 }

func (f *Report) eachCrawl() string {
	if f.several() {
		return ", once in each crawl"
	}
	return ""
}

func (f *Report) lead() []string {
	in := &f.Inputs
	what := fmt.Sprintf("%s of web archives, %s, %s.", plural(in.Inputs, "file"), bytesOf(in.Bytes),
		plural(in.Records, "record"))
	switch crawls := f.Sites.Crawls; {
	case f.Crawl != "":
		what += fmt.Sprintf(" Only crawl %s of the run is shown.", visible(f.Crawl))
	case crawls.Len() == 1:
		what += fmt.Sprintf(" Crawl: %s.", visible(crawls.Names()[0]))
	case crawls.Len() > 1:
		what += fmt.Sprintf(" %s crawls; a site counts once in each.", number(int64(crawls.Len())))
	}
	if f.Sites.Sites == 0 {
		return []string{what, "No site was seen."}
	}
	if f.First.IsZero() {
		return []string{what}
	}
	from, to := f.First.UTC().Format("2 January 2006"), f.Last.UTC().Format("2 January 2006")
	if from == to {
		return []string{what, "Captures of robots.txt and of kept pages of " + from + "."}
	}
	return []string{what, fmt.Sprintf("Captures of robots.txt and of kept pages from %s to %s.", from, to)}
}

func (f *Report) cautions() []string {
	list := []string{
		"This is a count of what is in the archives. It says nothing about the web as a whole: the crawler chose " +
			"the sites and the pages.",
		"A crawler that obeys robots.txt never fetches a page that robots.txt denies to it, so denied pages are " +
			"missing here. Figures about pages and figures about robots.txt have different denominators, and page " +
			"figures lean towards permission.",
		"A site is a scheme, a host and a port, not a publisher. " + f.twins(),
	}
	if f.several() {
		list = append(list, "The run covers several crawls. A site counts once in each crawl that saw it. --crawl "+
			"restricts the report to one of them.")
	}
	return append(list,
		"Allowed may only mean that no statement decides: silence is permission (R-DEC-12). The table “What these "+
			"decisions rest on” shows how often.",
		"Conflicts and decisions follow the rules and the interpretation that section “The run” states. Rules "+
			"marked “ours” in docs/semantics.md are our choices.")
}

// twins says how far a site is from a publisher.
func (f *Report) twins() string {
	text := fmt.Sprintf("Of the sites seen, %s were seen over both http and https.",
		withShare(f.Sites.OtherScheme, f.Sites.Sites))
	if n := f.Sites.Fingerprinted; n > 0 {
		prints := f.Sites.Fingerprints
		most := prints.By()[0]
		distinct := number(int64(prints.Len()))
		if prints.Full() {
			distinct = "more than " + distinct
		}
		text += fmt.Sprintf(" The %s with ACAP statements in robots.txt share %s different sets of them; the most "+
			"common set is on %s.",
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
