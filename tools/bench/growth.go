//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
)

// growthRounds is how often each archive of the series is read; the median counts.
const growthRounds = 3

// growth measures the cost as one quantity grows, on the archives of `corpus -series`.
func (b *bench) growth(ctx context.Context, r *result) error {
	folders, err := filepath.Glob(filepath.Join(b.dir, "series", "*", "*"))
	if err != nil {
		return err
	}
	if len(folders) == 0 {
		return fmt.Errorf("there are no series; make corpus writes them")
	}
	sort.Strings(folders)
	points := make([]growthPoint, len(folders))
	var extract contender
	for _, c := range b.contenders() {
		if c.name == oneCore {
			extract = c
		}
	}
	for range growthRounds {
		for i, folder := range folders {
			p := &points[i]
			p.Series = filepath.Base(filepath.Dir(folder))
			if p.Value, err = strconv.Atoi(filepath.Base(folder)); err != nil {
				return err
			}
			m, _, err := b.process(ctx, extract, []string{folder}, nil)
			if err != nil {
				return err
			}
			p.Measures = append(p.Measures, m)
			if p.Records == 0 {
				found, err := b.countFacts(ctx)
				if err != nil {
					return err
				}
				p.Records = found["records"]
				if p.Bytes, err = folderBytes(folder); err != nil {
					return err
				}
			}
		}
	}
	r.Growth = points
	for _, p := range points {
		fmt.Fprintf(b.log, "growth  %-12s %8d  %8.3f s processor  %8.3f s wall\n", p.Series, p.Value,
			median(cpus(p.Measures)), median(walls(p.Measures)))
	}
	return nil
}

func folderBytes(folder string) (int64, error) {
	var n int64
	err := filepath.Walk(folder, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return err
	})
	return n, err
}

// memory measures the peak for one huge member, at a tenth of the size and in full, and for many files.
func (b *bench) memory(ctx context.Context, r *result) error {
	r.Memory = nil
	for _, shape := range []string{"record", "records"} {
		for _, size := range []int64{b.big / 10, b.big} {
			m, err := b.member(ctx, shape, size)
			if err != nil {
				return err
			}
			fmt.Fprintf(b.log, "memory  one member, %-8s %6d MB of content  %5d MB peak  %6.1f s wall\n", shape,
				size>>20, m.Peak>>20, m.Wall)
			r.Memory = append(r.Memory, memoryPoint{Name: "one member of one " +
				map[string]string{"record": "record", "records": "file's records"}[shape], Content: size, Measure: m})
		}
	}
	var two contender
	for _, c := range b.contenders() {
		if c.name == twoCores {
			two = c
		}
	}
	for _, files := range []string{"0000016", "0000256", "0004096"} {
		m, _, err := b.process(ctx, two, []string{filepath.Join(b.dir, "series", "files", files)}, nil)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(files)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.log, "memory  two workers, %4d files  %5d MB peak\n", n, m.Peak>>20)
		r.Memory = append(r.Memory, memoryPoint{Name: "two workers, the same pages in several files", Files: n,
			Measure: m})
	}
	return nil
}

// member runs extract on one member of that size from a pipe.
func (b *bench) member(ctx context.Context, shape string, size int64) (measure, error) {
	if err := os.RemoveAll(b.output()); err != nil {
		return measure{}, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return measure{}, err
	}
	writer := b.start(ctx, 2, b.corpus, "-member", shape, "-size", strconv.FormatInt(size, 10))
	writer.Stdout = write
	if err := writer.Start(); err != nil {
		return measure{}, err
	}
	write.Close()
	extract := b.start(ctx, 2, b.binary, "extract", "-", "-o", b.output(), "--overwrite", "--progress", "none",
		"--workers", "2")
	extract.Stdin = read
	m, err := timed(extract)
	read.Close()
	if wait := writer.Wait(); err == nil {
		err = wait
	}
	return m, err
}

// inside runs this program again, to measure something within a process.
func (b *bench) inside(ctx context.Context, what string, args ...string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := b.start(ctx, 1, append([]string{self, "-inside", what}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

// allocations counts the objects that stage 1 allocates for each record.
func (b *bench) allocations(ctx context.Context, r *result) error {
	r.Allocations = nil
	for _, corpus := range []string{"pages", "robotstxt"} {
		files, err := b.archives(corpus)
		if err != nil {
			return err
		}
		out, err := b.inside(ctx, "allocations", files...)
		if err != nil {
			return err
		}
		a := allocations{Corpus: corpus}
		if err := json.Unmarshal(out, &a); err != nil {
			return err
		}
		fmt.Fprintf(b.log, "allocations  %-10s %.2f a record\n", corpus, a.perRecord())
		r.Allocations = append(r.Allocations, a)
	}
	return nil
}
