package poststore

import (
	"watchpost/persistence"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// MendEngagements asks the post store for what the index of engagements lacks: after an
// earlier build, or of a post with more interactions than a batch holds. then runs
// when it is whole.
type MendEngagements struct{ Then func(error) }

// mendEngagements does the next step.
func (f *PostStore) mendEngagements(view persistence.View, m MendEngagements) error {
	tagging, err := f.Tagging(view, watchpost.TeamID(f.Space))
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	if err := engagementindex.Mend(view, f.Space, batch, tagging.Live); err != nil {
		return err
	}
	if !batch.Empty() {
		f.commit(Decision{Batch: batch}, m, nil)
		return nil
	}
	if m.Then != nil {
		m.Then(nil)
	}
	return nil
}

// engagements begins a change of the index of engagements.
func (f *PostStore) engagements(view persistence.View, batch *persistence.Batch) (*engagementindex.Writer, error) {
	tagging, err := f.Tagging(view, watchpost.TeamID(f.Space))
	if err != nil {
		return nil, err
	}
	return engagementindex.New(view, f.Space, batch, tagging.Live)
}

// finish ends a change of the index.
func (f *PostStore) finish(engaged *engagementindex.Writer, posts uint64) {
	if engaged.Finish(posts); engaged.Todo() {
		f.queue = append([]any{MendEngagements{}}, f.queue...)
	}
}

// follow is finish for a batch that changes no posts.
func (f *PostStore) follow(view persistence.View, engaged *engagementindex.Writer) error {
	posts, err := postindex.Next(view, f.Space)
	if err == nil {
		f.finish(engaged, posts)
	}
	return err
}
