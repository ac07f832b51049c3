package sim

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// undoFor is how long members can take a deletion back.
const undoFor = 10 * time.Second

// deletable is a thing that members delete.
type deletable struct {
	kind actors.Deletable
	id   string
	at   time.Time // when it is to be deleted
}

// deleting is what members delete, and take back.
type deleting struct{ *life }

// do deletes a thing later, or takes the newest such deletion back.
func (l deleting) do(k kind, r *rand.Rand, of *team) {
	kinds := []actors.Deletable{actors.DeletableWatchlist, actors.DeletableRule, actors.DeletableTarget}
	pick, from := kinds[r.IntN(len(kinds))], r.Uint64()
	l.client(string(k), func(n *node) {
		var err error
		if k == "delete-later" {
			err = l.deleteLater(n, of, pick, from)
		} else if last := len(of.later) - 1; last >= 0 {
			d := of.later[last]
			of.later = of.later[:last]
			err = l.undo(n, of, d)
		}
		if err != nil {
			l.bear(of, string(k), err, watchpost.NotFound, watchpost.Conflict)
		}
	})
}

// deleteLater asks for the deletion of a thing. From the answer on that is stored, until the
// thing is gone or someone takes it back.
func (l deleting) deleteLater(n *node, of *team, kind actors.Deletable, from uint64) error {
	ids, err := things(n, of, kind)
	if err != nil || len(ids) == 0 {
		return err
	}
	l.mu.Lock()
	at := l.now().Add(undoFor + time.Duration(l.number())) // no other has this moment
	l.mu.Unlock()
	d, restored := deletable{kind, ids[from%uint64(len(ids))], at}, l.restoredAt
	if _, err = ask[root.Done](n, of, actors.DeleteLater{Of: d.kind, ID: d.id, At: d.at}); err != nil {
		return err
	}
	l.tell("%s deletes the %s %s at %s", of.name, d.kind, d.id, d.at.Format("15:04:05"))
	of.later = append(of.later, d)
	if undone := (deletions{l.checks}).undone(d); undone || of.dead || !restored.Equal(l.restoredAt) {
		return nil
	}
	if l.stores(of, prefixes[kind]+d.id) && !l.stores(of, teamspace.KeyDeletion+d.id) {
		l.fail("the deletion of %s was acknowledged, and is not stored", d.id)
	}
	return nil
}

// undo takes a deletion back. From the answer on no such deletion is stored.
func (l deleting) undo(n *node, of *team, d deletable) error {
	restored := l.restoredAt
	deletions{l.checks}.mayStay(d)
	if _, err := ask[root.Done](n, of, actors.UndoDeletion{Of: d.kind, ID: d.id}); err != nil {
		return err
	}
	l.tell("%s keeps the %s %s", of.name, d.kind, d.id)
	l.checks.mu.Lock()
	defer l.checks.mu.Unlock()
	if waits := l.checks.stored.waits[string(of.id)][d.id]; waits.At.Equal(d.at) && !of.dead && restored.Equal(l.restoredAt) {
		l.fail("the deletion of %s was taken back, and is stored", d.id)
	}
	return nil
}

// things lists the ids of the things of a kind.
func things(n *node, of *team, kind actors.Deletable) (ids []string, err error) {
	switch kind {
	case actors.DeletableRule:
		var view actors.RulesView
		if view, err = ask[actors.RulesView](n, of, actors.ListRules{}); err == nil {
			for _, v := range view.Rules {
				ids = append(ids, string(v.Rule.ID))
			}
		}
	case actors.DeletableTarget:
		var views []actors.TargetView
		if views, err = ask[[]actors.TargetView](n, of, actors.ListTargets{}); err == nil {
			for _, v := range views {
				ids = append(ids, string(v.Target.ID))
			}
		}
	default:
		var views []actors.WatchlistView
		if views, err = ask[[]actors.WatchlistView](n, of, actors.ListWatchlists{}); err == nil {
			for _, v := range views {
				ids = append(ids, string(v.Watchlist.ID))
			}
		}
	}
	return ids, err
}

// stores reports whether the store has a record of a team.
func (l deleting) stores(of *team, key string) bool {
	l.disk.mu.Lock()
	defer l.disk.mu.Unlock()
	_, found := l.disk.spaces[persistence.Space(of.id)].find(key)
	return found
}

// prefixes are the keys of things that members delete.
var prefixes = map[actors.Deletable]string{
	actors.DeletableWatchlist: teamspace.KeyWatchlist, actors.DeletableRule: teamspace.KeyRule, actors.DeletableTarget: teamspace.KeyTarget,
}

// thing returns the id of the thing whose record a key is of; "": of none.
func thing(key string) string {
	for _, prefix := range prefixes {
		if id, found := strings.CutPrefix(key, prefix); found && len(id) == teamspace.IDLength {
			return id
		}
	}
	return ""
}

// deletions are the checks of what is deleted.
type deletions struct{ *checks }

// mayGo notes that a request to delete a thing at once is made.
func (c deletions) mayGo(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stored.mayGo[id] = true
}

// mayStay notes that a request to take a deletion back is made.
func (c deletions) mayStay(d deletable) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stored.mayStay[d.id] = true
}

// undone reports whether someone has asked to take a deletion back.
func (c deletions) undone(d deletable) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stored.mayStay[d.id]
}

// batch looks at the deletions of a batch that lasts. A thing goes when someone has
// asked for that or its moment has come, and not before; with it goes the record of a
// deletion that waits, which ends in no other way unless someone takes it back.
func (c deletions) batch(space string, b *persistence.Batch) {
	of := c.life.teamOf(space)
	if of == nil || of.dead {
		return
	}
	st, gone := &c.stored, map[string]bool{}
	for _, w := range b.Writes {
		if id := thing(string(w.Key)); id != "" {
			if w.Delete && st.things[space][id] {
				gone[id] = true
			}
			put(st.things, space, id, !w.Delete)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(gone)) {
		d, waits := st.waits[space][id]
		due := waits && !d.At.After(c.life.now())
		if !due && !st.mayGo[id] && !gone[string(st.rules[id].Watchlist)] {
			c.life.fail("%s is deleted, and its deletion waits: %t, until %s", id, waits, d.At)
		}
	}
	for _, w := range b.Writes {
		id, is := strings.CutPrefix(string(w.Key), teamspace.KeyDeletion)
		switch {
		case !is:
		case w.Delete:
			if !gone[id] && !st.mayStay[id] {
				c.life.fail("the deletion of %s is forgotten", id)
			}
			delete(st.waits[space], id)
		default:
			var next teamspace.DeletionRecord
			c.decode(w.Value, &next)
			if d, waits := st.waits[space][id]; waits && !d.At.Equal(next.At) {
				c.life.fail("the deletion of %s moves from %s to %s", id, d.At, next.At)
			}
			put(st.waits, space, id, next)
		}
	}
}

// end fails when a deletion waits whose moment has come.
func (c deletions) end() {
	for _, of := range c.life.teams {
		waits := c.stored.waits[string(of.id)]
		for _, id := range slices.Sorted(maps.Keys(waits)) {
			if d := waits[id]; !of.dead && !d.At.After(c.life.now()) {
				c.life.fail("%s was to be deleted at %s, and is there", id, d.At)
			}
		}
	}
}

// teamOf returns the team of a space; nil: it is none of now.
func (l *life) teamOf(space string) *team {
	for _, of := range l.teams {
		if string(of.id) == space {
			return of
		}
	}
	return nil
}
