//go:build !unix

package main

import "os"

// notifyStatus does nothing: there is no signal with which to ask.
func notifyStatus(chan<- os.Signal) (forget func()) { return func() {} }
