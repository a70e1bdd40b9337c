package table

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// schemaFile is the form of docs/schema/<table>.json.
type schemaFile struct {
	Name          Name           `json:"name"`
	Description   string         `json:"description"`
	SchemaVersion int            `json:"schema_version"`
	Partitions    []string       `json:"partitions"` // columns in folder names, all of type string
	Key           []string       `json:"key"`
	SortedBy      []string       `json:"sorted_by"`
	Columns       []schemaColumn `json:"columns"`
}

type schemaColumn struct {
	Name        string          `json:"name"`
	Type        Type            `json:"type"`
	Nullable    bool            `json:"nullable"`
	Description string          `json:"description"`
	Example     json.RawMessage `json:"example"`
	Values      []string        `json:"values,omitempty"`
	Since       int             `json:"since"`
}

// Schema returns the table's schema file: a JSON document with its description, partition columns, key, order and
// columns, each with type, nullability, description, example, allowed values and the SchemaVersion that brought it.
func (d Definition) Schema() []byte {
	file := schemaFile{
		Name:          d.Name,
		Description:   fmt.Sprintf("One row for %s. %s", d.Row, d.Doc),
		SchemaVersion: SchemaVersion,
		Partitions:    d.Partitions(),
		Key:           d.Key,
		SortedBy:      d.SortedBy,
	}
	for _, c := range d.Columns() {
		file.Columns = append(file.Columns, schemaColumn{c.Name, c.Type, c.Nullable, c.Doc, c.ExampleJSON(), c.Values,
			c.Since})
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(file); err != nil {
		// strings, numbers and lists of them always encode
		panic(fmt.Sprintf("table: the schema of %s: %v", d.Name, err))
	}
	return b.Bytes()
}
