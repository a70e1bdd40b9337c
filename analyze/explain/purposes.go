package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/console"
)

// maxPurposes bounds the purposes that are tried. Real files name fewer than ten.
const maxPurposes = 64

// A purposeView is the policy for a crawler with a purpose.
type purposeView struct {
	purpose string
	view    *decide.View
}

// A purposeAnswer is a decision for a purpose that differs from the one without a purpose.
type purposeAnswer struct {
	purpose string
	decide.Decision
}

// viewPurposes prepares the purposes that robots.txt, referred files and the page name, unless the question names one.
func (e *Explanation) viewPurposes(site *decide.Site) {
	if e.Purpose != "" {
		return
	}
	known := map[string]bool{}
	add := func(statements []policy.Statement) {
		for i := range statements {
			for _, p := range statements[i].Purposes {
				name := p.Plain()
				key := policy.LowerASCII(name) // case does not distinguish purposes (R-PURP-1)
				if name == "" || known[key] || !statements[i].Status.Decides() {
					continue
				}
				if len(e.purposes) == maxPurposes {
					e.morePurposes = true
					return
				}
				known[key] = true
				e.purposes = append(e.purposes, purposeView{name, site.For(e.agent, name)})
			}
		}
	}
	if e.robots != nil {
		add(e.robots.Statements)
		for i := range e.robots.References {
			add(e.robots.References[i].Resolved)
		}
	}
	add(e.page.Statements)
}

// forPurposes returns the decisions for purposes that differ from one without a purpose: in the decision or in its
// conditions.
func (e *Explanation) forPurposes(q decide.Question, without decide.Decision) (list []purposeAnswer) {
	for _, p := range e.purposes {
		d := p.view.Decide(e.page, q)
		if d.Decision != without.Decision || !sameQualifiers(d.Qualifiers, without.Qualifiers) {
			list = append(list, purposeAnswer{p.purpose, d})
		}
	}
	return list
}

// writePurposes names the purposes that change the answer. Those with one answer share a line.
func (e *Explanation) writePurposes(b *strings.Builder, a usageAnswer) {
	names := map[policy.Decision][]string{}
	var order []policy.Decision
	for _, p := range a.purposes {
		if !slices.Contains(order, p.Decision.Decision) {
			order = append(order, p.Decision.Decision)
		}
		names[p.Decision.Decision] = append(names[p.Decision.Decision], p.purpose)
	}
	for _, d := range order {
		words, purposes := d.Phrase(), "purpose"
		if d == a.Decision.Decision {
			words = "allowed under other conditions" // no other decision has any
		}
		if len(names[d]) > 1 {
			purposes = "purposes"
		}
		fmt.Fprintf(b, "  For the %s %s: %s (--purpose NAME shows why).\n", purposes, console.List(names[d]), words)
	}
	if e.morePurposes {
		fmt.Fprintf(b, "  Only the first %d purposes were tried.\n", maxPurposes)
	}
}
