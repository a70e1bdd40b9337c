package policy

import "slices"

// A Finding is a defect of a document that belongs to none of its statements.
type Finding struct {
	Defect Defect
	Line   int // 1-based; 0 where it is about the whole document
}

// A Reference is an ACAP-permissions-reference (R-REF-1, S3 4.5.2.2).
type Reference struct {
	Agents  []Agent
	Locator string // as written: a path of the same server, or a URI
	Line    int
	Raw     string
	// Resolved has the statements of the file for this record's agents or any; nil, with Found false, if the corpus
	// does not have the file.
	Resolved []Statement
	Found    bool
}

// Resolve resolves the reference to a file with these statements. It keeps its ACAP statements for the record's agents
// or for any; a record for any crawler keeps those for all agents (R-REF-1). If these are more than limit, the
// reference stays unresolved and ok is false.
func (r *Reference) Resolve(statements []Statement, limit int) (ok bool) {
	meant := make(map[Agent]bool, len(r.Agents))
	for _, a := range r.Agents {
		meant[a.Key()] = true
	}
	isMeant := func(a Agent) bool { return a == AnyAgent || meant[a.Key()] }
	var resolved []Statement
	for i := range statements {
		st := &statements[i]
		if st.Vocabulary != ACAP || !meant[AnyAgent] && !slices.ContainsFunc(st.Agents, isMeant) {
			continue
		}
		if len(resolved) == limit {
			return false
		}
		resolved = append(resolved, *st)
	}
	r.Resolved, r.Found = resolved, true
	return true
}

// A LocalUsage is a usage that a robots.txt defines by name: qualified, or composite of several (S3 4.5.3).
type LocalUsage struct {
	Name  string // in lower case
	Line  int
	Parts []QualifiedUsage
}

// A QualifiedUsage is a usage with the restrictions that a definition gives it.
type QualifiedUsage struct {
	Usage      Usage
	Qualifiers []Qualifier
}

// A ManagedBlock is a part of a robots.txt that a vendor writes, and not the site (R-SIG-2).
type ManagedBlock struct {
	By          string // the vendor's name, in lower case: "cloudflare"
	First, Last int    // lines, from 1
}

// A Feature is a part of ACAP that a document uses: the adoption table lists them.
type Feature string

const (
	FeatureMarker             Feature = "version-marker"
	FeatureCrawlerRecord      Feature = "crawler-record"
	FeatureNamedCrawler       Feature = "named-crawler"
	FeaturePurpose            Feature = "usage-purpose"
	FeatureQualifier          Feature = "qualifier"
	FeatureResourceSet        Feature = "resource-set"
	FeatureQualifiedUsage     Feature = "qualified-usage"
	FeatureCompositeUsage     Feature = "composite-usage"
	FeatureReference          Feature = "permissions-reference"
	FeatureRequest            Feature = "action-request"
	FeatureIgnoreConventional Feature = "ignore-conventional-records"
	FeatureMeta               Feature = "meta"
	FeatureMetaVersion        Feature = "meta-version"
	FeatureClass              Feature = "class"
)

// A File is one robots.txt. Every vocabulary adds its statements.
type File struct {
	Statements         []Statement // by line, then part
	Findings           []Finding
	Version            Version
	IgnoreConventional bool // R-REC-6
	References         []Reference
	Locals             map[string]LocalUsage // by name in lower case
	ResourceSets       int                   // how many are defined
	ACAPFields         int                   // lines with an ACAP field, known or not
	Records            int                   // ACAP records
	REPFields          int                   // lines with user-agent, allow or disallow
	Groups             int                   // conventional groups
	NamedGroups        []Agent               // agents of conventional groups, '*' included, each once
	NamedGroupLines    []int                 // by NamedGroups: the first user-agent line that names the agent
	NamedRecords       []Agent               // agents of ACAP records, '*' included, each once
	Features           []Feature             // once each, in order of their first use
	Fields             map[string]int        // counts of other fields by name (sitemap, content-signal, …)
	Managed            []ManagedBlock        // what vendors write, in order
}

// ManagedBy returns the vendor that wrote a line, or "" if the site did. R-SIG-2.
func (f *File) ManagedBy(line int) string {
	for _, b := range f.Managed {
		if b.First <= line && line <= b.Last {
			return b.By
		}
	}
	return ""
}

// AddFinding notes a defect at a line, once for each line. It looks only at the last findings, those of the same line:
// readers go from line to line, and a file may have as many findings as lines.
func (f *File) AddFinding(d Defect, line int) {
	for i := len(f.Findings) - 1; i >= 0 && f.Findings[i].Line == line; i-- {
		if f.Findings[i].Defect == d {
			return
		}
	}
	f.Findings = append(f.Findings, Finding{d, line})
}

// AddFeature notes the use of a feature, once.
func (f *File) AddFeature(feature Feature) { f.Features = appendOnce(f.Features, feature) }

// A Page is the policy of one capture: METAs, class tokens, PIs, header fields.
type Page struct {
	Statements []Statement
	Version    Version // of its own METAs, zero where they state none: that is 1.0 (R-VER-1)
	XML        bool    // parsed as XML (R-PARSE-1)
	Features   []Feature
	ACAPText   int // METAs whose content begins with the word ACAP and is prose (R-META-1)
}

// AddFeature notes the use of a feature, once.
func (p *Page) AddFeature(feature Feature) { p.Features = appendOnce(p.Features, feature) }

func appendOnce[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}
