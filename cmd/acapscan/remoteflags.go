package main

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/ingest/remote"
)

// userAgent is what the program calls itself before servers.
const userAgent = "acapscan/" + programVersion + " (+https://github.com/acapscan/acapscan)"

// remoteFlags say how inputs on other machines are asked for. They change no results.
type remoteFlags struct {
	rate      float64
	contact   string
	plainHTTP bool
	s3        remote.S3Options
}

func (f *remoteFlags) add(flags *pflag.FlagSet) {
	flags.Float64Var(&f.rate, "rate", remote.DefaultRate, "requests a second to one host, `N` at most, by all workers together; may be a fraction")
	flags.StringVar(&f.contact, "contact", "", "mail or page by which whoever runs a server can reach you, `TEXT` for the User-Agent")
	flags.BoolVar(&f.plainHTTP, "plain-http", false, "read http:// from other machines too, where nothing vouches for the bytes")
	flags.BoolVar(&f.s3.Anonymous, "s3-anonymous", false, "ask S3 without credentials, although some are configured")
	flags.StringVar(&f.s3.Profile, "s3-profile", "", "ask S3 with the credentials of the profile `NAME` in ~/.aws")
	flags.StringVar(&f.s3.Endpoint, "s3-endpoint", "", "`URL` of another S3 service than Amazon's")
	flags.StringVar(&f.s3.Region, "s3-region", "", "region `NAME` of S3; the configured one, else "+remote.DefaultRegion)
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
