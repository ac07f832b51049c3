package cluster

import (
	"maps"
	"slices"
	"time"
)

// row is a member's row in the database. beat is another one after each renewal. unchanged
// means that the row is as the statement before has seen it.
type row struct {
	id, beat  string
	unchanged bool
}

// pulse is the last renewal of another member, and since when this node has seen no
// other one, by its own clock. beat is "" while no statement has returned the row.
type pulse struct {
	beat  string
	since time.Duration
}

// pulses are what this node sees of the renewals of the other members. The clock of the
// database decides nothing about them: a step of it removes no one, and keeps no one.
type pulses map[string]pulse

// see takes the members and the rows that a statement has returned by now: all that have
// not changed since the statement before. A member counted its lease from before it sent
// the renewal, so its lease has ended when the row has not changed for as long as that after
// it was first seen.
func (p pulses) see(members []string, rows []row, now time.Duration) {
	returned := map[string]row{}
	for _, r := range rows {
		returned[r.id] = r
	}
	listed := map[string]bool{}
	for _, id := range members {
		listed[id] = true
		since, r := now, returned[id]
		if last, known := p[id]; known && r.unchanged && (last.beat == "" || last.beat == r.beat) {
			since = last.since
		}
		p[id] = pulse{r.beat, since}
	}
	for id := range p {
		if !listed[id] {
			delete(p, id)
		}
	}
}

// ids are those of the members, sorted: questions and log lines about them have one order.
func (p pulses) ids() []string { return slices.Sorted(maps.Keys(p)) }

// living returns the members that have renewed within a time.
func (p pulses) living(now, limit time.Duration) (ids []string) {
	for _, id := range p.ids() {
		if !p.late(id, now, limit) {
			ids = append(ids, id)
		}
	}
	return ids
}

// overdue returns the members that have not renewed for a time.
func (p pulses) overdue(now, limit time.Duration) (rows []row) {
	for _, id := range p.ids() {
		if p.late(id, now, limit) {
			rows = append(rows, row{id: id, beat: p[id].beat})
		}
	}
	return rows
}

// late reports whether one member has not renewed for a time.
func (p pulses) late(id string, now, limit time.Duration) bool {
	last, known := p[id]
	return known && now-last.since >= limit
}
