package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// batchesPerSecond is the commit rate of the writer, equal to the rate of scan
// reports.
const batchesPerSecond = 10

// measureWithWriter measures a row with a writer to the tested engine, one
// engine after the other, because writing to all would triple the load on the
// machine. Afterwards the engines have different posts; call even before
// comparing.
func (b *bench) measureWithWriter(ctx context.Context, r row) (*result, error) {
	res := b.newResult(r)
	pool := r.pool(b.feed, b.pool)
	for k, e := range b.engines {
		if err := b.measureOneWithWriter(ctx, e, k == 0, pool, res.times[e.name()]); err != nil {
			return nil, err
		}
	}
	res.sort()
	return res, nil
}

func (b *bench) measureOneWithWriter(ctx context.Context, e engine, ours bool, pool []query, t *times) (err error) {
	writing, stop := context.WithCancel(ctx)
	wrote, begun := make(chan error, 1), make(chan struct{})
	go func() { wrote <- b.write(writing, e, begun) }()
	defer func() {
		stop()
		err = errors.Join(err, <-wrote)
	}()
	<-begun
	for i := range b.runs {
		if !ours && t.spent > b.budget && len(t.took) >= b.least {
			return nil
		}
		if err := timedAsk(ctx, e, &pool[i%len(pool)], t); err != nil {
			return err
		}
	}
	return nil
}

// write adds posts at the plan's rate until ctx ends; begun is closed after the
// first batch. A batch in flight at the end completes.
func (b *bench) write(ctx context.Context, e engine, begun chan<- struct{}) error {
	tick := time.NewTicker(time.Second / batchesPerSecond)
	defer tick.Stop()
	began := sync.OnceFunc(func() { close(begun) })
	defer began()
	for {
		from := b.written[e.name()]
		entries := b.feed.entries(from, from+b.rate/batchesPerSecond)
		if err := e.add(context.WithoutCancel(ctx), entries); err != nil {
			return err
		}
		b.written[e.name()] += len(entries)
		began()
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// even gives every engine the posts that the writer gave to the others.
func (b *bench) even(ctx context.Context) error {
	most := 0
	for _, n := range b.written {
		most = max(most, n)
	}
	for _, e := range b.engines {
		for from := b.written[e.name()]; from < most; from += b.rate {
			if err := e.add(ctx, b.feed.entries(from, min(from+b.rate, most))); err != nil {
				return err
			}
		}
		b.written[e.name()] = most
	}
	return nil
}
