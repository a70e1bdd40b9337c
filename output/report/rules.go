package report

import (
	"html"
	"html/template"
	"maps"
	"regexp"
	"slices"
)

// rules links the ids of rules in a page to their text at its end, and notes which ones the page names.
type rules struct {
	text  func(id string) (text, source string, known bool)
	named map[string]bool
}

var ruleID = regexp.MustCompile(`\bR-[A-Z]{2,8}-[0-9]{1,3}\b`)

// link escapes a text and makes links of the rules in it.
func (r *rules) link(text string) template.HTML {
	return template.HTML(ruleID.ReplaceAllStringFunc(html.EscapeString(text), func(id string) string {
		if _, _, known := r.text(id); !known {
			return id
		}
		if r.named == nil {
			r.named = map[string]bool{}
		}
		r.named[id] = true
		return `<a class="rule" href="#` + id + `">` + id + `</a>`
	}))
}

// A ruleView is a rule that the page names.
type ruleView struct{ ID, Text, Source string }

// list returns the rules that links were made to, by id.
func (r *rules) list() (list []ruleView) {
	for _, id := range slices.Sorted(maps.Keys(r.named)) {
		text, source, _ := r.text(id)
		list = append(list, ruleView{id, text, source})
	}
	return list
}
