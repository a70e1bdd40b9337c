package survey

import (
	"context"
	"errors"
	"testing"

	"github.com/acapscan/acapscan/analyze/hostiletest"
	"github.com/acapscan/acapscan/internal/longtest"
)

// A clock is a context that ends at the nth call of Err.
type clock struct {
	context.Context
	asked, end int
}

func (c *clock) Err() error {
	if c.asked++; c.end > 0 && c.asked >= c.end {
		return context.Canceled
	}
	return nil
}

// A survey ends with its context within a site, and emits no incomplete rows.
func TestStopsWithinASite(t *testing.T) {
	const few = 64 // how often the context is asked once it has ended
	for _, kind := range hostiletest.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			if kind.Name == "redirects" && !longtest.Enabled() {
				t.Skip("takes seconds")
			}
			list := answered(t, factsOf(kind.Make(1)))
			opts := Options{Permissions: PermissionsAll}
			var rows int
			run := func(end int) (asked int, err error) {
				c := &clock{Context: t.Context(), end: end}
				rows = 0
				// This scan does not check the context between facts.
				err = NewSurveyor(opts, nil).Lists(c, scanOf(list), func(r *Rows) error {
					rows += r.count()
					return nil
				})
				return c.asked, err
			}
			all, err := run(0)
			check(t, err)
			t.Logf("the context is asked %d times", all)
			for _, end := range []int{1, 1 + all/8, 1 + all/2} {
				asked, err := run(end)
				if !errors.Is(err, context.Canceled) || rows > 0 {
					t.Errorf("ended at %d of %d: error %v, %d rows", end, all, err, rows)
				}
				if asked > end+few {
					t.Errorf("ended at %d of %d: it goes on to %d", end, all, asked)
				}
			}
		})
	}
}
