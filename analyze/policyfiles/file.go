package policyfiles

import (
	"slices"
	"sync"

	"github.com/acapscan/acapscan/analyze/acap"
	"github.com/acapscan/acapscan/analyze/audience"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
)

// A File is one robots.txt with one outcome of its references, for one site.
type File struct {
	*text
	Owner *facts.Fact // the site's first capture with the body: its record names the statements
}

// A text is a parsed body with one outcome of its references. It does not depend on the site, so all sites with the
// body share it. Values that need a pass over the statements are computed when first needed.
type text struct {
	*parse.Robots
	HasACAPRule    bool           // an ACAP statement decides, or there is a reference
	HasOther       bool           // a statement that is not conventional, whatever its status
	Preferences    []policy.Usage // of AI preferences that statements decide about
	ReferredAgents []policy.Agent // named in the statements of referred files
	IsShared       bool           // with hosts that come later; else the host's end is the end of its statements
	rules          bool           // a statement of any vocabulary decides
	found          []*facts.Fact  // by reference, the file that it names; nil if the corpus has none (R-REF-1)

	compiled *compiled
	summary  *summary
}

// compiled is what decisions need of a text. Workers share it.
type compiled struct {
	siteOnce, namesOnce sync.Once
	site                *decide.Site
	names               audience.Names

	mutex   sync.Mutex
	derived any
}

// Shared returns what derive returns, which must depend on the text of the file alone: all sites with the file share
// it. If keep is false, it is not kept.
func (t *text) Shared(derive func() (value any, keep bool)) any {
	t.compiled.mutex.Lock()
	value := t.compiled.derived
	t.compiled.mutex.Unlock()
	if value != nil {
		return value
	}
	value, keep := derive()
	if keep {
		t.compiled.mutex.Lock()
		t.compiled.derived = value
		t.compiled.mutex.Unlock()
	}
	return value
}

// site returns the policy of the text.
func (t *text) site(opts decide.Options) *decide.Site {
	t.compiled.siteOnce.Do(func() { t.compiled.site = decide.NewSite(t.File, decide.Answered, opts) })
	return t.compiled.site
}

// Named returns whom the file names, which may be nil. It returns few more than an audience has: a file may name
// thousands, and every page asks.
func (f *File) Named() audience.Names {
	if f == nil {
		return audience.Names{}
	}
	f.compiled.namesOnce.Do(func() { f.compiled.names = audience.NamesOfFile(f.File, f.ReferredAgents) })
	return f.compiled.names
}

// Agents lists all agents that the file and the files that it refers to name, some more than once.
func (f *File) Agents() []policy.Agent {
	return slices.Concat(f.NamedRecords, f.ReferredAgents, f.NamedGroups)
}

// Bytes returns the length of the file, which may be nil, and of the files that it refers to.
func (f *File) Bytes() int {
	if f == nil {
		return 0
	}
	n := len(f.Owner.Body)
	counted := map[*facts.Fact]bool{}
	for _, body := range f.found {
		if body != nil && !counted[body] {
			counted[body] = true
			n += len(body.Body)
		}
	}
	return n
}

// A Summary describes the statements of a body. The maps and lists belong to the file; empty ones are nil.
type Summary struct {
	Fingerprint  string           // see acap.Fingerprint
	Defects      []string         // of the file and its statements, each once, sorted
	OtherFields  map[string]int64 // lines of other vocabularies, and conventional ones that decide nothing, by field
	Conventional int64            // Allow and Disallow lines that can decide
	Vocabularies map[string]int64 // statements that decide or are recorded, by vocabulary
}

// summary computes a Summary once. All versions of the body share it.
type summary struct {
	once sync.Once
	Summary
}

// Summary describes the statements of the body itself, not of the files that it refers to.
func (t *text) Summary() *Summary {
	s := t.summary
	s.once.Do(func() { s.Summary = summarize(t.File) })
	return &s.Summary
}

func summarize(f *policy.File) Summary {
	var s Summary
	note := func(d policy.Defect) { // there are few
		if !slices.Contains(s.Defects, string(d)) {
			s.Defects = append(s.Defects, string(d))
		}
	}
	for _, finding := range f.Findings {
		note(finding.Defect)
	}
	for name, n := range f.Fields {
		count(&s.OtherFields, name, int64(n))
	}
	var last policy.Vocabulary // of statements that are not yet in Vocabularies
	var n int64                // how many
	hasACAP := false
	for i := range f.Statements {
		st := &f.Statements[i]
		for _, d := range st.Defects {
			note(d)
		}
		hasACAP = hasACAP || st.Vocabulary == policy.ACAP
		if st.Status.Decides() || st.Status == policy.Recorded {
			if st.Vocabulary != last && n > 0 {
				count(&s.Vocabularies, last.String(), n)
				n = 0
			}
			last = st.Vocabulary
			n++
		}
		switch {
		case st.Vocabulary != policy.REP:
		case st.Status == policy.Recorded:
			count(&s.OtherFields, st.Field, 1)
		case st.Usage == policy.Crawl && st.Status.Decides():
			s.Conventional++
		}
	}
	if n > 0 {
		count(&s.Vocabularies, last.String(), n)
	}
	if hasACAP {
		s.Fingerprint = acap.Fingerprint(f.Statements)
	}
	slices.Sort(s.Defects)
	return s
}

// count adds to a counter. It makes the map when needed.
func count(counts *map[string]int64, name string, n int64) {
	if *counts == nil {
		*counts = map[string]int64{}
	}
	(*counts)[name] += n
}

// maxWeight is the limit on a robots.txt: statements, agents of their records, patterns of their resource sets. Real
// files stay below a hundredth of it. Statements beyond are not read: policy.DefectSizeLimit.
const maxWeight = 1 << 20

// readText parses a body. The statements are in spare as far as it has capacity.
func readText(body []byte, truncated bool, spare []policy.Statement, opts parse.Options) *text {
	var all struct { // one allocation
		text     text
		compiled compiled
		summary  summary
	}
	t := &all.text
	t.Robots, t.compiled, t.summary = parse.ReadRobotsInto(spare, body, truncated, opts), &all.compiled, &all.summary
	t.HasACAPRule = len(t.References) > 0
	weight := 0
	for i := range t.Statements {
		st := &t.Statements[i]
		w := match.Weight(st)
		t.HasOther = t.HasOther || st.Vocabulary != policy.REP
		if weight+w > maxWeight {
			st.Status = policy.Invalid
			st.AddDefect(policy.DefectSizeLimit)
			continue
		}
		weight += w
		if st.Sense != policy.NoSense && st.Status.Decides() {
			t.rules = true
			t.HasACAPRule = t.HasACAPRule || st.Vocabulary == policy.ACAP
		}
	}
	if t.HasOther {
		t.Preferences = policy.StatedPreferences(t.Statements)
	}
	return t
}
