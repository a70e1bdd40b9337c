package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/report/chart"
	"github.com/acapscan/acapscan/output/report/numbers"
)

func (f *Report) vocabularySection() section {
	out := section{ID: "vocabularies", Title: "Who uses which vocabulary",
		Figures: []figure{f.vocabularyFigure(), f.classFigure(), f.voiceFigure(), f.domainFigure()}}
	if f.several() {
		out.Figures = append(out.Figures, f.crawlFigure())
	}
	s, r := &f.Sites, &f.Robots
	fields := countFigure("fields", "Fields of other vocabularies in robots.txt", "Field", "Files",
		r.OtherFields, shownFields, r.Selected,
		counted("the %s in force for a site.", plural(r.Selected, "capture")),
		caveat("Every line with the form of a field counts by its name, spelling errors included."))
	fields.fold = "field"
	if names := r.OtherFields.By(); len(names) > 0 {
		fields.Headline = fmt.Sprintf("%s is the most frequent field of another vocabulary: in %s.", visible(names[0]),
			among(r.OtherFields.Get(names[0], 0), r.Selected, "robots.txt file"))
	}
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
		caveat("One use is enough. The figure does not show how often a site uses the feature, or on how many paths "+
			"or pages."))
	features.fold = "feature"
	out.Figures = append(out.Figures, fields, f.pageFigure(), features, versions)
	return out
}

// vocabularyFigure counts the sites that say anything in each vocabulary.
func (f *Report) vocabularyFigure() figure {
	s := &f.Sites
	fig := figure{
		ID: "vocabulary", Caption: "Sites by vocabulary in which they say something",
		Table: dataTable{Head: columns("Vocabulary", "Sites", "of sites seen", "in pages alone"),
			None: "No site was seen."},
		Notes: []note{
			counted("%s seen%s. A site may be in several lines.", plural(s.Sites, "site"), f.eachCrawl()),
			caveat("rep: a rule in robots.txt that can decide, or a directive in a page. acap: every class of " +
				"adoption but " +
				"none. The others: a statement that decides or is recorded; lines that a vendor wrote count too."),
		},
	}
	if s.Sites == 0 {
		return fig
	}
	fig.bars.Panels = []chart.Panel{{Series: []chart.Series{
		{Label: "in robots.txt", Fill: chart.Solid}, {Label: "in pages alone", Fill: chart.Hatch}}}}
	most, top := int64(0), ""
	for _, name := range s.Vocabularies.In(terms.Names[terms.Vocabulary]()) {
		counts := s.Vocabularies.Values(name)
		n := numbers.Sum(counts)
		if n > most && name != terms.VocabularyREP.String() && name != terms.VocabularyACAP.String() {
			most, top = n, visible(name)
		}
		fig.add(coded(name, numberCell(n), shareCell(n, s.Sites), numberCell(counts[numbers.VocabularyPages])))
		fig.draw(visible(name), chart.Cell{Values: counts, Text: withShare(n, s.Sites)})
	}
	fig.Headline = fmt.Sprintf("None of %s states AI preferences.", sites(s.Sites, "seen"))
	if most > 0 {
		fig.Headline = fmt.Sprintf("Of the vocabularies of AI preferences %s is the most frequent: on %s.", top,
			amongSites(most, s.Sites, "seen"))
	}
	return fig
}

// adoptionSentence says how many sites use ACAP, and what most of them do with it.
func (f *Report) adoptionSentence() string {
	s := &f.Sites
	if s.Adopters == 0 {
		return fmt.Sprintf("None of %s uses ACAP.", sites(s.Sites, "seen"))
	}
	rate := ""
	if each := s.Sites / s.Adopters; each >= 100 {
		rate = ", one in " + number(each)
	}
	class, most := "", int64(0)
	for _, name := range numbers.Classes {
		n := s.Classes.Get(name, numbers.ClassSeen)
		if name != terms.AdoptionNone.String() && n > most {
			class, most = name, n
		}
	}
	return fmt.Sprintf("ACAP is used by %s%s. The most frequent class is %s, %s.",
		amongSites(s.Adopters, s.Sites, "seen"), rate, class, withShare(most, s.Adopters))
}

func (f *Report) classFigure() figure {
	s := &f.Sites
	fig := figure{
		ID: "class", Caption: "Sites with ACAP by class, from least to most", Headline: f.adoptionSentence(),
		Table: dataTable{Head: columns("Class", "Sites", "of sites seen", "of robots.txt read"),
			None: "No site was seen."},
		Notes: []note{
			counted("%s seen%s, with or without a robots.txt; in the last column of the table the %s whose "+
				"robots.txt was read.",
				plural(s.Sites, "site"), f.eachCrawl(), number(s.RobotsRead)),
			caveat("The class of a site follows from its robots.txt in force and its captured pages."),
			caveatOf(s.Limits.ClassInexact, "Of %s of class crawl-differs %s had rules too many to compare: they "+
				"may be mirrors-rep.", plural(s.Classes.Get(terms.AdoptionCrawlDiffers.String(), numbers.ClassSeen),
				"site"),
				number(s.Limits.ClassInexact)),
		},
		bars: chart.Bars{Panels: make([]chart.Panel, 1), Zoom: &chart.Zoom{
			Part: s.Adopters, Of: s.Sites, AllLabel: plural(s.Sites, "site") + " seen",
			PartLabel: fmt.Sprintf("%s with ACAP (%s of sites seen), by class:", number(s.Adopters),
				share(s.Adopters, s.Sites)),
		}},
	}
	if s.Adopters == 0 && s.Sites > 0 {
		fig.Table.None = "No site uses ACAP."
		return fig
	}
	for _, name := range s.Classes.In(numbers.Classes) {
		if s.Sites == 0 {
			break
		}
		n := s.Classes.Get(name, numbers.ClassSeen)
		fig.add(explained[terms.AdoptionClass](name, numberCell(n), shareCell(n, s.Sites),
			shareCell(s.Classes.Get(name, numbers.ClassRead), s.RobotsRead)))
		if name != terms.AdoptionNone.String() {
			fig.draw(visible(name), chart.Cell{Values: []int64{n}, Text: withShare(n, s.Adopters)})
		}
	}
	return fig
}

// withREP counts the robots.txt files that were read and have conventional rules.
func (f *Report) withREP() int64 {
	return f.Sites.Voices[numbers.VoiceREP] + f.Sites.Voices[numbers.VoiceBoth]
}

// voiceFigure shows conventional rules and ACAP beside each other.
func (f *Report) voiceFigure() figure {
	v := &f.Sites.Voices
	read, both := f.Sites.RobotsRead, v[numbers.VoiceBoth]
	fig := figure{
		ID: "voices", Caption: "ACAP beside conventional rules (REP) in robots.txt",
		Table: dataTable{Head: columns("robots.txt has", "Sites", "of robots.txt read"),
			None: "No robots.txt was read."},
		Notes: []note{
			counted("the %s whose robots.txt was read%s.", plural(read, "site"), f.eachCrawl()),
			caveat("Rules of robots.txt alone, about crawling alone. “The same”: both decide crawling equally on " +
				"every path for every crawler. A site without rules in either may have markers, or comments."),
		},
		bars: chart.Bars{Panels: make([]chart.Panel, 1), Zoom: &chart.Zoom{
			Part: both, Of: read, AllLabel: plural(read, "robots.txt file") + " read",
			PartLabel: fmt.Sprintf("%s with both ACAP and conventional rules (%s), which:", number(both),
				share(both, read)),
		}},
	}
	if read == 0 {
		return fig
	}
	if both == 0 {
		fig.bars.Zoom = nil
	}
	fig.Headline = fmt.Sprintf("Conventional rules stand in %s.", among(f.withREP(), read, "robots.txt file"))
	if both > 0 {
		fig.Headline += fmt.Sprintf(" Where ACAP stands beside them, the two say the same in %s.",
			among(v[numbers.VoiceSame], both, "file"))
	}
	for i, name := range []string{"conventional rules alone", "both", "ACAP alone", "neither"} {
		if both == 0 { // nothing to compare
			fig.addCount(named(name), v[i], read)
			continue
		}
		fig.add(named(name, numberCell(v[i]), shareCell(v[i], read)))
		if i == numbers.VoiceBoth {
			for j, name := range []string{"say the same about crawling", "say different things",
				"were too long to compare"} {
				n := v[numbers.VoiceSame+j]
				fig.add(tableRow{Name: name, Part: true, Cells: []cell{numberCell(n), shareCell(n, read)}})
				fig.draw(name, chart.Cell{Values: []int64{n}, Text: withShare(n, both)})
			}
		}
	}
	return fig
}

// A rate is a share with its interval.
type rate struct {
	label     string
	n, of     int64
	low, high float64
}

func newRate(label string, n, of int64) rate {
	low, high := wilson(n, of)
	return rate{label, n, of, low, high}
}

func (r rate) text() string {
	return fmt.Sprintf("%s of %s (%s)", number(r.n), number(r.of), share(r.n, r.of))
}

func (f *figure) addRate(r rate) {
	f.bars.Panels = []chart.Panel{{Interval: true}}
	f.draw(r.label, chart.Cell{Share: float64(r.n) / float64(max(r.of, 1)), Low: r.low, High: r.high, Text: r.text()})
}

const intervalCaveat = "The line is the 95% interval of the share, by Wilson’s score, as if sites had been drawn " +
	"at random. It shows how little few sites say. Crawls do not draw at random."

func (f *Report) domainFigure() figure {
	fig, top := ratesByDomain("domain", "Sites with ACAP by top-level domain: the highest shares", "with ACAP", "seen",
		f.Sites.Domains)
	if top.n > 0 {
		fig.Headline = fmt.Sprintf("ACAP is most frequent under %s: %s, 95%% interval %s.", top.label,
			among(top.n, top.of, "site"), between(top.low, top.high))
	}
	return fig
}

// leastSites keeps domains of few sites out of ratesByDomain, unless there are no others: one of a single site has an
// interval whose lower end is 21%.
const leastSites = 10

// ratesByDomain shows the domains with the highest share of column 0 of a grid in column 1, by the lower end of the
// interval, and returns the first.
func ratesByDomain(id, caption, what, which string, domains *numbers.Grid) (fig figure, top rate) {
	fig = figure{
		ID: id, Caption: caption,
		Table: dataTable{Head: columns("Top-level domain", what, "Sites "+which, "Share", "Low", "High"),
			None: "No site was seen."},
	}
	var rates []rate
	least := int64(1)
	for _, name := range domains.Names() {
		label := "." + visible(name)
		if name == "" {
			label = "none"
		}
		n, of := domains.Get(name, 0), domains.Get(name, 1)
		rates = append(rates, newRate(label, n, of))
		if n > 0 && of >= leastSites {
			least = leastSites
		}
	}
	slices.SortStableFunc(rates, func(a, b rate) int {
		return cmp.Or(cmp.Compare(b.low, a.low), cmp.Compare(b.n, a.n), cmp.Compare(b.of, a.of))
	})
	beyond := domains.Beyond(nil)
	rest := newRate("all others", beyond[0], beyond[1])
	shown := 0
	for _, r := range rates {
		if shown >= shownDomains || r.n == 0 || r.of < least {
			rest = newRate(rest.label, rest.n+r.n, rest.of+r.of)
			continue
		}
		if shown++; shown == 1 {
			top = r
		}
		fig.addRate(r)
		fig.add(r.row())
	}
	if rest.of > 0 {
		fig.add(rest.row())
	}
	fig.Notes = []note{
		counted("the sites %s under that domain. Of the domains with at least %s shown are the %d with the highest "+
			"lower end of the interval; “none” are IP addresses.", which, plural(least, "site"), shownDomains),
		caveat("%s", intervalCaveat),
	}
	return fig, top
}

func (r rate) row() tableRow {
	return named(r.label, numberCell(r.n), numberCell(r.of), shareCell(r.n, r.of), shareOf(r.low), shareOf(r.high))
}

func (f *Report) crawlFigure() figure {
	none := slices.Index(numbers.Classes, terms.AdoptionNone.String())
	others := slices.Delete(slices.Clone(numbers.Classes), none, none+1)
	fig := figure{
		ID: "crawls", Caption: "Sites with ACAP, crawl by crawl",
		Table: dataTable{Head: columns(append([]string{"Crawl", "Sites seen", "robots.txt read", "with ACAP",
			"of sites seen"}, others...)...)},
		Notes: []note{
			counted("the sites seen in that crawl."),
			caveat("Crawls chose their sites differently, and only the files among the inputs count. A change " +
				"between crawls may not be a change of the web."),
			caveat("%s", intervalCaveat),
		},
	}
	var least, most rate
	row := func(name string, counts []int64) {
		inClass, read := slices.Clone(counts[:len(numbers.Classes)]), counts[len(numbers.Classes)]
		seen := numbers.Sum(inClass)
		r := newRate(visible(name), seen-inClass[none], seen)
		cells := append(numberCells(seen, read, r.n), shareCell(r.n, seen))
		fig.add(coded(name, append(cells, numberCells(slices.Delete(inClass, none, none+1)...)...)...))
		fig.addRate(r)
		if least.label == "" || r.n*least.of < least.n*r.of {
			least = r
		}
		if most.label == "" || r.n*most.of > most.n*r.of {
			most = r
		}
	}
	crawls := f.Sites.Crawls.Names()
	for _, name := range first(crawls, shownCrawls) {
		row(name, f.Sites.Crawls.Values(name))
	}
	if hidden := after(crawls, shownCrawls); len(hidden) > 0 || f.Sites.Crawls.Full() {
		row("other crawls", f.Sites.Crawls.Beyond(hidden))
	}
	fig.Headline = fmt.Sprintf("The share of sites with ACAP is lowest in crawl %s, %s, and highest in %s, %s.",
		least.label, least.text(), most.label, most.text())
	return fig
}

func (f *Report) pageFigure() figure {
	p := f.Sites.Pages
	instead := max(f.Robots.Outcomes.Get(terms.OutcomeNotRobots.String(), 0), f.Pages.Instead)
	fig := figure{
		ID: "pages", Caption: "Page captures by what they carry",
		Table: dataTable{Head: columns("Page captures with", "Number", "Share"), None: "No page capture was seen."},
		Notes: []note{
			counted("all %s (%s read as HTML, %s as XML), whether they keep a row in table pages (%s do) or not. A "+
				"capture may be in several lines.",
				plural(p.Pages, "page capture"), number(p.HTML), number(p.XML), number(f.Pages.Kept-f.Pages.Instead)),
			caveat("A page with several captures counts several times. Pages that robots.txt denies to the crawler " +
				"are missing."),
		},
	}
	whole := p.Pages - p.Partial
	for _, c := range []struct {
		carrier  string
		n, among int64
	}{
		{"ACAP META", p.ACAPMeta, p.Pages}, {"ACAP class token", p.ACAPClass, whole},
		{"robots instruction", p.PI, whole},
		{"X-Robots-Tag", p.XRobotsTag, p.Pages}, {"conventional META", p.Conventional, p.Pages},
		{"ACAP META, in place of robots.txt", f.Pages.InsteadWithMetas, instead},
	} {
		if c.among > 0 {
			fig.addCount(named(c.carrier), c.n, c.among)
		}
	}
	if all := p.Pages + instead; all > 0 {
		fig.Headline = fmt.Sprintf("An ACAP META is in %s.",
			among(p.ACAPMeta+f.Pages.InsteadWithMetas, all, "page capture"))
	}
	if instead > 0 {
		fig.Notes = append(fig.Notes, caveat("%s of /robots.txt gave a page instead (R-LEX-7). The last line and "+
			"the sentence above count them, the other lines do not.", plural(instead, "capture")))
	}
	if p.Partial > 0 {
		fig.Notes = append(fig.Notes, caveat("%s of a WAT: no class token or robots instruction can be seen there. "+
			"The shares of these two are of the other %s.", plural(p.Partial, "page capture"), number(whole)))
	}
	return fig
}

// outcomeFigure says what became of the requests for robots.txt.
func (f *Report) outcomeFigure() figure {
	s, r := &f.Sites, &f.Robots
	fig := figure{
		ID: "outcomes", Caption: "Results of requests for robots.txt",
		Table: dataTable{Head: columns("Outcome", "Sites", "Share", "Captures"), None: "No site was seen."},
		Notes: []note{
			counted("%s seen%s. A site counts by its latest conclusive answer (R-SITE-1); the last column of the "+
				"table counts all %s of /robots.txt.", plural(s.Sites, "site"), f.eachCrawl(),
				plural(r.Captures, "capture")),
			caveatOf(s.Outcomes.Get(terms.OutcomeNotCaptured.String(), 0),
				"not-captured: these archives have no request. The site may have a robots.txt."),
		},
	}
	for _, name := range s.Outcomes.In(terms.Names[terms.RobotsOutcome]()) {
		if s.Sites == 0 && r.Captures == 0 {
			break
		}
		captures := numberCell(r.Outcomes.Get(name, 0))
		if name == terms.OutcomeNotCaptured.String() {
			captures = cell{Text: "–", Number: true}
		}
		fig.addCount(explained[terms.RobotsOutcome](name, captures), s.Outcomes.Get(name, 0), s.Sites)
	}
	if s.Sites > 0 {
		fig.Headline = fmt.Sprintf("The robots.txt of %s could be read.", amongSites(s.RobotsRead, s.Sites, "seen"))
	}
	return fig
}
