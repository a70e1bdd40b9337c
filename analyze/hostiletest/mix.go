package hostiletest

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Limits on a mix: it takes stage 2 a second or so.
const (
	mixedSize  = 12      // of each kind
	mixedBytes = 6 << 10 // of each body
	mixedMetas = 40      // of each page
)

// Mix returns captures of several kinds, each changed at random. Hosts of different kinds have the same names, so
// they redirect and refer to each other and share bodies. Captures depend on the random numbers alone.
func Mix(r *rand.Rand) (list []Capture) {
	kinds := Kinds()
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for _, kind := range kinds[:1+r.IntN(3)] {
		list = append(list, kind.Make(1+r.IntN(mixedSize))...)
	}
	for i := range list {
		c, other := &list[i], &list[r.IntN(len(list))]
		c.Robots = part(r, c.Robots, mixedBytes)
		c.Metas = slices.Clone(c.Metas[:min(len(c.Metas), mixedMetas)])
		for range r.IntN(3) {
			changes[r.IntN(len(changes))](r, c, other)
		}
	}
	return list
}

// part returns a part of a text, in whole lines.
func part(r *rand.Rand, text string, most int) string {
	if len(text) <= most {
		return text
	}
	head := strings.SplitAfterN(text, "\n", 3)
	from := r.IntN(len(text) - most)
	from += strings.IndexByte(text[from:], '\n') + 1
	body := text[from:min(len(text), from+most)]
	return head[0] + head[1] + body[:strings.LastIndexByte(body, '\n')+1]
}

// changes change a capture; other is a capture of the same mix.
var changes = []func(r *rand.Rand, c, other *Capture){
	func(r *rand.Rand, c, _ *Capture) { c.Day = r.IntN(60) },
	func(_ *rand.Rand, c, other *Capture) { // many hosts have one body
		if c.Robots != "" && len(other.Robots) <= mixedBytes {
			c.Robots = other.Robots
		}
	},
	func(_ *rand.Rand, c, other *Capture) {
		if len(c.Robots)+len(other.Robots) <= 2*mixedBytes {
			c.Robots += other.Robots
		}
	},
	func(_ *rand.Rand, c, other *Capture) {
		if len(c.Metas) > 0 {
			c.Metas = append(c.Metas, other.Metas[:min(len(other.Metas), mixedMetas)]...)
		}
	},
	func(_ *rand.Rand, c, other *Capture) {
		if c.Location != "" {
			c.Location = other.URL
		}
	},
	func(r *rand.Rand, c, other *Capture) {
		c.Robots = lines(r, c.Robots, func(string) string { return "ACAP-permissions-reference: " + other.URL + "\n" })
	},
	func(r *rand.Rand, c, _ *Capture) {
		fields := []string{"Disallow", "Allow", "User-agent", "ACAP-crawler", "ACAP-usage-purpose",
			"ACAP-allow-other", "ACAP-disallow-present"}
		c.Robots = lines(r, c.Robots, func(line string) string {
			_, value, _ := strings.Cut(line, ":")
			return pick(r, fields) + ":" + value
		})
	},
	func(r *rand.Rand, c, _ *Capture) {
		c.Robots = lines(r, c.Robots, func(line string) string { return line[:r.IntN(len(line))] })
	},
	func(r *rand.Rand, c, _ *Capture) {
		c.Robots = lines(r, c.Robots, func(line string) string { return strings.ReplaceAll(line, "/", "/*") })
	},
	func(r *rand.Rand, c, _ *Capture) {
		split := strings.SplitAfter(c.Robots, "\n")
		r.Shuffle(len(split), func(i, j int) { split[i], split[j] = split[j], split[i] })
		c.Robots = strings.Join(split, "")
	},
}

// lines changes few or many lines of a text.
func lines(r *rand.Rand, text string, change func(string) string) string {
	oneIn := 1 + r.IntN(20)
	split := strings.SplitAfter(text, "\n")
	for i, line := range split {
		if line != "" && r.IntN(oneIn) == 0 {
			split[i] = change(line)
		}
	}
	return strings.Join(split, "")
}
