package survey

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/acapscan/acapscan/ingest/facts"
)

// What is held of a question is what package batch takes it for, and a host that has too many is told of.
func TestQuestionsHeld(t *testing.T) {
	const questions = 1 << 16
	r := newResolver(Options{}.Reading, nil, questions+1, 0)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range questions {
		f := redirect(fmt.Sprintf("http://www.site-number-%d.example/robots.txt", i), 1, fmt.Sprintf("http://www.its-target-%d.example/robots.txt", i))
		if err := r.collect(&f); err != nil {
			t.Fatal(err)
		}
	}
	each := (heap() - before) / questions
	t.Logf("%d octets each", each)
	if len(r.asked) != questions || each > 400 {
		t.Errorf("%d questions of %d octets", len(r.asked), each)
	}
}

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
