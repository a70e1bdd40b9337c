package crosshost

import (
	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/ingest/facts"
)

// Limits on the captures of one file that a requester gets.
const (
	// Captures that are conclusive if their body is, with different digests, between a moment and the conclusive
	// capture.
	maxUndecided = 8

	// Captures of a file that a reference names, the newest. More than a moment decides which of them counts.
	maxReferenced = 16

	// Digests of one host whose bodies are told apart.
	maxHeldDigests = 1 << 16
)

// A fileMatcher matches the captures of one URL with the requests for it. A request for a moment gets the captures
// that survey may choose: the latest conclusive one not after the moment, else the first one after it (R-SITE-1).
// Whether a capture is conclusive may depend on a body that it names by its digest; the requester gets all such
// captures up to a limit, and their bodies.
//
// Captures come the newest first. Requests for moments are in that order, too, so that prefixes of timed tell how far
// each one is: what a request has got, all requests before it have got or do not need.
type fileMatcher struct {
	*matcher
	hash  int64
	crawl string
	kind  facts.Kind // two spellings of one URL may be of two kinds; captures of one kind come together
	timed []request

	read       int     // captures given to requests without a moment
	begun      int     // requests of timed whose moment is not before the current capture
	done       int     // requests of timed that have their conclusive capture
	full       int     // requests of timed that have maxUndecided captures
	undecided  []uint8 // undecided captures of each request of timed
	has        map[bodyKind]int
	bodies     map[targetID]position // by digest, the oldest capture with the body
	wanted     []wantedBody
	truncated  bool // there are more digests than maxHeldDigests
	oldest     position
	conclusive position              // the oldest conclusive capture
	before     map[bodyKind]position // older than conclusive: the oldest undecided capture of each kind
	moreKinds  bool                  // before is full
}

// A position is the number and time of a capture; the zero value is none.
type position struct {
	at, time int64
	is       bool
}

// older returns the position of the older capture, p if they have the same time.
func (p position) older(at, time int64) position {
	if p.is && p.time <= time {
		return p
	}
	return position{at, time, true}
}

// A bodyKind is equal for undecided captures that are all conclusive or all not conclusive.
type bodyKind struct {
	digest targetID
	empty  bool // conclusive if the body is not found
}

// A wantedBody is a body that a request of timed gets with a capture.
type wantedBody struct {
	request int
	digest  targetID
}

// add takes the next capture. others are the requests without a moment.
func (m *fileMatcher) add(f *facts.Fact, others []request) error {
	if m.kind != f.Kind {
		if err := m.end(); err != nil {
			return err
		}
		*m = fileMatcher{matcher: m.matcher, hash: m.hash, crawl: m.crawl, kind: f.Kind, timed: m.timed, read: m.read}
	}
	m.read++
	for i := range others {
		var err error
		if m.read <= maxReferenced {
			err = m.give(m.at, m.hash, &others[i])
		} else if m.read == maxReferenced+1 {
			err = m.truncate(m.crawl, &others[i])
		}
		if err != nil {
			return err
		}
	}
	if len(m.timed) == 0 {
		return nil
	}
	if f.Body != nil && f.ContentDigest != "" {
		m.noteBody(digestTarget(f).id, f.FetchTime)
	}
	m.oldest = m.oldest.older(m.at, f.FetchTime)
	// If no capture is conclusive, the newest one not after the moment is in force.
	begun := m.begun
	for ; m.begun < len(m.timed) && m.timed[m.begun].moment >= f.FetchTime; m.begun++ {
		if err := m.give(m.at, m.hash, &m.timed[m.begun]); err != nil {
			return err
		}
	}
	isPage := func(f *facts.Fact) bool { return parse.IsPage(f, parse.Options{Without: m.opts.Without}) }
	switch inforce.ConclusiveOf(f, m.opts.Without, isPage) {
	case inforce.IsConclusive:
		for i := m.done; i < begun; i++ {
			if err := m.give(m.at, m.hash, &m.timed[i]); err != nil {
				return err
			}
		}
		m.done = m.begun
		m.conclusive = m.conclusive.older(m.at, f.FetchTime)
		for kind, p := range m.before {
			if p.time > f.FetchTime {
				delete(m.before, kind)
			}
		}
		m.moreKinds = false
	case inforce.ConclusiveByBody:
		return m.addUndecided(f, begun)
	}
	return nil
}

// addUndecided gives an undecided capture to every request that has none of its kind, up to maxUndecided. Requests
// from begun on have got the capture already.
func (m *fileMatcher) addUndecided(f *facts.Fact, begun int) error {
	if m.undecided == nil {
		m.undecided, m.has, m.before = make([]uint8, len(m.timed)), map[bodyKind]int{}, map[bodyKind]position{}
	}
	kind := bodyKind{digestTarget(f).id, inforce.IsEmptyFile(f)}
	for i := max(m.has[kind], m.done, m.full); i < m.begun; i++ {
		if m.undecided[i] == maxUndecided { // and so have all requests before it
			m.full = i + 1
			continue
		}
		if m.undecided[i]++; m.undecided[i] == maxUndecided {
			if err := m.truncate(m.crawl, &m.timed[i]); err != nil {
				return err
			}
		}
		m.wanted = append(m.wanted, wantedBody{i, kind.digest})
		if i < begun {
			if err := m.give(m.at, m.hash, &m.timed[i]); err != nil {
				return err
			}
		}
	}
	m.has[kind] = m.begun
	if len(m.has) > 2*maxUndecided { // forget kinds of requests that need no more captures
		for kind, n := range m.has {
			if n <= max(m.done, m.full) {
				delete(m.has, kind)
			}
		}
	}
	if p := m.before[kind]; p.is || len(m.before) < maxUndecided {
		m.before[kind] = p.older(m.at, f.FetchTime)
	} else {
		m.moreKinds = true
	}
	return nil
}

func (m *fileMatcher) noteBody(digest targetID, time int64) {
	p := m.bodies[digest]
	if !p.is {
		if m.digests >= maxHeldDigests {
			m.truncated = true
			return
		}
		if m.digests++; m.bodies == nil {
			m.bodies = map[targetID]position{}
		}
	}
	m.bodies[digest] = p.older(m.at, time)
}

// end gives requests without a conclusive capture those after their moments, and undecided captures their bodies.
func (m *fileMatcher) end() error {
	for i := m.done; i < len(m.timed); i++ {
		to := &m.timed[i]
		for _, p := range []position{m.conclusive, m.oldest} {
			if p.is {
				if err := m.give(p.at, m.hash, to); err != nil {
					return err
				}
			}
		}
		for kind, p := range m.before {
			if err := m.give(p.at, m.hash, to); err != nil {
				return err
			}
			m.wanted = append(m.wanted, wantedBody{i, kind.digest})
		}
		if m.moreKinds {
			if err := m.truncate(m.crawl, to); err != nil {
				return err
			}
		}
	}
	// The oldest capture with the body names the statements of the requester.
	for _, w := range m.wanted {
		to := &m.timed[w.request]
		if p := m.bodies[w.digest]; p.is {
			if err := m.give(p.at, m.hash, to); err != nil {
				return err
			}
		} else if m.truncated {
			if err := m.truncate(m.crawl, to); err != nil {
				return err
			}
		}
	}
	return nil
}
