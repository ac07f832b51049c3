package cluster

import (
	"context"
	"errors"
)

// releaseUntil releases names that the node no longer serves, and confirms each view.
func (n *Node) releaseUntil(ctx context.Context) {
	for {
		if waitFor(ctx, n.o.Machine, n.releases, "release") != nil {
			return
		}
		n.mu.Lock()
		version, incarnation := n.own.views.current().Version, n.incarnation
		n.mu.Unlock()
		err := n.o.Release(ctx, n.keeps)
		if err == nil {
			bounded, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
			err = n.db.Confirm(bounded, n.o.ID, incarnation, version)
			cancel()
		}
		if err != nil && ctx.Err() == nil {
			n.o.Log.Warn("the view is not confirmed yet: the next renewal tries again", "view", version, "error", err)
		}
	}
}

// ErrNotHandedOver means that this node cannot hand a name over: the next owner waits
// until the view is settled.
var ErrNotHandedOver = errors.New("cluster: the name cannot be handed over")

// HandOver gives a name to another node that has asked for it under the version of its
// view, before the view is settled: what this node has of it in memory has ended when
// HandOver returns nil.
func (n *Node) HandOver(ctx context.Context, name, to string, asked int64) error {
	for {
		n.mu.Lock()
		version, mine, changed := n.own.views.current().Version, n.own.mayHandOver(name, to, asked), n.changed
		n.mu.Unlock()
		if mine {
			return n.o.ReleaseName(ctx, name)
		}
		if version >= asked {
			return ErrNotHandedOver
		}
		n.Refresh()
		if err := waitFor(ctx, n.o.Machine, changed, "handover"); err != nil {
			return err
		}
	}
}

// TakeOver begins with a name that another node has handed over, and reports whether
// that holds. asked is the version under which this node has asked for it.
func (n *Node) TakeOver(name string, asked int64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.own.acceptHandover(name, asked)
}

// move takes a view; the caller holds the lock.
func (n *Node) move(view View) {
	first := len(n.own.views) == 0
	n.own.move(view)
	switch settled := n.own.views[0]; {
	case first:
		n.previousView, n.takeovers = view.without(n.o.ID), map[string]struct{}{}
	case len(n.own.views) > 1 && settled.settled() && settled.Version != n.previousView.Version:
		n.previousView, n.takeovers = settled, map[string]struct{}{}
	}
}

// Activated counts the activation of a name as a takeover if it is the first since the
// name belonged to another node.
func (n *Node) Activated(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if owner := n.previousView.Owner(name); owner == "" || owner == n.o.ID {
		return
	}
	if _, known := n.takeovers[name]; !known {
		n.takeovers[name] = struct{}{}
		n.metrics.takeovers.Inc()
	}
}

// Drain gives up the node's names, and returns when every member knows and the
// new owners may begin, or ctx ends. The node forwards requests after that.
func (n *Node) Drain(ctx context.Context) error {
	if n.stop == nil {
		return nil
	}
	if err := n.db.Drain(ctx, n.o.ID); err != nil {
		return err
	}
	n.Refresh()
	for {
		n.mu.Lock()
		view, changed := n.own.views.current(), n.changed
		n.mu.Unlock()
		for _, m := range view.Members {
			if m.ID == n.o.ID && m.Draining && view.settled() {
				return nil
			}
		}
		if err := waitFor(ctx, n.o.Machine, changed, "drain"); err != nil {
			return err
		}
	}
}

// NextView begins a view with the same members: no name moves, and owners refuse requests
// that were sent before and arrive later.
func (n *Node) NextView(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, n.o.TTL/renewals)
	defer cancel()
	err := n.db.NextView(bounded, n.o.ID, n.membership())
	n.Refresh()
	return err
}
