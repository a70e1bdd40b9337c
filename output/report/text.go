package report

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/report/chart"
	"github.com/acapscan/acapscan/output/report/numbers"
)

// maxShown bounds a text out of an archive on the page, in bytes.
const maxShown = 300

// maxLink bounds an address that becomes a link, in bytes.
const maxLink = 2000

// number writes a count with commas between thousands.
func number(n int64) string { return chart.Count(n) }

// share writes n of d in per cent; a dash where there is nothing to divide by. It has a decimal, and more where a rare
// share, or what a large one lacks, needs them for two digits: 0.038%, 99.962%.
func share(n, d int64) string {
	switch {
	case d <= 0:
		return "–"
	case n == 0:
		return "0%"
	case n == d:
		return "100%"
	}
	percent := 100 * float64(n) / float64(d)
	return strconv.FormatFloat(percent, 'f', max(1, decimals(min(percent, 100-percent))), 64) + "%"
}

// among writes a count with what it is of: "39 of 101,698 sites (0.038%)".
func among(n, d int64, things string) string {
	return fmt.Sprintf("%s of %s (%s)", number(n), plural(d, things), share(n, d))
}

// sites counts sites, with words that say which: "5 sites seen".
func sites(n int64, which string) string { return plural(n, "site") + " " + which }

// amongSites writes a count with the sites that it is of.
func amongSites(n, d int64, which string) string {
	return fmt.Sprintf("%s of %s (%s)", number(n), sites(d, which), share(n, d))
}

// wilson returns the interval of 95 per cent about the share of n in d, by Wilson's score.
func wilson(n, d int64) (low, high float64) {
	if d <= 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(n)/float64(d), float64(d)
	middle := float64(p+z*z/(2*m)) / (1 + z*z/m)
	half := z * math.Sqrt(float64(p*(1-p)/m)+float64(z*z/(4*m*m))) / (1 + z*z/m)
	return max(0, middle-half), min(1, middle+half)
}

// between writes an interval of shares, in per cent.
func between(low, high float64) string {
	return perCent(low) + "% to " + perCent(high) + "%"
}

// perCent writes a share from 0 to 1 in per cent with two digits, or three for 100.
func perCent(v float64) string { return strconv.FormatFloat(100*v, 'f', decimals(100*v), 64) }

// decimals returns how many show two digits of a positive number.
func decimals(v float64) (n int) {
	for ; v > 0 && v < 9.95 && n < 20; v *= 10 {
		n++
	}
	return n
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
	cut := numbers.Clip(s, maxShown)
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

// shareOf is a cell with a share from 0 to 1.
func shareOf(v float64) cell {
	return cell{Text: perCent(v) + "%", Number: true, Value: strconv.FormatFloat(v, 'g', 6, 64)}
}
