//go:build countwork

package markup

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
)

// work counts what the package does: functions entered, rounds of loops, and bytes that functions of the standard
// library look at or copy.
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

const shortDocument, longDocument = 2_000, 16_000 // pieces of a hostile document

// TestWork writes what documents cost to the file that the test which runs this one has named.
func TestWork(t *testing.T) {
	var costs []documentCost
	short, long := hostileDocuments(shortDocument), hostileDocuments(longDocument)
	for name := range short {
		for _, as := range []facts.Parser{facts.ParsedHTML, facts.ParsedXML} {
			var s Scanner
			of := func(src string) (bytes, spent int) {
				work = 0
				s.Scan([]byte(src), as)
				return len(src), work
			}
			c := documentCost{Name: name, As: string(as)}
			c.ShortBytes, c.ShortWork = of(short[name])
			c.LongBytes, c.LongWork = of(long[name])
			costs = append(costs, c)
		}
	}
	for name, scan := range planted {
		of := func(n int) (bytes, spent int) {
			work = 0
			scan(repeated(n))
			return n, work
		}
		c := documentCost{Name: name, Planted: true}
		c.ShortBytes, c.ShortWork = of(500)
		c.LongBytes, c.LongWork = of(4000)
		costs = append(costs, c)
	}
	text, err := json.Marshal(costs)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv(costsFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func repeated(n int) []byte { return bytes.Repeat([]byte("x"), n) }
