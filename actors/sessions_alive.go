package actors

import (
	"time"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// showPresence lets Registry.RequireExtension read the newest sign of life.
func (ss *sessions) showPresence() {
	var newest time.Time
	for _, l := range ss.liveness {
		if l.last.After(newest) {
			newest = l.last
		}
	}
	ss.env.presence.Store(ss.team.id, newest)
}

// markAlive notes a sign of life of a member.
func (ss *sessions) markAlive(batch *persistence.Batch, member watchpost.MemberID, now time.Time) {
	l := ss.liveness[member]
	if l == nil {
		l = &liveness{}
		ss.liveness[member] = l
	}
	l.last = now
	ss.showPresence()
	if now.Sub(l.stored) >= livenessGrain {
		ss.storeLiveness(batch, member)
	}
}

// storeLiveness stores a member's last sign of life if it is not stored yet.
func (ss *sessions) storeLiveness(batch *persistence.Batch, member watchpost.MemberID) {
	if l := ss.liveness[member]; l != nil && !l.stored.Equal(l.last) {
		l.stored = l.last
		batch.Put(teamspace.Key(teamspace.KeyLiveness, member), teamspace.Encode(l.last))
	}
}
