package acap

import (
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

func lines(text ...string) string { return strings.Join(text, "\n") + "\n" }

func TestRobotsRules(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"R-LEX-4 a no-break space is white space", lines("ACAP-crawler: *", "ACAP-disallow-crawl:\u00a0 /files/"),
			[]string{
				"2.1 acap-disallow-crawl /files/ !nbsp"}},
		{"R-LEX-5 field names ignore case", lines("acap-CRAWLER: *", "acap-Disallow-CRAWL: /"),
			[]string{"2.1 acap-disallow-crawl /"}},
		{"R-LEX-6 missing colon before a value that holds one", lines(
			"ACAP-crawler: *", "ACAP-allow-index /a must-use-resource=the-acap:extract:id:x",
			"ACAP-permissions-reference http://a.example/r.txt"),
			[]string{
				"2.1 acap-allow-index /a {must-use-resource=the-acap:extract:id:x} repaired !missing-colon",
				"3.1 acap-permissions-reference http://a.example/r.txt recorded !missing-colon " +
					"!fields-with-reference"}},
		{"R-LEX-6 missing colon of a crawler reaches the record",
			lines("ACAP-crawler googlebot", "ACAP-disallow-crawl: /"), []string{
				"2.1 acap-disallow-crawl / [googlebot] repaired !missing-colon", "line 1: missing-colon"}},
		{"R-LEX-6 missing colon of a purpose reaches the sub-record only", lines(
			"ACAP-crawler: a", "ACAP-usage-purpose http://x.example", "ACAP-disallow-crawl: /", "ACAP-usage-purpose: y",
			"ACAP-disallow-crawl: /"),
			[]string{
				"3.1 acap-disallow-crawl / [a] <http://x.example> repaired !missing-colon",
				"5.1 acap-disallow-crawl / [a] <y>", "line 2: missing-colon"}},
		{"R-LEX-6 blank for any hyphen", lines(
			"ACAP-crawler: *", "ACAP allow  present snippet : /a", "ACAP-disallow-present oldcopy: /b",
			"ACAP-allow (x): /c", "ACAP-allow dance: /d"), []string{
			"2.1 acap-allow-present-snippet /a repaired !space-for-hyphen",
			"3.1 acap-disallow-present-oldcopy /b repaired !space-for-hyphen",
			"4.1 acap-allow-(x) /c invalid !space-for-hyphen !undefined-name",
			"5.1 acap-allow dance ignored !unknown-field"}},
		{"R-LEX-6 blank for hyphen of a crawler reaches the record", lines("ACAP crawler: a", "ACAP-allow-crawl: /"),
			[]string{
				"2.1 acap-allow-crawl / [a] repaired !space-for-hyphen", "line 1: space-for-hyphen"}},
		{"R-LEX-6 both repairs on one line", lines("ACAP-crawler: *", "ACAP-allow preserve / time-limit=3-days"),
			[]string{
				"2.1 acap-allow-preserve / {time-limit=3-days} repaired !space-for-hyphen !missing-colon"}},
		{"R-LEX-6 prose is no field", lines("ACAP crawlers are welcome: see below", "ACAP", "ACAP: 1.0",
			"ACAPULCO-allow-crawl: /"), nil},
		{"R-LEX-6 present-links in a prohibition", lines("ACAP-crawler: *", "ACAP-disallow-present-links: /"), []string{
			"2.1 acap-disallow-present-link / repaired !present-links"}},
		{"R-LEX-6 pilot namespace in a qualifier", lines("ACAP-crawler: *",
			"ACAP-allow-index: / must-use-resource=acap:extract:id:x"), []string{
			"2.1 acap-allow-index / {must-use-resource=the-acap:extract:id:x} repaired !pilot-namespace"}},
		{"R-LEX-6 what a repaired definition is used in is repaired", lines(
			"ACAP-qualified-usage links present-links x=y", "ACAP-resource-set set /a /b",
			"ACAP-crawler: *", "ACAP-allow-(links): /", "ACAP-disallow-crawl: the-acap:resource-set:set"), []string{
			"1.1 acap-qualified-usage [] recorded !missing-colon !present-links",
			"2.1 acap-resource-set /a /b [] recorded !missing-colon",
			"4.1 acap-allow-(links) =present-link / {x=y} repaired !missing-colon !present-links !unknown-qualifier",
			"5.1 acap-disallow-crawl the-acap:resource-set:set repaired !missing-colon"}},

		{"R-PAT-1 path-not-rooted", lines("ACAP-crawler: *", "ACAP-disallow-crawl: private/"), []string{
			"2.1 acap-disallow-crawl private/ repaired !path-not-rooted"}},
		{"R-PAT-1 a resource that is not rooted is read from the root",
			lines("##ACAP version=1.1", "ACAP-crawler: *", "ACAP-disallow-crawl: a*b$", "ACAP-disallow-crawl: $",
				"ACAP-disallow-crawl: max-length=3-words", "ACAP-request-re-crawl: a"), []string{
				"3.1 acap-disallow-crawl a*b$ repaired !path-not-rooted",
				"4.1 acap-disallow-crawl $ repaired !path-not-rooted",
				"5.1 acap-disallow-crawl invalid !missing-resource !qualified-prohibition",
				"6.1 acap-request-re-crawl a recorded !pilot-feature !path-not-rooted"}},
		{"R-PAT-1 missing-resource", lines("ACAP-crawler: *", "ACAP-disallow-crawl:",
			"ACAP-allow-index: time-limit = 3-days"), []string{
			"2.1 acap-disallow-crawl invalid !missing-resource",
			"3.1 acap-allow-index {time-limit=3-days} invalid !missing-resource"}},

		{"R-AGENT-1 more than a name", lines("ACAP-crawler: MSNPTC/1.0", "ACAP-disallow-crawl: /"), []string{
			"2.1 acap-disallow-crawl / [MSNPTC]", "line 1: crawler-name-syntax"}},
		{"R-AGENT-1 no name: the record speaks to no one",
			lines("ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-crawler:", "ACAP-disallow-crawl: /"),
			[]string{"2.1 acap-allow-crawl /", "4.1 acap-disallow-crawl / [] invalid !crawler-name-syntax",
				"line 3: crawler-name-syntax"}},

		{"R-REC-1 conventional lines inside a record part nothing", lines(
			"User-agent: a", "ACAP-crawler: *", "Disallow: /x", "ACAP-disallow-index: /", "User-agent: b",
			"Sitemap: http://a.example/", "ACAP-allow-follow: /"),
			[]string{"4.1 acap-disallow-index /", "7.1 acap-allow-follow /", "line 3: conventional-in-record",
				"line 5: conventional-in-record"}},
		{"R-REC-2 crawler lines gather until something is said", lines(
			"ACAP-crawler: a", "ACAP-resource-set: s /s", "ACAP-ignore-conventional-records", "ACAP-foo: 1",
			"ACAP-crawler: b", "ACAP-disallow-crawl: /",
			"ACAP-crawler: c", "ACAP-usage-purpose: p", "ACAP-crawler: d", "ACAP-request-re-crawl: /",
			"ACAP-crawler: e",
			"ACAP-permissions-reference: /r", "ACAP-crawler: f", "ACAP-allow-foo: /"), []string{
			"2.1 acap-resource-set /s [] recorded !definition-late",
			"3.1 acap-ignore-conventional-records [] recorded",
			"4.1 acap-foo [a] ignored !unknown-field",
			"6.1 acap-disallow-crawl / [a b]",
			"10.1 acap-request-re-crawl / [d] recorded",
			"12.1 acap-permissions-reference /r [e] recorded",
			"14.1 acap-allow-foo / [f] ignored !unknown-usage",
			"line 7: record-without-rules"}},
		{"R-REC-2 any among named", lines("ACAP-crawler: a", "ACAP-crawler: *", "ACAP-allow-crawl: /"), []string{
			"3.1 acap-allow-crawl / [a *]", "line 2: any-with-named"}},
		{"R-REC-3 sub-records end at the next purpose after a rule and at the next crawler", lines(
			"ACAP-crawler: a", "ACAP-allow-crawl: /", "ACAP-usage-purpose: p", "ACAP-usage-purpose: q",
			"ACAP-allow-index: /",
			"ACAP-usage-purpose: r", "ACAP-allow-index: /", "ACAP-crawler: b", "ACAP-allow-index: /"), []string{
			"2.1 acap-allow-crawl / [a]", "5.1 acap-allow-index / [a] <p q>", "7.1 acap-allow-index / [a] <r>",
			"9.1 acap-allow-index / [b]"}},
		{"R-REC-3 a purpose without a text does not make its rules general",
			lines("ACAP-crawler: *", "ACAP-usage-purpose:", "ACAP-allow-crawl: /"),
			[]string{"3.1 acap-allow-crawl / invalid !syntax", "line 2: syntax"}},
		{"R-REC-4 several any records", lines("ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-crawler: *",
			"ACAP-disallow-crawl: /a"), []string{
			"2.1 acap-allow-crawl /", "4.1 acap-disallow-crawl /a", "line 3: several-any-records"}},
		{"R-REC-5 before any crawler", lines(
			"ACAP-allow-crawl: /", "ACAP-usage-purpose: p", "ACAP-request-take-down: /a",
			"ACAP-permissions-reference: /r"), []string{
			"1.1 acap-allow-crawl / [] ignored !rule-outside-record",
			"3.1 acap-request-take-down /a [] ignored !rule-outside-record",
			"4.1 acap-permissions-reference /r [] ignored !rule-outside-record",
			"line 2: rule-outside-record"}},
		{"R-REC-5 record without rules", lines("ACAP-crawler: a", "ACAP-crawler: b"),
			[]string{"line 1: record-without-rules"}},

		{"R-DEF-1 definitions after use, names in any case", lines(
			"ACAP-crawler: *", "ACAP-allow-(Short): the-acap:RESOURCE-SET:Imgs",
			"ACAP-resource-set: imgs /a /b", "ACAP-qualified-usage: SHORT preserve time-limit=1-days"), []string{
			"2.1 acap-allow-(short) =preserve the-acap:RESOURCE-SET:Imgs {time-limit=1-days}",
			"3.1 acap-resource-set /a /b [] recorded !definition-late",
			"4.1 acap-qualified-usage [] recorded !definition-late"}},
		{"R-DEF-1 undefined", lines("ACAP-crawler: *", "ACAP-allow-(x): /",
			"ACAP-disallow-crawl: the-acap:resource-set:x"), []string{
			"2.1 acap-allow-(x) / invalid !undefined-name",
			"3.1 acap-disallow-crawl the-acap:resource-set:x invalid !undefined-name"}},
		{"R-DEF-1 the first definition counts, in one name space", lines(
			"ACAP-qualified-usage: x index time-limit=1-days", "ACAP-composite-usage: X preserve",
			"ACAP-resource-set: x /a", "ACAP-resource-set: x /b",
			"ACAP-crawler: *", "ACAP-allow-(x): the-acap:resource-set:x"), []string{
			"1.1 acap-qualified-usage [] recorded",
			"2.1 acap-composite-usage [] ignored !redefined-name",
			"3.1 acap-resource-set /a [] recorded",
			"4.1 acap-resource-set [] ignored !redefined-name",
			"6.1 acap-allow-(x) =index the-acap:resource-set:x {time-limit=1-days}"}},
		{"R-DEF-1 definitions that cannot be read", lines(
			"ACAP-qualified-usage: x", "ACAP-composite-usage: (y) index", "ACAP-resource-set: /a /b",
			"ACAP-resource-set: s"), []string{
			"1.1 acap-qualified-usage [] invalid !empty-definition", "2.1 acap-composite-usage [] invalid !syntax",
			"3.1 acap-resource-set [] invalid !syntax", "4.1 acap-resource-set [] invalid !empty-definition"}},
		{"R-DEF-1 the name of an empty definition is undefined",
			lines("ACAP-qualified-usage: q index", "ACAP-composite-usage: c", "ACAP-resource-set: s",
				"ACAP-qualified-usage: q preserve time-limit=1-days", "ACAP-composite-usage: "+
					"c crawl", "ACAP-crawler: *",
				"ACAP-allow-(q): the-acap:resource-set:s",
				"ACAP-allow-(c): /"), []string{
				"1.1 acap-qualified-usage [] invalid !empty-definition",
				"2.1 acap-composite-usage [] invalid !empty-definition",
				"3.1 acap-resource-set [] invalid !empty-definition", "4.1 acap-qualified-usage [] recorded",
				"5.1 acap-composite-usage [] recorded",
				"7.1 acap-allow-(q) =preserve the-acap:resource-set:s {time-limit=1-days} invalid !undefined-name",
				"8.1 acap-allow-(c) =crawl /"}},
		{"R-DEF-1 a resource set in a usage definition", lines("ACAP-resource-set: s /a",
			"ACAP-qualified-usage: q index must-use-resource=the-acap:resource-set:S",
			"ACAP-qualified-usage: n index must-use-resource=the-acap:resource-set:none", "ACAP-crawler: *",
			"ACAP-allow-(q): /", "ACAP-allow-(n): /"), []string{
			"1.1 acap-resource-set /a [] recorded", "2.1 acap-qualified-usage [] recorded",
			"3.1 acap-qualified-usage [] recorded",
			"5.1 acap-allow-(q) =index / {must-use-resource=the-acap:resource-set:S}",
			"6.1 acap-allow-(n) =index / {must-use-resource=the-acap:resource-set:none} !undefined-name"}},
		{"R-DEF-2 a composite usage is a statement a part", lines(
			"ACAP-composite-usage: all index (short) present-links nonsense (all) (none)",
			"ACAP-qualified-usage: short preserve time-limit=1-days",
			"ACAP-crawler: *", "ACAP-allow-(all): / x=y"), []string{
			"1.1 acap-composite-usage [] recorded !unknown-usage !undefined-name !present-links",
			"2.1 acap-qualified-usage [] recorded",
			"4.1 acap-allow-(all) =index / {x=y} !unknown-qualifier",
			"4.2 acap-allow-(all) =preserve / {time-limit=1-days} {x=y} !unknown-qualifier",
			"4.3 acap-allow-(all) =present-link / {x=y} repaired !present-links !unknown-qualifier",
			"4.4 acap-allow-(all) / {x=y} ignored !unknown-usage",
			"4.5 acap-allow-(all) / {x=y} invalid !undefined-name",
			"4.6 acap-allow-(all) / {x=y} invalid !undefined-name"}},
		{"R-DEF-2 local usage in a prohibition", lines(
			"ACAP-composite-usage: all index preserve", "ACAP-crawler: *", "ACAP-disallow-(all): /"), []string{
			"1.1 acap-composite-usage [] recorded", "3.1 acap-disallow-(all) / invalid !local-usage-in-prohibition"}},
		{"R-DEF-3 members that are not rooted are read from the root", lines(
			"ACAP-resource-set: s /a b /c d", "ACAP-resource-set: none e", "ACAP-crawler: *",
			"ACAP-allow-crawl: the-acap:resource-set:s", "ACAP-allow-crawl: the-acap:resource-set:none"), []string{
			"1.1 acap-resource-set /a b /c d [] recorded !path-not-rooted",
			"2.1 acap-resource-set e [] recorded !path-not-rooted",
			"4.1 acap-allow-crawl the-acap:resource-set:s repaired !path-not-rooted",
			"5.1 acap-allow-crawl the-acap:resource-set:none repaired !path-not-rooted"}},

		{"R-REF-1 rules next to a reference count", lines(
			"##ACAP version=0.2", "ACAP-crawler: a", "ACAP-permissions-reference: http://b.example/r.txt#x",
			"ACAP-disallow-crawl: /",
			"ACAP-crawler: b", "ACAP-permissions-reference:"), []string{
			"3.1 acap-permissions-reference http://b.example/r.txt [a] recorded !fields-with-reference",
			"4.1 acap-disallow-crawl / [a]",
			"6.1 acap-permissions-reference [b] invalid !missing-resource"}},
		{"R-REF-1 several references in one record all count, text after a locator is told",
			lines("ACAP-crawler: a", "ACAP-permissions-reference: /r one",
				"ACAP-permissions-reference: /s", "ACAP-crawler: b", "ACAP-permissions-reference: /t"), []string{
				"2.1 acap-permissions-reference /r [a] recorded !reference-syntax !several-references",
				"3.1 acap-permissions-reference /s [a] recorded !several-references",
				"5.1 acap-permissions-reference /t [b] recorded"}},
		{"R-REC-3 references and requests are no part of a sub-record",
			lines("ACAP-crawler: *", "ACAP-usage-purpose: p", "ACAP-allow-crawl: /",
				"ACAP-permissions-reference: /r", "ACAP-request-take-down: /a", "ACAP-allow-index: /"), []string{
				"3.1 acap-allow-crawl / <p>",
				"4.1 acap-permissions-reference /r recorded !not-in-sub-record !fields-with-reference",
				"5.1 acap-request-take-down /a recorded !not-in-sub-record", "6.1 acap-allow-index / <p>"}},
		{"R-PURP-1 a purpose with a blank is read to its end",
			lines("ACAP-crawler: *", "ACAP-usage-purpose: daily news", "ACAP-allow-crawl: /"), []string{
				"3.1 acap-allow-crawl / <daily news>", "line 2: purpose-syntax"}},
		{"R-ACT-1 a pattern, or several, where one resource belongs",
			lines("ACAP-crawler: *", "ACAP-request-take-down: /a*", "ACAP-request-re-crawl: /b$",
				"ACAP-request-re-crawl: /c /d", "ACAP-request-re-crawl: /e$f"), []string{
				"2.1 acap-request-take-down /a* recorded !request-syntax",
				"3.1 acap-request-re-crawl /b$ recorded !request-syntax",
				"4.1 acap-request-re-crawl /c recorded !request-syntax", "5.1 acap-request-re-crawl /e$f recorded"}},
		{"S0 3 element sets are recorded", lines("ACAP-crawler: *", "ACAP-disallow-index: the-acap:idlist:nav, ads,top",
			"ACAP-allow-index: / the-acap:TagList:p time-limit=1-days",
			"ACAP-allow-index: acap:classlist:x y", "ACAP-disallow-dance: the-acap:idlist:a"), []string{
			"2.1 acap-disallow-index the-acap:idlist:nav, ads,top recorded !element-set",
			"3.1 acap-allow-index / the-acap:TagList:p {time-limit=1-days} recorded !element-set",
			"4.1 acap-allow-index acap:classlist:x {y=} recorded !unknown-qualifier !element-set",
			"5.1 acap-disallow-dance the-acap:idlist:a ignored !unknown-usage !element-set"}},
		{"S3 4.5.3.1.1 used-resource has a code of its own",
			lines("ACAP-crawler: *", "ACAP-allow-index: / used-resource=/terms.txt"), []string{
				"2.1 acap-allow-index / {used-resource=/terms.txt} !used-resource"}},
		{"R-LEX-6 below 1.0 acap: is the spelling", lines("##ACAP version=0.9", "ACAP-resource-set: s /a",
			"ACAP-crawler: *", "ACAP-disallow-crawl: acap:resource-set:s",
			"ACAP-allow-index: / must-use-resource=acap:extract:id:x"), []string{
			"2.1 acap-resource-set /a [] recorded", "4.1 acap-disallow-crawl acap:resource-set:s",
			"5.1 acap-allow-index / {must-use-resource=the-acap:extract:id:x}"}},
		{"R-ACT-1 requests", lines("ACAP-crawler: *", "ACAP-request-take-down: /news/bad.htm",
			"ACAP-request-re-crawl: a", "ACAP-request-re-crawl:", "ACAP-request-dance: /"),
			[]string{
				"2.1 acap-request-take-down /news/bad.htm recorded",
				"3.1 acap-request-re-crawl a recorded !path-not-rooted",
				"4.1 acap-request-re-crawl invalid !missing-resource",
				"5.1 acap-request-dance ignored !unknown-field"}},
		{"R-USE-1 unknown usages", lines("ACAP-crawler: *", "ACAP-allow-dance: /",
			"ACAP-disallow-present-hologram: / x=y", "ACAP-allow-: /"), []string{
			"2.1 acap-allow-dance / ignored !unknown-usage",
			"3.1 acap-disallow-present-hologram / ignored !unknown-usage !qualified-prohibition",
			"4.1 acap-allow- / ignored !unknown-usage"}},

		{"R-QUAL-1 a prohibition stands without its qualifiers",
			lines("ACAP-crawler: *", "ACAP-disallow-index: / time-limit=3-days", "ACAP-disallow-index: /a /b"),
			[]string{"2.1 acap-disallow-index / !qualified-prohibition",
				"3.1 acap-disallow-index /a !qualified-prohibition"}},
		{"R-QUAL-2 qualifiers that do not belong are kept", lines("ACAP-crawler: *",
			"ACAP-allow-index: / max-length=3-words", "ACAP-allow-index: / location=http://a.example/",
			"ACAP-allow-index: / foo=bar",
			"ACAP-allow-index: / time-limit=someday", "ACAP-allow-index: /a /b"), []string{
			"2.1 acap-allow-index / {max-length=3-words} !qualifier-not-for-usage",
			"3.1 acap-allow-index / {location=http://a.example/} !qualifier-not-for-source",
			"4.1 acap-allow-index / {foo=bar} !unknown-qualifier",
			"5.1 acap-allow-index / {time-limit=someday} !unknown-qualifier-value",
			"6.1 acap-allow-index /a {/b=} !unknown-qualifier"}},
		{"R-QUAL-3 blanks around the sign of equality, repetition", lines("ACAP-crawler: *",
			"ACAP-allow-present-snippet: / max-length = 20-words",
			"ACAP-allow-present-snippet: / max-length= 20-words time-limit =3-days",
			"ACAP-allow-present: / Prohibited-Modification=format prohibited-modification=style",
			"ACAP-allow-index: / time-limit=",
			"ACAP-allow-index: / =x"), []string{
			"2.1 acap-allow-present-snippet / {max-length=20-words}",
			"3.1 acap-allow-present-snippet / {max-length=20-words} {time-limit=3-days} !qualifier-not-for-usage",
			"4.1 acap-allow-present / {prohibited-modification=format} {prohibited-modification=style}",
			"5.1 acap-allow-index / {time-limit=} !unknown-qualifier-value",
			"6.1 acap-allow-index / {=x=} !unknown-qualifier"}},

		{"R-VER-1 no version has no 1.1 qualifiers", lines("ACAP-crawler: *",
			"ACAP-allow-present: / target-condition=x", "ACAP-disallow-other: / ref=x"), []string{
			"2.1 acap-allow-present / {target-condition=x} ignored !version-gate",
			"3.1 acap-disallow-other / ignored !version-gate !qualified-prohibition"}},
		{"R-VER-1 neither has 1.0, and pilot fields are read", lines(
			"##ACAP version=1.0", "ACAP-crawler: *", "ACAP-allow-other: / ref=x", "ACAP-request-re-crawl: /",
			"ACAP-permissions-reference: /r"), []string{
			"3.1 acap-allow-other / {ref=x} ignored !version-gate",
			"4.1 acap-request-re-crawl / recorded !pilot-feature",
			"5.1 acap-permissions-reference /r recorded !pilot-feature !fields-with-reference"}},
		{"R-VER-1 1.1 has them, wherever the marker stands",
			lines("ACAP-crawler: *", "ACAP-allow-other: / ref=x", "##ACAP version=1.1"), []string{
				"2.1 acap-allow-other / {ref=x}"}},
		{"R-VER-1 so has the pilot", lines("##ACAP version=0.2", "ACAP-crawler: *", "ACAP-allow-other: / ref=x"),
			[]string{"3.1 acap-allow-other / {ref=x}"}},
		{"R-VER-1 above 1.1 is read as 1.1", lines("##ACAP version=2.0", "ACAP-crawler: *",
			"ACAP-allow-other: / ref=x"), []string{
			"3.1 acap-allow-other / {ref=x}", "line 1: version-unknown"}},
		{"R-VER-1 a text that is no version", lines("##ACAP version=latest", "ACAP-crawler: *",
			"ACAP-allow-other: / ref=x"), []string{
			"3.1 acap-allow-other / {ref=x} ignored !version-gate", "line 1: syntax"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, "statements", test.want, showFile(robots(test.text, Options{})))
		})
	}
}

func TestRobotsRLex6Strict(t *testing.T) {
	text := lines("ACAP-crawler: *", "ACAP-allow-crawl /a", "ACAP-allow crawl: /b", "ACAP-allow-present-links: /c",
		"ACAP-allow-crawl: acap:resource-set:s", "ACAP-resource-set: s /s")
	late := "6.1 acap-resource-set /s [] recorded !definition-late"
	for _, test := range []struct {
		name    string
		options Options
		want    []string
	}{
		{"strict", Options{Refuse: policy.Slips()}, []string{
			"2.1 acap-allow-crawl /a invalid !missing-colon", "3.1 acap-allow-crawl /b invalid !space-for-hyphen",
			"4.1 acap-allow-present-link /c invalid !present-links",
			"5.1 acap-allow-crawl acap:resource-set:s invalid !pilot-namespace", late}},
		{"no missing colon", Options{Refuse: []policy.Defect{policy.DefectMissingColon}}, []string{
			"2.1 acap-allow-crawl /a invalid !missing-colon", "3.1 acap-allow-crawl /b repaired !space-for-hyphen",
			"4.1 acap-allow-present-link /c repaired !present-links",
			"5.1 acap-allow-crawl acap:resource-set:s repaired !pilot-namespace", late}},
		{"no space for hyphen", Options{Refuse: []policy.Defect{policy.DefectSpaceForHyphen}}, []string{
			"2.1 acap-allow-crawl /a repaired !missing-colon", "3.1 acap-allow-crawl /b invalid !space-for-hyphen",
			"4.1 acap-allow-present-link /c repaired !present-links",
			"5.1 acap-allow-crawl acap:resource-set:s repaired !pilot-namespace", late}},
		{"no present-links", Options{Refuse: []policy.Defect{policy.DefectPresentLinks}}, []string{
			"2.1 acap-allow-crawl /a repaired !missing-colon", "3.1 acap-allow-crawl /b repaired !space-for-hyphen",
			"4.1 acap-allow-present-link /c invalid !present-links",
			"5.1 acap-allow-crawl acap:resource-set:s repaired !pilot-namespace", late}},
		{"no pilot namespace", Options{Refuse: []policy.Defect{policy.DefectPilotNamespace}}, []string{
			"2.1 acap-allow-crawl /a repaired !missing-colon", "3.1 acap-allow-crawl /b repaired !space-for-hyphen",
			"4.1 acap-allow-present-link /c repaired !present-links",
			"5.1 acap-allow-crawl acap:resource-set:s invalid !pilot-namespace", late}},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, "statements", test.want, showFile(robots(text, test.options)))
		})
	}
}

// What a refused line would have named or parted must not change whom the lines after it speak to.
func TestRobotsRLex6StrictFieldsThatAreNoRules(t *testing.T) {
	f := robots(lines(
		"ACAP ignore-conventional-records", "ACAP-qualified-usage x index time-limit=1-days", "ACAP-resource-set s /s",
		"ACAP-crawler: a", "ACAP-allow-crawl: /", "ACAP-crawler b", "ACAP-disallow-crawl: /",
		"ACAP-permissions-reference /r",
		"ACAP-crawler: c", "ACAP-usage-purpose p", "ACAP-allow-(x): the-acap:resource-set:s"),
		Options{Refuse: policy.Slips()})
	check(t, "statements", []string{
		"1.1 acap-ignore-conventional-records [] invalid !space-for-hyphen",
		"2.1 acap-qualified-usage [] invalid !missing-colon",
		"3.1 acap-resource-set /s [] invalid !missing-colon",
		"5.1 acap-allow-crawl / [a]",
		"6.1 acap-crawler [] invalid !missing-colon",
		"7.1 acap-disallow-crawl / [] invalid !missing-colon",
		"8.1 acap-permissions-reference /r [] invalid !missing-colon !fields-with-reference",
		"10.1 acap-usage-purpose [c] invalid !missing-colon",
		"11.1 acap-allow-(x) =index the-acap:resource-set:s [c] {time-limit=1-days} invalid !missing-colon",
	}, showFile(f))
	if f.IgnoreConventional || len(f.References) > 0 || f.ResourceSets > 0 || len(f.Locals["x"].Parts) > 0 {
		t.Errorf("refused fields count: %+v", f)
	}
	check(t, "agents", []policy.Agent{"a", "c"}, f.NamedRecords)
}

func TestRobotsFile(t *testing.T) {
	f := robots(lines(
		"##ACAP version=1.0", "ACAP-ignore-conventional-records:", "ACAP-resource-set: s /a /b",
		"ACAP-qualified-usage: q preserve time-limit=1-days", "ACAP-composite-usage: c index (q)",
		"ACAP-crawler: Bot", "ACAP-crawler: other", "ACAP-usage-purpose: news",
		"ACAP-allow-(c): the-acap:resource-set:s",
		"ACAP-crawler: BOT", "ACAP-crawler: *", "ACAP-permissions-reference: /r.txt  ", "ACAP-request-re-crawl: /"),
		Options{})
	week := []policy.Qualifier{{Name: policy.TimeLimit, Value: "1-days"}}
	check(t, "locals", map[string]policy.LocalUsage{
		"q": {Name: "q", Line: 4, Parts: []policy.QualifiedUsage{{Usage: policy.Preserve, Qualifiers: week}}},
		"c": {Name: "c", Line: 5, Parts: []policy.QualifiedUsage{{Usage: policy.Index},
			{Usage: policy.Preserve, Qualifiers: week}}},
	}, f.Locals)
	check(t, "references", []policy.Reference{{
		Agents: []policy.Agent{"BOT", "*"}, Locator: "/r.txt", Line: 12, Raw: "ACAP-permissions-reference: /r.txt  ",
	}}, f.References)
	check(t, "agents", []policy.Agent{"Bot", "other", "*"}, f.NamedRecords)
	check(t, "features", []policy.Feature{
		policy.FeatureMarker, policy.FeatureIgnoreConventional, policy.FeatureResourceSet, policy.FeatureQualifiedUsage,
		policy.FeatureQualifier,
		policy.FeatureCompositeUsage, policy.FeatureCrawlerRecord, policy.FeatureNamedCrawler, policy.FeaturePurpose,
		policy.FeatureReference, policy.FeatureRequest,
	}, f.Features)
	if !f.IgnoreConventional || f.ResourceSets != 1 || f.Records != 2 || f.Version.Text != "1.0" {
		t.Errorf("ignore %v, sets %d, records %d, version %q", f.IgnoreConventional, f.ResourceSets, f.Records,
			f.Version.Text)
	}
}

func TestRobotsStatementParts(t *testing.T) {
	f := robots(lines("ACAP-resource-set: s /a /b*", "ACAP-crawler: *",
		" acap-Allow-Index:  THE-ACAP:resource-set:S # why"), Options{})
	s := f.Statements[1]
	if s.Vocabulary != policy.ACAP || s.Source != policy.RobotsTxt || s.Offset != -1 || s.Sense != policy.Allow ||
		s.Usage != policy.Index {
		t.Errorf("got %+v", s)
	}
	check(t, "raw", " acap-Allow-Index:  THE-ACAP:resource-set:S # why", s.Raw)
	check(t, "resource", "THE-ACAP:resource-set:S", s.Resource)
	if len(s.Patterns) != 2 || s.Patterns[0].Normal() != "/a" || s.Patterns[1].Normal() != "/b*" {
		t.Errorf("patterns %v", s.Patterns)
	}
}

// A second vocabulary may have read the file before.
func TestRobotsAddsToFile(t *testing.T) {
	f := &policy.File{NamedRecords: []policy.Agent{"A"}, Statements: make([]policy.Statement, 1)}
	f.AddFinding(policy.DefectNoRules, 1)
	ReadRobots(robotstxt.Parse([]byte("ACAP-crawler: a\nACAP-crawler: b"), robotstxt.Options{}), Options{}, f)
	check(t, "agents", []policy.Agent{"A", "b"}, f.NamedRecords)
	check(t, "findings", []policy.Finding{{Defect: policy.DefectNoRules, Line: 1}}, f.Findings)
	check(t, "statements", 1, len(f.Statements))
}

func TestRobotsBounds(t *testing.T) {
	const rules = 2000
	text := "ACAP-composite-usage: c" + strings.Repeat(" index", maxParts+9) + "\nACAP-resource-set: s" +
		strings.Repeat(" x", 100) + " /a\n" +
		"ACAP-crawler: *\nACAP-allow-(c): /\nACAP-allow-crawl: /" + strings.Repeat(" a=b", maxQualifiers+9) + "\n" +
		strings.Repeat("ACAP-allow-(c): /\n", rules)
	f := robots(text, Options{})
	if !f.Statements[0].HasDefect(policy.DefectSizeLimit) {
		t.Error("a composite usage is cut silently")
	}
	refused, parts := 0, map[int]int{}
	for _, s := range f.Statements {
		parts[s.Line]++
		if s.Line == 2 && s.Status == policy.Invalid {
			refused++
		}
		if len(s.Qualifiers) > maxQualifiers {
			t.Fatalf("line %d has %d qualifiers", s.Line, len(s.Qualifiers))
		}
		if s.Line == 5 && !(len(s.Qualifiers) == maxQualifiers && s.HasDefect(policy.DefectSizeLimit) &&
			s.Status == policy.Valid) {
			t.Errorf("got %s", show(s))
		}
	}
	check(t, "members refused by name", 0, refused)
	check(t, "parts of a composite usage", maxParts, parts[4])
	last := f.Statements[len(f.Statements)-1]
	check(t, "when the budget is spent", "2005.1 acap-allow-(c) / invalid !size-limit", show(last))
	if n := len(f.Statements); n > maxExtraParts+rules+100 {
		t.Errorf("%d statements", n)
	}
}

// A member that is not rooted is left out and named where that repair is refused.
func TestRobotsRefusedMembers(t *testing.T) {
	refuse := Options{Refuse: []policy.Defect{policy.DefectPathNotRooted}}
	f := robots(lines("ACAP-resource-set: s /a b", "ACAP-resource-set: none e", "ACAP-crawler: *",
		"ACAP-allow-crawl: the-acap:resource-set:s",
		"ACAP-allow-crawl: the-acap:resource-set:none", "ACAP-disallow-crawl: f"), refuse)
	check(t, "statements", []string{
		"1.1 acap-resource-set /a b [] recorded !path-not-rooted",
		"1.2 acap-resource-set b [] invalid !path-not-rooted",
		"2.1 acap-resource-set e [] invalid !path-not-rooted !missing-resource",
		"2.2 acap-resource-set e [] invalid !path-not-rooted",
		"4.1 acap-allow-crawl the-acap:resource-set:s",
		"5.1 acap-allow-crawl the-acap:resource-set:none invalid !missing-resource",
		"6.1 acap-disallow-crawl f invalid !path-not-rooted"}, showFile(f))
	refused := 0
	for _, s := range robots("ACAP-resource-set: s"+strings.Repeat(" x", 100)+" /a", refuse).Statements {
		if s.Status == policy.Invalid {
			refused++
		}
	}
	check(t, "members refused by name", maxRefused, refused)
}

func TestRobotsSharesResourceSets(t *testing.T) {
	f := robots("ACAP-resource-set: s /a /b\nACAP-crawler: *\nACAP-allow-crawl: the-acap:resource-set:s\n"+
		"ACAP-allow-index: the-acap:resource-set:s", Options{})
	if &f.Statements[1].Patterns[0] != &f.Statements[2].Patterns[0] {
		t.Error("each rule has its own copy of a resource set")
	}
}

// `any` includes the other values of prohibited-modification, beside which S3 4.5.3.1 does not have it: all are kept.
func TestRobotsRQual3Redundant(t *testing.T) {
	f := robots(lines("ACAP-qualified-usage: q present prohibited-modification=ANY", "ACAP-crawler: *",
		"ACAP-allow-present: /a prohibited-modification=any prohibited-modification=format",
		"ACAP-allow-present: /b prohibited-modification=style prohibited-modification=format",
		"ACAP-allow-present: /c prohibited-modification=any time-limit=3-days",
		"ACAP-allow-(q): /d prohibited-modification=style"), Options{})
	check(t, "statements", []string{
		"1.1 acap-qualified-usage [] recorded",
		"3.1 acap-allow-present /a {prohibited-modification=any} {prohibited-modification=format} !redundant-qualifier",
		"4.1 acap-allow-present /b {prohibited-modification=style} {prohibited-modification=format}",
		"5.1 acap-allow-present /c {prohibited-modification=any} {time-limit=3-days}",
		"6.1 acap-allow-(q) =present /d {prohibited-modification=ANY} {prohibited-modification=style} " +
			"!redundant-qualifier",
	}, showFile(f))
}
