package main

import (
	"fmt"
	"math"
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
	{5954, func(w *writer) { w.line("Disallow: %s", w.below()) }},
	{911, func(w *writer) { w.line("User-agent: %sbot", w.word()) }},
	{856, func(w *writer) { w.line("# %s %s %s %s", w.word(), w.word(), w.word(), w.word()) }},
	{844, func(w *writer) { w.line("Allow: %s", w.below()) }},
	{785, func(w *writer) { w.line("") }},
	{272, func(w *writer) { w.line("Sitemap: http://%s/%s/sitemap-%s.xml", w.host, w.word(), w.word()) }},
	{292, func(w *writer) {
		w.line("%s %s %s %s %s %s", w.word(), w.word(), w.word(), w.word(), w.word(), w.word())
	}},
	{75, func(w *writer) { w.line("Crawl-delay: %d", 1+w.rng.IntN(30)) }},
	{11, func(w *writer) { w.line("Host: %s", w.host) }},
}

// size draws a size. Between two quantiles the logarithms of sizes are equally likely, so that the mean is that of real
// files, too.
func (w *writer) size(of []quantile) int {
	share := w.rng.Float64()
	i := max(1, sort.Search(len(of), func(i int) bool { return of[i].share >= share }))
	a, b := of[i-1], of[i]
	return int(float64(a.size) * math.Pow(float64(b.size)/float64(a.size), (share-a.share)/(b.share-a.share)))
}

// plain returns a robots.txt of about that size: the last line exceeds it. Paths of a file share their beginnings.
func (w *writer) plain(size int) string {
	w.line("User-agent: *")
	w.folders = []string{w.path(), w.path(), w.path(), w.path(), w.path(), w.path()}
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

// below returns a path in one of the folders of the file.
func (w *writer) below() string {
	return w.folders[w.rng.IntN(len(w.folders))] + w.word() + w.word()
}

// page returns a page of that size, which its end may lack: one head, then items of a few forms, as a menu, a list of
// products or an article have them, with scripts between.
func (w *writer) page(size int) string {
	w.line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n\t<meta charset=\"utf-8\">\n\t<title>%s - %s</title>",
		w.word(), w.host)
	for _, name := range [...]string{"viewport", "description", "keywords", "generator", "theme-color"} {
		w.line("\t<meta name=%q content=%q>", name, w.word()+" "+w.word())
	}
	if w.rng.IntN(4) == 0 {
		w.line("\t<meta name=\"robots\" content=\"noindex\">")
	}
	for _, property := range [...]string{"og:title", "og:type", "og:image"} {
		w.line("\t<meta property=%q content=%q>", property, w.word())
	}
	for range 9 {
		w.line("\t<link rel=\"stylesheet\" href=\"/assets/%s/%s.css?ver=%d\">", w.word(), w.word(), w.rng.IntN(900))
	}
	w.line("</head>\n<body class=\"%s %s\">", w.word(), w.word())
	forms := []func(a, b string){
		func(a, b string) {
			w.line("\t\t\t<li id=\"menu-item-%d\" class=\"menu-item menu-item-type-%s menu-item-%s\">"+
				"<a href=\"http://%s/%s/%s/\">%s</a></li>", w.rng.IntN(900), a, b, w.host, b, w.word(), w.word())
		},
		func(a, b string) {
			w.line("\t<div class=\"col-md-4 %s-item %s-item-small\">\n\t\t<a class=\"%s-link\" href=\"/%s/%s.html\" "+
				"title=%q><img src=\"/images/%s/%s.jpg\" alt=\"\" width=\"240\"></a>\n\t\t<span class=\"%s-name\">"+
				"%s</span>\n\t</div>", a, a, a, b, w.word(), w.word(), b, w.word(), a, w.word())
		},
		func(a, _ string) {
			w.b.WriteString("<p class=\"" + a + "\">")
			for range 8 + w.rng.IntN(30) {
				w.b.WriteString(w.word() + " ")
			}
			w.line("</p>")
		},
	}
	for w.b.Len() < size {
		form, a, b := forms[w.rng.IntN(len(forms))], w.word(), w.word()
		for range 4 + w.rng.IntN(16) {
			form(a, b)
		}
		if w.rng.IntN(3) == 0 {
			w.b.WriteString("<script>")
			for range 12 {
				w.line("\tif (window.%s) { %s.push({\"%s\": \"%s\", \"count\": %d}); }", a, a, b, w.word(),
					w.rng.IntN(900))
			}
			w.line("</script>")
		}
	}
	s := w.b.String()
	w.b.Reset()
	return s[:size]
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
