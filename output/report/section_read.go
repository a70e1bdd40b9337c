package report

import (
	"strings"

	"github.com/acapscan/acapscan/output/report/numbers"
)

func (f *Report) readSection() section {
	in := &f.Inputs
	captures := in.Status.Captures
	files := figure{
		ID: "files", Caption: "Files and records", Half: true, Table: dataTable{Head: columns("", "Number", "Share")},
		Notes: []note{counted("input files, or records of any type.")},
	}
	files.addParts("Input files", in.Inputs, []count{
		{"with an error", in.WithError}, {"not read to the end", in.Incomplete},
	})
	var types []count
	for _, c := range in.ByType {
		types = append(types, count{"of type " + c.Name, c.N})
	}
	files.addParts("Records", in.Records, types)
	http := figure{
		ID: "captures", Caption: "HTTP captures", Half: true, Table: dataTable{Head: columns("", "Number", "Share")},
		Notes: []note{counted("HTTP captures: responses, resources and revisits. A capture may be in several lines.")},
	}
	http.addParts("HTTP captures", captures, []count{
		{"of /robots.txt", in.Robots}, {"of other files that a policy may point to", in.PolicyFiles},
		{"read as HTML", in.HTML}, {"read as XML", in.XML}, {"pages that keep a row", in.PagesKept},
		{"with a cut payload", in.Truncated},
	})
	status := figure{
		ID: "status", Caption: "HTTP captures by class of status",
		Table: dataTable{Head: columns("Status", "Captures", "Share"), None: "No capture was read."},
		Notes: []note{
			counted("%s, of robots.txt, pages and everything else, revisits included.",
				plural(captures, "HTTP capture")),
			caveat("Many archives keep failures and redirects in files of their own (subset crawldiagnostics). " +
				"Without those files nearly all captures are 2xx."),
		},
	}
	for _, c := range []count{
		{"2xx", in.Status.Captures2xx}, {"3xx", in.Status.Captures3xx}, {"4xx", in.Status.Captures4xx},
		{"5xx", in.Status.Captures5xx}, {"other", in.Status.CapturesOther}, {"none readable", in.Status.CapturesNone},
	} {
		if captures > 0 {
			status.addCount(named(c.Name), c.N, captures)
		}
	}
	out := section{ID: "read", Title: "What was read", Figures: []figure{files, http, status}}
	if in.Inputs > 0 {
		out.Figures = append(out.Figures, f.placeFigure())
	}
	if in.Skipped.Len() > 0 {
		skipped := countFigure("skipped", "Records that were not read further, by reason", "Reason", "Records",
			in.Skipped, shownReasons, in.Records, counted("%s of any type.", plural(in.Records, "record")))
		skipped.bars.Rows = nil // the table is enough
		out.Figures = append(out.Figures, skipped)
	}
	problems := figure{
		ID: "errors", Caption: "Inputs that could not be read, or not whole",
		Table: dataTable{
			Head: []head{{Text: "Input"}, {Text: "Read to its end"}, {Text: "What could not be read"}},
			None: "Every input could be read whole.",
		},
		Notes: []note{counted("%s; %s with an error, of which the first %d of table inputs are shown.",
			plural(in.Inputs, "input"), number(in.WithError), numbers.MaxErrors)},
	}
	for _, e := range in.Errors {
		complete := "no"
		if e.Complete {
			complete = "yes"
		}
		problems.add(coded(e.Name, textCell(complete), textCell(visible(e.Error))))
	}
	out.Figures = append(out.Figures, problems)
	return out
}

// addParts adds a row for a total, and one for each part of it.
func (f *figure) addParts(name string, total int64, parts []count) {
	f.add(named(name, numberCell(total), cell{Number: true}))
	for _, c := range parts {
		f.add(tableRow{Name: c.Name, Part: true, Cells: []cell{numberCell(c.N), shareCell(c.N, total)}})
	}
}

func (f *Report) placeFigure() figure {
	places := f.Inputs.Places
	fig := figure{
		ID: "places", Caption: "Inputs by crawl and subset",
		Table: dataTable{
			Head: columns("Crawl and subset", "Files", "with error", "Records", "Captures", "robots.txt", "Pages kept"),
		},
		Notes: []note{
			counted("%s; each line is about the inputs of that crawl and subset alone.",
				plural(f.Inputs.Inputs, "input")),
			caveat("If neither path nor warcinfo names them, the crawl is local and the subset warc."),
		},
	}
	names := places.Names()
	for _, name := range first(names, shownPlaces) {
		row := coded("", numberCells(places.Values(name)...)...)
		crawl, subset, _ := strings.Cut(name, numbers.PlaceSeparator)
		row.Name = visible(crawl) + " / " + visible(subset)
		fig.add(row)
	}
	fig.addRest(places, after(names, shownPlaces))
	return fig
}

func (f *Report) defectFigure() figure {
	fig := figure{
		ID: "codes", Caption: "Errors, and texts that were read leniently, by code",
		Table: dataTable{
			Head: columns("Code", "robots.txt captures", "Pages kept", "Statements", "In archives"),
			None: "No defect was found.",
		},
		Notes: []note{
			counted("%s of robots.txt, %s that keep a row, %s; of the archives, how often (%s were read).",
				plural(f.Robots.Captures, "capture"), plural(f.Pages.Kept, "page"),
				plural(f.Statements.Total, "statement"),
				plural(f.Inputs.Records, "record")),
			caveat("A defect of a statement also counts for its file or page: do not add the columns. Pages without " +
				"a row were not checked for all defects."),
		},
	}
	codes := f.Defects.By()
	for _, name := range first(codes, shownDefects) {
		fig.add(coded(name, dashed(numberCells(f.Defects.Values(name)...))...))
	}
	fig.addRest(f.Defects, after(codes, shownDefects))
	return fig
}

// A count is a number of things of one name.
type count struct {
	Name string
	N    int64
}
