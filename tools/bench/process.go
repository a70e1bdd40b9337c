//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// A measure is the cost of one process.
type measure struct {
	Wall   float64 `json:"wall_s"`
	User   float64 `json:"user_s"`
	System float64 `json:"system_s"`
	Peak   int64   `json:"peak_bytes"` // of resident memory
}

// CPU returns the processor time of the process, in seconds.
func (m measure) CPU() float64 { return m.User + m.System }

// process runs a contender on files. Its standard output goes to length if not nil. It is returned if the contender
// prints its findings.
func (b *bench) process(ctx context.Context, x contender, files []string, length io.Writer) (measure, []byte, error) {
	if err := os.RemoveAll(b.output()); err != nil {
		return measure{}, nil, err
	}
	if err := os.MkdirAll(b.output(), 0o755); err != nil {
		return measure{}, nil, err
	}
	cmd := b.start(ctx, x.cores, x.command(files)...)
	cmd.Env = append(cmd.Env, x.env...)
	var stdout bytes.Buffer
	switch {
	case x.found != nil:
		cmd.Stdout = &stdout
	case length != nil:
		cmd.Stdout = length
	}
	m, err := timed(cmd)
	if err != nil {
		return m, nil, fmt.Errorf("%s: %w", x.name, err)
	}
	return m, stdout.Bytes(), nil
}

// start prepares a process for that many cores. For one core it uses taskset if installed.
func (b *bench) start(ctx context.Context, cores int, argv ...string) *exec.Cmd {
	if path, err := exec.LookPath("taskset"); err == nil && cores == 1 {
		argv = append([]string{path, "-c", strconv.Itoa(b.core)}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(cores))
	return cmd
}

// timed runs the process to its end.
func timed(cmd *exec.Cmd) (measure, error) {
	var complaints bytes.Buffer
	if cmd.Stderr == nil {
		cmd.Stderr = &complaints
	}
	begin := time.Now()
	err := cmd.Run()
	m := measure{Wall: time.Since(begin).Seconds()}
	if err != nil {
		return m, fmt.Errorf("%w\n%s", err, tail(complaints.Bytes(), 2000))
	}
	m.User, m.System = cmd.ProcessState.UserTime().Seconds(), cmd.ProcessState.SystemTime().Seconds()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.Peak = usage.Maxrss << 10 // kilobytes on Linux
	}
	return m, nil
}

func tail(b []byte, n int) []byte { return b[max(0, len(b)-n):] }
