package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
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
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-n.kick:
		}
		if err := n.renew(ctx); err != nil && ctx.Err() == nil {
			n.mu.Lock()
			first := n.healthy != 0
			n.healthy = 0
			n.mu.Unlock()
			if first {
				n.o.Log.Warn("the lease was not renewed: this node stops serving when the lease ends", "node", n.o.ID, "error", err)
			}
		}
	}
}

// errTaken means that another process has become this node.
var errTaken = errors.New("another process serves with the same --advertise: give each node an address of its own")

// renew extends the lease, reads the view, and removes members that are overdue.
func (n *Node) renew(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
	defer cancel()
	sent := sinceBoot()
	var held, overdue bool
	var view View
	var ids []string
	var draining []bool
	var seen []int64
	err := n.pool.QueryRow(bounded, renewSQL, n.o.ID, n.incarnation, n.o.TTL, n.o.Teams()).Scan(&held, &view.Version, &ids, &draining, &seen, &overdue)
	if err != nil {
		return err
	}
	for i, id := range ids {
		view.Members = append(view.Members, Member{id, draining[i], seen[i]})
		if id == n.o.ID && !held {
			n.fail(errTaken)
			return errTaken
		}
	}
	if !held {
		return n.rejoin(ctx)
	}
	healthy := n.update(view, sent)
	// A node that was cut off itself gives the others time to renew first.
	if overdue && sent-healthy >= 3*n.o.TTL/10 {
		return n.remove(bounded, "lease ended", expireSQL, n.o.ID)
	}
	return nil
}

// rejoin comes back after other nodes have removed this one. Names that it served
// belong to others since, so it serves none until the next view is settled.
func (n *Node) rejoin(ctx context.Context) error {
	n.o.Log.Warn("was removed from the cluster while its lease was not renewed: joining again", "node", n.o.ID)
	n.mu.Lock()
	n.own.reset()
	n.leaseEnd = 0
	n.announce()
	n.mu.Unlock()
	if err := n.o.Release(ctx, n.Serves); err != nil {
		return err
	}
	return n.join(ctx)
}

// update takes a renewal that was sent at a time, and returns since when renewals
// succeed.
func (n *Node) update(view View, sent time.Duration) (healthy time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.healthy == 0 {
		n.healthy = sent
	}
	before, lapsed := n.own.tenure.current(), n.leaseEnd <= sinceBoot()
	n.leaseEnd = sent + n.o.TTL
	n.move(view)
	if n.watchdog == nil {
		n.watchdog = time.AfterFunc(n.o.TTL, n.lapse)
	}
	n.watchdog.Reset(n.leaseEnd - sinceBoot())
	if lapsed || before.Version != view.Version || before.settled() != view.settled() {
		n.announce()
	}
	if before.Version != view.Version {
		n.o.Log.Info("the cluster has changed", "view", view.Version, "nodes", len(view.Members))
	}
	for _, m := range view.Members {
		if m.ID == n.o.ID && m.Seen < view.Version {
			wake(n.releases)
		}
	}
	return n.healthy
}

// lapse runs when the lease may have ended.
func (n *Node) lapse() {
	n.mu.Lock()
	ended := sinceBoot() >= n.leaseEnd
	if ended {
		n.announce()
	}
	n.mu.Unlock()
	if ended {
		n.o.Log.Error("the lease ended: this node serves nothing until it can renew it", "node", n.o.ID)
		n.metrics.lapses.Inc()
		wake(n.releases)
	}
}

// remove deletes members by a statement that returns their ids.
func (n *Node) remove(ctx context.Context, why, sql string, args ...any) error {
	rows, err := n.pool.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	var id string
	var sent any
	_, err = pgx.ForEachRow(rows, []any{&id, &sent}, func() error {
		n.o.Log.Warn("removed a node from the cluster", "node", id, "reason", why)
		n.metrics.removed.Inc()
		return nil
	})
	return err
}

// ReportDead removes a member that refuses connections, unless the database still
// has a session of it. Both signs are needed: a restart of the database ends
// sessions, and a node that starts or stops may refuse connections.
func (n *Node) ReportDead(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
	defer cancel()
	if err := n.remove(ctx, "refuses connections", reportDeadSQL, id, nodeLock); err != nil {
		n.o.Log.Warn("cannot remove a node that refuses connections", "node", id, "error", err)
	}
}
