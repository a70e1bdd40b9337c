package rep_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	other "github.com/temoto/robotstxt"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/rep"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/longtest"
)

// A difference is a class with an example of this class only, as in docs/robots-exclusion.md.
type difference struct {
	class
	name    string
	robots  string
	agent   string
	path    string
	ours    string
	theirs  string
	verdict string // who is right, by the RFC's section
}

var differences = []difference{
	{refusal, "a rule before any group, or an invalid Crawl-delay, invalidates the whole file",
		"Disallow: /x\nUser-agent: *\nDisallow: /y\n", "foo", "/y",
		disallowed, refused, "acapscan: rules outside of groups are ignored (2.2.2), parseable parts are used " +
			"(2.3.1.5)"},
	{utf16Text, "UTF-16 is not decoded",
		"\xff\xfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n" +
			"\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00\n\x00",
		"foo", "/x", disallowed, allowed,
		"open: the file must be UTF-8 (2.3), encodings may be bridged (2.2.2)"},
	{invalidUTF8, "a byte that is not UTF-8 becomes U+FFFD", "User-agent: *\nDisallow: /\xe9\n", "foo", "/\ufffd",
		allowed, disallowed,
		"open: the file must be UTF-8 (2.3), encodings may be bridged (2.2.2)"},
	{otherBlanks, "a no-break space or a form feed is not white space", "User-agent: *\nDisallow:\u00a0/x\n", "foo",
		"/x",
		disallowed, allowed,
		"temoto: blanks are SP and HTAB (2.2); R-LEX-4 reads them as blanks"},
	{sizeLimit, "the size has no limit", strings.Repeat("#2345678901234567890123456789012\n", 15600) +
		"User-agent: *\nDisallow: /x\n",
		"foo", "/x", allowed, disallowed,
		"both: a limit should be at least 500 KiB (2.5)"},
	{hashInWord, "a '#' within a word does not begin a comment", "User-agent: *\nDisallow: /a#b\n", "foo", "/a",
		disallowed,
		allowed, "acapscan: '#' designates a line comment (2.2.3, 2.2)"},
	{noColon, "a line needs no colon", "User-agent: *\nDisallow /x\n", "foo", "/x", allowed, disallowed,
		"acapscan: a rule has a colon (2.2)"},
	{blankBeforeColon, "a blank before the colon ends the name; the colon belongs to the value",
		"User-agent: *\nDisallow : /x\n", "foo", "/x", disallowed, allowed,
		"acapscan: blanks may stand before the colon (2.2)"},
	{blankInValue, "a value ends at a blank, and a new field begins", "User-agent: *\nDisallow: /a b\n", "foo",
		"/a", allowed, disallowed,
		"open: a pattern has no blank (2.2); R-PAT-2 reads it as %20"},
	{misspelt, "Useragent means User-agent", "User-agent: foo\nDisallow: /a\nUseragent: bar\nDisallow: /b\n", "bar",
		"/b", allowed, disallowed, "acapscan: it is another record (2.2.4)"},
	{crawlDelay, "Crawl-delay ends a list of user-agent lines",
		"User-agent: foo\nCrawl-delay: 1\nUser-agent: bar\nDisallow: /x\n", "foo", "/x", disallowed, allowed,
		"acapscan: other records must not end a group (2.2.4)"},
	{groupWithoutRules, "a group without rules is ignored", "User-agent: *\nDisallow: /\nUser-agent: foo\n", "foo",
		"/x", allowed, disallowed, "acapscan: such a group allows everything (2.1, 2.2.2)"},
	{version, "the version belongs to a crawler's name", "User-agent: foo/1.0\nDisallow: /x\n", "foo", "/x",
		disallowed, allowed,
		"open: a product token has no '/' (2.2.1); R-AGENT-1 ends the name there"},
	{prefix, "a group's name may be a prefix of the crawler's", "User-agent: foo\nDisallow: /x\n", "foobot",
		"/x", allowed, disallowed,
		"acapscan: the group must match the product token (2.2.1, table 2: exactly)"},
	{robotsItself, "/robots.txt can be disallowed", "User-agent: *\nDisallow: /\n", "foo", "/robots.txt", allowed,
		disallowed, "acapscan: it is implicitly allowed (2.2.2)"},
	{notRooted, "a path without its '/' gets one", "User-agent: *\nDisallow: x\n", "foo", "/x", allowed, disallowed,
		"acapscan: a pattern begins with '/' (2.2)"},
	{starAlone, "a '*' alone matches nothing", "User-agent: *\nDisallow: *\n", "foo", "/x", disallowed, allowed,
		"acapscan: '*' is any sequence (2.2.3)"},
	{unanchored, "a pattern with '*' or '$' matches anywhere in the path", "User-agent: *\nDisallow: /a$\n", "foo",
		"/b/a", allowed, disallowed,
		"acapscan: matching starts with the first byte (2.2.2)"},
	{dollarInside, "a '$' within a pattern also means the end", "User-agent: *\nDisallow: /a$b\n", "foo", "/a$b",
		disallowed, allowed,
		"acapscan, likely: '$' designates the end of the pattern (2.2.3), and this one is not at the end"},
	{percent, "bytes are compared as written", "User-agent: *\nDisallow: /%61\n", "foo", "/a", disallowed,
		allowed,
		"acapscan: both forms of a byte are equal (2.2.2)"},
	{length, "a pattern with '*' or '$' weighs as much as its regular expression; a final '*' weighs nothing",
		"User-agent: *\nAllow: /a/*.b\nDisallow: /a/bcde\n", "foo", "/a/bcde.b",
		disallowed, allowed, "acapscan: the match with the most bytes (2.2.2)"},
	{tie, "of two rules of equal weight the first counts", "User-agent: *\nDisallow: /x\nAllow: /x\n", "foo",
		"/x", allowed, disallowed, "acapscan: Allow should be used (2.2.2)"},
}

func (c class) String() string {
	for _, d := range differences {
		if d.class == c {
			return d.name
		}
	}
	return strconv.Itoa(int(c))
}

// A subject is a file with the results of all four readers.
type subject struct {
	body   []byte
	site   *decide.Site
	theirs *other.RobotsData // nil if they refuse the file
	models map[dialect]*reading
}

func newSubject(body []byte) *subject {
	file := &policy.File{}
	rep.ReadRobots(robotstxt.Parse(body, robotstxt.Options{}), rep.Options{}, file)
	s := &subject{body: body, site: decide.NewSite(file, decide.Answered, decide.Options{}),
		models: map[dialect]*reading{}}
	if data, err := other.FromBytes(body); err == nil {
		s.theirs = data
	}
	return s
}

func (s *subject) model(d dialect) *reading {
	if s.models[d] == nil {
		s.models[d] = d.read(s.body)
	}
	return s.models[d]
}

func (s *subject) ours(agent, path string) string {
	d := s.site.For(policy.Agent(agent), "").Decide(nil, decide.Question{
		URL: "http://pub.example" + path, Path: policy.NormalizePath(path), Usage: policy.Crawl,
	})
	return d.Decision.String()
}

func (s *subject) other(agent, path string) string {
	switch {
	case s.theirs == nil:
		return refused
	case s.theirs.TestAgent(path, agent):
		return allowed
	}
	return disallowed
}

// compare asks all readers the same question. It returns the smallest set of classes that explains a difference, or
// none. A difference without an explanation is an error: the dialect of ours or of theirs is wrong.
func (s *subject) compare(agent, path string) (because dialect, err error) {
	mine, theirs := s.ours(agent, path), s.other(agent, path)
	if got := s.model(ours).answer(agent, path); got != mine {
		return 0, fmt.Errorf("acapscan says %s to %s at %s, a simple reading of the RFC %s", mine, agent, path, got)
	}
	if got := s.model(temoto).answer(agent, path); got != theirs {
		return 0, fmt.Errorf("temoto says %s to %s at %s (acapscan %s), and all classes together %s", theirs, agent,
			path, mine, got)
	}
	if mine == theirs {
		return 0, nil
	}
	because = temoto
	for again := true; again; {
		again = false
		for c := range classes {
			if fewer := because.without(c); fewer != because && s.model(fewer).answer(agent, path) == theirs {
				because, again = fewer, true
			}
		}
	}
	return because, nil
}

// A tally counts questions and differences.
type tally struct {
	files, refusedFiles, questions, differences int
	by                                          [classes]int // differences of which the class is a cause
}

// ask compares all readers on a file.
func (n *tally) ask(t testing.TB, name string, body []byte, agents, paths []string) {
	t.Helper()
	s := newSubject(body)
	n.files++
	if s.theirs == nil {
		n.refusedFiles++
	}
	for _, agent := range agents {
		for _, path := range paths {
			because, err := s.compare(agent, path)
			if err != nil {
				t.Fatalf("%s: %v\n%q", name, err, body[max(0, len(body)-2000):])
			}
			n.questions++
			if because == 0 {
				continue
			}
			n.differences++
			for _, c := range because.classes() {
				n.by[c]++
			}
		}
	}
}

func (n *tally) log(t *testing.T) {
	t.Logf("%d files (%d refused by temoto), %d questions, %d differences", n.files, n.refusedFiles, n.questions,
		n.differences)
	for c := range classes {
		t.Logf("%8d %s", n.by[c], c)
	}
}

// TestDifferencesExamples: every class has an example of this class only.
func TestDifferencesExamples(t *testing.T) {
	for c := range classes {
		if n := len(slices.Collect(func(yield func(difference) bool) {
			for _, d := range differences {
				if d.class == c && !yield(d) {
					return
				}
			}
		})); n != 1 {
			t.Errorf("%d examples of class %d", n, c)
		}
	}
	for _, d := range differences {
		t.Run(d.name, func(t *testing.T) {
			s := newSubject([]byte(d.robots))
			because, err := s.compare(d.agent, d.path)
			if err != nil {
				t.Fatal(err)
			}
			if got := because.classes(); !slices.Equal(got, []class{d.class}) {
				t.Errorf("explained by %v", got)
			}
			if got := s.ours(d.agent, d.path); got != d.ours {
				t.Errorf("acapscan says %s, want %s", got, d.ours)
			}
			if got := s.other(d.agent, d.path); got != d.theirs {
				t.Errorf("temoto says %s, want %s", got, d.theirs)
			}
		})
	}
}

// TestDifferencesGenerated compares generated files. Classes explain every difference, and every class occurs.
func TestDifferencesGenerated(t *testing.T) {
	n := tally{}
	for seed := range 2500 {
		g := generator{pick: rand.New(rand.NewPCG(uint64(seed), 9309)).IntN}
		body, agents, paths := g.file()
		n.ask(t, fmt.Sprint("seed ", seed), body, agents, paths)
	}
	for seed := range 5 {
		g := generator{pick: rand.New(rand.NewPCG(uint64(seed), 500)).IntN}
		body, agents, paths := g.file()
		comment := "#" + strings.Repeat("-", robotstxt.DefaultLimit-g.pick(len(body))-2) + "\n"
		n.ask(t, fmt.Sprint("large, seed ", seed), append([]byte(comment), body...), agents, paths)
	}
	n.log(t)
	for c := range classes {
		if n.by[c] == 0 {
			t.Errorf("no difference by: %s", c)
		}
	}
	if n.differences == n.questions {
		t.Error("the two agree on nothing")
	}
}

// FuzzDifferential compares any text.
func FuzzDifferential(f *testing.F) {
	for _, d := range differences {
		if len(d.robots) < 1000 {
			f.Add([]byte(d.robots), d.agent, d.path)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, agent, path string) {
		if len(body) > 1000 || bytes.Count(body, []byte("*")) > 8 || len(path) > 40 || !isAgent(agent) ||
			!isPath(path) {
			t.Skip("too long for the simple reader, or no question")
		}
		n := tally{}
		n.ask(t, "fuzz", body, []string{agent}, []string{path})
	})
}

func isAgent(s string) bool {
	return s == "*" || s != "" && strings.Trim(s, unreserved) == "" && len(s) < 20
}

func isPath(s string) bool {
	return strings.HasPrefix(s, "/") && strings.Trim(s, unreserved+"/?=&:@!'()+,;[]*$%") == ""
}

// A generator makes robots.txt files and questions from numbers.
type generator struct {
	pick     func(n int) int // below n
	odd      int             // how many of a hundred lines are odd, 0 to 40
	patterns []string
}

func (g *generator) one(of ...string) string { return of[g.pick(len(of))] }
func (g *generator) chance(percent int) bool { return g.pick(100) < percent }
func (g *generator) oddity() bool            { return g.chance(g.odd) }

// file makes a file, with agents and paths for questions.
func (g *generator) file() (body []byte, agents, paths []string) {
	g.odd = []int{0, 5, 40}[g.pick(3)]
	var b strings.Builder
	end := g.one("\n", "\n", "\n", "\r\n", "\r")
	if g.chance(5) {
		b.WriteString("\ufeff")
	}
	if g.odd > 0 && g.chance(3) {
		b.WriteString("Disallow: /a" + end)
	}
	for range 1 + g.pick(4) {
		for range 1 + g.pick(3)*g.pick(2) {
			b.WriteString(g.line("User-agent", g.agent()) + end)
			if g.chance(10) {
				b.WriteString(g.between() + end)
			}
		}
		for range g.pick(5) {
			if g.chance(15) {
				b.WriteString(g.between() + end)
			}
			b.WriteString(g.line(g.one("Disallow", "Allow"), g.pattern()) + end)
		}
	}
	text := b.String()
	if g.chance(10) {
		text = strings.TrimRight(text, "\r\n")
	}
	if g.oddity() && g.chance(10) {
		var wide []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + strings.TrimPrefix(text, "\ufeff"))) {
			wide = binary.LittleEndian.AppendUint16(wide, unit)
		}
		body = wide
	} else {
		body = []byte(text)
	}
	paths = []string{"/", "/robots.txt"}
	for range 6 {
		paths = append(paths, g.path())
	}
	return body, []string{"foo", "foobot", "bar", "b2", "*"}, paths
}

func (g *generator) agent() string {
	if g.oddity() {
		return g.one("foo/1.0", "foo bar", "Foo*", "", "* all", "föö", "b")
	}
	return g.one("*", "*", "foo", "Foo", "FOOBOT", "foobot-news", "bar", "b2", "baz_x")
}

// line writes a field with common spacing.
func (g *generator) line(name, value string) string {
	if g.chance(10) {
		name = g.one(strings.ToLower(name), strings.ToUpper(name))
	}
	format := g.one("%s: %s", "%s: %s", "%s: %s", "%s:%s", " \t%s:\t%s \t", "%s: %s # c", "%s:%s\t#c:")
	if g.oddity() {
		format = g.one("%s : %s", "%s %s", "%s:\u00a0%s", "%s:\f%s", "%s: %s#c", "%s: %s x", "%s: %s Disallow /a",
			"# %s: %s", "%s\t:%s", "x%s: %s", ":%s: %s", "%s: \xa0%s")
	}
	return fmt.Sprintf(format, name, value)
}

// between returns a line that is not a rule.
func (g *generator) between() string {
	if g.oddity() {
		return g.one("Crawl-delay: x", "Crawl-delay: -1", "Useragent: foo", "Useragent: *", "nonsense", "a b c d", ":",
			"Crawldelay: 1", "Disalow: /", "\xff: \xfe", "Crawl-delay:")
	}
	return g.one("", "# c", "Crawl-delay: 10", "Sitemap: http://pub.example/s.xml", "Host: pub.example", "Noindex: /a",
		"ACAP-crawler: *", "ACAP-disallow-crawl: /", "Clean-param: a /b",
		"Crawl-delay: 0.5 # c")
}

func (g *generator) pattern() string {
	if g.chance(8) {
		return ""
	}
	var b strings.Builder
	if g.oddity() && g.chance(20) {
		b.WriteString(g.one("a", "*", "**", "?", "$"))
	} else {
		b.WriteString(g.one("/", "/", "/", "/", "*", "/*"))
	}
	for range g.pick(4) {
		b.WriteString(g.one("a", "a", "b", "/", "a/", ".b", "-", "_", "*", "?a=b"))
		if g.oddity() {
			b.WriteString(g.one("%61", "%2F", "%2f", "%e9", "é", "\xe9", "ツ", "%", "%4", "~", "%7E", "$", "%24", "%2A",
				"(", "[a]", "+", "\\", "|", "^", "\"", "{", "\x00"))
		}
	}
	if g.chance(15) {
		b.WriteString(g.one("$", "$", "*", "*$", "**", "$*"))
	}
	g.patterns = append(g.patterns, b.String())
	return b.String()
}

// path makes a path near one of the patterns.
func (g *generator) path() string {
	if len(g.patterns) == 0 || g.chance(15) {
		return g.one("/a", "/a/b", "/b/a.b", "/ab?a=b", "/A", "/b2", "//", "/a$b", "/%41", "/é")
	}
	var b strings.Builder
	for _, c := range g.patterns[g.pick(len(g.patterns))] {
		switch {
		case c == '*':
			b.WriteString(g.one("", "a", "b/", "/b", "a.b"))
		case c == '$':
			b.WriteString(g.one("", "", "", "$", "%24"))
		case c == 'a' && g.chance(5):
			b.WriteString("%61")
		case c <= ' ':
		default:
			b.WriteRune(c)
		}
	}
	return "/" + strings.TrimPrefix(b.String()+g.one("", "", "a", "/b", "?a=b", ".b"), "/")
}

// realCollection is a folder of third-party files outside of the repository.
var realCollection = filepath.Join("..", "..", "..", "shared", "data")

// TestDifferencesReal compares the robots.txt files of the collection: plain files, and records of its archives.
// All of them would take many minutes: it reads one of forty, and a long test one of eight.
func TestDifferencesReal(t *testing.T) {
	if _, err := os.Stat(realCollection); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the real files are not here")
	}
	bodies := map[string][]byte{}
	err := filepath.WalkDir(realCollection, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file := filepath.Base(filepath.Dir(name)) == "robots" && filepath.Ext(name) == ".txt"
		if !file && !source.IsArchiveName(name) {
			return nil
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if file {
			bodies[string(body)] = body
		} else {
			archived(body, bodies)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(bodies) < 20 {
		t.Errorf("only %d files", len(bodies))
	}
	oneOf := uint32(40)
	if longtest.Enabled() {
		oneOf = 8
	}
	n := tally{}
	for _, body := range bodies {
		if crc32.ChecksumIEEE(body)%oneOf != 0 {
			continue
		}
		agents, paths := questions(body)
		n.ask(t, "real", body, agents, paths)
	}
	n.log(t)
}

// archived adds the bodies of an archive's robots.txt captures, up to the first error.
func archived(data []byte, bodies map[string][]byte) {
	records, err := archive.NewReader(bytes.NewReader(data), archive.Options{Size: int64(len(data))})
	if err != nil {
		return
	}
	captures := capture.NewReader(capture.Options{Want: func(*capture.Capture) bool { return false }})
	for {
		record, err := records.Next()
		if err != nil {
			return
		}
		if c, err := captures.Read(record); err == nil && c.IsRobots() && c.Status/100 == 2 {
			bodies[string(c.Body)] = bytes.Clone(c.Body)
		}
	}
}

// questions returns agents in the file and others, and paths near its patterns.
func questions(body []byte) (agents, paths []string) {
	file := &policy.File{}
	rep.ReadRobots(robotstxt.Parse(body, robotstxt.Options{}), rep.Options{}, file)
	agents, paths = []string{"*", "nobody"}, []string{"/", "/robots.txt", "/x"}
	for _, a := range file.NamedGroups {
		if isAgent(string(a)) && len(agents) < 12 {
			agents = append(agents, string(a), string(a)+"-x")
		}
	}
	for _, st := range file.Statements {
		for _, p := range st.Patterns {
			example := p.Example()
			if isPath(example) && len(paths) < 120 && !slices.Contains(paths, example) {
				paths = append(paths, example, example+"x", "/x"+example)
			}
		}
	}
	slices.SortFunc(paths, cmp.Compare[string])
	return agents, slices.Compact(paths)
}
