package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/output/table"
)

const lanternRobots = `## ACAP version=1.1
ACAP-crawler: *
ACAP-allow-index: /news/
ACAP-disallow-index: /
ACAP-allow-present-snippet: / max-length=200-chars
ACAP-allow-preserve: / time-limit=until-2012-05-17
`

// keysOf returns the keys of a JSON object in the order they are written in.
func keysOf(t *testing.T, object string) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// objects reads JSON lines.
func objects(t *testing.T, text string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(text) {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		list = append(list, o)
	}
	return list
}

// The last record of an archive on another machine is read as that of a file is, to the end of the archive.
func TestExplainTheLastRecordOfAnArchiveElsewhere(t *testing.T) {
	archive := write(t, "a.warc.gz", slices.Concat(member(numbered(1)), member(numbered(2))))
	web := listen(t, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, archive) })
	offset := fmt.Sprint(len(member(numbered(1))))
	here := must(t, exitDone, "explain", archive, "--offset", offset).stdout
	there := must(t, exitDone, "explain", web+"/a.warc.gz", "--offset", offset).stdout
	if got := strings.ReplaceAll(there, web+"/a.warc.gz", archive); got != here || here == "" {
		t.Errorf("from another machine it says\n%s\nwant\n%s", got, here)
	}
}

// R-META-1: check lists METAs in the body, and --body-metas counts them.
func TestBodyMETAs(t *testing.T) {
	page := write(t, "page.html", []byte(`<html><head><noscript><img src=x></noscript></head>
<body><meta name="robots" content="ACAP disallow-index"></body></html>`))
	decisions := func(args ...string) (list []any) {
		args = append([]string{"explain", "--json", "--page", page, "--url", "http://a.example/", "--usage", "index"},
			args...)
		for _, o := range objects(t, must(t, exitDone, args...).stdout) {
			list = append(list, o["decision"])
		}
		return list
	}
	if got := decisions(); !slices.Equal(got, []any{"allowed"}) {
		t.Errorf("decisions are %v", got)
	}
	if got := decisions("--body-metas"); !slices.Equal(got, []any{"disallowed"}) {
		t.Errorf("with --body-metas decisions are %v", got)
	}
	if got := must(t, exitDone, "check", page).stdout; !strings.Contains(got, "meta-in-body") {
		t.Errorf("check says %q", got)
	}

	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	archive := write(t, "a.warc", response("http://a.example/", "text/html", string(text)))
	tables := func(args ...string) (list []string) {
		out := filepath.Join(t.TempDir(), "out")
		must(t, exitDone, append([]string{"scan", archive, "-o", out, "--pages", "all", "--permissions", "all"},
			args...)...)
		for _, at := range rows[table.Permission](t, out, table.Permissions) {
			if at.Row.Scope == "page" && at.Row.Usage == "index" {
				list = append(list, string(at.Row.Decision))
			}
		}
		return list
	}
	if got := tables(); !slices.Equal(got, []string{"allowed"}) {
		t.Errorf("the table says %v", got)
	}
	if got := tables("--body-metas"); !slices.Equal(got, []string{"disallowed"}) {
		t.Errorf("with --body-metas the table says %v", got)
	}
}

// A preference that robots.txt or the page states has an answer, too; without --page and --robots there is none.
func TestExplainPreferences(t *testing.T) {
	robots := write(t, "robots.txt", []byte("User-agent: *\nDisallow: /never/\nContent-Usage: train-ai=n\n"))
	got := must(t, exitDone, "explain", "--robots", robots, "--url", "http://a.example/", "--header",
		"Content-Usage: search=y")
	for _, want := range []string{
		"train-ai (train AI models on it): not allowed\n", "search (list it in a search application): allowed\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is missing in\n%s", want, got.stdout)
		}
	}
	got = must(t, exitDone, "explain", "--robots", robots, "--url", "http://a.example/never/a", "--usage", "train-ai")
	if !strings.Contains(got.stdout, "train-ai (train AI models on it): not stated\n") ||
		!strings.Contains(got.stdout, "R-PREF-3") {
		t.Error(got.stdout)
	}
}

func TestExplainAsJSON(t *testing.T) {
	robots := write(t, "robots.txt", []byte(lanternRobots))
	page := write(t, "page.html", []byte(`<html><head><meta name="robots" content="ACAP allow-present-snippet max-length=50-chars">
</head><body><p id="x" class="the-acap:disallow-present-snippet">text</p></body></html>`))
	got := must(t, exitDone, "explain", "--json", "--robots", robots, "--page", page, "--url",
		"http://a.example/news/1.html", "--header", "X-Robots-Tag: nosnippet")
	lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
	if want := len(policy.Usages()); len(lines) != want || got.stderr != "" {
		t.Fatalf("%d lines and %q on stderr, want %d and nothing", len(lines), got.stderr, want)
	}
	wantKeys := []string{"url", "agent", "purpose", "usage", "decision", "decision_if_crawled",
		"decision_without_elements", "basis", "decided_by",
		"qualifiers", "deciding", "lost", "elements", "other_readings", "other_purposes"}
	var usages []string
	for i, o := range objects(t, got.stdout) {
		if keys := keysOf(t, lines[i]); !slices.Equal(keys, wantKeys) {
			t.Fatalf("keys %q, want %q", keys, wantKeys)
		}
		usages = append(usages, o["usage"].(string))
		if o["url"] != "http://a.example/news/1.html" || o["agent"] != "*" || o["purpose"] != nil {
			t.Errorf("line %d is about %v, %v, %v", i+1, o["url"], o["agent"], o["purpose"])
		}
		for _, key := range []string{"decided_by", "qualifiers", "deciding", "lost", "elements", "other_readings",
			"other_purposes"} {
			if _, isList := o[key].([]any); !isList {
				t.Errorf("line %d: %s is %v, want a list", i+1, key, o[key])
			}
		}
		if len(o["decided_by"].([]any)) == 0 {
			t.Errorf("line %d: no rule decides", i+1)
		}
	}
	if diff := cmp.Diff(table.Usage("").Values()[:16], usages); diff != "" {
		t.Errorf("usages (-want +got):\n%s", diff)
	}
	var snippet map[string]any
	for _, o := range objects(t, got.stdout) {
		if o["usage"] == "present-snippet" {
			snippet = o
		}
	}
	want := map[string]any{
		"url": "http://a.example/news/1.html", "agent": "*", "purpose": nil, "usage": "present-snippet",
		"decision": "conditional", "decision_if_crawled": "conditional", "decision_without_elements": "disallowed",
		"basis":      "acap-page",
		"decided_by": snippet["decided_by"],
		"qualifiers": []any{map[string]any{"name": "max-length", "value": "50-chars"}},
		"deciding": []any{map[string]any{"source": "meta", "line": 1.0,
			"raw": `<meta name="robots" content="ACAP allow-present-snippet max-length=50-chars">`, "rule": "R-DEC-0"}},
		"lost": []any{
			map[string]any{"source": "robots.txt", "line": 5.0,
				"raw": "ACAP-allow-present-snippet: / max-length=200-chars", "rule": "R-DEC-1"},
			map[string]any{"source": "http-header", "line": nil, "raw": "X-Robots-Tag: nosnippet", "rule": "R-DEC-2"},
		},
		"elements": []any{map[string]any{
			"name": "p", "id": "x", "offset": 103.0, "usage": "present-snippet", "sense": "disallow", "line": 2.0,
			"inside": nil, "decision": "disallowed", "decided_by": []any{"R-CLASS-1", "R-DEC-0"}, "qualifiers": []any{},
			"deciding": []any{map[string]any{"source": "class", "line": 2.0, "raw": "the-acap:disallow-present-snippet",
				"rule": "R-DEC-0"}},
		}},
		// The pilot sets aside what is said of the same usages only, and nosnippet is about four.
		"other_readings": []any{}, "other_purposes": []any{},
	}
	raw := func(v any) string { return v.(map[string]any)["raw"].(string) }
	slices.SortFunc(snippet["lost"].([]any), func(a, b any) int { return strings.Compare(raw(a), raw(b)) })
	if diff := cmp.Diff(want, snippet); diff != "" {
		t.Errorf("present-snippet (-want +got):\n%s", diff)
	}
}

func TestExplainDecides(t *testing.T) {
	robots := write(t, "robots.txt", []byte(lanternRobots))
	html := write(t, "home.html", []byte("<html><head><meta name=robots content='ACAP disallow-index'></head></html>"))
	xml := write(t, "article.xml", []byte(`<?xml version="1.0"?><?robots index="no" follow="yes"?><a/>`))
	for _, c := range []struct {
		name            string
		args            []string
		decision, basis string
	}{
		{"the site's robots.txt", []string{"--robots", robots, "--usage", "index"}, "disallowed", "acap-robots"},
		{"no robots.txt", []string{"--usage", "index"}, "allowed", "robots-not-captured"},
		{"a page in the place of robots.txt", []string{"--robots", html, "--usage", "index"}, "allowed", "not-robots"},
		{"a page, its META", []string{"--page", html, "--usage", "index"}, "disallowed", "acap-page"},
		{"XML by its declaration", []string{"--page", xml, "--usage", "index"}, "disallowed", "rep-page"},
		{"XML by its media type", []string{"--page", xml, "--media-type", "application/xml", "--usage", "index"},
			"disallowed", "rep-page"},
		{"XML said to be HTML", []string{"--page", xml, "--media-type", "text/html", "--usage", "index"}, "allowed",
			"robots-not-captured"},
		{"a header field", []string{"--header", "X-Robots-Tag: noindex", "--usage", "index"}, "disallowed", "rep-page"},
		{"a header field for another", []string{"--header", "X-Robots-Tag: otherbot: noindex", "--usage", "index"},
			"allowed", "robots-not-captured"},
		{"a header field for this agent", []string{"--header", "x-robots-tag:otherbot:noindex", "--agent", "OtherBot",
			"--usage", "index"}, "disallowed", "rep-page"},
		{"the second of two header fields", []string{"--header", "Server: x", "--header", "X-Robots-Tag: noindex",
			"--usage", "index"}, "disallowed", "rep-page"},
		{"a server that is down", []string{"--robots-status", "503", "--usage", "index"}, "disallowed",
			"robots-unreachable"},
		{"a server that has had enough", []string{"--robots-status", "429", "--usage", "index"}, "disallowed",
			"robots-unreachable"},
		{"no robots.txt on the server", []string{"--robots-status", "404", "--usage", "index"}, "allowed", "silence"},
		{"no time: nothing expires", []string{"--robots", robots, "--usage", "preserve"}, "conditional", "acap-robots"},
		{"on the last day", []string{"--robots", robots, "--usage", "preserve", "--at", "2012-05-17"}, "conditional",
			"acap-robots"},
		{"at the end of the last day", []string{"--robots", robots, "--usage", "preserve", "--at",
			"2012-05-17T23:59:59Z"}, "conditional", "acap-robots"},
		{"after the last day", []string{"--robots", robots, "--usage", "preserve", "--at", "2012-05-18"}, "disallowed",
			"expired"},
		{"the last day here, the next in UTC", []string{"--robots", robots, "--usage", "preserve", "--at",
			"2012-05-17T23:00:00-02:00"}, "disallowed", "expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must(t, exitDone, append([]string{"explain", "--json", "--url", "http://a.example/sport/"},
				c.args...)...)
			list := objects(t, got.stdout)
			if len(list) != 1 || list[0]["decision"] != c.decision || list[0]["basis"] != c.basis {
				t.Errorf("got %v, want %s by %s", list, c.decision, c.basis)
			}
		})
	}
}

func TestExplainFails(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
	}{
		{"no such robots.txt", []string{"explain", "--robots", "nothing.txt", "--url", "http://a.example/"}},
		{"no such page", []string{"explain", "--page", "nothing.html", "--url", "http://a.example/"}},
		{"a folder for a page", []string{"explain", "--page", "testdata", "--url", "http://a.example/"}},
		{"check of no file", []string{"check", "nothing.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must(t, exitFailed, c.args...)
			if said := got.sentences(); len(said) != 1 || !strings.Contains(said[0], c.args[min(2, len(c.args)-1)]) ||
				strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("it says %q, want one sentence that names the file", got.stderr)
			}
			if got.stdout != "" {
				t.Errorf("stdout has %q", got.stdout)
			}
		})
	}
}

// Where the other profile, or the other reading of other, answers otherwise, explain says so; and only there.
func TestExplainOtherReadings(t *testing.T) {
	robots := write(t, "robots.txt",
		[]byte("##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-crawl: /a/\nACAP-disallow-other: "+
			"/\nACAP-allow-index: /\nUser-agent: *\nDisallow: /a/b\n"))
	page := write(t, "page.html", []byte("<html><head><meta name=robots content='ACAP disallow-other'></head>"))
	for _, c := range []struct {
		name string
		args []string
		want []string // "PROFILE OTHER DECISION BASIS LINE"
	}{
		{"the pilot sets less aside", []string{"--usage", "crawl"}, []string{"pilot broad disallowed rep-robots 7"}},
		{"and by the pilot's reading 1.1 sets more aside", []string{"--usage", "crawl", "--profile", "pilot"},
			[]string{"1.1 broad allowed acap-robots 3"}},
		{"other may be narrow", []string{"--usage", "preserve", "--profile", "1.1"},
			[]string{"pilot broad disallowed crawl-prohibited 7", "1.1 narrow allowed silence 0"}},
		{"or broad", []string{"--usage", "follow", "--other", "narrow"},
			[]string{"pilot narrow disallowed crawl-prohibited 7", "1.1 broad disallowed acap-robots 4"}},
		{"or by level, where a page lifts or prohibits what robots.txt names",
			[]string{"--usage", "index", "--url", "http://a.example/c", "--page", page},
			[]string{"1.1 level disallowed acap-page 1"}},
		{"and from there broad", []string{"--usage", "index", "--url", "http://a.example/c", "--page", page, "--other",
			"level"},
			[]string{"1.1 broad allowed acap-robots 5"}},
		{"all agree", []string{"--usage", "index", "--url", "http://a.example/c"}, nil},
		{"other means other in both", []string{"--usage", "other", "--url", "http://a.example/c"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must(t, exitDone, append([]string{"explain", "--json", "--robots", robots, "--url",
				"http://a.example/a/b"}, c.args...)...)
			var said []string
			for _, o := range objects(t, got.stdout)[0]["other_readings"].([]any) {
				o := o.(map[string]any)
				line := 0.0
				if deciding := o["deciding"].([]any); len(deciding) > 0 {
					line = deciding[0].(map[string]any)["line"].(float64)
				}
				said = append(said, fmt.Sprintf("%v %v %v %v %v", o["profile"], o["other"], o["decision"], o["basis"],
					line))
			}
			if diff := cmp.Diff(c.want, said); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What holds for each element, with the page's own nesting (R-CLASS-1).
func TestExplainElements(t *testing.T) {
	const body = "<html><head>HEAD</head><body>\n" +
		"<div id=outer class='the-acap:disallow-index'>\n" + // 2
		"<p id=inner class='the-acap:allow-index'></p>\n" + // 3
		"<p id=silent class='the-acap:allow-crawl'></p>\n" + // 4: about crawl, which takes all usages with it
		"<p id=both class='the-acap:allow-index the-acap:disallow-index'></p></div>\n" + // 5
		"<p id=unfetched class='the-acap:disallow-crawl the-acap:allow-index'></p>" // 6
	robots := func(lines string) string {
		return write(t, "robots.txt",
			[]byte("##ACAP version=1.1\nACAP-crawler: *\nACAP-qualified-usage: brief index time-limit=3-days\n"+lines))
	}
	for _, c := range []struct {
		name, robots, head string
		want               []string // "ID DECISION RULES"
	}{
		{"alone", "", "", []string{
			"outer disallowed R-CLASS-1 R-DEC-0", "inner allowed R-CLASS-1 R-DEC-0",
			"silent disallowed R-CLASS-1 R-DEC-0", "both disallowed R-CLASS-1 R-DEC-7",
			"unfetched disallowed R-CLASS-1 R-DEC-0 R-DEC-11",
		}},
		{"a class does not lift what robots.txt prohibits", "ACAP-disallow-index: /\n", "", []string{
			"outer disallowed R-CLASS-1 R-DEC-0", "inner disallowed R-CLASS-1 R-DEC-0 R-DEC-1",
			"silent disallowed R-CLASS-1 R-DEC-0",
			"both disallowed R-CLASS-1 R-DEC-7", "unfetched disallowed R-CLASS-1 R-DEC-0 R-DEC-11",
		}},
		{"nor its conditions", "ACAP-allow-(brief): /\n", "", []string{
			"outer disallowed R-CLASS-1 R-DEC-0", "inner conditional R-CLASS-1 R-DEC-0 R-DEC-1",
			"silent disallowed R-CLASS-1 R-DEC-0",
			"both disallowed R-CLASS-1 R-DEC-7", "unfetched disallowed R-CLASS-1 R-DEC-0 R-DEC-11",
		}},
		{"but a META, which has left robots.txt aside", "ACAP-disallow-index: /\n",
			"<meta name=robots content='ACAP disallow-index'>", []string{
				"outer disallowed R-CLASS-1 R-DEC-0", "inner allowed R-CLASS-1 R-DEC-0",
				"silent disallowed R-CLASS-1 R-DEC-0", "both disallowed R-CLASS-1 R-DEC-7",
				"unfetched disallowed R-CLASS-1 R-DEC-0 R-DEC-11",
			}},
		{"what must not be fetched", "ACAP-disallow-crawl: /\n", "", []string{
			"outer disallowed R-DEC-0 R-DEC-11", "inner disallowed R-DEC-0 R-DEC-11",
			"silent disallowed R-DEC-0 R-DEC-11", "both disallowed R-DEC-0 R-DEC-11",
			"unfetched disallowed R-DEC-0 R-DEC-11",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := write(t, "page.html", []byte(strings.Replace(body, "HEAD", c.head, 1)))
			got := must(t, exitDone, "explain", "--json", "--robots", robots(c.robots), "--page", page, "--url",
				"http://a.example/", "--usage", "index")
			var said []string
			for _, e := range objects(t, got.stdout)[0]["elements"].([]any) {
				e := e.(map[string]any)
				words := fmt.Sprintf("%v %v", e["id"], e["decision"])
				for _, rule := range e["decided_by"].([]any) {
					words += fmt.Sprintf(" %v", rule)
				}
				if inside := e["id"] != "outer" && e["id"] != "unfetched"; inside != (e["inside"] != nil) {
					t.Errorf("%v stands inside %v", e["id"], e["inside"])
				}
				said = append(said, words)
			}
			if diff := cmp.Diff(c.want, slices.Compact(said)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The text has the first of many, and the number of the others; --json has all.
func TestExplainTellsNotTooMuch(t *testing.T) {
	var lines, tokens strings.Builder
	for i := range 30 {
		fmt.Fprintf(&lines, "ACAP-allow-index: /%s\n", strings.Repeat("a", i+1))
		fmt.Fprintf(&tokens, "<p class=the-acap:disallow-index>%d</p>\n", i)
	}
	robots := write(t, "robots.txt",
		[]byte("##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-index: /\n"+lines.String()))
	page := write(t, "page.html", []byte("<!DOCTYPE html><body>"+tokens.String()))
	args := []string{"explain", "--robots", robots, "--page", page, "--url", "http://a.example/" +
		strings.Repeat("a", 40), "--usage", "index"}
	got := must(t, exitDone, args...)
	for _, want := range []string{"and 18 more statements (--json has all)", "and 18 more elements (--json has all)"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("it does not say %q:\n%s", want, got.stdout)
		}
	}
	o := objects(t, must(t, exitDone, append(args, "--json")...).stdout)[0]
	if deciding, elements := len(o["deciding"].([]any)), len(o["elements"].([]any)); deciding != 30 || elements != 30 {
		t.Errorf("%d statements and %d elements, want 30 of each", deciding, elements)
	}
}

// What an archive or a site wrote must not reach a terminal as commands to it.
func TestNoControlCharactersForPeople(t *testing.T) {
	robots := write(t, "robots.txt",
		[]byte("## ACAP version=1.1\x1b]2;x\nACAP-crawler: *\nACAP-allow-index: /\x1b[31m "+
			"time-limit=\x1b[2Jx\nACAP-disallow-follow: /\x9b\n"))
	page := write(t, "page.html",
		[]byte("<head><meta name=robots content='ACAP disallow-index \x1b[2J'></head><b\x1bx id='\x1b' "+
			"class='the-acap:disallow-index'>"))
	for _, args := range [][]string{
		{"check", robots, page},
		{"explain", "--robots", robots, "--page", page, "--url", "http://a.example/"},
		{"explain", "--robots", robots, "--url", "http://a.example/"},
	} {
		got := must(t, exitDone, args...)
		if i := strings.IndexFunc(got.stdout, func(r rune) bool {
			return r != '\n' && r < ' ' || r >= 0x7f &&
				r < 0xa0
		}); i >= 0 {
			t.Errorf("%s prints the character %q", args[0], got.stdout[i:i+1])
		}
	}
}

func TestWriteErrorsAreTold(t *testing.T) {
	robots := write(t, "robots.txt", []byte(lanternRobots))
	for _, args := range [][]string{
		{"explain", "--url", "http://a.example/"}, {"explain", "--json", "--url", "http://a.example/"},
		{"check", robots},
		{"check", "--json", robots}, {"schema"}, {"schema", "pages"}, {"version"},
		{"extract", fixtures + "/good/arc", "-o", "-"},
	} {
		var stderr strings.Builder
		status := Run(t.Context(), args, strings.NewReader(""), fullDisk{}, &stderr)
		if status != exitFailed || !strings.Contains(stderr.String(), "the disk is full") {
			t.Errorf("acapscan %s: exit status %d, says %q", strings.Join(args, " "), status, stderr.String())
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// Columns of directives that a file on disk cannot have: where in an archive it was.
func TestCheckHasTheColumnsOfDirectives(t *testing.T) {
	ofCapture := []string{"site", "statement_id"}
	key := reflect.TypeFor[table.Key]()
	for i := range key.NumField() {
		f := key.Field(i)
		fields := []reflect.StructField{f}
		if f.Anonymous {
			fields = reflect.VisibleFields(f.Type)
		}
		for _, f := range fields {
			name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
			ofCapture = append(ofCapture, name)
		}
	}
	d, _ := table.Lookup(table.Directives)
	want := []string{"type", "file"}
	for _, c := range d.Columns() {
		if !slices.Contains(ofCapture, c.Name) {
			want = append(want, c.Name)
		}
	}
	robots := write(t, "robots.txt", []byte(lanternRobots))
	page := write(t, "page.html", []byte(acapPage+"<p class=the-acap:disallow-index>"))
	got := must(t, exitDone, "check", "--json", robots, page)
	n := 0
	for line := range strings.Lines(got.stdout) {
		keys := keysOf(t, line)
		if !strings.HasPrefix(line, `{"type":"statement",`) {
			continue
		}
		n++
		if diff := cmp.Diff(want, keys); diff != "" {
			t.Fatalf("keys (-columns +check):\n%s", diff)
		}
	}
	if n != 6 {
		t.Errorf("%d statements, want 6", n)
	}
}

// check and the tables must call the same thing by the same word.
func TestCheckSaysWhatTheTablesSay(t *testing.T) {
	const body = "ACAP-disallow-crawl: /early\n" + lanternRobots +
		"ACAP-crawler: B1/2, *\nACAP-allow-(x): /a b\nACAP-usage-purpose: news-*\nACAP-allow-index: / " +
		"must-use-resource=the-acap:extract:id:x frob=1\nACAP-permissions-reference: " +
		"http://b.example/robots.txt\nACAP-frob: 1\n\nUser-agent: *\nDisallow: /x\nCrawl-delay: 5\nSitemap: " +
		"http://a.example/s.xml\n"
	const page = `<html><head><meta name="robots" content="ACAP version 1.1"><meta name="b1" content="ACAP news allow-index time-limit=3-days disallow-follow">
<meta name="robots" content="noindex, noarchive, max-snippet:20"></head><body><p id=x class="the-acap:disallow-index acap:allow-frob">`
	archive := write(t, "a.warc", response("http://a.example/robots.txt", "text/plain", body),
		response("http://a.example/p", "text/html", page))
	out := t.TempDir()
	must(t, exitDone, "scan", archive, "-o", out)
	var want []map[string]any
	d, _ := table.Lookup(table.Directives)
	files := []string{write(t, "robots.txt", []byte(body)), write(t, "page.html", []byte(page))}
	var got []map[string]any
	for _, file := range files {
		for _, o := range objects(t, must(t, exitDone, "check", "--json", file).stdout) {
			if o["type"] == "statement" {
				delete(o, "type")
				delete(o, "file")
				got = append(got, o)
			}
		}
	}
	for _, source := range []bool{true, false} { // robots.txt first
		for _, at := range rows[table.Directive](t, out, table.Directives) {
			if (at.Row.Source == "robots.txt") != source {
				continue
			}
			o := map[string]any{}
			v := reflect.ValueOf(at.Row)
			for _, c := range d.Columns() {
				if field := fieldOf(v, c.Name); field.IsValid() {
					o[c.Name] = asJSON(t, field.Interface())
				}
			}
			want = append(want, o)
		}
	}
	for _, o := range want {
		list := []any{}
		for _, q := range o["qualifiers"].([]any) {
			list = append(list, map[string]any{"name": q.(map[string]any)["Name"],
				"value": q.(map[string]any)["Value"]})
		}
		o["qualifiers"] = list
	}
	key := func(o map[string]any) string { b, _ := json.Marshal(o); return string(b) }
	for _, list := range [][]map[string]any{want, got} {
		slices.SortFunc(list, func(a, b map[string]any) int { return strings.Compare(key(a), key(b)) })
	}
	if len(want) < 15 {
		t.Errorf("%d statements are few", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-directives +check):\n%s", diff)
	}
}

// fieldOf returns the field of a row struct itself that holds a column; none for those of the key.
func fieldOf(v reflect.Value, column string) reflect.Value {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("parquet"), ",")
		if name == column && column != "site" && column != "statement_id" {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

func asJSON(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	if out == nil && reflect.TypeOf(v).Kind() == reflect.Slice {
		return []any{}
	}
	return out
}

func asJSONText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
