package survey

import (
	"fmt"

	"github.com/acapscan/acapscan/analyze/inforce"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/policyfiles"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/output/table"
)

// maxIDs is the limit on the ids that a site caches: a hundred statements may decide each usage at each page.
const maxIDs = 1 << 12

// statementNames caches key columns and ids, for rows about one capture come together.
type statementNames struct {
	keyed *facts.Fact
	key   table.Key                    // of keyed
	ids   map[*policy.Statement]string // of statements of files
	host  table.Host                   // of the site; empty before the first row that needs it

	recordOf *facts.Fact // whose record is
	record   string
	idsOf    table.StatementIDs

	agentsOf policy.ListID[policy.Agent] // what agents lists
	agents   []string
}

// hostColumns returns the host columns of the site.
func (s *site) hostColumns() table.Host {
	if s.names.host.Protocol == "" {
		table.FillHost(&s.names.host, s.name)
	}
	return s.names.host
}

// isOf reports whether a URL begins with a site as that is written, so that both have the same columns of the host.
func isOf(url, site string) bool {
	return len(url) > len(site) && url[len(site)] == '/' && url[:len(site)] == site
}

// key returns the key columns of a capture.
func (s *site) key(f *facts.Fact) table.Key {
	if s.names.keyed != f {
		s.names.keyed, s.names.key = f, keyOf(f)
		if s.names.host.Protocol == "" && isOf(f.URL, s.name) {
			s.names.host = s.names.key.Host
		}
	}
	return s.names.key
}

// evidence is where statements come from: those of a page from its capture, those of a robots.txt from the capture with
// its body.
type evidence struct {
	page *facts.Fact
	file *policyfiles.File
	// the capture with the tdmrep.json in force; nil: no statement comes from one
	reserving *facts.Fact
}

func (s *site) evidence(page *facts.Fact, a *policyfiles.Answer) evidence {
	e := evidence{page: page}
	if a != nil {
		e.file = a.File
	}
	return e
}

// id returns the id of a statement.
func (s *site) id(st *policy.Statement, e evidence) string {
	if st.Source == policy.TDMFile {
		return s.statementID(e.reserving, st)
	}
	if st.OfPage() || e.file == nil {
		return s.statementID(e.page, st)
	}
	id, known := s.names.ids[st]
	if !known {
		id = s.statementID(s.robots.Owner(st, e.file), st)
		if s.names.ids == nil || len(s.names.ids) >= maxIDs {
			s.names.ids = map[*policy.Statement]string{}
		}
		s.names.ids[st] = id
	}
	return id
}

func (s *site) statementID(owner *facts.Fact, st *policy.Statement) string {
	position := st.Offset
	if hasLine(st) {
		position = int64(st.Line)
	}
	n := &s.names
	if n.recordOf != owner {
		n.recordOf, n.record = owner, s.recordOf(owner)
	}
	return n.idsOf.ID(n.record, owner.RecordOffset, table.WordOf(st.Source), table.WordOf(st.Vocabulary), position,
		st.Part)
}

// recordOf names the record with statements of the site.
func (s *site) recordOf(owner *facts.Fact) string {
	record := owner.Filename
	if owner.RecordIndex > 0 {
		// Records that share a compressed member have one offset.
		record = fmt.Sprintf("%s#%d", record, owner.RecordIndex)
	}
	if inforce.SiteOf(owner) != s.name {
		// A file may be in force for several sites (R-SITE-2, R-REF-1): each has statements of its own.
		record = fmt.Sprintf("%s for %s", record, s.name)
	}
	return record
}

// agentsOf lists the agents of a statement. Rows share the list: statements of a group come together.
func (s *site) agentsOf(st *policy.Statement) []string {
	if id := policy.IDOf(st.Agents); len(st.Agents) > 0 && id != s.names.agentsOf {
		list := make([]string, min(len(st.Agents), maxListed))
		for i := range list {
			list[i] = text(string(st.Agents[i]))
		}
		s.names.agentsOf, s.names.agents = id, list
	}
	if len(st.Agents) == 0 {
		return nil
	}
	return s.names.agents
}
