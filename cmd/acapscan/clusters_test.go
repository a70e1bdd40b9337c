package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/output/table"
)

// The files of docs/clusters, run as a scheduler would run them.

const clusterFiles = "../../docs/clusters"

// standIns are schedulers that run what they are given at once, and print the id of a job.
var standIns = map[string]string{
	"sbatch": `#!/usr/bin/env bash
set -euo pipefail
last=0
for arg; do
  case $arg in --array=0-*) last=${arg#--array=0-};; esac
done
for i in $(seq 0 "$last"); do SLURM_ARRAY_TASK_ID=$i bash "${@: -1}" >&2; done
echo 7
`,
	"aws": `#!/usr/bin/env bash
set -euo pipefail
size=1
while test $# -gt 0; do
  case $1 in
  --array-properties) size=${2#size=}; shift;;
  --container-overrides)
    while IFS= read -r pair; do
      name=${pair#name=}; export "${name%%,*}=${name#*,value=}"
    done < <(sed 's/^environment=\[{//; s/}\]$//; s/},{/\n/g' <<<"$2")
    shift;;
  esac
  shift
done
if test "$size" = 1; then sh -c "$COMMAND" >&2
else for i in $(seq 0 $((size - 1))); do AWS_BATCH_JOB_ARRAY_INDEX=$i sh -c "$COMMAND" >&2; done; fi
echo 7
`,
	// A cluster that has run every job by the second look at it; the job FAILS has failed then.
	"kubectl": `#!/usr/bin/env bash
set -euo pipefail
echo "$*" >>"$CALLS"
case $* in
"wait --for=condition=complete "*) grep -c "^$*$" "$CALLS" | grep -qx 1 && exit 1; [[ $* != *"$FAILS" ]];;
"wait --for=condition=failed "*) [[ $* == *"$FAILS" ]];;
esac
`,
}

func TestClusterFiles(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no bash")
	}
	bin := t.TempDir()
	for name, text := range standIns {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	archives := smallArchives(t, 4)
	// Kubernetes and AWS Batch have their run in S3, and read what a list names.
	b := newBucket(t, nil)
	paths := write(t, "paths", []byte(strings.Join(filesBelow(t, archives), "\n")+"\n"))
	s3 := func(run string) []string {
		return []string{"PATHS=" + paths, "BASE=" + archives + "/", "RUN=s3://run/" + run,
			"AWS_ENDPOINT_URL_S3=" + b.url, "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=s", "MIN_COMPLETE=0.75"}
	}
	attempt := func(t *testing.T, env []string, args ...string) (said string, err error) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Env = append(append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")), env...)
		var both bytes.Buffer
		cmd.Stdout, cmd.Stderr = &both, &both
		err = cmd.Run()
		return both.String(), err
	}
	execute := func(t *testing.T, env []string, args ...string) {
		t.Helper()
		if said, err := attempt(t, env, args...); err != nil {
			t.Fatalf("%s: %v; it says %q", strings.Join(args, " "), err, said)
		}
	}
	// A typing error in the name of the bucket of the archives fails the first step.
	fails := func(t *testing.T, run string, env []string, args ...string) {
		t.Helper()
		const want = "there is no bucket crwal"
		said, err := attempt(t, env, args...)
		if err == nil || !strings.Contains(said, want) {
			t.Errorf("%s: %v; it says %q, want %q", strings.Join(args, " "), err, said, want)
		}
		for name := range b.content(t, run) {
			if strings.HasPrefix(name, "tables/") || strings.HasPrefix(name, "answers/") {
				t.Errorf("a later step wrote %s", name)
			}
		}
	}
	rowsOfListed := rowsOf(t, scanOf(t, exitIncomplete, "--paths", paths, "--base-url", archives+"/"))
	same := func(t *testing.T, want map[table.Name][]string, tables string) {
		t.Helper()
		if diff := cmp.Diff(want, rowsOf(t, tables)); diff != "" {
			t.Errorf("rows (-scan +cluster):\n%.2000s", diff)
		}
	}
	t.Run("Slurm", func(t *testing.T) {
		run, submit := t.TempDir(), filepath.Join(clusterFiles, "slurm", "submit.sh")
		logs := "LOGS=" + filepath.Join(run, "logs")
		folder := []string{"ARCHIVES=" + archives, "RUN=" + run, "SHARDS=2", "BUCKETS=3", logs}
		said, err := attempt(t, folder, bash, submit)
		if want := "complete     75.00 % of the inputs, needed 99.00 %"; err == nil || !strings.Contains(said, want) {
			t.Errorf("%v; it says %q, want %q", err, said, want)
		}
		same(t, rowsOf(t, scanOf(t, exitIncomplete, archives)), filepath.Join(run, "tables"))
		execute(t, append(folder, "MIN_COMPLETE=0.75"), bash, submit)
		execute(t, append(s3("slurm"), "SHARDS=2", "BUCKETS=2", logs), bash, submit)
		same(t, rowsOfListed, b.inFolder(t, "slurm/tables"))
		fails(t, "typo", append(s3("typo"), "SHARDS=2", "BUCKETS=2", "BASE=s3://crwal/", logs), bash, submit)
		if _, err := attempt(t, []string{"RUN=" + run, logs}, bash, submit); err == nil {
			t.Error("it takes no archives")
		}
	})
	t.Run("AWS Batch", func(t *testing.T) {
		var definition struct {
			JobDefinitionName   string
			ContainerProperties struct{ Command []string }
		}
		readJSON(t, filepath.Join(clusterFiles, "aws-batch", "job-definition.json"), &definition)
		command := definition.ContainerProperties.Command
		if definition.JobDefinitionName != "acapscan" || len(command) != 3 || command[1] != "-c" {
			t.Fatalf("the definition is %+v", definition)
		}
		env := append(s3("batch"), "QUEUE=q", "SHARDS=2", "BUCKETS=1", "COMMAND="+command[2])
		execute(t, env, bash, filepath.Join(clusterFiles, "aws-batch", "submit.sh"))
		same(t, rowsOfListed, b.inFolder(t, "batch/tables"))
		fails(t, "wrong", append(env, "RUN=s3://run/wrong", "BASE=s3://crwal/"), bash,
			filepath.Join(clusterFiles, "aws-batch", "submit.sh"))
	})
	t.Run("Kubernetes", func(t *testing.T) {
		folder := filepath.Join(clusterFiles, "kubernetes")
		for failing, applied := range map[string]int{"none": 4, "acapscan-resolve": 2} {
			calls := filepath.Join(t.TempDir(), "calls")
			_, err := attempt(t, []string{"CALLS=" + calls, "FAILS=" + failing}, bash,
				filepath.Join(folder, "submit.sh"))
			text, _ := os.ReadFile(calls)
			if n := strings.Count(string(text), "apply"); n != applied || (err != nil) != (failing != "none") {
				t.Errorf("where %s fails: %v after %d steps:\n%s", failing, err, n, text)
			}
		}
		for _, step := range []string{"extract", "resolve", "analyze", "complete"} {
			runJob(t, filepath.Join(folder, step+".json"), s3("kubernetes"), execute)
		}
		same(t, rowsOfListed, b.inFolder(t, "kubernetes/tables"))
	})
}

// runJob runs the tasks of a Job of Kubernetes, two where there are more.
func runJob(t *testing.T, file string, env []string, execute func(t *testing.T, env []string, args ...string)) {
	t.Helper()
	var job struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             struct {
			CompletionMode string
			Completions    int
			Template       struct {
				Spec struct {
					Containers []struct {
						Command []string
						Env     []struct{ Name, Value string }
					}
				}
			}
		}
	}
	readJSON(t, file, &job)
	containers := job.Spec.Template.Spec.Containers
	if job.APIVersion != "batch/v1" || job.Kind != "Job" ||
		job.Metadata.Name != "acapscan-"+strings.TrimSuffix(filepath.Base(file), ".json") || len(containers) != 1 {
		t.Fatalf("%s is %+v", file, job)
	}
	tasks := 1
	for _, e := range containers[0].Env {
		if e.Name == "SHARDS" || e.Name == "BUCKETS" {
			if e.Value != strconv.Itoa(job.Spec.Completions) || job.Spec.CompletionMode != "Indexed" {
				t.Errorf("%s: %s is %s, and there are %d completions", file, e.Name, e.Value, job.Spec.Completions)
			}
			tasks = 2
			env = append(env, fmt.Sprintf("%s=%d", e.Name, tasks))
		}
	}
	for i := range tasks {
		execute(t, append(env, fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i)), containers[0].Command...)
	}
}

// readJSON reads a file into a struct that names some of its fields.
func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
