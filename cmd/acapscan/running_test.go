package main

import (
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/acapscan/acapscan/output/table"
)

// TestRunningSteps runs the commands of docs/running.md that lead from one archive to a crawl, against servers on this
// machine. It uses HTTP for HTTPS, more requests a second, and an array of two tasks for one of a hundred. Spark has
// its own test.
func TestRunningSteps(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "running.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, steps, _ := strings.Cut(string(page), "\n## From one archive to a crawl\n")
	steps, _, found := strings.Cut(steps, "\n## ")
	if !found {
		t.Fatal("docs/running.md has no section From one archive to a crawl")
	}

	store, bucket := t.TempDir(), s3mem.New()
	if err := bucket.CreateBucket("commoncrawl"); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	list := away(t)
	for i, name := range list {
		text, err := os.ReadFile(filepath.Join(fixtures, "good", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(store, filepath.FromSlash(name)), string(text))
		put(t, filepath.Join(folder, filepath.FromSlash(name)), string(text))
		if i == 0 {
			put(t, filepath.Join(folder, "one.warc.gz"), string(text))
		}
		if _, err := bucket.PutObject("commoncrawl", name, nil, strings.NewReader(string(text)), int64(len(text)),
			nil); err != nil {
			t.Fatal(err)
		}
	}
	listing := string(member([]byte(strings.Join(list, "\n") + "\n")))
	put(t, filepath.Join(store, "crawl-data", "CC-MAIN-2024-51", "robotstxt.paths.gz"), listing)

	var mu sync.Mutex
	asked := map[string]int{}
	count := func(next http.Handler) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".gz") && !strings.HasSuffix(r.URL.Path, ".paths.gz") {
				mu.Lock()
				asked[r.Method+" "+path.Base(r.URL.Path)]++
				mu.Unlock()
			}
			next.ServeHTTP(w, r)
		}
	}
	web := listen(t, count(http.FileServer(http.Dir(store))))
	s3 := listen(t, count(gofakes3.New(bucket, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()))

	put(t, filepath.Join(folder, "robotstxt.paths.gz"), listing)
	t.Chdir(folder)

	ran := 0
	for line := range strings.Lines(steps) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "acapscan ")
		if !ok {
			continue
		}
		ran++
		clear(asked)
		inputs := 0
		tasks := []string{command}
		if strings.Contains(command, "$TASK/100") {
			tasks = []string{strings.Replace(command, "$TASK/100", "1/2", 1),
				strings.Replace(command, "$TASK/100", "0/2", 1)}
		}
		for _, task := range tasks {
			args := strings.Fields(strings.ReplaceAll(task, "https://data.commoncrawl.org/", web+"/"))
			if strings.Contains(command, "--base-url") {
				args, inputs = append(args, "--rate", "1000"), len(list)
			}
			if strings.Contains(command, "s3://") {
				args = append(args, "--s3-endpoint", s3, "--s3-anonymous")
			}
			must(t, exitDone, args...)
		}
		// docs/scale.md counts with one request an archive.
		for _, name := range list[:inputs] {
			if base := path.Base(name); asked["GET "+base] != 1 || asked["HEAD "+base] != 0 {
				t.Errorf("%s: asked for %s %d times by GET, %d times by HEAD, want once by GET", command, base,
					asked["GET "+base], asked["HEAD "+base])
			}
		}
	}
	if ran < 10 || !strings.Contains(steps, "\nspark-submit ") {
		t.Errorf("docs/running.md has %d commands of acapscan, want one for each step, and Spark's", ran)
	}
	// However the archives came, the rows are the same.
	if len(rows[table.Robots](t, "out/folder", table.RobotsTxt)) == 0 {
		t.Error("out/folder has no robots.txt")
	}
	want := rowsOf(t, "out/folder")
	for _, out := range []string{"out/ten", "out/robots", "out/shared"} {
		if diff := cmp.Diff(want, rowsOf(t, out)); diff != "" {
			t.Errorf("rows (-out/folder +%s):\n%.3000s", out, diff)
		}
	}
}
