package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
	"github.com/acapscan/acapscan/tools/conformance"
)

// A schema is what schema.json uses of JSON Schema; a keyword that is not here fails the test.
type schema struct {
	Schema      string `json:"$schema"`
	Title       string
	Description string
	Defs        map[string]*schema `json:"$defs"`

	Ref                  string `json:"$ref"`
	OneOf                []*schema
	Type                 any
	Enum                 []string
	Pattern, Format      string
	MinLength            int
	Minimum              *float64
	Items                *schema
	MinItems, MaxItems   int
	UniqueItems          bool
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties any
}

// wrong tells where a value is not of the schema, "" if it is.
func (s *schema) wrong(root *schema, at string, v any) string {
	if s.Ref != "" {
		return root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")].wrong(root, at, v)
	}
	if s.OneOf != nil {
		fitting := 0
		for _, one := range s.OneOf {
			if one.wrong(root, at, v) == "" {
				fitting++
			}
		}
		if fitting != 1 {
			return fmt.Sprintf("%s: fits %d of its kinds", at, fitting)
		}
		return ""
	}
	if s.Type != nil && !slices.Contains(kindsOf(v), fmt.Sprint(s.Type)) && !isAny(s.Type, kindsOf(v)) {
		return fmt.Sprintf("%s: is no %v", at, s.Type)
	}
	switch v := v.(type) {
	case string:
		_, timeErr := time.Parse(time.RFC3339, v)
		if s.Enum != nil && !slices.Contains(s.Enum, v) || len(v) < s.MinLength || s.Format == "date-time" &&
			timeErr != nil ||
			!regexp.MustCompile(s.Pattern).MatchString(v) {
			return fmt.Sprintf("%s: %q", at, v)
		}
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			return fmt.Sprintf("%s: %v", at, v)
		}
	case []any:
		if len(v) < s.MinItems || s.MaxItems > 0 && len(v) > s.MaxItems {
			return fmt.Sprintf("%s: has %d items", at, len(v))
		}
		for i, item := range v {
			if bad := s.Items.wrong(root, fmt.Sprintf("%s[%d]", at, i), item); bad != "" {
				return bad
			}
			if s.UniqueItems && slices.Contains(v[:i], item) {
				return fmt.Sprintf("%s[%d]: twice", at, i)
			}
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, has := v[name]; !has {
				return at + ": has no " + name
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member := s.Properties[name]
			if others, ok := s.AdditionalProperties.(map[string]any); member == nil && ok {
				member = &schema{Ref: others["$ref"].(string)}
			}
			if member == nil {
				return at + ": no member is called " + name
			}
			if bad := member.wrong(root, at+"."+name, v[name]); bad != "" {
				return bad
			}
		}
	}
	return ""
}

func kindsOf(v any) []string {
	switch v := v.(type) {
	case nil:
		return []string{"null"}
	case bool:
		return []string{"boolean"}
	case string:
		return []string{"string"}
	case float64:
		if v == float64(int64(v)) {
			return []string{"number", "integer"}
		}
		return []string{"number"}
	case []any:
		return []string{"array"}
	}
	return []string{"object"}
}

func isAny(types any, kinds []string) bool {
	list, _ := types.([]any)
	return slices.ContainsFunc(list, func(t any) bool { return slices.Contains(kinds, fmt.Sprint(t)) })
}

func readSchema(t *testing.T) *schema {
	t.Helper()
	text, err := fs.ReadFile(suite, "schema.json")
	if err != nil {
		t.Fatal(err)
	}
	root := &schema{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(root); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestEveryFileFitsTheSchema(t *testing.T) {
	root := readSchema(t)
	err := fs.WalkDir(suite, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".json" || name == "schema.json" {
			return err
		}
		text, err := fs.ReadFile(suite, name)
		if err != nil {
			return err
		}
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if bad := root.wrong(root, "", v); bad != "" {
			t.Errorf("%s: %s", name, bad)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSchemaRefuses(t *testing.T) {
	root := readSchema(t)
	const good = `{"id":"a","title":"b","source":"c","robots":["d"],"questions":[{"url":"u","agent":"*",` +
		`"usage":"crawl","decision":"allowed","basis":"silence","decided_by":["R-DEC-12"]}]}`
	for _, test := range []struct{ name, old, new string }{
		{"as it is", "", ""},
		{"an unknown member", `"title"`, `"Title"`},
		{"a member missing", `"basis":"silence",`, ``},
		{"a rule that is none", `R-DEC-12`, `R-DEC-99`},
		{"a usage that is none", `"crawl"`, `"crawling"`},
		{"a document that is none", `["d"]`, `[1]`},
		{"a number for a text", `"b"`, `1`},
		{"an unknown member of a question", `"agent"`, `"agents"`},
		{"no one decides", `["R-DEC-12"]`, `[]`},
	} {
		var v any
		if err := json.Unmarshal([]byte(strings.Replace(good, test.old, test.new, 1)), &v); err != nil {
			t.Fatal(err)
		}
		if bad := root.wrong(root, "", v); (bad == "") != (test.old == "") {
			t.Errorf("%s: %q", test.name, bad)
		}
	}
}

// members lists what JSON calls the fields of a struct, those of embedded structs included.
func members(of reflect.Type) []string {
	var names []string
	for i := range of.NumField() {
		f := of.Field(i)
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case f.Anonymous:
			names = append(names, members(f.Type)...)
		case name != "-":
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestSchemaIsTheFormat(t *testing.T) {
	root := readSchema(t)
	for name, test := range map[string]struct {
		schema *schema
		of     reflect.Type
	}{
		"case":      {root, reflect.TypeFor[conformance.Case]()},
		"options":   {root.Properties["options"], reflect.TypeFor[conformance.Options]()},
		"question":  {root.Defs["question"], reflect.TypeFor[conformance.Question]()},
		"statement": {root.Defs["statement"], reflect.TypeFor[conformance.Statement]()},
		"capture":   {root.Defs["capture"], reflect.TypeFor[conformance.Capture]()},
		"qualifier": {root.Defs["qualifier"], reflect.TypeFor[conformance.Qualifier]()},
	} {
		if want, got := members(test.of), slices.Sorted(maps.Keys(test.schema.Properties)); !slices.Equal(want, got) {
			t.Errorf("%s: the schema has %q, the program reads %q", name, got, want)
		}
	}
	var rules []string
	for _, r := range policy.Rules() {
		rules = append(rules, r.String())
	}
	question, statement := root.Defs["question"].Properties, root.Defs["statement"].Properties
	undecided := slices.DeleteFunc(terms.Names[terms.Status](), func(name string) bool {
		return name == terms.StatusValid.String() // the default
	})
	for _, test := range []struct {
		name      string
		want, got []string
	}{
		{"rules", rules, root.Defs["rule"].Enum}, {"usages", terms.Names[terms.Usage](), root.Defs["usage"].Enum},
		{"bases", terms.Names[terms.Basis](), question["basis"].Enum},
		{"profiles", terms.Names[terms.Profile](), question["profile"].Enum},
		{"readings of other", terms.Names[terms.OtherReading](), question["other"].Enum},
		{"decisions", terms.Names[terms.Decision](), question["decision"].Enum},
		{"decisions if crawled", terms.Names[terms.Decision](), question["if_crawled"].Enum},
		{"decisions without elements", terms.Names[terms.Decision](), question["without_elements"].Enum},
		{"sources", terms.Names[terms.Source](), statement["source"].Enum},
		{"senses", terms.Names[terms.Sense](), statement["sense"].Enum},
		{"status", undecided, statement["status"].Enum},
	} {
		if !slices.Equal(test.want, test.got) {
			t.Errorf("%s: the schema has %q, the program knows %q", test.name, test.got, test.want)
		}
	}
}
