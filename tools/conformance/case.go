// Package conformance runs the conformance suite (testdata/conformance): each case is a file with a robots.txt, a page
// or a crawl, questions, and the expected answers. It is for tests of this program and of others that implement
// docs/semantics.md. It only asks packages parse, decide and survey, and compares. It opens no files: the suite is an
// fs.FS, and the caller makes facts of pages and captures (see Runner).
package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/acapscan/acapscan/analyze/policy"
	"github.com/acapscan/acapscan/internal/terms"
)

// A Case is one file of the suite. testdata/conformance/README.md describes the format for people, schema.json for
// programs.
type Case struct {
	Path string `json:"-"` // within the suite

	ID     string   `json:"id"` // the file's name without .json
	Title  string   `json:"title"`
	Source string   `json:"source"`          // document and section, or rule ids
	Rules  []string `json:"rules,omitempty"` // it fails if any of them is left out
	Prose  string   `json:"prose,omitempty"` // what the document's text says other than its markup
	Note   string   `json:"note,omitempty"`

	Robots    Document            `json:"robots,omitempty"`
	Truncated bool                `json:"truncated,omitempty"` // the archive cut the robots.txt
	Answer    string              `json:"answer,omitempty"`    // answered, not-captured or unreachable
	Referred  map[string]Document `json:"referred,omitempty"`  // by locator as written
	Page      Document            `json:"page,omitempty"`
	MediaType *string             `json:"media_type,omitempty"` // of the page; nil: text/html; "": none
	Headers   []Header            `json:"headers,omitempty"`    // of the page
	Crawl     []Capture           `json:"crawl,omitempty"`      // in the place of all of these
	Options   Options             `json:"options,omitzero"`

	Questions  []Question  `json:"questions,omitempty"`
	Statements []Statement `json:"statements,omitempty"` // nil: not looked at
	// of the robots.txt as a whole or of its lines; nil: not looked at
	Defects            []string `json:"defects,omitempty"`
	Version            *string  `json:"version,omitempty"` // of the robots.txt
	IgnoreConventional *bool    `json:"ignore_conventional,omitempty"`
	ACAPText           *int     `json:"acap_text,omitempty"` // METAs of the page that are prose (R-META-1)
}

// A Document is bytes: a list of lines, each ended by LF, or a string, or {"base64": …}. nil is no document.
type Document []byte

// A Header is a field: its name and its value.
type Header [2]string

// A Capture is what an archive holds of one request.
type Capture struct {
	URL     string    `json:"url"`
	Time    time.Time `json:"time"`
	Status  int       `json:"status"`
	Headers []Header  `json:"headers,omitempty"`
	Body    Document  `json:"body,omitempty"`
	Revisit bool      `json:"revisit,omitempty"` // only the digest of the body is there
}

// Options are how the documents are read.
type Options struct {
	Strict bool `json:"strict,omitempty"` // R-LEX-6 refused
	Limit  int  `json:"limit,omitempty"`  // bytes of a robots.txt that are read; 0: 500 KiB

	BodyMETAs bool `json:"body_metas,omitempty"` // METAs of the body count (R-META-1)
}

// A Question is what is asked, and the Answer that is right.
type Question struct {
	URL     string     `json:"url"`
	Agent   string     `json:"agent"`
	Purpose *string    `json:"purpose,omitempty"`
	Usage   string     `json:"usage"`
	At      *time.Time `json:"at,omitempty"`
	Profile string     `json:"profile,omitempty"` // 1.1 if empty, or pilot
	Other   string     `json:"other,omitempty"`   // broad if empty, narrow or level
	Answer
}

// An Answer is a decision with what it rests on.
type Answer struct {
	Decision        string      `json:"decision"`
	Basis           string      `json:"basis"`
	DecidedBy       []string    `json:"decided_by"`                 // rules in order
	IfCrawled       string      `json:"if_crawled,omitempty"`       // the decision if empty
	WithoutElements string      `json:"without_elements,omitempty"` // the decision if empty
	Qualifiers      []Qualifier `json:"qualifiers,omitempty"`
	Deciding        []string    `json:"deciding,omitempty"` // places; not looked at if nil
	Lost            []string    `json:"lost,omitempty"`     // places and rules; not looked at if nil
	// places of the class tokens that touch the usage; not looked at if nil
	Elements []string `json:"elements,omitempty"`
}

// A Qualifier is a restriction.
type Qualifier struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Statement is what one written rule says of one usage. What is empty is left out, and what is usual: part 1, the
// agents ["*"], the status valid.
type Statement struct {
	Source     string      `json:"source"`
	Line       int         `json:"line"`           // from 1, in the document; of a header field its number
	Part       int         `json:"part,omitempty"` // from 1, among those that were written in one
	Field      string      `json:"field"`
	Sense      string      `json:"sense,omitempty"`
	Usage      string      `json:"usage,omitempty"`
	Resource   string      `json:"resource,omitempty"`
	Agents     []string    `json:"agents,omitzero"` // nil: ["*"]; empty: no one
	Purposes   []string    `json:"purposes,omitempty"`
	Qualifiers []Qualifier `json:"qualifiers,omitempty"`
	Element    string      `json:"element,omitempty"`    // of a class token: its name, and #id if it has one
	ManagedBy  string      `json:"managed_by,omitempty"` // of a robots.txt: the vendor that wrote the line
	Status     string      `json:"status,omitempty"`
	Defects    []string    `json:"defects,omitempty"`
}

// UnmarshalJSON reads the three ways to write a document.
func (d *Document) UnmarshalJSON(text []byte) error {
	var lines []string
	if json.Unmarshal(text, &lines) == nil {
		if lines == nil { // null
			return nil
		}
		*d = Document(strings.Join(append(lines, ""), "\n"))
		return nil
	}
	var exact string
	if json.Unmarshal(text, &exact) == nil {
		*d = Document(exact)
		return nil
	}
	var coded struct {
		Base64 string `json:"base64"`
	}
	if err := strictly(text, &coded); err != nil {
		return errors.New("a document is a list of lines, a string or {\"base64\": …}")
	}
	b, err := base64.StdEncoding.DecodeString(coded.Base64)
	*d = b
	return err
}

// strictly decodes JSON that has no unknown members and nothing behind it.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the end")
	}
	return nil
}

// Read reads a case and checks that it can be run. name is its path in the suite.
func Read(name string, text []byte) (*Case, error) {
	c := &Case{Path: name}
	if err := strictly(text, c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// ReadAll reads every case of a suite, in order of their paths: all files that end in .json but schema.json at the top.
// No two have one id.
func ReadAll(suite fs.FS) ([]*Case, error) {
	var cases []*Case
	known := map[string]string{}
	err := fs.WalkDir(suite, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".json" || name == "schema.json" {
			return err
		}
		text, err := fs.ReadFile(suite, name)
		if err != nil {
			return err
		}
		c, err := Read(name, text)
		if err != nil {
			return err
		}
		if other := known[c.ID]; other != "" {
			return fmt.Errorf("%s and %s have one id", other, name)
		}
		known[c.ID] = name
		cases = append(cases, c)
		return nil
	})
	return cases, err
}

// oneOf lists the values that a member may have.
func oneOf(member, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return fmt.Errorf("%s %q is none of %q", member, value, values)
}

// check tells why a case cannot be run, and brings what may be left out or written into one form.
func (c *Case) check() error {
	for _, must := range []struct {
		wrong bool
		what  string
	}{
		{c.ID != strings.TrimSuffix(path.Base(c.Path), ".json"), "the id is not the name of the file"},
		{c.Title == "" || c.Source == "", "it has no title or no source"},
		{c.Robots != nil && c.Answer != "" && c.Answer != "answered", "a robots.txt that is there was answered"},
		{c.Robots == nil && (c.Truncated || c.Referred != nil || c.Defects != nil || c.Version != nil ||
			c.IgnoreConventional != nil),
			"it says something of a robots.txt that is not there"},
		{c.Page == nil && c.Headers == nil && (c.MediaType != nil || c.ACAPText != nil),
			"it says something of a page that is not there"},
		{c.Crawl != nil && (c.Robots != nil || c.Answer != "" || c.Page != nil || c.Headers != nil ||
			c.Statements != nil), "a crawl has its robots.txt and pages within"},
		{len(c.Questions) == 0 && c.Statements == nil && c.Defects == nil && c.Version == nil &&
			c.IgnoreConventional == nil && c.ACAPText == nil,
			"it expects nothing"},
	} {
		if must.wrong {
			return errors.New(must.what)
		}
	}
	if err := oneOf("answer", c.Answer, "", "answered", "not-captured", "unreachable"); err != nil {
		return err
	}
	for i, id := range c.Rules {
		if _, ok := policy.ParseRule(id); !ok || slices.Contains(c.Rules[:i], id) {
			return fmt.Errorf("there is no rule %s, or twice", id)
		}
	}
	for i := range c.Statements {
		if c.Statements[i].Part == 1 {
			c.Statements[i].Part = 0 // as if it were left out
		}
	}
	for i := range c.Questions {
		if err := c.Questions[i].check(c.Crawl != nil); err != nil {
			return fmt.Errorf("question %d: %w", i+1, err)
		}
	}
	return nil
}

func (q *Question) check(crawl bool) error {
	if _, ok := terms.Parse[terms.Usage](q.Usage); !ok {
		return fmt.Errorf("there is no usage %q", q.Usage)
	}
	if q.URL == "" || q.Agent == "" || q.Decision == "" || q.Basis == "" || len(q.DecidedBy) == 0 {
		return errors.New("url, agent, decision, basis and decided_by belong to every question")
	}
	if crawl && (q.Deciding != nil || q.Lost != nil || q.Elements != nil) {
		return errors.New("places are of one document, and a crawl has several")
	}
	profile := oneOf("profile", q.Profile, "", "1.1", "pilot")
	return errors.Join(profile, oneOf("other", q.Other, "", "broad", "narrow", "level"))
}
