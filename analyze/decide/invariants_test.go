package decide_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
)

// said is a decision with its statements as written, in no order: what must not change when lines change places.
func said(d decide.Decision) []string {
	all := []string{head(d)}
	for _, v := range d.Deciding {
		all = append(all, "by "+v.Statement.Raw)
	}
	for _, v := range d.Lost {
		all = append(all, "lost "+v.Statement.Raw+" "+v.Rule.String())
	}
	for _, q := range d.Qualifiers {
		all = append(all, "if "+string(q.Name)+"="+q.Value)
	}
	slices.Sort(all[1:])
	return all
}

// each asks the same of two files and compares what they say.
func each(t *testing.T, seed int, first, second string) {
	t.Helper()
	one, other := read(first), read(second)
	for _, opts := range readings {
		for _, who := range askedWho {
			v, w := decide.NewSite(one, 0, opts).
				For(who.agent, who.purpose),
				decide.NewSite(other, 0, opts).
					For(who.agent, who.purpose)
			for _, usage := range askedUsages {
				for _, path := range []string{"/", "/a", "/ab", "/ba/b", "/a/ab", "/robots.txt"} {
					q := decide.Question{Path: path, Usage: usage, At: time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)}
					d := v.Decide(nil, q)
					consistent(t, path, usage, d)
					if a, b := said(d), said(w.Decide(nil, q)); !slices.Equal(a, b) {
						diff := cmp.Diff(a, b)
						t.Fatalf(
							"seed %d, %+v, %s for %s %q at %s:\n%s\n%s\nand\n%s",
							seed,
							opts,
							usage,
							who.agent,
							who.purpose,
							path,
							diff,
							first,
							second,
						)
					}
				}
			}
		}
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range 100 {
		m := maker{rand.New(rand.NewPCG(2, uint64(seed)))}
		definitions, blocks := m.definitions(), m.blocks()
		shuffled := slices.Clone(blocks)
		m.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		// Within a block the rules stay behind its crawlers, and those of a sub-record behind its purposes.
		for i, block := range shuffled {
			body := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
			end := 1 + slices.IndexFunc(
				body[1:],
				func(line string) bool { return strings.HasPrefix(line, "ACAP-usage-purpose") },
			)
			if end == 0 {
				end = len(body)
			}
			m.Shuffle(end-1, func(i, j int) { body[1+i], body[1+j] = body[1+j], body[1+i] })
			shuffled[i] = lines(body...)
		}
		each(t, seed, definitions+strings.Join(blocks, ""), definitions+strings.Join(shuffled, ""))
	}
}

func TestWhatIsSaidToOthersChangesNothing(t *testing.T) {
	for seed := range 100 {
		m := maker{rand.New(rand.NewPCG(3, uint64(seed)))}
		text := m.definitions() + strings.Join(m.blocks(), "")
		more := text + "ACAP-crawler: Third\n"
		for range 6 {
			more += m.pick(
				"ACAP-allow-",
				"ACAP-disallow-",
			) + m.pick(
				"crawl",
				"index",
				"present",
				"other",
			) + ": " + m.pattern() + "\n"
		}
		more += "ACAP-permissions-reference: /third.txt\nUser-agent: Third\nDisallow: /\n"
		each(t, seed, text, more)
	}
}

// A second copy of a file says nothing new.
func TestTheSameTwice(t *testing.T) {
	for seed := range 100 {
		m := maker{rand.New(rand.NewPCG(4, uint64(seed)))}
		definitions, blocks := m.definitions(), strings.Join(m.blocks(), "")
		one, twice := read(definitions+blocks), read(definitions+blocks+blocks)
		for _, opts := range readings {
			for _, who := range askedWho {
				v, w := decide.NewSite(one, 0, opts).
					For(who.agent, who.purpose),
					decide.NewSite(twice, 0, opts).
						For(who.agent, who.purpose)
				for _, usage := range askedUsages {
					q := decide.Question{Path: m.pick("/", "/a", "/ab", "/b/a"), Usage: usage}
					d, e := v.Decide(nil, q), w.Decide(nil, q)
					if d.Decision != e.Decision || d.Basis != e.Basis || !slices.Equal(d.Qualifiers, e.Qualifiers) {
						t.Fatalf(
							"seed %d, %+v, %s at %s: %s, twice %s\n%s",
							seed,
							opts,
							usage,
							q.Path,
							head(d),
							head(e),
							definitions+blocks,
						)
					}
				}
			}
		}
	}
}

func FuzzDecide(f *testing.F) {
	f.Add(
		acap(
			"ACAP-allow-index: / time-limit=until-2001-01-01",
			"ACAP-disallow-other: /*a$",
			"ACAP-usage-purpose: n*",
			"ACAP-allow-present: /a",
		),
		metas(
			"robots: ACAP disallow-index",
			"Bot: noindex, notranslate",
		),
		"googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST",
		"/a?b",
		"Bot",
		"news",
		uint16(0),
	)
	f.Add(
		lines(
			"User-agent: *",
			"Disallow: /",
			"ACAP-crawler: Bot",
			"ACAP-permissions-reference: /x",
			"ACAP-ignore-conventional-records",
		),
		`<?xml version="1.0"?><?robots index="no" follow="yes"?><html><body class="the-acap:disallow-crawl"/></html>`,
		"noindex",
		"/robots.txt",
		"*",
		"",
		uint16(0xffff),
	)
	f.Add(
		lines(
			"ACAP-resource-set: s / /a* *b$",
			"ACAP-composite-usage: c index (q)",
			"ACAP-qualified-usage: q present must-use-resource=x",
			"ACAP-crawler: *",
			"ACAP-allow-(c): the-acap:resource-set:s",
			"ACAP-disallow-present-link: /*",
		),
		metas(
			"robots: ACAP allow-index location=http://pub.example/",
		),
		"max-snippet: 5",
		"/",
		"Bot",
		"n",
		uint16(0x1234),
	)
	f.Fuzz(func(t *testing.T, robots, page, header, path, agent, purpose string, mix uint16) {
		s := scene{
			robots:    robots,
			page:      page,
			headers:   []string{header},
			mediaType: []string{"text/html", "text/xml", "application/xhtml+xml"}[mix%3],
		}
		file := s.file()
		document := s.pageOf(file)
		opts := readings[int(mix/3)%len(readings)]
		q := decide.Question{URL: site + path, Path: policy.NormalizePath(path)}
		if mix&0x100 != 0 {
			q.At = time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		name, _ := policy.ParseAgent(agent)
		asked := decide.NewSite(file, decide.Availability(mix>>9)%4, opts)
		view := asked.For(name, purpose)
		for _, usage := range policy.Usages() {
			q.Usage = usage
			d := view.Decide(document, q)
			consistent(t, robots, usage, d)
			// A policy cut down to the path, which was never asked before, says the same.
			e := asked.At(q.Path).For(name, purpose).Decide(document, q)
			if diff := cmp.Diff(head(d)+s.show(d), head(e)+s.show(e)); diff != "" {
				t.Errorf("%s at %s: %s", usage, q.Path, diff)
			}
		}
		extent.NewPathClasses(view, 1000).Extent(policy.Usages()[int(mix)%len(policy.Usages())], q.At)
	})
}
