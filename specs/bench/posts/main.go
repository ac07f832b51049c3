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
	parts   []string // of: queries, crowd, intake
	seed    uint64
	plan    plan
	crowd   crowd
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
	if described := os.Getenv(crowdVariable); described != "" {
		return answerCrowd(ctx, described, out)
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
	if slices.Contains(s.parts, "intake") {
		for _, teams := range []int{1, 4} {
			res, err := intake{teams: teams, scans: 3, parts: 48 / teams, seed: s.seed}.measure(ctx)
			if err != nil {
				return err
			}
			r.intakes = append(r.intakes, res)
		}
	}
	if slices.Contains(s.parts, "crowd") {
		res, err := s.crowd.measure(ctx)
		if err != nil {
			return err
		}
		r.crowd = &res
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
	sizes := flags.String("sizes", "10000,100000,1000000", "posts of the team, one table for each size")
	parts := flags.String("parts", "queries,intake,crowd", "what is measured")
	flags.Uint64Var(&s.seed, "seed", 1, "of the posts and queries")
	flags.IntVar(&s.plan.runs, "runs", 1000, "runs of each query")
	flags.DurationVar(&s.plan.budget, "budget", 3*time.Second, "for each query of a peer, after which it is not asked again")
	flags.IntVar(&s.plan.least, "least", 10, "runs of a peer's query whatever it takes")
	flags.IntVar(&s.plan.pool, "pool", 50, "different parameters of each query")
	flags.IntVar(&s.plan.rate, "rate", 500, "posts a second of the writer; 0: no tables beside a writer")
	flags.IntVar(&s.crowd.teams, "teams", 2000, "teams of the crowd")
	flags.IntVar(&s.crowd.posts, "team-posts", 5000, "posts of each team of the crowd")
	flags.IntVar(&s.crowd.queries, "crowd-queries", 20_000, "queries of the crowd")
	flags.StringVar(&s.results, "results", "", "file for the tables")
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
		if !slices.Contains([]string{"queries", "intake", "crowd"}, part) {
			return s, fmt.Errorf("-parts: there is no %q", part)
		}
		s.parts = append(s.parts, part)
	}
	if s.plan.runs < 1 || s.plan.pool < 1 || s.plan.least < 1 {
		return s, errors.New("-runs, -pool and -least are at least 1")
	}
	s.crowd.seed, s.crowd.templates = s.seed, 16
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
	if s.plan.rate > 0 {
		if err := s.besides(ctx, b, &t, r); err != nil {
			return err
		}
	}
	r.tables = append(r.tables, t)
	return nil
}

// besides measures all rows with a writer, and compares every answer again
// when all engines have the same posts.
func (s *settings) besides(ctx context.Context, b *bench, t *table, r *report) error {
	for _, row := range mix {
		res, err := b.beside(ctx, row)
		if err != nil {
			return fmt.Errorf("%s beside a writer: %w", row.name, err)
		}
		t.beside = append(t.beside, res)
		r.tell("beside a writer: %s", t.line(res))
	}
	if err := b.even(ctx); err != nil {
		return err
	}
	for i, row := range mix {
		if err := b.compare(ctx, t.beside[i], row.pool(b.feed, b.pool)); err != nil {
			return err
		}
	}
	return nil
}
