package crosshost

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/capturetest"
	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
)

// An exhaustive is a simple pass across hosts for comparison: it holds everything, and reads all facts in every round.
type exhaustive struct {
	list        []facts.Fact // in order
	maxRequests int
	asked       map[exhaustiveRequest]bool
	asks        map[string]int // by host
	next        map[string][]exhaustiveRequester
	open        map[string][]exhaustiveRequester

	copies map[string]facts.Fact
}

type exhaustiveRequester struct {
	site string
	role role
}

type exhaustiveRequest struct {
	question string
	exhaustiveRequester
}

func (r *exhaustive) run() []facts.Fact {
	r.asked, r.asks, r.copies = map[exhaustiveRequest]bool{}, map[string]int{}, map[string]facts.Fact{}
	r.next = map[string][]exhaustiveRequester{}
	bodies := map[string]bool{} // of a host
	for i := range r.list {
		if f := &r.list[i]; f.Body != nil {
			bodies[hostOf(f.Site)+" "+digestOfFact(f)] = true
		}
	}
	var hosts []string
	ofHost := map[string][]*facts.Fact{}
	for i := range r.list {
		if f := &r.list[i]; f.Kind == facts.KindRobots || f.Kind == facts.KindPolicy {
			if host := hostOf(f.Site); ofHost[host] == nil {
				hosts = append(hosts, host)
			}
			ofHost[hostOf(f.Site)] = append(ofHost[hostOf(f.Site)], f)
		}
	}
	for _, host := range hosts {
		for _, f := range ofHost[host] {
			if !inforce.LacksBody(f) {
				r.ask(f, exhaustiveRequester{f.Site, ownPolicy})
			}
		}
		for _, f := range ofHost[host] {
			if inforce.LacksBody(f) && !bodies[host+" "+digestOfFact(f)] {
				r.ask(f, exhaustiveRequester{f.Site, ownPolicy})
			}
		}
	}
	for range 2*inforce.MaxHops + 4 {
		r.open, r.next = r.next, map[string][]exhaustiveRequester{}
		for i := range r.list {
			if f := &r.list[i]; f.Kind == facts.KindRobots || f.Kind == facts.KindPolicy {
				r.answer(f)
			}
		}
		r.deliver(bodies)
	}
	var list []facts.Fact
	for _, f := range r.copies {
		list = append(list, f)
	}
	return list
}

func digestOfFact(f *facts.Fact) string { return "digest " + f.CrawlName() + " " + f.ContentDigest }

func recordOfFact(f *facts.Fact) string {
	return fmt.Sprint("record ", f.CrawlName(), " ", f.Filename, " ", f.RecordOffset, " ", f.RecordIndex, " ", f.URL)
}

func (r *exhaustive) ask(f *facts.Fact, a exhaustiveRequester) {
	switch {
	case inforce.IsRedirect(f):
		r.askURL(f.CrawlName(), f.FetchRedirect, a)
	case inforce.LacksBody(f):
		r.note(f.CrawlName(), digestOfFact(f), a)
	case a.role == ownPolicy && bytes.Contains(bytes.ToLower(f.Body), referenceField):
		for _, ref := range parse.ReadRobots(f.Body, f.BodyTruncated, parse.Options{}).References {
			if target, ok := weburl.Resolve(f.URL, ref.Locator); ok {
				r.askURL(f.CrawlName(), target, exhaustiveRequester{a.site, referenced})
			}
		}
	}
}

func (r *exhaustive) askURL(crawl, url string, a exhaustiveRequester) {
	if key, ok := inforce.URLKey(url); ok && hostOf(inforce.SiteOf(&facts.Fact{URL: url})) != hostOf(a.site) {
		r.note(crawl, "url "+crawl+" "+key, a)
	}
}

func (r *exhaustive) note(crawl, question string, a exhaustiveRequester) {
	q := exhaustiveRequest{question, a}
	switch host := hostOf(a.site); {
	case r.asked[q]:
	case r.asks[host] == r.maxRequests:
		r.emit(facts.Fact{Kind: facts.KindAnswer, Site: a.site, SiteHash: facts.HashSite(a.site), Crawl: crawl})
	default:
		r.asked[q] = true
		r.asks[host]++
		r.next[question] = append(r.next[question], a)
	}
}

func (r *exhaustive) emit(f facts.Fact) {
	r.copies[fmt.Sprint(f.Site, " ", recordOfFact(&f), f.Subset)] = f
}

func (r *exhaustive) answer(f *facts.Fact) {
	key, _ := inforce.URLKey(f.URL)
	askers := slices.Concat(r.open["url "+f.CrawlName()+" "+key], r.open[recordOfFact(f)])
	slices.SortFunc(askers, func(a, b exhaustiveRequester) int {
		return cmp.Or(strings.Compare(a.site, b.site), cmp.Compare(a.role, b.role))
	})
	for _, a := range askers {
		r.ask(f, a)
		if hostOf(a.site) != hostOf(f.Site) {
			copied := *f
			copied.Kind, copied.Site, copied.SiteHash = facts.KindAnswer, a.site, facts.HashSite(a.site)
			r.emit(copied)
		}
	}
}

// deliver requests the first capture with each requested digest, for requesters whose host does not have the body.
func (r *exhaustive) deliver(bodies map[string]bool) {
	first := map[string]*facts.Fact{}
	for i := range r.list {
		f := &r.list[i]
		if digest := digestOfFact(f); f.Body != nil && len(r.open[digest]) > 0 &&
			(first[digest] == nil || inforce.Earlier(f, first[digest])) {
			first[digest] = f
		}
	}
	for digest, f := range first {
		for _, a := range r.open[digest] {
			if !bodies[hostOf(a.site)+" "+digest] {
				r.next[recordOfFact(f)] = append(r.next[recordOfFact(f)], a)
			}
		}
	}
}

// hostOf returns host and port of a site.
func hostOf(site string) string {
	_, authority, _ := strings.Cut(site, "://")
	return authority
}

// tangle makes random captures of robots.txt with redirect chains, loops, references and revisits across hosts. Many
// lead to one file.
func tangle(seed uint64, hosts, captures int) []facts.Fact {
	random := rand.New(rand.NewPCG(seed, 5))
	name := func(host int) string {
		return []string{"http", "https"}[random.IntN(2)] + fmt.Sprintf("://h%d.example", host) +
			[]string{"/robots.txt", "/robots.txt", "/robots.txt", "/more.txt"}[random.IntN(4)]
	}
	url := func() string { return name(random.IntN(hosts) * min(random.IntN(5), 1)) }
	body := func() string {
		text := fmt.Sprintf("User-agent: *\nDisallow: /%d\n", random.IntN(20))
		if random.IntN(3) == 0 {
			text += "ACAP-crawler: *\nACAP-permissions-reference: " + url() + "\nACAP-permissions-reference: " +
				url() + "\n"
		}
		return text
	}
	var list []facts.Fact
	for i := range captures {
		var f facts.Fact
		switch from, day := name(random.IntN(hosts)), int64(random.IntN(20)); random.IntN(11) {
		case 0, 1, 2, 3:
			f = redirect(from, day, url())
		case 4, 5:
			f = robots(from, day, body())
		case 6:
			f = revisit(from, day, fmt.Sprintf("User-agent: *\nDisallow: /%d\n", random.IntN(20)))
		case 7:
			f = again(from, day, []string{fmt.Sprintf("User-agent: *\nDisallow: /%d\n", random.IntN(20)),
				html}[random.IntN(2)])
		case 8:
			f = robots(from, day, []string{html, ""}[random.IntN(2)])
		case 9:
			f = status(from, day, []int32{503, 429, 304}[random.IntN(3)])
		default:
			f = status(from, day, 404)
		}
		f.RecordOffset = int64(i)
		if random.IntN(6) == 0 {
			f.Crawl = "CC-MAIN-2011-01"
		}
		list = append(list, f)
	}
	return list
}

// sameRows checks that survey makes the same rows with the copies of the pass as with copies of all captures that a
// site leads to. It returns the numbers of copies.
func sameRows(t *testing.T, list []facts.Fact, opts survey.Options, buckets int) (few, all int) {
	t.Helper()
	inOrder(list)
	opts.Directives, opts.Permissions = survey.DirectivesAll, survey.PermissionsAll
	copies := (&exhaustive{list: list, maxRequests: maxRequests}).run()
	got := copiesOf(t, list, opts.Reading, buckets, 2, 1)
	want, rows := rowsOf(t, opts, list, copies), rowsOf(t, opts, list, got)
	if diff := gocmp.Diff(want, rows); diff != "" {
		t.Errorf("%d captures: %d copies instead of %d (-rows of all +of these):\n%.4000s", len(list), len(got),
			len(copies), diff)
	}
	return len(got), len(copies)
}

func TestResolve(t *testing.T) {
	all, few := 0, 0
	for seed := range uint64(48) {
		hosts := 2 + int(seed%9)
		var opts survey.Options
		if seed%8 == 7 {
			opts.Reading.Without = opts.Reading.Without.With(policy.RuleInForce)
			opts.Decide.Without = opts.Reading.Without
		}
		these, those := sameRows(t, tangle(seed, hosts, hosts*(3+int(seed%7)*3)), opts, 1+int(seed%3))
		if few, all = few+these, all+those; t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if t.Logf("%d copies instead of %d", few, all); few == 0 || few > all/2 {
		t.Errorf("%d copies, all are %d", few, all)
	}
}

// A redirect gets the captures that may be in force at its time, and their bodies.
func TestChosenCaptures(t *testing.T) {
	const target = "http://www.example.com/robots.txt"
	asks := func(day int64) facts.Fact { return redirect(file, day, target) }
	many := func(n int, at func(day int64) facts.Fact, and ...facts.Fact) []facts.Fact {
		for day := range int64(n) {
			and = append(and, at(10+day))
		}
		return and
	}
	at := func(f facts.Fact, offset int64) facts.Fact { f.RecordOffset = offset; return f }
	for _, tt := range []struct {
		name   string
		list   []facts.Fact
		copies int
	}{
		{"the latest not after it", many(9, func(day int64) facts.Fact { return status(target, day, 404) }, asks(15)),
			1},
		{"the first after it", many(9, func(day int64) facts.Fact { return status(target, day, 404) }, asks(5)), 1},
		{"not a failure", many(9, func(day int64) facts.Fact { return status(target, day, 503) },
			status(target, 1, 404), asks(20)), 2},
		{"not a failure, after it", many(9, func(day int64) facts.Fact { return status(target, day, 503) },
			status(target, 30, 404), asks(5)), 2},
		{"failures alone", many(9, func(day int64) facts.Fact { return status(target, day, 503) }, asks(15)), 2},
		{"a body that no one has", many(9, func(day int64) facts.Fact { return revisit(target, day, closed) },
			status(target, 1, 404), asks(20)), 2},
		{"a body that no one has, after it", many(9, func(day int64) facts.Fact {
			return revisit(target, day,
				closed)
		}, status(target, 30, 404), asks(5)), 2},
		{"a body that others have, too, and first",
			many(9, func(day int64) facts.Fact { return again(target, day, closed) },
				robots(target, 3, closed), robots(target, 4, open), robots("http://other.example/robots.txt", 1,
					closed), asks(20)), 4},
		{"a page that came without its body", many(9, func(day int64) facts.Fact { return again(target, day, html) },
			robots(target, 4, html), robots(target, 3, open), asks(20)), 3},
		{"the first of one time", []facts.Fact{at(status(target, 9, 404), 1), at(robots(target, 9, closed), 2),
			asks(5)}, 1},
		{"the first of one time, if it settles", []facts.Fact{at(revisit(target, 9, closed), 1),
			at(status(target, 9, 404), 2), robots("http://other.example/robots.txt", 1, closed), asks(5)}, 4},
		{"for each time", many(50, func(day int64) facts.Fact { return status(target, day, 404) }, asks(15), asks(25),
			asks(35)), 3},
		{"by way of the host itself", append(many(50, func(day int64) facts.Fact { return status(target, day, 404) },
			asks(1)), redirect("https"+strings.TrimPrefix(file, "http"), 25, file)), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if few, all := sameRows(t, tt.list, survey.Options{}, 2); few != tt.copies {
				t.Errorf("%d copies, want %d; all are %d", few, tt.copies, all)
			}
		})
	}
}

// The copies do not depend on the numbers of buckets and workers, nor on memory.
func TestResolveInParts(t *testing.T) {
	for seed, test := range []struct{ hosts, captures, most, buckets, workers int }{
		{4, 60, maxRequests, 2, 1}, {9, 300, maxRequests, 3, 2}, {30, 90, 5, 2, 3}, {30, 900, 2, 7, 1}, {200, 600,
			maxRequests, 16, 4}, {200, 600, 3, 5, 2}, {1500, 4500, maxRequests, 3, 2},
		{1500, 4500, 4, 9, 2},
	} {
		list := inOrder(tangle(uint64(seed), test.hosts, test.captures))
		resolve := func(buckets, workers, room int) []facts.Fact {
			sorted := capturetest.Sorted(t, list, buckets)
			check(t, (&resolver{ctx: t.Context(), sorted: sorted, workers: workers, memory: 1, maxRequests: test.most,
				hostMemory: room}).run())
			return capturetest.Copies(t, sorted)
		}
		want, got := resolve(1, 1, 1<<30), resolve(test.buckets, test.workers, 1+10*test.hosts)
		if diff := gocmp.Diff(want, got); diff != "" || len(got) < test.hosts/2 {
			t.Errorf("%+v: %d copies, want %d (-everything held +in parts):\n%.4000s", test, len(got), len(want), diff)
		}
	}
}

// Nor do they if the requests for one file do not fit into memory.
func TestResolveOneFileForAll(t *testing.T) {
	const hosts = 6000
	list := []facts.Fact{robots("http://www.example.com/robots.txt", 1, open),
		robots("http://www.example.com/robots.txt", 2, closed)}
	for i := range hosts {
		list = append(list, redirect(fmt.Sprintf("http://h%d.example/robots.txt", i), 1,
			"http://www.example.com/robots.txt"))
	}
	want := copiesOf(t, list, parse.Options{}, 4, 2, 1<<30)
	if diff := gocmp.Diff(want, copiesOf(t, list, parse.Options{}, 9, 3, 1)); diff != "" || len(want) != hosts {
		t.Errorf("%d copies (-much memory +little):\n%.4000s", len(want), diff)
	}
}

// An endsAfter is a context that ends after so many calls of Err.
type endsAfter struct {
	context.Context
	left atomic.Int64
}

func (c *endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// The pass ends with its context, within a bucket too, and leaves no files of its own.
func TestResolveEnds(t *testing.T) {
	list := tangle(3, 1500, 4500)
	for _, looks := range []int64{0, 20, 1000, 6000} {
		folder := filepath.Join(t.TempDir(), "sorted")
		sorted, err := facts.NewSorted(folder, 1)
		check(t, err)
		sorter := sorted.NewSorter(0)
		for i := range list {
			check(t, sorter.Add(&list[i]))
		}
		check(t, sorter.Flush())
		ctx := &endsAfter{Context: t.Context()}
		ctx.left.Store(looks)
		if err := Resolve(ctx, sorted, parse.Options{}, 1, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks: %v", looks, err)
		}
		if runs, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(runs) == 0 {
			t.Errorf("after %d looks the facts themselves are gone: %v", looks, err)
		}
		check(t, sorted.Close())
	}
}

func TestContainsFold(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "-": false, "acap-permissions-reference": true, "x\nACAP-Permissions-Reference: /a": true,
		"acap-permissions-referenc":   false,
		"-acap-permissions-reference": true, "acap-acap-permissions-reference": true,
		"acap--permissions-reference": false,
		"acap_permissions_reference":  false, "permissions-reference": false,
	} {
		if got := containsFold([]byte(text), referenceField); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
