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
)

// This file is the questions of the pass between the stages, and the records that they are while they are sorted on disk.

// A question is what somebody wants to know of the corpus: what a URL, a place in an archive, or a digest holds. There may be very many,
// so that they are known by the beginnings of their SHA-256: nobody can make two that are the same.
type question struct {
	id   questionID
	hash int64 // where it is answered: that of the host that is asked, or, of a digest, the digest's own
	of   subject
}

type questionID [16]byte

// A subject is what a question is about.
type subject byte

const (
	ofURL    subject = 'u'
	ofRecord subject = 'r'
	ofDigest subject = 'd'
)

func idOf(about subject, crawl, what string) questionID {
	var room [256]byte
	sum := sha256.Sum256(append(append(append(append(room[:0], byte(about)), crawl...), 0), what...))
	return questionID(sum[:])
}

// urlID is the question for the captures of a URL. ok is false where the URL is none.
func urlID(crawl, url string) (id questionID, ok bool) {
	key, ok := inforce.URLKey(url)
	if !ok {
		return id, false
	}
	return idOf(ofURL, crawl, key), true
}

func urlQuestion(crawl, url string) (question, bool) {
	u, ok := weburl.Split(url)
	if !ok {
		return question{}, false
	}
	site := u.Site()
	return question{idOf(ofURL, crawl, site+policy.NormalizePath(u.PathQuery())), facts.HashSite(site), ofURL}, true
}

func digestQuestion(f *facts.Fact) question {
	id := idOf(ofDigest, f.CrawlName(), f.ContentDigest)
	return question{id, int64(binary.BigEndian.Uint64(id[:]) >> 1), ofDigest}
}

// recordID is the question for one capture, by its place in the corpus.
func recordID(f *facts.Fact) questionID {
	place := strconv.AppendInt([]byte(f.Filename), f.RecordOffset, 10)
	place = strconv.AppendInt(append(place, 0), f.RecordIndex, 10)
	return idOf(ofRecord, f.CrawlName(), string(append(append(place, 0), f.URL...)))
}

// A purpose tells whether what answers may refer on.
type purpose byte

const (
	toSpeak  purpose = iota // for the site: its references are followed
	toBeRead                // because of a reference: one level (R-REF-1)
)

// An asker is a site that asks, and why.
type asker struct {
	site    string
	hash    int64 // of the site
	purpose purpose
}

// An asking is a question of an asker. What a robots.txt leads to by a redirect is asked for moments, those of its captures: only what stands
// for these can be in force for the asker (R-SITE-1, R-SITE-2).
type asking struct {
	id     questionID
	moment int64 // anyTime: all that there is
	asker
}

// anyTime is no moment. It is asked for bodies, and for files that a reference leads to.
const (
	anyTime  = math.MinInt64
	noMoment = anyTime + 1 // what is not asked
)

// record appends the record of an asking: where it is answered, what it is about, for when, the latest first, and who asks.
func (a *asking) record(b []byte, hash int64) []byte {
	b = append(facts.AppendHash(b, hash), a.id[:]...)
	b = facts.AppendHash(facts.AppendHash(b, ^a.moment), a.hash)
	return append(append(b, a.site...), byte(a.purpose))
}

// Places in the record of an asking, and in that of one that was asked.
const (
	atID        = 8
	atMoment    = atID + 16
	atAskerHash = atMoment + 8
	atSite      = atAskerHash + 8
)

func readAsking(record []byte) asking {
	last := len(record) - 1
	return asking{
		questionID(record[atID:atMoment]), ^facts.HashOf(record[atMoment:]),
		asker{string(record[atSite:last]), facts.HashOf(record[atAskerHash:]), purpose(record[last])},
	}
}

// A choice is a capture that an asker gets.
type choice struct {
	at     int64 // its place among all
	moment int64 // that it was asked for
	asker
}

// record appends the record of a choice: where the capture is, and who gets it.
func (c *choice) record(b []byte, hash int64) []byte {
	b = facts.AppendHash(facts.AppendHash(facts.AppendHash(b, hash), c.at), c.asker.hash)
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(c.site))), c.site...)
	return facts.AppendHash(append(b, byte(c.purpose)), c.moment)
}

func readChoice(record []byte) (c choice) {
	c.at, c.asker.hash = facts.HashOf(record[8:]), facts.HashOf(record[16:])
	n := binary.BigEndian.Uint32(record[24:])
	c.site, record = string(record[28:28+n]), record[28+n:]
	c.purpose, c.moment = purpose(record[0]), facts.HashOf(record[1:])
	return c
}

// A candidate is a question that an answer leaves open: whether it is asked is for the host of the asker to tell, which may have asked it
// before, or too much.
type candidate struct {
	asker
	question
	moment int64
	at     int64 // place of the answer among all: what comes first is asked first
	nth    int   // among those of the answer
	crawl  string
}

// record appends the record of a candidate: who asks, and in which order.
func (c *candidate) record(b []byte) []byte {
	b = facts.AppendHash(facts.AppendHash(b, c.asker.hash), c.at)
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(c.site))), c.site...)
	b = binary.BigEndian.AppendUint32(append(b, byte(c.purpose)), uint32(c.nth))
	b = append(append(b, byte(c.of)), c.id[:]...)
	return append(facts.AppendHash(facts.AppendHash(b, c.question.hash), c.moment), c.crawl...)
}

func readCandidate(record []byte) (c candidate) {
	c.asker.hash, c.at = facts.HashOf(record), facts.HashOf(record[8:])
	n := binary.BigEndian.Uint32(record[16:])
	c.site, record = string(record[20:20+n]), record[20+n:]
	c.purpose, c.nth, c.of = purpose(record[0]), int(binary.BigEndian.Uint32(record[1:])), subject(record[5])
	c.id, c.question.hash, c.moment, c.crawl = questionID(record[6:22]), facts.HashOf(record[22:]), facts.HashOf(record[30:]), string(record[38:])
	return c
}
