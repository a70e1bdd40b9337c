package parquet

import (
	"fmt"
	"io"
	"reflect"
	"time"

	pq "github.com/parquet-go/parquet-go"
)

const (
	// cursorValues is the number of values a leaf reads ahead.
	cursorValues = 512
	// maxElements bounds a list or map: runs of levels compress without limit, so
	// that a small page can claim any number of elements.
	maxElements = 1 << 22
)

// cursor reads the values of one leaf in one row group.
type cursor struct {
	column *column
	pages  pq.Pages
	page   pq.Page
	values pq.ValueReader // of page
	buf    []pq.Value
	next   int // in buf
	done   bool
}

// peek returns the next value without taking it; false at the end. The value may
// point into the page, and is good until the next call.
func (c *cursor) peek() (pq.Value, bool, error) {
	for c.next == len(c.buf) {
		if c.done {
			return pq.Value{}, false, nil
		}
		if err := c.fill(); err != nil {
			return pq.Value{}, false, fmt.Errorf("column %s: %w", c.column.path, err)
		}
	}
	return c.buf[c.next], true, nil
}

func (c *cursor) fill() error {
	if c.values == nil {
		c.release() // its last values have been taken
		page, err := c.pages.ReadPage()
		if err == io.EOF {
			c.done = true
			return nil
		}
		if err != nil {
			return err
		}
		c.page, c.values = page, page.Values()
	}
	if c.buf == nil {
		c.buf = make([]pq.Value, cursorValues)
	}
	n, err := c.values.ReadValues(c.buf[:cap(c.buf)])
	c.buf, c.next = c.buf[:n], 0
	if err == io.EOF || err == nil && n == 0 {
		c.values, err = nil, nil
	}
	return err
}

func (c *cursor) release() {
	if c.page != nil {
		pq.Release(c.page)
		c.page = nil
	}
}

// assembler puts rows together from the leaves of a row group. It checks that
// the levels of all leaves tell the same story.
type assembler struct {
	tree    *tree
	cursors []cursor // by leaf
}

func (a *assembler) close() {
	for i := range a.cursors {
		c := &a.cursors[i]
		c.values = nil
		c.release()
		if c.pages != nil {
			c.pages.Close() // only gives buffers back
		}
	}
}

// row sets v, which must be addressable, to the next row.
func (a *assembler) row(v reflect.Value) error {
	v.SetZero()
	return a.read(a.tree.root, v, 0)
}

// checkEnd returns an error if a leaf has values left.
func (a *assembler) checkEnd() error {
	for i := range a.cursors {
		if _, more, err := a.cursors[i].peek(); err != nil {
			return err
		} else if more {
			return a.cursors[i].wrong("more values than rows")
		}
	}
	return nil
}

func (c *cursor) wrong(what string) error {
	return fmt.Errorf("column %s is corrupt: %s", c.column.path, what)
}

// first returns the next value of the first leaf of c, without taking it: its
// definition level says what there is of c.
func (a *assembler) first(c *column) (pq.Value, error) {
	cur := &a.cursors[c.firstLeaf]
	v, ok, err := cur.peek()
	if err == nil && !ok {
		err = cur.wrong("fewer values than rows")
	}
	return v, err
}

// skip takes from every leaf of c the one value that says that nothing is there
// from level def on.
func (a *assembler) skip(c *column, rep, def int) error {
	for leaf := c.firstLeaf; leaf < c.firstLeaf+c.leaves; leaf++ {
		cur := &a.cursors[leaf]
		v, ok, err := cur.peek()
		if err != nil {
			return err
		}
		if !ok || v.RepetitionLevel() != rep || v.DefinitionLevel() != def {
			return cur.wrong("its levels differ from those of its neighbours")
		}
		cur.next++
	}
	return nil
}

// read sets dst, which is zero, to the next value of c, whose levels begin with
// rep.
func (a *assembler) read(c *column, dst reflect.Value, rep int) error {
	if c.leaf() {
		return a.readLeaf(c, dst, rep)
	}
	v, err := a.first(c)
	if err != nil {
		return err
	}
	def := v.DefinitionLevel()
	if c.optional && def == c.def-1 {
		return a.skip(c, rep, def)
	}
	if c.pointer {
		p := reflect.New(c.typ)
		dst.Set(p)
		dst = p.Elem()
	}
	if c.kind == kindStruct {
		for _, f := range c.children {
			if err := a.read(f, dst.FieldByIndex(f.index), rep); err != nil {
				return err
			}
		}
		return nil
	}
	if def == c.def {
		if c.optional { // nil would be null
			dst.Set(reflect.MakeSlice(c.typ, 0, 0))
		}
		return a.skip(c, rep, def)
	}
	for n := 0; ; n++ {
		if n == maxElements {
			return fmt.Errorf("column %s has a list of more than %d elements", c.path, maxElements)
		}
		if err := a.readElement(c, dst, n, rep); err != nil {
			return err
		}
		cur := &a.cursors[c.firstLeaf]
		v, ok, err := cur.peek()
		if err != nil {
			return err
		}
		if rep = c.rep + 1; !ok || v.RepetitionLevel() != rep {
			return nil
		}
	}
}

// readElement reads element n of a list or map into dst.
func (a *assembler) readElement(c *column, dst reflect.Value, n, rep int) error {
	if n == dst.Cap() {
		dst.Grow(max(1, n))
	}
	dst.SetLen(n + 1)
	element := dst.Index(n)
	element.SetZero()
	if c.kind == kindList {
		return a.read(c.children[0], element, rep)
	}
	for _, f := range c.children {
		if err := a.readLeaf(f, element.FieldByIndex(f.index), rep); err != nil {
			return err
		}
	}
	return nil
}

func (a *assembler) readLeaf(c *column, dst reflect.Value, rep int) error {
	cur := &a.cursors[c.firstLeaf]
	v, ok, err := cur.peek()
	if err != nil {
		return err
	}
	switch {
	case !ok:
		return cur.wrong("fewer values than rows")
	case v.RepetitionLevel() != rep:
		return cur.wrong("its levels differ from those of its neighbours")
	case c.optional && v.DefinitionLevel() == c.def-1:
		cur.next++
		return nil
	case v.DefinitionLevel() != c.def || v.IsNull():
		return cur.wrong("its levels differ from those of its neighbours")
	}
	cur.next++
	if c.pointer {
		p := reflect.New(c.typ)
		dst.Set(p)
		dst = p.Elem()
	}
	switch c.kind {
	case kindBool:
		dst.SetBool(v.Boolean())
	case kindInt16, kindInt32:
		i := int64(v.Int32())
		if dst.OverflowInt(i) {
			return cur.wrong(fmt.Sprintf("%d is no %v", i, c.typ))
		}
		dst.SetInt(i)
	case kindInt64, kindMillis:
		dst.SetInt(v.Int64())
	case kindTime:
		*dst.Addr().Interface().(*time.Time) = time.UnixMilli(v.Int64()).UTC()
	case kindString:
		dst.SetString(string(v.ByteArray()))
	case kindBytes:
		// Not nil, even if empty: nil is null.
		dst.SetBytes(append([]byte{}, v.ByteArray()...))
	}
	return nil
}
