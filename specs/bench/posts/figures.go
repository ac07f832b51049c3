package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"watchpost/actors/insight"
	"watchpost/persistence"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// figure is a question about many posts at once, as GET /api-leads and GET /api-trends ask
// it. Both engines answer with the same text.
type figure struct {
	name   string
	target time.Duration // of the median at targetSize
	// one says that a single watchlist is asked for.
	one  bool
	ours func(o *ours, view persistence.View, q asked) (string, error)
	peer func(ctx context.Context, p *postgres, q asked) (string, error)
}

// asked are the parameters of a figure.
type asked struct {
	watchlist int // -1: all
	from      time.Time
}

// figureDays is the number of days of a trend.
const figureDays = 30

var figures = []figure{
	{name: "leads", target: 20 * time.Millisecond, ours: oursLeads, peer: postgresLeads},
	{name: "leads of a watchlist", target: 20 * time.Millisecond, one: true, ours: oursLeads, peer: postgresLeads},
	{name: "trends of 30 days by day and watchlist", target: 10 * time.Millisecond, ours: oursTrend, peer: postgresTrend},
}

func (f *figure) pool(feed *feed, n int) []asked {
	r := rand.New(rand.NewPCG(feed.seed, uint64(len(f.name))))
	all := make([]asked, n)
	for i := range all {
		all[i] = asked{-1, epoch.AddDate(0, 0, r.IntN(690))}
		if f.one {
			all[i].watchlist = r.IntN(watchlists)
		}
	}
	return all
}

// figureRuns bounds the runs of a figure, which takes longer than a page of posts.
const figureRuns = 200

// measureFigure measures a figure with the engines alternating. A first pass warms the
// caches and compares the answers.
func (b *bench) measureFigure(ctx context.Context, f *figure) (*result, error) {
	res := b.newResult(row{name: f.name})
	o, p := b.engines[0].(*ours), b.engines[1].(*postgres)
	pool := f.pool(b.feed, min(b.pool, figureRuns))
	ask := []func(asked) (string, error){
		func(q asked) (string, error) {
			view, err := o.store.View(ctx)
			if err != nil {
				return "", err
			}
			defer view.Close()
			return f.ours(o, view, q)
		},
		func(q asked) (string, error) { return f.peer(ctx, p, q) },
	}
	for i := range len(pool) + min(b.runs, figureRuns) {
		q, answers := pool[i%len(pool)], [2]string{}
		for k := range ask {
			t := res.times[b.engines[k].name()]
			if k > 0 && t.spent > b.budget && len(t.took) >= b.least {
				continue
			}
			began := time.Now()
			answer, err := ask[k](q)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", b.engines[k].name(), f.name, err)
			}
			if answers[k] = answer; i >= len(pool) {
				t.add(time.Since(began))
			}
		}
		if answers[1] != "" && answers[0] != answers[1] {
			res.mismatches = append(res.mismatches, fmt.Sprintf("%s, %+v: %s, not %s", f.name, q, answers[1], answers[0]))
		}
	}
	res.sort()
	return res, nil
}

func (o *ours) postQuery(q asked) watchpost.PostQuery {
	posts := watchpost.PostQuery{Live: o.live, Tagging: &watchpost.Tagging{Live: o.live}, Page: 1, PageSize: watchpost.PageSize}
	if q.watchlist >= 0 {
		posts.Live = map[watchpost.WatchlistID]bool{watchlistID(q.watchlist): true}
	}
	return posts
}

func oursLeads(o *ours, view persistence.View, q asked) (string, error) {
	leads, count, err := o.index.Leads(view, o.team.space, &watchpost.LeadQuery{PostQuery: o.postQuery(q), By: watchpost.LeadsRecentFirst, MinPosts: 1})
	var b strings.Builder
	fmt.Fprintln(&b, count)
	for i := range leads {
		fmt.Fprintln(&b, leads[i].AuthorURL, leads[i].Posts, leads[i].FirstAt.UnixMilli(), leads[i].LastAt.UnixMilli(), leads[i].Interacted, len(leads[i].Watchlists))
	}
	return b.String(), err
}

// postgresLeads leaves out what the table has no columns for: relevance and sentiment.
func postgresLeads(ctx context.Context, p *postgres, q asked) (string, error) {
	where, arguments := p.conditions(&query{watchlists: slices.DeleteFunc([]int{q.watchlist}, func(w int) bool { return w < 0 }), author: -1})
	rows, err := p.pool.Query(ctx, `WITH leads AS (
		SELECT author, count(*) AS posts, min(posted) AS first, max(posted) AS last, bool_or(interacted) AS interacted, count(DISTINCT watchlist) AS watchlists
		FROM posts WHERE `+strings.Join(where, " AND ")+` GROUP BY author)
		SELECT author, posts, first, last, interacted, watchlists, count(*) OVER () FROM leads ORDER BY last DESC LIMIT `+fmt.Sprint(watchpost.PageSize), arguments...)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var author, posts, lists, count int
	var first, last time.Time
	var interacted bool
	_, err = pgx.ForEachRow(rows, []any{&author, &posts, &first, &last, &interacted, &lists, &count}, func() error {
		if b.Len() == 0 {
			fmt.Fprintln(&b, count)
		}
		fmt.Fprintln(&b, authorURL(author), posts, first.UnixMilli(), last.UnixMilli(), interacted, lists)
		return nil
	})
	return b.String(), err
}

func oursTrend(o *ours, view persistence.View, q asked) (string, error) {
	query := trend.Query{PostQuery: o.postQuery(q), Interval: trend.Day, By: trend.ByWatchlist}
	query.From, query.To = q.from, q.from.AddDate(0, 0, figureDays)
	if err := query.Span(query.To); err != nil {
		return "", err
	}
	made, err := insight.Trend(view, o.team.space, o.index, &query)
	var lines []string
	for _, g := range made.Groups {
		lines = append(lines, fmt.Sprintln(g.Name, g.Counts))
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), err
}

// postgresTrend counts no days before the first and looks for no spikes.
func postgresTrend(ctx context.Context, p *postgres, q asked) (string, error) {
	rows, err := p.pool.Query(ctx, `SELECT watchlist, extract(day FROM posted - $1)::int, count(*) FROM posts
		WHERE team = 1 AND posted >= $1 AND posted < $2 GROUP BY 1, 2`, q.from, q.from.AddDate(0, 0, figureDays))
	if err != nil {
		return "", err
	}
	counts := map[int][]int{}
	var watchlist, day, posts int
	_, err = pgx.ForEachRow(rows, []any{&watchlist, &day, &posts}, func() error {
		if counts[watchlist] == nil {
			counts[watchlist] = make([]int, figureDays)
		}
		counts[watchlist][day] = posts
		return nil
	})
	var lines []string
	for watchlist, of := range counts {
		lines = append(lines, fmt.Sprintln(watchlistID(watchlist), of))
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), err
}

// writeFigures writes the table of the figures.
func (t *table) writeFigures(b *strings.Builder) {
	fmt.Fprintf(b, "\n### Leads and trends\n\np50 / p99 in ms, alternating. PostgreSQL leaves out relevance, sentiment and spikes.\n\n| figure | %s | %s | target |\n|---|---|---|---|\n",
		t.bench.engines[0].name(), t.bench.engines[1].name())
	mismatches := 0
	for i, res := range t.figures {
		ours, peer := res.times[t.bench.engines[0].name()], res.times[t.bench.engines[1].name()]
		fmt.Fprintf(b, "| %s | %s / %s | %s / %s (×%.1f, n=%d) |", res.row.name, ms(ours.at(0.5)), ms(ours.at(0.99)), ms(peer.at(0.5)), ms(peer.at(0.99)), t.ratio(res, 1), len(peer.took))
		if t.bench.size == targetSize {
			fmt.Fprintf(b, " p50 ≤ %s ms: %s", ms(figures[i].target), verdict(float64(ours.at(0.5)), float64(figures[i].target)))
		}
		fmt.Fprintln(b, " |")
		mismatches += len(res.mismatches)
	}
	fmt.Fprintf(b, "\n- mismatches of answers: %d\n", mismatches)
}
