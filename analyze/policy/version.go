package policy

import (
	"strconv"
	"strings"
)

// A Version is the ACAP version that a document states. The zero Version is none.
type Version struct {
	Text         string // as written, "" where none was stated
	major, minor int
}

// ParseVersion reads integers separated by dots (S0 2.2.7). It reports false where the text does not begin with an
// integer.
func ParseVersion(text string) (Version, bool) {
	text = strings.TrimSpace(text)
	head, rest, _ := strings.Cut(text, ".")
	major, ok := integer(head)
	if !ok {
		return Version{}, false
	}
	minor := 0
	if rest != "" {
		tail, _, _ := strings.Cut(rest, ".")
		if minor, ok = integer(tail); !ok {
			return Version{}, false
		}
	}
	return Version{Text: text, major: major, minor: minor}, true
}

// integer reads digits alone.
func integer(s string) (n int, ok bool) {
	if strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// Stated reports whether a version was stated at all.
func (v Version) Stated() bool { return v.Text != "" }

// Pilot reports whether the version is below 1.0: everything is read (R-VER-1).
func (v Version) Pilot() bool { return v.Stated() && v.major == 0 }

// Has11 reports whether features of version 1.1 count: below 1.0 and from 1.1 on they do, under 1.0 or none they do not
// (R-VER-1, S0 2.2.7).
func (v Version) Has11() bool {
	return v.Stated() && (v.major == 0 || v.major > 1 || v.minor >= 1)
}

// Unknown reports whether the version lies above 1.1, which is read as 1.1 (R-VER-1).
func (v Version) Unknown() bool { return v.major > 1 || v.major == 1 && v.minor > 1 }
