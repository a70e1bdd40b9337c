package decide_test

import "testing"

func TestReferences(t *testing.T) {
	unresolved := lines("##ACAP version=0.2", "ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-disallow-crawl: /x", "ACAP-allow-index: /",
		"ACAP-crawler: Bot1", "ACAP-permissions-reference: /bot1.txt",
		"ACAP-crawler: Bot1", "ACAP-crawler: Bot2", "ACAP-disallow-follow: /")
	toBots := lines("##ACAP version=0.2", "ACAP-crawler: *", "ACAP-disallow-index: /", "ACAP-crawler: Bot1", "ACAP-crawler: Bot2", "ACAP-permissions-reference: /bots.txt")
	run(t, []scene{
		{name: "R-REF-1/unresolved, of a named crawler", robots: unresolved, asks: []ask{
			{"Bot1 index /a", "disallowed reference-unresolved R-REF-1", "lost 5 R-REF-1"},
			{"Bot1 preserve /a", "disallowed reference-unresolved R-REF-1", ""},
			{"Bot1 other /a", "disallowed reference-unresolved R-REF-1", ""},
			// All of the candidates are removed, whatever would have chosen among them.
			{"Bot1 crawl /xy", "disallowed reference-unresolved R-REF-1", "lost 4 R-REF-1, 3 R-REF-1"},
			{"Bot1 follow /a", "disallowed acap-robots R-DEC-0", "by 10"}, // a statement names it
			{"Bot2 follow /a", "disallowed acap-robots R-DEC-0", ""},
			{"Bot2 index /a", "allowed acap-robots R-DEC-0", "by 5"},
			{"* index /a", "allowed acap-robots R-DEC-0", ""},
			{"Bot1 crawl /robots.txt", "allowed silence R-PAT-1", "lost 3 R-PAT-1"},
		}},
		{name: "R-REF-1/unresolved, of any crawler", robots: acap("ACAP-permissions-reference: http://elsewhere.example/p.txt", "ACAP-allow-index: /a",
			"ACAP-crawler: Bot", "ACAP-disallow-follow: /"),
			asks: []ask{
				{"* index /a", "allowed acap-robots R-DEC-0", "by 4"},
				{"* index /b", "disallowed reference-unresolved R-REF-1", ""},
				{"Bot follow /b", "disallowed acap-robots R-DEC-0", ""},
				{"Bot index /a", "allowed acap-robots R-DEC-0", ""},
				{"Bot present-link /a", "disallowed reference-unresolved R-REF-1", ""},
			}},
		{name: "R-REF-1/unresolved and conventional on the same level",
			robots: lines("User-agent: *", "Allow: /", "ACAP-crawler: Bot", "ACAP-permissions-reference: /p.txt"),
			asks:   []ask{{"Bot crawl /", "disallowed reference-unresolved R-DEC-2 R-REF-1", "lost 2 R-DEC-2"}, {"* crawl /", "allowed rep-robots R-REP-1", ""}}},
		{name: "R-REF-1/unresolved and a page", robots: acap("ACAP-permissions-reference: /p.txt"), page: metas("robots: ACAP allow-index", "robots: nofollow"),
			asks: []ask{
				{"* index /", "allowed acap-page R-DEC-0", "by meta 1"}, // R-DEC-1: all of robots.txt is left aside
				{"* follow /", "disallowed reference-unresolved R-REF-1 R-REP-2 R-DEC-2", "by meta 2"},
			}},
		{name: "R-REF-1/R-DEC-11/an unresolved reference hides nothing",
			robots: lines("##ACAP version=0.2", "ACAP-crawler: Bot", "ACAP-permissions-reference: /p.txt", "ACAP-allow-index: /"),
			asks:   []ask{{"Bot crawl /", "disallowed reference-unresolved R-REF-1", ""}, {"Bot index /", "allowed acap-robots R-DEC-0", "by 4"}}},
		{name: "R-REF-1/resolved, what is said to another crawler of the record", robots: toBots,
			referred: lines("##ACAP version=0.2", "ACAP-crawler: Bot2", "ACAP-allow-index: /", "ACAP-crawler: Bot3", "ACAP-disallow-index: /"),
			asks: []ask{
				{"Bot2 index /", "allowed acap-robots R-DEC-4 R-DEC-0", "by 103; lost 3 R-DEC-4"},
				{"Bot1 index /", "disallowed acap-robots R-DEC-0", "by 3"},
				{"Bot3 index /", "disallowed acap-robots R-DEC-0", "by 3"},
				{"Bot1 crawl /", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-REF-1/R-DEC-4/resolved, its own record for any crawler", robots: toBots,
			referred: lines("##ACAP version=0.2", "ACAP-crawler: *", "ACAP-allow-index: /", "ACAP-crawler: Bot2", "ACAP-disallow-index: /"),
			asks: []ask{
				// What a record that names the crawler refers to is said to it rather than to any.
				{"Bot1 index /", "allowed acap-robots R-DEC-4 R-DEC-0", "by 103; lost 3 R-DEC-4"},
				{"Bot2 index /", "disallowed acap-robots R-DEC-4 R-DEC-0", "by 105; lost 3 R-DEC-4, 103 R-DEC-4"},
				{"Bot3 index /", "disallowed acap-robots R-DEC-0", "by 3"},
			}},
		{name: "R-REF-1/resolved for any crawler", robots: acap("ACAP-permissions-reference: /p.txt", "ACAP-disallow-crawl: /"),
			referred: lines("ACAP-crawler: *", "ACAP-allow-crawl: /open/", "ACAP-crawler: Bot", "ACAP-allow-crawl: /"),
			asks: []ask{
				{"* crawl /open/", "allowed acap-robots R-DEC-5 R-DEC-0", "by 102; lost 4 R-DEC-5"},
				{"Bot crawl /a", "allowed acap-robots R-DEC-4 R-DEC-0", "by 104; lost 4 R-DEC-4"},
			}},
	})
}

func TestTrace(t *testing.T) {
	run(t, []scene{
		{name: "R-DEC-11/it removes all candidates of the usage, whatever would have chosen among them",
			robots: acap("ACAP-disallow-crawl: /", "ACAP-allow-index: /", "ACAP-disallow-index: /a", "ACAP-allow-preserve: / time-limit=3-days"),
			asks: []ask{
				{"* index /a", "disallowed crawl-prohibited R-DEC-0 R-DEC-11", "by 3; lost 5 R-DEC-11, 4 R-DEC-11"},
				{"* index /b", "disallowed crawl-prohibited R-DEC-0 R-DEC-11", "by 3; lost 4 R-DEC-11; if crawled allowed"},
				{"* preserve /b", "disallowed crawl-prohibited R-DEC-0 R-DEC-11", "by 3; lost 6 R-DEC-11; if crawled conditional"},
			}},
		{name: "R-DEC-1/before R-DEC-2", robots: acap("ACAP-disallow-index: /"), page: metas("robots: noindex", "robots: ACAP allow-index"),
			asks: []ask{{"* index /", "allowed acap-page R-DEC-1 R-DEC-2 R-DEC-0", "by meta 2; lost meta 1 R-DEC-2, 3 R-DEC-1"}}},
	})
}

func TestTogether(t *testing.T) {
	run(t, []scene{
		{name: "R-DEC-8/permissions hold together", robots: acap("ACAP-allow-index: / time-limit=3-days", "ACAP-allow-index: /a", "ACAP-allow-index: /a time-limit=5-days"),
			asks: []ask{
				{"* index /a", "conditional acap-robots R-DEC-0 R-DEC-8", "by 3, 4, 5; if time-limit=3-days time-limit=5-days"},
				{"* index /b", "conditional acap-robots R-DEC-0", "by 3; if time-limit=3-days"}, // there is one only
			}},
		{name: "R-DEC-8/nothing qualified", robots: acap("ACAP-allow-index: /", "ACAP-allow-index: /a"),
			asks: []ask{{"* index /a", "allowed acap-robots R-DEC-0", "by 3, 4"}}},
		{name: "R-DEC-8/one condition stated twice", robots: acap("ACAP-allow-index: / time-limit=3-days", "ACAP-allow-index: /a time-limit=3-days"),
			asks: []ask{{"* index /a", "conditional acap-robots R-DEC-0 R-DEC-8", "by 3, 4; if time-limit=3-days"}}},
		{name: "R-DEC-8/a condition of all that fails", robots: acap("ACAP-allow-index: / time-limit=until-2008-01-01", "ACAP-allow-index: /a"),
			asks: []ask{{"* index /a @2009-01-01", "disallowed expired R-DEC-0 R-DEC-8 R-DEC-10", "by 3; lost 4 R-DEC-10"}}},
		{name: "R-DEC-8/R-DEC-9/a location that is spent is no condition", page: metas("robots: ACAP allow-index location=http://pub.example/a", "robots: ACAP allow-index"),
			asks: []ask{
				{"* index /a", "allowed acap-page R-DEC-0 R-DEC-9", "by meta 1, meta 2"},
				{"* index /b", "disallowed location-mismatch R-DEC-0 R-DEC-8 R-DEC-9", "by meta 1; lost meta 2 R-DEC-9"},
			}},
		{name: "R-REP-2/conditions are added without R-DEC-8, which is ACAP's", page: metas("robots: max-snippet:50"), headers: []string{"notranslate", "max-snippet: 20"},
			asks: []ask{
				{"* present-snippet /", "conditional rep-page R-REP-2", "by meta 1, header 1, header 2; if max-length=50-chars prohibited-modification=translation max-length=20-chars"},
				{"* present /", "conditional rep-page R-REP-2", "by header 1; if prohibited-modification=translation"},
			}},
	})
}

func TestQualifiersInForce(t *testing.T) {
	run(t, []scene{
		{name: "R-QUAL-3/what is stated for present holds for its ten, must-use-resource excepted",
			robots: acap("ACAP-allow-present: / must-use-resource=/x time-limit=3-days odd=1"),
			asks: []ask{
				{"* present /", "conditional acap-robots R-DEC-0", "by 3; if must-use-resource=/x time-limit=3-days odd=1"},
				{"* present-snippet /", "conditional acap-robots R-DEC-0", "by 3; if time-limit=3-days odd=1"},
			}},
		{name: "R-QUAL-2/what does not belong to other is a condition where other reaches too", robots: acap("ACAP-allow-other: / must-use-resource=/x"),
			asks: []ask{
				{"* other /", "conditional acap-robots R-DEC-0", "by 3; if must-use-resource=/x"},
				{"* index /", "conditional acap-robots R-DEC-13 R-DEC-0", "by 3; if must-use-resource=/x"},
			}},
		{name: "R-QUAL-2/unknown, not for the usage, not for the source, unknown value",
			robots: acap("ACAP-allow-index: / odd=1", "ACAP-allow-follow: / max-length=3-words", "ACAP-allow-preserve: / location=http://pub.example/",
				"ACAP-allow-present: / time-limit=soon", "ACAP-allow-crawl: / time-limit = 3-days"),
			asks: []ask{
				{"* index /", "conditional acap-robots R-DEC-0", "by 3; if odd=1"},
				{"* follow /", "conditional acap-robots R-DEC-0", "by 4; if max-length=3-words"},
				{"* preserve /", "conditional acap-robots R-DEC-0", "by 5; if location=http://pub.example/"},
				{"* preserve /elsewhere", "conditional acap-robots R-DEC-0", "by 5; if location=http://pub.example/"},
				{"* present-link /", "conditional acap-robots R-DEC-0", "by 6; if time-limit=soon"},
				{"* crawl /", "conditional acap-robots R-DEC-0", "by 7; if time-limit=3-days"},
			}},
		{name: "R-QUAL-1/a prohibition stands without its qualifiers", robots: acap("ACAP-disallow-index: / time-limit=until-2008-01-01", "ACAP-disallow-present: /a must-use-resource=/x"),
			asks: []ask{
				{"* index / @2020-01-01", "disallowed acap-robots R-DEC-0", "by 3"},
				{"* present-snippet /a", "disallowed acap-robots R-DEC-0", "by 4"},
			}},
		{name: "R-VER-1/a qualifier of 1.1 under 1.0", robots: lines("##ACAP version=1.0", "ACAP-crawler: *", "ACAP-allow-other: / ref=x", "ACAP-disallow-other: /a"),
			asks: []ask{{"* other /", "allowed silence R-DEC-12", ""}, {"* other /a", "disallowed acap-robots R-DEC-0", "by 4"}}},
		{name: "R-VER-1/under no version", robots: lines("ACAP-crawler: *", "ACAP-allow-present: / target-condition=x"),
			asks: []ask{{"* present /", "allowed silence R-DEC-12", ""}}},
		{name: "R-VER-1/under 1.1", robots: acap("ACAP-allow-other: / ref=x", "ACAP-allow-present: / target-condition=y"),
			asks: []ask{{"* other /", "conditional acap-robots R-DEC-0", "by 3; if ref=x"}, {"* present-oldcopy /", "conditional acap-robots R-DEC-0", "by 4; if target-condition=y"}}},
		{name: "R-VER-1/under the pilot", robots: lines("##ACAP version=0.2", "ACAP-crawler: *", "ACAP-allow-other: / ref=x"),
			asks: []ask{{"* other /", "conditional acap-robots R-DEC-0", "by 3; if ref=x"}}},
		{name: "R-VER-1/above 1.1", robots: lines("##ACAP version=2.0", "ACAP-crawler: *", "ACAP-allow-other: / ref=x"),
			asks: []ask{{"* other /", "conditional acap-robots R-DEC-0", "by 3; if ref=x"}}},
		{name: "R-VER-1/a page takes its site's version", robots: acap("ACAP-allow-crawl: /"), page: metas("robots: ACAP allow-other ref=x"),
			asks: []ask{{"* other /", "conditional acap-page R-DEC-0", "by meta 1; if ref=x"}}},
		{name: "R-VER-1/a page's own version counts", robots: acap("ACAP-allow-crawl: /"), page: metas("robots: ACAP version 1.0", "robots: ACAP allow-other ref=x"),
			asks: []ask{{"* other /", "allowed silence R-DEC-12", ""}}},
		{name: "R-VER-1/a page's own version, the site's is lower", robots: lines("##ACAP version=1.0", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
			page: metas("robots: ACAP version 1.1", "robots: ACAP allow-other ref=x"),
			asks: []ask{{"* other /", "conditional acap-page R-DEC-0", "by meta 2; if ref=x"}}},
	})
}

func TestConventionalFile(t *testing.T) {
	run(t, []scene{
		{name: "R-REP-1/the longest match whatever the order", robots: lines("User-agent: *", "Allow: /a/b/", "Disallow: /a/", "Disallow: /"),
			asks: []ask{
				{"* crawl /a/b/c", "allowed rep-robots R-REP-1", "by 2; lost 3 R-REP-1, 4 R-REP-1"},
				{"* crawl /a/c", "disallowed rep-robots R-REP-1", "by 3; lost 4 R-REP-1"},
			}},
		{name: "R-REP-1/allow on a tie", robots: lines("User-agent: *", "Disallow: /a", "Allow: /a", "Disallow: /a", "Allow: /a"),
			asks: []ask{{"* crawl /a", "allowed rep-robots R-REP-1", "by 3, 5; lost 2 R-REP-1, 4 R-REP-1"}}},
		{name: "R-REP-1/two of the same length decide together", robots: lines("User-agent: *", "Disallow: /a*", "Disallow: /*a"),
			asks: []ask{{"* crawl /aa", "disallowed rep-robots R-REP-1", "by 2, 3"}}},
		{name: "R-REP-1/a longer one that does not match", robots: lines("User-agent: *", "Disallow: /a", "Allow: /abc"),
			asks: []ask{{"* crawl /ab", "disallowed rep-robots R-REP-1", "by 2"}}},
		{name: "R-REP-1/groups of an agent are merged", robots: lines("User-agent: Bot", "Disallow: /a", "User-agent: *", "Disallow: /", "User-agent: bot/2.0", "Disallow: /b"),
			asks: []ask{
				{"Bot crawl /a", "disallowed rep-robots R-REP-1", "by 2; lost 4 R-REP-1"},
				{"BOT crawl /b", "disallowed rep-robots R-REP-1", "by 6; lost 4 R-REP-1"},
				{"Bot crawl /c", "allowed silence R-REP-1 R-DEC-12", "lost 4 R-REP-1"},
				{"Bot2 crawl /c", "disallowed rep-robots R-REP-1", "by 4"},
			}},
		{name: "R-REP-1/a group without rules names its agent all the same", robots: lines("User-agent: *", "Disallow: /", "User-agent: Bot"),
			asks: []ask{{"Bot crawl /", "allowed silence R-REP-1 R-DEC-12", "lost 2 R-REP-1"}}},
		{name: "R-REP-1/a group of an agent and of all", robots: lines("User-agent: *", "User-agent: Bot", "Disallow: /a", "User-agent: *", "Disallow: /b"),
			asks: []ask{
				{"Bot crawl /a", "disallowed rep-robots R-REP-1", "by 3"},
				{"Bot crawl /b", "allowed silence R-REP-1 R-DEC-12", ""},
				{"Else crawl /b", "disallowed rep-robots R-REP-1", "by 5"},
				{"* crawl /a", "disallowed rep-robots R-REP-1", "by 3"},
			}},
		{name: "R-REP-1/an empty Disallow matches nothing", robots: lines("User-agent: *", "Disallow:"), asks: []ask{{"* crawl /", "allowed silence R-DEC-12", ""}}},
		{name: "R-REC-1/as if ACAP lines were not there",
			robots: lines("User-agent: Bot", "ACAP-crawler: *", "ACAP-allow-index: /", "User-agent: Bot2", "Disallow: /a", "ACAP-disallow-index: /b", "Disallow: /c"),
			asks: []ask{
				{"Bot crawl /a", "disallowed rep-robots R-REP-1", "by 5"},
				{"Bot2 crawl /c", "disallowed rep-robots R-REP-1", "by 7"},
				{"Bot index /b", "disallowed acap-robots R-DEC-5 R-DEC-0", "by 6; lost 3 R-DEC-5"},
			}},
		{name: "R-REC-6/conventional records do not count", robots: lines("ACAP-ignore-conventional-records:", "User-agent: *", "Disallow: /"),
			page: metas("robots: noindex"),
			asks: []ask{
				{"* crawl /", "allowed silence R-REC-6 R-DEC-12", "lost 3 R-REC-6"},
				{"* index /", "disallowed rep-page R-REP-2", "by meta 1"}, // of this file only
			}},
		{name: "R-REC-6/whom a group names does not count either", robots: lines("ACAP-ignore-conventional-records", "User-agent: Bot", "Disallow: /"),
			asks: []ask{{"Else crawl /", "allowed silence R-DEC-12", ""}}},
		{name: "R-MAP-1/robots.txt speaks of crawl alone", robots: lines("User-agent: *", "Allow: /", "Noindex: /", "Crawl-delay: 5"),
			asks: []ask{{"* crawl /", "allowed rep-robots R-REP-1", "by 2"}, {"* index /", "allowed silence R-DEC-12", ""}}},
	})
}
