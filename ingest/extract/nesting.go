package extract

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strconv"

	"golang.org/x/net/html"

	"github.com/acapscan/acapscan/ingest/facts"
)

// Nesting tells which elements of a page stand inside which. offsets are where their tags begin, as facts.Directive has them; the
// answer maps each to that of the nearest one around it, and has none for the others. In HTML it is the tree of
// golang.org/x/net/html that counts: elements that it drops, and all elements of a document that it refuses, stand in none.
//
// It builds the tree of the whole page. It is for one page at a time, and not for reading archives.
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

// mark is the attribute by which an element is found again in the tree. It is written before all others of its tag, so that it is
// the one that counts.
const mark = "data-acapscan-offset"

// nestingOfHTML writes into the tag of each element where it stands, and reads that back from the tree.
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
		// The tree may repeat an element that was closed too late: the first is the one that was written.
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

// markOf reads what nestingOfHTML wrote.
func markOf(n *html.Node) (offset int64, ok bool) {
	for _, a := range n.Attr {
		if a.Key == mark {
			offset, err := strconv.ParseInt(a.Val, 10, 64)
			return offset, err == nil
		}
	}
	return 0, false
}

// maxDepth bounds the elements that are open at once in an XML document; what comes after stands in none. In HTML the tree has a
// bound of its own.
const maxDepth = 4096

// nestingOfXML reads tags as far as the document is well-formed enough to.
func nestingOfXML(body []byte, offsets []int64) map[int64]int64 {
	type open struct {
		name   xml.Name
		offset int64
		asked  bool
	}
	// Whatever its encoding, its markup is ASCII, and no offset may move.
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
	var asked []int64 // those on the stack
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
			// What was left open ends with what it stands in.
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
