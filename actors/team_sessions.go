package actors

import (
	"cmp"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/internal/protocol"
	"watchpost/persistence"
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
	record  sessionRecord
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

// receiveSession handles what concerns sessions.
func (t *team) receiveSession(message any) bool {
	switch m := message.(type) {
	case OpenSession:
		t.onOpenSession(m)
	case CreatePairingCode:
		t.onCreatePairingCode(m)
	case redeemPairing:
		t.onRedeemPairing(m)
	case ListSessions:
		t.answer(t.listSessions(), nil)
	case Revoke:
		t.onRevoke(m)
	case sessionHello:
		t.onHello(m)
	case sessionFrame:
		t.onSessionFrame(m)
	case sessionDown:
		t.onSessionDown(m)
	default:
		return false
	}
	return true
}

func (t *team) loadSessions(view persistence.View) error {
	return loadAll(view, t.space, keySession, func(id string, r sessionRecord) {
		// The same ids once in memory: there are many sessions.
		r.ID = watchpost.SessionID(id)
		if member, known := t.member(r.Member); known {
			r.Member = member.ID
		}
		t.sessions[watchpost.SessionID(id)] = &sessionState{record: r, seenStored: r.SeenAt}
	})
}

func (t *team) onOpenSession(m OpenSession) {
	member, err := t.memberByEmail(m.Email)
	if err != nil {
		t.answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	t.commit(batch, t.openSession(batch, member))
}

// openSession makes a session with a token of 256 bits, of which only the
// keyed hash is kept.
func (t *team) openSession(batch *persistence.Batch, member watchpost.Member) SessionOpened {
	t.makeRoom(member.ID)
	now := t.env.clock.Now()
	token := watchpost.NewSecret(32)
	r := sessionRecord{
		ID: watchpost.SessionID(watchpost.NewID(now)), Member: member.ID, CreatedAt: now, SeenAt: now,
		TokenHash: t.env.keyring.hash(dirToken, token),
	}
	t.sessions[r.ID] = &sessionState{record: r, seenStored: now}
	batch.Put(key(keySession, r.ID), encode(r))
	batch.CompareAndSet(persistence.DirectoryKey{Kind: dirToken, Name: r.TokenHash}, nil,
		encode(ownerEntry{Team: t.id, Member: member.ID, Session: r.ID}))
	return SessionOpened{Token: token, Team: t.value(), Member: member}
}

// listSessions returns the team's sessions, connected or not.
func (t *team) listSessions() []SessionView {
	views := make([]SessionView, 0, len(t.sessions))
	for _, s := range t.sessions {
		member, _ := t.member(s.record.Member)
		views = append(views, SessionView{
			ID: s.record.ID, Member: member, CreatedAt: s.record.CreatedAt, Connected: s.pid != nil, Account: s.record.Slug,
			Version: s.record.Version, Browser: s.record.Browser, LastSeen: s.record.SeenAt,
		})
	}
	slices.SortFunc(views, func(a, b SessionView) int { return cmp.Compare(a.ID, b.ID) })
	return views
}

// onRevoke ends a session for good.
func (t *team) onRevoke(m Revoke) {
	s := t.sessions[m.Session]
	if s == nil {
		t.answer(nil, watchpost.Errorf(watchpost.NotFound, "Session not found"))
		return
	}
	st := &steps{}
	tell := t.closeSession(st.room(2), s)
	if len(t.sessionsOf(s.record.Member)) == 0 {
		if err := t.endClaims(st, s.record.Member, ""); err != nil {
			t.fail(err)
			t.refuse(m)
			return
		}
	}
	answer := replyTo(t.env, t.ctx.Sender(), Done{})
	t.submitSteps(st, func(err error) {
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
func (t *team) onHello(m sessionHello) {
	s := t.sessions[m.session]
	if s == nil {
		t.answer(nil, errToken())
		return
	}
	if now := t.env.clock.Now(); s.pid == nil && watchpost.SessionEnds(s.record.SeenAt, now) {
		t.endUnused(now)
		t.answer(nil, errToken())
		return
	}
	if s.pid == nil {
		s.pid = t.spawn(newSession(t.env, m.session, t.ctx.Self()))
		s.worker = &worker{session: m.session, member: s.record.Member}
		s.hellos = 0
		t.env.metrics.sessions.Inc()
	}
	s.hellos++
	s.journal = clip(m.hello.Journal, maxJournal)
	t.ctx.Send(s.pid, attach{m.link})
	batch := &persistence.Batch{}
	t.sawSession(batch, s, s.describe(&m.hello), t.env.clock.Now())
	if m.hello.Account != nil {
		t.reportAccount(batch, s, *m.hello.Account)
	}
	t.dispatch.workers[m.session] = s.worker
	t.showBlocked(s.worker)
	now := t.env.clock.Now()
	root, pid, sender := t.env.system.Root, s.pid, t.ctx.Sender()
	member, _ := t.member(s.record.Member)
	welcome := protocol.Frame{
		Member: &protocol.SignInMember{ID: string(member.ID), Email: member.Email},
		Type:   protocol.TypeWelcome, Session: string(m.session), ServerTime: &now,
		HeartbeatS: int(protocol.HeartbeatEvery / time.Second), LeaseS: int(protocol.LeaseTime / time.Second),
	}
	t.commits.submit(batch, func(err error) {
		if err != nil {
			root.Send(sender, err)
			return
		}
		root.Send(sender, sessionWelcomed{pid})
		root.Send(pid, deliver{welcome})
	})
	s.told = told{}
	t.statusChanged(s) // before any task: it names the account that writes are for
	t.reconcile(s, m.hello.Tasks)
	t.handOut()
}

// reconcile squares what a session's journal lists with what it holds here.
func (t *team) reconcile(s *sessionState, listed []protocol.JournalTask) {
	s.worker.task = ""
	byID := map[watchpost.TaskID]*protocol.JournalTask{}
	for i := range listed {
		id := watchpost.TaskID(listed[i].Task)
		byID[id] = &listed[i]
		if open := t.tasks[id]; (open == nil || open.holder != s.record.ID) && listed[i].State == protocol.StateReceived {
			t.ctx.Send(s.pid, deliver{protocol.Frame{Type: protocol.TypeCancel, Task: listed[i].Task}})
		}
	}
	for id, open := range t.held[s.record.ID] {
		t.ctx.Send(open.pid, reattach{pid: s.pid, journal: s.journal, listed: byID[id]})
		if !open.acting || byID[id] != nil {
			s.worker.task = id
		}
	}
}

// onSessionFrame renews leases, and carries frames about a task to its actor.
func (t *team) onSessionFrame(m sessionFrame) {
	s := t.sessions[m.session]
	if s == nil || s.pid == nil {
		return
	}
	if m.frame.Type == protocol.TypeHeartbeat {
		t.onHeartbeat(s, m.frame)
		return
	}
	if m.frame.Type == protocol.TypeBind {
		t.onBind(s, m.frame)
		return
	}
	open := t.tasks[watchpost.TaskID(m.frame.Task)]
	if open != nil && (m.frame.Type != protocol.TypeActing || s.mayAct(open)) {
		t.ctx.Send(open.pid, fromSession{id: m.session, pid: s.pid, journal: s.journal, signs: s.worker.signs, frame: m.frame})
		return
	}
	if m.frame.Type == protocol.TypeResult {
		t.onLateResult(m)
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
	root, pid := t.env.system.Root, s.pid
	t.commits.submit(nil, func(err error) {
		if err == nil {
			root.Send(pid, deliver{reply})
		}
	})
}

func (t *team) onHeartbeat(s *sessionState, f protocol.Frame) {
	until := t.env.clock.Now().Add(protocol.LeaseTime)
	for _, r := range f.Running {
		if open := t.tasks[watchpost.TaskID(r.Task)]; open != nil && open.holder == s.record.ID && r.Lease != "" {
			t.ctx.Send(open.pid, renew{lease: r.Lease, until: until})
		}
	}
	if f.Account == nil {
		return
	}
	before := *s.worker
	batch := &persistence.Batch{}
	t.sawSession(batch, s, false, t.env.clock.Now())
	t.reportAccount(batch, s, *f.Account)
	t.showBlocked(s.worker)
	t.commits.submit(batch, nil)
	t.handOut()
	if !s.worker.sameAccount(&before) {
		t.statusChanged(s)
	}
}

// onSessionDown takes a session whose connection is gone out of the hand-out;
// what it holds stays its own until the leases are over.
func (t *team) onSessionDown(m sessionDown) {
	if s := t.sessions[m.session]; s != nil && s.pid != nil && s.hellos == m.hellos {
		t.ctx.Poison(s.pid)
		t.retire(s)
		batch := &persistence.Batch{}
		t.storeLiveness(batch, s.record.Member)
		t.commits.submit(batch, nil)
		t.shownAt = time.Time{} // all its work waits for another reason now
		t.showPending(t.env.clock.Now())
	}
}

// retire hands a session nothing more.
func (t *team) retire(s *sessionState) {
	if s.pid == nil {
		return
	}
	delete(t.dispatch.workers, s.record.ID)
	t.env.metrics.countBlocked(&s.worker.blocked, nil)
	s.pid, s.worker = nil, nil
	t.env.metrics.sessions.Dec()
}

// onRenewLeases prolongs what connected sessions hold, before the clock is set.
func (t *team) onRenewLeases(m renewLeases) {
	t.renewed = m.until
	for session, held := range t.held {
		if s := t.sessions[session]; s == nil || s.pid == nil {
			continue
		}
		for _, open := range held {
			t.ctx.Send(open.pid, renew{until: m.until})
		}
	}
	t.answer(Done{}, nil)
}

// maxJournal bounds the name of a journal, in bytes: every lease carries one.
const maxJournal = 200

// maxAccountURN bounds the name of an account, in bytes.
const maxAccountURN = 256

// reportAccount takes up what a session says of its account: who it is, and
// whether it is signed in. Only a session that is signed in to the account that
// its member works as, and has claimed, is a sign of life and is handed tasks.
func (t *team) reportAccount(batch *persistence.Batch, s *sessionState, reported protocol.Account) {
	now, member := t.env.clock.Now(), s.record.Member
	a := cleanAccount(reported)
	if a == s.account {
		a = s.account // what is kept of it shares its text
	}
	urn := watchpost.AccountURN(a.URN)
	w := s.worker
	s.account = a
	refused := w.other && w.inUse && w.account == urn // as the answer to bind was
	w.account, w.signedIn, w.stopped, w.stoppedBy = urn, a.SignedIn && urn != "", false, ""
	w.inUse, w.other, w.from, w.fromWeekly = false, false, time.Time{}, time.Time{}
	w.signs++
	if urn == "" {
		return
	}
	bound, known := t.bindings[member]
	if known && bound.Account != urn {
		w.other, w.inUse = true, refused
		return
	}
	claim, ours, err := t.claim(batch, urn, member, now)
	if err != nil {
		t.fail(err)
		return
	}
	w.inUse = !ours
	t.rememberAccount(batch, s, urn, ours, now)
	w.from, w.fromWeekly = claim.From, claim.FromWeekly
	if ours {
		t.keepAccount(batch, urn, member, a, now)
	}
	if !ours || !a.SignedIn {
		return
	}
	if !known || bound.Slug != a.Slug || bound.Name != a.Name {
		t.bind(batch, member, bindingRecord{Account: urn, Slug: a.Slug, Name: a.Name, At: now}, s.record.ID)
	}
	t.markAlive(batch, member, now)
}

// markAlive notes a sign of life of a member.
func (t *team) markAlive(batch *persistence.Batch, member watchpost.MemberID, now time.Time) {
	l := t.liveness[member]
	if l == nil {
		l = &liveness{}
		t.liveness[member] = l
	}
	l.last = now
	t.showPresence()
	if now.Sub(l.stored) >= livenessGrain {
		t.storeLiveness(batch, member)
	}
}

// storeLiveness stores a member's last sign of life if it is not stored yet.
func (t *team) storeLiveness(batch *persistence.Batch, member watchpost.MemberID) {
	if l := t.liveness[member]; l != nil && !l.stored.Equal(l.last) {
		l.stored = l.last
		batch.Put(key(keyLiveness, member), encode(l.last))
	}
}
