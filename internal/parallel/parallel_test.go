package parallel

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	var fault = errors.New("fault")
	for _, test := range []struct {
		name             string
		workers, things  int
		failing          int // the thing that fails
		endFails, ending bool
		want             error
	}{
		{"one worker", 1, 10, -1, false, false, nil},
		{"several workers", 4, 1000, -1, false, false, nil},
		{"more workers than things", 9, 3, -1, false, false, nil},
		{"no worker named", 0, 3, -1, false, false, nil},
		{"nothing to do", 4, 0, -1, false, false, nil},
		{"one fails", 4, 1000, 10, false, false, fault},
		{"the end fails", 4, 10, -1, true, false, fault},
		{"the context ends", 4, 1000, 10, false, true, fault},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var done sync.Map
			var count, workers, ends atomic.Int64
			err := Run(ctx, test.workers, test.things, func(ctx context.Context) Worker {
				workers.Add(1)
				return Worker{
					Do: func(i int) error {
						if _, twice := done.LoadOrStore(i, true); twice {
							t.Errorf("%d is done twice", i)
						}
						if count.Add(1); i != test.failing {
							if i > test.failing && test.failing >= 0 {
								<-ctx.Done() // what fails is known before more is begun
							}
							return nil
						}
						if test.ending {
							cancel(fault)
							return nil
						}
						return fault
					},
					End: func() error {
						if ends.Add(1); test.endFails {
							return fault
						}
						return nil
					},
				}
			})
			if err != test.want {
				t.Errorf("%v, want %v", err, test.want)
			}
			switch {
			case test.failing >= 0 && (count.Load() > int64(test.failing+test.workers) || ends.Load() > 0):
				t.Errorf("%d things were done, %d workers ended as if all were well", count.Load(), ends.Load())
			case test.failing < 0 && (count.Load() != int64(test.things) || ends.Load() != workers.Load()):
				t.Errorf("%d of %d things done, %d of %d workers ended", count.Load(), test.things, ends.Load(),
					workers.Load())
			}
			if workers.Load() > int64(test.things) || workers.Load() > int64(max(test.workers, 1)) {
				t.Errorf("%d workers", workers.Load())
			}
		})
	}
}

func TestEach(t *testing.T) {
	fault := errors.New("fault")
	for _, test := range []struct {
		name    string
		all     int
		failing int // -1: none
		want    error
	}{
		{"none", 0, -1, nil},
		{"fewer than are done at a time", 3, -1, nil},
		{"many", 1000, -1, nil},
		{"one fails", 1000, 100, fault},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := make([]int, test.all)
			for i := range all {
				all[i] = -i
			}
			var sum, begun, now atomic.Int64
			err := Each(all, func(n int) error {
				defer now.Add(-1)
				if now.Add(1) > waiting {
					t.Errorf("more than %d at a time", waiting)
				}
				begun.Add(1)
				sum.Add(int64(n))
				if -n == test.failing {
					return fault
				}
				if test.failing >= 0 {
					time.Sleep(time.Millisecond) // the fault is known long before all could be done
				}
				return nil
			})
			if err != test.want {
				t.Errorf("%v, want %v", err, test.want)
			}
			if whole := int64(-test.all * (test.all - 1) / 2); test.failing < 0 &&
				(sum.Load() != whole || begun.Load() != int64(test.all)) {
				t.Errorf("%d of %d are done", begun.Load(), test.all)
			}
			if test.failing >= 0 && begun.Load() == int64(test.all) {
				t.Error("all are begun although one failed")
			}
		})
	}
}
