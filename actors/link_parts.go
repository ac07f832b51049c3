package actors

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// Posts pass through mailboxes without a bound from the socket to the post store. So
// a link holds back frames while too many of its earlier frames are
// not stored yet: the session is slowed by its connection. An acknowledgement,
// which means that a frame is stored, makes room.
const (
	// maxUnstored bounds the bytes of a connection that are handed over and not
	// acknowledged. A scan's parts are far smaller than the frame that is allowed,
	// and a few of them keep the post store busy.
	maxUnstored = 4 << 20
	// maxUnstoredTeam bounds those of all connections of a team.
	maxUnstoredTeam = 32 << 20
	// unstoredPatience is how long a frame is held back before its connection
	// ends: heartbeats wait behind it, and a lease lasts three of them.
	unstoredPatience = 20 * time.Second
)

const textTooManyParts = "posts come faster than they are stored, try again later"

// unstored is what a connection has handed over and is not acknowledged. It is
// made with the connection's first posts.
type unstored struct {
	ctx    context.Context // of the connection
	cancel context.CancelFunc
	link   *semaphore.Weighted
	team   *semaphore.Weighted
	leave  func() // called at the end: nothing of the connection is in team any more

	mu    sync.Mutex
	ended bool
	parts map[partName][]int64 // bytes of each, oldest first
}

// partName names what an acknowledgement is of; seq is -1 for a result.
type partName struct {
	task string
	seq  int
}

func nameOfPart(f *protocol.Frame) partName {
	if f.Seq == nil {
		return partName{f.Task, -1}
	}
	return partName{f.Task, *f.Seq}
}

func newUnstored(team *semaphore.Weighted, leave func()) *unstored {
	ctx, cancel := context.WithCancel(context.Background())
	return &unstored{ctx: ctx, cancel: cancel, link: semaphore.NewWeighted(maxUnstored), team: team, leave: leave, parts: map[partName][]int64{}}
}

var errTooManyParts = errors.New(textTooManyParts)

// add waits until there is room for a frame, and notes it. It returns
// errTooManyParts when that takes too long.
func (u *unstored) add(f *protocol.Frame, patience time.Duration) error {
	n := min(int64(len(f.Output)), maxUnstored)
	ctx, cancel := context.WithTimeoutCause(u.ctx, patience, errTooManyParts)
	defer cancel()
	if err := u.link.Acquire(ctx, n); err != nil {
		return context.Cause(ctx)
	}
	if err := u.team.Acquire(ctx, n); err != nil {
		u.link.Release(n)
		return context.Cause(ctx)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		u.team.Release(n)
		return context.Canceled
	}
	name := nameOfPart(f)
	u.parts[name] = append(u.parts[name], n)
	return nil
}

// acknowledged makes room for a frame that is stored.
func (u *unstored) acknowledged(ack *protocol.Frame) {
	u.mu.Lock()
	defer u.mu.Unlock()
	name := nameOfPart(ack)
	of := u.parts[name]
	if len(of) == 0 {
		return
	}
	u.link.Release(of[0])
	u.team.Release(of[0])
	if u.parts[name] = of[1:]; len(of) == 1 {
		delete(u.parts, name)
	}
}

// end gives back what the connection had of the team's.
func (u *unstored) end() {
	u.cancel()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
	for _, of := range u.parts {
		for _, n := range of {
			u.team.Release(n)
		}
	}
	clear(u.parts)
	u.leave()
}

// admit holds a frame with posts back while too many are not stored; false when
// the connection has ended, or ends because of it.
func (l *Link) admit(f *protocol.Frame) bool {
	if len(f.Output) == 0 || f.Type != protocol.TypePart && f.Type != protocol.TypeResult {
		return true
	}
	l.mu.Lock()
	if l.unstored == nil && !l.closed {
		l.unstored = newUnstored(l.env.rooms.enter(l.team), func() { l.env.rooms.leave(l.team) })
	}
	u, closed := l.unstored, l.closed
	l.mu.Unlock()
	if closed {
		return false
	}
	err := u.add(f, unstoredPatience)
	if errors.Is(err, errTooManyParts) {
		l.finish(closeTryAgain, textTooManyParts)
	}
	return err == nil
}

// teamRooms bounds the posts of each team that are not stored yet. A team is in
// it while a connection of it that has sent posts is open.
type teamRooms struct {
	mu     sync.Mutex
	byTeam map[watchpost.TeamID]*teamRoom
}

type teamRoom struct {
	bytes       *semaphore.Weighted
	connections int
}

func newTeamRooms() *teamRooms { return &teamRooms{byTeam: map[watchpost.TeamID]*teamRoom{}} }

// enter returns the room of a connection's team. The connection calls leave when
// it ends.
func (r *teamRooms) enter(team watchpost.TeamID) *semaphore.Weighted {
	r.mu.Lock()
	defer r.mu.Unlock()
	room := r.byTeam[team]
	if room == nil {
		room = &teamRoom{bytes: semaphore.NewWeighted(maxUnstoredTeam)}
		r.byTeam[team] = room
	}
	room.connections++
	return room.bytes
}

func (r *teamRooms) leave(team watchpost.TeamID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	room := r.byTeam[team]
	if room.connections--; room.connections == 0 {
		delete(r.byTeam, team)
	}
}
