// Package paths finds all the paths of a site that a set of resource patterns can tell apart.
//
// A decision at a path depends only on which patterns hold the path. So what is true of one path for every set of
// patterns that some path has together is true of the site: this is how the extent of a policy (semantics.md section 7)
// and the difference of two policies (section 8) are found exactly, though a site has paths without end. The package
// knows sets of patterns; it must not know what they allow or forbid. A caller whose decision does not need every set
// tells so by Options.Reduce.
//
// Paths are those that policy.NormalizePath can return, or policy.ReadPath where patterns were read without R-PAT-2.
package paths

import "github.com/acapscan/acapscan/analyze/policy"

// DefaultBudget is Options.Budget where it is not set. Patterns without wildcards need at most one state an octet of
// their normalised text, so all that is read of a robots.txt, 500 KiB (R-LEX-8), is within it unless wildcards multiply
// or most of its octets have to be percent-encoded.
const DefaultBudget = 1 << 19

// maxBudget keeps the numbers of states and the count of steps in range; no machine gets there.
const maxBudget = 1 << 30

// stepsPerState bounds the work by the budget: a step is a thing looked at, of which a state rarely needs more than
// fifty. Patterns that make it need thousands end the exploration as too many states do.
const stepsPerState = 256

// stepsPerKept is what each number costs of that which is kept until the end: memory is dearer than time.
const stepsPerKept = 32

// A Class is a set of paths that the patterns do not tell apart.
type Class struct {
	// Path is a shortest path of the class, normalised. Among these it is the first in byte order, with small letters
	// before digits, these before capitals, and everything else after them.
	Path string
	// Matched has the indexes of the patterns that hold the path, ascending. Under Options.Reduce it has only those
	// that matter.
	Matched []int
}

// A Space is what the patterns make of all paths.
type Space struct {
	// Classes has one class for every set of patterns that some path has together, the shortest Path first. The
	// patterns hold paths of no other set, and with no patterns at all there is the one class of "/".
	Classes []Class
	// Exact tells that all classes were found. If not, the budget ended before: what is there is true, but there may be
	// more.
	Exact bool
	// Steps is what it took: see Options.Steps.
	Steps int
}

// Options of Explore; the zero value is ready for use.
type Options struct {
	// Budget is how many states are looked at, at most; 0 or less: DefaultBudget. A state costs some 50 to 150 bytes
	// and about a microsecond. Where states cost much more than that, the budget ends sooner: it bounds time and
	// memory, whatever the patterns are.
	Budget int

	// Steps is how many things are looked at, at most; 0: as many as Budget allows. Of the rest of what it bounds see
	// Budget.
	Steps int

	// Stopped, if set, is asked now and then, and ends the exploration once it is true.
	Stopped func() bool

	// Reduce, if set, tells what a decision does not need to know, so that paths which differ only there fall into one
	// class and are not explored apart: twenty patterns like "*a*" make a million sets, but hardly as many decisions.
	//
	// It gets patterns that a path has matched for good, at first none: they have no '$', and hold every longer path
	// too. What else such a path will match is open, patterns with '$' at its very end included. With D the decision
	// for a set of matching patterns, Reduce promises two things for every set N of patterns, and Explore relies on
	// nothing else:
	//
	//   - D(matched ∪ N) = D(key ∪ N), where key is a subset of matched;
	//   - D(key ∪ N) = D(key ∪ N without those that irrelevant says true of).
	//
	// The first is what makes it right to forget the rest of matched, for all that comes, and to forget again from what
	// was left; the second, to forget a pattern before it matches. A pattern that key has lost should be irrelevant to
	// it, or it is waited for again. The smaller key is, and the fewer keys there are, the fewer states. Indexes are
	// ascending in matched and have to be in key. Matched is only lent: it must be neither changed nor kept, but key
	// may be a part of it. A nil irrelevant says false of all. It is asked during Explore only.
	//
	// Example, the longest match of RFC 9309: key is the longest of matched, irrelevant is every pattern that would
	// lose to it.
	//
	// D(Matched) of each class is then the decision at all of its paths, every decision that the patterns can lead to
	// is that of some class, and the first class that has it has a shortest path for it.
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
