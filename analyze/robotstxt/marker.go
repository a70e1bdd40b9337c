package robotstxt

// A Marker is the comment with the ACAP version of the file: `##ACAP version=1.1`. R-LEX-3, S3 4.5.4.
type Marker struct {
	Line    int    // from 1; 0 if the file has no marker
	Hashes  int    // as written: two, or more (defect marker-extra-hashes)
	Version string // as written, up to white space or another '#'; possibly invalid
}

// Found reports whether the file has a marker.
func (m Marker) Found() bool { return m.Line > 0 }

// parseMarker reads a comment that begins with its hashes. length is the length of the marker in it, or 0. The caller
// sets the line. Text after the version is ignored: `##ACAP version=0.2 # pilot` (S3 4.7).
func parseMarker(comment string) (marker Marker, length int) {
	rest := comment
	for rest != "" && rest[0] == '#' {
		rest = rest[1:]
	}
	hashes := len(comment) - len(rest)
	if hashes < 2 {
		return Marker{}, 0
	}
	for _, part := range [...]string{"ACAP", "version", "="} {
		rest = trimLeft(rest)
		if !hasPrefixFold(rest, part) {
			return Marker{}, 0
		}
		rest = rest[len(part):]
	}
	rest = trimLeft(rest)
	end := 0
	for end < len(rest) && !isBlank(rest[end]) && rest[end] != '#' {
		end++
	}
	if end == 0 {
		return Marker{}, 0
	}
	return Marker{Hashes: hashes, Version: rest[:end]}, len(comment) - len(rest) + end
}
