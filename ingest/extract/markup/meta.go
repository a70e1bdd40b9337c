package markup

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// beginsWithACAP reports whether a META's content begins with the token ACAP, in any case (R-META-1).
func beginsWithACAP(content []byte) bool {
	content = content[skipSpace(content, 0):]
	return FoldPrefix(content, "acap") && (len(content) == len("acap") || isSpace(content[len("acap")]))
}

// crawlerNames are the META names of known crawlers, in lower case. With them every content is a directive.
var crawlerNames = map[string]bool{
	"adsbot-google": true, "ahrefsbot": true, "amazonbot": true, "applebot": true, "applebot-extended": true,
	"archive.org_bot": true,
	"baiduspider":     true, "bingbot": true, "bytespider": true, "ccbot": true, "claudebot": true, "duckduckbot": true,
	"facebookexternalhit": true, "google-extended": true, "googlebot": true, "googlebot-image": true,
	"googlebot-mobile": true,
	"googlebot-news":   true, "googlebot-video": true, "gptbot": true, "ia_archiver": true, "ia-archiver": true,
	"mediapartners-google": true,
	"mj12bot":              true, "msnbot": true, "msnbot-media": true, "oai-searchbot": true, "otherbot": true,
	"perplexitybot": true, "petalbot": true,
	"searchbot": true, "seznambot": true, "slurp": true, "sogou": true, "teoma": true, "yahooseeker": true,
	"yandex": true, "yandexbot": true,
	"yandexnews": true, "yeti": true,
}

// documentNames are META names that describe the document (HTML standard 4.2.5.1), in lower case. With them no content
// is a directive.
var documentNames = map[string]bool{
	"application-name": true, "author": true, "color-scheme": true, "description": true, "generator": true,
	"keywords": true,
	"referrer": true, "theme-color": true,
}

// maxCrawlerName limits the names of crawlers, in bytes.
const maxCrawlerName = 64

// IsPreference reports whether a META with this name is an AI preference (R-TDM-1).
func IsPreference(name []byte) bool {
	return FoldEqual(name, "tdm-reservation") || FoldEqual(name, "tdm-policy")
}

// isConventional reports whether a META is a directive of the conventional protocol. Its name is robots, a known
// crawler, or a possible crawler with a content of known directives only. One ordinary word (all, none, index, archive)
// is not enough for an unknown name, unless the name sounds like a crawler: distribution and rating have such contents.
func isConventional(name, content []byte) bool {
	if FoldEqual(name, "robots") {
		return true
	}
	if !isCrawlerName(name) {
		return false
	}
	var buf [maxCrawlerName]byte
	lower := lowerInto(buf[:], name)
	if crawlerNames[string(lower)] {
		return true
	}
	if documentNames[string(lower)] {
		return false
	}
	soundsLikeOne := bytes.Contains(lower, []byte("bot")) ||
		bytes.Contains(lower, []byte("crawl")) ||
		bytes.Contains(lower, []byte("spider"))
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

// isCrawlerName reports whether name is a letter, then letters, digits, '-', '_' and '.' (S3 4.5.6).
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

// nextDirective splits the next directive off a content. Commas and blanks separate directives. A value belongs to its
// name, also after a blank behind the colon. The date of unavailable_after is the whole rest. The token is nil at the
// end.
func nextDirective(content []byte) (token, rest []byte) {
	i := 0
	for i < len(content) && isSeparator(content[i]) {
		i++
	}
	start := i
	if start == len(content) {
		return nil, nil
	}
	if FoldPrefix(content[start:], "unavailable_after") {
		if n := bytes.IndexByte(content[start:], MetaSeparator); n >= 0 {
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

func isSeparator(c byte) bool { return isSpace(c) || c == ',' || c == MetaSeparator }

// MetaSeparator separates the contents of several METAs that are joined. No content has it: HTML replaces NUL.
const MetaSeparator = 0

// directiveKind classifies conventional directives.
type directiveKind uint8

const (
	unknownDirective     directiveKind = iota
	weakDirective                      // ordinary words that allow or do not restrict; and none
	openDirective                      // allows, or does not restrict use
	restrictiveDirective               // any other known directive
)

var directiveKinds = map[string]directiveKind{
	"index": weakDirective, "follow": weakDirective, "all": weakDirective, "none": weakDirective,
	"archive": weakDirective, "snippet": weakDirective, "translate": weakDirective, "cache": weakDirective,
	"imageindex": openDirective, "odp": openDirective, "ydir": openDirective, "noodp": openDirective,
	"noydir": openDirective, "indexifembedded": openDirective,
	"noindex": restrictiveDirective, "nofollow": restrictiveDirective, "noarchive": restrictiveDirective,
	"nocache":   restrictiveDirective,
	"nosnippet": restrictiveDirective, "noimageindex": restrictiveDirective, "notranslate": restrictiveDirective,
	"nositelinkssearchbox": restrictiveDirective, "noimageai": restrictiveDirective, "noai": restrictiveDirective,
	"noimageclick": restrictiveDirective, "nopreview": restrictiveDirective,
}

// directiveOf classifies one directive of nextDirective.
func directiveOf(token []byte) directiveKind {
	var buf [32]byte
	if name, val, found := bytes.Cut(token, []byte(":")); found || FoldEqual(name, "unavailable_after") {
		val = bytes.TrimFunc(val, isBlankRune)
		switch {
		case FoldEqual(name, "max-snippet"), FoldEqual(name, "max-video-preview"):
			if string(val) == "-1" {
				return openDirective
			}
			return restrictiveDirective
		case FoldEqual(name, "max-image-preview"):
			if FoldEqual(val, "large") {
				return openDirective
			}
			return restrictiveDirective
		case FoldEqual(name, "unavailable_after"):
			return restrictiveDirective
		}
		return unknownDirective
	}
	if FoldPrefix(token, "unavailable_after") {
		return restrictiveDirective
	}
	if len(token) > len(buf) {
		return unknownDirective
	}
	return directiveKinds[string(lowerInto(buf[:], token))]
}

// IsRestrictive reports whether a conventional content has a directive that does not merely allow. Its page then has a
// row. Unknown directives and none are restrictive.
func IsRestrictive(content []byte) bool {
	for rest := content; ; {
		var token []byte
		if token, rest = nextDirective(rest); token == nil {
			return false
		}
		switch directiveOf(token) {
		case openDirective:
		case weakDirective:
			if FoldEqual(token, "none") {
				return true
			}
		default:
			return true
		}
	}
}

// maxDirectives limits the directives in a normalised content.
const maxDirectives = 200

// contentOrder is the order of the usual directives in a normalised content. Others follow.
var contentOrder = []string{"all", "none", "index", "noindex", "follow", "nofollow"}

// NormalContent returns a content with its directives in lower case, each once, in a fixed order, separated by commas.
// Of unavailable_after only the name remains, because dates vary, and at most maxDirectives directives. So "NOFOLLOW
// NoIndex" becomes "noindex,nofollow".
func NormalContent(content []byte) string {
	var tokens []string
	for rest := content; len(tokens) < maxDirectives; {
		var token []byte
		if token, rest = nextDirective(rest); token == nil {
			break
		}
		if FoldPrefix(token, "unavailable_after") {
			token = token[:len("unavailable_after")]
		}
		tokens = append(tokens, strings.ToValidUTF8(lower(bytes.Join(bytes.Fields(token), nil)), "\uFFFD"))
	}
	rank := func(s string) uint { return uint(slices.Index(contentOrder, s)) }
	slices.SortFunc(tokens, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	return strings.Join(slices.Compact(tokens), ",")
}
