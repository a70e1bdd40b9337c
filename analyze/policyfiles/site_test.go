package policyfiles

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/capturetest"
	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/terms"
)

const (
	file  = capturetest.File
	other = capturetest.Example + "/acap.txt"
	day   = 86_400_000
)

var (
	robots = capturetest.Robots
	check  = capturetest.Check
)

// siteOf returns a site of a host with these captures, in the order of facts.Compare, and its answers.
func siteOf(t *testing.T, cache *Cache, limits Limits, list ...facts.Fact) *Site {
	t.Helper()
	h := NewHost(cache, limits, func() (*facts.SpillFile, error) { return facts.NewSpillFile(t.TempDir()) })
	t.Cleanup(func() { check(t, h.Close()) })
	s := h.NewSite()
	capturetest.InOrder(list)
	for i := range list {
		if list[i].Kind == facts.KindRobots {
			check(t, s.Add(&list[i]))
		} else {
			s.AddOther(&list[i])
		}
	}
	h.FindAnswers()
	return s
}

func newCache() *Cache { return NewCache(parse.Options{}, decide.Options{}, 0) }

// Equal bodies are one file, owned by the first capture, and hosts share what was parsed of them.
func TestEqualBodies(t *testing.T) {
	cache := newCache()
	list := []facts.Fact{
		robots(file, 1, capturetest.Open), robots(file, 2, capturetest.Closed), robots(file, 3, capturetest.Open),
	}
	s := siteOf(t, cache, DefaultLimits(), slices.Clone(list)...)
	if s.Captures() != 3 || s.DistinctBodies() != 2 || s.Truncated {
		t.Errorf("%d captures, %d bodies, truncated %t", s.Captures(), s.DistinctBodies(), s.Truncated)
	}
	first, last := s.Answers[0], s.Answers[2]
	if first.File != last.File || first.File.Owner.FetchTime != day || s.Main != last || s.File() != last.File {
		t.Error("the first and the last capture have one file, owned by the first, and the last is in force")
	}
	if first.Digest() != last.Digest() || first.Digest() == s.Answers[1].Digest() {
		t.Error("digests are those of bodies")
	}
	for moment, want := range map[int64]*Answer{0: first, day: first, 2*day + 1: s.Answers[1], 9 * day: last} {
		if s.InForce(moment) != want {
			t.Errorf("another answer is in force at %d", moment)
		}
	}
	siteOf(t, cache, DefaultLimits(), slices.Clone(list)...) // a body that comes a second time is cached
	third := siteOf(t, cache, DefaultLimits(), slices.Clone(list)...)
	fourth := siteOf(t, cache, DefaultLimits(), slices.Clone(list)...)
	if third.File().text != fourth.File().text || third.PolicyOf(third.Main) != fourth.PolicyOf(fourth.Main) {
		t.Error("hosts with one body parse and compile it twice")
	}
}

// What a reference leads to depends on the time of the answer. Versions share the statements of the file itself.
func TestReferencesOverTime(t *testing.T) {
	const body = "ACAP-crawler: *\nACAP-disallow-crawl: /a\nACAP-permissions-reference: /acap.txt\n"
	const early = "ACAP-crawler: Old\nACAP-allow-index: /\nACAP-crawler: *\nACAP-allow-index: /\n"
	const late = "ACAP-crawler: *\nACAP-disallow-index: /later\n"
	s := siteOf(t, newCache(), DefaultLimits(), robots(file, 1, body), robots(file, 3, body), robots(file, 5, body),
		robots(other, 1, early), robots(other, 4, late))
	before, between, after := s.Answers[0].File, s.Answers[1].File, s.Answers[2].File
	if before != between || before == after || &before.Statements[0] != &after.Statements[0] {
		t.Error("there are two versions, and they share their own statements")
	}
	if before.Summary() != after.Summary() {
		t.Error("the summary is computed for each version")
	}
	for f, want := range map[*File]struct {
		owner  int64
		bytes  int
		agents []policy.Agent
	}{
		before: {1, len(body + early), []policy.Agent{"*", "Old", "*"}},
		after:  {4, len(body + late), []policy.Agent{"*", "*"}},
	} {
		st := &f.References[0].Resolved[0]
		if owner := s.Owner(st, f); owner.URL != other || owner.FetchTime != want.owner*day {
			t.Errorf("%q belongs to %s of %d", st.Raw, owner.URL, owner.FetchTime)
		}
		if own := s.Owner(&f.Statements[0], f); own != f.Owner {
			t.Errorf("the file's own statement belongs to %s", own.URL)
		}
		if f.Bytes() != want.bytes || !slices.Equal(f.Agents(), want.agents) || !f.HasACAPRule {
			t.Errorf("%d bytes, agents %q", f.Bytes(), f.Agents())
		}
	}
	if got := s.Bytes(); !slices.Equal(got, []int{before.Bytes()}) && !slices.Equal(got, []int{after.Bytes()}) {
		t.Errorf("bodies and what they refer to have %d bytes", got)
	}
}

// Each limit makes the site Truncated, and all captures have an answer.
func TestLimits(t *testing.T) {
	var many []facts.Fact
	for i := range int64(20) {
		many = append(many, robots(file, i, fmt.Sprintf("User-agent: *\nDisallow: /%02d\n", i)))
	}
	missing := robots(other, 1, "ACAP-crawler: *\n")
	missing.URL = ""
	for _, test := range []struct {
		name      string
		limits    Limits
		list      []facts.Fact
		held      int
		truncated bool
	}{
		{"none", DefaultLimits(), many, 20, false},
		{"captures", Limits{Bodies: 1 << 20, Captures: 5, Few: 2}, many, 5, true},
		{"bodies", Limits{Bodies: 100, Captures: 1 << 10, Few: 2}, many, 3, true},
		{"alike", Limits{Bodies: 1 << 20, Captures: 1 << 10, Few: 2}, []facts.Fact{
			robots(file, 1, "a"), robots(file, 2, "a"), robots(file, 3, "a"), robots(file, 4, "a"),
		}, 2, false},
		{"copies that are missing", DefaultLimits(), append(slices.Clone(many[:1]), missing), 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := siteOf(t, newCache(), test.limits, slices.Clone(test.list)...)
			want, got := map[int64]bool{}, map[int64]bool{}
			for _, f := range test.list {
				if f.Kind == facts.KindRobots {
					want[f.FetchTime] = true
				}
			}
			check(t, s.EachAnswer(func(a *Answer) error {
				got[a.Asked.FetchTime] = a.Body != nil && a.File != nil
				return nil
			}))
			if diff := cmp.Diff(want, got); diff != "" || s.Captures() != int64(len(want)) {
				t.Errorf("%d captures; times with an answer (-want +got):\n%s", s.Captures(), diff)
			}
			if len(s.Answers) != test.held || s.Truncated != test.truncated {
				t.Errorf("%d are held, truncated %t; want %d, %t", len(s.Answers), s.Truncated, test.held,
					test.truncated)
			}
		})
	}
}

// A summary counts what the lines of the file say, and lists its defects and those of its statements.
func TestSummary(t *testing.T) {
	s := siteOf(t, newCache(), DefaultLimits(), robots(file, 1, "Disallow: /outside\nUser-agent: *\nDisallow: /\n"+
		"Allow: x\nCrawl-delay: 1\nSitemap: /s\nSitemap: /t\nContent-Thing: 1\n"))
	got := *s.File().Summary()
	want := Summary{
		Defects:      []string{"path-not-rooted", "rule-outside-record"},
		OtherFields:  map[string]int64{"crawl-delay": 1, "sitemap": 2, "content-thing": 1},
		Conventional: 1, Vocabularies: map[string]int64{"rep": 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A site without captures has a policy, and its outcome says that there are none.
func TestNoCaptures(t *testing.T) {
	s := siteOf(t, newCache(), DefaultLimits())
	if s.Main != nil || s.InForce(1) != nil || s.File() != nil || s.File().Bytes() != 0 ||
		s.Outcome() != terms.OutcomeNotCaptured || len(s.File().Named().InACAP) != 0 {
		t.Error("a site without captures has an answer")
	}
	d := s.PolicyOf(nil).For("*", "").Decide(nil, decide.Question{Path: "/", Usage: policy.Crawl})
	if d.Basis != policy.BasisNotCaptured {
		t.Errorf("crawl is decided by %s", d.Basis)
	}
}
