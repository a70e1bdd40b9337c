// Package paths finds all the paths of a site that a set of resource patterns distinguishes.
//
// A decision at a path depends only on the patterns that match it. So the extent of a policy (semantics.md, section 7)
// and the difference of two policies (section 8) can be found exactly, though a site has infinitely many paths: one
// path is enough for every set of patterns that some path matches together. The package does not know what patterns
// allow or forbid. A caller whose decision does not need every set says so by Options.Reduce.
//
// Paths are those that policy.NormalizePath returns, or policy.ReadPath if patterns were read without R-PAT-2.
package paths

import "github.com/acapscan/acapscan/analyze/policy"

// DefaultBudget is Options.Budget where it is not set. Patterns without wildcards need at most one state a byte, so a
// robots.txt of 500 KiB (R-LEX-8) is within it, unless wildcards multiply or most of its bytes must be percent-encoded.
const DefaultBudget = 1 << 19

// maxBudget keeps the numbers of states and steps in range; no machine reaches it.
const maxBudget = 1 << 30

// stepsPerState bounds the work by the budget: a state rarely needs more than fifty comparisons. Patterns that make it
// need thousands end the exploration as too many states do.
const stepsPerState = 256

// stepsPerKept is the cost of each number that is kept until the end: memory costs more than time.
const stepsPerKept = 32

// A Class is a set of paths that the patterns do not distinguish.
type Class struct {
	// Path is a shortest path of the class, normalised, and of these the first in byte order, with small letters before
	// digits, digits before capitals, and these before everything else.
	Path string
	// Matched has the indexes of the patterns that match the path, ascending. With Options.Reduce it has only those
	// that matter.
	Matched []int
}

// A Space is all paths, divided by the patterns.
type Space struct {
	// Classes has one class for every set of patterns that some path matches together, the shortest Path first. Without
	// patterns there is the one class of "/".
	Classes []Class
	// Exact reports that all classes were found. If not, the budget ended before: the classes are correct, but there
	// may be more.
	Exact bool
	// Steps is how many steps were used (see Options.Steps).
	Steps int
}

// Options of Explore; the zero value is ready for use.
type Options struct {
	// Budget is how many states are made at most; 0 or less: DefaultBudget. A state costs some 50 to 150 bytes and
	// about a microsecond. If states cost much more, the budget ends sooner: it bounds time and memory for all
	// patterns.
	Budget int

	// Steps is how many comparisons are made at most; 0: as many as Budget allows.
	Steps int

	// Stopped, if set, is asked from time to time, and ends the exploration once it is true.
	Stopped func() bool

	// Reduce, if set, tells what a decision does not need, so that paths which differ only there are one class: twenty
	// patterns like "*a*" make a million sets, but hardly as many decisions.
	//
	// matched are patterns without '$' that a path matches, as does every longer path; at first none. What else such a
	// path will match is open, patterns with '$' at its end included. With D the decision for a set of matching
	// patterns, Reduce promises for every set N of patterns:
	//
	//   - D(matched ∪ N) = D(key ∪ N), where key is a subset of matched;
	//   - D(key ∪ N) = D(key ∪ N without those for which irrelevant is true).
	//
	// The first lets Explore forget the rest of matched, the second a pattern before it matches. A pattern that is not
	// in key should be irrelevant to it, or Explore waits for it again. Small keys, and few of them, make few states.
	// Indexes are ascending in matched and in key. matched must be neither changed nor kept, but key may be a part of
	// it. A nil irrelevant is always false. It is called during Explore only.
	//
	// Example, the longest match of RFC 9309: key is the longest of matched, irrelevant is every shorter pattern.
	//
	// Then D(Matched) of each class is the decision at all of its paths, every possible decision is that of some class,
	// and the first class with it has a shortest path for it.
	Reduce func(matched []int) (key []int, irrelevant func(i int) bool)
}

// Explore finds the classes of paths that the patterns make. It is exact within the budget, and deterministic.
//
// It reads all paths at once, letter by letter and the shortest first, as an automaton reads one: a state is what is
// left of each pattern to be matched, and what has been matched for good. Paths in one state have the same future, so
// only the first of them is pursued, and of all letters that no pattern waits for only one is tried.
func Explore(patterns []policy.Pattern, opts Options) Space {
	if opts.Budget <= 0 {
		opts.Budget = DefaultBudget
	}
	opts.Budget = min(opts.Budget, maxBudget)
	if most := opts.Budget * stepsPerState; opts.Steps <= 0 || opts.Steps > most {
		opts.Steps = most
	}
	return newExplorer(patterns, opts).run()
}
