// Package contentsignal reads the Content-Signal fields of a robots.txt (R-SIG-1) and of a header (R-SIG-3) into
// statements. No specification defines their grammar: these rules are our reading of what sites write. It decides
// nothing.
package contentsignal

import (
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// Vocabulary describes Content-Signal.
func Vocabulary() vocabulary.Vocabulary {
	return vocabulary.Vocabulary{
		ID: policy.ContentSignal, Fields: []string{contentSignal}, Headers: []string{contentSignal},
		ReadRobots: readRobots, ReadPage: readPage,
	}
}

const (
	contentSignal = "content-signal"
	documented    = "Content-Signal" // the same, as its vendor writes it
)

// usages are the signals, in lower case.
var usages = map[string]policy.Usage{
	"search": policy.Search, "ai-input": policy.AIInput, "ai-train": policy.TrainAI,
}

// readRobots adds the Content-Signal rules of a robots.txt. R-SIG-1.
func readRobots(doc *robotstxt.Document, options vocabulary.Options, f *policy.File) {
	exact := options.Without.Has(policy.RuleFieldCase)
	for line := range doc.Groups(options.Without, robotstxt.Allow, robotstxt.Disallow, documented) {
		if line.Name != contentSignal || exact && line.Field != documented {
			continue
		}
		path, text := vocabulary.SplitPreference(line.Value)
		base := vocabulary.StatementOf(line, policy.ContentSignal, path, options)
		if options.Without.Has(policy.RuleSignal) {
			f.Statements = append(f.Statements, vocabulary.Recorded(base, line.Value))
			continue
		}
		f.Statements = append(f.Statements,
			vocabulary.Statements([]policy.Statement{base}, readSignals(text), usages)...)
	}
}

// readPage adds the Content-Signal fields of a response, which are one list. R-SIG-3.
func readPage(markup []policy.Markup, _ *policy.File, options vocabulary.Options, p *policy.Page) {
	var bases []policy.Statement
	var keys []vocabulary.Key
	for m, st := range vocabulary.HeaderFields(markup, policy.ContentSignal, contentSignal) {
		if options.Without.Has(policy.RuleSignalHeader) {
			p.Statements = append(p.Statements, vocabulary.Recorded(st, m.Value))
			continue
		}
		for _, key := range readSignals(m.Value) {
			key.Field = len(bases)
			keys = append(keys, key)
		}
		bases = append(bases, st)
	}
	p.Statements = append(p.Statements, vocabulary.Statements(bases, keys, usages)...)
}

// readSignals reads a list of signals. Letters have no case, and white space around a part does not count. R-SIG-1,
// R-SIG-3.
func readSignals(text string) (keys []vocabulary.Key) {
	for part := range strings.SplitSeq(text, ",") {
		key := vocabulary.Key{Text: strings.Trim(part, blanks)}
		if key.Text == "" {
			continue
		}
		name, value, _ := strings.Cut(key.Text, "=")
		key.Name = policy.LowerASCII(strings.TrimRight(name, blanks))
		switch policy.LowerASCII(strings.TrimLeft(value, blanks)) {
		case "yes":
			key.Sense = policy.Allow
		case "no":
			key.Sense = policy.Disallow
		}
		keys = append(keys, key)
	}
	return keys
}

const blanks = " \t\v\f"
