//go:build unix

// Command scale measures stage 2 on generated facts (tools/sites) of growing size with limited memory. It writes the
// result to docs/benchmarks as JSON, and to the section of docs/scale.md between two marks. It runs the finished
// program.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(log.Ltime)
	var b bench
	flag.StringVar(&b.Dir, "dir", "", "folder for facts and tables; a third of a gigabyte for a million pages")
	flag.StringVar(&b.Program, "program", "", "acapscan")
	flag.StringVar(&b.Generator, "generator", "", "tools/sites")
	flag.StringVar(&b.archive, "archive", "docs/benchmarks", "folder for results")
	flag.StringVar(&b.document, "document", "docs/scale.md", "document with the section; empty: none")
	flag.StringVar(&b.result.Limit, "memory", "1GB", "limit of memory")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr,
			"usage: scale -dir DIR -program FILE -generator FILE PAGES[:SITES]…   (SITES: a twentieth of PAGES; 1: "+
				"all pages are of one site)")
		flag.PrintDefaults()
	}
	flag.Parse()
	sizes, err := parseSizes(flag.Args())
	if err != nil || b.Dir == "" || b.Program == "" || b.Generator == "" {
		log.Println(err)
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.run(ctx, sizes); err != nil {
		log.Fatal("scale: ", err)
	}
}

// A size is the size of a corpus.
type size struct {
	Pages int `json:"pages"`
	Sites int `json:"sites"`
}

func parseSizes(args []string) ([]size, error) {
	var list []size
	for _, arg := range args {
		pages, sites, given := strings.Cut(arg, ":")
		n, err := strconv.Atoi(pages)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of pages", arg)
		}
		s := size{n, max(n/20, 1)}
		if given {
			if s.Sites, err = strconv.Atoi(sites); err != nil || s.Sites < 1 {
				return nil, fmt.Errorf("%q is not a number of sites", arg)
			}
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, errors.New("no sizes given")
	}
	return list, nil
}

type bench struct {
	Dir, Program, Generator string
	archive, document       string
	result                  result
}

// A result is the archived result.
type result struct {
	Date    string        `json:"date"`
	System  string        `json:"system"`
	Cores   int           `json:"cores"`
	Version string        `json:"version"`
	Limit   string        `json:"memory_limit"`
	Load    string        `json:"load_before"` // of the last minute, which shows other work
	Runs    []measurement `json:"runs"`
}

// A measurement is one run of stage 2.
type measurement struct {
	size
	Workers   int     `json:"workers"`
	Generated float64 `json:"generating_s"`
	Facts     int64   `json:"facts_bytes"`
	Work      int64   `json:"work_bytes"` // peak of the work folder, measured each second
	Tables    int64   `json:"tables_bytes"`
	Wall      float64 `json:"wall_s"`
	CPU       float64 `json:"processor_s"`
	Peak      int64   `json:"peak_bytes"`            // the largest resident set, VmHWM
	Same      *bool   `json:"same_tables,omitempty"` // two workers make the same tables
	tables    string
}

func (b *bench) run(ctx context.Context, sizes []size) error {
	version, err := exec.CommandContext(ctx, b.Program, "version").Output()
	if err != nil {
		return err
	}
	b.result.Date, b.result.System, b.result.Cores = time.Now().UTC().Format(time.DateOnly),
		runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU()
	b.result.Version, _, _ = strings.Cut(string(version), "\n")
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		b.result.Load = strings.Fields(string(text))[0]
	}
	for i, s := range sizes {
		facts := filepath.Join(b.Dir, "facts")
		if err := os.RemoveAll(facts); err != nil {
			return err
		}
		log.Printf("%d of %d: facts of %d pages of %d sites", i+1, len(sizes), s.Pages, s.Sites)
		args := []string{"-pages", strconv.Itoa(s.Pages), "-sites", strconv.Itoa(s.Sites), "-o", facts}
		if s.Sites == 1 {
			args = append(args, "-one-site")
		}
		began := time.Now()
		if err := command(ctx, b.Generator, args...).Run(); err != nil {
			return err
		}
		generated := time.Since(began).Seconds()
		both, err := b.measure(ctx, s, facts, 2)
		if err != nil {
			return err
		}
		both.Generated = generated
		b.result.Runs = append(b.result.Runs, *both)
		if i == 0 { // compare with one worker
			one, err := b.measure(ctx, s, facts, 1)
			if err != nil {
				return err
			}
			same := one.tables == both.tables
			one.Generated, one.Same = generated, &same
			b.result.Runs = append(b.result.Runs, *one)
			if !same {
				return errors.New("one worker and two make different tables")
			}
		}
		if err := b.write(); err != nil { // now, because the next run may take hours
			return err
		}
	}
	return errors.Join(os.RemoveAll(filepath.Join(b.Dir, "facts")), os.RemoveAll(filepath.Join(b.Dir, "out")))
}

// command passes the program's standard error on, for its progress.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Stderr = os.Stderr
	return c
}

func (b *bench) measure(ctx context.Context, s size, facts string, workers int) (*measurement, error) {
	out := filepath.Join(b.Dir, "out")
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	log.Printf("analyze --workers %d --memory %s", workers, b.result.Limit)
	m := &measurement{size: s, Workers: workers}
	c := command(ctx, b.Program, "analyze", facts, "-o", out, "--progress", "plain", "--workers", strconv.Itoa(workers),
		"--memory", b.result.Limit)
	began := time.Now()
	if err := c.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	watched := make(chan int64)
	go func() {
		var most int64
		for {
			select {
			case <-ended:
				watched <- most
				return
			case <-time.After(time.Second):
				n, _ := bytesIn(filepath.Join(out, "_work", "sorted")) // files may disappear meanwhile
				most = max(most, n)
			}
		}
	}()
	err := c.Wait()
	m.Wall = time.Since(began).Seconds()
	close(ended)
	m.Work = <-watched
	if err != nil {
		return nil, err
	}
	m.CPU = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.Peak = usage.Maxrss * 1024
	}
	if m.Facts, err = bytesIn(facts); err != nil {
		return nil, err
	}
	if m.Tables, err = bytesIn(out); err != nil {
		return nil, err
	}
	m.tables, err = tablesOf(out)
	log.Printf("%.0f s, %.0f s of processor, %.0f µs a page, peak %d MB", m.Wall, m.CPU, m.perPage(), m.Peak/1e6)
	return m, err
}

func (m *measurement) perPage() float64 { return m.CPU / float64(m.Pages) * 1e6 }

func bytesIn(folder string) (int64, error) {
	var n int64
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}

// tablesOf returns the names and digests in the manifest, to compare tables.
func tablesOf(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "_manifest.json"))
	if err != nil {
		return "", err
	}
	var manifest struct {
		Outputs []struct{ Path, SHA256 string }
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return "", err
	}
	var all strings.Builder
	for _, o := range manifest.Outputs {
		fmt.Fprintln(&all, o.Path, o.SHA256)
	}
	return all.String(), nil
}

// The generated section of the document is between these lines.
const (
	beginMark = "<!-- made by make scale -->"
	endMark   = "<!-- end of what make scale makes -->"
)

func (b *bench) write() error {
	text, err := json.MarshalIndent(b.result, "", " ")
	if err != nil {
		return err
	}
	section := b.result.markdown()
	if err := errors.Join(
		os.MkdirAll(b.archive, 0o755),
		os.WriteFile(filepath.Join(b.archive, "scale-"+b.result.Date+".json"), append(text, '\n'), 0o644),
	); err != nil || b.document == "" {
		return err
	}
	document, err := os.ReadFile(b.document)
	if err != nil {
		return err
	}
	replaced, err := replaceSection(string(document), section)
	if err != nil {
		return fmt.Errorf("%s: %w", b.document, err)
	}
	return os.WriteFile(b.document, []byte(replaced), 0o644)
}

func replaceSection(document, section string) (string, error) {
	before, rest, ok := strings.Cut(document, beginMark+"\n")
	_, after, end := strings.Cut(rest, endMark)
	if !ok || !end {
		return "", errors.New("the marks of the section are missing")
	}
	return before + beginMark + "\n" + section + endMark + after, nil
}

func (r *result) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s, %d cores,\nload of the machine before: %s. `--memory %s`.\n\n", r.Date, r.Version,
		r.System, r.Cores, cmp.Or(r.Load, "not known"), r.Limit)
	b.WriteString("| page captures | sites | workers | facts, MB | sorted, MB | tables, MB | time, s | processor, s " +
		"| µs a page | peak, MB |\n")
	b.WriteString("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for i := range r.Runs {
		m := &r.Runs[i]
		fmt.Fprintf(&b, "| %d | %d | %d | %d | %d | %d | %.0f | %.0f | %.0f | %d |\n", m.Pages, m.Sites, m.Workers,
			m.Facts/1e6, m.Work/1e6, m.Tables/1e6,
			m.Wall, m.CPU, m.perPage(), m.Peak/1e6)
	}
	b.WriteByte('\n')
	for i := range r.Runs {
		if one := &r.Runs[i]; one.Workers == 1 && i > 0 && one.Same != nil {
			fmt.Fprintf(&b, "Two workers take %.2f times less time than one, and make the same tables.\n",
				one.Wall/r.Runs[i-1].Wall)
		}
	}
	var least, most *measurement
	for i := range r.Runs {
		if m := &r.Runs[i]; m.Sites > 1 && m.Workers == 2 {
			if least == nil || m.Pages < least.Pages {
				least = m
			}
			if most == nil || m.Pages > most.Pages {
				most = m
			}
		}
	}
	if least != nil && most.Pages > least.Pages {
		fmt.Fprintf(&b, "From %d to %d pages, %.1f times as many, time grows %.1f times,\n"+
			"processor time %.1f times, the peak of memory %.2f times.\n",
			least.Pages, most.Pages, float64(most.Pages)/float64(least.Pages), most.Wall/least.Wall, most.CPU/least.CPU,
			float64(most.Peak)/float64(least.Peak))
	}
	return b.String()
}
