// Package extract turns captures into facts: the raw directives of pages, the bodies of robots.txt, and per-site counters of
// everything else. It finds where policy is written and hands the text on; it must not parse a policy, judge one, or know what a
// statement means beyond the few words that tell a directive from prose. A better policy parser re-runs the second stage only,
// so whatever that parser could ever need has to be in the facts.
package extract
