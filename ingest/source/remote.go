package source

import (
	"context"

	"github.com/acapscan/acapscan/ingest/remote"
)

// ErrEnds means that an input ends before the end of a range.
var ErrEnds = remote.ErrEnds

// remoteFile is a remote file.
type remoteFile struct{ *remote.Object }

// Stat returns the current length of the input, -1 if unknown. For a remote input it sends a request.
func (in Input) Stat(ctx context.Context) (int64, error) {
	switch o := in.Locate().opener.(type) {
	case fault:
		return -1, o.error
	case remoteFile:
		if in.Size < 0 {
			size, _, err := o.Stat(ctx)
			return size, err
		}
	}
	return in.Size, ctx.Err()
}

// remoteRoot is the root of remote files below a base, or of complete URLs if base is "".
type remoteRoot struct {
	client *remote.Client
	base   string
}

// file returns a file by name. It sends no request, so an error is about the name.
func (f *remoteRoot) file(name string) (remoteFile, error) {
	if f.base != "" {
		name = join(f.base, name)
	}
	object, err := f.client.Object(name)
	return remoteFile{object}, err
}

func (f *remoteRoot) opener(name string) Opener {
	file, err := f.file(name)
	if err != nil { // List has already returned this error
		return fault{err}
	}
	return file
}

var _ Ranger = remoteFile{} // records are requested by range
