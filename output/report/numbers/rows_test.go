package numbers

import (
	"reflect"
	"testing"

	"github.com/acapscan/acapscan/output/table"
)

func TestRowsAreThoseOfTheTables(t *testing.T) {
	for _, c := range []struct{ ours, table reflect.Type }{
		{reflect.TypeFor[robotsRow](), reflect.TypeFor[table.Robots]()},
		{reflect.TypeFor[pageRow](), reflect.TypeFor[table.Page]()},
		{reflect.TypeFor[directiveRow](), reflect.TypeFor[table.Directive]()},
		{reflect.TypeFor[siteRow](), reflect.TypeFor[table.Adoption]()},
		{reflect.TypeFor[agentRow](), reflect.TypeFor[table.Agent]()},
		{reflect.TypeFor[permissionRow](), reflect.TypeFor[table.Permission]()},
		{reflect.TypeFor[conflictRow](), reflect.TypeFor[table.Conflict]()},
	} {
		columns := map[string]reflect.Type{}
		for _, field := range reflect.VisibleFields(c.table) {
			columns[field.Tag.Get("parquet")] = field.Type
		}
		for _, field := range reflect.VisibleFields(c.ours) {
			if tag := field.Tag.Get("parquet"); columns[tag] != field.Type {
				t.Errorf("%v: %s is %q of type %v, in the table it is %v", c.ours, field.Name, tag, field.Type,
					columns[tag])
			}
		}
	}
}
