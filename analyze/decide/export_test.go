package decide

// Within bounds the octets that are remembered.
func (p *Places) Within(octets int) *Places {
	p.limit = octets / 2
	return p
}

// Remembered are the octets that are, as they are counted, and the sets of patterns.
func (p *Places) Remembered() (octets, sets int) {
	octets = p.size
	for _, k := range p.old {
		octets += k.size
	}
	return octets, len(p.young) + len(p.old)
}

// At returns the site's policy as far as it speaks of one path: the same without the statements that do not hold it. It must not be asked
// of another path.
func (s *Site) At(path string) *Site {
	if s.here != nil {
		return s
	}
	shapes, _, _ := s.index().Matching(path, nil)
	return s.in(shapes)
}
