package decide

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// A DecisionCache caches what a robots.txt decides, by the patterns that match a path: the decision depends on nothing
// else of the path, and the same few patterns match most pages of a site. Without it, thousands of statements that
// match every page would let a small archive stop a survey.
//
// Its size is bounded (maxCached). For a path whose patterns are cached it only matches patterns. It is not safe for
// concurrent use, and neither are the Sites that it returns.
type DecisionCache struct {
	site       *Site
	young, old map[string]*cacheEntry // by the numbers of the matching patterns
	limit      int                    // bytes of each generation
	size       int                    // bytes of the young generation
	cost       int
	unknown    *Site

	shapes []int32
	key    []byte
}

// maxCached bounds the bytes of a DecisionCache, half of it for each of two generations: what was not used since the
// younger one began is dropped with the older one. A set of patterns counts as minEntry at least, so there are some ten
// thousand sets at most. The views that one page needs, some dozens, may exceed the limit.
const (
	maxCached = 1 << 24
	minEntry  = 1 << 10
)

// About how many bytes of memory values take.
const (
	hitBytes       = 16
	agentBytes     = 128
	referenceBytes = 2 + 8
	setBytes       = 192
	decisionBytes  = 256
	voiceBytes     = 192
	verdictBytes   = 16
	qualifierBytes = 32
)

// MaxListed is how many statements and qualifiers a truncated decision lists.
const MaxListed = 100

// Matching a pattern costs about as much as comparing a statement, and as much again for so many bytes of path and
// pattern.
const (
	bytesOfPath    = 64
	bytesOfPattern = 16

	candidatesCompared = 8
)

// BytesPerStep is how many bytes of pattern are compared with another pattern in one step.
const BytesPerStep = 4

// NewDecisionCache makes a cache for a site.
func NewDecisionCache(s *Site) *DecisionCache {
	return &DecisionCache{site: s, young: make(map[string]*cacheEntry), limit: maxCached / 2}
}

// Site returns the site whose decisions are cached.
func (c *DecisionCache) Site() *Site { return c.site }

// Cost measures the work so far, in patterns, statements, names and purposes that were compared, 30 to 70 ns each. For
// a path whose patterns are cached it grows by the matching of patterns only, however many statements there are.
func (c *DecisionCache) Cost() int { return c.cost }

// At returns the site's policy at one path. Its decisions are cached and truncated: they list the first MaxListed
// deciding statements and the leading one, the first MaxListed qualifiers, and one of the statements of the robots.txt
// that lost.
func (c *DecisionCache) At(path string) *Site {
	shapes, cost, bytes := c.site.index().Matching(path, c.shapes[:0])
	c.cost += cost*(1+len(path)/bytesOfPath) + bytes/bytesOfPattern
	c.shapes, c.key = shapes, c.key[:0]
	for _, i := range shapes {
		c.key = binary.AppendUvarint(c.key, uint64(i))
	}
	if e := c.young[string(c.key)]; e != nil {
		return e.variants[0]
	}
	e := c.old[string(c.key)]
	if c.size >= c.limit {
		c.old, c.young, c.size = c.young, make(map[string]*cacheEntry), 0
	}
	if e == nil {
		e = c.newEntry(c.site.matchedBy(slices.Clone(shapes)))
		e.size = minEntry + len(c.key) + hitBytes*len(e.variants[0].only.matching.hits)
	}
	c.size += e.size
	c.young[string(c.key)] = e
	return e.variants[0]
}

func (c *DecisionCache) newEntry(s *Site) *cacheEntry {
	e := &cacheEntry{cache: c, variants: []*Site{s}}
	s.only.entry = e
	c.cost += s.only.matching.cost
	return e
}

// Unknown returns the site's policy for a page whose path is not matched, since that would be too much work: every
// usage that a statement of the robots.txt is about is not determined there and so prohibited, "regardless of whether
// or not such determination is theoretically possible" (R-DEC-7, S3 4.3). It empties the cache.
func (c *DecisionCache) Unknown() *Site {
	if c.unknown == nil {
		c.young, c.old, c.size = make(map[string]*cacheEntry), nil, 0
		s := c.site.matchedBy(nil)
		s.only.vague = true
		for i, e := range s.index().Entries {
			if len(e.Patterns) > 0 {
				s.only.matching.hits = append(s.only.matching.hits, match.Hit{Entry: int32(i), Vague: true})
			}
		}
		c.newEntry(s)
		c.unknown = s
	}
	return c.unknown
}

// A cacheEntry has what is cached of the paths that the same patterns match.
type cacheEntry struct {
	cache    *DecisionCache
	size     int     // in bytes
	variants []*Site // the site's own options first, then the others that were used; there are few
}

// hasSpace reports whether more may be cached.
func (e *cacheEntry) hasSpace() bool { return e.cache.size < e.cache.limit }

func (e *cacheEntry) charge(bytes int) {
	e.size += bytes
	e.cache.size += bytes
}

// A pathPolicy is the policy at the paths that the same patterns match, under one interpretation.
type pathPolicy struct {
	matching pathStatements // of all these paths
	shapes   []int32
	weight   int  // see Site.Weight
	vague    bool // it is unknown which statements match: all may

	entry  *cacheEntry // nil: nothing is cached
	agents map[agentKey]*agentEntry
	sets   map[string]*statementSet
}

// matchedBy returns the site's policy where exactly these patterns match.
func (s *Site) matchedBy(shapes []int32) *Site {
	x := s.index()
	hits, cost := x.Hits(shapes, s.opts.Without)
	only := &pathPolicy{
		matching: pathStatements{hits: hits, cost: len(shapes) + cost}, shapes: shapes, weight: x.FixedWeight,
	}
	for _, h := range hits {
		if e := &x.Entries[h.Entry]; e.Reference < 0 {
			only.weight += match.Weight(e.Statement)
		}
	}
	return s.variant(s.opts, only)
}

// variant returns the site with other options, at all paths or only some.
func (s *Site) variant(opts Options, only *pathPolicy) *Site {
	return &Site{file: s.file, availability: s.availability, opts: opts, index: s.index, only: only}
}

// under returns the policy at a path under another interpretation.
func (p *pathPolicy) under(s *Site, opts Options) *Site {
	if p.entry != nil {
		for _, other := range p.entry.variants {
			if other.opts == opts {
				return other
			}
		}
	}
	same := &pathPolicy{matching: p.matching, shapes: p.shapes, weight: p.weight, vague: p.vague}
	other := s.variant(opts, same)
	if opts.Without != s.opts.Without { // R-DEF-3 may be one of the rules
		other = other.matchedBy(p.shapes)
	}
	if p.entry != nil {
		other.only.entry = p.entry
		p.entry.variants = append(p.entry.variants, other)
	}
	return other
}

// Weight is about how many items are compared to answer a question: statements of the file, recorded ones included, and
// their names, purposes and patterns. At a path it counts those that match, and all statements of references.
func (s *Site) Weight() int {
	if s.only == nil {
		return s.index().Weight
	}
	return s.only.weight
}

// IsEmpty reports whether the robots.txt has no statements, recorded ones included; at a path, whether none matches.
func (s *Site) IsEmpty() bool {
	if s.only == nil {
		return len(s.file.Statements)+len(s.file.References) == 0
	}
	return len(s.only.matching.hits)+len(s.file.References)+len(s.index().Recorded) == 0
}

// isUnknown reports whether it is unknown which statements match. p may be nil.
func (p *pathPolicy) isUnknown() bool { return p != nil && p.vague }

// isCached reports whether decisions are cached. p may be nil.
func (p *pathPolicy) isCached() bool { return p != nil && p.entry != nil }

// spend counts work in the cache, if there is one. p may be nil.
func (p *pathPolicy) spend(cost int) {
	if p.isCached() {
		p.entry.cache.cost += cost
	}
}

// An agentKey is an agent with a purpose.
type agentKey struct {
	agent   policy.Agent
	purpose string
}

// An agentEntry is what is cached for an agent with a purpose.
type agentEntry struct {
	groupMatch
	set     *statementSet
	private bool // of one view, since the cache is full
}

// A statementSet is the statements that apply to an agent with a purpose. The robots.txt decides everything alike for
// all agents with the same set.
type statementSet struct {
	SetKey
	usages    uint32 // of the ACAP statements, a bit each
	decisions [terms.UsageCount]*cachedDecision
}

// A SetKey identifies a set of statements, of all vocabularies, among those of one path.
type SetKey struct {
	number int    // among the cached sets; 0: it is not cached
	key    string // if it is not: which statements, and how they are addressed
}

// StatementSet identifies the statements that apply to the view, which must be one of a Site that a DecisionCache
// returned.
func (v *View) StatementSet() SetKey { return v.cached.set.SetKey }

// A cachedDecision is what the robots.txt decides for one usage, truncated.
type cachedDecision struct {
	validity
	voices []voice // what each vocabulary decides alone
	file   Partial
}

// attach finds what is cached for the view's agent, or makes it.
func (p *pathPolicy) attach(v *View) {
	key := agentKey{v.agent, v.purpose}
	e := p.agents[key]
	if e == nil {
		e = p.newAgent(v)
		if p.entry.hasSpace() {
			if p.agents == nil {
				p.agents = make(map[agentKey]*agentEntry)
			}
			p.agents[key] = e
			p.entry.charge(agentBytes + len(v.agent) + len(v.purpose) + referenceBytes*len(e.references))
		}
	}
	v.groupMatch, v.cached = e.groupMatch, e
	if !p.entry.hasSpace() {
		// From now on its decisions are its own.
		set := *e.set
		v.cached = &agentEntry{e.groupMatch, &set, true}
	}
}

// newAgent finds the statements that apply to the view's agent.
func (p *pathPolicy) newAgent(v *View) *agentEntry {
	v.groupMatch = v.site.groupMatch(v.agent)
	e := &agentEntry{groupMatch: v.groupMatch, set: &statementSet{}}
	applying := v.at("")
	p.spend(len(p.matching.hits) + applying.cost - p.matching.cost + v.cost + len(v.references))
	// A reference without the name of an agent is unresolved for all of them, so it tells no two of them apart.
	flags := byte(bit(v.unresolvedNamed))
	for _, c := range applying.acap {
		e.set.usages |= 1 << c.Statement.Usage
	}
	key := string(append([]byte{flags}, applying.key...))
	if known := p.sets[key]; known != nil {
		e.set = known
	} else if p.entry.hasSpace() {
		if p.sets == nil {
			p.sets = make(map[string]*statementSet)
		}
		p.sets[key] = e.set
		e.set.number = len(p.sets)
		p.entry.charge(len(key) + setBytes)
	} else {
		e.set.key = key
	}
	return e
}

// cachedFor returns what the robots.txt decides for the usage of a question.
func (v *View) cachedFor(q Question) *cachedDecision {
	set := v.cached.set
	d := set.decisions[q.Usage]
	if d != nil && d.holds(q) {
		return d
	}
	before := d.bytes()
	d = v.newDecision(q)
	set.decisions[q.Usage] = d
	if !v.cached.private {
		v.site.only.entry.charge(d.bytes() - before)
	}
	return d
}

func (v *View) newDecision(q Question) *cachedDecision {
	applying := v.at(q.Path)
	v.site.only.spend(len(applying.acap))
	if q.Usage == policy.Crawl || q.Usage.Family() == terms.FamilyAI {
		for _, same := range applying.groups {
			v.site.only.spend(len(same))
		}
	}
	voices := v.voices(q, nil)
	d := &cachedDecision{validity: v.validityOf(applying, q), voices: make([]voice, len(voices))}
	for i, alone := range voices {
		d.voices[i] = voice{alone.vocabulary, alone.truncated(q.Path)}
	}
	d.file = v.together(voices, q).truncated(q.Path)
	return d
}

// bytes is about how much memory it takes.
func (d *cachedDecision) bytes() int {
	if d == nil {
		return 0
	}
	n := decisionBytes + d.file.bytes()
	for i := range d.voices {
		n += voiceBytes + d.voices[i].bytes()
	}
	return n
}

// bytes is about how much memory its lists take.
func (p *Partial) bytes() int {
	return verdictBytes*(len(p.Deciding)+len(p.Lost)) + qualifierBytes*len(p.Qualifiers) + len(p.By)
}

// A validity is the questions that a cached decision answers: those about certain times (R-DEC-10) or a certain page
// (R-DEC-9). The zero validity is all questions.
type validity struct {
	timed       bool
	from, until time.Time // the end of one time limit, and of the next; the zero Time: none
	timeless    bool      // questions without a time
	located     bool
	url         string
}

func (a *validity) holds(q Question) bool {
	if a.located && a.url != q.URL {
		return false
	}
	switch {
	case !a.timed:
		return true
	case a.timeless || q.At.IsZero():
		return a.timeless == q.At.IsZero()
	}
	return !q.At.Before(a.from) && (a.until.IsZero() || q.At.Before(a.until))
}

func (v *View) validityOf(applying *agentStatements, q Question) (a validity) {
	for _, c := range applying.acap {
		if len(c.Statement.Qualifiers) == 0 || !v.concerns(c.Statement.Usage, q.Usage) {
			continue
		}
		for _, qualifier := range c.Statement.Qualifiers {
			switch qualifier.Name {
			case policy.Location:
				if qualifier.Locates() && v.belongs(qualifier, c.Statement) {
					a.located, a.url = true, q.URL
				}
			case policy.TimeLimit:
				end, ok := qualifier.Until()
				if !ok {
					continue
				}
				a.timed, a.timeless = true, q.At.IsZero()
				if passed := !q.At.Before(end); passed && end.After(a.from) {
					a.from = end
				} else if !passed && (a.until.IsZero() || end.Before(a.until)) {
					a.until = end
				}
			}
		}
	}
	return a
}

// undetermined is what ACAP statements of the robots.txt decide if it is unknown whether they match: each usage that
// they are about is prohibited (R-DEC-7).
func (v *View) undetermined(q Question) Partial {
	var p Partial
	for _, c := range v.at(q.Path).acap {
		switch {
		case c.Statement.Usage.Covers(q.Usage):
			p.direct = true
		case v.concerns(c.Statement.Usage, q.Usage):
			p.byOther = true
		}
	}
	if !p.direct && !p.byOther {
		return Partial{}
	}
	undecided := v.undecided()
	undecided.direct, undecided.byOther = p.direct, !p.direct
	return undecided
}

// undeterminedIn is the same for the statements of one vocabulary in conventional groups.
func (v *View) undeterminedIn(same []grouped, q Question) Partial {
	for _, c := range same {
		if c.inForce && c.Statement.Usage == q.Usage {
			return v.undecided()
		}
	}
	return Partial{}
}

func (v *View) undecided() Partial {
	p := byDefault(policy.Disallowed, policy.BasisUndetermined, policy.RuleUndetermined)
	if v.without(policy.RuleUndetermined) {
		p.decision = policy.Allowed
	}
	return p
}

// truncated is the decision as it is cached (see DecisionCache.At). The path tells which statement leads.
func (p Partial) truncated(path string) Partial {
	p.leading, p.isTruncated = p.Leading(path), true
	if n := len(p.Deciding); n > MaxListed {
		list := slices.Clone(p.Deciding[:MaxListed])
		for _, v := range p.Deciding[MaxListed:] {
			if v.Statement == p.leading {
				list = append(list, v)
				break
			}
		}
		p.Deciding = list
	}
	if len(p.Lost) > 1 {
		p.Lost = []Verdict{p.Lost[0]}
	}
	if len(p.Qualifiers) > MaxListed {
		p.Qualifiers = slices.Clone(p.Qualifiers[:MaxListed])
	}
	// Its lists are shared: appending to them must copy.
	p.Deciding, p.Lost = slices.Clip(p.Deciding), slices.Clip(p.Lost)
	p.Qualifiers, p.By = slices.Clip(p.Qualifiers), slices.Clip(p.By)
	return p
}
