package actors

import (
	"errors"

	"watchpost/actors/poststore"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Arrivals are the posts that are new to a watchlist. The post store notes them
// in the batch that stores them, for the watchlists that a rule or a notification
// observes. The team looks at them in order, a few at a time: one batch holds
// what rules and notifications decided on them, and removes their notes. So a
// crash neither loses a post nor shows it twice.

// arrivalsAtOnce bounds the posts that one batch is about.
const arrivalsAtOnce = 20

// arrivalsSeen tells the team that a batch about arrivals is durable, so that the
// next one reads its writes.
type arrivalsSeen struct{}

// arrivals is the component of a team that shows new posts to rules and
// notifications.
type arrivals struct {
	*rootActor
	team *team

	coming  int  // batches under way that note some
	waiting bool // there may be some
	busy    bool // a batch is on its way
}

func newArrivals(t *team) *arrivals { return &arrivals{rootActor: &t.rootActor, team: t} }

func (a *arrivals) receive(message any) bool {
	switch message.(type) {
	case poststore.Arrived:
		a.coming--
		a.waiting = true
	case arrivalsSeen:
		a.busy = false
	default:
		return false
	}
	a.work()
	return true
}

// onComing adds to a batch that notes arrivals the team's entry in the directory, by
// which a node that takes the team over finds them.
func (a *arrivals) onComing(batch *persistence.Batch) {
	a.coming++
	a.team.notifications.Mark(batch)
}

// pending reports whether there may be arrivals that nothing has looked at.
func (a *arrivals) pending() bool { return a.coming > 0 || a.waiting }

// load finds out whether the last activation has left something to do; work does it.
func (a *arrivals) load(view persistence.View) error {
	err := view.Scan(a.Space, []byte(teamspace.KeyArrival), persistence.PrefixEnd([]byte(teamspace.KeyArrival)), func(_, _ []byte) bool {
		a.waiting = true
		return false
	})
	return err
}

// wanted returns the watchlists whose new posts are to be noted; nil: none.
func (a *arrivals) wanted() *poststore.Watched {
	w := &poststore.Watched{}
	a.team.rules.watch(w)
	a.team.notifications.Watch(w)
	if w.Empty() {
		return nil
	}
	return w
}

// work looks at the next arrivals.
func (a *arrivals) work() {
	if !a.waiting || a.busy || a.Broken != nil {
		return
	}
	view, err := a.env.View()
	if err != nil {
		a.Fail(err)
		return
	}
	defer view.Close()
	batch := &persistence.Batch{}
	if err := a.look(view, batch); err != nil {
		a.Fail(err)
		return
	}
	if batch.Empty() {
		a.waiting = false
		a.team.notifications.Mark(batch)
		a.Commits.Submit(batch, nil)
		return
	}
	a.busy = true
	root, self := a.env.System.Root, a.Context.Self()
	a.Commits.Submit(batch, func(err error) {
		if err == nil {
			root.Send(self, arrivalsSeen{})
		}
	})
	a.team.rules.run()
	a.team.notifications.Run()
}

// look lets rules and notifications decide on the next arrivals.
func (a *arrivals) look(view persistence.View, batch *persistence.Batch) error {
	tagging, err := a.env.watchlists.Of(view, a.team.id)
	if err != nil {
		return err
	}
	var names []string
	err = view.Scan(a.Space, []byte(teamspace.KeyArrival), persistence.PrefixEnd([]byte(teamspace.KeyArrival)), func(k, _ []byte) bool {
		names = append(names, string(k))
		return len(names) < arrivalsAtOnce
	})
	if err != nil {
		return err
	}
	for _, key := range names {
		batch.Delete([]byte(key))
		id, watchlist := key[len(teamspace.KeyArrival):][:teamspace.IDLength], watchpost.WatchlistID(key[len(teamspace.KeyArrival)+teamspace.IDLength:])
		if a.team.watchlists.byID[watchlist] == nil {
			continue // deleted meanwhile
		}
		post, err := postindex.Get(view, a.Space, watchpost.PostID(id))
		if errors.Is(err, persistence.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := a.team.rules.consider(view, batch, post, watchlist, tagging); err != nil {
			return err
		}
		a.team.notifications.Consider(batch, post, watchlist, tagging)
	}
	return nil
}
