package headless

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
	"watchpost/internal/tracing"
	"watchpost/watchpost"
)

// maxQueued is the number of tasks that may wait while one runs. The service
// hands out one at a time; more wait only after a restart.
const maxQueued = 4

// session is a running session.
type session struct {
	opts    Options
	log     *slog.Logger
	journal *Journal
	net     *client
	boot    string
	wake    chan struct{}   // wakes the worker
	named   chan struct{}   // closed when the account to sign in as is known
	parent  context.Context // ends with Run; parent of the tasks' contexts

	mu        sync.Mutex
	account   protocol.Account
	email     string        // of the member, from the last welcome
	out       *outbox       // of the current connection, nil before welcome
	offset    time.Duration // the service's clock minus the session's
	welcomed  bool          // a welcome has arrived
	tasks     map[string]*task
	queue     []*task
	check     bool   // an account check is running
	bound     string // URN of the account that the member works as; "" if unknown
	confirmed bool   // a bind frame was sent
	beatTicks int    // ticks between two heartbeats without a task, as the service asks
	ticks     int    // since the last heartbeat
}

// task is an open task: its journal entry and its state in this process. The
// session's mutex guards it.
type task struct {
	entry  Entry
	ctx    context.Context // ends when the task should stop
	cancel context.CancelCauseFunc
	// running is true from the worker's first step on it to its end.
	running bool
	// asking is true after acting was sent, until the answer arrives: whether to go.
	asking bool
	onGo   chan bool
	// parts are the unacknowledged parts, in order. flushed is closed when none
	// is left and the worker waits for that.
	parts   []protocol.Frame
	flushed chan struct{}
	// again restarts the task: it was handed out under a new attempt.
	again bool
}

// newTask makes the task of an entry.
func newTask(parent context.Context, e Entry) *task {
	ctx, cancel := context.WithCancelCause(tracing.Under(parent, e.Trace))
	return &task{entry: e, ctx: ctx, cancel: cancel, onGo: make(chan bool, 1)}
}

// Run works as a session until ctx ends, whose error it then returns, or until
// the service ends it: ErrRevoked or ErrReplaced. It returns ErrJournalInUse
// when another session has the journal open. Other errors are logged and
// retried.
func Run(ctx context.Context, opts Options) error {
	if err := opts.prepare(); err != nil {
		return err
	}
	journal, unread, err := OpenJournal(opts.JournalDir)
	if err != nil {
		return err
	}
	defer func() { _ = journal.Close() }()
	s := &session{
		opts: opts, journal: journal, boot: watchpost.NewSecret(8),
		log:     opts.Logger,
		wake:    make(chan struct{}, 1),
		named:   make(chan struct{}),
		tasks:   make(map[string]*task),
		account: protocol.Account{Slug: opts.Account},
	}
	for _, name := range unread {
		s.log.Warn("session: skipping an unreadable journal file", "file", name)
	}
	if s.net, err = newClient(opts.NetworkURL, opts.HTTPClient, opts.Account, s.sawAccount); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	s.parent = ctx
	if opts.Account != "" {
		s.signIn(ctx)
	}
	for _, e := range journal.Entries() {
		t := newTask(ctx, e)
		s.tasks[e.Task] = t
		if e.State != protocol.StateDone {
			s.queue = append(s.queue, t)
		}
	}
	running.Go(func() {
		if s.takeAccount(ctx) {
			s.work(ctx)
		}
	})
	return s.connect(ctx, &running)
}

// now is the service's time, as last learnt from a welcome.
func (s *session) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Clock.Now().Add(s.offset)
}

// sawAccount stores the account that a page shows and reports a change to the
// service.
func (s *session) sawAccount(v *page.Viewer, challenge bool) {
	s.mu.Lock()
	before := s.account
	if v == nil {
		s.account.SignedIn, s.account.Challenge = false, challenge
	} else {
		s.account = protocol.Account{URN: v.URN, Slug: v.Slug, Name: v.Name, SignedIn: true}
	}
	changed := before != s.account
	s.mu.Unlock()
	if changed {
		s.log.Info("session: account changed", "account", s.net.account(), "signed_in", v != nil, "challenge", challenge)
		s.beat()
	}
}

// checkAccount checks that the account is signed in and signs it in again if
// not, as a member would. One check runs at a time.
func (s *session) checkAccount(ctx context.Context) {
	if s.net.account() == "" {
		return // the first status names it
	}
	s.mu.Lock()
	busy := s.check
	s.check = true
	s.mu.Unlock()
	if busy {
		return
	}
	defer func() {
		s.mu.Lock()
		s.check = false
		s.mu.Unlock()
	}()
	_, err := s.net.get(ctx, "/feed", nil, page.KindFeed)
	if hasCode(err, protocol.CodeSignedOut) {
		err = s.net.signIn(ctx)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("session: account check failed", "error", err)
	}
}

// sendLocked sends a frame if there is a connection. Important frames are
// repeated after the next welcome. The caller holds the mutex.
func (s *session) sendLocked(f protocol.Frame) {
	if s.out != nil {
		s.out.add(f)
	}
}

// beat sends a heartbeat: the account, and the leases to renew.
func (s *session) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := protocol.Frame{Type: protocol.TypeHeartbeat, Account: s.accountLocked(), Running: []protocol.RunningTask{}}
	for _, t := range s.tasks {
		if t.entry.State != protocol.StateDone {
			f.Running = append(f.Running, protocol.RunningTask{Task: t.entry.Task, Lease: t.entry.Lease})
		}
	}
	s.sendLocked(f)
}

// askedLocked takes the interval that the service asks for, if a frame has one. The
// caller holds the mutex.
func (s *session) askedLocked(f protocol.Frame) {
	if f.HeartbeatS > 0 {
		s.beatTicks = f.HeartbeatS / int(protocol.HeartbeatEvery/time.Second)
	}
}

// beatDue counts a tick and reports whether it has a heartbeat. While there are tasks
// each one has, because leases are short.
func (s *session) beatDue() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ticks++; s.ticks < s.beatTicks && len(s.tasks) == 0 {
		return false
	}
	s.ticks = 0
	return true
}

func (s *session) accountLocked() *protocol.Account {
	account := s.account
	return &account
}

// hello is the first frame of a connection. It must be small: tasks that do not
// fit are left out, done ones first, because their results follow anyway.
func (s *session) hello() protocol.Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := protocol.Frame{
		Type: protocol.TypeHello, V: protocol.Version, Token: s.opts.Token, Boot: s.boot, Journal: s.journal.ID(),
		Version: s.opts.Version, Account: s.accountLocked(), Tasks: []protocol.JournalTask{},
		Browser: &protocol.Browser{Name: "watchpost session", Version: s.opts.Version, OS: runtime.GOOS, Label: hostname()},
	}
	for _, state := range []string{protocol.StateActing, protocol.StateReceived, protocol.StateDone} {
		for _, e := range s.journal.Entries() {
			if e.State == state {
				f.Tasks = append(f.Tasks, protocol.JournalTask{Task: e.Task, Lease: e.Lease, Attempt: e.Attempt, State: e.State})
			}
		}
	}
	for len(f.Tasks) > 0 && frameSize(f) > protocol.MaxHelloFrame {
		f.Tasks = f.Tasks[:len(f.Tasks)-1]
	}
	return f
}

// hostname is the machine's name for the label, or "".
func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// frameSize is the length of a frame in bytes.
func frameSize(f protocol.Frame) int {
	b, err := json.Marshal(f)
	if err != nil {
		return 0 // sending it reports the error
	}
	return len(b)
}

// put journals a change to a task's entry and applies it.
func (s *session) put(t *task, change func(e *Entry)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := t.entry
	change(&e)
	if err := s.journal.Put(e); err != nil {
		return err
	}
	t.entry = e
	return nil
}

// entry returns a copy of a task's entry.
func (s *session) entry(t *task) Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.entry
}

// forgetLocked removes a task from memory and journal. The caller holds the
// mutex.
func (s *session) forgetLocked(t *task, why error) {
	if s.tasks[t.entry.Task] == t {
		delete(s.tasks, t.entry.Task)
		if err := s.journal.Remove(t.entry.Task); err != nil {
			s.log.Error("session: task not removed from the journal", "task", t.entry.Task, "error", err)
		}
	}
	for i, q := range s.queue {
		if q == t {
			s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
			break
		}
	}
	t.cancel(why)
}
