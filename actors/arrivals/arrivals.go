// Package arrivals shows the posts that are new to a team's watchlists to those who act on
// them.
//
// The post store notes arrivals in the batch that stores the posts, for the watchlists that
// an Observer watches. Queue, a component of the team, looks at them in order, a few at a
// time: one batch holds what the observers decided on them, and removes their notes. So a
// crash neither loses a post nor shows it twice.
//
// The team tells Queue of batches that note arrivals (Coming), and asks it what is to be
// noted (Wanted) and whether there may be something to look at (Pending). Queue knows its
// observers and the team by the functions of Options only.
package arrivals

import (
	"errors"

	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// atOnce bounds the posts that one batch is about.
const atOnce = 20

// seen tells the team that a batch about arrivals is durable, so that the next one reads
// its writes.
type seen struct{}

// Observer decides on posts that are new to a watchlist.
type Observer struct {
	// Watch adds the watchlists whose new posts it decides on.
	Watch func(*poststore.Watched)
	// Consider adds what it decides on a post that is new to a watchlist to the batch.
	Consider func(persistence.View, *persistence.Batch, *watchpost.Post, watchpost.WatchlistID, *watchpost.Tagging) error
	// Run begins what is due after Consider, when the batch is submitted.
	Run func()
}

// Options is what New needs.
type Options struct {
	Actor *root.Actor // of the team
	// Observers decide on a post in this order.
	Observers []Observer
	// Tagging returns what a view says of a team's watchlists and tags.
	Tagging func(persistence.View, watchpost.TeamID) (*watchpost.Tagging, error)
	// Has reports whether the team has a watchlist.
	Has func(watchpost.WatchlistID) bool
	// Mark adds the team's entry in the directory to a batch, or removes it, when that
	// has to follow Pending. By the entry a node that takes the team over finds it.
	Mark func(*persistence.Batch)
}

// Queue is the component of a team that shows arrivals to observers. It shares the team's
// mailbox and batches.
type Queue struct {
	*root.Actor
	options Options

	coming  int  // batches under way that note some
	waiting bool // there may be some
	busy    bool // a batch is on its way
}

// New returns the component of a team. Load is to follow, and then Work.
func New(o Options) *Queue { return &Queue{Actor: o.Actor, options: o} }

// Receive handles a message of the component; it reports whether it is one.
func (q *Queue) Receive(message any) bool {
	switch message.(type) {
	case poststore.Arrived:
		q.coming--
		q.waiting = true
	case seen:
		q.busy = false
	default:
		return false
	}
	q.Work()
	return true
}

// Coming takes note of a batch that notes arrivals; poststore.Arrived follows when it is
// durable.
func (q *Queue) Coming(batch *persistence.Batch) {
	q.coming++
	q.options.Mark(batch)
}

// Pending reports whether there may be arrivals that nothing has looked at.
func (q *Queue) Pending() bool { return q.coming > 0 || q.waiting }

// Load finds out whether the last activation has left something to do; Work does it.
func (q *Queue) Load(view persistence.View) error {
	err := view.Scan(q.Space, []byte(teamspace.KeyArrival), persistence.PrefixEnd([]byte(teamspace.KeyArrival)), func(_, _ []byte) bool {
		q.waiting = true
		return false
	})
	return err
}

// Wanted returns the watchlists whose new posts are to be noted; nil: none.
func (q *Queue) Wanted() *poststore.Watched {
	w := &poststore.Watched{}
	for _, o := range q.options.Observers {
		o.Watch(w)
	}
	if w.Empty() {
		return nil
	}
	return w
}

// Work looks at the next arrivals.
func (q *Queue) Work() {
	if !q.waiting || q.busy || q.Broken != nil {
		return
	}
	view, err := q.Env.View()
	if err != nil {
		q.Fail(err)
		return
	}
	defer view.Close()
	batch := &persistence.Batch{}
	if err := q.look(view, batch); err != nil {
		q.Fail(err)
		return
	}
	if batch.Empty() {
		q.waiting = false
		q.options.Mark(batch)
		q.Commits.Submit(batch, nil)
		return
	}
	q.busy = true
	root, self := q.Env.System.Root, q.Context.Self()
	q.Commits.Submit(batch, func(err error) {
		if err == nil {
			root.Send(self, seen{})
		}
	})
	for _, o := range q.options.Observers {
		o.Run()
	}
}

// look lets the observers decide on the next arrivals.
func (q *Queue) look(view persistence.View, batch *persistence.Batch) error {
	tagging, err := q.options.Tagging(view, watchpost.TeamID(q.Name))
	if err != nil {
		return err
	}
	var names []string
	err = view.Scan(q.Space, []byte(teamspace.KeyArrival), persistence.PrefixEnd([]byte(teamspace.KeyArrival)), func(k, _ []byte) bool {
		names = append(names, string(k))
		return len(names) < atOnce
	})
	if err != nil {
		return err
	}
	for _, key := range names {
		batch.Delete([]byte(key))
		id, watchlist := key[len(teamspace.KeyArrival):][:teamspace.IDLength], watchpost.WatchlistID(key[len(teamspace.KeyArrival)+teamspace.IDLength:])
		if !q.options.Has(watchlist) {
			continue // deleted meanwhile
		}
		post, err := postindex.Get(view, q.Space, watchpost.PostID(id))
		if errors.Is(err, persistence.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		for _, o := range q.options.Observers {
			if err := o.Consider(view, batch, post, watchlist, tagging); err != nil {
				return err
			}
		}
	}
	return nil
}
