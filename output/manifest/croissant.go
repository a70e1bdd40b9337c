package manifest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/acapscan/acapscan/output/table"
)

// croissantContext is the JSON-LD context that version 1.0 of the Croissant format states for all documents.
const croissantContext = `{"@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs", "column": "cr:column",
"conformsTo": "dct:conformsTo", "cr": "http://mlcommons.org/croissant/", "data": {"@id": "cr:data", "@type": "@json"},
"dataType": {"@id": "cr:dataType", "@type": "@vocab"}, "dct": "http://purl.org/dc/terms/", "examples": {"@id": "cr:examples",
"@type": "@json"}, "extract": "cr:extract", "field": "cr:field", "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject",
"fileSet": "cr:fileSet", "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset", "jsonPath":
"cr:jsonPath", "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path", "recordSet": "cr:recordSet",
"references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace", "sc": "https://schema.org/",
"separator": "cr:separator", "source": "cr:source", "subField": "cr:subField", "transform": "cr:transform"}`

// The types below are the parts of a Croissant document (format 1.0 of MLCommons) that the tables need.
type (
	croissantFile struct {
		Context      json.RawMessage      `json:"@context"`
		Type         string               `json:"@type"`
		ConformsTo   string               `json:"conformsTo"`
		Name         string               `json:"name"`
		Description  string               `json:"description"`
		Version      string               `json:"version"`
		Distribution []croissantResource  `json:"distribution"`
		RecordSets   []croissantRecordSet `json:"recordSet"`
	}
	// A croissantResource is a FileObject, one part file, or a FileSet, all those of a table.
	croissantResource struct {
		Type           string `json:"@type"`
		ID             string `json:"@id"`
		Name           string `json:"name"`
		Description    string `json:"description,omitempty"`
		ContentURL     string `json:"contentUrl,omitempty"`
		ContentSize    string `json:"contentSize,omitempty"`
		EncodingFormat string `json:"encodingFormat"`
		SHA256         string `json:"sha256,omitempty"`
		Includes       string `json:"includes,omitempty"`
	}
	croissantRecordSet struct {
		Type        string           `json:"@type"`
		ID          string           `json:"@id"`
		Name        table.Name       `json:"name"`
		Description string           `json:"description"`
		Key         []croissantID    `json:"key"`
		Fields      []croissantField `json:"field"`
	}
	croissantField struct {
		Type        string           `json:"@type"`
		ID          string           `json:"@id"`
		Name        string           `json:"name"`
		Description string           `json:"description"`
		DataType    string           `json:"dataType,omitempty"`
		Repeated    bool             `json:"repeated,omitempty"`
		Source      *croissantSource `json:"source,omitempty"`
	}
	croissantSource struct {
		FileSet   croissantID         `json:"fileSet"`
		Extract   map[string]string   `json:"extract"`
		Transform *croissantTransform `json:"transform,omitempty"`
	}
	croissantTransform struct {
		Regex string `json:"regex"`
	}
	croissantID struct {
		ID string `json:"@id"`
	}
)

// croissant describes the tables that have files. What only the publisher of a run knows is left out: licence, address,
// creator and date of publication, which validators therefore miss.
func croissant(m *Manifest) []byte {
	file := croissantFile{
		Context: json.RawMessage(croissantContext), Type: "sc:Dataset", ConformsTo: "http://mlcommons.org/croissant/1.0",
		Name: packageName, Description: packageDescription(m), Version: packageVersion(),
		Distribution: []croissantResource{}, RecordSets: []croissantRecordSet{},
	}
	encoding := m.Format().MediaType()
	if m.Format() == table.Parquet {
		encoding = "application/x-parquet" // the format is older than the registered name, and so are its readers
	}
	for _, o := range m.Outputs {
		file.Distribution = append(file.Distribution, croissantResource{
			Type: "cr:FileObject", ID: o.Path, Name: o.Path, ContentURL: o.Path, ContentSize: fmt.Sprintf("%d B", o.Bytes),
			EncodingFormat: encoding, SHA256: o.SHA256,
		})
	}
	for _, d := range table.All() {
		if m.Tables[d.Name].Files == 0 {
			continue
		}
		set := croissantResource{
			Type: "cr:FileSet", ID: string(d.Name) + "-files", Name: string(d.Name) + "-files",
			Description:    "All files of the table " + string(d.Name) + ".",
			EncodingFormat: encoding, Includes: string(d.Name) + "/**/*" + m.Format().Extension(),
		}
		file.Distribution = append(file.Distribution, set)
		file.RecordSets = append(file.RecordSets, recordSet(d, set.ID))
	}
	text, err := encode(file)
	if err != nil {
		panic(fmt.Sprintf("manifest: %s: %v", CroissantName, err)) // strings and lists of them always encode
	}
	return text
}

func recordSet(d table.Definition, files string) croissantRecordSet {
	set := croissantRecordSet{
		Type: "cr:RecordSet", ID: string(d.Name), Name: d.Name, Description: fmt.Sprintf("One row for %s. %s", d.Row, d.Doc),
	}
	fieldID := func(column string) string { return string(d.Name) + "/" + column }
	for _, column := range append([]string{"crawl"}, d.Key...) {
		set.Key = append(set.Key, croissantID{fieldID(column)})
	}
	for _, column := range d.Partitions() {
		set.Fields = append(set.Fields, croissantField{
			Type: "cr:Field", ID: fieldID(column), Name: column, DataType: "sc:Text",
			Description: "Partition column, out of the path of the file, where bytes outside of A-Z a-z 0-9 . _ - are percent-encoded.",
			Source: &croissantSource{FileSet: croissantID{files}, Extract: map[string]string{"fileProperty": "fullpath"},
				Transform: &croissantTransform{".*/" + column + "=([^/]*)/.*"}},
		})
	}
	var left []string
	for _, c := range d.Columns() {
		doc := c.Doc
		if c.Values != nil {
			doc += " One of " + strings.Join(c.Values, ", ") + "."
		}
		field := croissantField{
			Type: "cr:Field", ID: fieldID(c.Name), Name: c.Name, Description: doc,
			Source: &croissantSource{FileSet: croissantID{files}, Extract: map[string]string{"column": c.Name}},
		}
		shape, ok := croissantShapes[c.Type]
		if !ok {
			left = append(left, c.Name)
			continue
		}
		field.DataType, field.Repeated = shape.dataType, shape.repeated
		set.Fields = append(set.Fields, field)
	}
	if len(left) > 0 {
		set.Description += fmt.Sprintf(" Croissant has no type for these columns, which %s/%s.json describes: %s.",
			SchemaFolder, d.Name, strings.Join(left, ", "))
	}
	return set
}

// croissantShapes are the Croissant types of columns. The format has no maps, and its readers refuse lists of structs
// under any type that it has: columns of counts and of qualifiers have none.
var croissantShapes = map[table.Type]struct {
	dataType string
	repeated bool
}{
	table.TypeString:    {"sc:Text", false},
	table.TypeBool:      {"sc:Boolean", false},
	table.TypeInt16:     {"sc:Integer", false},
	table.TypeInt32:     {"sc:Integer", false},
	table.TypeInt64:     {"sc:Integer", false},
	table.TypeTimestamp: {"sc:DateTime", false},
	table.TypeStrings:   {"sc:Text", true},
}
