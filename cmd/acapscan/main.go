// Command acapscan reads crawled web archives and writes tables of what sites permit and prohibit: ACAP policies and
// the Robots Exclusion Protocol. Each verb is a file here, with its flags and its help; other packages do the work.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(mainContext()) }

func mainContext() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	return Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
