package actorstest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// Session is a scripted session: the test plays the browser extension.
type Session struct {
	T       testing.TB
	Team    *Team
	Email   string
	Token   string
	ID      watchpost.SessionID
	Account protocol.Account
	Journal string
	// Each hello and heartbeat sends Pace and Asking.
	Pace   *protocol.Pace
	Asking []string

	line  *line
	syncs int
}

// line is one connection of a session.
type line struct {
	run    *run
	link   *actors.Link
	frames chan protocol.Frame
	// statuses are those that came, apart: they come at moments of their own.
	statusMu sync.Mutex
	statuses []protocol.Frame
	came     chan struct{} // a status has come
	closed   chan Closed
	ended    atomic.Bool
	down     chan struct{} // closed when the service ended the connection
}

// Closed is how the service ended a connection.
type Closed struct {
	Code   int
	Reason string
}

// Account is an account of the network.
func Account(slug string) protocol.Account {
	return protocol.Account{URN: "urn:network:member:" + slug, Slug: slug, Name: strings.ToTitle(slug), SignedIn: true}
}

// Session makes a session for the team's founder, signed in to an account, and
// not yet connected.
func (team *Team) Session(t testing.TB, slug string) *Session {
	t.Helper()
	return team.SessionOf(t, team.Email, slug)
}

// SessionOf makes a session for a member.
func (team *Team) SessionOf(t testing.TB, email, slug string) *Session {
	t.Helper()
	opened := Must[actors.SessionOpened](t, team, actors.OpenSession{Email: email})
	return &Session{T: t, Team: team, Email: email, Token: opened.Token, Account: Account(slug), Journal: "journal-" + watchpost.NewSecret(4)}
}

// Member adds a member to the team and returns the email.
func (team *Team) Member(t testing.TB, name string) string {
	t.Helper()
	email := fmt.Sprintf("%s-%s@example.com", name, watchpost.NewSecret(6))
	Must[watchpost.Member](t, team, actors.AddMember{Email: email, FullName: name, Role: watchpost.RoleMember})
	return email
}

// URN is the account's name as the service keeps it.
func (s *Session) URN() watchpost.AccountURN {
	return watchpost.AccountURN(strings.ToLower(s.Account.URN))
}

// Hello connects with a hello that lists tasks of the journal.
func (s *Session) Hello(tasks ...protocol.JournalTask) error {
	ctx, cancel := context.WithTimeout(context.Background(), Wait)
	defer cancel()
	return s.HelloContext(ctx, tasks...)
}

// HelloContext is Hello with the end of the caller's patience.
func (s *Session) HelloContext(ctx context.Context, tasks ...protocol.JournalTask) error {
	account := s.Account
	l := &line{run: s.Team.W.run, frames: make(chan protocol.Frame, 4096), came: make(chan struct{}, 1), closed: make(chan Closed, 1), down: make(chan struct{})}
	hello := protocol.Frame{
		Type: protocol.TypeHello, V: protocol.Version, Token: s.Token, Boot: watchpost.NewSecret(4), Journal: s.Journal,
		Version: "1.0.0", Account: &account, Tasks: tasks, Pace: s.Pace, Asking: s.Asking,
	}
	link, err := s.Team.W.Registry.Connect(ctx, hello, l.deliver,
		func(code int, reason string) {
			l.ended.Store(true)
			l.closed <- Closed{code, reason}
			close(l.down)
		})
	if err != nil {
		return err
	}
	l.link = link
	s.line = l
	s.Team.W.keep(link)
	return nil
}

// deliver sorts the incoming frames.
func (l *line) deliver(f protocol.Frame) {
	if f.Type == protocol.TypeStatus {
		l.statusMu.Lock()
		l.statuses = append(l.statuses, f)
		l.statusMu.Unlock()
		select {
		case l.came <- struct{}{}:
		default:
		}
		return
	}
	l.frames <- f
}

// status takes the oldest status; ok is false when there is none.
func (l *line) status() (f protocol.Frame, ok bool) {
	l.statusMu.Lock()
	defer l.statusMu.Unlock()
	if len(l.statuses) == 0 {
		return f, false
	}
	f, l.statuses = l.statuses[0], l.statuses[1:]
	return f, true
}

// ExpectStatus returns the next status that is wanted, and drops those before
// it. No other method returns a status.
func (s *Session) ExpectStatus(wanted func(protocol.Frame) bool) protocol.Frame {
	s.T.Helper()
	seen := []protocol.Frame{}
	for timeout := time.After(Wait); ; {
		if f, ok := s.line.status(); ok {
			if seen = append(seen, f); wanted(f) {
				return f
			}
			continue
		}
		select {
		case <-s.line.came:
		case <-timeout:
			require.FailNow(s.T, "no such status came", "%+v", seen)
		}
	}
}

// ExpectNoStatus fails when a status has come that ExpectStatus did not return.
func (s *Session) ExpectNoStatus(why string) {
	s.T.Helper()
	s.Settle()
	if f, ok := s.line.status(); ok {
		require.FailNow(s.T, "unexpected status", "%s: %+v", why, f)
	}
}

// Connect connects and is welcomed.
func (s *Session) Connect(tasks ...protocol.JournalTask) *Session {
	s.T.Helper()
	require.NoError(s.T, s.Hello(tasks...))
	welcome := s.Expect(protocol.TypeWelcome)
	require.NotEmpty(s.T, welcome.Session)
	require.Equal(s.T, 20, welcome.HeartbeatS)
	require.Equal(s.T, 60, welcome.LeaseS)
	require.NotNil(s.T, welcome.ServerTime)
	require.NotNil(s.T, welcome.Member)
	require.Equal(s.T, s.Email, welcome.Member.Email)
	s.ID = watchpost.SessionID(welcome.Session)
	return s
}

// Line returns the present connection, so that a test may go on with it after
// a newer one was made.
func (s *Session) Line() *Session {
	old := *s
	return &old
}

// Drop breaks the connection; the service knows of it when Drop returns.
func (s *Session) Drop() {
	s.T.Helper()
	w := s.Team.W
	before := w.Gauge("watchpost_sessions_connected")
	s.line.link.Close()
	if s.line.run == w.run && s.Open() {
		require.Eventually(s.T, func() bool { return w.Gauge("watchpost_sessions_connected") < before }, Wait, time.Millisecond)
	}
}

// Send sends a frame.
func (s *Session) Send(f protocol.Frame) { s.line.link.Receive(f) }

// Frames is where the frames of the present connection come, for a test that
// plays several sessions at once. Settle does not ask for their tasks.
func (s *Session) Frames() <-chan protocol.Frame { return s.line.frames }

// Next returns the next frame.
func (s *Session) Next() protocol.Frame {
	s.T.Helper()
	f, ok := s.next(nil)
	require.True(s.T, ok, "no frame came")
	return f
}

// next returns the next frame; ok is false when none comes, or when down closes
// before one does.
func (s *Session) next(down chan struct{}) (f protocol.Frame, ok bool) {
	select {
	case f = <-s.line.frames:
	default:
		select {
		case f = <-s.line.frames:
		case <-down:
			return protocol.Frame{}, false
		case <-time.After(Wait):
			return protocol.Frame{}, false
		}
	}
	if f.Type == protocol.TypeTask {
		s.Team.known.add(f.Task)
	}
	return f, true
}

// Expect returns the next frame, which must be of that type.
func (s *Session) Expect(kind string) protocol.Frame {
	s.T.Helper()
	f := s.Next()
	require.Equal(s.T, kind, f.Type, "%+v", f)
	return f
}

// ExpectClosed returns how the service ended the connection.
func (s *Session) ExpectClosed() Closed {
	s.T.Helper()
	select {
	case c := <-s.line.closed:
		return c
	case <-time.After(Wait):
		require.FailNow(s.T, "the connection was not closed")
		return Closed{}
	}
}

// Open reports whether the service has not ended the connection.
func (s *Session) Open() bool { return !s.line.ended.Load() }

// settleRounds is how many round trips Settle makes through the team and each
// of its tasks: a hand-out that follows from what happens to another task takes
// two, and one more when that in turn frees a session.
const settleRounds = 4

// Settle returns the frames that came until everything that was under way in
// the team and its tasks has come to rest.
func (s *Session) Settle() []protocol.Frame {
	s.T.Helper()
	came, up := s.TrySettle()
	require.True(s.T, up, "the connection ended")
	return came
}

// TrySettle is Settle for a connection that may end meanwhile; up tells whether
// it did not.
func (s *Session) TrySettle() (came []protocol.Frame, up bool) {
	s.T.Helper()
	for range settleRounds {
		// A part under no lease is acknowledged by the task's actor, or by the
		// team when there is none, and does nothing else.
		s.syncs++
		tasks := append(s.Team.known.all(), "settle")
		for _, id := range tasks {
			mark := -s.syncs
			s.Send(protocol.Frame{Type: protocol.TypePart, Task: id, Lease: "none", Seq: &mark})
		}
		for acked := 0; acked < len(tasks); {
			f, ok := s.next(s.line.down)
			switch {
			case !ok:
				require.True(s.T, s.line.ended.Load(), "no frame came")
				return came, false
			case f.Type == protocol.TypeAck && f.Seq != nil && *f.Seq < 0:
				if *f.Seq == -s.syncs {
					acked++
				}
			default:
				came = append(came, f)
			}
		}
	}
	return came, true
}

// ExpectNone fails when a frame comes before everything has come to rest.
func (s *Session) ExpectNone() {
	s.T.Helper()
	if came := s.Settle(); len(came) > 0 {
		require.FailNow(s.T, "unexpected frame", "%+v", came[0])
	}
}

// ExpectQuiet fails when a frame has come already. Use it where nothing more
// can come, as while the store is blocked; elsewhere ExpectNone.
func (s *Session) ExpectQuiet() {
	s.T.Helper()
	select {
	case f := <-s.line.frames:
		require.FailNow(s.T, "unexpected frame", "%+v", f)
	default:
	}
}
