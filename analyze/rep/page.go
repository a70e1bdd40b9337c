package rep

import (
	"regexp"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
)

// ReadPage adds the conventional statements of a page to p: robots METAs, X-Robots-Tag fields and robots PIs. p.XML
// must be set, because PIs in a document that is parsed as HTML are only recorded (R-PI-1).
func ReadPage(markup []policy.Markup, options Options, p *policy.Page) {
	legalPI := false
	for _, m := range markup {
		if options.Owned.HasMarkup(&m) {
			continue
		}
		switch m.Source {
		case policy.Meta:
			agent := policy.AnyAgent
			if name := strings.TrimSpace(m.Name); !strings.EqualFold(name, "robots") {
				agent, _ = policy.ReadAgent(name, options.Without)
			}
			if agent == "" {
				continue
			}
			readDirectives(m, agent, m.Value, options, p)
		case policy.HTTPHeader:
			if strings.EqualFold(strings.TrimSpace(m.Name), "x-robots-tag") {
				agent, rest := policy.AnyAgent, m.Value
				if !options.Without.Has(policy.RuleHeader) {
					agent, rest = splitAgent(m.Value)
				}
				readDirectives(m, agent, rest, options, p)
			}
		case policy.PI:
			if !options.Without.Has(policy.RulePI) {
				legalPI = readPI(m, options, p, legalPI)
			}
		}
	}
}

// splitAgent splits an optional "agent:" from the rules of an X-Robots-Tag field. It applies to the whole field. Names
// of rules with values are not agents (R-HDR-1).
func splitAgent(value string) (policy.Agent, string) {
	head, rest, found := strings.Cut(value, ":")
	agent, clean := policy.ParseAgent(head)
	if !found || !clean || valued[strings.ToLower(string(agent))] {
		return policy.AnyAgent, value
	}
	return agent, rest
}

// readDirectives reads a list of conventional directives into statements.
func readDirectives(m policy.Markup, agent policy.Agent, content string, options Options, p *policy.Page) {
	part := 0
	for _, d := range splitDirectives(content) {
		for _, st := range d.statements(options.Without) {
			part++
			st.Source, st.Offset, st.Part = m.Source, m.Offset, part
			if st.Vocabulary != policy.NoAI {
				st.Vocabulary = policy.REP
			}
			st.Agents, st.Raw = []policy.Agent{agent}, m.Raw
			options.AddMarkupDefects(&st, &m)
			p.Statements = append(p.Statements, st)
		}
	}
}

// legalForm is S1's grammar: '<?robots' S IndexSpec S FollowSpec '?>'. A blank before '?>' is accepted with a defect.
var legalForm = regexp.MustCompile(`^[ \t\r\n]+index="(yes|no)"[ \t\r\n]+follow="(yes|no)"([ \t\r\n]*)$`)

// readPI reads one robots PI. Only the first legal one of a document counts (S1). It returns whether there has been
// one.
func readPI(m policy.Markup, options Options, p *policy.Page, hadLegal bool) bool {
	data, isRobots := piData(m)
	if !isRobots {
		return hadLegal
	}
	st := policy.Statement{
		Vocabulary: policy.REP, Source: policy.PI, Offset: m.Offset, Part: 1, Field: "robots",
		Agents: []policy.Agent{policy.AnyAgent}, Status: policy.Valid, Raw: m.Raw,
	}
	form := legalForm.FindStringSubmatch(data)
	if form == nil {
		st.Status = policy.Invalid
		if !p.XML {
			st.Status = policy.Recorded
		}
		st.AddDefect(policy.DefectPISyntax)
		p.Statements = append(p.Statements, st)
		return hadLegal
	}
	if form[3] != "" {
		st.AddDefect(policy.DefectPITrailingSpace)
		st.Status = options.Repaired(policy.DefectPITrailingSpace)
	}
	if m.Late {
		st.AddDefect(policy.DefectPILate)
	}
	switch {
	case !p.XML:
		st.Status = policy.Recorded
	case st.Status == policy.Invalid: // not a legal form
	case hadLegal:
		st.Status = policy.Ignored
	}
	refused := st.Status == policy.Invalid
	for i, usage := range []policy.Usage{policy.Index, policy.Follow} {
		part := st
		part.Defects = append([]policy.Defect(nil), st.Defects...)
		part.Part, part.Usage, part.Sense = i+1, usage, policy.Allow
		if form[i+1] == "no" {
			part.Sense = policy.Disallow
		}
		p.Statements = append(p.Statements, part)
	}
	return hadLegal || !refused
}

// piData returns the text after the target of a PI whose target is robots. XML names are case-sensitive.
func piData(m policy.Markup) (data string, isRobots bool) {
	if rest, ok := strings.CutPrefix(m.Raw, "<?robots"); ok {
		if data, ok := strings.CutSuffix(rest, "?>"); ok {
			return data, true
		}
	}
	return " " + strings.TrimLeft(m.Value, " \t\r\n"), m.Name == "robots"
}
