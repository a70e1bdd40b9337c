package explain

import (
	"encoding/json"
	"io"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
)

// jsonUsage is one line of explain --json.
type jsonUsage struct {
	URL             string             `json:"url"`
	Agent           string             `json:"agent"`
	Purpose         *string            `json:"purpose"`
	Usage           string             `json:"usage"`
	Decision        string             `json:"decision"`
	IfCrawled       string             `json:"decision_if_crawled"`
	WithoutElements string             `json:"decision_without_elements"`
	Basis           string             `json:"basis"`
	DecidedBy       []policy.Rule      `json:"decided_by"`
	Qualifiers      []policy.Qualifier `json:"qualifiers"`
	Deciding        []jsonVerdict      `json:"deciding"`
	Lost            []jsonVerdict      `json:"lost"`
	Elements        []jsonElement      `json:"elements"`
	OtherReadings   []jsonReading      `json:"other_readings"`
	OtherPurposes   []jsonPurpose      `json:"other_purposes"`
}

// jsonVerdict is a statement that decided or lost. Line is that of the robots.txt or of the page's file, or the number
// of a rule in tdmrep.json; null for a header field. Locator is that of the referred file that it stands in.
type jsonVerdict struct {
	Source  string      `json:"source"`
	Locator *string     `json:"locator,omitempty"`
	Line    *int        `json:"line"`
	Raw     string      `json:"raw"`
	Rule    policy.Rule `json:"rule"`
}

// jsonElement is a class token that touches the usage, with the decision for its element, which all tokens of the
// element share. Inside is the offset of the nearest element with class tokens around it; null if there is none.
type jsonElement struct {
	Name       string             `json:"name"`
	ID         *string            `json:"id"`
	Offset     int64              `json:"offset"`
	Usage      string             `json:"usage"`
	Sense      string             `json:"sense"`
	Line       *int               `json:"line"`
	Inside     *int64             `json:"inside"`
	Decision   string             `json:"decision"`
	DecidedBy  []policy.Rule      `json:"decided_by"`
	Qualifiers []policy.Qualifier `json:"qualifiers"`
	Deciding   []jsonVerdict      `json:"deciding"`
}

// jsonReading is the answer of another interpretation of the ACAP specifications, if it differs.
type jsonReading struct {
	Profile string `json:"profile"`
	Other   string `json:"other"`
	jsonDecision
}

// jsonPurpose is the decision for a purpose that the policy names, if it differs from that without a purpose.
type jsonPurpose struct {
	Purpose string `json:"purpose"`
	jsonDecision
}

// jsonDecision is a decision under other conditions.
type jsonDecision struct {
	Decision   string             `json:"decision"`
	Basis      string             `json:"basis"`
	DecidedBy  []policy.Rule      `json:"decided_by"`
	Qualifiers []policy.Qualifier `json:"qualifiers"`
	Deciding   []jsonVerdict      `json:"deciding"`
}

// WriteJSON writes an object a line for each usage.
func (e *Explanation) WriteJSON(w io.Writer) error {
	for _, usage := range e.Usages {
		if err := writeLine(w, e.jsonUsage(e.decide(usage))); err != nil {
			return err
		}
	}
	return nil
}

func (e *Explanation) jsonUsage(a usageAnswer) jsonUsage {
	out := jsonUsage{
		URL: e.URL, Agent: e.Agent, Purpose: optional(e.Purpose), Usage: a.usage.String(),
		Decision: a.Decision.Decision.String(), IfCrawled: a.IfCrawled.String(),
		WithoutElements: a.WithoutElements.String(), Basis: a.Basis.String(), DecidedBy: a.By,
		Qualifiers: orEmpty(a.Qualifiers), Deciding: e.verdicts(a.Deciding), Lost: e.verdicts(a.Lost),
		Elements: []jsonElement{}, OtherReadings: []jsonReading{}, OtherPurposes: []jsonPurpose{},
	}
	next := 0 // both lists are in the order of the page
	for _, token := range a.Decision.Elements {
		for a.elements[next].Offset != token.Offset {
			next++
		}
		out.Elements = append(out.Elements, e.jsonElement(token, &a.elements[next]))
	}
	for _, o := range a.others {
		out.OtherReadings = append(out.OtherReadings, jsonReading{
			o.options.Profile.String(), o.options.Other.String(), e.jsonDecision(o.Decision),
		})
	}
	for _, p := range a.purposes {
		out.OtherPurposes = append(out.OtherPurposes, jsonPurpose{p.purpose, e.jsonDecision(p.Decision)})
	}
	return out
}

// jsonElement writes a class token with the decision for its element.
func (e *Explanation) jsonElement(token *policy.Statement, el *decide.Element) jsonElement {
	out := jsonElement{
		Name: token.Element.Name, ID: optional(token.Element.ID), Offset: token.Offset, Usage: token.Usage.String(),
		Sense: token.Sense.String(), Line: e.Page.line(token), Decision: el.Decision.String(), DecidedBy: el.By,
		Qualifiers: orEmpty(el.Qualifiers), Deciding: e.verdicts(el.Deciding),
	}
	if outer, ok := e.inside[token.Offset]; ok {
		out.Inside = &outer
	}
	return out
}

func (e *Explanation) jsonDecision(d decide.Decision) jsonDecision {
	return jsonDecision{d.Decision.String(), d.Basis.String(), d.By, orEmpty(d.Qualifiers), e.verdicts(d.Deciding)}
}

func (e *Explanation) verdicts(list []decide.Verdict) []jsonVerdict {
	out := []jsonVerdict{}
	for _, v := range list {
		st := v.Statement
		out = append(out, jsonVerdict{st.Source.String(), e.Page.locator(st), e.Page.line(st), st.Raw, v.Rule})
	}
	return out
}

// optional is nil for "".
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// orEmpty makes a nil list an empty one, which JSON writes as [] and not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// writeLine writes one JSON object on a line of its own; '<' stays '<'.
func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
