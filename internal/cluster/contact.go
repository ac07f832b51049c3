package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// The nodes of a cluster ask each other for a sign of life. Membership does not depend
// on it: who reaches the database is a member. But a member that the others cannot
// reach is of no use to their clients:
//
//   - A node joins when most of the others have connected to it at its address, and so
//     has it itself. A member that hears nothing from most of the others steps out, and
//     joins again in the same way.
//   - A request that was forwarded to a node which does not answer is sent to it through
//     another node, or to the next owner, where that does no harm. A new view begins, so
//     that the node refuses late requests.
const (
	// ContactEvery is how often a node asks each other one.
	ContactEvery = time.Second
	// ContactLost is how long a node may be silent.
	ContactLost = 3 * time.Second
)

// contactNode is the part of a Node that contact with the others changes.
type contactNode interface {
	ID() string
	Others() []string
	Member(id string) bool
	StepOut()
	NextView(ctx context.Context) error
}

// Contacts are what a node knows about its contact with the others. Times are of the
// machine's clock.
type Contacts struct {
	mu       sync.Mutex
	askedBy  map[string]time.Time // when a node last asked this one, or became known
	answered map[string]time.Time // when a node last answered this one, or became known
	// fell is closed and replaced when a node falls silent.
	fell     chan struct{}
	reviewed time.Time // the last review
}

// NewContacts returns contacts with no node.
func NewContacts() *Contacts {
	return &Contacts{askedBy: map[string]time.Time{}, answered: map[string]time.Time{}, fell: make(chan struct{})}
}

// Keep asks the other nodes for signs of life until ctx ends. ask reports to Answered.
func (c *Contacts) Keep(ctx context.Context, node contactNode, ask func(ctx context.Context, other string)) {
	var asking sync.WaitGroup
	defer asking.Wait()
	ticker := time.NewTicker(ContactEvery)
	defer ticker.Stop()
	viewOwed := false // because a node fell silent
	for {
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
		if ctx.Err() != nil {
			return
		}
		others := node.Others()
		for _, other := range others {
			asking.Go(func() { ask(ctx, other) })
		}
		apart, fell := c.Review(others, node.Member(node.ID()), time.Now())
		if apart {
			node.StepOut()
		}
		if viewOwed = viewOwed || fell; viewOwed {
			viewOwed = node.NextView(ctx) != nil // the next turn tries again
		}
	}
}

// AskedBy notes that a node has asked this one.
func (c *Contacts) AskedBy(node string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.askedBy[node] = now
}

// Answered notes that a node has answered this one.
func (c *Contacts) Answered(node string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered[node] = now
}

// Review reports whether most of the other nodes have not asked this one, a member, for
// too long. After a pause of this process the count starts again. fell tells that one more
// node has been silent for too long in answering.
func (c *Contacts) Review(others []string, member bool, now time.Time) (apart, fell bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	previous := c.reviewed
	paused := now.Sub(previous) > ContactLost/2
	c.reviewed = now
	silent := 0
	askedBy, answered := map[string]time.Time{}, map[string]time.Time{}
	since := func(of map[string]time.Time, node string, counts bool) time.Time {
		if last, known := of[node]; known && counts && !paused {
			return last
		}
		return now
	}
	for _, node := range others {
		askedBy[node] = since(c.askedBy, node, member)
		answered[node] = since(c.answered, node, true)
		if now.Sub(askedBy[node]) > ContactLost {
			silent++
		}
		if now.Sub(answered[node]) > ContactLost {
			close(c.fell)
			c.fell = make(chan struct{})
			fell = fell || previous.Sub(answered[node]) <= ContactLost
		}
	}
	c.askedBy, c.answered = askedBy, answered
	return 2*silent > len(others), fell
}

// Silent reports whether a node has given no sign of life for too long, and returns a
// channel that is closed when one falls silent.
func (c *Contacts) Silent(node string) (silent bool, fell <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, known := c.answered[node]
	return known && c.reviewed.Sub(last) > ContactLost, c.fell
}

// MostFailed returns the failures of attempts if most have failed, otherwise nil.
func MostFailed(attempts []error) error {
	all := len(attempts)
	failures := slices.DeleteFunc(slices.Clone(attempts), func(err error) bool { return err == nil })
	if 2*len(failures) > all {
		return errors.Join(failures...)
	}
	return nil
}
