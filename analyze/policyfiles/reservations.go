package policyfiles

import (
	"crypto/sha256"
	"math"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/internal/terms"
)

// Reservations are the versions of a site's tdmrep.json (R-TDM-1).
type Reservations struct {
	host     *Host
	versions []version

	none ReservationFile                  // where there is no file
	read map[*facts.Fact]*ReservationFile // some of the files; pages come in order of time
	size int                              // bytes of these
}

// maxReservations bounds the bytes of the files of one site that are kept in memory. Beyond it they are read again.
const maxReservations = 1 << 25

// A version is a tdmrep.json from a moment on. Without a body the site has none then.
type version struct {
	from int64
	body *facts.Fact
}

// A ReservationFile is a tdmrep.json.
type ReservationFile struct {
	Statements []policy.Statement
	Owner      *facts.Fact // the capture that holds it
}

// Reservations returns the versions of a site's tdmrep.json, once all files have come.
func (s *Site) Reservations(site string) *Reservations {
	r := &Reservations{host: s.host}
	if s.host.others == 0 { // nearly every host
		return r
	}
	key, ok := inforce.URLKey(site + parse.ReservationPath)
	if !ok {
		return r
	}
	first := map[[sha256.Size]byte]*facts.Fact{} // equal bodies are one file
	for _, f := range s.host.Candidates(key) {
		answer := s.host.Find(f)
		body := answer.Body
		if answer.Outcome != terms.OutcomeNoRules {
			body = nil
		}
		if body != nil {
			sum := s.host.note(body).sum
			if first[sum] == nil {
				first[sum] = body
			}
			body = first[sum]
		}
		r.versions = append(r.versions, version{f.FetchTime, body})
	}
	return r
}

// InForce returns the file in force at a moment (R-SITE-1), or one without statements.
func (r *Reservations) InForce(moment int64) *ReservationFile {
	if len(r.versions) == 0 {
		return &r.none
	}
	i := r.host.Index(len(r.versions), moment, func(i int) int64 { return r.versions[i].from })
	return r.file(r.versions[i].body)
}

// Main returns the file in force at the end of the crawl, or one without statements.
func (r *Reservations) Main() *ReservationFile { return r.InForce(math.MaxInt64) }

// Each visits the different files of the crawl, the first in time first.
func (r *Reservations) Each(visit func(*ReservationFile) error) error {
	if len(r.versions) == 0 {
		return nil
	}
	seen := map[*facts.Fact]bool{nil: true}
	for _, v := range r.versions {
		if seen[v.body] {
			continue
		}
		seen[v.body] = true
		if err := visit(r.file(v.body)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reservations) file(body *facts.Fact) *ReservationFile {
	if body == nil {
		return &r.none
	}
	f := r.read[body]
	if f == nil {
		f = &ReservationFile{parse.ReadReservations(body.Body, r.host.cache.reading), body}
		if r.read == nil || r.size > maxReservations {
			r.read, r.size = map[*facts.Fact]*ReservationFile{}, 0
		}
		r.read[body] = f
		r.size += len(body.Body) + statementBytes*len(f.Statements)
	}
	return f
}
