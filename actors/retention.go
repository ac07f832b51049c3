package actors

import (
	"context"
	"errors"
	"time"

	"watchpost/actors/poststore"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Posts are deleted when they were stored longer ago than their team keeps them,
// except those that watchpost.Post.Expired spares. A pass stores no progress: the
// posts show what remains, and an interrupted pass begins again. Ids of posts begin
// with the moment of storing, so the oldest come first.

// expirePosts asks for the next batch of a pass; answered by expiryStep.
type expirePosts struct{ after []byte }

// expiryStep says what a batch deleted, and after which post the next one begins; nil
// when there is none.
type expiryStep struct {
	deleted int
	after   []byte
}

// ExpirePosts deletes the posts whose time has passed, of the teams that this node
// serves. It returns how many; teams that fail are left to the next call.
func (r *upkeep) ExpirePosts(ctx context.Context) (deleted int, err error) {
	keeping, err := r.keepingTeams(ctx)
	for team, before := range ordered.ByKey(keeping) {
		n, failure := r.expirePostsOf(ctx, team, before)
		deleted += n
		err = errors.Join(err, passOver(failure))
		if ctx.Err() != nil {
			break
		}
	}
	return deleted, err
}

// keepingTeams returns the teams that do not keep posts forever, with the moment
// before which posts go.
func (r *upkeep) keepingTeams(ctx context.Context) (map[watchpost.TeamID]time.Time, error) {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	keeping, now := map[watchpost.TeamID]time.Time{}, r.env.Clock.Now()
	err = teamspace.EachEntry(view, teamspace.DirTeam, func(id string, team teamspace.TeamEntry) error {
		if before, ends := team.KeepPosts.Expires(r.env.keepPosts, now); ends && r.Serves(id) {
			keeping[watchpost.TeamID(id)] = before
		}
		return nil
	})
	return keeping, err
}

// expirePostsOf makes a pass over a team, unless it has no post that may go: then the
// team is not activated.
func (r *upkeep) expirePostsOf(ctx context.Context, team watchpost.TeamID, before time.Time) (deleted int, err error) {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return 0, err
	}
	due := false
	_, err = postindex.Each(view, persistence.Space(team), nil, func(p *watchpost.Post) bool {
		due = p.Expired(before)
		return !due && p.CreatedAt.Before(before)
	})
	view.Close()
	if err != nil || !due {
		return 0, err
	}
	for after := []byte(nil); ; {
		step, err := askTeam(ctx, r.base, team, expirePosts{after: after})
		deleted += step.deleted
		if after = step.after; err != nil || after == nil {
			return deleted, err
		}
	}
}

func (t *team) onExpirePosts(m expirePosts) {
	before, ends := t.record.KeepPosts.Expires(t.env.keepPosts, t.env.Clock.Now())
	if !ends {
		t.Answer(expiryStep{}, nil)
		return
	}
	env, sender := t.env, t.Context.Sender()
	t.Context.Send(t.postStore, poststore.Expire{After: m.after, Before: before, Done: func(deleted int, next []byte, err error) {
		if answer := env.ReplyTo(sender, expiryStep{deleted, next}); answer != nil {
			answer(err)
		}
	}})
}
