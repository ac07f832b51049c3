package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// plan is the amount of measurement.
type plan struct {
	runs   int           // of each query on our engine
	budget time.Duration // per query of a peer; then the peer is skipped
	least  int           // minimum runs of a peer, regardless of the budget
	pool   int           // different parameters of each row
	rate   int           // posts per second of the writer
}

// bench compares the engines at one number of posts.
type bench struct {
	plan
	size    int
	feed    *feed
	engines []engine // ours is the first
	loads   map[string]time.Duration
	sizes   map[string]int64
	written map[string]int // number of posts in each
}

// openEngines opens all engines; without PostgreSQL it fails with
// postgrestest.ErrNotInstalled.
func openEngines(ctx context.Context) (engines []engine, err error) {
	for _, open := range []func() (engine, error){
		func() (engine, error) { return openOurs(ctx) },
		func() (engine, error) { return openPostgres(ctx) },
		func() (engine, error) { return openSQLite(ctx) },
	} {
		e, err := open()
		if err != nil {
			return nil, errors.Join(err, closeAll(engines))
		}
		engines = append(engines, e)
	}
	return engines, nil
}

func closeAll(engines []engine) error {
	var all []error
	for _, e := range engines {
		all = append(all, e.close())
	}
	return errors.Join(all...)
}

// chunk is the number of posts that are generated and loaded at once.
const chunk = 5000

// load writes the same posts to every engine, in turn, and reports progress.
func (b *bench) load(ctx context.Context, tell func(format string, arguments ...any)) error {
	b.loads, b.sizes, b.written = map[string]time.Duration{}, map[string]int64{}, map[string]int{}
	timed := func(e engine, f func() error) error {
		began := time.Now()
		err := f()
		b.loads[e.name()] += time.Since(began)
		if err != nil {
			return fmt.Errorf("%s: load: %w", e.name(), err)
		}
		return nil
	}
	for from := 0; from < b.size; from += chunk {
		entries := b.feed.entries(from, min(from+chunk, b.size))
		for _, e := range b.engines {
			if err := timed(e, func() error { return e.load(ctx, entries) }); err != nil {
				return err
			}
		}
		if tenth := max(chunk, b.size/10); from%tenth == 0 && from > 0 {
			tell("%d of %d posts are loaded", from, b.size)
		}
	}
	for _, e := range b.engines {
		if err := timed(e, func() error { return e.finish(ctx) }); err != nil {
			return err
		}
		tell("%s: %d posts are loaded in %.0f s", e.name(), b.size, b.loads[e.name()].Seconds())
		size, err := e.size()
		if err != nil {
			return fmt.Errorf("%s: size: %w", e.name(), err)
		}
		b.sizes[e.name()], b.written[e.name()] = size, b.size
	}
	runtime.GC()
	return nil
}

// entries makes the posts in [from, to).
func (f *feed) entries(from, to int) []*entry {
	all := make([]*entry, 0, to-from)
	for n := from; n < to; n++ {
		all = append(all, f.entry(n))
	}
	return all
}

// times are the latencies of a query on an engine.
type times struct {
	took  []time.Duration // sorted
	spent time.Duration
}

func (t *times) add(d time.Duration) { t.took, t.spent = append(t.took, d), t.spent+d }

// at returns the time that a share of the runs did not exceed.
func (t *times) at(share float64) time.Duration {
	if len(t.took) == 0 {
		return 0
	}
	return t.took[min(len(t.took)-1, int(share*float64(len(t.took))))]
}

// result is a row of the table.
type result struct {
	row        row
	count      int // mean over the pool
	mismatches []string
	times      map[string]*times // by engine
}

func (b *bench) newResult(r row) *result {
	res := &result{row: r, times: map[string]*times{}}
	for _, e := range b.engines {
		res.times[e.name()] = &times{}
	}
	return res
}

func (r *result) sort() {
	for _, t := range r.times {
		slices.Sort(t.took)
	}
}

// alone measures a row with the engines alternating, query by query. A first
// pass through the pool warms the caches and compares every answer; then follow
// the timed runs.
func (b *bench) alone(ctx context.Context, r row) (*result, error) {
	res := b.newResult(r)
	pool := r.pool(b.feed, b.pool)
	if err := b.compare(ctx, res, pool); err != nil {
		return nil, err
	}
	for i := range b.runs {
		q := &pool[i%len(pool)]
		for k, e := range b.engines {
			t := res.times[e.name()]
			if k > 0 && t.spent > b.budget && len(t.took) >= b.least {
				continue
			}
			if err := timedAsk(ctx, e, q, t); err != nil {
				return nil, err
			}
		}
	}
	res.sort()
	return res, nil
}

func timedAsk(ctx context.Context, e engine, q *query, t *times) error {
	began := time.Now()
	_, err := e.ask(ctx, q)
	t.add(time.Since(began))
	if err != nil {
		return fmt.Errorf("%s: %w", e.name(), err)
	}
	return nil
}

// compare runs every query on every engine and records different answers. A
// query that a peer is too slow for is skipped after the minimum.
func (b *bench) compare(ctx context.Context, res *result, pool []query) error {
	spent := map[string]time.Duration{}
	res.count = 0
	for i := range pool {
		first, err := b.engines[0].ask(ctx, &pool[i])
		if err != nil {
			return fmt.Errorf("%s: %w", b.engines[0].name(), err)
		}
		res.count += first.count
		for _, e := range b.engines[1:] {
			if i >= b.least && spent[e.name()] > b.budget {
				continue
			}
			began := time.Now()
			a, err := e.ask(ctx, &pool[i])
			spent[e.name()] += time.Since(began)
			if err != nil {
				return fmt.Errorf("%s: %w", e.name(), err)
			}
			if difference := first.differs(a); difference != "" {
				res.mismatches = append(res.mismatches, fmt.Sprintf("%s, %s, %+v: %s", res.row.name, e.name(), pool[i], difference))
			}
		}
	}
	res.count /= len(pool)
	return nil
}

// differs describes the difference of two answers; "" when they are equal.
func (a answer) differs(other answer) string {
	switch {
	case a.count != other.count:
		return fmt.Sprintf("count %d, not %d", other.count, a.count)
	case !slices.Equal(a.ids, other.ids):
		return fmt.Sprintf("page %v, not %v", other.ids, a.ids)
	}
	return ""
}
