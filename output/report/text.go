package report

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/acapscan/acapscan/internal/terms"
)

// maxShown bounds a text out of an archive on the page, in bytes.
const maxShown = 300

// maxLink bounds an address that becomes a link, in bytes.
const maxLink = 2000

// number writes a count with commas between thousands.
func number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// share writes n of d in per cent, with one decimal; a dash where there is nothing to divide by. What is there never
// reads 0%, and what is not everything never 100%.
func share(n, d int64) string {
	if d <= 0 {
		return "–"
	}
	tenths := (n*1000 + d/2) / d
	switch {
	case n > 0 && tenths == 0:
		return "<0.1%"
	case n < d && tenths >= 1000:
		return ">99.9%"
	case n == 0:
		return "0%"
	case n == d:
		return "100%"
	}
	return fmt.Sprintf("%d.%d%%", tenths/10, tenths%10)
}

// withShare writes a count and its share: "110 (59.1%)".
func withShare(n, d int64) string { return number(n) + " (" + share(n, d) + ")" }

// bytesOf writes a size in decimal units.
func bytesOf(n int64) string {
	units := []string{"kB", "MB", "GB", "TB", "PB"}
	if n < 1000 {
		return plural(n, "byte")
	}
	unit := 0
	tenths := n/100 + (n%100+50)/100
	for tenths >= 10000 && unit < len(units)-1 {
		tenths = (tenths + 500) / 1000
		unit++
	}
	return fmt.Sprintf("%s.%d %s", number(tenths/10), tenths%10, units[unit])
}

// plural counts things, as in "1 site" and "2 sites".
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return number(n) + " " + thing + "s"
}

// visible makes text out of an archive fit for a line of the page: cut, and without characters that have an effect
// instead of a form, such as controls and those that turn the direction of writing.
func visible(s string) string {
	cut := clip(s, maxShown)
	var b strings.Builder
	for _, c := range cut {
		switch {
		case c == '\n' || c == '\r' || c == '\t':
			b.WriteByte(' ')
		case unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029':
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(c) // a byte that is not UTF-8 comes as the replacement character
		}
	}
	if len(cut) < len(s) {
		b.WriteString("…")
	}
	return b.String()
}

// link returns the address if it may become a link: whole, of http or https, and without a user name that could pass
// for a host.
func link(address string) string {
	if len(address) > maxLink || strings.ContainsFunc(address,
		func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }) {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return address
}

// phrase describes a value of an enumeration; it is empty for a name that this version does not know.
func phrase[E terms.Described](name string) string {
	value, _ := terms.Parse[E](name)
	return value.Phrase()
}
