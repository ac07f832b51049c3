package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"watchpost/internal/reference"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// ours is the service's index on its store, called as the service calls it: a
// snapshot per query, with the team's watchlists.
type ours struct {
	dir   string
	store persistence.Store
	index *postindex.Index
	team  *writtenTeam
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
	o := &ours{dir: dir, store: store, index: postindex.New(postindex.Options{}), live: allWatchlists()}
	if o.team, err = activate(ctx, store, o.index, teamSpace(0)); err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

func openStore(dir string) (persistence.Store, error) {
	return badger.Open(storeOptions(dir))
}

func storeOptions(dir string) badger.Options {
	return badger.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)}
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

func (o *ours) load(ctx context.Context, entries []*entry) error { return o.team.put(ctx, entries) }

func (o *ours) finish(context.Context) error { return nil }

func (o *ours) add(ctx context.Context, entries []*entry) error { return o.team.put(ctx, entries) }

func (o *ours) ask(ctx context.Context, q *query) (answer, error) {
	asked, err := o.translate(q)
	if err != nil {
		return answer{}, err
	}
	return askPosts(ctx, o.store, o.index, o.team.space, &asked, o.live)
}

// askPosts answers a query with the page as the service sends it.
func askPosts(ctx context.Context, store persistence.Store, index *postindex.Index, space persistence.Space,
	q *watchpost.PostQuery, live map[watchpost.WatchlistID]bool,
) (answer, error) {
	view, err := store.View(ctx)
	if err != nil {
		return answer{}, err
	}
	defer view.Close()
	found, err := index.Query(view, space, q)
	if err != nil {
		return answer{}, err
	}
	a := answer{count: found.Count, ids: make([]string, len(found.Posts))}
	const margin = 500 // room for the matched watchlists of a post
	size := 0
	for _, p := range found.Posts {
		size += p.Size() + margin
	}
	page := make([]byte, 0, size)
	for i, p := range found.Posts {
		a.ids[i] = string(p.ID)
		page = p.Append(page, q.Live, &watchpost.Tagging{Live: live})
	}
	a.bytes = len(page)
	return a, nil
}

// writtenTeam writes posts to a team as the team's post store does: batch by
// batch, with due merges in between.
type writtenTeam struct {
	store persistence.Store
	index *postindex.Index
	space persistence.Space
	epoch persistence.Epoch
	fold  *postindex.Merge
	due   bool
}

func activate(ctx context.Context, store persistence.Store, index *postindex.Index, space persistence.Space) (*writtenTeam, error) {
	epoch, err := store.Activate(ctx, space)
	return &writtenTeam{store: store, index: index, space: space, epoch: epoch}, err
}

// put stores posts, and returns when they are durable and no merge is due.
func (t *writtenTeam) put(ctx context.Context, entries []*entry) error {
	for len(entries) > 0 || t.due {
		err := t.commit(ctx, func(view persistence.View, batch *persistence.Batch) error {
			if t.due {
				return t.step(view, batch)
			}
			w, err := t.index.Writer(view, t.space, batch)
			if err != nil {
				return err
			}
			for len(entries) > 0 && !w.Full(0, 0) {
				if err := w.Put(&entries[0].post); err != nil {
					return err
				}
				entries = entries[1:]
			}
			t.due, err = w.Finish()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// step does one step of a merge.
func (t *writtenTeam) step(view persistence.View, batch *persistence.Batch) (err error) {
	if t.fold == nil {
		if t.fold, err = t.index.NextMerge(view, t.space); err != nil {
			return err
		}
	}
	if t.fold == nil {
		t.due = false
		return nil
	}
	done, due, err := t.fold.Step(view, batch)
	if done {
		t.fold, t.due = nil, due
	}
	return err
}

func (t *writtenTeam) commit(ctx context.Context, write func(persistence.View, *persistence.Batch) error) error {
	view, err := t.store.View(ctx)
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	err = write(view, batch)
	view.Close()
	if err != nil || batch.Empty() {
		return err
	}
	return persistence.Commit(ctx, t.store, t.space, t.epoch, batch)
}

// translate converts a query for the service.
func (o *ours) translate(q *query) (watchpost.PostQuery, error) {
	asked := watchpost.PostQuery{
		Live: o.live, Languages: some(q.language), Types: some(q.kind), From: q.from, To: q.to,
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
		reference, err := reference.ParseProfile(authorURL(q.author))
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
	asked.Search, err = text.ParseSearch(term)
	return asked, err
}

func (o *ours) size() (int64, error) { return folderSize(o.dir) }

func (o *ours) close() error { return errors.Join(o.store.Close(), os.RemoveAll(o.dir)) }

// some is a filter of one value, or none for an empty one.
func some(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}
