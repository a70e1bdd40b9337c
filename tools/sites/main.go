// Command sites writes generated facts, to measure stage 2 at any size. It writes page captures of sites of very
// different sizes (Zipf), a robots.txt for seven sites in ten, redirects between hosts, ACAP on a few sites in a
// thousand, and METAs and header fields on every page. The same options give the same facts.
package main

import (
	"context"
	"crypto/sha1"
	"encoding/base32"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/parallel"
	"github.com/acapscan/acapscan/output/arrow"
)

// A corpus has the values of the flags.
type corpus struct {
	pages, sites int
	acap         int // sites in a thousand
	redirects    int // sites in ten
	oneSite      bool
	folder       string
	streams      bool
}

// The facts of one archive have this many page captures or sites.
const (
	pagesInInput = 30_000
	sitesInInput = 30_000
)

func main() {
	log.SetFlags(0)
	var c corpus
	flag.IntVar(&c.pages, "pages", 2_000_000, "page captures with a row")
	flag.IntVar(&c.sites, "sites", 100_000, "sites")
	flag.IntVar(&c.acap, "acap", 3, "sites with ACAP, in a thousand")
	flag.IntVar(&c.redirects, "redirects", 1, "sites whose robots.txt redirects to another host, in ten; at most eight")
	flag.BoolVar(&c.oneSite, "one-site", false, "all pages on the first site, which has ACAP")
	flag.StringVar(&c.folder, "o", "", "folder for the facts")
	flag.BoolVar(&c.streams, "streams", false,
		"in addition to the facts of each input, the same facts as an Arrow stream, which other programs read")
	flag.Parse()
	if c.folder == "" || c.pages < 0 || c.sites < 1 || c.redirects < 0 || c.redirects > 8 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := c.write(); err != nil {
		log.Fatal("sites: ", err)
	}
}

// write writes the facts of all inputs concurrently.
func (c *corpus) write() error {
	if err := os.MkdirAll(c.folder, 0o755); err != nil {
		return err
	}
	robots, pages := (c.sites+sitesInInput-1)/sitesInInput, (c.pages+pagesInInput-1)/pagesInInput
	return parallel.Run(context.Background(), runtime.GOMAXPROCS(0), robots+pages,
		func(context.Context) parallel.Worker {
			return parallel.Worker{Do: func(i int) error { return c.input(i, i-robots) }}
		})
}

// input writes the facts of an input: of robots.txt files if page is negative, else of pages.
func (c *corpus) input(i, page int) error {
	base := filepath.Join(c.folder, fmt.Sprintf("%06d", i))
	w := &input{Writer: facts.Create(base, facts.WriterOptions{CreatedBy: "sites"}), corpus: c,
		random: rand.New(rand.NewPCG(7, uint64(i))), counts: map[int]int64{}}
	if c.streams {
		file, err := os.Create(base + ".arrows")
		if err != nil {
			return err
		}
		defer file.Close() // after the end of the stream, whose error counts
		if w.stream, err = arrow.NewWriter[facts.Fact](file, facts.StreamMetadata()); err != nil {
			return err
		}
	}
	w.subset, w.name = "robotstxt", fmt.Sprintf("crawl/robotstxt/SITES-%05d.warc.gz", i)
	if page >= 0 {
		w.subset, w.name = "warc", fmt.Sprintf("crawl/warc/SITES-%05d.warc.gz", page)
		w.pages(min(pagesInInput, c.pages-page*pagesInInput))
	} else {
		for site := i * sitesInInput; site < min(c.sites, (i+1)*sitesInInput); site++ {
			w.robots(site)
		}
	}
	for _, site := range w.sites() {
		n := w.counts[site]
		w.add(facts.Fact{Kind: facts.KindSite, Site: name(site), Counts: []facts.Count{
			{Name: facts.CountCaptures, Value: n}, {Name: facts.CountHTML, Value: n},
			{Name: facts.CountMetaPrefix + "noindex", Value: n},
			{Name: facts.CountPages, Value: n}, {Name: facts.CountStatusPrefix + "2xx", Value: n},
		}})
	}
	w.add(facts.Fact{Kind: facts.KindInput, InputBytes: w.offset,
		Counts: []facts.Count{{Name: facts.CountRecords, Value: w.offset / 1000}}})
	if w.stream != nil && w.err == nil {
		w.err = w.stream.Close()
	}
	if w.err != nil {
		return w.err
	}
	return w.Close()
}

// An input is the input under construction.
type input struct {
	*facts.Writer
	stream       *arrow.Writer[facts.Fact] // nil: none
	corpus       *corpus
	random       *rand.Rand
	subset, name string
	offset       int64
	counts       map[int]int64 // pages by site
	err          error
}

func (w *input) add(f facts.Fact) {
	f.Crawl, f.Subset, f.Filename, f.SiteHash = "SITES-2026-47", w.subset, w.name, facts.HashSite(f.Site)
	if f.URL != "" {
		w.offset += 1000
		f.RecordOffset, f.RecordLength, f.RecordType = w.offset, 1000, "response"
	}
	if err := w.Write(&f); w.err == nil {
		w.err = err
	}
	if w.stream != nil && w.err == nil {
		w.err = w.stream.Write([]facts.Fact{f})
	}
}

// name returns the site with this number. A third have no www.
func name(site int) string {
	scheme, www := "https", "www."
	if site%5 == 0 {
		scheme = "http"
	}
	if site%3 == 0 {
		www = ""
	}
	return fmt.Sprintf("%s://%ssite%d.%s", scheme, www, site, []string{"com", "org", "de", "co.uk", "fr"}[site%5])
}

func (c *corpus) hasACAP(site int) bool { return site*7919%1000 < c.acap }

func (w *input) time() int64 { return 1_700_000_000_000 + w.random.Int64N(14*86_400_000) }

// robots writes the result of a request for a site's robots.txt.
func (w *input) robots(site int) {
	f := facts.Fact{Kind: facts.KindRobots, Site: name(site), URL: name(site) + "/robots.txt", FetchTime: w.time(),
		FetchStatus: 200, MimeType: "text/plain"}
	switch answer := w.random.IntN(10); {
	case answer == 0:
		f.FetchStatus = 404
	case answer == 1:
		f.FetchStatus = 503
	case answer < 2+w.corpus.redirects: // redirects to another host
		f.FetchStatus, f.FetchRedirect = 301, name((site+1)%w.corpus.sites)+"/robots.txt"
	default:
		body := w.body(site)
		sum := sha1.Sum([]byte(body))
		f.Body, f.BodyBytes, f.ContentDigest = []byte(body), int64(len(body)), base32.StdEncoding.EncodeToString(sum[:])
	}
	w.add(f)
}

func (w *input) body(site int) string {
	var b strings.Builder
	if w.corpus.hasACAP(site) {
		b.WriteString("##ACAP version=1.0\nACAP-crawler: *\nACAP-disallow-crawl: /private/\n" +
			"ACAP-allow-index: / time-limit=30-days\nACAP-disallow-preserve: /archive/\n")
	}
	b.WriteString("User-agent: *\n")
	for range 1 + w.random.IntN(20) {
		fmt.Fprintf(&b, "Disallow: /%s/\n", words[w.random.IntN(len(words))])
	}
	fmt.Fprintf(&b, "\nUser-agent: %s\nDisallow: /\nSitemap: %s/sitemap.xml\n", words[w.random.IntN(len(words))],
		name(site))
	return b.String()
}

var words = strings.Fields("admin search private cart account login cgi-bin wp-admin tmp print feed archive media " +
	"static api user news tag")

// pages writes page captures.
func (w *input) pages(n int) {
	zipf := rand.NewZipf(w.random, 1.1, 20, uint64(w.corpus.sites-1))
	for range n {
		site := int(zipf.Uint64())
		if w.corpus.oneSite {
			site = 0
		}
		w.counts[site]++
		number := w.random.Int64N(1 << 40)
		meta := []string{"noindex", "noindex,nofollow", "noarchive", "NOINDEX, FOLLOW", "nosnippet"}[w.random.IntN(5)]
		f := facts.Fact{
			Kind: facts.KindPage, Site: name(site), FetchTime: w.time(), FetchStatus: 200, MimeType: "text/html",
			MimeDetected: "text/html",
			URL: fmt.Sprintf("%s/%s/%x/%s.html?id=%d", name(site), words[number%17], number, words[number%11],
				number%1000),
			ParsedAs: facts.ParsedHTML, Charset: "utf-8", ContentDigest: fmt.Sprintf("%032d", number),
			Directives: []facts.Directive{{
				Carrier: facts.CarrierMeta, Offset: 200 + number%500, Name: "robots", Value: meta,
				Raw: fmt.Sprintf(`<meta name="robots" content="%s">`, meta),
			}},
		}
		if number%9 == 0 {
			f.Directives = append(f.Directives, facts.Directive{Carrier: facts.CarrierHeader, Name: "X-Robots-Tag",
				Value: "noarchive", Raw: "X-Robots-Tag: noarchive"})
		}
		if w.corpus.hasACAP(site) && number%4 == 0 {
			f.Directives = append(f.Directives, facts.Directive{
				Carrier: facts.CarrierMeta, Offset: 900, Name: "robots", Value: "ACAP disallow-preserve",
				Raw: `<meta name="robots" content="ACAP disallow-preserve">`,
			})
		}
		w.add(f)
	}
}

// sites returns the sites with pages, in order.
func (w *input) sites() []int {
	var list []int
	for site := range w.counts {
		list = append(list, site)
	}
	slices.Sort(list)
	return list
}
