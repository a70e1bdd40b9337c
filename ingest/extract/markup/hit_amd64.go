//go:build !countwork

package markup

// skipToHit returns an offset before or at the first hit in src, see nextHit.
//
//go:noescape
func skipToHit(src []byte) int
