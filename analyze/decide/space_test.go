package decide_test

import (
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/reading"
)

// Under profile pilot a conventional rule that R-DEC-2 sets aside lets the next one speak, on paths that no other rule tells apart.
func TestExtentUnderPilotBehindARuleSetAside(t *testing.T) {
	file := reading.ReadRobots([]byte("User-agent: *\nAllow: /a***\nDisallow: /ab\nACAP-crawler: *\nACAP-allow-crawl: /a\n"), false, reading.Options{})
	view := decide.NewSite(file.File, decide.Answered, decide.Options{Profile: decide.ProfilePilot}).For(policy.AnyAgent, "")
	if d := view.Decide(nil, decide.Question{Path: "/ab", Usage: policy.Crawl}); d.Decision != policy.Disallowed {
		t.Fatalf("/ab is %s", d.Decision)
	}
	if got := decide.NewSpaces(view, 0).Extent(policy.Crawl, time.Time{}); got != policy.ExtentSome {
		t.Errorf("the extent is %s, want some", got)
	}
}
