package manifest

import (
	"encoding/json"
	"fmt"

	"github.com/acapscan/acapscan/output/table"
)

// The types below are the parts of a Frictionless data package (version 1 of the Data Package and Table Schema
// standards) that the tables need.
type packageFile struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Version     string            `json:"version"`
	Resources   []packageResource `json:"resources"`
}

type packageResource struct {
	Name        table.Name    `json:"name"`
	Title       string        `json:"title"`
	Description string        `json:"description"`
	Path        []string      `json:"path"`
	Format      string        `json:"format"`
	MediaType   string        `json:"mediatype"`
	Schema      packageSchema `json:"schema"`
}

type packageSchema struct {
	Fields []packageField `json:"fields"`
}

type packageField struct {
	Name        string            `json:"name"`
	Type        string            `json:"type"`
	Description string            `json:"description"`
	Example     json.RawMessage   `json:"example"`
	Constraints packageConstraint `json:"constraints"`
}

type packageConstraint struct {
	Required bool     `json:"required"`
	Enum     []string `json:"enum,omitempty"`
}

// dataPackage describes the tables that have files: the standard wants a resource to have one.
func dataPackage(m *Manifest) []byte {
	file := packageFile{
		Name:  "acapscan-tables",
		Title: "Access policies in web archives",
		Description: fmt.Sprintf("Made by %s %s. Partition columns (crawl, subset) are in the paths.",
			m.Program.Name, m.Program.Version),
		Version:   fmt.Sprintf("%d.0.0", table.SchemaVersion),
		Resources: []packageResource{},
	}
	for _, d := range table.All() {
		r := packageResource{
			Name:        d.Name,
			Title:       "One row for " + d.Row,
			Description: d.Doc,
			Format:      string(m.Format()),
			MediaType:   m.Format().MediaType(),
		}
		for _, o := range m.Outputs {
			if name, _ := o.Table(); name == d.Name {
				r.Path = append(r.Path, o.Path)
			}
		}
		if len(r.Path) == 0 {
			continue
		}
		for _, c := range d.Columns() {
			r.Schema.Fields = append(r.Schema.Fields, packageField{
				Name: c.Name, Type: frictionlessType(c.Type), Description: c.Doc, Example: c.ExampleJSON(),
				Constraints: packageConstraint{Required: !c.Nullable, Enum: c.Values},
			})
		}
		file.Resources = append(file.Resources, r)
	}
	text, err := encode(file)
	if err != nil {
		panic(fmt.Sprintf("manifest: %s: %v", DataPackageName, err)) // strings and lists of them always encode
	}
	return text
}

func frictionlessType(t table.Type) string {
	switch t {
	case table.TypeString:
		return "string"
	case table.TypeBool:
		return "boolean"
	case table.TypeInt16, table.TypeInt32, table.TypeInt64:
		return "integer"
	case table.TypeTimestamp:
		return "datetime"
	case table.TypeStrings, table.TypeQualifiers:
		return "array"
	case table.TypeCounts:
		return "object"
	}
	panic(fmt.Sprintf("manifest: no Frictionless type for %s", t)) // the list above is that of table.Type
}
