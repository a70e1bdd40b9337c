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

func TestLevels(t *testing.T) {
	run(t, []scene{
		{name: "R-DEC-1/a robots META beats a named record", robots: lines("ACAP-crawler: Bot", "ACAP-disallow-index: /"), page: metas("robots: ACAP allow-index"),
			asks: []ask{{"Bot index /", "allowed acap-page R-DEC-1 R-DEC-0", "by meta 1; lost 2 R-DEC-1"}}},
		{name: "R-DEC-1/and a purpose in the file", robots: acap("ACAP-usage-purpose: news", "ACAP-disallow-index: /"), page: metas("robots: ACAP allow-index"),
			asks: []ask{{"Bot index / <news>", "allowed acap-page R-DEC-1 R-DEC-0", "by meta 1; lost 4 R-DEC-1"}}},
		{name: "R-DEC-1/for the usage asked only", robots: acap("ACAP-disallow-index: /", "ACAP-disallow-follow: /"), page: metas("robots: ACAP allow-index"),
			asks: []ask{{"* follow /", "disallowed acap-robots R-DEC-0", "by 4"}}},
		{name: "R-DEC-1/a META for another crawler or purpose leaves nothing aside", robots: acap("ACAP-disallow-index: /"),
			page: metas("Bot: ACAP allow-index", "robots: ACAP news allow-index"),
			asks: []ask{
				{"Else index /", "disallowed acap-robots R-DEC-0", "by 3"},
				{"Bot index /", "allowed acap-page R-DEC-1 R-DEC-0", ""},
				{"Else index / <news>", "allowed acap-page R-DEC-1 R-DEC-0", "by meta 2; lost 3 R-DEC-1"},
				{"Bot index / <news>", "allowed acap-page R-DEC-1 R-DEC-3 R-DEC-0", "by meta 2; lost meta 1 R-DEC-3, 3 R-DEC-1"},
			}},
		{name: "R-DEC-1/a META about crawl opens the page", robots: lines("User-agent: *", "Disallow: /"), page: metas("robots: ACAP allow-crawl"),
			asks: []ask{
				{"* crawl /", "allowed acap-page R-DEC-1 R-DEC-0", "by meta 1; lost 2 R-DEC-1"},
				{"* index /", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-DEC-1/a class token leaves nothing aside", robots: acap("ACAP-disallow-index: /"), page: `<html><body><p class="the-acap:allow-index">x`,
			asks: []ask{{"* index /", "disallowed acap-robots R-DEC-0", "by 3; without elements disallowed: allow index p"}}},
		{name: "R-DEC-1/an unreachable robots.txt", answer: 2, page: metas("robots: ACAP allow-index"),
			asks: []ask{{"* index /", "allowed acap-page R-DEC-0", "by meta 1"}, {"* follow /", "disallowed robots-unreachable R-REP-3", ""}}},

		{name: "R-DEC-2/in the file, whatever the scopes", robots: lines("User-agent: *", "Disallow: /a/b", "Allow: /c", "ACAP-crawler: *", "ACAP-allow-crawl: /", "ACAP-disallow-crawl: /c"),
			asks: []ask{
				{"* crawl /a/b", "allowed acap-robots R-DEC-2 R-DEC-0", "by 5; lost 2 R-DEC-2"},
				{"* crawl /c", "disallowed acap-robots R-DEC-2 R-DEC-5 R-DEC-0", "by 6; lost 5 R-DEC-5, 3 R-DEC-2"},
				{"* crawl /x", "allowed acap-robots R-DEC-0", "by 5"},
			}},
		{name: "R-DEC-2/ACAP silent at the URL", robots: lines("User-agent: *", "Disallow: /a", "ACAP-crawler: *", "ACAP-allow-crawl: /b"),
			asks: []ask{{"* crawl /a", "disallowed rep-robots R-REP-1", "by 2"}}},
		{name: "R-DEC-2/ACAP for another crawler", robots: lines("User-agent: *", "Disallow: /a", "ACAP-crawler: Bot", "ACAP-allow-crawl: /"),
			asks: []ask{{"Else crawl /a", "disallowed rep-robots R-REP-1", ""}, {"Bot crawl /a", "allowed acap-robots R-DEC-2 R-DEC-0", ""}}},
		{name: "R-DEC-2/a noindex stands against ACAP in the file", robots: acap("ACAP-allow-index: /"), page: metas("robots: noindex"),
			asks: []ask{{"* index /", "disallowed rep-page R-DEC-0 R-REP-2 R-DEC-2", "by meta 1; lost 3 R-DEC-2"}}},
		{name: "R-DEC-2/a boilerplate index,follow lifts nothing", robots: acap("ACAP-disallow-index: /", "ACAP-allow-follow: /"), page: metas("robots: index,follow"),
			asks: []ask{
				{"* index /", "disallowed acap-robots R-DEC-0 R-REP-2 R-DEC-2", "by 3; lost meta 1 R-DEC-2"},
				{"* follow /", "allowed acap-robots R-DEC-0 R-REP-2 R-DEC-2", "by 4, meta 1"}, // equal: the basis is ACAP's
			}},
		{name: "R-DEC-2/both disallow", robots: acap("ACAP-disallow-index: /"), headers: []string{"noindex"},
			asks: []ask{{"* index /", "disallowed acap-robots R-DEC-0 R-REP-2 R-DEC-2", "by 3, header 1"}}},
		{name: "R-DEC-2/conditional ranks between, conditions are added", robots: acap("ACAP-allow-present-snippet: / max-length=20-words", "ACAP-allow-present-link: /", "ACAP-allow-present-oldsnippet: / max-length=20-words"),
			page: metas("robots: notranslate", "Bot: nosnippet"),
			asks: []ask{
				{"* present-snippet /", "conditional acap-robots R-DEC-0 R-REP-2 R-DEC-2", "by 3, meta 1; if max-length=20-words prohibited-modification=translation"},
				{"* present-link /", "conditional rep-page R-DEC-0 R-REP-2 R-DEC-2", "by meta 1; lost 4 R-DEC-2; if prohibited-modification=translation"},
				{"Bot present-oldsnippet /", "disallowed rep-page R-DEC-0 R-REP-2 R-DEC-2", "by meta 2; lost meta 1 R-REP-2, 5 R-DEC-2"},
			}},
		{name: "R-DEC-2/in the page, the header included", page: metas("robots: ACAP allow-index"), headers: []string{"noindex"},
			asks: []ask{{"* index /", "allowed acap-page R-DEC-2 R-DEC-0", "by meta 1; lost header 1 R-DEC-2"}}},
		{name: "R-DEC-2/in the page, another usage", page: metas("robots: ACAP allow-index", "robots: nofollow"),
			asks: []ask{{"* follow /", "disallowed rep-page R-REP-2", "by meta 2"}}},
	})
}

func TestPurposesAndAgents(t *testing.T) {
	run(t, []scene{
		{name: "R-DEC-3/specific beats general", robots: acap("ACAP-disallow-index: /a/b", "ACAP-usage-purpose: news", "ACAP-allow-index: /"),
			asks: []ask{
				{"* index /a/b <news>", "allowed acap-robots R-DEC-3 R-DEC-0", "by 5; lost 3 R-DEC-3"}, // before R-DEC-5
				{"* index /a/b", "disallowed acap-robots R-DEC-0", ""},
				{"* index /a/b <newsy>", "disallowed acap-robots R-DEC-0", ""},
			}},
		{name: "R-DEC-3/before R-DEC-4", robots: lines("ACAP-crawler: Bot", "ACAP-disallow-index: /", "ACAP-crawler: *", "ACAP-usage-purpose: news", "ACAP-allow-index: /"),
			asks: []ask{{"Bot index / <news>", "allowed acap-robots R-DEC-3 R-DEC-0", "by 5; lost 2 R-DEC-3"}, {"Bot index /", "disallowed acap-robots R-DEC-0", "by 2"}}},
		{name: "R-PURP-1/the pattern * is general", robots: acap("ACAP-usage-purpose: *", "ACAP-allow-index: /", "ACAP-usage-purpose: news", "ACAP-disallow-index: /"),
			asks: []ask{
				{"* index /", "allowed acap-robots R-DEC-0", "by 4"},
				{"* index / <sports>", "allowed acap-robots R-DEC-0", "by 4"},
				{"* index / <news>", "disallowed acap-robots R-DEC-3 R-DEC-0", "by 6; lost 4 R-DEC-3"},
			}},
		{name: "R-PURP-1/several fitting purposes are equal", robots: acap("ACAP-usage-purpose: news*", "ACAP-disallow-index: /", "ACAP-usage-purpose: news.x$", "ACAP-allow-index: /"),
			asks: []ask{
				{"* index / <news.x>", "disallowed undetermined R-DEC-7", "by 4; lost 6 R-DEC-7"},
				{"* index / <news>", "disallowed acap-robots R-DEC-0", ""},
			}},
		{name: "R-PURP-1/a whole string, any sequence, case ignored", robots: acap("ACAP-usage-purpose: http://*.Agg.example/*/s", "ACAP-disallow-index: /"),
			asks: []ask{
				{"* index / <http://a.agg.example//s>", "disallowed acap-robots R-DEC-0", ""},
				{"* index / <http://a.agg.example/b/s/t>", "allowed silence R-DEC-12", ""},
				{"* index / <xhttp://a.agg.example/b/s>", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-PURP-1/several purposes of a sub-record", robots: acap("ACAP-usage-purpose: a", "ACAP-usage-purpose: *", "ACAP-disallow-index: /", "ACAP-usage-purpose: b", "ACAP-allow-index: /"),
			asks: []ask{
				{"* index / <a>", "disallowed acap-robots R-DEC-0", "by 5"},
				{"* index / <b>", "allowed acap-robots R-DEC-3 R-DEC-0", "by 7; lost 5 R-DEC-3"},
				{"* index /", "disallowed acap-robots R-DEC-0", "by 5"},
			}},

		{name: "R-DEC-4/before R-DEC-5", robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /a/b", "ACAP-crawler: Bot", "ACAP-allow-index: /"),
			asks: []ask{{"Bot index /a/b", "allowed acap-robots R-DEC-4 R-DEC-0", "by 4; lost 2 R-DEC-4"}}},
		{name: "R-DEC-4/merged where the named record is silent", robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /", "ACAP-disallow-follow: /", "ACAP-crawler: Bot", "ACAP-allow-index: /a"),
			asks: []ask{
				{"Bot index /b", "disallowed acap-robots R-DEC-0", "by 2"},
				{"Bot follow /a", "disallowed acap-robots R-DEC-0", "by 3"},
				{"Bot index /a", "allowed acap-robots R-DEC-4 R-DEC-0", ""},
			}},
		{name: "R-DEC-4/for the usage, stated through present", robots: lines("ACAP-crawler: *", "ACAP-disallow-present-snippet: /", "ACAP-crawler: Bot", "ACAP-allow-present: /"),
			asks: []ask{
				{"Bot present-snippet /", "allowed acap-robots R-DEC-4 R-DEC-0", "by 4; lost 2 R-DEC-4"},
				{"Else present-snippet /", "disallowed acap-robots R-DEC-0", ""},
			}},
		{name: "R-DEC-4/same sense", robots: lines("ACAP-crawler: *", "ACAP-allow-index: / time-limit=3-days", "ACAP-crawler: Bot", "ACAP-allow-index: /"),
			asks: []ask{{"Bot index /", "allowed acap-robots R-DEC-4 R-DEC-0", "by 4; lost 2 R-DEC-4"}}},
		{name: "R-AGENT-1/compared whole, case ignored, digits kept", robots: lines("ACAP-crawler: SearchBot1", "ACAP-disallow-index: /"),
			asks: []ask{
				{"searchbot1 index /", "disallowed acap-robots R-DEC-0", ""},
				{"SearchBot index /", "allowed silence R-DEC-12", ""},
				{"SearchBot12 index /", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-REC-2/any crawler among names", robots: lines("ACAP-crawler: Bot", "ACAP-crawler: *", "ACAP-disallow-index: /"),
			asks: []ask{{"Else index /", "disallowed acap-robots R-DEC-0", ""}, {"* index /", "disallowed acap-robots R-DEC-0", ""}}},
		{name: "R-REC-4/several records for any crawler are merged", robots: lines("ACAP-crawler: *", "ACAP-disallow-index: /", "ACAP-crawler: *", "ACAP-allow-index: /a"),
			asks: []ask{{"* index /a", "allowed acap-robots R-DEC-5 R-DEC-0", "by 4; lost 2 R-DEC-5"}}},
		{name: "R-REC-5/a rule outside any record", robots: lines("ACAP-disallow-index: /", "ACAP-crawler: *"), asks: []ask{{"* index /", "allowed silence R-DEC-12", ""}}},
	})
}

func TestScopes(t *testing.T) {
	run(t, []scene{
		{name: "R-DEC-5/a proper subset of paths", robots: acap("ACAP-allow-index: /", "ACAP-disallow-index: /*.gif$"),
			asks: []ask{{"* index /a.gif", "disallowed acap-robots R-DEC-5 R-DEC-0", "by 4; lost 3 R-DEC-5"}}},
		{name: "R-DEC-5/* at the beginning is inside /", robots: acap("ACAP-disallow-index: /", "ACAP-allow-index: *.htm$"),
			asks: []ask{{"* index /a.htm", "allowed acap-robots R-DEC-5 R-DEC-0", "by 4; lost 3 R-DEC-5"}}},
		{name: "R-DEC-5/equal sets are no subsets", robots: acap("ACAP-disallow-index: /", "ACAP-allow-index: /*", "ACAP-allow-index: *"),
			asks: []ask{{"* index /a", "disallowed undetermined R-DEC-7", "by 3; lost 4 R-DEC-7, 5 R-DEC-7"}}},
		{name: "R-DEC-5/all at once", robots: acap("ACAP-allow-index: /", "ACAP-disallow-index: /a", "ACAP-allow-index: /a/b"),
			asks: []ask{{"* index /a/b/c", "allowed acap-robots R-DEC-5 R-DEC-0", "by 5; lost 3 R-DEC-5, 4 R-DEC-5"}}},
		{name: "R-DEC-5/a usage is part of present", robots: acap("ACAP-disallow-present: /a", "ACAP-allow-present-snippet: /a"),
			asks: []ask{{"* present-snippet /a", "allowed acap-robots R-DEC-5 R-DEC-0", "by 4; lost 3 R-DEC-5"}, {"* present /a", "disallowed acap-robots R-DEC-0", "by 3"}}},
		{name: "R-DEC-5/R-DEC-7/narrower in the usage, wider in the path", robots: acap("ACAP-disallow-present: /a", "ACAP-allow-present-snippet: /"),
			asks: []ask{{"* present-snippet /a", "disallowed undetermined R-DEC-7", "by 3; lost 4 R-DEC-7"},
				// The pilot has one usage here, and the longer path.
				{"* present-snippet /a pilot", "disallowed acap-robots R-DEC-6 R-DEC-0", "by 3; lost 4 R-DEC-6"}}},
		{name: "R-DEC-5/in the page", page: metas("robots: ACAP allow-present", "robots: ACAP disallow-present-snippet"),
			asks: []ask{
				{"* present-snippet /", "disallowed acap-page R-DEC-5 R-DEC-0", "by meta 2; lost meta 1 R-DEC-5"},
				{"* present-link /", "allowed acap-page R-DEC-0", ""},
				{"* present-snippet / pilot", "disallowed undetermined R-DEC-7", ""},
			}},
		{name: "R-DEC-5/percent-encoding", robots: acap("ACAP-allow-index: /%7Eann", "ACAP-disallow-index: /~ann/%e9"),
			asks: []ask{{"* index /~ann/%E9x", "disallowed acap-robots R-DEC-5 R-DEC-0", ""}, {"* index /%7eann/e", "allowed acap-robots R-DEC-0", ""}}},
		{name: "R-DEF-3/the narrowest member of a set", robots: acap("ACAP-resource-set: s / /a/b", "ACAP-allow-index: the-acap:resource-set:S", "ACAP-disallow-index: /a"),
			asks: []ask{
				{"* index /a/b", "allowed acap-robots R-DEC-5 R-DEC-0", "by 4; lost 5 R-DEC-5"},
				{"* index /a/c", "disallowed acap-robots R-DEC-5 R-DEC-0", "by 5; lost 4 R-DEC-5"},
				{"* index /c", "allowed acap-robots R-DEC-0", "by 4"},
			}},
		{name: "R-DEF-2/a composite usage is a statement a part",
			robots: acap("ACAP-qualified-usage: q preserve time-limit=2-days", "ACAP-composite-usage: c index (q)", "ACAP-allow-(c): /"),
			asks: []ask{{"* index /", "allowed acap-robots R-DEC-0", "by 5"}, {"* preserve /", "conditional acap-robots R-DEC-0", "by 5; if time-limit=2-days"},
				{"* follow /", "allowed silence R-DEC-12", ""}}},
		{name: "R-DEF-2/a local usage in a prohibition is invalid", robots: acap("ACAP-qualified-usage: q preserve time-limit=2-days", "ACAP-disallow-(q): /"),
			asks: []ask{{"* preserve /", "allowed silence R-DEC-12", ""}}},

		{name: "R-DEC-6/the longer text before the wildcard", robots: acap("ACAP-allow-index: /a*c", "ACAP-disallow-index: /ab"),
			asks: []ask{{"* index /abc", "disallowed acap-robots R-DEC-6 R-DEC-0", "by 4; lost 3 R-DEC-6"}, {"* index /axc", "allowed acap-robots R-DEC-0", ""}}},
		{name: "R-DEC-6/the wildcard first", robots: acap("ACAP-allow-index: /ab", "ACAP-disallow-index: *c$"),
			asks: []ask{{"* index /abc", "allowed acap-robots R-DEC-6 R-DEC-0", "by 3; lost 4 R-DEC-6"}}},
		{name: "R-DEC-6/the method does not tell", robots: acap("ACAP-allow-index: /*a", "ACAP-disallow-index: /*b"),
			asks: []ask{{"* index /ab", "disallowed undetermined R-DEC-7", "by 4; lost 3 R-DEC-7"}, {"* index /a", "allowed acap-robots R-DEC-0", ""}}},
		{name: "R-DEC-6/after R-DEC-5, what is left", robots: acap("ACAP-allow-index: /", "ACAP-disallow-index: /a", "ACAP-allow-index: *b$"),
			asks: []ask{{"* index /ab", "disallowed acap-robots R-DEC-5 R-DEC-6 R-DEC-0", "by 4; lost 3 R-DEC-5, 5 R-DEC-6"}}},
		{name: "R-DEC-6/of one usage only", robots: acap("ACAP-allow-present: /ab", "ACAP-disallow-present-link: /a*c"),
			asks: []ask{{"* present-link /abc", "disallowed undetermined R-DEC-7", ""}, {"* present-link /abc pilot", "allowed acap-robots R-DEC-6 R-DEC-0", ""}}},

		{name: "R-DEC-7/both senses on one resource", robots: acap("ACAP-allow-index: / time-limit=3-days", "ACAP-disallow-index: /"),
			asks: []ask{{"* index /", "disallowed undetermined R-DEC-7", "by 4; lost 3 R-DEC-7"}}},
		{name: "R-DEC-7/R-DEC-11/an undetermined crawl hides the rest", robots: acap("ACAP-allow-crawl: /", "ACAP-disallow-crawl: /", "ACAP-allow-index: /"),
			asks: []ask{{"* index /", "disallowed crawl-prohibited R-DEC-7 R-DEC-11", "by 4; lost 3 R-DEC-7, 5 R-DEC-11; if crawled allowed"}}},
		{name: "R-DEC-7/the same of one sense twice", robots: acap("ACAP-disallow-index: /", "ACAP-disallow-index: /"),
			asks: []ask{{"* index /", "disallowed acap-robots R-DEC-0", "by 3, 4"}}},
	})
}

func TestLocationAndTime(t *testing.T) {
	run(t, []scene{
		{name: "R-DEC-9/RFC 3986 6.2.2, scheme included", page: metas("robots: ACAP allow-index location=HTTP://Pub.Example:80/%7Ea/./b?c=%2f max-length=3-words"),
			asks: []ask{
				{"* index /~a/b?c=%2F", "conditional acap-page R-DEC-0 R-DEC-9", "by meta 1; if max-length=3-words"},
				{"* index /~a/b?c=/", "disallowed location-mismatch R-DEC-0 R-DEC-9", ""},
				{"* index https://pub.example/~a/b?c=%2F", "disallowed location-mismatch R-DEC-0 R-DEC-9", ""},
				{"* index /~A/b?c=%2F", "disallowed location-mismatch R-DEC-0 R-DEC-9", ""},
			}},
		{name: "R-DEC-9/a permission elsewhere beaten before", page: metas("robots: ACAP allow-index location=http://elsewhere.example/", "Bot: ACAP allow-index"),
			asks: []ask{{"Bot index /", "allowed acap-page R-DEC-4 R-DEC-0", ""}}},
		{name: "R-DEC-9/it leaves robots.txt aside all the same", robots: acap("ACAP-allow-index: /"), page: metas("robots: ACAP allow-index location=http://elsewhere.example/"),
			asks: []ask{{"* index /", "disallowed location-mismatch R-DEC-1 R-DEC-0 R-DEC-9", "by meta 1; lost 3 R-DEC-1"}}},
		{name: "R-DEC-9/before R-DEC-10", page: metas("robots: ACAP allow-index location=http://elsewhere.example/ time-limit=until-2001-01-01"),
			asks: []ask{{"* index / @2009-01-01", "disallowed location-mismatch R-DEC-0 R-DEC-9", ""}}},

		{name: "R-DEC-10/the end of the UTC day", robots: acap("ACAP-allow-present: / time-limit=until-2012-02-29", "ACAP-allow-index: /i time-limit=Until-2012-02-29"),
			asks: []ask{
				{"* present /", "conditional acap-robots R-DEC-0", ""},
				{"* present / @2012-02-29T23:59:59", "conditional acap-robots R-DEC-0", ""},
				{"* present / @2012-03-01", "disallowed expired R-DEC-0 R-DEC-10", "by 3"},
				{"* present-oldcopy / @2012-03-01", "disallowed expired R-DEC-0 R-DEC-10", "by 3"},
				{"* index /i @2012-03-01", "disallowed expired R-DEC-0 R-DEC-10", "by 4"},
			}},
		{name: "R-DEC-10/only where the qualifier belongs", robots: acap("ACAP-allow-follow: / time-limit=until-2001-01-01", "ACAP-allow-present-link: / time-limit=until-2001-01-01"),
			asks: []ask{
				{"* follow / @2009-01-01", "conditional acap-robots R-DEC-0", "by 3; if time-limit=until-2001-01-01"},
				{"* present-link / @2009-01-01", "conditional acap-robots R-DEC-0", "by 4; if time-limit=until-2001-01-01"},
			}},
		{name: "R-DEC-10/no day of the calendar", robots: acap("ACAP-allow-index: / time-limit=until-2001-02-30"), asks: []ask{{"* index / @2009-01-01", "conditional acap-robots R-DEC-0", ""}}},
		{name: "R-DEC-10/a permission that lost does not expire", robots: acap("ACAP-allow-index: / time-limit=until-2001-01-01", "ACAP-crawler: Bot", "ACAP-allow-index: /"),
			asks: []ask{{"Bot index / @2009-01-01", "allowed acap-robots R-DEC-4 R-DEC-0", ""}}},
		{name: "R-DEC-10/R-MAP-8/conventional", page: metas("robots: index, unavailable_after: 25 Jun 2010 15:00:00 PST"),
			asks: []ask{
				{"* index / @2010-06-25T23:59:59", "conditional rep-page R-REP-2", "by meta 1, meta 1; if time-limit=until-2010-06-25"},
				{"* index / @2010-06-26", "disallowed expired R-REP-2 R-DEC-10", "by meta 1; lost meta 1 R-DEC-10"},
				{"* present-link / @2010-06-26", "disallowed expired R-REP-2 R-DEC-10", "by meta 1"},
				{"* follow / @2010-06-26", "allowed silence R-DEC-12", ""},
			}},
	})
}

func TestCrawlAndSilence(t *testing.T) {
	run(t, []scene{
		{name: "R-DEC-11/crawl by a conventional rule", robots: lines("User-agent: *", "Disallow: /", "ACAP-crawler: *", "ACAP-allow-index: /"),
			asks: []ask{{"* index /", "disallowed crawl-prohibited R-REP-1 R-DEC-11", "by 2; lost 4 R-DEC-11; if crawled allowed"}}},
		{name: "R-DEC-11/over a prohibition too", robots: acap("ACAP-disallow-crawl: /", "ACAP-disallow-index: /"), page: metas("robots: ACAP disallow-follow"),
			asks: []ask{
				{"* index /", "disallowed crawl-prohibited R-DEC-0 R-DEC-11", "by 3; lost 4 R-DEC-11"},
				{"* follow /", "disallowed crawl-prohibited R-DEC-0 R-DEC-11", "by 3; lost meta 1 R-DEC-11"},
			}},
		{name: "R-DEC-11/not by an unreachable robots.txt", answer: 2, page: metas("robots: index, follow"),
			asks: []ask{{"* crawl /", "disallowed robots-unreachable R-REP-3", ""}, {"* index /", "allowed rep-page R-REP-2", ""}, {"* preserve /", "disallowed robots-unreachable R-REP-3", ""}}},
		{name: "R-DEC-11/conditional crawl hides nothing", robots: acap("ACAP-allow-crawl: / time-limit=3-days"),
			asks: []ask{{"* crawl /", "conditional acap-robots R-DEC-0", ""}, {"* index /", "allowed silence R-DEC-12", ""}}},

		{name: "R-DEC-12/no candidate", robots: acap("ACAP-disallow-index: /a"), asks: []ask{{"* index /b", "allowed silence R-DEC-12", ""}, {"* present /a", "allowed silence R-DEC-12", ""}}},
		{name: "R-DEC-12/R-REP-3/no robots.txt there", asks: []ask{{"* crawl /", "allowed silence R-DEC-12", ""}}},
		{name: "R-REP-3/never captured", answer: 1, headers: []string{"noindex"},
			asks: []ask{{"* crawl /", "allowed robots-not-captured R-REP-3", ""}, {"* index /", "disallowed rep-page R-REP-2", ""}, {"* follow /", "allowed robots-not-captured R-REP-3", ""}}},
		{name: "R-REP-3/unreachable", answer: 2,
			asks: []ask{{"* crawl /", "disallowed robots-unreachable R-REP-3", ""}, {"* index /", "disallowed robots-unreachable R-REP-3", ""}, {"* crawl /robots.txt", "allowed silence R-PAT-1", ""}}},
		{name: "R-PAT-1/robots.txt itself can be crawled, other usages are as stated", robots: acap("ACAP-disallow-crawl: /", "ACAP-disallow-index: /robots"),
			asks: []ask{{"* crawl /robots.txt", "allowed silence R-PAT-1", "lost 3 R-PAT-1"}, {"* index /robots.txt", "disallowed acap-robots R-DEC-0", "by 4"}}},
		{name: "R-PAT-1/an invalid pattern", robots: acap("ACAP-disallow-index: private", "ACAP-disallow-index:") + lines("User-agent: *", "Disallow: private"),
			asks: []ask{{"* index /private", "allowed silence R-DEC-12", ""}, {"* crawl /private", "allowed silence R-DEC-12", ""}}},
		{name: "R-USE-1/an unknown usage", robots: acap("ACAP-disallow-dance: /", "ACAP-disallow-present-film: /"), asks: []ask{{"* present /", "allowed silence R-DEC-12", ""}}},
	})
}

func TestOther(t *testing.T) {
	run(t, []scene{
		{name: "R-DEC-13/all but crawl", robots: acap("ACAP-disallow-other: /"),
			asks: []ask{
				{"* crawl /", "allowed silence R-DEC-12", ""},
				{"* follow /", "disallowed acap-robots R-DEC-13 R-DEC-0", "by 3"},
				{"* present /", "disallowed acap-robots R-DEC-13 R-DEC-0", ""},
				{"* present-link /", "disallowed acap-robots R-DEC-13 R-DEC-0", ""},
				{"* other /", "disallowed acap-robots R-DEC-0", ""},
				{"* follow / narrow", "allowed silence R-DEC-12", ""},
				{"* present-link / narrow", "allowed silence R-DEC-12", ""},
				{"* other / narrow", "disallowed acap-robots R-DEC-0", ""},
			}},
		{name: "R-DEC-13/where a statement speaks, wider or through present", robots: acap("ACAP-disallow-other: /a", "ACAP-allow-present: /", "ACAP-allow-index: /b"),
			asks: []ask{
				{"* present-link /a", "allowed acap-robots R-DEC-0", "by 4"},
				{"* index /a", "disallowed acap-robots R-DEC-13 R-DEC-0", "by 3"}, // it speaks elsewhere
				{"* index /b", "allowed acap-robots R-DEC-0", ""},
			}},
		{name: "R-DEC-13/one of the ten does not speak of present", robots: acap("ACAP-disallow-other: /", "ACAP-allow-present-link: /"),
			asks: []ask{{"* present /", "disallowed acap-robots R-DEC-13 R-DEC-0", ""}, {"* present-link /", "allowed acap-robots R-DEC-0", ""}}},
		{name: "R-DEC-13/for this agent and purpose", robots: acap("ACAP-disallow-other: /", "ACAP-usage-purpose: news", "ACAP-allow-index: /", "ACAP-crawler: Bot", "ACAP-allow-follow: /"),
			asks: []ask{
				{"* index / <news>", "allowed acap-robots R-DEC-0", ""},
				{"* index /", "disallowed acap-robots R-DEC-13 R-DEC-0", ""},
				{"Bot follow /", "allowed acap-robots R-DEC-0", ""},
				{"Else follow /", "disallowed acap-robots R-DEC-13 R-DEC-0", ""},
			}},
		{name: "R-DEC-13/a direct statement for all before one about other by name", robots: acap("ACAP-allow-index: /", "ACAP-crawler: Bot", "ACAP-disallow-other: /"),
			asks: []ask{{"Bot index /", "allowed acap-robots R-DEC-0", "by 3"}}},
		{name: "R-DEC-13/the other rules choose among its candidates", robots: acap("ACAP-disallow-other: /", "ACAP-allow-other: /a", "ACAP-crawler: Bot", "ACAP-allow-other: /b"),
			asks: []ask{
				{"* index /a", "allowed acap-robots R-DEC-13 R-DEC-5 R-DEC-0", "by 4; lost 3 R-DEC-5"},
				{"Bot index /b", "allowed acap-robots R-DEC-13 R-DEC-4 R-DEC-0", "by 6; lost 3 R-DEC-4"},
			}},
		{name: "R-DEC-13/of its level, before conventional ones", robots: acap("ACAP-allow-index: /", "ACAP-allow-follow: /"), page: metas("robots: ACAP disallow-other", "robots: follow"),
			asks: []ask{
				{"* index /", "disallowed acap-page R-DEC-1 R-DEC-13 R-DEC-0", "by meta 1; lost 3 R-DEC-1"},
				{"* follow /", "disallowed acap-page R-DEC-1 R-DEC-2 R-DEC-13 R-DEC-0", "by meta 1; lost meta 2 R-DEC-2, 4 R-DEC-1"},
				{"* index / narrow", "allowed acap-robots R-DEC-0", "by 3"},
			}},
		{name: "R-DEC-13/of the file, against a conventional META", robots: acap("ACAP-disallow-other: /"), page: metas("robots: index"),
			asks: []ask{{"* index /", "disallowed acap-robots R-DEC-13 R-DEC-0 R-REP-2 R-DEC-2", "by 3; lost meta 1 R-DEC-2"}}},
	})
}

func TestElements(t *testing.T) {
	page := `<html><head><meta name="robots" content="ACAP allow-index"></head><body><div class="x the-acap:disallow-index">a</div>` +
		`<p class="the-acap:allow-present">b</p><i class="the-acap:allow-present-link">c</i></body></html>`
	run(t, []scene{
		{name: "R-DEC-14/listed, and disallowed where they cannot be acted on", page: page,
			asks: []ask{
				{"* index /", "allowed acap-page R-DEC-0", "by meta 1; without elements disallowed: disallow index div"},
				{"* follow /", "allowed silence R-DEC-12", ""},
				{"* present /", "allowed silence R-DEC-12", "without elements disallowed: allow present p"},
				{"* present-link /", "allowed silence R-DEC-12", "without elements disallowed: allow present p, allow present-link i"},
				{"* crawl /", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-DEC-14/crawl takes all with it", page: `<html><body><p class="the-acap:disallow-crawl">`,
			asks: []ask{
				{"* crawl /", "allowed silence R-DEC-12", "without elements disallowed: disallow crawl p"},
				{"* present-link /", "allowed silence R-DEC-12", "without elements disallowed: disallow crawl p"},
			}},
		{name: "R-DEC-14/R-DEC-11/already disallowed", robots: acap("ACAP-disallow-crawl: /"), page: page,
			asks: []ask{{"* present /", "disallowed crawl-prohibited R-DEC-0 R-DEC-11", "by 3; if crawled allowed; without elements disallowed: allow present p"}}},
		{name: "R-CLASS-1/a local usage", robots: acap("ACAP-qualified-usage: q preserve time-limit=2-days"), page: `<html><body><p class="the-acap:allow-(q)">`,
			asks: []ask{{"* preserve /", "allowed silence R-DEC-12", "without elements disallowed: allow preserve p"}, {"* index /", "allowed silence R-DEC-12", ""}}},
		{name: "R-CLASS-1/an unknown usage", page: `<html><body><p class="the-acap:allow-(q) the-acap:disallow-dance">`,
			asks: []ask{{"* preserve /", "allowed silence R-DEC-12", ""}}},
	})
}

func TestConventionalPage(t *testing.T) {
	run(t, []scene{
		{name: "R-REP-2/agent and all together", page: metas("robots: noindex", "googlebot: index, nofollow"), headers: []string{"bingbot: nosnippet"},
			asks: []ask{
				{"googlebot index /", "disallowed rep-page R-REP-2", "by meta 1; lost meta 2 R-REP-2"},
				{"googlebot follow /", "disallowed rep-page R-REP-2", "by meta 2"},
				{"bingbot follow /", "allowed silence R-DEC-12", ""},
				{"bingbot present-extract /", "disallowed rep-page R-REP-2", "by header 1"},
				{"googlebot present-extract /", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-MAP-2/none and all", page: metas("robots: NONE", "bingbot: all"),
			asks: []ask{
				{"* index /", "disallowed rep-page R-REP-2", "by meta 1"}, {"* follow /", "disallowed rep-page R-REP-2", ""},
				{"bingbot follow /", "disallowed rep-page R-REP-2", "by meta 1; lost meta 2 R-REP-2"}, {"* preserve /", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-MAP-3/noarchive", page: metas("robots: noarchive"),
			asks: []ask{
				{"* present-currentcopy /", "disallowed rep-page R-REP-2", ""}, {"* present-oldcopy /", "disallowed rep-page R-REP-2", ""},
				{"* preserve /", "allowed silence R-DEC-12", ""}, {"* present-original /", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-MAP-4/nosnippet, max-snippet:0", page: metas("bingbot: nosnippet", "googlebot: max-snippet:0"),
			asks: []ask{
				{"bingbot present-snippet /", "disallowed rep-page R-REP-2", ""}, {"bingbot present-oldextract /", "disallowed rep-page R-REP-2", ""},
				{"googlebot present-extract /", "disallowed rep-page R-REP-2", ""}, {"googlebot present-oldsnippet /", "disallowed rep-page R-REP-2", ""},
				{"googlebot present-thumbnail /", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-MAP-5/max-snippet", page: metas("robots: max-snippet:20", "bingbot: max-snippet: -1"),
			asks: []ask{
				{"* present-snippet /", "conditional rep-page R-REP-2", "by meta 1; if max-length=20-chars"},
				{"bingbot present-snippet /", "conditional rep-page R-REP-2", "by meta 1; if max-length=20-chars"},
				{"* present-extract /", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-MAP-6/max-image-preview", page: metas("googlebot: max-image-preview:none", "bingbot: max-image-preview:large"),
			asks: []ask{{"googlebot present-thumbnail /", "disallowed rep-page R-REP-2", ""}, {"bingbot present-thumbnail /", "allowed silence R-DEC-12", ""}}},
		{name: "R-MAP-7/notranslate", page: metas("robots: notranslate"),
			asks: []ask{
				{"* present /", "conditional rep-page R-REP-2", "by meta 1; if prohibited-modification=translation"},
				{"* present-oldcopy /", "conditional rep-page R-REP-2", "by meta 1; if prohibited-modification=translation"},
				{"* index /", "allowed silence R-DEC-12", ""},
			}},
		{name: "R-MAP-9/recorded ones decide nothing", page: metas("robots: noodp, noydir, noimageindex, max-video-preview:0, indexifembedded, wat"),
			asks: []ask{{"* index /", "allowed silence R-DEC-12", ""}, {"* present-thumbnail /", "allowed silence R-DEC-12", ""}}},
		{name: "R-HDR-1/an agent lasts to the end of its field", headers: []string{"googlebot: noindex, bingbot: nofollow", "noarchive", "unavailable_after: 25 Jun 2010 15:00:00 PST"},
			asks: []ask{
				{"googlebot index /", "disallowed rep-page R-REP-2", "by header 1; lost header 3 R-REP-2"},
				{"googlebot follow /", "disallowed rep-page R-REP-2", "by header 1"},
				{"bingbot follow /", "allowed silence R-DEC-12", ""},
				{"bingbot present-oldcopy /", "disallowed rep-page R-REP-2", "by header 2; lost header 3 R-REP-2"},
				{"bingbot index / @2011-01-01", "disallowed expired R-REP-2 R-DEC-10", "by header 3"},
			}},
	})
}

func TestXML(t *testing.T) {
	xhtml := `<?xml version="1.0"?>` + "\n" + `<?robots index="yes" follow="no"?>` + "\n" +
		`<html xmlns="http://www.w3.org/1999/xhtml"><head><meta name="robots" content="noindex, nosnippet"/>` + "\n" + `<meta name="robots" content="ACAP disallow-preserve"/></head><body/></html>`
	run(t, []scene{
		{name: "R-REP-4/a legal PI is obeyed, METAs are not", page: xhtml, mediaType: "application/xhtml+xml",
			asks: []ask{
				{"* index /", "allowed rep-page R-REP-4 R-REP-2", "by pi 2; lost meta 3 R-REP-4"},
				{"* follow /", "disallowed rep-page R-REP-2", "by pi 2"},
				{"* present-snippet /", "allowed silence R-REP-4 R-DEC-12", "lost meta 3 R-REP-4"},
				{"* preserve /", "disallowed acap-page R-DEC-0", "by meta 4"}, // ACAP METAs always count
			}},
		{name: "R-REP-4/the header counts beside the PI", page: xhtml, mediaType: "application/xhtml+xml", headers: []string{"noindex"},
			asks: []ask{{"* index /", "disallowed rep-page R-REP-4 R-REP-2", "by header 1; lost meta 3 R-REP-4, pi 2 R-REP-2"}}},
		{name: "R-REP-4/parsed as HTML", page: xhtml, mediaType: "text/html",
			asks: []ask{{"* index /", "disallowed rep-page R-REP-2", "by meta 3"}, {"* follow /", "allowed silence R-DEC-12", ""}}},
		{name: "R-REP-4/without a legal PI", mediaType: "text/xml", page: `<?robots index="yes"?><html><head><meta name="robots" content="noindex"/></head></html>`,
			asks: []ask{{"* index /", "disallowed rep-page R-REP-2", "by meta 1"}}},
		{name: "R-REP-4/R-DEC-2/a PI against ACAP in the file", mediaType: "text/xml", page: `<?robots index="no" follow="yes"?><a/>`, robots: acap("ACAP-allow-index: /", "ACAP-disallow-follow: /"),
			asks: []ask{
				{"* index /", "disallowed rep-page R-DEC-0 R-REP-2 R-DEC-2", "by pi 1; lost 3 R-DEC-2"},
				{"* follow /", "disallowed acap-robots R-DEC-0 R-REP-2 R-DEC-2", "by 4; lost pi 1 R-DEC-2"},
			}},
	})
}

func TestPilot(t *testing.T) {
	run(t, []scene{
		{name: "pilot/R-DEC-5 left out, R-DEC-6 for nested scopes too", robots: acap("ACAP-disallow-index: /", "ACAP-allow-index: /a"),
			asks: []ask{{"* index /a pilot", "allowed acap-robots R-DEC-6 R-DEC-0", "by 4; lost 3 R-DEC-6"}}},
		{name: "pilot/R-DEC-6 to the letter", robots: acap("ACAP-allow-index: /a", "ACAP-disallow-index: /*", "ACAP-allow-follow: /a*", "ACAP-disallow-follow: /a"),
			asks: []ask{
				{"* index /a pilot", "allowed acap-robots R-DEC-6 R-DEC-0", "by 3; lost 4 R-DEC-6"},
				{"* follow /a pilot", "allowed acap-robots R-DEC-6 R-DEC-0", "by 5; lost 6 R-DEC-6"},
				{"* follow /a", "disallowed undetermined R-DEC-7", ""},
			}},
		{name: "pilot/R-DEC-2/conventional rules of equal scope only", robots: lines("User-agent: *", "Disallow: /a", "Disallow: /b", "ACAP-crawler: *", "ACAP-allow-crawl: /a", "ACAP-allow-crawl: /b/c"),
			asks: []ask{
				{"* crawl /a pilot", "allowed acap-robots R-DEC-2 R-DEC-0", "by 5; lost 2 R-DEC-2"},
				{"* crawl /b/c pilot", "disallowed rep-robots R-DEC-0 R-REP-1 R-DEC-2", "by 3; lost 6 R-DEC-2"},
				{"* crawl /b/c", "allowed acap-robots R-DEC-2 R-DEC-0", "by 6; lost 3 R-DEC-2"},
				{"* crawl /b pilot", "disallowed rep-robots R-REP-1", ""},
			}},
		{name: "pilot/R-DEC-2/in the page, a statement that is no candidate sets nothing aside",
			page: metas("robots: ACAP allow-present-snippet", "robots: ACAP news allow-present", "robots: notranslate"),
			asks: []ask{
				{"* present-snippet / pilot", "conditional rep-page R-DEC-0 R-REP-2 R-DEC-2", "by meta 3; lost meta 1 R-DEC-2; if prohibited-modification=translation"},
				{"* present-snippet /", "allowed acap-page R-DEC-2 R-DEC-0", "by meta 1; lost meta 3 R-DEC-2"},
				{"* present-snippet / <news> pilot", "allowed acap-page R-DEC-2 R-DEC-3 R-DEC-0", "by meta 2; lost meta 1 R-DEC-3, meta 3 R-DEC-2"},
			}},
		{name: "pilot/R-DEC-1 stands", robots: acap("ACAP-disallow-index: /"), page: metas("robots: ACAP allow-index", "robots: noindex"),
			asks: []ask{{"* index / pilot", "allowed acap-page R-DEC-1 R-DEC-2 R-DEC-0", "by meta 1; lost meta 2 R-DEC-2, 3 R-DEC-1"}}},
	})
}
