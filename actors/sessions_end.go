package actors

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/internal/protocol"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// seenGrain is how far the stored last sign of a session may lag behind.
const seenGrain = time.Hour

// maxBrowser bounds each text about a browser, in bytes.
const maxBrowser = 200

// describe takes up what a hello says of where the session runs.
func (s *sessionState) describe(hello *protocol.Frame) (changed bool) {
	version, browser := text.ClipBytes(hello.Version, maxBrowser), protocol.Browser{}
	if b := hello.Browser; b != nil {
		browser = protocol.Browser{Name: text.ClipBytes(b.Name, maxBrowser), Version: text.ClipBytes(b.Version, maxBrowser), OS: text.ClipBytes(b.OS, maxBrowser), Label: text.ClipBytes(b.Label, maxBrowser)}
	}
	changed = s.record.Version != version || s.record.Browser != browser
	s.record.Version, s.record.Browser = version, browser
	return changed
}

// saw notes a sign of a session, and stores it when the stored one lags
// too far behind, or when more of the record has changed.
func (ss *sessions) saw(batch *persistence.Batch, s *sessionState, changed bool, now time.Time) {
	if !changed && now.Sub(s.seenStored) < seenGrain {
		s.record.SeenAt = now
		return
	}
	s.record.SeenAt, s.seenStored = now, now
	batch.Put(teamspace.Key(teamspace.KeySession, s.record.ID), teamspace.Encode(s.record))
}

// endUnused ends the sessions that were not seen for watchpost.SessionKept, and the
// claims of members with their last ones.
func (ss *sessions) endUnused(now time.Time) {
	st := &root.Steps{}
	var unused []*sessionState
	left := map[watchpost.MemberID]int{}
	for _, s := range ordered.ByKey(ss.byID) {
		left[s.record.Member]++
		if s.link == nil && watchpost.SessionEnds(s.record.SeenAt, now) { // a connected one is seen
			unused = append(unused, s)
		}
	}
	var without []watchpost.MemberID
	for _, s := range unused {
		if left[s.record.Member]--; left[s.record.Member] == 0 {
			without = append(without, s.record.Member)
		}
	}
	// The claims go first: should the service end between the steps, the sessions that
	// are left end them.
	if err := ss.team.members.endClaims(st, "", without...); err != nil {
		ss.Fail(err)
		return
	}
	for _, s := range unused {
		ss.logEnd(s, "unused")
		ss.close(st.Room(2), s)
	}
	ss.SubmitSteps(st, nil)
}

// makeRoom ends sessions of a member until there is room for one more: of those
// that are not connected before others, the one first that was not seen for the
// longest time.
func (ss *sessions) makeRoom(member watchpost.MemberID) {
	ss.endUnused(ss.env.Clock.Now())
	sessions := ss.of(member)
	if len(sessions) < watchpost.MaxSessions || ss.Broken != nil {
		return
	}
	slices.SortFunc(sessions, func(a, b *sessionState) int {
		if connected := b.link != nil; connected != (a.link != nil) {
			if connected {
				return -1
			}
			return 1
		}
		return cmp.Or(a.record.SeenAt.Compare(b.record.SeenAt), cmp.Compare(a.record.ID, b.record.ID))
	})
	st := &root.Steps{}
	var ends []func()
	for _, s := range sessions[:len(sessions)-watchpost.MaxSessions+1] {
		ss.logEnd(s, "replaced")
		ends = append(ends, ss.close(st.Room(2), s))
	}
	ss.SubmitSteps(st, func(err error) {
		for _, end := range ends {
			if err == nil {
				end()
			}
		}
	})
}

func (ss *sessions) logEnd(s *sessionState, why string) {
	ss.env.Log.Info("audit: session ended", "team", ss.team.id, "member", s.record.Member, "session", s.record.ID, "reason", why)
}

// of returns the sessions of a member, connected or not, in the order of their ids, as a
// slice of the caller's own.
func (ss *sessions) of(member watchpost.MemberID) []*sessionState {
	return slices.SortedFunc(maps.Values(ss.byMember[member]), func(a, b *sessionState) int { return cmp.Compare(a.record.ID, b.record.ID) })
}

// close takes a session and its token away. The returned function tells the
// session; call it when that is durable.
func (ss *sessions) close(batch *persistence.Batch, s *sessionState) (tell func()) {
	batch.Delete(teamspace.Key(teamspace.KeySession, s.record.ID))
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirToken, Name: s.record.TokenHash}, nil)
	link, root := s.link, ss.env.System.Root
	ss.retire(s)
	ss.forget(s)
	if s.record.Pace != nil {
		ss.team.paces.spread(s.record.Member)
	}
	return func() {
		if link != nil {
			root.Send(link, deliver{frame: protocol.Frame{Type: protocol.TypeRevoked}})
			root.Send(link, endLink{protocol.CloseUnauthorised, "revoked"})
		}
	}
}
