package actors

import (
	"bytes"
	"context"
	"errors"
	"time"

	"watchpost/actors/changefeed"
	"watchpost/actors/poststore"
	"watchpost/actors/root"
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

// Tasks are deleted when they ended longer ago than the service keeps them
// (watchpost.Task.Expired); their entries of the journal stay. As with posts, a pass
// stores no progress. Ids of tasks begin with the moment of their creation, so those that
// may go are the first ones.

// expireTasks asks for the next batch of a pass; answered by expiryStep.
type expireTasks struct{ after []byte }

// Bounds of what one batch looks at.
const (
	expireTasksAtOnce = 200
	expireTasksBytes  = 4 << 20
)

// ExpireTasks deletes the tasks whose time has passed, of the teams that this node
// serves. It returns how many; teams that fail are left to the next call.
func (r *upkeep) ExpireTasks(ctx context.Context) (deleted int, err error) {
	before, ends := r.env.keepTasks.Expires(watchpost.KeepForever, r.env.Clock.Now())
	if !ends {
		return 0, nil
	}
	return r.expireOfAll(ctx, func(team watchpost.TeamID) (int, error) { return r.expireTasksOf(ctx, team, before) })
}

// expireOfAll makes a pass over the teams that this node serves.
func (r *upkeep) expireOfAll(ctx context.Context, of func(watchpost.TeamID) (int, error)) (deleted int, err error) {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return 0, err
	}
	teams, err := teamspace.Names[watchpost.TeamID](view, teamspace.DirTeam)
	view.Close()
	for _, team := range teams {
		if !r.Serves(string(team)) {
			continue
		}
		n, failure := of(team)
		deleted += n
		err = errors.Join(err, passOver(failure))
		if ctx.Err() != nil {
			break
		}
	}
	return deleted, err
}

// expireTasksOf makes a pass over a team, unless it has no task that may go: then the
// team is not activated.
func (r *upkeep) expireTasksOf(ctx context.Context, team watchpost.TeamID, before time.Time) (deleted int, err error) {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return 0, err
	}
	due := false
	err = eachTaskBefore(view, persistence.Space(team), nil, before, func(_, _ []byte, task *watchpost.Task) bool {
		due = task.Expired(before)
		return !due
	})
	view.Close()
	if err != nil || !due {
		return 0, err
	}
	for after := []byte(nil); ; {
		step, err := askTeam(ctx, r.base, team, expireTasks{after: after})
		deleted += step.deleted
		if after = step.after; err != nil || after == nil {
			return deleted, err
		}
	}
}

// eachTaskBefore yields the tasks that were created before a moment, the oldest first,
// after a key or from the first one.
func eachTaskBefore(view persistence.View, space persistence.Space, after []byte, before time.Time, yield func(key, value []byte, task *watchpost.Task) bool) error {
	from := []byte(teamspace.KeyTask)
	if after != nil {
		from = append(bytes.Clone(after), 0)
	}
	var failure error
	err := view.Scan(space, from, teamspace.Key(teamspace.KeyTask, watchpost.FirstID(before)), func(k, v []byte) bool {
		var task watchpost.Task
		if failure = teamspace.Decode(v, &task); failure != nil {
			return false
		}
		return yield(k, v, &task)
	})
	return errors.Join(err, failure)
}

// onExpireTasks deletes the next tasks.
func (t *tasks) onExpireTasks(m expireTasks) {
	before, ends := t.env.keepTasks.Expires(watchpost.KeepForever, t.env.Clock.Now())
	view, err := t.env.View()
	if !ends || err != nil {
		t.Answer(expiryStep{}, root.Unavailable(err))
		return
	}
	defer view.Close()
	batch, step, looked, size := &persistence.Batch{}, expiryStep{}, 0, 0
	var gone []watchpost.TaskID
	var failure error
	err = eachTaskBefore(view, t.Space, m.after, before, func(k, v []byte, task *watchpost.Task) bool {
		if task.Expired(before) {
			failure = errors.Join(failure, forgetFetched(view, t.Space, batch, task))
			gone = append(gone, task.ID)
			batch.Delete(teamspace.Key(teamspace.KeyTask, task.ID))
			batch.Delete(teamspace.Key(teamspace.KeyDebits, task.ID))
		}
		if looked, size = looked+1, size+len(v); looked >= expireTasksAtOnce || size >= expireTasksBytes {
			step.after = bytes.Clone(k)
		}
		return step.after == nil
	})
	if err = errors.Join(err, failure); err != nil {
		t.Answer(nil, root.Unavailable(err))
		return
	}
	step.deleted = len(gone)
	finished := t.env.finished
	t.Commits.Submit(batch, root.Both(func(err error) {
		if err == nil {
			finished.forget(gone)
		}
	}, t.env.ReplyTo(t.Context.Sender(), step)))
}

// expireChanges asks for the next batch of a pass over the changes; answered by
// changesExpired.
type expireChanges struct{}

type changesExpired struct {
	deleted int
	more    bool
}

// ExpireChanges deletes the changes that are kept no longer, of the teams that this node
// serves. It returns how many; teams that fail are left to the next call.
func (r *upkeep) ExpireChanges(ctx context.Context) (deleted int, err error) {
	return r.expireOfAll(ctx, func(team watchpost.TeamID) (deleted int, err error) {
		view, err := r.env.Store.View(ctx)
		if err != nil {
			return 0, err
		}
		due, _, err := changefeed.Prune(view, persistence.Space(team), r.env.Clock.Now(), &persistence.Batch{})
		view.Close()
		for more := due > 0; more && err == nil; {
			var step changesExpired
			step, err = askTeam(ctx, r.base, team, expireChanges{})
			deleted, more = deleted+step.deleted, step.more
		}
		return deleted, err
	})
}

func (t *team) onExpireChanges() {
	view, err := t.env.View()
	if err != nil {
		t.Answer(nil, root.Unavailable(err))
		return
	}
	defer view.Close()
	batch := &persistence.Batch{}
	deleted, more, err := changefeed.Prune(view, t.Space, t.env.Clock.Now(), batch)
	if err != nil {
		t.Answer(nil, root.Unavailable(err))
		return
	}
	t.Commit(batch, changesExpired{deleted, more})
}
