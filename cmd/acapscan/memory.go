package main

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// What --memory is made of. Its parts have bounds of their own, whatever the corpus is; measured peaks stay below them.
const (
	memoryOfProgram = 96 << 20  // the program itself, and what all workers share
	memoryOfReader  = 96 << 20  // a worker of the first stage: buffers of one archive, a run of facts
	memoryOfJudge   = 160 << 20 // a worker of the second stage: blocks of sorted runs, policies of a host, a lot of rows and the files it goes to
)

// resourceFlags say what of the machine a verb may take. They change no results.
type resourceFlags struct {
	workers int
	memory  memory
}

func (f *resourceFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.workers, "workers", 0, "how many `N` inputs or buckets are worked on at a time; 0: all cores")
	f.memory.add(flags)
}

func (f *resourceFlags) check() error {
	if f.workers < 0 {
		return usageError{fmt.Errorf("--workers %d is negative", f.workers)}
	}
	return f.memory.check()
}

// A memory is a limit on memory in bytes, as a flag has it. 0 is none.
type memory int64

func (m *memory) add(flags *pflag.FlagSet) {
	flags.Var(m, "memory", "limit of memory, such as 800MB or 2GiB; fewer workers where it is little. The tables are the same")
}

var memoryUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// Set reads a size with a unit. A number without one is an error: whether octets or megabytes are meant nobody can tell.
func (m *memory) Set(text string) error {
	for _, unit := range memoryUnits {
		digits, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if size := n * float64(unit.bytes); err == nil && size >= 1 && size < math.MaxInt64 {
			*m = memory(size)
			return nil
		}
	}
	return fmt.Errorf("%q is no size such as 800MB or 2GiB", text)
}

func (m *memory) String() string {
	if *m == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*m), 10) + "B"
}

// Type is how help names the value.
func (m *memory) Type() string { return "SIZE" }

// check tells of a limit that is too little for one worker of either stage.
func (m memory) check() error {
	if least := int64(memoryOfProgram + memoryOfJudge); m > 0 && int64(m) < least {
		return usageError{fmt.Errorf("--memory %d MB is too little: one worker needs %d MiB", m/1e6, least>>20)}
	}
	return nil
}

// workers is how many workers of a stage there is memory for, of those that are wanted; 0 wants all cores.
func (m memory) workers(wanted int, worker int64) int {
	if wanted == 0 {
		wanted = runtime.GOMAXPROCS(0)
	}
	if m == 0 {
		return wanted
	}
	return int(max(1, min(int64(wanted), (int64(m)-memoryOfProgram)/worker)))
}

// sorting is what facts may be sorted in, before any worker of the second stage begins; 0 is the default.
func (m memory) sorting() int64 { return min(int64(m)/4, 8<<30) }

// enforce has the garbage collector work harder as the limit comes near, and less before, and returns what undoes that. The limit is of
// all that the process takes; a tenth is left for what the collector does not count.
func (m memory) enforce() (undo func()) {
	if m == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(int64(m) / 10 * 9)
	usual := collect(largePercent)
	return func() {
		debug.SetMemoryLimit(before)
		usual()
	}
}

// How much garbage the collector lets grow beside what is in use, in percent of that. usualPercent is Go's, where nobody says otherwise.
// largePercent is for runs with a limit, which the collector keeps anyway. smallPercent is for the first stage, which
// reuses most of its memory: it makes little garbage, and gains little where more may grow.
const usualPercent, largePercent, smallPercent = 100, 200, 75

// collect has the garbage collector let that much grow, unless somebody chose how much, and returns what undoes that.
func collect(percent int) (undo func()) {
	before := debug.SetGCPercent(percent)
	if before != usualPercent {
		debug.SetGCPercent(before)
	}
	return func() { debug.SetGCPercent(before) }
}
