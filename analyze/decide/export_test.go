package decide

// Within bounds the bytes that are cached.
func (c *DecisionCache) Within(bytes int) *DecisionCache {
	c.limit = bytes / 2
	return c
}

// Cached returns the bytes that are cached, as they are counted, and the number of sets of patterns.
func (c *DecisionCache) Cached() (bytes, sets int) {
	bytes = c.size
	for _, e := range c.old {
		bytes += e.size
	}
	return bytes, len(c.young) + len(c.old)
}

// At returns the site's policy at one path, without the statements that do not match it. It must not be asked about
// another path.
func (s *Site) At(path string) *Site {
	if s.only != nil {
		return s
	}
	shapes, _, _ := s.index().Matching(path, nil)
	return s.matchedBy(shapes)
}
