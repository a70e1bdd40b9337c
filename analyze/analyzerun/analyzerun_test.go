package analyzerun

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/extsort"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/parquet"
	"github.com/acapscan/acapscan/output/table"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// corpus makes facts of n hosts: a robots.txt with ACAP on every third, redirected to from http, beside so many
// bytes that do not compress.
func corpus(n, ballast int) []facts.Fact {
	random := rand.New(rand.NewPCG(1, 1))
	list := []facts.Fact{
		{Kind: facts.KindInput, Crawl: "CC-1", Subset: "warc", Filename: "b.warc.gz", Error: "it ends early",
			InputBytes: 5, Counts: []facts.Count{{Name: facts.CountRecords, Value: 3}}},
		{Kind: facts.KindInput, Crawl: "CC-2", Subset: "warc", Filename: "a.warc.gz", InputBytes: 7,
			Counts: []facts.Count{{Name: facts.CountRecords, Value: 4}}},
	}
	for i := range n {
		body := "User-agent: *\nDisallow: /p/\n"
		if i%3 == 0 {
			body += "ACAP-crawler: *\nACAP-disallow-crawl: /q/\n"
		}
		noise := make([]byte, ballast)
		for j := range noise {
			noise[j] = 'a' + byte(random.IntN(26))
		}
		body += "# " + string(noise) + "\n"
		host := fmt.Sprintf("host%d.example", i)
		target := facts.Fact{
			Kind: facts.KindRobots, Site: "https://www." + host, Crawl: "CC-1", Subset: "warc", URL: "https://www." +
				host + "/robots.txt", FetchTime: 1e12, FetchStatus: 200,
			ContentDigest: fmt.Sprintf("D%d",
				i), Filename: "a.warc.gz", RecordOffset: int64(i), RecordLength: 5, RecordType: "response",
			Body: []byte(body), BodyBytes: int64(len(body)),
		}
		asked := target
		asked.Site, asked.URL, asked.FetchStatus, asked.FetchRedirect, asked.Body, asked.Filename = "http://"+host,
			"http://"+host+"/robots.txt", 301, target.URL, nil, "b.warc.gz"
		list = append(list, target, asked)
	}
	for i := range list {
		list[i].SiteHash = facts.HashSite(list[i].Site)
	}
	return list
}

// store writes facts into so many files, in turns.
func store(t testing.TB, list []facts.Fact, files int) *facts.Set {
	t.Helper()
	dir := t.TempDir()
	for i := range files {
		w := facts.Create(filepath.Join(dir, fmt.Sprintf("%06d", i)), facts.WriterOptions{})
		for j := i; j < len(list); j += files {
			check(t, w.Write(&list[j]))
		}
		check(t, w.Close())
	}
	s, err := facts.Open([]string{dir})
	check(t, err)
	return s
}

// run surveys a store into a folder and returns the tables' files with their contents.
func run(t testing.TB, s *facts.Set, workers int) (map[string]string, *Summary) {
	t.Helper()
	return runIn(t, s, Options{Workers: workers})
}

func runIn(t testing.TB, s *facts.Set, opts Options) (map[string]string, *Summary) {
	t.Helper()
	dir := t.TempDir()
	out, err := dataset.Create(storage.NewFolder(dir), dataset.Options{})
	check(t, err)
	var p Progress
	opts.Progress = &p
	sum, err := Run(context.Background(), s, filepath.Join(t.TempDir(), "sorted"), out, opts)
	check(t, err)
	if p.Sites.Load() != sum.Sites || p.Began.Load() == 0 || p.Done.Load() != p.Size.Load() {
		t.Errorf("%d of %d bytes and %d of %d sites are progress", p.Done.Load(), p.Size.Load(), p.Sites.Load(),
			sum.Sites)
	}
	check(t, out.Commit(&manifest.Manifest{}))
	return tree(t, dir), sum
}

func TestSummary(t *testing.T) {
	_, got := run(t, store(t, corpus(6, 0), 1), 2)
	want := &Summary{
		Inputs: 2, InputErrors: 1, Records: 7, Sites: 12, RobotsCaptures: 12, Statements: 8, ACAPStatements: 4,
		Permissions: 4 * 16, ConflictRows: 8,
		Adoption:  map[table.AdoptionClass]int64{"none": 8, "crawl-differs": 4},
		Conflicts: map[table.ConflictKind]int64{"acap-rep-drift": 8},
		InputList: []manifest.Input{{Name: "a.warc.gz", Bytes: table.Of(int64(7))},
			{Name: "b.warc.gz", Bytes: table.Of(int64(5)), Error: "it ends early"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCountBuckets(t *testing.T) {
	for rows, want := range map[int64]int{
		0: 1, 1 << 12: 1, 1<<12 + 1: 2, 1 << 14: 2, 1<<14 + 1: 4, 1 << 16: 4, 1<<16 + 1: 8, 1 << 17: 8, 1<<17 + 1: 16,
		1 << 20: 16, 1<<20 + 1: 17, 1 << 40: maxBuckets,
	} {
		if got := CountBuckets(rows); got != want {
			t.Errorf("%d facts have %d buckets, want %d", rows, got, want)
		}
	}
}

// The tables are the same, byte for byte, for any number of workers, however the facts lie in files, and in whatever
// memory they are sorted: little is many runs, and questions to other hosts in ranges.
func TestNothingButFactsShows(t *testing.T) {
	list := corpus(2500, 0)
	if n := CountBuckets(int64(len(list))); n < 2 {
		t.Fatalf("%d buckets are too few to tell", n)
	}
	want, _ := run(t, store(t, list, 1), 1)
	slices.Reverse(list)
	for name, opts := range map[string]Options{"seven workers": {Workers: 7},
		"little memory": {Workers: 2, Memory: 1}} {
		got, _ := runIn(t, store(t, list, 5), opts)
		if diff := cmp.Diff(keys(want), keys(got)); diff != "" {
			t.Fatalf("%s (-one worker, one file, +%s):\n%s", name, name, diff)
		}
		for file := range want {
			if want[file] != got[file] {
				t.Errorf("%s: %s differs", name, file)
			}
		}
	}
}

// tangle makes captures that lead from host to host, in two crawls: redirects in chains and loops, references,
// digests that others have, one file that many lead to, and pages.
func tangle(seed uint64, hosts int) []facts.Fact {
	random := rand.New(rand.NewPCG(seed, 1))
	site := func() string {
		return fmt.Sprintf("%s://h%d.example", []string{"http", "https"}[random.IntN(2)],
			random.IntN(hosts)*min(random.IntN(4), 1))
	}
	path := func() string {
		return []string{"/robots.txt", "/robots.txt", "/robots.txt", "/more.txt"}[random.IntN(4)]
	}
	list := []facts.Fact{{Kind: facts.KindInput, Crawl: "CC-1", Subset: "warc", Filename: "a.warc.gz", InputBytes: 7}}
	for i := range 6 * hosts {
		f := facts.Fact{
			Kind: facts.KindRobots, Site: site(), Crawl: []string{"CC-1", "CC-1",
				"CC-2"}[random.IntN(3)], Subset: "warc", FetchTime: 1e12 + int64(random.IntN(20))*1e6,
			FetchStatus: 200, Filename: "a.warc.gz", RecordOffset: int64(i), RecordLength: 5, RecordType: "response",
		}
		at, which := path(), random.IntN(20)
		if f.URL = f.Site + at; at != "/robots.txt" {
			f.Kind = facts.KindPolicy
		}
		body := fmt.Sprintf("User-agent: *\nDisallow: /%d\nACAP-crawler: *\n", which)
		if which%3 == 0 {
			body += fmt.Sprintf("ACAP-permissions-reference: http://h%d.example%s\n", which, path())
		} else {
			body += "ACAP-disallow-index: /p\n"
		}
		switch random.IntN(8) {
		case 0, 1, 2:
			f.FetchStatus, f.FetchRedirect = 301, site()+path()
		case 3:
			f.RecordType, f.FetchStatus, f.ContentDigest = "revisit", 0, fmt.Sprint("D", which)
		case 4:
			f.FetchStatus = []int32{404, 503, 429}[random.IntN(3)]
		case 5:
			f.Kind, f.URL = facts.KindPage, f.Site+"/p"
			f.Directives = []facts.Directive{{Carrier: facts.CarrierMeta, Name: "robots", Value: "ACAP allow-index",
				Raw: "<meta>"}}
		default:
			f.ContentDigest, f.Body, f.BodyBytes = fmt.Sprint("D", which), []byte(body), int64(len(body))
		}
		f.SiteHash = facts.HashSite(f.Site)
		list = append(list, f)
	}
	return list
}

// Whatever leads from host to host, neither workers nor memory nor the order of facts shows in the tables, nor
// whether the pass between the stages is a step of its own, before buckets that processes work on apart.
func TestTangledHosts(t *testing.T) {
	const buckets = 5
	list := tangle(4, 40)
	tables := func(s *facts.Set, opts Options) map[string]string {
		dir := t.TempDir()
		out, err := dataset.Resume(storage.NewFolder(dir), job.Plan{Count: buckets}, dataset.Options{})
		check(t, err)
		_, err = Run(t.Context(), s, filepath.Join(t.TempDir(), "sorted"), out, opts)
		check(t, err)
		check(t, out.Commit(&manifest.Manifest{}))
		return tree(t, dir)
	}
	options := survey.Options{Permissions: survey.PermissionsAll, Directives: survey.DirectivesAll}
	want := tables(store(t, list, 1), Options{Workers: 1, Survey: options})

	random := rand.New(rand.NewPCG(4, 2))
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	s := store(t, list, 5)
	if diff := cmp.Diff(want, tables(s, Options{Workers: 5, Memory: 1, Survey: options})); diff != "" {
		t.Errorf("tables differ (-one worker, +five, little memory, facts shuffled):\n%.2000s", diff)
	}
	answers := 0
	check(t, Resolve(t.Context(), s, filepath.Join(t.TempDir(), "sorted"),
		Options{Workers: 3, Memory: 1, Survey: options}, func(f *facts.Fact) error {
			list = append(list, *f)
			answers++
			return nil
		}))
	apart, dir := store(t, list, 3), t.TempDir()
	for i := range buckets {
		out, _, err := dataset.Join(storage.NewFolder(dir), job.Plan{Count: buckets}, i, dataset.Options{})
		check(t, err)
		_, err = RunBucket(t.Context(), apart, i, filepath.Join(t.TempDir(), "sorted"), out, Options{Survey: options})
		check(t, err)
		check(t, out.Abort())
	}
	out, err := dataset.OpenShared(storage.NewFolder(dir), dataset.Options{})
	check(t, err)
	check(t, out.Commit(&manifest.Manifest{}))
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" || answers < 25 {
		t.Errorf("%d answers: tables differ (-whole +apart):\n%.2000s", answers, diff)
	}
}

// What a crawl has of a site may be in any archive, in any order, and twice (R-SITE-1, R-SITE-2): the redirect before
// what it leads to, the page before the robots.txt in force for it.
func TestAnyArchive(t *testing.T) {
	const day = 86_400_000
	capture := func(kind facts.Kind, url string, at int64) facts.Fact {
		u, _ := weburl.Split(url)
		return facts.Fact{
			Kind: kind, Site: u.Site(), SiteHash: facts.HashSite(u.Site()), Crawl: "CC-1", Subset: "warc", URL: url,
			FetchTime: at * day, FetchStatus: 200,
			Filename: "a.warc.gz", RecordOffset: at, RecordLength: 5, RecordType: "response",
		}
	}
	robots := func(at int64, body string) facts.Fact {
		f := capture(facts.KindRobots, "https://www.a.example/robots.txt", at)
		f.Body, f.BodyBytes, f.ContentDigest = []byte(body), int64(len(body)), "DIGEST"+body
		return f
	}
	asked := capture(facts.KindRobots, "http://a.example/robots.txt", 3)
	asked.FetchStatus, asked.FetchRedirect = 301, "https://www.a.example/robots.txt"
	early := robots(2, "ACAP-crawler: *\nACAP-disallow-index: /\n")
	twice := early
	twice.Filename = "b.warc.gz"
	late := robots(9, "ACAP-crawler: *\nACAP-allow-index: /\n")
	page := capture(facts.KindPage, "http://a.example/p", 5)
	page.Directives = []facts.Directive{{Carrier: facts.CarrierMeta, Name: "robots", Value: "ACAP allow-follow",
		Raw: "<meta>"}}
	list := []facts.Fact{asked, early, late, page}

	var want map[string]string
	permute(list, 0, func(order []facts.Fact) {
		got, sum := run(t, store(t, append(order[:len(order):len(order)], twice), len(order)+1), 1)
		if want == nil {
			want, _ = run(t, store(t, append(list[:len(list):len(list)], twice), 1), 1)
			var index []string
			readRows(t, got, table.Permissions, func(p table.Permission) {
				if p.Scope == "page" && p.Agent == "*" && p.Usage == "index" {
					index = append(index, string(p.Decision)+" "+string(p.Basis))
				}
			})
			if !slices.Equal(index, []string{"disallowed acap-robots"}) || sum.Sites != 2 || sum.Pages != 1 {
				t.Errorf("index is %v, of %d sites and %d pages", index, sum.Sites, sum.Pages)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("tables differ from those of one file, of %v", order)
		}
	})
}

// permute calls visit for each order of the facts from i on.
func permute(list []facts.Fact, i int, visit func([]facts.Fact)) {
	if i == len(list)-1 {
		visit(list)
		return
	}
	for j := i; j < len(list); j++ {
		order := slices.Clone(list)
		order[i], order[j] = order[j], order[i]
		permute(order, i+1, visit)
	}
}

// readRows calls visit for every row of a table.
func readRows[T any](t testing.TB, files map[string]string, name table.Name, visit func(T)) {
	t.Helper()
	for file, content := range files {
		if !strings.HasPrefix(file, string(name)+"/") {
			continue
		}
		copied := filepath.Join(t.TempDir(), "table.parquet")
		check(t, os.WriteFile(copied, []byte(content), 0o600))
		r, err := parquet.Open[T](copied)
		check(t, err)
		defer r.Close()
		rows := make([]T, r.NumRows())
		n, err := r.Read(rows)
		check(t, err)
		for _, row := range rows[:n] {
			visit(row)
		}
	}
}

func keys(files map[string]string) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// tree lists the part files of a folder with their contents.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	check(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".parquet" {
			return err
		}
		content, err := os.ReadFile(name)
		relative, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(relative)] = string(content)
		return err
	}))
	return files
}

// What an interrupted run finished is kept, and nothing else is worked on when the run goes on; the tables are the
// same.
func TestFinishedBucketsAreNotWorkedOnAgain(t *testing.T) {
	s := store(t, corpus(500, 0), 3)
	const n = 5
	undisturbed, dir := t.TempDir(), t.TempDir()
	out, err := dataset.Resume(storage.NewFolder(undisturbed), job.Plan{Count: n}, dataset.Options{})
	check(t, err)
	wantSum, err := Run(context.Background(), s, filepath.Join(t.TempDir(), "sorted"), out, Options{})
	check(t, err)
	check(t, out.Commit(&manifest.Manifest{}))
	for i, left := range []int{n, 1, 0} {
		out, err := dataset.Resume(storage.NewFolder(dir), job.Plan{Count: n}, dataset.Options{})
		check(t, err)
		if got := len(out.Missing()); got != left {
			t.Errorf("run %d lacks %d of %d buckets, want %d", i, got, n, left)
		}
		p := Progress{}
		sorted := filepath.Join(t.TempDir(), "sorted")
		check(t, os.Mkdir(sorted, 0o755)) // as one leaves it that was killed
		check(t, os.WriteFile(filepath.Join(sorted, "000001.run"), nil, 0o644))
		sum, err := Run(context.Background(), s, sorted, out, Options{Workers: 2, Progress: &p})
		check(t, err)
		if _, err := os.Stat(sorted); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("run %d leaves sorted facts: %v", i, err)
		}
		sites := p.Sites.Load()
		if all := wantSum.Sites; left == n && sites != all || left == 1 && (sites == 0 || sites == all) ||
			left == 0 && sites != 0 {
			t.Errorf("run %d surveys %d of %d sites; %d of %d buckets were missing", i, sites, all, left, n)
		}
		if diff := cmp.Diff(wantSum, sum); diff != "" {
			t.Errorf("run %d tells (-want +got):\n%s", i, diff)
		}
		switch i {
		case 0: // killed before the end
			check(t, out.Abort())
			check(t, os.Remove(filepath.Join(dir, dataset.WorkFolder, "000001.done")))
		case 1:
			check(t, out.Abort())
		case 2:
			check(t, out.Commit(&manifest.Manifest{}))
		}
	}
	if diff := cmp.Diff(tree(t, undisturbed), tree(t, dir)); diff != "" {
		t.Errorf("tables of an undisturbed run and of this one differ:\n%.2000s", diff)
	}
}

// Buckets that processes work on apart, given the answers that Resolve gives, are those of one run.
func TestBucketsApart(t *testing.T) {
	list := corpus(300, 0)
	s := store(t, list, 3)
	answers := slices.Clone(list)
	check(t, Resolve(context.Background(), s, filepath.Join(t.TempDir(), "sorted"), Options{},
		func(f *facts.Fact) error {
			answers = append(answers, *f)
			return nil
		}))
	if len(answers) == len(list) {
		t.Fatal("there are no answers: the facts show nothing")
	}
	apart := store(t, answers, 2)
	const n = 5
	whole, dir := t.TempDir(), t.TempDir()
	out, err := dataset.Resume(storage.NewFolder(whole), job.Plan{Count: n}, dataset.Options{})
	check(t, err)
	want, err := Run(context.Background(), s, filepath.Join(t.TempDir(), "sorted"), out, Options{})
	check(t, err)
	check(t, out.Commit(&manifest.Manifest{}))
	for _, i := range []int{3, 1, 4, 0, 2, 1} {
		out, finished, err := dataset.Join(storage.NewFolder(dir), job.Plan{Count: n}, i, dataset.Options{})
		check(t, err)
		if finished {
			t.Logf("bucket %d is finished", i)
		} else {
			_, err = RunBucket(context.Background(), apart, i, filepath.Join(t.TempDir(), "sorted"), out, Options{})
			check(t, err)
		}
		check(t, out.Abort())
	}
	shared, err := dataset.OpenShared(storage.NewFolder(dir), dataset.Options{})
	check(t, err)
	got, err := SumUp(shared)
	check(t, err)
	check(t, shared.Commit(&manifest.Manifest{}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("summaries (-whole +apart):\n%s", diff)
	}
	if diff := cmp.Diff(tree(t, whole), tree(t, dir)); diff != "" {
		t.Errorf("tables of the whole and of the buckets differ:\n%.2000s", diff)
	}
}

// A bucket leaves the same mark in every run, whatever crawls its inputs are of: tasks that make one bucket at the
// same time compare their marks.
func TestMarksAreEqual(t *testing.T) {
	var list []facts.Fact
	for i := range 12 {
		list = append(list, facts.Fact{
			Kind: facts.KindInput, Crawl: fmt.Sprintf("CC-%d", i), Subset: "warc", Filename: fmt.Sprintf("%d.warc.gz",
				i/2), InputBytes: int64(i),
			Error: fmt.Sprint(i % 3),
		})
	}
	s := store(t, list, 1)
	var want string
	for range 12 {
		dir := t.TempDir()
		out, _, err := dataset.Join(storage.NewFolder(dir), job.Plan{Count: 1}, 0, dataset.Options{})
		check(t, err)
		_, err = RunBucket(t.Context(), s, 0, filepath.Join(t.TempDir(), "sorted"), out, Options{})
		check(t, err)
		got, err := os.ReadFile(filepath.Join(dir, dataset.WorkFolder, "000000.done"))
		check(t, err)
		if want == "" {
			want = string(got)
		}
		if want != string(got) {
			t.Fatalf("marks of two runs:\n%s\n%s", want, got)
		}
	}
}

// The bucket of a host that has much is begun before those that have less.
func TestLargestFirst(t *testing.T) {
	const n = 6
	list := append(corpus(60, 10), corpus(1, 100_000)...)
	sorted, err := store(t, list, 2).Sort(context.Background(), filepath.Join(t.TempDir(), "sorted"), n, 1, 0)
	check(t, err)
	defer sorted.Close()
	order := []int{0, 1, 2, 3, 4, 5}
	largestFirst(order, sorted)
	if want := extsort.BucketOf(facts.HashSite("https://www.host0.example"), n); order[0] != want {
		t.Errorf("%v, but %d is the largest", order, want)
	}
	slices.Sort(order)
	if !slices.Equal(order, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("the buckets are %v", order)
	}
}

func TestEmpty(t *testing.T) {
	files, sum := run(t, store(t, nil, 1), 0)
	if len(files) != len(table.All()) || sum.Sites != 0 {
		t.Errorf("%d sites, files %v", sum.Sites, keys(files))
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	cancel(why)
	out, err := dataset.Create(storage.NewFolder(t.TempDir()), dataset.Options{})
	check(t, err)
	if _, err := Run(ctx, store(t, corpus(3, 0), 1), filepath.Join(t.TempDir(), "answers"), out,
		Options{}); !errors.Is(err, why) {
		t.Errorf("error is %v", err)
	}
}

// A facts file that is damaged after the run began ends it with an error that names the file.
func TestDamagedFacts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "000000-000"+facts.Extension)
	w := facts.Create(strings.TrimSuffix(file, "-000"+facts.Extension), facts.WriterOptions{})
	for _, f := range corpus(50, 0) {
		check(t, w.Write(&f))
	}
	check(t, w.Close())
	s, err := facts.Open([]string{file})
	check(t, err)
	content, err := os.ReadFile(file)
	check(t, err)
	content[len(content)/3] ^= 0x55
	check(t, os.WriteFile(file, content, 0o644))
	out, err := dataset.Create(storage.NewFolder(t.TempDir()), dataset.Options{})
	check(t, err)
	_, err = Run(context.Background(), s, filepath.Join(t.TempDir(), "answers"), out, Options{Survey: survey.Options{}})
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error is %v", err)
	}
}
