package table

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/acapscan/acapscan/output/columns"
	"github.com/google/go-cmp/cmp"
)

// pick returns null or one of few values, so that rows often agree in a column.
func pick[T any](r *rand.Rand, list ...T) *T {
	if i := r.IntN(len(list) + 1); i < len(list) {
		return &list[i]
	}
	return nil
}

func randomKey(r *rand.Rand) Key {
	return Key{
		URLSurtkey:   pick(r, "com,example)/", "com,example)/a"),
		FetchTime:    pick(r, time.UnixMilli(1).UTC(), time.UnixMilli(2).UTC()),
		WARCFilename: pick(r, "a.warc.gz", "b.warc.gz"),
		RecordOffset: pick(r, int64(0), 7),
		URL:          pick(r, "http://example.com/", "http://www.example.com/"),
	}
}

func randomSiteKey(r *rand.Rand) Key {
	key := randomKey(r)
	key.SURTHostName = *one(r, "com,example", "com,example,www")
	return key
}

func one[T any](r *rand.Rand, list ...T) *T { return &list[r.IntN(len(list))] }

func TestCompareIsATotalOrder(t *testing.T) {
	t.Run("inputs", func(t *testing.T) {
		totalOrder(t, func(r *rand.Rand) Input { return Input{WARCFilename: *one(r, "a", "b", "c")} })
	})
	t.Run("robots", func(t *testing.T) {
		totalOrder(t, func(r *rand.Rand) Robots { return Robots{Key: randomKey(r)} })
	})
	t.Run("pages", func(t *testing.T) {
		totalOrder(t, func(r *rand.Rand) Page { return Page{Key: randomKey(r)} })
	})
	t.Run("directives", func(t *testing.T) {
		totalOrder(t, func(r *rand.Rand) Directive {
			return Directive{Key: randomKey(r), Source: *one[Source](r, "meta", "robots.txt"),
				Line: pick(r, int32(1), 2), ByteOffset: pick(r, int64(0), 1), Part: *one(r, int32(1), 2),
				StatementID: *one(r, "x", "y")}
		})
	})
	t.Run("adoption", func(t *testing.T) {
		totalOrder(t, func(r *rand.Rand) Adoption {
			return Adoption{Site: *one(r, "http://a", "https://a"), Host: Host{SURTHostName: *one(r, "a", "b")}}
		})
	})
	t.Run("agents", func(t *testing.T) {
		totalOrder(t, func(r *rand.Rand) Agent {
			return Agent{Site: *one(r, "http://a", "https://a"), Host: Host{SURTHostName: *one(r, "a", "b")},
				Agent: *one(r, "*", "bot")}
		})
	})
	t.Run("permissions", func(t *testing.T) {
		totalOrder(t, func(r *rand.Rand) Permission {
			return Permission{Scope: *one[Scope](r, "page", "site"), Site: *one(r, "http://a", "https://a"),
				Key: randomSiteKey(r), Agent: *one(r, "*", "bot"), Purpose: pick(r, "news"),
				Usage: *one[Usage](r, "crawl", "index")}
		})
	})
	t.Run("conflicts", func(t *testing.T) {
		totalOrder(t, func(r *rand.Rand) Conflict {
			return Conflict{Site: *one(r, "http://a", "https://a"), Key: randomSiteKey(r),
				Kind: *one[ConflictKind](r, "acap-tie", "named-any"), Agent: *one(r, "*", "bot"),
				Purpose: pick(r, "news"), Usage: *one[Usage](r, "crawl", "index"), FirstID: pick(r, "x"),
				SecondID: pick(r, "x", "y"), Rule: *one(r, "R-DEC-2", "R-DEC-4"), ExampleURL: pick(r, "u")}
		})
	})
}

// totalOrder checks the laws on random rows that differ in nothing but what the order looks at: rows compare equal only
// where they are, and the order does not contradict itself.
//
// The order by columns is the same.
func totalOrder[T any, R Row[T]](t *testing.T, random func(*rand.Rand) T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]T, 60)
	for i := range rows {
		rows[i] = random(r)
	}
	held, err := columns.New[T]()
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		held.Append(&rows[i])
	}
	all := All()
	d := all[slices.IndexFunc(all, func(d Definition) bool { return d.row == reflect.TypeFor[T]() })]
	order, err := held.OrderBy(d.Order())
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		for j := range rows {
			got, want := order.Compare(uint32(i), uint32(j)), R(&rows[i]).Compare(&rows[j])
			if sign(got) != sign(want) {
				t.Fatalf("compared by columns: %d, by rows: %d\n%+v\n%+v", got, want, rows[i], rows[j])
			}
			a, b := R(&rows[i]), R(&rows[j])
			if sign(a.Compare(&rows[j])) != -sign(b.Compare(&rows[i])) {
				t.Fatalf("both before, or both after:\n%+v\n%+v", rows[i], rows[j])
			}
			if equal := cmp.Equal(rows[i], rows[j]); equal != (a.Compare(&rows[j]) == 0) {
				t.Fatalf("equal: %v, but compared otherwise (-a +b):\n%s", equal, cmp.Diff(rows[i], rows[j]))
			}
			for k := range rows {
				if a.Compare(&rows[j]) <= 0 && b.Compare(&rows[k]) <= 0 && a.Compare(&rows[k]) > 0 {
					t.Fatalf("a circle of\n%+v\n%+v\n%+v", rows[i], rows[j], rows[k])
				}
			}
		}
	}
	Sort[T, R](rows)
	want := append([]T(nil), rows...)
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	Sort[T, R](rows)
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("the order depends on the order of arrival:\n%s", diff)
	}
}

// Runs of groups that overlap, nest or touch are sorted as single rows are.
func TestRunsAreSorted(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		rows := make([]Permission, r.IntN(40))
		group, at := 0, 0
		for i := range rows {
			if at++; r.IntN(4) == 0 {
				group, at = r.IntN(5), r.IntN(30)
			}
			rows[i] = Permission{
				Site: fmt.Sprint(group), Agent: fmt.Sprintf("%02d", at), Usage: Usage(fmt.Sprint(i)),
				Key: Key{Host: Host{SURTHostName: fmt.Sprint(group / 2)}},
			}
		}
		want := slices.Clone(rows)
		slices.SortFunc(want, func(a, b Permission) int { return a.Compare(&b) })
		if Sort(rows); !cmp.Equal(want, rows) {
			t.Fatalf("seed %d (-want +got):\n%s", seed, cmp.Diff(want, rows))
		}
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func TestPermissionsOfASiteComeBeforeThoseOfItsPages(t *testing.T) {
	host := Host{SURTHostName: "com,example"}
	rows := []Permission{
		{Scope: "page", Site: "http://example.com", Key: Key{Host: host, URLSurtkey: Of("com,example)/")}},
		{Scope: "site", Site: "http://example.com", Key: Key{Host: host}},
		{Scope: "site", Site: "http://example.co", Key: Key{Host: Host{SURTHostName: "co,example"}}},
	}
	Sort(rows)
	got := []string{rows[0].Site, string(rows[1].Scope), string(rows[2].Scope)}
	if diff := cmp.Diff([]string{"http://example.co", "site", "page"}, got); diff != "" {
		t.Error(diff)
	}
}
