package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// A kind is one kind of answer for /robots.txt, with its share in ten thousandths. The shares resemble those of Common
// Crawl's subset robotstxt, with more ACAP, so that the output is not empty.
type kind struct {
	share  int
	status string
	mime   string
	body   func(*writer) string
}

var kinds = []kind{
	{1900, "200 OK", "text/plain", (*writer).blog},
	{700, "200 OK", "text/plain; charset=utf-8", (*writer).short},
	{900, "200 OK", "text/plain", (*writer).long},
	{600, "200 OK", "text/plain; charset=UTF-8", (*writer).crawlers},
	{15, "200 OK", "text/plain", (*writer).huge},
	{50, "200 OK", "text/plain", (*writer).acap},
	{60, "200 OK", "text/plain", (*writer).nothing},
	{300, "200 OK", "text/html; charset=UTF-8", (*writer).shop}, // a robots.txt under another media type
	{400, "200 OK", "text/html; charset=utf-8", (*writer).html},
	{2600, "404 Not Found", "text/html; charset=UTF-8", (*writer).html},
	{700, "404 Not Found", "text/html", (*writer).notFound},
	{1500, "301 Moved Permanently", "text/html", (*writer).moved},
	{100, "403 Forbidden", "text/html", (*writer).notFound},
	{50, "503 Service Unavailable", "text/html", (*writer).notFound},
	{125, "302 Found", "text/html", (*writer).moved},
}

// A writer writes the answers of servers.
type writer struct {
	rng   *rand.Rand
	words []string // the most frequent first
	host  string
	b     strings.Builder

	folders []string // of the robots.txt that is written
}

func newWriter() *writer {
	w := &writer{rng: rand.New(rand.NewPCG(2, 2023))}
	syllables := strings.Fields("an be co de er fi ga ho in ju ka lo me no or pe ra si ta un ve wi ly st ing tion " +
		"ment pro com re cat log art pic ")
	for range 3000 {
		var word string
		for range 1 + w.rng.IntN(4) {
			word += syllables[w.rng.IntN(len(syllables))]
		}
		w.words = append(w.words, word)
	}
	return w
}

// word returns a random word. Few words are frequent.
func (w *writer) word() string {
	x := w.rng.Float64()
	return w.words[int(x*x*x*float64(len(w.words)))]
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// path returns a random path for a rule.
func (w *writer) path() string {
	var b strings.Builder
	for range 1 + w.rng.IntN(3) {
		b.WriteByte('/')
		b.WriteString(w.word())
	}
	switch w.rng.IntN(8) {
	case 0:
		b.WriteString("/*?" + w.word() + "=")
	case 1:
		b.WriteString(".php")
	case 2:
		b.WriteString("/*.pdf$")
	default:
		b.WriteByte('/')
	}
	return b.String()
}

func (w *writer) text() string {
	s := w.b.String()
	w.b.Reset()
	if w.rng.IntN(3) == 0 {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	if w.rng.IntN(50) == 0 {
		s = "\uFEFF" + s
	}
	return s
}

func (w *writer) blog() string {
	w.line("User-agent: *")
	w.line("Disallow: /wp-admin/")
	w.line("Allow: /wp-admin/admin-ajax.php")
	if w.rng.IntN(2) == 0 {
		w.line("")
		w.line("Sitemap: https://%s/wp-sitemap.xml", w.host)
	}
	return w.text()
}

func (w *writer) short() string {
	w.line("User-agent: *")
	for range w.rng.IntN(4) {
		w.line("Disallow: %s", w.path())
	}
	return w.text()
}

func (w *writer) long() string {
	w.line("# robots.txt of %s", w.host)
	for group := range 1 + w.rng.IntN(3) {
		w.line("User-agent: %s", [...]string{"*", "Googlebot", "bingbot"}[group])
		w.line("Crawl-delay: 10")
		for range 10 + w.rng.IntN(60) {
			w.line("%s: %s", [...]string{"Disallow", "Disallow", "Disallow", "Allow"}[w.rng.IntN(4)], w.path())
		}
		w.line("")
	}
	w.line("Sitemap: https://%s/sitemap.xml", w.host)
	return w.text()
}

func (w *writer) crawlers() string {
	for range 10 + w.rng.IntN(80) {
		w.line("User-agent: %s%s", w.word(), [...]string{"bot", "Bot", "crawler", "-spider", ""}[w.rng.IntN(5)])
		w.line("Disallow: /")
		w.line("")
	}
	w.line("User-agent: *")
	w.line("Disallow: %s", w.path())
	return w.text()
}

func (w *writer) huge() string {
	w.line("User-agent: *")
	for range 2000 + w.rng.IntN(10_000) {
		w.line("Disallow: %s", w.path())
	}
	return w.text()
}

// acap returns an ACAP file of a common form: the boilerplate that mirrors conventional records, and others.
func (w *writer) acap() string {
	w.line("##ACAP version=1.0")
	paths := make([]string, 1+w.rng.IntN(6))
	for i := range paths {
		paths[i] = w.path()
	}
	w.line("User-agent: *")
	for _, p := range paths {
		w.line("Disallow: %s", p)
	}
	w.line("")
	w.line("ACAP-crawler: *")
	for _, p := range paths {
		w.line("ACAP-disallow-crawl: %s", p)
	}
	if w.rng.IntN(3) == 0 {
		w.line("ACAP-allow-index: / time-limit=%d-days", 7+w.rng.IntN(60))
		w.line("ACAP-disallow-preserve: /")
		w.line("ACAP-allow-present-snippet: / max-length=%d-chars", 100+w.rng.IntN(200))
	}
	return w.text()
}

func (w *writer) nothing() string { return "" }

func (w *writer) shop() string {
	w.line("User-agent: *")
	for range 20 + w.rng.IntN(20) {
		w.line("Disallow: /*?%s=", w.word())
	}
	return w.text()
}

// html returns a page of some kilobytes instead of a robots.txt.
func (w *writer) html() string {
	w.line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"UTF-8\">\n<title>%s %s</title>", w.word(),
		w.host)
	if w.rng.IntN(3) == 0 {
		w.line(`<meta name="robots" content="noindex">`)
	}
	for range 4 + w.rng.IntN(8) {
		w.line("<link rel=\"stylesheet\" href=\"https://%s/assets/%s/%s.css?ver=%d\">", w.host, w.word(), w.word(),
			w.rng.IntN(900))
	}
	w.line("</head>\n<body class=\"error404 %s\">\n<nav><ul>", w.word())
	for range 5 + w.rng.IntN(60) {
		w.line("<li class=\"menu-item menu-item-%d\"><a href=\"/%s/%s/\">%s %s</a></li>", w.rng.IntN(9000), w.word(),
			w.word(), w.word(), w.word())
	}
	w.line("</ul></nav>\n<main>")
	for range 2 + w.rng.IntN(30) {
		w.b.WriteString("<p>")
		for range 10 + w.rng.IntN(60) {
			w.b.WriteString(w.word())
			w.b.WriteByte(' ')
		}
		w.line("</p>")
	}
	w.line("</main>\n<script>window.%s={%q:%q};</script>\n</body>\n</html>", w.word(), w.word(), w.word())
	s := w.b.String()
	w.b.Reset()
	return s
}

func (w *writer) notFound() string {
	return "<html>\r\n<head><title>Not available</title></head>\r\n<body>\r\n" +
		"<center><h1>Not available</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
}

func (w *writer) moved() string {
	return "<html>\r\n<head><title>301 Moved Permanently</title></head>\r\n<body>\r\n" +
		"<center><h1>301 Moved Permanently</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
}

// writeRobots writes one capture of /robots.txt for each site.
func writeRobots(f flags) error {
	list, err := archives(f.out, "robotstxt", f.robotsFiles)
	if err != nil {
		return err
	}
	w := newWriter()
	for i := range f.robots {
		w.host = fmt.Sprintf("www.%s%05d.example", w.word(), i)
		if err := list[i%len(list)].capture(w.answer()); err != nil {
			return err
		}
	}
	return closeAll(list)
}

// answer returns a random answer.
func (w *writer) answer() exchange {
	n, k := w.rng.IntN(10_000), 0
	for n >= kinds[k].share {
		n -= kinds[k].share
		k++
	}
	drawn := kinds[k]
	body := drawn.body(w)
	scheme := [...]string{"http", "https"}[w.rng.IntN(2)]
	at := time.Date(2023, 3, 20, 8, 35, 13, 0, time.UTC).Add(time.Duration(w.rng.IntN(10_800)) * time.Second)
	header := []string{
		"Date: " + at.Format("Mon, 02 Jan 2006 15:04:05 GMT"), "Content-Type: " + drawn.mime, "Server: " +
			servers[w.rng.IntN(len(servers))],
		"Connection: keep-alive", fmt.Sprintf("ETag: \"%x\"", w.rng.Uint32()),
		fmt.Sprintf("Content-Length: %d", len(body)),
	}
	if drawn.status[0] == '3' {
		header = append(header, "Location: https://"+strings.TrimPrefix(w.host, "www.")+"/robots.txt")
	} else if w.rng.IntN(2) == 0 {
		header = append(header, "X-Crawler-Content-Encoding: gzip",
			fmt.Sprintf("X-Crawler-Content-Length: %d", len(body)/3+20))
	}
	identify, _, _ := strings.Cut(drawn.mime, ";")
	return exchange{
		url: scheme + "://" + w.host + "/robots.txt", address: fmt.Sprintf("192.0.2.%d", w.rng.IntN(256)),
		status: drawn.status,
		header: header, body: []byte(body), identify: identify, millis: 20 + w.rng.IntN(2000),
	}
}
