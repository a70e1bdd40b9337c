package source

import (
	"context"

	"github.com/acapscan/acapscan/ingest/remote"
)

// ErrEnds tells that an input ends before the end of a range.
var ErrEnds = remote.ErrEnds

// away is a file on another machine.
type away struct{ *remote.Object }

// Stat returns the length of the input as it is now, -1 where nobody says. Of one on another machine it asks there.
func (in Input) Stat(ctx context.Context) (int64, error) {
	switch o := in.Locate().opener.(type) {
	case fault:
		return -1, o.error
	case away:
		if in.Size < 0 {
			size, _, err := o.Stat(ctx)
			return size, err
		}
	}
	return in.Size, ctx.Err()
}

// far is the root of files on other machines below a base; "" is none.
type far struct {
	client *remote.Client
	base   string
}

// file is a file of that name. It asks nothing yet: the error is one of the name.
func (f *far) file(name string) (away, error) {
	if f.base != "" {
		name = join(f.base, name)
	}
	object, err := f.client.Object(name)
	return away{object}, err
}

func (f *far) opener(name string) Opener {
	file, err := f.file(name)
	if err != nil { // which List would have told
		return fault{err}
	}
	return file
}

var _ RangeOpener = away{} // records are asked for by ranges
