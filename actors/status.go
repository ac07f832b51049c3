package actors

import (
	"hash/fnv"
	"time"

	"watchpost"
	"watchpost/internal/protocol"
)

// A session is told what the service makes of it: after welcome, and then when
// that has changed. Changes of the account are told at once, what follows from
// tasks when a second has passed, so that a burst of tasks costs one status.

// statusEvery is how often one session is sent a status at most.
const statusEvery = time.Second

// told is what a session was told last.
type told struct {
	at   time.Time // zero: nothing since its hello
	hash uint64    // of the frame
}

// statusDue is the timer of the statuses.
type statusDue struct{}

// statusChanged sends a session its status, unless that was sent less than
// statusEvery ago: then when it is over.
func (t *team) statusChanged(s *sessionState) {
	now := t.env.clock.Now()
	if s.worker == nil || now.Sub(s.told.at) < statusEvery && !s.told.at.IsZero() {
		t.statusesChanged()
		return
	}
	t.tellStatus(s, t.dispatch.waitingByKind(), now)
}

// statusesChanged has every connected session sent its status within a second,
// if it has changed.
func (t *team) statusesChanged() {
	if t.statusTimer == nil && len(t.dispatch.workers) > 0 {
		t.statusTimer = t.env.tell(t.env.clock.Now().Add(statusEvery), t.ctx.Self(), statusDue{})
	}
}

func (t *team) onStatusDue() {
	t.statusTimer = nil
	now, waiting := t.env.clock.Now(), t.dispatch.waitingByKind()
	for id := range t.dispatch.workers {
		if s := t.sessions[id]; now.Sub(s.told.at) >= statusEvery {
			t.tellStatus(s, waiting, now)
		} else {
			t.statusesChanged()
		}
	}
	t.answer(Done{}, nil)
}

// tellStatus sends a session its status if that is not what it was told last.
func (t *team) tellStatus(s *sessionState, waiting map[queueKey]int, now time.Time) {
	frame := t.status(s, waiting, now)
	h := fnv.New64a()
	_, _ = h.Write(encode(frame))
	if s.told.hash == h.Sum64() && !s.told.at.IsZero() {
		return
	}
	s.told = told{at: now, hash: h.Sum64()}
	root, pid := t.env.system.Root, s.pid
	t.commits.submit(nil, func(err error) {
		if err == nil {
			root.Send(pid, deliver{frame})
		}
	})
}

// status describes what a session may do.
func (t *team) status(s *sessionState, waiting map[queueKey]int, now time.Time) protocol.Frame {
	w, member := s.worker, s.record.Member
	could := 0
	status := protocol.Frame{
		Type: protocol.TypeStatus, Blocked: []protocol.Blocked{}, Waiting: &could, Allowances: []protocol.AllowanceState{},
	}
	for _, p := range t.pauses(w, now) {
		b := protocol.Blocked{Reason: string(p.Reason)}
		if p.TaskType != "" {
			b.TaskTypes = []string{string(p.TaskType)}
		}
		for _, kind := range watchpost.TaskTypesOf(p.Action) {
			b.TaskTypes = append(b.TaskTypes, string(kind))
		}
		if !p.Until.IsZero() {
			b.Until = &p.Until
		}
		status.Blocked = append(status.Blocked, b)
	}
	if !t.plan().Scans(watchpost.PeopleWatchlist) && t.hasWatchlist(watchpost.PeopleWatchlist) {
		status.Blocked = append(status.Blocked, protocol.Blocked{
			Reason: protocol.BlockedPlan, TaskTypes: []string{string(watchpost.TaskPeopleScan)},
		})
	}
	bound, ok := t.bindings[member]
	if !ok {
		return status
	}
	status.Account = &protocol.Account{
		URN: string(bound.Account), Slug: bound.Slug, Name: bound.Name, SignedIn: w.signedIn && w.account == bound.Account,
	}
	for k, n := range waiting {
		if (k.member == "" || k.member == member) && (k.account == "" || k.account == bound.Account) {
			could += n
		}
	}
	for _, u := range t.used(bound.Account, now) {
		status.Allowances = append(status.Allowances, protocol.AllowanceState{
			Action: string(u.Action), Used: u.Used, Limit: u.Limit, ResetsAt: u.ResetsAt,
		})
	}
	return status
}

func (t *team) hasWatchlist(kind watchpost.WatchlistType) bool {
	for _, tracked := range t.watchlists {
		if tracked.view.Watchlist.Type == kind {
			return true
		}
	}
	return false
}

// waitingByKind counts the tasks that wait.
func (d *dispatcher) waitingByKind() map[queueKey]int {
	counts := map[queueKey]int{}
	for _, k := range d.waiting {
		counts[k]++
	}
	return counts
}
