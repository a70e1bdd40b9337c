package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/arrow"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// The verbs that only cmd/acapscan-spark calls.

func TestListNamesWhatScanReads(t *testing.T) {
	folder := t.TempDir()
	names := []string{"a.warc", "b.warc.gz", "c \"quoted\" & <odd>.warc", "d\nline.warc"}
	for _, name := range append(names, "no-archive.txt") {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, in := range listed(t, folder, filepath.Join(folder, "a.warc")) {
		if in.Listed {
			t.Errorf("%s is an argument", in.Name)
		}
		got = append(got, strings.TrimPrefix(in.Name, folder+string(filepath.Separator)))
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	must(t, exitFailed, "list", filepath.Join(folder, "nothing"))
	must(t, exitUsage, "list")
}

func listed(t *testing.T, args ...string) []listedInput {
	t.Helper()
	var list []listedInput
	for line := range strings.Lines(must(t, exitDone, append([]string{"list"}, args...)...).stdout) {
		var in listedInput
		if err := json.Unmarshal([]byte(line), &in); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		list = append(list, in)
	}
	return list
}

// What is listed keeps its base; what a folder holds and cannot be read is an input all the same, so it is listed, too.
func TestListTellsWhereInputsAre(t *testing.T) {
	folder := t.TempDir()
	archive := write(t, "a.warc", response("http://a.example/robots.txt", "text/plain", "User-agent: *\nDisallow: /\n"))
	base := filepath.Dir(archive)
	if err := os.Symlink(filepath.Join(folder, "gone"), filepath.Join(folder, "broken.warc")); err != nil {
		t.Fatal(err)
	}
	paths, records := filepath.Join(folder, "paths"), filepath.Join(folder, "records.csv")
	for file, text := range map[string]string{
		paths:   "b.warc\nhttps://host.example/c.warc\n",
		records: "warc_filename,warc_record_offset,warc_record_length\na.warc,0,10\na.warc,90,20\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := listed(t, folder, "--paths", paths, "--records", records, "--base-url", base, "--rate", "2", "--contact",
		"crawl@host.example",
		"--plain-http", "--s3-anonymous", "--s3-region", "eu-west-1", "--s3-profile", "", "--s3-endpoint", "")
	want := []listedInput{
		{Name: filepath.Join(folder, "broken.warc"), Listed: true}, {Name: "b.warc", Listed: true, Base: base},
		{Name: "https://host.example/c.warc", Listed: true, Base: base},
		{Name: "a.warc", Listed: true, Base: base, Records: []listedRange{{0, 10}, {90, 20}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	if got := listed(t, "--paths", paths, "--base-url", base, "--limit", "1"); len(got) != 1 {
		t.Errorf("--limit 1 leaves %d inputs", len(got))
	}
	must(t, exitUsage, "list", "-")
}

// A run on single records has their digest as an option. A run that lost an input fails.
func TestCompleteKnowsTheInputs(t *testing.T) {
	archive := write(t, "a.warc", response("http://a.example/robots.txt", "text/plain", "User-agent: *\nDisallow: /\n"))
	folder := t.TempDir()
	records := filepath.Join(folder, "records.csv")
	text := "warc_filename,warc_record_offset,warc_record_length\n" + filepath.Base(archive) + ",0,10000\n"
	if err := os.WriteFile(records, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	inputs := []string{"--records", records, "--base-url", filepath.Dir(archive)}
	list := filepath.Join(folder, "list")
	out := filepath.Join(folder, "out")
	scanned := run(t, append([]string{"scan", "-o", out}, inputs...)...)
	before, err := manifest.Read(storage.NewFolder(out))
	if err != nil {
		t.Fatalf("exit status %d, it says %q: %v", scanned.status, scanned.stderr, err)
	}
	said := must(t, exitDone, append([]string{"list"}, inputs...)...).stdout
	for _, lines := range []string{said + said, said} {
		if err := os.WriteFile(list, []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
		// as a program that writes tables does before
		if err := manifest.Invalidate(storage.NewFolder(out)); err != nil {
			t.Fatal(err)
		}
		got := run(t, "complete", "--inputs", list, "--min-complete", "1", out)
		if whole := lines == said; whole != (got.status == scanned.status) {
			t.Errorf("exit status %d, it says %q", got.status, got.stderr)
		}
	}
	after, err := manifest.Read(storage.NewFolder(out))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Options, after.Options); diff != "" || before.Options["records"] == "" {
		t.Errorf("options (-scan +complete):\n%s", diff)
	}
	must(t, exitUsage, "complete", "--min-complete", "2", out)
}

// TestSitesApart analyzes the sites in parts that do not see each other, as a cluster does: with the answers that
// resolve gives, and twice as well, the parts make the rows of the whole; without them they do not.
func TestSitesApart(t *testing.T) {
	const parts = 7
	extracted := must(t, exitDone, "extract", filepath.Join(fixtures, "good"), "-o", "-").stdout
	all := streamed[facts.Fact](t, strings.NewReader(extracted))
	resolved := runWith(t.Context(), strings.NewReader(factStream(t,
		slices.DeleteFunc(slices.Clone(all), func(f facts.Fact) bool {
			return f.Kind != facts.KindRobots && f.Kind != facts.KindPolicy
		}))), "resolve", "-")
	if resolved.status != exitDone {
		t.Fatalf("resolve: exit status %d, it says %q", resolved.status, resolved.stderr)
	}
	answers := streamed[facts.Fact](t, strings.NewReader(resolved.stdout))

	analyze := func(list []facts.Fact) map[table.Name][]string {
		by := make([][]facts.Fact, parts)
		for _, f := range list {
			by[f.SiteHash%parts] = append(by[f.SiteHash%parts], f)
		}
		rows := map[table.Name][]string{}
		for _, part := range by {
			got := runWith(t.Context(), strings.NewReader(factStream(t, part)), "analyze", "-", "-o", "-")
			if got.status != exitDone {
				t.Fatalf("analyze: exit status %d, it says %q", got.status, got.stderr)
			}
			addTables(t, rows, strings.NewReader(got.stdout))
		}
		for name := range rows {
			slices.Sort(rows[name])
		}
		return rows
	}

	want := map[table.Name][]string{}
	whole := runWith(t.Context(), strings.NewReader(extracted), "analyze", "-", "-o", "-")
	addTables(t, want, strings.NewReader(whole.stdout))
	for name := range want {
		slices.Sort(want[name])
	}
	if diff := cmp.Diff(want, analyze(slices.Concat(all, answers))); diff != "" {
		t.Errorf("rows of the whole and of its parts (-whole +parts):\n%.3000s", diff)
	}
	if diff := cmp.Diff(want, analyze(slices.Concat(all, answers, answers))); diff != "" {
		t.Errorf("rows where answers come twice (-once +twice):\n%.3000s", diff)
	}
	if cmp.Equal(want, analyze(all)) {
		t.Error("nothing depends on the answers: the archives of this test show nothing")
	}
}

// streamed reads one stream.
func streamed[T any](t *testing.T, stream io.Reader) []T {
	t.Helper()
	r, err := arrow.NewReader[T](stream)
	if err != nil {
		t.Fatal(err)
	}
	var list []T
	for {
		batch, err := r.Read()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, batch...)
	}
}

func factStream(t *testing.T, list []facts.Fact) string {
	t.Helper()
	var b bytes.Buffer
	w, err := arrow.NewWriter[facts.Fact](&b, facts.StreamMetadata())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(list); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// addTables adds the rows of the streams of all tables, each as JSON.
func addTables(t *testing.T, rows map[table.Name][]string, stream io.Reader) {
	t.Helper()
	add := func(name table.Name, list []string) { rows[name] = append(rows[name], list...) }
	for _, d := range table.All() {
		switch d.Name {
		case table.Inputs:
			add(d.Name, encoded[table.Input](t, stream))
		case table.RobotsTxt:
			add(d.Name, encoded[table.Robots](t, stream))
		case table.Pages:
			add(d.Name, encoded[table.Page](t, stream))
		case table.Directives:
			add(d.Name, encoded[table.Directive](t, stream))
		case table.Adoptions:
			add(d.Name, encoded[table.Adoption](t, stream))
		case table.Agents:
			add(d.Name, encoded[table.Agent](t, stream))
		case table.Permissions:
			add(d.Name, encoded[table.Permission](t, stream))
		case table.Conflicts:
			add(d.Name, encoded[table.Conflict](t, stream))
		}
	}
}

func encoded[T any](t *testing.T, stream io.Reader) []string {
	t.Helper()
	var list []string
	for _, row := range streamed[T](t, stream) {
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
	return list
}

// What the options leave out of a robots.txt needs no answer.
func TestResolveReadsAsAnalyzeDoes(t *testing.T) {
	archive := write(t, "a.warc",
		response("http://a.example/robots.txt", "text/plain",
			"ACAP-crawler: *\nACAP-permissions-reference http://b.example/policy.txt\n"),
		response("http://b.example/policy.txt", "text/plain", "ACAP-crawler: *\nACAP-disallow-crawl: /\n"))
	found := must(t, exitDone, "extract", archive, "-o", "-").stdout
	for option, want := range map[string]int{
		"--refuse=space-for-hyphen": 1, "--refuse=missing-colon": 0, "--strict": 0, "--without=R-LEX-6": 0,
		"--without=R-REF-1": 0, "--without=R-DEC-1": 1,
	} {
		t.Run(option, func(t *testing.T) {
			got := runWith(t.Context(), strings.NewReader(found), "resolve", "--memory", "256MiB", option, "-")
			if got.status != exitDone {
				t.Fatalf("exit status %d, it says %q", got.status, got.stderr)
			}
			if answers := streamed[facts.Fact](t, strings.NewReader(got.stdout)); len(answers) != want {
				t.Errorf("%d answers, want %d", len(answers), want)
			}
		})
	}
}

// In steps, each with several buckets, resolve gives the answers that it gives at once.
func TestResolveInSteps(t *testing.T) {
	b := newBucket(t, nil)
	facts := filepath.Join(t.TempDir(), "facts")
	must(t, exitDone, "extract", filepath.Join(fixtures, "good"), "-o", facts)
	tables := func(facts, answers string) map[string]string {
		out := filepath.Join(t.TempDir(), "tables")
		b.must(t, exitDone, "analyze", facts, answers, "--bucket", "0/1", "-o", out)
		must(t, exitDone, "complete", out)
		return content(t, out)
	}
	once := filepath.Join(t.TempDir(), "answers")
	must(t, exitDone, "resolve", facts, "-o", once)
	want := tables(facts, once)
	b.must(t, exitDone, "extract", filepath.Join(fixtures, "good"), "-o", "s3://run/facts")
	for _, to := range []struct {
		facts, answers string
		buckets        int
	}{{facts, filepath.Join(t.TempDir(), "one"), 1}, {facts, filepath.Join(t.TempDir(), "answers"), 3},
		{"s3://run/facts", "s3://run/answers", 2}} {
		take := func(step, bucket int) string {
			t.Helper()
			return b.must(t, exitDone, "resolve", to.facts, "-o", to.answers, "--bucket",
				fmt.Sprintf("%d/%d", bucket, to.buckets), "--step", fmt.Sprint(step)).stdout
		}
		step, said := 0, "more\n"
		for ; said == "more\n"; step++ {
			for i := range to.buckets {
				if step == 1 && i == 0 {
					b.refuses(t, "step 3 needs step 1 of all buckets", "resolve", to.facts, "-o", to.answers,
						"--bucket", "0/"+fmt.Sprint(to.buckets), "--step", "3")
				}
				if said = take(step, i); take(step, i) != said {
					t.Errorf("step %d says %q, and then something else", step, said)
				}
				if to.buckets == 3 && i == 1 && step == 0 {
					refuses(t, "lacks 1 of 3 parts; run again resolve --bucket 2/3", "resolve", facts, "-o", to.answers,
						"--bucket", "0/3", "--step", "1")
					refuses(t, "of 3 parts, these are 4", "resolve", facts, "-o", to.answers, "--bucket",
						"0/4")
				}
			}
		}
		if said != "finished\n" || step < 4 || take(0, 0) != said {
			t.Errorf("after %d steps it says %q", step, said)
		}
		sameContent(t, want, tables(to.facts, to.answers))
		if !remote.IsS3(to.answers) {
			for _, name := range filesBelow(t, to.answers) {
				if strings.Contains(name, "steps") {
					t.Errorf("%s is left", name)
				}
			}
		}
	}
	usage := func(args ...string) {
		if got := run(t, append([]string{"resolve", facts}, args...)...); got.status != exitUsage {
			t.Errorf("%q: exit status %d, it says %q", args, got.status, got.stderr)
		}
	}
	usage("--bucket", "0/3")
	usage("-o", once, "--bucket", "3/3")
	usage("-o", once, "--bucket", "0/3", "--step", "-1")
	usage("-o", once, "--step", "1")
}

func TestResolveNeedsFacts(t *testing.T) {
	for name, stdin := range map[string]string{"nothing": "", "something else": "this is no stream"} {
		t.Run(name, func(t *testing.T) {
			got := runWith(t.Context(), strings.NewReader(stdin), "resolve", "-")
			if said := got.sentences(); got.status != exitFailed || len(said) != 1 ||
				!strings.Contains(said[0], "standard input") {
				t.Errorf("exit status %d, it says %q", got.status, got.stderr)
			}
		})
	}
}

// What complete writes next to the tables is what the scan wrote that made them.
func TestCompleteWritesWhatScanDoes(t *testing.T) {
	t.Run("with options", func(t *testing.T) {
		options := []string{"--pages", "all", "--agents", "@common", "--profile", "pilot"}
		completesTo(t, scanOf(t, exitIncomplete, append(manyFixtures(), options...)...), options)
	})
	t.Run("what is not exact", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		if err := os.CopyFS(out, os.DirFS(onceScan(t, exitDone, filepath.Join(fixtures, "hostile")))); err != nil {
			t.Fatal(err)
		}
		m := completesTo(t, out, nil)
		for _, name := range []string{"sites_class_inexact", "sites_conflicts_incomplete", "conflicts_approximate",
			"permissions_extent_unknown"} {
			if m.Counts[name] == 0 {
				t.Errorf("%s is 0: the archives of this test show nothing", name)
			}
		}
	})
}

// completesTo takes away from a finished folder what is no table, completes it, and returns the manifest, which is the
// same again.
func completesTo(t *testing.T, out string, options []string) *manifest.Manifest {
	t.Helper()
	want := content(t, out)
	scanned, err := manifest.Read(storage.NewFolder(out))
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]bool{}
	for _, d := range table.All() {
		tables[string(d.Name)] = true
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !tables[e.Name()] {
			if err := os.RemoveAll(filepath.Join(out, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}

	args := append([]string{"complete", "--started", "2025-10-12T08:00:00Z"}, options...)
	status := exitDone
	if scanned.Counts["input_errors"] > 0 {
		status = exitIncomplete
	}
	must(t, status, append(args, out)...)
	sameContent(t, want, content(t, out))
	completed, err := manifest.Read(storage.NewFolder(out))
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2025, 10, 12, 8, 0, 0, 0, time.UTC); !completed.Started.Equal(want) {
		t.Errorf("started is %v, want %v", completed.Started, want)
	}
	if diff := cmp.Diff(scanned, completed, cmpopts.IgnoreFields(manifest.Manifest{}, "Started", "Ended")); diff != "" {
		t.Errorf("manifest (-scan +complete):\n%s", diff)
	}
	return completed
}

// What a run has finished stays as it is: the flags of complete are not those that made it.
func TestCompleteLeavesFinishedTables(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "gone.warc")
	list := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(list, []byte(archive+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"parquet", "arrow"} {
		out := filepath.Join(t.TempDir(), "out")
		must(t, exitIncomplete, "scan", "--paths", list, "--pages", "all", "--no-verbatim", "--format", format, "-o",
			out)
		want := content(t, out)
		before, err := os.ReadFile(filepath.Join(out, manifest.FileName))
		if err != nil {
			t.Fatal(err)
		}
		if got := must(t, exitIncomplete, "complete", out); !strings.Contains(got.stderr, "nothing to do") {
			t.Errorf("it says %q", got.stderr)
		}
		must(t, exitDone, "complete", "--min-complete", "0", out)
		sameContent(t, want, content(t, out))
		if after, err := os.ReadFile(filepath.Join(out, manifest.FileName)); err != nil ||
			string(after) != string(before) {
			t.Errorf("the manifest is another (%v):\n%s", err, after)
		}
	}
}

func TestCompleteRefuses(t *testing.T) {
	lacking := scanOf(t, exitDone, filepath.Join(fixtures, "good", "arc"))
	if err := manifest.Invalidate(storage.NewFolder(lacking)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(lacking, string(table.Conflicts))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		status int
		args   []string
		says   string
	}{
		{"no folder", exitUsage, nil, "missing"},
		{"two folders", exitUsage, []string{"a", "b"}, "too many"},
		{"a time that is none", exitUsage, []string{"--started", "noon", "a"}, "noon"},
		{"a folder that is not there", exitFailed, []string{filepath.Join(t.TempDir(), "nothing")}, "nothing"},
		{"a folder that lacks a table", exitFailed, []string{lacking}, "conflicts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must(t, c.status, append([]string{"complete"}, c.args...)...)
			if said := got.sentences(); len(said) == 0 || !strings.Contains(said[0], c.says) {
				t.Errorf("it says %q", got.stderr)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(lacking, storage.WorkFolder)); err == nil {
		t.Error("complete leaves a work folder")
	}
}
