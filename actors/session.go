package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// sessionActor is the actor of one account of the network that a member has
// claimed, or whose allowances or open tasks still count.
//
// Owner and lifetime: the team spawns it when it loads or claims the account,
// and it lives as long as the team's tree, connected or not. It owns what the
// account has used of its allowances, its pauses, the last sign of life of its
// member, its connections, and what these hold under lease. It accepts or declines the
// tasks that the team assigns, and follows the decisions about the tasks that it holds.
type sessionActor struct {
	env     *environment
	team    *actor.PID
	ctx     actor.Context
	account watchpost.AccountURN
	member  watchpost.MemberID
	*dispatch.Standing
	alive       time.Time     // the member's last sign of life that it has seen
	day         string        // the period that newDay has seen
	connections []*connection // a few
	leases      map[watchpost.TaskID]*heldLease
	// blocked is set when what blocks the account may have changed since the last
	// announcement.
	blocked bool
}

// connection is one connected session of the account.
type connection struct {
	session watchpost.SessionID
	link    *actor.PID
	journal string
	account protocol.Account // as reported last
	day     string           // when the team has looked at the report
	dispatch.Readiness
	signs    int                // of life so far
	releases int                // in a row
	asking   []watchpost.TaskID // writes about which it asks the member
}

// attach hands a connection to the session actor of its account, or reports that it
// has sent since. then, if any, runs when the sign of life that it is, is durable.
type attach struct {
	session          watchpost.SessionID
	link             *actor.PID
	journal          string
	account          protocol.Account
	member           watchpost.MemberID
	from, fromWeekly time.Time
	pace             *dispatch.Paces
	// listed are the tasks of the journal that a hello lists, asking those about which
	// its session asks the member; nil without a hello.
	listed map[watchpost.TaskID]bool
	asking []string
	then   func(error)
}

// detach takes a connection away from a session actor: it has ended, or reported
// another account.
type detach struct {
	session watchpost.SessionID
	link    *actor.PID
}

// announced tells the team what an account may do now. then, if any, runs when that
// and everything that was submitted before is durable.
type announced struct {
	account     watchpost.AccountURN
	member      watchpost.MemberID
	standing    *dispatch.Standing
	alive       time.Time
	connections []announcedConnection
	seen        watchpost.SessionID // the session whose sign of life caused it
	answers     bool                // it answers newDay or taskDecided
	left        bool                // a connection has left
	blocked     bool                // what blocks the account may have changed
	paced       bool                // how its member wants writes to be done may have
	then        func(error)
	taken       func(error) // runs when the team has taken it up
}

// Over implements waits.
func (m announced) Over(err error) {
	for _, waiting := range []func(error){m.then, m.taken} {
		if waiting != nil {
			waiting(err)
		}
	}
}

type announcedConnection struct {
	session watchpost.SessionID
	link    *actor.PID
	dispatch.Readiness
}

// newDay has a session actor carry its leases over to the day that begins; answered
// with announced.
type newDay struct{}

// Receive implements actor.Actor.
func (s *sessionActor) Receive(c actor.Context) {
	s.ctx = c
	switch m := c.Message().(type) {
	case fromLink:
		s.onFrame(m)
	case fence:
		c.Send(s.team, m) // behind the frames that went there
	case taskDecided:
		s.onTaskDecided(m)
	case assign:
		s.onAssign(m)
	case deliver:
		s.onDeliver(m)
	case attach:
		s.onAttach(m)
	case detach:
		s.onDetach(m)
	case taskLoaded:
		s.onTaskLoaded(m)
	case recall:
		s.onRecall(m)
	case paced:
		s.onPaced(m)
	case newDay:
		s.beginDay(s.env.Clock.Now())
		s.announce(announced{answers: true})
	case actor.AutoReceiveMessage, actor.SystemMessage:
	default:
		s.env.Log.Error("unknown message", "actor", "session", "message", root.TypeName(m))
	}
}

func (s *sessionActor) connection(id watchpost.SessionID) *connection {
	for _, c := range s.connections {
		if c.session == id {
			return c
		}
	}
	return nil
}

// onAttach takes up a connection that is signed in to the account, or signed out
// of it. The newest connection of a session counts.
func (s *sessionActor) onAttach(m attach) {
	now := s.env.Clock.Now()
	if s.member != m.member {
		s.member, s.alive = m.member, time.Time{}
	}
	s.From, s.FromWeekly, s.Pace = m.from, m.fromWeekly, m.pace
	c := s.connection(m.session)
	if c == nil {
		c = &connection{session: m.session}
		s.connections = append(s.connections, c)
	}
	if c.link != m.link {
		*c = connection{session: m.session, link: m.link, journal: m.journal}
		c.Task = s.inHand(m.session, m.listed)
		s.asks(c, m.asking)
	}
	c.account, c.day = m.account, dispatch.PeriodOf(watchpost.Daily, now)
	s.lives(c, now)
	s.announce(announced{then: m.then, paced: true})
}

func (s *sessionActor) onDetach(m detach) {
	n := len(s.connections)
	s.connections = slices.DeleteFunc(s.connections, func(c *connection) bool { return c.session == m.session && c.link == m.link })
	if len(s.connections) == n {
		return
	}
	s.Asking = slices.ContainsFunc(s.connections, func(c *connection) bool { return len(c.asking) > 0 })
	s.announce(announced{left: true})
}

// onFrame handles what a connection sends: a sign of life, or news of a task. What
// it cannot decide alone goes to the team.
func (s *sessionActor) onFrame(m fromLink) {
	c := s.connection(m.session)
	if c == nil || c.link != m.link {
		s.ctx.Send(s.team, m)
		return
	}
	switch m.frame.Type {
	case protocol.TypeAccepted: // its lease is fresh: that it is in the journal changes nothing
	case protocol.TypeRetry:
		s.onRetry()
	case protocol.TypeHeartbeat:
		if !s.onHeartbeat(c, &m.frame) {
			s.ctx.Send(s.team, sessionFrame{session: m.session, frame: m.frame})
		}
	default:
		answered := s.onMembersWord(c, &m.frame)
		l := s.leases[watchpost.TaskID(m.frame.Task)]
		if l == nil || l.id != m.frame.Lease || l.task == nil {
			s.ctx.Send(s.team, sessionFrame{session: m.session, frame: m.frame})
		} else {
			s.ctx.Send(l.task, fromSession{id: m.session, link: m.link, journal: c.journal, signs: c.signs, frame: m.frame})
		}
		if answered {
			s.announce(announced{paced: true})
		}
	}
}

// onHeartbeat renews leases and notes a sign of life. It reports whether that was
// all: the team decides about another account, a new day of the claim, and what
// the session holds as another account.
func (s *sessionActor) onHeartbeat(c *connection, f *protocol.Frame) bool {
	now := s.env.Clock.Now()
	answered := s.asks(c, f.Asking)
	until := now.Add(protocol.LeaseTime)
	for _, r := range f.Running {
		l := s.leases[watchpost.TaskID(r.Task)]
		if l == nil || l.id != r.Lease || l.session != c.session || l.task == nil {
			return false
		}
		s.ctx.Send(l.task, renew{lease: r.Lease, until: until})
	}
	switch {
	case f.Pace != nil && !paceFrom(f.Pace).Equal(s.Pace.Own(c.session)):
		return false
	case f.Account == nil:
		if answered {
			s.announce(announced{paced: true})
		}
		return true
	case cleanAccount(*f.Account) != c.account || dispatch.PeriodOf(watchpost.Daily, now) != c.day:
		return false
	}
	s.lives(c, now)
	s.announce(announced{seen: c.session, paced: answered})
	return true
}

// lives notes a sign of life of a connection, and of its member if it is signed
// in. It lifts what stopped the connection.
func (s *sessionActor) lives(c *connection, now time.Time) {
	c.SignedIn, c.Stopped, c.StoppedBy = c.account.SignedIn, false, reportedStop(c.account)
	c.signs++
	s.blocked = true
	if c.SignedIn {
		s.alive = now
	}
}

// onDeliver sends a frame over the connection of a session; the team knows where
// one is that has reported another account meanwhile.
func (s *sessionActor) onDeliver(m deliver) {
	if c := s.connection(m.session); c != nil {
		s.ctx.Send(c.link, m)
		return
	}
	s.ctx.Send(s.team, m)
}

// announce tells the team what the account may do now.
func (s *sessionActor) announce(m announced) {
	m.account, m.member, m.alive, m.blocked = s.account, s.member, s.alive, s.blocked
	s.blocked = false
	m.standing = s.Present(s.env.Clock.Now())
	m.connections = make([]announcedConnection, 0, len(s.connections))
	for _, c := range s.connections {
		m.connections = append(m.connections, announcedConnection{c.session, c.link, c.Readiness})
	}
	s.ctx.Send(s.team, m)
}

// beginDay carries the leases over to the period that holds now: it reserves their
// units at once, before anything is handed out in it. They become debits when the
// tasks have noted them.
func (s *sessionActor) beginDay(now time.Time) {
	day := dispatch.PeriodOf(watchpost.Daily, now)
	if day == s.day {
		return
	}
	s.day, s.blocked = day, true
	s.Ledger.Forget(now)
	for _, l := range ordered.ByKey(s.leases) {
		s.carryOver(l, now)
	}
}
