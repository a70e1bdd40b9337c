//go:build !unix

package main

import (
	"errors"
	"os"
)

func sendStatusSignal(*os.Process) error { return errors.ErrUnsupported }
