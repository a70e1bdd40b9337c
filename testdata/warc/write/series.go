package main

import "strings"

// addSeries adds three crawls of the same newspapers: who adopts ACAP, who keeps it, forgets it, drops it, and what comes instead.
func addSeries(c *collection) {
	for _, year := range []string{"2008", "2009", "2011"} {
		crawl := "COAST-" + year + "-48"
		folder := "series/crawl-data/" + crawl + "/segments/" + year + "1120/"
		w := c.newWARC(folder+"robotstxt/"+crawl+"-robotstxt-00000.warc.gz", year+"-11-20", year+": the newspapers of a coast")
		for _, paper := range coast() {
			if v, seen := paper.visits[year]; seen {
				v.add(w, "http://"+paper.host)
			}
		}
		w.done()
		w = c.newWARC(folder+"warc/"+crawl+"-warc-00000.warc.gz", year+"-11-21", year+": their pages")
		for _, paper := range coast() {
			if v, seen := paper.visits[year]; seen && v.pages != "" {
				scheme := "http://"
				if v.moved {
					scheme = "https://"
				}
				w.capture(scheme+paper.host+"/", htmlPage("News of the coast", v.pages, "<p>High water at noon.</p>"))
				w.capture(scheme+paper.host+"/tides.html", htmlPage("Tides", v.pages, "<p>Low water at six.</p>"))
			}
		}
		w.done()
	}
}

// A newspaper is a host that is visited in some years.
type newspaper struct {
	host   string
	visits map[string]visit
}

// A visit is what a newspaper's robots.txt and pages were at one time.
type visit struct {
	robots  string // body, where the answer is 200
	status  string // of another answer
	moved   bool   // http redirects to https, and https answers
	pages   string // METAs of its two pages; empty: none was captured
	outcome string
	class   string
	shows   string
}

func (v visit) add(w *warc, name string) {
	switch {
	case v.status != "":
		w.capture(name+"/robots.txt", failure(v.status))
		w.expect(name, v.outcome, v.class, v.shows)
	case v.moved:
		secure := strings.Replace(name, "http:", "https:", 1)
		w.capture(name+"/robots.txt", redirect(secure+"/robots.txt"))
		w.expect(name, v.outcome, v.class, "redirect to https")
		w.robots(secure, v.robots, v.outcome, v.class, v.shows)
	default:
		w.robots(name, v.robots, v.outcome, v.class, v.shows)
	}
}

const (
	coastREP   = "User-agent: *\nDisallow: /cgi-bin/\nDisallow: /print/\n"
	coastACAP  = "ACAP-crawler: *\nACAP-disallow-crawl: /cgi-bin/\nACAP-disallow-crawl: /print/\n"
	coast10    = "##ACAP version=1.0\n"
	coast11    = "##ACAP version=1.1\n"
	noCopies   = "ACAP-disallow-preserve: /\nACAP-disallow-present-currentcopy: /\nACAP-disallow-present-oldcopy: /\n"
	reserves   = "# All rights reserved.\nLicense: http://east.buoy.example/license.xml\n"
	plainPages = `<meta name="description" content="News of the coast">`
)

func coast() []newspaper {
	says := func(body, class, shows string) visit {
		return visit{robots: body, outcome: rules, class: class, shows: shows}
	}
	silent := says(coastREP, none, "no ACAP")
	mirror := says(coast10+coastREP+"\n"+coastACAP, mirrors, "a copy of the conventional rules")
	template := says(coast10+coastREP+"\n"+coastACAP+noCopies, beyond, "the file of its group: no copies")
	with := func(v visit, pages string) visit { v.pages = pages; return v }
	kept := func(v visit, shows string) visit { v.shows = shows; return v }
	limited := coast10 + coastREP + "\n" + coastACAP + "ACAP-disallow-other: /\nACAP-allow-preserve: / time-limit=until-2010-06-30\nACAP-allow-index: /\nACAP-allow-present: /\nACAP-allow-follow: /\n"

	return []newspaper{
		{"www.morning-tide.example", map[string]visit{
			"2008": with(silent, plainPages),
			"2009": with(kept(mirror, "adopts: a copy of the conventional rules"), plainPages),
			"2011": with(says(coast11+coastREP+"\n"+coastACAP+noCopies+"ACAP-allow-present-snippet: / max-length=40-words\n", beyond, "goes on to say what conventional rules cannot"), plainPages),
		}},
		{"www.gull-gazette.example", map[string]visit{
			"2008": mirror,
			"2009": kept(mirror, "the same file"),
			"2011": says(coast10+coastREP+"Disallow: /comments/\nDisallow: /search\n\n"+coastACAP, differs, "the conventional rules have grown, ACAP is as it was"),
		}},
		{"www.breakwater.example", map[string]visit{
			"2008": says("##ACAP version=0.2\n"+coastREP+"\n"+coastACAP+"ACAP-disallow-preserve: /archive/\n", beyond, "the pilot"),
			"2009": says(coast10+coastREP+"\n"+coastACAP+"ACAP-disallow-preserve: /\n", beyond, "keeps ACAP, rewritten"),
			"2011": kept(silent, "has dropped it"),
		}},
		{"www.capstan.example", map[string]visit{
			"2008": with(silent, plainPages),
			"2009": with(says(coastREP, beyond, "adopts ACAP in its pages alone"), `<meta name="robots" content="ACAP disallow-preserve">`+"\n"+`<meta name="robots" content="ACAP disallow-present-currentcopy">`),
			"2011": with(kept(silent, "says it in a conventional META now"), `<meta name="robots" content="noarchive">`),
		}},
		{"www.slipway.example", map[string]visit{
			"2008": says(limited, beyond, "a permission with an end"),
			"2009": {status: "503 Service Unavailable", outcome: unreachable, class: none, shows: "down: nobody knows what it would have said"},
			"2011": says(limited, beyond, "the same file: the permission has expired"),
		}},
		{"www.pilot-boat.example", map[string]visit{
			"2008": says(coast10+coastREP, markerOnly, "a version and nothing else"),
			"2009": says(coast10+coastREP+"\nACAP-crawler: *\n", withoutRule, "a record without rules"),
			"2011": {status: "404 Not Found", outcome: absent, class: none, shows: "no robots.txt any more"},
		}},
		{"www.lightship.example", map[string]visit{
			"2008": mirror,
			"2009": kept(mirror, "the same file"),
			"2011": {robots: mirror.robots, moved: true, outcome: rules, class: mirrors, shows: "moved to https, with the same file"},
		}},
		{"north.buoy.example", map[string]visit{"2008": silent, "2009": template, "2011": template}},
		{"south.buoy.example", map[string]visit{"2008": silent, "2009": template, "2011": template}},
		{"east.buoy.example", map[string]visit{"2008": silent, "2009": template, "2011": says(reserves+coastREP, none, "has left ACAP for a newer vocabulary")}},
		{"www.mooring.test", map[string]visit{"2008": with(silent, plainPages), "2009": with(silent, plainPages), "2011": with(silent, `<meta name="robots" content="noarchive">`)}},
		{"www.sandbank.test", map[string]visit{"2008": silent, "2009": silent, "2011": silent}},
		{"www.wreck.example", map[string]visit{"2008": silent}},
		{"www.newcomer.test", map[string]visit{"2011": says(coast11+coastREP+"\n"+coastACAP+"ACAP-disallow-index: /letters/\n", beyond, "not visited before")}},
	}
}
