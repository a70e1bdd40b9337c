package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acapscan/acapscan/analyze/analyzerun"
	"github.com/acapscan/acapscan/analyze/survey"
	"github.com/acapscan/acapscan/cmd/acapscan/progress"
	"github.com/acapscan/acapscan/ingest/extract"
	"github.com/acapscan/acapscan/ingest/extractrun"
	"github.com/acapscan/acapscan/ingest/facts"
	"github.com/acapscan/acapscan/ingest/source"
	"github.com/acapscan/acapscan/ingest/weburl"
	"github.com/acapscan/acapscan/internal/job"
	"github.com/acapscan/acapscan/internal/storage"
	"github.com/acapscan/acapscan/output/dataset"
	"github.com/acapscan/acapscan/output/manifest"
	"github.com/acapscan/acapscan/output/table"
)

// runFlags are common to the verbs that work through a corpus.
type runFlags struct {
	resourceFlags
	output    string
	overwrite bool
	progress  progress.Mode

	minComplete float64
}

func (f *runFlags) add(flags *pflag.FlagSet, output string) {
	flags.StringVarP(&f.output, "output", "o", "", output)
	f.resourceFlags.add(flags)
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace what another run left in the output folder")
	addMinComplete(flags, &f.minComplete)
	flags.StringVar((*string)(&f.progress), "progress", string(progress.Auto),
		"how the run is told on stderr: bar, plain (a line a minute), json or none; `auto` is a bar on a terminal, else plain")
}

func (f *runFlags) check() error {
	switch {
	case f.output == "":
		return usageError{errors.New("-o is missing")}
	case !f.progress.Known():
		return usageError{fmt.Errorf("--progress is auto, bar, plain, json or none, not %q", f.progress)}
	}
	if err := checkMinComplete(f.minComplete); err != nil {
		return err
	}
	return f.resourceFlags.check()
}

// reported runs a verb, within its memory, and reports progress.
func (f *runFlags) reported(cmd *cobra.Command, run func(*progress.Reporter) error) error {
	if err := f.check(); err != nil {
		return err
	}
	defer f.memory.enforce()()
	report := progress.New(cmd.Name(), f.progress, cmd.ErrOrStderr())
	stop := report.Start()
	err := run(report)
	stop()
	if status, sentence := ending(cmd.Context(), err); report.End(status, sentence) && status != exitDone {
		return saidError{status}
	}
	return err
}

// extractFlags change what the first stage keeps.
type extractFlags struct {
	pages         string
	crawl, subset string
}

func (f *extractFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.pages, "pages", "default", "pages that keep a row: acap (those with ACAP), `default` (also any restrictive directive) or all")
	flags.StringVar(&f.crawl, "crawl", "", "`NAME` of the crawl of all inputs; else what their paths tell, or their warcinfo")
	flags.StringVar(&f.subset, "subset", "", "`NAME` of the kind of archive file, such as robotstxt; else what the paths tell")
}

func (f *extractFlags) options() (extractrun.Options, error) {
	for flag, name := range map[string]string{"--crawl": f.crawl, "--subset": f.subset} {
		if err := checkPartition(flag, name); err != nil {
			return extractrun.Options{}, err
		}
	}
	sets := map[string]extract.PageSet{"acap": extract.PagesACAP, "default": extract.PagesDefault, "all": extract.PagesAll}
	if set, ok := sets[f.pages]; ok {
		return extractrun.Options{Extract: extract.Options{Pages: set}, Crawl: f.crawl, Subset: f.subset}, nil
	}
	return extractrun.Options{}, usageError{fmt.Errorf("--pages is acap, default or all, not %q", f.pages)}
}

// maxPartition bounds the name of a crawl or subset, in bytes: it is that of a folder.
const maxPartition = 100

// checkPartition tells why a name is none of a crawl or subset.
func checkPartition(flag, name string) error {
	if len(name) > maxPartition || !utf8.ValidString(name) || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) {
		return usageError{fmt.Errorf("%s %q is no name: at most %d bytes of text, with neither blanks around it nor control characters", flag, name, maxPartition)}
	}
	return nil
}

// settings lists the options of the first stage that change results, with a digest of the coordinates if there are any.
func (f *extractFlags) settings(inputs []source.Input) map[string]string {
	return map[string]string{
		"pages": f.pages, "crawl": f.crawl, "subset": f.subset, "records": digestCoordinates(inputs),
	}
}

// surveyFlags change what the second stage decides and writes.
type surveyFlags struct {
	readingFlags
	directives  string
	permissions string
	agents      []string
	noVerbatim  bool
}

func (f *surveyFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.directives, "directives", "default", "conventional rules in table directives: `default` (of sites with ACAP and kept pages) or all")
	flags.StringVar(&f.permissions, "permissions", "default",
		"rows in table permissions: `default` (sites and pages with ACAP), acap-sites, all-sites, or all (every site and kept page)")
	flags.StringSliceVar(&f.agents, "agents", nil,
		"crawlers to decide for besides those that a site names: `NAMES`, @FILE (one a line) or @common")
	flags.BoolVar(&f.noVerbatim, "no-verbatim", false, "leave out what sites wrote, word for word: it is third-party text")
	f.addReading(flags)
	f.addPages(flags)
	f.addDeciding(flags)
}

func (f *surveyFlags) options() (survey.Options, error) {
	opts := survey.Options{Reading: f.reading(), NoVerbatim: f.noVerbatim}
	var err error
	if opts.Decide, err = f.deciding(); err != nil {
		return opts, err
	}
	switch opts.Directives = survey.DirectivesChoice(f.directives); opts.Directives {
	case survey.DirectivesDefault, survey.DirectivesAll:
	default:
		return opts, usageError{fmt.Errorf("--directives is default or all, not %q", f.directives)}
	}
	switch opts.Permissions = survey.PermissionsChoice(f.permissions); opts.Permissions {
	case survey.PermissionsDefault, survey.PermissionsACAPSites, survey.PermissionsAllSites, survey.PermissionsAll:
	case "sites":
		return opts, usageError{errors.New("--permissions sites has a new name, acap-sites: it decides sites with ACAP; " +
			"all-sites decides every site")}
	default:
		return opts, usageError{fmt.Errorf("--permissions is default, acap-sites, all-sites or all, not %q", f.permissions)}
	}
	opts.Agents, err = readAgents(f.agents)
	return opts, err
}

// named lists the options that change results, for the manifest.
func (f *surveyFlags) named(opts survey.Options) map[string]string {
	names := make([]string, len(opts.Agents))
	for i, a := range opts.Agents {
		names[i] = string(a)
	}
	slices.Sort(names)
	return map[string]string{
		"directives": f.directives, "permissions": f.permissions, "agents": strings.Join(names, ","),
		"no-verbatim": strconv.FormatBool(f.noVerbatim), "strict": strconv.FormatBool(f.strict),
		"body-metas": strconv.FormatBool(f.bodyMETAs),
		"refuse":     f.refuse.String(), "without": f.without.String(), "profile": f.profile, "other": f.other,
	}
}

type scanFlags struct {
	runFlags
	inputFlags
	extractFlags
	remoteFlags
	surveyFlags
	formatFlag
}

func newScan() *cobra.Command {
	var f scanFlags
	cmd := &cobra.Command{
		Use:   "scan [INPUT…] -o DIR",
		Short: "Read archives and write the seven tables",
		Long: `Read archives and write the seven tables: extract and analyze in one. An input is a WARC or ARC file, compressed or not,
a folder of them, a pattern such as 'crawl/**/*.warc.gz', a URL (https:// or s3://), or - for standard input. --paths and
--records list others. The folder DIR, of this machine or of S3 (s3://BUCKET/KEY),
gets a folder a table, and a manifest; _SUCCESS comes last.

The same command on a finished folder has nothing to do, and goes on with what is missing where a run was interrupted; another
command needs --overwrite.
` + exitStatusArchives,
		Example: "  acapscan scan crawl-data/ -o out\n  acapscan scan --agents @common --pages acap a.warc.gz b.arc.gz -o out",
		Args:    f.given,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.dry {
				return f.dryRun(cmd, args)
			}
			return f.reported(cmd, func(r *progress.Reporter) error { return f.run(cmd.Context(), args, cmd.InOrStdin(), r) })
		},
	}
	f.runFlags.add(cmd.Flags(), "output folder `DIR`, s3:// too; needed")
	f.inputFlags.add(cmd.Flags())
	f.extractFlags.add(cmd.Flags())
	f.remoteFlags.add(cmd.Flags())
	f.surveyFlags.add(cmd.Flags())
	f.formatFlag.add(cmd.Flags())
	return cmd
}

func (f *scanFlags) dryRun(cmd *cobra.Command, args []string) error {
	opts, err := f.extractFlags.options()
	if err != nil {
		return err
	}
	inputs, err := f.list(cmd.Context(), args, cmd.InOrStdin(), &f.remoteFlags)
	if err != nil {
		return err
	}
	return f.inputFlags.dryRun(cmd.Context(), inputs, opts, f.minComplete, cmd.OutOrStdout(), cmd.ErrOrStderr())
}

func (f *scanFlags) run(ctx context.Context, args []string, stdin io.Reader, tell *progress.Reporter) error {
	if f.output == source.Stdin {
		return usageError{errors.New("scan writes a folder; 'acapscan extract INPUT -o - | acapscan analyze - -o -' writes to standard output")}
	}
	extracting, err := f.extractFlags.options()
	if err != nil {
		return err
	}
	surveying, err := f.surveyFlags.options()
	if err != nil {
		return err
	}
	format, err := f.formatFlag.chosen()
	if err != nil {
		return err
	}
	inputs, err := f.list(ctx, args, stdin, &f.remoteFlags)
	if err != nil {
		return err
	}
	unnamed := newUnnamedCrawls(args, &f.inputFlags)
	extracting.OnUnnamed = unnamed.add
	defer unnamed.warn(tell)
	m := newManifest(f.named(surveying))
	maps.Copy(m.Options, f.settings(inputs))
	m.Options["format"] = string(format)
	m.Inputs = []manifest.Input{} // those of this command, although there may be none
	for _, in := range inputs {
		planned := manifest.Input{Name: extractrun.Filename(in.Name)}
		if in.Size >= 0 && in.Records == nil {
			planned.Bytes = &in.Size
		}
		m.Inputs = append(m.Inputs, planned)
	}
	to, err := f.open(ctx, f.output)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := checkTables(to, f.overwrite); err != nil {
		return err
	}
	if done, err := finished(to, m, unrepeatable(inputs), &f.runFlags, tell); done || err != nil {
		return err
	}
	release, err := hold(to, storage.Alone, tell.Note)
	if err != nil {
		return err
	}
	defer release()
	err = f.scan(ctx, to, inputs, m, extracting, surveying, format, tell)
	if finishedElsewhere(to, err) {
		tell.Note("%s was finished by another process just now", to)
		return nil
	}
	return explainOutput(to, err)
}

// scan does what is missing in the output folder.
func (f *scanFlags) scan(ctx context.Context, to storage.Store, inputs []source.Input, m *manifest.Manifest, extracting extractrun.Options, surveying survey.Options, format table.Format, tell *progress.Reporter) error {
	at := scanFacts(to)
	if planned, err := storage.Exists(at, job.PlanFile); err != nil {
		return err
	} else if !planned {
		if err := storage.RemoveAll(at, ""); err != nil { // the folder is ours, and nobody knows what these facts are of
			return err
		}
	}
	sink, err := facts.OpenSink(at, planOf(inputs, m.Options), job.Options{Overwrite: f.overwrite, Continues: true, Name: to.String(), OrElse: orOverwrite(to)})
	if err != nil {
		return err
	}
	defer func() { // there is nothing to go on with where no input was finished
		if begun, err := sink.Begun(); err == nil && !begun {
			_ = storage.RemoveAll(at, "") // else the next run does it
		}
	}()
	read, err := readInputs(ctx, inputs, sink, &f.runFlags, extracting, tell)
	if err != nil {
		return err
	}
	set, err := facts.OpenFolder(at, true)
	if err != nil {
		return err
	}
	plan := planOfTables(m, set)
	plan.Options["facts"] = set.KnownDigest()
	out, err := dataset.Resume(to, plan, datasetOptions(format))
	if err != nil {
		return err
	}
	defer out.Abort()
	sorted, err := sortedFolder(to)
	if err != nil {
		return err
	}
	found, err := judgeFacts(ctx, set, sorted, out, &f.runFlags, surveying, tell)
	if err != nil {
		return err
	}
	if err := commitRun(out, m, found); err != nil {
		return err
	}
	// Only now nobody needs the facts any more. Killed before they are gone, the same command removes them.
	if err := storage.RemoveAll(at, ""); err != nil {
		return err
	}
	return summarize(tell, m, found, read.Bytes-read.KeptBytes, f.minComplete)
}

// newManifest begins the manifest of a run.
func newManifest(options map[string]string) *manifest.Manifest {
	host, _ := os.Hostname()
	return &manifest.Manifest{
		Program: manifest.Program{Name: "acapscan", Version: programVersion, Commit: commit}, Options: options,
		RulesVersion: strconv.Itoa(survey.RulesVersion), PublicSuffixVersion: weburl.PublicSuffixVersion(), Started: time.Now(), Host: host,
	}
}

// programOfTables is what tells one build from another, whose tables may differ.
func programOfTables() string { return fmt.Sprintf("%s (%s)", createdBy, commit) }

// planOfTables is what the tables of a run are made of.
func planOfTables(m *manifest.Manifest, set *facts.Set) job.Plan {
	return job.Plan{Program: programOfTables(), Options: maps.Clone(m.Options), Count: analyzerun.CountBuckets(set.Rows())}
}

func datasetOptions(format table.Format) dataset.Options {
	return dataset.Options{Format: format, CreatedBy: createdBy, Metadata: map[string]string{
		"acapscan.schema": strconv.Itoa(table.SchemaVersion), "acapscan.rules": strconv.Itoa(survey.RulesVersion),
		"acapscan.version": programVersion,
	}}
}

// unrepeatable returns the name of an input that may hold something else each time, such as standard input; "" if there
// is none.
func unrepeatable(inputs []source.Input) string {
	for _, in := range inputs {
		if in.IsStream() {
			return in.Name
		}
	}
	return ""
}

// errUnrepeatable tells that a finished folder may or may not be what a run would make.
func errUnrepeatable(store storage.Store, input string) error {
	return fmt.Errorf("%s is finished, and whether from the same content as %s has now cannot be told before reading it; "+
		"choose another folder%s", store, input, orOverwrite(store))
}

// finished tells whether the output folder already holds just what the run would make. A folder that another run made
// is an error, unless it may be overwritten; so is one made of an input that cannot be compared, if one is named.
func finished(to storage.Store, next *manifest.Manifest, incomparable string, f *runFlags, tell *progress.Reporter) (bool, error) {
	if f.overwrite {
		return false, nil
	}
	have, err := tablesBefore(to, next, "choose another folder"+orOverwrite(to))
	if have == nil || err != nil {
		return false, err
	}
	if incomparable != "" {
		return false, errUnrepeatable(to, incomparable)
	}
	dropWork(to)
	tell.Note("%s is finished already, nothing to do", to)
	tell.Done(progress.Outcome{Before: true, Counts: have.Counts}, "")
	return true, completeness{have.Counts["inputs"], have.Counts["input_errors"], f.minComplete}.status()
}

// tablesBefore returns what the finished tables in a folder say of themselves, nil where there are none. Those that
// another command made are an error, which says what to do. Where next lists no inputs they are not compared: facts are
// known by their digest.
func tablesBefore(to storage.Store, next *manifest.Manifest, advice string) (*manifest.Manifest, error) {
	have, err := manifest.Read(to)
	if errors.Is(err, manifest.ErrNotComplete) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	planned := *next
	if planned.Inputs == nil {
		planned.Inputs = have.Inputs
	}
	if why := have.Difference(&planned); why != "" {
		return nil, fmt.Errorf("%s holds the tables of another run; %s (%s)", to, advice, strings.TrimSuffix(why, "."))
	}
	return have, nil
}

// readInputs runs the first stage.
func readInputs(ctx context.Context, inputs []source.Input, to *facts.Sink, run *runFlags, opts extractrun.Options, tell *progress.Reporter) (extractrun.Summary, error) {
	counts := tell.Extract(inputs)
	defer tell.Leave()
	opts.Workers, opts.Progress, opts.OnFailure = run.memory.workers(run.workers, memoryOfReader), counts, tell.InputFailed
	defer collect(smallPercent)()
	return extractrun.RunTo(ctx, inputs, to, opts)
}

// judgeFacts runs the second stage.
func judgeFacts(ctx context.Context, set *facts.Set, work string, out *dataset.Writer, run *runFlags, opts survey.Options, tell *progress.Reporter) (*analyzerun.Summary, error) {
	return judge(run, opts, tell, func(opts analyzerun.Options) (*analyzerun.Summary, error) {
		return analyzerun.Run(ctx, set, work, out, opts)
	})
}

// judge calls do, which surveys all buckets or one, with what a verb knows of the machine.
func judge(run *runFlags, opts survey.Options, tell *progress.Reporter, do func(analyzerun.Options) (*analyzerun.Summary, error)) (*analyzerun.Summary, error) {
	counts := tell.Analyze()
	defer tell.Leave()
	return do(analyzerun.Options{
		Workers: run.memory.workers(run.workers, memoryOfJudge), Memory: run.memory.sorting(), Survey: opts, Progress: counts,
	})
}

// commitRun gives the tables their names and writes the manifest.
func commitRun(out *dataset.Writer, m *manifest.Manifest, found *analyzerun.Summary) error {
	fillManifest(m, found)
	return out.Commit(m)
}

// fillManifest ends the manifest of a run with what the run found.
func fillManifest(m *manifest.Manifest, found *analyzerun.Summary) {
	m.Inputs = found.InputList
	for i := range m.Inputs {
		if m.Inputs[i].SHA256 == nil {
			m.Inputs[i].Bytes = nil // what was read is not what the input holds
		}
	}
	m.Counts = counts(found)
	m.Ended = time.Now()
}

func counts(s *analyzerun.Summary) map[string]int64 {
	counts := map[string]int64{
		"inputs": s.Inputs, "input_errors": s.InputErrors, "records": s.Records, "sites": s.Sites, "robots_captures": s.RobotsCaptures,
		"pages": s.Pages, "statements": s.Statements, "acap_statements": s.ACAPStatements, "permissions": s.Permissions, "conflicts": s.ConflictRows,
		"sites_class_inexact": s.Beyond.Classes, "sites_conflicts_incomplete": s.Beyond.Incomplete,
		"sites_permissions_incomplete": s.Beyond.Permissions,
		"conflicts_approximate":        s.Beyond.Approximate, "permissions_extent_unknown": s.Beyond.Extents,
	}
	for class, n := range s.Adoption {
		counts["adoption:"+string(class)] = n
	}
	for kind, n := range s.Conflicts {
		counts["conflict:"+string(kind)] = n
	}
	return counts
}
