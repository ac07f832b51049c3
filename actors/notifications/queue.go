package notifications

import (
	"fmt"
	"slices"

	"watchpost/actors/poststore"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// definition returns a target; ok is false when it was deleted.
func (ts *Targets) definition(box *outbox) (t watchpost.NotificationTarget, ok bool) {
	if box.target != nil {
		t, live := *box.target, box.target.Watchlist == "" || ts.host.Watchlist(box.target.Watchlist) != nil
		t.Emails = slices.DeleteFunc(slices.Clone(t.Emails), func(email string) bool { // of removed members
			_, err := ts.host.Member(email)
			return err != nil
		})
		return t, live
	}
	w := ts.host.Watchlist(watchpost.WatchlistID(box.id))
	if w == nil {
		return t, false
	}
	return w.SlackTarget()
}

// hooked reports whether a watchlist makes a target by its slack_webhook_url.
func (ts *Targets) hooked(id watchpost.WatchlistID) bool {
	w := ts.host.Watchlist(id)
	return w != nil && w.SlackURL != ""
}

// Watch adds the watchlists of the targets.
func (ts *Targets) Watch(w *poststore.Watched) {
	for _, box := range ts.byID {
		switch {
		case box.target == nil || box.target.Disabled:
		case box.target.Watchlist == "":
			w.AddAll()
		default:
			w.Add(box.target.Watchlist)
		}
	}
	for list := range ts.host.Watchlists() {
		if list.SlackURL != "" {
			w.Add(list.ID)
		}
	}
}

// Consider lets the targets of a watchlist take a post that is new to it. Run is to
// follow when the batch is submitted.
func (ts *Targets) Consider(_ persistence.View, batch *persistence.Batch, p *watchpost.Post, w watchpost.WatchlistID, tagging *watchpost.Tagging) error {
	now := ts.Env.Clock.Now()
	if ts.hooked(w) {
		ts.box(watchpost.TargetID(w))
	}
	for _, box := range ordered.ByKey(ts.byID) {
		t, ok := ts.definition(box)
		if !ok || !t.Wants(p, w, tagging, now) {
			continue
		}
		if t.Alert.Of != "" {
			if box.noteForAlert(now) {
				ts.putState(batch, box)
			}
			continue
		}
		if slices.ContainsFunc(box.queue, func(q queuedPost) bool { return q.post == p.ID }) {
			continue // another watchlist collected it, too
		}
		if len(box.queue) >= watchpost.MaxQueuedPosts {
			box.state.Dropped++
			ts.putState(batch, box)
			continue
		}
		ts.last = max(ts.last+1, now.UnixNano())
		q := queuedPost{fmt.Sprintf("%016x", ts.last), p.ID}
		box.queue = append(box.queue, q)
		batch.Put(waitingPostKey(box.id, q.number), teamspace.Encode(p.ID))
	}
	ts.Mark(batch)
	return nil
}

// waiting reports whether something waits to be delivered, or may once arrivals are
// looked at, or whether the team has other work that waits.
func (ts *Targets) waiting() bool {
	if ts.host.Waits() {
		return true
	}
	for _, box := range ts.byID {
		t, ok := ts.definition(box)
		if ok && !t.Disabled && box.state.Paused == "" && box.waits(&t) {
			return true
		}
	}
	return false
}

// Mark keeps the directory's entry, by which a restart finds the team, up to date.
func (ts *Targets) Mark(batch *persistence.Batch) {
	waits := ts.waiting()
	if waits == ts.marked {
		return
	}
	ts.marked = waits
	entry := persistence.DirectoryKey{Kind: teamspace.DirOutbox, Name: ts.Name}
	if waits {
		batch.Set(entry, []byte{})
	} else {
		batch.Set(entry, nil)
	}
}

// Idle reports whether the team may leave memory.
func (ts *Targets) Idle() bool { return !ts.waiting() }

func (ts *Targets) putState(batch *persistence.Batch, box *outbox) {
	batch.Put(teamspace.Key(teamspace.KeyTargetState, box.id), teamspace.Encode(box.state))
}
