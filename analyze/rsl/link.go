package rsl

import "strings"

// A link is a link of a Link header field (RFC 8288 3).
type link struct {
	target, rel, mediaType string // as written; the first rel and the first type count (RFC 8288 3.3, 3.4.1)
	anchored               bool   // it has an anchor: it is about another resource (RFC 8288 3.2)
}

// readLinks parses a Link header field (RFC 8288 B.2). It reads every byte once. What is no link ends the list.
func readLinks(text string) (links []link) {
	for {
		text = strings.TrimLeft(text, " \t,")
		if !strings.HasPrefix(text, "<") {
			return links
		}
		end := strings.IndexByte(text, '>')
		if end < 0 {
			return links
		}
		l := link{target: text[1:end]}
		text = text[end+1:]
		var seenRel, seenType bool
		for {
			text = strings.TrimLeft(text, " \t")
			if !strings.HasPrefix(text, ";") {
				break
			}
			var name, value string
			if name, value, text = cutParameter(strings.TrimLeft(text[1:], " \t")); name == "" {
				continue
			}
			switch strings.ToLower(name) {
			case "rel":
				if !seenRel {
					l.rel, seenRel = value, true
				}
			case "type":
				if !seenType {
					l.mediaType, seenType = value, true
				}
			case "anchor":
				l.anchored = true
			}
		}
		links = append(links, l)
		if !strings.HasPrefix(text, ",") {
			return links
		}
	}
}

// cutParameter splits a parameter from the beginning of a text (RFC 8288 B.3). A quoted value loses its quotes and
// escapes.
func cutParameter(text string) (name, value, rest string) {
	end := strings.IndexAny(text, " \t=;,")
	if end < 0 {
		return text, "", ""
	}
	name, text = text[:end], strings.TrimLeft(text[end:], " \t")
	if !strings.HasPrefix(text, "=") {
		return name, "", text
	}
	text = strings.TrimLeft(text[1:], " \t")
	if !strings.HasPrefix(text, `"`) {
		if end = strings.IndexAny(text, " \t;,"); end < 0 {
			end = len(text)
		}
		return name, text[:end], text[end:]
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return name, b.String(), text[i+1:]
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		b.WriteByte(text[i])
	}
	return name, b.String(), ""
}

// isLicence reports whether a link names a licence of RSL: one of its relations is license, and its media type is that
// of RSL. R-RSL-1.
func isLicence(rel, mediaType string) bool {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	if !strings.EqualFold(strings.Trim(mediaType, blanks), "application/rsl+xml") {
		return false
	}
	for relation := range strings.FieldsSeq(rel) {
		if strings.EqualFold(relation, "license") {
			return true
		}
	}
	return false
}

const blanks = " \t\r\n\v\f"
