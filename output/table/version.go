package table

// SchemaVersion is the version of the eight tables: it rises with every change of a column's name, type or meaning. It
// stands in the footer of every file, in the manifest and in the schema files.
const SchemaVersion = 4

// A VersionNote says in a line what a SchemaVersion changed.
type VersionNote struct {
	Version int
	Change  string
}

// History lists every SchemaVersion, the first one first.
func History() []VersionNote {
	return []VersionNote{
		{1, "The first: inputs, robots, pages, directives, adoption, permissions, conflicts."},
		{2, "permissions also has rows for crawlers that a site or page names only conventionally, and its " +
			"other_reading may be level. pages and adoption count METAs that stand in the body. The kinds of " +
			"conflicts pi-header, meta-meta, purpose-general, purpose-tie and element-tie are new; page-robots " +
			"compares conditions, too."},
		{3, "The table agents is new: who may crawl which site, for every site with a robots.txt."},
		{4, "AI preferences: directives has them of every site, and its column managed_by is new; further " +
			"vocabularies, usages, bases and conflicts, the decision unstated, the column family of permissions, and " +
			"the columns robots_vocabularies and pages_vocabularies of adoption."},
	}
}
