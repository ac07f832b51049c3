package cluster

import (
	"context"
	"errors"
	"slices"
)

// Place is where a name belongs.
type Place struct {
	// Here means that this node serves the name now.
	Here bool
	// Owner is the id of the owner in the view, this node's too; "" when there is
	// none.
	Owner string
	// From is the node to ask for a name that this node owns and does not serve yet;
	// "" when there is none.
	From string
	// View is the version of the view.
	View int64
}

// Place returns where a name belongs, and a channel that is closed when that may
// have changed.
func (n *Node) Place(name string) (Place, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	view := n.own.views.current()
	p := Place{Owner: view.Owner(name), View: view.Version}
	if p.Owner == n.o.ID && n.o.Machine.SinceBoot() < n.leaseEnd {
		if p.Here = n.own.serves(name); !p.Here {
			p.From = n.own.origin(name)
		}
	}
	return p, n.changed
}

// Serves reports whether this node serves a name now.
func (n *Node) Serves(name string) bool {
	p, _ := n.Place(name)
	return p.Here
}

// keeps reports whether what this node has in memory of a name is the newest: it served
// the name, and no other node may have since. Without a lease it does not serve it.
func (n *Node) keeps(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.own.serves(name)
}

// Lease returns a context that ends when the database has not answered this node for the
// time of a lease: with its lease, or, while it is no member, as late as that. Then it has
// ended until the database answers again.
func (n *Node) Lease() context.Context {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lease
}

// Ready returns why this node should get no requests; nil when it should.
func (n *Node) Ready() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	view := n.own.views.current()
	switch {
	case n.o.Machine.SinceBoot() >= n.leaseEnd:
		return errors.New("this node is no member of the cluster, or cannot renew its lease in the database; the log has the reason")
	case n.drained && !view.allDrain():
		return errors.New("this node has given its teams to the other nodes")
	}
	return nil
}

// Member reports whether a node is a member of the view.
func (n *Node) Member(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.own.views.current().Members, func(m Member) bool { return m.ID == id })
}

// Others returns the ids of the other members of the view.
func (n *Node) Others() (ids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, m := range n.own.views.current().Members {
		if m.ID != n.o.ID {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// ID returns the address that this node advertises.
func (n *Node) ID() string { return n.o.ID }

// announce wakes those who wait for a change of Place; the caller holds the lock.
func (n *Node) announce() {
	close(n.changed)
	n.changed = make(chan struct{})
}
