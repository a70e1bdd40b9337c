package extract

import "bytes"

// beginsWithACAP tells whether a META's content begins with the token ACAP, in any case (R-META-1).
func beginsWithACAP(content []byte) bool {
	content = content[skipSpace(content, 0):]
	return foldPrefix(content, "acap") && (len(content) == len("acap") || isSpace(content[len("acap")]))
}

// crawlerNames are META names that are known to address a crawler, in lower case: any content is then a directive.
var crawlerNames = map[string]bool{
	"adsbot-google": true, "ahrefsbot": true, "amazonbot": true, "applebot": true, "applebot-extended": true, "archive.org_bot": true,
	"baiduspider": true, "bingbot": true, "bytespider": true, "ccbot": true, "claudebot": true, "duckduckbot": true,
	"facebookexternalhit": true, "google-extended": true, "googlebot": true, "googlebot-image": true, "googlebot-mobile": true,
	"googlebot-news": true, "googlebot-video": true, "gptbot": true, "ia_archiver": true, "ia-archiver": true, "mediapartners-google": true,
	"mj12bot": true, "msnbot": true, "msnbot-media": true, "oai-searchbot": true, "otherbot": true, "perplexitybot": true, "petalbot": true,
	"searchbot": true, "seznambot": true, "slurp": true, "sogou": true, "teoma": true, "yahooseeker": true, "yandex": true, "yandexbot": true,
	"yandexnews": true, "yeti": true,
}

// documentNames are META names that say something of the document (HTML standard 4.2.5.1), in lower case: whatever the content, they
// address no crawler.
var documentNames = map[string]bool{
	"application-name": true, "author": true, "color-scheme": true, "description": true, "generator": true, "keywords": true,
	"referrer": true, "theme-color": true,
}

// maxCrawlerName bounds the META names that are looked at as those of crawlers, in bytes.
const maxCrawlerName = 64

// isConventional tells whether a META is a directive of the conventional protocol: addressed to robots or a crawler that is
// known, or to a name that could be a crawler's with a content of nothing but known directives. A content of one ordinary word
// (all, none, index, archive) alone does not make an unknown name a crawler's unless it sounds like one: distribution, rating and the like have such
// contents.
func isConventional(name, content []byte) bool {
	if foldEqual(name, "robots") {
		return true
	}
	if !isCrawlerName(name) {
		return false
	}
	var buf [maxCrawlerName]byte
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		buf[i] = c
	}
	if crawlerNames[string(buf[:len(name)])] {
		return true
	}
	if documentNames[string(buf[:len(name)])] {
		return false
	}
	soundsLikeOne := bytes.Contains(buf[:len(name)], []byte("bot")) || bytes.Contains(buf[:len(name)], []byte("crawl")) ||
		bytes.Contains(buf[:len(name)], []byte("spider"))
	tokens, weak := 0, false
	for rest := content; ; tokens++ {
		var token []byte
		if token, rest = nextDirective(rest); token == nil {
			return tokens > 1 || tokens == 1 && (soundsLikeOne || !weak)
		}
		d := directiveOf(token)
		if d == unknownDirective {
			return false
		}
		weak = d == weakDirective
	}
}

// isCrawlerName tells whether name is letter, then letters, digits, '-', '_' and '.' (S3 4.5.6).
func isCrawlerName(name []byte) bool {
	if len(name) == 0 || len(name) > maxCrawlerName || !isLetter(name[0]) {
		return false
	}
	for _, c := range name {
		if !isLetter(c) && !('0' <= c && c <= '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// nextDirective splits the next directive off a content: directives are parted by commas and blanks, a value goes with its name
// also where a blank stands behind the colon, and the date of unavailable_after takes the rest. The token is nil at the end.
func nextDirective(content []byte) (token, rest []byte) {
	i := 0
	for i < len(content) && isSeparator(content[i]) {
		i++
	}
	start := i
	if start == len(content) {
		return nil, nil
	}
	if foldPrefix(content[start:], "unavailable_after") {
		if n := bytes.IndexByte(content[start:], metaSeparator); n >= 0 {
			return content[start : start+n], content[start+n:]
		}
		return content[start:], nil
	}
	for i < len(content) && !isSeparator(content[i]) {
		i++
		if content[i-1] == ':' {
			i = skipSpace(content, i)
		}
	}
	return content[start:i], content[i:]
}

func isSeparator(c byte) bool { return isSpace(c) || c == ',' || c == metaSeparator }

// metaSeparator parts the contents of several METAs that are read as one. No content has it: HTML replaces it.
const metaSeparator = 0

// directiveKind is what the extractor has to know of a conventional directive.
type directiveKind uint8

const (
	unknownDirective     directiveKind = iota
	weakDirective                      // ordinary words, that allow or say nothing about use; and none
	openDirective                      // allows, or says nothing about use
	restrictiveDirective               // anything else that is known
)

var directiveKinds = map[string]directiveKind{
	"index": weakDirective, "follow": weakDirective, "all": weakDirective, "none": weakDirective,
	"archive": weakDirective, "snippet": weakDirective, "translate": weakDirective, "cache": weakDirective,
	"imageindex": openDirective, "odp": openDirective, "ydir": openDirective, "noodp": openDirective, "noydir": openDirective, "indexifembedded": openDirective,
	"noindex": restrictiveDirective, "nofollow": restrictiveDirective, "noarchive": restrictiveDirective, "nocache": restrictiveDirective,
	"nosnippet": restrictiveDirective, "noimageindex": restrictiveDirective, "notranslate": restrictiveDirective,
	"nositelinkssearchbox": restrictiveDirective, "noimageai": restrictiveDirective, "noai": restrictiveDirective,
	"noimageclick": restrictiveDirective, "nopreview": restrictiveDirective,
}

// directiveOf classifies one directive as nextDirective splits them.
func directiveOf(token []byte) directiveKind {
	var buf [32]byte
	if name, val, found := bytes.Cut(token, []byte(":")); found || foldEqual(name, "unavailable_after") {
		val = bytes.TrimFunc(val, isBlankRune)
		switch {
		case foldEqual(name, "max-snippet"), foldEqual(name, "max-video-preview"):
			if string(val) == "-1" {
				return openDirective
			}
			return restrictiveDirective
		case foldEqual(name, "max-image-preview"):
			if foldEqual(val, "large") {
				return openDirective
			}
			return restrictiveDirective
		case foldEqual(name, "unavailable_after"):
			return restrictiveDirective
		}
		return unknownDirective
	}
	if foldPrefix(token, "unavailable_after") {
		return restrictiveDirective
	}
	if len(token) > len(buf) {
		return unknownDirective
	}
	for i, c := range token {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		buf[i] = c
	}
	return directiveKinds[string(buf[:len(token)])]
}

// isRestrictive tells whether a conventional content says anything but what allows: then its page keeps a row. What is not known
// counts as restrictive, none does too.
func isRestrictive(content []byte) bool {
	for rest := content; ; {
		var token []byte
		if token, rest = nextDirective(rest); token == nil {
			return false
		}
		switch directiveOf(token) {
		case openDirective:
		case weakDirective:
			if foldEqual(token, "none") {
				return true
			}
		default:
			return true
		}
	}
}
