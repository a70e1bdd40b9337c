//go:build countwork

package markup

import "bytes"

// planted are scanners with the mistakes that linear_test.go is there to find, and one without.
var planted = map[string]func(src []byte){
	"looks at all that lies behind": func(src []byte) {
		for i := range src {
			for j := i; j > 0 && src[j] != '>'; j-- {
			}
		}
	},
	"looks for an end that is not there, and goes on": func(src []byte) {
		for i := 0; i < len(src); i++ {
			if n := bytes.IndexByte(src[i:], '>'); n >= 0 {
				i += n
			}
		}
	},
	"copies what is left": func(src []byte) {
		for ; len(src) > 0; src = src[1:] {
			_ = string(src)
		}
	},
	"clears a room as large as the document for each piece": func(src []byte) {
		for range src {
			_ = make([]bool, len(src))
		}
	},
	"makes no mistake": func(src []byte) {
		for i := 0; i < len(src); i++ {
			if n := bytes.IndexByte(src[i:min(len(src), i+10)], '>'); n >= 0 {
				i += n
			}
		}
	},
}
