package decide_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// properties are what docs/semantics.md implies of every policy. Exceptions that the documents name stand in the
// comments, and TestExceptionsMatter shows that each of them is one.
var properties = []property{
	// Order says nothing, but for the first of several markers, definitions of one name and PIs, and where a line
	// belongs to those before it: rules to their purposes and crawlers, qualifiers to their rule.
	{"order does not matter", func(m maker, w world, opts decide.Options, at time.Time) string {
		return compare(w, m.shuffled(w), opts, at, identical)
	}},
	{
		"the order of the statements in one META does not matter",
		func(m maker, w world, opts decide.Options, at time.Time) string {
			other := w.clone()
			for i, meta := range other.metas {
				name, content, _ := strings.Cut(meta, ": ")
				content, acap := strings.CutPrefix(content, "ACAP ")
				parts := strings.Split(content, ", ")
				m.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
				if acap {
					parts[0] = "ACAP " + parts[0]
				}
				other.metas[i] = name + ": " + strings.Join(parts, ", ")
			}
			return compare(w, other, opts, at, alikeByRules)
		},
	},
	// What is said to others is not said to whom we ask for, in the file or in the page.
	{
		"what is said to another agent or for another purpose changes nothing",
		func(m maker, w world, opts decide.Options, at time.Time) string {
			more := w.clone()
			stranger := m.record(true)
			stranger.names = []string{"ACAP-crawler: Third"}
			if m.IntN(3) == 0 {
				stranger.sections[0].rules = append(
					stranger.sections[0].rules,
					"ACAP-permissions-reference: /third.txt",
				)
			}
			group := m.group()
			group.names = []string{"User-agent: Third"}
			purpose := m.record(true)
			purpose.sections = purpose.sections[:1]
			purpose.sections[0].purposes = []string{"ACAP-usage-purpose: archiving"}
			purpose.sections[0].rules = slices.DeleteFunc(
				purpose.sections[0].rules,
				func(rule string) bool { return strings.Contains(rule, "reference") },
			)
			more.blocks = append(more.blocks, stranger, group, purpose)
			_, content, _ := strings.Cut(m.meta(), ": ")
			more.metas = append(
				more.metas,
				"Third: "+content,
				"robots: ACAP archiving "+m.pick("dis", "")+"allow-index",
			)
			more.headers = append(more.headers, "Third: none")
			return compare(w, more, opts, at, identical)
		},
	},
	// A rule says nothing of a path that its pattern does not hold. Exception: a conventional group that names an agent
	// which no group named before takes that of '*' away from it, whatever it is about (R-REP-1); an ACAP record does
	// not (R-DEC-4).
	{
		"a rule changes nothing where its pattern does not match",
		func(m maker, w world, opts decide.Options, at time.Time) string {
			text := m.pattern()
			pattern, err := policy.ParsePattern(text)
			if err != nil {
				return err.Error()
			}
			more := w.clone()
			record := m.record(false)
			record.sections = record.sections[:1]
			record.sections[0].rules = []string{
				m.pick("ACAP-allow-", "ACAP-disallow-") + m.pick(madeUsages...) + ": " + text,
			}
			if m.IntN(3) == 0 {
				record.sections[0].purposes = []string{"ACAP-usage-purpose: " + m.pick("news", "*")}
			}
			more.blocks = append(more.blocks, record)
			for i, b := range more.blocks {
				if !b.acap() {
					more.blocks[i].sections[0].rules = append(b.sections[0].rules, m.pick("Allow: ", "Disallow: ")+text)
				}
			}
			return compare(w, more, opts, at, func(a asking, d, e decide.Decision) string {
				if pattern.Match(a.path) {
					return ""
				}
				return identical(a, d, e)
			})
		},
	},
	// A rule says nothing of another usage. Exceptions: crawl, on which every usage depends (R-DEC-11), present over
	// its ten, and other over what nothing speaks of (R-DEC-13).
	{"a rule changes nothing for another usage", func(m maker, w world, opts decide.Options, at time.Time) string {
		more := w.clone()
		usage := m.pick(madeUsages...)
		m.add(&more, m.pick("allow-", "disallow-")+usage)
		said, _ := policy.ParseUsage(usage)
		return compare(w, more, opts, at, func(a asking, d, e decide.Decision) string {
			reached := said == policy.Other && a.usage != policy.Crawl && opts.Other != decide.OtherNarrow
			if said.Covers(a.usage) || said == policy.Crawl || reached {
				return ""
			}
			return identical(a, d, e)
		})
	}},
	// A record is merged with the others of its agents (R-REC-4, R-DEC-4), a group too (RFC 2.2.1), and so a rule can
	// have one of its own; and what is said to two at once can be said to each (but that '*' and a name together are
	// one record, defect any-with-named: the name beats '*' there too).
	{"a rule means the same in a record of its own", func(m maker, w world, opts decide.Options, at time.Time) string {
		// Exception: a group that has preferences only goes on for conventional rules (RFC 2.2.4).
		const end = "Disallow:"
		apart := w.clone()
		apart.blocks = nil
		for i, b := range w.blocks {
			for _, name := range b.names {
				for _, s := range b.sections {
					for _, rule := range s.rules {
						rules := []string{rule}
						if !b.acap() {
							rules = append(rules, end)
						}
						apart.blocks = append(apart.blocks, block{[]string{name}, []section{{s.purposes, rules}}})
					}
				}
			}
			if !b.acap() {
				w.blocks[i].sections[0].rules = append(slices.Clone(b.sections[0].rules), end)
			}
		}
		return compare(w, apart, opts, at, alike)
	}},
	// R-DEC-3, R-DEC-4: where a statement speaks to the agent by name, what is said to any crawler of that usage says
	// nothing; where one speaks of the purpose, what is said of none. Exception: in the pilot even what is overridden
	// takes away conventional rules of its scope (R-DEC-2).
	{
		"what a stronger statement overrides says nothing",
		func(m maker, w world, opts decide.Options, at time.Time) string {
			opts.Profile = decide.Profile11
			usage, text := m.pick(madeUsages...), m.pattern()
			pattern, err := policy.ParsePattern(text)
			said, ok := policy.ParseUsage(usage)
			if err != nil || !ok {
				return "no pattern or no usage"
			}
			record := func(name, rule string, purposes ...string) block {
				return block{[]string{"ACAP-crawler: " + name}, []section{{purposes, []string{rule}}}}
			}
			rule := func(resource string) string {
				return "ACAP-" + m.pick("allow-", "disallow-") + usage + ": " + resource
			}
			const news = "ACAP-usage-purpose: news"
			strong, weak := record("Bot", rule(text)), record("*", rule(m.pattern()))
			who := func(a asking) bool { return a.agent == "Bot" }
			if m.IntN(2) == 0 {
				strong, weak = record(
					m.pick("*", "Bot"),
					rule(text),
					news,
				), record(
					m.pick("*", "Bot"),
					rule(m.pattern()),
				)
				who = func(a asking) bool {
					return a.purpose == "news" && strings.HasSuffix(strong.names[0], "*") ||
						a.agent == "Bot" && a.purpose == "news"
				}
			}
			w.blocks = append(w.blocks, strong)
			more := w.clone()
			more.blocks = append(more.blocks, weak)
			return compare(w, more, opts, at, func(a asking, d, e decide.Decision) string {
				if !who(a) || !said.Covers(a.usage) || !pattern.Match(a.path) {
					return ""
				}
				return alike(a, d, e)
			})
		},
	},
	// Purposes of one sub-record are alternatives (R-PURP-1), and the pattern '*' is as none.
	{"purposes can be stated one by one", func(m maker, w world, opts decide.Options, at time.Time) string {
		apart := w.clone()
		for i, b := range apart.blocks {
			sections := b.sections[:1:1]
			for _, s := range b.sections[1:] {
				for _, purpose := range s.purposes {
					if purpose == "ACAP-usage-purpose: *" {
						sections[0].rules = append(sections[0].rules, s.rules...)
					} else {
						sections = append(sections, section{[]string{purpose}, s.rules})
					}
				}
			}
			apart.blocks[i].sections = sections
		}
		return compare(w, apart, opts, at, alike)
	}},
	// R-DEF-2: a local usage is what it stands for.
	{"a composite or qualified usage is its parts", func(m maker, w world, opts decide.Options, at time.Time) string {
		written := w.clone()
		parts := localParts(w.head)
		for _, b := range written.blocks {
			for i, s := range b.sections {
				b.sections[i].rules = nil
				for _, rule := range s.rules {
					b.sections[i].rules = append(b.sections[i].rules, spellOut(rule, parts)...)
				}
			}
		}
		return compare(w, written, opts, at, alike)
	}},
	// R-DEF-3: a set is its members, wherever one of them at most holds the path. Where several do, the rule has the
	// scope of one only, and the pilot sets aside conventional rules of that scope only.
	{"a resource set is its members", func(m maker, w world, opts decide.Options, at time.Time) string {
		written := w.clone()
		sets := make(map[string][]string)
		for _, line := range w.head {
			if words := strings.Fields(line); words[0] == "ACAP-resource-set:" {
				sets["the-acap:resource-set:"+words[1]] = words[2:]
			}
		}
		for _, b := range written.blocks {
			for i, s := range b.sections {
				b.sections[i].rules = nil
				for _, rule := range s.rules {
					members := []string{rule}
					for name, patterns := range sets {
						if strings.Contains(rule, name) {
							members = nil
							for _, pattern := range patterns {
								members = append(members, strings.Replace(rule, name, pattern, 1))
							}
							break
						}
					}
					b.sections[i].rules = append(b.sections[i].rules, members...)
				}
			}
		}
		return compare(w, written, opts, at, func(a asking, d, e decide.Decision) string {
			for _, patterns := range sets {
				holding := 0
				for _, text := range patterns {
					if p, err := policy.ParsePattern(text); err == nil && p.Match(a.path) {
						holding++
					}
				}
				if holding > 1 {
					return ""
				}
			}
			return alike(a, d, e)
		})
	}},
	// R-LEX-1, R-LEX-2, R-LEX-5, R-AGENT-1: how lines end, what stands behind a '#', and capitals say nothing.
	{"the hand that wrote it does not matter", func(m maker, w world, opts decide.Options, at time.Time) string {
		other := w.clone()
		rewrite := func(list []string) {
			for i, line := range list {
				list[i] = m.rewritten(line)
			}
		}
		rewrite(other.head)
		for _, blocks := range [][]block{other.blocks, other.referred} {
			for _, b := range blocks {
				rewrite(b.names)
				for _, s := range b.sections {
					rewrite(s.purposes)
					rewrite(s.rules)
				}
			}
		}
		return compare(w, other, opts, at, alikeByRules)
	}},
	// A second copy says nothing new.
	{"twice is once", func(m maker, w world, opts decide.Options, at time.Time) string {
		twice := w.clone()
		twice.blocks, twice.metas = append(twice.blocks, w.blocks...), append(twice.metas, w.metas...)
		twice.headers, twice.referred = append(twice.headers, w.headers...), append(twice.referred, w.referred...)
		return compare(w, twice, opts, at, alike)
	}},
	// R-REP-2: a conventional directive is the same in a META and in a header, and "none" is two. Exception: next to a
	// legal PI METAs do not count (R-REP-4).
	{"a directive is the same in a header", func(m maker, w world, opts decide.Options, at time.Time) string {
		if w.xml && w.pi != "" {
			return ""
		}
		moved := w.clone()
		moved.metas = nil
		for _, meta := range w.metas {
			name, content, _ := strings.Cut(meta, ": ")
			if strings.HasPrefix(content, "ACAP") || strings.HasPrefix(name, "tdm-") { // R-TDM-2
				moved.metas = append(moved.metas, meta)
				continue
			}
			content = strings.NewReplacer("none", "noindex, nofollow", "all", "index, follow").Replace(content)
			if name != "robots" {
				content = name + ": " + content
			}
			moved.headers = append(moved.headers, content)
		}
		return compare(w, moved, opts, at, alike)
	}},
	// R-DEC-13: a page that allows other lifts a prohibition of other, and none that is explicit, in ACAP or
	// conventional. Exceptions: what nothing speaks of and is prohibited all the same (R-REP-3, R-REF-1). Without
	// conditions, for these add up (R-DEC-8).
	{"to allow other lifts nothing explicit", func(m maker, w world, opts decide.Options, at time.Time) string {
		opts.Other = decide.OtherBroad
		more := w.clone()
		more.metas = append(more.metas, m.pick("robots", "Bot")+": ACAP "+m.pick("", "news ")+"allow-other")
		return compare(w, more, opts, at, func(a asking, d, e decide.Decision) string {
			if a.usage == policy.Other || d.Basis == policy.BasisCrawlProhibited || e.IfCrawled >= d.IfCrawled {
				return ""
			}
			for _, v := range d.Deciding {
				if v.Statement.Usage != policy.Other {
					return outline(d) + ", and then " + outline(e)
				}
			}
			return ""
		})
	}},
	// R-DEC-1: where a page speaks in ACAP, its robots.txt says nothing of that usage. Crawl apart: see R-DEC-11; and
	// what the page says of other speaks only where an ACAP statement of the robots.txt does not (R-DEC-13).
	{"what a page says leaves robots.txt aside", func(m maker, w world, opts decide.Options, at time.Time) string {
		w.head = slices.DeleteFunc(
			w.head,
			func(line string) bool { return strings.HasPrefix(line, "ACAP-") },
		) // class tokens use what it defines
		other := w.clone()
		other.answer, other.blocks, other.referred = decide.Availability(m.IntN(4)), nil, nil
		for range m.IntN(4) {
			other.blocks = append(other.blocks, m.record(false), m.group())
		}
		file, page := w.open()
		known := decide.NewSite(file, w.answer, opts)
		return compare(w, other, opts, at, func(a asking, d, e decide.Decision) string {
			if a.usage == policy.Crawl && a.path == "/robots.txt" || d.IfCrawled == e.IfCrawled {
				return ""
			}
			said := known.For(a.agent, a.purpose).
				PageACAP(page, decide.Question{URL: site + a.path, Path: a.path, Usage: a.usage, At: at})
			if !said.Speaks() || said.CountsREP {
				return ""
			}
			return outline(d) + ", and " + outline(e)
		})
	}},
	// Letters are alike to every rule; only a set whose members are not nested is ordered by them where S3's method
	// does not tell.
	{"letters and names can be exchanged", func(m maker, w world, opts decide.Options, at time.Time) string {
		for _, b := range w.blocks {
			for i, s := range b.sections {
				b.sections[i].rules = slices.DeleteFunc(
					s.rules,
					func(rule string) bool { return strings.Contains(rule, "resource-set") },
				)
			}
		}
		other := w.clone()
		swapLetters := strings.NewReplacer("a", "b", "b", "a").Replace
		swapNames := strings.NewReplacer("Bot", "Spider", "Spider", "Bot").Replace
		for _, blocks := range [][]block{other.blocks, other.referred} {
			for _, b := range blocks {
				for i, name := range b.names {
					b.names[i] = swapNames(name)
				}
				for _, s := range b.sections {
					for i, rule := range s.rules {
						at := strings.IndexAny(rule, "/*")
						if at < 0 {
							continue // a preference for all paths
						}
						resource, rest, found := strings.Cut(rule[at:], " ")
						if found {
							rest = " " + rest
						}
						if !strings.Contains(rule, "reference") {
							s.rules[i] = rule[:at] + swapLetters(resource) + rest
						}
					}
				}
			}
		}
		for _, list := range [][]string{other.metas, other.headers} {
			for i := range list {
				list[i] = strings.NewReplacer("Bot:", "Spider:", "Spider:", "Bot:", site+"/ab", site+"/ba", site+"/a",
					site+"/b").
					Replace(list[i])
			}
		}
		file, page := other.open()
		known := decide.NewSite(file, w.answer, opts)
		return w.ask(opts, at, func(a asking, d decide.Decision) string {
			if a.path == "/robots.txt" { // its letters are what they are
				return ""
			}
			path := swapLetters(a.path)
			view := known.For(policy.Agent(swapNames(string(a.agent))), a.purpose)
			e := view.Decide(page, decide.Question{URL: site + path, Path: path, Usage: a.usage, At: at})
			if complaint := alike(a, d, e); complaint != "" {
				return complaint + "\nthe other world:\n" + other.String()
			}
			return ""
		})
	}},
	// R-DEC-10: as time goes by, permissions end and none begins.
	{"nothing gets freer with time", func(m maker, w world, opts decide.Options, at time.Time) string {
		earlier := w.answers(opts, time.Date(2000, 12, 31, 23, 59, 59, 0, time.UTC))
		return w.ask(opts, afterExpiry, func(a asking, d decide.Decision) string {
			a.at = time.Date(2000, 12, 31, 23, 59, 59, 0, time.UTC)
			if before := earlier[a]; d.Decision < before.Decision || d.IfCrawled < before.IfCrawled {
				return outline(before) + ", and later " + outline(d)
			}
			return ""
		})
	}},
	// A prohibition never permits. Exceptions: it may take away a permission whose condition held, or had failed
	// (R-DEC-5, -8, -10); a legal PI takes METAs away (R-REP-4), a conventional group that names the agent that of '*'
	// (R-REP-1), and in the pilot a prohibition takes away conventional rules of its scope (R-DEC-2). So: no
	// conditions, profile 1.1.
	{"a prohibition more permits nothing more", func(m maker, w world, opts decide.Options, at time.Time) string {
		return m.addUnconditional(
			w,
			opts,
			at,
			"disallow",
			func(before, after policy.Decision) bool { return after >= before },
		)
	}},
	// A permission without condition never prohibits, nor imposes one, with the same exceptions.
	{"a permission more prohibits nothing more", func(m maker, w world, opts decide.Options, at time.Time) string {
		return m.addUnconditional(
			w,
			opts,
			at,
			"allow",
			func(before, after policy.Decision) bool { return after <= before },
		)
	}},
	// R-LEX-6: to refuse a repair is to read what does not need it. A rule that does still parts records.
	{
		"to refuse a repair is to leave out what needs it",
		func(m maker, w world, opts decide.Options, at time.Time) string {
			needs := map[policy.Defect]func(rule string) bool{
				policy.DefectMissingColon:   func(rule string) bool { return !strings.Contains(rule, ": ") },
				policy.DefectSpaceForHyphen: func(rule string) bool { return strings.Contains(rule, "ACAP-allow ") },
				policy.DefectPresentLinks:   func(rule string) bool { return strings.Contains(rule, "-links:") },
			}
			var refused []policy.Defect
			for _, repair := range policy.Slips() {
				if needs[repair] != nil && m.IntN(3) > 0 {
					refused = append(refused, repair)
				}
			}
			left := w.clone()
			left.referred = nil // scene.file reads it by default
			for _, b := range left.blocks {
				for _, s := range b.sections {
					for i, rule := range s.rules {
						if slices.ContainsFunc(
							refused,
							func(repair policy.Defect) bool { return needs[repair](rule) },
						) {
							s.rules[i] = "ACAP-allow-index: nowhere"
						}
					}
				}
			}
			strictly := parse.ReadRobots([]byte(w.scene().robots), false, parse.Options{Refuse: refused}).File
			known := decide.NewSite(strictly, w.answer, opts)
			_, page := left.open()
			return left.ask(opts, at, func(a asking, d decide.Decision) string {
				return alikeByRules(
					a,
					d,
					known.For(a.agent, a.purpose).
						Decide(page, decide.Question{URL: site + a.path, Path: a.path, Usage: a.usage, At: at}),
				)
			})
		},
	},
	// A view remembers what it was asked, for speed only: asked of a site and a page for the first time, each question
	// is answered alike.
	{"what was asked before does not matter", func(m maker, w world, opts decide.Options, at time.Time) string {
		file, page := w.open()
		other := w.clone()
		other.metas, other.headers = append(other.metas, "robots: ACAP disallow-crawl"), nil
		otherPage := other.scene().pageOf(file)
		known := decide.NewSite(file, w.answer, opts)
		views := make(map[string]*decide.View)
		for range 60 {
			who := askedWho[m.IntN(len(askedWho))]
			view, ok := views[string(who.agent)+who.purpose]
			if !ok {
				view = known.For(who.agent, who.purpose)
				views[string(who.agent)+who.purpose] = view
			}
			a := asking{
				who.agent,
				who.purpose,
				worldUsages[m.IntN(len(worldUsages))],
				worldPaths[m.IntN(len(worldPaths))],
				[]time.Time{{}, afterExpiry}[m.IntN(2)],
				opts,
			}
			q := decide.Question{URL: site + a.path, Path: a.path, Usage: a.usage, At: a.at}
			of := []*policy.Page{page, otherPage, nil}[m.IntN(3)]
			fresh := decide.NewSite(file, w.answer, opts).For(who.agent, who.purpose)
			if complaint := identical(a, view.Decide(of, q), fresh.Decide(of, q)); complaint != "" {
				return a.String() + ": " + complaint
			}
		}
		return ""
	}},
	// R-DEC-14: what is said of elements changes nothing for a crawler that can act on them.
	{
		"class tokens do not change the page's decision",
		func(m maker, w world, opts decide.Options, at time.Time) string {
			more := w.clone()
			for range 1 + m.IntN(3) {
				more.tokens = append(more.tokens, "the-acap:"+m.pick("allow-", "disallow-")+m.pick(madeUsages...))
			}
			return compare(w, more, opts, at, func(a asking, d, e decide.Decision) string {
				e.Elements, e.WithoutElements = d.Elements, d.WithoutElements
				return identical(a, d, e)
			})
		},
	},
	// R-DEC-11: the other usages are prohibited with crawl, by what was said and not by what is not known.
	{"crawl takes the other usages with it", func(m maker, w world, opts decide.Options, at time.Time) string {
		all := w.answers(opts, at)
		return w.ask(opts, at, func(a asking, d decide.Decision) string {
			if a.usage == policy.Crawl {
				return ""
			}
			isPreference := a.usage.Family() == terms.FamilyAI
			a.usage = policy.Crawl
			crawl := all[a]
			if isPreference { // R-PREF-3: those of the robots.txt only
				if crawl.Decision != policy.Disallowed && d.Basis == policy.BasisCrawlProhibited ||
					crawl.Basis == policy.BasisREPRobots && crawl.Decision == policy.Disallowed &&
						d.Basis == policy.BasisAIRobots {
					return outline(d) + ", and crawl " + outline(crawl)
				}
				return ""
			}
			unknown := crawl.Basis == policy.BasisUnreachable || crawl.Basis == policy.BasisReferenceUnresolved
			if want := crawl.Decision == policy.Disallowed &&
				!unknown; (d.Basis == policy.BasisCrawlProhibited) != want {
				return outline(d) + ", and crawl " + outline(crawl)
			}
			return ""
		})
	}},
	// R-DEC-8, R-DEC-9, R-DEC-14: all that permits does so on its conditions, at this address; elements only restrict.
	{"what permits keeps its conditions", func(m maker, w world, opts decide.Options, at time.Time) string {
		if usage := m.pick(madeUsages...); m.IntN(2) == 0 { // one page, two addresses
			w.metas = append(
				w.metas,
				"robots: ACAP allow-"+usage+" location="+site+"/a",
				"robots: ACAP allow-"+usage+" location="+site+"/ab",
			)
		}
		return w.ask(opts, at, func(a asking, d decide.Decision) string {
			if d.Decision < d.IfCrawled && a.usage.Family() == terms.FamilyACAP || d.WithoutElements < d.Decision {
				return "hidden, or elements, permit: " + outline(d)
			}
			for _, v := range d.Deciding {
				for _, q := range v.Statement.Qualifiers {
					elsewhere := q.Value != site+a.path
					switch {
					case d.Decision == policy.Disallowed || q.Name == policy.MustUseResource:
					case q.Name == policy.Location && v.Statement.Source == policy.Meta:
						if elsewhere {
							return v.Statement.Raw + " permits: " + outline(d)
						}
					case !slices.Contains(d.Qualifiers, q):
						return string(q.Name) + " is lost: " + outline(d)
					}
				}
			}
			return ""
		})
	}},
}

func TestProperties(t *testing.T) {
	for i, p := range properties {
		t.Run(p.name, func(t *testing.T) { p.tryMany(t, uint64(i)) })
	}
}

func FuzzProperties(f *testing.F) {
	for i := range properties {
		f.Add([]byte{byte(i), 0, 1, 2, 3})
		f.Add([]byte(strings.Repeat(string(rune('a'+i)), 60)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			t.Skip()
		}
		p, how := properties[int(data[0])%len(properties)], data[1]
		draws := func() maker { return maker{rand.New(&drawn{data: data[2:]})} }
		at := time.Time{}
		if how&1 == 1 {
			at = afterExpiry
		}
		p.try(t, draws().worldOf(vocabularies()...), draws, readings[int(how>>1)%len(readings)], at)
	})
}

// shuffled puts everything of a world in another order that says the same.
func (m maker) shuffled(w world) world {
	w = w.clone()
	shuffle := func(list []string) { m.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] }) }
	for _, blocks := range [][]block{w.blocks, w.referred} {
		m.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
		for _, b := range blocks {
			shuffle(b.names)
			rest := b.sections[1:]
			m.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
			for _, s := range b.sections {
				shuffle(s.purposes)
				shuffle(s.rules)
			}
		}
	}
	for i, line := range w.head { // the members of sets, the parts of composite usages
		if words := strings.Fields(line); words[0] == "ACAP-resource-set:" || words[0] == "ACAP-composite-usage:" {
			shuffle(words[2:])
			w.head[i] = strings.Join(words, " ")
		}
	}
	// What stands at the head may stand anywhere (R-LEX-3, R-DEF-1, R-REC-6), among rules too.
	var top []string
	for _, line := range w.head {
		if at := m.IntN(len(w.blocks) + 1); at < len(w.blocks) {
			s := &w.blocks[at].sections[0]
			s.rules = slices.Insert(s.rules, m.IntN(len(s.rules)+1), line)
		} else {
			top = append(top, line)
		}
	}
	shuffle(top)
	w.head = top
	shuffle(w.metas)
	shuffle(w.headers)
	shuffle(w.tokens)
	return w
}

// rewritten is a line of a robots.txt by another hand.
func (m maker) rewritten(line string) string {
	capitals := func(s string) string {
		if m.IntN(2) == 0 {
			return strings.ToUpper(s)
		}
		return strings.ToLower(s)
	}
	if strings.HasPrefix(line, "##") {
		return capitals(line)
	}
	if field, value, found := strings.Cut(line, ": "); found {
		if lower := strings.ToLower(field); lower == "user-agent" || lower == "acap-crawler" ||
			lower == "acap-usage-purpose" {
			value = capitals(value)
		}
		line = m.pick("", " ", "\t") + capitals(field) + m.pick(":", ": ", " :\t") + value
	}
	return line + m.pick("", " ", "\t# note", "#", "\r", "\n", "\n# ACAP-allow-crawl: /")
}

// add adds a permission or prohibition, "SENSE-USAGE", to a world: to its file or to its page, for whom it may be.
func (m maker) add(w *world, what string) {
	if m.IntN(4) == 0 {
		w.metas = append(w.metas, m.pick("robots", "robots", "Bot")+": ACAP "+m.pick("", "news ")+what)
		return
	}
	b := block{
		names:    []string{"ACAP-crawler: " + m.pick("*", "Bot")},
		sections: []section{{rules: []string{"ACAP-" + what + ": " + m.pattern()}}},
	}
	if m.IntN(4) == 0 {
		b.sections[0].purposes = []string{"ACAP-usage-purpose: news"}
	}
	w.blocks = append(w.blocks, b)
}

// addUnconditional takes all conditions from a world, adds one permission or prohibition of either vocabulary, and
// complains of decisions that did not change as they may.
func (m maker) addUnconditional(
	w world,
	opts decide.Options,
	at time.Time,
	sense string,
	may func(before, after policy.Decision) bool,
) string {
	opts.Profile = decide.Profile11
	for _, blocks := range [][]block{w.blocks, w.referred} {
		for _, b := range blocks {
			for i, s := range b.sections {
				b.sections[i].rules = slices.DeleteFunc(
					s.rules,
					func(rule string) bool { return strings.ContainsAny(rule, "=(") },
				)
			}
		}
	}
	conditional := func(text string) bool {
		return strings.Contains(text, "=") || strings.Contains(text, "unavailable") ||
			strings.Contains(text, "max-snippet") ||
			strings.Contains(text, "notranslate")
	}
	w.metas, w.headers = slices.DeleteFunc(w.metas, conditional), slices.DeleteFunc(w.headers, conditional)
	more := w.clone()
	groups := slices.DeleteFunc(slices.Clone(more.blocks), block.acap)
	switch no := sense == "disallow"; {
	case m.IntN(5) == 0 && no:
		more.metas = append(
			more.metas,
			m.pick("robots", "Bot")+": "+m.pick("noindex", "nofollow", "none", "noarchive", "nosnippet"),
		)
	case m.IntN(5) == 0 && !no:
		more.headers = append(more.headers, m.pick("", "Bot: ")+m.pick("index", "follow", "all"))
	case m.IntN(4) == 0 && len(groups) > 0:
		s := &groups[m.IntN(len(groups))].sections[0]
		s.rules = append(s.rules, sense+": "+m.pattern())
	default:
		m.add(&more, sense+"-"+m.pick(madeUsages...))
	}
	return compare(w, more, opts, at, func(a asking, d, e decide.Decision) string {
		if may(d.Decision, e.Decision) && may(d.IfCrawled, e.IfCrawled) {
			return ""
		}
		return outline(d) + ", and then " + outline(e)
	})
}

// localParts are what the definitions of a file make of "(q)" and "(c)": a usage and its qualifiers each.
func localParts(head []string) map[string][]string {
	parts := make(map[string][]string)
	for _, line := range head {
		if words := strings.Fields(line); words[0] == "ACAP-qualified-usage:" {
			parts["("+words[1]+")"] = []string{strings.Join(words[2:], " ")}
		}
	}
	for _, line := range head {
		if words := strings.Fields(line); words[0] == "ACAP-composite-usage:" {
			var all []string
			for _, word := range words[2:] {
				if one, ok := parts[word]; ok {
					all = append(all, one...)
				} else {
					all = append(all, word)
				}
			}
			parts["("+words[1]+")"] = all
		}
	}
	return parts
}

// spellOut writes a rule for each usage that its local usage stands for.
func spellOut(rule string, parts map[string][]string) []string {
	open, shut := strings.IndexByte(rule, '('), strings.IndexByte(rule, ')')
	if open < 0 || parts[rule[open:shut+1]] == nil {
		return []string{rule}
	}
	var all []string
	for _, part := range parts[rule[open:shut+1]] {
		usage, qualifiers, _ := strings.Cut(part, " ")
		all = append(all, strings.TrimSuffix(rule[:open]+usage+rule[shut+1:]+" "+qualifiers, " "))
	}
	return all
}
