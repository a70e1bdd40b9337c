package extractrun

import (
	"errors"

	"github.com/acapscan/acapscan/ingest/extract"
)

// errStale ends a speculation that was wrong or is not needed any more.
var errStale = errors.New("the stretch is read by another worker")

// A speculation is a stretch being read before its turn. It remembers what is found.
type speculation struct {
	split *split
	k     int
	part  *part
	found []finding
	size  int
}

// A finding is one thing found: what a capture holds, or the name of a crawl.
type finding struct {
	capture *extract.Found
	crawl   string
}

func (g *speculation) crawl(name string) error {
	g.found = append(g.found, finding{crawl: name})
	g.size += 100 + len(name)
	return nil
}

func (g *speculation) capture(found *extract.Found) error {
	kept, size := found.Keep()
	g.found = append(g.found, finding{capture: kept})
	g.size += size
	return nil
}

// check takes the turn as soon as it has come, and from then on what is found goes straight into the reading. Before
// that it waits where too much is remembered.
func (g *speculation) check() error {
	if !g.part.speculative {
		return nil
	}
	s := g.split
	s.q.mu.Lock()
	for s.q.ctx.Err() == nil && !s.ended && s.turn < g.k && g.size >= s.q.opts.Guess {
		s.q.changed.Wait()
	}
	if s.q.ctx.Err() != nil {
		s.q.mu.Unlock()
		return s.q.ctx.Err()
	}
	if s.turn < g.k && !s.ended {
		s.q.mu.Unlock()
		return nil
	}
	if s.ended || s.turn > g.k || !g.part.archive.Join(s.at) {
		s.q.mu.Unlock()
		return errStale
	}
	s.busy = true
	s.q.mu.Unlock()
	p := g.part
	p.speculative, p.sink = false, s.r
	stats := p.archive.Stats()
	p.w.opts.Progress.Records.Add(stats.Total() - 1) // without the one at hand
	return g.giveOut()
}

// giveOut feeds what was found into the reading. Its turn has come.
func (g *speculation) giveOut() (err error) {
	defer guard(g.part.in, &g.part.faulty, &err)
	for _, f := range g.found {
		if f.capture != nil {
			err = g.split.r.capture(f.capture)
		} else {
			err = g.split.r.crawl(f.crawl)
		}
		if err != nil {
			return err
		}
	}
	g.found = nil
	return nil
}
