package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/console"
)

// maxShown bounds the statements, or elements, that one place shows. It counts the others.
const maxShown = 12

// WriteText writes the question and the answers. Usages with the same answer and the same reasons share a paragraph.
func (e *Explanation) WriteText(w io.Writer) error {
	var b strings.Builder
	e.heading(&b)
	type paragraph struct {
		head, body string
		usages     []policy.Usage
	}
	var all []*paragraph
	for _, usage := range e.Usages {
		a := e.decide(usage)
		p := &paragraph{head: a.Decision.Decision.Phrase(), body: e.reasons(a)}
		i := slices.IndexFunc(all, func(o *paragraph) bool { return o.head == p.head && o.body == p.body })
		if i < 0 {
			i, all = len(all), append(all, p)
		}
		all[i].usages = append(all[i].usages, usage)
	}
	for _, p := range all {
		if len(p.usages) == 1 {
			fmt.Fprintf(&b, "\n%s (%s): %s\n", p.usages[0], usageWords(p.usages[0]), p.head)
		} else {
			fmt.Fprintf(&b, "\n%s:\n", capital(p.head))
			for _, u := range p.usages {
				fmt.Fprintf(&b, "    %-20s %s\n", u, usageWords(u))
			}
		}
		b.WriteString(p.body)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heading writes the question, its documents, and the options that are not the defaults.
func (e *Explanation) heading(b *strings.Builder) {
	who := "any crawler"
	if e.agent != policy.AnyAgent {
		who = "the crawler " + console.Printable(string(e.agent))
	}
	fmt.Fprintf(b, "What may %s do with %s?\n", who, console.Printable(e.URL))
	if e.Purpose != "" {
		fmt.Fprintf(b, "  It crawls for the purpose %s.\n", console.Printable(e.Purpose))
	}
	if !e.question.At.IsZero() {
		fmt.Fprintf(b, "  The time is %s (UTC).\n", e.question.At.Format("2006-01-02 15:04:05"))
	}
	fmt.Fprintf(b, "  robots.txt: %s\n", e.robotsWords())
	fmt.Fprintf(b, "  page: %s\n", e.pageWords())
	if e.TDMRep != nil {
		fmt.Fprintf(b, "  tdmrep.json: %s\n", console.Printable(e.TDMRep.Name))
	}
	for _, line := range e.optionWords() {
		fmt.Fprintf(b, "  %s\n", line)
	}
}

func (e *Explanation) robotsWords() string {
	switch {
	case e.robots != nil:
		version := "it states no ACAP version"
		if m := e.robots.Marker; m.Found() {
			version = fmt.Sprintf("ACAP version %s, stated in line %d", console.Printable(m.Version), m.Line)
		}
		file := console.Printable(e.Robots.Name)
		return fmt.Sprintf("%s, %s; %s; %s", file, console.Plural(e.robots.Lines, "line"), version,
			statementWords(e.robots.Statements, len(e.robots.Findings), file))
	case e.Robots != nil:
		return "not known: the file is a page (R-LEX-7)"
	case e.answer == decide.Unreachable:
		return fmt.Sprintf("answered with status %d: out of reach (R-REP-3)", e.Status)
	case e.answer == decide.Answered:
		return fmt.Sprintf("answered with status %d: there is none, and so it says nothing (R-REP-3)", e.Status)
	}
	return "not known"
}

var parserWords = map[string]string{"html": "HTML", "xml": "XML", "": "neither HTML nor XML"}

func (e *Explanation) pageWords() string {
	var parts []string
	file := console.Printable(e.Page.Name)
	if file != "" {
		parts = append(parts, file, parserWords[string(e.Page.Fact.ParsedAs)])
	}
	if n := e.Page.Headers; n > 0 {
		parts = append(parts, console.Plural(n, "header field"))
	}
	if len(parts) == 0 {
		return "not known"
	}
	words := strings.Join(parts, ", ")
	if v := e.page.Version; v.Stated() {
		words += "; ACAP version " + console.Printable(v.Text)
	}
	return words + "; " + statementWords(e.page.Statements, len(e.Page.Fact.Defects), file)
}

// statementWords count statements: those that count, and those with defects.
func statementWords(all []policy.Statement, findings int, file string) string {
	count, defective := 0, 0
	for i := range all {
		if all[i].Status.Decides() {
			count++
		}
		if len(all[i].Defects) > 0 {
			defective++
		}
	}
	words := console.Plural(len(all), "statement")
	if count < len(all) {
		words += fmt.Sprintf(", of which %d can decide", count)
	}
	var wrong []string
	if defective > 0 {
		wrong = append(wrong, fmt.Sprintf("%d of them with defects", defective))
	}
	if findings > 0 {
		wrong = append(wrong, console.Plural(findings, "defect")+" of the file itself")
	}
	switch {
	case len(wrong) == 0:
		return words + ", no defects"
	case file == "":
		return words + ", " + strings.Join(wrong, " and ")
	}
	return fmt.Sprintf("%s, %s ('acapscan check %s' lists them)", words, strings.Join(wrong, " and "), file)
}

// optionWords describe the options that are not the defaults.
func (e *Explanation) optionWords() []string {
	var lines []string
	if e.Deciding.Profile != decide.Profile11 || e.Deciding.Other != decide.OtherBroad {
		lines = append(lines, "Read "+optionsName(e.Deciding, decide.Options{}))
	}
	for _, r := range policy.Rules() {
		if e.Deciding.Without.Has(r) || e.Parsing.Without.Has(r) {
			lines = append(lines, fmt.Sprintf("Read without %s (%s): %s", r, r.Text(), r.Without()))
		}
	}
	return lines
}

// optionsName says in what options differ from others.
func optionsName(opts, from decide.Options) string {
	var parts []string
	if opts.Profile != from.Profile {
		if opts.Profile == decide.ProfilePilot {
			parts = append(parts, "as the pilot of 2007 read it (--profile pilot)")
		} else {
			parts = append(parts, "as ACAP 1.1 reads it (--profile 1.1)")
		}
	}
	if opts.Other != from.Other {
		switch opts.Other {
		case decide.OtherNarrow:
			parts = append(parts, "with 'other' covering no usage that has a name (--other narrow)")
		case decide.OtherLevel:
			parts = append(parts,
				"with 'other' covering each usage that ACAP does not name in the same carrier (--other level)")
		default:
			parts = append(parts,
				"with 'other' covering each usage that no explicit ACAP statement names (--other broad)")
		}
	}
	return strings.Join(parts, ", and ")
}

// reasons writes everything that follows the answer. It does not name the usage.
func (e *Explanation) reasons(a usageAnswer) string {
	var b strings.Builder
	e.because(&b, "  ", a.Decision)
	e.steps(&b, a.Decision)
	if a.Basis == policy.BasisCrawlProhibited {
		also := ""
		if a.IfCrawled == a.Decision.Decision {
			also = "still "
		}
		fmt.Fprintf(&b, "  If crawling were allowed, this would be %s%s.\n", also, a.IfCrawled.Phrase())
	}
	e.writeElements(&b, a)
	e.writePurposes(&b, a)
	for _, o := range a.others {
		words := o.Decision.Decision.Phrase()
		switch {
		case o.Decision.Decision != a.Decision.Decision:
		case !sameQualifiers(o.Qualifiers, a.Qualifiers):
			words = "also allowed, under other conditions"
		default:
			words = "also " + words + ", for another reason"
		}
		fmt.Fprintf(&b, "  Read otherwise, %s: %s\n", optionsName(o.options, e.Deciding), words)
		e.because(&b, "    ", o.Decision)
	}
	return b.String()
}

// because writes the basis of a decision, the statements that decide, and its conditions.
func (e *Explanation) because(b *strings.Builder, indent string, d decide.Decision) {
	end := "."
	if len(d.Deciding) > 0 {
		end = ":"
	}
	fmt.Fprintf(b, "%sbecause %s%s\n", indent, e.basisText(d), end)
	e.quote(b, indent+"  ", d.Deciding)
	if d.Basis == policy.BasisReferenceUnresolved {
		e.writeReferences(b, indent+"  ")
	}
	for _, q := range d.Qualifiers {
		fmt.Fprintf(b, "%son condition: %s\n", indent, conditionWords(q))
	}
}

// basisText names the basis of a decision, after "because".
func (e *Explanation) basisText(d decide.Decision) string {
	if d.Basis == policy.BasisREPPage && len(d.Deciding) > 0 {
		return conventionalCarriers(d.Deciding)
	}
	return d.Basis.Phrase()
}

// carrierWords name the carriers of conventional directives of a page.
var carrierWords = map[policy.Source]string{
	policy.Meta:       "a META of the page",
	policy.PI:         "a robots processing instruction of the page",
	policy.HTTPHeader: "the HTTP header of the page",
}

// conventionalCarriers names the carriers of the statements that decide.
func conventionalCarriers(deciding []decide.Verdict) string {
	var carriers []string
	for _, v := range deciding {
		if words := carrierWords[v.Statement.Source]; !slices.Contains(carriers, words) {
			carriers = append(carriers, words)
		}
	}
	verb := "says"
	if len(carriers) > 1 {
		verb = "say"
	}
	return fmt.Sprintf("%s %s so conventionally", console.List(carriers), verb)
}

// writeReferences lists the permissions-references for the crawler that lack a file, and the flag that gives it.
func (e *Explanation) writeReferences(b *strings.Builder, indent string) {
	shown := 0
	for i := range e.robots.References {
		ref := &e.robots.References[i]
		if ref.Found || !slices.Contains(ref.Agents, policy.AnyAgent) && !slices.ContainsFunc(ref.Agents, e.agent.Is) {
			continue
		}
		if shown++; shown > maxShown {
			fmt.Fprintf(b, "%sand others\n", indent)
			return
		}
		locator := console.Printable(ref.Locator)
		fmt.Fprintf(b, "%srobots.txt line %d refers to %s; --referred %s=FILE gives that file\n",
			indent, ref.Line, locator, locator)
	}
}

// quote writes statements: place, original text, and meaning.
func (e *Explanation) quote(b *strings.Builder, indent string, verdicts []decide.Verdict) {
	for _, v := range verdicts[:min(len(verdicts), maxShown)] {
		fmt.Fprintf(b, "%s%s\n", indent, e.Page.quote(v.Statement))
		fmt.Fprintf(b, "%s    %s\n", indent, plainWords(v.Statement, e.written(v.Statement)))
	}
	if more := len(verdicts) - maxShown; more > 0 {
		fmt.Fprintf(b, "%sand %s (--json has all)\n", indent, console.Plural(more, "more statement"))
	}
}

// written are the usages of all statements that were written as one: a word such as noarchive, or a name that the file
// defines, may mean several.
func (e *Explanation) written(st *policy.Statement) []policy.Usage {
	all := e.page.Statements
	if ref := e.Page.referred[st]; ref != nil {
		all = ref.Resolved
	} else if !st.OfPage() && e.robots != nil {
		all = e.robots.Statements
	}
	var usages []policy.Usage
	for i := range all {
		o := &all[i]
		if o.Source == st.Source && o.Line == st.Line && o.Offset == st.Offset && o.Field == st.Field &&
			o.Sense == st.Sense && o.Status.Decides() && slices.Equal(o.Qualifiers, st.Qualifiers) &&
			!slices.Contains(usages, o.Usage) {
			usages = append(usages, o.Usage)
		}
	}
	return usages
}

// steps writes the rules in order, and under each the statements that it removed.
func (e *Explanation) steps(b *strings.Builder, d decide.Decision) {
	b.WriteString("  step by step:\n")
	shown := map[policy.Rule]bool{}
	for i, rule := range d.By {
		fmt.Fprintf(b, "    %d. %s.\n", i+1, e.stepWords(rule, d))
		if shown[rule] {
			continue
		}
		shown[rule] = true
		if lost := removedBy(d.Lost, rule); len(lost) > 0 {
			words := "Therefore this does not count:"
			if len(lost) > 1 {
				words = "Therefore these do not count:"
			}
			fmt.Fprintf(b, "       %s\n", words)
			e.quote(b, "         ", lost)
		}
	}
}

// stepWords describe the work of a rule in a decision. If a processing instruction counts, no META does (R-REP-4). With
// --other level, R-DEC-13 looks at one carrier only.
func (e *Explanation) stepWords(rule policy.Rule, d decide.Decision) string {
	if rule == policy.RuleOther && e.Deciding.Other == decide.OtherLevel {
		return ruleSentence("a statement about other usages covers each usage that ACAP does not name in the same "+
			"carrier, before any conventional directive", rule)
	}
	isPI := func(v decide.Verdict) bool { return v.Rule == policy.RuleREPPage && v.Statement.Source == policy.PI }
	if rule != policy.RuleREPPage || e.Deciding.Without.Has(policy.RuleREPParser) ||
		!slices.ContainsFunc(d.Deciding, isPI) && !slices.ContainsFunc(d.Lost, isPI) {
		return ruleWords(rule)
	}
	return fmt.Sprintf("In XML the robots processing instruction and the HTTP header count together, "+
		"the most restrictive first (%s; %s; %s, %s)",
		policy.RuleREPParser.Source(), rule.Source(), policy.RuleREPParser, rule)
}

func removedBy(lost []decide.Verdict, rule policy.Rule) []decide.Verdict {
	return slices.DeleteFunc(slices.Clone(lost), func(v decide.Verdict) bool { return v.Rule != rule })
}

// elementRules describe rules about pages as they apply to an element.
var elementRules = map[policy.Rule]string{
	policy.RuleClass:        "the innermost element that says something of the usage decides",
	policy.RuleEmbedded:     "a class attribute lifts nothing that robots.txt prohibits or restricts",
	policy.RuleUndetermined: "an element that both permits and prohibits prohibits",
	policy.RuleCrawl:        "what must not be fetched cannot be used",
}

// writeElements writes the decisions for elements with statements of their own, and that for a crawler which cannot act
// on elements.
func (e *Explanation) writeElements(b *strings.Builder, a usageAnswer) {
	if len(a.elements) == 0 {
		return
	}
	b.WriteString("  elements of the page that speak for themselves:\n")
	for _, el := range a.elements[:min(len(a.elements), maxShown)] {
		fmt.Fprintf(b, "    %s: %s, because\n", e.elementWords(el.Offset, el.Element), el.Decision.Phrase())
		e.quote(b, "      ", el.Deciding)
		for _, q := range el.Qualifiers {
			fmt.Fprintf(b, "      on condition: %s\n", conditionWords(q))
		}
		if outer, ok := e.inside[el.Offset]; ok {
			fmt.Fprintf(b, "      it stands inside the element of line %d\n", e.Page.lineAt(outer))
		}
		for _, rule := range el.By {
			if words, ok := elementRules[rule]; ok {
				fmt.Fprintf(b, "      %s.\n", ruleSentence(words, rule))
			}
		}
	}
	if more := len(a.elements) - maxShown; more > 0 {
		fmt.Fprintf(b, "    and %s (--json has all)\n", console.Plural(more, "more element"))
	}
	fmt.Fprintf(b, "  For a crawler that cannot act on elements the whole page is %s (%s; %s).\n",
		a.WithoutElements.Phrase(), policy.RuleElements.Source(), policy.RuleElements)
}

func (e *Explanation) elementWords(offset int64, el *policy.Element) string {
	words := fmt.Sprintf("line %d, <%s>", e.Page.lineAt(offset), console.Printable(el.Name))
	if el.ID != "" {
		words += " with the id " + console.Printable(el.ID)
	}
	return words
}
