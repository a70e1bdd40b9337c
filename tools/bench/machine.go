//go:build unix

package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// machine describes the machine of the benchmark.
func machine() map[string]string {
	m := map[string]string{"cores": strconv.Itoa(runtime.NumCPU()), "system": runtime.GOOS + "/" + runtime.GOARCH}
	for key, from := range map[string][2]string{"processor": {"/proc/cpuinfo", "model name"},
		"memory": {"/proc/meminfo", "MemTotal"}} {
		if value := field(from[0], from[1]); value != "" {
			m[key] = value
		}
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m["kernel"] = strings.TrimSpace(string(release))
	}
	return m
}

// field returns the value in the first line "NAME : VALUE" of a file.
func field(path, name string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// load returns the load average of the last minute, which shows other work.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	return strings.Fields(string(text) + " ?")[0]
}

// versions returns the versions of all contenders, and of the packages in the corpus.
func (b *bench) versions(ctx context.Context) map[string]string {
	v := map[string]string{"go": runtime.Version()}
	if out, err := exec.CommandContext(ctx, b.binary, "version").Output(); err == nil {
		v["acapscan"] = strings.Join(strings.Fields(strings.ReplaceAll(string(out), "\n", "; ")), " ")
	}
	if out, err := exec.CommandContext(ctx, b.python, "--version").Output(); err == nil {
		v["python"] = strings.TrimSpace(strings.TrimPrefix(string(out), "Python"))
	}
	if out, err := exec.CommandContext(ctx, b.python, "-m", "pip", "freeze",
		"--disable-pip-version-check").Output(); err == nil {
		for _, line := range strings.Fields(string(out)) {
			if name, version, ok := strings.Cut(line, "=="); ok {
				v[strings.ToLower(name)] = version
			}
		}
	}
	if lock, err := os.ReadFile(filepath.Join(b.dir, "packages.lock")); err == nil {
		var packages []string
		for _, line := range strings.Fields(string(lock)) {
			name, rest, _ := strings.Cut(strings.ReplaceAll(line, "%3a", ":"), "_")
			version, _, _ := strings.Cut(rest, "_")
			packages = append(packages, name+" "+version)
		}
		v["debian packages"] = strings.Join(packages, ", ")
	}
	return v
}
