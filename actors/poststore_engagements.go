package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"watchpost/persistence"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// listEngagements asks the post store for what the index of engagements lacks: after an
// earlier build, or of a post with more interactions than a batch holds; answered by Done
// when it is whole.
type listEngagements struct{ sender *actor.PID }

func (t *team) onListEngagements() {
	t.ctx.Send(t.postStore, listEngagements{sender: t.ctx.Sender()})
}

// listEngagements does the next step.
func (f *postStore) listEngagements(view persistence.View, m listEngagements) error {
	tagging, err := f.env.watchlists.of(view, watchpost.TeamID(f.space))
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	if err := engagementindex.Mend(view, f.space, batch, tagging.Live); err != nil {
		return err
	}
	if !batch.Empty() {
		f.commit(decided{batch: batch}, m, nil)
		return nil
	}
	if answer := replyTo(f.env, m.sender, Done{}); answer != nil {
		answer(nil)
	}
	return nil
}

// engagements begins a change of the index of engagements.
func (f *postStore) engagements(view persistence.View, batch *persistence.Batch) (*engagementindex.Writer, error) {
	tagging, err := f.env.watchlists.of(view, watchpost.TeamID(f.space))
	if err != nil {
		return nil, err
	}
	return engagementindex.New(view, f.space, batch, tagging.Live)
}

// finish ends a change of the index.
func (f *postStore) finish(engaged *engagementindex.Writer, posts uint64) {
	if engaged.Finish(posts); engaged.Todo() {
		f.queue = append([]any{listEngagements{}}, f.queue...)
	}
}

// follow is finish for a batch that changes no posts.
func (f *postStore) follow(view persistence.View, engaged *engagementindex.Writer) error {
	posts, err := postindex.Next(view, f.space)
	if err == nil {
		f.finish(engaged, posts)
	}
	return err
}
