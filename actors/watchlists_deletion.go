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

// pendingDeletions is the component of a team that owns the deletions of watchlists that wait
// for their moment. Until then a watchlist is whole, so that taking it back brings back nothing.
//
// The others ask whether a deletion waits (waiting) and until when (at), and have one noted (put)
// and forgotten (forget).
type pendingDeletions struct {
	*rootActor
	team *team

	byID  map[watchpost.WatchlistID]teamspace.DeletionRecord
	timer watchpost.Timer // of the next moment; nil: none waits
}

// deletionsDue is the timer of the component: the moment of a deletion has come.
type deletionsDue struct{}

const textDeletionOver = "The deletion was taken back, or has begun"

func newPendingDeletions(t *team) *pendingDeletions {
	return &pendingDeletions{rootActor: &t.rootActor, team: t, byID: map[watchpost.WatchlistID]teamspace.DeletionRecord{}}
}

// receive handles what concerns deletions that wait.
func (p *pendingDeletions) receive(message any) bool {
	switch m := message.(type) {
	case UndoDeletion:
		p.onUndo(m)
	case deletionsDue:
		p.onDue()
		p.team.handouts.answerTimer()
	default:
		return false
	}
	return true
}

// load takes up the deletions that wait. onDue is to follow, when all is loaded that a
// deletion concerns.
func (p *pendingDeletions) load(view persistence.View) error {
	return teamspace.LoadAll(view, p.Space, teamspace.KeyDeletion, func(id string, d teamspace.DeletionRecord) {
		if id := watchpost.WatchlistID(id); p.team.watchlists.find(id) != nil { // otherwise an earlier build has deleted it
			p.byID[id] = d
		}
	})
}

// put notes a deletion for a moment in the name of who asks for it now. One that waits
// already keeps its moment.
func (p *pendingDeletions) put(batch *persistence.Batch, id watchpost.WatchlistID, at time.Time) {
	if _, waits := p.byID[id]; waits {
		return
	}
	d := teamspace.DeletionRecord{At: at, By: p.team.audit.origin()}
	p.byID[id] = d
	batch.Put(teamspace.Key(teamspace.KeyDeletion, id), teamspace.Encode(d))
	p.team.notifications.Mark(batch)
	p.arm()
}

// forget adds to a batch that a watchlist has no deletion that waits.
func (p *pendingDeletions) forget(batch *persistence.Batch, id watchpost.WatchlistID) {
	if _, waits := p.byID[id]; !waits {
		return
	}
	delete(p.byID, id)
	batch.Delete(teamspace.Key(teamspace.KeyDeletion, id))
	p.team.notifications.Mark(batch)
	p.arm()
}

// onUndo takes back a deletion that waits.
func (p *pendingDeletions) onUndo(m UndoDeletion) {
	d, waits := p.byID[m.ID]
	switch {
	case p.team.watchlists.find(m.ID) == nil:
		p.Answer(nil, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound))
		return
	case !waits, !d.At.After(p.env.Clock.Now()):
		p.Answer(nil, watchpost.Errorf(watchpost.Conflict, textDeletionOver))
		return
	}
	batch := &persistence.Batch{}
	p.forget(batch, m.ID)
	p.Commit(batch, root.Done{})
}

// onDue carries out the deletions whose moment has come, in the name of those who asked for
// them. If the store refuses one, the team ends and its next activation tries again.
func (p *pendingDeletions) onDue() {
	now := p.env.Clock.Now()
	for id, d := range ordered.ByKey(p.byID) {
		if !d.At.After(now) {
			p.team.audit.by(d.By, func() { p.team.watchlists.delete(p.team.watchlists.find(id), nil) })
		}
	}
	p.arm()
}

// arm asks the clock for the moment of the next deletion.
func (p *pendingDeletions) arm() {
	p.stopTimer()
	var next time.Time
	for _, d := range p.byID {
		if next.IsZero() || d.At.Before(next) {
			next = d.At
		}
	}
	if !next.IsZero() {
		p.timer = p.env.TellAt(next, p.Context.Self(), deletionsDue{})
	}
}

// stopTimer stops the timer of the component.
func (p *pendingDeletions) stopTimer() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// waiting reports whether a deletion waits: the team stays in memory for it, and a restart
// activates it.
func (p *pendingDeletions) waiting() bool { return len(p.byID) > 0 }

// at returns when a watchlist will be deleted; zero: it will not.
func (p *pendingDeletions) at(id watchpost.WatchlistID) time.Time { return p.byID[id].At }

// onDeleteWatchlist deletes a watchlist, or notes when that is to be done.
func (ws *watchlists) onDeleteWatchlist(m DeleteWatchlist) {
	tracked := ws.tracked(m.Type, m.ID)
	if tracked == nil {
		return
	}
	if !m.At.After(ws.env.Clock.Now()) {
		ws.delete(tracked, ws.env.ReplyTo(ws.Context.Sender(), root.Done{}))
		return
	}
	batch := &persistence.Batch{}
	ws.team.pendingDeletions.put(batch, m.ID, m.At)
	ws.Commit(batch, root.Done{})
}

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
	ws.team.pendingDeletions.forget(batch, w.ID)
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
