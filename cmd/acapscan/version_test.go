package main

import (
	"runtime/debug"
	"testing"
)

func TestCommitOf(t *testing.T) {
	revision := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123456789abcdef0123"}}
	for _, c := range []struct {
		name     string
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"go build in a clone", "v0.0.0-20261122000000-aaaaaaaaaaaa", revision, "0123456789ab"},
		{"go install of a commit", "v0.0.0-20261122000000-aaaaaaaaaaaa", nil, "aaaaaaaaaaaa"},
		{"go install of a commit after a release", "v0.1.1-0.20261122000000-bbbbbbbbbbbb", nil, "bbbbbbbbbbbb"},
		{"go install of a release", "v0.1.0", nil, "v0.1.0"},
		{"go install of a release candidate", "v1.0.0-rc-1", nil, "v1.0.0-rc-1"},
		{"go run", "(devel)", nil, "unknown"},
		{"a test", "", nil, "unknown"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := commitOf(info); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
