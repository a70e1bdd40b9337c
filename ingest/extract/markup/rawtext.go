package markup

import "bytes"

// rawTextEnd returns the offset of the end tag that closes the raw text of the named element from i on, or len(src).
// The text of plaintext never ends.
func rawTextEnd(src []byte, i int, name string) int {
	switch name {
	case "plaintext":
		return len(src)
	case "script":
		return scriptEnd(src, i)
	}
	for {
		n := bytes.IndexByte(src[i:], '<')
		if n < 0 {
			return len(src)
		}
		i += n
		if i+1 < len(src) && src[i+1] == '/' && closes(src, i+2, name) {
			return i
		}
		i++
	}
}

// closes reports whether the name of the end tag that closes the raw text is at i.
func closes(src []byte, i int, name string) bool {
	if !FoldPrefix(src[i:], name) || i+len(name) >= len(src) {
		return false
	}
	c := src[i+len(name)]
	return isSpace(c) || c == '/' || c == '>'
}

// A scriptState is a state of script data: after "<!--" a "<script" hides the next "</script>" (HTML standard 13.2.5.15
// to 31).
type scriptState uint8

const (
	scriptData scriptState = iota
	scriptEscaped
	scriptDoubleEscaped
)

// scriptEnd is rawTextEnd for script. It follows the reference: after "<!--" a '<' before anything but '/' and a letter
// ends the escaped state. In the standard it does not.
func scriptEnd(src []byte, i int) int {
	const name = "script"
	state, dashes := scriptData, 0
	for i < len(src) {
		if state == scriptData {
			n := bytes.IndexByte(src[i:], '<')
			if n < 0 {
				return len(src)
			}
			i += n
			rest := src[i+1:]
			switch {
			case len(rest) > 0 && rest[0] == '/' && closes(src, i+2, name):
				return i
			case bytes.HasPrefix(rest, []byte("!--")):
				state, dashes = scriptEscaped, 2
				i += len("<!--")
			default:
				i++
			}
			continue
		}
		c := src[i]
		i++
		switch {
		case c == '-':
			dashes++
			continue
		case c == '>' && dashes >= 2:
			state = scriptData
		case c == '<' && i < len(src):
			next := src[i]
			switch {
			case next == '/' && state == scriptEscaped:
				if closes(src, i+1, name) {
					return i - 1
				}
				i++
			case next == '/':
				if i++; closes(src, i, name) {
					i += len(name) + 1
					state = scriptEscaped
				}
			case state == scriptDoubleEscaped:
			case !isLetter(next):
				state = scriptData
			case closes(src, i, name):
				i += len(name) + 1
				state = scriptDoubleEscaped
			}
		}
		dashes = 0
	}
	return len(src)
}
