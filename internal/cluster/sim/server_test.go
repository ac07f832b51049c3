package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"watchpost/internal/cluster"
	"watchpost/persistence"
)

// server is the database: one statement is carried out at a time. An acknowledged statement
// survives a restart and a failover, as with a synchronous standby; what is on its way then
// is lost, or it is carried out and its reply is lost.
type server struct {
	w     *world
	down  bool
	runs  int           // counts the starts: connections end with them
	clock time.Duration // ahead of the time of the life

	tx       int64
	version  int64
	members  map[string]*member
	sessions []*lockSession // in the order in which they were opened
	spaces   map[persistence.Space]*space
}

// member is a row of the table node.
type member struct {
	incarnation string
	expires     time.Duration
	seen        int64
	draining    bool
	written     int64 // the transaction that wrote it last
}

// lockSession is a session in the database.
type lockSession struct {
	of      *session
	locks   map[cluster.Lock]bool
	listens bool
}

// space is a space of the store.
type space struct {
	epoch persistence.Epoch
	pairs map[string][]byte
}

func newServer(w *world) *server {
	return &server{w: w, members: map[string]*member{}, spaces: map[persistence.Space]*space{}}
}

// restart ends all connections; the database is back after a time.
func (s *server) restart(away time.Duration) {
	s.runs++
	s.down = true
	for _, l := range s.sessions {
		s.w.send(&message{key: fmt.Sprintf("session %d ends", l.of.id), from: database, to: l.of.p.slot, arrive: l.of.lose})
	}
	s.sessions = nil
	s.w.after(away, "database is back", func() { s.down = false })
}

// end ends a session.
func (s *server) end(of *session) {
	s.sessions = slices.DeleteFunc(s.sessions, func(l *lockSession) bool { return l.of == of })
}

// tryLock takes a lock for a session.
func (s *server) tryLock(of *session, lock cluster.Lock) (bool, error) {
	var own *lockSession
	for _, l := range s.sessions {
		if l.of == of {
			own = l
			continue
		}
		for held := range l.locks {
			if held.Node == lock.Node && (!held.Shared || !lock.Shared) {
				return false, nil
			}
		}
	}
	if own == nil {
		return false, errLost
	}
	own.locks[lock] = true
	return true, nil
}

// nodeLocked reports whether a session holds the lock of a node.
func (s *server) nodeLocked(id string) bool {
	return slices.ContainsFunc(s.sessions, func(l *lockSession) bool { return l.holds(id) })
}

// holder returns the process whose session holds the lock of a node; nil: none.
func (s *server) holder(id string) *process {
	if at := slices.IndexFunc(s.sessions, func(l *lockSession) bool { return l.holds(id) }); at >= 0 {
		return s.sessions[at].of.p
	}
	return nil
}

// locked reports whether one session holds the lock of a node.
func (s *server) locked(id string, session uint32) bool {
	return slices.ContainsFunc(s.sessions, func(l *lockSession) bool { return l.of.ID() == session && l.holds(id) })
}

// holds reports whether a session holds the lock of a node.
func (l *lockSession) holds(id string) bool {
	for held := range l.locks {
		if held.Node == id {
			return true
		}
	}
	return false
}

// notify tells the sessions that listen.
func (s *server) notify() {
	for _, l := range s.sessions {
		if l.listens {
			s.w.send(&message{key: fmt.Sprintf("notification %d", l.of.id), from: database, to: l.of.p.slot, arrive: l.of.notified})
		}
	}
}

// moved begins a view.
func (s *server) moved() {
	s.version++
	s.notify()
	s.w.note("view", fmt.Sprint(s.version, slices.Sorted(maps.Keys(s.members))))
}

func (s *server) beat(m *member) string { return fmt.Sprint(m.incarnation, " ", m.expires) }

// renew is renewSQL of package cluster.
func (s *server) renew(r cluster.Renewal) (reply cluster.Renewed) {
	s.tx++
	reply.Version, reply.Snapshot = s.version, fmt.Sprint(s.tx-1)
	before := int64(-1)
	if r.Snapshot != "" {
		_, _ = fmt.Sscan(r.Snapshot, &before)
	}
	for _, id := range slices.Sorted(maps.Keys(s.members)) {
		m := s.members[id]
		if unchanged := m.written <= before; s.version != r.Known || unchanged {
			reply.Rows = append(reply.Rows, cluster.Row{Member: cluster.Member{ID: id, Draining: m.draining, Seen: m.seen}, Beat: s.beat(m), Unchanged: unchanged})
		}
	}
	if m := s.members[r.ID]; m != nil && m.incarnation == r.Incarnation {
		reply.Renewed = true
		m.expires, m.written = s.w.now()+s.clock+r.TTL, s.tx
	}
	return reply
}

// join is joinSQL.
func (s *server) join(j cluster.Joining) bool {
	if !s.locked(j.ID, j.Session) {
		return false
	}
	s.tx++
	s.members[j.ID] = &member{incarnation: j.Incarnation, expires: s.w.now() + s.clock + j.TTL, draining: j.Draining, written: s.tx}
	s.moved()
	return true
}

// confirm is confirmSQL.
func (s *server) confirm(id, incarnation string, view int64) {
	s.tx++
	if m := s.members[id]; m != nil && m.incarnation == incarnation && m.seen < view {
		m.seen, m.written = view, s.tx
		s.notify()
	}
}

// expire is expireSQL.
func (s *server) expire(ids, beats []string) (removed []string) {
	for i, id := range ids {
		if m := s.members[id]; m != nil && s.beat(m) == beats[i] {
			delete(s.members, id)
			removed = append(removed, id)
		}
	}
	if len(removed) > 0 {
		s.moved()
	}
	return removed
}

// reportDead is reportDeadSQL.
func (s *server) reportDead(id, by string, session uint32) (removed []string) {
	if s.members[id] == nil || s.nodeLocked(id) || !s.locked(by, session) {
		return nil
	}
	delete(s.members, id)
	s.moved()
	return []string{id}
}

// leave is leaveSQL.
func (s *server) leave(id, incarnation string) {
	if m := s.members[id]; m != nil && m.incarnation == incarnation {
		delete(s.members, id)
		s.moved()
	}
}

// drain is drainSQL.
func (s *server) drain(id string) {
	s.tx++
	if m := s.members[id]; m != nil && !m.draining {
		m.draining, m.written = true, s.tx
		s.moved()
	}
}

// nextView is nextViewSQL.
func (s *server) nextView(id, incarnation string) {
	if m := s.members[id]; m != nil && m.incarnation == incarnation {
		s.moved()
	}
}

func (s *server) space(name persistence.Space) *space {
	if s.spaces[name] == nil {
		s.spaces[name] = &space{pairs: map[string][]byte{}}
	}
	return s.spaces[name]
}

// activate is activateSQL of package postgres.
func (s *server) activate(name persistence.Space) persistence.Epoch {
	at := s.space(name)
	at.epoch++
	return at.epoch
}

// commit is groupSQL of package postgres.
func (s *server) commit(group []*batch) (accepted []bool) {
	for _, b := range group {
		at := s.space(b.space)
		current := at.epoch == b.epoch
		accepted = append(accepted, current)
		if !current {
			continue
		}
		for _, w := range b.batch.Writes {
			if w.Delete {
				delete(at.pairs, string(w.Key))
			} else {
				at.pairs[string(w.Key)] = slices.Clone(w.Value)
			}
		}
		s.w.stored(b.space, at)
	}
	return accepted
}

// view returns what the store has now.
func (s *server) view() *view {
	v := &view{spaces: map[persistence.Space]map[string][]byte{}}
	for name, at := range s.spaces {
		v.spaces[name] = maps.Clone(at.pairs)
	}
	return v
}

// view is a snapshot. The actors of the simulation read single values only.
type view struct {
	persistence.View
	spaces map[persistence.Space]map[string][]byte
}

// Get implements persistence.View.
func (v *view) Get(space persistence.Space, key []byte) ([]byte, error) {
	if value, there := v.spaces[space][string(key)]; there {
		return value, nil
	}
	return nil, persistence.ErrNotFound
}

// Close implements persistence.View.
func (v *view) Close() {}
