package survey

import (
	"encoding/hex"
	"slices"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/match"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/terms"
)

// A robotsFile is one body, read once however often it was captured; once for each thing that its references lead to.
type robotsFile struct {
	*policyText
	owner *facts.Fact // the first capture of the site that has the body: its record names the statements
}

// A bodyKey tells bodies apart: a body that is known to lack its end is read differently.
type bodyKey struct {
	digest    string
	truncated bool
}

// maxWeight bounds what it takes to answer one question about a robots.txt: statements, agents of their records, patterns of their
// resource sets. Real files stay below a hundredth of it. Statements beyond are not read: policy.DefectSizeLimit.
const maxWeight = 1 << 20

// read reads the body of an answer, unless it is a page. One body is read once for a site. What its references lead to is another step:
// see refer.
func (s *site) read(a *answer) {
	key := s.keyOfBody(a)
	if a.outcome == terms.OutcomeNotRobots {
		return
	}
	if len(s.files[key]) == 0 {
		s.files[key] = []*robotsFile{s.readFile(a.body)}
	}
	a.file = s.files[key][0]
	if a.file.rules {
		a.outcome = terms.OutcomeRules
	}
}

// refer gives an answer that was read the version of its file whose references lead where they led at its time.
func (s *site) refer(a *answer) {
	if a.file == nil || len(a.file.References) == 0 {
		return
	}
	key := s.keyOfBody(a)
	a.file, s.files[key] = s.versionAt(s.files[key], a)
}

// readAside reads the body of an answer that is not held. Where it is not one that is, it is read for this once.
func (s *site) readAside(a *answer) {
	key := s.keyOfBody(a)
	switch {
	case a.outcome == terms.OutcomeNotRobots:
	case len(s.files[key]) > 0:
		s.read(a)
		s.refer(a)
		// What references lead to depends on the time, and which capture of a run of such stands for a moment does so, too.
		s.leftOut = s.leftOut || len(a.file.References) > 0
	default:
		if a.file = s.readFile(a.body); a.file.rules {
			a.outcome = terms.OutcomeRules
		}
	}
}

// keyOfBody notes the digest of the body of an answer.
func (s *site) keyOfBody(a *answer) bodyKey {
	sum := s.captures.note(a.body.Body).sum
	a.digest = hex.EncodeToString(sum[:])
	return bodyKey{a.digest, a.body.BodyTruncated}
}

// readFile reads a body, or recalls what it says where another host has it.
func (s *site) readFile(body *facts.Fact) *robotsFile {
	return &robotsFile{s.captures.cache.text(s.captures.note(body.Body).sum, body), body}
}

// Bounds on what the references of one file lead to. What is beyond stays unresolved.
const (
	maxReferred = 1 << 14 // statements

	// References and their statements of all versions of the files of one host, since each version has its own; the oldest have none then.
	maxVersioned = 1 << 17
)

// versionAt looks the references of a file up in the corpus, for the time and the place of an answer: robots.txt syntax only, one level
// (R-REF-1). It returns the version of the file that has just these, and all versions. The first has none.
func (s *site) versionAt(versions []*robotsFile, a *answer) (*robotsFile, []*robotsFile) {
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
	if s.captures.versioned >= maxVersioned {
		s.leftOut = true
		return first, versions
	}
	// The statements are shared by all versions, so that one written rule is one statement; the references are not.
	text, robots, file := *first.policyText, *first.Robots, *first.File
	file.References = slices.Clone(first.References)
	robots.File, text.Robots, text.found = &file, &robots, found
	text.compiled, text.agents = &compiledText{}, nil
	version := &robotsFile{&text, first.owner}
	left := maxReferred
	for i, body := range found {
		ref := &file.References[i]
		ref.Found, ref.Resolved = false, nil
		if body == nil || !ref.Resolve(s.referred(body).Statements, left) {
			continue
		}
		left -= len(ref.Resolved)
		for j := range ref.Resolved {
			st := &ref.Resolved[j]
			s.owners[st] = body
			version.agents = append(version.agents, st.Agents...)
			version.weight += match.Weight(st)
		}
	}
	s.captures.versioned += len(file.References) + maxReferred - left
	return version, append(versions, version)
}

// lookUp finds the body that a reference leads to: nil where the corpus has none that is in robots.txt syntax.
func (s *site) lookUp(a *answer, locator string) *facts.Fact {
	target, ok := weburl.Resolve(a.answered.URL, locator)
	if !ok {
		return nil
	}
	key, ok := inforce.URLKey(target)
	if !ok {
		return nil
	}
	capture := s.captures.at(key, a.asked.FetchTime)
	if capture == nil {
		return nil
	}
	end := s.captures.find(capture)
	switch {
	case end.outcome != terms.OutcomeNoRules:
		return nil
	case end.body == nil:
		return end.answered // an empty file
	}
	return end.body
}

// referred reads a file that a record refers to.
func (s *site) referred(body *facts.Fact) *robotsFile {
	f := s.referredFiles[body]
	if f == nil {
		f = s.readFile(body)
		s.referredFiles[body] = f
	}
	return f
}
