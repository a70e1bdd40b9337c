package rowtype

import (
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// Value returns what v, the Go value of c in a row, holds: v itself, or what it
// points to. It returns false for a null.
func (c *Column) Value(v reflect.Value) (_ reflect.Value, ok bool) {
	if !c.Optional {
		return v, true
	}
	// Without a pointer it is a slice.
	if v.IsNil() {
		return v, false
	}
	if c.Pointer {
		v = v.Elem()
	}
	return v, true
}

// Target returns where to put a value that is not null: dst, the Go value of c in
// a row, or something new that dst is made to point to.
func (c *Column) Target(dst reflect.Value) reflect.Value {
	if !c.Pointer {
		return dst
	}
	p := reflect.New(c.Type)
	dst.Set(p)
	return p.Elem()
}

// AppendZero makes a slice longer by a zero element, and returns the element. Its
// memory grows with what is appended: no length that a file states is taken on
// trust.
func AppendZero(slice reflect.Value) reflect.Value {
	n := slice.Len()
	slice.Grow(1)
	slice.SetLen(n + 1)
	element := slice.Index(n)
	element.SetZero()
	return element
}

// Millis returns a value of kind Timestamp in milliseconds since 1970 UTC. A
// time.Time must be addressable, as every value within a slice of rows is: so no
// copy is made.
func Millis(v reflect.Value) int64 {
	if v.Kind() == reflect.Int64 {
		return v.Int()
	}
	return v.Addr().Interface().(*time.Time).UnixMilli()
}

// SetMillis sets a value of kind Timestamp to milliseconds since 1970; a time.Time
// is in UTC.
func SetMillis(dst reflect.Value, ms int64) {
	if dst.Kind() == reflect.Int64 {
		dst.SetInt(ms)
		return
	}
	*dst.Addr().Interface().(*time.Time) = time.UnixMilli(ms).UTC()
}

// ValidUTF8 returns s with each run of invalid bytes replaced by one U+FFFD.
func ValidUTF8(s string) string {
	if utf8.ValidString(s) { // as nearly all is; ToValidUTF8 goes rune by rune
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
