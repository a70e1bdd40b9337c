// Package parallel does many things of one kind, several of them at a time, and ends at the first error. It is a leaf:
// it knows nothing of the things, not even their order.
package parallel

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

// Run has workers do n things, which are numbered from 0: each takes the next that no one has begun. begin makes a
// worker, in its own goroutine. The first error ends the context that workers are given, nothing is begun after it, and
// it is returned.
func Run(ctx context.Context, workers, n int, begin func(ctx context.Context) Worker) error {
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

// waiting is how many things are done at a time that are nearly all waiting, for a disk or for an answer, whatever the
// cores.
const waiting = 16

// Each has do called for all of a list, several at a time, where that is nearly all waiting. It returns the first
// error, after which nothing is begun.
func Each[T any](all []T, do func(T) error) error {
	return EachNumber(len(all), func(i int) error { return do(all[i]) })
}

// EachNumber is Each for the numbers from 0 that are less than n.
func EachNumber(n int, do func(i int) error) error {
	return Run(context.Background(), waiting, n, func(context.Context) Worker { return Worker{Do: do} })
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
