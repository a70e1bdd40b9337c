package rep_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A class is one difference between github.com/temoto/robotstxt and this project.
type class uint8

const (
	refusal class = iota
	utf16Text
	invalidUTF8
	otherBlanks
	sizeLimit
	hashInWord
	noColon
	blankBeforeColon
	blankInValue
	misspelt
	crawlDelay
	groupWithoutRules
	version
	prefix
	robotsItself
	notRooted
	starAlone
	unanchored
	dollarInside
	percent
	length
	tie
	classes
)

// A dialect is a second, simple reader of robots.txt. Without classes it follows docs/semantics.md, with all classes
// github.com/temoto/robotstxt v1.1.2. The smallest set of classes with the other answer explains a difference.
type dialect uint32

const (
	ours   dialect = 0
	temoto dialect = 1<<classes - 1
)

func (d dialect) has(c class) bool        { return d&(1<<c) != 0 }
func (d dialect) without(c class) dialect { return d &^ (1 << c) }
func (d dialect) classes() (members []class) {
	for c := range classes {
		if d.has(c) {
			members = append(members, c)
		}
	}
	return members
}

// answers of a reader of robots.txt to "may this agent crawl this path?"
const (
	allowed    = "allowed"
	disallowed = "disallowed"
	refused    = "no answer" // to every question: the file is refused
)

// A reading is a robots.txt in a dialect.
type reading struct {
	dialect
	refused bool
	named   map[string]bool // agents of user-agent lines, in lower case
	ruled   map[string]bool // named agents of a group with a rule
	rules   []rule
}

type rule struct {
	agents []string
	value  string
	allow  bool
}

// A field is a line's name and value.
type field struct{ name, value string }

const fiveHundredKiB = 512000

// read reads a file.
func (d dialect) read(body []byte) *reading {
	r := &reading{dialect: d, named: map[string]bool{}, ruled: map[string]bool{}}
	cut := len(body) > fiveHundredKiB && !d.has(sizeLimit)
	if cut {
		body = body[:fiveHundredKiB]
	}
	text := d.decode(body)
	var agents []string
	inRules, begun := false, false
	for text != "" {
		end := strings.IndexAny(text, "\r\n")
		last := end < 0
		line := text
		if last {
			text = ""
		} else {
			line, text = text[:end], text[end+1:]
		}
		if last && cut {
			break
		}
		// A comment on the last line includes the line end.
		last = last || strings.Trim(text, "\r\n") == "" && endsInComment(line)
		for _, f := range d.fields(line, last) {
			switch name := strings.ToLower(f.name); {
			case name == "user-agent" || name == "useragent" && d.has(misspelt):
				if inRules || !begun {
					agents, inRules, begun = nil, false, true
				}
				if agent := d.agent(f.value); agent != "" {
					agents = append(slices.Clone(agents), agent)
					r.named[agent] = true
				}
			case name == "allow" || name == "disallow":
				if !begun {
					r.refused = r.refused || d.has(refusal)
					continue
				}
				inRules = true
				r.markRuled(agents)
				r.rules = append(r.rules, rule{agents, f.value, name == "allow"})
			case name == "crawl-delay" || name == "crawldelay":
				delay, err := strconv.ParseFloat(f.value, 64)
				if err != nil || delay < 0 || math.IsInf(delay, 0) || math.IsNaN(delay) || !begun {
					r.refused = r.refused || d.has(refusal)
					continue
				}
				if d.has(crawlDelay) {
					inRules = true
					r.markRuled(agents)
				}
			}
		}
	}
	return r
}

func (r *reading) markRuled(agents []string) {
	for _, a := range agents {
		r.ruled[a] = true
	}
}

// decode handles byte order marks, encodings and white space.
func (d dialect) decode(body []byte) string {
	text := string(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")))
	if !d.has(utf16Text) && len(text) == len(body) {
		switch {
		case strings.HasPrefix(text, "\xFF\xFE"):
			text = decodeUTF16(body[2:], binary.LittleEndian)
		case strings.HasPrefix(text, "\xFE\xFF"):
			text = decodeUTF16(body[2:], binary.BigEndian)
		}
	}
	if !d.has(otherBlanks) && strings.ContainsAny(text, "\u00a0\f\ufffd") { // U+FFFD stands for a single byte here
		var b strings.Builder
		for text != "" {
			c, size := utf8.DecodeRuneInString(text)
			if c == '\u00a0' || c == utf8.RuneError && text[0] == 0xA0 || c == '\f' {
				b.WriteString("  "[:size])
			} else {
				b.WriteString(text[:size])
			}
			text = text[size:]
		}
		text = b.String()
	}
	if d.has(invalidUTF8) && !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	return text
}

func decodeUTF16(body []byte, order binary.ByteOrder) string {
	var units []uint16
	for ; len(body) >= 2; body = body[2:] {
		units = append(units, order.Uint16(body))
	}
	text := string(utf16.Decode(units))
	if len(body) > 0 {
		text += "\uFFFD"
	}
	return text
}

const blanks = " \t\v"

// fields reads a line: one field as in RFC 9309, or pairs of words if the dialect has the line's class.
func (d dialect) fields(line string, last bool) []field {
	code, _, _ := strings.Cut(line, "#")
	head, value, colon := strings.Cut(code, ":")
	value = strings.Trim(value, blanks)
	name := strings.Trim(head, blanks)
	words := wordsOf(line)
	var odd class
	switch {
	case !slices.Equal(words, wordsOf(code)):
		odd = hashInWord
	case !colon:
		odd = noColon
	case name == "" || strings.ContainsAny(strings.TrimLeft(head, blanks), blanks):
		odd = blankBeforeColon
	case strings.ContainsAny(value, blanks):
		odd = blankInValue
	case value == "" && last:
		odd = groupWithoutRules
	default:
		return []field{{name, value}}
	}
	if !d.has(odd) {
		if !colon {
			return nil
		}
		return []field{{name, value}}
	}
	var fields []field
	for i := 0; i < len(words); i += 2 {
		if i+1 < len(words) {
			fields = append(fields, field{words[i], words[i+1]})
		} else if !last {
			fields = append(fields, field{words[i], ""})
		}
	}
	return fields
}

func wordsOf(line string) []string {
	words, _ := scan(line)
	return words
}

func endsInComment(line string) bool {
	_, comment := scan(line)
	return comment
}

// scan splits a line like temoto's scanner. A word ends at a blank, or at the first colon that is not its first letter.
// A '#' begins a comment only at the beginning of a word.
func scan(line string) (words []string, comment bool) {
	key := false
	for i := 0; ; {
		for i < len(line) && strings.IndexByte(blanks, line[i]) >= 0 {
			i++
		}
		if i == len(line) || line[i] == '#' {
			return words, i < len(line)
		}
		start := i
		for i++; i < len(line) && strings.IndexByte(blanks, line[i]) < 0; i++ {
			if line[i] == ':' && !key {
				break
			}
		}
		words = append(words, line[start:i])
		if i < len(line) && line[i] == ':' {
			key = true
			i++
		}
	}
}

// agent reads the value of a user-agent line.
func (d dialect) agent(value string) string {
	ends := blanks + "/"
	if d.has(version) {
		ends = blanks
	}
	if end := strings.IndexAny(value, ends); end >= 0 {
		value = value[:end]
	}
	if d.has(prefix) {
		return strings.ToLower(value)
	}
	return lowerASCII(value)
}

func lowerASCII(s string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}, s)
}

// answer decides.
func (r *reading) answer(agent, path string) string {
	if r.refused {
		return refused
	}
	if normal(path, "") == "/robots.txt" && !r.has(robotsItself) {
		return allowed
	}
	group := r.group(lowerASCII(agent))
	best, decision := 0, allowed
	for _, rule := range r.rules {
		if !slices.Contains(rule.agents, group) {
			continue
		}
		n, matches := r.match(rule.value, path)
		if !matches || n < best || n == best && (best == 0 || !rule.allow || r.has(tie)) {
			continue
		}
		best, decision = n, disallowed
		if rule.allow {
			decision = allowed
		}
	}
	return decision
}

// group returns the name whose rules apply to the agent, or "".
func (r *reading) group(agent string) string {
	names := r.named
	if r.has(groupWithoutRules) {
		names = r.ruled
	}
	found, weight := "", 0
	if names["*"] {
		found, weight = "*", 1
	}
	if !r.has(prefix) {
		if agent != "*" && names[agent] {
			return agent
		}
		return found
	}
	for name := range names {
		if name != "*" && strings.HasPrefix(agent, name) && len(name) > weight {
			found, weight = name, len(name)
		}
	}
	return found
}

// match reports whether a rule's value matches a path, and the weight of the rule.
func (d dialect) match(value, path string) (weight int, matches bool) {
	if value == "" {
		return 0, false
	}
	if value[0] != '/' && value[0] != '*' {
		if !d.has(notRooted) {
			return 0, false
		}
		value = "/" + value
	}
	short := strings.TrimRight(value, "*")
	if short == "" && d.has(starAlone) {
		return 0, false
	}
	special := "*"
	if d.has(dollarInside) {
		value, special = short, "*$"
	}
	body, end := strings.CutSuffix(value, "$")
	ending := ""
	if end {
		ending = "$"
	}
	weighed := body + ending
	if !d.has(percent) {
		body, path = normal(body, special), normal(path, "")
		weighed = body + ending
	}
	weight = len(weighed)
	if d.has(length) {
		if weighed = strings.TrimRight(weighed, "*"); strings.ContainsAny(weighed, "*$") {
			weight = len(strings.ReplaceAll(regexp.QuoteMeta(weighed), `\$`, "$"))
		} else {
			weight = max(len(weighed), 1)
		}
	}
	if d.has(unanchored) && strings.ContainsAny(short, "*$") {
		body = "*" + body
	}
	return weight, glob(body+ending, path, special, end)
}

// glob matches by backtracking. If '$' is special, it is the end wherever it stands.
func glob(pattern, path, special string, end bool) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$" && end, pattern[0] == '$' && strings.Contains(special, "$"):
		return path == "" && glob(pattern[1:], path, special, end)
	case pattern[0] == '*':
		for i := 0; i <= len(path); i++ {
			if glob(pattern[1:], path[i:], special, end) {
				return true
			}
		}
		return false
	}
	return path != "" && path[0] == pattern[0] && glob(pattern[1:], path[1:], special, end)
}

// normal normalises a path or a pattern, so that both forms of a byte are equal. Special letters stay. RFC 9309 2.2.2,
// R-PAT-1.
func normal(s, special string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if octet, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				if i += 2; strings.IndexByte(unreserved+reserved, byte(octet)) >= 0 {
					b.WriteByte(byte(octet))
				} else {
					fmt.Fprintf(&b, "%%%02X", octet)
				}
				continue
			}
		}
		if strings.IndexByte(unreserved+reserved+special, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

const (
	unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	reserved   = "/?=&:@!'()+,;[]" // without a meaning in a pattern or a URL's path
)
