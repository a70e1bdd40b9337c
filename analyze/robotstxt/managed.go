package robotstxt

import (
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
)

// maxManaged limits the managed blocks of a file.
const maxManaged = 16

// Managed returns the blocks of the file that a vendor writes, and not the site: the lines from `# BEGIN Cloudflare
// Managed content` to `# END Cloudflare Managed Content`, with both. They are in order and do not overlap. A block
// without an end is none, and the end belongs to the first begin with its name. R-SIG-2.
func (d *Document) Managed() (blocks []policy.ManagedBlock) {
	if !d.begins || d.without.Has(policy.RuleManaged) {
		return nil
	}
	var open policy.ManagedBlock
	number, ends := 0, d.lineEnds()
	for start, end, next := 0, 0, 0; start < len(d.text) && len(blocks) < maxManaged; start = next {
		end, next = ends.after(start)
		number++
		code := start + d.commentStart(d.text[start:end])
		if code == end {
			continue
		}
		switch begin, vendor := managedMarker(d.text[code:end]); {
		case vendor == "":
		case begin && open.By == "":
			open = policy.ManagedBlock{By: vendor, First: number}
		case !begin && vendor == open.By:
			open.Last = number
			blocks, open = append(blocks, open), policy.ManagedBlock{}
		}
	}
	return blocks
}

// maxVendor limits the name of a vendor, in bytes.
const maxVendor = 40

// managedMarker reads the comment that begins or ends a block. vendor is in lower case, and "" for any other comment.
func managedMarker(comment string) (begin bool, vendor string) {
	text := trimLeft(strings.TrimLeft(comment, "#"))
	switch {
	case hasPrefixFold(text, "BEGIN "):
		begin, text = true, text[len("BEGIN "):]
	case hasPrefixFold(text, "END "):
		text = text[len("END "):]
	default:
		return false, ""
	}
	const rest = " managed content"
	text = trim(text)
	name := len(text) - len(rest)
	if name <= 0 || name > maxVendor || !strings.EqualFold(text[name:], rest) {
		return false, ""
	}
	return begin, policy.LowerASCII(trim(text[:name]))
}
