package main

import (
	"fmt"
	"sort"
	"strings"
)

// This file writes robots.txt that are distributed as real ones are, one response a site. The figures are those of
// 7,977 files that were drawn at random from a crawl of 101,698 sites in 2017; no text of theirs is here.
// TestLikeRealFiles compares what is written with them.

// Shares of all answers, in ten thousandths. The rest are files that no other site has.
const (
	shareHTML     = 771 // pages in place of a robots.txt; they have four fifths of all bytes
	shareEmpty    = 939
	shareTemplate = 565  // the most frequent file
	shareSecond   = 234  // the next
	shareOthers   = 1374 // of otherTemplates that several sites have
)

const otherTemplates = 200

// shareCRLF of plain files have CRLF.
const shareCRLF = 2494

const halfLine = 20

// A quantile is the size in bytes that a share of the files does not exceed.
type quantile struct {
	share float64
	size  int
}

var plainSizes = []quantile{
	{0, 1}, {.1, 55}, {.2, 83}, {.3, 120}, {.4, 166}, {.5, 247}, {.6, 369}, {.7, 574}, {.8, 955}, {.9, 1994},
	{.95, 3816}, {.98, 7785}, {.99, 15549}, {.995, 27217}, {.999, 207541}, {1, 331433},
}

var templateSizes = []quantile{{0, 10}, {.25, 26}, {.5, 69}, {.75, 575}, {1, 15293}}

var htmlSizes = []quantile{
	{0, 13}, {.1, 1934}, {.25, 8631}, {.5, 32892}, {.75, 70276}, {.9, 138939}, {.98, 228318}, {1, 400000},
}

// lineKinds are the kinds of lines of a plain file with their shares, in ten thousandths.
var lineKinds = []struct {
	share int
	write func(*writer)
}{
	{5954, func(w *writer) { w.line("Disallow: %s%s", w.path(), w.path()) }},
	{911, func(w *writer) { w.line("User-agent: %sbot", w.word()) }},
	{856, func(w *writer) { w.line("# %s %s %s %s", w.word(), w.word(), w.word(), w.word()) }},
	{844, func(w *writer) { w.line("Allow: %s%s", w.path(), w.path()) }},
	{785, func(w *writer) { w.line("") }},
	{272, func(w *writer) { w.line("Sitemap: http://%s/%s/sitemap-%s.xml", w.host, w.word(), w.word()) }},
	{292, func(w *writer) {
		w.line("%s %s %s %s %s %s", w.word(), w.word(), w.word(), w.word(), w.word(), w.word())
	}},
	{75, func(w *writer) { w.line("Crawl-delay: %d", 1+w.rng.IntN(30)) }},
	{11, func(w *writer) { w.line("Host: %s", w.host) }},
}

// size draws a size. Between two quantiles all sizes are as likely.
func (w *writer) size(of []quantile) int {
	share := w.rng.Float64()
	i := max(1, sort.Search(len(of), func(i int) bool { return of[i].share >= share }))
	a, b := of[i-1], of[i]
	return a.size + int(float64(b.size-a.size)*(share-a.share)/(b.share-a.share))
}

// plain returns a robots.txt of about that size: the last line exceeds it.
func (w *writer) plain(size int) string {
	w.line("User-agent: *")
	for w.b.Len() < size-halfLine {
		n, k := w.rng.IntN(10_000), 0
		for n >= lineKinds[k].share {
			n -= lineKinds[k].share
			k++
		}
		lineKinds[k].write(w)
	}
	s := w.b.String()
	w.b.Reset()
	if w.rng.IntN(10_000) < shareCRLF {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return s
}

// page returns a page of that size, which its end may lack.
func (w *writer) page(size int) string {
	var b strings.Builder
	for b.WriteString(w.html()); b.Len() < size; {
		b.WriteString(w.html())
	}
	return b.String()[:size]
}

// writeRobotsFiles writes the robots.txt of that many sites.
func writeRobotsFiles(f flags) error {
	list, err := archives(f.out, "robotsfiles", f.robotsFiles)
	if err != nil {
		return err
	}
	w := newWriter()
	w.host = "www.example"
	templates := []string{w.plain(67), w.plain(2189)}
	for range otherTemplates {
		templates = append(templates, w.plain(w.size(templateSizes)))
	}
	for i := range f.sites {
		w.host = fmt.Sprintf("www.%s%06d.example", w.word(), i)
		x := exchange{url: "http://" + w.host + "/robots.txt", status: "200 OK", identify: "text/plain"}
		text := ""
		switch n := w.rng.IntN(10_000); {
		case n < shareHTML:
			text, x.identify = w.page(w.size(htmlSizes)), "text/html"
		case n < shareHTML+shareEmpty:
		case n < shareHTML+shareEmpty+shareTemplate:
			text = templates[0]
		case n < shareHTML+shareEmpty+shareTemplate+shareSecond:
			text = templates[1]
		case n < shareHTML+shareEmpty+shareTemplate+shareSecond+shareOthers:
			text = templates[2+w.rng.IntN(otherTemplates)]
		default:
			text = w.plain(w.size(plainSizes))
		}
		x.body = []byte(text)
		x.header = []string{"Content-Type: " + x.identify, fmt.Sprintf("Content-Length: %d", len(x.body))}
		if err := list[i%len(list)].response(x); err != nil {
			return err
		}
	}
	return closeAll(list)
}
