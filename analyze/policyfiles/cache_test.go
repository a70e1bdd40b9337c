package policyfiles

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/ingest/facts"
)

// The cache holds five files of the largest size with the default memory of package analyzerun: each is parsed twice.
func TestCacheHoldsLargeFiles(t *testing.T) {
	cache := NewCache(parse.Options{}, decide.Options{}, 128<<20)
	var files []*facts.Fact
	for file := range 5 {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for n := 0; b.Len() < 500<<10-40; n++ {
			fmt.Fprintf(&b, "Disallow: /*%d-%d*a\n", file, n)
		}
		files = append(files, &facts.Fact{Body: []byte(b.String())})
	}
	held := make([]*text, len(files))
	for round := range 5 {
		for i, f := range files {
			text := cache.text(sha256.Sum256(f.Body), f)
			if len(text.Statements) < 20_000 {
				t.Fatalf("file %d has %d statements: too few to fill the cache", i, len(text.Statements))
			}
			if round > 1 && text != held[i] {
				t.Fatalf("round %d reads file %d again", round, i)
			}
			held[i] = text
		}
	}
}
