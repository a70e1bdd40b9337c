package facts

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Facts are placed by host and port: a change would part the facts of an old run from those of a new one.
func TestHashSite(t *testing.T) {
	if a, b := HashSite("http://example.com"), HashSite("https://example.com"); a != b {
		t.Errorf("the schemes of a host are apart: %d, %d", a, b)
	}
	if a, b := HashSite("http://example.com"), HashSite("http://example.com:8080"); a == b {
		t.Error("the ports of a host are together")
	}
	for site, want := range map[string]int64{"": 8203414616412130826, "http://example.com": 5889814939930451154} {
		if got := HashSite(site); got != want {
			t.Errorf("HashSite(%q) = %d, want %d as ever", site, got, want)
		}
	}
	for i := range 1000 {
		if h := HashSite(string(rune(i)) + "x"); h < 0 {
			t.Fatalf("hash %d is negative", h)
		}
	}
}

func TestCompare(t *testing.T) {
	base := Fact{SiteHash: 5, Crawl: "b", Site: "http://b.example", Kind: KindRobots,
		URL: "http://b.example/robots.txt", FetchTime: 10, Filename: "b", RecordOffset: 7, RecordIndex: 1}
	change := func(f func(*Fact)) Fact {
		g := base
		f(&g)
		return g
	}
	page := func(at int64, url, site string) Fact {
		return change(func(f *Fact) { f.Kind, f.FetchTime, f.URL, f.Site = KindPage, at, url, site })
	}
	// In order; each differs from base in one thing that counts for less than those before it, or more.
	want := []Fact{
		change(func(f *Fact) { f.SiteHash = 4; f.Site, f.Crawl = "http://z.example", "z" }),
		change(func(f *Fact) { f.Crawl = "a"; f.Site = "http://z.example"; f.Kind = KindPage }),
		change(func(f *Fact) { f.Site = "http://a.example"; f.FetchTime = 9 }),
		change(func(f *Fact) { f.Kind = KindInput; f.URL = "z" }),
		change(func(f *Fact) { f.Kind = KindSite; f.URL = "z" }),
		change(func(f *Fact) { f.Kind = KindPolicy; f.FetchTime = 1 }),
		change(func(f *Fact) { f.Kind = KindAnswer; f.URL = "z" }),
		change(func(f *Fact) { f.URL = "z"; f.FetchTime = 99 }),
		change(func(f *Fact) { f.URL = "a"; f.Filename = "z" }),
		change(func(f *Fact) { f.Filename = "a"; f.RecordOffset = 99 }),
		change(func(f *Fact) { f.RecordOffset = 6; f.RecordIndex = 99 }),
		change(func(f *Fact) { f.RecordIndex = 0 }),
		base,
		change(func(f *Fact) { f.FetchTime = 9; f.URL = "a" }),
		change(func(f *Fact) { f.Site = "https://b.example"; f.Kind = KindSite }),
		page(1, "z", "http://b.example"),
		page(2, "a", "http://b.example"),
		page(2, "b", "http://b.example"),
		page(1, "a", "http://c.example"),
		change(func(f *Fact) { f.Crawl = "" }), // is "local"
		change(func(f *Fact) { f.Crawl = "local"; f.Kind = KindPage }),
		change(func(f *Fact) { f.Crawl = "z"; f.Kind = KindSite; f.Site = "http://a.example" }),
	}
	got := slices.Clone(want)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, func(a, b Fact) int { return Compare(&a, &b) })
	for i := range want {
		if Compare(&got[i], &want[i]) != 0 {
			t.Fatalf("at %d stands %+v, want %+v", i, got[i], want[i])
		}
		if i > 0 && Compare(&want[i-1], &want[i]) >= 0 {
			t.Errorf("%d and %d are not in order", i-1, i)
		}
	}
}
