package policy

import (
	"slices"
	"testing"
)

// A file has as many findings as lines. This ends only where one does not cost a look at all others.
func TestManyFindings(t *testing.T) {
	const lines = 1 << 21
	var f File
	for line := range lines {
		f.AddFinding(DefectCrawlerName, line+1)
		f.AddFinding(DefectSyntax, line+1)
		f.AddFinding(DefectCrawlerName, line+1)
	}
	if len(f.Findings) != 2*lines {
		t.Errorf("%d findings in %d lines", len(f.Findings), lines)
	}
	if first := []Finding{{DefectCrawlerName, 1}, {DefectSyntax, 1}}; !slices.Equal(f.Findings[:2], first) {
		t.Errorf("the first are %v", f.Findings[:2])
	}
}
