package archive

import (
	"bytes"
	"net/netip"
	"strings"
)

// An arcLine is the URL line at the beginning of an ARC record: URL IP-address Archive-date Content-type Archive-length
type arcLine struct {
	url, ip, date, contentType, length string

	spare bool // columns are missing, or the length is not a number
}

// parseARCLine reads a URL line without its line end and reports whether it is one.
//
// In real archives columns are missing, and URLs and content types contain spaces. So the search starts in the middle:
// at the last IP address before a date, or else at the last date of 12 to 14 digits.
func parseARCLine(line string) (arcLine, bool) {
	var a arcLine
	if !hasScheme(line) {
		return a, false
	}
	f := strings.Split(line, " ")
	n, at := len(f), -1
	for i := n - 2; i >= 1; i-- {
		if isARCIP(f[i]) && isARCDate(f[i+1]) {
			at = i
			break
		}
	}
	var rest []string
	if at >= 0 {
		a.url, a.ip, a.date = strings.Join(f[:at], " "), f[at], f[at+1]
		rest = f[at+2:]
	} else {
		for i := n - 1; i >= 1; i-- {
			if len(f[i]) >= 12 && len(f[i]) <= 14 && digits(f[i]) {
				at = i
				break
			}
		}
		if at < 0 {
			return a, false
		}
		a.spare = true
		a.url = strings.TrimRight(strings.Join(f[:at], " "), " ") // an empty column leaves its space
		a.date = f[at]
		rest = f[at+1:]
	}
	switch n := len(rest); {
	case n > 0 && isNumber(rest[n-1]):
		a.length = rest[n-1]
		a.contentType = strings.Trim(strings.Join(rest[:n-1], " "), " ")
	case n == 1 || n > 1 && strings.ContainsAny(rest[n-1], "/=;"):
		a.spare = true
		a.contentType = strings.Join(rest, " ")
	case n > 1:
		a.spare = true
		a.length = rest[n-1]
		a.contentType = strings.Trim(strings.Join(rest[:n-1], " "), " ")
	default:
		a.spare = true
	}
	return a, true
}

// hasScheme reports whether the line begins with the scheme of a URL, of at most 24 bytes.
func hasScheme[T string | []byte](line T) bool {
	for i := range min(len(line), 24) {
		switch c := line[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return i > 1 && c == ':'
		}
	}
	return false
}

// isARCIP also accepts the placeholders for an unknown address.
func isARCIP(s string) bool {
	if s == "0" || s == "-" {
		return true
	}
	if len(s) < 2 || len(s) > 45 {
		return false
	}
	_, err := netip.ParseAddr(s)
	return err == nil
}

// isARCDate accepts 4 to 18 digits, and the placeholders for an unknown date.
func isARCDate(s string) bool {
	return len(s) >= 4 && len(s) <= 18 && digits(s) || s == "null" || s == "-"
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func isNumber(s string) bool {
	return digits(strings.TrimPrefix(s, "-"))
}

// isARCStart reports whether content begins with a complete URL line. In a strict line no required column is missing.
func isARCStart(content []byte, strict bool) bool {
	if !hasScheme(content) {
		return false
	}
	i := bytes.IndexByte(content, '\n')
	if i < 0 {
		return false
	}
	a, ok := parseARCLine(string(bytes.TrimRight(content[:i], "\r")))
	return ok && !(strict && a.spare)
}

// readARCLine fills rec from a URL line without its line end.
func readARCLine(line string, rec *Record, note func(Defect)) {
	a, _ := parseARCLine(line)
	rec.Header = append(rec.Header,
		Field{"URL", a.url}, Field{"IP-address", a.ip}, Field{"Archive-date", a.date},
		Field{"Content-type", a.contentType}, Field{"Archive-length", a.length})
	rec.URI, rec.IP, rec.ContentType = a.url, a.ip, a.contentType
	scheme, _, _ := strings.Cut(a.url, ":")
	switch strings.ToLower(scheme) {
	case "filedesc":
		rec.Type = Warcinfo
	case "http", "https":
		rec.Type = Response
	default:
		rec.Type = Resource
	}
	var ok bool
	if rec.Date, ok = parseDigits(a.date); !ok {
		note(DateInvalid)
	}
	if a.ip == "" || a.contentType == "" {
		note(ColumnMissing)
	}
	if strings.Contains(a.url, " ") {
		note(URISpaces)
	}
	if a.length == "" {
		note(LengthMissing)
	} else if rec.DeclaredLength = parseLength(a.length); rec.DeclaredLength < 0 {
		note(LengthInvalid)
	}
}

// arcVersion returns the version in a version block, such as "1 1 InternetArchive", or "".
func arcVersion(block []byte) string {
	if len(block) >= 4 && block[1] == ' ' && block[3] == ' ' && digits(string(block[:1])+string(block[2:3])) {
		return string(block[:1]) + "." + string(block[2:3])
	}
	return ""
}
