package pipeline

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// The parts of --memory. Each is bounded for any corpus, and measured peaks stay below.
const (
	memoryOfProgram = 96 << 20  // the program itself, and shared data
	memoryOfReader  = 96 << 20  // a worker of the first stage: buffers of one archive, a run of facts
	memoryOfJudge   = 160 << 20 // a worker of stage 2: blocks of sorted runs, policies of a host, rows and part files
	memoryOfBucket  = 1 << 30   // a task with --bucket that holds more rows, and so makes fewer part files
)

// Memory is a limit in bytes, and a value of a flag. 0 is no limit.
type Memory int64

var memoryUnits = []struct {
	name  string
	bytes int64
}{
	{"KIB", 1 << 10}, {"MIB", 1 << 20}, {"GIB", 1 << 30}, {"TIB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40},
}

// Set reads a size with a unit; G is GiB, as in other programs. A number without one is an error, because it may mean
// bytes or megabytes.
func (m *Memory) Set(text string) error {
	for _, unit := range memoryUnits {
		digits, ok := strings.CutSuffix(strings.ToUpper(text), unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if size := n * float64(unit.bytes); err == nil && size >= 1 && size < math.MaxInt64 {
			*m = Memory(size)
			return nil
		}
	}
	return fmt.Errorf("%q is no size such as 800MB or 2GiB", text)
}

func (m *Memory) String() string {
	if *m == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*m), 10) + "B"
}

// Type names the value in help texts.
func (m *Memory) Type() string { return "SIZE" }

// Check refuses a limit that is too low for one worker of either stage.
func (m Memory) Check() error {
	if least := int64(memoryOfProgram + memoryOfJudge); m > 0 && int64(m) < least {
		return Usagef("--memory %d MB is too little: one worker needs %d MiB", m/1e6, least>>20)
	}
	return nil
}

// workers is how many of the wanted workers of a stage the memory allows; 0 wants all cores.
func (m Memory) workers(wanted int, worker int64) int {
	if wanted == 0 {
		wanted = runtime.GOMAXPROCS(0)
	}
	if m == 0 {
		return wanted
	}
	return int(max(1, min(int64(wanted), (int64(m)-memoryOfProgram)/worker)))
}

// sorting is the memory for the sort of facts, before stage 2 has workers; 0 is the default.
func (m Memory) sorting() int64 { return min(int64(m)/4, 8<<30) }

// Enforce makes the garbage collector work harder near the limit and less before it, until undo. The limit is that of
// the process; a tenth is left for memory that the collector does not count.
func (m Memory) Enforce() (undo func()) {
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

// The garbage that may collect next to the memory in use, in percent of that. usualPercent is Go's default, with which
// stage 1 runs. largePercent is for stage 2, which takes nine tenths of the time with it, and for runs with a limit,
// which the collector keeps anyway.
const usualPercent, largePercent = 100, 200

// collect sets that percentage, unless the user chose one (GOGC), until undo.
func collect(percent int) (undo func()) {
	before := debug.SetGCPercent(percent)
	if before != usualPercent {
		debug.SetGCPercent(before)
	}
	return func() { debug.SetGCPercent(before) }
}
