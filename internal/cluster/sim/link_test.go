package sim

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"watchpost/internal/cluster"
	"watchpost/persistence"
)

var (
	errDown = errors.New("the database refuses the connection")
	errLost = errors.New("the connection to the database has ended")
)

// Bounds in time, as package persistence/postgres has them.
const (
	keepalive     = 25 * time.Second // until an end of a connection knows that the other is unreachable
	commitsWithin = 12 * time.Second
)

// link is the connections of a process to the database: cluster.Database and
// persistence.Store.
type link struct {
	p *process

	mu       sync.Mutex
	sessions []*session
	waiting  []*batch
	running  bool
	failed   map[persistence.Space]persistence.Epoch
}

func newLink(p *process) *link {
	return &link{p: p, failed: map[persistence.Space]persistence.Epoch{}}
}

type reply[T any] struct {
	value T
	err   error
}

// call has the database carry out a statement. When ctx ends first, the statement may
// still arrive.
func call[T any](ctx context.Context, p *process, what string, do func(*server) (T, error)) (T, error) {
	if p.dead.Load() { // what a killed process had not sent is not sent
		runtime.Goexit()
	}
	w, replies := p.w, make(chan reply[T], 2)
	answer := func(r reply[T]) func() {
		return func() {
			select {
			case replies <- r:
			default:
			}
		}
	}
	runs := w.db.runs
	lost := answer(reply[T]{err: errLost})
	w.send(&message{key: fmt.Sprintf("%d %s", p.id, what), from: p.slot, to: database, lost: lost, arrive: func() {
		var r reply[T]
		switch {
		case w.db.down:
			r.err = errDown
		case w.db.runs != runs:
			r.err = errLost
		default:
			r.value, r.err = do(w.db)
		}
		at := w.db.runs
		w.send(&message{key: fmt.Sprintf("%d reply to %s", p.id, what), from: database, to: p.slot, lost: lost, arrive: func() {
			if w.db.runs != at {
				r.err = errLost
			}
			answer(r)()
		}})
	}})
	unreachable := time.NewTimer(keepalive)
	defer unreachable.Stop()
	var r reply[T]
	select {
	case r = <-replies:
	case <-unreachable.C:
		r.err = errLost
	case <-ctx.Done():
		r.err = ctx.Err()
	case <-p.ctx.Done():
		r.err = errLost
	}
	p.Turn("answer to " + what)
	if r.err != nil {
		select {
		case r = <-replies: // it arrived while the process was frozen
		default:
			if what == "confirm" || what == "join" || what == "leave" {
				p.tell(what + "SQL is given up")
			}
		}
	}
	return r.value, r.err
}

// done is the reply to a statement that returns nothing.
func done(ctx context.Context, p *process, what string, do func(*server)) error {
	_, err := call(ctx, p, what, func(s *server) (struct{}, error) {
		do(s)
		return struct{}{}, nil
	})
	return err
}

// Renew implements cluster.Database.
func (l *link) Renew(ctx context.Context, r cluster.Renewal) (cluster.Renewed, error) {
	if l.p.old {
		r.Known, r.Snapshot = -1, ""
	}
	return call(ctx, l.p, "renew", func(s *server) (cluster.Renewed, error) { return s.renew(r), nil })
}

// Join implements cluster.Database.
func (l *link) Join(ctx context.Context, j cluster.Joining) (bool, error) {
	return call(ctx, l.p, "join", func(s *server) (bool, error) { return s.join(j), nil })
}

// Confirm implements cluster.Database.
func (l *link) Confirm(ctx context.Context, id, incarnation string, view int64) error {
	return done(ctx, l.p, "confirm", func(s *server) { s.confirm(id, incarnation, view) })
}

// Expire implements cluster.Database.
func (l *link) Expire(ctx context.Context, ids, beats []string) ([]string, error) {
	return call(ctx, l.p, "expire", func(s *server) ([]string, error) { return s.expire(ids, beats), nil })
}

// ReportDead implements cluster.Database.
func (l *link) ReportDead(ctx context.Context, id, by string, session uint32) ([]string, error) {
	l.p.tell("Node.ReportDead: a connection is refused")
	return call(ctx, l.p, "report "+id, func(s *server) ([]string, error) { return s.reportDead(id, by, session), nil })
}

// Leave implements cluster.Database.
func (l *link) Leave(ctx context.Context, id, incarnation string) error {
	return done(ctx, l.p, "leave", func(s *server) { s.leave(id, incarnation) })
}

// Drain implements cluster.Database.
func (l *link) Drain(ctx context.Context, id string) error {
	return done(ctx, l.p, "drain", func(s *server) { s.drain(id) })
}

// NextView implements cluster.Database.
func (l *link) NextView(ctx context.Context, id, incarnation string) error {
	return done(ctx, l.p, "next view", func(s *server) { s.nextView(id, incarnation) })
}

// session is a Session of a process.
type session struct {
	p     *process
	id    int
	notes chan struct{}
	gone  chan struct{} // closed when the connection has ended
	once  sync.Once
}

// ID implements cluster.Session.
func (s *session) ID() uint32 { return uint32(s.id) }

// lose ends the connection at this end.
func (s *session) lose() { s.once.Do(func() { close(s.gone) }) }

func (s *session) notified() {
	select {
	case s.notes <- struct{}{}:
	default:
	}
}

// Session implements cluster.Database.
func (l *link) Session(ctx context.Context) (cluster.Session, error) {
	s := &session{p: l.p, id: l.p.w.number(), notes: make(chan struct{}, 16), gone: make(chan struct{})}
	err := done(ctx, l.p, "connect", func(db *server) {
		db.sessions = append(db.sessions, &lockSession{of: s, locks: map[cluster.Lock]bool{}})
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions = append(l.sessions, s)
	if err != nil {
		s.fin()
		return nil, err
	}
	return s, nil
}

// fin tells the database that the connection has ended.
func (s *session) fin() {
	end := func() { s.p.w.db.end(s) }
	s.p.w.send(&message{key: fmt.Sprintf("end of session %d", s.id), from: s.p.slot, to: database, arrive: end, lost: end})
}

// ended ends the sessions of a process that has ended.
func (l *link) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sessions {
		s.fin()
	}
}

// on is call on the session's connection.
func on[T any](ctx context.Context, s *session, what string, do func(*server) (T, error)) (T, error) {
	select {
	case <-s.gone:
		var none T
		return none, errLost
	default:
	}
	return call(ctx, s.p, what, func(db *server) (T, error) {
		for _, l := range db.sessions {
			if l.of == s {
				return do(db)
			}
		}
		var none T
		return none, errLost
	})
}

// TryLock implements cluster.Session.
func (s *session) TryLock(ctx context.Context, l cluster.Lock) (bool, error) {
	return on(ctx, s, "lock "+l.What, func(db *server) (bool, error) { return db.tryLock(s, l) })
}

// Holder implements cluster.Session.
func (s *session) Holder(context.Context) string { return "another" }

// Listen implements cluster.Session.
func (s *session) Listen(ctx context.Context) error {
	_, err := on(ctx, s, "listen", func(db *server) (bool, error) {
		for _, l := range db.sessions {
			l.listens = l.listens || l.of == s
		}
		return true, nil
	})
	return err
}

// Notification implements cluster.Session.
func (s *session) Notification(ctx context.Context) error {
	select {
	case <-s.gone: // select would choose by chance
		return errLost
	default:
	}
	select {
	case <-s.notes:
		return nil
	case <-s.gone:
		return errLost
	case <-s.p.ctx.Done():
		return errLost
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Ping implements cluster.Session.
func (s *session) Ping(ctx context.Context) error {
	_, err := on(ctx, s, "ping", func(*server) (bool, error) { return true, nil })
	return err
}

// Close implements cluster.Session, and persistence.Store of link.
func (s *session) Close(context.Context) error {
	s.lose()
	s.fin()
	return nil
}

// Close implements cluster.Database.
func (l *link) Close() {}

// store is the link as a persistence.Store.
type store struct{ *link }

// Close implements persistence.Store.
func (store) Close() error { return nil }

// batch is on its way through the committer.
type batch struct {
	space persistence.Space
	epoch persistence.Epoch
	batch *persistence.Batch
	done  func(error)
	err   error
}

// Activate implements persistence.Store.
func (s store) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	epoch, err := call(ctx, s.p, "activate "+string(space), func(db *server) (persistence.Epoch, error) { return db.activate(space), nil })
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.failed[space] < epoch {
		delete(s.failed, space)
	}
	return epoch, err
}

// View implements persistence.Store.
func (s store) View(ctx context.Context) (persistence.View, error) {
	v, err := call(ctx, s.p, "view", func(db *server) (*view, error) { return db.view(), nil })
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Submit implements persistence.Store.
func (s store) Submit(space persistence.Space, epoch persistence.Epoch, b *persistence.Batch, done func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, &batch{space: space, epoch: epoch, batch: b, done: done})
	if !s.running {
		s.running = true
		s.p.Go("commits", s.commitAll)
	}
}

// commitAll commits the batches that wait, with one statement for those that have gathered,
// as the committer of package postgres does.
func (s store) commitAll() {
	for {
		s.mu.Lock()
		all := s.waiting
		s.waiting = nil
		if s.running = len(all) > 0; !s.running {
			s.mu.Unlock()
			return
		}
		var group []*batch
		for _, b := range all {
			if s.failed[b.space] >= b.epoch {
				b.err = persistence.ErrFenced
			} else {
				group = append(group, b)
			}
		}
		s.mu.Unlock()
		if len(group) > 0 {
			s.commit(group)
		}
		for _, b := range all {
			b.done(b.err)
		}
	}
}

// commit commits a group. A batch whose outcome is unknown ends its epoch.
func (s store) commit(group []*batch) {
	ctx, cancel := context.WithTimeout(context.Background(), commitsWithin)
	defer cancel()
	accepted, err := call(ctx, s.p, "commit", func(db *server) ([]bool, error) { return db.commit(group), nil })
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, b := range group {
		switch {
		case err != nil:
			b.err = err
			s.failed[b.space] = max(s.failed[b.space], b.epoch)
		case !accepted[i]:
			b.err = persistence.ErrFenced
		}
	}
}
