package parse

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/extent"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/analyze/vocabulary"
	"github.com/acapscan/acapscan/ingest/capture"
	"github.com/acapscan/acapscan/ingest/extract/markup"
	"github.com/acapscan/acapscan/ingest/facts"
)

// toy is a whole vocabulary: a field of robots.txt (Toy: /path no-search), a META and a header field. It needs this
// function and a line in the list of vocabularies; nothing else of the program knows of it.
func toy() vocabulary.Vocabulary {
	const id = policy.Vocabulary(200)
	sense := func(value string) policy.Sense {
		if strings.HasPrefix(value, "no-") {
			return policy.Disallow
		}
		return policy.Allow
	}
	return vocabulary.Vocabulary{
		ID: id, Fields: []string{"toy"}, METAs: []string{"toy"}, Headers: []string{"toy-search"},
		ReadRobots: func(doc *robotstxt.Document, options vocabulary.Options, f *policy.File) {
			for line := range doc.Groups(options.Without, robotstxt.Allow, robotstxt.Disallow, "Toy") {
				if line.Name == "toy" {
					path, preference := vocabulary.SplitPreference(line.Value)
					st := vocabulary.StatementOf(line, id, path, options)
					st.Usage, st.Sense = policy.Search, sense(preference)
					f.Statements = append(f.Statements, st)
				}
			}
		},
		ReadPage: func(markup []policy.Markup, _ *policy.File, _ vocabulary.Options, p *policy.Page) {
			for _, m := range markup {
				if strings.HasPrefix(strings.ToLower(m.Name), "toy") {
					p.Statements = append(p.Statements, policy.Statement{
						Vocabulary: id, Source: m.Source, Offset: m.Offset, Part: 1, Field: strings.ToLower(m.Name),
						Agents: []policy.Agent{policy.AnyAgent}, Usage: policy.Search, Sense: sense(m.Value),
						Status: policy.Valid, Raw: m.Raw,
					})
				}
			}
		},
	}
}

func TestToyVocabulary(t *testing.T) {
	r := newReader(append(vocabularies(), toy())...)
	const robots = "User-agent: *\nToy: no-search\nToy: /open/ search\nContent-Usage: search=y\nDisallow: /x\n" +
		"User-agent: Bot\nToy: search\nAllow: /\nUser-agent: Else\nDisallow: /\nACAP-crawler: *\nACAP-allow-search: /\n"
	file := r.robots([]byte(robots), false, nil, Options{})
	toyLine := fmt.Sprintf("%s toy valid", policy.Vocabulary(200))
	want := []string{"2 " + toyLine, "3 " + toyLine, "4 aipref content-usage valid", "5 rep disallow valid",
		"7 " + toyLine,
		"8 rep allow valid", "10 rep disallow valid", "12 acap acap-allow-search ignored"}
	if diff := cmp.Diff(want, show(file.Statements)); diff != "" {
		t.Error(diff)
	}
	fact := facts.Fact{Directives: []facts.Directive{
		{Carrier: facts.CarrierMeta, Name: "Toy", Value: "no-search", Raw: "<meta>"},
		{Carrier: facts.CarrierMeta, Name: "robots", Value: "noindex", Raw: "<meta>", Offset: 9},
		{Carrier: facts.CarrierHeader, Name: "toy-search", Value: "yes", Raw: "toy-search: yes"},
	}}
	page := r.page(&fact, file.File, Options{})
	want = []string{"meta " + toyLine, "meta rep noindex valid",
		fmt.Sprintf("http-header %s toy-search valid", policy.Vocabulary(200))}
	if diff := cmp.Diff(want, show(page.Statements)); diff != "" {
		t.Error(diff)
	}
	site := decide.NewSite(file.File, decide.Answered, decide.Options{})
	cache := decide.NewDecisionCache(site)
	for _, test := range []struct {
		agent, path, want string
		page              *policy.Page
	}{
		{"Third", "/", "disallowed ai-robots [R-PREF-1 R-PREF-2]", nil},
		{"Bot", "/", "allowed ai-robots [R-PREF-1]", nil},
		{"Third", "/open/", "allowed ai-robots [R-PREF-1 R-PREF-2]", nil},
		{"Third", "/x", "unstated crawl-prohibited [R-PREF-3]", nil},
		{"Else", "/", "unstated no-preference [R-PREF-1 R-PREF-4]", nil},
		{"Bot", "/", "disallowed ai-page [R-PREF-2 R-PREF-1]", page},
	} {
		q := decide.Question{Path: test.path, Usage: policy.Search}
		for name, s := range map[string]*decide.Site{"whole": site, "cached": cache.At(test.path)} {
			d := s.For(policy.Agent(test.agent), "").Decide(test.page, q)
			if got := fmt.Sprint(d.Decision, " ", d.Basis, " ", d.By); got != test.want {
				t.Errorf("%s at %s, %s: got %s, want %s", test.agent, test.path, name, got, test.want)
			}
		}
	}
	for agent, want := range map[policy.Agent]policy.Extent{"Third": policy.ExtentSome, "Bot": policy.ExtentAll} {
		if got := extent.NewPathClasses(site.For(agent, ""), 0).Extent(policy.Search, time.Time{}); got != want {
			t.Errorf("extent for %s: %s, want %s", agent, got, want)
		}
	}
}

// Stage 1 keeps the METAs and header fields that vocabularies own.
func TestStage1KeepsWhatVocabulariesOwn(t *testing.T) {
	for _, v := range vocabularies() {
		for _, name := range v.METAs {
			fact := markup.Page([]byte(`<meta name="`+name+`" content="1">`), "text/html", nil)
			if len(fact.Directives) != 1 || fact.Directives[0].Name != name {
				t.Errorf("META %s of %s: %v", name, v.ID, fact.Directives)
			}
		}
		for _, name := range v.Headers {
			value := "1"
			if name == "link" { // others are not kept
				value = `<https://a.example/l.xml>; rel="license"; type="application/rsl+xml"`
			}
			fact := markup.Page(nil, "text/html", capture.Header{{Name: []byte(name), Value: []byte(value)}})
			if len(fact.Directives) != 1 || !strings.EqualFold(fact.Directives[0].Name, name) {
				t.Errorf("header field %s of %s: %v", name, v.ID, fact.Directives)
			}
		}
	}
}
