package sim

import (
	"context"
	"maps"
	"slices"
	"strings"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/watchpost"
)

// effectBefore returns the task that was named last for an effect, if it had failed by
// then.
func (c *checks) effectBefore(of *team, effect string) (failed watchpost.TaskID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id := c.effects[of.name+" "+effect]; c.stateOf(of, id) == watchpost.TaskFailed {
		return id
	}
	return ""
}

// stateOf returns how a task has ended, or stands: one that failed with an unknown outcome
// is completed when the truth has come that it was done.
func (c *checks) stateOf(of *team, id watchpost.TaskID) watchpost.TaskState {
	s := c.stored.tasks[string(of.id)][string(id)]
	if s.done {
		return watchpost.TaskCompleted
	}
	return s.state
}

// asked holds the task that a request was answered with against the one of an earlier
// request for the same effect: two are under way, or done, only if one has failed. before
// had failed when the request was made. The truth that the first was done may come between
// the making of the second and the answer.
func (c *checks) asked(of *team, effect string, id, before watchpost.TaskID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := of.name + " " + effect
	first := c.effects[name]
	stands := func(id watchpost.TaskID) bool { return c.stateOf(of, id) != watchpost.TaskFailed }
	instead := slices.Contains(c.stored.tasks[string(of.id)][string(id)].instead, string(first))
	switch {
	case effect == "" || of.dead || !c.life.restoredAt.IsZero():
		return
	case id == before && !stands(id):
		c.life.fail("%q is asked for again, and answered with %s, which had failed", effect, id)
	case first != "" && first != id && !instead && stands(first) && stands(id):
		c.life.fail("%q is asked for twice: %s and %s", effect, first, id)
	}
	if stands(id) || first == "" {
		c.effects[name] = id
	}
}

// forgetEffects forgets the requests in a member's name.
func (c *checks) forgetEffects(of *team, email string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.effects, func(name string, _ watchpost.TaskID) bool { return strings.HasPrefix(name, of.name+" "+email+" ") })
}

// covered compares the touches of the network with the ledgers: each touch was paid for
// in its period. What a backup did not know is not in them, nor is a period in which the
// account was handed nothing, because its team was not there. A browser without its
// journal gives its tasks back, also those that it did. A write that was given up, or under way at a restore,
// may be done in a later period.
func (c *checks) covered() {
	for _, u := range slices.SortedFunc(maps.Keys(c.life.network.touched), usage.compare) {
		allowance, _ := watchpost.AllowanceOf(u.action)
		if at := c.life.restoredAt; !at.IsZero() && u.period <= allowance.Period.Key(at) || !c.stored.handed[u.entry()] || c.stored.wiped[u.account] {
			continue
		}
		if first := c.stored.givenUp[doneBy(u.account, u.action)]; first != "" && u.period >= first {
			continue
		}
		paid := 0
		for _, used := range c.used {
			paid += used[u.entry()]
		}
		if did := c.life.network.touched[u]; did > paid {
			c.life.fail("%s did %s %d times in the period %s, and the ledgers say %d", u.account, u.action, did, u.period, paid)
		}
	}
}

// delivered looks whether each post that was new to a watchlist has reached the targets
// that were there, unless they were paused.
func (c *checks) delivered(ctx context.Context) {
	l := c.life
	for _, of := range l.teams {
		if of.dead || len(of.targets) == 0 || !l.restoredAt.IsZero() || l.failed() {
			continue
		}
		var targets []actors.TargetView
		var lists []actors.WatchlistView
		l.wait("look at targets", func() {
			var err error
			if targets, err = ask[[]actors.TargetView](l.node, of, actors.ListTargets{}); err == nil {
				lists, err = ask[[]actors.WatchlistView](l.node, of, actors.ListWatchlists{})
			}
			if err != nil {
				l.fail("targets: %v", err)
			}
		})
		heard := map[string]bool{}
		for _, t := range targets {
			heard[t.Target.Name] = t.Paused == "" && t.Dropped == 0
		}
		for _, a := range c.stored.arrivals {
			lives := slices.ContainsFunc(lists, func(v actors.WatchlistView) bool { return v.Watchlist.ID == a.watchlist })
			if a.space != string(of.id) || !lives {
				continue
			}
			page, err := l.node.registry.Post(ctx, of.id, a.post)
			for _, name := range a.targets {
				if err == nil && heard[name] && !strings.Contains(l.mails[of.name+" "+name], page.Post.URL+"\n") {
					l.fail("%s of %s has not heard of %s", name, of.name, page.Post.URL)
				}
			}
		}
	}
}

// directory looks whether each entry of the directory has an owner.
func (c *checks) directory(ctx context.Context) {
	view, err := c.life.node.store.View(ctx)
	if err != nil {
		c.life.fail("directory: %v", err)
		return
	}
	defer view.Close()
	problems, err := actorstest.Unowned(view)
	if err != nil {
		c.life.fail("directory: %v", err)
	}
	for _, problem := range problems {
		c.life.fail("%s", problem)
	}
}
