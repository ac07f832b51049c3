package triage

import (
	"time"

	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Kept is what a member has decided about a post, in an export. A post without one is done
// if it was stored before DoneBefore, which the record without a post has.
type Kept struct {
	Member     watchpost.MemberID
	Post       watchpost.PostID
	State      watchpost.TriageState
	DoneBefore time.Time
}

// Export yields a Kept of each member and of each mark, then each watchpost.PostAssignment.
func Export(view persistence.View, space persistence.Space, yield func(any) error) error {
	var all []any
	records, allDone := map[watchpost.MemberID]time.Time{}, map[watchpost.MemberID]time.Time{}
	err := teamspace.LoadAll(view, space, teamspace.KeyTriage, func(id string, r teamspace.TriageRecord) {
		records[watchpost.MemberID(id)] = r.DoneBefore
		if r.AllDone != nil {
			allDone[watchpost.MemberID(id)] = r.AllDone.Before
		}
	})
	if err != nil {
		return err
	}
	for member, before := range ordered.ByKey(records) {
		all = append(all, Kept{Member: member, DoneBefore: before})
	}
	err = teamspace.LoadAll(view, space, teamspace.KeyTriageMark, func(id string, m teamspace.TriageMark) {
		member := watchpost.MemberID(id[:teamspace.IDLength])
		if m.State != watchpost.TriageLater && m.StoredAt.Before(allDone[member]) {
			return // it is kept only to be taken back
		}
		all = append(all, Kept{Member: member, Post: watchpost.PostID(id[teamspace.IDLength:]), State: m.State})
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, space, teamspace.KeyAssignment, func(_ string, a watchpost.PostAssignment) { all = append(all, a) })
	for _, record := range all {
		if err == nil {
			err = yield(record)
		}
	}
	return err
}
