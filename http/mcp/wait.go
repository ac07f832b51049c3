package mcp

import (
	"context"
	"time"
)

// Bounds of a wait. Many clients give a call a minute.
const (
	defaultWait = 45
	maxWait     = 300
	// turn is how long the service is asked to wait at a time: as often a client hears of
	// progress.
	turn = 5 * time.Second
	// pause is the time between two requests that the service answers at once.
	pause = 500 * time.Millisecond
)

// waitParam is the argument of tools that wait.
var waitParam = param{name: "wait", kind: number, about: "seconds to wait, 0 to 300, default 45"}

// await asks again until there is an answer or the time of the wait argument is over. ask
// may wait that long itself; it reports what the call waits for, and whether it is over.
func (c *call) await(first string, ask func(wait time.Duration) (state string, over bool, err error)) error {
	end := time.Now().Add(time.Duration(c.number("wait", 0, defaultWait, maxWait)) * time.Second)
	c.progress(first)
	said, at := first, time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-c.Done():
			return context.Cause(c)
		}
		left := time.Until(end)
		began := time.Now()
		state, over, err := ask(max(0, min(left, turn)))
		switch {
		case c.Err() != nil:
			return context.Cause(c)
		case err != nil || over || time.Until(end) <= 0:
			return err
		}
		if state != said || time.Since(at) >= turn {
			c.progress(state)
			said, at = state, time.Now()
		}
		timer.Reset(max(0, min(pause-time.Since(began), time.Until(end))))
	}
}
