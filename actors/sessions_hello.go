package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/dispatch"
	"watchpost/internal/protocol"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// sessionHello introduces a connection; answered by sessionWelcomed.
type sessionHello struct {
	session watchpost.SessionID
	link    *actor.PID
	hello   protocol.Frame
}

type sessionWelcomed struct{ team *actor.PID }

// maxJournal bounds the name of a journal, in bytes: every lease carries one.
const maxJournal = 200

// onHello welcomes a connection: claims its account, takes up what the session
// holds, and hands it work.
func (ss *sessions) onHello(m sessionHello) {
	s := ss.byID[m.session]
	if s == nil {
		ss.Answer(nil, errToken())
		return
	}
	now := ss.env.Clock.Now()
	if s.link == nil && watchpost.SessionEnds(s.record.SeenAt, now) {
		ss.endUnused(now)
		ss.Answer(nil, errToken())
		return
	}
	another := ss.connect(s, &m)
	batch := &persistence.Batch{}
	repaced := s.takePace(m.hello.Pace)
	ss.saw(batch, s, s.describe(&m.hello) || repaced, now)
	if another {
		ss.env.countSessions(1) // not before the team counts as active
	}
	if repaced {
		ss.team.paces.spread(s.record.Member)
	}
	listed := map[watchpost.TaskID]bool{}
	for _, t := range m.hello.Tasks {
		listed[watchpost.TaskID(t.Task)] = true
	}
	var home *actor.PID
	if m.hello.Account != nil {
		home = ss.takeReport(batch, s, *m.hello.Account)
	}
	ss.Commits.Submit(batch, nil)
	if home == nil {
		ss.Commits.Submit(nil, ss.welcome(s))
	}
	ss.moveTo(s, home, attach{listed: listed, asking: m.hello.Asking, then: ss.welcome(s)})
	s.told = told{}
	ss.team.statuses.changed(s) // before any task: it names the account that writes are for
	ss.reconcile(s, m.hello.Tasks)
	ss.cancelQuestions(s, m.hello.Asking)
	ss.team.handouts.run()
}

// connect makes a connection the session's only one; another reports that it had none.
func (ss *sessions) connect(s *sessionState, m *sessionHello) (another bool) {
	if another = s.link == nil; !another {
		ss.Context.Send(s.link, endLink{protocol.CloseReplaced, "replaced by a newer connection"})
		ss.disconnect(s)
	}
	s.link, s.journal = m.link, text.ClipBytes(m.hello.Journal, maxJournal)
	s.worker = &dispatch.Worker{Session: m.session, Member: s.record.Member}
	ss.team.dispatch.Changed(s.worker)
	return another
}

// welcome returns what welcomes a session and answers its hello.
func (ss *sessions) welcome(s *sessionState) func(error) {
	now := ss.env.Clock.Now()
	root, link, sender, team := ss.env.System.Root, s.link, ss.Context.Sender(), ss.Context.Self()
	member, _ := ss.team.members.byID(s.record.Member)
	frame := protocol.Frame{
		Member: &protocol.SignInMember{ID: string(member.ID), Email: member.Email},
		Type:   protocol.TypeWelcome, Session: string(s.record.ID), ServerTime: &now,
		// A session of an earlier build takes its interval from here, also while it runs a
		// task. A longer one comes with its status, which such a session ignores.
		HeartbeatS: int(watchpost.ShortHeartbeat / time.Second), LeaseS: int(protocol.LeaseTime / time.Second),
	}
	return func(err error) {
		if err != nil {
			root.Send(sender, err)
			return
		}
		root.Send(sender, sessionWelcomed{team})
		root.Send(link, deliver{frame: frame})
	}
}

// reconcile compares a session's journal with its leases here.
func (ss *sessions) reconcile(s *sessionState, listed []protocol.JournalTask) {
	s.worker.Task = ""
	byID := map[watchpost.TaskID]*protocol.JournalTask{}
	for i := range listed {
		id := watchpost.TaskID(listed[i].Task)
		byID[id] = &listed[i]
		if open := ss.team.tasks.find(id); (open == nil || open.holder != s.record.ID) && listed[i].State == protocol.StateReceived {
			ss.Context.Send(s.link, deliver{frame: protocol.Frame{Type: protocol.TypeCancel, Task: listed[i].Task}})
		}
	}
	for id, open := range ss.team.tasks.heldBy(s.record.ID) {
		ss.team.tasks.tell(reattach{link: s.link, journal: s.journal, listed: byID[id]}, open)
		if !open.acting || byID[id] != nil {
			s.worker.Task = id
		}
	}
	ss.team.dispatch.Changed(s.worker)
}
