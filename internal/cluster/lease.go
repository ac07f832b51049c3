package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Refresh asks for a renewal, which reads the view.
func (n *Node) Refresh() { wake(n.kick) }

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// renewUntil renews the lease until ctx ends.
func (n *Node) renewUntil(ctx context.Context) {
	ticker := time.NewTicker(n.o.TTL / renewals)
	defer ticker.Stop()
	fails := false
	for {
		select {
		case <-ctx.Done():
		case <-ticker.C:
		case <-n.kick:
		}
		select { // one renewal does for both; which was first is chance
		case <-ticker.C:
		case <-n.kick:
		default:
		}
		n.o.Machine.Turn("renew")
		if ctx.Err() != nil {
			return
		}
		err := n.renew(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !fails {
			n.o.Log.Warn("the lease was not renewed: this node stops serving when the lease ends", "node", n.o.ID, "error", err)
		}
		if fails = err != nil; fails && !errors.Is(err, errUnreached) {
			n.mu.Lock()
			n.renewed = 0
			n.mu.Unlock()
		}
	}
}

// errReplaced means that another process has become this node.
var errReplaced = errors.New("another process serves with the same --advertise: give each node an address of its own")

// errUnreached means that a node would be of no use to the clients of the others.
var errUnreached = errors.New("no member: --advertise must lead to this node from the others and from here, with its certificate")

// errNoSession means that the database has ended the session that holds the node's lock.
var errNoSession = errors.New("no member yet: the session that holds the lock of this node has ended")

// renew extends the lease, reads the view, and removes members that are overdue. A node
// that is no member joins.
func (n *Node) renew(ctx context.Context) error {
	if n.steppingOut.Swap(false) {
		return n.leave(ctx)
	}
	bounded, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
	defer cancel()
	sent := n.o.Machine.SinceBoot()
	held, incarnation := n.guard.held.Load(), n.membership()
	known := noView
	if n.joined {
		n.mu.Lock()
		known = n.own.views.known()
		n.mu.Unlock()
	}
	view, rows, renewed, err := n.reader.read(bounded, incarnation, known)
	if err != nil {
		return err
	}
	n.answered(sent)
	if !renewed && n.joined && slices.ContainsFunc(rows, func(r row) bool { return r.id == n.o.ID }) {
		n.fail(errReplaced)
		return errReplaced
	}
	n.see(view, rows, sent)
	if !renewed {
		return n.join(ctx, view)
	}
	n.joined = true
	n.update(view, sent, held)
	n.mu.Lock()
	overdue := n.pulses.overdue(n.o.Machine.SinceBoot(), n.o.TTL)
	n.mu.Unlock()
	if len(overdue) > 0 {
		var ids, beats []string
		for _, r := range overdue {
			ids, beats = append(ids, r.id), append(beats, r.beat)
		}
		removed, err := n.db.Expire(bounded, ids, beats)
		n.noteRemoved(removed, "lease ended")
		return err
	}
	return nil
}

// reader sends renewals and reads the view with them. The goroutine that renews uses it.
type reader struct {
	o        *Options
	db       Database
	snapshot string // of the last renewal that was answered
}

// read sends a renewal. It returns the view, which is the known one if the database has the
// same version, and the rows that the database returns.
func (r *reader) read(ctx context.Context, incarnation string, known View) (view View, rows []row, renewed bool, err error) {
	reply, err := r.db.Renew(ctx, Renewal{r.o.ID, incarnation, r.o.TTL, r.o.Teams(), known.Version, r.snapshot})
	if err != nil {
		return view, nil, false, err
	}
	r.snapshot, view.Version = reply.Snapshot, reply.Version
	for _, m := range reply.Rows {
		rows = append(rows, row{m.ID, m.Beat, m.Unchanged})
		view.Members = append(view.Members, m.Member)
	}
	if view.Version == known.Version {
		view = known
	}
	return view, rows, reply.Renewed, nil
}

// answered notes that the database has answered a renewal that was sent at a time.
func (n *Node) answered(sent time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.silence != nil && n.silence.Stop() {
		n.silence.Reset(sent + n.o.TTL - n.o.Machine.SinceBoot())
		return
	}
	lease, end := context.WithCancel(context.Background())
	n.lease, n.endLease = lease, end
	n.silence = time.AfterFunc(sent+n.o.TTL-n.o.Machine.SinceBoot(), func() {
		n.o.Machine.Turn("silence")
		end()
		n.mu.Lock()
		defer n.mu.Unlock()
		n.announce()
	})
}

// see notes the renewals of the other members of a view. A node that was cut off or paused itself
// begins again: what kept it from renewing may have kept the others.
func (n *Node) see(view View, rows []row, sent time.Duration) {
	var others []string
	for _, m := range view.without(n.o.ID).Members {
		others = append(others, m.ID)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.renewed == 0 || sent-n.renewed > 2*n.o.TTL/renewals {
		clear(n.pulses)
	}
	n.renewed = sent
	n.pulses.see(others, rows, n.o.Machine.SinceBoot())
}

// join makes this process a member when most of the members that live reach it. Names
// that it served before belong to others since, so it serves none until the next view is
// settled.
func (n *Node) join(ctx context.Context, view View) error {
	if err := n.giveUp(ctx, view.without(n.o.ID)); err != nil {
		return err
	}
	asked := n.o.Machine.SinceBoot()
	n.mu.Lock()
	others := n.pulses.living(asked, n.o.TTL)
	n.mu.Unlock()
	err := n.o.Reached(ctx, others)
	n.mu.Lock()
	if now := n.o.Machine.SinceBoot(); now-asked < n.o.TTL {
		n.renewed = now // it waited for others, and was not paused itself
	}
	joining := Joining{ID: n.o.ID, Incarnation: n.incarnation, Build: n.o.Build, TTL: n.o.TTL, Draining: n.drained}
	n.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%w: %w", errUnreached, err)
	}
	if held := n.guard.held.Load(); held != nil {
		joining.Session = held.session
	}
	bounded, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
	defer cancel()
	if joined, err := n.db.Join(bounded, joining); err != nil || !joined {
		return cmp.Or(err, errNoSession)
	}
	n.o.Log.Info("joined the cluster", "node", n.o.ID)
	return n.renew(ctx)
}

// giveUp gives up all names. With the view, the node forwards requests although it is no
// member of it.
func (n *Node) giveUp(ctx context.Context, view View) error {
	n.mu.Lock()
	if n.leaseEnd != 0 {
		n.o.Log.Warn("this node is no member of the cluster any more", "node", n.o.ID)
		n.watchdog.Stop()
	}
	n.own.reset()
	n.move(view)
	n.leaseEnd = 0
	n.announce()
	n.mu.Unlock()
	return n.o.Release(ctx, n.keeps)
}

// StepOut ends the membership until most of the other members reach this node: to their
// clients it is of no use.
func (n *Node) StepOut() {
	if n.Member(n.o.ID) {
		n.steppingOut.Store(true)
		n.Refresh()
	}
}

// leave gives all names up and leaves. Without the database the others remove this node
// when its lease ends.
func (n *Node) leave(ctx context.Context) error {
	n.o.Log.Warn("most other nodes do not reach this one: its teams move to them", "node", n.o.ID)
	n.mu.Lock()
	view := n.own.views.current().without(n.o.ID)
	n.mu.Unlock()
	if err := n.giveUp(ctx, view); err != nil {
		return err
	}
	left := n.endMembership()
	bounded, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
	defer cancel()
	return n.db.Leave(bounded, n.o.ID, left)
}

// membership returns the incarnation under which the node joins, renews and confirms.
func (n *Node) membership() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.incarnation
}

// endMembership begins the next incarnation and returns the last. A statement that ends
// a membership may reach the database late, after its sender has given it up: then it
// must not end the next one, whose lease has only begun.
func (n *Node) endMembership() (last string) {
	n.joined = false
	n.mu.Lock()
	defer n.mu.Unlock()
	last, n.incarnation = n.incarnation, rand.Text()
	return last
}

// update takes a renewal that was sent at a time. It makes the lease longer only if the
// session that held the lock then still does: others take a free lock for a sign that this
// node is gone.
func (n *Node) update(view View, sent time.Duration, held *holding) {
	n.mu.Lock()
	defer n.mu.Unlock()
	previous, lapsed := n.own.views.current(), n.leaseEnd <= n.o.Machine.SinceBoot()
	n.move(view)
	if held != nil && held == n.guard.held.Load() {
		n.leaseEnd = sent + n.o.TTL
		if n.watchdog == nil {
			n.watchdog = time.AfterFunc(n.o.TTL, n.lapse)
		}
		n.watchdog.Reset(n.leaseEnd - n.o.Machine.SinceBoot())
	}
	if lapsed || previous.Version != view.Version || previous.settled() != view.settled() {
		n.announce()
	}
	if previous.Version != view.Version {
		n.o.Log.Info("the cluster has changed", "view", view.Version, "nodes", len(view.Members))
	}
	for _, m := range view.Members {
		if m.ID == n.o.ID {
			n.drained = m.Draining
			if m.Seen < view.Version {
				wake(n.releases)
			}
		}
	}
}

// lapse runs when the lease may have ended. The node serves nothing, and keeps its
// memory: it goes on with that if the next renewal shows that no other node has removed
// it.
func (n *Node) lapse() {
	n.o.Machine.Turn("lapse")
	n.mu.Lock()
	ended := n.o.Machine.SinceBoot() >= n.leaseEnd
	if ended {
		n.announce()
	}
	n.mu.Unlock()
	if ended {
		n.o.Log.Error("the lease ended: this node serves nothing until it can renew it", "node", n.o.ID)
		n.metrics.lapses.Inc()
	}
}

// yieldLease ends the lease before the node gives up the session that holds its lock. The
// other nodes may remove it as soon as the lock is free.
func (n *Node) yieldLease() {
	n.mu.Lock()
	now := n.o.Machine.SinceBoot()
	lasts := now < n.leaseEnd
	if lasts {
		n.leaseEnd = now
		n.watchdog.Stop()
	}
	n.mu.Unlock()
	if lasts {
		n.lapse()
	}
}

// noteRemoved logs and counts members that this node has removed.
func (n *Node) noteRemoved(removed []string, why string) {
	for _, id := range removed {
		n.o.Log.Warn("removed a node from the cluster", "node", id, "reason", why)
		n.metrics.removed.Inc()
	}
}

// ReportDead removes a member that refuses connections, or cannot be connected to in
// another way, unless the database still has a session of it. Both signs are needed: a
// restart of the database ends sessions, and a node that starts or stops may refuse
// connections.
//
// A connection that is not refused may have been lost on the way to a node that serves. So
// that node must have missed two renewals, and the database must not have ended all sessions
// within the time of a lease: the session of this node is older than that, and the statement
// checks that it still holds its lock. A node that is cut off from the database keeps its
// session there for longer than its lease (persistence/postgres: keepalives).
func (n *Node) ReportDead(ctx context.Context, id string, refused bool) {
	held := n.guard.held.Load()
	if held == nil {
		return
	}
	now := n.o.Machine.SinceBoot()
	n.mu.Lock()
	sure := refused || now-held.since > n.o.TTL && n.pulses.late(id, now, 2*n.o.TTL/renewals)
	n.mu.Unlock()
	if !sure {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
	defer cancel()
	removed, err := n.db.ReportDead(ctx, id, n.o.ID, held.session)
	n.noteRemoved(removed, "cannot be connected to")
	if err != nil {
		n.o.Log.Warn("cannot remove a node that cannot be connected to", "node", id, "error", err)
	}
}
