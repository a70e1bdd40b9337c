package crosshost

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/extsort"
)

// A target is what a site requests: the captures of a URL, one record, or the body of a digest.
type target struct {
	id   targetID
	hash int64 // of the host that has it; of a digest, a hash of the digest
	kind targetKind
}

// A targetID is the first half of a SHA-256, so that two targets with one id cannot be made on purpose.
type targetID [16]byte

type targetKind byte

const (
	aURL    targetKind = 'u'
	aRecord targetKind = 'r'
	aDigest targetKind = 'd'
)

func idOf(kind targetKind, crawl, name string) targetID {
	var buffer [256]byte
	sum := sha256.Sum256(append(append(append(append(buffer[:0], byte(kind)), crawl...), 0), name...))
	return targetID(sum[:])
}

// urlID identifies the captures of a URL. ok is false for a malformed URL.
func urlID(crawl, url string) (id targetID, ok bool) {
	key, ok := inforce.URLKey(url)
	if !ok {
		return id, false
	}
	return idOf(aURL, crawl, key), true
}

func urlTarget(crawl, url string) (target, bool) {
	u, ok := weburl.Split(url)
	if !ok {
		return target{}, false
	}
	site := u.Site()
	return target{idOf(aURL, crawl, site+policy.NormalizePath(u.PathQuery())), facts.HashSite(site), aURL}, true
}

func digestTarget(f *facts.Fact) target {
	id := idOf(aDigest, f.CrawlName(), f.ContentDigest)
	return target{id, int64(binary.BigEndian.Uint64(id[:]) >> 1), aDigest}
}

// recordID identifies one capture by its record.
func recordID(f *facts.Fact) targetID {
	name := strconv.AppendInt([]byte(f.Filename), f.RecordOffset, 10)
	name = strconv.AppendInt(append(name, 0), f.RecordIndex, 10)
	return idOf(aRecord, f.CrawlName(), string(append(append(name, 0), f.URL...)))
}

// A role reports whether references in the found file are followed.
type role byte

const (
	ownPolicy  role = iota // the file becomes the site's robots.txt: its references are followed
	referenced             // a reference names the file: there is one level only (R-REF-1)
)

// A requester is a site and the role that found files have for it.
type requester struct {
	site string
	hash int64 // of the site
	role role
}

// A request is a target, a requester, and the time of the capture that redirects to the target: only the capture in
// force at that time can matter to the requester (R-SITE-1, R-SITE-2).
type request struct {
	id     targetID
	moment int64 // anyTime: all captures
	requester
}

const (
	anyTime  = math.MinInt64 // of bodies, and of files that a reference names
	noMoment = anyTime + 1   // no request has it
)

// appendTo appends the record of a request. Records sort by host, then target, then moment with the latest first,
// then requester.
func (r *request) appendTo(b []byte, host int64) []byte {
	b = append(extsort.AppendHash(b, host), r.id[:]...)
	b = extsort.AppendHash(extsort.AppendHash(b, ^r.moment), r.hash)
	return append(append(b, r.site...), byte(r.role))
}

// Offsets in the record of a request.
const (
	atID            = 8
	atMoment        = atID + 16
	atRequesterHash = atMoment + 8
	atSite          = atRequesterHash + 8
)

func readRequest(record []byte) request {
	last := len(record) - 1
	return request{
		targetID(record[atID:atMoment]), ^extsort.HashOf(record[atMoment:]),
		requester{string(record[atSite:last]), extsort.HashOf(record[atRequesterHash:]), role(record[last])},
	}
}

// A match is a capture that a requester gets.
type match struct {
	at     int64 // number of the capture among all
	moment int64 // of the request
	requester
}

// appendTo appends the record of a match. Records sort by host, then capture, then requester.
func (m *match) appendTo(b []byte, host int64) []byte {
	b = extsort.AppendHash(extsort.AppendHash(extsort.AppendHash(b, host), m.at), m.requester.hash)
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(m.site))), m.site...)
	return extsort.AppendHash(append(b, byte(m.role)), m.moment)
}

func readMatch(record []byte) (m match) {
	m.at, m.requester.hash = extsort.HashOf(record[8:]), extsort.HashOf(record[16:])
	n := binary.BigEndian.Uint32(record[24:])
	m.site, record = string(record[28:28+n]), record[28+n:]
	m.role, m.moment = role(record[0]), extsort.HashOf(record[1:])
	return m
}

// A followUp is a target that a found capture redirects or refers to. The host of the requester decides whether it
// becomes a request: it may have been requested before, or exceed a limit.
type followUp struct {
	requester
	target
	moment int64
	at     int64 // number of the found capture among all: the first is requested first
	nth    int   // among the targets of the capture
	crawl  string
}

// appendTo appends the record of a followUp. Records sort by requester, then in the order of requests.
func (f *followUp) appendTo(b []byte) []byte {
	b = extsort.AppendHash(extsort.AppendHash(b, f.requester.hash), f.at)
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(f.site))), f.site...)
	b = binary.BigEndian.AppendUint32(append(b, byte(f.role)), uint32(f.nth))
	b = append(append(b, byte(f.kind)), f.id[:]...)
	return append(extsort.AppendHash(extsort.AppendHash(b, f.target.hash), f.moment), f.crawl...)
}

func readFollowUp(record []byte) (f followUp) {
	f.requester.hash, f.at = extsort.HashOf(record), extsort.HashOf(record[8:])
	n := binary.BigEndian.Uint32(record[16:])
	f.site, record = string(record[20:20+n]), record[20+n:]
	f.role, f.nth, f.kind = role(record[0]), int(binary.BigEndian.Uint32(record[1:])), targetKind(record[5])
	f.id, f.target.hash, f.moment = targetID(record[6:22]), extsort.HashOf(record[22:]), extsort.HashOf(record[30:])
	f.crawl = string(record[38:])
	return f
}
