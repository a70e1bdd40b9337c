package survey

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/terms"
)

// A history is the answers that captures of a site's /robots.txt gave over time, and the files that were answered.
type history struct {
	host *hostFiles
	opts Options

	answers  []*answer // in order of time
	eligible []*answer // of answers, those of the highest rank: one of them is in force
	main     *answer   // in force at the end of the crawl; nil if there are no answers

	files     map[bodyKey][]*robotsFile         // a version for each outcome of the references
	referred  map[*facts.Fact]*robotsFile       // files that references name
	owners    map[*policy.Statement]*facts.Fact // captures of the statements in referred files
	constants [decide.Unreachable + 1]*decide.Site
	truncated bool // decisions may depend on what is left out
}

// An answer is what a capture of a site's /robots.txt gave.
type answer struct {
	inforce.Answer
	sum  [sha256.Size]byte // of the body, if there is one
	file *robotsFile       // the parsed body; nil if it is no robots.txt
}

func (a *answer) digest() string { return hex.EncodeToString(a.sum[:]) }

// A robotsFile is one body with one outcome of its references, for one site.
type robotsFile struct {
	*policyText
	owner *facts.Fact // the site's first capture with the body: its record names the statements
}

// find finds the answers of captures, and which one is in force.
func (h *history) find(captures []*facts.Fact) {
	captures = slices.Clone(captures)
	slices.SortStableFunc(captures, func(f, g *facts.Fact) int {
		return cmp.Or(cmp.Compare(f.FetchTime, g.FetchTime), facts.Compare(f, g))
	})
	highest := inforce.RankOther
	for _, f := range captures {
		a := &answer{Answer: h.host.Find(f)}
		if a.Body != nil {
			h.read(a)
		}
		h.answers = append(h.answers, a)
		highest = max(highest, a.Rank())
	}
	for _, a := range slices.Backward(h.answers) {
		h.resolve(a)
	}
	for _, a := range h.answers {
		if a.Rank() == highest || h.opts.Reading.Without.Has(policy.RuleInForce) {
			h.eligible = append(h.eligible, a)
		}
	}
	h.main = h.inForce(math.MaxInt64)
}

// inForce returns the answer in force at a moment: the latest conclusive one not after it, else the first after it
// (R-SITE-1). If none is conclusive, it is a failure by the same rule, else any other answer. It is nil if there are no
// answers.
func (h *history) inForce(moment int64) *answer {
	n := len(h.eligible)
	if n == 0 {
		return nil
	}
	return h.eligible[h.host.Index(n, moment, func(i int) int64 { return h.eligible[i].Asked.FetchTime })]
}

// outcome is the outcome of the answer in force at the end of the crawl.
func (h *history) outcome() terms.RobotsOutcome {
	if h.main == nil {
		return terms.OutcomeNotCaptured
	}
	return h.main.Outcome
}

// answerOf is the decisive part of an answer for usages without a statement (R-REP-3).
func answerOf(a *answer) decide.Availability {
	switch {
	case a != nil && a.Outcome == terms.OutcomeNotRobots:
		return decide.NotRobots
	case a == nil || a.Rank() == inforce.RankOther:
		return decide.NotCaptured
	case a.Rank() == inforce.RankUnreachable:
		return decide.Unreachable
	}
	return decide.Answered
}

// policyOf returns the policy of an answer, which may be nil.
func (h *history) policyOf(a *answer) *decide.Site {
	if f := h.fileOf(a); f != nil {
		return f.site(h.opts.Decide)
	}
	reply := answerOf(a)
	if h.constants[reply] == nil {
		h.constants[reply] = decide.NewSite(nil, reply, h.opts.Decide)
	}
	return h.constants[reply]
}

// fileOf returns the file of a conclusive answer, nil if it has none.
func (h *history) fileOf(a *answer) *robotsFile {
	if a == nil || a.Rank() != inforce.RankConclusive {
		return nil
	}
	return a.file
}

// file returns the robots.txt in force at the end of the crawl, nil if there is none.
func (h *history) file() *robotsFile { return h.fileOf(h.main) }

// moment is the time of a capture as decisions take it.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// read parses the body of an answer, unless it is a page. Equal bodies of a site are one file. See resolve for
// references.
func (h *history) read(a *answer) {
	key := h.keyOf(a)
	if a.Outcome == terms.OutcomeNotRobots {
		return
	}
	if len(h.files[key]) == 0 {
		if h.files == nil {
			h.files = map[bodyKey][]*robotsFile{}
		}
		h.files[key] = []*robotsFile{h.parse(a.Body)}
	}
	a.setFile(h.files[key][0])
}

func (a *answer) setFile(f *robotsFile) {
	if a.file = f; f.rules {
		a.Outcome = terms.OutcomeRules
	}
}

// keyOf notes the digest of the body of an answer.
func (h *history) keyOf(a *answer) bodyKey {
	a.sum = h.host.note(a.Body).sum
	return bodyKey{a.sum, a.Body.BodyTruncated}
}

func (h *history) parse(body *facts.Fact) *robotsFile {
	return &robotsFile{h.host.cache.text(h.host.note(body).sum, body), body}
}

// resolve gives an answer the version of its file whose references have the outcome at its time.
func (h *history) resolve(a *answer) {
	if a.file == nil || len(a.file.References) == 0 {
		return
	}
	key := h.keyOf(a)
	a.file, h.files[key] = h.versionAt(h.files[key], a)
}

// findSpilled finds the answer of a capture in the spill file. It keeps no new file.
func (h *history) findSpilled(f *facts.Fact) *answer {
	a := &answer{Answer: h.host.Find(f)}
	if a.Body == nil {
		return a
	}
	key := h.keyOf(a)
	switch {
	case a.Outcome == terms.OutcomeNotRobots:
	case len(h.files[key]) > 0:
		h.read(a)
		h.resolve(a)
		// The outcome of references depends on the time, and so does which of several alike captures is in force.
		h.truncated = h.truncated || len(a.file.References) > 0
	default:
		a.setFile(h.parse(a.Body))
	}
	return a
}

// Limits on references; what exceeds them stays unresolved.
const (
	maxReferred = 1 << 14 // statements of one file's references

	// References, and statements that they lead to, of all versions of the files of one host.
	maxResolved = 1 << 17
)

// versionAt looks up the references of a file for the time of an answer: in robots.txt syntax only, one level
// (R-REF-1). It returns the version of the file with this outcome, and all versions. In the first, nothing is
// resolved.
func (h *history) versionAt(versions []*robotsFile, a *answer) (*robotsFile, []*robotsFile) {
	first := versions[0]
	found := make([]*facts.Fact, len(first.References))
	for i := range min(len(found), inforce.MaxReferences) {
		found[i] = h.lookUp(a, first.References[i].Locator)
	}
	for _, v := range versions {
		if v.found != nil && slices.Equal(v.found, found) {
			return v, versions
		}
	}
	if h.host.resolved >= maxResolved {
		h.truncated = true
		return first, versions
	}
	// All versions share the statements, so that one written rule is one statement. They do not share the references.
	text, robots, file := *first.policyText, *first.Robots, *first.File
	file.References = slices.Clone(first.References)
	robots.File, text.Robots, text.found = &file, &robots, found
	text.compiled, text.agents = &compiledText{}, nil
	version := &robotsFile{&text, first.owner}
	left := maxReferred
	for i, body := range found {
		ref := &file.References[i]
		ref.Found, ref.Resolved = false, nil
		if body == nil || !ref.Resolve(h.referredFile(body).Statements, left) {
			continue
		}
		left -= len(ref.Resolved)
		for j := range ref.Resolved {
			st := &ref.Resolved[j]
			h.own(st, body)
			version.agents = append(version.agents, st.Agents...)
			version.weight += match.Weight(st)
		}
	}
	h.host.resolved += len(file.References) + maxReferred - left
	return version, append(versions, version)
}

func (h *history) own(st *policy.Statement, capture *facts.Fact) {
	if h.owners == nil {
		h.owners = map[*policy.Statement]*facts.Fact{}
	}
	h.owners[st] = capture
}

// lookUp finds the file that a reference names, nil if the corpus has none in robots.txt syntax.
func (h *history) lookUp(a *answer, locator string) *facts.Fact {
	target, ok := weburl.Resolve(a.Answered.URL, locator)
	if !ok {
		return nil
	}
	key, ok := inforce.URLKey(target)
	if !ok {
		return nil
	}
	capture := h.host.At(key, a.Asked.FetchTime)
	if capture == nil {
		return nil
	}
	end := h.host.Find(capture)
	if end.Outcome != terms.OutcomeNoRules {
		return nil
	}
	return cmp.Or(end.Body, end.Answered) // Answered is an empty file
}

func (h *history) referredFile(body *facts.Fact) *robotsFile {
	f := h.referred[body]
	if f == nil {
		if f = h.parse(body); h.referred == nil {
			h.referred = map[*facts.Fact]*robotsFile{}
		}
		h.referred[body] = f
	}
	return f
}
