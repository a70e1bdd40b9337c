// Package longtest tells tests whether they may take minutes. `go test ./...` is what a developer runs while working:
// there, tests that read all real files, kill the program at many moments or draw thousands of cases take a sample, or
// are left out. `make long` sets ACAPSCAN_LONG, and `make test` calls it.
package longtest

import "os"

// Enabled reports whether the environment asks for long tests.
func Enabled() bool { return os.Getenv("ACAPSCAN_LONG") != "" }
