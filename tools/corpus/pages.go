package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxPage excludes pages that Common Crawl would cut (1 MiB), in bytes.
const maxPage = 1 << 20

// An addition is markup of crawled pages that documentation lacks. Shares are of pages, in ten thousandths. Additions
// of one table exclude each other.
type addition struct {
	share int
	text  string
}

// headAdditions follow the start tag of the head. A tenth of all pages has conventional METAs, and one in a thousand
// ACAP: more than in any crawl, so that the output is not empty.
var headAdditions = []addition{
	{400, `<meta name="robots" content="index, follow">`},
	{180, `<meta name="robots" content="index, follow, max-image-preview:large, max-snippet:-1, ` +
		`max-video-preview:-1" />`},
	{120, `<META NAME="ROBOTS" CONTENT="INDEX,FOLLOW">`},
	{120, `<meta name="robots" content="noindex,nofollow">`},
	{80, `<meta name='robots' content='max-image-preview:large' />`},
	{60, `<meta content="noindex, follow" name="robots"/>`},
	{20, `<meta name="robots" content="noarchive">`},
	{20, `<meta name="googlebot" content="noindex">`},
	{5, `<META name="robots" content="ACAP disallow-index">`},
	{3, `<meta name="robots" content="ACAP allow-index time-limit=until-recrawled"><meta name="robots" ` +
		`content="index">`},
	{2, `<meta name="searchbot" content="ACAP disallow-present">`},
}

// bodyAdditions follow the start tag of the body.
var bodyAdditions = []addition{
	{5, `<div class="note the-acap:disallow-present-snippet" id="n1">Not to be quoted.</div>`},
}

// headerAdditions are fields of the answer.
var headerAdditions = []addition{
	{60, "X-Robots-Tag: noindex, nofollow"},
	{30, "X-Robots-Tag: max-image-preview:large"},
	{10, "X-Robots-Tag: googlebot: noarchive"},
}

// pick returns a random addition, or "".
func pick(rng *rand.Rand, list []addition) string {
	n := rng.IntN(10_000)
	for _, a := range list {
		if n < a.share {
			return a.text
		}
		n -= a.share
	}
	return ""
}

// htmlFiles lists the HTML files below a folder, in order.
func htmlFiles(folder string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".html", ".htm", ".xhtml":
		default:
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil // links lead to files that are read anyway
		}
		if info, err := entry.Info(); err != nil {
			return err
		} else if info.Size() <= maxPage {
			found = append(found, path)
		}
		return nil
	})
	return found, err
}

// writePages writes every page once, in random order, so that all archives are similar.
func writePages(f flags) error {
	files, err := htmlFiles(f.pages)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("the folder %s has no HTML files", f.pages)
	}
	slices.Sort(files)
	rng := rand.New(rand.NewPCG(1, 2023))
	rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	if f.max > 0 {
		files = files[:min(f.max, len(files))]
	}
	list, err := archives(f.out, "warc", f.files)
	if err != nil {
		return err
	}
	// Sites have two pages on average, and few have many, as in a crawl.
	sites := max(1, len(files)/2)
	for i, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(f.pages, file)
		if err != nil {
			return err
		}
		site := int(float64(sites) * rng.Float64() * rng.Float64())
		x := page(rng, fmt.Sprintf("https://www.site%05d.example/%s", site, escapePath(filepath.ToSlash(below))), body)
		if err := list[i%len(list)].capture(x); err != nil {
			return err
		}
	}
	return closeAll(list)
}

// escapePath percent-encodes a path for a URL.
func escapePath(path string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "#", "%23", "?", "%3F", "<", "%3C", ">", "%3E", "\"",
		"%22").Replace(path)
}

// page returns the capture of a page.
func page(rng *rand.Rand, url string, body []byte) exchange {
	body = insert(body, "<head", pick(rng, headAdditions))
	body = insert(body, "<body", pick(rng, bodyAdditions))
	at := time.Date(2023, 3, 20, 8, 35, 13, 0, time.UTC).Add(time.Duration(rng.IntN(10_800)) * time.Second)
	header := []string{
		"Date: " + at.Format("Mon, 02 Jan 2006 15:04:05 GMT"), "Content-Type: text/html; charset=utf-8",
		"X-Crawler-Transfer-Encoding: chunked", "Connection: keep-alive", "Vary: Accept-Encoding",
		"Last-Modified: " + at.Add(-9*time.Hour).Format("Mon, 02 Jan 2006 15:04:05 GMT"), "Cache-Control: max-age=600",
		fmt.Sprintf("Set-Cookie: session=%016x; path=/; HttpOnly", rng.Uint64()), "X-Content-Type-Options: nosniff",
		fmt.Sprintf("CF-RAY: %016x-IAD", rng.Uint64()), "Server: " + servers[rng.IntN(len(servers))],
	}
	if rng.IntN(10) < 7 {
		header = append(header, "X-Crawler-Content-Encoding: "+[]string{"gzip", "br"}[rng.IntN(2)])
	}
	if field := pick(rng, headerAdditions); field != "" {
		header = append(header, field)
	}
	header = append(header, fmt.Sprintf("Content-Length: %d", len(body)))
	return exchange{
		url: url, address: fmt.Sprintf("192.0.2.%d", rng.IntN(256)), status: "200 OK", header: header, body: body,
		identify: "text/html",
		language: fmt.Sprintf(`{"reliable":true,"text-bytes":%d,"languages":[{"code":"en","code-iso-639-3":"eng",`+
			`"text-covered":0.%02d,"score":%d.0,"name":"ENGLISH"}]}`, len(body)/3, 50+rng.IntN(50), 300+rng.IntN(1000)),
		millis: 40 + rng.IntN(2000),
	}
}

var servers = []string{"nginx", "Apache", "cloudflare", "Apache/2.4.41 (Ubuntu)", "nginx/1.18.0 (Ubuntu)",
	"Microsoft-IIS/10.0", "LiteSpeed"}

// insert inserts text after the first start tag with that beginning, if there is one.
func insert(page []byte, tag, text string) []byte {
	if text == "" {
		return page
	}
	for from := 0; ; {
		i := bytes.Index(page[from:], []byte(tag))
		if i < 0 {
			return page
		}
		i += from + len(tag)
		if i < len(page) && (page[i] == '>' || page[i] == ' ' || page[i] == '\n') {
			end := bytes.IndexByte(page[i:], '>')
			if end < 0 {
				return page
			}
			return slices.Concat(page[:i+end+1], []byte(text), page[i+end+1:])
		}
		from = i // <header
	}
}
