package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"path"
	"strings"
	"unicode/utf8"
)

const (
	maxColumns = 120
	tabColumns = 4
)

// longLine returns why a source file has a line that is too long, or "". In Go, lines within a raw string are data and
// may have any length.
func longLine(name string, content []byte) string {
	ext := path.Ext(name)
	if ext != ".go" && ext != ".py" && ext != ".sh" && path.Base(name) != "Makefile" {
		return ""
	}
	var data map[int]bool
	number := 0
	for line := range bytes.Lines(content) {
		number++
		columns := utf8.RuneCount(bytes.TrimRight(line, "\r\n")) + (tabColumns-1)*bytes.Count(line, []byte("\t"))
		if columns <= maxColumns {
			continue
		}
		if ext == ".go" && data == nil {
			data = rawStrings(content)
		}
		if !data[number] {
			return fmt.Sprintf("line %d has %d columns; a line must not exceed %d", number, columns, maxColumns)
		}
	}
	return ""
}

// rawStrings returns the lines of a Go file that begin or end within a raw string.
func rawStrings(source []byte) map[int]bool {
	lines := map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if count := strings.Count(literal, "\n"); kind == token.STRING && literal[0] == '`' && count > 0 {
			first := file.Line(pos)
			for line := first; line <= first+count; line++ {
				lines[line] = true
			}
		}
	}
}
