package decide

import (
	"slices"

	"github.com/acapscan/acapscan/analyze/policy"
)

// An Element is an element of a page with class tokens about a usage, and the decision for it (R-CLASS-1).
type Element struct {
	Offset     int64 // of its tag in the page
	Element    *policy.Element
	Decision   policy.Decision
	By         []policy.Rule // in order; never empty
	Qualifiers []policy.Qualifier
	Deciding   []Verdict // class tokens of the element or of one around it, or statements about the page
	Lost       []Verdict
}

// ElementBound returns the decision that bounds the class tokens of a page: that of the robots.txt, unless METAs of the
// page set it aside (R-DEC-1). The stricter of the two holds for an element. The zero Partial is no bound.
func (v *View) ElementBound(page *policy.Page, q Question) Partial {
	if meta := v.PageACAP(page, q); meta.Speaks() && !v.without(policy.RuleEmbedded) {
		return Partial{}
	}
	if file := v.file(q); file.Speaks() {
		return file
	}
	return Partial{}
}

// Elements decides the question for each element of the page with class tokens about the usage, in the order of the
// page: those that Decision.Elements lists. The innermost element with a statement about the usage decides (R-CLASS-1),
// the element itself included; several statements of one element are decided as METAs are, so both senses are a
// prohibition. ElementBound bounds the result. If crawl is prohibited for the page, or for the element by its tokens,
// so is every other usage (R-DEC-11).
//
// around returns the offset of the nearest element with class tokens around the one at an offset; ok is false if there
// is none.
func (v *View) Elements(page *policy.Page, q Question, around func(offset int64) (outer int64, ok bool)) []Element {
	touching := elements(page, q.Usage)
	if len(touching) == 0 {
		return nil
	}
	s := elementSearch{view: v, around: around, usage: tokensOn(page, q.Usage), crawl: tokensOn(page, policy.Crawl)}
	s.question, s.crawlQuestion = q, q
	s.crawlQuestion.Usage = policy.Crawl
	s.page, s.pageCrawl, s.over = v.decideAsIfCrawled(page, q), v.decideCrawl(page, q), v.ElementBound(page, q)
	var all []Element
	for _, st := range touching {
		if n := len(all); n == 0 || all[n-1].Offset != st.Offset {
			all = append(all, s.decide(st.Offset, st.Element))
		}
	}
	return all
}

// elementSearch decides one usage for the elements of one page.
type elementSearch struct {
	view                    *View
	around                  func(int64) (int64, bool)
	question, crawlQuestion Question
	usage, crawl            map[int64][]Candidate // class tokens on the usage and on crawl, by element
	page                    Partial               // what is decided for the page itself
	pageCrawl               *Partial              // and of crawl
	over                    Partial
}

// tokensOn returns the class tokens about a usage by the element that they stand on.
func tokensOn(page *policy.Page, u policy.Usage) map[int64][]Candidate {
	on := make(map[int64][]Candidate)
	for i := range page.Statements {
		st := &page.Statements[i]
		if st.Source == policy.Class && st.Status.Decides() && st.Usage.Covers(u) {
			on[st.Offset] = append(on[st.Offset], Candidate{Statement: st})
		}
	}
	return on
}

// innermost decides by the tokens of the innermost element with tokens: the one at the offset, or one around it. The
// zero Partial if none has.
func (s *elementSearch) innermost(offset int64, tokens map[int64][]Candidate, q Question) Partial {
	for at, ok := offset, true; ok; at, ok = s.around(at) {
		if held := tokens[at]; len(held) > 0 {
			p := s.view.choose(held, q, policy.BasisACAPPage)
			p.By = append([]policy.Rule{policy.RuleClass}, p.By...)
			return p
		}
	}
	return Partial{}
}

func (s *elementSearch) decide(offset int64, element *policy.Element) Element {
	own := s.innermost(offset, s.usage, s.question)
	switch {
	case !own.Speaks():
		own = s.page // its tokens are about crawl only
	case s.over.decision > own.decision:
		bound := s.over
		bound.By = appendRules(append([]policy.Rule{}, own.By...), append(bound.By, policy.RuleEmbedded)...)
		bound.Lost = nil
		bound.lose(policy.RuleEmbedded, own.statements()...)
		own = bound
	case s.over.decision == policy.Conditional && own.decision == policy.Conditional:
		own.Qualifiers = mergeQualifiers(own.Qualifiers, s.over.Qualifiers)
		own.By = appendRules(own.By, policy.RuleEmbedded)
		own.Deciding = append(own.Deciding, s.over.Deciding...)
	}
	if s.question.Usage != policy.Crawl && !s.view.without(policy.RuleCrawl) {
		if crawl := s.prohibitedCrawl(offset); crawl.Speaks() {
			hidden := own.statements()
			rules := append(slices.Clone(crawl.By), policy.RuleCrawl)
			own = Partial{decision: policy.Disallowed, By: rules, Deciding: crawl.Deciding}
			own.lose(policy.RuleCrawl, hidden...)
		}
	}
	return Element{
		Offset: offset, Element: element, Decision: own.decision, By: own.By, Qualifiers: own.Qualifiers,
		Deciding: own.Deciding, Lost: own.Lost,
	}
}

// prohibitedCrawl returns the decision that keeps a crawler from the element; the zero Partial if there is none.
func (s *elementSearch) prohibitedCrawl(offset int64) Partial {
	if s.pageCrawl.prohibitsAll() {
		return *s.pageCrawl
	}
	if own := s.innermost(offset, s.crawl, s.crawlQuestion); own.decision == policy.Disallowed {
		return own
	}
	return Partial{}
}
