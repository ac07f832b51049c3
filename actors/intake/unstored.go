package intake

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
	// Patience is how long a frame is held back before its connection
	// ends: heartbeats wait behind it, and a lease lasts three of them.
	Patience = 20 * time.Second
)

const textTooManyParts = "posts come faster than they are stored, try again later"

// Unstored is what a connection has handed over and is not acknowledged. It is
// made with the connection's first posts.
type Unstored struct {
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

// NewUnstored notes what a connection of a team hands over; team is the room of its team,
// leave is called at its end.
func NewUnstored(team *semaphore.Weighted, leave func()) *Unstored {
	ctx, cancel := context.WithCancel(context.Background())
	return &Unstored{ctx: ctx, cancel: cancel, link: semaphore.NewWeighted(maxUnstored), team: team, leave: leave, parts: map[partName][]int64{}}
}

// ErrTooManyParts ends a connection whose posts come faster than they are stored.
var ErrTooManyParts = errors.New(textTooManyParts)

// Add waits until there is room for a frame, and notes it. It returns
// ErrTooManyParts when that takes too long.
func (u *Unstored) Add(f *protocol.Frame, patience time.Duration) error {
	n := min(int64(len(f.Output)), maxUnstored)
	ctx, cancel := context.WithTimeoutCause(u.ctx, patience, ErrTooManyParts)
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

// Acknowledged makes room for a frame that is stored.
func (u *Unstored) Acknowledged(ack *protocol.Frame) {
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

// End gives back what the connection had of the team's.
func (u *Unstored) End() {
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

// Cancel lets no one wait for room any more.
func (u *Unstored) Cancel() { u.cancel() }

// TeamRooms bounds the posts of each team that are not stored yet. A team is in
// it while a connection of it that has sent posts is open.
type TeamRooms struct {
	mu     sync.Mutex
	byTeam map[watchpost.TeamID]*teamRoom
}

type teamRoom struct {
	bytes       *semaphore.Weighted
	connections int
}

// NewTeamRooms returns the rooms of a node, in which no team is yet.
func NewTeamRooms() *TeamRooms { return &TeamRooms{byTeam: map[watchpost.TeamID]*teamRoom{}} }

// Enter returns the room of a connection's team. The connection calls Leave when
// it ends.
func (r *TeamRooms) Enter(team watchpost.TeamID) *semaphore.Weighted {
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

// Leave is the end of a connection that entered.
func (r *TeamRooms) Leave(team watchpost.TeamID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	room := r.byTeam[team]
	if room.connections--; room.connections == 0 {
		delete(r.byTeam, team)
	}
}
