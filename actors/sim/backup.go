package sim

import (
	"maps"
	"slices"

	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// backup is the store at a moment, and the promises made by then.
type backup struct {
	spaces    map[persistence.Space]records
	directory map[persistence.DirectoryKey]string
	promises  *checks
	teams     []keptTeam
}

// keptTeam is a team of a backup.
type keptTeam struct {
	*team
	apiKey   string
	browsers []*browser // whose sessions are in it
}

// save makes a backup.
func (l *life) save() {
	b := &backup{promises: l.checks.copied()}
	l.disk.mu.Lock()
	b.spaces, b.directory = maps.Clone(l.disk.spaces), l.disk.directory
	l.disk.mu.Unlock()
	for _, of := range l.teams {
		kept := keptTeam{team: of, apiKey: of.apiKey}
		if !of.dead {
			kept.browsers = slices.DeleteFunc(slices.Clone(of.browsers), func(b *browser) bool { return b.leaving || b.over })
		}
		b.teams = append(b.teams, kept)
	}
	l.saved = b
}

// restore ends the process and starts the next with the store of the last backup. Promises
// made since need not hold; writes on the network stay done.
func (l *life) restore() {
	b := l.saved
	if b == nil {
		return
	}
	l.kill(l.node)
	l.disk.mu.Lock()
	l.disk.spaces, l.disk.directory = maps.Clone(b.spaces), b.directory
	l.disk.mu.Unlock()
	l.restoredAt = l.now()
	for _, of := range l.teams {
		of.dead = true
	}
	for i, kept := range b.teams {
		of := kept.team
		l.teams[i], of.dead = of, kept.browsers == nil
		of.apiKey, of.guest, of.joined = kept.apiKey, nil, true
		for _, one := range of.browsers {
			one.over, one.leaving = !slices.Contains(kept.browsers, one), false
			if !one.over && one.guest {
				of.guest = one
			}
		}
	}
	l.checks.restore(b.promises.copied())
	l.boot()
}

// copied returns a copy of the promises.
func (c *checks) copied() *checks {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := &checks{
		tasks: map[string]*promised{}, used: clones(c.used), debits: clones(c.debits), ended: maps.Clone(c.ended),
		replies: maps.Clone(c.replies), effects: map[string]watchpost.TaskID{}, given: maps.Clone(c.given), stored: c.stored,
	}
	for _, id := range slices.Sorted(maps.Keys(c.tasks)) {
		p := *c.tasks[id]
		o.tasks[id] = &p
	}
	o.stored.tasks, o.stored.claims, o.stored.rules = clones(c.stored.tasks), maps.Clone(c.stored.claims), maps.Clone(c.stored.rules)
	o.stored.stopped, o.stored.mustStop = maps.Clone(c.stored.stopped), maps.Clone(c.stored.mustStop)
	o.stored.things, o.stored.waits = clones(c.stored.things), clones(c.stored.waits)
	o.stored.approved, o.stored.rejected = maps.Clone(c.stored.approved), maps.Clone(c.stored.rejected)
	return o
}

func clones[V any](of map[string]map[string]V) map[string]map[string]V {
	o := maps.Clone(of)
	for key, inner := range o {
		o[key] = maps.Clone(inner)
	}
	return o
}

// restore takes up the promises of a backup. Teams with rules have to stop them.
func (c *checks) restore(by *checks) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tasks, c.used, c.debits, c.ended, c.replies, c.effects, c.given, c.stored = by.tasks, by.used, by.debits, by.ended, by.replies, by.effects, by.given, by.stored
	for b := range c.life.browsers() {
		for _, e := range b.journal {
			if allowance, counted := watchpost.AllowanceOf(e.kind.Action()); counted && e.state == protocol.StateActing {
				c.unpaid(b.urn(), allowance) // it may be done in a later period
			}
		}
	}
	c.stored.mustStop = map[string]bool{}
	for space, all := range c.life.disk.spaces {
		for _, r := range all {
			if len(r.key) == len(teamspace.KeyRule)+teamspace.IDLength && r.key[:len(teamspace.KeyRule)] == teamspace.KeyRule {
				c.stored.mustStop[string(space)] = !c.stored.stopped[string(space)]
			}
		}
	}
}
