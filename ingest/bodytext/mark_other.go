//go:build !amd64

package bodytext

// mayBePolicy reports whether text has letters of ACAP or a known field.
func mayBePolicy(text []byte) bool { return !LacksACAP(text) || HasKnownField(text) }
