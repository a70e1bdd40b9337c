package analyzerun

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/capturetest"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
)

// heldAfter returns how much more memory is held behind the last host of some than before the first. The rows of the
// last hosts wait then.
func heldAfter(t *testing.T, some func(add func(host int64, url string, day int64, body string))) (bytes int64) {
	t.Helper()
	held := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	opts := survey.Options{}.Normal()
	surveyor := survey.NewSurveyor(opts, policyfiles.NewCache(opts.Reading, opts.Decide, 1<<20))
	lot := newLot()
	var before int64
	scan := func(visit func(*facts.Fact) error) (err error) {
		before = held()
		some(func(host int64, url string, day int64, body string) {
			f := capturetest.Robots(url, day, body)
			f.SiteHash = host
			if err == nil {
				err = visit(&f)
			}
		})
		return err
	}
	check(t, surveyor.Bucket(t.Context(), scan, lot.tables(), func(least int) (int, error) {
		if least == 0 {
			bytes = held() - before
		}
		n := lot.count(least)
		lot.forget(least)
		return int(n), nil
	}))
	return bytes
}

// longFile is a robots.txt of some 250 KB, which takes many times that when it is parsed.
func longFile(n int) string {
	return fmt.Sprintf("##ACAP version=1.1\nUser-agent: *\n# %d\n", n) + strings.Repeat("Disallow: /x\n", 20_000)
}

// Rows that wait for the column writers hold neither captures nor parsed files of hosts that are done.
func TestRowsHoldNoFiles(t *testing.T) {
	bytes := heldAfter(t, func(add func(int64, string, int64, string)) {
		for n := range int64(30) {
			add(n, fmt.Sprintf("http://h%d.example/robots.txt", n), 1, longFile(int(n)))
		}
	})
	if t.Logf("%d MiB", bytes>>20); bytes > 40<<20 {
		t.Errorf("behind 30 files of 250 KB %d MiB are held", bytes>>20)
	}
}

// The memory of a second site, which few hosts have, holds no files of the last host that had one.
func TestSecondSiteIsLetGo(t *testing.T) {
	bytes := heldAfter(t, func(add func(int64, string, int64, string)) {
		add(0, "http://h0.example/robots.txt", 1, "User-agent: *\n")
		for day := int64(8); day > 0; day-- {
			add(0, "https://h0.example/robots.txt", day, longFile(int(day)))
		}
		for n := range int64(100) {
			add(1+n, fmt.Sprintf("http://h%d.example/robots.txt", 1+n), 1, "User-agent: *\nDisallow: /x\n")
		}
	})
	if t.Logf("%d MiB", bytes>>20); bytes > 25<<20 {
		t.Errorf("100 hosts behind a site with 8 files of 250 KB %d MiB are held", bytes>>20)
	}
}
