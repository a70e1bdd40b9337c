package acap

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/acapscan/acapscan/analyze/policy"
)

// ReadPage adds the ACAP statements in METAs and class tokens of a page to p, in the order of the page. It ignores
// other markup. site is the robots.txt in force for the page, or nil. It defines the local usages of class tokens
// (R-CLASS-1), but not the version of the page (R-VER-1).
//
// ReadPage never fails. Consecutive markup at one offset has consecutive numbers (Statement.Part).
func ReadPage(markup []policy.Markup, site *policy.File, options Options, p *policy.Page) {
	r := &pageReader{page: p, site: site, known: map[string][]part{}, limit: len(p.Statements) + maxPage}
	r.maker = maker{options: options, extra: maxExtraParts}
	if !options.Without.Has(policy.RuleMetaVersion) {
		r.version = pageVersion(markup, options)
	}
	p.Version = r.version
	for _, m := range markup {
		if len(p.Statements) >= r.limit {
			p.Statements[len(p.Statements)-1].AddDefect(policy.DefectSizeLimit)
			break
		}
		r.inBody = m.InBody && !options.BodyMETAs
		switch m.Source {
		case policy.Meta:
			r.readMeta(m)
		case policy.Class:
			if !options.Without.Has(policy.RuleClass) {
				r.readClass(m)
			}
		}
	}
}

type pageReader struct {
	maker
	page   *policy.Page
	site   *policy.File
	known  map[string][]part // cache of the site's local usages
	limit  int               // of the page's statements
	inBody bool              // the current META is in the body and decides nothing (R-META-1)
	offset int64
	part   int // the last one at the offset
}

// statement returns a new statement of markup: with its place, and policy.Recorded.
func (r *pageReader) statement(m policy.Markup) policy.Statement {
	if r.part == 0 || m.Offset != r.offset {
		r.offset, r.part = m.Offset, 0
	}
	s := policy.Statement{
		Vocabulary: policy.ACAP, Source: m.Source, Offset: m.Offset, Part: r.part + 1,
		Field: "acap", Status: policy.Recorded, Raw: m.Raw, Element: m.Element,
	}
	if m.SmartQuotes { // R-META-2
		s.AddDefect(policy.DefectSmartQuotes)
		if r.options.Refuses(policy.DefectSmartQuotes) {
			worsen(&s, policy.Invalid)
		}
	}
	return s
}

func (r *pageReader) add(statements ...policy.Statement) {
	r.page.Statements = append(r.page.Statements, statements...)
	r.part += len(statements)
}

// addRule adds a rule's statements and features.
func (r *pageReader) addRule(w rule, carrier policy.Feature) {
	before := len(r.page.Statements)
	r.page.Statements = r.appendStatements(r.page.Statements, w)
	r.part += len(r.page.Statements) - before
	r.addFeature(carrier)
}

// addFeature adds a feature, unless the current META decides nothing.
func (r *pageReader) addFeature(feature policy.Feature) {
	if !r.inBody {
		r.page.AddFeature(feature)
	}
}

// content is a META's content after the token ACAP. S0 3.
type content struct {
	version policy.Version // zero for none
	rules   []metaRule
	rest    bool // there are words that belong to no rule
	cut     bool // there are rules over the limit
}

// metaRule is one statement of a META.
type metaRule struct {
	sense    policy.Sense
	target   string
	purposes []policy.Purpose
	tokens   []token // after the usage
	misfit   bool    // a qualifier precedes the usage
}

// cutACAP returns a META's content after the token ACAP at its beginning. R-META-1.
func cutACAP(value string) (rest string, ok bool) {
	rest, ok = cutPrefixFold(strings.TrimLeftFunc(value, unicode.IsSpace), "ACAP")
	if !ok {
		return "", false
	}
	if first, _ := utf8.DecodeRuneInString(rest); rest != "" && !unicode.IsSpace(first) {
		return "", false
	}
	return rest, true
}

// readContent parses the content after the token ACAP. R-META-2, R-META-3, R-META-4.
func readContent(rest string) content {
	var c content
	tokens := tokenize(dropCommas(strings.Fields(rest)))
	if len(tokens) >= 2 && strings.EqualFold(tokens[0].text, "version") && !tokens[0].qualifier &&
		!tokens[1].qualifier {
		if version, ok := policy.ParseVersion(tokens[1].text); ok {
			c.version, tokens = version, tokens[2:]
		}
	}
	var plain []token // words without '=', possibly the purpose of the next rule
	for _, t := range tokens {
		sense, target, isRule := cutSense(t.text)
		switch {
		case isRule && !t.qualifier:
			if len(c.rules) == maxParts {
				c.cut = true
				return c
			}
			r := metaRule{sense: sense, target: target}
			for _, t := range plain {
				r.misfit = r.misfit || t.qualifier && policy.QualifierName(policy.LowerASCII(t.name)).Known()
				r.purposes = append(r.purposes, policy.Purpose(t.text))
			}
			c.rules, plain = append(c.rules, r), nil
		case t.qualifier && len(c.rules) > 0:
			last := &c.rules[len(c.rules)-1]
			last.tokens = append(append(last.tokens, plain...), t)
			plain = nil
		default: // before the first rule a URI with a '=' may be the purpose
			plain = append(plain, t)
		}
	}
	if n := len(c.rules); n > 0 {
		c.rules[n-1].tokens = append(c.rules[n-1].tokens, plain...)
	} else {
		c.rest = len(plain) > 0
	}
	return c
}

// dropCommas removes the commas between statements: at the ends of words, and before a rule that follows without a
// blank. Other commas belong to a purpose or value. R-META-3.
func dropCommas(words []string) []string {
	kept := make([]string, 0, len(words))
	for _, word := range words {
		for {
			i := ruleComma(word)
			if i < 0 {
				break
			}
			if head := strings.Trim(word[:i], ","); head != "" {
				kept = append(kept, head)
			}
			word = word[i+1:]
		}
		if word = strings.Trim(word, ","); word != "" {
			kept = append(kept, word)
		}
	}
	return kept
}

// ruleComma returns the index of the first comma in a word next to a rule, or -1.
func ruleComma(word string) int {
	_, _, isRule := cutSense(word)
	for i := 0; i < len(word); i++ {
		if word[i] != ',' {
			continue
		}
		if _, _, next := cutSense(word[i+1:]); isRule || next {
			return i
		}
	}
	return -1
}

// fits reports whether the content is ACAP in any META, not prose that begins with the word. It must have a version, or
// rules of known usages with at most one purpose each and no other words. R-META-1.
func (c content) fits() bool {
	for _, r := range c.rules {
		usage, _ := readUsage(r.target)
		if usage == policy.NoUsage || len(r.purposes) > 1 || r.misfit ||
			slices.ContainsFunc(afterElements(r.tokens), func(t token) bool { return !t.qualifier }) {
			return false
		}
	}
	return !c.rest && (len(c.rules) > 0 || c.version.Stated())
}

// afterElements returns the words after a usage without an element set (S0 3).
func afterElements(tokens []token) []token {
	_, rest := cutElementSet(tokens, true)
	return rest
}

// addressee returns the agent of a META; the name * is any crawler, too. R-META-1. clean is false if the name has more
// than a crawler's. robots is true for the name robots.
func addressee(name string, options Options) (agent policy.Agent, robots, clean bool) {
	name = strings.TrimSpace(name)
	if strings.EqualFold(name, "robots") {
		return policy.AnyAgent, true, true
	}
	agent, clean = policy.ReadAgent(name, options.Without)
	if agent != "" && options.Without.Has(policy.RuleMeta) {
		agent = policy.AnyAgent
	}
	return agent, false, clean
}

// pageVersion returns the first version in the page's METAs, wherever it stands. R-META-4.
func pageVersion(markup []policy.Markup, options Options) policy.Version {
	for _, m := range markup {
		if m.Source != policy.Meta || m.InBody && !options.BodyMETAs ||
			m.SmartQuotes && options.Refuses(policy.DefectSmartQuotes) {
			continue
		}
		rest, ok := cutACAP(m.Value)
		if !ok {
			continue
		}
		if word, _, _ := cutSpace(strings.TrimLeftFunc(rest, unicode.IsSpace)); !strings.EqualFold(word, "version") {
			continue
		}
		agent, robots, _ := addressee(m.Name, options)
		if c := readContent(rest); c.version.Stated() && agent != "" && (robots || c.fits()) {
			return c.version
		}
	}
	return policy.Version{}
}

// cutSpace splits s at its first white space.
func cutSpace(s string) (before, after string, found bool) {
	i := strings.IndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i:], true
}

// readMeta reads a META whose content begins with the token ACAP.
func (r *pageReader) readMeta(m policy.Markup) {
	rest, ok := cutACAP(m.Value)
	if !ok {
		return
	}
	agent, robots, clean := addressee(m.Name, r.options)
	c := readContent(rest)
	if agent == "" || !robots && !c.fits() {
		r.page.ACAPText++
		return
	}
	agents := []policy.Agent{agent}
	anyName := agent == policy.AnyAgent && !robots && !r.options.Without.Has(policy.RuleMeta)
	begin := func(status policy.Status) policy.Statement {
		s := r.statement(m)
		worsen(&s, status)
		s.Agents = agents
		if !clean {
			s.AddDefect(policy.DefectCrawlerName)
		}
		if anyName {
			s.AddDefect(policy.DefectMetaNameAny)
		}
		if m.InBody {
			s.AddDefect(policy.DefectMetaInBody)
		}
		if r.inBody {
			worsen(&s, policy.Ignored)
		}
		return s
	}
	if c.version.Stated() {
		s := begin(policy.Recorded)
		s.Field = "acap-version"
		if c.version.Unknown() { // R-VER-1
			s.AddDefect(policy.DefectVersionUnknown)
		}
		r.add(s)
		r.addFeature(policy.FeatureMetaVersion)
	}
	if r.options.Without.Has(policy.RuleMetaContent) {
		if !c.version.Stated() {
			r.add(begin(policy.Recorded))
		}
		return
	}
	if c.rest || len(c.rules) == 0 && !c.version.Stated() {
		s := begin(policy.Recorded)
		s.AddDefect(policy.DefectSyntax)
		worsen(&s, policy.Invalid)
		r.add(s)
	}
	several := len(c.rules) > 1 || c.version.Stated()
	if len(c.rules) > 1 && r.options.Without.Has(policy.RuleMetaSeveral) {
		c.rules, c.cut = c.rules[:1], false
	}
	for i, w := range c.rules {
		s := begin(policy.Valid)
		s.Purposes = w.purposes
		if m.SmartQuotes {
			r.repair(&s, []policy.Defect{policy.DefectSmartQuotes})
		}
		if several {
			s.AddDefect(policy.DefectSeveralInOneMeta)
		}
		if w.misfit {
			s.AddDefect(policy.DefectSyntax)
			worsen(&s, policy.Invalid)
		}
		if c.cut && i == len(c.rules)-1 {
			s.AddDefect(policy.DefectSizeLimit)
		}
		r.readMetaRule(s, w)
		if agent != policy.AnyAgent {
			r.addFeature(policy.FeatureNamedCrawler)
		}
	}
}

// readMetaRule reads one permission or prohibition of a META. Local usages are unknown in a META (S0 3).
func (r *pageReader) readMetaRule(s policy.Statement, w metaRule) {
	if len(w.purposes) > 0 {
		r.addFeature(policy.FeaturePurpose)
	}
	if slices.ContainsFunc(w.tokens, token.isQualifier) {
		r.addFeature(policy.FeatureQualifier)
	}
	set, tokens := cutElementSet(w.tokens, true)
	s.Resource = set
	qualifiers, repairs, cut := r.readQualifiers(tokens)
	r.locals = nil
	r.addRule(rule{
		base: s, sense: w.sense, target: w.target, qualifiers: qualifiers, repairs: repairs, cut: cut,
		elements: set != "",
	}, policy.FeatureMeta)
}

// readClass reads the ACAP tokens of a class attribute, or one token alone. R-CLASS-1.
func (r *pageReader) readClass(m policy.Markup) {
	for word := range strings.FieldsSeq(m.Value) {
		if len(r.page.Statements) >= r.limit {
			return
		}
		var repairs []policy.Defect
		rest, ok := cutPrefixFold(word, policy.Namespace)
		pilot := false
		if !ok {
			if rest, pilot = cutPrefixFold(word, policy.PilotNamespace); !pilot {
				continue
			}
			repairs = []policy.Defect{policy.DefectPilotNamespace}
		}
		sense, target, isRule := cutSense(rest)
		if !isRule && pilot {
			continue // a class without ACAP
		}
		s := r.statement(m)
		s.Agents = []policy.Agent{policy.AnyAgent}
		if !isRule { // an ACAP name space without a rule
			s.Field = policy.LowerASCII(word)
			if isElementSet(word) { // S0 3 does not say where an element set belongs
				s.Field, s.Resource = "acap-element-set", word
				s.AddDefect(policy.DefectElementSet)
				r.add(s)
				continue
			}
			s.AddDefect(policy.DefectUnknownField)
			worsen(&s, policy.Ignored)
			r.add(s)
			continue
		}
		s.Status = policy.Valid
		if m.SmartQuotes {
			r.repair(&s, []policy.Defect{policy.DefectSmartQuotes})
		}
		r.locals = r.siteLocal
		r.addRule(rule{base: s, sense: sense, target: target, repairs: repairs}, policy.FeatureClass)
	}
}

// siteLocal returns the parts of a local usage in the site's robots.txt.
func (r *pageReader) siteLocal(name string) (parts []part, ok bool) {
	if parts, ok = r.known[name]; ok || r.site == nil {
		return parts, ok
	}
	local, ok := r.site.Locals[name]
	if !ok {
		return nil, false
	}
	for _, p := range local.Parts {
		parts = append(parts, part{usage: p.Usage, qualifiers: p.Qualifiers})
	}
	r.known[name] = parts
	return parts, true
}
