package conformance

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/crosshost"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/output/table"
)

// runCrawl surveys a crawl and looks the questions up in its permissions: a question with a time is about the page
// captured then, one without is about the site.
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
	folder, err := os.MkdirTemp("", "acapscan-conformance-")
	if err != nil {
		return nil, err
	}
	sorted, err := facts.NewSorted(folder, 1)
	if err != nil {
		return nil, err
	}
	defer sorted.Close()
	sorter := sorted.NewSorter(0)
	for i := range captured {
		if err := sorter.Add(&captured[i]); err != nil {
			return nil, err
		}
	}
	if err := sorter.Flush(); err != nil {
		return nil, err
	}
	if err := crosshost.Resolve(context.Background(), sorted, opts.Reading, 1, 0); err != nil {
		return nil, err
	}
	inOrder := func(visit func(*facts.Fact) error) error {
		return sorted.Scan(0, visit, facts.Counters, facts.Policies, facts.Answers, facts.Pages)
	}
	var permissions []table.Permission
	err = survey.NewSurveyor(opts, nil).Lists(context.Background(), inOrder, func(rows *survey.Rows) error {
		for _, list := range rows.Permissions {
			permissions = append(permissions, list...)
		}
		return nil
	})
	return permissions, err
}

// isAbout reports whether a row answers the question.
func (q *Question) isAbout(row table.Permission) bool {
	if row.Agent != string(policy.Agent(q.Agent).Key()) || string(row.Usage) != q.Usage ||
		(row.Purpose == nil) != (q.Purpose == nil) ||
		q.Purpose != nil && !strings.EqualFold(*row.Purpose, *q.Purpose) {
		return false
	}
	if q.At == nil {
		u, ok := weburl.Split(q.URL)
		return ok && row.Scope == table.WordOf(terms.ScopeSite) && row.Site == u.Site() && u.PathQuery() == "/"
	}
	return row.Scope == table.WordOf(terms.ScopePage) && row.URL != nil && *row.URL == q.URL && row.FetchTime != nil &&
		row.FetchTime.Equal(*q.At)
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
