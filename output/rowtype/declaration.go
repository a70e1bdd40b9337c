package rowtype

import "strings"

// Declaration is a column in words that all formats share, for comparing schemas:
// two columns are the same if their declarations are equal.
type Declaration struct {
	Name string
	// Type is bool, int16, int32, int64, string, binary, timestamp[ms, UTC],
	// list<T>, map<string, int64> or struct<name: T, …>, where a nullable T ends
	// in a question mark.
	Type     string
	Nullable bool
}

// Declarations returns the declarations of the columns below c, in order.
func (c *Column) Declarations() []Declaration {
	list := make([]Declaration, len(c.Children))
	for i, child := range c.Children {
		list[i] = Declaration{Name: child.Name, Type: child.typeName(), Nullable: child.Optional}
	}
	return list
}

var kindNames = [...]string{
	Bool: "bool", Int16: "int16", Int32: "int32", Int64: "int64", Timestamp: "timestamp[ms, UTC]",
	String: "string", Bytes: "binary", Struct: "struct", List: "list", Map: "map",
}

func (c *Column) typeName() string {
	if len(c.Children) == 0 {
		return kindNames[c.Kind]
	}
	below := make([]string, len(c.Children))
	for i, d := range c.Declarations() {
		if c.Kind == Struct {
			below[i] = d.Name + ": "
		}
		below[i] += d.Type
		if d.Nullable {
			below[i] += "?"
		}
	}
	return kindNames[c.Kind] + "<" + strings.Join(below, ", ") + ">"
}
