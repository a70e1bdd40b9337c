//go:build unix

package main

import (
	"os"
	"syscall"
)

func sendStatusSignal(p *os.Process) error { return p.Signal(syscall.SIGUSR1) }
