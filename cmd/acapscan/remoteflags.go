package main

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/cmd/acapscan/pipeline"
	"github.com/acapscan/acapscan/ingest/remote"
	"github.com/acapscan/acapscan/internal/console"
)

// userAgent names the program to servers.
const userAgent = "acapscan/" + programVersion + " (+https://github.com/acapscan/acapscan)"

// s3Flags configure access to S3. They change no results.
type s3Flags struct {
	s3        remote.S3Options
	plainHTTP bool
	giveUp    time.Duration
}

func (f *s3Flags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.s3.Anonymous, "s3-anonymous", false, "access S3 without credentials, even if some are configured")
	flags.StringVar(&f.s3.Profile, "s3-profile", "", "access S3 with the credentials of the profile `NAME` in ~/.aws")
	flags.StringVar(&f.s3.Endpoint, "s3-endpoint", "", "`URL` of an S3 service other than Amazon's")
	flags.StringVar(&f.s3.Region, "s3-region", "",
		"region `NAME` of S3; default: the configured one, else "+remote.DefaultRegion)
	flags.BoolVar(&f.plainHTTP, "plain-http", false,
		"use http:// to other machines too, for archives and --s3-endpoint, without protection of the bytes")
}

// addGiveUp adds the flag of verbs that read or write a folder of S3.
func (f *s3Flags) addGiveUp(flags *pflag.FlagSet) {
	flags.DurationVar(&f.giveUp, "give-up", 10*time.Minute,
		"end the run when a folder in S3 has not answered for this `TIME`, such as 90s or 2h")
}

// stores reads and writes folders of S3. notify reports outages.
func (f *s3Flags) stores(notify func(sentence string)) (pipeline.Stores, error) {
	if f.giveUp <= 0 {
		return pipeline.Stores{}, pipeline.Usagef("--give-up must be greater than 0")
	}
	opts := remote.Options{
		UserAgent: userAgent, Own: true, PlainHTTP: f.plainHTTP, GiveUp: f.giveUp, Notify: notify, S3: f.s3,
	}
	return pipeline.Stores{Remote: opts}, nil
}

// noteTo writes sentences to standard error.
func noteTo(cmd *cobra.Command) func(string) {
	return func(sentence string) { _ = console.Say(cmd.ErrOrStderr(), sentence) } // the work goes on without it
}

// remoteFlags configure requests to other machines. They change no results.
type remoteFlags struct {
	s3Flags
	rate    float64
	contact string
}

func (f *remoteFlags) add(flags *pflag.FlagSet) {
	flags.Float64Var(&f.rate, "rate", remote.DefaultRate,
		"send at most `N` requests a second to a host, from all workers together; may be a fraction")
	flags.StringVar(&f.contact, "contact", "",
		"`TEXT` for the User-Agent: a mail address or page of yours, for owners of servers")
	f.s3Flags.add(flags)
}

// client returns a client for the inputs. notify reports servers that do not answer.
func (f *remoteFlags) client(notify func(sentence string)) (*remote.Client, error) {
	opts := remote.Options{
		UserAgent: userAgent, Contact: f.contact, Rate: f.rate, PlainHTTP: f.plainHTTP, S3: f.s3, Notify: notify,
	}
	if err := opts.Check(); err != nil {
		return nil, pipeline.Usagef("%w", err)
	}
	if f.rate == 0 {
		return nil, pipeline.Usagef("--rate must be greater than 0")
	}
	return remote.New(opts), nil
}
