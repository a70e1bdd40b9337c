package survey

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/reading"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/output/table"
)

// maxHops is how many redirects of a robots.txt are followed (R-SITE-2, RFC 2.3.1.2).
const maxHops = 5

// An answer is what one capture of a site's /robots.txt came to.
type answer struct {
	asked    *facts.Fact // the capture of the site's own /robots.txt
	answered *facts.Fact // the capture that answered, after redirects; the same where there were none
	outcome  table.RobotsOutcome
	file     *robotsFile // what was read; nil where there is nothing to read
}

// A robotsFile is one body, read once however often it was captured.
type robotsFile struct {
	*reading.Robots
	owner  *facts.Fact // the first capture that has the body: its record names the statements
	digest string      // SHA-256 of what was kept of the body
	sites  map[decide.Options]*decide.Site
}

// conclusive: 2xx that is a robots.txt, or 4xx except 429 (R-SITE-1).
func (a *answer) conclusive() bool {
	switch a.outcome {
	case table.OutcomeRules, table.OutcomeNoRules, table.OutcomeAbsent, table.OutcomeForbidden:
		return true
	}
	return false
}

// captures are the robots.txt and policy captures that a site's bucket holds, found by URL and by digest.
type captures struct {
	byURL    map[string][]*facts.Fact // key: urlKey; in order of time
	byDigest map[string]*facts.Fact   // with a body
}

func (c *captures) add(f *facts.Fact) {
	if c.byURL == nil {
		c.byURL, c.byDigest = map[string][]*facts.Fact{}, map[string]*facts.Fact{}
	}
	if key, ok := urlKey(f.URL); ok {
		c.byURL[key] = append(c.byURL[key], f)
	}
	if f.Body != nil && f.ContentDigest != "" {
		if have := c.byDigest[f.ContentDigest]; have == nil || f.FetchTime < have.FetchTime {
			c.byDigest[f.ContentDigest] = f
		}
	}
}

// urlKey is what two URLs of one resource have in common: site, path and query.
func urlKey(url string) (string, bool) {
	u, ok := weburl.Split(url)
	if !ok {
		return "", false
	}
	return u.Site() + policy.NormalizePath(u.PathQuery()), true
}

// body returns the capture that holds the body of f: f itself, or another of the same digest (R-SITE-1: a revisit takes the body
// of its digest).
func (c *captures) body(f *facts.Fact) *facts.Fact {
	if f.Body != nil {
		return f
	}
	if f.ContentDigest != "" {
		if owner := c.byDigest[f.ContentDigest]; owner != nil {
			return owner
		}
	}
	return nil
}

// at returns the capture of a URL that stands for a moment: the latest not after it, else the nearest after (R-SITE-1).
func (c *captures) at(key string, moment int64) *facts.Fact {
	var best *facts.Fact
	for _, f := range c.byURL[key] {
		if best == nil || nearer(f.FetchTime, best.FetchTime, moment) {
			best = f
		}
	}
	return best
}

// nearer tells whether time a stands for the moment rather than time b does: R-SITE-1.
func nearer(a, b, moment int64) bool {
	switch {
	case a <= moment && b <= moment:
		return a > b
	case a <= moment:
		return true
	case b <= moment:
		return false
	}
	return a < b
}

// follow goes along redirects from a capture, five hops at most. ok is false where the corpus does not have the end.
func (c *captures) follow(from *facts.Fact) (end *facts.Fact, ok bool) {
	end = from
	for hop := 0; isRedirect(end); hop++ {
		key, known := urlKey(end.FetchRedirect)
		if hop == maxHops || !known {
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

// isRedirect: 304 is no redirect, it says that nothing changed.
func isRedirect(f *facts.Fact) bool {
	return f.FetchStatus >= 300 && f.FetchStatus < 400 && f.FetchStatus != 304
}

// find tells what a capture of /robots.txt came to (R-SITE-2, R-REP-3, R-LEX-7). read gives the file of a body.
func (c *captures) find(asked *facts.Fact, read func(owner *facts.Fact) *robotsFile) *answer {
	a := &answer{asked: asked, answered: asked}
	end, ok := c.follow(asked)
	if !ok {
		a.outcome = table.OutcomeRedirectUnresolved
		return a
	}
	a.answered = end
	owner := c.body(end)
	switch status := end.FetchStatus; {
	case status >= 200 && status < 300,
		status == 0 && owner != nil,   // a resource record, or an answer without a status line
		status == 304 && owner != nil: // a revisit that says "not modified"
		a.readBody(owner, read)
	case status == 304:
		a.outcome = table.OutcomeRedirectUnresolved
	case status == 401 || status == 403:
		a.outcome = table.OutcomeForbidden
	case status >= 400 && status < 500 && status != 429:
		a.outcome = table.OutcomeAbsent
	default:
		a.outcome = table.OutcomeUnreachable
	}
	return a
}

func (a *answer) readBody(owner *facts.Fact, read func(*facts.Fact) *robotsFile) {
	if owner == nil {
		// 2xx without a body that the corpus holds: an empty file, or a revisit whose original lies elsewhere.
		a.outcome = table.OutcomeNoRules
		if a.answered.RecordType == string(table.RecordRevisit) {
			a.outcome = table.OutcomeRedirectUnresolved
		}
		return
	}
	if reading.NotRobots(owner.Body) {
		a.outcome = table.OutcomeNotRobots
		return
	}
	a.file = read(owner)
	a.outcome = table.OutcomeNoRules
	for i := range a.file.Statements {
		if st := &a.file.Statements[i]; st.Sense != policy.NoSense && st.Status.Decides() {
			a.outcome = table.OutcomeRules
			break
		}
	}
}

// readFile reads a body once for each digest of it.
func (s *site) readFile(owner *facts.Fact) *robotsFile {
	sum := sha256.Sum256(owner.Body)
	digest := hex.EncodeToString(sum[:])
	if f := s.files[digest]; f != nil {
		return f
	}
	f := &robotsFile{
		Robots: reading.ReadRobots(owner.Body, owner.BodyTruncated, s.opts.Reading),
		owner:  owner, digest: digest, sites: map[decide.Options]*decide.Site{},
	}
	s.files[digest] = f
	s.resolveReferences(f)
	return f
}

// resolveReferences looks every permissions-reference up in the corpus: robots.txt syntax only, one level (R-REF-1).
func (s *site) resolveReferences(f *robotsFile) {
	for i := range f.References {
		ref := &f.References[i]
		target, ok := weburl.Resolve(f.owner.URL, ref.Locator)
		if !ok {
			continue
		}
		key, ok := urlKey(target)
		if !ok {
			continue
		}
		found := s.captures.at(key, f.owner.FetchTime)
		if found == nil {
			continue
		}
		end, ok := s.captures.follow(found)
		if !ok || end.FetchStatus != 0 && (end.FetchStatus < 200 || end.FetchStatus > 299) {
			continue
		}
		owner := s.captures.body(end)
		if owner == nil || reading.NotRobots(owner.Body) {
			continue
		}
		referred := reading.ReadRobots(owner.Body, owner.BodyTruncated, s.opts.Reading)
		ref.Found = true
		for _, st := range referred.Statements {
			if st.Vocabulary == policy.ACAP && speaksTo(&st, ref.Agents) {
				ref.Resolved = append(ref.Resolved, st)
			}
		}
		for j := range ref.Resolved {
			s.owners[&ref.Resolved[j]] = owner
		}
	}
}

// speaksTo tells whether a statement is for any of the agents, or for all.
func speaksTo(st *policy.Statement, agents []policy.Agent) bool {
	return st.AddressesAny() || slices.ContainsFunc(agents, func(a policy.Agent) bool { return a == policy.AnyAgent || st.Names(a) })
}

// inForce returns the answer that speaks for a moment: the latest conclusive one not after it, else the nearest after (R-SITE-1).
// Where none is conclusive it returns the last answer of all, nil where there is none.
func (s *site) inForce(moment int64) *answer {
	var best *answer
	for _, a := range s.answers {
		if a.conclusive() && (best == nil || nearer(a.asked.FetchTime, best.asked.FetchTime, moment)) {
			best = a
		}
	}
	if best == nil && len(s.answers) > 0 {
		best = s.answers[len(s.answers)-1]
	}
	return best
}

// policyOf makes the policy that an answer gives, under a reading.
func (s *site) policyOf(a *answer, opts decide.Options) *decide.Site {
	switch {
	case a == nil:
		return s.constant(decide.NotCaptured, opts)
	case a.conclusive() && a.file != nil:
		site := a.file.sites[opts]
		if site == nil {
			site = decide.NewSite(a.file.File, decide.Answered, opts)
			a.file.sites[opts] = site
		}
		return site
	case a.conclusive():
		return s.constant(decide.Answered, opts)
	case s.unreachable():
		return s.constant(decide.Unreachable, opts)
	}
	return s.constant(decide.NotCaptured, opts)
}

// unreachable tells whether the site failed to answer; a page or a lost redirect in the place of an answer is no failure.
func (s *site) unreachable() bool {
	return slices.ContainsFunc(s.answers, func(a *answer) bool { return a.outcome == table.OutcomeUnreachable })
}

func (s *site) constant(answer decide.Answer, opts decide.Options) *decide.Site {
	return decide.NewSite(nil, answer, opts)
}

// moment is the time of a capture as decisions take it.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
