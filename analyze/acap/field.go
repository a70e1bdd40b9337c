package acap

import (
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// A kind is the kind of a field in a robots.txt. S3 4.5.6.
type kind uint8

const (
	unknownField kind = iota
	crawlerField
	purposeField
	referenceField
	requestField
	qualifiedUsageField
	compositeUsageField
	resourceSetField
	ignoreField
	ruleField // a permission or a prohibition
)

// fieldKinds are the fields that are not rules, by their names after `ACAP-`.
var fieldKinds = map[string]kind{
	"crawler":                     crawlerField,
	"usage-purpose":               purposeField,
	"permissions-reference":       referenceField,
	"request-take-down":           requestField,
	"request-re-crawl":            requestField,
	"qualified-usage":             qualifiedUsageField,
	"composite-usage":             compositeUsageField,
	"resource-set":                resourceSetField,
	"ignore-conventional-records": ignoreField,
}

// defines reports whether a field of this kind is a definition.
func (k kind) defines() bool {
	return k == qualifiedUsageField || k == compositeUsageField || k == resourceSetField
}

// A field is an ACAP line of a robots.txt, split into name and value.
type field struct {
	kind    kind
	name    string // in lower case, repaired; "" for a rule, see ruleName
	sense   policy.Sense
	target  string          // of a rule: the text after the sense, such as "index" or "(name)"
	value   string          // after the colon, trimmed
	repairs []policy.Defect // of the line
	line    robotstxt.Line
}

// readField reads a line as an ACAP field. ok is false for any other line. With blanks for hyphens or without its colon
// a field must have a complete name. R-LEX-5, R-LEX-6.
func readField(line robotstxt.Line, options Options) (f field, ok bool) {
	rest, ok := cutPrefixFold(line.Text, "ACAP")
	if !ok || rest == "" || rest[0] != '-' && !isBlank(rest[0]) {
		return field{}, false
	}
	if rest[0] == '-' && line.HasColon && strings.IndexFunc(line.Field, isBlankRune) < 0 {
		f = fieldNamed(line.Field, options)
		f.value, f.line = line.Value, line
		return f, true
	}
	if f, ok = repairField(line.Text, options); ok {
		f.line = line
		return f, true
	}
	if rest[0] != '-' {
		return field{}, false // prose that begins with the word
	}
	name := line.Field
	if !line.HasColon {
		name, _, _ = cutBlank(line.Text)
	}
	return field{name: policy.LowerASCII(name), value: line.Value, line: line}, true
}

// maxNameWords limits the words of a field's name: ACAP ignore conventional records.
const maxNameWords = 5

// repairField finds the longest complete name at the beginning of text, with blanks read as hyphens.
func repairField(text string, options Options) (best field, ok bool) {
	name, rest := "", text
	for words := 1; words <= maxNameWords; words++ {
		end := strings.IndexFunc(rest, func(r rune) bool { return r == ':' || isBlankRune(r) })
		if end < 0 {
			end = len(rest)
		}
		if words > 1 {
			name += "-"
		}
		name += rest[:end]
		rest = strings.TrimLeftFunc(rest[end:], isBlankRune)
		value, colon := strings.CutPrefix(rest, ":")
		if f := fieldNamed(name, options); f.complete() {
			f.value = strings.TrimLeftFunc(value, isBlankRune)
			if words > 1 {
				f.repairs = append(f.repairs, policy.DefectSpaceForHyphen)
			}
			if !colon && f.kind != ignoreField {
				f.repairs = append(f.repairs, policy.DefectMissingColon)
			}
			best, ok = f, true
		}
		if colon || rest == "" {
			break
		}
	}
	return best, ok
}

// fieldNamed returns the field with a name that begins with `ACAP-`. Unknown names give an unknownField. R-LEX-5.
func fieldNamed(name string, options Options) field {
	rest, ok := cutPrefixFold(name, "ACAP-")
	if !ok || options.Without.Has(policy.RuleFieldCase) && !asDocumented(name) {
		return field{name: policy.LowerASCII(name)}
	}
	if sense, target, ok := cutSense(rest); ok {
		return field{kind: ruleField, sense: sense, target: target}
	}
	name = policy.LowerASCII(name)
	return field{kind: fieldKinds[name[len("acap-"):]], name: name}
}

// asDocumented reports whether a field's name has the letter case of the ACAP specifications. That of local usages is
// free.
func asDocumented(name string) bool {
	name, _, _ = strings.Cut(name, "(")
	rest, ok := strings.CutPrefix(name, "ACAP-")
	return ok && rest == policy.LowerASCII(rest)
}

// senseWords are the first words of rules, in fields, METAs and class tokens.
var senseWords = [...]string{policy.Allow: "allow-", policy.Disallow: "disallow-"}

// cutSense reads the first word of a rule. target is the rest.
func cutSense(s string) (sense policy.Sense, target string, ok bool) {
	for _, sense := range [...]policy.Sense{policy.Allow, policy.Disallow} {
		if target, ok := cutPrefixFold(s, senseWords[sense]); ok {
			return sense, target, true
		}
	}
	return policy.NoSense, s, false
}

// complete reports whether the ACAP specifications define the field, with present-links and any local usage.
func (f field) complete() bool {
	if f.kind != ruleField {
		return f.kind != unknownField
	}
	if name, ok := localName(f.target); ok {
		return policy.IsName(name)
	}
	usage, _ := readUsage(f.target)
	return usage != policy.NoUsage
}

// readUsage reads the name of a usage, with present-links (R-LEX-6). It returns policy.NoUsage for any other text.
func readUsage(s string) (usage policy.Usage, repairs []policy.Defect) {
	if usage, ok := policy.ParseUsage(s); ok {
		return usage, nil
	}
	if strings.EqualFold(s, "present-links") {
		return policy.PresentLink, []policy.Defect{policy.DefectPresentLinks}
	}
	return policy.NoUsage, nil
}

// ruleName returns a statement's Field. It has the form of robots.txt for every carrier, to group statements by it.
func ruleName(sense policy.Sense, usage policy.Usage, target string) string {
	if usage != policy.NoUsage {
		target = usage.String()
	}
	return "acap-" + senseWords[sense] + policy.LowerASCII(target)
}

// isBlank reports whether c is white space in a line.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' }

func isBlankRune(r rune) bool { return r < 0x80 && isBlank(byte(r)) }

// cutBlank splits s at its first run of blanks.
func cutBlank(s string) (before, after string, found bool) {
	i := strings.IndexFunc(s, isBlankRune)
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimLeftFunc(s[i:], isBlankRune), true
}
