// Package texts is a leaf: it keeps copies of short texts together, many an allocation. It does not know what they say.
//
// A text holds on to those beside it. So a copy is for texts that are let go of together: who keeps some for longer makes copies of
// those.
package texts

import "strings"

// roomBytes is how much is made at once. What would take much of that has a place of its own.
const (
	roomBytes = 16 << 10
	longBytes = roomBytes / 4
)

// A Room is where copies are put. The zero value is ready.
type Room struct{ b strings.Builder }

// Make returns the text of n bytes that write writes.
func (r *Room) Make(n int, write func(*strings.Builder)) string {
	if n > longBytes {
		var own strings.Builder
		own.Grow(n)
		write(&own)
		return own.String()
	}
	if r.b.Cap()-r.b.Len() < n {
		r.b = strings.Builder{}
		r.b.Grow(roomBytes)
	}
	from := r.b.Len()
	write(&r.b)
	return r.b.String()[from:]
}

// Copy returns a copy of a text.
func (r *Room) Copy(text string) string {
	return r.Make(len(text), func(b *strings.Builder) { b.WriteString(text) })
}

// CopyBytes returns a copy of a text in bytes.
func (r *Room) CopyBytes(text []byte) string {
	return r.Make(len(text), func(b *strings.Builder) { b.Write(text) })
}
