//go:build unix

package progress

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyStatus sends to c whenever the user asks for the status.
func notifyStatus(c chan<- os.Signal) (forget func()) {
	signal.Notify(c, syscall.SIGUSR1)
	return func() { signal.Stop(c) }
}
