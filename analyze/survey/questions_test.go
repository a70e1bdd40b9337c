package survey

import (
	"fmt"
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
