package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/console"
)

// This file tells a person what explain found: for who knows neither the documents nor our ids.

// maxTold is how many statements, or elements, are told in one place before it is only said how many more there are.
const maxTold = 12

// tell says all that was asked: first of what, then the answers. Usages of which the same is to be said are told
// together.
func (in *explainQuery) tell(w io.Writer) error {
	var b strings.Builder
	in.heading(&b)
	type telling struct {
		head   string
		body   string
		usages []policy.Usage
	}
	var all []*telling
	for _, usage := range in.usages {
		a := in.decide(usage)
		t := telling{head: a.Decision.Decision.Phrase(), body: in.reasons(a)}
		i := slices.IndexFunc(all, func(o *telling) bool { return o.head == t.head && o.body == t.body })
		if i < 0 {
			i, all = len(all), append(all, &t)
		}
		all[i].usages = append(all[i].usages, usage)
	}
	for _, t := range all {
		b.WriteString("\n")
		if len(t.usages) == 1 {
			fmt.Fprintf(&b, "%s (%s): %s\n", t.usages[0], asked(t.usages[0]), t.head)
		} else {
			fmt.Fprintf(&b, "%s%s:\n", strings.ToUpper(t.head[:1]), t.head[1:])
			for _, u := range t.usages {
				fmt.Fprintf(&b, "    %-20s %s\n", u, asked(u))
			}
		}
		b.WriteString(t.body)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heading says what is asked, of which documents, and how they are read.
func (in *explainQuery) heading(b *strings.Builder) {
	who := "any crawler"
	if in.agent != policy.AnyAgent {
		who = "the crawler " + console.Printable(string(in.agent))
	}
	fmt.Fprintf(b, "What may %s do with %s?\n", who, console.Printable(in.flags.url))
	if in.flags.purpose != "" {
		fmt.Fprintf(b, "  It crawls for the purpose %s.\n", console.Printable(in.flags.purpose))
	}
	if !in.question.At.IsZero() {
		fmt.Fprintf(b, "  The time is %s (UTC).\n", in.question.At.Format("2006-01-02 15:04:05"))
	}
	fmt.Fprintf(b, "  robots.txt: %s\n", in.robotsWords())
	fmt.Fprintf(b, "  page: %s\n", in.pageWords())
	for _, line := range in.readingWords() {
		fmt.Fprintf(b, "  %s\n", line)
	}
}

func (in *explainQuery) robotsWords() string {
	switch {
	case in.robots != nil:
		version := "it states no ACAP version"
		if m := in.robots.Marker; m.Found() {
			version = fmt.Sprintf("ACAP version %s, stated in line %d", console.Printable(m.Version), m.Line)
		}
		file := console.Printable(in.flags.robots)
		return fmt.Sprintf("%s, %s; %s; %s", file, console.Plural(in.robots.Lines, "line"), version,
			statementWords(in.robots.Statements, len(in.robots.Findings), file))
	case in.flags.robots != "":
		return "not known: the file is a page (R-LEX-7)"
	case in.answer == decide.Unreachable:
		return fmt.Sprintf("answered with status %d: out of reach (R-REP-3)", in.flags.status)
	case in.answer == decide.Answered:
		return fmt.Sprintf("answered with status %d: there is none, and so it says nothing (R-REP-3)", in.flags.status)
	}
	return "not known"
}

var parserWords = map[string]string{"html": "HTML", "xml": "XML", "": "neither HTML nor XML"}

func (in *explainQuery) pageWords() string {
	var parts []string
	file := console.Printable(in.flags.page)
	if file != "" {
		parts = append(parts, file, parserWords[string(in.doc.fact.ParsedAs)])
	}
	if n := len(in.flags.headers); n > 0 {
		parts = append(parts, console.Plural(n, "header field"))
	}
	if len(parts) == 0 {
		return "not known"
	}
	words := strings.Join(parts, ", ")
	if v := in.page.Version; v.Stated() {
		words += "; ACAP version " + console.Printable(v.Text)
	}
	return words + "; " + statementWords(in.page.Statements, len(in.doc.fact.Defects), file)
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

// readingWords say in what the reading departs from the default one.
func (in *explainQuery) readingWords() []string {
	var lines []string
	if in.reading.Profile != decide.Profile11 || in.reading.Other != decide.OtherBroad {
		lines = append(lines, "Read "+readingName(in.reading, decide.Options{}))
	}
	for _, r := range policy.Rules() {
		if in.reading.Without.Has(r) || in.flags.reading().Without.Has(r) {
			lines = append(lines, fmt.Sprintf("Read without %s (%s): %s", r, r.Text(), r.Without()))
		}
	}
	return lines
}

// readingName says in what one reading differs from another.
func readingName(reading, from decide.Options) string {
	var parts []string
	if reading.Profile != from.Profile {
		if reading.Profile == decide.ProfilePilot {
			parts = append(parts, "as the pilot of 2007 read it (--profile pilot)")
		} else {
			parts = append(parts, "as ACAP 1.1 reads it (--profile 1.1)")
		}
	}
	if reading.Other != from.Other {
		switch reading.Other {
		case decide.OtherNarrow:
			parts = append(parts, "with 'other' covering no usage that has a name (--other narrow)")
		case decide.OtherLevel:
			parts = append(parts, "with 'other' covering each usage that ACAP does not name in the same carrier (--other level)")
		default:
			parts = append(parts, "with 'other' covering each usage that no explicit ACAP statement names (--other broad)")
		}
	}
	return strings.Join(parts, ", and ")
}

// reasons says why: all that follows the answer. It does not name the usage asked.
func (in *explainQuery) reasons(a answer) string {
	var b strings.Builder
	in.because(&b, "  ", a.Decision)
	in.steps(&b, a.Decision)
	if a.Basis == policy.BasisCrawlProhibited {
		also := ""
		if a.IfCrawled == policy.Disallowed {
			also = "still "
		}
		fmt.Fprintf(&b, "  If crawling were allowed, this would be %s%s.\n", also, a.IfCrawled.Phrase())
	}
	in.tellElements(&b, a)
	in.tellPurposes(&b, a)
	for _, o := range a.others {
		words := o.Decision.Decision.Phrase()
		switch {
		case o.Decision.Decision != a.Decision.Decision:
		case !sameQualifiers(o.Qualifiers, a.Qualifiers):
			words = "also allowed, under other conditions"
		default:
			words = "also " + words + ", for another reason"
		}
		fmt.Fprintf(&b, "  Read otherwise, %s: %s\n", readingName(o.reading, in.reading), words)
		in.because(&b, "    ", o.Decision)
	}
	return b.String()
}

// because says what a decision rests on, with the statements that make it and its conditions.
func (in *explainQuery) because(b *strings.Builder, indent string, d decide.Decision) {
	end := "."
	if len(d.Deciding) > 0 {
		end = ":"
	}
	fmt.Fprintf(b, "%sbecause %s%s\n", indent, in.basisText(d), end)
	in.quote(b, indent+"  ", d.Deciding)
	if d.Basis == policy.BasisReferenceUnresolved {
		in.tellReferences(b, indent+"  ")
	}
	for _, q := range d.Qualifiers {
		fmt.Fprintf(b, "%son condition: %s\n", indent, conditionWords(q))
	}
}

// basisText says what a decision rests on, after "because".
func (in *explainQuery) basisText(d decide.Decision) string {
	switch {
	case d.Basis == policy.BasisREPPage && len(d.Deciding) > 0:
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

// conventionalCarriers says which carriers hold the statements that decide.
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

// tellReferences lists the permissions-references that hold for the crawler and have no file, and how to give it.
func (in *explainQuery) tellReferences(b *strings.Builder, indent string) {
	told := 0
	for i := range in.robots.References {
		ref := &in.robots.References[i]
		if ref.Found || !slices.Contains(ref.Agents, policy.AnyAgent) && !slices.ContainsFunc(ref.Agents, in.agent.Is) {
			continue
		}
		if told++; told > maxTold {
			fmt.Fprintf(b, "%sand others\n", indent)
			return
		}
		locator := console.Printable(ref.Locator)
		fmt.Fprintf(b, "%srobots.txt line %d refers to %s; --referred %s=FILE gives that file\n", indent, ref.Line, locator, locator)
	}
}

// quote tells statements: where they stand, in their own words, and in plain ones.
func (in *explainQuery) quote(b *strings.Builder, indent string, verdicts []decide.Verdict) {
	for _, v := range verdicts[:min(len(verdicts), maxTold)] {
		fmt.Fprintf(b, "%s%s\n%s    %s\n", indent, in.doc.quote(v.Statement), indent, plainWords(v.Statement, in.written(v.Statement)))
	}
	if more := len(verdicts) - maxTold; more > 0 {
		fmt.Fprintf(b, "%sand %s (--json has all)\n", indent, console.Plural(more, "more statement"))
	}
}

// written are the usages of what was written as one with a statement: a word such as noarchive, or a name that the file
// defines, may mean several.
func (in *explainQuery) written(st *policy.Statement) []policy.Usage {
	all := in.page.Statements
	if ref := in.doc.referred[st]; ref != nil {
		all = ref.Resolved
	} else if !st.OfPage() && in.robots != nil {
		all = in.robots.Statements
	}
	var usages []policy.Usage
	for i := range all {
		o := &all[i]
		if o.Source == st.Source && o.Line == st.Line && o.Offset == st.Offset && o.Field == st.Field && o.Sense == st.Sense &&
			o.Status.Decides() && slices.Equal(o.Qualifiers, st.Qualifiers) && !slices.Contains(usages, o.Usage) {
			usages = append(usages, o.Usage)
		}
	}
	return usages
}

// steps tells the rules in order, and under each the statements that it removed.
func (in *explainQuery) steps(b *strings.Builder, d decide.Decision) {
	b.WriteString("  step by step:\n")
	told := map[policy.Rule]bool{}
	for i, rule := range d.By {
		fmt.Fprintf(b, "    %d. %s.\n", i+1, in.stepWords(rule, d))
		if told[rule] {
			continue
		}
		told[rule] = true
		if lost := removedBy(d.Lost, rule); len(lost) > 0 {
			words := "Therefore this does not count:"
			if len(lost) > 1 {
				words = "Therefore these do not count:"
			}
			fmt.Fprintf(b, "       %s\n", words)
			in.quote(b, "         ", lost)
		}
	}
}

// stepWords say a rule as it worked in a decision. Where a processing instruction counts, no META does (R-REP-4). With
// --other level R-DEC-13 looks at one carrier only.
func (in *explainQuery) stepWords(rule policy.Rule, d decide.Decision) string {
	if rule == policy.RuleOther && in.reading.Other == decide.OtherLevel {
		return ruleSentence("a statement about other usages covers each usage that ACAP does not name in the same carrier, "+
			"before any conventional directive", rule)
	}
	isPI := func(v decide.Verdict) bool { return v.Rule == policy.RuleREPPage && v.Statement.Source == policy.PI }
	if rule != policy.RuleREPPage || in.reading.Without.Has(policy.RuleREPParser) ||
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

// elementRules say for an element what some rules say of a page.
var elementRules = map[policy.Rule]string{
	policy.RuleClass:        "the innermost element that says something of the usage decides",
	policy.RuleEmbedded:     "a class attribute lifts nothing that robots.txt prohibits or restricts",
	policy.RuleUndetermined: "an element that both permits and prohibits prohibits",
	policy.RuleCrawl:        "what must not be fetched cannot be used",
}

// tellElements says what holds for the elements that speak for themselves, and for the page in the eyes of who cannot
// act on them.
func (in *explainQuery) tellElements(b *strings.Builder, a answer) {
	if len(a.elements) == 0 {
		return
	}
	b.WriteString("  elements of the page that speak for themselves:\n")
	for _, e := range a.elements[:min(len(a.elements), maxTold)] {
		fmt.Fprintf(b, "    %s: %s, because\n", in.elementWords(e.Offset, e.Element), e.Decision.Phrase())
		in.quote(b, "      ", e.Deciding)
		for _, q := range e.Qualifiers {
			fmt.Fprintf(b, "      on condition: %s\n", conditionWords(q))
		}
		if outer, ok := in.inside[e.Offset]; ok {
			fmt.Fprintf(b, "      it stands inside the element of line %d\n", in.doc.lineAt(outer))
		}
		for _, rule := range e.By {
			if words, ok := elementRules[rule]; ok {
				fmt.Fprintf(b, "      %s.\n", ruleSentence(words, rule))
			}
		}
	}
	if more := len(a.elements) - maxTold; more > 0 {
		fmt.Fprintf(b, "    and %s (--json has all)\n", console.Plural(more, "more element"))
	}
	fmt.Fprintf(b, "  For a crawler that cannot act on elements the whole page is %s (%s; %s).\n",
		a.WithoutElements.Phrase(), policy.RuleElements.Source(), policy.RuleElements)
}

func (in *explainQuery) elementWords(offset int64, e *policy.Element) string {
	words := fmt.Sprintf("line %d, <%s>", in.doc.lineAt(offset), console.Printable(e.Name))
	if e.ID != "" {
		words += fmt.Sprintf(" with the id %s", console.Printable(e.ID))
	}
	return words
}
