package survey

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
)

func TestTooManyQuestions(t *testing.T) {
	var list []facts.Fact
	for i := range maxAsked + 1 {
		list = append(list, redirect("http://asks.example/robots.txt", int64(i), fmt.Sprintf("http://other%d.example/robots.txt", i)))
	}
	list = append(list, redirect("http://asks-once.example/robots.txt", 1, "http://other.example/robots.txt"), robots("http://other.example/robots.txt", 1, "User-agent: *\nDisallow: /\n"))
	rows := surveyed(t, Options{}, list...)
	for site, complete := range map[string]bool{"http://asks.example": false, "http://asks-once.example": true, "http://other.example": true} {
		row := adoptionOf(t, rows, site)
		if row.PermissionsComplete != complete || row.ConflictsComplete != complete {
			t.Errorf("%s is complete: %v, %v", site, row.PermissionsComplete, row.ConflictsComplete)
		}
	}
}

// Of a file that was captured more often than a site holds answers, each that asks gets as many, the newest, and is told that there are more.
func TestQuestionWithTooManyAnswers(t *testing.T) {
	var list []facts.Fact
	for i := range maxOthers + 50 {
		list = append(list, status("http://other.example/robots.txt", int64(i), 404))
	}
	asks := redirect("http://asks.example/robots.txt", 1, "http://other.example/robots.txt")
	again := asks
	again.Site, again.URL = "https://asks.example", "https://asks.example/robots.txt"
	copies, newest := map[string]int{}, false
	all := append(list, asks, again, list[len(list)-1])
	for _, f := range copiesOf(t, all, Options{}, 2, 2, 1) {
		copies[f.Site]++
		newest = newest || f.FetchTime == list[len(list)-1].FetchTime
	}
	if want := maxOthers + 1; copies["http://asks.example"] != want || copies["https://asks.example"] != want || !newest {
		t.Errorf("copies are %v, that of the newest among them: %v", copies, newest)
	}
	if row := adoptionOf(t, surveyed(t, Options{}, all...), "http://asks.example"); row.PermissionsComplete {
		t.Error("the row does not say that something is left out")
	}
}

// So it is where one of its captures is asked for by its place as well, whether or not both questions are held at a time.
func TestCaptureAskedForTwice(t *testing.T) {
	const hosts = 2
	list := []facts.Fact{
		robots("http://other.example/robots.txt", maxOthers+50, closed), redirect("http://between.example/robots.txt", 1, "http://other.example/robots.txt"),
	}
	for i := range maxOthers + 50 {
		list = append(list, status("http://other.example/robots.txt", int64(i), 404))
	}
	for i := range hosts {
		list = append(list, redirect(fmt.Sprintf("http://h%d.example/robots.txt", i), 1, "http://between.example/robots.txt"),
			revisit(fmt.Sprintf("http://h%d.example/robots.txt", i), 2, closed))
	}
	for _, room := range []int{1, 1 << 20} {
		sorted := sortedFacts(t, list, 1)
		r := &resolver{ctx: t.Context(), sorted: sorted, workers: 1, memory: 1 << 22, most: maxAsked, room: room}
		check(t, r.run())
		if got, want := len(answersIn(t, sorted)), (hosts+1)*(maxOthers+1)+hosts; got != want {
			t.Errorf("room of %d: %d copies, want %d", room, got, want)
		}
	}
}

// What a host asks takes no more memory where its name is long.
func TestAskedUnderALongName(t *testing.T) {
	sorted := sortedFacts(t, nil, 1)
	none := sorted.NewRecords()
	g := &gate{out: sorted.NewSorter(0, none, none, none), most: maxAsked}
	g.begin(1)
	name := "http://" + strings.Repeat("a", 10_000) + ".example"
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	for i := range maxAsked {
		q, _ := urlQuestion("c", fmt.Sprintf("http://other%d.example/robots.txt", i))
		check(t, g.ask(q, "c", strings.Clone(name), toSpeak))
	}
	if more := heap() - before; more > 16<<20 || len(g.asked) != maxAsked {
		t.Errorf("%d questions take %d KiB", len(g.asked), more>>10)
	}
	check(t, g.out.Flush())
	check(t, none.Close())
}
