package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var someTime = time.Date(2026, 11, 22, 17, 0, 2, 0, time.UTC)

func TestArchivesAreTheSameEachTime(t *testing.T) {
	files := []file{{"acapscan", []byte("program"), 0o755}, {"LICENSE", []byte("text"), 0o644}, {"tmp/", nil, 0o1777}}
	for name, write := range map[string]func(io.Writer, []file, time.Time) error{
		"tar": writeTar, "tar.gz": writeTarGz, "zip": writeZip,
	} {
		var first, second bytes.Buffer
		if err := write(&first, files, someTime); err != nil {
			t.Fatal(err)
		}
		if err := write(&second, files, someTime.In(time.FixedZone("", 7200))); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: the zone of this machine changes the bytes", name)
		}
	}
}

func TestTarKeepsModes(t *testing.T) {
	var b bytes.Buffer
	files := []file{{"acapscan", []byte("program"), 0o755}, {"tmp/", nil, 0o1777}}
	if err := writeTar(&b, files, someTime); err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(&b)
	for _, want := range []struct {
		name string
		kind byte
		mode int64
	}{{"acapscan", tar.TypeReg, 0o755}, {"tmp/", tar.TypeDir, 0o1777}} {
		head, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if head.Name != want.name || head.Typeflag != want.kind || head.Mode != want.mode || head.Uid != 0 ||
			!head.ModTime.Equal(someTime) {
			t.Errorf("the header of %s is %+v", want.name, head)
		}
	}
}

func TestLabel(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		name    string
		tags    []string
		changed bool
		want    string // "": an error
	}{
		{"no tag", nil, false, "0.1.0.dev0+g0123456789ab"},
		{"tag", []string{"v0.1.0"}, false, "0.1.0"},
		{"one of two tags", []string{"v0", "v0.1.0"}, false, "0.1.0"},
		{"tag of another version", []string{"v0.2.0"}, false, ""},
		{"tag, but changed files", []string{"v0.1.0"}, true, "0.1.0.dev0+g0123456789ab.changed"},
	} {
		got, err := label("0.1.0", commit, c.tags, c.changed)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q and %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestChoosePlatforms(t *testing.T) {
	got, err := choose("linux/arm64,windows/amd64")
	if err != nil || fmt.Sprint(got[0], got[1]) != "linux/arm64 windows/amd64" {
		t.Errorf("%v and %v", got, err)
	}
	if _, err := choose("linux/amd64,plan9/386"); err == nil || !strings.Contains(err.Error(), `"plan9/386"`) {
		t.Errorf("a platform without releases gives %v", err)
	}
}

func TestIdentifyLicenses(t *testing.T) {
	const bsd = "Redistribution and use in source and\nbinary forms, with or without modification"
	for text, want := range map[string][]string{
		"Apache License\n   Version 2.0, January 2004":         {"Apache-2.0"},
		"Permission is hereby granted, free of charge, to any": {"MIT"},
		bsd: {"BSD-2-Clause"},
		bsd + " * Neither the name of\nGoogle Inc. nor": {"BSD-3-Clause"},
		"Apache License Version 2.0\n----\n" + bsd:      {"Apache-2.0", "BSD-2-Clause"},
		"GNU AFFERO GENERAL PUBLIC LICENSE":             nil,
	} {
		if got := identify(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

func TestLibraryWithoutALicense(t *testing.T) {
	l := library{path: "example.com/x", version: "v1.0.0"}
	err := l.readLicenses([]string{t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "example.com/x v1.0.0") {
		t.Errorf("it gives %v", err)
	}
}

func TestLicenseTextsNameTheirModules(t *testing.T) {
	got := string(licenseTexts([]library{
		{path: "a", version: "v1", texts: []string{"one licence"}},
		{path: "b", version: "v2", texts: []string{"another"}},
		{path: "c", version: "v3", texts: []string{"one licence", "a notice"}},
	}))
	if !strings.Contains(got, "\na v1\nc v3\n\none licence\n") || !strings.Contains(got, "\nc v3\n\na notice\n") ||
		strings.Count(got, "one licence") != 1 {
		t.Error(got)
	}
}

// TestWheel reads a wheel as an installer does.
func TestWheel(t *testing.T) {
	r := &release{version: "0.1.0", time: someTime, shared: []file{{"LICENSE", []byte("licence"), 0o644}}}
	if err := r.readModule("../../cmd/acapscan-python"); err != nil {
		t.Fatal(err)
	}
	built := &binary{content: []byte("program"), licenses: []byte("licences"), materials: []byte("{}")}
	for _, p := range platforms {
		outputs, err := r.wheel(p, built)
		if err != nil {
			t.Fatal(err)
		}
		wheel := outputs[0]
		if want := "acapscan-0.1.0-py3-none-" + strings.Join(p.wheelTags, ".") + ".whl"; wheel.name != want {
			t.Errorf("the wheel is %s, want %s", wheel.name, want)
		}
		z, err := zip.NewReader(bytes.NewReader(wheel.content), int64(len(wheel.content)))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		found := map[string]string{}
		for _, entry := range z.File {
			in, err := entry.Open()
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			found[entry.Name] = string(content)
			if strings.HasSuffix(entry.Name, "/RECORD") {
				lines = append(lines, entry.Name+",,")
				continue
			}
			sum := sha256.Sum256(content)
			digest := base64.RawURLEncoding.EncodeToString(sum[:])
			lines = append(lines, fmt.Sprintf("%s,sha256=%s,%d", entry.Name, digest, len(content)))
			program := strings.HasSuffix(entry.Name, "/scripts/acapscan"+p.exe())
			if program != (entry.Mode()&0o111 != 0) {
				t.Errorf("%s has mode %v", entry.Name, entry.Mode())
			}
		}
		const info = "acapscan-0.1.0.dist-info/"
		if got := strings.Split(strings.TrimSpace(found[info+"RECORD"]), "\n"); !slices.Equal(got, lines) {
			t.Errorf("RECORD is %q, want %q", got, lines)
		}
		if found["acapscan-0.1.0.data/scripts/acapscan"+p.exe()] != "program" || found["acapscan/__init__.py"] == "" {
			t.Errorf("the wheel of %s has %d files, and lacks the program or the module", p, len(found))
		}
		for _, tag := range p.wheelTags {
			if !strings.Contains(found[info+"WHEEL"], "\nTag: py3-none-"+tag+"\n") {
				t.Errorf("WHEEL lacks %s: %s", tag, found[info+"WHEEL"])
			}
		}
		head, description, _ := strings.Cut(found[info+"METADATA"], "\n\n")
		if !strings.HasPrefix(head, "Metadata-Version: ") || !strings.Contains(head, "\nVersion: 0.1.0") ||
			!strings.HasPrefix(description, "# acapscan\n") {
			t.Errorf("METADATA is %q …", head)
		}
	}
}

func TestRootCertificates(t *testing.T) {
	n := 0
	for rest := rootCertificates(); len(rest) > 0; n++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			t.Fatal("there is something else between the certificates")
		}
	}
	if n < 50 {
		t.Errorf("%d certificates are few", n)
	}
}
