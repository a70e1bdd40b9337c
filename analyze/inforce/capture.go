// Package inforce finds which capture of a robots.txt is in force at a moment (R-SITE-1), follows its redirects
// (R-SITE-2) and tells what it answered (R-REP-3). It parses no rules.
package inforce

import (
	"cmp"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/terms"
)

// Limits on how far a robots.txt is followed.
const (
	MaxHops       = 5  // redirects (R-SITE-2, RFC 9309 section 2.3.1.2)
	MaxReferences = 64 // permissions-references of one file; others stay unresolved
)

// EmptyDigest is the SHA-1 of no bytes. It names no body that could be looked up.
const EmptyDigest = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"

// URLKey returns site, path and query of a URL in normal form: URLs of one resource have equal keys.
func URLKey(url string) (key string, ok bool) {
	u, ok := weburl.Split(url)
	if !ok {
		return "", false
	}
	return u.Site() + policy.NormalizePath(u.PathQuery()), true
}

// SiteOf returns the site of a capture. The fact's own Site differs if the fact is a copy for another site.
func SiteOf(f *facts.Fact) string {
	if u, ok := weburl.Split(f.URL); ok {
		return u.Site()
	}
	return f.Site
}

// IsRedirect reports whether a capture redirects. 304 does not: it says that nothing changed.
func IsRedirect(f *facts.Fact) bool {
	return f.FetchStatus >= 300 && f.FetchStatus < 400 && f.FetchStatus != 304
}

// LacksBody reports whether a capture names its body by a digest only: a revisit, a record that a WAT sums up, an
// answer "not modified", or a body that stage 1 wrote for an earlier capture.
func LacksBody(f *facts.Fact) bool {
	if f.Body != nil || f.ContentDigest == "" || f.ContentDigest == EmptyDigest {
		return false
	}
	return f.FetchStatus == 0 || f.FetchStatus >= 200 && f.FetchStatus < 300 || f.FetchStatus == 304
}

// IsEmptyFile reports whether a capture without a body is a successful answer of no bytes.
func IsEmptyFile(f *facts.Fact) bool {
	succeeded := f.FetchStatus >= 200 && f.FetchStatus < 300 || f.FetchStatus == 0 &&
		f.RecordType == terms.RecordResource.String()
	return succeeded && (f.RecordType != terms.RecordRevisit.String() && !f.Partial || f.ContentDigest == EmptyDigest)
}

// Earlier orders captures by time, those of one time by their records.
func Earlier(f, g *facts.Fact) bool {
	return cmp.Or(
		cmp.Compare(f.FetchTime, g.FetchTime), cmp.Compare(f.Filename, g.Filename),
		cmp.Compare(f.RecordOffset, g.RecordOffset), cmp.Compare(f.RecordIndex, g.RecordIndex), cmp.Compare(f.URL,
			g.URL),
	) < 0
}

// Conclusive reports whether a capture by itself is a conclusive answer, or leads on to one.
type Conclusive uint8

const (
	NotConclusive    Conclusive = iota
	ConclusiveByBody            // depends on the body, which the capture names by its digest
	IsConclusive
)

// ConclusiveOf reports whether a capture is conclusive. isPage reports whether a body is a page and no robots.txt
// (R-LEX-7).
func ConclusiveOf(f *facts.Fact, without policy.RuleSet, isPage func(*facts.Fact) bool) Conclusive {
	is := false
	switch status := f.FetchStatus; {
	case IsRedirect(f):
		is = !without.Has(policy.RuleRedirect)
	case status >= 400 && status < 500:
		is = status != 429
	case LacksBody(f):
		return ConclusiveByBody
	case status == 0 || status >= 200 && status < 300 || status == 304:
		if f.Body != nil {
			is = !isPage(f)
		} else {
			is = IsEmptyFile(f)
		}
	}
	if is {
		return IsConclusive
	}
	return NotConclusive
}
