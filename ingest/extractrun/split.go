package extractrun

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"github.com/acapscan/acapscan/ingest/archive"
)

// A split is one input that several workers read, stretch by stretch. The records of a stretch are those whose member
// begins in it, even if the member ends behind it. Only the worker that reads the stretch before can tell where the
// first one begins. So a worker that takes a stretch speculates: it searches for a beginning and keeps what it finds.
// The results get their turn in order. A result that begins where the stretch before ended becomes part of the
// reading. Any other is discarded, and its stretch is read again. So the facts are those of one reader.
//
// The mutex of the queue guards the fields. The reading belongs to the worker that has the turn.
type split struct {
	q     *queue
	r     *reading
	ahead archive.Mark // what the first record tells of the whole archive
	count int          // of stretches

	next         int           // stretch that nobody has taken
	turn         int           // stretch whose turn it is
	at           archive.Mark  // where that begins
	busy         bool          // the turn is taken
	speculations map[int]*part // that were read to their end, by stretch

	ended   bool // there is no more turn
	failure error
	length  int64 // how far the input was read in the end
	whole   bool  // length is that of the input

	digest digest
}

// A digest is the SHA-256 of an input that is read in stretches. As it must go through the input in order, it follows
// behind them.
type digest struct {
	hash hash.Hash // nil until the first stretch was read
	at   int64     // how far it has come
	busy bool
	err  error // why it cannot go on
	done bool  // and all the rest, too
}

// split lets other workers help with an input of which one is reading the first stretch.
func (q *queue) split(r *reading, ahead archive.Mark) *split {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := &split{q: q, r: r, ahead: ahead, next: 1, busy: true, speculations: map[int]*part{}}
	s.count = int((r.in.Size + q.opts.Stretch - 1) / q.opts.Stretch)
	q.splits = append(q.splits, s)
	q.changed.Broadcast()
	return s
}

// start and end are the offsets of a stretch.
func (s *split) start(k int) int64 { return int64(k) * s.q.opts.Stretch }
func (s *split) end(k int) int64   { return min(s.start(k+1), s.r.in.Size) }

// take returns the task to read a stretch, nil if there is none now; with inTurn only that of the stretch whose turn it
// is, of which nothing has to be remembered. The caller has the mutex.
func (s *split) take(inTurn bool) task {
	s.next = max(s.next, s.turn)
	k := s.next
	if s.ended || k >= s.count || k > s.turn+2*s.q.opts.Workers || inTurn && (k > s.turn || s.busy) {
		return nil
	}
	s.next++
	return func(ctx context.Context, w *worker) error {
		if err := s.read(ctx, w, k); err != nil {
			return err
		}
		return s.proceed(ctx, w)
	}
}

// read reads a stretch, as a speculation until its turn comes.
func (s *split) read(ctx context.Context, w *worker, k int) error {
	g := &speculation{split: s, k: k}
	p := w.part(s.r.in, g)
	g.part, p.each = p, g.check
	ahead := s.ahead
	ahead.Offset = s.start(k)
	p.failure = p.search(ctx, ahead, s.end(k))
	w.do(p)
	if !p.speculative {
		return s.fed(ctx, p)
	}
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	if k >= s.turn && !s.ended {
		s.speculations[k] = p
	}
	return nil
}

// begun takes over from who read the first stretch.
func (s *split) begun(ctx context.Context, w *worker, p *part) error {
	s.q.mu.Lock()
	s.digest.hash, s.digest.at = p.counting.hash, p.counting.n
	s.q.mu.Unlock()
	if err := s.fed(ctx, p); err != nil {
		return err
	}
	return s.proceed(ctx, w)
}

// proceed takes turns as long as there are speculations for them, and digests as far as the input was read. Who comes
// last finishes the input.
func (s *split) proceed(ctx context.Context, w *worker) error {
	for {
		p, err := s.feed(ctx, w)
		if err != nil {
			return err
		}
		if p == nil {
			break
		}
		if err := s.fed(ctx, p); err != nil {
			return err
		}
	}
	if !s.sum(ctx) {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	failure := s.failure
	if failure == nil {
		failure = s.digest.err
	}
	s.r.bytes = s.length
	if s.whole && s.digest.err == nil {
		s.r.digest = hex.EncodeToString(s.digest.hash.Sum(nil))
	}
	return s.q.finish(s, s.r, failure)
}

// feed takes the turn, if a speculation has read its stretch: the result is taken into the reading, or its stretch is
// read again. nil means that there was nothing to do, or that another worker is at it.
func (s *split) feed(ctx context.Context, w *worker) (*part, error) {
	s.q.mu.Lock()
	k, at := s.turn, s.at
	p := s.speculations[k]
	if s.busy || s.ended || p == nil {
		s.q.mu.Unlock()
		return nil, nil
	}
	delete(s.speculations, k)
	s.busy = true
	s.q.mu.Unlock()

	if p.archive != nil && p.failure != errStale && p.archive.Join(at) {
		stats := p.archive.Stats()
		w.opts.Progress.Records.Add(stats.Total())
		if err := p.sink.(*speculation).giveOut(); err != nil {
			p.failure = err
		}
		return p, nil
	}
	p = w.part(s.r.in, s.r)
	p.failure = p.resume(ctx, at, s.end(k))
	w.do(p)
	return p, nil
}

// fed ends the turn: p was fed into the reading. The error ends the run.
func (s *split) fed(ctx context.Context, p *part) error {
	if err := endOfRun(ctx, p.failure); err != nil {
		return err
	}
	s.r.merge(p)
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	s.busy = false
	more := false
	if p.failure == nil {
		s.at, more = p.archive.End()
	}
	if more {
		for s.turn++; s.at.Offset >= s.end(s.turn); s.turn++ {
			delete(s.speculations, s.turn) // no member begins in that stretch
		}
	} else {
		s.ended, s.failure = true, p.failure
		clear(s.speculations)
		if p.counting != nil {
			s.length, s.whole = p.counting.n, p.counting.atEnd
		}
	}
	s.q.changed.Broadcast()
	return nil
}

// sum digests the input as far as somebody has begun to read it. It is true for the one who finds that all is done.
func (s *split) sum(ctx context.Context) bool {
	s.q.mu.Lock()
	defer s.q.mu.Unlock()
	d := &s.digest
	for d.hash != nil && !d.busy && !d.done {
		to := min(s.start(s.next), s.r.in.Size)
		if s.ended {
			to = s.length
		}
		if d.at >= to || d.err != nil || s.ended && !s.whole {
			d.done = s.ended
			return d.done
		}
		d.busy = true
		s.q.mu.Unlock()
		n, err := s.sumTo(ctx, to)
		s.q.mu.Lock()
		d.busy, d.at, d.err = false, d.at+n, err
	}
	return false
}

// sumTo digests from where the digest is to an offset.
func (s *split) sumTo(ctx context.Context, to int64) (n int64, err error) {
	defer guard(s.r.in, new(bool), &err)
	body, err := s.r.in.OpenAt(ctx, s.digest.at)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	n, err = io.CopyBuffer(s.digest.hash, io.LimitReader(body, to-s.digest.at), make([]byte, 256<<10))
	s.q.opts.Progress.Bytes.Add(n)
	if err == nil && n < to-s.digest.at {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		err = fmt.Errorf("%s, read again for its digest, at offset %d: %w", s.r.in.Name, s.digest.at+n, err)
	}
	return n, err
}
