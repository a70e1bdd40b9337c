package markup

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strconv"

	"golang.org/x/net/html"

	"github.com/acapscan/acapscan/ingest/facts"
)

// Nesting maps elements of a page to the nearest element around them. offsets are where their tags begin, as in
// facts.Directive; an element outside of all others is not in the result. In HTML the tree of golang.org/x/net/html
// decides, without elements that it drops and documents that it refuses.
//
// It builds the tree of the whole page, so it is too slow for archives.
func Nesting(body []byte, as facts.Parser, offsets []int64) map[int64]int64 {
	offsets = slices.Clone(offsets)
	slices.Sort(offsets)
	offsets = slices.Compact(offsets)
	if len(offsets) < 2 {
		return nil
	}
	if as == facts.ParsedXML {
		return nestingOfXML(body, offsets)
	}
	return nestingOfHTML(body, offsets)
}

// mark is the attribute that identifies an element in the tree. It is the first of its tag, because the first counts.
const mark = "data-acapscan-offset"

// nestingOfHTML writes its offset into the tag of each element, and reads it from the tree.
func nestingOfHTML(body []byte, offsets []int64) map[int64]int64 {
	var marked bytes.Buffer
	done := 0
	for _, offset := range offsets {
		end := int(offset) + len("<")
		if offset < 0 || end > len(body) {
			continue
		}
		for end < len(body) && !isSpace(body[end]) && body[end] != '/' && body[end] != '>' {
			end++
		}
		marked.Write(body[done:end])
		marked.WriteString(" " + mark + `="` + strconv.FormatInt(offset, 10) + `"`)
		if end < len(body) && body[end] != '>' {
			marked.WriteByte(' ')
		}
		done = end
	}
	marked.Write(body[done:])
	root, err := html.ParseWithOptions(&marked, html.ParseOptionEnableScripting(true))
	if err != nil {
		return nil
	}
	inside, seen := map[int64]int64{}, map[int64]bool{}
	for n := range root.Descendants() {
		// The tree may repeat an element that was closed too late. The first one is that of the page.
		at, ok := markOf(n)
		if !ok || seen[at] {
			continue
		}
		seen[at] = true
		for up := n.Parent; up != nil; up = up.Parent {
			if outer, ok := markOf(up); ok && outer != at {
				inside[at] = outer
				break
			}
		}
	}
	return inside
}

// markOf reads the mark of an element.
func markOf(n *html.Node) (offset int64, ok bool) {
	for _, a := range n.Attr {
		if a.Key == mark {
			offset, err := strconv.ParseInt(a.Val, 10, 64)
			return offset, err == nil
		}
	}
	return 0, false
}

// maxDepth limits the open elements in an XML document. Deeper elements are in no other. The HTML parser has its own
// limit.
const maxDepth = 4096

// nestingOfXML reads tags while the document is well-formed enough.
func nestingOfXML(body []byte, offsets []int64) map[int64]int64 {
	type open struct {
		name   xml.Name
		offset int64
		asked  bool
	}
	// In every encoding the markup is ASCII, and offsets must not change.
	ascii := bytes.Clone(body)
	for i, c := range ascii {
		if c >= 0x80 {
			ascii[i] = 'x'
		}
	}
	d := xml.NewDecoder(bytes.NewReader(ascii))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	inside := map[int64]int64{}
	var stack []open
	var asked []int64 // elements of offsets on the stack
	for {
		at := d.InputOffset()
		token, err := d.RawToken()
		if err != nil {
			return inside
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := open{name: token.Name, offset: at}
			if _, e.asked = slices.BinarySearch(offsets, at); e.asked {
				if n := len(asked); n > 0 {
					inside[at] = asked[n-1]
				}
				asked = append(asked, at)
			}
			if len(stack) == maxDepth {
				return inside
			}
			stack = append(stack, e)
		case xml.EndElement:
			// Unclosed elements end with their parent.
			n := len(stack) - 1
			for n >= 0 && stack[n].name != token.Name {
				n--
			}
			if n < 0 {
				continue
			}
			for _, e := range stack[n:] {
				if e.asked {
					asked = asked[:len(asked)-1]
				}
			}
			stack = stack[:n]
		}
	}
}
