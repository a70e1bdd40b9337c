package report

import (
	"strings"
)

func (f *Figures) readSection() section {
	in := &f.Inputs
	captures := in.Status.Captures
	files := dataTable{Head: columns("", "Number", "Share")}
	files.addTotal("Input files", in.Inputs)
	files.addPart("with an error", in.WithError, in.Inputs)
	files.addPart("not read to the end", in.Incomplete, in.Inputs)
	files.addTotal("Records", in.Records)
	for _, c := range in.ByType {
		files.addPart("of type "+c.Name, c.N, in.Records)
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
	for _, c := range []Count{
		{"2xx", in.Status.Captures2xx}, {"3xx", in.Status.Captures3xx}, {"4xx", in.Status.Captures4xx},
		{"5xx", in.Status.Captures5xx}, {"other", in.Status.CapturesOther}, {"none readable", in.Status.CapturesNone},
	} {
		if captures == 0 {
			break
		}
		byStatus = append(byStatus, datum{c.Name, []int64{c.N}, withShare(c.N, captures)})
		row := named(c.Name)
		row.Cells = []cell{numberCell(c.N), shareCell(c.N, captures)}
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
