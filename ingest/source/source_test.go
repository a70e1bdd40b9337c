package source

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree makes files below a new folder, each holding its own name, and moves into the folder, so that the names of
// inputs are short. A name that ends with a slash is a folder; "a -> b" is a symbolic link.
func tree(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range names {
		name, target, isLink := strings.Cut(name, " -> ")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case isLink:
			err = os.Symlink(target, name)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(name, 0o755)
		default:
			err = os.WriteFile(name, []byte(name), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func names(inputs []Input) []string {
	var names []string
	for _, in := range inputs {
		names = append(names, in.Name)
	}
	return names
}

func TestExpand(t *testing.T) {
	tests := []struct {
		name string
		tree []string
		args []string
		want []string
	}{
		{
			name: "folder in sorted order at any depth",
			tree: []string{"d/z.warc", "d/b/y.warc.gz", "d/a.arc", "d/b/c/x.arc.gz"},
			args: []string{"d"},
			want: []string{"d/a.arc", "d/b/c/x.arc.gz", "d/b/y.warc.gz", "d/z.warc"},
		},
		{
			name: "only names of archives",
			tree: []string{"d/a.warc.gz", "d/a.cdx", "d/notes.txt", "d/x.warc.paths.gz", "d/b.warc.gz.open"},
			args: []string{"d"},
			want: []string{"d/a.warc.gz", "d/b.warc.gz.open"},
		},
		{
			name: "a file named directly whatever its name",
			tree: []string{"notes.txt", ".hidden"},
			args: []string{"notes.txt", ".hidden"},
			want: []string{"notes.txt", ".hidden"},
		},
		{
			name: "hidden files and folders left out",
			tree: []string{"d/.a.warc", "d/.git/b.warc", "d/c.warc"},
			args: []string{"d"},
			want: []string{"d/c.warc"},
		},
		{
			name: "order of the arguments",
			tree: []string{"a.warc", "b.warc"},
			args: []string{"b.warc", Stdin, "a.warc"},
			want: []string{"b.warc", Stdin, "a.warc"},
		},
		{
			name: "no input twice",
			tree: []string{"d/a.warc", "d/b.warc"},
			args: []string{"d/b.warc", Stdin, "d", "./d/../d/a.warc", Stdin},
			want: []string{"d/b.warc", Stdin, "d/a.warc"},
		},
		{
			name: "link to a file taken once",
			tree: []string{"d/a.warc", "d/b.warc -> a.warc"},
			args: []string{"d"},
			want: []string{"d/a.warc"},
		},
		{
			name: "link to a file elsewhere followed",
			tree: []string{"store/x", "d/a.warc -> ../store/x"},
			args: []string{"d"},
			want: []string{"d/a.warc"},
		},
		{
			name: "loop of links",
			tree: []string{"d/a.warc", "d/e/up -> ..", "d/e/self -> self", "d/e/b.warc"},
			args: []string{"d"},
			want: []string{"d/a.warc", "d/e/b.warc"},
		},
		{
			name: "two folders that link to each other",
			tree: []string{"p/a.warc", "q/b.warc", "p/q -> ../q", "q/p -> ../p"},
			args: []string{"p"},
			want: []string{"p/a.warc", "p/q/b.warc"},
		},
		{
			name: "broken link with the name of an archive",
			tree: []string{"d/a.warc", "d/x.warc -> nowhere", "d/y -> nowhere"},
			args: []string{"d"},
			want: []string{"d/a.warc", "d/x.warc"},
		},
		{
			name: "pattern that no shell expanded",
			tree: []string{"d/a.warc", "d/b.txt", "d/c.warc", "e/d.warc"},
			args: []string{"d/*.warc"},
			want: []string{"d/a.warc", "d/c.warc"},
		},
		{
			name: "pattern that fits files of any name, as arguments do",
			tree: []string{"d/a.warc", "d/b.txt", "d/.hidden"},
			args: []string{"d/*"},
			want: []string{"d/a.warc", "d/b.txt"},
		},
		{
			name: "pattern that fits folders",
			tree: []string{"2008-a/x/1.arc.gz", "2008-b/2.arc.gz", "2009-a/3.arc.gz", "2008-c"},
			args: []string{"2008-?"},
			want: []string{"2008-a/x/1.arc.gz", "2008-b/2.arc.gz", "2008-c"},
		},
		{
			name: "pattern in the middle, with a class",
			tree: []string{"segments/1/robotstxt/a.warc.gz", "segments/1/warc/b.warc.gz",
				"segments/2/robotstxt/c.warc.gz", "segments/x/robotstxt/d.warc.gz"},
			args: []string{"segments/[0-9]*/robotstxt/*.gz"},
			want: []string{"segments/1/robotstxt/a.warc.gz", "segments/2/robotstxt/c.warc.gz"},
		},
		{
			name: "pattern over any number of folders",
			tree: []string{"c/robotstxt/a.warc", "c/1/robotstxt/b.warc", "c/1/2/robotstxt/c.warc", "c/1/warc/d.warc",
				"c/.x/robotstxt/e.warc"},
			args: []string{"c/**/robotstxt/*.warc"},
			want: []string{"c/1/2/robotstxt/c.warc", "c/1/robotstxt/b.warc", "c/robotstxt/a.warc"},
		},
		{
			name: "pattern that ends with any number of folders",
			tree: []string{"c/a.warc", "c/1/2/b.warc", "c/1/notes.txt"},
			args: []string{"c/**"},
			want: []string{"c/1/2/b.warc", "c/a.warc"},
		},
		{
			name: "any number of folders does not run into a loop of links",
			tree: []string{"c/a.warc", "c/1/up -> ..", "c/1/b.warc"},
			args: []string{"c/**/*.warc", "**/**/a.warc"},
			want: []string{"c/1/b.warc", "c/a.warc"},
		},
		{
			name: "a file whose name could be a pattern",
			tree: []string{"a[1].warc", "a1.warc"},
			args: []string{"a[1].warc"},
			want: []string{"a[1].warc"},
		},
		{
			name: "a file that patterns and folders lead to is taken once",
			tree: []string{"d/a.warc", "d/b.warc"},
			args: []string{"d/b*", "d", "*/a.warc"},
			want: []string{"d/b.warc", "d/a.warc"},
		},
		{
			name: "files on other machines, each once",
			args: []string{"https://a.example/crawl-data/x.warc.gz", "s3://bucket/a b.warc.gz",
				"https://a.example/crawl-data/x.warc.gz", "HTTPS://A.example/y"},
			want: []string{"https://a.example/crawl-data/x.warc.gz", "s3://bucket/a b.warc.gz", "HTTPS://A.example/y"},
		},
		{
			name: "a file on another machine, once however it is written",
			args: []string{"https://a.example/x", "HTTPS://A.example:443/x", "https://a.example/X",
				"https://a.example:8443/x", "https://a.example/x?v=1",
				"S3://bucket/k", "s3://bucket/k", "s3://bucket/K", "https://a.example/%2Fx", "https://a.example//x"},
			want: []string{"https://a.example/x", "https://a.example/X", "https://a.example:8443/x",
				"https://a.example/x?v=1",
				"S3://bucket/k", "s3://bucket/K", "https://a.example/%2Fx", "https://a.example//x"},
		},
		{
			name: "folder with the name of an archive",
			tree: []string{"d/x.warc/a.warc"},
			args: []string{"d"},
			want: []string{"d/x.warc/a.warc"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree(t, tt.tree...)
			got, err := Expand(t.Context(), tt.args, strings.NewReader("in"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, names(got)); diff != "" {
				t.Errorf("inputs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExpandErrors(t *testing.T) {
	tree(t, "a.warc", "empty/", "notes.txt")
	tests := []struct {
		name string
		args []string
		want string // in the message
		is   error
	}{
		{"missing file", []string{"a.warc", "b.warc"}, `there is no file or folder "b.warc"`, fs.ErrNotExist},
		{"empty argument", []string{""}, `there is no file or folder ""`, fs.ErrNotExist},
		{"folder without archives", []string{"empty"}, "no archive was found", nil},
		{"no arguments", nil, "no archive was found", nil},
		{"pattern that fits nothing", []string{"*.arc"}, `no file or folder matches the pattern "*.arc"`,
			fs.ErrNotExist},
		{"pattern below what is no folder", []string{"a.warc/*"}, "matches the pattern", fs.ErrNotExist},
		{"pattern that is none", []string{"a["}, "malformed", nil},
		{"an address with a password", []string{"https://me:secret@a.example/x.warc"}, "password", nil},
		{"a bucket alone", []string{"s3://bucket"}, "names no object", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inputs, err := Expand(t.Context(), tt.args, nil)
			if err == nil {
				t.Fatalf("no error, and inputs %q", names(inputs))
			}
			if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want one line with %q", err, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v is not %v", err, tt.is)
			}
		})
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Expand(ctx, []string{"empty"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancelling", err)
	}
}

func TestIsArchiveName(t *testing.T) {
	tests := map[string]bool{
		"a.warc": true, "a.warc.gz": true, "a.arc": true, "a.arc.gz": true, "a.warc.zst": true,
		"a.warc.wat": true, "a.warc.wat.gz": true, "a.warc.wet": true, "a.warc.wet.gz": true,
		"a.warc.gz.open": true, "a.warc.gz.bad": true, "a.warc.open": true, "a.warc.bz2": true,
		"a.arc.bz2": true, "A.WARC.GZ": true,
		"a.gz": false, "a.warc.paths.gz": false, "a.warc.cdx": false, "a.warc.lz4": false,
		"a.wacz": false, "warc": false, ".warc": false, "arc.gz": false, "a.parc": false, "": false,
		"a.warc.gz.gz": false,
	}
	for name, want := range tests {
		if got := IsArchiveName(name); got != want {
			t.Errorf("IsArchiveName(%q) = %t", name, got)
		}
	}
}

func TestOpen(t *testing.T) {
	tree(t, "a.warc")
	inputs, err := Expand(t.Context(), []string{"a.warc", Stdin}, strings.NewReader("from stdin"))
	if err != nil {
		t.Fatal(err)
	}
	if inputs[0].Size != int64(len("a.warc")) || inputs[1].Size != -1 {
		t.Errorf("sizes %d and %d", inputs[0].Size, inputs[1].Size)
	}
	for i, want := range []string{"a.warc", "from stdin"} {
		r, err := inputs[i].Locate().Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != want {
			t.Errorf("%s: read %q, %v", inputs[i].Name, got, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}

	t.Run("a file can be opened again", func(t *testing.T) {
		r, err := inputs[0].Locate().Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
	})
	t.Run("a file has ranges", func(t *testing.T) {
		for at, want := range map[Range]string{{0, 6}: "a.warc", {2, 3}: "war", {2, 9}: "warc", {6, 1}: "",
			{100, 1}: ""} {
			r, err := inputs[0].Locate().OpenRange(t.Context(), at)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != want {
				t.Errorf("%+v: read %q, %v", at, got, err)
			}
			r.Close()
		}
		if r, err := inputs[0].Locate().OpenRange(t.Context(), Range{-1, 2}); err == nil {
			r.Close()
			t.Error("it was opened before its beginning")
		}
	})
	t.Run("standard input has none", func(t *testing.T) {
		if _, err := inputs[1].Locate().OpenRange(t.Context(), Range{1, 2}); err == nil {
			t.Error("it was opened at an offset")
		}
	})
	t.Run("standard input only once", func(t *testing.T) {
		if _, err := inputs[1].Locate().Open(t.Context()); err == nil {
			t.Error("it was opened twice")
		}
	})
	t.Run("file gone since", func(t *testing.T) {
		if err := os.Remove("a.warc"); err != nil {
			t.Fatal(err)
		}
		if _, err := inputs[0].Locate().Open(t.Context()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("zero input", func(t *testing.T) {
		if _, err := (Input{Name: "x"}).Locate().Open(t.Context()); err == nil {
			t.Error("it was opened")
		}
	})
}

func TestOpenEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, err := New("x", -1, &once{r: strings.NewReader("abc")}).Locate().Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancelling", err)
	}
}
