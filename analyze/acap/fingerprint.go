package acap

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/acapscan/acapscan/analyze/policy"
)

// Fingerprint returns a hash of the ACAP statements of a robots.txt, in 16 hexadecimal digits, or "" if none decides
// anything. Order, repetition, comments, letter case of names, and equivalent forms of a pattern do not change it. So
// the files from one publisher's template share it (docs/semantics.md, section 9). Only valid and repaired statements
// of ACAP in robots.txt count.
func Fingerprint(statements []policy.Statement) string {
	var said []string
	n := normalizer{map[span[policy.Agent]]string{}, map[span[policy.Purpose]]string{},
		map[span[policy.Pattern]]string{}}
	for i := range statements {
		s := &statements[i]
		if s.Vocabulary == policy.ACAP && s.Source == policy.RobotsTxt && s.Status.Decides() {
			said = append(said, n.statement(s))
		}
	}
	if len(said) == 0 {
		return ""
	}
	slices.Sort(said)
	return digest(slices.Compact(said))
}

// A normalizer makes digests of statements. It caches those of shared slices: a record's agents and purposes, and the
// patterns of a resource set.
type normalizer struct {
	agents   map[span[policy.Agent]]string
	purposes map[span[policy.Purpose]]string
	patterns map[span[policy.Pattern]]string
}

// A span identifies a slice.
type span[T any] struct {
	first *T
	len   int
}

// statement returns a digest of a statement's meaning.
func (n normalizer) statement(s *policy.Statement) string {
	return digest([]string{
		s.Sense.String(), s.Usage.String(),
		shared(n.agents, s.Agents, func(a policy.Agent) string { return string(a.Key()) }),
		shared(n.purposes, s.Purposes,
			func(p policy.Purpose) string { return policy.LowerASCII(strings.TrimSuffix(string(p), "$")) }),
		shared(n.patterns, s.Patterns, glob),
		set(s.Qualifiers, func(q policy.Qualifier) string { return string(q.Name) + "=" + q.Value }),
	})
}

// shared is set with a cache by slice.
func shared[T any](known map[span[T]]string, values []T, text func(T) string) string {
	if len(values) == 0 {
		return ""
	}
	key := span[T]{&values[0], len(values)}
	have, ok := known[key]
	if !ok {
		have = set(values, text)
		known[key] = have
	}
	return have
}

// glob returns a pattern in a normal form.
func glob(p policy.Pattern) string {
	text, end := p.Glob()
	if end {
		text += "$"
	}
	return text
}

// set returns a digest of the values without their order and repetition.
func set[T any](values []T, text func(T) string) string {
	texts := make([]string, 0, len(values))
	for _, v := range values {
		texts = append(texts, text(v))
	}
	slices.Sort(texts)
	return digest(slices.Compact(texts))
}

// digest hashes a list of strings, each after its length, so that different lists have different input.
func digest(texts []string) string {
	h := sha256.New()
	var length [8]byte
	for _, text := range texts {
		for i := range length {
			length[i] = byte(len(text) >> (8 * i))
		}
		h.Write(length[:])
		h.Write([]byte(text))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
