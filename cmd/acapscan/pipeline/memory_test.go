package pipeline

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestMemorySizes(t *testing.T) {
	for text, want := range map[string]Memory{
		"800MB": 800e6, "2GiB": 2 << 30, "10G": 10 << 30, "10g": 10 << 30, "512mib": 512 << 20,
		"1.5 GB": 1.5e9, "1000000000B": 1e9, "1TB": 1e12, "64KiB": 64 << 10,
		"": 0, "1": 0, "GB": 0, "-1GB": 0, "0MB": 0, "1 potato": 0, "NaNGB": 0, "InfGB": 0, "99999999999TB": 0,
	} {
		var got Memory
		if err := got.Set(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestMemoryWorkers(t *testing.T) {
	for _, test := range []struct {
		limit  Memory
		wanted int
		want   int
	}{
		{0, 7, 7}, {0, 0, runtime.GOMAXPROCS(0)}, {memoryOfProgram + memoryOfJudge, 7, 1},
		{memoryOfProgram + 3*memoryOfJudge, 7, 3}, {1 << 40, 7, 7},
	} {
		if got := test.limit.workers(test.wanted, memoryOfJudge); got != test.want {
			t.Errorf("%d workers in %d bytes, want %d", got, test.limit, test.want)
		}
	}
}

// A limit is undone with what goes with it.
func TestEnforce(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	percent := debug.SetGCPercent(usualPercent)
	defer debug.SetGCPercent(percent)
	undo := Memory(1e9).Enforce()
	if limit, got := debug.SetMemoryLimit(-1), debug.SetGCPercent(largePercent); limit != 9e8 || got != largePercent {
		t.Errorf("limit %d, %d percent", limit, got)
	}
	undo()
	if limit, got := debug.SetMemoryLimit(-1), debug.SetGCPercent(usualPercent); limit != before ||
		got != usualPercent {
		t.Errorf("afterwards limit %d, %d percent", limit, got)
	}
	debug.SetGCPercent(50)
	undo = Memory(1e9).Enforce()
	if got := debug.SetGCPercent(50); got != 50 {
		t.Errorf("what was chosen became %d percent", got)
	}
	undo()
}
