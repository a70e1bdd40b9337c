package parse

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/extract/markup"
)

// places of defects, as docs/defects.md has them.
const (
	inStatement = "statement"  // of a robots.txt or a page: column defects of table directives
	inFile      = "robots.txt" // of no statement of it: column defects of table robots
	inPage      = "page"       // of no statement of it
)

// Every defect has a text in which it occurs, and is told where a researcher counts it.
func TestEveryDefectIsTold(t *testing.T) {
	record := func(lines ...string) string { return "ACAP-crawler: *\n" + strings.Join(lines, "\n") + "\n" }
	head := func(metas ...string) string { return "<html><head>" + strings.Join(metas, "") + "</head></html>" }
	meta := func(content string) string { return `<meta name="robots" content="` + content + `">` }
	xml := func(pi string) string { return `<?xml version="1.0"?>` + pi + `<a/>` }
	tests := map[policy.Defect]struct {
		where        string
		robots, page string
	}{
		policy.DefectMarkerNotFirst:  {where: inFile, robots: "# hello\n##ACAP version=1.1\n"},
		policy.DefectMarkerExtraHash: {where: inFile, robots: "###ACAP version=1.1\n"},
		policy.DefectNBSP:            {where: inStatement, robots: record("ACAP-allow-crawl:\u00a0/")},
		policy.DefectSizeLimit: {where: inFile, robots: record("ACAP-allow-crawl: /") +
			strings.Repeat("#", 500<<10)},
		policy.DefectHTMLBeforeRules: {where: inFile, robots: "<br>\nUser-agent: *\n"},
		policy.DefectMissingColon:    {where: inStatement, robots: record("ACAP-allow-crawl /")},
		policy.DefectSpaceForHyphen:  {where: inStatement, robots: record("ACAP allow crawl: /")},
		policy.DefectPresentLinks:    {where: inStatement, robots: record("ACAP-allow-present-links: /")},
		policy.DefectPilotNamespace: {where: inStatement,
			robots: record("ACAP-resource-set: s /a", "ACAP-allow-crawl: acap:resource-set:s")},
		policy.DefectPathNotRooted:   {where: inStatement, robots: record("ACAP-allow-crawl: a")},
		policy.DefectMissingResource: {where: inStatement, robots: record("ACAP-allow-crawl:")},
		policy.DefectCrawlerName:     {where: inFile, robots: "ACAP-crawler: MSNPTC/1.0\nACAP-allow-crawl: /\n"},
		policy.DefectPurposeSyntax: {where: inFile,
			robots: record("ACAP-usage-purpose: daily news", "ACAP-allow-crawl: /")},
		policy.DefectNotInSubRecord: {where: inStatement,
			robots: record("ACAP-usage-purpose: p", "ACAP-request-take-down: /a")},
		policy.DefectEmptyDefinition: {where: inStatement, robots: "ACAP-qualified-usage: q index\n"},
		policy.DefectSeveralRefs: {where: inStatement,
			robots: record("ACAP-permissions-reference: /a", "ACAP-permissions-reference: /b")},
		policy.DefectReferenceSyntax: {where: inStatement, robots: record("ACAP-permissions-reference: /a b")},
		policy.DefectRequestSyntax:   {where: inStatement, robots: record("ACAP-request-take-down: /a*")},
		policy.DefectUsedResource: {where: inStatement,
			robots: record("ACAP-allow-index: / used-resource=/a")},
		policy.DefectElementSet: {where: inStatement,
			page: head(meta("ACAP disallow-index the-acap:idlist:a"))},
		policy.DefectConventional: {where: inFile, robots: record("Disallow: /", "ACAP-allow-crawl: /")},
		policy.DefectUnknownField: {where: inStatement, robots: record("ACAP-embargo: /")},
		policy.DefectAnyWithNamed: {where: inFile, robots: record("ACAP-crawler: a", "ACAP-allow-crawl: /")},
		policy.DefectSeveralAny: {where: inFile, robots: record("ACAP-allow-crawl: /") +
			record("ACAP-allow-index: /")},
		policy.DefectRuleOutside:    {where: inStatement, robots: "ACAP-allow-crawl: /\n"},
		policy.DefectNoRules:        {where: inFile, robots: record()},
		policy.DefectDefinitionLate: {where: inStatement, robots: record("ACAP-resource-set: s /a")},
		policy.DefectUndefinedName:  {where: inStatement, robots: record("ACAP-allow-(q): /")},
		policy.DefectRedefinedName: {where: inStatement,
			robots: "ACAP-resource-set: s /a\nACAP-resource-set: S /b\n"},
		policy.DefectLocalProhibition: {where: inStatement, robots: "ACAP-composite-usage: q crawl\n" +
			record("ACAP-disallow-(q): /")},
		policy.DefectWithReference: {where: inStatement,
			robots: record("ACAP-permissions-reference: /a", "ACAP-allow-crawl: /")},
		policy.DefectUnknownUsage: {where: inStatement, robots: record("ACAP-allow-print: /")},
		policy.DefectPilotFeature: {where: inStatement, robots: "##ACAP version=1.0\n" +
			record("ACAP-request-take-down: /a")},
		policy.DefectVersionUnknown: {where: inFile, robots: "##ACAP version=1.2\n"},
		policy.DefectVersionGate:    {where: inStatement, robots: record("ACAP-allow-other: / ref=x")},
		policy.DefectQualifiedProhibition: {where: inStatement,
			robots: record("ACAP-disallow-index: / time-limit=3-days")},
		policy.DefectQualifierNotForUsage: {where: inStatement,
			robots: record("ACAP-allow-crawl: / time-limit=3-days")},
		policy.DefectQualifierNotForSource: {where: inStatement,
			robots: record("ACAP-allow-crawl: / location=http://a.example/")},
		policy.DefectUnknownQualifier:      {where: inStatement, robots: record("ACAP-allow-crawl: / colour=red")},
		policy.DefectUnknownQualifierValue: {where: inStatement, robots: record("ACAP-allow-index: / time-limit=soon")},
		policy.DefectRedundantQualifier: {where: inStatement,
			robots: record("ACAP-allow-present: / prohibited-modification=any prohibited-modification=style")},
		policy.DefectACAPText: {where: inPage,
			page: head(`<meta name="description" content="ACAP is a thing">`)},
		policy.DefectMetaInBody: {where: inStatement, page: "<body>" + meta("ACAP allow-index")},
		policy.DefectMetaNameAny: {where: inStatement,
			page: head(`<meta name="*" content="ACAP allow-index">`)},
		policy.DefectSmartQuotes: {where: inStatement,
			page: head(`<meta name=“robots” content=“ACAP allow-index”>`)},
		policy.DefectSeveralInOneMeta: {where: inStatement, page: head(meta("ACAP allow-index, disallow-follow"))},
		policy.DefectPITrailingSpace:  {where: inStatement, page: xml(`<?robots index="no" follow="no" ?>`)},
		policy.DefectPILate: {where: inStatement,
			page: `<?xml version="1.0"?><a>text<?robots index="no" follow="no"?></a>`},
		policy.DefectPISyntax:          {where: inStatement, page: xml(`<?robots index='no'?>`)},
		policy.DefectUnknownDirective:  {where: inStatement, page: head(meta("sparkle"))},
		policy.DefectUnknownDirectiveV: {where: inStatement, page: head(meta("max-snippet:few"))},
		policy.DefectMissingPreference: {where: inStatement, robots: "User-agent: *\nContent-Usage: /train-ai=n\n"},
		policy.DefectUnknownPreference: {where: inStatement, robots: "User-agent: *\nContent-Usage: train-ai=no\n"},
		policy.DefectLicenceSyntax:     {where: inStatement, robots: "License: /license.xml\n"},
		policy.DefectRepeatedKey: {where: inStatement,
			robots: "User-agent: *\nContent-Usage: search=n, search=y\n"},
		policy.DefectSyntax: {where: inStatement, page: head(meta("ACAP please be kind"))},
	}
	declared := declaredDefects(t)
	for _, defect := range declared {
		test, ok := tests[defect]
		if !ok {
			t.Errorf("no text shows %s", defect)
			continue
		}
		t.Run(string(defect), func(t *testing.T) {
			var statements []policy.Statement
			told := map[string]int{}
			if test.page == "" {
				file := ReadRobots([]byte(test.robots), false, Options{})
				statements = file.Statements
				for _, f := range file.Findings {
					if f.Defect == defect {
						told[inFile]++
					}
				}
			} else {
				fact := markup.Page([]byte(test.page), "", nil)
				page := ReadPage(&fact, nil, Options{})
				statements = page.Statements
				if defect == policy.DefectACAPText {
					told[inPage] = page.ACAPText
				}
			}
			var codes []policy.Defect
			for _, s := range statements {
				codes = append(codes, s.Defects...)
				if s.HasDefect(defect) {
					told[inStatement]++
				}
			}
			if told[test.where] == 0 {
				t.Errorf("told %v; the defects of the statements are %v", told, codes)
			}
			if repair := slices.Contains(policy.Repairs(), defect); repair != slices.ContainsFunc(statements,
				func(s policy.Statement) bool {
					return s.HasDefect(defect) && s.Status == policy.Repaired
				}) {
				t.Errorf("is it a repair, so that --refuse takes it? %v; the statements are %v", repair,
					show(statements))
			}
		})
	}
	if len(tests) != len(declared) {
		t.Errorf("%d texts for %d defects", len(tests), len(declared))
	}
}

// declaredDefects lists the constants of analyze/policy/defect.go.
func declaredDefects(t *testing.T) (defects []policy.Defect) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "policy", "defect.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t\w+ +Defect = "(.+)"$`).FindAllStringSubmatch(string(source), -1) {
		defects = append(defects, policy.Defect(m[1]))
	}
	return defects
}
