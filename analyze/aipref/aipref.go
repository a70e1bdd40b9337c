// Package aipref reads the AI preferences of the IETF into statements (R-AIP-1 to R-AIP-3): Content-Usage in a
// robots.txt
// and in the header of a response. ATTACH is draft-ietf-aipref-attach, VOCAB is draft-ietf-aipref-vocab, both of
// 2026-08-19. It decides nothing.
package aipref

import (
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/analyze/vocabulary"
)

// Vocabulary describes AI preferences.
func Vocabulary() vocabulary.Vocabulary {
	return vocabulary.Vocabulary{
		ID: policy.AIPref, Fields: []string{contentUsage}, Headers: []string{contentUsage},
		ReadRobots: readRobots, ReadPage: readPage,
	}
}

const (
	contentUsage = "content-usage"
	documented   = "Content-Usage" // the same, as ATTACH writes it
)

// usages are the categories of VOCAB 6.1. The labels are case-sensitive.
var usages = map[string]policy.Usage{"train-ai": policy.TrainAI, "search": policy.Search}

// readRobots adds the Content-Usage rules of a robots.txt (R-AIP-1).
func readRobots(doc *robotstxt.Document, options vocabulary.Options, f *policy.File) {
	exact := options.Without.Has(policy.RuleFieldCase)
	for line := range doc.Groups(options.Without, robotstxt.Allow, robotstxt.Disallow, documented) {
		if line.Name != contentUsage || exact && line.Field != documented {
			continue
		}
		path, text := vocabulary.SplitPreference(line.Value)
		base := []policy.Statement{vocabulary.StatementOf(line, policy.AIPref, path, options)}
		if options.Without.Has(policy.RuleUsageLine) {
			f.Statements = append(f.Statements, vocabulary.Recorded(base[0], line.Value))
			continue
		}
		f.Statements = append(f.Statements, statements(base, []string{text}, options)...)
	}
}

// readPage adds the Content-Usage fields of a response, which are one dictionary (R-AIP-3, RFC 9651 4.2).
func readPage(markup []policy.Markup, _ *policy.File, options vocabulary.Options, p *policy.Page) {
	var bases []policy.Statement
	var texts []string
	for m, st := range vocabulary.HeaderFields(markup, policy.AIPref, contentUsage) {
		if options.Without.Has(policy.RuleUsageHeader) {
			p.Statements = append(p.Statements, vocabulary.Recorded(st, m.Value))
			continue
		}
		bases, texts = append(bases, st), append(texts, strings.Trim(m.Value, " \t"))
	}
	p.Statements = append(p.Statements, statements(bases, texts, options)...)
}

// statements returns the statements of a preference (R-AIP-2, VOCAB 6.5). Its text may have several parts, which commas
// join; part i begins the statement bases[i].
func statements(bases []policy.Statement, texts []string, options vocabulary.Options) []policy.Statement {
	var keys []vocabulary.Key
	members, ok := readDictionary(strings.Join(texts, ","))
	if options.Without.Has(policy.RuleDictionary) {
		members, ok = readLeniently(strings.Join(texts, ",")), true
	}
	if !ok {
		for i := range bases {
			bases[i].Status = policy.Invalid
			bases[i].AddDefect(policy.DefectSyntax)
		}
		return bases
	}
	field, start := 0, 0 // of the field, in the joined text
	for _, m := range members {
		for ; m.at > start+len(texts[field]); field++ {
			start += len(texts[field]) + 1
		}
		keys = append(keys, vocabulary.Key{Name: m.key, Text: m.text, Sense: m.sense, Field: field})
	}
	return vocabulary.Statements(bases, keys, usages)
}

// readLeniently reads each key by itself, in any letter case. It is the reading without R-AIP-2.
func readLeniently(text string) (members []member) {
	at := 0
	for part := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(part, "=")
		value, _, _ = strings.Cut(value, ";")
		m := member{key: policy.LowerASCII(strings.Trim(key, " \t")), text: strings.Trim(part, " \t"), at: at}
		switch policy.LowerASCII(strings.Trim(value, " \t")) {
		case "y":
			m.sense = policy.Allow
		case "n":
			m.sense = policy.Disallow
		}
		if m.text != "" {
			members = append(members, m)
		}
		at += len(part) + 1
	}
	return members
}
