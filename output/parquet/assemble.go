package parquet

import (
	"fmt"
	"io"
	"reflect"

	"github.com/acapscan/acapscan/output/rowtype"
	pq "github.com/parquet-go/parquet-go"
)

// cursorValues is the number of values a leaf reads ahead.
const cursorValues = 512

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
			return pq.Value{}, false, fmt.Errorf("column %s: %w", c.column.Path, err)
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
	return a.read(a.tree.Root, v, 0)
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
	return fmt.Errorf("column %s is corrupt: %s", c.column.Path, what)
}

// first returns the next value of the first leaf of c, without taking it: its
// definition level says what there is of c.
func (a *assembler) first(c *column) (pq.Value, error) {
	cur := &a.cursors[c.FirstLeaf]
	v, ok, err := cur.peek()
	if err == nil && !ok {
		err = cur.wrong("fewer values than rows")
	}
	return v, err
}

// skip takes from every leaf of c the one value that says that nothing is there
// from level def on.
func (a *assembler) skip(c *column, rep, def int) error {
	for leaf := c.FirstLeaf; leaf < c.FirstLeaf+c.Leaves; leaf++ {
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
	if c.IsLeaf() {
		return a.readLeaf(c, dst, rep)
	}
	v, err := a.first(c)
	if err != nil {
		return err
	}
	def := v.DefinitionLevel()
	if c.Optional && def == c.Def-1 {
		return a.skip(c, rep, def)
	}
	dst = c.Target(dst)
	if c.Kind == rowtype.Struct {
		for _, f := range c.Children {
			if err := a.read(f, dst.FieldByIndex(f.Index), rep); err != nil {
				return err
			}
		}
		return nil
	}
	if def == c.Def {
		if c.Optional { // nil would be null
			c.MakeEmpty(dst)
		}
		return a.skip(c, rep, def)
	}
	if c.Kind == rowtype.Map {
		c.MakeEmpty(dst)
	}
	for n := 0; ; n++ {
		// Runs of levels compress without limit: a small page can claim any number of
		// elements.
		if n == rowtype.MaxElements {
			return fmt.Errorf("column %s has a list of more than %d elements", c.Path, rowtype.MaxElements)
		}
		if err := a.readElement(c, dst, rep); err != nil {
			return err
		}
		cur := &a.cursors[c.FirstLeaf]
		v, ok, err := cur.peek()
		if err != nil {
			return err
		}
		if rep = c.Rep + 1; !ok || v.RepetitionLevel() != rep {
			return nil
		}
	}
}

// readElement adds the next element of c, a list or map, to dst.
func (a *assembler) readElement(c *column, dst reflect.Value, rep int) error {
	if c.Kind == rowtype.List {
		return a.read(c.Children[0], rowtype.AppendZero(dst), rep)
	}
	var entry struct {
		key   string
		value int64
	}
	if err := a.readLeaf(c.Children[0], reflect.ValueOf(&entry.key).Elem(), rep); err != nil {
		return err
	}
	if err := a.readLeaf(c.Children[1], reflect.ValueOf(&entry.value).Elem(), rep); err != nil {
		return err
	}
	rowtype.MapOf(dst)[entry.key] = entry.value
	return nil
}

func (a *assembler) readLeaf(c *column, dst reflect.Value, rep int) error {
	cur := &a.cursors[c.FirstLeaf]
	v, ok, err := cur.peek()
	if err != nil {
		return err
	}
	switch {
	case !ok:
		return cur.wrong("fewer values than rows")
	case v.RepetitionLevel() != rep:
		return cur.wrong("its levels differ from those of its neighbours")
	case c.Optional && v.DefinitionLevel() == c.Def-1:
		cur.next++
		return nil
	case v.DefinitionLevel() != c.Def || v.IsNull():
		return cur.wrong("its levels differ from those of its neighbours")
	}
	cur.next++
	dst = c.Target(dst)
	switch c.Kind {
	case rowtype.Bool:
		dst.SetBool(v.Boolean())
	case rowtype.Int16, rowtype.Int32:
		i := int64(v.Int32())
		if dst.OverflowInt(i) {
			return cur.wrong(fmt.Sprintf("%d is no %v", i, c.Type))
		}
		dst.SetInt(i)
	case rowtype.Int64:
		dst.SetInt(v.Int64())
	case rowtype.Timestamp:
		rowtype.SetMillis(dst, v.Int64())
	case rowtype.String:
		dst.SetString(string(v.ByteArray()))
	case rowtype.Bytes:
		// Not nil, even if empty: nil is null.
		dst.SetBytes(append([]byte{}, v.ByteArray()...))
	}
	return nil
}
