package acap

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// realFiles is the folder of third-party files with ACAP, next to the repository; it is no part of the project.
var realFiles = filepath.Join("..", "..", "..", "shared", "data", "acap")

// readReal returns a real file, or skips the test.
func readReal(t *testing.T, folder, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(realFiles, folder, name))
	if os.IsNotExist(err) {
		t.Skip("the real files are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// The counts are those of `grep -c`, not of this program.
func TestRealRobots(t *testing.T) {
	for _, test := range []struct {
		file            string
		version         string
		records         int
		allow, disallow int
		findings        []policy.Defect // once each, in order
	}{
		{"anubhavp28-2019_www.independent.ie.txt", "1.0", 1, 0, 19, nil},
		{"isi-2019_doi.org.txt", "1.0", 1, 0, 9, nil},
		{"isi-2019_vulvodynia.pl.txt", "1.0", 1, 1, 7, []policy.Defect{policy.DefectConventional}},
		{"top1m-2017_1065-corriere.it.txt", "1.0", 1, 0, 7, []policy.Defect{policy.DefectConventional}},
		{"top1m-2017_1203-ria.ru.txt", "1.0", 0, 0, 0, nil},
		{"top1m-2017_127444-essexchronicle.co.uk.txt", "", 1, 0, 19, nil},
		{"top1m-2017_131891-the-acap.org.txt", "1.1", 2, 1, 1, []policy.Defect{policy.DefectSeveralAny}},
		{"top1m-2017_151-wsj.com.txt", "", 2, 0, 64, []policy.Defect{policy.DefectCrawlerName}},
		{"top1m-2017_17162-ufm.dk.txt", "", 1, 0, 51, nil},
		{"top1m-2017_23227-rsport.ru.txt", "1.0", 1, 0, 1, nil},
		{"top1m-2017_24496-pressdisplay.com.txt", "1.0", 1, 0, 0,
			[]policy.Defect{policy.DefectNoRules, policy.DefectConventional}},
		{"top1m-2017_30609-jp.dk.txt", "1.1", 1, 0, 6, nil},
		{"top1m-2017_313-doi.org.txt", "1.0", 1, 0, 9, nil},
		{"top1m-2017_36105-aok.dk.txt", "1.0", 1, 0, 38, nil},
		{"top1m-2017_4651-barrons.com.txt", "", 1, 0, 10, nil},
		{"top1m-2017_50182-berlingske.dk.txt", "", 1, 0, 22, nil},
		{"top1m-2017_56566-herald.ie.txt", "1.0", 1, 0, 8, nil},
		{"top1m-2017_7164-belfasttelegraph.co.uk.txt", "1.0", 1, 0, 17, nil},
		{"top1m-2017_8167-jyllands-posten.dk.txt", "1.1", 1, 0, 6, nil},
		{"top1m-2017_88643-ilsole24ore.it.txt", "1.0", 1, 1, 1, nil},
		{"top1m-2017_95895-biochemistry.org.txt", "1.0", 1, 0, 0,
			[]policy.Defect{policy.DefectAnyWithNamed, policy.DefectNoRules}},
	} {
		t.Run(test.file, func(t *testing.T) {
			f := &policy.File{}
			ReadRobots(robotstxt.Parse(readReal(t, "robots", test.file), robotstxt.Options{}), Options{}, f)
			check(t, "version", test.version, f.Version.Text)
			check(t, "records", test.records, f.Records)
			counts := map[policy.Sense]int{}
			for _, s := range f.Statements {
				counts[s.Sense]++
				if s.Status != policy.Valid || s.Usage != policy.Crawl {
					t.Errorf("got %s", show(s))
				}
			}
			check(t, "allow", test.allow, counts[policy.Allow])
			check(t, "disallow", test.disallow, counts[policy.Disallow])
			var findings []policy.Defect
			for _, finding := range f.Findings {
				findings = appendOnce(findings, finding.Defect)
			}
			less := map[policy.Defect]int{}
			for _, d := range findings {
				less[d]++
			}
			for _, d := range test.findings {
				less[d]--
			}
			for d, n := range less {
				if n != 0 {
					t.Errorf("findings %v, want %v (%s)", findings, test.findings, d)
				}
			}
		})
	}
}

func TestRealRobotsNBSP(t *testing.T) {
	f := &policy.File{}
	ReadRobots(robotstxt.Parse(readReal(t, "robots", "top1m-2017_131891-the-acap.org.txt"), robotstxt.Options{}),
		Options{}, f)
	check(t, "statements", []string{"9.1 acap-allow-crawl /", "13.1 acap-disallow-crawl /files/ !nbsp",
		"line 11: several-any-records"}, showFile(f))
}

// One template on two hosts has one fingerprint; two templates have two.
func TestRealFingerprints(t *testing.T) {
	fingerprint := func(name string) string {
		f := &policy.File{}
		ReadRobots(robotstxt.Parse(readReal(t, "robots", name), robotstxt.Options{}), Options{}, f)
		return Fingerprint(f.Statements)
	}
	jp, posten := fingerprint("top1m-2017_30609-jp.dk.txt"), fingerprint("top1m-2017_8167-jyllands-posten.dk.txt")
	if jp == "" || jp != posten {
		t.Errorf("jp.dk %q, jyllands-posten.dk %q", jp, posten)
	}
	if herald := fingerprint("top1m-2017_56566-herald.ie.txt"); herald == jp {
		t.Error("herald.ie has the fingerprint of jp.dk")
	}
	check(t, "marker alone", "", fingerprint("top1m-2017_1203-ria.ru.txt"))
}

// metaTag finds the METAs of these three files, which is all that this test needs of HTML.
var metaTag = regexp.MustCompile(`(?i)<meta\s+name="([^"]*)"\s+content="([^"]*)"`)

func TestRealPages(t *testing.T) {
	for _, test := range []struct {
		file string
		want []string
	}{
		{"find_string_smh.com.au_2013_head.html", []string{
			"acap-allow-index", "acap-allow-follow", "acap-disallow-preserve",
			"acap-allow-present {prohibited-modification=annotation}"}},
		{"top1m-2017_20529-emirates247.com.txt.html", []string{"acap-allow-index"}},
		{"top1m-2017_96051-alpsp.org.txt.html", nil},
	} {
		t.Run(test.file, func(t *testing.T) {
			var markup []policy.Markup
			for _, m := range metaTag.FindAllStringSubmatch(string(readReal(t, "html", test.file)), -1) {
				markup = append(markup, meta(0, m[1], m[2]))
			}
			p := page(nil, Options{}, markup...)
			var got []string
			for i, s := range p.Statements {
				check(t, "part", i+1, s.Part)
				s.Part = 1
				got = append(got, show(s)[len("0.1 "):])
			}
			check(t, "statements", test.want, got)
			check(t, "acap-text", 0, p.ACAPText)
		})
	}
}
