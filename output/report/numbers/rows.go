package numbers

import (
	"time"

	"github.com/acapscan/acapscan/output/table"
)

// What the report reads of each row: a column that is not named here is not decoded. Names and types are those of the
// row structs in output/table, and a test holds them to it.

type robotsRow struct {
	FetchTime   *time.Time          `parquet:"fetch_time,optional,timestamp(millisecond)"`
	Outcome     table.RobotsOutcome `parquet:"robots_outcome,dict"`
	Selected    bool                `parquet:"selected"`
	OtherFields table.Counts        `parquet:"other_fields"`
	Defects     []string            `parquet:"defects,list,dict"`
}

type pageRow struct {
	FetchTime *time.Time `parquet:"fetch_time,optional,timestamp(millisecond)"`
	Path      *string    `parquet:"url_path,optional,plain"`
	Query     *string    `parquet:"url_query,optional,plain"`
	ACAPMeta  int64      `parquet:"acap_meta"`
	Defects   []string   `parquet:"defects,list,dict"`
}

// insteadOfRobots tells whether the page came in the place of a robots.txt (R-LEX-7).
func (r *pageRow) insteadOfRobots() bool {
	return r.Path != nil && *r.Path == "/robots.txt" && r.Query == nil
}

type directiveRow struct {
	Source     table.Source      `parquet:"source,dict"`
	Vocabulary table.Vocabulary  `parquet:"vocabulary,dict"`
	Sense      *table.Sense      `parquet:"sense,optional,dict"`
	Usage      *table.Usage      `parquet:"usage,optional,dict"`
	Qualifiers []table.Qualifier `parquet:"qualifiers,list"`
	Status     table.Status      `parquet:"status,dict"`
	Defects    []string          `parquet:"defects,list,dict"`
}

type siteRow struct {
	Host               string              `parquet:"surt_host_name,plain"`
	RobotsVocabularies table.Counts        `parquet:"robots_vocabularies"`
	PagesVocabularies  table.Counts        `parquet:"pages_vocabularies"`
	HostTLD            *string             `parquet:"url_host_tld,optional,dict"`
	Class              table.AdoptionClass `parquet:"adoption_class,dict"`
	ClassExact         bool                `parquet:"adoption_class_exact"`
	ACAPVersions       []string            `parquet:"acap_versions,list,dict"`
	Features           []string            `parquet:"features,list,dict"`
	ACAPFingerprint    *string             `parquet:"acap_fingerprint,optional,plain"`
	Outcome            table.RobotsOutcome `parquet:"robots_outcome,dict"`
	OtherSite          *string             `parquet:"other_scheme_site,optional,plain"`
	REPSameForAll      *bool               `parquet:"acap_rep_same_for_all,optional"`
	REPRules           *int64              `parquet:"rep_rules,optional"`
	Pages              int64               `parquet:"pages"`
	PagesHTML          int64               `parquet:"pages_html"`
	PagesXML           int64               `parquet:"pages_xml"`
	PagesPartial       int64               `parquet:"pages_partial"`
	PagesACAPMeta      int64               `parquet:"pages_acap_meta"`
	PagesACAPClass     int64               `parquet:"pages_acap_class"`
	PagesPI            int64               `parquet:"pages_pi"`
	PagesXRobotsTag    int64               `parquet:"pages_x_robots_tag"`
	PagesConvention    int64               `parquet:"pages_conventional_meta"`
	ConflictsPerKind   table.Counts        `parquet:"conflicts"`
	ConflictsWhole     bool                `parquet:"conflicts_complete"`
	ConflictsApprox    int64               `parquet:"conflicts_approximate"`
	PermissionsWhole   bool                `parquet:"permissions_complete"`
	ExtentsUnknown     int64               `parquet:"extents_unknown"`
}

type agentRow struct {
	Site        string       `parquet:"site,plain"`
	Host        string       `parquet:"surt_host_name,plain"`
	HostTLD     *string      `parquet:"url_host_tld,optional,dict"`
	Agent       string       `parquet:"agent,dict"`
	NamedIn     []string     `parquet:"named_in,list,dict"`
	CrawlExtent table.Extent `parquet:"crawl_extent,dict"`
	Complete    bool         `parquet:"agents_complete"`
}

type permissionRow struct {
	Scope           table.Scope     `parquet:"scope,dict"`
	Site            string          `parquet:"site,plain"`
	Agent           string          `parquet:"agent,dict"`
	Purpose         *string         `parquet:"purpose,optional,dict"`
	Usage           table.Usage     `parquet:"usage,dict"`
	Extent          *table.Extent   `parquet:"extent,optional,dict"`
	Decision        table.Decision  `parquet:"decision,dict"`
	WithoutElements *table.Decision `parquet:"decision_without_elements,optional,dict"`
	Basis           table.Basis     `parquet:"basis,dict"`
}

type conflictRow struct {
	Site           string             `parquet:"site,plain"`
	URL            *string            `parquet:"url,optional,plain"`
	FetchTime      *time.Time         `parquet:"fetch_time,optional,timestamp(millisecond)"`
	Kind           table.ConflictKind `parquet:"kind,dict"`
	Severity       table.Severity     `parquet:"severity,dict"`
	Agent          string             `parquet:"agent,dict"`
	Purpose        *string            `parquet:"purpose,optional,dict"`
	Usage          table.Usage        `parquet:"usage,dict"`
	ExampleURL     *string            `parquet:"example_url,optional,plain"`
	FirstID        *string            `parquet:"first_id,optional,plain"`
	FirstSource    *table.Source      `parquet:"first_source,optional,dict"`
	FirstLine      *int32             `parquet:"first_line,optional"`
	FirstOffset    *int64             `parquet:"first_byte_offset,optional"`
	FirstRaw       *string            `parquet:"first_raw,optional,plain"`
	FirstSense     *table.Sense       `parquet:"first_sense,optional,dict"`
	FirstDecision  *table.Decision    `parquet:"first_decision,optional,dict"`
	SecondID       *string            `parquet:"second_id,optional,plain"`
	SecondSource   *table.Source      `parquet:"second_source,optional,dict"`
	SecondLine     *int32             `parquet:"second_line,optional"`
	SecondOffset   *int64             `parquet:"second_byte_offset,optional"`
	SecondRaw      *string            `parquet:"second_raw,optional,plain"`
	SecondSense    *table.Sense       `parquet:"second_sense,optional,dict"`
	SecondDecision *table.Decision    `parquet:"second_decision,optional,dict"`
	Reading        *table.Reading     `parquet:"reading,optional,dict"`
	Winner         table.Winner       `parquet:"winner,dict"`
	Rule           string             `parquet:"rule,dict"`
	Approximate    bool               `parquet:"approximate"`
}
