package explain

import (
	"fmt"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/console"
)

// ruleWords describe a rule, with the section of the specification that it comes from.
func ruleWords(r policy.Rule) string { return ruleSentence(r.Text(), r) }

func ruleSentence(text string, r policy.Rule) string {
	return fmt.Sprintf("%s (%s; %s)", capital(text), r.Source(), r)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// usageWords describe a usage that is asked about. A decision about present itself is about none of its ten forms.
func usageWords(u policy.Usage) string {
	if u == policy.Present {
		return "show it to users in a form that has no name of its own"
	}
	return u.Of("it")
}

// agentWords name the crawlers that a statement is about.
func agentWords(st *policy.Statement) string {
	switch {
	case st.AddressesAny():
		return "any crawler"
	case len(st.Agents) == 1:
		return "the crawler " + console.List(st.Agents)
	}
	return "the crawlers " + console.List(st.Agents)
}

// resourceWords name what a statement is about.
func resourceWords(st *policy.Statement) string {
	written := console.Printable(st.Resource)
	switch {
	case st.Source == policy.Class:
		return "this element"
	case st.OfPage():
		return "this page"
	case len(st.Patterns) != 1:
		return "whatever the file defines as " + written
	}
	glob, end := st.Patterns[0].Glob()
	switch {
	case glob == "/" && !end, glob == "*" || glob == "/*":
		return "everything"
	case !strings.Contains(glob, "*") && end:
		return strings.TrimSuffix(written, "$") + " alone"
	case !strings.Contains(glob, "*"):
		return "whatever begins with " + written
	case end:
		return "whatever has the form " + strings.TrimSuffix(written, "$") + ", '*' being anything"
	}
	return "whatever begins with the form " + written + ", '*' being anything"
}

// plainWords are the meaning of a statement as a sentence without its full stop, with all usages written as one.
func plainWords(st *policy.Statement, usages []policy.Usage) string {
	var b strings.Builder
	verb := "permits "
	if st.Sense == policy.Disallow {
		verb = "forbids "
	}
	var uses []string
	for _, u := range usages {
		uses = append(uses, u.Of(resourceWords(st)))
	}
	b.WriteString(verb + agentWords(st) + " to " + console.List(uses))
	if len(st.Purposes) > 0 {
		b.WriteString(", for the purpose " + strings.ReplaceAll(console.List(st.Purposes), " and ", " or "))
	}
	if st.Sense == policy.Allow {
		for _, q := range st.Qualifiers {
			b.WriteString(", " + conditionWords(q))
		}
	}
	return b.String()
}

// fixedConditions are conditions of which the values are a closed list.
var fixedConditions = map[policy.Qualifier]string{
	{Name: policy.TimeLimit, Value: "until-recrawled"}:             "until it is crawled again",
	{Name: policy.ProhibitedModification, Value: "any"}:            "unchanged",
	{Name: policy.ProhibitedModification, Value: "format"}:         "in its own data format",
	{Name: policy.ProhibitedModification, Value: "style"}:          "in its own typography and layout",
	{Name: policy.ProhibitedModification, Value: "translation"}:    "untranslated",
	{Name: policy.ProhibitedModification, Value: "annotation"}:     "without annotations by others",
	{Name: policy.ProhibitedContext, Value: "within-user-frame"}:   "outside of frames that users make",
	{Name: policy.RequiredContext, Value: "within-original-frame"}: "within its original frame",
}

// openConditions are conditions with a value of several parts; %s is the resource.
var openConditions = map[policy.QualifierName]string{
	policy.MustUseResource:     "using only %s",
	policy.MustIncludeResource: "together with %s",
	policy.Location:            "if it is found at %s",
}

// conditionWords describe a qualifier. A value that no specification defines stays as it is.
func conditionWords(q policy.Qualifier) string {
	value := console.Printable(q.Value)
	q.Value = strings.ToLower(q.Value)
	if words, ok := fixedConditions[q]; ok {
		return words
	}
	fits := len(q.Check(policy.Present, policy.Meta)) == 0 || len(q.Check(policy.PresentSnippet, policy.Meta)) == 0
	number, unit, counted := strings.Cut(q.Value, "-")
	switch _, dated := q.Until(); {
	case !fits: // no usage that could have it
	case dated:
		return "until the end of " + strings.TrimPrefix(q.Value, "until-")
	case q.Name == policy.TimeLimit && counted:
		return fmt.Sprintf("for %s %s", number, unit)
	case q.Name == policy.MaxLength && counted:
		return fmt.Sprintf("at most %s %s long", number,
			map[string]string{"chars": "characters", "words": "words"}[unit])
	case openConditions[q.Name] != "":
		return fmt.Sprintf(openConditions[q.Name], resourceOf(value))
	}
	return fmt.Sprintf("under the condition %s=%s, which no document at hand explains",
		console.Printable(string(q.Name)), value)
}

// resourceOf names what a condition refers to: a URI, or a place within the page.
func resourceOf(value string) string {
	if len(value) < len(policy.Namespace) || !strings.EqualFold(value[:len(policy.Namespace)], policy.Namespace) {
		return value
	}
	kind, locator, _ := strings.Cut(value[len(policy.Namespace):], ":")
	place, name, found := strings.Cut(locator, ":")
	if found && (place == "id" || place == "class" || place == "meta") {
		return fmt.Sprintf("the %s that stands in the page's %s %q", kind, place, name)
	}
	return fmt.Sprintf("the %s at %s", kind, locator)
}
