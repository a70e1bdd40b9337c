// Package extract turns captures into facts: the raw directives of pages, the bodies of robots.txt files, and counters
// for each site. It finds text with policies and copies it, but does not parse it: a better parser re-runs stage 2
// only. So the facts must have everything that the parser could need.
package extract
