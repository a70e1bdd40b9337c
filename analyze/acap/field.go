package acap

import (
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// A kind is what a field of a robots.txt is for. S3 4.5.6.
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

// defines tells whether a field of this kind is a definition.
func (k kind) defines() bool {
	return k == qualifiedUsageField || k == compositeUsageField || k == resourceSetField
}

// A field is an ACAP line of a robots.txt, parted into name and value.
type field struct {
	kind    kind
	name    string // in lower case, as meant; "" for a rule, whose name ruleName makes
	sense   policy.Sense
	target  string          // of a rule what follows the sense, as written: "index", "(name)"
	value   string          // after the colon, trimmed
	repairs []policy.Defect // leniencies that it took to read the line so
	line    robotstxt.Line
}

// readField reads a line as an ACAP field. ok is false for a line of another kind. A name that was written with blanks for
// hyphens or without its colon is recognised only if it is a complete one. R-LEX-5, R-LEX-6.
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

// maxNameWords bounds the words that are tried as a field's name: ACAP ignore conventional records.
const maxNameWords = 5

// repairField finds the longest complete name that the words at the beginning of text make if blanks are read as hyphens.
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

// fieldNamed classifies a field by its name, which begins with `ACAP-`; any other name is unknown. R-LEX-5.
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

// asDocumented tells whether a field's name is in the letters of the documents; those of a local usage are the file's own.
func asDocumented(name string) bool {
	name, _, _ = strings.Cut(name, "(")
	rest, ok := strings.CutPrefix(name, "ACAP-")
	return ok && rest == policy.LowerASCII(rest)
}

// senseWords are what rules begin with, in fields, METAs and class tokens.
var senseWords = [...]string{policy.Allow: "allow-", policy.Disallow: "disallow-"}

// cutSense reads the word that a rule begins with; target is what follows, as written.
func cutSense(s string) (sense policy.Sense, target string, ok bool) {
	for _, sense := range [...]policy.Sense{policy.Allow, policy.Disallow} {
		if target, ok := cutPrefixFold(s, senseWords[sense]); ok {
			return sense, target, true
		}
	}
	return policy.NoSense, s, false
}

// complete tells whether the field is one that the documents define, present-links and any local usage included.
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

// readUsage reads the name of a usage, present-links included (R-LEX-6). It returns policy.NoUsage for any other text.
func readUsage(s string) (usage policy.Usage, repairs []policy.Defect) {
	if usage, ok := policy.ParseUsage(s); ok {
		return usage, nil
	}
	if strings.EqualFold(s, "present-links") {
		return policy.PresentLink, []policy.Defect{policy.DefectPresentLinks}
	}
	return policy.NoUsage, nil
}

// ruleName is a statement's Field: that of robots.txt whatever the carrier, so that one name groups them.
func ruleName(sense policy.Sense, usage policy.Usage, target string) string {
	if usage != policy.NoUsage {
		target = usage.String()
	}
	return "acap-" + senseWords[sense] + policy.LowerASCII(target)
}

// isBlank tells whether c is white space within a line.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' }

func isBlankRune(r rune) bool { return r < 0x80 && isBlank(byte(r)) }

// cutBlank parts s at its first run of blanks.
func cutBlank(s string) (before, after string, found bool) {
	i := strings.IndexFunc(s, isBlankRune)
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimLeftFunc(s[i:], isBlankRune), true
}
