package table

import (
	"reflect"
	"slices"
)

// A Name is the name of a table: of its folder, its schema file and its view.
type Name string

const (
	Inputs      Name = "inputs"
	RobotsTxt   Name = "robots"
	Pages       Name = "pages"
	Directives  Name = "directives"
	Adoptions   Name = "adoption"
	Agents      Name = "agents"
	Permissions Name = "permissions"
	Conflicts   Name = "conflicts"
)

// A Definition describes a table as a whole. Its columns come from its row struct.
type Definition struct {
	Name Name
	Row  string // what has a row, after "One row for"
	// Doc is what a reader needs to know beyond the columns: which rows are there, and how to join them.
	Doc string
	// PerSubset tells that the table has the partition column subset. The others join across subsets and have only
	// crawl.
	PerSubset bool
	// Key lists the columns that tell one row from every other within a crawl.
	Key []string
	// SortedBy lists the columns that the rows of a file are ordered by: what Compare looks at first, nulls first.
	SortedBy []string

	row reflect.Type
	// thenBy are further columns of the order, which make it total.
	thenBy []string
}

// Order returns the columns that Compare looks at, one after the other; - before a column is descending. Rows with the
// same value in the column group come together, and nearly in order.
func (d Definition) Order() (group string, columns []string) {
	for _, name := range slices.Concat(d.SortedBy, d.thenBy) {
		if name == "scope" { // the word site sorts after page; rows about the site belong first
			name = "-scope"
		}
		columns = append(columns, name)
		// Records that share a compressed member have one offset.
		if name == "warc_record_offset" {
			columns = append(columns, "url", "content_digest")
		}
	}
	if d.Name != Inputs {
		group = "site"
	}
	return group, columns
}

// Partitions lists the partition columns. They stand in the names of folders and not in the files.
func (d Definition) Partitions() []string {
	if d.PerSubset {
		return []string{"crawl", "subset"}
	}
	return []string{"crawl"}
}

// Columns lists the columns in the order of the files.
func (d Definition) Columns() []Column { return columnsOf(d.row) }

// All lists the eight tables in their documented order.
func All() []Definition {
	return []Definition{
		{
			Name: Inputs, row: reflect.TypeFor[Input](), PerSubset: true,
			Row: "an input file",
			Doc: "What was read, and what was wrong with it. An input that could not be read at all has a row " +
				"too, with its error.",
			Key:      []string{"warc_filename"},
			SortedBy: []string{"warc_filename"},
		},
		{
			Name: RobotsTxt, row: reflect.TypeFor[Robots](), PerSubset: true,
			Row:      "a capture of /robots.txt, failures and redirects included",
			Doc:      "`selected` marks the capture that decides in rows about the site.",
			Key:      []string{"warc_filename", "warc_record_offset"},
			SortedBy: []string{"url_surtkey", "fetch_time", "warc_filename", "warc_record_offset"},
		},
		{
			Name: Pages, row: reflect.TypeFor[Page](), PerSubset: true,
			Row: "a captured page",
			Doc: "By default these are the pages with ACAP, a robots processing instruction, an X-Robots-Tag or a " +
				"restrictive conventional META, and pages with any directive in the place of a robots.txt (R-LEX-7). " +
				"All other pages are counted in `adoption`, which has the denominators.",
			Key:      []string{"warc_filename", "warc_record_offset"},
			SortedBy: []string{"url_surtkey", "fetch_time", "warc_filename", "warc_record_offset"},
		},
		{
			Name: Directives, row: reflect.TypeFor[Directive](), PerSubset: true,
			Row: "a statement, or a field that is only recorded",
			Doc: "The key is that of the capture which carries the statement. By default all of ACAP and of AI " +
				"preferences is here, and the conventional rules of sites with ACAP, of pages that have a row, and " +
				"of conflicts. The statements of a robots.txt body stand once a site, under the first capture that " +
				"has it; later ones share its `body_digest` in `robots`. So do those of a file that a " +
				"permissions-reference leads to.",
			Key: []string{"statement_id"},
			SortedBy: []string{"url_surtkey", "fetch_time", "warc_filename", "warc_record_offset", "source", "line",
				"byte_offset", "part"},
			thenBy: []string{"statement_id"},
		},
		{
			Name: Adoptions, row: reflect.TypeFor[Adoption](),
			Row:      "a site that was seen, with or without a robots.txt",
			Doc:      "Every share has its denominator here: sites without ACAP have a row, of class `none`.",
			Key:      []string{"site"},
			SortedBy: []string{"surt_host_name", "site"},
		},
		{
			Name: Agents, row: reflect.TypeFor[Agent](),
			Row: "a site with a robots.txt, and a crawler",
			Doc: "Which crawlers sites shut out, for every site whose `robots_outcome` is `rules` or `no-rules`. " +
				"Each has a row for `*`, for every crawler that its robots.txt names, and for those of `--agents`. " +
				"So the rows of `*` are the denominator of every share; a site without a row for a crawler treats it " +
				"as `*`. Rows are about the usage `crawl` without a purpose; `permissions` has all usages of sites " +
				"with ACAP, for the same crawlers.",
			Key:      []string{"site", "agent"},
			SortedBy: []string{"surt_host_name", "site", "agent"},
		},
		{
			Name: Permissions, row: reflect.TypeFor[Permission](),
			Row: "a site or a page, an agent, a purpose or none, and a usage",
			Doc: "Rows of scope `site` are about the root path and, with `extent`, about all paths; the columns of a " +
				"capture are null there. Rows of scope `page` are about one capture, at its time, and for the " +
				"crawlers and purposes that the page or the robots.txt in force for it names. Never sum over both " +
				"scopes. At most 256 crawlers (those named in ACAP first) and 64 purposes have rows, fewer if the " +
				"file is large or the pages are very many; * and the crawlers of --agents always have rows. " +
				"`--permissions` chooses sites and pages: by default those with ACAP; `acap-sites` leaves out the " +
				"pages; `all-sites` is every site and no page; `all` is every site and every page in `pages`. By " +
				"default sites and pages that state an AI preference have rows about it, too: of a page without " +
				"ACAP for *, for the crawlers that the page names, and for those of --agents.",
			Key: []string{"scope", "site", "warc_filename", "warc_record_offset", "agent", "purpose", "usage"},
			SortedBy: []string{"surt_host_name", "site", "scope", "url_surtkey", "fetch_time", "warc_filename",
				"warc_record_offset", "agent", "purpose", "usage"},
		},
		{
			Name: Conflicts, row: reflect.TypeFor[Conflict](),
			Row: "a conflict",
			Doc: "Two statements, or two carriers, that say different things of one usage, agent and resource. The " +
				"columns of a capture are null where no page is part of the conflict.",
			Key: []string{"site", "warc_filename", "warc_record_offset", "kind", "agent", "purpose", "usage",
				"first_id", "second_id", "rule", "example_url"},
			SortedBy: []string{"surt_host_name", "site", "url_surtkey", "fetch_time", "warc_filename",
				"warc_record_offset", "kind", "agent", "purpose", "usage"},
			thenBy: []string{"first_id", "second_id", "rule", "example_url"},
		},
	}
}

// Lookup returns the definition of a table. It reports false for a name that is none of the eight.
func Lookup(name Name) (Definition, bool) {
	all := All()
	i := slices.IndexFunc(all, func(d Definition) bool { return d.Name == name })
	if i < 0 {
		return Definition{}, false
	}
	return all[i], true
}
