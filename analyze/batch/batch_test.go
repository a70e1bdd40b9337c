package batch

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
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// corpus makes facts of n hosts: a robots.txt with ACAP on every third, redirected to from http, beside so many octets that do not
// compress.
func corpus(n, ballast int) []facts.Fact {
	random := rand.New(rand.NewPCG(1, 1))
	list := []facts.Fact{
		{Kind: facts.KindInput, Crawl: "CC-1", Subset: "warc", Filename: "b.warc.gz", Error: "it ends early", InputBytes: 5, Counts: []facts.Count{{Name: facts.CountRecords, Value: 3}}},
		{Kind: facts.KindInput, Crawl: "CC-2", Subset: "warc", Filename: "a.warc.gz", InputBytes: 7, Counts: []facts.Count{{Name: facts.CountRecords, Value: 4}}},
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
			Kind: facts.KindRobots, Site: "https://www." + host, Crawl: "CC-1", Subset: "warc", URL: "https://www." + host + "/robots.txt", FetchTime: 1e12, FetchStatus: 200,
			ContentDigest: fmt.Sprintf("D%d", i), Filename: "a.warc.gz", RecordOffset: int64(i), RecordLength: 5, RecordType: "response", Body: []byte(body), BodyBytes: int64(len(body)),
		}
		asked := target
		asked.Site, asked.URL, asked.FetchStatus, asked.FetchRedirect, asked.Body, asked.Filename = "http://"+host, "http://"+host+"/robots.txt", 301, target.URL, nil, "b.warc.gz"
		list = append(list, target, asked)
	}
	for i := range list {
		list[i].SiteHash = facts.HashSite(list[i].Site)
	}
	return list
}

// store writes facts into so many files, in turns.
func store(t testing.TB, list []facts.Fact, files int) *facts.Store {
	t.Helper()
	dir := t.TempDir()
	for i := range files {
		w := facts.Create(filepath.Join(dir, fmt.Sprintf("%06d", i)), facts.WriterOptions{})
		for j := i; j < len(list); j += files {
			check(t, w.Write(&list[j]))
		}
		check(t, w.Close())
	}
	s, err := facts.OpenStore([]string{dir})
	check(t, err)
	return s
}

// run surveys a store into a folder and returns the tables' files with their contents.
func run(t testing.TB, s *facts.Store, workers int) (map[string]string, *Summary) {
	t.Helper()
	dir := t.TempDir()
	out, err := dataset.Create(dir, dataset.Options{})
	check(t, err)
	var p Progress
	sum, err := Run(context.Background(), s, filepath.Join(t.TempDir(), "answers"), out, Options{Workers: workers, Progress: &p})
	check(t, err)
	if p.Total.Load() == 0 || p.Buckets.Load() != p.Total.Load() || p.Sites.Load() != sum.Sites || p.Began.Load() == 0 {
		t.Errorf("%d of %d buckets and %d of %d sites are progress", p.Buckets.Load(), p.Total.Load(), p.Sites.Load(), sum.Sites)
	}
	check(t, out.Commit(&manifest.Manifest{}))
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
	return files, sum
}

func TestSummary(t *testing.T) {
	_, got := run(t, store(t, corpus(6, 0), 1), 2)
	want := &Summary{
		Inputs: 2, InputErrors: 1, Records: 7, Sites: 12, RobotsCaptures: 12, Statements: 8, ACAPStatements: 4, Permissions: 4 * 16, ConflictRows: 8,
		Adoption:  map[table.AdoptionClass]int64{table.AdoptionNone: 8, table.AdoptionCrawlDiffers: 4},
		Conflicts: map[table.ConflictKind]int64{table.ConflictACAPREPDrift: 8},
		InputList: []manifest.Input{{Name: "a.warc.gz", Bytes: table.Of(int64(7))}, {Name: "b.warc.gz", Bytes: table.Of(int64(5)), Error: "it ends early"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The tables are the same, byte for byte, for any number of workers.
func TestAnyWorkers(t *testing.T) {
	s := store(t, corpus(100, 200<<10), 3)
	if n, err := countBuckets(s); n < 2 || err != nil {
		t.Fatalf("%d buckets are too few to tell, %v", n, err)
	}
	one, _ := run(t, s, 1)
	many, _ := run(t, s, 7)
	if diff := cmp.Diff(keys(one), keys(many)); diff != "" {
		t.Fatalf("(-one worker +seven):\n%s", diff)
	}
	for name := range one {
		if one[name] != many[name] {
			t.Errorf("%s differs", name)
		}
	}
}

// In so few facts as one bucket holds, their files do not show either.
func TestAnyFiles(t *testing.T) {
	list := corpus(30, 0)
	one, _ := run(t, store(t, list, 1), 1)
	slices.Reverse(list)
	many, _ := run(t, store(t, list, 5), 2)
	if diff := cmp.Diff(one, many); diff != "" {
		t.Errorf("facts in one file and in five give other tables, of %v", keys(one))
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
	out, err := dataset.Create(t.TempDir(), dataset.Options{})
	check(t, err)
	if _, err := Run(ctx, store(t, corpus(3, 0), 1), filepath.Join(t.TempDir(), "answers"), out, Options{}); !errors.Is(err, why) {
		t.Errorf("error is %v", err)
	}
}

// A facts file that is damaged after the run began ends it with an error that names the file.
func TestDamagedFacts(t *testing.T) {
	s := store(t, corpus(50, 0), 1)
	file := s.Files()[0]
	content, err := os.ReadFile(file)
	check(t, err)
	content[len(content)/3] ^= 0x55
	check(t, os.WriteFile(file, content, 0o644))
	out, err := dataset.Create(t.TempDir(), dataset.Options{})
	check(t, err)
	_, err = Run(context.Background(), s, filepath.Join(t.TempDir(), "answers"), out, Options{Survey: survey.Options{}})
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error is %v", err)
	}
}
