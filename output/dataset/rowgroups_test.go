package dataset

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/acapscan/acapscan/output/table"
)

// Readers pass over row groups by their bounds. So the bounds of the column that a table is sorted by first are those
// of the rows, and row groups do not overlap but where they share a value.
func TestBoundsOfRowGroupsRise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var adoptions []table.Adoption
	var pages []table.Page
	var permissions []table.Permission
	for n := range 1000 {
		site := fmt.Sprintf("http://host%d.%s", r.IntN(300),
			[]string{"example", "example.com", "a-long-name-that-no-bound-may-cut.example"}[n%3])
		page := table.Page{}
		table.FillURL(&page.Key, fmt.Sprintf("%s/path/%d?x", site, r.IntN(100)))
		if n%100 == 0 {
			page.URLSurtkey = nil
		}
		pages = append(pages, page)
		permission := table.Permission{Site: site, Scope: "site"}
		table.FillHost(&permission.Host, site)
		permissions = append(permissions, permission)
		adoptions = append(adoptions, adoption(site)...)
	}
	t.Run("pages", boundsRise(table.Pages, pages, func(p *table.Page) *string { return p.URLSurtkey }))
	t.Run("permissions", boundsRise(table.Permissions, permissions, func(p *table.Permission) *string {
		return &p.SURTHostName
	}))
	t.Run("adoption", boundsRise(table.Adoptions, adoptions, func(a *table.Adoption) *string {
		return &a.SURTHostName
	}))
}

func boundsRise[T any, R table.Row[T]](name table.Name, rows []T, first func(*T) *string) func(t *testing.T) {
	const groupRows = 90
	return func(t *testing.T) {
		table.Sort[T, R](rows)
		file := filepath.Join(t.TempDir(), "part.parquet")
		write := func(out partWriter[T]) error { return out.Write(rows) }
		if _, err := writePart(file, name, Options{rowGroupRows: groupRows}, write); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(file)
		check(t, err)
		defer f.Close()
		info, err := f.Stat()
		check(t, err)
		parquet, err := pq.OpenFile(f, info.Size())
		check(t, err)
		d, _ := table.Lookup(name)
		leaf, ok := parquet.Schema().Lookup(d.SortedBy[0])
		if !ok {
			t.Fatalf("no column %s", d.SortedBy[0])
		}
		groups := parquet.Metadata().RowGroups
		if want := (len(rows) + groupRows - 1) / groupRows; len(groups) != want {
			t.Fatalf("%d row groups of %d rows, want %d", len(groups), len(rows), want)
		}
		var bounds []string
		for i, g := range groups {
			var values []string
			for n := i * groupRows; n < min((i+1)*groupRows, len(rows)); n++ {
				if v := first(&rows[n]); v != nil {
					values = append(values, *v)
				}
			}
			stated := g.Columns[leaf.ColumnIndex].MetaData.Statistics
			got := []string{string(stated.MinValue), string(stated.MaxValue)}
			if want := []string{values[0], values[len(values)-1]}; !reflect.DeepEqual(got, want) {
				t.Errorf("row group %d states the bounds %q, its rows have %q", i, got, want)
			}
			bounds = append(bounds, got...)
		}
		for i := 1; i < len(bounds); i++ {
			if bounds[i-1] > bounds[i] {
				t.Errorf("row group %d begins or ends at %q, behind %q", i/2, bounds[i], bounds[i-1])
			}
		}
	}
}
