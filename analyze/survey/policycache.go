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

// A policyText is a parsed robots.txt body with one outcome of its references. It does not depend on the site, so all
// sites with the body share it. Values that need a pass over the statements are computed when first needed.
type policyText struct {
	*parse.Robots
	acap   bool           // an ACAP statement decides, or there is a reference
	rules  bool           // a statement of any vocabulary decides
	inACAP bool           // there is an ACAP statement, whatever its status
	weight int            // the approximate cost of a question
	found  []*facts.Fact  // by reference, the file that it names; nil if the corpus has none (R-REF-1)
	agents []policy.Agent // named in the statements of referred files

	compiled *compiledText
	about    *textSummary
}

// A compiledText is what questions need of a policyText. Workers share it.
type compiledText struct {
	siteOnce, namesOnce sync.Once
	site                *decide.Site
	names               names // see robotsFile.named
}

// site returns the policy of the text.
func (t *policyText) site(opts decide.Options) *decide.Site {
	t.compiled.siteOnce.Do(func() { t.compiled.site = decide.NewSite(t.File, decide.Answered, opts) })
	return t.compiled.site
}

// A textSummary has columns about the statements of a body. All versions of the body share it.
type textSummary struct {
	once         sync.Once
	fingerprint  string
	defects      []string
	otherFields  table.Counts
	conventional int64 // Allow and Disallow lines that can decide
}

// summary returns the columns about the statements of the body itself.
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

// readText parses a body.
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

// Policies caches parsed bodies: a file that thousands of hosts have, or redirect or refer to, is parsed and its
// patterns are compiled a few times. Rows do not depend on it. Several Surveyors of the same Options may share one.
type Policies struct {
	opts parse.Options

	mutex sync.Mutex
	seen  map[bodyKey]struct{} // bodies that were parsed once: most never come again, and are not cached
	held  *generations[bodyKey, *policyText]
	notes *generations[*byte, bodyNote] // of bodies that hosts share, by their first byte
}

// A bodyKey identifies a body. One that is known to lack its end is parsed differently.
type bodyKey struct {
	sum       [sha256.Size]byte
	truncated bool
}

// Limits on Policies, in bytes but for maxSeenTexts.
const (
	maxSeenTexts   = 1 << 15
	maxCachedTexts = 40 << 20 // of each generation
	maxNotedBodies = 4 << 20
	leastNoted     = 4 << 10
	statementBytes = 400 // memory of a statement with its pattern
)

// NewPolicies returns an empty cache. It takes at most memory bytes, or 80 MiB if memory is 0 or larger.
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

// text returns the parsed body.
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

// note returns digest and kind of a body. It caches those of large ones.
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

// generations is a cache in two halves. When the young half is full it becomes the old one, and the old one is dropped;
// entries that are used move to the young half.
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
