package survey

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/cost"
	"github.com/acapscan/acapscan/analyze/hostiletest"
	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/longtest"
)

// factsOf makes facts of captures.
func factsOf(captures []hostiletest.Capture) (list []facts.Fact) {
	for _, c := range captures {
		day := int64(c.Day + 1)
		switch {
		case c.Location != "":
			list = append(list, redirect(c.URL, day, c.Location))
		case len(c.Metas) > 0:
			var metas []string
			for _, m := range c.Metas {
				metas = append(metas, m.Name, m.Content)
			}
			list = append(list, page(c.URL, day, metas...))
		default:
			list = append(list, robots(c.URL, day, c.Robots))
		}
	}
	return list
}

// Rows do not depend on the parsed bodies that hosts share.
func TestHostsThatShareBodies(t *testing.T) {
	size := 1
	if longtest.Enabled() {
		size = 3
	}
	for _, kind := range hostiletest.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			if kind.Name == "redirects" && !longtest.Enabled() {
				t.Skip("takes seconds")
			}
			list := answered(t, factsOf(kind.Make(size)))
			want := newRows()
			for from := 0; from < len(list); {
				to := from
				for to < len(list) && list[to].SiteHash == list[from].SiteHash {
					to++
				}
				surveyedInto(t, want, Options{Permissions: PermissionsAll}, list[from:to])
				from = to
			}
			got := surveyedInto(t, newRows(), Options{Permissions: PermissionsAll}, list)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-each host alone +together):\n%.3000s", diff)
			}
		})
	}
}

// A spending is the length of the files of sites, and the steps for them.
type spending struct {
	sites          int
	ordinary       int // sites that took no more than ordinary ones
	written, steps int64
	silent         int   // sites that used up their budget and do not say so
	allowed        int64 // cost.Multiple times the steps of ordinary sites
}

// spentOn surveys facts in order.
func spentOn(t testing.TB, opts Options, list []facts.Fact) (all spending, rows *Rows) {
	t.Helper()
	rows = newRows()
	pages := map[string]int64{}
	for i := range list {
		if f := &list[i]; f.Kind == facts.KindPage {
			pages[f.Site] += cost.Page(directiveBytes(f))
		}
	}
	out := outputTo(t, opts, rows)
	out.surveyed = func(s *site) {
		written := s.robots.File().Bytes()
		all.sites++
		all.written += int64(written)
		all.steps += s.work.all.Spent()
		if s.work.all.Spent() <= cost.File(written)+pages[s.name] {
			all.ordinary++
		}
		f := s.robots.File()
		if f != nil && f.HasACAPRule && s.stepsFor(forConflicts) <= 0 && !s.found.lacksConflicts &&
			!s.found.lacksPermissions && s.found.unknownExtents == 0 {
			all.silent++
		}
		all.allowed += cost.Multiple * (cost.File(written) + pages[s.name])
	}
	if err := out.bucket(scanOf(list), opts.Normal()); err != nil {
		t.Fatal(err)
	}
	return all, rows
}

// Hostile sites of any size take at most cost.Multiple times the steps of ordinary sites of their size.
func TestHostileSitesAreBounded(t *testing.T) {
	sizes := map[int]PermissionsChoice{1: PermissionsAll}
	if longtest.Enabled() {
		sizes = map[int]PermissionsChoice{1: PermissionsDefault, 3: PermissionsAll, 9: PermissionsDefault}
	}
	for _, kind := range hostiletest.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			for size, permissions := range sizes {
				spent, rows := spentOn(t, Options{Permissions: permissions}, answered(t, factsOf(kind.Make(size))))
				incomplete, unknown := 0, int64(0)
				for _, row := range rowsOf(rows.Adoption) {
					unknown += row.ExtentsUnknown
					if !row.PermissionsComplete || !row.ConflictsComplete {
						incomplete++
					}
				}
				t.Logf("size %d, permissions %s: %d sites, %d bytes, %d steps, %.1f times ordinary; %d extents "+
					"unknown, %d sites incomplete", size,
					permissions, spent.sites, spent.written, spent.steps,
					cost.Multiple*float64(spent.steps)/float64(spent.allowed), unknown, incomplete)
				if spent.steps > spent.allowed {
					t.Errorf("size %d: %d steps, %d are allowed", size, spent.steps, spent.allowed)
				}
			}
		})
	}
}

// Nor do random mixes of these kinds take more. A site that used up its budget says so in its row.
func TestMixedSitesAreBounded(t *testing.T) {
	length, mixes, first := time.Duration(0), 12, uint64(0)
	if s := os.Getenv("SOAK"); s != "" {
		var err error
		length, err = time.ParseDuration(s)
		check(t, err)
		first = uint64(time.Now().UnixNano())
	}
	if s := os.Getenv("SOAK_SEED"); s != "" {
		var err error
		first, err = strconv.ParseUint(s, 10, 64)
		check(t, err)
	}
	t.Logf("SOAK_SEED=%d", first)
	if !longtest.Enabled() {
		mixes = 2
	}
	done, sites, most := 0, 0, 0.0
	for end := time.Now().Add(length); done < mixes || time.Now().Before(end); done++ {
		seed := first + uint64(done)
		list := answered(t, factsOf(hostiletest.Mix(rand.New(rand.NewPCG(seed, 0)))))
		for _, permissions := range []PermissionsChoice{PermissionsDefault, PermissionsAll} {
			spent, _ := spentOn(t, Options{Permissions: permissions}, list)
			sites += spent.sites
			most = max(most, cost.Multiple*float64(spent.steps)/float64(spent.allowed))
			if spent.steps > spent.allowed {
				t.Errorf("mix %d, permissions %s: %d steps, %d are allowed", seed, permissions, spent.steps,
					spent.allowed)
			}
			if spent.silent > 0 {
				t.Errorf("mix %d, permissions %s: %d sites took all they may, and do not say so", seed, permissions,
					spent.silent)
			}
		}
	}
	t.Logf("%d mixes, %d sites, %.1f times ordinary ones at most", done, sites, most)
}

// ordinaryFiles are real robots.txt of 2017, drawn at random. They are not part of the project.
const ordinaryFiles = "../../../shared/data/robots-2017.warc.gz"

// About half of real files take at most the steps that package cost gives, with permissions for every site. Without
// long tests it reads one file of eight.
func TestOrdinaryCost(t *testing.T) {
	file, err := os.Open(ordinaryFiles)
	if err != nil {
		t.Skipf("real files are not there: %v", err)
	}
	defer file.Close()
	r, err := archive.NewReader(file, archive.Options{})
	check(t, err)
	oneOf := 8
	if longtest.Enabled() {
		oneOf = 1
	}
	var list []facts.Fact
	for n := 0; ; n++ {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		check(t, err)
		if n%oneOf != 0 {
			continue
		}
		block, err := io.ReadAll(io.LimitReader(rec.Block, 600<<10))
		check(t, err)
		_, body, ok := bytes.Cut(block, []byte("\r\n\r\n"))
		if u, isURL := weburl.Split(rec.URI); ok && isURL && u.IsRobots() &&
			bytes.HasPrefix(block, []byte("HTTP/1.1 200")) {
			list = append(list, robots(rec.URI, int64(len(list)), string(body[:min(len(body), 500<<10)])))
		}
	}
	spent, _ := spentOn(t, Options{Permissions: PermissionsAll}, inOrder(list))
	share := float64(spent.ordinary) / float64(spent.sites)
	t.Logf("%d sites, %d bytes, %d steps: %.2f of the sites take no more than package cost says", spent.sites,
		spent.written, spent.steps, share)
	if share < 0.45 || share > 0.75 {
		t.Errorf("%.2f of the sites take no more than package cost says", share)
	}
}
