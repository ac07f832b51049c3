package actors

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/actors/vault"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/watchpost"
)

// The large team of BenchmarkLargeTeam: each session is connected, each member's
// account has done its likes of the day, and more likes wait.
const (
	largeMembers  = 1_000
	largeSessions = 5_000
	largeTasks    = 100_000
)

// BenchmarkLargeTeam has a row for each message to a team whose cost must not
// grow with its members, sessions and open tasks.
func BenchmarkLargeTeam(b *testing.B) {
	l := newLargeTeam(b)
	n := 0
	session := func(t *team) *sessionState { // another one at each call
		n++
		return t.sessions.byID[l.sessions[n%len(l.sessions)]]
	}
	for _, row := range []struct {
		name string
		do   func(t *team)
	}{
		{"heartbeat", func(t *team) { l.announce(t, session(t), true) }},
		{"announcement", func(t *team) { l.announce(t, session(t), false) }},
		{"hello-status", func(t *team) {
			s := session(t)
			s.told = told{}
			t.statuses.changed(s)
		}},
		{"handout", func(t *team) { t.handouts.run() }},
		{"begin-end-task", func(t *team) {
			now := t.env.Clock.Now()
			task := l.like(now, session(t).record.Member, "")
			t.dispatch.Add(task, now)
			t.handouts.run()
			t.dispatch.Remove(task.ID)
			t.handouts.arm()
		}},
		{"task-status", func(t *team) {
			s := session(t)
			t.dispatch.Why(dispatch.Key{Kind: watchpost.TaskLikePost, Member: s.record.Member, Account: s.worker.Account}, t.env.Clock.Now())
		}},
		{"read-status", func(t *team) {
			t.dispatch.Why(dispatch.Key{Kind: watchpost.TaskProfileFetch}, t.env.Clock.Now())
		}},
		{"pending-turn", func(t *team) { // one turn of the mailbox
			t.pending.shownAt = t.env.Clock.Now().Add(-pendingGrain)
			t.pending.show(t.env.Clock.Now())
		}},
		{"status-turn", func(t *team) { // one turn of the mailbox
			t.dispatch.NoteMember("")
			t.statuses.untold = nil
			t.statuses.onDue(statusDue{})
		}},
		{"status-all", func(t *team) { // all sessions, in many turns
			t.dispatch.NoteMember("")
			t.statuses.untold = nil
			t.statuses.onDue(statusDue{})
			for len(t.statuses.untold) > 0 {
				t.statuses.onDue(statusDue{more: true})
			}
		}},
		{"wake", func(t *team) { t.handouts.onWake() }},
		{"api-team", func(t *team) { t.view() }},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			l.in(func(t *team) {
				for b.Loop() {
					row.do(t)
				}
			})
		})
	}
}

// largeTeam is a team's actor that also runs functions in its mailbox.
type largeTeam struct {
	*team
	b        testing.TB
	system   *actor.ActorSystem
	pid      *actor.PID
	sessions []watchpost.SessionID
	accounts map[watchpost.MemberID]protocol.Account
}

// inMailbox is a function for the mailbox.
type inMailbox func(*team)

// Receive implements actor.Actor.
func (l *largeTeam) Receive(c actor.Context) {
	if do, ok := c.Message().(inMailbox); ok {
		l.Context = c
		do(l.team)
		return
	}
	l.team.Receive(c)
}

func (l *largeTeam) ask(message any) any {
	reply, err := l.system.Root.RequestFuture(l.pid, message, 10*time.Minute).Result()
	require.NoError(l.b, err)
	return reply
}

// in runs a function in the mailbox. It is sent without a sender: its answer goes
// nowhere.
func (l *largeTeam) in(do func(*team)) {
	done := make(chan struct{})
	l.system.Root.Send(l.pid, inMailbox(func(t *team) {
		defer close(done)
		do(t)
	}))
	<-done
}

func newLargeTeam(b *testing.B) *largeTeam {
	store, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	keyring, err := vault.NewKeyring(bytes.Repeat([]byte{7}, vault.MasterKeySize))
	require.NoError(b, err)
	registry, err := New(Options{Store: store, Clock: watchpost.SystemClock{}, Keyring: keyring, Mailer: noMailer{}})
	require.NoError(b, err)
	env := registry.env
	id := watchpost.TeamID(watchpost.NewID(env.Clock.Now()))
	l := &largeTeam{b: b, system: env.System, team: newTeam(env, id), accounts: map[watchpost.MemberID]protocol.Account{}}
	l.pid = env.System.Root.SpawnPrefix(root.PropsOf(env.Environment, func() actor.Actor { return l }), string(id))
	b.Cleanup(func() {
		require.NoError(b, env.System.Root.StopFuture(l.pid).Wait())
		require.NoError(b, registry.Close(context.WithoutCancel(b.Context())))
		require.NoError(b, store.Close())
	})
	_, failed := l.ask(CreateTeam{Name: "Large", Plan: watchpost.PlanUltimate, Email: "founder@example.com", FullName: "A Founder"}).(error)
	require.False(b, failed)
	l.in(l.addMembers)
	link := env.System.Root.Spawn(actor.PropsFromFunc(func(actor.Context) {}))
	for _, session := range l.sessions {
		account := l.accounts[l.team.sessions.byID[session].record.Member]
		l.ask(sessionHello{session: session, link: link, hello: protocol.Frame{Type: protocol.TypeHello, Account: &account}})
	}
	l.in(l.addTasks)
	return l
}

// addMembers adds members, whose accounts have done their likes of the day, and
// sessions.
func (l *largeTeam) addMembers(t *team) {
	now := t.env.Clock.Now()
	for i := range largeMembers {
		m := watchpost.Member{
			ID: watchpost.MemberID(watchpost.NewID(now)), Email: fmt.Sprintf("member-%04d@example.com", i),
			FullName: "A Member", Role: watchpost.RoleMember, CreatedAt: now.Add(time.Duration(i)),
		}
		batch := &persistence.Batch{}
		t.members.put(batch, m)
		t.Commits.Submit(batch, nil)
		name := fmt.Sprintf("account-%04d", i)
		urn := watchpost.AccountURN("urn:network:member:" + name)
		l.accounts[m.ID] = protocol.Account{URN: string(urn), Slug: name, Name: "A Member", SignedIn: true}
		used := dispatch.NewLedger(urn)
		limit, _ := watchpost.AllowanceOf(watchpost.ActionLike)
		used.Count(nil, dispatch.Uses{Debited: []watchpost.Debit{{Account: urn, Action: watchpost.ActionLike, Period: watchpost.Daily.Key(now), Units: limit.Limit}}})
		t.accounts.start(urn, m.ID, used, nil)
	}
	for i := range largeSessions {
		batch := &persistence.Batch{}
		t.sessions.open(batch, t.members.list[i%largeMembers])
		t.Commits.Submit(batch, nil)
	}
	l.sessions = slices.Sorted(maps.Keys(t.sessions.byID))
}

func (l *largeTeam) like(now time.Time, member watchpost.MemberID, account watchpost.AccountURN) *watchpost.Task {
	return &watchpost.Task{
		ID: watchpost.TaskID(watchpost.NewID(now)), Type: watchpost.TaskLikePost, Input: watchpost.ParseTaskInput([]byte(`{}`)),
		State: watchpost.TaskPending, CreatedAt: now, Member: member, Account: account,
	}
}

func (l *largeTeam) addTasks(t *team) {
	now := t.env.Clock.Now()
	for i := range largeTasks {
		m := t.members.list[i%largeMembers].ID
		t.tasks.track(l.like(now, m, t.members.accountOf(m)))
	}
}

// announce does what an announcement of a session's account does, with or without
// a sign of life.
func (l *largeTeam) announce(t *team, s *sessionState, seen bool) {
	now := t.env.Clock.Now()
	m := announced{
		account: s.worker.Account, member: s.record.Member, standing: t.dispatch.Standing(s.worker.Account).Present(now), blocked: seen,
		alive:       t.accounts.alive[s.record.Member].last,
		connections: []announcedConnection{{session: s.record.ID, link: s.link, Readiness: s.worker.Readiness}},
	}
	if seen {
		m.seen, m.alive = s.record.ID, now
	}
	t.receive(m)
}

type noMailer struct{}

func (noMailer) Send(context.Context, outgoing.Mail) error { return nil }
