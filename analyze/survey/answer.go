package survey

import (
	"cmp"
	"crypto/sha256"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/terms"
)

// An answer is what one capture of a site's /robots.txt came to.
type answer struct {
	asked    *facts.Fact // the capture of the site's own /robots.txt
	answered *facts.Fact // the capture that answered, after redirects; the same where there were none
	outcome  terms.RobotsOutcome
	body     *facts.Fact // the capture that holds the body of the answer; nil where there is none to read
	digest   string      // SHA-256 of what was kept of the body
	file     *robotsFile // the body, read as a robots.txt; nil where it is none
}

// Ranks of answers: one of a higher rank speaks for the site before any of a lower.
const (
	rankOther       = iota // a page in its place, or a way that the corpus does not have to its end: as if it had not been captured
	rankUnreachable        // the site failed to answer (R-REP-3)
	rankConclusive         // 2xx that is a robots.txt, or 4xx except 429 (R-SITE-1)
)

func (a *answer) rank() int {
	switch a.outcome {
	case terms.OutcomeRules, terms.OutcomeNoRules, terms.OutcomeAbsent, terms.OutcomeForbidden:
		return rankConclusive
	case terms.OutcomeUnreachable:
		return rankUnreachable
	}
	return rankOther
}

func (a *answer) conclusive() bool { return a.rank() == rankConclusive }

// captures are the robots.txt, policy files and answers of others that the facts of one host and crawl hold, found by URL and by
// digest. The http and the https site of a host share them.
type captures struct {
	byURL    map[string][]*facts.Fact // key: urlKey
	inTime   map[string][]*facts.Fact // of byURL, those that stand for moments; made when they are asked for
	byDigest map[string]*holders      // with a body
	shared   map[[sha256.Size]byte][]byte
	bodies   map[*byte]bodyNote // of shared bodies, by their first octet
	others   int                // captures that are not of the sites' own robots.txt
	sizes    [2]int             // octets of shared bodies: of the sites' own robots.txt, and of others
	without  policy.RuleSet     // rules that are left out
	bounds   bounds
	cache    *Policies // of all hosts

	versioned int // what all versions of files hold: references, and statements that these lead to
}

// holders are the captures that have the body of a digest: the first of all, of the host itself, and of each URL. Which else the host has got
// copies of does not matter to who it is.
type holders struct {
	first, own *facts.Fact
	byURL      map[string]*facts.Fact
}

// A bodyNote is what is known of a body.
type bodyNote struct {
	sum    [sha256.Size]byte
	isPage bool // R-LEX-7
	size   int
}

// Bounds on what is held of one host in one crawl. Real ones stay below them. What is beyond is the oldest; the rows of its sites say that
// something is left out.
const (
	maxOtherBodies = 16 << 20 // octets of different bodies of policy files, and of answers of other hosts
	maxOthers      = 1 << 14  // captures of these
)

// bounds are those on captures of the sites' own robots.txt, and on what their pages take.
type bounds struct {
	bodies int   // octets of different bodies; parsed, they take some twenty times as much
	most   int   // captures of one site; of those that follow each other and are alike, the first and the last
	few    int   // so many of one site are held in any case; 2 at least
	pages  int64 // steps for all pages of one site, whatever was written; see site.beyondPages
}

func normalBounds() bounds {
	return bounds{bodies: 4 << 20, most: 1 << 14, few: 1 << 10, pages: math.MaxInt64}
}

func newCaptures(without policy.RuleSet, of bounds, cache *Policies) *captures {
	return &captures{
		byURL: map[string][]*facts.Fact{}, inTime: map[string][]*facts.Fact{}, byDigest: map[string]*holders{},
		shared: map[[sha256.Size]byte][]byte{}, bodies: map[*byte]bodyNote{}, without: without, bounds: of, cache: cache,
	}
}

// add makes a capture known, of which share was told.
func (c *captures) add(f *facts.Fact) {
	key, ok := inforce.URLKey(f.URL)
	if ok {
		c.byURL[key] = append(c.byURL[key], f)
		clear(c.inTime)
	}
	if f.Body == nil || f.ContentDigest == "" {
		return
	}
	h := c.byDigest[f.ContentDigest]
	if h == nil {
		h = &holders{byURL: map[string]*facts.Fact{}}
		c.byDigest[f.ContentDigest] = h
	}
	if h.first == nil || inforce.Earlier(f, h.first) {
		h.first = f
	}
	if f.Kind != facts.KindAnswer && (h.own == nil || inforce.Earlier(f, h.own)) {
		h.own = f
	}
	if h.byURL[key] == nil || inforce.Earlier(f, h.byURL[key]) {
		h.byURL[key] = f
	}
}

// share has a capture share the body of one that has the same. It returns false where there is no room for another body.
func (c *captures) share(f *facts.Fact) bool {
	if len(f.Body) == 0 {
		return true
	}
	note := c.note(f.Body)
	body, known := c.shared[note.sum]
	if !known {
		class, limit := 0, c.bounds.bodies
		if f.Kind != facts.KindRobots {
			class, limit = 1, maxOtherBodies
		}
		if c.sizes[class] > 0 && c.sizes[class]+len(f.Body) > limit {
			return false
		}
		c.sizes[class] += len(f.Body)
		body = f.Body
		c.shared[note.sum] = body
		c.bodies[&body[0]] = note
	}
	f.Body = body
	return true
}

// note tells what is known of a body.
func (c *captures) note(body []byte) bodyNote {
	if len(body) > 0 {
		if n, known := c.bodies[&body[0]]; known && n.size == len(body) {
			return n
		}
	}
	return c.cache.note(body)
}

// body returns the capture that holds the body of f: f itself, or the first of the same digest, of its own URL if there is one, else of the
// host (R-SITE-1: a revisit takes the body of its digest). Nil where the corpus has none.
func (c *captures) body(f *facts.Fact) *facts.Fact {
	if f.Body != nil {
		return f
	}
	if !inforce.LacksBody(f) {
		return nil
	}
	h := c.byDigest[f.ContentDigest]
	if h == nil {
		return nil
	}
	if key, ok := inforce.URLKey(f.URL); ok && h.byURL[key] != nil {
		return h.byURL[key]
	}
	return cmp.Or(h.own, h.first)
}

// isPage tells whether a body is a page and no robots.txt (R-LEX-7).
func (c *captures) isPage(body *facts.Fact) bool {
	return c.note(body.Body).isPage
}

// at returns the capture of a URL that stands for a moment: the latest conclusive one not after it, else the nearest after, else
// one that is not conclusive (R-SITE-1). A redirect counts as conclusive, since it leads on. Without the rule it is the latest of all.
func (c *captures) at(key string, moment int64) *facts.Fact {
	list, known := c.inTime[key]
	if !known {
		all := c.byURL[key]
		for _, f := range all {
			if c.settles(f) {
				list = append(list, f)
			}
		}
		if len(list) == 0 || c.without.Has(policy.RuleInForce) {
			list = slices.Clone(all)
		}
		// Those of one time as facts have them, whichever of the host's sites got which first.
		slices.SortStableFunc(list, func(f, g *facts.Fact) int {
			return cmp.Or(
				cmp.Compare(f.FetchTime, g.FetchTime), cmp.Compare(f.URL, g.URL), cmp.Compare(f.Filename, g.Filename),
				cmp.Compare(f.RecordOffset, g.RecordOffset), cmp.Compare(f.RecordIndex, g.RecordIndex),
			)
		})
		c.inTime[key] = list
	}
	if len(list) == 0 {
		return nil
	}
	return list[c.standing(len(list), moment, func(i int) int64 { return list[i].FetchTime })]
}

// standing returns which of n captures in order of time stands for a moment: the latest not after it, else the first (R-SITE-1). Of those of
// one time it is the first. Without the rule it is the latest of all.
func (c *captures) standing(n int, moment int64, time func(int) int64) int {
	last := sort.Search(n, func(i int) bool { return time(i) > moment }) - 1
	if c.without.Has(policy.RuleInForce) {
		last = n - 1
	}
	latest := time(max(last, 0))
	return sort.Search(max(last, 0), func(i int) bool { return time(i) >= latest })
}

// settles tells whether a capture settles what was answered, as far as bodies are known.
func (c *captures) settles(f *facts.Fact) bool {
	is := inforce.ConclusiveOf(f, c.without, c.isPage)
	if is != inforce.ConclusiveByBody {
		return is == inforce.IsConclusive
	}
	if body := c.body(f); body != nil {
		return !c.isPage(body)
	}
	return inforce.IsEmptyFile(f)
}

// follow goes along redirects from a capture, five hops at most (R-SITE-2). ok is false where the corpus does not have the end.
func (c *captures) follow(from *facts.Fact) (end *facts.Fact, ok bool) {
	end = from
	for hop := 0; inforce.IsRedirect(end); hop++ {
		key, known := inforce.URLKey(end.FetchRedirect)
		if hop == inforce.MaxHops || !known || c.without.Has(policy.RuleRedirect) {
			return from, false
		}
		next := c.at(key, from.FetchTime)
		if next == nil || next == end {
			return from, false
		}
		end = next
	}
	return end, true
}

// find tells what a capture of /robots.txt came to, but for whether a file has rules (R-SITE-2, R-REP-3, R-LEX-7).
func (c *captures) find(asked *facts.Fact) *answer {
	a := &answer{asked: asked, answered: asked}
	end, ok := c.follow(asked)
	if !ok {
		a.outcome = terms.OutcomeRedirectUnresolved
		return a
	}
	a.answered = end
	switch status := end.FetchStatus; {
	case status == 0 || status >= 200 && status < 300 || status == 304:
		a.body = c.body(end)
		switch {
		case a.body != nil && c.isPage(a.body):
			a.outcome = terms.OutcomeNotRobots
		case a.body != nil || inforce.IsEmptyFile(end):
			a.outcome = terms.OutcomeNoRules
		case status == 0 && end.RecordType != terms.RecordRevisit.String() && !end.Partial:
			a.outcome = terms.OutcomeUnreachable
		default: // it refers to a body that the corpus does not hold
			a.outcome = terms.OutcomeRedirectUnresolved
		}
	case status == 401 || status == 403:
		a.outcome = terms.OutcomeForbidden
	case status >= 400 && status < 500 && status != 429:
		a.outcome = terms.OutcomeAbsent
	default:
		a.outcome = terms.OutcomeUnreachable
	}
	return a
}

// findAnswers tells what each capture of the site's /robots.txt came to, and which speaks for the site.
func (s *site) findAnswers() {
	ordered := slices.Clone(s.robots)
	slices.SortStableFunc(ordered, func(f, g *facts.Fact) int {
		return cmp.Or(cmp.Compare(f.FetchTime, g.FetchTime), facts.Compare(f, g))
	})
	highest := rankOther
	for _, f := range ordered {
		a := s.captures.find(f)
		if a.body != nil {
			s.read(a)
		}
		s.answers = append(s.answers, a)
		highest = max(highest, a.rank())
	}
	for _, a := range slices.Backward(s.answers) {
		s.refer(a)
	}
	for _, a := range s.answers {
		if a.rank() == highest || s.captures.without.Has(policy.RuleInForce) {
			s.inTime = append(s.inTime, a)
		}
	}
	s.main = s.inForce(1<<63 - 1)
	for _, versions := range s.files {
		s.inPages.allowed += cost.OfPages * cost.File(writtenFor(versions[len(versions)-1]))
	}
}

// inForce returns the answer that speaks for a moment: the latest conclusive one not after it, else the nearest after (R-SITE-1).
// Where none is conclusive, one that tells of a failure, by the same rule; else any other. Nil where there is no answer at all. Without
// the rule it is the latest answer.
func (s *site) inForce(moment int64) *answer {
	if len(s.inTime) == 0 {
		return nil
	}
	return s.inTime[s.captures.standing(len(s.inTime), moment, func(i int) int64 { return s.inTime[i].asked.FetchTime })]
}

// outcome is what asking the site came to.
func (s *site) outcome() terms.RobotsOutcome {
	if s.main == nil {
		return terms.OutcomeNotCaptured
	}
	return s.main.outcome
}

// replied is what an answer means for what nobody decides (R-REP-3).
func replied(a *answer) decide.Availability {
	switch {
	case a != nil && a.outcome == terms.OutcomeNotRobots:
		return decide.NotRobots
	case a == nil || a.rank() == rankOther:
		return decide.NotCaptured
	case a.rank() == rankUnreachable:
		return decide.Unreachable
	}
	return decide.Answered
}

// policyOf makes the policy that an answer gives.
func (s *site) policyOf(a *answer) *decide.Site {
	if f := s.fileOf(a); f != nil {
		return f.site(s.opts.Decide)
	}
	reply := replied(a)
	if s.constants[reply] == nil {
		s.constants[reply] = decide.NewSite(nil, reply, s.opts.Decide)
	}
	return s.constants[reply]
}

// placesOf remembers what the policy of an answer says where pages lie. Pages come in order of time, so that it is hardly ever another's than
// for the page before; then that is forgotten.
func (s *site) placesOf(a *answer) *decide.DecisionCache {
	if whole := s.policyOf(a); s.places == nil || s.places.Site() != whole {
		s.inPages.used += s.looks()
		s.places, s.looked = decide.NewDecisionCache(whole), 0
	}
	return s.places
}

// looks tells how many there were in places since it was asked last.
func (s *site) looks() int64 {
	if s.places == nil {
		return 0
	}
	before := s.looked
	s.looked = s.places.Cost()
	return int64(s.looked - before)
}

// fileOf is the file of a conclusive answer, nil where there is none.
func (s *site) fileOf(a *answer) *robotsFile {
	if a == nil || !a.conclusive() {
		return nil
	}
	return a.file
}

// file is the robots.txt that speaks for the site, nil where there is none.
func (s *site) file() *robotsFile { return s.fileOf(s.main) }

// moment is the time of a capture as decisions take it.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
