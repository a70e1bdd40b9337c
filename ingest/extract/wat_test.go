package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/ingest/archive"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/facts"
)

// summed makes the facts of WAT records given as URL and the members of an answer in turn.
func summed(t *testing.T, opts Options, urlsAndAnswers ...string) (emitted []*facts.Fact) {
	t.Helper()
	task, finder := NewTask(opts, collect(&emitted)), NewFinder(opts)
	reader := capture.NewReader(capture.Options{Want: Want})
	for i := 0; i < len(urlsAndAnswers); i += 2 {
		c, err := reader.Read(&archive.Record{
			Format: archive.FormatWARC, Type: archive.Metadata, ContentType: "application/json", URI: urlsAndAnswers[i],
			Block: strings.NewReader(`{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{` +
				urlsAndAnswers[i+1] + `}}}}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := task.Take(finder.Find(c)); err != nil {
			t.Fatal(err)
		}
	}
	if err := task.Finish(); err != nil {
		t.Fatal(err)
	}
	return emitted
}

// head is the answer of a page with these METAs, as a WAT has it.
func head(status, mime, metas string) string {
	return `"Response-Message":{"Status":"` + status + `"},"Headers":{"Content-Type":"` + mime +
		`"},"HTML-Metadata":{"Head":{"Metas":[` + metas + `]}}`
}

// A WAT gives METAs without a place and header fields, counts what it gives as partial, and never passes for the answer
// of a robots.txt.
func TestSummaries(t *testing.T) {
	const first = -int64(capture.MaxMetas)
	got := summed(t, Options{},
		"http://a.example/1", head("200", "text/html",
			`{"name":"author","content":"x"},{"name":" Robots ","content":"ACAP disallow-index"},{"name":"robots",`+
				`"content":`+
				`"no\u0000index, &amp;"}`),
		"http://a.example/2", head("200", "application/xhtml+xml", `{"name":"robots","content":"noindex"}`),
		"http://a.example/3", head("404", "text/html", `{"name":"robots","content":"ACAP disallow-index"}`),
		"http://a.example/4", head("200", "text/html", `{"name":"robots","content":"index,follow"}`),
		"http://a.example/5",
		`"Response-Message":{"Status":"200"},"Headers":{"Content-Type":"application/pdf","X-Robots-Tag":["noindex",`+
			`"bot: `+
			`none"]}`,
		"http://a.example/robots.txt",
		`"Response-Message":{"Status":"200"},"Headers":{"Content-Type":"text/plain"},"Entity-Length":"9"`,
	)
	type page struct {
		Kind       facts.Kind
		URL, As    string
		Partial    bool
		Directives []facts.Directive
	}
	header := func(i int64, value string) facts.Directive {
		return facts.Directive{Carrier: facts.CarrierHeader, Offset: i, Name: "X-Robots-Tag", Value: value,
			Raw: "X-Robots-Tag: " + value}
	}
	want := []page{
		{facts.KindPage, "http://a.example/1", "html", true, []facts.Directive{
			{Carrier: facts.CarrierMeta, Offset: first + 1, Name: "Robots", Value: "ACAP disallow-index"},
			{Carrier: facts.CarrierMeta, Offset: first + 2, Name: "robots", Value: "no\uFFFDindex, &amp;"},
		}},
		{facts.KindPage, "http://a.example/2", "xml", true, []facts.Directive{{Carrier: facts.CarrierMeta,
			Offset: first, Name: "robots", Value: "noindex"}}},
		{facts.KindPage, "http://a.example/5", "", true,
			[]facts.Directive{header(1, "noindex"), header(2, "bot: none")}},
		{facts.KindRobots, "http://a.example/robots.txt", "", true, nil},
	}
	var have []page
	for _, f := range got {
		if f.Kind != facts.KindSite {
			have = append(have, page{f.Kind, f.URL, string(f.ParsedAs), f.Partial, f.Directives})
		}
		if f.Charset != "" || f.Body != nil {
			t.Errorf("%s: charset %q and a body of %d bytes, and a WAT has neither", f.URL, f.Charset, len(f.Body))
		}
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	counts := map[string]int64{}
	for _, c := range got[len(got)-1].Counts {
		counts[c.Name] = c.Value
	}
	for name, n := range map[string]int64{
		facts.CountCaptures: 6, facts.CountPartial: 6, facts.CountPages: 3, facts.CountPagesPartial: 3,
		facts.CountHTML: 2, facts.CountXML: 1,
		facts.CountACAPMeta: 1, facts.CountXRobotsTag: 1, facts.CountRobots: 1, facts.CountStatusPrefix + "4xx": 1,
	} {
		if counts[name] != n {
			t.Errorf("%s is %d, want %d", name, counts[name], n)
		}
	}
}
