package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/ingest/remote"
)

// userAgent is what the program calls itself before servers.
const userAgent = "acapscan/" + programVersion + " (+https://github.com/acapscan/acapscan)"

// s3Flags say how S3 is reached. They change no results.
type s3Flags struct{ s3 remote.S3Options }

func (f *s3Flags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.s3.Anonymous, "s3-anonymous", false, "ask S3 without credentials, although some are configured")
	flags.StringVar(&f.s3.Profile, "s3-profile", "", "ask S3 with the credentials of the profile `NAME` in ~/.aws")
	flags.StringVar(&f.s3.Endpoint, "s3-endpoint", "", "`URL` of another S3 service than Amazon's")
	flags.StringVar(&f.s3.Region, "s3-region", "", "region `NAME` of S3; the configured one, else "+remote.DefaultRegion)
}

// folder returns a folder of S3, for facts and tables. It belongs to whoever runs the program: as much is asked of it
// as there is to ask.
func (f *s3Flags) folder(ctx context.Context, name string) (*remote.Folder, error) {
	opts := remote.Options{UserAgent: userAgent, Own: true, S3: f.s3}
	if err := opts.Check(); err != nil {
		return nil, usageError{err}
	}
	folder, err := remote.New(opts).Folder(ctx, name)
	if err != nil {
		return nil, usageError{err}
	}
	return folder, nil
}

// probe tells of a service where of two tasks that put the same object the last wins. It leaves an object there.
func probe(folder *remote.Folder, note func(format string, args ...any)) error {
	conditional, err := folder.Conditional()
	if err == nil && !conditional {
		note("the service of %s knows no conditional PUT: each object is still put whole, and of two tasks that put the same one at once the last wins", folder)
	}
	return err
}

// remoteFlags say how inputs on other machines are asked for. They change no results.
type remoteFlags struct {
	s3Flags
	rate      float64
	contact   string
	plainHTTP bool
}

func (f *remoteFlags) add(flags *pflag.FlagSet) {
	flags.Float64Var(&f.rate, "rate", remote.DefaultRate, "requests a second to one host, `N` at most, by all workers together; may be a fraction")
	flags.StringVar(&f.contact, "contact", "", "mail or page by which whoever runs a server can reach you, `TEXT` for the User-Agent")
	flags.BoolVar(&f.plainHTTP, "plain-http", false, "read http:// from other machines too, where nothing vouches for the bytes")
	f.s3Flags.add(flags)
}

// client returns what asks other machines.
func (f *remoteFlags) client() (*remote.Client, error) {
	opts := remote.Options{UserAgent: userAgent, Contact: f.contact, Rate: f.rate, PlainHTTP: f.plainHTTP, S3: f.s3}
	if err := opts.Check(); err != nil {
		return nil, usageError{err}
	}
	if f.rate == 0 {
		return nil, usageError{errors.New("--rate 0 asks for nothing, ever")}
	}
	return remote.New(opts), nil
}
