package decide_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// Each exception that a property makes is one: what the second scene adds or moves does change the decision.
func TestExceptionsMatter(t *testing.T) {
	page := func(list ...string) string { return world{metas: list}.document() }
	xml := func(pi string, list ...string) string { return world{metas: list, pi: pi, xml: true}.document() }
	set := func(set, rule string) string {
		return lines(
			"ACAP-resource-set: s "+set,
			"ACAP-crawler: *",
			"ACAP-disallow-crawl: the-acap:resource-set:s",
			"ACAP-allow-crawl: "+rule,
		)
	}
	for _, test := range []struct {
		name          string
		first, second scene
		question      string
		want, then    string
	}{
		{"R-DEC-11/crawl takes every usage with it", scene{robots: acap("ACAP-allow-index: /")},
			scene{robots: acap("ACAP-allow-index: /", "ACAP-disallow-crawl: /")}, "* index /a",
			"allowed acap-robots R-DEC-0", "disallowed crawl-prohibited R-DEC-0 R-DEC-11"},
		{"S3 4.5.2.5.1/present takes its ten with it", scene{robots: acap("ACAP-allow-index: /")},
			scene{robots: acap("ACAP-allow-index: /", "ACAP-disallow-present: /")}, "* present-link /a",
			"allowed silence R-DEC-12", "disallowed acap-robots R-DEC-0"},
		{"R-DEC-13/other takes what is silent", scene{robots: acap("ACAP-allow-index: /")},
			scene{robots: acap("ACAP-allow-index: /", "ACAP-disallow-other: /")}, "* follow /a",
			"allowed silence R-DEC-12", "disallowed acap-robots R-DEC-13 R-DEC-0"},
		{"R-REP-1/a group that names the agent, whatever it says",
			scene{robots: lines("User-agent: *", "Disallow: /a")}, scene{robots: lines("User-agent: *", "Disallow: /a",
				"User-agent: Bot", "Disallow: /b")}, "Bot crawl /a", "disallowed rep-robots R-REP-1",
			"allowed silence R-REP-1 R-DEC-12"},
		{"R-LEX-3/the first marker counts", scene{robots: lines("##ACAP version=1.1", "##ACAP version=1.0",
			"ACAP-crawler: *", "ACAP-allow-present: / target-condition=x")}, scene{robots: lines("##ACAP version=1.0",
			"##ACAP version=1.1", "ACAP-crawler: *", "ACAP-allow-present: / target-condition=x")}, "* present /a",
			"conditional acap-robots R-DEC-0", "allowed silence R-DEC-12"},
		{"R-DEF-1/the first definition counts", scene{robots: lines("ACAP-resource-set: s /b", set("/a", "/b"))},
			scene{robots: lines(set("/a", "/b"), "ACAP-resource-set: s /b")}, "* crawl /a", "allowed silence R-DEC-12",
			"disallowed acap-robots R-DEC-0"},
		{"R-REC-3/a rule belongs to the purposes before it", scene{robots: acap("ACAP-disallow-index: /",
			"ACAP-usage-purpose: news", "ACAP-allow-index: /")}, scene{robots: acap("ACAP-usage-purpose: news",
			"ACAP-disallow-index: /", "ACAP-allow-index: /")}, "* index /a <news>",
			"allowed acap-robots R-DEC-3 R-DEC-0", "disallowed undetermined R-DEC-7"},
		{"R-PI-1/the first legal PI counts",
			scene{page: xml(`<?robots index="no" follow="yes"?><?robots index="yes" follow="no"?>`),
				mediaType: "text/xml"},
			scene{page: xml(`<?robots index="yes" follow="no"?><?robots index="no" follow="yes"?>`),
				mediaType: "text/xml"}, "* index /a", "disallowed rep-page R-REP-2", "allowed rep-page R-REP-2"},
		{"R-REP-4/METAs next to a PI do not count, fields do", scene{page: xml(`<?robots index="yes" follow="yes"?>`,
			"robots: noindex"), mediaType: "text/xml"}, scene{page: xml(`<?robots index="yes" follow="yes"?>`),
			headers: []string{"noindex"}, mediaType: "text/xml"}, "* index /a", "allowed rep-page R-REP-4 R-REP-2",
			"disallowed rep-page R-REP-2"},
		{"R-REP-4/a PI that prohibits takes a META's prohibition away",
			scene{page: xml("", "robots: noarchive"), mediaType: "text/xml"},
			scene{page: xml(`<?robots index="no" follow="no"?>`, "robots: noarchive"), mediaType: "text/xml"},
			"* present-oldcopy /a", "disallowed rep-page R-REP-2", "allowed silence R-REP-4 R-DEC-12"},
		{"R-DEC-5/a prohibition takes a condition away",
			scene{robots: acap("ACAP-allow-index: / time-limit=until-recrawled", "ACAP-allow-index: /a/b")},
			scene{robots: acap("ACAP-allow-index: / time-limit=until-recrawled", "ACAP-allow-index: /a/b",
				"ACAP-disallow-index: /a")}, "* index /a/b", "conditional acap-robots R-DEC-0 R-DEC-8",
			"allowed acap-robots R-DEC-5 R-DEC-0"},
		{"R-DEC-5/a prohibition takes a condition away that had failed",
			scene{robots: acap("ACAP-allow-index: / time-limit=until-2001-01-01", "ACAP-allow-index: /a/b")},
			scene{robots: acap("ACAP-allow-index: / time-limit=until-2001-01-01", "ACAP-allow-index: /a/b",
				"ACAP-disallow-index: /a")}, "* index /a/b @2009-01-01", "disallowed expired R-DEC-0 R-DEC-8 R-DEC-10",
			"allowed acap-robots R-DEC-5 R-DEC-0"},
		{"R-DEC-6/a permission spares a condition", scene{robots: acap("ACAP-allow-index: /ab",
			"ACAP-disallow-index: /a*c", "ACAP-allow-index: /*bc time-limit=until-recrawled")},
			scene{robots: acap("ACAP-allow-index: /ab", "ACAP-disallow-index: /a*c",
				"ACAP-allow-index: /*bc time-limit=until-recrawled", "ACAP-allow-index: /abc")}, "* index /abc",
			"allowed acap-robots R-DEC-6 R-DEC-0", "conditional acap-robots R-DEC-5 R-DEC-0 R-DEC-8"},
		{"R-DEC-2/in the pilot a prohibition takes a conventional one away",
			scene{robots: lines("User-agent: *", "Disallow: /a", "ACAP-crawler: *", "ACAP-allow-crawl: /a/b")},
			scene{robots: lines("User-agent: *", "Disallow: /a", "ACAP-crawler: *", "ACAP-allow-crawl: /a/b",
				"ACAP-disallow-crawl: /a")}, "* crawl /a/b pilot", "disallowed rep-robots R-DEC-0 R-REP-1 R-DEC-2",
			"allowed acap-robots R-DEC-2 R-DEC-6 R-DEC-0"},
		{"R-DEC-2/in the pilot what is overridden takes a conventional one away",
			scene{robots: lines("User-agent: *", "Disallow: /", "ACAP-crawler: Bot", "ACAP-allow-crawl: /b")},
			scene{robots: lines("User-agent: *", "Disallow: /", "ACAP-crawler: Bot", "ACAP-allow-crawl: /b",
				"ACAP-crawler: *", "ACAP-disallow-crawl: /")}, "Bot crawl /b pilot",
			"disallowed rep-robots R-DEC-0 R-REP-1 R-DEC-2", "allowed acap-robots R-DEC-2 R-DEC-4 R-DEC-0"},
		{"R-DEC-2/in the pilot a permission takes a conventional one away",
			scene{robots: lines("User-agent: *", "Disallow: /", "Allow: /a")},
			scene{robots: lines("User-agent: *", "Disallow: /", "Allow: /a", "ACAP-crawler: *",
				"ACAP-allow-crawl: /a")}, "* crawl /a pilot", "allowed rep-robots R-REP-1",
			"disallowed rep-robots R-DEC-0 R-DEC-2 R-REP-1"},
		{"R-DEF-3/a set has one scope where several members hold the path", scene{robots: set("/*a*b /*c", "/*ab")},
			scene{robots: lines("ACAP-crawler: *", "ACAP-disallow-crawl: /*a*b", "ACAP-disallow-crawl: /*c",
				"ACAP-allow-crawl: /*ab")},
			"* crawl /cab", "allowed acap-robots R-DEC-5 R-DEC-0", "disallowed undetermined R-DEC-5 R-DEC-7"},
		{"R-DEF-3/which one is left to the letters where they are not nested", scene{robots: set("/*a*b /*c", "/*ab")},
			scene{robots: set("/*c*b /*a", "/*cb")}, "* crawl /cab", "allowed acap-robots R-DEC-5 R-DEC-0", ""},
		{"R-META-2/a purpose belongs to the statement behind it",
			scene{page: page("robots: ACAP news disallow-index, allow-index")},
			scene{page: page("robots: ACAP disallow-index, news allow-index")}, "* index /a <news>",
			"disallowed acap-page R-DEC-3 R-DEC-0", "allowed acap-page R-DEC-3 R-DEC-0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := func(s scene, question string) string {
				agent, purpose, q, opts := ask(question).read(t)
				file := s.file()
				return head(decide.NewSite(file, s.answer, opts).For(agent, purpose).Decide(s.pageOf(file), q))
			}
			if got := answer(test.first, test.question); got != test.want {
				t.Errorf("first: %s, want %s", got, test.want)
			}
			question := test.question
			if test.then == "" { // the letters a and c have changed places
				question, test.then = strings.Replace(question, "/cab", "/acb", 1), "disallowed undetermined R-DEC-7"
			}
			if got := answer(test.second, question); got != test.then {
				t.Errorf("second: %s, want %s", got, test.then)
			}
		})
	}
}

// Worlds speak every vocabulary. A licence of RSL decides nothing, and ACAP and the conventional one are in all worlds.
func TestWorldsSpeakAllVocabularies(t *testing.T) {
	for _, v := range terms.All[policy.Vocabulary]() {
		_, speaks := spoken[v]
		if everywhere := v == policy.ACAP || v == policy.REP || v == policy.RSL; speaks == everywhere {
			t.Errorf("worlds speak %s: %v", v, speaks)
		}
	}
}

// The worlds that properties are tried on reach the rules: a property of policies without ties says nothing of ties.
func TestWorldsReachTheRules(t *testing.T) {
	shares := make(map[string]int) // worlds by what they have
	changed := 0
	for seed := range worldsTried {
		m := maker{rand.New(rand.NewPCG(100, uint64(seed)))}
		w := m.worldOf(vocabulariesOf(seed)...)
		has := make(map[string]bool)
		opts := readings[seed/2%len(readings)]
		w.ask(opts, afterExpiry, func(_ asking, d decide.Decision) string {
			for _, rule := range d.By {
				has[rule.String()] = true
			}
			has[d.Basis.String()], has[d.Decision.String()] = true, true
			if d.WithoutElements != d.Decision {
				has["an element"] = true
			}
			return ""
		})
		file, page := w.open()
		senses := make(map[policy.Sense]bool)
		for _, st := range slices.Concat(file.Statements, page.Statements) {
			senses[st.Sense] = true
			has["status "+st.Status.String()] = true
			has["wildcards"] = has["wildcards"] || strings.Contains(st.Resource, "*")
			has["a purpose"] = has["a purpose"] || len(st.Purposes) > 0
			has[st.Source.String()+" "+st.Vocabulary.String()] = true
			for _, defect := range []policy.Defect{policy.DefectVersionGate, policy.DefectQualifiedProhibition,
				policy.DefectUnknownQualifier} {
				has[string(defect)] = has[string(defect)] || st.HasDefect(defect)
			}
		}
		has["both senses"] = senses[policy.Allow] && senses[policy.Disallow]
		for _, ref := range file.References {
			has["a reference, resolved"], has["a reference, unresolved"] = ref.Found ||
				has["a reference, resolved"], !ref.Found ||
				has["a reference, unresolved"]
		}
		for name, ok := range has {
			if ok {
				shares[name]++
			}
		}
		more := w.clone()
		m.add(&more, m.pick("allow-", "disallow-")+m.pick(madeUsages...))
		if compare(w, more, opts, afterExpiry, alike) != "" {
			changed++
		}
	}
	wanted := []string{
		"both senses",
		"wildcards",
		"a purpose",
		"a reference, resolved",
		"a reference, unresolved",
		"an element",
		"meta acap",
		"meta rep",
		"http-header rep",
		"class acap",
		"pi rep",
		"robots.txt acap",
		"robots.txt rep",
		"status valid",
		"status repaired",
		"status ignored",
		string(policy.DefectVersionGate),
		string(policy.DefectQualifiedProhibition),
		string(policy.DefectUnknownQualifier),
	}
	for vocabulary, says := range spoken {
		for source, phrase := range map[policy.Source]phrase{
			policy.RobotsTxt: says.rule, policy.HTTPHeader: says.header, policy.Meta: says.meta,
		} {
			if phrase != nil {
				wanted = append(wanted, source.String()+" "+vocabulary.String())
			}
		}
	}
	for r := policy.RuleREPFile; r <= policy.RuleOther; r++ {
		wanted = append(wanted, r.String())
	}
	for r := policy.RulePreferenceFile; r <= policy.RuleUnstated; r++ {
		wanted = append(wanted, r.String())
	}
	wanted = append(wanted, policy.RulePattern.String(), policy.RuleIgnoreREP.String(), policy.RuleReference.String())
	wanted = append(append(wanted, terms.Names[terms.Basis]()...), terms.Names[terms.Decision]()...)
	for _, name := range wanted {
		if 100*shares[name] < worldsTried {
			t.Errorf("%s: in %d of %d worlds", name, shares[name], worldsTried)
		}
		t.Logf("%-32s %3d %%", name, 100*shares[name]/worldsTried)
	}
	if t.Logf("one rule more changes a decision  %3d %%", 100*changed/worldsTried); 3*changed < worldsTried {
		t.Errorf("one rule more changes %d of %d worlds", changed, worldsTried)
	}
}
