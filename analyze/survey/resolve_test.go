package survey

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

	"github.com/acapscan/acapscan/analyze/reading"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
)

// An asksAll is the pass between the stages as one would write it where everything can be held, for comparing: all facts are gone through for
// every round.
type asksAll struct {
	list  []facts.Fact // in order
	most  int
	asked map[asksAllAsking]bool
	asks  map[string]int // by host
	next  map[string][]asksAllAsker
	open  map[string][]asksAllAsker

	copies map[string]facts.Fact
}

type asksAllAsker struct {
	site string
	why  purpose
}

type asksAllAsking struct {
	question string
	asksAllAsker
}

func (r *asksAll) run() []facts.Fact {
	r.asked, r.asks, r.next, r.copies = map[asksAllAsking]bool{}, map[string]int{}, map[string][]asksAllAsker{}, map[string]facts.Fact{}
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
			if !wantsBody(f) {
				r.ask(f, asksAllAsker{f.Site, toSpeak})
			}
		}
		for _, f := range ofHost[host] {
			if wantsBody(f) && !bodies[host+" "+digestOfFact(f)] {
				r.ask(f, asksAllAsker{f.Site, toSpeak})
			}
		}
	}
	for range 2*maxHops + 4 {
		r.open, r.next = r.next, map[string][]asksAllAsker{}
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

func (r *asksAll) ask(f *facts.Fact, a asksAllAsker) {
	switch {
	case isRedirect(f):
		r.askURL(f.CrawlName(), f.FetchRedirect, a)
	case wantsBody(f):
		r.note(f.CrawlName(), digestOfFact(f), a)
	case a.why == toSpeak && bytes.Contains(bytes.ToLower(f.Body), referenceField):
		for _, ref := range reading.ReadRobots(f.Body, f.BodyTruncated, reading.Options{}).References {
			if target, ok := weburl.Resolve(f.URL, ref.Locator); ok {
				r.askURL(f.CrawlName(), target, asksAllAsker{a.site, toBeRead})
			}
		}
	}
}

func (r *asksAll) askURL(crawl, url string, a asksAllAsker) {
	if key, ok := urlKey(url); ok && hostOf(siteOf(&facts.Fact{URL: url})) != hostOf(a.site) {
		r.note(crawl, "url "+crawl+" "+key, a)
	}
}

func (r *asksAll) note(crawl, question string, a asksAllAsker) {
	q := asksAllAsking{question, a}
	switch host := hostOf(a.site); {
	case r.asked[q]:
	case r.asks[host] == r.most:
		r.emit(facts.Fact{Kind: facts.KindAnswer, Site: a.site, SiteHash: facts.HashSite(a.site), Crawl: crawl})
	default:
		r.asked[q] = true
		r.asks[host]++
		r.next[question] = append(r.next[question], a)
	}
}

func (r *asksAll) emit(f facts.Fact) {
	r.copies[fmt.Sprint(f.Site, " ", recordOfFact(&f), f.Subset)] = f
}

func (r *asksAll) answer(f *facts.Fact) {
	key, _ := urlKey(f.URL)
	askers := slices.Concat(r.open["url "+f.CrawlName()+" "+key], r.open[recordOfFact(f)])
	slices.SortFunc(askers, func(a, b asksAllAsker) int { return cmp.Or(strings.Compare(a.site, b.site), cmp.Compare(a.why, b.why)) })
	for _, a := range askers {
		r.ask(f, a)
		if hostOf(a.site) != hostOf(f.Site) {
			copied := *f
			copied.Kind, copied.Site, copied.SiteHash = facts.KindAnswer, a.site, facts.HashSite(a.site)
			r.emit(copied)
		}
	}
}

// deliver finds the first capture with the body of each digest that is asked for, and has it given to those whose host has none.
func (r *asksAll) deliver(bodies map[string]bool) {
	first := map[string]*facts.Fact{}
	for i := range r.list {
		f := &r.list[i]
		if digest := digestOfFact(f); f.Body != nil && len(r.open[digest]) > 0 && (first[digest] == nil || earlier(f, first[digest])) {
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

// tangle makes captures of robots.txt that lead from host to host: chains, loops, references, revisits, one file that all lead to, and hosts that
// ask more than is answered.
func tangle(seed uint64, hosts int) []facts.Fact {
	random := rand.New(rand.NewPCG(seed, 5))
	name := func(host int) string {
		return []string{"http", "https"}[random.IntN(2)] + fmt.Sprintf("://h%d.example", host) + []string{"/robots.txt", "/robots.txt", "/robots.txt", "/more.txt"}[random.IntN(4)]
	}
	url := func() string { return name(random.IntN(hosts) * min(random.IntN(5), 1)) }
	body := func() string {
		text := fmt.Sprintf("User-agent: *\nDisallow: /%d\n", random.IntN(20))
		if random.IntN(3) == 0 {
			text += "ACAP-crawler: *\nACAP-permissions-reference: " + url() + "\nACAP-permissions-reference: " + url() + "\n"
		}
		return text
	}
	var list []facts.Fact
	for i := range 3 * hosts {
		var f facts.Fact
		switch from, day := name(random.IntN(hosts)), int64(random.IntN(20)); random.IntN(8) {
		case 0, 1, 2, 3:
			f = redirect(from, day, url())
		case 4, 5:
			f = robots(from, day, body())
		case 6:
			f = revisit(from, day, fmt.Sprintf("User-agent: *\nDisallow: /%d\n", random.IntN(20)))
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

// The pass gives what it gives where everything is held, in any number of buckets, for any number of workers, and in however little memory.
func TestResolve(t *testing.T) {
	for seed, test := range []struct{ hosts, most, buckets, workers int }{
		{4, maxAsked, 1, 1}, {9, maxAsked, 3, 2}, {30, 5, 2, 3}, {30, 2, 7, 1}, {200, maxAsked, 16, 4}, {200, 3, 5, 2}, {1500, maxAsked, 3, 2}, {1500, 4, 9, 2},
	} {
		list := inOrder(tangle(uint64(seed), test.hosts))
		want := (&asksAll{list: list, most: test.most}).run()
		sorted := sortedFacts(t, list, test.buckets)
		r := &resolver{ctx: t.Context(), sorted: sorted, workers: test.workers, memory: 1, most: test.most, room: 1 + 10*test.hosts}
		check(t, r.run())
		got := answersIn(t, sorted)
		inOrder(want)
		if diff := gocmp.Diff(want, got); diff != "" || len(got) < test.hosts/2 {
			t.Errorf("%+v: %d copies, want %d (-everything held +sorted):\n%.4000s", test, len(got), len(want), diff)
		}
	}
}

// So it is for one file that very many lead to, which are more than are held at a time.
func TestResolveOneFileForAll(t *testing.T) {
	const hosts = 6000
	list := []facts.Fact{robots("http://www.example.com/robots.txt", 1, open), robots("http://www.example.com/robots.txt", 2, closed)}
	for i := range hosts {
		list = append(list, redirect(fmt.Sprintf("http://h%d.example/robots.txt", i), 1, "http://www.example.com/robots.txt"))
	}
	want := copiesOf(t, list, Options{}, 4, 2, 1<<30)
	if diff := gocmp.Diff(want, copiesOf(t, list, Options{}, 9, 3, 1)); diff != "" || len(want) != 2*hosts {
		t.Errorf("%d copies (-much memory +little):\n%.4000s", len(want), diff)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// An endsAfter is a context that ends once it has been looked at so often.
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

// The pass ends with its context, in the midst of a bucket as well, and leaves nothing behind.
func TestResolveEnds(t *testing.T) {
	list := tangle(3, 1500)
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
		if err := Resolve(ctx, sorted, reading.Options{}, 1, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks: %v", looks, err)
		}
		if runs, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(runs) == 0 {
			t.Errorf("after %d looks the facts themselves are gone: %v", looks, err)
		}
		check(t, sorted.Close())
	}
}
