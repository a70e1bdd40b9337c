package policy

import (
	"cmp"
	"slices"
	"strings"
)

// An Agent is the name of a crawler as written, up to the first '/' or blank, or AnyAgent (R-AGENT-1).
type Agent string

// AnyAgent is "any crawler".
const AnyAgent Agent = "*"

// ParseAgent reads a crawler's name out of the value of a field. clean is false where the value holds more than a name
// (defect DefectCrawlerName). An empty name is an empty Agent. R-AGENT-1, S3 4.5.6.
func ParseAgent(value string) (agent Agent, clean bool) {
	value = trimASCIISpace(value)
	end := 0
	for end < len(value) && !endsName(value[end]) {
		end++
	}
	agent = Agent(value[:end])
	if agent == AnyAgent {
		return agent, end == len(value)
	}
	return agent, end == len(value) && IsName(value)
}

// endsName reports whether a byte ends the name of an agent: '/', or ASCII white space.
func endsName(c byte) bool { return c == '/' || isASCIISpace(c) }

// ReadAgent is ParseAgent where rules may be left out: without R-AGENT-1 all that the field holds is the name.
func ReadAgent(value string, without RuleSet) (agent Agent, clean bool) {
	if value = trimASCIISpace(value); without.Has(RuleAgentName) {
		return Agent(value), value != ""
	}
	return ParseAgent(value)
}

// IsName reports whether s is name-start-char *name-char of S3 4.5.6.
func IsName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if i == 0 && !letter {
			return false
		}
		if !letter && !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return s != ""
}

// Is reports whether two names are the same crawler: compared whole, ASCII case ignored (R-AGENT-1).
func (a Agent) Is(b Agent) bool { return equalFoldASCII(string(a), string(b)) }

// Key is the name with ASCII letters in lower case: equal for agents that are the same.
func (a Agent) Key() Agent { return Agent(LowerASCII(string(a))) }

// CompareKey compares the Key of a name with another one, as strings compare.
func (a Agent) CompareKey(key Agent) int {
	for i := range min(len(a), len(key)) {
		if c := cmp.Compare(lowerByte(a[i]), key[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(key))
}

// A Purpose is a usage purpose pattern: it matches a whole purpose string, '*' any sequence, ASCII case ignored, a
// final '$' redundant (R-PURP-1).
type Purpose string

// AnyPurpose fits every purpose and none, and is general for R-DEC-3.
const AnyPurpose Purpose = "*"

// General reports whether the pattern fits everything, so that naming it is as naming no purpose.
func (p Purpose) General() bool {
	return strings.Trim(strings.TrimSuffix(string(p), "$"), "*") == "" && strings.Contains(string(p), "*")
}

// Fits reports whether the pattern matches purpose; "" is no purpose, which only a general pattern fits. R-PURP-1.
func (p Purpose) Fits(purpose string) bool {
	if p.General() {
		return true
	}
	if purpose == "" {
		return false
	}
	return matchWhole(LowerASCII(strings.TrimSuffix(string(p), "$")), LowerASCII(purpose))
}

// Same reports whether two patterns are written alike, ASCII case and a final '$' aside.
func (p Purpose) Same(q Purpose) bool { return p.glob() == q.glob() }

func (p Purpose) glob() string { return LowerASCII(strings.TrimSuffix(string(p), "$")) }

// maxMeeting bounds the work of Meets: the product of the lengths of both patterns.
const maxMeeting = 1 << 20

// Meets returns a shortest purpose that fits both patterns, in small letters; ok is false where there is none but the
// empty one, or where the patterns are too long to tell. It takes time and memory in proportion to the product of
// their lengths.
func (p Purpose) Meets(q Purpose) (example string, ok bool) {
	a, b := p.glob(), q.glob()
	if (len(a)+1)*(len(b)+1) > maxMeeting {
		return "", false
	}
	// A state is how much of each pattern is used up. A step without a letter lets a star end; one with a letter uses
	// up that letter of both, or of one while a star of the other stands for it.
	width := len(b) + 1
	end := len(a)*width + len(b)
	from := make([]int, end+1)    // the state before, counted from 1
	letter := make([]byte, end+1) // of the step to the state, 0 for none
	reach := func(list []int, to, at int, c byte) []int {
		if from[to] != 0 {
			return list
		}
		from[to], letter[to] = at+1, c
		return append(list, to)
	}
	star := func(pattern string, at int) bool { return at < len(pattern) && pattern[at] == '*' }
	now, next := reach(nil, 0, 0, 0), []int(nil)
	for len(now) > 0 && from[end] == 0 {
		for n := 0; n < len(now); n++ { // it grows
			at := now[n]
			if star(a, at/width) {
				now = reach(now, at+width, at, 0)
			}
			if star(b, at%width) {
				now = reach(now, at+1, at, 0)
			}
		}
		next = next[:0]
		for _, at := range now {
			i, j := at/width, at%width
			switch starA, starB := star(a, i), star(b, j); {
			case starA && !starB && j < len(b):
				next = reach(next, at+1, at, b[j])
			case starB && !starA && i < len(a):
				next = reach(next, at+width, at, a[i])
			case !starA && !starB && i < len(a) && j < len(b) && a[i] == b[j]:
				next = reach(next, at+width+1, at, a[i])
			}
		}
		now, next = next, now
	}
	if from[end] == 0 {
		return "", false
	}
	var reversed []byte
	for at := end; at != 0; at = from[at] - 1 {
		if letter[at] != 0 {
			reversed = append(reversed, letter[at])
		}
	}
	slices.Reverse(reversed)
	return string(reversed), len(reversed) > 0
}

// Plain is the pattern with every '*' and a final '$' removed: the purpose that a table row about the pattern is
// decided for.
func (p Purpose) Plain() string {
	return strings.ReplaceAll(strings.TrimSuffix(string(p), "$"), "*", "")
}

// matchWhole matches all of s against a pattern in which '*' is any sequence. It costs one pass over both, however many
// '*' there are, since both may be hostile.
func matchWhole(pattern, s string) bool {
	literal, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return s == literal
	}
	if !strings.HasPrefix(s, literal) {
		return false
	}
	s = s[len(literal):]
	// The leftmost place for each literal leaves most to those that follow, so no choice is ever taken back.
	for {
		if literal, rest, starred = strings.Cut(rest, "*"); !starred {
			return strings.HasSuffix(s, literal)
		}
		at := strings.Index(s, literal)
		if at < 0 {
			return false
		}
		s = s[at+len(literal):]
	}
}

// equalFoldASCII compares two texts with ASCII case ignored, unlike strings.EqualFold, which ignores all case.
func equalFoldASCII(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lowerByte(a[i]) != lowerByte(b[i]) {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// LowerASCII lowers ASCII letters and leaves every other byte as it is. It copies only what changes.
func LowerASCII(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			return lowerFrom(s, i)
		}
	}
	return s
}

func lowerFrom(s string, first int) string {
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:first])
	for i := first; i < len(s); i++ {
		b.WriteByte(lowerByte(s[i]))
	}
	return b.String()
}
