package vocabulary

import (
	"iter"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// A Key is one key of a preference, with its value: train-ai=n.
type Key struct {
	Name  string
	Text  string       // as written, with its value
	Sense policy.Sense // NoSense: the value is none of those that the vocabulary defines
	Field int          // in which of several header fields it stands, from 0
}

// SplitPreference splits the value of a robots.txt field that has an optional path before a preference. A path begins
// with '/' and ends before the first white space. R-AIP-1, ATTACH 3.2.
func SplitPreference(value string) (path, preference string) {
	if !strings.HasPrefix(value, "/") {
		return "", value
	}
	end := strings.IndexAny(value, blanks)
	if end < 0 {
		return value, ""
	}
	return value[:end], strings.TrimLeft(value[end:], blanks)
}

const blanks = " \t\v\f"

// StatementOf begins the statement of a line with an optional path. It is valid so far, or ignored outside of a group.
// Without a path it is about all paths. R-AIP-1, R-REC-5.
func StatementOf(line robotstxt.GroupLine, id policy.Vocabulary, path string, options Options) policy.Statement {
	st := policy.Statement{
		Vocabulary: id, Source: policy.RobotsTxt, Line: line.Number, Offset: -1, Part: 1,
		Field: line.Name, Agents: line.Agents, Resource: path, Status: policy.Valid, Raw: line.Raw,
	}
	if path == "" {
		path = "/"
	}
	pattern, err := policy.ReadPattern(path, options.Without)
	if err != nil {
		st.Status = policy.Invalid
		st.AddDefect(policy.DefectPathNotRooted)
	} else {
		st.Patterns = []policy.Pattern{pattern}
	}
	if line.NBSP {
		st.AddDefect(policy.DefectNBSP)
	}
	if !line.Begun {
		st.AddDefect(policy.DefectRuleOutside)
		if options.Without.Has(policy.RuleOutside) {
			st.Agents = []policy.Agent{policy.AnyAgent}
		} else {
			st.Status = policy.Ignored
		}
	}
	return st
}

// HeaderFields gives the header fields of a name, each with the statement that it begins: valid so far, and about all
// crawlers.
func HeaderFields(
	markup []policy.Markup, id policy.Vocabulary, name string,
) iter.Seq2[policy.Markup, policy.Statement] {
	return func(yield func(policy.Markup, policy.Statement) bool) {
		for _, m := range markup {
			if m.Source != policy.HTTPHeader || !strings.EqualFold(strings.TrimSpace(m.Name), name) {
				continue
			}
			if !yield(m, policy.Statement{
				Vocabulary: id, Source: m.Source, Offset: m.Offset, Part: 1, Field: name,
				Agents: []policy.Agent{policy.AnyAgent}, Status: policy.Valid, Raw: m.Raw,
			}) {
				return
			}
		}
	}
}

// maxRecorded limits the statements of one preference that decide nothing. Real ones have at most three.
const maxRecorded = 16

// Statements returns the statements of a preference, one for each key in order. Each begins as bases[key.Field] does.
// Of a
// repeated key that means a usage the last counts, and the others are ignored. Other keys and other values are
// recorded;
// if they are many, the rest is left out with the defect size-limit. A preference without a key is recorded, too.
func Statements(bases []policy.Statement, keys []Key, usages map[string]policy.Usage) (list []policy.Statement) {
	if len(keys) == 0 {
		for _, base := range bases {
			list = append(list, Recorded(base, base.Resource, policy.DefectMissingPreference))
		}
		return list
	}
	last := make(map[string]int, len(usages))
	for i, key := range keys {
		if _, known := usages[key.Name]; known {
			last[key.Name] = i
		}
	}
	parts, recorded := make([]int, len(bases)), 0
	for i, key := range keys {
		usage, known := usages[key.Name]
		decides := known && last[key.Name] == i && key.Sense != policy.NoSense
		if !decides {
			if recorded++; recorded > maxRecorded {
				continue
			}
		}
		st := bases[key.Field]
		st.Defects = slices.Clone(st.Defects)
		parts[key.Field]++
		st.Part = parts[key.Field]
		switch {
		case decides:
			st.Usage, st.Sense = usage, key.Sense
		case !known:
			st = Recorded(st, key.Text)
		case key.Sense == policy.NoSense:
			st = Recorded(st, key.Text, policy.DefectUnknownPreference)
		default:
			st.Usage, st.Sense, st.Status = usage, key.Sense, policy.Ignored
		}
		if known && last[key.Name] != i {
			st.AddDefect(policy.DefectRepeatedKey)
		}
		list = append(list, st)
	}
	if recorded > maxRecorded {
		list[len(list)-1].AddDefect(policy.DefectSizeLimit)
	}
	return list
}

// Recorded returns a statement that decides nothing and holds a text.
func Recorded(base policy.Statement, text string, defects ...policy.Defect) policy.Statement {
	base.Resource, base.Patterns, base.Status = text, nil, policy.Recorded
	base.Defects = slices.Clone(base.Defects)
	for _, d := range defects {
		base.AddDefect(d)
	}
	return base
}
