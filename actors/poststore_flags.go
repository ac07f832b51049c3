package actors

import (
	"errors"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
)

// updatePostFlags asks the post store to change what the team did with a post: its bookmark, or
// that it was liked or commented on, which is recorded whether or not the post
// is stored. then runs when it is durable.
type updatePostFlags struct {
	post     watchpost.PostID // of a bookmark
	bookmark *bool
	done     *watchpost.Interaction
	then     func(error)
}

// updateFlags changes a post.
func (f *postStore) updateFlags(view persistence.View, m updatePostFlags) error {
	batch := &persistence.Batch{}
	old, err := f.flaggedPost(view, &m)
	if err != nil {
		return err
	}
	var flags teamspace.EngagementFlags
	if m.done != nil {
		flags, err = teamspace.Load[teamspace.EngagementFlags](view, f.space, teamspace.EngagementFlagsKey(m.done.Target))
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			return err
		}
		flags.Liked = flags.Liked || m.done.Kind == watchpost.InteractionLike
		flags.Commented = flags.Commented || m.done.Kind == watchpost.InteractionComment
		if old != nil {
			flags.URN = old.URN
		}
		batch.Put(teamspace.EngagementFlagsKey(m.done.Target), teamspace.Encode(flags))
		batch.Put(teamspace.Key(teamspace.KeyInteraction, m.done.ID), teamspace.Encode(*m.done))
		if err := noteEngagement(view, f.space, batch, teamspace.EngagementChange{Task: m.done.ID, Target: m.done.Target}); err != nil {
			return err
		}
	}
	if old != nil {
		post := *old
		post.Liked, post.Commented = post.Liked || flags.Liked, post.Commented || flags.Commented
		if m.bookmark != nil {
			post.Bookmark = *m.bookmark
		}
		if err := f.change(view, batch, func(w *postindex.Writer) error { return w.Put(&post) }); err != nil {
			return err
		}
	}
	then := m.then
	if m.bookmark != nil && old == nil {
		then = func(err error) {
			if err == nil { // it went away meanwhile
				err = watchpost.Errorf(watchpost.NotFound, textPostNotFound)
			}
			m.then(err)
		}
	}
	f.commit(decided{batch: batch}, nil, then)
	return nil
}

// flaggedPost finds the post that is to be marked; nil when it is not stored.
func (f *postStore) flaggedPost(view persistence.View, m *updatePostFlags) (*watchpost.Post, error) {
	var post *watchpost.Post
	var err error
	if m.done == nil {
		post, err = postindex.Get(view, f.space, m.post)
	} else {
		post, err = f.postOf(view, m.done.URN)
	}
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, nil // nothing to mark is no fault
	}
	return post, err
}

// postOf finds a stored post by any of its names.
func (f *postStore) postOf(view persistence.View, name string) (*watchpost.Post, error) {
	post, err := postindex.ByURN(view, f.space, name)
	if err == nil || !errors.Is(err, persistence.ErrNotFound) {
		return post, err
	}
	key := watchpost.PostKey(name)
	if key == "" {
		return nil, persistence.ErrNotFound
	}
	found, err := f.env.posts.Query(view, f.space, &watchpost.PostQuery{Slug: key, Order: watchpost.RecentFirst, Page: 1, PageSize: 1})
	if err == nil && len(found.Posts) == 0 {
		err = persistence.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return found.Posts[0].Post()
}

// remember gives a post that is stored again the flags of earlier engagements,
// under any of its names. Flags of another post stay with that post, unless
// it is named by the same urn.
func (f *postStore) remember(view persistence.View, batch *persistence.Batch, p *watchpost.Post) error {
	own := watchpost.PostKey(p.URN)
	targets := []string{own}
	for _, target := range p.ReferenceKeys() {
		if target != own {
			targets = append(targets, target)
		}
	}
	for _, target := range targets {
		flags, err := teamspace.Load[teamspace.EngagementFlags](view, f.space, teamspace.EngagementFlagsKey(target))
		if errors.Is(err, persistence.ErrNotFound) || err == nil && target != own && flags.URN != "" && flags.URN != p.URN {
			continue
		}
		if err != nil {
			return err
		}
		p.Liked, p.Commented = p.Liked || flags.Liked, p.Commented || flags.Commented
		if flags.URN != p.URN {
			flags.URN = p.URN
			batch.Put(teamspace.EngagementFlagsKey(target), teamspace.Encode(flags))
			if err := noteOtherEngagements(view, f.space, batch); err != nil {
				return err
			}
		}
	}
	return nil
}
