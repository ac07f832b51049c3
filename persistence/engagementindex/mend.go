package engagementindex

import (
	"bytes"
	"errors"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Whole reports whether the index lists everything in a view. Otherwise Mend has work.
func Whole(view persistence.View, space persistence.Space) (bool, error) {
	state, _, err := load(view, space)
	if err != nil || state.Phase != "" {
		return false, err
	}
	todo, err := nextTodo(view, space)
	return todo == nil, err
}

func nextTodo(view persistence.View, space persistence.Space) (todo *teamspace.EngagementTodo, err error) {
	prefix, failure := []byte(teamspace.KeyEngagementTodo), error(nil)
	err = view.Scan(space, prefix, persistence.PrefixEnd(prefix), func(_, v []byte) bool {
		todo = &teamspace.EngagementTodo{}
		failure = teamspace.Decode(v, todo)
		return false
	})
	return todo, errors.Join(err, failure)
}

// Mend adds the next step to a batch that is empty, and leaves it empty when the index is
// whole. A step that was lost is made again.
func Mend(view persistence.View, space persistence.Space, batch *persistence.Batch, live map[watchpost.WatchlistID]bool) error {
	w, err := New(view, space, batch, live)
	if err != nil {
		return err
	}
	posts, err := postindex.Next(view, space)
	if err != nil {
		return err
	}
	switch w.state.Phase {
	case teamspace.EngagementsClearing:
		batch.Delete([]byte(teamspace.KeyEarlierEngagements))
		if err := removeRange(view, space, batch, []byte(teamspace.KeyEngagements)); err != nil {
			return err
		}
		if len(batch.Writes) == 1 {
			w.state.Phase = teamspace.EngagementsBuilding
		}
	case teamspace.EngagementsBuilding:
		err = w.build()
	default:
		todo, err := nextTodo(view, space)
		if todo == nil || err != nil {
			return err
		}
		if err := w.resume(*todo); err != nil {
			return err
		}
	}
	w.Finish(posts)
	return err
}

// resume goes on with a todo.
func (w *Writer) resume(todo teamspace.EngagementTodo) error {
	_, post, err := w.postOf(todo.Target)
	if err != nil {
		return err
	}
	room := persistence.MaxBatchOps / 2
	return w.listTarget(todo, w.lists(post), &room)
}

// postOf returns the urn of the stored post that a target is, and the post; nil when it is
// not stored.
func (w *Writer) postOf(target string) (urn string, post *watchpost.Post, err error) {
	flags, err := teamspace.Load[teamspace.EngagementFlags](w.view, w.space, teamspace.EngagementFlagsKey(target))
	if err == nil && flags.URN != "" {
		post, err = postindex.ByURN(w.view, w.space, flags.URN)
	}
	if errors.Is(err, persistence.ErrNotFound) {
		err = nil
	}
	return flags.URN, post, err
}

// build indexes the next interactions.
func (w *Writer) build() error {
	from := append(teamspace.Key(teamspace.KeyInteraction, w.state.After), 0)
	full, failure := false, error(nil)
	err := w.view.Scan(w.space, from, persistence.PrefixEnd([]byte(teamspace.KeyInteraction)), func(k, v []byte) bool {
		if size, ops := w.batch.Size(); ops > persistence.MaxBatchOps/2 || size > persistence.MaxBatchBytes/2 {
			full = true
			return false
		}
		var i watchpost.Interaction
		failure = teamspace.Decode(v, &i)
		i.ID = watchpost.TaskID(bytes.Clone(k[len(teamspace.KeyInteraction):]))
		if failure == nil {
			failure = w.again(&i)
		}
		w.state.After = i.ID
		return failure == nil
	})
	if !full {
		w.state.Phase, w.state.After = "", ""
	}
	return errors.Join(err, failure)
}

// again indexes an interaction that is stored.
func (w *Writer) again(i *watchpost.Interaction) error {
	urn, post, err := w.postOf(i.Target)
	if err != nil {
		return err
	}
	if urn != "" {
		w.put(teamspace.EngagementLinkKey(urn, i.Target), i.Target)
	}
	return w.Record(i, post)
}
