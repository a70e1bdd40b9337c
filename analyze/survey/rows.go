package survey

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// text makes text of an archive valid UTF-8, as tables need it.
func text(s string) string {
	if utf8.ValidString(s) { // ToValidUTF8 is slower
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// verbatim returns third-party text, at most facts.MaxRaw bytes; null if it is empty or the options leave it out.
func (s *site) verbatim(raw string) *string {
	if s.opts.NoVerbatim {
		return nil
	}
	if len(raw) > facts.MaxRaw {
		end := facts.MaxRaw
		for end > 0 && !utf8.RuneStart(raw[end]) {
			end--
		}
		raw = raw[:end]
	}
	return table.Observed(text(raw))
}

// keyFields are fields of a fact that key columns point to, in one allocation. A row that points into the fact itself
// would keep the fact's body while it waits for the column writers.
type keyFields struct {
	url, fetchRedirect, contentDigest, mimeType, mimeDetected, languages, truncated, segment, filename string
	recordOffset, recordLength                                                                         int64
}

// keyOf makes the key columns of a capture.
func keyOf(f *facts.Fact) table.Key {
	var key table.Key
	table.FillURL(&key, f.URL)
	own := &keyFields{
		text(f.URL), text(f.FetchRedirect), text(f.ContentDigest), text(f.MimeType), text(f.MimeDetected),
		text(f.Languages), text(f.Truncated), text(f.Segment), text(f.Filename), f.RecordOffset, f.RecordLength,
	}
	key.URL = table.ObservedIn(&own.url)
	key.FetchTime = table.Millis(f.FetchTime)
	if f.FetchStatus > 0 && f.FetchStatus <= math.MaxInt16 {
		key.FetchStatus = table.Of(int16(f.FetchStatus))
	}
	key.FetchRedirect = table.ObservedIn(&own.fetchRedirect)
	key.ContentDigest = table.ObservedIn(&own.contentDigest)
	key.MIMEType = table.ObservedIn(&own.mimeType)
	key.MIMEDetected = table.ObservedIn(&own.mimeDetected)
	key.Languages = table.ObservedIn(&own.languages)
	key.Truncated = table.ObservedIn(&own.truncated)
	key.WARCSegment = table.ObservedIn(&own.segment)
	key.WARCFilename = table.ObservedIn(&own.filename)
	key.RecordOffset = &own.recordOffset
	if own.recordLength >= 0 {
		key.RecordLength = &own.recordLength
	}
	return key
}

// hasLine reports whether a statement has a line, and no offset: in a tdmrep.json it is the number of its rule.
func hasLine(st *policy.Statement) bool {
	return st.Source == policy.RobotsTxt || st.Source == policy.TDMFile
}

// place returns where a statement stands: the line in a robots.txt, or the byte offset elsewhere. A WAT does not have
// the offset of a META.
func place(st *policy.Statement) (line *int32, offset *int64) {
	if hasLine(st) {
		return table.Of(int32(st.Line)), nil
	}
	if st.Offset < 0 {
		return nil, nil
	}
	return nil, table.Of(st.Offset)
}

// maxQualifiers is the limit on the qualifiers that one row lists: it has those of all deciding statements.
const maxQualifiers = decide.MaxListed

func qualifiers(list []policy.Qualifier) []table.Qualifier {
	var out []table.Qualifier
	for _, q := range list[:min(len(list), maxQualifiers)] {
		out = append(out, table.Qualifier{Name: text(string(q.Name)), Value: text(q.Value)})
	}
	return out
}

func codes(defects []policy.Defect) []string {
	var list []string
	for _, d := range defects {
		list = append(list, string(d))
	}
	return sorted(list)
}

// sorted sorts a list, and returns its different strings.
func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// inputRow makes the row of an input file.
func inputRow(f *facts.Fact) table.Input {
	counts := make(map[string]int64, len(f.Counts))
	for _, c := range f.Counts {
		counts[c.Name] += c.Value
	}
	records := func(kind string) int64 { return counts[facts.CountRecordPrefix+kind] }
	row := table.Input{
		WARCFilename: text(f.Filename), Error: table.Observed(text(f.Error)), Digest: table.Observed(f.InputDigest),
		Members: counts[facts.CountMembers], Records: counts[facts.CountRecords],
		RecordsWarcinfo: records("warcinfo"), RecordsResponse: records("response"),
		RecordsRequest: records("request"), RecordsResource: records("resource"),
		RecordsMetadata: records("metadata"), RecordsRevisit: records("revisit"),
		RecordsConversion: records("conversion"), RecordsOther: records("other"),
		HTML: counts[facts.CountHTML], XML: counts[facts.CountXML], Robots: counts[facts.CountRobots],
		PolicyFiles: counts[facts.CountPolicyFiles], PagesKept: counts[facts.CountPagesKept],
		CapturesPartial: counts[facts.CountPartial], Truncated: counts[facts.CountTruncatedRecords],
		Skipped: countsWith(counts, facts.CountSkippedPrefix), Defects: countsWith(counts, facts.CountDefectPrefix),
		StatusClasses: capturesOf(counts),
	}
	if f.InputBytes >= 0 {
		row.Bytes = table.Of(f.InputBytes)
	}
	if at, known := counts[facts.CountFirstDefect]; known {
		row.FirstDefectOffset = table.Of(at)
	}
	if n, known := counts[facts.CountRecordsAsked]; known {
		row.RecordsAsked = table.Of(n)
	}
	_, incomplete := counts[facts.CountIncomplete]
	row.Complete = !incomplete
	return row
}

// countsWith returns the counts whose names have a prefix, by the rest of the name; nil if there are none.
func countsWith(counts map[string]int64, prefix string) table.Counts {
	var list map[string]int64
	for name, n := range counts {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			if list == nil {
				list = map[string]int64{}
			}
			list[text(rest)] += n
		}
	}
	return table.CountsOf(list)
}

// capturesOf reads the counters of captures by status.
func capturesOf(counts map[string]int64) table.StatusClasses {
	const status = facts.CountStatusPrefix
	return table.StatusClasses{
		Captures: counts[facts.CountCaptures], Captures2xx: counts[status+"2xx"], Captures3xx: counts[status+"3xx"],
		Captures4xx: counts[status+"4xx"], Captures5xx: counts[status+"5xx"], CapturesOther: counts[status+"other"],
		CapturesNone: counts[status+"none"],
	}
}

// robotsRows makes a row for every capture of /robots.txt.
func (s *site) robotsRows(out *output) error {
	return s.robots.EachAnswer(func(a *policyfiles.Answer) error { return s.robotsRow(a, out) })
}

func (s *site) robotsRow(a *policyfiles.Answer, out *output) error {
	row := table.Robots{
		Key: s.key(a.Asked), Site: s.name, RecordType: table.RecordType(a.Asked.RecordType),
		Outcome:  table.WordOf(a.Outcome),
		Selected: a == s.robots.Main && a.Rank() == inforce.RankConclusive, Defects: slices.Clone(a.Asked.Defects),
	}
	if a.Answered != a.Asked {
		row.AnsweredURL = table.Observed(text(a.Answered.URL))
		row.AnsweredWARCFilename = table.Observed(text(a.Answered.Filename))
		row.AnsweredRecordOffset = table.Of(a.Answered.RecordOffset)
		row.Defects = append(row.Defects, a.Answered.Defects...)
	}
	if a.Body != nil {
		row.BodyBytes = table.Of(a.Body.BodyBytes)
		row.BodyDigest = table.Of(a.Digest())
	}
	if f := a.File; f != nil {
		n := &[...]int64{
			int64(f.Lines), int64(f.ACAPFields), int64(f.Records), int64(f.REPFields), int64(f.Groups),
		}
		row.Lines, row.ACAPFields, row.ACAPRecords, row.REPFields, row.REPGroups = &n[0], &n[1], &n[2], &n[3], &n[4]
		row.ACAPVersion = table.Observed(text(f.Version.Text))
		about := f.Summary()
		row.OtherFields = about.OtherFields
		row.Defects = append(row.Defects, about.Defects...)
		row.ACAPFingerprint = table.Observed(about.Fingerprint)
	}
	row.Defects = sorted(row.Defects)
	add(out, out.rows.Robots, Partition{s.crawl, subsetOf(a.Asked)}, row)
	return out.flushFull()
}

// A token is an ACAP class token of an element.
type token struct {
	offset int64
	raw    string
}

// pageRow makes the row of a page capture.
func (s *site) pageRow(v pageView, out *output) {
	row := table.Page{
		Key: s.key(v.fact), Site: s.name, ParsedAs: table.Observed(table.Parser(v.fact.ParsedAs)),
		Charset: table.Observed(text(v.fact.Charset)), ACAPVersion: table.Observed(text(v.page.Version.Text)),
		ACAPText: int64(v.page.ACAPText), Partial: v.fact.Partial,
	}
	defects := slices.Clone(v.fact.Defects)
	metas, conventional, tokens := map[int64]bool{}, map[int64]bool{}, map[token]bool{}
	metasInBody, conventionalInBody := map[int64]bool{}, map[int64]bool{}
	for i := range v.page.Statements {
		st := &v.page.Statements[i]
		for _, d := range st.Defects {
			defects = append(defects, string(d))
		}
		if inBody(st) {
			switch st.Vocabulary {
			case policy.ACAP:
				metasInBody[st.Offset] = true
			case policy.REP, policy.NoAI:
				conventionalInBody[st.Offset] = true
			}
			if s.ignored(st) {
				continue
			}
		}
		switch {
		case st.Vocabulary == policy.ACAP && st.Source == policy.Meta:
			metas[st.Offset] = true
		case st.Vocabulary == policy.ACAP:
			tokens[token{st.Offset, st.Raw}] = true
		case isConventional(st) && st.Source == policy.Meta:
			conventional[st.Offset] = true
		}
		if isConventional(st) {
			if directive := conventionalText(st); directive != "" {
				row.Conventional = append(row.Conventional, directive)
			}
		}
	}
	for i := range v.fact.Directives {
		switch d := &v.fact.Directives[i]; d.Carrier {
		case facts.CarrierClass:
			// Not every class that begins with "acap:" is of ACAP (R-CLASS-1).
			if tokens[token{d.Offset, d.Raw}] {
				row.ACAPClass++
			}
		case facts.CarrierPI:
			row.PI++
		case facts.CarrierHeader:
			if strings.EqualFold(d.Name, "X-Robots-Tag") {
				row.XRobotsTag++
			}
		}
	}
	row.ACAPMeta, row.ConventionalMeta = int64(len(metas)), int64(len(conventional))
	row.ACAPBody, row.ConventionalBody = int64(len(metasInBody)), int64(len(conventionalInBody))
	row.Conventional, row.Defects = sorted(row.Conventional), sorted(defects)
	add(out, out.rows.Pages, Partition{s.crawl, subsetOf(v.fact)}, row)
}

// isConventional reports whether a statement of a page is a conventional directive, or noai or noimageai among them.
func isConventional(st *policy.Statement) bool {
	return st.Vocabulary == policy.REP || st.Vocabulary == policy.NoAI
}

// conventionalText normalises a conventional directive: the agent and a colon if one is named, then name and value in
// lower case. It is "" for a malformed PI.
func conventionalText(st *policy.Statement) string {
	name := st.Field
	if st.Source == policy.PI {
		switch name = st.Usage.String(); st.Sense {
		case policy.NoSense:
			return ""
		case policy.Disallow:
			name = "no" + name
		}
	}
	if value := conventionalValue(st); value != "" {
		name += ":" + strings.ToLower(value)
	}
	if len(st.Agents) > 0 && st.Agents[0] != policy.AnyAgent {
		name = string(st.Agents[0].Key()) + ":" + name
	}
	return text(name)
}

// conventionalValue returns the value of a conventional directive as written: it reverses R-MAP-4 to R-MAP-9.
func conventionalValue(st *policy.Statement) string {
	switch {
	case st.Status == policy.Recorded:
		return st.Resource
	case st.Field == "max-snippet" && st.Sense == policy.Disallow:
		return "0"
	case st.Field == "max-image-preview" && st.Sense == policy.Disallow:
		return "none"
	}
	for _, q := range st.Qualifiers {
		switch q.Name {
		case policy.MaxLength:
			return strings.TrimSuffix(q.Value, "-chars")
		case policy.TimeLimit:
			return strings.TrimPrefix(q.Value, "until-")
		}
	}
	return ""
}

// directiveRows makes rows for the statements of each robots.txt and of the files that it refers to (R-REF-1):
// conventional ones if the site has ACAP, a conflict names them, or the options say so, and all others. A body that was
// captured several times has rows for its first capture only.
func (s *site) directiveRows(hasACAP bool, out *output) error {
	done := map[*facts.Fact]bool{}
	// by id: several references may name a file, and a file may name itself
	written := map[string]bool{}
	refers := slices.ContainsFunc(s.robots.Answers, func(a *policyfiles.Answer) bool {
		return a.File != nil && len(a.File.References) > 0
	})
	for _, a := range s.robots.Answers {
		f := a.File
		if f == nil {
			continue
		}
		all := hasACAP || s.opts.Directives == DirectivesAll
		if !done[f.Owner] && (all || f.HasOther) {
			done[f.Owner] = true
			for i := range f.Statements {
				st := &f.Statements[i]
				if all || st.Vocabulary != policy.REP || s.found.conventional[st] {
					row := s.directive(f.Owner, st)
					row.ManagedBy = table.Observed(text(f.ManagedBy(st.Line)))
					if refers {
						written[row.StatementID] = true
					}
					out.addDirective(s.crawl, subsetOf(f.Owner), row)
				}
			}
		}
		for i := range f.References {
			for j := range f.References[i].Resolved {
				st := &f.References[i].Resolved[j]
				owner := s.robots.Owner(st, f)
				if row := s.directive(owner, st); !written[row.StatementID] {
					written[row.StatementID] = true
					out.addDirective(s.crawl, subsetOf(owner), row)
				}
			}
		}
		if err := out.flushFull(); err != nil {
			return err
		}
	}
	return nil
}

// pageDirectives makes a row for every statement of a page.
func (s *site) pageDirectives(v pageView, out *output) {
	for i := range v.page.Statements {
		out.addDirective(s.crawl, subsetOf(v.fact), s.directive(v.fact, &v.page.Statements[i]))
	}
}

// reservationRows makes a row for every statement of each tdmrep.json (R-TDM-1). A body that was captured several times
// has rows for its first capture only.
func (s *site) reservationRows(out *output) error {
	return s.reservations().Each(func(f *policyfiles.ReservationFile) error {
		for i := range f.Statements {
			out.addDirective(s.crawl, subsetOf(f.Owner), s.directive(f.Owner, &f.Statements[i]))
		}
		return out.flushFull()
	})
}

func (o *output) addDirective(crawl, subset string, row table.Directive) {
	add(o, o.rows.Directives, Partition{crawl, subset}, row)
}

// maxListed is the limit on the agents and on the purposes that one row lists: all rules of a record repeat them.
const maxListed = 1000

func (s *site) directive(owner *facts.Fact, st *policy.Statement) table.Directive {
	row := table.Directive{
		Key: s.key(owner), Site: s.name, StatementID: s.statementID(owner, st), Source: table.WordOf(st.Source),
		Vocabulary: table.WordOf(st.Vocabulary), Part: int32(st.Part), Field: text(st.Field),
		Sense: table.Observed(table.WordOf(st.Sense)), Usage: table.Observed(table.WordOf(st.Usage)),
		Resource: table.Observed(text(st.Resource)), Qualifiers: qualifiers(st.Qualifiers),
		Status: table.WordOf(st.Status), Defects: codes(st.Defects), Raw: s.verbatim(st.Raw), Agents: s.agentsOf(st),
	}
	row.Line, row.ByteOffset = place(st)
	if st.Element != nil {
		row.ElementName, row.ElementID = table.Observed(text(st.Element.Name)), table.Observed(text(st.Element.ID))
	}
	for _, p := range st.Purposes[:min(len(st.Purposes), maxListed)] {
		row.Purposes = append(row.Purposes, text(string(p)))
	}
	return row
}
