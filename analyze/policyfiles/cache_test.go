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

// A host's end gives the memory of its statements to the next host. Bodies that hosts share keep theirs.
func TestHostsUseMemoryAgain(t *testing.T) {
	cache := NewCache(parse.Options{}, decide.Options{}, 0)
	read := func(robots string) (*Host, *text) {
		h := NewHost(cache, DefaultLimits(), nil)
		s := h.NewSite()
		return h, s.parse(&facts.Fact{Body: []byte(robots)}).text
	}
	const first, second, shared = "User-agent: a\nDisallow: /1\nDisallow: /2\n", "User-agent: b\nAllow: /3\n",
		"User-agent: c\nDisallow: /4\n"
	h, one := read(first)
	memory := &one.Statements[0]
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h, two := read(second)
	if got := two.Statements; len(got) != 1 || &got[0] != memory || got[0].Raw != "Allow: /3" ||
		got[0].Agents[0] != "b" {
		t.Errorf("the second host has %v, not its rule in the memory of the first", got)
	}
	h.Close()
	for range 2 { // the second time it is cached
		h, _ = read(shared)
		h.Close()
	}
	h, three := read(shared)
	h.Close()
	if got := three.Statements; !three.IsShared || len(got) != 1 || got[0].Raw != "Disallow: /4" {
		t.Errorf("a shared body has %v after the end of a host", got)
	}
}
