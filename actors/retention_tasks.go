package actors

import (
	"bytes"
	"context"
	"errors"
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

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
		n, failure := r.expireTasksOf(ctx, team, before)
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
	err = eachTaskBefore(view, t.Space, m.after, before, func(k, v []byte, task *watchpost.Task) bool {
		if task.Expired(before) {
			gone = append(gone, task.ID)
			batch.Delete(teamspace.Key(teamspace.KeyTask, task.ID))
			batch.Delete(teamspace.Key(teamspace.KeyDebits, task.ID))
		}
		if looked, size = looked+1, size+len(v); looked >= expireTasksAtOnce || size >= expireTasksBytes {
			step.after = bytes.Clone(k)
		}
		return step.after == nil
	})
	if err != nil {
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
