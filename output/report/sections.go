package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
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
)

var decisionSeries = []series{
	{"allowed", fillPlain}, {"conditional", fillHatch}, {"disallowed", fillSolid}, {"disallowed, as crawling is", fillCross},
}

var extentSeries = []series{{"all", fillPlain}, {"some", fillHatch}, {"none", fillSolid}, {"unknown", fillDots}}

var severitySeries = []series{{"override", fillHatch}, {"contradiction", fillSolid}}

var senseSeries = []series{{"allow", fillPlain}, {"disallow", fillSolid}}

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
			{number(s.Pages.ACAPMeta), "page captures with an ACAP META", share(s.Pages.ACAPMeta, s.Pages.Pages) + " of page captures"},
			{number(f.Conflicts.Total), "conflicts", "on " + plural(s.AnyConflict, "site")},
		},
		Cautions: f.cautions(),
		Sections: []section{
			f.readSection(), f.robotsSection(), f.adoptionSection(), f.statementSection(), f.permissionSection(), f.conflictSection(),
			f.defectSection(), f.runSection(),
		},
		Closing: "Made by acapscan report out of the tables of the run and nothing else. The ids R-… are those of docs/semantics.md; the columns " +
			"behind every figure are in docs/tables.md.",
	}
	figures, tables := 0, 0
	for i := range p.Sections {
		for j := range p.Sections[i].Figures {
			fig := &p.Sections[i].Figures[j]
			if fig.Chart != nil && !fig.Chart.shows() {
				fig.Chart = nil
			}
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
	var lines []string
	in := &f.Inputs
	what := fmt.Sprintf("%s of web archives, %s, %s.", plural(in.Inputs, "file"), bytesOf(in.Bytes), plural(in.Records, "record"))
	switch crawls := f.Sites.Crawls; {
	case f.Crawl != "":
		what += fmt.Sprintf(" Only crawl %s of the run is shown.", visible(f.Crawl))
	case crawls.Len() == 1:
		what += fmt.Sprintf(" Crawl: %s.", visible(crawls.Names()[0]))
	case crawls.Len() > 1:
		what += fmt.Sprintf(" %s crawls.", number(int64(crawls.Len())))
	}
	lines = append(lines, what)
	if !f.First.IsZero() {
		lines = append(lines, fmt.Sprintf("Captures of robots.txt and of kept pages from %s to %s.",
			f.First.UTC().Format("2 January 2006"), f.Last.UTC().Format("2 January 2006")))
	}
	return lines
}

func (f *Figures) cautions() []string {
	list := []string{
		"This is a count of what is in the archives. It says nothing about the web at large: whoever crawled chose the sites and the pages.",
		"A crawler that obeys robots.txt never fetches what robots.txt denies to it. The pages here are therefore those that were not denied: " +
			"figures about pages and figures about robots.txt have different denominators, and page figures lean towards permission.",
		"A site is a scheme, a host and a port, not a publisher. " + f.twins(),
	}
	if f.several() {
		list = append(list, "The run covers several crawls. A site that several of them saw counts once in each, and “sites” means that throughout. "+
			"With --crawl the report is about one of them.")
	}
	return append(list,
		"Allowed may mean no more than that nothing is said: silence is permission (R-DEC-12). The table “What these decisions rest on” tells the two apart.",
		"Conflicts and decisions follow the rules and the reading that section “The run” states. Rules marked “ours” in docs/semantics.md are choices.")
}

// twins says how far a site is from a publisher.
func (f *Figures) twins() string {
	text := fmt.Sprintf("Of the sites seen, %s are there over the other of http and https as well.", withShare(f.Sites.OtherScheme, f.Sites.Sites))
	if n := f.Sites.Fingerprinted; n > 0 {
		prints := f.Sites.Fingerprints
		most := prints.By(0)[0]
		distinct := number(int64(prints.Len()))
		if prints.Full() {
			distinct = "more than " + distinct
		}
		text += fmt.Sprintf(" The %s with ACAP statements in robots.txt share %s different sets of them; the commonest stands on %s.",
			plural(n, "site"), distinct, number(prints.Get(most, 0)))
	}
	return text
}

func (f *Figures) readSection() section {
	in := &f.Inputs
	captures := in.Status.Captures
	files := dataTable{Head: columns("", "Number", "Share")}
	files.addTotal("Input files", in.Inputs)
	files.addPart("with an error", in.WithError, in.Inputs)
	files.addPart("not read to the end", in.Incomplete, in.Inputs)
	files.addTotal("Records", in.Records)
	for _, c := range in.ByType {
		files.addPart("of type "+c.Key, c.Value, in.Records)
	}
	http := dataTable{Head: columns("", "Number", "Share")}
	http.addTotal("HTTP captures", captures)
	http.addPart("of /robots.txt", in.Robots, captures)
	http.addPart("of other files that a policy may point to", in.PolicyFiles, captures)
	http.addPart("read as HTML", in.HTML, captures)
	http.addPart("read as XML", in.XML, captures)
	http.addPart("pages that keep a row", in.PagesKept, captures)
	http.addPart("with a cut payload", in.Truncated, captures)

	var byStatus []datum
	status := dataTable{Head: columns("Status", "Captures", "Share"), None: "No capture was read."}
	for _, c := range []table.Count{
		{Key: "2xx", Value: in.Status.Captures2xx}, {Key: "3xx", Value: in.Status.Captures3xx}, {Key: "4xx", Value: in.Status.Captures4xx},
		{Key: "5xx", Value: in.Status.Captures5xx}, {Key: "other", Value: in.Status.CapturesOther}, {Key: "none readable", Value: in.Status.CapturesNone},
	} {
		if captures == 0 {
			break
		}
		byStatus = append(byStatus, datum{c.Key, []int64{c.Value}, withShare(c.Value, captures)})
		row := named(c.Key)
		row.Cells = []cell{numberCell(c.Value), shareCell(c.Value, captures)}
		status.Rows = append(status.Rows, row)
	}

	out := section{ID: "read", Title: "What was read", Figures: []figure{
		{
			ID: "files", Caption: "Files and records", Table: files, Layout: layoutHalf,
			Notes: []note{counted("input files, or records of any type.")},
		},
		{
			ID: "captures", Caption: "HTTP captures", Table: http, Layout: layoutHalf,
			Notes: []note{counted("HTTP captures: responses, resources and revisits. A capture may be in several lines.")},
		},
		{
			ID: "status", Caption: "HTTP captures by class of status", Table: status, Chart: barChart("status", "HTTP captures by class of status", byStatus, 0),
			Notes: []note{
				counted("%s, of robots.txt, pages and everything else, revisits included.", plural(captures, "HTTP capture")),
				caveat("Many archives keep failures and redirects in files of their own (subset crawldiagnostics). Where those were not among the inputs, nearly all is 2xx."),
			},
		},
	}}
	places := dataTable{Head: columns("Crawl and subset", "Files", "with error", "Records", "Captures", "robots.txt", "Pages kept")}
	placeNames := in.Places.Names()
	for _, name := range first(placeNames, shownPlaces) {
		crawl, subset, _ := strings.Cut(name, placeSeparator)
		row := tableRow{Name: visible(crawl) + " / " + visible(subset), Code: true}
		for _, column := range []int{PlaceInputs, PlaceProblems, PlaceRecords, PlaceCaptures, PlaceRobots, PlaceKept} {
			row.Cells = append(row.Cells, numberCell(in.Places.Get(name, column)))
		}
		places.Rows = append(places.Rows, row)
	}
	places.addRest(in.Places, after(placeNames, shownPlaces), PlaceInputs, PlaceProblems, PlaceRecords, PlaceCaptures, PlaceRobots, PlaceKept)
	if len(places.Rows) > 0 {
		out.Figures = append(out.Figures, figure{
			ID: "places", Caption: "Inputs by crawl and subset", Table: places,
			Notes: []note{
				counted("%s; what stands in a line is of the inputs of that crawl and subset alone.", plural(in.Inputs, "input")),
				caveat("An input whose path and warcinfo name neither counts as crawl local, subset warc."),
			},
		})
	}
	if in.Skipped.Len() > 0 {
		out.Figures = append(out.Figures, figure{
			ID: "skipped", Caption: "Records that were not read further, by reason",
			Table: countTable("Reason", "Records", in.Skipped, shownReasons, in.Records),
			Notes: []note{counted("%s of any type.", plural(in.Records, "record"))},
		})
	}
	problems := dataTable{
		Head: []head{{Text: "Input"}, {Text: "Read to its end"}, {Text: "What could not be read"}}, None: "Every input could be read whole.",
	}
	for _, e := range in.Errors {
		row := tableRow{Name: visible(e.Name), Code: true}
		complete := "no"
		if e.Complete {
			complete = "yes"
		}
		row.Cells = []cell{textCell(complete), textCell(visible(e.Error))}
		problems.Rows = append(problems.Rows, row)
	}
	out.Figures = append(out.Figures, figure{
		ID: "errors", Caption: "Inputs that could not be read, or not whole", Table: problems,
		Notes: []note{counted("%s; %s with an error, of which the first %d of table inputs are shown.", plural(in.Inputs, "input"), number(in.WithError), maxErrors)},
	})
	return out
}

func (t *dataTable) addTotal(name string, n int64) {
	t.Rows = append(t.Rows, tableRow{Name: name, Cells: []cell{numberCell(n), {Number: true}}})
}

// addPart adds a row for a part of the total above it.
func (t *dataTable) addPart(name string, n, of int64) {
	t.Rows = append(t.Rows, tableRow{Name: name, Part: true, Cells: []cell{numberCell(n), shareCell(n, of)}})
}

func (f *Figures) robotsSection() section {
	s, r := &f.Sites, &f.Robots
	var data []datum
	outcomes := dataTable{Head: columns("Outcome", "Sites", "Share", "Captures"), None: "No site was seen."}
	for _, name := range s.Outcomes.In(table.RobotsOutcome("").Values()) {
		if s.Sites == 0 && r.Captures == 0 {
			break
		}
		n := s.Outcomes.Get(name, 0)
		data = append(data, datum{name, []int64{n}, withShare(n, s.Sites)})
		captures := numberCell(r.Outcomes.Get(name, 0))
		if name == string(table.OutcomeNotCaptured) {
			captures.Text = "–"
		}
		outcomes.Rows = append(outcomes.Rows, tableRow{
			Name: visible(name), Code: true, Gloss: outcomeWords[table.RobotsOutcome(name)],
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
			Name: visible(name), Code: true, Gloss: classWords[table.AdoptionClass(name)],
			Cells: []cell{numberCell(n), shareCell(n, s.Sites), shareCell(s.Classes.Get(name, ClassRead), s.RobotsRead)},
		})
	}
	differs := s.Classes.Get(string(table.AdoptionCrawlDiffers), ClassSeen)
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
			if class != string(table.AdoptionNone) {
				cells = append(cells, numberCell(n))
			}
		}
		adopters := seen - get(slices.Index(classes, string(table.AdoptionNone)))
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
		if class != string(table.AdoptionNone) {
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
			plural(p.Pages, "page capture"), number(p.HTML), number(p.XML), number(f.Pages.Kept)),
		caveat("A page that several captures show counts as often. Pages that robots.txt denies to the crawler are not among them."),
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

func (f *Figures) statementSection() section {
	st := &f.Statements
	bySource := dataTable{Head: columns(append([]string{"Carrier", "Statements"}, statuses...)...), None: "No statement was kept."}
	for _, name := range st.BySource.Names() {
		vocabulary, source, _ := strings.Cut(name, " ")
		row := tableRow{Name: vocabulary + " in " + source, Code: true, Cells: []cell{numberCell(st.BySource.Row(name))}}
		for i := range statuses {
			row.Cells = append(row.Cells, numberCell(st.BySource.Get(name, i)))
		}
		bySource.Rows = append(bySource.Rows, row)
	}
	var meanings []string
	for _, status := range statuses {
		meanings = append(meanings, status+": "+statusWords[table.Status(status)])
	}
	var data []datum
	byUsage := dataTable{
		Head: []head{{Text: "Usage"}, seriesHead(senseSeries[0]), seriesHead(senseSeries[1]), numberHead("Statements")},
		None: "No ACAP statement decides anything.",
	}
	for _, name := range st.ByUsage.In(table.Usage("").Values()) {
		n := st.ByUsage.Row(name)
		if n == 0 {
			continue
		}
		allow, disallow := st.ByUsage.Get(name, SenseAllow), st.ByUsage.Get(name, SenseDisallow)
		data = append(data, datum{name, []int64{allow, disallow}, number(n)})
		byUsage.Rows = append(byUsage.Rows, tableRow{
			Name: visible(name), Code: true, Cells: []cell{numberCell(allow), numberCell(disallow), numberCell(n)},
		})
	}
	deciding := st.ByUsage.Column(SenseAllow) + st.ByUsage.Column(SenseDisallow)
	return section{ID: "statements", Title: "Statements", Figures: []figure{
		{
			ID: "usage", Caption: "ACAP statements by usage and sense", Table: byUsage,
			Chart: stackChart("usage", "ACAP statements by usage and sense", senseSeries, data, false),
			Notes: []note{
				counted("%s that decide (valid or repaired). The statements of one robots.txt body count once a site.", plural(deciding, "ACAP statement")),
				caveat("A few long files can make most of the statements: this is how much is written, not how many write it. A statement about present " +
					"also covers its ten forms."),
			},
		},
		{
			ID: "qualifiers", Caption: "Conditions that ACAP statements put on a permission",
			Chart: countChart("qualifiers", "Conditions that ACAP statements put on a permission", st.Qualifiers, shownQualifier, deciding),
			Table: countTable("Condition", "Statements", st.Qualifiers, shownQualifier, deciding),
			Notes: []note{
				counted("%s that decide. A statement may be in several lines.", plural(deciding, "ACAP statement")),
				caveat("What is written, not what is in force: a condition holds only where its permission decides. The condition of a definition counts at each statement that uses it."),
			},
		},
		{
			ID: "carriers", Caption: "Statements in table directives, by carrier and by how they were read", Table: bySource,
			Notes: []note{
				counted("%s in the table. %s.", plural(st.Total, "statement"), strings.Join(meanings, "; ")),
				caveat(directivesWords(f.Manifest)),
			},
		},
	}}
}

// directivesWords says which conventional statements the run kept.
func directivesWords(m *manifest.Manifest) string {
	if m.Options["directives"] == "all" {
		return "The run kept every conventional rule (--directives all)."
	}
	return "The run kept conventional rules only of sites with ACAP and of pages that have a row, so that the numbers of the two vocabularies cannot be compared."
}

func (f *Figures) permissionSection() section {
	site, pages := &f.Permissions[0], &f.Permissions[1]
	of := "every site with ACAP"
	ofPages := "every page capture that carries ACAP itself"
	switch f.Manifest.Options["permissions"] {
	case "all":
		of, ofPages = "every site seen, with or without ACAP", "every page capture that keeps a row"
	case "sites":
		ofPages = "none: the run left them out (--permissions sites)"
	}
	crossed := caveat("“Disallowed, as crawling is” are usages of which nothing else need be said: who may not crawl may do nothing (R-DEC-11).")
	out := section{
		ID: "permissions", Title: "Permissions",
		Intro: []string{fmt.Sprintf("What a crawler that no statement names (agent *) may do, for no purpose in particular; profile %s, other read as %s. "+
			"Table permissions has the agents and purposes that sites name; of %s of %s seen not all, since they or their pages name too many.",
			option(f.Manifest, "profile"), option(f.Manifest, "other"), number(f.Sites.Limits.PermissionsIncomplete), plural(f.Sites.Sites, "site"))},
		Figures: []figure{
			f.decisionFigure("sites", "Sites: decision about the root path, by usage", "Sites", site,
				counted("%s with such rows. The run made them for %s.", plural(site.Subjects, "site"), of), crossed,
				caveat("The root path stands for the home page. How much of the rest is allowed is the extent below.")),
			f.extentFigure(site, of),
			f.decisionFigure("page-captures", "Page captures: decision about the page, by usage", "Captures", pages,
				counted("%s with such rows, all of them fetched. The run made them for %s.", plural(pages.Subjects, "page capture"), ofPages),
				caveat(fmt.Sprintf("Pages that robots.txt denies were not fetched and are not here, so that crawling looks more permitted than on the sites. "+
					"For a crawler that cannot act on elements of a page, %s of these decisions are others (R-DEC-14).", number(pages.Elements)))),
			f.basisFigure(),
		},
	}
	return out
}

func option(m *manifest.Manifest, name string) string {
	if value := m.Options[name]; value != "" {
		return visible(value)
	}
	return "not stated"
}

func (f *Figures) decisionFigure(id, caption, what string, g *PermissionFigures, notes ...note) figure {
	t := dataTable{Head: []head{{Text: "Usage"}}, None: "The table has no such rows."}
	for _, s := range decisionSeries {
		t.Head = append(t.Head, seriesHead(s))
	}
	t.Head = append(t.Head, numberHead(what))
	var data []datum
	for _, name := range g.Usages.In(table.Usage("").Values()) {
		if g.Subjects == 0 {
			break
		}
		d := datum{label: name, values: make([]int64, decisionColumns)}
		row := tableRow{Name: visible(name), Code: true}
		for i := range d.values {
			d.values[i] = g.Usages.Get(name, i)
			row.Cells = append(row.Cells, numberCell(d.values[i]))
		}
		row.Cells = append(row.Cells, numberCell(g.Usages.Row(name)))
		t.Rows = append(t.Rows, row)
		data = append(data, d)
	}
	return figure{ID: id, Caption: caption, Table: t, Notes: notes, Chart: stackChart(id, caption, decisionSeries, data, true)}
}

func (f *Figures) extentFigure(g *PermissionFigures, of string) figure {
	t := dataTable{Head: []head{{Text: "Usage"}}, None: "The table has no such rows."}
	for _, s := range extentSeries {
		t.Head = append(t.Head, seriesHead(s))
	}
	var data []datum
	for _, name := range g.Extents.In(table.Usage("").Values()) {
		if g.Subjects == 0 {
			break
		}
		d := datum{label: name, values: make([]int64, len(extents))}
		row := tableRow{Name: visible(name), Code: true}
		for i := range d.values {
			d.values[i] = g.Extents.Get(name, i)
			row.Cells = append(row.Cells, numberCell(d.values[i]))
		}
		t.Rows = append(t.Rows, row)
		data = append(data, d)
	}
	const caption = "Sites: extent, how much of the site is allowed, by usage"
	return figure{ID: "extents", Caption: caption, Table: t, Chart: stackChart("extents", caption, extentSeries, data, true), Notes: []note{
		counted("%s with such rows; they are there for %s.", plural(g.Subjects, "site"), of),
		caveat("All the paths that robots.txt can tell apart, not the pages that the site has: “some” may be nearly all or nearly nothing. What pages themselves say is not in it."),
		caveat(fmt.Sprintf("“Unknown” are patterns too many to tell apart: %s of the table, for whichever crawler and purpose, on %s.",
			plural(f.Sites.Limits.ExtentsUnknown, "row"), plural(f.Sites.Limits.WithExtentUnknown, "site"))),
	}}
}

func (f *Figures) basisFigure() figure {
	t := dataTable{Head: columns("Basis", "Decisions about sites", "Share", "Decisions about pages", "Share"), None: "The table has no such rows."}
	total := [2]int64{}
	for scope := range f.Permissions {
		for column := range decisionColumns {
			total[scope] += f.Permissions[scope].Basis.Column(column)
		}
	}
	for _, name := range table.Basis("").Values() {
		n := [2]int64{f.Permissions[0].Basis.Row(name), f.Permissions[1].Basis.Row(name)}
		if n == [2]int64{} {
			continue
		}
		t.Rows = append(t.Rows, tableRow{Name: name, Code: true, Gloss: basisWords[table.Basis(name)], Cells: []cell{
			numberCell(n[0]), shareCell(n[0], total[0]), numberCell(n[1]), shareCell(n[1], total[1]),
		}})
	}
	return figure{ID: "basis", Caption: "What these decisions rest on", Table: t, Notes: []note{
		counted("%s about sites and %s about page captures: one a usage, sixteen of each.", plural(total[0], "decision"), number(total[1])),
		caveat("The two must not be added up: a decision about a page goes by robots.txt too."),
	}}
}

func (f *Figures) conflictSection() section {
	c := &f.Conflicts
	t := dataTable{
		Head: []head{{Text: "Kind"}, seriesHead(severitySeries[0]), seriesHead(severitySeries[1]), numberHead("Conflicts"), numberHead("Sites")},
		None: "No conflict was found.",
	}
	settled := dataTable{Head: append(columns(append([]string{"Kind"}, winners...)...), head{Text: "Settled by (rows)"}), None: "No conflict was found."}
	rules := map[string][]string{}
	for _, name := range c.Rules.By(0) {
		kind, rule, _ := strings.Cut(name, " ")
		switch n := len(rules[kind]); {
		case n < shownRules:
			rules[kind] = append(rules[kind], fmt.Sprintf("%s (%s)", visible(rule), number(c.Rules.Get(name, 0))))
		case n == shownRules:
			rules[kind] = append(rules[kind], "…")
		}
	}
	var data []datum
	var examples []exampleGroup
	for _, name := range c.Kinds.In(table.ConflictKind("").Values()) {
		n := c.Kinds.Row(name)
		if n == 0 {
			continue
		}
		d := datum{name, make([]int64, len(severities)), number(n)}
		row := tableRow{Name: visible(name), Code: true, Gloss: kindWords[table.ConflictKind(name)]}
		for i := range severities {
			d.values[i] = c.Kinds.Get(name, i)
			row.Cells = append(row.Cells, numberCell(d.values[i]))
		}
		row.Cells = append(row.Cells, numberCell(n), numberCell(f.Sites.WithConflict.Get(name, 0)))
		t.Rows = append(t.Rows, row)
		data = append(data, d)

		row = tableRow{Name: visible(name), Code: true}
		for i := range winners {
			row.Cells = append(row.Cells, numberCell(c.Winners.Get(name, i)))
		}
		row.Cells = append(row.Cells, textCell(strings.Join(rules[name], ", ")))
		settled.Rows = append(settled.Rows, row)
		examples = append(examples, f.examplesOf(table.ConflictKind(name), n))
	}
	return section{
		ID: "conflicts", Title: "Conflicts",
		Intro: []string{"Two statements, or two carriers, that say different things of one usage, crawler and resource. An override is a pair that the documents " +
			"foresee, such as an exception for a named crawler; a contradiction is one that they do not."},
		Figures: []figure{
			{
				ID: "kinds", Caption: "Conflicts by kind and severity", Table: t,
				Chart: stackChart("kinds", "Conflicts by kind and severity", severitySeries, data, false),
				Notes: []note{
					counted("%s on %s of %s seen%s.", plural(c.Total, "conflict"), number(f.Sites.AnyConflict), plural(f.Sites.Sites, "site"), f.eachCrawl()),
					caveat(fmt.Sprintf("One pair of statements may conflict for several crawlers, purposes and usages, a row each, and a page at each capture: compare sites rather "+
						"than conflicts. %s are approximate, on %s: the paths were too many to tell apart exactly.",
						number(c.Approximate), plural(f.Sites.Limits.ConflictsApproximate, "site"))),
					caveat(fmt.Sprintf("On %s of %s seen the search ended before all was compared: there may be more conflicts than rows.",
						number(f.Sites.Limits.ConflictsIncomplete), plural(f.Sites.Sites, "site"))),
				},
			},
			{
				ID: "settled", Caption: "Which side decides, and by which rule", Table: settled,
				Notes: []note{counted("%s.", plural(c.Total, "conflict")), caveat("For kind reading the rule is the one on which the two readings part. First and second side: as the examples have them.")},
			},
		},
		Examples: examples,
	}
}

func (f *Figures) examplesOf(kind table.ConflictKind, of int64) exampleGroup {
	group := exampleGroup{ID: "examples-" + string(kind), Kind: visible(string(kind)), Gloss: kindWords[kind], Of: plural(of, "conflict")}
	for _, e := range f.Conflicts.Examples[kind] {
		group.Examples = append(group.Examples, f.exampleOf(e))
	}
	return group
}

func (f *Figures) exampleOf(e Example) exampleView {
	r := &e.Row
	view := exampleView{Site: address{visible(r.Site), link(r.Site)}}
	add := func(name, text, link string) {
		view.Facts = append(view.Facts, fact{name, address{visible(text), link}})
	}
	if f.several() {
		add("Crawl", e.Crawl, "")
	}
	add("Usage", string(r.Usage), "")
	add("Crawler", r.Agent, "")
	if r.Purpose != nil {
		add("Purpose", *r.Purpose, "")
	}
	add("Severity", string(r.Severity), "")
	if r.ExampleURL != nil {
		add("At", *r.ExampleURL, link(*r.ExampleURL))
	}
	if r.URL != nil && (r.ExampleURL == nil || *r.URL != *r.ExampleURL) {
		add("Capture of", *r.URL, link(*r.URL))
	}
	if r.FetchTime != nil {
		add("Captured", r.FetchTime.UTC().Format("2006-01-02 15:04:05 UTC"), "")
	}
	verbatim := f.Manifest.Options["no-verbatim"] != "true"
	first := sideOf("First side", r.FirstID, r.FirstSource, r.FirstLine, r.FirstOffset, r.FirstRaw, r.FirstSense, r.FirstDecision, verbatim)
	second := sideOf("Second side", r.SecondID, r.SecondSource, r.SecondLine, r.SecondOffset, r.SecondRaw, r.SecondSense, r.SecondDecision, verbatim)
	if r.Reading != nil {
		first.Title, second.Title = "The reading of the run", "Reading "+string(*r.Reading)
	}
	view.Outcome = fmt.Sprintf("Neither side decides by itself: %s.", visible(r.Rule))
	switch r.Winner {
	case table.WinnerFirst:
		first.Wins = true
		view.Outcome = fmt.Sprintf("%s decides, by %s.", first.Title, visible(r.Rule))
	case table.WinnerSecond:
		second.Wins = true
		view.Outcome = fmt.Sprintf("%s decides, by %s.", second.Title, visible(r.Rule))
	}
	if r.Approximate {
		view.Outcome += " Approximate: there may be a shorter example."
	}
	view.Sides = []sideView{first, second}
	return view
}

func sideOf(title string, id *string, source *table.Source, line *int32, offset *int64, raw *string, sense *table.Sense,
	decision *table.Decision, verbatim bool) sideView {
	side := sideView{Title: title}
	switch {
	case source != nil && line != nil:
		side.Place = fmt.Sprintf("%s, line %d", *source, *line)
	case source != nil && offset != nil && *source == table.SourceHTTPHeader:
		side.Place = fmt.Sprintf("%s, field %d", *source, *offset+1)
	case source != nil && offset != nil:
		side.Place = fmt.Sprintf("%s, byte %s", *source, number(*offset))
	case source != nil:
		side.Place = string(*source)
	}
	switch {
	case raw != nil && *raw != "":
		side.Text = visible(*raw)
	case id == nil:
		side.Absent = "silent, or a default"
	case !verbatim:
		side.Absent = "text left out (--no-verbatim)"
	default:
		side.Absent = "no text"
	}
	switch {
	case decision != nil:
		side.Says = string(*decision)
	case sense != nil:
		side.Says = string(*sense)
	}
	return side
}

func (f *Figures) defectSection() section {
	d := f.Defects
	t := dataTable{
		Head: columns("Code", "robots.txt captures", "Pages kept", "Statements", "In archives"), None: "No defect was found.",
	}
	codes := d.By(DefectRobots, DefectPage, DefectStatement, DefectArchive)
	for _, name := range first(codes, shownDefects) {
		row := tableRow{Name: visible(name), Code: true}
		for _, column := range []int{DefectRobots, DefectPage, DefectStatement, DefectArchive} {
			n := d.Get(name, column)
			c := numberCell(n)
			if n == 0 {
				c.Text = "–"
			}
			row.Cells = append(row.Cells, c)
		}
		t.Rows = append(t.Rows, row)
	}
	t.addRest(d, after(codes, shownDefects), DefectRobots, DefectPage, DefectStatement, DefectArchive)
	return section{ID: "defects", Title: "Defects", Figures: []figure{{
		ID: "codes", Caption: "What was wrong or was read leniently, by code", Table: t,
		Notes: []note{
			counted("%s of robots.txt, %s that keep a row, %s; of the archives, how often (%s were read).", plural(f.Robots.Captures, "capture"),
				plural(f.Pages.Kept, "page"), plural(f.Statements.Total, "statement"), plural(f.Inputs.Records, "record")),
			caveat("A defect of a statement also counts for its file or page: the columns must not be added up. Pages without a row were not looked through for all of them."),
		},
	}}}
}

func (f *Figures) runSection() section {
	m := f.Manifest
	about := dataTable{Head: []head{{Text: ""}, {Text: ""}}}
	add := func(name, value string) {
		about.Rows = append(about.Rows, tableRow{Name: name, Cells: []cell{codeCell(visible(value))}})
	}
	add("Program", fmt.Sprintf("%s %s (commit %s)", m.Program.Name, m.Program.Version, m.Program.Commit))
	add("Rules, version", m.RulesVersion)
	add("Tables, schema version", fmt.Sprint(m.SchemaVersion))
	add("Public suffix list", m.PublicSuffixVersion)
	add("Run", m.Started.UTC().Format("2006-01-02 15:04:05")+" to "+m.Ended.UTC().Format("2006-01-02 15:04:05")+" UTC")
	names := make([]string, 0, len(m.Options))
	for name := range m.Options {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value := m.Options[name]
		if value == "" {
			value = "none"
		}
		add("Option "+visible(name), value)
	}
	add("Hash of the options", m.OptionsHash)
	tables := dataTable{Head: columns("Table", "Rows", "Files", "Size")}
	for _, d := range table.All() {
		c := m.Tables[d.Name]
		tables.Rows = append(tables.Rows, tableRow{
			Name: string(d.Name), Code: true, Gloss: "one row for " + d.Row,
			Cells: []cell{numberCell(c.Rows), numberCell(c.Files), {Text: bytesOf(c.Bytes), Number: true}},
		})
	}
	var whole []note
	if f.Crawl != "" {
		whole = []note{caveat("All crawls of the run, also those that this report leaves out.")}
	}
	return section{ID: "run", Title: "The run", Figures: []figure{
		{ID: "program", Layout: layoutHalf, Caption: "Program and options", Table: about, Notes: []note{
			{"Source", "_manifest.json beside the tables, which also has the size and SHA-256 of each input and of each part file."},
		}},
		{ID: "tables", Layout: layoutHalf, Caption: "Tables", Table: tables, Notes: whole},
	}}
}

// countChart draws the largest counts of a grid's first column.
func countChart(id, title string, g *Grid, shown int, total int64) *chart {
	return barChart(id, title, countData(g, shown, total), 0)
}

// countData are the largest counts of a grid's first column, each with its share.
func countData(g *Grid, shown int, total int64) []datum {
	var data []datum
	for _, name := range first(g.By(0), shown) {
		n := g.Get(name, 0)
		data = append(data, datum{visible(name), []int64{n}, withShare(n, total)})
	}
	return data
}

// countTable lists the largest counts of a grid's first column with their share; the others stand in a last row together.
func countTable(what, of string, g *Grid, shown int, total int64) dataTable {
	t := dataTable{Head: columns(what, of, "Share"), None: "None was seen."}
	names := g.By(0)
	for _, name := range first(names, shown) {
		n := g.Get(name, 0)
		t.Rows = append(t.Rows, tableRow{Name: visible(name), Code: true, Cells: []cell{numberCell(n), shareCell(n, total)}})
	}
	hidden := after(names, shown)
	if rest := beyond(g, hidden, 0); rest > 0 {
		// Without a share: one site, or one file, may have several of them.
		row := named(more(g, len(hidden)) + " more, together")
		row.Cells = []cell{numberCell(rest), {Text: "–", Number: true}}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// addRest adds a last row for the names of a grid that are not shown.
func (t *dataTable) addRest(g *Grid, hidden []string, columns ...int) {
	if len(hidden) == 0 && !g.Full() {
		return
	}
	row := named(more(g, len(hidden)) + " more, together")
	for _, column := range columns {
		row.Cells = append(row.Cells, numberCell(beyond(g, hidden, column)))
	}
	t.Rows = append(t.Rows, row)
}

// beyond counts what is not shown: hidden names, and those that the grid did not keep.
func beyond(g *Grid, hidden []string, column int) int64 {
	n := g.Rest(column)
	for _, name := range hidden {
		n += g.Get(name, column)
	}
	return n
}

func more(g *Grid, n int) string {
	if g.Full() {
		return "over " + number(int64(n))
	}
	return number(int64(n))
}

func first(names []string, n int) []string { return names[:min(n, len(names))] }

func after(names []string, n int) []string { return names[min(n, len(names)):] }
