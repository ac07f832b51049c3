package actors

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// statusEvery is how often one session is sent a status at most.
const statusEvery = time.Second

// told is the last status that a session got.
type told struct {
	at   time.Time // zero: nothing since its hello
	hash uint64    // of the frame
	// every is the interval of heartbeats that it got; 0: that of the welcome.
	every time.Duration
}

// heartbeats counts the sessions connected to the teams of this node, and keeps the
// interval of heartbeats that follows from their number.
type heartbeats struct {
	mu       sync.Mutex
	sessions int
	every    atomic.Int64 // time.Duration; 0: none was connected yet
}

// countSessions counts n more connected sessions. They learn a new interval with their next
// heartbeats, so that not all of them get a status at the same time.
func (env *environment) countSessions(n int) {
	b := &env.beats
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sessions += n
	every := watchpost.NodeHeartbeat(b.sessions, time.Duration(b.every.Load()))
	b.every.Store(int64(every))
	env.metrics.sessions.Add(float64(n))
	env.metrics.heartbeat.Set(every.Seconds())
}

// statusesAtOnce is how many sessions get their status in one turn of the team's
// mailbox: a change may concern thousands, and other messages wait.
const statusesAtOnce = 10

// statusDue is the timer of the statuses, or goes on with those that it found.
type statusDue struct{ more bool }

// statuses is the component of a team that sends its sessions the work that they may do. A session
// gets its status after welcome and when the status changes. Changes of the account are
// sent at once, changes by tasks after a second, so that a burst of tasks costs one status.
//
// The others tell it what has changed: changed of one session, someChanged of those that
// the dispatcher has news for.
type statuses struct {
	*rootActor
	team *team

	timer watchpost.Timer // set while a status may have to be sent
	// untold are the crews whose sessions are being sent theirs.
	untold []*dispatch.Crew
}

// stopTimer stops the timer of the component.
func (ss *statuses) stopTimer() {
	if ss.timer != nil {
		ss.timer.Stop()
	}
}

// changed tells readers that a connection or its account has changed, and sends
// the session its status, unless that was sent less than statusEvery ago: then when
// it is over.
func (ss *statuses) changed(s *sessionState) {
	ss.Commits.Announce(root.Change{Topic: root.TopicTeam})
	now := ss.env.Clock.Now()
	switch {
	case s.worker == nil:
	case !s.told.at.IsZero() && now.Sub(s.told.at) < statusEvery:
		ss.tellLater(s)
	default:
		ss.tell(s, now)
	}
}

// tellLater has a session sent its status within a second, if it has changed.
func (ss *statuses) tellLater(s *sessionState) {
	ss.team.dispatch.NoteWorker(s.worker)
	ss.someChanged()
}

// someChanged has the sessions that the dispatcher has news for sent their
// status within a second, if it has changed.
func (ss *statuses) someChanged() {
	if ss.timer == nil && ss.team.dispatch.Connected() > 0 {
		ss.timer = ss.env.TellAt(ss.env.Clock.Now().Add(statusEvery), ss.Context.Self(), statusDue{})
	}
}

func (ss *statuses) onDue(m statusDue) {
	if !m.more {
		ss.timer = nil
		ss.untold = append(ss.untold, ss.team.dispatch.TakeNews(ss.blockedByPlan())...)
	}
	now := ss.env.Clock.Now()
	for told := 0; told < statusesAtOnce && len(ss.untold) > 0; ss.untold = ss.untold[1:] {
		for _, w := range ss.untold[0].Workers() {
			if s := ss.team.sessions.find(w.Session); now.Sub(s.told.at) >= statusEvery {
				ss.tell(s, now)
			} else {
				ss.tellLater(s)
			}
			told++
		}
	}
	if len(ss.untold) > 0 {
		ss.Context.RequestWithCustomSender(ss.Context.Self(), statusDue{more: true}, ss.Context.Sender())
		return
	}
	ss.untold = nil
	ss.Answer(root.Done{}, nil)
}

// tell sends a session its status if it differs from the last one.
func (ss *statuses) tell(s *sessionState, now time.Time) {
	frame := ss.status(s, now)
	hash := xxhash.Sum64(teamspace.Encode(frame))
	every := ss.heartbeat(s, now)
	if every != s.told.interval() {
		frame.HeartbeatS = int(every / time.Second)
	} else if s.told.hash == hash && !s.told.at.IsZero() {
		return
	}
	s.told = told{at: now, hash: hash, every: every}
	ss.Commits.Submit(nil, ss.team.sessions.sends(s, frame))
}

// onBeat tells a session that has sent a heartbeat how often it is to send them, if that
// has changed. Within statusEvery of its last status it learns it with the next heartbeat.
func (ss *statuses) onBeat(s *sessionState) {
	now := ss.env.Clock.Now()
	if s.worker != nil && ss.heartbeat(s, now) != s.told.interval() && now.Sub(s.told.at) >= statusEvery {
		ss.tell(s, now)
	}
}

// interval is the interval of heartbeats that the session knows of.
func (t *told) interval() time.Duration { return cmp.Or(t.every, watchpost.ShortHeartbeat) }

// heartbeat returns how often a session is to send heartbeats while it runs no task.
func (ss *statuses) heartbeat(s *sessionState, now time.Time) time.Duration {
	node := cmp.Or(time.Duration(ss.env.beats.every.Load()), watchpost.ShortHeartbeat)
	if node == watchpost.ShortHeartbeat {
		return node
	}
	w, member := s.worker, s.record.Member
	held := false
	if !w.Other && !w.InUse && (w.Stopped || !w.SignedIn) { // which a report changes
		bound, ok := ss.team.members.binding(member)
		held = ok && ss.team.dispatch.WaitingFor(member, bound.Account) > 0
	}
	last, _ := ss.team.accounts.lastAlive(member)
	return watchpost.SessionHeartbeat(node, held, last, now)
}

// blockedByPlan reports whether the team has watchlists whose scans its plan does
// not allow.
func (ss *statuses) blockedByPlan() bool {
	return !ss.team.plan().Scans(watchpost.PeopleWatchlist) && ss.team.watchlists.has(watchpost.PeopleWatchlist)
}

// status describes what a session may do.
func (ss *statuses) status(s *sessionState, now time.Time) protocol.Frame {
	w, member := s.worker, s.record.Member
	could := 0
	status := protocol.Frame{
		Type: protocol.TypeStatus, Blocked: []protocol.Blocked{}, Waiting: &could, Allowances: []protocol.AllowanceState{},
	}
	for _, p := range ss.team.accounts.pauses(w, now) {
		b := protocol.Blocked{Reason: string(p.Reason), Retry: p.Failures > 0} // a breaker's
		if p.Reason == PauseFailing {                                          // which sessions do not know
			b.Reason = string(PauseNotUnderstood)
		}
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
	if ss.blockedByPlan() {
		status.Blocked = append(status.Blocked, protocol.Blocked{
			Reason: protocol.BlockedPlan, TaskTypes: []string{string(watchpost.TaskPeopleScan)},
		})
	}
	bound, ok := ss.team.members.binding(member)
	if !ok {
		return status
	}
	status.Account = &protocol.Account{
		URN: string(bound.Account), Slug: bound.Slug, Name: bound.Name, SignedIn: w.SignedIn && w.Account == bound.Account,
	}
	could = ss.team.dispatch.WaitingFor(member, bound.Account)
	if until, waits := ss.team.dispatch.PacedUntil(member, bound.Account, now); waits {
		b := protocol.Blocked{Reason: protocol.BlockedMemberPace, Until: until}
		for _, kind := range watchpost.WriteTypes() {
			b.TaskTypes = append(b.TaskTypes, string(kind))
		}
		status.Blocked = append(status.Blocked, b)
	}
	for _, u := range ss.team.accounts.used(bound.Account, now) {
		status.Allowances = append(status.Allowances, protocol.AllowanceState{
			Action: string(u.Action), Used: u.Used, Limit: u.Limit, ResetsAt: u.ResetsAt,
		})
	}
	return status
}

func (ws *watchlists) has(kind watchpost.WatchlistType) bool {
	for _, tracked := range ws.byID {
		if tracked.view.Watchlist.Type == kind {
			return true
		}
	}
	return false
}
