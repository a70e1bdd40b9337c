//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyStatus sends to c whenever the user asks how far the run is.
func notifyStatus(c chan<- os.Signal) (forget func()) {
	signal.Notify(c, syscall.SIGUSR1)
	return func() { signal.Stop(c) }
}
