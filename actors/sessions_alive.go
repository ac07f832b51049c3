package actors

import "time"

// showPresence lets Registry.RequireExtension read the newest sign of life.
func (ss *sessions) showPresence() {
	var newest time.Time
	for _, last := range ss.alive {
		if last.After(newest) {
			newest = last
		}
	}
	ss.env.presence.Store(ss.team.id, newest)
}
