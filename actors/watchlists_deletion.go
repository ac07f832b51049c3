package actors

import (
	"time"

	"watchpost/actors/cache"
	"watchpost/actors/poststore"
	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// deletionsDue is the timer of the deletions that wait: the moment of one has come.
type deletionsDue struct{}

const textDeletionOver = "The deletion was taken back, or has begun"

// onDeleteWatchlist deletes a watchlist, or notes when that is to be done. A deletion that
// waits already keeps its moment, unless the new one is to be at once.
func (ws *watchlists) onDeleteWatchlist(m DeleteWatchlist) {
	tracked := ws.tracked(m.Type, m.ID)
	if tracked == nil {
		return
	}
	if !m.At.After(ws.env.Clock.Now()) {
		ws.delete(tracked, ws.env.ReplyTo(ws.Context.Sender(), root.Done{}))
		ws.armDeletions()
		return
	}
	batch := &persistence.Batch{}
	if _, waits := ws.deletions[m.ID]; !waits {
		d := teamspace.DeletionRecord{At: m.At, By: ws.team.audit.origin()}
		ws.deletions[m.ID] = d
		batch.Put(teamspace.Key(teamspace.KeyDeletion, m.ID), teamspace.Encode(d))
		ws.team.notifications.Mark(batch)
	}
	ws.Commit(batch, root.Done{})
	ws.armDeletions()
}

// onUndoDeletion takes back a deletion that waits. Nothing has to be brought back.
func (ws *watchlists) onUndoDeletion(m UndoDeletion) {
	d, waits := ws.deletions[m.ID]
	switch {
	case ws.byID[m.ID] == nil:
		ws.Answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound))
		return
	case !waits, !d.At.After(ws.env.Clock.Now()):
		ws.Answer(nil, watchpost.Errorf(watchpost.Conflict, textDeletionOver))
		return
	}
	batch := &persistence.Batch{}
	ws.forgetDeletion(batch, m.ID)
	ws.Commit(batch, root.Done{})
	ws.armDeletions()
}

// forgetDeletion adds to a batch that a watchlist has no deletion that waits.
func (ws *watchlists) forgetDeletion(batch *persistence.Batch, id watchpost.WatchlistID) {
	if _, waits := ws.deletions[id]; !waits {
		return
	}
	delete(ws.deletions, id)
	batch.Delete(teamspace.Key(teamspace.KeyDeletion, id))
	ws.team.notifications.Mark(batch)
}

// loadDeletions takes up the deletions that wait. onDeletionsDue is to follow, when all is
// loaded that a deletion concerns.
func (ws *watchlists) loadDeletions(view persistence.View) error {
	return teamspace.LoadAll(view, ws.Space, teamspace.KeyDeletion, func(id string, d teamspace.DeletionRecord) {
		if id := watchpost.WatchlistID(id); ws.byID[id] != nil { // otherwise an earlier build has deleted it
			ws.deletions[id] = d
		}
	})
}

// onDeletionsDue carries out the deletions whose moment has come, in the name of those who
// asked for them. If the store refuses one, the team ends and its next activation tries again.
func (ws *watchlists) onDeletionsDue() {
	now := ws.env.Clock.Now()
	for id, d := range ordered.ByKey(ws.deletions) {
		if !d.At.After(now) {
			ws.team.audit.by(d.By, func() { ws.delete(ws.byID[id], nil) })
		}
	}
	ws.armDeletions()
}

// armDeletions asks the clock for the moment of the next deletion.
func (ws *watchlists) armDeletions() {
	ws.stopTimer()
	var next time.Time
	for _, d := range ws.deletions {
		if next.IsZero() || d.At.Before(next) {
			next = d.At
		}
	}
	if !next.IsZero() {
		ws.deletionTimer = ws.env.TellAt(next, ws.Context.Self(), deletionsDue{})
	}
}

// stopTimer stops the timer of the component.
func (ws *watchlists) stopTimer() {
	if ws.deletionTimer != nil {
		ws.deletionTimer.Stop()
		ws.deletionTimer = nil
	}
}

// deletesLater reports whether a deletion waits: the team stays in memory for it, and a
// restart activates it.
func (ws *watchlists) deletesLater() bool { return len(ws.deletions) > 0 }

// delete decides a deletion in one small batch, which every query honours from then on;
// the post store removes the posts afterwards. onCommitted, if any, is called when the batch
// is durable or lost.
func (ws *watchlists) delete(tracked *trackedWatchlist, onCommitted func(error)) {
	w := tracked.view.Watchlist
	batch := &persistence.Batch{}
	cache.DeleteWatchlist(batch, w.ID)
	ws.team.notifications.OnWatchlistDeleted(batch, &w)
	for _, e := range w.Keywords {
		batch.Delete(teamspace.ScanKey(w.ID, e.ID))
	}
	batch.Put(teamspace.Key(teamspace.KeyDeleted, w.ID), nil)
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirWatchlist, Name: string(w.ID)}, nil)
	delete(ws.byID, w.ID)
	delete(ws.weeks, w.ID)
	ws.forgetDeletion(batch, w.ID)
	ws.team.rules.OnWatchlistDeleted(batch, w.ID)
	ws.team.scans.forgetUnscheduled(w.ID)
	owner, gone := tracked.pid, true
	if !w.Type.HasKeywords() {
		owner, gone = ws.unfollow(batch, w)
	}
	ws.noteNeed(&w)
	ws.team.scans.dropOf(func(s watchpost.ScanTarget) bool { return s.Watchlist == w.ID })
	ws.Commits.Submit(batch, onCommitted)
	ws.team.rules.Run()
	ws.team.notifications.Clean()
	// Through the actor that passes its posts on, so that the purge comes behind them.
	ws.Context.Send(owner, poststore.Purge{Watchlist: w.ID, Team: ws.Context.Self()})
	if gone {
		ws.Context.Poison(owner)
	}
	ws.team.handouts.run() // it may have been the last that was waited for
}
