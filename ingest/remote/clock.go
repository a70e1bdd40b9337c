package remote

import (
	"context"
	"time"
)

// A clock returns the time and waits. Tests have their own, which does not wait.
type clock interface {
	now() time.Time
	// sleep waits for d, or returns the error of ctx when ctx is done.
	sleep(ctx context.Context, d time.Duration) error
	// after calls f after d, unless it is stopped before.
	after(d time.Duration, f func()) (stop func() bool)
}

// machineClock is the clock of the machine.
type machineClock struct{}

func (machineClock) now() time.Time { return time.Now() }

func (machineClock) sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (machineClock) after(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
