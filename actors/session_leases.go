package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/internal/ordered"
	"watchpost/watchpost"
)

// heldLease is a task that a session of the account holds, or was offered.
type heldLease struct {
	id      string
	task    *actor.PID // nil until it is loaded
	session watchpost.SessionID
	writes  bool
	acting  bool
	// last is its debit of the last period, reserved are the debits that the task
	// has not noted yet.
	last     watchpost.Debit
	reserved []watchpost.Debit
}

// assign asks a session actor to have one of its connections do a task. The
// task's actor answers the team: with taskLeased or taskDeclined.
type assign struct {
	id      watchpost.TaskID
	task    *actor.PID
	kind    watchpost.TaskType
	units   int // at most
	session watchpost.SessionID
	until   time.Time // the lease lasts at least until then
	before  time.Time // it must not begin to act later; zero: by its lease alone
}

// taskDecided tells a session actor the decision about a task that it holds, or that its
// account has paid for; answered with announced. The team sends it when it submits the
// decision: every session actor sees the decisions in the order of the store.
type taskDecided struct {
	*taskChange
	then func(error) // what waits for the announcement
}

// Over implements waits.
func (m taskDecided) Over(err error) {
	if m.then != nil {
		m.then(err)
	}
}

// recall takes back the offer of a task that is final and has no actor any more.
type recall struct{ task watchpost.TaskID }

// taskLoaded names the actor of a task that was held when the team was loaded.
type taskLoaded struct {
	id   watchpost.TaskID
	task *actor.PID
}

// carryOver asks a task to note a debit in the period that has begun.
type carryOver struct {
	lease string
	debit watchpost.Debit
}

// onAssign accepts a task for a free connection: it sets the allowance aside and
// offers the task a lease. Otherwise it declines.
func (s *sessionActor) onAssign(m assign) {
	now := s.env.Clock.Now()
	s.beginDay(now)
	c := s.connection(m.session)
	if c != nil {
		c.Offers++
	}
	o := offer{session: s.ctx.Self()}
	if c != nil && c.Task == "" && s.Blocks(&c.Readiness, m.kind, now) == "" && s.MayBeHanded(c.session, m.kind) {
		units := max(1, min(m.units, s.Room(m.kind, now)))
		o.debit = s.Ledger.Reserve(m.kind.Action(), units, now)
		o.kind, o.until = m.kind, m.until
		o.lease = watchpost.Lease{
			ID: watchpost.NewSecret(8), Session: c.session, Account: s.account,
			Journal: c.journal, Deadline: watchpost.Earlier(watchpost.Deadline(now), m.before), Units: units,
		}
		if m.kind.Writes() {
			o.lease.Deadline = watchpost.Earlier(o.lease.Deadline, s.Pace.WriteCloses(now))
		}
		// Its own from now on: a new connection must not be handed another task
		// while this one is under way.
		c.Task = m.id
		l := &heldLease{id: o.lease.ID, task: m.task, session: c.session, last: o.debit, writes: m.kind.Writes()}
		if o.debit.Action != watchpost.ActionNone {
			l.reserved = []watchpost.Debit{o.debit}
		}
		s.hold(m.id, l)
	}
	s.ctx.Send(m.task, o)
}

func (s *sessionActor) hold(id watchpost.TaskID, l *heldLease) {
	if s.leases == nil {
		s.leases = map[watchpost.TaskID]*heldLease{}
	}
	s.leases[id] = l
	s.countWriting()
}

// countWriting notes whether a write is handed out that has not begun.
func (s *sessionActor) countWriting() {
	s.Writing = false
	for _, l := range s.leases {
		s.Writing = s.Writing || l.writes && !l.acting
	}
}

// inHand returns the task that a session holds. listed are those that its hello
// lists, nil without a hello: a write in acting that is not in its journal is
// another journal's to answer for.
func (s *sessionActor) inHand(id watchpost.SessionID, listed map[watchpost.TaskID]bool) (task watchpost.TaskID) {
	for held, l := range ordered.ByKey(s.leases) {
		if l.session == id && (!l.acting || listed == nil || listed[held]) {
			task = held
		}
	}
	return task
}

func (s *sessionActor) onTaskLoaded(m taskLoaded) {
	if l := s.leases[m.id]; l != nil {
		l.task = m.task
		s.carryOver(l, s.env.Clock.Now())
	}
}

// carryOver reserves the units of a lease in the period that holds now, if its debit
// is of an earlier one, and has the task note that.
func (s *sessionActor) carryOver(l *heldLease, now time.Time) {
	if l.task == nil {
		return
	}
	if d, later := s.Ledger.CarryOver(l.last, now); later {
		l.last = d
		l.reserved = append(l.reserved, d)
		s.ctx.Send(l.task, carryOver{l.id, d})
	}
}

// onTaskDecided follows a task that the account holds or has paid for.
func (s *sessionActor) onTaskDecided(m taskDecided) {
	s.beginDay(s.env.Clock.Now())
	s.Ledger.Count(nil, m.uses())
	s.Last = s.Ledger.LastWrite()
	s.followTask(m.taskChange)
	s.countWriting()
	s.blocked = s.blocked || m.wrote
	s.announce(announced{answers: true, taken: m.then})
}

// followTask takes over how the task stands.
func (s *sessionActor) followTask(c *taskChange) {
	l := s.leases[c.task.ID]
	if l != nil {
		for _, d := range c.debited {
			d.Attempt = 0 // reserved debits have none yet
			if i := slices.Index(l.reserved, d); i >= 0 {
				s.Ledger.Release(d)
				l.reserved = slices.Delete(l.reserved, i, i+1)
			}
		}
		l.acting = c.task.State == watchpost.TaskActing
	}
	s.countReleases(c)
	switch {
	case c.account == s.account:
		s.pause(c)
	case l != nil && c.event == taskEnded && c.task.State == watchpost.TaskCompleted:
		s.close(c.task.LeasedType())
	}
	switch c.event {
	case taskEnded:
		s.forgetQuestion(c.task.ID)
		s.letGo(c.task.ID)
	case taskReturned:
		s.letGo(c.task.ID)
	case taskDeclined:
		if l != nil && l.id == c.lease {
			s.letGo(c.task.ID)
		}
	}
}

// letGo ends what the account holds of a task.
func (s *sessionActor) letGo(id watchpost.TaskID) {
	l := s.leases[id]
	if l == nil {
		return
	}
	for _, d := range l.reserved {
		s.Ledger.Release(d)
	}
	delete(s.leases, id)
	s.countWriting()
	for _, c := range s.connections {
		if c.Task == id {
			c.Task = ""
		}
	}
}

func (s *sessionActor) onRecall(m recall) {
	s.letGo(m.task)
	s.announce(announced{})
}

// maxReleases is how many tasks in a row a connection may give back before it is
// handed nothing until its next sign of life: the cause most likely
// concerns every task.
const maxReleases = 3

// countReleases counts the tasks that a connection gave back since it last worked
// on one.
func (s *sessionActor) countReleases(c *taskChange) {
	conn := s.connection(c.by)
	if conn == nil {
		return
	}
	if !c.released {
		conn.releases = 0
		return
	}
	conn.releases++
	// A sign of life that came after the release lifts the pause.
	if conn.releases >= maxReleases && conn.signs <= c.signs {
		conn.Stopped, conn.StoppedBy, s.blocked = true, "", true
	}
}

// pause stops hand-outs to the account as a verdict says.
func (s *sessionActor) pause(c *taskChange) {
	now := s.env.Clock.Now()
	v := c.verdict
	s.blocked = true
	if v.PauseAccount {
		for _, conn := range s.connections {
			// A sign of life that came after the report lifts the pause.
			if conn.session != c.by || conn.signs <= c.signs {
				conn.Stopped, conn.StoppedBy = true, v.Failure.Code
			}
		}
	}
	kind := c.task.LeasedType()
	_, counted := watchpost.AllowanceOf(kind.Action())
	v.PauseType = v.PauseType || v.CloseAction && !counted // an action without an allowance has no reset
	switch {
	case v.PauseType || v.SlowDown || v.SiteFault:
		s.count(kind, v, c.task.ID, now)
	case v.Answered:
		s.close(kind)
	}
}

// count notes that the site failed a task of a type.
func (s *sessionActor) count(kind watchpost.TaskType, v watchpost.Outcome, task watchpost.TaskID, now time.Time) {
	if s.Fail(kind, v, task, now) {
		s.env.metrics.breakers.WithLabelValues(string(kind), "opened").Inc()
	}
}

// onRetry lets what the network's answers have stopped be tried again now: the member
// asks for it.
func (s *sessionActor) onRetry() {
	s.Probe(s.env.Clock.Now())
	s.blocked = true
	s.announce(announced{})
}

// close ends the failures of a type: the site answered as expected.
func (s *sessionActor) close(kind watchpost.TaskType) {
	b, failed := s.Succeed(kind)
	if !failed {
		return
	}
	s.blocked = true // report it to the team
	if b.Opened > 0 {
		s.env.metrics.breakers.WithLabelValues(string(kind), "closed").Inc()
	}
}
