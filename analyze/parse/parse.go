// Package parse turns facts into policies: it knows which vocabularies there are and lets each read its part of a
// robots.txt or a page. A further vocabulary is a further folder and a line in the list of vocabularies. It decides
// nothing.
package parse

import (
	"errors"
	"slices"

	"github.com/acapscan/acapscan/analyze/acap"
	"github.com/acapscan/acapscan/analyze/aipref"
	"github.com/acapscan/acapscan/analyze/contentsignal"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/rep"
	"github.com/acapscan/acapscan/analyze/robotstxt"
	"github.com/acapscan/acapscan/analyze/rsl"
	"github.com/acapscan/acapscan/analyze/tdmrep"
	"github.com/acapscan/acapscan/analyze/vocabulary"
	"github.com/acapscan/acapscan/ingest/facts"
)

// Options select how leniently documents are read. The zero value is the default.
type Options struct {
	Limit   int             // bytes read of a robots.txt; 0 means 500 KiB (R-LEX-8)
	Refuse  []policy.Defect // repairs that are not made, of policy.Repairs; what needs one is invalid
	Without policy.RuleSet  // the rules that are left out, of all that read
	// BodyMETAs lets METAs that stand in the body of a page count as those in the head do, in every vocabulary
	// (R-META-1).
	BodyMETAs bool
}

func (o Options) robotstxt(truncated bool) robotstxt.Options {
	return robotstxt.Options{Limit: o.Limit, Truncated: truncated, Without: o.Without}
}

// vocabularies lists every vocabulary. Each reads what belongs to it, in this order: the conventional one counts the
// fields that the later ones look for.
func vocabularies() []vocabulary.Vocabulary {
	return []vocabulary.Vocabulary{
		acap.Vocabulary(),
		rep.Vocabulary(),
		aipref.Vocabulary(),
		contentsignal.Vocabulary(),
		rsl.Vocabulary(),
		tdmrep.Vocabulary(),
	}
}

var all = newReader(vocabularies()...)

// A reader reads documents in several vocabularies.
type reader struct {
	vocabularies []vocabulary.Vocabulary
	owned        *vocabulary.Names
}

func newReader(vocabularies ...vocabulary.Vocabulary) *reader {
	return &reader{vocabularies, vocabulary.NamesOf(vocabularies...)}
}

func (r *reader) options(o Options) vocabulary.Options {
	return vocabulary.Options{Refuse: o.Refuse, Without: o.Without, BodyMETAs: o.BodyMETAs, Owned: r.owned}
}

// A Robots is a robots.txt that was read.
type Robots struct {
	*policy.File
	Lines  int
	Size   int // bytes of the whole body
	Marker robotstxt.Marker
}

// NotRobots reports whether a body is a page and no robots.txt (R-LEX-7).
func NotRobots(body []byte, opts Options) bool {
	return !opts.Without.Has(policy.RuleNotRobots) && robotstxt.NotRobots(body, opts.robotstxt(false))
}

// IsPage reports whether the body of a capture is a page and no robots.txt (R-LEX-7).
func IsPage(f *facts.Fact, opts Options) bool { return f.PageDigest != "" || NotRobots(f.Body, opts) }

// errNoPageBodies says how to get the bodies that the first stage left out.
var errNoPageBodies = errors.New("without R-LEX-7 pages in the place of a robots.txt are read, " +
	"and these facts lack their bodies; run extract again with --page-bodies")

// CheckBody returns an error if the first stage left out a body that these options read.
func CheckBody(f *facts.Fact, opts Options) error {
	if f.PageDigest != "" && opts.Without.Has(policy.RuleNotRobots) {
		return errNoPageBodies
	}
	return nil
}

// ReadRobots reads a robots.txt in every vocabulary. truncated tells that the archive cut the body. It keeps nothing of
// body.
func ReadRobots(body []byte, truncated bool, opts Options) *Robots {
	return all.robots(body, truncated, nil, opts)
}

// ReadRobotsInto is ReadRobots, but the statements are in spare as far as it has capacity: the caller may use their
// memory again when it no longer needs the file.
func ReadRobotsInto(spare []policy.Statement, body []byte, truncated bool, opts Options) *Robots {
	return all.robots(body, truncated, spare, opts)
}

func (r *reader) robots(body []byte, truncated bool, spare []policy.Statement, opts Options) *Robots {
	doc := robotstxt.Parse(body, opts.robotstxt(truncated))
	read := &Robots{
		File:  &policy.File{Statements: spare[:0], Managed: doc.Managed()},
		Lines: doc.LineCount, Size: doc.Size, Marker: doc.Marker,
	}
	for _, d := range doc.Defects {
		read.AddFinding(d, defectLine(doc, d))
	}
	options, readers := r.options(opts), 0
	for _, v := range r.vocabularies {
		before := len(read.Statements)
		if v.ReadRobots != nil && v.MayBeIn(read.Fields) {
			v.ReadRobots(doc, options, read.File)
		}
		if len(read.Statements) > before {
			readers++
		}
	}
	slices.SortStableFunc(read.Findings, func(a, b policy.Finding) int { return a.Line - b.Line })
	if readers > 1 {
		slices.SortStableFunc(read.Statements, func(a, b policy.Statement) int { return a.Line - b.Line })
	}
	return read
}

// ReservationPath is where a site has its reservations for text and data mining.
const ReservationPath = tdmrep.Path

// ReadReservations reads a tdmrep.json (R-TDM-1). It keeps nothing of body.
func ReadReservations(body []byte, opts Options) []policy.Statement {
	return tdmrep.ReadFile(body, all.options(opts))
}

// Reserve adds to a page the rule of ReadReservations that applies to its normalised path, if neither the page nor its
// header reserves anything. It returns the steps that it took, and whether it added one. R-TDM-3.
func Reserve(p *policy.Page, rules []policy.Statement, path string, opts Options) (steps int, added bool) {
	if opts.Without.Has(policy.RuleReservationFile) {
		return 0, false
	}
	return tdmrep.Reserve(p, rules, path)
}

// defectLine is the line that a defect of the whole document belongs to, 0 where it is about all of it.
func defectLine(doc *robotstxt.Document, d policy.Defect) int {
	if d == policy.DefectMarkerNotFirst || d == policy.DefectMarkerExtraHash {
		return doc.Marker.Line
	}
	return 0
}

// ReadPage reads what a page capture says of itself. site is the robots.txt in force for it, nil where there is none:
// class tokens may name its definitions.
func ReadPage(f *facts.Fact, site *policy.File, opts Options) *policy.Page {
	return all.page(f, site, opts)
}

func (r *reader) page(f *facts.Fact, site *policy.File, opts Options) *policy.Page {
	markup := make([]policy.Markup, 0, len(f.Directives))
	for i := range f.Directives {
		markup = append(markup, asMarkup(&f.Directives[i]))
	}
	p := &policy.Page{XML: f.ParsedAs == facts.ParsedXML && !opts.Without.Has(policy.RuleParser)}
	options := r.options(opts)
	isNamed := slices.ContainsFunc(markup, func(m policy.Markup) bool { return r.owned.HasName(&m) })
	for _, v := range r.vocabularies {
		if v.ReadPage != nil && (v.ReadsAllPages() || isNamed && v.MayBeOn(markup)) {
			v.ReadPage(markup, site, options, p)
		}
	}
	slices.SortStableFunc(p.Statements, func(a, b policy.Statement) int {
		if a.Source != b.Source {
			return int(a.Source) - int(b.Source)
		}
		switch {
		case a.Offset < b.Offset:
			return -1
		case a.Offset > b.Offset:
			return 1
		}
		return 0
	})
	return p
}

var sources = map[facts.Carrier]policy.Source{
	facts.CarrierMeta: policy.Meta, facts.CarrierClass: policy.Class, facts.CarrierPI: policy.PI,
	facts.CarrierHeader: policy.HTTPHeader,
	facts.CarrierLink:   policy.Link,
}

func asMarkup(d *facts.Directive) policy.Markup {
	m := policy.Markup{
		Source: sources[d.Carrier], Offset: d.Offset, Name: d.Name, Value: d.Value, Raw: d.Raw,
		SmartQuotes: d.SmartQuotes, Late: d.Late, InBody: d.InBody,
	}
	if d.Carrier == facts.CarrierClass {
		m.Element = &policy.Element{Name: d.Name, ID: d.ElementID}
	}
	return m
}
