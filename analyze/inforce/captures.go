package inforce

import (
	"cmp"
	"slices"
	"sort"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/terms"
)

// Captures are the robots.txt and other policy files that one host has in one crawl, copies for it included.
type Captures struct {
	without policy.RuleSet
	isPage  func(*facts.Fact) bool
	added   []*facts.Fact            // most hosts have one capture, with its body, and look up none
	indexed int                      // of added
	byURL   map[string][]*facts.Fact // key: URLKey
	// of byURL, those that can be in force, in order of time; made when first needed
	candidates map[string][]*facts.Fact
	byDigest   map[string]*holders
}

// holders are the first captures with the body of a digest: of all, of the host itself, and of each URL.
type holders struct {
	first, own *facts.Fact
	byURL      map[string]*facts.Fact
}

// NewCaptures returns an empty set. isPage reports whether the body of a capture is a page and no robots.txt (R-LEX-7).
func NewCaptures(without policy.RuleSet, isPage func(*facts.Fact) bool) *Captures {
	return &Captures{without: without, isPage: isPage}
}

// Empty removes all captures.
func (c *Captures) Empty() {
	clear(c.added)
	*c = Captures{without: c.without, isPage: c.isPage, added: c.added[:0]}
}

// Add adds a capture.
func (c *Captures) Add(f *facts.Fact) { c.added = append(c.added, f) }

// index indexes what was added since the last look-up.
func (c *Captures) index() {
	if c.indexed == len(c.added) {
		return
	}
	if c.byURL == nil {
		c.byURL, c.candidates = map[string][]*facts.Fact{}, map[string][]*facts.Fact{}
		c.byDigest = map[string]*holders{}
	}
	for _, f := range c.added[c.indexed:] {
		c.indexOne(f)
	}
	c.indexed = len(c.added)
}

func (c *Captures) indexOne(f *facts.Fact) {
	key, ok := URLKey(f.URL)
	if ok {
		c.byURL[key] = append(c.byURL[key], f)
		clear(c.candidates)
	}
	if f.Body == nil || f.ContentDigest == "" {
		return
	}
	h := c.byDigest[f.ContentDigest]
	if h == nil {
		h = &holders{byURL: map[string]*facts.Fact{}}
		c.byDigest[f.ContentDigest] = h
	}
	if h.first == nil || Earlier(f, h.first) {
		h.first = f
	}
	if f.Kind != facts.KindAnswer && (h.own == nil || Earlier(f, h.own)) {
		h.own = f
	}
	if h.byURL[key] == nil || Earlier(f, h.byURL[key]) {
		h.byURL[key] = f
	}
}

// body returns the capture that holds the body of f: f itself, or the first one with its digest, preferably of its own
// URL, else of the host (R-SITE-1). It returns nil if the corpus has no such body.
func (c *Captures) body(f *facts.Fact) *facts.Fact {
	if f.Body != nil {
		return f
	}
	if !LacksBody(f) {
		return nil
	}
	c.index()
	h := c.byDigest[f.ContentDigest]
	if h == nil {
		return nil
	}
	if key, ok := URLKey(f.URL); ok && h.byURL[key] != nil {
		return h.byURL[key]
	}
	return cmp.Or(h.own, h.first)
}

// At returns the capture of a URL that is in force at a moment: the latest conclusive one not after it, else the first
// one after it, else one that is not conclusive (R-SITE-1). A redirect is conclusive. Without R-SITE-1 it is the latest
// of all. It returns nil if the URL was not captured.
func (c *Captures) At(key string, moment int64) *facts.Fact {
	list := c.Candidates(key)
	if len(list) == 0 {
		return nil
	}
	return list[c.Index(len(list), moment, func(i int) int64 { return list[i].FetchTime })]
}

// Candidates returns the captures of a URL of which one is in force at any moment, in order of time (see At). The list
// must not be changed.
func (c *Captures) Candidates(key string) []*facts.Fact {
	c.index()
	list, known := c.candidates[key]
	if !known {
		all := c.byURL[key]
		for _, f := range all {
			if c.conclusive(f) {
				list = append(list, f)
			}
		}
		if len(list) == 0 || c.without.Has(policy.RuleInForce) {
			list = slices.Clone(all)
		}
		// Copies come in another order than other captures: those of one time are brought into the order of facts.
		slices.SortStableFunc(list, func(f, g *facts.Fact) int {
			return cmp.Or(
				cmp.Compare(f.FetchTime, g.FetchTime), cmp.Compare(f.URL, g.URL), cmp.Compare(f.Filename, g.Filename),
				cmp.Compare(f.RecordOffset, g.RecordOffset), cmp.Compare(f.RecordIndex, g.RecordIndex),
			)
		})
		c.candidates[key] = list
	}
	return list
}

// Index returns which of n captures in order of time is in force at a moment: the latest one not after it, else the
// first (R-SITE-1). Of captures of one time it is the first. Without R-SITE-1 it is the latest of all.
func (c *Captures) Index(n int, moment int64, time func(int) int64) int {
	last := sort.Search(n, func(i int) bool { return time(i) > moment }) - 1
	if c.without.Has(policy.RuleInForce) {
		last = n - 1
	}
	latest := time(max(last, 0))
	return sort.Search(max(last, 0), func(i int) bool { return time(i) >= latest })
}

func (c *Captures) conclusive(f *facts.Fact) bool {
	is := ConclusiveOf(f, c.without, c.isPage)
	if is != ConclusiveByBody {
		return is == IsConclusive
	}
	if body := c.body(f); body != nil {
		return !c.isPage(body)
	}
	return IsEmptyFile(f)
}

// follow follows redirects from a capture, at most MaxHops (R-SITE-2). ok is false if the corpus does not have the end.
func (c *Captures) follow(from *facts.Fact) (end *facts.Fact, ok bool) {
	end = from
	for hop := 0; IsRedirect(end); hop++ {
		key, known := URLKey(end.FetchRedirect)
		if hop == MaxHops || !known || c.without.Has(policy.RuleRedirect) {
			return from, false
		}
		next := c.At(key, from.FetchTime)
		if next == nil || next == end {
			return from, false
		}
		end = next
	}
	return end, true
}

// An Answer is what a request for a robots.txt gave.
type Answer struct {
	Asked    *facts.Fact // the capture of the site's own /robots.txt
	Answered *facts.Fact // the capture at the end of its redirects; Asked if there are none
	Body     *facts.Fact // the capture that holds the body; nil if there is none
	Outcome  terms.RobotsOutcome
}

// A Rank orders answers: one of a higher rank is in force before any of a lower rank.
type Rank int

const (
	// a page in the place of a robots.txt, or an unresolved redirect: counts as not captured
	RankOther       Rank = iota
	RankUnreachable      // the site failed to answer (R-REP-3)
	RankConclusive       // 2xx that is a robots.txt, or 4xx except 429 (R-SITE-1)
)

// Rank returns the rank of the answer.
func (a *Answer) Rank() Rank {
	switch {
	case a.Outcome.IsConclusive():
		return RankConclusive
	case a.Outcome == terms.OutcomeUnreachable:
		return RankUnreachable
	}
	return RankOther
}

// Find finds what a capture of a robots.txt answered (R-SITE-2, R-REP-3, R-LEX-7). It does not parse the body: the
// outcome is OutcomeNoRules even if there are rules.
func (c *Captures) Find(asked *facts.Fact) Answer {
	end, ok := c.follow(asked)
	a := Answer{Asked: asked, Answered: end}
	switch status := end.FetchStatus; {
	case !ok:
		a.Outcome = terms.OutcomeRedirectUnresolved
	case status == 0 || status >= 200 && status < 300 || status == 304:
		a.Body = c.body(end)
		switch {
		case a.Body != nil && c.isPage(a.Body):
			a.Outcome = terms.OutcomeNotRobots
		case a.Body != nil || IsEmptyFile(end):
			a.Outcome = terms.OutcomeNoRules
		case status == 0 && end.RecordType != terms.RecordRevisit.String() && !end.Partial:
			a.Outcome = terms.OutcomeUnreachable
		default: // the corpus does not have the body
			a.Outcome = terms.OutcomeRedirectUnresolved
		}
	case status == 401 || status == 403:
		a.Outcome = terms.OutcomeForbidden
	case status >= 400 && status < 500 && status != 429:
		a.Outcome = terms.OutcomeAbsent
	default:
		a.Outcome = terms.OutcomeUnreachable
	}
	return a
}
