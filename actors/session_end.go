package actors

import (
	"cmp"
	"slices"
	"time"

	"watchpost"
	"watchpost/internal/protocol"
	"watchpost/persistence"
)

// seenGrain is how far the stored last sign of a session may lag behind.
const seenGrain = time.Hour

// maxBrowser bounds each text about a browser, in bytes.
const maxBrowser = 200

// describe takes up what a hello says of where the session runs.
func (s *sessionState) describe(hello *protocol.Frame) (changed bool) {
	version, browser := clip(hello.Version, maxBrowser), protocol.Browser{}
	if b := hello.Browser; b != nil {
		browser = protocol.Browser{Name: clip(b.Name, maxBrowser), Version: clip(b.Version, maxBrowser), OS: clip(b.OS, maxBrowser), Label: clip(b.Label, maxBrowser)}
	}
	changed = s.record.Version != version || s.record.Browser != browser
	s.record.Version, s.record.Browser = version, browser
	return changed
}

// sawSession notes a sign of a session, and stores it when what is stored lags
// too far behind, or when more of the record has changed.
func (t *team) sawSession(batch *persistence.Batch, s *sessionState, changed bool, now time.Time) {
	if !changed && now.Sub(s.seenStored) < seenGrain {
		s.record.SeenAt = now
		return
	}
	s.record.SeenAt, s.seenStored = now, now
	batch.Put(key(keySession, s.record.ID), encode(s.record))
}

// endUnused ends the sessions that were not seen for watchpost.SessionKept. The
// time of those that an earlier build left begins now.
func (t *team) endUnused(now time.Time) {
	st := &steps{}
	for _, s := range t.sessions {
		switch {
		case s.pid != nil: // it is seen
		case s.record.SeenAt.IsZero():
			t.sawSession(st.room(1), s, true, now)
		case watchpost.SessionEnds(s.record.SeenAt, now):
			if err := t.endSession(st, s, "unused"); err != nil {
				t.fail(err)
				return
			}
		}
	}
	t.submitSteps(st, nil)
}

// makeRoom ends sessions of a member until there is room for one more: of those
// that are not connected before others, the one first that was not seen for the
// longest time.
func (t *team) makeRoom(member watchpost.MemberID) {
	t.endUnused(t.env.clock.Now())
	sessions := t.sessionsOf(member)
	if len(sessions) < watchpost.MaxSessions || t.broken != nil {
		return
	}
	slices.SortFunc(sessions, func(a, b *sessionState) int {
		if connected := b.pid != nil; connected != (a.pid != nil) {
			if connected {
				return -1
			}
			return 1
		}
		return cmp.Or(a.record.SeenAt.Compare(b.record.SeenAt), cmp.Compare(a.record.ID, b.record.ID))
	})
	st := &steps{}
	var ends []func()
	for _, s := range sessions[:len(sessions)-watchpost.MaxSessions+1] {
		t.logEnd(s, "replaced")
		ends = append(ends, t.closeSession(st.room(2), s))
	}
	t.submitSteps(st, func(err error) {
		for _, end := range ends {
			if err == nil {
				end()
			}
		}
	})
}

// endSession ends a session that is not connected, and the member's claims with
// the last one.
func (t *team) endSession(st *steps, s *sessionState, why string) error {
	t.logEnd(s, why)
	t.closeSession(st.room(2), s)
	if len(t.sessionsOf(s.record.Member)) > 0 {
		return nil
	}
	return t.endClaims(st, s.record.Member, "")
}

func (t *team) logEnd(s *sessionState, why string) {
	t.env.log.Info("audit: session ended", "team", t.id, "member", s.record.Member, "session", s.record.ID, "reason", why)
}
