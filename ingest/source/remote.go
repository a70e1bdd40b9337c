package source

import (
	"context"

	"github.com/acapscan/acapscan/ingest/remote"
)

// ErrEnds tells that an input ends before the end of a range.
var ErrEnds = remote.ErrEnds

// away is a file on another machine.
type away struct{ *remote.Object }

// open returns what opens a file on another machine. It asks nothing yet: the error is one of the name.
func (e *expansion) open(name string) (away, error) {
	object, err := e.req.Remote.Object(name)
	return away{object}, err
}

// Stat returns the length of the input as it is now, -1 where nobody says. Of one on another machine it asks there.
func (in Input) Stat(ctx context.Context) (int64, error) {
	if err := in.Fault(); err != nil {
		return -1, err
	}
	if o, ok := in.Locate().opener.(away); ok && in.Size < 0 {
		size, _, err := o.Stat(ctx)
		return size, err
	}
	return in.Size, ctx.Err()
}

// far is the root of files on other machines below a base; "" is none.
type far struct {
	client *remote.Client
	base   string
}

func (f *far) opener(name string) Opener {
	if f.base != "" {
		name = join(f.base, name)
	}
	object, err := f.client.Object(name)
	if err != nil { // which List would have told
		return fault{err}
	}
	return away{object}
}

var _ RangeOpener = away{} // records are asked for by ranges
