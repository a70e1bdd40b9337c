package policy

import (
	"errors"
	"strings"
)

// Why a text is not a Pattern (R-PAT-1).
var (
	ErrMissingResource = errors.New("the resource is missing")
	ErrPathNotRooted   = errors.New("the resource begins with neither '/' nor '*'")
)

// A Pattern names the resources of one site by path and query: it is a prefix of them, '*' is any sequence anywhere,
// and a '$' that is its last character is their end (R-PAT-1, S3 4.5.1, RFC 9309 2.2.2-3). Percent-encoding is compared
// by R-PAT-2. Patterns are seen here as sets of paths: Match, Contains and PathSet are about all paths that
// NormalizePath can return, whether the site has them or not.
//
// The zero Pattern matches no path; an empty conventional "Disallow:" is one. Patterns can be compared with ==, which
// compares them as they are written; PathSet compares what they match.
type Pattern struct {
	norm string // the text, with its bytes as NormalizePath has them; '*' and a final '$' stay
	glob string // norm without '$' and without each '*' next to a '*' or at the end; empty only in the zero Pattern
	end  bool   // a path ends where glob ends; if not, anything may follow
	// partsReserved: it was read without R-PAT-2, so that a reserved byte that is encoded stays so.
	partsReserved bool
}

// ParsePattern reads a pattern; white space around it is dropped, and so is what follows a '#' (R-LEX-2, R-PAT-1). The
// error is ErrMissingResource where nothing is left, ErrPathNotRooted where the first character is neither '/' nor '*'.
//
// %2A and %24 stand for the characters themselves, and so does a '$' that is not the last character.
func ParsePattern(s string) (Pattern, error) { return ReadPattern(s, RuleSet{}) }

// ReadPattern is ParsePattern where rules may be left out: without R-PAT-1 '*' and '$' are letters, without R-PAT-2 a
// reserved byte that is encoded stays so. A path for it comes from ReadPath with the same rules left out.
func ReadPattern(s string, without RuleSet) (Pattern, error) {
	if without.Has(RulePattern) {
		return readLiteral(s, without)
	}
	p := Pattern{partsReserved: without.Has(RuleEncoding)}
	if s != "" && s[0] == '/' && isPathText(s) { // nearly all
		p.norm, p.glob = s, s
		return p, nil
	}
	text := patternText(s)
	if text == "" {
		return Pattern{}, ErrMissingResource
	}
	if text[0] != '/' && text[0] != '*' {
		return Pattern{}, ErrPathNotRooted
	}
	body, end := strings.CutSuffix(text, "$")
	p.glob, p.end = normalizeBytes(body, true, without), end
	p.norm = p.glob
	if end && p.glob == body {
		p.norm = text // no copy in the common case
	} else if end {
		p.norm += "$"
	}
	if strings.Contains(p.glob, "**") {
		p.glob = collapseStars(p.glob)
	}
	if rest, starred := strings.CutSuffix(p.glob, "*"); starred {
		p.glob, p.end = rest, false // "/a*$" is "/a*" is "/a"
	}
	if p.glob == "" {
		p.glob = "/" // "*": every path begins so
	}
	return p, nil
}

// ReadRooted is ReadPattern for a vocabulary that reads a pattern which begins with neither '/' nor '*' from the root;
// repaired tells that it did. Without R-PAT-1 such a pattern stays ErrPathNotRooted. R-PAT-1.
func ReadRooted(s string, without RuleSet) (p Pattern, repaired bool, err error) {
	p, err = ReadPattern(s, without)
	if !errors.Is(err, ErrPathNotRooted) || without.Has(RulePattern) {
		return p, false, err
	}
	path := trimASCIISpace(s)
	if len(path) >= len("%2F") && strings.EqualFold(path[:len("%2F")], "%2F") && !without.Has(RuleEncoding) {
		path = path[len("%2F"):] // it is a '/' (R-PAT-2)
	}
	p, err = ReadPattern("/"+path, without)
	return p, err == nil, err
}

// readLiteral is ReadPattern without R-PAT-1.
func readLiteral(s string, without RuleSet) (Pattern, error) {
	text := patternText(s)
	switch {
	case text == "":
		return Pattern{}, ErrMissingResource
	case text[0] != '/':
		return Pattern{}, ErrPathNotRooted
	}
	literal := normalizeBytes(text, false, without)
	return Pattern{norm: literal, glob: literal, partsReserved: without.Has(RuleEncoding)}, nil
}

// patternText returns the text of a pattern without comment and white space.
func patternText(s string) string {
	if comment := strings.IndexByte(s, '#'); comment >= 0 {
		s = s[:comment]
	}
	return trimASCIISpace(s)
}

// Normal returns the pattern with its bytes as NormalizePath has them, '*' and a final '$' as written.
func (p Pattern) Normal() string { return p.norm }

// Len returns the length of the pattern in bytes, by which RFC 9309 2.2.2 finds the longest match. It is that of the
// normalised pattern, as two ways to write one byte have to weigh the same; every '*' and a final '$' count one.
func (p Pattern) Len() int { return len(p.norm) }

// Glob returns the pattern reduced to what matters for matching: '*' in text is any sequence (never two side by side,
// never last), any other byte is itself. With end, a path ends where text ends; without, anything may follow. Text is
// empty only for the zero Pattern.
func (p Pattern) Glob() (text string, end bool) { return p.glob, p.end }

// PartsReserved reports whether the pattern was read without R-PAT-2, so that it tells "/a%2Fb" from "/a/b".
func (p Pattern) PartsReserved() bool { return p.partsReserved }

// Match reports whether the pattern holds a path, which NormalizePath (or ReadPath, under the pattern's rules) must
// have returned. It costs one pass over the path, however many '*' there are.
func (p Pattern) Match(path string) bool {
	if p.glob == "" {
		return false
	}
	same := 0 // most patterns differ from most paths at a letter before the first '*'
	for same < len(p.glob) && p.glob[same] != '*' {
		if same == len(path) || path[same] != p.glob[same] {
			return false
		}
		same++
	}
	path = path[same:]
	if same == len(p.glob) {
		return !p.end || path == ""
	}
	rest, starred := p.glob[same+1:], true
	// The leftmost place for each literal leaves most to those that follow, so no choice is ever taken back.
	for starred {
		var literal string
		literal, rest, starred = strings.Cut(rest, "*")
		if !starred && p.end {
			return strings.HasSuffix(path, literal)
		}
		at := strings.Index(path, literal)
		if at < 0 {
			return false
		}
		path = path[at+len(literal):]
	}
	return !p.end || path == ""
}

// Contains reports whether p holds every path that q holds.
//
// What a '*' of q stands for can only be matched whatever it is if a '*' of p absorbs it, and then it may as well be
// one letter that occurs in neither pattern. This is exact as long as there is such a letter, that is for all but
// patterns that use every letter there is. The '*' itself serves as that letter: no path has it, and no literal of p.
func (p Pattern) Contains(q Pattern) bool {
	if q.glob == "" {
		return true
	}
	if p.end && !q.end {
		return false // what may follow q is too long for p
	}
	if q.glob[0] != '*' {
		return p.Match(q.glob)
	}
	// Paths begin with '/': the first '*' is "/" and anything, or nothing where a '/' follows it.
	return p.Match("/"+q.glob) && (q.glob[1] != '/' || p.Match(q.glob[1:]))
}

// MatchesAll reports whether the pattern matches every path.
func (p Pattern) MatchesAll() bool { return !p.end && p.Match("/") }

// A PathSet is the set of paths that a pattern matches: equal for "/", "*" and "/*".
type PathSet struct {
	glob string
	end  bool
}

// PathSet returns the set of paths that the pattern matches.
func (p Pattern) PathSet() PathSet {
	// Every path begins with '/': "*" before another letter is "/*", and so is "*/*".
	set := PathSet{p.glob, p.end}
	switch {
	case p.MatchesAll():
		set.glob = "/"
	case strings.HasPrefix(p.glob, "*/*"):
		set.glob = p.glob[1:]
	case strings.HasPrefix(p.glob, "*") && !strings.HasPrefix(p.glob, "*/"):
		set.glob = "/" + p.glob
	}
	return set
}

// NarrowerByCharacters reports whether p has the narrower scope of the two by the method of S3 4.5.2.5.3, to the
// letter: characters are compared from the left; at the first difference a '$' is wider than anything else and a '*'
// wider than anything but a '$'; a pattern that is the beginning of the other is the wider one. It is false both ways
// where the method does not tell: patterns alike, or two different characters that are no wildcards.
func (p Pattern) NarrowerByCharacters(q Pattern) bool {
	for i := range min(len(p.norm), len(q.norm)) {
		a, b := p.norm[i], q.norm[i]
		switch {
		case a == b:
		case a == '$' || b == '$':
			return b == '$'
		default:
			return b == '*'
		}
	}
	return len(p.norm) > len(q.norm)
}

// Example returns a path that the pattern holds, of which there is no shorter one; it is empty for the zero Pattern.
func (p Pattern) Example() string {
	path := strings.ReplaceAll(p.glob, "*", "")
	if path != "" && path[0] != '/' {
		return "/" + path
	}
	return path
}

// NormalizePath returns path and query of a URL in the form in which patterns compare them, so that two ways to write
// one byte are one (R-PAT-2, RFC 9309 2.2.2): percent-encoded unreserved and reserved characters are decoded, other
// encodings have upper-case digits, a byte that cannot stand in a URL and a '%' that encodes nothing are encoded. The
// RFC encodes reserved characters where this decodes them, which compares alike: "/" and "%2F" are one, though RFC 3986
// 2.2 parts them. But '*' and '$' are always encoded, since patterns use them otherwise (RFC 9309 2.2.3), and so is
// '#', which ends a path. A fragment is dropped, and a path that does not begin with '/', as the empty one, gets it.
// The result normalises to itself.
func NormalizePath(pathAndQuery string) string { return ReadPath(pathAndQuery, RuleSet{}) }

// ReadPath is NormalizePath where rules may be left out: without R-PAT-2 a reserved byte that is encoded stays so.
func ReadPath(pathAndQuery string, without RuleSet) string {
	text, _, _ := strings.Cut(pathAndQuery, "#")
	text = normalizeBytes(text, false, without)
	if text == "" || text[0] != '/' {
		return "/" + text
	}
	return text
}

// normalizeBytes does for every byte what ReadPath says; with stars, '*' stays as it is. It returns s itself, not a
// copy, where nothing changes.
func normalizeBytes(s string, stars bool, without RuleSet) string {
	plain := func(c byte) bool { return isPathByte(c) || stars && c == '*' }
	i := 0
	for i < len(s) && plain(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		c := s[i]
		if plain(c) {
			b.WriteByte(c)
			continue
		}
		if c == '%' && i+2 < len(s) && isHexDigit(s[i+1]) && isHexDigit(s[i+2]) {
			c = hexDigit(s[i+1])<<4 | hexDigit(s[i+2])
			i += 2
			if isPathByte(c) && !(without.Has(RuleEncoding) && isReserved(c)) {
				b.WriteByte(c)
				continue
			}
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}

// isPathByte reports whether a byte stands for itself in a normalised path: the unreserved ones of RFC 3986 2.3, and
// of the reserved ones of 2.2 all but '#', which ends the path, and '*' and '$'.
func isPathByte(c byte) bool { return pathBytes[c] }

// pathBytes has the answer for each byte.
var pathBytes = byteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/?=&:@!'()+,;[]")

// isPathText reports whether all bytes of a text stand for themselves.
func isPathText(s string) bool {
	for i := range len(s) {
		if !isPathByte(s[i]) {
			return false
		}
	}
	return true
}

func byteSet(bytes string) (set [256]bool) {
	for _, c := range []byte(bytes) {
		set[c] = true
	}
	return set
}

// isReserved reports whether RFC 3986 tells a path byte from its encoding: those of its 2.2 that path and query may
// hold as they are. Brackets are reserved, too, but only a host may hold them, so that a client has to encode them:
// they are one with their encoding.
func isReserved(c byte) bool { return strings.IndexByte("/?=&:@!'()+,;", c) >= 0 }

func isHexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func hexDigit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

func collapseStars(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) {
		if s[i] != '*' || i == 0 || s[i-1] != '*' {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func trimASCIISpace(s string) string {
	for s != "" && isASCIISpace(s[0]) {
		s = s[1:]
	}
	for s != "" && isASCIISpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isASCIISpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
