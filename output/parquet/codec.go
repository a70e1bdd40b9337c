package parquet

import (
	"sync"

	"github.com/klauspost/compress/zstd"
	pqzstd "github.com/parquet-go/parquet-go/compress/zstd"
)

// pageWindow is how far back a compressed page refers, in bytes: as far as pages are long. The library's own encoders
// keep 16 MiB each for references that no page is long enough for.
const pageWindow = defaultPageBytes

// codec compresses pages with zstd.
type codec struct {
	pqzstd.Codec // decodes
	encoders     sync.Pool
}

// usualCodec is shared, so that files written one after another share encoders.
var usualCodec = newCodec()

func newCodec() *codec {
	return &codec{encoders: sync.Pool{New: func() any {
		// The fastest level: the default takes 7 % more time of stage 2 for files that are 3 % shorter.
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(pageWindow),
			zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
		if err != nil {
			panic(err) // the options are sound
		}
		return e
	}}}
}

// Encode compresses a page.
func (c *codec) Encode(dst, src []byte) ([]byte, error) {
	e := c.encoders.Get().(*zstd.Encoder)
	defer c.encoders.Put(e)
	return e.EncodeAll(src, dst[:0]), nil
}
