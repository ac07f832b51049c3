package actors

import (
	"cmp"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// sessionState is what the team keeps of a session, connected or not.
type sessionState struct {
	record  teamspace.SessionRecord
	link    *actor.PID       // the newest connection; nil while not connected
	home    *actor.PID       // the session actor that has the connection; nil: the team
	worker  *dispatch.Worker // nil while not connected
	account protocol.Account
	journal string
	told    told
	// blocked are the reasons that the metrics count of it.
	blocked []PauseReason
	// seenStored is what the store holds of record.SeenAt.
	seenStored time.Time
}

// sessionFrame carries a frame that the session actor of a connection leaves to
// the team.
type sessionFrame struct {
	session watchpost.SessionID
	frame   protocol.Frame
}

// sessions is the component of a team that owns its sessions, and hands each
// connection to the actor of the account that it is signed in to. A connection
// without such an account stays with the team.
//
// The others ask for sessions (find, of, presence), open, move and end them (open, moveTo,
// close, retireAll, endUnused), and what sends a frame (sends).
type sessions struct {
	*rootActor
	team *team

	byID     map[watchpost.SessionID]*sessionState
	byMember map[watchpost.MemberID]map[watchpost.SessionID]*sessionState
}

func newSessions(t *team) *sessions {
	return &sessions{
		rootActor: &t.rootActor, team: t,
		byID:     map[watchpost.SessionID]*sessionState{},
		byMember: map[watchpost.MemberID]map[watchpost.SessionID]*sessionState{},
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
		ss.Answer(ss.views(), nil)
	case Revoke:
		ss.onRevoke(m)
	case sessionHello:
		ss.onHello(m)
	case fromLink:
		ss.onFrame(m)
	case fence:
		ss.Context.Send(m.link, fencePassed{})
	case sessionFrame:
		ss.onSessionFrame(m)
	case linkDown:
		ss.onLinkDown(m)
	case announced:
		ss.onAnnounced(&m)
		ss.team.handouts.run()
	case deliver:
		ss.onDeliver(m)
	default:
		return false
	}
	return true
}

func (ss *sessions) load(view persistence.View) error {
	return teamspace.LoadAll(view, ss.Space, teamspace.KeySession, func(id string, r teamspace.SessionRecord) {
		// The same ids once in memory: there are many sessions.
		r.ID = watchpost.SessionID(id)
		if member, known := ss.team.members.byID(r.Member); known {
			r.Member = member.ID
		}
		ss.know(&sessionState{record: r, seenStored: r.SeenAt})
	})
}

// know takes up a session that is stored, or about to be.
func (ss *sessions) know(s *sessionState) {
	ss.byID[s.record.ID] = s
	if ss.byMember[s.record.Member] == nil {
		ss.byMember[s.record.Member] = map[watchpost.SessionID]*sessionState{}
	}
	ss.byMember[s.record.Member][s.record.ID] = s
}

// forget ends what know has begun.
func (ss *sessions) forget(s *sessionState) {
	delete(ss.byID, s.record.ID)
	delete(ss.byMember[s.record.Member], s.record.ID)
	if len(ss.byMember[s.record.Member]) == 0 {
		delete(ss.byMember, s.record.Member)
	}
}

func (ss *sessions) onOpenSession(m OpenSession) {
	member, err := ss.team.members.byEmail(m.Email)
	if err != nil {
		ss.Answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	ss.team.audit.note(batch, watchpost.AuditSessionOpened, "", member.Email)
	ss.Commit(batch, ss.open(batch, member))
}

// open makes a session with a token of 256 bits, and keeps only its
// keyed hash.
func (ss *sessions) open(batch *persistence.Batch, member watchpost.Member) SessionOpened {
	ss.makeRoom(member.ID)
	now := ss.env.Clock.Now()
	token := watchpost.NewSessionToken(ss.team.id)
	r := teamspace.SessionRecord{
		ID: watchpost.SessionID(watchpost.NewID(now)), Member: member.ID, CreatedAt: now, SeenAt: now,
		TokenHash: ss.env.Keyring.Hash(teamspace.DirToken, token),
	}
	ss.know(&sessionState{record: r, seenStored: now})
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
			ID: s.record.ID, Member: member, CreatedAt: s.record.CreatedAt, Connected: s.link != nil, Account: s.record.Slug,
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
		ss.Answer(nil, watchpost.Errorf(watchpost.NotFound, "Session not found"))
		return
	}
	st := &root.Steps{}
	batch := st.Room(2 + auditOps)
	tell := ss.close(batch, s)
	member, _ := ss.team.members.byID(s.record.Member)
	ss.team.audit.note(batch, watchpost.AuditSessionEnded, "", member.Email)
	if len(ss.of(s.record.Member)) == 0 {
		if err := ss.team.members.endClaims(st, "", s.record.Member); err != nil {
			ss.Fail(err)
			ss.Refuse(m)
			return
		}
	}
	answer := ss.env.ReplyTo(ss.Context.Sender(), root.Done{})
	ss.SubmitSteps(st, func(err error) {
		if err == nil {
			tell()
		}
		if answer != nil {
			answer(err)
		}
	})
}

// onFrame handles what a connection sends that no session actor has, or passes it
// on to the one that has it by now.
func (ss *sessions) onFrame(m fromLink) {
	s := ss.byID[m.session]
	switch {
	case s == nil || s.link != m.link:
	case s.home != nil:
		ss.Context.Send(s.home, m)
	case m.frame.Type != protocol.TypeAccepted:
		ss.onSessionFrame(sessionFrame{session: m.session, frame: m.frame})
	}
}

// onSessionFrame renews leases, and carries frames about a task to its actor.
func (ss *sessions) onSessionFrame(m sessionFrame) {
	s := ss.byID[m.session]
	if s == nil || s.link == nil {
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
	open := ss.team.tasks.find(watchpost.TaskID(m.frame.Task))
	if open != nil && (m.frame.Type != protocol.TypeActing || s.mayAct(open)) {
		ss.team.tasks.tell(fromSession{id: m.session, link: s.link, journal: s.journal, frame: m.frame}, open)
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
	ss.Commits.Submit(nil, ss.sends(s, reply))
}

// sends returns what sends a frame over the connection that a session has now.
func (ss *sessions) sends(s *sessionState, frame protocol.Frame) func(error) {
	root, link := ss.env.System.Root, s.link
	return func(err error) {
		if err == nil {
			root.Send(link, deliver{frame: frame})
		}
	}
}

func (ss *sessions) onHeartbeat(s *sessionState, f protocol.Frame) {
	until := ss.env.Clock.Now().Add(protocol.LeaseTime)
	for _, r := range f.Running {
		if open := ss.team.tasks.find(watchpost.TaskID(r.Task)); open != nil && open.holder == s.record.ID && r.Lease != "" {
			ss.team.tasks.tell(renew{lease: r.Lease, until: until}, open)
		}
	}
	ss.team.paces.onPace(s, f.Pace)
	if f.Account == nil {
		return
	}
	before := *s.worker
	batch := &persistence.Batch{}
	ss.saw(batch, s, false, ss.env.Clock.Now())
	ss.reportAccount(batch, s, *f.Account)
	ss.Commits.Submit(batch, nil)
	ss.team.handouts.run()
	if !s.worker.SameAccount(&before) {
		ss.team.statuses.changed(s)
	}
	ss.team.statuses.onBeat(s)
}

// onAnnounced takes up what an account may do now.
func (ss *sessions) onAnnounced(m *announced) {
	ss.team.dispatch.Announce(m.account, m.standing)
	batch := &persistence.Batch{}
	if _, known := ss.team.members.byID(m.member); known {
		ss.team.accounts.lives(batch, m.member, m.alive, m.left)
	}
	for _, c := range m.connections {
		s := ss.byID[c.session]
		if s == nil || s.link != c.link || s.home != ss.team.accounts.actor(m.account) {
			continue
		}
		before := *s.worker
		s.worker.Stopped, s.worker.StoppedBy = c.Stopped, c.StoppedBy
		if c.Offers == s.worker.Offers {
			s.worker.Task = c.Task
		}
		ss.team.dispatch.Changed(s.worker)
		if !m.blocked {
			continue
		}
		ss.team.accounts.showBlocked(s)
		if !s.worker.SameAccount(&before) {
			ss.team.statuses.changed(s)
		}
	}
	ss.team.rules.OnAccountChanged(m.member)
	if s := ss.byID[m.seen]; s != nil {
		now := ss.env.Clock.Now()
		ss.saw(batch, s, false, now)
		if s.home == ss.team.accounts.actor(m.account) && s.worker.SignedIn && ss.team.members.unconfirmed(m.account, now) {
			ss.reportAccount(batch, s, s.account)
			ss.team.statuses.changed(s)
		}
		ss.team.statuses.onBeat(s)
	}
	ss.Commits.Submit(batch, m.then)
	if m.taken != nil {
		m.taken(nil)
	}
	if m.paced {
		ss.team.handouts.arm()
	}
	if m.answers {
		if m.blocked {
			ss.team.handouts.arm() // a breaker may have opened
		}
		ss.team.handouts.answered(nil)
	}
}

// onDeliver sends a frame to a session whose connection its session actor has no
// longer.
func (ss *sessions) onDeliver(m deliver) {
	if s := ss.byID[m.session]; s != nil && s.link != nil {
		ss.Context.Send(s.link, m)
	}
}

// onLinkDown takes a session whose connection is gone out of the hand-out;
// it keeps its leases until they are over.
func (ss *sessions) onLinkDown(m linkDown) {
	if s := ss.byID[m.session]; s != nil && s.link == m.link {
		ss.retire(s)
		ss.team.pending.countAgain(ss.env.Clock.Now()) // all its work waits for another reason now
	}
}

// retire hands a session nothing more.
func (ss *sessions) retire(s *sessionState) {
	if s.link == nil {
		return
	}
	ss.disconnect(s)
	s.link, s.worker = nil, nil
	ss.env.countSessions(-1)
	ss.Commits.Announce(root.Change{Topic: root.TopicTeam})
}

// disconnect takes a session's connection away from its session actor.
func (ss *sessions) disconnect(s *sessionState) {
	if s.home != nil {
		ss.Context.Send(s.home, detach{s.record.ID, s.link})
		s.home = nil
	}
	ss.team.dispatch.Leave(s.worker)
	ss.env.metrics.countBlocked(&s.blocked, nil)
}

// onRenewLeases prolongs what connected sessions hold, before the clock is set.
func (ss *sessions) onRenewLeases(m root.ClockAdvances) {
	ss.team.handouts.renew(m.Until)
	for session, s := range ordered.ByKey(ss.byID) {
		if s.link == nil {
			continue
		}
		for _, open := range ss.team.tasks.heldBy(session) {
			ss.team.tasks.tell(renew{until: m.Until}, open)
		}
	}
	ss.Answer(root.Done{}, nil)
}

// find returns a session; nil when there is none of the id.
func (ss *sessions) find(id watchpost.SessionID) *sessionState { return ss.byID[id] }

// retireAll retires the sessions at the end of the activation.
func (ss *sessions) retireAll() {
	for _, s := range ordered.ByKey(ss.byID) {
		s.home = nil // it has ended
		ss.retire(s) // of a team that broke; otherwise none is connected
	}
}
