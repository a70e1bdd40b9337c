package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/output/table"
)

// runCrawl surveys a crawl and looks the questions up in its permissions: a question with a time is about the page captured then, one
// without is about the site.
func (r Runner) runCrawl(c *Case, without policy.RuleSet) (differences []string) {
	captured, err := r.Crawl(c.Crawl)
	if err != nil {
		return []string{err.Error()}
	}
	for i := range c.Questions {
		q := &c.Questions[i]
		what := fmt.Sprintf("question %d, %s %s %s", i+1, q.Agent, q.Usage, q.URL)
		rows, err := surveyed(captured, survey.Options{
			Reading: readingOptions(c, without), Decide: decideOptions(q, without), Permissions: survey.PermissionsAll,
			Agents: []policy.Agent{policy.Agent(q.Agent).Key()},
		})
		if err != nil {
			return append(differences, err.Error())
		}
		row := slices.IndexFunc(rows, q.isAbout)
		if row < 0 {
			differences = append(differences, what+": the crawl decides nothing of that kind")
			continue
		}
		differences = appendDifference(differences, what, q.Answer, answerOf(&rows[row]))
	}
	return differences
}

// surveyed runs both passes of stage 2 over the facts of one crawl and returns the permissions.
func surveyed(captured []facts.Fact, opts survey.Options) ([]table.Permission, error) {
	all := slices.Clone(captured)
	err := survey.Resolve(scanOf(captured), func(f *facts.Fact) error {
		all = append(all, *f)
		return nil
	}, opts.Reading, 0)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b facts.Fact) int { return facts.Compare(&a, &b) })
	inOrder := scanOf(all)
	var permissions []table.Permission
	err = survey.Bucket(inOrder, opts, func(rows *survey.Rows) error {
		for _, list := range rows.Permissions {
			permissions = append(permissions, list...)
		}
		return nil
	})
	return permissions, err
}

func scanOf(list []facts.Fact) survey.Scan {
	return func(visit func(*facts.Fact) error) error {
		for i := range list {
			f := list[i]
			if err := visit(&f); err != nil {
				return err
			}
		}
		return nil
	}
}

// isAbout tells whether a row answers the question.
func (q *Question) isAbout(row table.Permission) bool {
	if row.Agent != string(policy.Agent(q.Agent).Key()) || string(row.Usage) != q.Usage || (row.Purpose == nil) != (q.Purpose == nil) ||
		q.Purpose != nil && !strings.EqualFold(*row.Purpose, *q.Purpose) {
		return false
	}
	if q.At == nil {
		u, ok := weburl.Split(q.URL)
		return ok && row.Scope == table.ScopeSite && row.Site == u.Site() && u.PathQuery() == "/"
	}
	return row.Scope == table.ScopePage && row.URL != nil && *row.URL == q.URL && row.FetchTime != nil && row.FetchTime.Equal(*q.At)
}

func answerOf(row *table.Permission) Answer {
	a := Answer{Decision: string(row.Decision), Basis: string(row.Basis), DecidedBy: row.DecidedBy}
	if row.IfCrawled != nil && *row.IfCrawled != row.Decision {
		a.IfCrawled = string(*row.IfCrawled)
	}
	if row.WithoutElements != nil && *row.WithoutElements != row.Decision {
		a.WithoutElements = string(*row.WithoutElements)
	}
	for _, q := range row.Qualifiers {
		a.Qualifiers = append(a.Qualifiers, Qualifier{q.Name, q.Value})
	}
	return a
}
