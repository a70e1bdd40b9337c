//go:build !unix

package progress

import "os"

// notifyStatus does nothing: there is no such signal.
func notifyStatus(chan<- os.Signal) (forget func()) { return func() {} }
