package decide

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// This file is about the places that pages of a site lie at, and about what is remembered of them. What a robots.txt says at a path depends
// on which of its patterns hold the path, and on nothing else of it; and most pages of a site are held by the same few. Where thousands
// of statements hold every page, looking at them again for each page, agent and usage would let a small archive stop a survey.

// Places remember what a site's policy says to whom, by the patterns that hold, which are compared one by one. What they remember is
// bounded (maxRemembered); what they take for a page that lies where others do is a look at each pattern that begins as its path does.
// They are not safe for concurrent use, and neither are the Sites that they give.
type Places struct {
	site       *Site
	young, old map[string]*kept // by the numbers of the patterns that hold
	limit      int              // of octets of either
	size       int              // octets of the young
	looks      int
	unknown    *Site

	shapes []int32
	key    []byte
}

// maxRemembered bounds the octets that Places remember, in two generations of a half each: what was not asked for since the younger one
// began is forgotten with the older. A set of patterns counts as keptOctets at least, so that there are some ten thousand at most. What one
// page asks for in one go, some dozens of views, may come on top.
const (
	maxRemembered = 1 << 24
	keptOctets    = 1 << 10
)

// About how many octets of memory things take: a statement that holds, who listens and what it is told, and what is said of a usage.
const (
	hitOctets        = 16
	hearingOctets    = 128
	referenceOctets  = 2 + 8
	tellingOctets    = 192
	rememberedOctets = 448
	verdictOctets    = 16
	qualifierOctets  = 32
)

// MaxListed is how many statements and qualifiers a decision in short lists.
const MaxListed = 100

// To match a pattern takes about as long as a look at a statement, and as one more for so many octets of the path and of the pattern.
const (
	octetsOfPath       = 64
	octetsOfPattern    = 16
	candidatesCompared = 8
)

// BytesPerStep is how many bytes of pattern are compared with another pattern in one step.
const BytesPerStep = 4

// NewPlaces makes a memory for a site.
func NewPlaces(s *Site) *Places {
	return &Places{site: s, young: make(map[string]*kept), limit: maxRemembered / 2}
}

// Site returns the site whose places these are.
func (p *Places) Site() *Site { return p.site }

// Looks measures the work so far: patterns, statements, names and purposes that were looked at, 30 to 70 ns each. For a page that lies where
// others do it grows by what it takes to match patterns, however many statements there are.
func (p *Places) Looks() int { return p.looks }

// At returns the site's policy as far as it speaks of one path, as Site.At does, but what it says is remembered and said in short: of the
// statements that decide the first MaxListed and the leading one, of qualifiers the first MaxListed, and of statements of the robots.txt
// that lost together only one.
func (p *Places) At(path string) *Site {
	x := p.site.index()
	shapes, looks, octets := x.Matching(path, p.shapes[:0])
	p.looks += looks*(1+len(path)/octetsOfPath) + octets/octetsOfPattern
	p.shapes, p.key = shapes, p.key[:0]
	for _, i := range shapes {
		p.key = binary.AppendUvarint(p.key, uint64(i))
	}
	if k := p.young[string(p.key)]; k != nil {
		return k.readings[0]
	}
	k := p.old[string(p.key)]
	if p.size >= p.limit {
		p.old, p.young, p.size = p.young, make(map[string]*kept), 0
	}
	if k == nil {
		k = p.keep(p.site.in(slices.Clone(shapes)))
		k.size = keptOctets + len(p.key) + hitOctets*len(k.readings[0].here.held.hits)
	}
	p.size += k.size
	p.young[string(p.key)] = k
	return k.readings[0]
}

func (p *Places) keep(s *Site) *kept {
	k := &kept{memory: p, readings: []*Site{s}}
	s.here.kept = k
	p.looks += s.here.held.looks
	return k
}

// Unknown returns the site's policy for a page whose place is not looked for, since that would be too much work: what statements of the
// robots.txt speak of is not determined there, and so prohibited, "regardless of whether or not such determination is theoretically
// possible" (R-DEC-7, S3 4.3). Other places are forgotten.
func (p *Places) Unknown() *Site {
	if p.unknown == nil {
		p.young, p.old, p.size = make(map[string]*kept), nil, 0
		s := p.site.in(nil)
		s.here.vague = true
		x := p.site.index()
		for i := range x.Entries {
			if len(x.Entries[i].Patterns) > 0 {
				s.here.held.hits = append(s.here.held.hits, match.Hit{Entry: int32(i), Vague: true})
			}
		}
		p.keep(s)
		p.unknown = s
	}
	return p.unknown
}

// A kept is what is remembered of the paths that the same patterns hold.
type kept struct {
	memory   *Places
	size     int     // octets
	readings []*Site // that were asked for, the site's own first; there are few
}

// hasRoom tells whether more may be remembered.
func (k *kept) hasRoom() bool { return k.memory.size < k.memory.limit }

func (k *kept) charge(octets int) {
	k.size += octets
	k.memory.size += octets
}

// A locality is the paths that the same patterns hold, in one reading.
type locality struct {
	held   heldAt // whatever the path
	shapes []int32
	weight int  // see Site.Weight
	vague  bool // it is not known which statements hold: all may

	kept     *kept // nil: nothing is remembered
	hearings map[listening]*hearing
	tellings map[string]*telling
}

// in returns the site's policy as far as it speaks where just these shapes hold.
func (s *Site) in(shapes []int32) *Site {
	x := s.index()
	hits, looks := x.Hits(shapes, s.opts.Without)
	here := &locality{held: heldAt{hits: hits, looks: len(shapes) + looks}, shapes: shapes, weight: x.FixedWeight}
	for _, h := range hits {
		if e := &x.Entries[h.Entry]; e.Reference < 0 {
			here.weight += match.Weight(e.Statement)
		}
	}
	return &Site{file: s.file, answer: s.answer, opts: s.opts, index: s.index, here: here}
}

// under returns the policy of a place under another reading.
func (p *locality) under(s *Site, opts Options) *Site {
	if p.kept != nil {
		for _, other := range p.kept.readings {
			if other.opts == opts {
				return other
			}
		}
	}
	other := &Site{file: s.file, answer: s.answer, opts: opts, index: s.index}
	switch {
	case opts.Without == s.opts.Without:
		other.here = &locality{held: p.held, shapes: p.shapes, weight: p.weight, vague: p.vague}
	default: // R-DEF-3 may be one of the rules
		other = other.in(p.shapes)
	}
	if p.kept != nil {
		other.here.kept = p.kept
		p.kept.readings = append(p.kept.readings, other)
	}
	return other
}

// Weight is about how many things are looked at to answer a question: statements of the file, those included that are only recorded, and
// their names, purposes and patterns. Of a place it counts what holds there, and all that references lead to.
func (s *Site) Weight() int {
	if s.here == nil {
		return s.index().Weight
	}
	return s.here.weight
}

// IsEmpty tells whether the robots.txt has nothing to say, and nothing that is recorded; of a place, whether it has nothing to say there.
func (s *Site) IsEmpty() bool {
	if s.here == nil {
		return len(s.file.Statements)+len(s.file.References) == 0
	}
	return len(s.here.held.hits)+len(s.file.References)+len(s.index().Recorded) == 0
}

// unknown tells whether it is not known which statements hold. The place may be nil.
func (p *locality) unknown() bool { return p != nil && p.vague }

// looked counts work. The place may be nil.
func (p *locality) looked(looks int) {
	if p != nil && p.kept != nil {
		p.kept.memory.looks += looks
	}
}

// A listening is who listens at a place.
type listening struct {
	agent   policy.Agent
	purpose string
}

// A hearing is what somebody is told at a place.
type hearing struct {
	standing
	told    *telling
	private bool // of one view, since there is no room for more
}

// A telling is what one or several are told at a place: the same statements in the same way, so that the robots.txt decides everything
// alike for them.
type telling struct {
	Told
	usages uint32 // of which ACAP statements speak, a bit each
	parts  [terms.UsageCount]*remembered
}

// A Told tells apart what views are told of a place: those that have the same are told the same by the robots.txt, in both vocabularies.
type Told struct {
	number int    // among what is remembered of the place; 0: it is not
	key    string // in that case: which statements, and how they are meant
}

// Told returns what the view is told. It must be one of a Site that Places gave.
func (v *View) Told() Told { return v.heard.told.Told }

// remembered is what the robots.txt says of one usage, in short.
type remembered struct {
	validity
	acap, rep, file Part
}

// hear makes or recalls what the view is told.
func (p *locality) hear(v *View) {
	who := listening{v.agent, v.purpose}
	heard := p.hearings[who]
	if heard == nil {
		heard = p.listen(v)
		if p.kept.hasRoom() {
			if p.hearings == nil {
				p.hearings = make(map[listening]*hearing)
			}
			p.hearings[who] = heard
			p.kept.charge(hearingOctets + len(v.agent) + len(v.purpose) + referenceOctets*len(heard.references))
		}
	}
	v.standing, v.heard = heard.standing, heard
	if !p.kept.hasRoom() {
		// What it recalls from now on is its own.
		told := *heard.told
		v.heard = &hearing{heard.standing, &told, true}
	}
}

// listen finds what the view is told.
func (p *locality) listen(v *View) *hearing {
	v.standing = v.site.standing(v.agent)
	heard := &hearing{standing: v.standing}
	said := v.at("")
	p.looked(len(p.held.hits) + said.looks - p.held.looks + v.looks + len(v.references))
	key := []byte{0}
	if len(v.unresolved) > 0 {
		key[0] |= 1
	}
	if v.unresolvedNamed {
		key[0] |= 2
	}
	told := &telling{}
	for _, c := range said.acap {
		told.usages |= 1 << c.Statement.Usage
	}
	key = append(key, said.key...)
	if known := p.tellings[string(key)]; known != nil {
		told = known
	} else if p.kept.hasRoom() {
		if p.tellings == nil {
			p.tellings = make(map[string]*telling)
		}
		p.tellings[string(key)] = told
		told.number = len(p.tellings)
		p.kept.charge(len(key) + tellingOctets)
	} else {
		told.key = string(key)
	}
	heard.told = told
	return heard
}

// hearsAs tells whether two views of one Site are told the same in ACAP by the robots.txt, where they stand alike in what it says conventionally.
func (v *View) hearsAs(other *View) bool {
	if v.heard == nil || other.heard == nil {
		v.budget.Spend(1 + len(v.acap())/candidatesCompared)
		return slices.Equal(v.acap(), other.acap())
	}
	return v.Told() == other.Told()
}

// recall returns what the robots.txt says of the usage of a question, to a view of a place that is remembered.
func (v *View) recall(q Question) *remembered {
	told := v.heard.told
	r := told.parts[q.Usage]
	if r != nil && r.holds(q) {
		return r
	}
	before := r.octets()
	r = v.remember(q)
	told.parts[q.Usage] = r
	if !v.heard.private {
		v.site.here.kept.charge(r.octets() - before)
	}
	return r
}

func (v *View) remember(q Question) *remembered {
	said := v.at(q.Path)
	v.site.here.looked(len(said.acap))
	if q.Usage == policy.Crawl {
		v.site.here.looked(len(said.rep))
	}
	acap, rep := v.robotsACAP(q), v.robotsREP(q, anything)
	r := &remembered{validity: v.validityOf(said, q), acap: acap.inShort(q.Path), rep: rep.inShort(q.Path)}
	both := v.both(&acap, &rep, q)
	r.file = both.inShort(q.Path)
	return r
}

// octets is about how much memory it takes.
func (r *remembered) octets() int {
	if r == nil {
		return 0
	}
	n := rememberedOctets
	for _, p := range []*Part{&r.acap, &r.rep, &r.file} {
		n += verdictOctets*(len(p.deciding)+len(p.lost)) + qualifierOctets*len(p.qualifiers) + len(p.rules)
	}
	return n
}

// A validity is the questions for which what the robots.txt says of a usage is the same: those that are asked at certain times (R-DEC-10),
// or of a certain page (R-DEC-9). The zero validity is all.
type validity struct {
	timed       bool
	from, until time.Time // the end of a limit, and the end of the next one; a zero from is none, and so is a zero until
	outside     bool      // outside time
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
	case a.outside || q.At.IsZero():
		return a.outside == q.At.IsZero()
	}
	return !q.At.Before(a.from) && (a.until.IsZero() || q.At.Before(a.until))
}

func (v *View) validityOf(said *spokenAt, q Question) (a validity) {
	for _, c := range said.acap {
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
				a.timed, a.outside = true, q.At.IsZero()
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

// undetermined is what ACAP statements of the robots.txt come to of which it is not known whether they hold: whatever they speak of is
// prohibited (R-DEC-7).
func (v *View) undetermined(q Question) Part {
	var p Part
	for _, c := range v.at(q.Path).acap {
		switch {
		case c.Statement.Usage.Covers(q.Usage):
			p.direct = true
		case v.concerns(c.Statement.Usage, q.Usage):
			p.byOther = true
		}
	}
	if !p.direct && !p.byOther {
		return Part{}
	}
	undecided := v.undecided()
	undecided.direct, undecided.byOther = p.direct, !p.direct
	return undecided
}

// undeterminedREP is the same of conventional rules, which speak of crawl.
func (v *View) undeterminedREP(q Question) Part {
	for _, c := range v.at(q.Path).rep {
		if c.inForce && c.Statement.Usage == policy.Crawl {
			return v.undecided()
		}
	}
	return Part{}
}

func (v *View) undecided() Part {
	p := Part{decision: policy.Disallowed, basis: policy.BasisUndetermined, rules: []policy.Rule{policy.RuleUndetermined}}
	if v.without(policy.RuleUndetermined) {
		p.decision = policy.Allowed
	}
	return p
}

// inShort is the part as it is remembered; see Places.At. A path tells which statement leads.
func (p Part) inShort(path string) Part {
	p.leading, p.short = p.Leading(path), true
	if n := len(p.deciding); n > MaxListed {
		list := slices.Clone(p.deciding[:MaxListed])
		for _, v := range p.deciding[MaxListed:] {
			if v.Statement == p.leading {
				list = append(list, v)
				break
			}
		}
		p.deciding = list
	}
	if len(p.lost) > 1 {
		p.lost = []Verdict{p.lost[0]}
	}
	if len(p.qualifiers) > MaxListed {
		p.qualifiers = slices.Clone(p.qualifiers[:MaxListed])
	}
	// It is shared, so that nobody may append to its lists.
	p.deciding, p.lost = slices.Clip(p.deciding), slices.Clip(p.lost)
	p.qualifiers, p.rules = slices.Clip(p.qualifiers), slices.Clip(p.rules)
	return p
}
