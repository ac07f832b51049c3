package poststore

import (
	"errors"

	"watchpost/actors/changefeed"
	"watchpost/persistence"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// UpdatePostFlags asks the post store to change what the team did with a post: its bookmark, or
// that it was liked or commented on, which is recorded whether or not the post
// is stored. then runs when it is durable.
type UpdatePostFlags struct {
	Post     watchpost.PostID // of a bookmark
	Bookmark *bool
	Done     *watchpost.Interaction
	Then     func(error)
}

// updateFlags changes a post.
func (f *PostStore) updateFlags(view persistence.View, m UpdatePostFlags) error {
	batch := &persistence.Batch{}
	old, err := f.flaggedPost(view, &m)
	if err != nil {
		return err
	}
	engaged, err := f.engagements(view, batch)
	if err != nil {
		return err
	}
	var post *watchpost.Post
	var changes []watchpost.Change
	if old != nil {
		changed := *old
		post = &changed
		if m.Bookmark != nil {
			post.Bookmark = *m.Bookmark
		}
	}
	if m.Done != nil {
		again, err := f.engage(view, batch, engaged, m.Done, post)
		if err != nil {
			return err
		}
		if !again {
			changes = append(changes, m.Done.Change(post))
		}
	}
	if post != nil {
		changefeed.Note(batch, append(changes, post.ChangesSince(old)...)...)
		err = f.change(view, batch, engaged, func(w *postindex.Writer) error { return w.Put(post) })
	} else {
		changefeed.Note(batch, changes...)
		err = f.follow(view, engaged)
	}
	if err != nil {
		return err
	}
	then := m.Then
	if m.Bookmark != nil && old == nil {
		then = func(err error) {
			if err == nil { // it went away meanwhile
				err = watchpost.Errorf(watchpost.NotFound, watchpost.TextPostNotFound)
			}
			m.Then(err)
		}
	}
	f.commit(Decision{Batch: batch}, nil, then)
	return nil
}

// engage records an engagement in the batch, with the flags of its target and of its post;
// nil when that is not stored. again means that it was recorded before: a session reports it
// once more when the service has ended before its task had. The first record stays.
func (f *PostStore) engage(view persistence.View, batch *persistence.Batch, engaged *engagementindex.Writer, done *watchpost.Interaction, post *watchpost.Post) (again bool, err error) {
	key := teamspace.Key(teamspace.KeyInteraction, done.ID)
	recorded, err := teamspace.Load[watchpost.Interaction](view, f.Space, key)
	if again = err == nil; again {
		done = &recorded
	} else if !errors.Is(err, persistence.ErrNotFound) {
		return false, err
	}
	flags, err := teamspace.Load[teamspace.EngagementFlags](view, f.Space, teamspace.EngagementFlagsKey(done.Target))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return false, err
	}
	flags.Liked = flags.Liked || done.Kind == watchpost.InteractionLike
	flags.Commented = flags.Commented || done.Kind == watchpost.InteractionComment
	more := false // other interactions belong to the post now
	if post != nil {
		if flags.URN != post.URN {
			engaged.Link(done.Target, flags.URN, post.URN)
			flags.URN, more = post.URN, true
		}
		more = more || !post.Liked && !post.Commented
		post.Liked, post.Commented = post.Liked || flags.Liked, post.Commented || flags.Commented
	} else if flags.URN != "" {
		post, err = postindex.ByURN(view, f.Space, flags.URN)
		if err != nil && !errors.Is(err, persistence.ErrNotFound) {
			return false, err
		}
	}
	batch.Put(teamspace.EngagementFlagsKey(done.Target), teamspace.Encode(flags))
	batch.Put(key, teamspace.Encode(*done))
	if err := engaged.Record(done, post); err != nil || !more {
		return again, err
	}
	return again, engaged.List(flags.URN, post)
}

// flaggedPost finds the post that is to be marked; nil when it is not stored.
func (f *PostStore) flaggedPost(view persistence.View, m *UpdatePostFlags) (*watchpost.Post, error) {
	var post *watchpost.Post
	var err error
	if m.Done == nil {
		post, err = postindex.Get(view, f.Space, m.Post)
	} else {
		post, err = f.postOf(view, m.Done.URN)
	}
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, nil // nothing to mark is no fault
	}
	return post, err
}

// postOf finds a stored post by any of its names.
func (f *PostStore) postOf(view persistence.View, name string) (*watchpost.Post, error) {
	post, err := postindex.ByURN(view, f.Space, name)
	if err == nil || !errors.Is(err, persistence.ErrNotFound) {
		return post, err
	}
	key := watchpost.PostKey(name)
	if key == "" {
		return nil, persistence.ErrNotFound
	}
	found, err := f.Posts.Query(view, f.Space, &watchpost.PostQuery{Slug: key, Order: watchpost.RecentFirst, Page: 1, PageSize: 1})
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
func (f *PostStore) remember(view persistence.View, batch *persistence.Batch, engaged *engagementindex.Writer, p *watchpost.Post) error {
	own := watchpost.PostKey(p.URN)
	targets := []string{own}
	for _, target := range p.ReferenceKeys() {
		if target != own {
			targets = append(targets, target)
		}
	}
	for _, target := range targets {
		flags, err := teamspace.Load[teamspace.EngagementFlags](view, f.Space, teamspace.EngagementFlagsKey(target))
		if errors.Is(err, persistence.ErrNotFound) || err == nil && target != own && flags.URN != "" && flags.URN != p.URN {
			continue
		}
		if err != nil {
			return err
		}
		p.Liked, p.Commented = p.Liked || flags.Liked, p.Commented || flags.Commented
		if flags.URN != p.URN {
			engaged.Link(target, flags.URN, p.URN)
			flags.URN = p.URN
			batch.Put(teamspace.EngagementFlagsKey(target), teamspace.Encode(flags))
		}
	}
	return nil
}
