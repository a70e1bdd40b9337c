package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A library is a Go module in the binary, or the standard library.
type library struct {
	path, version string
	licenses      []string // identifiers of SPDX
	texts         []string // licences and notices of the packages in the binary, in order
}

// findLibraries lists the modules in a binary, in order, with the licences of those of their packages that are in it. A
// module without a known licence is an error: a release must state it.
func findLibraries(ctx context.Context, p platform, info *debug.BuildInfo) ([]library, error) {
	listed, err := command(ctx, p.environment(), "go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/acapscan")
	if err != nil {
		return nil, err
	}
	folders := map[string][]string{} // of a module: those with licences
	for line := range strings.Lines(string(listed)) {
		path, rest, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		root, folder, _ := strings.Cut(rest, "\t")
		for ; len(folder) > len(root); folder = filepath.Dir(folder) {
			folders[path] = append(folders[path], folder)
		}
		folders[path] = append(folders[path], root)
	}
	goroot, err := command(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders["std"] = []string{strings.TrimSpace(string(goroot))}

	libraries := []library{{path: "std", version: info.GoVersion}}
	for _, module := range info.Deps {
		if module.Replace != nil {
			return nil, fmt.Errorf("%s is replaced, so the binary is not what go.mod says", module.Path)
		}
		libraries = append(libraries, library{path: module.Path, version: module.Version})
	}
	for i := range libraries {
		if err := libraries[i].readLicenses(folders[libraries[i].path]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(libraries, func(a, b library) int { return cmp.Compare(a.path, b.path) })
	return libraries, nil
}

// A legal file is a licence, or a notice that must go with it.
var legalFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([.-].*)?$`)

func (l *library) readLicenses(folders []string) error {
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, entry := range entries {
			if entry.IsDir() || !legalFile.MatchString(entry.Name()) || strings.HasSuffix(entry.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				return err
			}
			l.texts = append(l.texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
			l.licenses = append(l.licenses, identify(string(text))...)
		}
	}
	slices.Sort(l.licenses)
	l.licenses = slices.Compact(l.licenses)
	if len(l.licenses) == 0 {
		return fmt.Errorf("no known licence of %s %s was found", l.path, l.version)
	}
	return nil
}

// Licences with the third clause of BSD forbid this.
var noEndorsement = regexp.MustCompile(`(?i)neither the names? of|the names? of .* may not be used to endorse`)

// identify returns the SPDX identifiers of the licences in a text. It knows those of the libraries in use.
func identify(text string) (ids []string) {
	words := strings.Join(strings.Fields(text), " ")
	if strings.Contains(words, "Apache License Version 2.0") {
		ids = append(ids, "Apache-2.0")
	}
	if strings.Contains(words, "Permission is hereby granted, free of charge") {
		ids = append(ids, "MIT")
	}
	if strings.Contains(words, "Permission to use, copy, modify, and distribute this software for any purpose") {
		ids = append(ids, "ISC")
	}
	if strings.Contains(words, "Redistribution and use in source and binary forms") {
		id := "BSD-2-Clause"
		if noEndorsement.MatchString(words) {
			id = "BSD-3-Clause"
		}
		ids = append(ids, id)
	}
	return ids
}

// licenseTexts is the file THIRD-PARTY.txt: each text once, under the modules that have it.
func licenseTexts(libraries []library) []byte {
	var order []string
	owners := map[string][]string{}
	for _, l := range libraries {
		for _, text := range l.texts {
			if owners[text] == nil {
				order = append(order, text)
			}
			owners[text] = append(owners[text], l.path+" "+l.version)
		}
	}
	var b bytes.Buffer
	b.WriteString("Licences of the libraries in the program acapscan. Its own licence is in the file LICENSE.\n")
	for _, text := range order {
		modules := strings.Join(slices.Compact(owners[text]), "\n")
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("-", 80), modules, text)
	}
	return b.Bytes()
}

// The parts of a bill of materials in CycloneDX 1.6 that this program writes.
type (
	cdxDocument struct {
		Format       string          `json:"bomFormat"`
		SpecVersion  string          `json:"specVersion"`
		Version      int             `json:"version"`
		Metadata     cdxMetadata     `json:"metadata"`
		Components   []cdxComponent  `json:"components"`
		Dependencies []cdxDependency `json:"dependencies"`
	}
	cdxMetadata struct {
		Timestamp  string        `json:"timestamp"`
		Component  cdxComponent  `json:"component"`
		Properties []cdxProperty `json:"properties"`
	}
	cdxComponent struct {
		Type     string       `json:"type"`
		Ref      string       `json:"bom-ref"`
		Name     string       `json:"name"`
		Version  string       `json:"version"`
		Hashes   []cdxHash    `json:"hashes,omitempty"`
		Licenses []cdxLicense `json:"licenses"`
		PURL     string       `json:"purl"`
	}
	cdxHash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	cdxLicense struct {
		License struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	cdxProperty struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	cdxDependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// materials lists the libraries in a binary, as CycloneDX in JSON.
func (r *release) materials(p platform, content []byte, libraries []library) ([]byte, error) {
	const module = "github.com/acapscan/acapscan"
	program := component("application", module, "v"+r.version, []string{"Apache-2.0"})
	program.Hashes = []cdxHash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(content))}}
	document := cdxDocument{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: cdxMetadata{r.time.Format(time.RFC3339), program, []cdxProperty{
			{"acapscan:commit", r.commit}, {"acapscan:goos", p.os}, {"acapscan:goarch", p.arch},
		}},
	}
	uses := cdxDependency{Ref: program.Ref}
	for _, l := range libraries {
		c := component("library", l.path, l.version, l.licenses)
		document.Components = append(document.Components, c)
		uses.DependsOn = append(uses.DependsOn, c.Ref)
	}
	document.Dependencies = []cdxDependency{uses}
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	err := out.Encode(document)
	return b.Bytes(), err
}

func component(kind, path, version string, licenses []string) cdxComponent {
	if path == "std" {
		version = "v" + strings.TrimPrefix(version, "go") // as vulnerability databases name it
	}
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := cdxComponent{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
	for _, id := range licenses {
		var license cdxLicense
		license.License.ID = id
		c.Licenses = append(c.Licenses, license)
	}
	return c
}
