package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/report/chart"
	"github.com/acapscan/acapscan/output/report/numbers"
	"github.com/acapscan/acapscan/output/table"
)

func (f *Report) conflictSection() section {
	c := &f.Conflicts
	const none = "No conflict was found."
	kinds := figure{
		ID: "kinds", Caption: "Sites with a conflict, by kind", Headline: f.conflictSentence(),
		Table: dataTable{Head: columns("Kind", "Sites", "of sites seen", "with a contradiction", "with overrides alone",
			"Conflicts"), None: none},
		Notes: []note{
			counted("%s seen%s. %s have a conflict of any kind.", plural(f.Sites.Sites, "site"), f.eachCrawl(),
				number(f.Sites.AnyConflict)),
			caveat("An override is a conflict that the specifications foresee: one side is an exception to the " +
				"other. Kind reading compares two interpretations of the specifications and not two statements."),
			caveat("One pair of statements may conflict for several crawlers, purposes and usages, a row each, and "+
				"a page at each capture: compare sites rather than conflicts. %s are approximate, on %s: there were "+
				"too many paths to distinguish them exactly.", number(c.Approximate),
				plural(f.Sites.Limits.ConflictsApproximate,
					"site")),
			caveatOf(f.Sites.Limits.ConflictsIncomplete,
				"On %s of %s seen the search ended early: there may be more conflicts than rows.",
				number(f.Sites.Limits.ConflictsIncomplete), plural(f.Sites.Sites, "site")),
		},
		bars: chart.Bars{Panels: []chart.Panel{{Series: []chart.Series{
			{Label: "with a contradiction", Fill: chart.Solid}, {Label: "with overrides alone", Fill: chart.Hatch}}}}},
	}
	settled := figure{
		ID: "settled", Caption: "Which side decides, and by which rule",
		Table: dataTable{
			Head: append(columns(append([]string{"Kind"}, numbers.Winners...)...), head{Text: "Settled by (rows)"}),
			None: none,
		},
		Notes: []note{
			counted("%s.", plural(c.Total, "conflict")),
			caveat("For kind reading, the rule on which the two interpretations differ. First and second side: as " +
				"in the examples."),
		},
	}
	rules := map[string][]string{}
	for _, name := range c.Rules.By() {
		kind, rule, _ := strings.Cut(name, " ")
		switch n := len(rules[kind]); {
		case n < shownRules:
			rules[kind] = append(rules[kind], fmt.Sprintf("%s (%s)", visible(rule), number(c.Rules.Get(name, 0))))
		case n == shownRules:
			rules[kind] = append(rules[kind], "…")
		}
	}
	var examples []exampleGroup
	order := c.Kinds.In(terms.Names[terms.ConflictKind]())
	slices.SortStableFunc(order, func(a, b string) int {
		if reading := terms.ConflictReading.String(); (a == reading) != (b == reading) { // it is of another sort: last
			return map[bool]int{true: 1, false: -1}[a == reading]
		}
		return cmp.Compare(c.Sites.Row(b), c.Sites.Row(a))
	})
	for _, name := range order {
		n := c.Kinds.Row(name)
		if n == 0 {
			continue
		}
		of := c.Sites.Row(name)
		cells := append([]cell{numberCell(of), shareCell(of, f.Sites.Sites)}, numberCells(c.Sites.Values(name)...)...)
		kinds.add(explained[terms.ConflictKind](name, append(cells, numberCell(n))...))
		kinds.draw(visible(name), chart.Cell{Values: c.Sites.Values(name), Text: withShare(of, f.Sites.Sites)})
		settled.add(coded(name, append(numberCells(c.Winners.Values(name)...), textCell(strings.Join(rules[name],
			", ")))...))
		group := exampleGroup{
			ID: "examples-" + name, Kind: visible(name), Gloss: phrase[terms.ConflictKind](name), Of: plural(n,
				"conflict"),
		}
		for _, e := range c.Examples[table.ConflictKind(name)] {
			group.Examples = append(group.Examples, f.exampleOf(e))
		}
		examples = append(examples, group)
	}
	return section{ID: "conflicts", Title: "Where statements contradict each other", Figures: []figure{kinds, settled},
		Examples: examples}
}

// conflictSentence says how many sites contradict themselves, and in what most often.
func (f *Report) conflictSentence() string {
	c := &f.Conflicts
	if c.Contradicting == 0 && c.Overriding == 0 {
		return fmt.Sprintf("No statement contradicts another on any of %s.", sites(f.Sites.Sites, "seen"))
	}
	text := fmt.Sprintf("On %s, statements contradict each other", amongSites(c.Contradicting, f.Sites.Sites, "seen"))
	var kinds []string
	most := int64(1)
	for _, name := range c.Sites.Names() {
		switch n := c.Sites.Get(name, 0); {
		case name == terms.ConflictReading.String() || n < most:
		case n > most:
			kinds, most = []string{visible(name)}, n
		default:
			kinds = append(kinds, visible(name))
		}
	}
	switch len(kinds) {
	case 0:
	case 1:
		text += fmt.Sprintf(", most often in kind %s (%s)", kinds[0], plural(most, "site"))
	default:
		text += fmt.Sprintf(", most often in kinds %s (%s each)", strings.Join(kinds, ", "), plural(most, "site"))
	}
	if c.Overriding > 0 {
		text += fmt.Sprintf("; on %s more, one statement is an exception to the other", number(c.Overriding))
	}
	return text + "."
}

func (f *Report) exampleOf(e numbers.Example) exampleView {
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
	first := sideOf("First side", r.FirstID, r.FirstSource, r.FirstLine, r.FirstOffset, r.FirstRaw, r.FirstSense,
		r.FirstDecision, verbatim)
	second := sideOf("Second side", r.SecondID, r.SecondSource, r.SecondLine, r.SecondOffset, r.SecondRaw,
		r.SecondSense,
		r.SecondDecision, verbatim)
	if r.Reading != nil {
		first.Title, second.Title = "The interpretation of the run", "Interpretation "+string(*r.Reading)
	}
	view.Outcome = fmt.Sprintf("Neither side decides: %s.", visible(r.Rule))
	switch r.Winner {
	case table.WordOf(terms.WinnerFirst):
		first.Wins = true
		view.Outcome = fmt.Sprintf("%s decides, by %s.", first.Title, visible(r.Rule))
	case table.WordOf(terms.WinnerSecond):
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
	case source != nil && offset != nil && source.Is(terms.SourceHTTPHeader):
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
