package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/console"
)

// maxPurposes bounds the purposes that explain tries. Real files name fewer than ten.
const maxPurposes = 64

// A purposeView is the policy as a crawler with a purpose sees it.
type purposeView struct {
	purpose string
	view    *decide.View
}

// A purposeAnswer is a decision for a purpose that differs from the one without a purpose.
type purposeAnswer struct {
	purpose string
	decide.Decision
}

// viewPurposes prepares the purposes that robots.txt, the files that it refers to, and the page name. It does nothing
// where --purpose names one.
func (in *explainQuery) viewPurposes(site *decide.Site) {
	if in.flags.purpose != "" {
		return
	}
	known := map[string]bool{}
	add := func(statements []policy.Statement) {
		for i := range statements {
			for _, p := range statements[i].Purposes {
				name := p.Plain()
				key := policy.LowerASCII(name) // case does not tell purposes apart (R-PURP-1)
				if name == "" || known[key] || !statements[i].Status.Decides() {
					continue
				}
				if len(in.purposes) == maxPurposes {
					in.morePurposes = true
					return
				}
				known[key] = true
				in.purposes = append(in.purposes, purposeView{name, site.For(in.agent, name)})
			}
		}
	}
	if in.robots != nil {
		add(in.robots.Statements)
		for i := range in.robots.References {
			add(in.robots.References[i].Resolved)
		}
	}
	add(in.page.Statements)
}

// forPurposes returns the decisions for purposes that differ from one without a purpose: in the decision or in its
// conditions.
func (in *explainQuery) forPurposes(q decide.Question, without decide.Decision) (list []purposeAnswer) {
	for _, p := range in.purposes {
		d := p.view.Decide(in.page, q)
		if d.Decision != without.Decision || !sameQualifiers(d.Qualifiers, without.Qualifiers) {
			list = append(list, purposeAnswer{p.purpose, d})
		}
	}
	return list
}

// tellPurposes names the purposes that change the answer, those with one answer together.
func (in *explainQuery) tellPurposes(b *strings.Builder, a answer) {
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
		if n := len(names[d]); n > 1 {
			purposes = "purposes"
		}
		fmt.Fprintf(b, "  For the %s %s: %s (--purpose NAME shows why).\n", purposes, console.List(names[d]), words)
	}
	if in.morePurposes {
		fmt.Fprintf(b, "  Only the first %d purposes were tried.\n", maxPurposes)
	}
}
