package policyfiles

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/terms"
)

// A Site has the answers that captures of a site's /robots.txt gave over time, and the files that were answered. It has
// answers after Host.FindAnswers.
type Site struct {
	Answers   []*Answer // of the captures that are held, in order of time
	Main      *Answer   // in force at the end of the crawl; nil if there are no answers
	Truncated bool      // decisions may depend on what is left out

	host      *Host
	own       ownCaptures
	answers   []Answer                          // what Answers point to
	eligible  []*Answer                         // of Answers, those of the highest rank: one of them is in force
	files     map[bodyKey][]*File               // a version for each outcome of the references
	referred  map[*facts.Fact]*File             // files that references name
	owners    map[*policy.Statement]*facts.Fact // captures of the statements in referred files
	constants [decide.Unreachable + 1]*decide.Site
}

// An Answer is what a capture of a site's /robots.txt gave.
type Answer struct {
	inforce.Answer
	Sum  [sha256.Size]byte // of the body, if there is one
	File *File             // the parsed body; nil if it is no robots.txt
}

// fewFiles is how many files a site has at most whose map the next site uses.
const fewFiles = 8

// empty lets go of what the site has, and keeps memory for a site of the next host.
func (s *Site) empty() {
	files := s.files
	if len(files) > fewFiles {
		files = nil
	}
	clear(files)
	*s = Site{
		own: ownCaptures{held: emptied(s.own.held)}, files: files,
		answers: emptied(s.answers), Answers: emptied(s.Answers), eligible: emptied(s.eligible),
	}
}

// Digest returns the SHA-256 of the body in hexadecimal digits.
func (a *Answer) Digest() string { return hex.EncodeToString(a.Sum[:]) }

// Add adds a capture of the site's own /robots.txt. It keeps the fact.
func (s *Site) Add(f *facts.Fact) error {
	held, err := s.own.add(f)
	s.Truncated = s.Truncated || !held
	return err
}

// AddOther adds another policy file of the host, or a copy of another host's file. It keeps the fact.
func (s *Site) AddOther(f *facts.Fact) {
	// A copy without a URL says that copies are missing.
	if f.URL == "" || !s.host.addOther(f) {
		s.Truncated = true
	}
}

// Captures returns the number of captures of the site's own /robots.txt.
func (s *Site) Captures() int64 { return int64(len(s.own.held)) + s.own.spilled }

// EachAnswer calls visit for the answer of each capture, those that are not held too. It returns the first error of
// visit, or one of reading the spill file.
func (s *Site) EachAnswer(visit func(*Answer) error) error {
	for _, a := range s.Answers {
		if err := visit(a); err != nil {
			return err
		}
	}
	return s.own.eachSpilled(func(f *facts.Fact) error { return visit(s.findSpilled(f)) })
}

// DistinctBodies returns the number of different bodies of Answers.
func (s *Site) DistinctBodies() int64 {
	bodies := map[[sha256.Size]byte]bool{}
	for _, a := range s.Answers {
		if a.Body != nil {
			bodies[a.Sum] = true
		}
	}
	return int64(len(bodies))
}

// Bytes returns for each different body of Answers the length of the robots.txt and of the files that it refers to.
func (s *Site) Bytes() (list []int) {
	for _, versions := range s.files {
		list = append(list, versions[len(versions)-1].Bytes())
	}
	return list
}

// Owner returns the capture that holds a statement of a file or of one that it refers to.
func (s *Site) Owner(st *policy.Statement, f *File) *facts.Fact { return cmp.Or(s.owners[st], f.Owner) }

// find finds the answers of captures, and which one is in force.
func (s *Site) find(captures []*facts.Fact) {
	if len(captures) > 1 {
		captures = slices.Clone(captures)
		slices.SortStableFunc(captures, func(f, g *facts.Fact) int {
			return cmp.Or(cmp.Compare(f.FetchTime, g.FetchTime), facts.Compare(f, g))
		})
	}
	s.answers = slices.Grow(s.answers, len(captures))[:len(captures)]
	highest := inforce.RankOther
	for i, f := range captures {
		a := &s.answers[i]
		if a.Answer = s.host.Find(f); a.Body != nil {
			s.read(a)
		}
		s.Answers = append(s.Answers, a)
		highest = max(highest, a.Rank())
	}
	for _, a := range slices.Backward(s.Answers) {
		s.resolve(a)
	}
	for _, a := range s.Answers {
		if a.Rank() == highest || s.host.cache.reading.Without.Has(policy.RuleInForce) {
			s.eligible = append(s.eligible, a)
		}
	}
	s.Main = s.InForce(math.MaxInt64)
}

// InForce returns the answer in force at a moment: the latest conclusive one not after it, else the first after it
// (R-SITE-1). If none is conclusive, it is a failure by the same rule, else any other answer. It is nil if there are no
// answers.
func (s *Site) InForce(moment int64) *Answer {
	n := len(s.eligible)
	if n == 0 {
		return nil
	}
	return s.eligible[s.host.Index(n, moment, func(i int) int64 { return s.eligible[i].Asked.FetchTime })]
}

// Outcome is the outcome of the answer in force at the end of the crawl.
func (s *Site) Outcome() terms.RobotsOutcome {
	if s.Main == nil {
		return terms.OutcomeNotCaptured
	}
	return s.Main.Outcome
}

// answerOf is the decisive part of an answer for usages without a statement (R-REP-3).
func answerOf(a *Answer) decide.Availability {
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

// PolicyOf returns the policy of an answer, which may be nil.
func (s *Site) PolicyOf(a *Answer) *decide.Site {
	if f := s.FileOf(a); f != nil {
		return f.site(s.host.cache.deciding)
	}
	reply := answerOf(a)
	if s.constants[reply] == nil {
		s.constants[reply] = decide.NewSite(nil, reply, s.host.cache.deciding)
	}
	return s.constants[reply]
}

// FileOf returns the file of a conclusive answer, nil if it has none.
func (s *Site) FileOf(a *Answer) *File {
	if a == nil || a.Rank() != inforce.RankConclusive {
		return nil
	}
	return a.File
}

// File returns the robots.txt in force at the end of the crawl, nil if there is none.
func (s *Site) File() *File { return s.FileOf(s.Main) }

// read parses the body of an answer, unless it is a page. Equal bodies of a site are one file. See resolve for
// references.
func (s *Site) read(a *Answer) {
	key := s.keyOf(a)
	if a.Outcome == terms.OutcomeNotRobots {
		return
	}
	if len(s.files[key]) == 0 {
		if s.files == nil {
			s.files = map[bodyKey][]*File{}
		}
		s.files[key] = []*File{s.parse(a.Body)}
	}
	a.setFile(s.files[key][0])
}

func (a *Answer) setFile(f *File) {
	if a.File = f; f.rules {
		a.Outcome = terms.OutcomeRules
	}
}

// keyOf notes the digest of the body of an answer.
func (s *Site) keyOf(a *Answer) bodyKey {
	a.Sum = s.host.note(a.Body).sum
	return bodyKey{a.Sum, a.Body.BodyTruncated}
}

func (s *Site) parse(body *facts.Fact) *File {
	t := s.host.cache.text(s.host.note(body).sum, body)
	if !t.IsShared {
		s.host.texts = append(s.host.texts, t)
	}
	return &File{t, body}
}

// resolve gives an answer the version of its file whose references have the outcome at its time.
func (s *Site) resolve(a *Answer) {
	if a.File == nil || len(a.File.References) == 0 {
		return
	}
	key := s.keyOf(a)
	a.File, s.files[key] = s.versionAt(s.files[key], a)
}

// findSpilled finds the answer of a capture in the spill file. It keeps no new file.
func (s *Site) findSpilled(f *facts.Fact) *Answer {
	a := &Answer{Answer: s.host.Find(f)}
	if a.Body == nil {
		return a
	}
	key := s.keyOf(a)
	switch {
	case a.Outcome == terms.OutcomeNotRobots:
	case len(s.files[key]) > 0:
		s.read(a)
		s.resolve(a)
		// The outcome of references depends on the time, and so does which of several alike captures is in force.
		s.Truncated = s.Truncated || len(a.File.References) > 0
	default:
		a.setFile(s.parse(a.Body))
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
func (s *Site) versionAt(versions []*File, a *Answer) (*File, []*File) {
	first := versions[0]
	found := make([]*facts.Fact, len(first.References))
	for i := range min(len(found), inforce.MaxReferences) {
		found[i] = s.lookUp(a, first.References[i].Locator)
	}
	for _, v := range versions {
		if v.found != nil && slices.Equal(v.found, found) {
			return v, versions
		}
	}
	if s.host.resolved >= maxResolved {
		s.Truncated = true
		return first, versions
	}
	// All versions share the statements, so that one written rule is one statement. They do not share the references.
	text, robots, file := *first.text, *first.Robots, *first.File
	file.References = slices.Clone(first.References)
	robots.File, text.Robots, text.found = &file, &robots, found
	text.compiled, text.ReferredAgents = &compiled{}, nil
	version := &File{&text, first.Owner}
	if s.owners == nil {
		s.owners = map[*policy.Statement]*facts.Fact{}
	}
	left := maxReferred
	for i, body := range found {
		ref := &file.References[i]
		ref.Found, ref.Resolved = false, nil
		if body == nil || !ref.Resolve(s.referredFile(body).Statements, left) {
			continue
		}
		left -= len(ref.Resolved)
		for j := range ref.Resolved {
			st := &ref.Resolved[j]
			s.owners[st] = body
			version.ReferredAgents = append(version.ReferredAgents, st.Agents...)
		}
	}
	s.host.resolved += len(file.References) + maxReferred - left
	return version, append(versions, version)
}

// lookUp finds the file that a reference names, nil if the corpus has none in robots.txt syntax.
func (s *Site) lookUp(a *Answer, locator string) *facts.Fact {
	target, ok := weburl.Resolve(a.Answered.URL, locator)
	if !ok {
		return nil
	}
	key, ok := inforce.URLKey(target)
	if !ok {
		return nil
	}
	capture := s.host.At(key, a.Asked.FetchTime)
	if capture == nil {
		return nil
	}
	end := s.host.Find(capture)
	if end.Outcome != terms.OutcomeNoRules {
		return nil
	}
	return cmp.Or(end.Body, end.Answered) // Answered is an empty file
}

func (s *Site) referredFile(body *facts.Fact) *File {
	f := s.referred[body]
	if f == nil {
		if f = s.parse(body); s.referred == nil {
			s.referred = map[*facts.Fact]*File{}
		}
		s.referred[body] = f
	}
	return f
}
