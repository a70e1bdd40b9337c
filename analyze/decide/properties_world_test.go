package decide_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/longtest"
)

// A world is a site and one of its pages as text, in parts that can be moved, added and taken away. What a property
// says of policies is tried on worlds, which are read as documents are: through package parse.
type world struct {
	head     []string // the marker, definitions, directives: lines that may stand anywhere
	blocks   []block
	referred []block // the file that every permissions-reference leads to; nil: the corpus does not have it
	metas    []string
	headers  []string
	tokens   []string // of class attributes
	pi       string   // a robots PI, "" for none
	xml      bool
	answer   decide.Availability
}

// A block is a conventional group or an ACAP record: whom it speaks to, and what it says.
type block struct {
	names    []string
	sections []section
}

// A section is rules with the purposes that they are for: none in the first section, one at least in every other.
type section struct{ purposes, rules []string }

func (b block) acap() bool { return strings.HasPrefix(b.names[0], "ACAP") }

func (b block) lines() []string {
	all := slices.Clone(b.names)
	for _, s := range b.sections {
		all = append(append(all, s.purposes...), s.rules...)
	}
	return all
}

func (b block) clone() block {
	b.names, b.sections = slices.Clone(b.names), slices.Clone(b.sections)
	for i, s := range b.sections {
		b.sections[i] = section{slices.Clone(s.purposes), slices.Clone(s.rules)}
	}
	return b
}

func (w world) clone() world {
	for _, list := range []*[]string{&w.head, &w.metas, &w.headers, &w.tokens} {
		*list = slices.Clone(*list)
	}
	w.blocks, w.referred = slices.Clone(w.blocks), slices.Clone(w.referred)
	for _, blocks := range [][]block{w.blocks, w.referred} {
		for i := range blocks {
			blocks[i] = blocks[i].clone()
		}
	}
	return w
}

// robots writes the lines of the robots.txt.
func (w world) robots() []string {
	all := slices.Clone(w.head)
	for _, b := range w.blocks {
		all = append(all, b.lines()...)
	}
	return all
}

// document writes the page.
func (w world) document() string {
	var b strings.Builder
	if w.xml {
		b.WriteString("<?xml version=\"1.0\"?>")
	}
	b.WriteString(w.pi + "<html><head>")
	for _, m := range w.metas {
		name, content, _ := strings.Cut(m, ": ")
		fmt.Fprintf(&b, "<meta name=\"%s\" content=\"%s\"/>\n", name, content)
	}
	b.WriteString("</head><body>")
	for _, token := range w.tokens {
		fmt.Fprintf(&b, "<p class=\"%s\">text</p>\n", token)
	}
	b.WriteString("</body></html>")
	return b.String()
}

func (w world) scene() scene {
	s := scene{robots: strings.Join(w.robots(), "\n") + "\n", answer: w.answer, page: w.document(), headers: w.headers}
	for _, b := range w.referred {
		s.referred += lines(b.lines()...)
	}
	if w.xml {
		s.mediaType = "application/xhtml+xml"
	}
	return s
}

// String writes the world for whoever has to find out what it shows.
func (w world) String() string {
	s := w.scene()
	text := "robots.txt:\n" + s.robots
	if s.referred != "" {
		text += "referred:\n" + s.referred
	}
	if len(w.metas)+len(w.tokens)+len(w.headers)+len(w.pi) > 0 {
		text += fmt.Sprintf("page (%s), fields %q:\n%s\n", s.mediaType, s.headers, s.page)
	}
	return text
}

// open reads the world.
func (w world) open() (*policy.File, *policy.Page) {
	s := w.scene()
	file := s.file()
	return file, s.pageOf(file)
}

// smaller lists the worlds that have one thing less.
func (w world) smaller() []world {
	var all []world
	without := func(list func(*world) *[]string) {
		for i := range *list(&w) {
			c := w.clone()
			l := list(&c)
			*l = slices.Delete(*l, i, i+1)
			all = append(all, c)
		}
	}
	for _, blocks := range []func(*world) *[]block{func(w *world) *[]block { return &w.blocks },
		func(w *world) *[]block { return &w.referred }} {
		for i, b := range *blocks(&w) {
			c := w.clone()
			*blocks(&c) = slices.Delete(*blocks(&c), i, i+1)
			all = append(all, c)
			if len(b.names) > 1 {
				without(func(w *world) *[]string { return &(*blocks(w))[i].names })
			}
			for j, s := range b.sections {
				if len(b.sections) > 1 && (j > 0 || len(s.rules) == 0) {
					c := w.clone()
					at := &(*blocks(&c))[i]
					at.sections = slices.Delete(at.sections, j, j+1)
					all = append(all, c)
				}
				if len(s.rules) > 1 {
					without(func(w *world) *[]string { return &(*blocks(w))[i].sections[j].rules })
				}
				if len(s.purposes) > 1 {
					without(func(w *world) *[]string { return &(*blocks(w))[i].sections[j].purposes })
				}
			}
		}
	}
	without(func(w *world) *[]string { return &w.head })
	without(func(w *world) *[]string { return &w.metas })
	without(func(w *world) *[]string { return &w.headers })
	without(func(w *world) *[]string { return &w.tokens })
	if w.pi != "" {
		c := w.clone()
		c.pi = ""
		all = append(all, c)
	}
	return all
}

// world makes a small world at random. Paths are of few letters, so that patterns meet.
func (m maker) world() world {
	w := world{answer: decide.Availability(m.IntN(6) / 4 * m.IntN(4)), xml: m.IntN(3) == 0}
	if m.IntN(5) > 0 {
		w.head = append(w.head, m.pick("##ACAP version=1.1", "##ACAP version=1.1", "##ACAP version=1.0"))
	}
	if m.IntN(6) == 0 {
		w.head = append(w.head, "ACAP-ignore-conventional-records")
	}
	w.head = append(
		w.head,
		"ACAP-resource-set: s "+m.pattern()+" "+m.pattern(),
		"ACAP-resource-set: t "+m.pattern()+" "+m.pattern()+" "+m.pattern(),
		"ACAP-qualified-usage: q "+m.pick(
			"index time-limit=until-2001-01-01",
			"present must-include-resource=/x",
			"present-snippet max-length=9-words",
		),
		"ACAP-composite-usage: c "+m.pick("index present", "crawl index", "(q) present-link", "preserve (q) follow"),
	)
	for range m.IntN(4) {
		w.blocks = append(w.blocks, m.group())
	}
	for range m.IntN(6) {
		w.blocks = append(w.blocks, m.record(true))
	}
	m.Shuffle(len(w.blocks), func(i, j int) { w.blocks[i], w.blocks[j] = w.blocks[j], w.blocks[i] })
	if m.IntN(2) == 0 {
		for range 1 + m.IntN(2) {
			w.referred = append(w.referred, m.record(false))
		}
	}
	if m.IntN(2) == 0 {
		for range 1 + m.IntN(3) {
			w.metas = append(w.metas, m.meta())
		}
		if m.IntN(3) == 0 {
			w.headers = append(
				w.headers,
				m.pick(
					"",
					"",
					"Bot: ",
				)+m.pick(
					"noindex",
					"noarchive, index",
					"unavailable_after: 2001-01-01",
					"nofollow, max-snippet:5",
				),
			)
		}
		if m.IntN(3) == 0 {
			w.tokens = append(
				w.tokens,
				"the-acap:"+m.pick("allow-", "disallow-")+m.pick("index", "present", "present-snippet", "crawl"),
			)
		}
		if w.xml || m.IntN(3) == 0 {
			w.pi = m.pick(`<?robots index="no" follow="yes"?>`, `<?robots index="yes" follow="no"?>`)
		}
	}
	return w
}

// A phrase draws what a vocabulary of AI preferences says in one carrier. Nil: it says nothing there.
type phrase func(m maker) string

// phrases are what a vocabulary of AI preferences says: a rule of a conventional group, the fields of a header, and
// METAs as "NAME: CONTENT".
type phrases struct{ rule, header, meta phrase }

// spoken are the vocabularies that worlds speak besides ACAP and the conventional one. TestWorldsSpeakAllVocabularies
// misses one that is left out.
var spoken = map[policy.Vocabulary]phrases{
	policy.AIPref: {
		rule: func(m maker) string {
			return "Content-Usage: " + m.ruledPath() + m.pick("train-ai=y", "train-ai=n", "search=n",
				"train-ai=n, search=y", "odd=y", "train-ai")
		},
		header: func(m maker) string {
			return "Content-Usage: " + m.pick("train-ai=y", "train-ai=n", "search=n, train-ai=y", "search=y")
		},
	},
	policy.ContentSignal: {
		rule: func(m maker) string {
			return "Content-Signal: " + m.ruledPath() + m.pick("ai-train=yes", "ai-train=no", "search=no",
				"search=yes, ai-train=no", "odd=1")
		},
		header: func(m maker) string {
			return "Content-Signal: " + m.pick("ai-train=yes", "ai-train=no", "search=no, ai-train=yes", "search=yes")
		},
	},
	policy.NoAI: {
		header: func(m maker) string { return m.pick("", "", "Bot: ") + "noai" },
		meta:   func(m maker) string { return m.pick("robots", "robots", "Bot") + ": noai" },
	},
	policy.TDMRep: {
		header: func(m maker) string { return "tdm-reservation: " + m.pick("0", "1", "yes") },
		meta:   func(m maker) string { return "tdm-reservation: " + m.pick("0", "1", "yes") },
	},
}

// vocabularies lists the keys of spoken, in order: worlds are drawn alike each time.
func vocabularies() []policy.Vocabulary { return slices.Sorted(maps.Keys(spoken)) }

// vocabulariesOf chooses some of them by a number: each set of them in turn.
func vocabulariesOf(number int) (some []policy.Vocabulary) {
	for i, v := range vocabularies() {
		if number>>i&1 == 1 {
			some = append(some, v)
		}
	}
	return some
}

// ruledPath draws the path of a rule with a preference, which may have none.
func (m maker) ruledPath() string {
	if m.IntN(3) < 2 {
		return ""
	}
	path := strings.Replace(m.pattern(), "*", "/", 1) + " "
	if path[0] != '/' {
		path = "/" + path
	}
	return path
}

// worldOf makes a world that speaks other vocabularies, too.
func (m maker) worldOf(also ...policy.Vocabulary) world {
	w := m.world()
	for _, vocabulary := range also {
		says := spoken[vocabulary]
		for i := range w.blocks {
			if says.rule == nil || w.blocks[i].acap() {
				continue
			}
			for range m.IntN(4) {
				rules := &w.blocks[i].sections[0].rules
				*rules = slices.Insert(*rules, m.IntN(len(*rules)+1), says.rule(m))
			}
		}
		if says.header != nil && m.IntN(3) == 0 {
			w.headers = append(w.headers, says.header(m))
		}
		if says.meta != nil && m.IntN(3) == 0 {
			w.metas = append(w.metas, says.meta(m))
		}
	}
	return w
}

// group makes a conventional group.
func (m maker) group() block {
	b := block{names: []string{"User-agent: " + m.pick("*", "*", "Bot", "Spider")}, sections: make([]section, 1)}
	if m.IntN(4) == 0 {
		b.names = append(b.names, "User-agent: "+m.pick("*", "Bot", "Spider"))
	}
	for range 1 + m.IntN(3) {
		b.sections[0].rules = append(b.sections[0].rules, m.pick("Disallow: ", "Disallow: ", "Allow: ")+m.pattern())
	}
	return b
}

// record makes an ACAP record; local tells that it may use what the file defines, and refer to another one.
func (m maker) record(local bool) block {
	b := block{
		names:    []string{"ACAP-crawler: " + m.pick("*", "*", "Bot", "Spider")},
		sections: make([]section, 1+m.IntN(4)*m.IntN(2)),
	}
	if m.IntN(6) == 0 {
		b.names = append(b.names, "ACAP-crawler: "+m.pick("*", "Bot", "Spider"))
	}
	for i := range b.sections {
		s := &b.sections[i]
		if i > 0 {
			s.purposes = []string{"ACAP-usage-purpose: " + m.pick("news", "n*", "*", "sport")}
			if m.IntN(2) == 0 {
				s.purposes = append(s.purposes, "ACAP-usage-purpose: "+m.pick("news", "sport", "*", "*"))
			}
		}
		for range 1 + m.IntN(6) {
			s.rules = append(s.rules, m.rule(local))
		}
	}
	if local && m.IntN(9) == 0 {
		b.sections[0].rules = append(b.sections[0].rules, "ACAP-permissions-reference: /there.txt")
	}
	return b
}

var madeUsages = []string{
	"crawl",
	"index",
	"index",
	"index",
	"index",
	"present",
	"present",
	"present-snippet",
	"present-link",
	"other",
	"other",
}

func (m maker) rule(local bool) string {
	resource := m.pattern()
	if local && m.IntN(7) == 0 {
		resource = "the-acap:resource-set:" + m.pick("s", "t")
	}
	usage := m.pick(madeUsages...)
	if m.IntN(2) == 0 {
		return "ACAP-disallow-" + usage + ": " + resource + m.pick("", "", "", "", "", " time-limit=1-days", " ref=x")
	}
	if local && m.IntN(8) == 0 {
		usage = m.pick("(c)", "(q)")
	}
	rule := "ACAP-allow-" + usage + ": " + resource
	if m.IntN(2) == 0 {
		rule += m.pick(
			"",
			" time-limit=until-2001-01-01",
			" time-limit=until-recrawled",
			" odd=1",
			" must-use-resource=/x",
			" ref=x",
		)
	}
	switch m.IntN(16) { // R-LEX-6
	case 0:
		rule = strings.Replace(rule, ": ", " ", 1)
	case 1:
		rule = strings.Replace(rule, "ACAP-allow-", "ACAP-allow ", 1)
	case 2:
		rule = strings.Replace(rule, "present-link:", "present-links:", 1)
	}
	return rule
}

// meta makes a META of a page, "NAME: CONTENT".
func (m maker) meta() string {
	name := m.pick("robots", "robots", "robots", "Bot", "Spider")
	if m.IntN(2) == 0 {
		return name + ": " + m.pick(
			"noindex",
			"index, follow",
			"none",
			"nosnippet",
			"notranslate",
			"unavailable_after: 2001-01-01",
			"max-snippet:5",
			"noarchive, index",
			"all",
		)
	}
	text := name + ": ACAP "
	for i := range 1 + m.IntN(4)/3 {
		if i > 0 {
			text += ", "
		}
		text += m.pick("", "", "", "news ", "sport ", "* ")
		if usage := m.pick(madeUsages...); m.IntN(2) == 0 {
			text += "disallow-" + usage
		} else {
			text += "allow-" + usage + m.pick("", "", " time-limit=until-2001-01-01", " location="+site+"/a",
				" location="+site+"/ab", " odd=1")
		}
	}
	return text
}

// An asking is whom, what and how a world is asked.
type asking struct {
	agent   policy.Agent
	purpose string
	usage   policy.Usage
	path    string
	at      time.Time
	opts    decide.Options
}

func (a asking) String() string {
	return fmt.Sprintf(
		"%s for %s %q at %s, %s, %s %s",
		a.usage,
		a.agent,
		a.purpose,
		a.path,
		a.at.Format("2006"),
		a.opts.Profile,
		a.opts.Other,
	)
}

var (
	worldUsages = []policy.Usage{
		policy.Crawl,
		policy.Follow,
		policy.Index,
		policy.Present,
		policy.PresentSnippet,
		policy.PresentLink,
		policy.PresentCurrentCopy,
		policy.Other,
		policy.TrainAI,
		policy.Search,
		policy.TDM,
	}
	worldPaths  = []string{"/", "/a", "/ab", "/b/a", "/a/ab", "/robots.txt"}
	afterExpiry = time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
)

// ask asks everything of a world and hands the decisions to visit, until that complains.
func (w world) ask(opts decide.Options, at time.Time, visit func(asking, decide.Decision) string) string {
	file, page := w.open()
	known := decide.NewSite(file, w.answer, opts)
	for _, who := range askedWho {
		view := known.For(who.agent, who.purpose)
		for _, path := range worldPaths {
			for _, usage := range worldUsages {
				a := asking{who.agent, who.purpose, usage, path, at, opts}
				d := view.Decide(page, decide.Question{URL: site + path, Path: path, Usage: usage, At: at})
				if complaint := visit(a, d); complaint != "" {
					return fmt.Sprintf("%s: %s", a, complaint)
				}
			}
		}
	}
	return ""
}

// answers of a world to all that ask asks.
func (w world) answers(opts decide.Options, at time.Time) map[asking]decide.Decision {
	all := make(map[asking]decide.Decision)
	w.ask(opts, at, func(a asking, d decide.Decision) string {
		all[a] = d
		return ""
	})
	return all
}

// compare asks two worlds the same and complains where same does.
func compare(
	one, other world,
	opts decide.Options,
	at time.Time,
	same func(asking, decide.Decision, decide.Decision) string,
) string {
	answers := other.answers(opts, at)
	return one.ask(opts, at, func(a asking, d decide.Decision) string {
		if complaint := same(a, d, answers[a]); complaint != "" {
			return complaint + "\nthe other world:\n" + other.String()
		}
		return ""
	})
}

// outline is a decision without the words of its statements: for worlds that say the same in other words.
func outline(d decide.Decision) string {
	var conditions []string
	for _, q := range d.Qualifiers {
		conditions = append(conditions, string(q.Name)+"="+q.Value)
	}
	slices.Sort(conditions)
	return fmt.Sprint(
		d.Decision,
		d.Basis,
		" if crawled ",
		d.IfCrawled,
		" without elements ",
		d.WithoutElements,
		conditions,
	)
}

// alike compares two decisions by their outlines.
func alike(_ asking, d, e decide.Decision) string {
	if one, other := outline(d), outline(e); one != other {
		return one + ", and " + other
	}
	return ""
}

// alikeByRules compares two decisions by their outlines and by the rules that led to them.
func alikeByRules(a asking, d, e decide.Decision) string {
	if one, other := head(d), head(e); one != other {
		return one + ", and " + other
	}
	return alike(a, d, e)
}

// identical compares all there is of two decisions, statements as written.
func identical(a asking, d, e decide.Decision) string {
	full := func(d decide.Decision) []string {
		all := append(said(d), outline(d))
		for _, st := range d.Elements {
			all = append(all, "element "+st.Raw)
		}
		slices.Sort(all)
		return all
	}
	if one, other := full(d), full(e); !slices.Equal(one, other) {
		return strings.Join(one, "; ") + ",\nand " + strings.Join(other, "; ")
	}
	return ""
}

// A property holds of every world: holds complains where it does not. It may draw on m, which is the same each time.
type property struct {
	name  string
	holds func(m maker, w world, opts decide.Options, at time.Time) (complaint string)
}

// try tries a property on one world. Where it fails, it looks for a smaller world in which it fails too.
func (p property) try(t *testing.T, w world, m func() maker, opts decide.Options, at time.Time) {
	t.Helper()
	complaint := p.holds(m(), w.clone(), opts, at)
	if complaint == "" {
		return
	}
	for shrinking := true; shrinking; {
		shrinking = false
		for _, less := range w.smaller() {
			if again := p.holds(m(), less.clone(), opts, at); again != "" {
				w, complaint, shrinking = less, again, true
				break
			}
		}
	}
	t.Fatalf("%s\n%s\n%s", p.name, complaint, w)
}

// worldsTried is how many worlds each property is tried on.
const worldsTried = 200

func (p property) tryMany(t *testing.T, stream uint64) {
	n := worldsTried
	if !longtest.Enabled() {
		n /= 4
	}
	for seed := range n {
		draws := func() maker { return maker{rand.New(rand.NewPCG(stream, uint64(seed)))} }
		w := maker{rand.New(rand.NewPCG(stream+100, uint64(seed)))}.worldOf(vocabulariesOf(seed)...)
		at := time.Time{}
		if seed%2 == 1 {
			at = afterExpiry
		}
		p.try(t, w, draws, readings[seed/2%len(readings)], at)
	}
}

// drawn is randomness out of the bytes of a fuzzer, so that a small change of these is a small change of the world.
type drawn struct {
	data []byte
	rest rand.PCG
}

func (d *drawn) Uint64() uint64 {
	if len(d.data) == 0 {
		return d.rest.Uint64()
	}
	b := uint64(d.data[0])
	d.data = d.data[1:]
	return b<<56 | b<<24 | b // rand looks at the low bits or at the high ones of either half
}
