package survey

import (
	"crypto/sha256"
	"encoding/hex"
	"math"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/ingest/facts"
)

// hostFiles are the policy files of one host in one crawl. Its http and its https site share them. Equal bodies share
// memory.
type hostFiles struct {
	*inforce.Captures
	limits limits
	cache  *Policies // of all hosts

	shared map[[sha256.Size]byte][]byte
	notes  map[*byte]bodyNote // of shared bodies, by their first byte
	bytes  [2]int             // of shared bodies: of the sites' own robots.txt, and of other files
	others int                // captures of other files

	resolved int // references of all versions of all files, and statements that they lead to
}

// A bodyNote is what is known of a body.
type bodyNote struct {
	sum    [sha256.Size]byte
	isPage bool // R-LEX-7
	size   int
}

// Limits on the other files of one host in one crawl, far above real ones. The oldest captures are left out, and the
// rows of the host's sites say so.
const (
	maxOtherBytes = 16 << 20 // of different bodies
	maxOthers     = 1 << 14  // captures
)

// limits are those on the robots.txt of a host's own sites, and on the work for pages.
type limits struct {
	bodies   int   // bytes of different bodies; parsed, they take some twenty times as much
	captures int   // of one site
	few      int   // captures of one site that are kept in memory even if they are alike; at least 2
	pages    int64 // steps for all pages of one site; see pageWork.exceeded
}

func defaultLimits() limits {
	return limits{bodies: 4 << 20, captures: 1 << 14, few: 1 << 10, pages: math.MaxInt64}
}

func newHostFiles(opts Options, of limits, cache *Policies) *hostFiles {
	h := &hostFiles{limits: of, cache: cache, shared: map[[sha256.Size]byte][]byte{}, notes: map[*byte]bodyNote{}}
	h.Captures = inforce.NewCaptures(opts.Reading.Without, func(f *facts.Fact) bool { return h.note(f).isPage })
	return h
}

// share makes a capture share its body with captures that have an equal one. It returns false if another body exceeds
// the limit.
func (h *hostFiles) share(f *facts.Fact) bool {
	if len(f.Body) == 0 {
		return true
	}
	note := h.note(f)
	body, known := h.shared[note.sum]
	if !known {
		class, limit := 0, h.limits.bodies
		if f.Kind != facts.KindRobots {
			class, limit = 1, maxOtherBytes
		}
		if h.bytes[class] > 0 && h.bytes[class]+len(f.Body) > limit {
			return false
		}
		h.bytes[class] += len(f.Body)
		body = f.Body
		h.shared[note.sum] = body
		h.notes[&body[0]] = note
	}
	f.Body = body
	return true
}

func (h *hostFiles) note(f *facts.Fact) bodyNote {
	if f.PageDigest != "" {
		note := bodyNote{isPage: true}
		sum, _ := hex.DecodeString(f.PageDigest) // the first stage wrote it
		copy(note.sum[:], sum)
		return note
	}
	body := f.Body
	if len(body) > 0 {
		if n, known := h.notes[&body[0]]; known && n.size == len(body) {
			return n
		}
	}
	return h.cache.note(body)
}

// addOther adds a policy file that is no robots.txt, or a copy of another host's file. It returns false if it exceeds a
// limit.
func (h *hostFiles) addOther(f *facts.Fact) bool {
	if h.others >= maxOthers || !h.share(f) {
		return false
	}
	h.others++
	h.Add(f)
	return true
}
