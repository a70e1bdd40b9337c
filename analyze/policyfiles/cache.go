package policyfiles

import (
	"crypto/sha256"
	"sync"

	"github.com/acapscan/acapscan/analyze/decide"
	"github.com/acapscan/acapscan/analyze/parse"
	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/ingest/facts"
)

// A Cache holds parsed bodies: a file that thousands of hosts have, or redirect or refer to, is parsed and its patterns
// are compiled a few times. No decision depends on it. Many goroutines may use one.
type Cache struct {
	reading  parse.Options
	deciding decide.Options

	mutex  sync.Mutex
	seen   map[bodyKey]struct{} // bodies that were parsed once: most never come again, and are not cached
	held   *generations[bodyKey, *text]
	spares [][]policy.Statement          // memory for statements of texts that are not held
	notes  *generations[*byte, bodyNote] // of bodies that hosts share, by their first byte
}

// A bodyKey identifies a body. One that is known to lack its end is parsed differently.
type bodyKey struct {
	sum       [sha256.Size]byte
	truncated bool
}

// Limits on a Cache, in bytes but for maxSeenTexts.
const (
	maxSeenTexts   = 1 << 15
	maxCachedTexts = 40 << 20 // of each generation
	maxNotedBodies = 4 << 20
	leastNoted     = 4 << 10
	statementBytes = 400 // memory of a statement with its pattern, or of what is derived about an agent
)

// NewCache returns an empty cache. It takes at most memory bytes, or 80 MiB if memory is 0 or larger.
func NewCache(reading parse.Options, deciding decide.Options, memory int64) *Cache {
	limit := maxCachedTexts
	if memory > 0 {
		limit = int(min(int64(limit), memory/2))
	}
	return &Cache{
		reading: reading, deciding: deciding, seen: map[bodyKey]struct{}{},
		held:  newGenerations[bodyKey, *text](limit),
		notes: newGenerations[*byte, bodyNote](min(limit, maxNotedBodies)),
	}
}

// text returns the parsed body.
func (c *Cache) text(sum [sha256.Size]byte, body *facts.Fact) *text {
	key := bodyKey{sum, body.BodyTruncated}
	c.mutex.Lock()
	t, known := c.held.get(key)
	_, again := c.seen[key]
	if !known && !again {
		if len(c.seen) >= maxSeenTexts {
			clear(c.seen)
		}
		c.seen[key] = struct{}{}
	}
	c.mutex.Unlock()
	switch {
	case known:
		return t
	case !again:
		return readText(body.Body, body.BodyTruncated, c.takeSpare(), c.reading)
	}
	t = readText(body.Body, body.BodyTruncated, nil, c.reading)
	t.IsShared = true
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if other, known := c.held.get(key); known {
		return other // another worker was faster
	}
	c.held.put(key, t, len(body.Body)+statementBytes*(len(t.Statements)+len(t.NamedGroups)))
	return t
}

// Limits on the memory of statements that waits for the next host.
const (
	maxSpares     = 8
	maxSpareBytes = 4 << 20 // of each
)

// takeSpare returns memory for statements, or nil.
func (c *Cache) takeSpare() []policy.Statement {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	n := len(c.spares) - 1
	if n < 0 {
		return nil
	}
	spare := c.spares[n]
	c.spares = c.spares[:n]
	return spare
}

// giveBack takes the memory of the statements of a text that is not shared and no longer needed.
func (c *Cache) giveBack(t *text) {
	if t.IsShared || statementBytes*cap(t.Statements) > maxSpareBytes {
		return
	}
	clear(t.Statements)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.spares) < maxSpares {
		c.spares = append(c.spares, t.Statements[:0])
	}
	t.Statements = nil
}

// note returns digest and kind of a body. It caches those of large ones.
func (c *Cache) note(body []byte) bodyNote {
	if len(body) < leastNoted {
		return c.noteNew(body)
	}
	c.mutex.Lock()
	n, known := c.notes.get(&body[0])
	c.mutex.Unlock()
	if !known || n.size != len(body) {
		n = c.noteNew(body)
		c.mutex.Lock()
		c.notes.put(&body[0], n, len(body))
		c.mutex.Unlock()
	}
	return n
}

func (c *Cache) noteNew(body []byte) bodyNote {
	return bodyNote{sha256.Sum256(body), parse.NotRobots(body, c.reading), len(body)}
}

// generations is a cache in two halves. When the young half is full it becomes the old one, and the old one is dropped;
// entries that are used move to the young half.
type generations[K comparable, V any] struct {
	limit      int // bytes of each half
	size       int // of the young
	young, old map[K]sized[V]
}

type sized[V any] struct {
	value V
	bytes int
}

func newGenerations[K comparable, V any](limit int) *generations[K, V] {
	return &generations[K, V]{limit: limit, young: map[K]sized[V]{}}
}

func (g *generations[K, V]) get(key K) (V, bool) {
	if v, known := g.young[key]; known {
		return v.value, true
	}
	v, known := g.old[key]
	if known {
		g.put(key, v.value, v.bytes)
	}
	return v.value, known
}

func (g *generations[K, V]) put(key K, value V, bytes int) {
	if g.size+bytes > g.limit {
		g.old, g.young, g.size = g.young, map[K]sized[V]{}, 0
	}
	g.young[key] = sized[V]{value, bytes}
	g.size += bytes
}
