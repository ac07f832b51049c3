package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settings are the flags.
type settings struct {
	sizes   []int
	parts   []string // queries, ingest, teams
	seed    uint64
	plan    plan
	many    manyTeams
	results string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "posts:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string, out io.Writer) error {
	if described := os.Getenv(teamsVariable); described != "" {
		return answerTeams(ctx, described, out)
	}
	s, err := readSettings(arguments)
	if err != nil {
		return err
	}
	r := &report{began: time.Now(), progress: os.Stderr}
	// Results before an error are still printed.
	return errors.Join(s.measure(ctx, r), s.show(r, out))
}

// measure measures the parts one after the other.
func (s *settings) measure(ctx context.Context, r *report) error {
	if slices.Contains(s.parts, "queries") {
		for _, size := range s.sizes {
			if err := s.queries(ctx, size, r); err != nil {
				return err
			}
		}
	}
	if slices.Contains(s.parts, "ingest") {
		for _, teams := range []int{1, 4} {
			res, err := ingest{teams: teams, scans: 3, parts: 48 / teams, seed: s.seed}.measure(ctx)
			if err != nil {
				return err
			}
			r.ingests = append(r.ingests, res)
		}
	}
	if slices.Contains(s.parts, "teams") {
		res, err := s.many.measure(ctx)
		if err != nil {
			return err
		}
		r.teams = &res
	}
	return nil
}

// show prints the report and writes it to the requested file.
func (s *settings) show(r *report, out io.Writer) error {
	text := r.String()
	if _, err := io.WriteString(out, text); err != nil {
		return err
	}
	if s.results == "" {
		return nil
	}
	return os.WriteFile(s.results, []byte(text), 0o644)
}

func readSettings(arguments []string) (s settings, err error) {
	flags := flag.NewFlagSet("posts", flag.ContinueOnError)
	sizes := flags.String("sizes", "10000,100000,1000000", "numbers of posts, one table for each")
	parts := flags.String("parts", "queries,ingest,teams", "parts to measure")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of the posts and queries")
	flags.IntVar(&s.plan.runs, "runs", 1000, "runs of each query")
	flags.DurationVar(&s.plan.budget, "budget", 3*time.Second, "time for each query of a peer; then the peer is skipped")
	flags.IntVar(&s.plan.least, "least", 10, "minimum runs of a query on a peer, regardless of -budget")
	flags.IntVar(&s.plan.pool, "pool", 50, "different parameters for each query")
	flags.IntVar(&s.plan.rate, "rate", 500, "posts per second of the writer; 0: no tables with a writer")
	flags.IntVar(&s.many.teams, "teams", 2000, "teams of the part teams")
	flags.IntVar(&s.many.posts, "team-posts", 5000, "posts of each team of the part teams")
	flags.IntVar(&s.many.queries, "team-queries", 20_000, "queries of the part teams")
	flags.StringVar(&s.results, "results", "", "file for the tables (Markdown)")
	if err := flags.Parse(arguments); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	for text := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return s, fmt.Errorf("-sizes: %q is no number of posts", text)
		}
		s.sizes = append(s.sizes, n)
	}
	for part := range strings.SplitSeq(*parts, ",") {
		if !slices.Contains([]string{"queries", "ingest", "teams"}, part) {
			return s, fmt.Errorf("-parts: there is no %q", part)
		}
		s.parts = append(s.parts, part)
	}
	if s.plan.runs < 1 || s.plan.pool < 1 || s.plan.least < 1 {
		return s, errors.New("-runs, -pool and -least are at least 1")
	}
	s.many.seed, s.many.templates = s.seed, 16
	return s, nil
}

// queries measures all rows at one size, alone and with a writer.
func (s *settings) queries(ctx context.Context, size int, r *report) (err error) {
	engines, err := openEngines(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll(engines)) }()
	b := &bench{plan: s.plan, size: size, feed: &feed{seed: s.seed, size: size, words: newVocabulary(s.seed)}, engines: engines}
	if err := b.load(ctx, r.tell); err != nil {
		return err
	}
	t := table{bench: b}
	for _, row := range mix {
		res, err := b.alone(ctx, row)
		if err != nil {
			return fmt.Errorf("%s: %w", row.name, err)
		}
		t.alone = append(t.alone, res)
		r.tell("%s", t.line(res))
	}
	for i := range figures {
		res, err := b.measureFigure(ctx, &figures[i])
		if err != nil {
			return err
		}
		t.figures = append(t.figures, res)
		r.tell("%s: %s, %s", res.row.name, ms(res.times[engines[0].name()].at(0.5)), ms(res.times[engines[1].name()].at(0.5)))
	}
	if s.plan.rate > 0 {
		if err := s.withWriter(ctx, b, &t, r); err != nil {
			return err
		}
	}
	r.tables = append(r.tables, t)
	return nil
}

// withWriter measures all rows with a writer. Then it gives all engines the
// same posts and compares every answer again.
func (s *settings) withWriter(ctx context.Context, b *bench, t *table, r *report) error {
	for _, row := range mix {
		res, err := b.measureWithWriter(ctx, row)
		if err != nil {
			return fmt.Errorf("%s with a writer: %w", row.name, err)
		}
		t.withWriter = append(t.withWriter, res)
		r.tell("with a writer: %s", t.line(res))
	}
	if err := b.even(ctx); err != nil {
		return err
	}
	for i, row := range mix {
		if err := b.compare(ctx, t.withWriter[i], row.pool(b.feed, b.pool)); err != nil {
			return err
		}
	}
	return nil
}
