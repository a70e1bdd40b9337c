package acap

import "testing"

func TestFingerprint(t *testing.T) {
	const base = "##ACAP version=1.0\nACAP-crawler: a\nACAP-crawler: B\nACAP-usage-purpose: p\n" +
		"ACAP-usage-purpose: q\n" +
		"ACAP-allow-present-snippet: /news/ max-length=3-words time-limit=1-days\nACAP-disallow-crawl: /a*\n"
	want := Fingerprint(robots(base, Options{}).Statements)
	if len(want) != 16 {
		t.Fatalf("fingerprint %q", want)
	}
	for _, test := range []struct {
		name, text string
		same       bool
	}{
		{"order, comments, case, repetition, another version and way to write",
			"# x\nUser-agent: *\nDisallow: /x\nACAP-crawler: b\nACAP-crawler: A\n" +
				"ACAP-usage-purpose: Q$\nACAP-usage-purpose: P\nacap-disallow-crawl: /%61\nACAP-disallow-crawl: /a\n" +
				"ACAP-allow present-snippet: /news/* time-limit=1-days max-length=3-words\n" +
				"ACAP-allow-dance: /\n", true},
		{"another agent", "ACAP-crawler: c\n" + base[len("##ACAP version=1.0\n"):], false},
		{"another rule", base + "ACAP-allow-crawl: /a/b\n", false},
		{"another end", "ACAP-crawler: a\nACAP-crawler: B\nACAP-usage-purpose: p\nACAP-usage-purpose: q\n" +
			"ACAP-allow-present-snippet: /news/ max-length=3-words time-limit=1-days\nACAP-disallow-crawl: /a$\n",
			false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Fingerprint(robots(test.text, Options{}).Statements); (got == want) != test.same {
				t.Errorf("fingerprint %s, the other is %s", got, want)
			}
		})
	}
	t.Run("a set is its members", func(t *testing.T) {
		set := Fingerprint(robots("ACAP-resource-set: s /a /b\nACAP-crawler: *\n"+
			"ACAP-allow-crawl: the-acap:resource-set:s\n", Options{}).Statements)
		turned := Fingerprint(robots("ACAP-resource-set: t /b /a\nACAP-crawler: *\n"+
			"ACAP-allow-crawl: the-acap:resource-set:t\n", Options{}).Statements)
		if set != turned {
			t.Errorf("%s and %s", set, turned)
		}
	})
	t.Run("nothing that decides", func(t *testing.T) {
		check(t, "fingerprint", "", Fingerprint(robots("##ACAP version=1.0\nACAP-crawler: *\nACAP-allow-dance: /\n",
			Options{}).Statements))
	})
	t.Run("pages do not count", func(t *testing.T) {
		check(t, "fingerprint", "", Fingerprint(page(nil, Options{}, meta(1, "robots", "ACAP allow-index")).Statements))
	})
}
