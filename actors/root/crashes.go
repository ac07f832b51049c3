package root

import (
	linked "container/list"
	"fmt"
	"hash/fnv"
	"time"
)

// ending says why a top actor ended that no one had asked to.
type ending uint8

const (
	// crashed: a panic, or a state that can be neither read nor written. The next
	// activation may meet the same.
	crashed ending = iota
	// storeFailed: the store did not answer, which says nothing of the actor.
	storeFailed
	// Overtaken means that another was faster, or the team is deleted. That is no failure.
	Overtaken
)

// outcome is how a top actor ended.
type outcome struct {
	Why    ending
	loaded bool // its activation had succeeded
}

// crashes remembers which top actors failed lately, so that one which fails at
// every activation does not keep the node busy, and a store that is away is not
// asked again all the time.
type crashes struct {
	byName map[string]*linked.Element
	order  *linked.List // of *crash, the oldest first
}

// crash describes an actor that failed. Failures of the store are counted
// apart: an outage makes no healthy actor wait for longer than maxOutages.
type crash struct {
	name    string
	times   int // crashes in a row
	outages int // activations in a row that met a store which does not answer
	at      time.Time
	until   time.Time
}

// Pauses after an actor failed: 20 ms, doubled with every further failure in a row, some
// 20 s at the most after crashes, some 0.6 s, less up to a half, when the store failed.
// An activation that went well begins again with the outages, and one that has served
// for crashLife with the crashes. What failed is forgotten after crashMemory, or when
// the actor is passivated.
const (
	crashPause  = 10 * time.Millisecond
	maxCrashes  = 11
	maxOutages  = 6
	crashLife   = time.Minute
	crashMemory = 10 * time.Minute
)

func newCrashes() *crashes {
	return &crashes{byName: map[string]*linked.Element{}, order: linked.New()}
}

// note counts a failure of an actor that was activated at born, and returns how long
// it is not activated again.
func (c *crashes) note(name string, how outcome, born, now time.Time) time.Duration {
	next := &crash{name: name, at: now}
	if e := c.byName[name]; e != nil {
		if last := e.Value.(*crash); now.Sub(last.at) <= crashMemory {
			next.times, next.outages = last.times, last.outages
		}
		c.order.Remove(e)
	}
	if how.loaded {
		next.outages = 0
		if now.Sub(born) >= crashLife {
			next.times = 0
		}
	}
	var pause time.Duration
	if how.Why == storeFailed {
		next.outages = min(next.outages+1, maxOutages)
		pause = crashPause << next.outages
		pause -= spread(name, now, pause/2)
	} else {
		next.times = min(next.times+1, maxCrashes)
		pause = crashPause << next.times
	}
	next.until = now.Add(pause)
	c.byName[name] = c.order.PushBack(next)
	return pause
}

// spread returns a part of a pause that differs between teams, which all meet an outage
// at once.
func spread(name string, now time.Time, pause time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, name, now.UnixNano())
	return time.Duration(h.Sum64() % uint64(pause))
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
