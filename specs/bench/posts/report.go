package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// report holds the measurements as tables.
type report struct {
	began    time.Time
	progress io.Writer
	tables   []table
	ingests  []ingestResult
	teams    *teamsResult
}

// table has all rows at one number of posts.
type table struct {
	bench             *bench
	alone, withWriter []*result
	figures           []*result // in the order of figures
}

// The targets.
const (
	targetMean   = 20   // times faster than PostgreSQL, in the geometric mean
	targetGrowth = 3    // times slower at ten times the posts, at most
	targetRate   = 5000 // posts per second through the actors
	targetMemory = 700 << 20
	targetMedian = 1500 * time.Microsecond
	targetTail   = 10 * time.Millisecond
	targetPhrase = 20 * time.Millisecond
	targetTeams  = 25 * time.Millisecond
	targetSize   = 1_000_000 // posts at which the latency targets apply
)

func (r *report) tell(format string, arguments ...any) {
	fmt.Fprintf(r.progress, "%5.0fs  %s\n", time.Since(r.began).Seconds(), fmt.Sprintf(format, arguments...))
}

// String writes the report in Markdown.
func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Posts\n\n%s, on %s, %.0f GiB of memory. Load average at the end: %s.\n", r.began.UTC().Format("2006-01-02 15:04 UTC"), processor(), float64(memTotal())/(1<<30), loadAverage())
	for i := range r.tables {
		r.tables[i].write(&b)
	}
	if len(r.tables) > 0 {
		r.writeGrowth(&b)
	}
	if len(r.ingests) > 0 {
		b.WriteString("\n## Ingestion\n\nThrough the actors: matched, enriched, indexed, durable.\n\n| teams | posts | posts/s | target |\n|---|---|---|---|\n")
		for _, in := range r.ingests {
			fmt.Fprintf(&b, "| %d | %d | %.0f | ≥ %d: %s |\n", in.Teams, in.Posts, in.Rate, targetRate, verdict(targetRate, in.Rate))
		}
	}
	if c := r.teams; c != nil {
		fmt.Fprintf(&b, "\n## Many teams\n\n%d teams with %d posts each (%.1f GiB on the disk, filled in %.0f s), %d queries of the mix, each of a random team, by %d clients in a separate process.\n\n",
			c.Teams, c.Posts, float64(c.Disk)/(1<<30), c.Load.Seconds(), c.Queries, teamsClients)
		b.WriteString("| | measured | target |\n|---|---|---|\n")
		fmt.Fprintf(&b, "| anonymous memory | %.0f MiB | < %d MiB: %s |\n", float64(c.Anonymous)/(1<<20), targetMemory>>20, verdict(float64(c.Anonymous), targetMemory))
		fmt.Fprintf(&b, "| p50 | %s ms | |\n| p99 | %s ms | < %s ms: %s |\n| longest | %s ms | |\n", ms(c.P50), ms(c.P99), ms(targetTeams),
			verdict(float64(c.P99), float64(targetTeams)), ms(c.Max))
		fmt.Fprintf(&b, "| processor time of a query, collector included, mean | %s ms | |\n| cache | %d MiB | |\n", ms(c.Busy), c.Cached>>20)
	}
	fmt.Fprintf(&b, "\nMeasured in %.0f minutes.\n", math.Ceil(time.Since(r.began).Minutes()))
	return b.String()
}

// verdict returns "met" when small is at most large, otherwise the factor
// between them.
func verdict(small, large float64) string {
	if small <= large {
		return "met"
	}
	return fmt.Sprintf("missed, by %.2f times", small/large)
}

func (t *table) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %d posts\n\n", t.bench.size)
	b.WriteString("| | loaded in s | bytes a post on the disk |\n|---|---|---|\n")
	for _, e := range t.bench.engines {
		fmt.Fprintf(b, "| %s | %.0f | %d |\n", e.version(), t.bench.loads[e.name()].Seconds(), t.bench.sizes[e.name()]/int64(t.bench.size))
	}
	t.writeRows(b, "Alone, alternating", t.alone)
	t.writeFigures(b)
	if len(t.withWriter) > 0 {
		t.writeRows(b, fmt.Sprintf("With a writer of %d posts a second", t.bench.rate), t.withWriter)
	}
}

func (t *table) writeRows(b *strings.Builder, title string, rows []*result) {
	fmt.Fprintf(b, "\n### %s\n\np50 / p99 in ms; × is the peer's p50 as a multiple of ours; n is the number of queries to a peer.\n\n| query | posts found |", title)
	for _, e := range t.bench.engines {
		fmt.Fprintf(b, " %s |", e.name())
	}
	b.WriteString(" targets |\n|---|---|" + strings.Repeat("---|", len(t.bench.engines)+1) + "\n")
	mismatches, slower := 0, 0
	for _, res := range rows {
		fmt.Fprintln(b, t.line(res))
		mismatches += len(res.mismatches)
		if !res.row.phrase && t.ratio(res, 1) < 1 {
			slower++
		}
	}
	fmt.Fprintf(b, "\n- mismatches of counts and pages: %d\n", mismatches)
	for _, res := range rows {
		for _, m := range res.mismatches[:min(3, len(res.mismatches))] {
			fmt.Fprintf(b, "  - %s\n", m)
		}
	}
	for k, e := range t.bench.engines[1:] {
		fmt.Fprintf(b, "- geometric mean over all rows but phrases: %.1f × faster than %s", t.mean(rows, k+1), e.name())
		if k == 0 {
			fmt.Fprintf(b, "; rows slower than %s: %d", e.name(), slower)
		}
		if k == 0 && t.bench.size == targetSize {
			fmt.Fprintf(b, "; target ≥ %d: %s", targetMean, verdict(targetMean, t.mean(rows, 1)))
		}
		b.WriteString("\n")
	}
}

// line is a row of a table.
func (t *table) line(res *result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %d |", res.row.name, res.count)
	for k, e := range t.bench.engines {
		times := res.times[e.name()]
		fmt.Fprintf(&b, " %s / %s", ms(times.at(0.5)), ms(times.at(0.99)))
		if k > 0 {
			fmt.Fprintf(&b, " (×%.1f", t.ratio(res, k))
			if len(times.took) < t.bench.runs {
				fmt.Fprintf(&b, ", n=%d", len(times.took))
			}
			b.WriteString(")")
		}
		b.WriteString(" |")
	}
	return b.String() + " " + strings.Join(t.missed(res), "; ") + " |"
}

// missed returns the targets that a row misses; latency targets apply at
// targetSize.
func (t *table) missed(res *result) (missed []string) {
	ours := res.times[t.bench.engines[0].name()]
	miss := func(what string, got, target time.Duration) {
		if t.bench.size == targetSize && got > target {
			missed = append(missed, fmt.Sprintf("%s < %s ms: %s", what, ms(target), verdict(float64(got), float64(target))))
		}
	}
	if res.row.phrase {
		miss("p50", ours.at(0.5), targetPhrase)
		return missed
	}
	if r := t.ratio(res, 1); r < 1 {
		missed = append(missed, fmt.Sprintf("slower than %s, by %.2f times", t.bench.engines[1].name(), 1/r))
	}
	miss("p50", ours.at(0.5), targetMedian)
	miss("p99", ours.at(0.99), targetTail)
	return missed
}

// ratio is the median of the k-th engine as a multiple of ours.
func (t *table) ratio(res *result, k int) float64 {
	ours := res.times[t.bench.engines[0].name()].at(0.5)
	return float64(res.times[t.bench.engines[k].name()].at(0.5)) / float64(max(ours, 1))
}

// mean is the geometric mean of the ratios of all rows except phrases.
func (t *table) mean(rows []*result, k int) float64 {
	sum, n := 0.0, 0
	for _, res := range rows {
		if !res.row.phrase {
			sum += math.Log(t.ratio(res, k))
			n++
		}
	}
	return math.Exp(sum / float64(n))
}

// writeGrowth shows how our medians grow with the number of posts.
func (r *report) writeGrowth(b *strings.Builder) {
	if len(r.tables) < 2 {
		return
	}
	b.WriteString("\n## Growth\n\nOur p50 alone, in ms, and its factor since the previous size.\n\n| query |")
	for _, t := range r.tables {
		fmt.Fprintf(b, " %d |", t.bench.size)
	}
	fmt.Fprintf(b, " target |\n|---|%s---|\n", strings.Repeat("---|", len(r.tables)))
	for i, row := range mix {
		fmt.Fprintf(b, "| %s |", row.name)
		var before, most float64
		for _, t := range r.tables {
			at := float64(t.alone[i].times[t.bench.engines[0].name()].at(0.5))
			fmt.Fprintf(b, " %s", ms(time.Duration(at)))
			if before > 0 {
				fmt.Fprintf(b, " (×%.1f)", at/before)
				most = max(most, at/before)
			}
			b.WriteString(" |")
			before = at
		}
		fmt.Fprintf(b, " ≤ ×%d: %s |\n", targetGrowth, verdict(most, targetGrowth))
	}
}

// ms formats a time in milliseconds with its significant digits.
func ms(d time.Duration) string {
	v := float64(d.Microseconds()) / 1000
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
