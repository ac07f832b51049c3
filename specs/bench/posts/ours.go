package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/postindex"
)

// ours is the service's own index on its own store, called as the service
// calls it: each query on a snapshot of its own, among the team's watchlists.
type ours struct {
	dir   string
	store persistence.Store
	space persistence.Space
	epoch persistence.Epoch
	live  map[watchpost.WatchlistID]bool
}

func openOurs(ctx context.Context) (*ours, error) {
	dir, err := os.MkdirTemp("", "posts-ours-")
	if err != nil {
		return nil, err
	}
	store, err := openStore(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	o := &ours{dir: dir, store: store, space: teamSpace(0), live: allWatchlists()}
	o.epoch, err = store.Activate(ctx, o.space)
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

func openStore(dir string) (persistence.Store, error) {
	return badger.Open(badger.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
}

func allWatchlists() map[watchpost.WatchlistID]bool {
	live := map[watchpost.WatchlistID]bool{}
	for i := range watchlists {
		live[watchlistID(i)] = true
	}
	return live
}

func (o *ours) name() string { return "Watchpost" }

func (o *ours) version() string {
	version := "Watchpost"
	if info, ok := debug.ReadBuildInfo(); ok {
		version += ", " + info.GoVersion
		for _, d := range info.Deps {
			if d.Path == "github.com/dgraph-io/badger/v4" {
				version += ", Badger " + d.Version
			}
		}
	}
	return version
}

func (o *ours) load(ctx context.Context, entries []*entry) error {
	return putAll(ctx, o.store, o.space, o.epoch, entries)
}

// putAll stores posts in batches as large as a store takes, and returns when
// all are durable.
func putAll(ctx context.Context, store persistence.Store, space persistence.Space, epoch persistence.Epoch, entries []*entry) error {
	done := make(chan error, len(entries))
	batches := 0
	submit := func(batch *persistence.Batch) {
		batches++
		store.Submit(space, epoch, batch, func(err error) { done <- err })
	}
	batch := &persistence.Batch{}
	for _, e := range entries {
		if size, ops := batch.Size(); size > persistence.MaxBatchBytes-postindex.MaxPost || ops > persistence.MaxBatchOps-postindex.MaxOps {
			submit(batch)
			batch = &persistence.Batch{}
		}
		if err := postindex.Put(batch, nil, &e.post); err != nil {
			return err
		}
	}
	submit(batch)
	var failure error
	for range batches {
		select {
		case err := <-done:
			failure = errors.Join(failure, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return failure
}

func (o *ours) finish(context.Context) error { return nil }

func (o *ours) add(ctx context.Context, entries []*entry) error { return o.load(ctx, entries) }

func (o *ours) ask(ctx context.Context, q *query) (answer, error) {
	asked, err := o.translate(q)
	if err != nil {
		return answer{}, err
	}
	return askPosts(ctx, o.store, o.space, &asked)
}

func askPosts(ctx context.Context, store persistence.Store, space persistence.Space, q *watchpost.PostQuery) (answer, error) {
	view, err := store.View(ctx)
	if err != nil {
		return answer{}, err
	}
	defer view.Close()
	page, count, err := postindex.Query(view, space, q)
	if err != nil {
		return answer{}, err
	}
	a := answer{count: count, ids: make([]string, len(page))}
	for i, p := range page {
		a.ids[i] = string(p.ID)
		a.bytes += len(p.Content)
	}
	return a, nil
}

// translate writes a query in the service's words.
func (o *ours) translate(q *query) (watchpost.PostQuery, error) {
	asked := watchpost.PostQuery{
		Live: o.live, Language: q.language, Type: q.kind, From: q.from, To: q.to,
		Trending: q.trending, Interacted: q.interacted, Order: q.order, Page: q.page, PageSize: watchpost.PageSize,
	}
	if len(q.watchlists) > 0 {
		asked.Live = map[watchpost.WatchlistID]bool{}
		for _, w := range q.watchlists {
			asked.Live[watchlistID(w)] = true
		}
	}
	for _, l := range q.labels {
		asked.Labels = append(asked.Labels, labelName(l))
	}
	if q.author >= 0 {
		reference, err := watchpost.ParseProfile(authorURL(q.author))
		if err != nil {
			return asked, err
		}
		asked.People = []string{reference.Key()}
	}
	term := strings.Join(q.terms, " ")
	if len(q.phrase) > 0 {
		term = `"` + strings.Join(q.phrase, " ") + `"`
	}
	if term == "" {
		return asked, nil
	}
	var err error
	asked.Search, err = watchpost.ParseSearch(term)
	return asked, err
}

func (o *ours) size() (int64, error) { return folderSize(o.dir) }

func (o *ours) close() error { return errors.Join(o.store.Close(), os.RemoveAll(o.dir)) }
