package remote

import (
	"context"
	"time"
)

// A clock tells the time and waits. Tests have one of their own, so that no test takes the time that it is about.
type clock interface {
	now() time.Time
	// sleep returns the error of ctx, once that is done, else nil after d.
	sleep(ctx context.Context, d time.Duration) error
	// after calls f after d, unless it is stopped before.
	after(d time.Duration, f func()) (stop func() bool)
}

// machineClock is that of the machine.
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
