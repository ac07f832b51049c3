// Package stored works on the stored records of teams, past their actors: it compares posts
// with their index, applies the present rules to them, and says what a store holds. A
// caller that has a running service ends the team's actor first (root.Registry.Alone).
package stored

import (
	"context"
	"errors"
	"fmt"

	"watchpost/actors/poststore"
	"watchpost/persistence"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Verification says what VerifyPosts looked at and found.
type Verification struct {
	Teams, Posts int
	// Problems counts the damaged parts, Lost the posts that a repair would lose,
	// and with Repairing.AcceptLoss has lost.
	Problems, Lost int
	// Damaged are the teams whose records the store has lost.
	Damaged int
}

// Repairing says whether an index with problems is made again of the posts, and
// whether that may lose posts which cannot be read.
type Repairing struct{ Index, AcceptLoss bool }

// VerifyPosts compares the posts of every team with the index by which they
// are found, and interactions with theirs, while no service uses the store. report gets
// each problem, and each post that would be lost: then the team is left as it is. A team
// whose records the store has lost is reported, too, and the others go on. A damaged
// index of interactions is made again by the team's next life.
func VerifyPosts(ctx context.Context, store persistence.Store, repair Repairing, report func(team watchpost.TeamID, problem string)) (Verification, error) {
	var sum Verification
	teams, err := teamIDs(ctx, store)
	if err != nil {
		return sum, err
	}
	for _, team := range teams {
		err := sum.Verify(ctx, store, team, repair, func(problem string) { report(team, problem) })
		if errors.Is(err, persistence.ErrDamaged) {
			sum.Damaged++
			report(team, err.Error())
		} else if err != nil {
			return sum, fmt.Errorf("team %s: %w", team, err)
		}
	}
	return sum, nil
}

// Verify verifies one team.
func (sum *Verification) Verify(ctx context.Context, store persistence.Store, team watchpost.TeamID, repair Repairing, report func(string)) error {
	space := persistence.Space(team)
	view, err := store.View(ctx)
	if err != nil {
		return err
	}
	posts, problems, err := postindex.New(postindex.Options{}).Verify(view, space, report)
	engagements := 0
	if err == nil && problems == 0 { // the index of engagements names posts
		engagements, err = verifyEngagements(view, space, report)
	}
	view.Close()
	if err != nil {
		return err
	}
	sum.Teams++
	sum.Posts += posts
	sum.Problems += problems + engagements
	if engagements > 0 && repair.Index {
		return discardEngagements(ctx, store, space)
	}
	if problems == 0 || !repair.Index {
		return nil
	}
	err = postindex.New(postindex.Options{}).Repair(ctx, store, space, repair.AcceptLoss, func(problem string) {
		sum.Lost++
		report(problem)
	})
	if errors.Is(err, postindex.ErrLoss) {
		err = nil // Lost says so
	}
	return err
}

func verifyEngagements(view persistence.View, space persistence.Space, report func(string)) (int, error) {
	tagging, err := poststore.LoadTagging(view, space)
	if err != nil {
		return 0, err
	}
	return engagementindex.Verify(view, space, tagging.Live, report)
}

// discardEngagements lets the team's next life build the index of engagements again.
func discardEngagements(ctx context.Context, store persistence.Store, space persistence.Space) error {
	epoch, err := store.Activate(ctx, space)
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	engagementindex.Discard(batch)
	return persistence.Commit(ctx, store, space, epoch, batch)
}

// teamIDs returns all teams of a store.
func teamIDs(ctx context.Context, store persistence.Store) ([]watchpost.TeamID, error) {
	view, err := store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	return teamspace.Names[watchpost.TeamID](view, teamspace.DirTeam)
}
