package actors

import (
	"context"

	"watchpost/actors/journal"
	"watchpost/actors/root"
	"watchpost/actors/stored"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// upkeep does what a service does for all teams, or an operator for one.
type upkeep struct{ *base }

// VerifyTeam is VerifyPosts for one team of a running service. It repairs only faults that it
// has found on a snapshot, and loses no posts, while the team takes no requests; until that has ended, pages
// of posts are not complete.
func (r *upkeep) VerifyTeam(ctx context.Context, team watchpost.TeamID, repair bool, report func(problem string)) (stored.Verification, error) {
	sum, found := stored.Verification{}, []string(nil)
	err := sum.Verify(ctx, r.env.Store, team, stored.Repairing{}, func(problem string) { found = append(found, problem) })
	if err == nil && sum.Problems > 0 && repair {
		sum, found = stored.Verification{}, nil
		err = r.Alone(ctx, string(team), func(ctx context.Context, store persistence.Store) error {
			return sum.Verify(ctx, store, team, stored.Repairing{Index: true}, func(problem string) { found = append(found, problem) })
		})
	}
	for _, problem := range found {
		report(problem)
	}
	return sum, root.Unavailable(err)
}

// ReprocessTeam is Reprocess for one team of a running service, which takes no requests
// meanwhile. It returns how many posts have changed, also after an error.
func (r *upkeep) ReprocessTeam(ctx context.Context, team watchpost.TeamID, all bool) (posts int, err error) {
	err = r.Alone(ctx, string(team), func(ctx context.Context, store persistence.Store) (err error) {
		posts, err = stored.ReprocessTeam(ctx, store, r.env.posts, persistence.Space(team), all)
		return err
	})
	return posts, root.Unavailable(err)
}

// VerifyJournal is VerifyJournals for one team of a running service, on a snapshot.
func (r *upkeep) VerifyJournal(ctx context.Context, team watchpost.TeamID, report func(problem string)) (journal.Verification, error) {
	var sum journal.Verification
	err := sum.Verify(ctx, r.env.Store, team, report)
	return sum, root.Unavailable(err)
}
