package survey

import (
	"crypto/sha256"
	"sync"

	"github.com/acapscan/acapscan/analyze/acap"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// A policyText is what one body says as a robots.txt, with one outcome of its references. Nothing in it depends on
// the site that has the body, so that all sites share it. What takes a pass over its statements is found when it is
// first asked for.
type policyText struct {
	*parse.Robots
	acap   bool           // an ACAP statement decides, or there is a reference
	rules  bool           // a statement of any vocabulary decides
	inACAP bool           // there is an ACAP statement, whatever its status
	weight int            // about how many things are looked at to answer a question
	found  []*facts.Fact  // what its references lead to, nil where nothing; R-REF-1
	agents []policy.Agent // that the statements of its references name

	compiled *compiledText
	about    *textSummary
}

// A compiledText is what questions need of a policyText. It is made when they are asked first; workers share it.
type compiledText struct {
	siteOnce, namesOnce sync.Once
	site                *decide.Site
	names               names // see robotsFile.named
}

// site returns the policy, ready to be asked.
func (t *policyText) site(opts decide.Options) *decide.Site {
	t.compiled.siteOnce.Do(func() { t.compiled.site = decide.NewSite(t.File, decide.Answered, opts) })
	return t.compiled.site
}

// A textSummary is what rows about a robots.txt say of its statements. Versions of one body with other references
// share it.
type textSummary struct {
	once         sync.Once
	fingerprint  string
	defects      []string
	otherFields  table.Counts
	conventional int64 // Allow and Disallow lines that decide
}

// summary counts what the statements of the body itself are.
func (t *policyText) summary() *textSummary {
	s := t.about
	s.once.Do(func() {
		s.fingerprint, s.defects = acap.Fingerprint(t.Statements), sorted(fileDefects(t.File))
		s.otherFields, s.conventional = otherFields(t.File), conventionalRules(t.File)
	})
	return s
}

// maxWeight is the limit on a robots.txt: statements, agents of their records, patterns of their resource sets. Real
// files stay below a hundredth of it. Statements beyond are not read: policy.DefectSizeLimit.
const maxWeight = 1 << 20

// readText reads a body.
func readText(body []byte, truncated bool, opts parse.Options) *policyText {
	t := &policyText{Robots: parse.ReadRobots(body, truncated, opts), compiled: &compiledText{}, about: &textSummary{}}
	t.acap = len(t.References) > 0
	for i := range t.Statements {
		st := &t.Statements[i]
		w := match.Weight(st)
		t.inACAP = t.inACAP || st.Vocabulary == policy.ACAP
		if t.weight+w > maxWeight {
			st.Status = policy.Invalid
			st.AddDefect(policy.DefectSizeLimit)
			continue
		}
		t.weight += w
		if st.Sense != policy.NoSense && st.Status.Decides() {
			t.rules = true
			t.acap = t.acap || st.Vocabulary == policy.ACAP
		}
	}
	return t
}

// Policies holds bodies that were read, for hosts that have the same: a file that thousands redirect or refer to is
// read and its patterns are compiled once, or a few times where there are many such. What it holds changes no row.
// Several Surveyors of the same Options may share one.
type Policies struct {
	opts parse.Options

	mutex sync.Mutex
	seen  map[bodyKey]struct{} // bodies that came once: most never come again, and are not held
	held  *generations[bodyKey, *policyText]
	notes *generations[*byte, bodyNote] // of bodies that several hosts share, by their first byte
}

// A bodyKey identifies a body. One that is known to lack its end is parsed differently.
type bodyKey struct {
	sum       [sha256.Size]byte
	truncated bool
}

// Bounds on what Policies hold, in bytes.
const (
	maxSeenTexts   = 1 << 15
	maxCachedTexts = 40 << 20 // of each generation
	maxNotedBodies = 4 << 20
	leastNoted     = 4 << 10
	statementBytes = 400 // what a statement takes with its pattern
)

// NewPolicies returns Policies that take about so many bytes at most, and no more than some tens of millions; 0: that.
func NewPolicies(opts parse.Options, memory int64) *Policies {
	limit := maxCachedTexts
	if memory > 0 {
		limit = int(min(int64(limit), memory/2))
	}
	return &Policies{
		opts: opts, seen: map[bodyKey]struct{}{},
		held: newGenerations[bodyKey, *policyText](limit), notes: newGenerations[*byte,
			bodyNote](min(limit, maxNotedBodies)),
	}
}

// text reads a body, or recalls what it said.
func (c *Policies) text(sum [sha256.Size]byte, body *facts.Fact) *policyText {
	key := bodyKey{sum, body.BodyTruncated}
	c.mutex.Lock()
	t, known := c.held.get(key)
	c.mutex.Unlock()
	if known {
		return t
	}
	t = readText(body.Body, body.BodyTruncated, c.opts)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if other, known := c.held.get(key); known {
		return other // another worker was faster
	}
	if _, again := c.seen[key]; again {
		c.held.put(key, t, len(body.Body)+statementBytes*len(t.Statements))
		return t
	}
	if len(c.seen) >= maxSeenTexts {
		clear(c.seen)
	}
	c.seen[key] = struct{}{}
	return t
}

// note tells what is known of a body.
func (c *Policies) note(body []byte) bodyNote {
	if len(body) < leastNoted {
		return c.noteNew(body)
	}
	c.mutex.Lock()
	n, known := c.notes.get(&body[0])
	c.mutex.Unlock()
	if !known || n.size != len(body) {
		n = c.noteNew(body)
		c.mutex.Lock()
		c.notes.put(&body[0], n, len(body))
		c.mutex.Unlock()
	}
	return n
}

func (c *Policies) noteNew(body []byte) bodyNote {
	return bodyNote{sha256.Sum256(body), parse.NotRobots(body, c.opts), len(body)}
}

// generations is a bounded map: what was not asked for since the younger half began is forgotten with the older one.
type generations[K comparable, V any] struct {
	limit      int // bytes of each half
	size       int // of the young
	young, old map[K]sized[V]
}

type sized[V any] struct {
	value V
	bytes int
}

func newGenerations[K comparable, V any](limit int) *generations[K, V] {
	return &generations[K, V]{limit: limit, young: map[K]sized[V]{}}
}

func (g *generations[K, V]) get(key K) (V, bool) {
	if v, known := g.young[key]; known {
		return v.value, true
	}
	v, known := g.old[key]
	if known {
		g.put(key, v.value, v.bytes)
	}
	return v.value, known
}

func (g *generations[K, V]) put(key K, value V, bytes int) {
	if g.size+bytes > g.limit {
		g.old, g.young, g.size = g.young, map[K]sized[V]{}, 0
	}
	g.young[key] = sized[V]{value, bytes}
	g.size += bytes
}
