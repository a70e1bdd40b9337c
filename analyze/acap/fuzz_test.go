package acap

import (
	"strings"
	"testing"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/analyze/robotstxt"
)

// wellFormed checks what holds of every statement, whatever was read.
func wellFormed(t *testing.T, statements []policy.Statement) {
	t.Helper()
	type place struct {
		line, part int
		offset     int64
	}
	places := map[place]bool{}
	for _, s := range statements {
		at := place{s.Line, s.Part, s.Offset}
		if places[at] {
			t.Errorf("two statements at %v: %s", at, show(s))
		}
		places[at] = true
		if s.Vocabulary != policy.ACAP || s.Field == "" || s.Field != policy.LowerASCII(s.Field) || s.Part < 1 {
			t.Errorf("got %+v", s)
		}
		if s.Status.Decides() && (s.Usage == policy.NoUsage || s.Sense == policy.NoSense || len(s.Agents) == 0) {
			t.Errorf("decides, and names no crawler: %s", show(s))
		}
		if s.Status.Decides() && s.Source == policy.RobotsTxt && len(s.Patterns) == 0 {
			t.Errorf("decides nowhere: %s", show(s))
		}
		if s.Status == policy.Repaired != (s.Status.Decides() && repaired(s)) {
			t.Errorf("repaired without a repair, or the other way round: %s", show(s))
		}
		if (s.Status == policy.Invalid || s.Status == policy.Ignored) && len(s.Defects) == 0 {
			t.Errorf("no reason given: %s", show(s))
		}
		if s.Sense == policy.Disallow && len(s.Qualifiers) > 0 {
			t.Errorf("a qualified prohibition: %s", show(s))
		}
		if len(s.Qualifiers) > maxQualifiers {
			t.Errorf("%d qualifiers", len(s.Qualifiers))
		}
	}
}

func repaired(s policy.Statement) bool {
	for _, d := range policy.Repairs() {
		if s.HasDefect(d) {
			return true
		}
	}
	return false
}

// lenient are the options that make all repairs, or none where strict.
func lenient(strict bool) Options {
	if strict {
		return Options{Refuse: policy.Repairs()}
	}
	return Options{}
}

func FuzzReadRobots(f *testing.F) {
	for _, text := range []string{
		"##ACAP version=1.1\nACAP-resource-set: s /a b\nACAP-qualified-usage: q preserve time-limit = 1-days\n" +
			"ACAP-composite-usage: c index (q) (c) x\n" +
			"ACAP-crawler: *\nACAP-usage-purpose: p\nACAP-allow-(c): the-acap:resource-set:s ref=x\n" +
			"ACAP-disallow-(q): /\n",
		"ACAP-crawler a\nACAP-allow preserve /\nACAP-allow-present links: acap:resource-set:s = b\n" +
			"ACAP-permissions-reference /r\nACAP-crawler:\nACAP-allow-crawl: /",
		"ACAP ignore-conventional-records\nACAP-ignore-conventional-records\nACAP-request-take-down: x\n" +
			"ACAP-usage-purpose:\nACAP-allow-index:\u00a0time-limit=3",
	} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, strict bool) {
		file := &policy.File{}
		ReadRobots(robotstxt.Parse(body, robotstxt.Options{}), lenient(strict), file)
		wellFormed(t, file.Statements)
		if strict {
			for _, s := range file.Statements {
				if s.Status == policy.Repaired {
					t.Errorf("repaired though strict: %s", show(s))
				}
			}
		}
		if hash := Fingerprint(file.Statements); len(hash) != 0 && len(hash) != 16 {
			t.Errorf("fingerprint %q", hash)
		}
		if lines := strings.Count(string(body), "\n") + strings.Count(string(body), "\r") +
			1; len(file.Statements) > lines*(1+maxRefused)+maxExtraParts {
			t.Errorf("%d statements of %d lines", len(file.Statements), lines)
		}
	})
}

func FuzzReadPage(f *testing.F) {
	site := robots("##ACAP version=1.1\nACAP-composite-usage: c index (q)\nACAP-qualified-usage: q preserve ref=x\n",
		Options{})
	f.Add("robots", "ACAP version 1.1, allow-index", "the-acap:allow-(c) acap:disallow-index", false)
	f.Add("Bot/1", "acap news, allow-present-links max-length = 3-words,disallow-(c)",
		"the-acap:x THE-ACAP:allow-(none)", true)
	f.Add("description", "ACAP = allow-index = , ,", "", false)
	f.Fuzz(func(t *testing.T, name, value, token string, strict bool) {
		p := page(site, lenient(strict), meta(1, name, value), class(2, token), class(2, token),
			meta(3, "robots", value))
		wellFormed(t, p.Statements)
	})
}
