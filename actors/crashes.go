package actors

import (
	linked "container/list"
	"time"
)

// crashes remembers which top actors failed lately, so that one which fails at
// every activation does not keep the node busy.
type crashes struct {
	byName map[string]*linked.Element
	order  *linked.List // of *crash, the oldest first
}

type crash struct {
	name  string
	times int // in a row, none more than crashMemory after the one before
	at    time.Time
	until time.Time
}

// Pauses after an actor failed: 20 ms, doubled with every further failure, some
// 20 s at the most. A failure counts for crashMemory, or until the actor is
// passivated.
const (
	crashPause  = 10 * time.Millisecond
	maxCrashes  = 11
	crashMemory = 10 * time.Minute
)

func newCrashes() *crashes {
	return &crashes{byName: map[string]*linked.Element{}, order: linked.New()}
}

// note counts a failure.
func (c *crashes) note(name string, now time.Time) {
	next := &crash{name: name, at: now}
	if e := c.byName[name]; e != nil {
		if last := e.Value.(*crash); now.Sub(last.at) <= crashMemory {
			next.times = last.times
		}
		c.order.Remove(e)
	}
	next.times = min(next.times+1, maxCrashes)
	next.until = now.Add(crashPause << next.times)
	c.byName[name] = c.order.PushBack(next)
}

// pauses reports whether the actor is not activated yet. A failure that lies in
// the future, because the clock went back, does not count.
func (c *crashes) pauses(name string, now time.Time) bool {
	e := c.byName[name]
	if e == nil {
		return false
	}
	last := e.Value.(*crash)
	return !now.Before(last.at) && now.Before(last.until)
}

// clear forgets the failures of an actor.
func (c *crashes) clear(name string) {
	if e := c.byName[name]; e != nil {
		c.order.Remove(e)
		delete(c.byName, name)
	}
}

// forget forgets what counts no more.
func (c *crashes) forget(now time.Time) {
	for e := c.order.Front(); e != nil && now.Sub(e.Value.(*crash).at) > crashMemory; e = c.order.Front() {
		c.clear(e.Value.(*crash).name)
	}
}
