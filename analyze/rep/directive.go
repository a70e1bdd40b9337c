package rep

import (
	"strconv"
	"strings"
	"time"

	"github.com/acapscan/acapscan/analyze/noai"
	"github.com/acapscan/acapscan/analyze/policy"
)

// valued are the directives with a value after a colon.
var valued = map[string]bool{
	"max-snippet": true, "max-image-preview": true, "max-video-preview": true, "unavailable_after": true,
}

// plain are the directives without a value, with their effects (R-MAP-2 to R-MAP-4). Those with nil are only recorded
// (R-MAP-9).
var plain = map[string][]effect{
	"noindex":              {{policy.Disallow, policy.Index}},
	"index":                {{policy.Allow, policy.Index}},
	"nofollow":             {{policy.Disallow, policy.Follow}},
	"follow":               {{policy.Allow, policy.Follow}},
	"none":                 {{policy.Disallow, policy.Index}, {policy.Disallow, policy.Follow}},
	"all":                  {{policy.Allow, policy.Index}, {policy.Allow, policy.Follow}},
	"noarchive":            noCopies,
	"nocache":              noCopies,
	"nosnippet":            noSnippets,
	"archive":              nil,
	"indexifembedded":      nil,
	"noimageindex":         nil,
	"noodp":                nil,
	"nositelinkssearchbox": nil,
	"noydir":               nil,
	"odp":                  nil,
	"snippet":              nil,
	"ydir":                 nil,
}

// rules are the rules of the directives that decide something. R-MAP-9 covers the others. See directive.rule for
// max-snippet.
var rules = map[string]policy.Rule{
	"noindex": policy.RuleMapIndex, "index": policy.RuleMapIndex, "nofollow": policy.RuleMapIndex,
	"follow": policy.RuleMapIndex,
	"none":   policy.RuleMapIndex, "all": policy.RuleMapIndex,
	"noarchive": policy.RuleMapCopies, "nocache": policy.RuleMapCopies,
	"nosnippet":         policy.RuleMapNoSnippet,
	"max-image-preview": policy.RuleMapImage,
	"notranslate":       policy.RuleMapTranslate,
	"unavailable_after": policy.RuleMapUntil,
}

type effect struct {
	sense policy.Sense
	usage policy.Usage
}

var (
	noCopies   = []effect{{policy.Disallow, policy.PresentCurrentCopy}, {policy.Disallow, policy.PresentOldCopy}}
	noSnippets = []effect{
		{policy.Disallow, policy.PresentSnippet}, {policy.Disallow, policy.PresentExtract},
		{policy.Disallow, policy.PresentOldSnippet}, {policy.Disallow, policy.PresentOldExtract},
	}
)

// maxDirectives limits the directives of one META or header field. Real ones have fewer than ten.
const maxDirectives = 200

// directive is one of a list, such as "noindex" or "max-snippet:20".
type directive struct {
	name  string // in lower case
	value string // trimmed; "" if missing
}

// splitDirectives splits a list of directives at commas and blanks (S0 2.1 writes "index nofollow"). The date of
// unavailable_after may have both, and ends before the next known directive.
func splitDirectives(content string) []directive {
	var list []directive
	rest := content
	for len(list) < maxDirectives {
		rest = strings.TrimLeft(rest, separators)
		if rest == "" {
			break
		}
		end := strings.IndexAny(rest, separators+":")
		if end < 0 {
			end = len(rest)
		}
		d := directive{name: strings.ToLower(rest[:end])}
		rest = rest[end:]
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest, blanks), ":"); ok && valued[d.name] {
			d.value, rest = cutValue(d.name, after)
		} else {
			rest = strings.TrimLeft(rest, ":")
		}
		if d.name != "" {
			list = append(list, d)
		}
	}
	return list
}

const (
	blanks     = " \t\r\n\f\v"
	separators = blanks + ",;"
)

// cutValue splits the value of a directive from the beginning of text.
func cutValue(name, text string) (value, rest string) {
	text = strings.TrimLeft(text, blanks)
	if name != "unavailable_after" {
		end := strings.IndexAny(text, separators)
		if end < 0 {
			end = len(text)
		}
		return text[:end], text[end:]
	}
	for i := 0; i < len(text); {
		end := len(text)
		if n := strings.IndexAny(text[i:], separators+":"); n >= 0 {
			end = i + n
		}
		if known(text[i:end]) {
			return strings.Trim(text[:i], separators), text[i:]
		}
		for i = min(end+1, len(text)); i < len(text) && strings.IndexByte(separators, text[i]) >= 0; {
			i++
		}
	}
	return strings.Trim(text, separators), ""
}

// known reports whether a word is the name of a directive.
func known(word string) bool {
	word = strings.ToLower(word)
	_, isPlain := plain[word]
	_, isNoAI := noai.Statement(word, policy.RuleSet{})
	return isPlain || isNoAI || valued[word] || word == "notranslate"
}

// rule returns the rule about the directive.
func (d directive) rule() policy.Rule {
	if d.name == "max-snippet" {
		if n, err := strconv.Atoi(d.value); err == nil && n == 0 {
			return policy.RuleMapNoSnippet
		}
		return policy.RuleMapMaxSnippet
	}
	if rule, ok := rules[d.name]; ok {
		return rule
	}
	return policy.RuleMapRecorded
}

// statements returns the statements of a directive. It sets only Field, Sense, Usage, Qualifiers, Status and Defects,
// and Vocabulary if it is not the conventional one.
func (d directive) statements(without policy.RuleSet) []policy.Statement {
	if st, ok := noai.Statement(d.name, without); ok {
		return []policy.Statement{st}
	}
	switch rule := d.rule(); {
	case !without.Has(rule):
	case rule == policy.RuleMapRecorded:
		return nil
	default:
		return d.recorded()
	}
	switch d.name {
	case "max-snippet":
		return d.maxSnippet()
	case "max-image-preview":
		switch strings.ToLower(d.value) {
		case "none":
			return d.state([]effect{{policy.Disallow, policy.PresentThumbnail}})
		case "standard", "large":
			return d.recorded()
		}
		return d.recorded(policy.DefectUnknownDirectiveV)
	case "max-video-preview":
		return d.recorded()
	case "notranslate":
		return d.state([]effect{{policy.Allow, policy.Present}},
			policy.Qualifier{Name: policy.ProhibitedModification, Value: "translation"})
	case "unavailable_after":
		day, ok := parseDate(d.value)
		if !ok {
			return d.recorded(policy.DefectUnknownDirectiveV)
		}
		until := policy.Qualifier{Name: policy.TimeLimit, Value: "until-" + day.Format("2006-01-02")}
		return d.state([]effect{{policy.Allow, policy.Index}, {policy.Allow, policy.Present}}, until)
	}
	effects, known := plain[d.name]
	switch {
	case !known:
		return d.recorded(policy.DefectUnknownDirective)
	case effects == nil:
		return d.recorded()
	}
	return d.state(effects)
}

// maxSnippet returns the statements of max-snippet: 0 is nosnippet, a positive number a length, −1 says nothing
// (R-MAP-4, R-MAP-5).
func (d directive) maxSnippet() []policy.Statement {
	n, err := strconv.Atoi(d.value)
	switch {
	case err != nil || n < -1:
		return d.recorded(policy.DefectUnknownDirectiveV)
	case n == -1:
		return d.recorded()
	case n == 0:
		return d.state(noSnippets)
	}
	length := policy.Qualifier{Name: policy.MaxLength, Value: strconv.Itoa(n) + "-chars"}
	return d.state([]effect{{policy.Allow, policy.PresentSnippet}}, length)
}

func (d directive) state(effects []effect, qualifiers ...policy.Qualifier) []policy.Statement {
	list := make([]policy.Statement, len(effects))
	for i, e := range effects {
		list[i] = policy.Statement{Field: d.name, Sense: e.sense, Usage: e.usage, Qualifiers: qualifiers,
			Status: policy.Valid}
	}
	return list
}

// recorded returns the statement of a directive that decides nothing (R-MAP-9).
func (d directive) recorded(defects ...policy.Defect) []policy.Statement {
	return []policy.Statement{{Field: d.name, Resource: d.value, Status: policy.Recorded, Defects: defects}}
}

// dateForms are RFC 822, RFC 850 and ISO 8601 (R-HDR-1), with the variants that sites write.
var dateForms = []string{
	"02 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04 MST",
	"2 Jan 2006 15:04:05", "2 Jan 2006",
	"2 Jan 06 15:04:05 MST", "2 Jan 06 15:04 MST", "2 Jan 06 15:04:05 -0700",
	"2-Jan-2006 15:04:05 MST", "2-Jan-06 15:04:05 MST", "2-Jan-2006 15:04:05", "2-Jan-06 15:04:05", "2-Jan-2006",
	"2-Jan-06",
	time.RFC3339Nano, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700",
	"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02", "20060102T150405Z", "20060102",
}

// zones are the time zones of RFC 822 with their offsets in hours. time.Parse gives unknown zones the offset zero.
var zones = map[string]int{"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7,
	"MDT": -6, "PST": -8, "PDT": -7}

// parseDate returns the UTC day of a date.
func parseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if weekday, rest, ok := strings.Cut(s, ","); ok && isWeekday(weekday) {
		s = strings.TrimSpace(rest)
	}
	if len(s) > 64 {
		return time.Time{}, false
	}
	for _, form := range dateForms {
		t, err := time.ParseInLocation(form, s, time.UTC)
		if err != nil {
			continue
		}
		if name, offset := t.Zone(); offset == 0 {
			if hours, ok := zones[name]; ok {
				t = t.Add(-time.Duration(hours) * time.Hour)
			}
		}
		return t.UTC(), true
	}
	return time.Time{}, false
}

func isWeekday(s string) bool {
	s = strings.TrimSpace(s)
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(s, d.String()) || strings.EqualFold(s, d.String()[:3]) {
			return true
		}
	}
	return false
}
