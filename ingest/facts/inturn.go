package facts

import (
	"context"
	"sync"
	"sync/atomic"
)

// A Worker does things one after another.
type Worker struct {
	Do  func(i int) error
	End func() error // after the last, if none failed; may be nil
}

// InTurn has workers do n things, which are numbered from 0: each takes the next that nobody has begun. begin makes a worker, in its own
// goroutine. The first error ends the context that workers are given, nothing is begun after it, and it is returned.
func InTurn(ctx context.Context, workers, n int, begin func(ctx context.Context) Worker) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(max(workers, 1), n) {
		wg.Go(func() {
			worker := begin(ctx)
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if ctx.Err() != nil {
					return
				}
				if err := worker.Do(i); err != nil {
					cancel(err)
					return
				}
			}
			if worker.End != nil {
				if err := worker.End(); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// Stopping is visit until the context ends, and from then on returns why it did.
func Stopping[T any](ctx context.Context, visit func(T) error) func(T) error {
	return func(of T) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return visit(of)
	}
}
