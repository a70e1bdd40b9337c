package report

import (
	"encoding/base64"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/report/numbers"
	"github.com/acapscan/acapscan/output/table"
)

// invented makes the tables of so many sites. One in rare uses ACAP.
func invented(n, rare int) rows {
	r := rows{crawl: "local", subset: "warc"}
	rng := rand.New(rand.NewPCG(uint64(n), 19))
	crawlers := []string{"gptbot", "ccbot", "slurp", "ia_archiver", "mj12bot", "=cmd|' /C calc'!A0"}
	extents := []table.Extent{"all", "some", "some", "none", "unknown"}
	tlds := []string{"com", "com", "com", "org", "ie", "de"}
	for i := range n {
		tld := tlds[rng.IntN(len(tlds))]
		name := fmt.Sprintf("http://s%06d.%s", i, tld)
		outcomes := []table.RobotsOutcome{"rules", "rules", "rules", "no-rules", "absent", "not-robots", "not-captured"}
		s := site(name, "none", outcomes[rng.IntN(len(outcomes))])
		acap := rng.IntN(rare) == 0
		if acap {
			s.Class = table.AdoptionClass(numbers.Classes[1+rng.IntN(len(numbers.Classes)-1)])
			s.Conflicts = table.Counts{}
		}
		s.Pages = int64(rng.IntN(3))
		s.PagesHTML, s.PagesACAPMeta = s.Pages, min(s.Pages, int64(rng.IntN(2)))
		if s.Outcome != "not-captured" {
			r.robots = append(r.robots, table.Robots{
				Key: key(name+"/robots.txt", fetched), Site: name, RecordType: "response", Outcome: s.Outcome,
				Selected: true,
			})
		}
		if s.Outcome == "not-robots" && rng.IntN(2) == 0 {
			r.pages = append(r.pages, table.Page{Key: key(name+"/robots.txt", fetched), Site: name,
				ACAPMeta: int64(rng.IntN(2))})
		}
		if s.Outcome == "rules" || s.Outcome == "no-rules" {
			s.REPRules = table.Of(int64(rng.IntN(3)))
			if acap {
				s.ACAPFingerprint = table.Of("aa")
			}
			if acap && *s.REPRules > 0 && rng.IntN(4) > 0 {
				s.REPSameForAll = table.Of(rng.IntN(2) == 0)
			}
			pairs := []string{"*", string(extents[rng.IntN(len(extents))])}
			for _, crawler := range crawlers {
				if rng.IntN(8) == 0 {
					pairs = append(pairs, crawler, string(extents[rng.IntN(len(extents))]))
				}
			}
			r.agents = append(r.agents, agents(name, pairs...)...)
		}
		s.RobotsVocabularies, s.PagesVocabularies = table.Counts{}, table.Counts{}
		for _, v := range []string{"aipref", "content-signal", "noai", "acap", "rep"} {
			if rng.IntN(20) == 0 {
				s.RobotsVocabularies[v] = 2
			}
			if rng.IntN(20) == 0 {
				s.PagesVocabularies[v+" http-header"], s.PagesVocabularies[v+" meta"] = 1, 5
			}
		}
		if rng.IntN(5) == 0 { // an AI preference, with ACAP or without
			decision := []table.Decision{"allowed", "disallowed", "unstated"}[rng.IntN(3)]
			r.permissions = append(r.permissions, table.Permission{Scope: "site", Site: name, Agent: "*",
				Usage:    "train-ai",
				Decision: decision, Extent: table.Of(extents[rng.IntN(len(extents))]), Basis: "ai-robots"})
		}
		if acap {
			for _, crawler := range []string{"*", "ccbot", "gptbot"} {
				if crawler != "*" && rng.IntN(2) == 0 {
					continue
				}
				list := permissions(table.Permission{Scope: "site", Site: name, Agent: crawler, Decision: "allowed",
					Basis: "silence"})
				for j := range list {
					list[j].Extent = table.Of(extents[rng.IntN(len(extents))])
				}
				r.permissions = append(r.permissions, list...)
			}
		}
		if acap {
			for range rng.IntN(4) {
				c := table.Conflict{Site: name, Agent: "*", Usage: "crawl", Winner: "first", Rule: "R-DEC-2",
					Kind:     table.ConflictKind([]string{"acap-rep", "acap-tie", "reading"}[rng.IntN(3)]),
					Severity: table.Severity([]string{"override", "contradiction"}[rng.IntN(2)])}
				s.Conflicts[string(c.Kind)]++
				r.conflicts = append(r.conflicts, c)
			}
		}
		r.sites = append(r.sites, s)
	}
	return r
}

// saved decodes the file that a page offers under a name.
func saved(t *testing.T, page, name string) string {
	t.Helper()
	_, after, found := strings.Cut(page, `download="`+name+`" href="data:`)
	if !found {
		t.Fatalf("the page does not offer %s", name)
	}
	address, _, _ := strings.Cut(after, `"`)
	_, data, _ := strings.Cut(html.UnescapeString(address), ";base64,")
	text, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tableOf reads the numbers of a figure as a reader saves them: by row, then by column.
func tableOf(t *testing.T, page, figure string) (names []string, values map[string]map[string]float64) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(saved(t, page, "acapscan-"+figure+".csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values = map[string]map[string]float64{}
	for _, record := range records[1:] {
		row := map[string]float64{}
		for i, text := range record[1:] {
			column := records[0][i+1]
			if _, double := row[column]; double {
				column += " 2"
			}
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				row[column] = v
			}
		}
		names = append(names, record[0])
		values[record[0]] = row
	}
	return names, values
}

func ratio(n, d int64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(n)/float64(d), 'g', 6, 64), 64)
	return v
}

// Every figure of a page says what the tables say, counted here in another way; of no site, one, a hundred, and a
// hundred thousand.
func TestFiguresAgreeWithTables(t *testing.T) {
	for _, c := range []struct{ sites, rare int }{{0, 1}, {1, 1}, {100, 3}, {100_000, 2500}} {
		t.Run(fmt.Sprint(c.sites), func(t *testing.T) {
			r := invented(c.sites, c.rare)
			page := render(t, collect(t, write(t, defaults, r), Options{}))
			for _, wrong := range []string{"NaN", "%!", "Inf"} {
				if strings.Contains(page, wrong) {
					t.Errorf("the page has %q", wrong)
				}
			}
			if c.sites == 0 {
				if strings.Contains(page, `class="findings"`) || !strings.Contains(page, "No site was seen.") {
					t.Error("a page about nothing has findings")
				}
				return
			}
			adopters := agreeAdoption(t, page, r)
			blocked := agreeAgents(t, page, r)
			contradicting := agreeConflicts(t, page, r)
			agreePages(t, page, r)
			if adopters > 0 {
				agreeHeat(t, page, r)
			}
			var found []string
			for _, part := range regexp.MustCompile(`<li><b>([^<]*)</b><p>`).FindAllStringSubmatch(page, -1) {
				found = append(found, part[1])
			}
			n := int64(c.sites)
			if want := []string{blocked, share(adopters, n), share(contradicting, n)}; !slices.Equal(found, want) {
				t.Errorf("findings %q, want %q", found, want)
			}
		})
	}
}

func agreeAdoption(t *testing.T, page string, r rows) (adopters int64) {
	classes, read := map[string]int64{}, int64(0)
	type domain struct{ with, seen int64 }
	domains, voices := map[string]domain{}, map[string]int64{}
	for _, s := range r.sites {
		classes[string(s.Class)]++
		d := domains["."+*s.HostTLD]
		d.seen++
		if s.Class != "none" {
			adopters++
			d.with++
		}
		domains["."+*s.HostTLD] = d
		if s.Outcome != "rules" && s.Outcome != "no-rules" {
			continue
		}
		read++
		rep, acap := *s.REPRules > 0, s.ACAPFingerprint != nil
		switch {
		case rep && acap:
			voices["both"]++
			switch {
			case s.REPSameForAll == nil:
				voices["were too long to compare"]++
			case *s.REPSameForAll:
				voices["say the same about crawling"]++
			default:
				voices["say different things"]++
			}
		case rep:
			voices["conventional rules alone"]++
		case acap:
			voices["ACAP alone"]++
		default:
			voices["neither"]++
		}
	}
	n := int64(len(r.sites))
	_, values := tableOf(t, page, "vocabulary")
	for vocabulary, row := range values {
		all, pages := int64(0), int64(0)
		for _, s := range r.sites {
			inRobots, inPages := s.RobotsVocabularies[vocabulary] > 0, s.PagesVocabularies[vocabulary+" meta"] > 0
			switch vocabulary {
			case "acap":
				inPages = inPages && s.Class != "none"
				inRobots = s.Class != "none" && (inRobots || !inPages)
			case "rep":
				inRobots = s.REPRules != nil && *s.REPRules > 0
			}
			if inRobots || inPages {
				all++
			}
			if inPages && !inRobots {
				pages++
			}
		}
		if row["Sites"] != float64(all) || row["in pages alone"] != float64(pages) ||
			row["of sites seen"] != ratio(all, n) {
			t.Errorf("vocabulary %s: %v, want %d, %d in pages alone, of %d", vocabulary, row, all, pages, n)
		}
		if vocabulary == "acap" && all != adopters {
			t.Errorf("%d sites with ACAP, and %d in a class of it", all, adopters)
		}
	}
	_, values = tableOf(t, page, "class")
	for class, row := range values {
		if row["Sites"] != float64(classes[class]) || row["of sites seen"] != ratio(classes[class], n) {
			t.Errorf("class %s: %v, want %d of %d", class, row, classes[class], n)
		}
	}
	if read > 0 {
		_, values = tableOf(t, page, "voices")
		for voice, row := range values {
			if row["Sites"] != float64(voices[voice]) || row["of robots.txt read"] != ratio(voices[voice], read) {
				t.Errorf("%s: %v, want %d of %d", voice, row, voices[voice], read)
			}
		}
	}
	names, values := tableOf(t, page, "domain")
	sum := domain{}
	for i, name := range names {
		row, want := values[name], domains[name]
		if name == "all others" {
			want = domain{adopters - sum.with, n - sum.seen}
		}
		sum = domain{sum.with + want.with, sum.seen + want.seen}
		if row["with ACAP"] != float64(want.with) || row["Sites seen"] != float64(want.seen) {
			t.Errorf("domain %s: %v, want %v", name, row, want)
		}
		// An end of Wilson's interval is a share from which the one seen is 1.96 standard deviations away.
		for _, end := range []float64{row["Low"], row["High"]} {
			p := float64(want.with) / float64(want.seen)
			if away := math.Abs(p-end) - 1.959964*math.Sqrt(end*(1-end)/float64(want.seen)); math.Abs(away) > 1e-5 {
				t.Errorf("domain %s: %v is no end of the interval of %v", name, end, want)
			}
		}
		if i > 0 && name != "all others" && row["Low"] > values[names[i-1]]["Low"] {
			t.Errorf("domain %s does not come in its place", name)
		}
	}
	if sum.seen != n || sum.with != adopters {
		t.Errorf("the domains have %v, want %d of %d", sum, adopters, n)
	}
	return adopters
}

func agreeAgents(t *testing.T, page string, r rows) (most string) {
	blocks, seen := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, a := range r.agents {
		tld := "." + *a.HostTLD
		for _, list := range []map[string]map[string]bool{blocks, seen} {
			if list[tld] == nil {
				list[tld] = map[string]bool{}
			}
		}
		seen[tld][a.Site] = true
		if a.Agent != "*" && a.CrawlExtent == "none" {
			blocks[tld][a.Site] = true
		}
	}
	if len(seen) > 0 {
		_, domains := tableOf(t, page, "agents-domain")
		for tld, row := range domains {
			if tld != "all others" &&
				(row["that block one"] != float64(len(blocks[tld])) ||
					row["Sites with a robots.txt"] != float64(len(seen[tld]))) {
				t.Errorf("domain %s: %v, want %d of %d", tld, row, len(blocks[tld]), len(seen[tld]))
			}
		}
	}
	bySite := map[string]map[string]table.Agent{}
	crawlers := map[string]bool{}
	for _, a := range r.agents {
		if bySite[a.Site] == nil {
			bySite[a.Site] = map[string]table.Agent{}
		}
		bySite[a.Site][a.Agent] = a
		crawlers[a.Agent] = true
	}
	n := int64(len(bySite))
	if n == 0 {
		return "–"
	}
	names, values := tableOf(t, page, "agents-blocked")
	if len(names) != len(crawlers) {
		t.Errorf("%d crawlers, want %d", len(names), len(crawlers))
	}
	top := int64(0)
	for crawler := range crawlers {
		var fully, byName, partly int64
		for _, list := range bySite {
			row, own := list[crawler]
			if !own {
				row = list["*"]
			}
			switch row.CrawlExtent {
			case "none":
				fully++
				if own && crawler != "*" {
					byName++
				}
			case "some":
				partly++
			}
		}
		row, known := values[inert(crawler)]
		if !known || row["Blocked fully"] != float64(fully) || row["of them by name"] != float64(byName) ||
			row["Blocked in part"] != float64(partly) || row["of sites"] != ratio(fully, n) ||
			row["of sites 2"] != ratio(partly, n) {
			t.Errorf("crawler %s: %v, want fully %d, by name %d, in part %d of %d", crawler, row, fully, byName,
				partly, n)
		}
		if crawler != "*" {
			top = max(top, fully)
		}
	}
	if len(crawlers) > 1 && values[names[1]]["Blocked fully"] != float64(top) {
		t.Errorf("first comes %s", names[1])
	}
	return share(top, n)
}

func agreeConflicts(t *testing.T, page string, r rows) (contradicting int64) {
	type of struct{ kind, site string }
	contradictions, anywhere := map[of]bool{}, map[string]bool{}
	rowsOf := map[string]float64{}
	for _, c := range r.conflicts {
		contradiction := c.Severity == "contradiction"
		contradictions[of{string(c.Kind), c.Site}] = contradictions[of{string(c.Kind), c.Site}] || contradiction
		anywhere[c.Site] = anywhere[c.Site] || contradiction && c.Kind != "reading"
		rowsOf[string(c.Kind)]++
	}
	sites, with := map[string]float64{}, map[string]float64{}
	for at, contradiction := range contradictions {
		sites[at.kind]++
		if contradiction {
			with[at.kind]++
		}
	}
	for _, contradicts := range anywhere {
		if contradicts {
			contradicting++
		}
	}
	if len(r.conflicts) == 0 {
		return 0
	}
	names, values := tableOf(t, page, "kinds")
	if len(names) != len(sites) {
		t.Errorf("%d kinds, want %d", len(names), len(sites))
	}
	for kind, row := range values {
		if row["Sites"] != sites[kind] || row["with a contradiction"] != with[kind] ||
			row["with overrides alone"] != sites[kind]-with[kind] || row["Conflicts"] != rowsOf[kind] {
			t.Errorf("kind %s: %v, want %v sites, %v with a contradiction, %v rows", kind, row, sites[kind], with[kind],
				rowsOf[kind])
		}
	}
	return contradicting
}

// A page in the place of a robots.txt is counted where the page speaks of META, and its site is not said to be without
// a capture.
func agreePages(t *testing.T, page string, r rows) {
	var pages, metas, instead, insteadWith int64
	outcomes := map[string]float64{}
	for _, s := range r.sites {
		pages, metas = pages+s.Pages, metas+s.PagesACAPMeta
		outcomes[string(s.Outcome)]++
	}
	for _, c := range r.robots {
		if c.Outcome == "not-robots" {
			instead++
		}
	}
	for _, p := range r.pages {
		if p.ACAPMeta > 0 {
			insteadWith++
		}
	}
	_, values := tableOf(t, page, "outcomes")
	for _, outcome := range terms.Names[terms.RobotsOutcome]() {
		if values[outcome]["Sites"] != outcomes[outcome] {
			t.Errorf("outcome %s: %v, want %v", outcome, values[outcome], outcomes[outcome])
		}
	}
	if pages+instead == 0 {
		return
	}
	_, values = tableOf(t, page, "pages")
	if values["ACAP META"]["Number"] != float64(metas) ||
		values["ACAP META, in place of robots.txt"]["Number"] != float64(insteadWith) {
		t.Errorf("pages %v, want %d with META and %d in place of robots.txt", values, metas, insteadWith)
	}
	if want := "An ACAP META is in " + among(metas+insteadWith, pages+instead, "page capture"); !strings.Contains(page,
		want) {
		t.Errorf("the page does not say %q", want)
	}
}

func agreeHeat(t *testing.T, page string, r rows) {
	nowhere, subjects := map[[3]string]bool{}, map[string]bool{}
	own := map[[2]string]bool{}
	preferring, decisions := 0.0, map[string]float64{}
	for _, p := range r.permissions {
		nowhere[[3]string{p.Site, p.Agent, string(p.Usage)}] = *p.Extent == "none"
		own[[2]string{p.Site, p.Agent}] = true
		if p.Usage == "crawl" {
			subjects[p.Site] = true
		}
		if p.Usage == "train-ai" {
			preferring++
			decisions[string(p.Decision)]++
		}
	}
	if preferring > 0 {
		_, values := tableOf(t, page, "preferences")
		row := values["train-ai"]
		for decision, n := range decisions {
			if row[decision] != n {
				t.Errorf("train-ai is %s in %v, want %v", decision, row, n)
			}
		}
		if row["Sites"] != preferring || !strings.Contains(page,
			plural(int64(preferring), "site")+" that state an AI") {
			t.Errorf("train-ai: %v, want %v sites", row, preferring)
		}
	}
	names, values := tableOf(t, page, "usage-by-agent")
	if !slices.Equal(names, acapUsages()) {
		t.Errorf("usages %v", names)
	}
	for usage, row := range values {
		for crawler, got := range row {
			var n int64
			for s := range subjects {
				agent := crawler
				if !own[[2]string{s, agent}] {
					agent = "*"
				}
				if nowhere[[3]string{s, agent, usage}] {
					n++
				}
			}
			if want := ratio(n, int64(len(subjects))); got != want {
				t.Errorf("%s for %s: %v, want %v", usage, crawler, got, want)
			}
		}
	}
}

func acapUsages() (names []string) {
	for _, usage := range terms.UsagesOf(terms.FamilyACAP) {
		names = append(names, usage.String())
	}
	return names
}

// A saved figure is a whole SVG with its own style: nothing in it refers to the page.
func TestSavedFiguresAreWhole(t *testing.T) {
	page := render(t, collect(t, write(t, defaults, example()), Options{}))
	files := regexp.MustCompile(`download="([^"]*\.svg)"`).FindAllStringSubmatch(page, -1)
	if len(files) < 10 {
		t.Errorf("%d figures can be saved", len(files))
	}
	for _, file := range files {
		svg := saved(t, page, file[1])
		decoder := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file[1], err)
			}
		}
		if !strings.Contains(svg, "<style>") || strings.Contains(svg, "var(--") || strings.Contains(svg, "…") {
			t.Errorf("%s depends on the page, or has a label that is cut", file[1])
		}
	}
}

// A spreadsheet must not compute what a site wrote.
func TestSavedTextIsNoFormula(t *testing.T) {
	for text, want := range map[string]string{"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "": "",
		"a=1": "a=1", "*": "*"} {
		if got := inert(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Three or more equal bars are one.
func TestEqualBarsAreOne(t *testing.T) {
	r := rows{crawl: "local", subset: "warc", sites: []table.Adoption{site("http://a.example", "beyond-rep", "rules")},
		permissions: permissions(table.Permission{Scope: "site", Site: "http://a.example", Agent: "*",
			Extent: table.Of[table.Extent]("none"), Decision: "disallowed", Basis: "acap-robots"})}
	r.permissions[0].Decision, r.permissions[0].Extent = "allowed", table.Of[table.Extent]("all")
	page := render(t, collect(t, write(t, defaults, r), Options{}))
	usages := acapUsages()
	alike := fmt.Sprintf("%s and %d more alike", usages[1], len(usages)-2)
	for _, figure := range []string{"sites", "extents", "usage-by-agent"} {
		if svg := saved(t, page, "acapscan-"+figure+".svg"); !strings.Contains(svg, alike) ||
			strings.Contains(svg, ">"+usages[2]) {
			t.Errorf("figure %s does not draw equal rows as one: %s", figure, svg)
		}
		if names, _ := tableOf(t, page, figure); len(names) != len(usages) {
			t.Errorf("the table of figure %s has %d rows", figure, len(names))
		}
	}
}
