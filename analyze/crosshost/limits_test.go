package crosshost

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/capturetest"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
)

func TestTooManyQuestions(t *testing.T) {
	var list []facts.Fact
	for i := range maxRequests + 1 {
		list = append(list, redirect("http://asks.example/robots.txt", int64(i),
			fmt.Sprintf("http://other%d.example/robots.txt", i)))
	}
	list = append(list, redirect("http://asks-once.example/robots.txt", 1, "http://other.example/robots.txt"),
		robots("http://other.example/robots.txt", 1, "User-agent: *\nDisallow: /\n"))
	rows := rowsOf(t, survey.Options{}, list, copiesOf(t, list, parse.Options{}, 3, 2, 1<<20))
	for site, complete := range map[string]bool{"http://asks.example": false, "http://asks-once.example": true,
		"http://other.example": true} {
		row := adoptionOf(t, rows, site)
		if row.PermissionsComplete != complete || row.ConflictsComplete != complete {
			t.Errorf("%s is complete: %v, %v", site, row.PermissionsComplete, row.ConflictsComplete)
		}
	}
}

// Each of many sites that lack the same body gets one copy.
func TestCopiesDoNotMultiply(t *testing.T) {
	var list []facts.Fact
	for i := range 100 {
		host := "http://host" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + ".example/robots.txt"
		if i%2 == 0 {
			list = append(list, robots(host, 1, open), again(host, 2, open))
		} else {
			list = append(list, revisit(host, 1, open))
		}
		list = append(list, status(host, 3, 404))
	}
	copies := len(copiesOf(t, list, parse.Options{}, 3, 2, 1<<20))
	if copies != 50 {
		t.Errorf("%d copies for 50 hosts that lack the body", copies)
	}
}

// Requests of one host are limited, and other hosts get their copies.
func TestQuestionsOfOneHost(t *testing.T) {
	list := []facts.Fact{redirect("http://small.example/robots.txt", 1, "http://www.example.com/robots.txt"),
		robots("http://www.example.com/robots.txt", 1, open)}
	for i := range maxRequests + 10 {
		list = append(list, redirect(file, int64(i), fmt.Sprintf("http://www.host%d.example/robots.txt", i)))
		list = append(list, robots(fmt.Sprintf("http://www.host%d.example/robots.txt", i), 1, open))
	}
	copies, newest := map[string]int{}, false
	for _, f := range copiesOf(t, list, parse.Options{}, 3, 2, 1) {
		if f.URL != "" {
			copies[f.Site]++
		}
		newest = newest || f.URL == fmt.Sprintf("http://www.host%d.example/robots.txt", maxRequests+9)
	}
	if copies[example] != maxRequests || copies["http://small.example"] == 0 || !newest {
		t.Errorf("copies are %v, that of the newest among them: %v", copies, newest)
	}
}

// The number of copies grows with requesting plus requested captures, not with their product.
func TestCopiesGrowWithCaptures(t *testing.T) {
	const asked, asks, most = 300, 300, 20 // copies for one that asks
	target := "http://www.example.com/robots.txt"
	for name, target := range map[string]func(i int) facts.Fact{
		"no file": func(i int) facts.Fact { return status(target, int64(i), 404) },
		"another file each time": func(i int) facts.Fact {
			return robots(target, int64(i), fmt.Sprintf("User-agent: *\nDisallow: /%d\n", i))
		},
		"bodies that nobody has": func(i int) facts.Fact { return revisit(target, int64(i), fmt.Sprint(i)) },
		"few that nobody has":    func(i int) facts.Fact { return revisit(target, int64(i), fmt.Sprint(i%5)) },
		"bodies that are elsewhere": func(i int) facts.Fact {
			return revisit(target, int64(i), fmt.Sprint("User-agent: *\nDisallow: /", i%asks, "\n"))
		},
		"failures": func(i int) facts.Fact { return status(target, int64(i), 503) },
		"redirects": func(i int) facts.Fact {
			return redirect(target, int64(i), fmt.Sprintf("http://o%d.example/robots.txt", i%asks))
		},
		"at one time": func(i int) facts.Fact { f := status(target, 7, 404); f.RecordOffset = int64(i); return f },
	} {
		for when, day := range map[string]func(i int) int64{
			"before": func(int) int64 { return -1 }, "after": func(int) int64 { return asked },
			"between": func(i int) int64 { return int64(i * asked / asks) },
		} {
			var list []facts.Fact
			for i := range asked {
				list = append(list, target(i))
			}
			for i := range asks {
				list = append(list, redirect(fmt.Sprintf("http://h%d.example/robots.txt", i), day(i),
					"http://www.example.com/robots.txt"),
					robots(fmt.Sprintf("http://o%d.example/robots.txt", i), 1,
						fmt.Sprint("User-agent: *\nDisallow: /", i, "\n")))
			}
			if copies := len(copiesOf(t, list, parse.Options{}, 2, 2, 1<<20)); copies < asks ||
				copies > most*(asked+asks) {
				t.Errorf("%s, %s: %d copies for %d captures that %d lead to", name, when, copies, asked, asks)
			}
		}
	}
	var list []facts.Fact
	for i := range asks {
		list = append(list, robots(fmt.Sprintf("http://h%d.example/robots.txt", i), 1,
			"ACAP-crawler: *\nACAP-permissions-reference: "+target+"\n"), robots(target, int64(i), fmt.Sprint("#", i)))
	}
	if copies := len(copiesOf(t, list, parse.Options{}, 2, 2, 1<<20)); copies != asks*(maxReferenced+1) {
		t.Errorf("references: %d copies for %d captures that %d lead to", copies, asked, asks)
	}
	if row := adoptionOf(t, rowsOf(t, survey.Options{}, list, copiesOf(t, list, parse.Options{}, 3, 2, 1<<20)),
		"http://h1.example"); row.PermissionsComplete {
		t.Error("the row does not say that captures of what is referred to are left out")
	}
}

// Requests of a host with a long name take no more memory.
func TestAskedUnderALongName(t *testing.T) {
	sorted := capturetest.Sorted(t, nil, 1)
	none := sorted.NewRecords()
	g := &deduper{out: sorted.NewSorter(0, none, none, none), maxRequests: maxRequests}
	g.begin(1)
	name := "http://" + strings.Repeat("a", 10_000) + ".example"
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	for i := range maxRequests {
		q, _ := urlTarget("c", fmt.Sprintf("http://other%d.example/robots.txt", i))
		check(t, g.request(q, "c", strings.Clone(name), ownPolicy, int64(i)))
	}
	if more := heap() - before; more > 16<<20 || g.targets != maxRequests {
		t.Errorf("%d questions take %d KiB", len(g.made), more>>10)
	}
	check(t, g.out.Flush())
	check(t, none.Close())
}
