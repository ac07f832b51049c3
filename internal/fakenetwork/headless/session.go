package headless

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"watchpost"
	"watchpost/internal/fakenetwork/page"
	"watchpost/internal/protocol"
)

// maxQueued is how many tasks a session takes beside the one it does. The
// service hands out one at a time; more wait here only after a restart.
const maxQueued = 4

// session is a running session.
type session struct {
	opts    Options
	log     *slog.Logger
	journal *Journal
	net     *client
	boot    string
	wake    chan struct{}   // tells the worker that there is something to do
	parent  context.Context // ends with Run; tasks end with it

	mu        sync.Mutex
	account   protocol.Account
	out       *outbox       // of the present connection, nil before welcome
	offset    time.Duration // the service's clock minus ours
	met       bool          // there was a welcome
	tasks     map[string]*task
	queue     []*task
	check     bool   // an account check is on its way
	bound     string // urn of the account that the member works as; "" when not known
	confirmed bool   // bind was said
}

// task is an open task: its journal entry and what this process does about it.
// The session's mutex guards it.
type task struct {
	entry  Entry
	ctx    context.Context // ends when the task is not to be done any more
	cancel context.CancelCauseFunc
	// running is true from the worker's first look at it to its end.
	running bool
	// asking is true while acting was said and go has not come.
	asking bool
	goes   chan struct{}
	// parts are those that the service has not acknowledged, in order;
	// flushed is closed when there are none left and one waits for that.
	parts   []protocol.Frame
	flushed chan struct{}
	// again asks for the task to be done anew: a new attempt was handed out.
	again bool
}

// newTask makes the task of an entry.
func newTask(parent context.Context, e Entry) *task {
	ctx, cancel := context.WithCancelCause(parent)
	return &task{entry: e, ctx: ctx, cancel: cancel, goes: make(chan struct{}, 1)}
}

// Run works as a session until ctx ends, whose error it then returns, or until
// the service ends it: ErrRevoked, ErrReplaced. A journal that another session
// has open is ErrJournalInUse. Whatever else goes wrong is logged and tried
// again.
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
		log:     opts.Logger.With("account", opts.Account),
		wake:    make(chan struct{}, 1),
		tasks:   make(map[string]*task),
		account: protocol.Account{Slug: opts.Account},
	}
	for _, name := range unread {
		s.log.Warn("session: journal file not understood, left alone", "file", name)
	}
	if s.net, err = newClient(opts.NetworkURL, opts.HTTPClient, opts.Account, s.sawAccount); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	s.parent = ctx
	if err := s.net.signIn(ctx); err != nil {
		s.log.Warn("session: not signed in to the network", "error", err)
	}
	for _, e := range journal.Entries() {
		t := newTask(ctx, e)
		s.tasks[e.Task] = t
		if e.State != protocol.StateDone {
			s.queue = append(s.queue, t)
		}
	}
	running.Go(func() { s.work(ctx) })
	return s.connect(ctx, &running)
}

// now is the service's time as far as the session knows it.
func (s *session) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Clock.Now().Add(s.offset)
}

// sawAccount keeps what a page says about the account, and tells the service
// when that changed.
func (s *session) sawAccount(v *page.Viewer) {
	s.mu.Lock()
	before := s.account
	if v == nil {
		s.account.SignedIn = false
	} else {
		s.account = protocol.Account{URN: v.URN, Slug: v.Slug, Name: v.Name, SignedIn: true}
	}
	changed := before != s.account
	s.mu.Unlock()
	if changed {
		s.log.Info("session: account", "signed_in", v != nil)
		s.beat()
	}
}

// checkAccount looks whether the account is signed in, and signs it in again
// when it is not: a member would. One check at a time.
func (s *session) checkAccount(ctx context.Context) {
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
		s.log.Warn("session: account not usable", "error", err)
	}
}

// sayLocked sends a frame if there is a connection; what matters is said again
// after the next welcome. The caller holds the mutex.
func (s *session) sayLocked(f protocol.Frame) {
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
	s.sayLocked(f)
}

func (s *session) accountLocked() *protocol.Account {
	account := s.account
	return &account
}

// hello is the first frame of a connection. It must be small: tasks that do
// not fit are left out, the done ones first, whose results follow anyhow.
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

// hostname is the label of the machine; "" when it has no name.
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
		return 0 // sending it will say so
	}
	return len(b)
}

// put journals a changed entry of a task and keeps it.
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

// forgetLocked drops a task from memory and journal. The caller holds the mutex.
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
