package extract

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
)

// TestWork writes what documents cost to the file that the test which runs this one has named.
func TestWork(t *testing.T) {
	var costs []documentCost
	short, long := hostileDocuments(shortDocument), hostileDocuments(longDocument)
	for name := range short {
		for _, as := range []facts.Parser{facts.ParsedHTML, facts.ParsedXML} {
			var s scanner
			of := func(src string) (bytes, spent int) {
				work = 0
				s.scan([]byte(src), as)
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
