package actors

import (
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Deletable is a kind of thing whose deletion can wait.
type Deletable = teamspace.Deletable

// The kinds of things whose deletion can wait.
const (
	DeletableWatchlist = teamspace.DeletableWatchlist
	DeletableRule      = teamspace.DeletableRule
	DeletableTarget    = teamspace.DeletableTarget
)

// pendingDeletions is the component of a team that owns the deletions that wait for their
// moment: of watchlists, auto-engagement rules and notification targets. Until then a thing is
// whole, so that taking its deletion back brings back nothing.
//
// The others ask whether a deletion waits (waiting) and until when (at), and report what is
// deleted (forget).
type pendingDeletions struct {
	*rootActor
	team *team

	kinds map[Deletable]deletableKind
	byID  map[string]teamspace.DeletionRecord
	timer watchpost.Timer // of the next moment; nil: none waits
}

// deletableKind is how the owner of a kind finds and deletes a thing.
type deletableKind struct {
	has     func(id string) bool
	delete  func(id string) // its batch calls forget
	missing string          // the text for a thing that the team does not have
}

// deletionsDue is the timer of the component: the moment of a deletion has come.
type deletionsDue struct{}

const textDeletionOver = "The deletion was taken back, or has begun"

func newPendingDeletions(t *team) *pendingDeletions {
	return &pendingDeletions{rootActor: &t.rootActor, team: t, byID: map[string]teamspace.DeletionRecord{}, kinds: map[Deletable]deletableKind{
		DeletableWatchlist: {
			has:     func(id string) bool { return t.watchlists.find(watchpost.WatchlistID(id)) != nil },
			delete:  func(id string) { t.watchlists.delete(t.watchlists.find(watchpost.WatchlistID(id)), nil) },
			missing: watchpost.TextWatchlistNotFound,
		},
		DeletableRule: {
			has:     func(id string) bool { return t.rules.Has(watchpost.RuleID(id)) },
			delete:  func(id string) { _ = t.rules.Delete(watchpost.RuleID(id)) },
			missing: watchpost.TextRuleNotFound,
		},
		DeletableTarget: {
			has:     func(id string) bool { return t.notifications.Has(watchpost.TargetID(id)) },
			delete:  func(id string) { _ = t.notifications.Delete(watchpost.TargetID(id)) },
			missing: watchpost.TextTargetNotFound,
		},
	}}
}

// receive handles what concerns deletions that wait.
func (p *pendingDeletions) receive(message any) bool {
	switch m := message.(type) {
	case DeleteLater:
		p.onDeleteLater(m)
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
		if _, known := p.kinds[d.Of]; known { // otherwise a later build has noted it
			p.byID[id] = d
		}
	})
}

// onDeleteLater notes a deletion, in the name of the member that asks for it now. One that waits already
// keeps its moment.
func (p *pendingDeletions) onDeleteLater(m DeleteLater) {
	if kind := p.kinds[m.Of]; !kind.has(m.ID) {
		p.Answer(nil, watchpost.Errorf(watchpost.NotFound, "%s", kind.missing))
		return
	}
	batch := &persistence.Batch{}
	if _, waits := p.byID[m.ID]; !waits {
		d := teamspace.DeletionRecord{Of: m.Of, At: m.At, By: p.team.audit.origin()}
		p.byID[m.ID] = d
		batch.Put(teamspace.Key(teamspace.KeyDeletion, m.ID), teamspace.Encode(d))
		p.team.notifications.Mark(batch)
		p.arm()
	}
	p.Commit(batch, root.Done{})
}

// forget adds to a batch that a thing has no deletion that waits.
func (p *pendingDeletions) forget(batch *persistence.Batch, id string) {
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
	switch kind := p.kinds[m.Of]; {
	case !kind.has(m.ID):
		p.Answer(nil, watchpost.Errorf(watchpost.NotFound, "%s", kind.missing))
		return
	case !waits, !d.At.After(p.env.Clock.Now()):
		p.Answer(nil, watchpost.Errorf(watchpost.Conflict, textDeletionOver))
		return
	}
	batch := &persistence.Batch{}
	p.forget(batch, m.ID)
	p.Commit(batch, root.Done{})
	p.team.rules.Run()
	p.team.notifications.Run()
}

// onDue carries out the deletions whose moment has come, in the name of those who asked for
// them. If the store refuses one, the team ends and its next activation tries again.
func (p *pendingDeletions) onDue() {
	now := p.env.Clock.Now()
	for id, d := range ordered.ByKey(p.byID) {
		kind := p.kinds[d.Of]
		switch _, waits := p.byID[id]; {
		case !waits: // it went with a watchlist
		case !kind.has(id): // an earlier build has deleted it
			batch := &persistence.Batch{}
			p.forget(batch, id)
			p.Commits.Submit(batch, nil)
		case !d.At.After(now):
			p.team.audit.by(d.By, func() { kind.delete(id) })
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

// at returns when a thing will be deleted; zero: it will not.
func (p *pendingDeletions) at(id string) time.Time { return p.byID[id].At }
