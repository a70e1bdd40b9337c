//go:build linux

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// The files of docs/clusters/slurm on a real Slurm, which make slurm installs and asks for with this variable.
const slurmVariable = "ACAPSCAN_SLURM"

// A slurm is a controller and two nodes on this machine, with a munge of their own. All end with the test.
type slurm struct {
	*testing.T
	whole  *testing.T // with which the cluster ends
	folder string
	nodes  map[string]*exec.Cmd
}

const slurmConf = `ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]s
AuthInfo=socket=%[2]s/munge
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/%%n
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/%%n.pid
SlurmctldLogFile=%[2]s/slurmctld.log
SlurmdLogFile=%[2]s/%%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
ReturnToService=2
KillWait=2
NodeName=n0 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[4]s CPUs=4 RealMemory=8192
NodeName=n1 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[5]s CPUs=4 RealMemory=8192
PartitionName=all Nodes=ALL Default=YES
`

// newSlurm starts a cluster, and waits until its nodes are idle.
func newSlurm(t *testing.T) *slurm {
	t.Helper()
	if os.Getenv(slurmVariable) == "" {
		t.Skip("make slurm runs this")
	}
	c := &slurm{T: t, whole: t, folder: t.TempDir(), nodes: map[string]*exec.Cmd{}}
	t.Cleanup(func() { c.kill(c.processes("SLURM_CONF=" + c.conf())) }) // what works on after a test that failed
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	conf := fmt.Sprintf(slurmConf, host, c.folder, freePort(t), freePort(t), freePort(t))
	for name, text := range map[string]string{"slurm.conf": conf, "key": strings.Repeat("only for this test ", 8)} {
		if err := os.WriteFile(filepath.Join(c.folder, name), []byte(text), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SLURM_CONF", c.conf())
	in := func(name string) string { return "=" + filepath.Join(c.folder, name) }
	c.daemon("munged", "--foreground", "--force", "--key-file"+in("key"), "--socket"+in("munge"),
		"--pid-file"+in("munged.pid"), "--seed-file"+in("seed"))
	c.until("munge answers", func() bool { return exists(filepath.Join(c.folder, "munge")) })
	c.daemon("slurmctld", "-D", "-c")
	for _, name := range []string{"n0", "n1"} {
		c.start(name)
	}
	c.idle()
	return c
}

// daemon starts a process that ends with the cluster.
func (c *slurm) daemon(name string, args ...string) *exec.Cmd {
	c.Helper()
	cmd := exec.Command(name, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.whole.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be gone
		_ = cmd.Wait()
		if c.whole.Failed() {
			c.whole.Logf("%s says:\n%s", name, said.String())
		}
	})
	return cmd
}

// start starts a node.
func (c *slurm) start(node string) {
	c.Helper()
	c.nodes[node] = c.daemon("slurmd", "-D", "-N", node)
}

// idle waits until both nodes can work.
func (c *slurm) idle() {
	c.Helper()
	c.until("both nodes are idle", func() bool { return c.ask("sinfo", "-h", "-t", "idle", "-o", "%D") == "2" })
}

// ask runs a command of Slurm, and returns what it says.
func (c *slurm) ask(args ...string) string {
	c.Helper()
	said, err := exec.CommandContext(c.Context(), args[0], args[1:]...).CombinedOutput()
	if err != nil {
		c.Logf("%s: %v; it says %q", strings.Join(args, " "), err, said)
	}
	return strings.TrimSpace(string(said))
}

// until waits for something that takes seconds.
func (c *slurm) until(what string, done func() bool) {
	c.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if done() {
			return
		}
	}
	c.Fatalf("it never comes that %s:\n%s\n%s", what, c.ask("squeue"), c.ask("sinfo"))
}

// submit runs submit.sh, and returns the ids of its jobs.
func (c *slurm) submit(env []string) []string {
	c.Helper()
	cmd := exec.CommandContext(c.Context(), "bash", filepath.Join(clusterFiles, "slurm", "submit.sh"))
	cmd.Env = append(append(os.Environ(), "LOGS="+c.logs()), env...)
	said, err := cmd.CombinedOutput()
	ids := strings.Fields(string(said))
	if err != nil || len(ids) < 5 || ids[0] != "submitted" {
		c.Fatalf("%v; it says %q", err, said)
	}
	return ids[1:5]
}

func (c *slurm) conf() string { return filepath.Join(c.folder, "slurm.conf") }

func (c *slurm) logs() string { return filepath.Join(c.folder, "logs") }

// hurry starts requeued jobs, which Slurm lets wait for two minutes, and returns the jobs that have not ended.
func (c *slurm) hurry() (left string) {
	c.Helper()
	left = c.ask("squeue", "-h", "-r", "-o", "%i %r")
	for line := range strings.Lines(left) {
		if id, why, _ := strings.Cut(strings.TrimSpace(line), " "); why == "BeginTime" {
			c.ask("scontrol", "update", "JobId="+id, "StartTime=now")
		}
	}
	return left
}

// wait waits until no job is left.
func (c *slurm) wait() {
	c.Helper()
	c.until("all jobs have ended", func() bool { return c.hurry() == "" })
}

// finished waits until no job is left, and returns the rows of what they made.
func (c *slurm) finished(tables func() string) map[table.Name][]string {
	c.Helper()
	c.wait()
	dir := tables()
	if exists(filepath.Join(dir, manifest.SuccessName)) {
		return rowsOf(c.T, dir)
	}
	logs, err := filepath.Glob(filepath.Join(c.logs(), "*"))
	if err != nil {
		c.Fatal(err)
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		c.Logf("%s: %.500s (%v)", filepath.Base(log), text, err)
	}
	c.Fatal("the jobs did not finish")
	return nil
}

// processes lists the running processes of this cluster with that variable in their environment.
func (c *slurm) processes(variable string) (ids []int) {
	c.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		c.Fatal(err)
	}
	for _, name := range all {
		text, _ := os.ReadFile(name) // it may have ended
		env := strings.Split(string(text), "\x00")
		if slices.Contains(env, variable) && slices.Contains(env, "SLURM_CONF="+c.conf()) {
			id, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if err != nil {
				c.Fatal(err)
			}
			ids = append(ids, id)
		}
	}
	return ids
}

func (c *slurm) kill(processes []int) {
	for _, id := range processes {
		_ = syscall.Kill(id, syscall.SIGKILL) // it may have ended
	}
}

// supervisors lists the processes of Slurm that started tasks.
func (c *slurm) supervisors(tasks []int) (ids []int) {
	for _, task := range tasks {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", task)) // it may have ended
		_, parent, _ := strings.Cut(string(status), "PPid:\t")
		parent, _, _ = strings.Cut(parent, "\n")
		name, _ := os.ReadFile(filepath.Join("/proc", parent, "comm"))
		if id, err := strconv.Atoi(parent); err == nil && string(name) == "slurmstepd\n" {
			ids = append(ids, id)
		}
	}
	return ids
}

// lose takes a node away from the cluster. If it is dead, its tasks are too, else it is only cut off.
func (c *slurm) lose(node string, dead bool) {
	c.Helper()
	_ = c.nodes[node].Process.Kill()
	_ = c.nodes[node].Wait()
	if dead {
		tasks := c.processes("SLURMD_NODENAME=" + node)
		if len(tasks) == 0 {
			c.Errorf("%s does nothing", node)
		}
		c.kill(c.supervisors(tasks)) // which would report their end
		c.kill(tasks)
	}
	c.ask("scontrol", "update", "NodeName="+node, "State=down", "Reason=lost")
}

// nodeOf returns the node that a task runs on.
func (c *slurm) nodeOf(task string) string {
	c.Helper()
	return c.ask("squeue", "-h", "-j", task, "-o", "%N")
}

// A gate holds what passes while it is closed, and counts it.
type gate struct {
	mu     sync.Mutex
	opened chan struct{} // nil: open
	passed map[string]int
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened, g.passed = make(chan struct{}), map[string]int{}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.opened)
	g.opened = nil
}

// pass waits until the gate is open, or the client has gone.
func (g *gate) pass(r *http.Request, name string) {
	g.mu.Lock()
	opened := g.opened
	if opened != nil {
		g.passed[name]++
	}
	g.mu.Unlock()
	if opened != nil {
		select {
		case <-opened:
		case <-r.Context().Done():
		}
	}
}

func (g *gate) came(name string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.passed[name]
}

// TestSlurm runs docs/clusters/slurm on a real Slurm, while tasks are killed, cancelled and requeued, and nodes are
// lost. The tables have the rows of a scan.
func TestSlurm(t *testing.T) {
	c := newSlurm(t)
	const shards = 3
	archives := smallArchives(t, 2*shards)
	var list []byte
	for i := range 2 * shards {
		list = fmt.Appendf(list, "%02d.warc.gz\n", i)
	}
	paths := write(t, "paths", list)
	var g gate
	files := http.FileServer(http.Dir(archives))
	base := "BASE=" + listen(t, func(w http.ResponseWriter, r *http.Request) {
		g.pass(r, r.URL.Path)
		files.ServeHTTP(w, r)
	}) + "/"
	want := rowsOf(t, scanOf(t, exitIncomplete, "--paths", paths, "--base-url", strings.TrimPrefix(base, "BASE="),
		"--rate", "1000"))
	into := func(run string) []string {
		return []string{"PATHS=" + paths, base, "RUN=" + run, fmt.Sprintf("SHARDS=%d", shards), "BUCKETS=2",
			"MIN_COMPLETE=0.8"}
	}
	same := func(c *slurm, tables func() string) {
		c.Helper()
		if diff := cmp.Diff(want, c.finished(tables)); diff != "" {
			c.Errorf("rows (-scan +Slurm):\n%.2000s", diff)
		}
	}
	// atWork submits a run, and waits until each of its shards has asked for its archive.
	atWork := func(c *slurm, env []string) (extract string) {
		c.Helper()
		g.close()
		extract = c.submit(env)[0]
		for i := range shards {
			name := fmt.Sprintf("/%02d.warc.gz", i)
			c.until("each shard works", func() bool { return g.came(name) > 0 })
		}
		return extract
	}
	again := func(c *slurm, shard int) {
		c.Helper()
		name := fmt.Sprintf("/%02d.warc.gz", shard)
		c.until(fmt.Sprintf("shard %d works again", shard), func() bool {
			c.hurry()
			return g.came(name) > 1
		})
	}

	t.Run("a task requeued and a node lost", func(t *testing.T) {
		c := c.in(t)
		run := t.TempDir()
		extract := atWork(c, into(run))
		c.ask("scontrol", "requeue", extract+"_0")
		again(c, 0)
		lost := c.nodeOf(extract + "_1")
		c.lose(lost, true)
		again(c, 1)
		g.open()
		same(c, func() string { return filepath.Join(run, "tables") })
		c.start(lost)
		c.idle()
	})

	t.Run("tasks killed and cancelled", func(t *testing.T) {
		c := c.in(t)
		run := t.TempDir()
		extract := atWork(c, into(run))
		killed := c.processes("SLURM_ARRAY_TASK_ID=1")
		c.kill(killed)
		c.ask("scancel", extract+"_2")
		g.open()
		c.wait() // also for the steps behind it, which are cancelled
		if len(killed) == 0 || exists(filepath.Join(run, "answers")) || exists(filepath.Join(run, "tables")) {
			t.Errorf("%d processes were killed, and the next step began", len(killed))
		}
		c.submit(into(run))
		same(c, func() string { return filepath.Join(run, "tables") })
	})

	t.Run("a node cut off that works on, to S3", func(t *testing.T) {
		c := c.in(t)
		var buckets gate
		b := newBucket(t, func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/tables/_work/") {
				buckets.pass(r, "analyze")
			}
			return false
		})
		for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": b.url, "AWS_ACCESS_KEY_ID": "key",
			"AWS_SECRET_ACCESS_KEY": "secret"} {
			t.Setenv(name, value)
		}
		buckets.close()
		analyze := c.submit(into("s3://run/cut"))[2]
		c.until("a bucket is written", func() bool { return buckets.came("analyze") > 0 })
		var lost string
		c.until("a task is at work", func() bool {
			lost = c.nodeOf(analyze + "_0")
			return lost != ""
		})
		c.lose(lost, false)
		before := buckets.came("analyze")
		c.until("the same bucket is written twice", func() bool {
			c.hurry()
			return buckets.came("analyze") > before
		})
		buckets.open()
		same(c, func() string { return b.inFolder(t, "cut/tables") })
	})
}

// in returns the cluster for a test within.
func (c *slurm) in(t *testing.T) *slurm {
	if c.whole.Failed() {
		t.Skip("jobs are left of a test that failed")
	}
	inner := *c
	inner.T = t
	return &inner
}
