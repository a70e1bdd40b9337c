package policy

import (
	"slices"
	"strings"
	"time"
)

// A QualifierName is the name of a restriction on a permission, in lower case. Names that no specification defines are
// kept.
type QualifierName string

const (
	TimeLimit              QualifierName = "time-limit"
	MustUseResource        QualifierName = "must-use-resource"
	MustIncludeResource    QualifierName = "must-include-resource"
	MaxLength              QualifierName = "max-length"
	ProhibitedModification QualifierName = "prohibited-modification"
	ProhibitedContext      QualifierName = "prohibited-context"
	RequiredContext        QualifierName = "required-context"
	Location               QualifierName = "location"
	TargetCondition        QualifierName = "target-condition"
	Ref                    QualifierName = "ref"

	// UsedResource is what S3 calls MustUseResource in the text of 4.5.3.1.1 and an example of 4.5.3.2, and nowhere
	// defines. It is kept and not understood, as any unknown qualifier, under a code of its own.
	UsedResource QualifierName = "used-resource"
)

// A Qualifier restricts a permission. Value is as written.
type Qualifier struct {
	Name  QualifierName `json:"name"`
	Value string        `json:"value"`
}

// qualifierRule is a row of the table of R-QUAL-3 (S3 4.5.3.1, S2 step 5, S0 2.2.9.1).
type qualifierRule struct {
	usages  []Usage // nil: every usage
	sources []Source
	value   func(string) bool // nil: kept verbatim
	since11 bool
}

var anywhere = []Source{RobotsTxt, Meta, Class, PI, HTTPHeader}

var (
	snippets = []Usage{PresentSnippet, PresentExtract, PresentOldSnippet, PresentOldExtract}
	copies   = []Usage{PresentOriginal, PresentCurrentCopy, PresentOldCopy}
	used     = []Usage{Index, Present, PresentSnippet, PresentThumbnail}

	modification = oneOf("any", "format", "style", "translation", "annotation")
)

var qualifierRules = map[QualifierName]qualifierRule{
	TimeLimit:              {[]Usage{Index, Preserve, Present}, anywhere, isTimeLimit, false},
	MustUseResource:        {used, anywhere, isUsedResource, false},
	MustIncludeResource:    {[]Usage{Present}, anywhere, isIncludedResource, false},
	MaxLength:              {snippets, anywhere, isLength, false},
	ProhibitedModification: {append([]Usage{Present}, copies...), anywhere, modification, false},
	ProhibitedContext:      {copies, anywhere, oneOf("within-user-frame"), false},
	RequiredContext:        {copies, anywhere, oneOf("within-original-frame"), false},
	Location:               {nil, []Source{Meta}, isLocation, false},
	TargetCondition:        {[]Usage{Present}, anywhere, nil, true},
	Ref:                    {[]Usage{Other}, anywhere, nil, true},
}

// Known reports whether a specification defines the qualifier.
func (n QualifierName) Known() bool { _, ok := qualifierRules[n]; return ok }

// Needs11 reports whether only version 1.1 has the qualifier (R-VER-1).
func (n QualifierName) Needs11() bool { return qualifierRules[n].since11 }

// BelongsTo reports whether the qualifier may stand in a statement of that usage and source (R-QUAL-3).
func (n QualifierName) BelongsTo(u Usage, s Source) bool {
	rule, ok := qualifierRules[n]
	return ok && rule.holdsUsage(u) && rule.holdsSource(s)
}

func (r qualifierRule) holdsUsage(u Usage) bool {
	return r.usages == nil || slices.Contains(r.usages, u)
}

func (r qualifierRule) holdsSource(s Source) bool { return slices.Contains(r.sources, s) }

// Check returns the defects of a qualifier in a statement of that usage and source (R-QUAL-2). A statement keeps the
// qualifier whatever they are.
func (q Qualifier) Check(u Usage, s Source) []Defect {
	rule, ok := qualifierRules[q.Name]
	switch {
	case q.Name == UsedResource:
		return []Defect{DefectUsedResource}
	case !ok:
		return []Defect{DefectUnknownQualifier}
	}
	var defects []Defect
	if !rule.holdsUsage(u) {
		defects = append(defects, DefectQualifierNotForUsage)
	}
	if !rule.holdsSource(s) {
		defects = append(defects, DefectQualifierNotForSource)
	}
	if rule.value != nil && !rule.value(q.Value) {
		defects = append(defects, DefectUnknownQualifierValue)
	}
	return defects
}

// Until returns the end of the UTC day that a time-limit of the form until-YYYY-MM-DD names: the first instant after
// it.
func (q Qualifier) Until() (end time.Time, ok bool) {
	date, ok := cutPrefixFold(q.Value, "until-")
	if q.Name != TimeLimit || !ok {
		return time.Time{}, false
	}
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return time.Time{}, false
	}
	return day.AddDate(0, 0, 1), true
}

// cutPrefixFold is strings.CutPrefix with case ignored, for an ASCII prefix.
func cutPrefixFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return "", false
	}
	return s[len(prefix):], true
}

func isTimeLimit(v string) bool {
	if strings.EqualFold(v, "until-recrawled") {
		return true
	}
	if _, ok := (Qualifier{TimeLimit, v}).Until(); ok {
		return true
	}
	return isCount(v, "-days")
}

func isLength(v string) bool { return isCount(v, "-chars") || isCount(v, "-words") }

// isCount reports whether v is a whole number followed by unit.
func isCount(v, unit string) bool {
	n := len(v) - len(unit)
	if n < 1 || !strings.EqualFold(v[n:], unit) {
		return false
	}
	return strings.Trim(v[:n], "0123456789") == ""
}

func oneOf(values ...string) func(string) bool {
	return func(v string) bool {
		return slices.ContainsFunc(values, func(w string) bool { return strings.EqualFold(v, w) })
	}
}

// isLocation reports whether v is an absolute http or https URI (R-DEC-9).
func isLocation(v string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if rest, ok := cutPrefixFold(v, scheme); ok {
			return rest != "" && !strings.ContainsAny(rest[:1], "/?#")
		}
	}
	return false
}

// Locates reports whether the qualifier is a location that a page can have. R-DEC-9 compares no other.
func (q Qualifier) Locates() bool { return q.Name == Location && isLocation(q.Value) }

// Namespace is the URI scheme of ACAP's own names in its final spelling; PilotNamespace the one of S3, repaired by
// R-LEX-6.
const (
	Namespace      = "the-acap:"
	PilotNamespace = "acap:"
)

// resourceSet is the beginning of a reference to a resource set in the final spelling (S3 4.5.2.5.1).
const resourceSet = Namespace + "resource-set:"

// CutResourceSet returns the name in a reference to a resource set, such as "stories" in
// "the-acap:resource-set:stories".
func CutResourceSet(v string) (name string, ok bool) { return cutPrefixFold(v, resourceSet) }

// TakesResource reports whether the qualifier's value is a resource, so that a resource set may stand there (R-DEF-1).
func (n QualifierName) TakesResource() bool { return n == MustUseResource || n == MustIncludeResource }

// isUsedResource: a URI, or the-acap:extract:{id,class,meta}:NAME (S3 4.5.3.1.1).
func isUsedResource(v string) bool {
	rest, ours := cutPrefixFold(v, Namespace)
	if !ours {
		return v != ""
	}
	parts := strings.SplitN(rest, ":", 3)
	return len(parts) == 3 && strings.EqualFold(parts[0], "extract") && isPlace(parts[1]) && parts[2] != ""
}

// isIncludedResource: a URI, or the-acap:{credit,link,icon,text}:{id:…,class:…,meta:…,URI} (S3 4.5.3.1.2).
func isIncludedResource(v string) bool {
	rest, ours := cutPrefixFold(v, Namespace)
	if !ours {
		return v != ""
	}
	kind, locator, _ := strings.Cut(rest, ":")
	if !oneOf("credit", "link", "icon", "text")(kind) {
		return false
	}
	if place, name, found := strings.Cut(locator, ":"); found && isPlace(place) {
		return name != ""
	}
	return locator != ""
}

func isPlace(s string) bool { return oneOf("id", "class", "meta")(s) }
