package sim

import (
	"slices"
	"strings"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// storedState is what the batches that last have made of tasks, claims and rules.
type storedState struct {
	tasks  map[string]map[string]standing // by space and id
	claims map[string]teamspace.ClaimEntry
	rules  map[string]watchpost.EngagementRule
	// stopped are the spaces whose rules are stopped, mustStop those whose rules have to
	// stop since a restore. approved and rejected are posts of proposals, by ruled.
	stopped, mustStop, approved, rejected map[string]bool
	// handed are the periods in which accounts were handed tasks, as in ledgers.
	handed map[string]bool
	// wiped are the accounts of a browser that has lost its journal, which gives back what
	// it had done.
	wiped map[watchpost.AccountURN]bool
	// givenUp are the first periods, by account and action, in which a write may be done
	// that the service has given up, or that a restored store does not know: it is not paid for.
	givenUp map[string]string
	// wrote counts the writes of rules for a post, and for an author and week.
	wrote    map[string]int
	arrivals []arrival
	// things are what members can delete, by space and id: false: it is gone.
	things map[string]map[string]bool
	// waits are the deletions that wait, by space and id. mayGo are the things that someone
	// has asked to delete at once, mayStay those whose deletion someone takes back.
	waits          map[string]map[string]teamspace.DeletionRecord
	mayGo, mayStay map[string]bool
}

// standing is how a task stands.
type standing struct {
	state   watchpost.TaskState
	session watchpost.SessionID
	effect  string
	asked   watchpost.Asker
	urn     string
	done    bool // as became known after it had failed
	// instead are the tasks with the same effect that had failed when this one was made.
	instead []string
}

// arrival is a post that was new to a watchlist, and the targets that were known then.
type arrival struct {
	space     string
	post      watchpost.PostID
	watchlist watchpost.WatchlistID
	targets   []string
}

func newStored() storedState {
	return storedState{
		tasks: map[string]map[string]standing{}, claims: map[string]teamspace.ClaimEntry{}, rules: map[string]watchpost.EngagementRule{},
		stopped: map[string]bool{}, mustStop: map[string]bool{}, approved: map[string]bool{}, rejected: map[string]bool{}, handed: map[string]bool{}, wiped: map[watchpost.AccountURN]bool{}, givenUp: map[string]string{}, wrote: map[string]int{},
		things: map[string]map[string]bool{}, waits: map[string]map[string]teamspace.DeletionRecord{}, mayGo: map[string]bool{}, mayStay: map[string]bool{},
	}
}

// ruled names a post of a team.
func ruled(space, urn string) string { return space + " " + urn }

// batch checks a batch that lasts: its changes of tasks and rules, of claims, and of both
// together.
func (c *checks) batch(space string, b *persistence.Batch) {
	deletions{c}.batch(space, b)
	st := &c.stored
	leased, used := false, ""
	for _, w := range b.Writes {
		key := string(w.Key)
		switch {
		case strings.HasPrefix(key, teamspace.KeyRulesStopped) && len(key) == len(teamspace.KeyRulesStopped):
			st.stopped[space] = !w.Delete
			delete(st.mustStop, space)
		case strings.HasPrefix(key, teamspace.KeyRule) && !w.Delete:
			var rule watchpost.EngagementRule
			c.decode(w.Value, &rule)
			st.rules[string(rule.ID)] = rule
		case strings.HasPrefix(key, teamspace.KeyArrival) && !w.Delete:
			id := key[len(teamspace.KeyArrival):]
			st.arrivals = append(st.arrivals, arrival{space, watchpost.PostID(id[:teamspace.IDLength]), watchpost.WatchlistID(id[teamspace.IDLength:]), c.targetsOf(space)})
		case strings.HasPrefix(key, teamspace.KeyTask) && w.Delete:
			delete(st.tasks[space], key[1:])
		case strings.HasPrefix(key, teamspace.KeyTask):
			leased = c.stands(space, key[1:], w.Value) || leased
		case strings.HasPrefix(key, teamspace.KeyLedger) && !w.Delete:
			var record teamspace.LedgerRecord
			c.decode(w.Value, &record)
			if record.Used > c.used[space][key[1:]] && c.restored(key[1:]) {
				used = key
			}
		}
	}
	if leased && used != "" {
		c.life.fail("a task is handed out for %q: what it has used since the backup is not known", used)
	}
	for _, w := range b.Directory {
		if w.Key.Kind == teamspace.DirAccount {
			c.claim(w.Key.Name, w.Value)
		}
	}
}

func (c *checks) targetsOf(space string) []string {
	if of := c.life.teamOf(space); of != nil {
		return slices.Clone(of.targets)
	}
	return nil
}

// restored reports whether an entry of a ledger is of the day or week of the last restore.
func (c *checks) restored(entry string) bool {
	at := c.life.restoredAt
	allowance, _ := watchpost.AllowanceOf(watchpost.Action(entry[strings.LastIndexByte(entry, 0)+1:]))
	return !at.IsZero() && strings.HasPrefix(entry, allowance.Period.Key(at)+"\x00")
}

// stands takes up the record of a task, and reports whether it was handed out. A session
// has one task at a time; an effect has one task that is under way or done; rules
// keep their limits.
func (c *checks) stands(space, id string, value []byte) (leased bool) {
	var task watchpost.Task
	c.decode(value, &task)
	before, known := c.stored.tasks[space][id]
	now := standing{state: task.State, asked: task.Asked, done: task.Resolved != nil && task.Resolved.Acted}
	if effect, counted := task.Effect(); counted {
		now.effect = effect.Key()
	}
	if engagement, ok := task.Engagement(); ok {
		now.urn = engagement.URN
	}
	if task.Lease != nil {
		now.session = task.Lease.Session
	}
	if now.instead = before.instead; !known && now.effect != "" {
		for other, o := range c.stored.tasks[space] {
			if o.effect == now.effect && o.state == watchpost.TaskFailed && !o.done {
				now.instead = append(now.instead, other)
			}
		}
	}
	put(c.stored.tasks, space, id, now)
	if !known {
		c.life.seen.note("task → " + string(now.state))
		c.begins(space, id, &now)
	} else if before.state != now.state {
		c.life.seen.note("task " + string(before.state) + " → " + string(now.state))
	}
	if task.Failure != nil && !before.state.Final() {
		c.life.seen.note("failure " + task.Failure.Code)
		if task.Unknown() {
			c.givesUp(&task)
		}
	}
	if before.state == now.state {
		return false
	}
	for other, o := range c.stored.tasks[space] {
		switch {
		case other == id:
		case now.state == watchpost.TaskLeased && o.state == now.state && o.session == now.session:
			c.life.fail("session %s has two tasks: %s and %s", now.session, other, id)
		case now.effect != "" && o.effect == now.effect && underWay(now.state) && underWay(o.state):
			c.life.fail("%s and %s do the same: %q", other, id, now.effect)
		}
	}
	if now.state != watchpost.TaskLeased {
		return false
	}
	if allowance, counted := watchpost.AllowanceOf(task.LeasedType().Action()); counted {
		u := usage{task.Lease.Account, allowance.Action, allowance.Period.Key(c.life.now())}
		c.stored.handed[u.entry()] = true
	}
	return true
}

// givesUp notes a write whose outcome stays unknown.
func (c *checks) givesUp(task *watchpost.Task) {
	allowance, counted := watchpost.AllowanceOf(task.LeasedType().Action())
	if !counted {
		return
	}
	c.unpaid(task.Account, allowance)
}

// unpaid notes that an account may do a write, from now on, that no ledger pays for.
func (c *checks) unpaid(account watchpost.AccountURN, allowance watchpost.Allowance) {
	name, period := doneBy(account, allowance.Action), allowance.Period.Key(c.life.now())
	if first := c.stored.givenUp[name]; first == "" || period < first {
		c.stored.givenUp[name] = period
	}
}

// doneBy names an action of an account.
func doneBy(account watchpost.AccountURN, action watchpost.Action) string {
	return string(account) + " " + string(action)
}

// underWay reports whether a task is handed out, or done.
func underWay(s watchpost.TaskState) bool {
	return s == watchpost.TaskLeased || s == watchpost.TaskActing || s == watchpost.TaskCompleted
}

// begins looks at a new task: one of a rule must be allowed.
func (c *checks) begins(space, id string, task *standing) {
	if task.asked.Kind != watchpost.AskedByRule {
		return
	}
	st, post := &c.stored, ruled(space, task.urn)
	_, waits := st.waits[space][task.asked.ID]
	switch rule := st.rules[task.asked.ID]; {
	case waits:
		c.life.fail("task %s of a rule is made, and the deletion of the rule waits", id)
	case st.stopped[space], st.mustStop[space]:
		c.life.fail("task %s of a rule is made, and the rules are stopped", id)
	case st.rejected[post]:
		c.life.fail("task %s of a rule is made for %s, which was rejected", id, task.urn)
	case rule.Approval && !st.approved[post]:
		c.life.fail("task %s of a rule is made for %s, and no one has approved it", id, task.urn)
	}
}

// wroteForRule counts a write of a rule: one for a post, and one for an author and week.
func (c *checks) wroteForRule(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for space, tasks := range c.stored.tasks {
		task, known := tasks[id]
		if !known || task.asked.Kind != watchpost.AskedByRule || !c.life.restoredAt.IsZero() {
			continue
		}
		names := []string{ruled(space, task.urn)}
		for _, p := range c.life.network.posts {
			if p.URN == task.urn {
				names = append(names, ruled(space, p.AuthorURL+" in the week "+watchpost.Weekly.Key(c.life.now())))
			}
		}
		for _, name := range names {
			if c.stored.wrote[name]++; c.stored.wrote[name] > 1 {
				c.life.fail("rules have engaged twice: %s", name)
			}
		}
	}
}

// claim looks at the new claim on an account. It is its owner's until it ends; who claims
// it after another has no allowance on that day, unless the other never confirmed it.
func (c *checks) claim(urn string, value []byte) {
	claims, now := c.stored.claims, c.life.now()
	before, known := claims[urn]
	if value == nil {
		before.Ended = true
		claims[urn] = before
		return
	}
	var next teamspace.ClaimEntry
	c.decode(value, &next)
	if known && next.Team != "" && (next.Team != before.Team || next.Member != before.Member) {
		lapsed := !before.Ended && !before.ConfirmBy.IsZero() && !now.Before(before.ConfirmBy)
		switch {
		case !before.Ended && !lapsed && now.Sub(before.HelloAt) < 30*24*time.Hour:
			c.life.fail("the account %s is claimed by %s/%s, and is that of %s/%s", urn, next.Team, next.Member, before.Team, before.Member)
		case !lapsed && next.From.Before(next.HelloAt.AddDate(0, 0, 1)):
			c.life.fail("the account %s is claimed after another's use, and may work at once", urn)
		}
	}
	claims[urn] = next
}

// released looks whether the claims of a member or team that is gone have ended.
func (c *checks) released(gone func(teamspace.ClaimEntry) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for urn, claim := range c.stored.claims {
		if !claim.Ended && gone(claim) {
			c.life.fail("the member %s of %s is gone, and claims %s", claim.Member, claim.Team, urn)
		}
	}
}
