package main

import (
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/remote"
)

// userAgent names the program to servers.
const userAgent = "acapscan/" + programVersion + " (+https://github.com/acapscan/acapscan)"

// s3Flags configure access to S3. They change no results.
type s3Flags struct{ s3 remote.S3Options }

func (f *s3Flags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.s3.Anonymous, "s3-anonymous", false, "access S3 without credentials, even if some are configured")
	flags.StringVar(&f.s3.Profile, "s3-profile", "", "access S3 with the credentials of the profile `NAME` in ~/.aws")
	flags.StringVar(&f.s3.Endpoint, "s3-endpoint", "", "`URL` of an S3 service other than Amazon's")
	flags.StringVar(&f.s3.Region, "s3-region", "",
		"region `NAME` of S3; default: the configured one, else "+remote.DefaultRegion)
}

func (f *s3Flags) stores() pipeline.Stores { return pipeline.Stores{S3: f.s3, UserAgent: userAgent} }

// remoteFlags configure requests to other machines. They change no results.
type remoteFlags struct {
	s3Flags
	rate      float64
	contact   string
	plainHTTP bool
}

func (f *remoteFlags) add(flags *pflag.FlagSet) {
	flags.Float64Var(&f.rate, "rate", remote.DefaultRate,
		"send at most `N` requests a second to a host, from all workers together; may be a fraction")
	flags.StringVar(&f.contact, "contact", "",
		"`TEXT` for the User-Agent: a mail address or page of yours, for owners of servers")
	flags.BoolVar(&f.plainHTTP, "plain-http", false,
		"read http:// from other machines too, without protection of the bytes")
	f.s3Flags.add(flags)
}

// client returns a client for the inputs.
func (f *remoteFlags) client() (*remote.Client, error) {
	opts := remote.Options{UserAgent: userAgent, Contact: f.contact, Rate: f.rate, PlainHTTP: f.plainHTTP, S3: f.s3}
	if err := opts.Check(); err != nil {
		return nil, pipeline.Usagef("%w", err)
	}
	if f.rate == 0 {
		return nil, pipeline.Usagef("--rate must be greater than 0")
	}
	return remote.New(opts), nil
}
