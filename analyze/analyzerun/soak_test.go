package analyzerun

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/hostiletest"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/longtest"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// What TestSoakSites holds both stages to.
const (
	soakMixes   = 3         // in a usual run of the tests
	soakSeed    = 14        // of their sites
	soakMemory  = 64 << 20  // Options.Memory
	soakLimit   = 256 << 20 // bytes of memory: the limit of the runtime, and what may not be passed by much
	soakBuckets = 5         // several sites in each
)

// TestSoakSites reads archives of sites that mix all that keeps the second stage busy beyond its size, and surveys
// them: it ends, one worker and two make the same tables to the byte, though they share what bodies say that many
// hosts have, each site's row counts what is not exact in the other tables, and memory stays below a limit. It takes
// SOAK (a duration: 10m); without it some mixes of a fixed seed. SOAK_SEED repeats a run. That no site takes more
// steps than its text allows is in package survey: TestMixedSitesAreBounded.
func TestSoakSites(t *testing.T) {
	length, seed := time.Duration(0), uint64(soakSeed)
	var err error
	if s := os.Getenv("SOAK"); s != "" {
		length, err = time.ParseDuration(s)
		check(t, err)
		seed = uint64(time.Now().UnixNano())
	}
	if s := os.Getenv("SOAK_SEED"); s != "" {
		seed, err = strconv.ParseUint(s, 10, 64)
		check(t, err)
	}
	t.Logf("SOAK_SEED=%d", seed)
	mixes := soakMixes
	if !longtest.Enabled() {
		mixes = 1
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(soakLimit))
	peak := longtest.WatchMemory(t)
	done, sites, beyond := 0, int64(0), LimitCounts{}
	for end := time.Now().Add(length); done < mixes || time.Now().Before(end); done++ {
		of := seed + uint64(done)
		sum := soakMix(t, of, hostiletest.Mix(rand.New(rand.NewPCG(of, 0))), 2)
		sites += sum.Sites
		beyond.add(sum.Limits)
		if t.Failed() {
			t.Fatalf("repeat it with SOAK_SEED=%d", of)
		}
	}
	high := peak.Load()
	if high > soakLimit+soakLimit/8 {
		t.Errorf("memory went up to %d MiB, with a limit of %d", high>>20, soakLimit>>20)
	}
	t.Logf("%d mixes, %d sites, %+v beyond their budgets, %d MiB of memory at most", done, sites, beyond, high>>20)
}

// Workers share what the bodies say that many hosts have: small ones, so that two ask for one at a time.
func TestWorkersShareBodies(t *testing.T) {
	r := rand.New(rand.NewPCG(soakSeed, 0))
	bodies := hostiletest.Mix(r)
	var list []hostiletest.Capture
	for host := range 200 {
		c := hostiletest.Capture{URL: fmt.Sprintf("http://h%d.example/robots.txt", host), Day: host % 9}
		lines := strings.SplitAfterN(bodies[host%min(3, len(bodies))].Robots, "\n", 12)
		c.Robots = "ACAP-crawler: *\nACAP-disallow-index: /a\n" + strings.Join(lines[:len(lines)-1], "")
		list = append(list, c)
	}
	if sum := soakMix(t, 1, list, 4); sum.Sites != 200 || sum.Permissions == 0 {
		t.Errorf("%d sites, %d rows in permissions", sum.Sites, sum.Permissions)
	}
}

// soakMix runs both stages over captures, the second with one worker and with several.
func soakMix(t *testing.T, seed uint64, captures []hostiletest.Capture, several int) (sum *Summary) {
	t.Helper()
	folder, err := os.MkdirTemp(t.TempDir(), "")
	check(t, err)
	defer os.RemoveAll(folder)
	archive := filepath.Join(folder, "mix.warc.gz")
	check(t, os.WriteFile(archive, hostiletest.Archive(captures), 0o600))
	inputs, err := source.Expand(t.Context(), []string{archive}, nil)
	check(t, err)
	extracted, err := extractrun.Run(t.Context(), inputs, filepath.Join(folder, "facts"),
		extractrun.Options{Workers: 1})
	check(t, err)
	if extracted.Unreadable > 0 {
		t.Errorf("the archive of mix %d is damaged", seed)
	}
	set, err := facts.Open([]string{filepath.Join(folder, "facts")})
	check(t, err)
	opts := Options{Memory: soakMemory, Survey: survey.Options{Permissions: survey.PermissionsAll,
		Directives: survey.DirectivesAll}}
	if seed%2 == 0 {
		opts.Survey = survey.Options{}
	}
	var want map[string]string
	for _, workers := range []int{1, several} {
		dir, err := os.MkdirTemp(folder, "")
		check(t, err)
		out, err := dataset.Resume(storage.NewFolder(dir), job.Plan{Count: soakBuckets}, dataset.Options{})
		check(t, err)
		opts.Workers = workers
		sum, err = Run(context.Background(), set, filepath.Join(folder, "sorted"), out, opts)
		check(t, err)
		check(t, out.Commit(&manifest.Manifest{}))
		if got := tree(t, dir); want == nil {
			want = got
		} else if diff := cmp.Diff(keys(want), keys(got)); diff != "" {
			t.Errorf("mix %d (-one worker, +several):\n%s", seed, diff)
		} else {
			for file := range want {
				if want[file] != got[file] {
					t.Errorf("mix %d: several workers make another %s", seed, file)
				}
			}
		}
	}
	var told, found LimitCounts
	readRows(t, want, table.Adoptions, func(row table.Adoption) { told.AddSite(&row) })
	found = told
	found.Approximate, found.Extents = 0, 0
	readRows(t, want, table.Conflicts, func(row table.Conflict) {
		if row.Approximate {
			found.Approximate++
		}
	})
	readRows(t, want, table.Permissions, func(row table.Permission) {
		if row.Extent != nil && *row.Extent == "unknown" {
			found.Extents++
		}
	})
	if told != found || sum.Limits != told {
		t.Errorf("mix %d: the run tells %+v beyond its budgets, adoption %+v, the rows %+v", seed, sum.Limits, told,
			found)
	}
	return sum
}
