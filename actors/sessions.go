package actors

import (
	"cmp"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// liveness is a member's last sign of life, signed in to the network.
type liveness struct {
	last   time.Time
	stored time.Time // what the store holds of it
}

// livenessGrain is how far the stored sign of life of a connected member may
// lag behind: a crash may close the 48-hour window that much early for a member
// who does not come back. Each store of it is a synced commit.
const livenessGrain = 10 * time.Minute

// sessionState is what the team keeps of a session, connected or not.
type sessionState struct {
	record  teamspace.SessionRecord
	pid     *actor.PID // nil while not connected
	hellos  int        // announced to pid
	worker  *worker    // nil while not connected
	account protocol.Account
	journal string
	told    told
	// seenStored is what the store holds of record.SeenAt.
	seenStored time.Time
}

// sessionHello introduces a connection; answered by sessionWelcomed.
type sessionHello struct {
	session watchpost.SessionID
	link    *actor.PID
	hello   protocol.Frame
}

type sessionWelcomed struct{ session *actor.PID }

// sessions is the component of a team that owns its sessions, what their
// accounts have used of their allowances, and the signs of life of members.
type sessions struct {
	*rootActor
	team *team

	byID     map[watchpost.SessionID]*sessionState
	liveness map[watchpost.MemberID]*liveness
	ledger   *ledger
	// statusTimer is set while a status may have to be sent.
	statusTimer watchpost.Timer
}

func newSessions(t *team) *sessions {
	return &sessions{
		rootActor: &t.rootActor, team: t,
		byID:     map[watchpost.SessionID]*sessionState{},
		liveness: map[watchpost.MemberID]*liveness{},
		ledger:   newLedger(),
	}
}

// receive handles what concerns sessions.
func (ss *sessions) receive(message any) bool {
	switch m := message.(type) {
	case OpenSession:
		ss.onOpenSession(m)
	case CreatePairingCode:
		ss.team.members.onCreatePairingCode(m)
	case redeemPairing:
		ss.team.members.onRedeemPairing(m)
	case ListSessions:
		ss.answer(ss.views(), nil)
	case Revoke:
		ss.onRevoke(m)
	case sessionHello:
		ss.onHello(m)
	case sessionFrame:
		ss.onSessionFrame(m)
	case sessionDown:
		ss.onSessionDown(m)
	default:
		return false
	}
	return true
}

func (ss *sessions) load(view persistence.View) error {
	return teamspace.LoadAll(view, ss.space, teamspace.KeySession, func(id string, r teamspace.SessionRecord) {
		// The same ids once in memory: there are many sessions.
		r.ID = watchpost.SessionID(id)
		if member, known := ss.team.members.byID(r.Member); known {
			r.Member = member.ID
		}
		ss.byID[watchpost.SessionID(id)] = &sessionState{record: r, seenStored: r.SeenAt}
	})
}

func (ss *sessions) onOpenSession(m OpenSession) {
	member, err := ss.team.members.byEmail(m.Email)
	if err != nil {
		ss.answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	ss.commit(batch, ss.open(batch, member))
}

// open makes a session with a token of 256 bits, and keeps only its
// keyed hash.
func (ss *sessions) open(batch *persistence.Batch, member watchpost.Member) SessionOpened {
	ss.makeRoom(member.ID)
	now := ss.env.clock.Now()
	token := watchpost.NewSecret(32)
	r := teamspace.SessionRecord{
		ID: watchpost.SessionID(watchpost.NewID(now)), Member: member.ID, CreatedAt: now, SeenAt: now,
		TokenHash: ss.env.keyring.hash(teamspace.DirToken, token),
	}
	ss.byID[r.ID] = &sessionState{record: r, seenStored: now}
	batch.Put(teamspace.Key(teamspace.KeySession, r.ID), teamspace.Encode(r))
	batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirToken, Name: r.TokenHash}, nil,
		teamspace.Encode(teamspace.OwnerEntry{Team: ss.team.id, Member: member.ID, Session: r.ID}))
	return SessionOpened{Token: token, Team: ss.team.value(), Member: member}
}

// views returns the team's sessions, connected or not.
func (ss *sessions) views() []SessionView {
	views := make([]SessionView, 0, len(ss.byID))
	for _, s := range ss.byID {
		member, _ := ss.team.members.byID(s.record.Member)
		views = append(views, SessionView{
			ID: s.record.ID, Member: member, CreatedAt: s.record.CreatedAt, Connected: s.pid != nil, Account: s.record.Slug,
			Version: s.record.Version, Browser: s.record.Browser, LastSeen: s.record.SeenAt,
		})
	}
	slices.SortFunc(views, func(a, b SessionView) int { return cmp.Compare(a.ID, b.ID) })
	return views
}

// onRevoke ends a session for good.
func (ss *sessions) onRevoke(m Revoke) {
	s := ss.byID[m.Session]
	if s == nil {
		ss.answer(nil, watchpost.Errorf(watchpost.NotFound, "Session not found"))
		return
	}
	st := &steps{}
	tell := ss.close(st.room(2), s)
	if len(ss.of(s.record.Member)) == 0 {
		if err := ss.team.members.endClaims(st, s.record.Member, ""); err != nil {
			ss.fail(err)
			ss.refuse(m)
			return
		}
	}
	answer := replyTo(ss.env, ss.ctx.Sender(), Done{})
	ss.submitSteps(st, func(err error) {
		if err == nil {
			tell()
		}
		if answer != nil {
			answer(err)
		}
	})
}

// onHello welcomes a connection: claims its account, takes up what the session
// holds, and hands it work.
func (ss *sessions) onHello(m sessionHello) {
	s := ss.byID[m.session]
	if s == nil {
		ss.answer(nil, errToken())
		return
	}
	if now := ss.env.clock.Now(); s.pid == nil && watchpost.SessionEnds(s.record.SeenAt, now) {
		ss.endUnused(now)
		ss.answer(nil, errToken())
		return
	}
	if s.pid == nil {
		s.pid = ss.spawn(newSession(ss.env, m.session, ss.ctx.Self()))
		s.worker = &worker{session: m.session, member: s.record.Member}
		s.hellos = 0
		ss.env.metrics.sessions.Inc()
	}
	s.hellos++
	s.journal = clip(m.hello.Journal, maxJournal)
	ss.ctx.Send(s.pid, attach{m.link})
	batch := &persistence.Batch{}
	ss.saw(batch, s, s.describe(&m.hello), ss.env.clock.Now())
	if m.hello.Account != nil {
		ss.reportAccount(batch, s, *m.hello.Account)
	}
	ss.team.tasks.dispatch.workers[m.session] = s.worker
	ss.showBlocked(s.worker)
	now := ss.env.clock.Now()
	root, pid, sender := ss.env.system.Root, s.pid, ss.ctx.Sender()
	member, _ := ss.team.members.byID(s.record.Member)
	welcome := protocol.Frame{
		Member: &protocol.SignInMember{ID: string(member.ID), Email: member.Email},
		Type:   protocol.TypeWelcome, Session: string(m.session), ServerTime: &now,
		HeartbeatS: int(protocol.HeartbeatEvery / time.Second), LeaseS: int(protocol.LeaseTime / time.Second),
	}
	ss.commits.submit(batch, func(err error) {
		if err != nil {
			root.Send(sender, err)
			return
		}
		root.Send(sender, sessionWelcomed{pid})
		root.Send(pid, deliver{welcome})
	})
	s.told = told{}
	ss.statusChanged(s) // before any task: it names the account that writes are for
	ss.reconcile(s, m.hello.Tasks)
	ss.team.tasks.handOut()
}

// reconcile compares a session's journal with its leases here.
func (ss *sessions) reconcile(s *sessionState, listed []protocol.JournalTask) {
	s.worker.task = ""
	byID := map[watchpost.TaskID]*protocol.JournalTask{}
	for i := range listed {
		id := watchpost.TaskID(listed[i].Task)
		byID[id] = &listed[i]
		if open := ss.team.tasks.open[id]; (open == nil || open.holder != s.record.ID) && listed[i].State == protocol.StateReceived {
			ss.ctx.Send(s.pid, deliver{protocol.Frame{Type: protocol.TypeCancel, Task: listed[i].Task}})
		}
	}
	for id, open := range ss.team.tasks.held[s.record.ID] {
		ss.ctx.Send(open.pid, reattach{pid: s.pid, journal: s.journal, listed: byID[id]})
		if !open.acting || byID[id] != nil {
			s.worker.task = id
		}
	}
}

// onSessionFrame renews leases, and carries frames about a task to its actor.
func (ss *sessions) onSessionFrame(m sessionFrame) {
	s := ss.byID[m.session]
	if s == nil || s.pid == nil {
		return
	}
	if m.frame.Type == protocol.TypeHeartbeat {
		ss.onHeartbeat(s, m.frame)
		return
	}
	if m.frame.Type == protocol.TypeBind {
		ss.onBind(s, m.frame)
		return
	}
	open := ss.team.tasks.open[watchpost.TaskID(m.frame.Task)]
	if open != nil && (m.frame.Type != protocol.TypeActing || s.mayAct(open)) {
		ss.ctx.Send(open.pid, fromSession{id: m.session, pid: s.pid, journal: s.journal, signs: s.worker.signs, frame: m.frame})
		return
	}
	if m.frame.Type == protocol.TypeResult {
		ss.team.late.onLateResult(m)
		return
	}
	// Final, never known, or not to be done as this account: acknowledged, and
	// nothing more.
	reply := protocol.Frame{Type: protocol.TypeCancel, Task: m.frame.Task}
	switch m.frame.Type {
	case protocol.TypePart:
		reply = ackOf(&m.frame)
	case protocol.TypeActing:
	default:
		return
	}
	root, pid := ss.env.system.Root, s.pid
	ss.commits.submit(nil, func(err error) {
		if err == nil {
			root.Send(pid, deliver{reply})
		}
	})
}

func (ss *sessions) onHeartbeat(s *sessionState, f protocol.Frame) {
	until := ss.env.clock.Now().Add(protocol.LeaseTime)
	for _, r := range f.Running {
		if open := ss.team.tasks.open[watchpost.TaskID(r.Task)]; open != nil && open.holder == s.record.ID && r.Lease != "" {
			ss.ctx.Send(open.pid, renew{lease: r.Lease, until: until})
		}
	}
	if f.Account == nil {
		return
	}
	before := *s.worker
	batch := &persistence.Batch{}
	ss.saw(batch, s, false, ss.env.clock.Now())
	ss.reportAccount(batch, s, *f.Account)
	ss.showBlocked(s.worker)
	ss.commits.submit(batch, nil)
	ss.team.tasks.handOut()
	if !s.worker.sameAccount(&before) {
		ss.statusChanged(s)
	}
}

// onSessionDown takes a session whose connection is gone out of the hand-out;
// it keeps its leases until they are over.
func (ss *sessions) onSessionDown(m sessionDown) {
	if s := ss.byID[m.session]; s != nil && s.pid != nil && s.hellos == m.hellos {
		ss.ctx.Poison(s.pid)
		ss.retire(s)
		batch := &persistence.Batch{}
		ss.storeLiveness(batch, s.record.Member)
		ss.commits.submit(batch, nil)
		ss.team.tasks.shownAt = time.Time{} // all its work waits for another reason now
		ss.team.tasks.showPending(ss.env.clock.Now())
	}
}

// retire hands a session nothing more.
func (ss *sessions) retire(s *sessionState) {
	if s.pid == nil {
		return
	}
	delete(ss.team.tasks.dispatch.workers, s.record.ID)
	ss.env.metrics.countBlocked(&s.worker.blocked, nil)
	s.pid, s.worker = nil, nil
	ss.env.metrics.sessions.Dec()
}

// onRenewLeases prolongs what connected sessions hold, before the clock is set.
func (ss *sessions) onRenewLeases(m renewLeases) {
	ss.team.tasks.renewed = m.until
	for session, held := range ss.team.tasks.held {
		if s := ss.byID[session]; s == nil || s.pid == nil {
			continue
		}
		for _, open := range held {
			ss.ctx.Send(open.pid, renew{until: m.until})
		}
	}
	ss.answer(Done{}, nil)
}

// maxJournal bounds the name of a journal, in bytes: every lease carries one.
const maxJournal = 200

// maxAccountURN bounds the name of an account, in bytes.
const maxAccountURN = 256
