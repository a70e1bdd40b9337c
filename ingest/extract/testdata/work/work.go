package extract

import (
	"bytes"
	"reflect"
	"strings"
)

// work counts what the package does: functions entered, rounds of loops, and bytes that functions of the standard library look at or copy.
var work int

// counted counts the length of what a function looks at or copies.
func counted[T any](x T) T {
	switch v := reflect.ValueOf(x); v.Kind() {
	case reflect.String, reflect.Slice, reflect.Array:
		work += v.Len()
	}
	return x
}

// sized counts what is made and so cleared.
func sized(n int) int {
	work += n
	return n
}

// until counts a search through n bytes that ended at found, or found nothing.
func until(found, n int) int {
	if work += n; found >= 0 {
		work -= n - found
	}
	return found
}

// What stands below takes the place of functions that need not look at all that they are given.

func bytesIndexByte(s []byte, c byte) int          { return until(bytes.IndexByte(s, c), len(s)) }
func bytesIndex(s, sep []byte) int                 { return until(bytes.Index(s, sep), len(s)) }
func bytesIndexAny(s []byte, chars string) int     { return until(bytes.IndexAny(s, chars), len(s)) }
func bytesHasPrefix(s, prefix []byte) bool         { return bytes.HasPrefix(s, counted(prefix)) }
func bytesHasSuffix(s, suffix []byte) bool         { return bytes.HasSuffix(s, counted(suffix)) }
func bytesTrimPrefix(s, prefix []byte) []byte      { return bytes.TrimPrefix(s, counted(prefix)) }
func bytesTrimSuffix(s, suffix []byte) []byte      { return bytes.TrimSuffix(s, counted(suffix)) }
func bytesTrim(s []byte, cutset string) []byte     { return cutOff(s, bytes.Trim(s, cutset)) }
func bytesTrimLeft(s []byte, cutset string) []byte { return cutOff(s, bytes.TrimLeft(s, cutset)) }
func bytesTrimSpace(s []byte) []byte               { return cutOff(s, bytes.TrimSpace(s)) }
func bytesContains(s, sub []byte) bool             { return bytesIndex(s, sub) >= 0 }
func stringsHasPrefix(s, prefix string) bool       { return strings.HasPrefix(s, counted(prefix)) }
func stringsHasSuffix(s, suffix string) bool       { return strings.HasSuffix(s, counted(suffix)) }

func bytesTrimFunc(s []byte, f func(rune) bool) []byte { return cutOff(s, bytes.TrimFunc(s, f)) }

func bytesCut(s, sep []byte) (before, after []byte, found bool) {
	bytesIndex(s, sep)
	return bytes.Cut(s, sep)
}

func cutOff(s, rest []byte) []byte {
	work += len(s) - len(rest)
	return rest
}
