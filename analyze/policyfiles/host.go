// Package policyfiles holds the policy files of one host in one crawl. It finds the answers that captures of the
// robots.txt of each site gave (R-SITE-1), looks up what a robots.txt refers to (R-REF-1), and parses each body once.
// It decides nothing, and knows no tables and no pages.
package policyfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/ingest/facts"
)

// A Host has the policy files of one host in one crawl. Its http and its https site share them. Equal bodies share
// memory.
type Host struct {
	*inforce.Captures
	limits       Limits
	cache        *Cache // of all hosts
	newSpillFile func() (*facts.SpillFile, error)
	sites        []*Site
	texts        []*text // of this host alone

	first  sharedBody                   // the first body that captures share
	shared map[[sha256.Size]byte][]byte // further ones
	notes  map[*byte]bodyNote           // of these, by their first byte
	bytes  [2]int                       // of shared bodies: of the sites' own robots.txt, and of other files
	others int                          // captures of other files

	resolved int // references of all versions of all files, and statements that they lead to
}

// A sharedBody is a body, and what is known of it.
type sharedBody struct {
	body []byte
	bodyNote
}

// A bodyNote is what is known of a body.
type bodyNote struct {
	sum    [sha256.Size]byte
	isPage bool // R-LEX-7
	size   int
}

// Limits on the other files of one host in one crawl, far above real ones. The oldest captures are left out, and the
// sites of the host are Truncated.
const (
	maxOtherBytes = 16 << 20 // of different bodies
	maxOthers     = 1 << 14  // captures
)

// Limits are those on the robots.txt of a host's own sites.
type Limits struct {
	Bodies   int // bytes of different bodies; parsed, they take some twenty times as much
	Captures int // of one site
	Few      int // captures of one site that are kept in memory even if they are alike; at least 2
}

// DefaultLimits returns limits far above real files.
func DefaultLimits() Limits { return Limits{Bodies: 4 << 20, Captures: 1 << 14, Few: 1 << 10} }

// NewHost returns a host without files. newSpillFile makes a spill file, for the captures of a robots.txt that was
// captured very often. The caller must call Close.
func NewHost(cache *Cache, limits Limits, newSpillFile func() (*facts.SpillFile, error)) *Host {
	h := &Host{limits: limits, cache: cache, newSpillFile: newSpillFile}
	h.Captures = inforce.NewCaptures(cache.reading.Without, func(f *facts.Fact) bool { return h.note(f).isPage })
	return h
}

// NewSite returns a site of the host without captures. It is in the memory of a site before Close, if there is one.
func (h *Host) NewSite() *Site {
	n := len(h.sites)
	h.sites = slices.Grow(h.sites, 1)[:n+1]
	if h.sites[n] == nil {
		h.sites[n] = &Site{}
	}
	h.sites[n].host, h.sites[n].own.host = h, h
	return h.sites[n]
}

// FindAnswers finds the answers of each site's robots.txt, once all files have come.
func (h *Host) FindAnswers() {
	for _, s := range h.sites {
		for _, f := range s.own.held {
			h.Add(f)
		}
	}
	for _, s := range h.sites {
		s.find(s.own.held)
	}
}

// Close removes the spill files. The sites of the host, their answers, and the statements of its files must no longer
// be used. The host is empty then, and another may begin in its memory.
func (h *Host) Close() (err error) {
	for _, t := range h.texts {
		h.cache.giveBack(t)
	}
	for _, s := range h.sites {
		err = errors.Join(err, s.own.close())
		s.empty()
	}
	h.Captures.Empty()
	*h = Host{
		Captures: h.Captures, limits: h.limits, cache: h.cache, newSpillFile: h.newSpillFile,
		sites: h.sites[:0], texts: emptied(h.texts),
	}
	return err
}

// emptied returns the memory of a list.
func emptied[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// share makes a capture share its body with captures that have an equal one. It returns false if another body exceeds
// the limit.
func (h *Host) share(f *facts.Fact) bool {
	if len(f.Body) == 0 {
		return true
	}
	note := h.note(f)
	body, known := h.shared[note.sum]
	if h.first.body != nil && h.first.sum == note.sum {
		body, known = h.first.body, true
	}
	if !known {
		class, limit := 0, h.limits.Bodies
		if f.Kind != facts.KindRobots {
			class, limit = 1, maxOtherBytes
		}
		if h.bytes[class] > 0 && h.bytes[class]+len(f.Body) > limit {
			return false
		}
		h.bytes[class] += len(f.Body)
		body = f.Body
		h.keep(sharedBody{body, note})
	}
	f.Body = body
	return true
}

func (h *Host) keep(b sharedBody) {
	if h.first.body == nil {
		h.first = b
		return
	}
	if h.shared == nil {
		h.shared, h.notes = map[[sha256.Size]byte][]byte{}, map[*byte]bodyNote{}
	}
	h.shared[b.sum] = b.body
	h.notes[&b.body[0]] = b.bodyNote
}

func (h *Host) note(f *facts.Fact) bodyNote {
	if f.PageDigest != "" {
		note := bodyNote{isPage: true}
		sum, _ := hex.DecodeString(f.PageDigest) // the first stage wrote it
		copy(note.sum[:], sum)
		return note
	}
	body := f.Body
	if len(body) > 0 {
		if first := &h.first; len(first.body) == len(body) && &first.body[0] == &body[0] {
			return first.bodyNote
		}
		if n, known := h.notes[&body[0]]; known && n.size == len(body) {
			return n
		}
	}
	return h.cache.note(body)
}

// addOther adds a policy file that is no robots.txt, or a copy of another host's file. It returns false if it exceeds a
// limit.
func (h *Host) addOther(f *facts.Fact) bool {
	if h.others >= maxOthers || !h.share(f) {
		return false
	}
	h.others++
	h.Add(f)
	return true
}
