package robotstxt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// R-SIG-2.
func TestManagedBlocks(t *testing.T) {
	const begin, end = "# BEGIN Cloudflare Managed content\n", "# END Cloudflare Managed Content\n"
	block := func(by string, first, last int) policy.ManagedBlock {
		return policy.ManagedBlock{By: by, First: first, Last: last}
	}
	tests := []struct {
		name, text string
		want       []policy.ManagedBlock
	}{
		{"in front of the site's own", begin + "User-agent: *\nAllow: /\n" + end + "User-agent: *\nDisallow: /x\n",
			[]policy.ManagedBlock{block("cloudflare", 1, 4)}},
		{"behind it", "User-agent: *\nDisallow:\n\n" + begin + end, []policy.ManagedBlock{block("cloudflare", 4, 5)}},
		{"two", begin + end + begin + end, []policy.ManagedBlock{block("cloudflare", 1, 2), block("cloudflare", 3, 4)}},
		{"without an end", begin + "User-agent: *\nAllow: /\n", nil},
		{"without a begin", "User-agent: *\n" + end, nil},
		{"begun twice", begin + begin + end + end, []policy.ManagedBlock{block("cloudflare", 1, 3)}},
		{"the end of another", begin + "# END Other Managed content\n" + end, []policy.ManagedBlock{block("cloudflare",
			1, 3)}},
		{"capitals, hashes and blanks", "##  begin \t Big CDN  MANAGED CONTENT\t\n#end big cdn  managed content\n",
			[]policy.ManagedBlock{block("big cdn", 1, 2)}},
		{"a name of two words", "## begin Big CDN managed content\n#END BIG CDN MANAGED CONTENT\r\n",
			[]policy.ManagedBlock{block("big cdn", 1, 2)}},
		{"behind a field", "Allow: / " + begin + "Allow: / " + end, []policy.ManagedBlock{block("cloudflare", 1, 2)}},
		{"without a name", "# BEGIN managed content\n# END managed content\n", nil},
		{"other comments", "# BEGIN\n# BEGIN own rules\n# END own rules\n", nil},
		{"no comment", "BEGIN Cloudflare Managed content\nEND Cloudflare Managed content\n", nil},
		{"a long name", strings.ReplaceAll("# BEGIN x Managed content\n# END x Managed content\n", "x",
			strings.Repeat("x", 41)), nil},
		{"a marker of ACAP first", "##ACAP version=1.1\n" + begin + end, []policy.ManagedBlock{block("cloudflare", 2,
			3)}},
		{"cut", begin + "Allow: /\n" + strings.TrimSuffix(end, "\n"), []policy.ManagedBlock{block("cloudflare", 1, 3)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := robotstxt.Parse([]byte(test.text), robotstxt.Options{})
			if diff := cmp.Diff(test.want, doc.Managed()); diff != "" {
				t.Error(diff)
			}
			without := robotstxt.Parse([]byte(test.text),
				robotstxt.Options{Without: policy.RuleSet{}.With(policy.RuleManaged)})
			if len(without.Managed()) > 0 {
				t.Errorf("without R-SIG-2: %v", without.Managed())
			}
		})
	}
}

// The blocks of a file are limited.
func TestManagedBlocksMany(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "# BEGIN v%d Managed content\n# END v%d Managed content\n", i, i)
	}
	if n := len(robotstxt.Parse([]byte(text.String()), robotstxt.Options{}).Managed()); n != 16 {
		t.Errorf("%d blocks", n)
	}
}
