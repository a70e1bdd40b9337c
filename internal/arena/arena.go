// Package arena copies short strings into shared allocations.
//
// Strings share an allocation: keep strings of one lifetime together, and clone those that live longer.
package arena

import "strings"

const (
	chunkBytes = 16 << 10       // of one shared allocation
	longBytes  = chunkBytes / 4 // a longer string has an allocation of its own
)

// An Arena holds copies of strings. The zero value is ready for use.
type Arena struct{ b strings.Builder }

// Make returns the string of n bytes that write writes.
func (a *Arena) Make(n int, write func(*strings.Builder)) string {
	if n > longBytes {
		var own strings.Builder
		own.Grow(n)
		write(&own)
		return own.String()
	}
	if a.b.Cap()-a.b.Len() < n {
		a.b = strings.Builder{}
		a.b.Grow(chunkBytes)
	}
	from := a.b.Len()
	write(&a.b)
	return a.b.String()[from:]
}

// Copy returns a copy of s.
func (a *Arena) Copy(s string) string {
	return a.Make(len(s), func(b *strings.Builder) { b.WriteString(s) })
}

// CopyBytes returns the bytes as a string.
func (a *Arena) CopyBytes(s []byte) string {
	return a.Make(len(s), func(b *strings.Builder) { b.Write(s) })
}
