package reads

import (
	"cmp"
	"context"
	"errors"

	"watchpost/actors/insight"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// ExportPosts calls yield with the posts that a query selects, as they are at one moment,
// in the order of their ids from the one after a given id on ("": the first). named are as
// those of Posts, and the errors, too; Invalid `Invalid 'after'` for a value that is not
// an id. It stops at an error of yield and returns it.
func (r *Reader) ExportPosts(ctx context.Context, team watchpost.TeamID, named []string, q watchpost.PostQuery, after watchpost.PostID, yield func(*postindex.Stored, *watchpost.PostQuery) error) error {
	if after != "" && !watchpost.ValidID(string(after)) {
		return errInvalidAfter
	}
	return r.stream(ctx, team, named, &q, func(view persistence.View, fail func(error) bool) error {
		return r.posts.EachMatching(view, persistence.Space(team), &q, after, func(p *postindex.Stored) bool { return fail(yield(p, &q)) })
	})
}

var errInvalidAfter = watchpost.Errorf(watchpost.Invalid, "Invalid 'after'")

// ExportLeads is ExportPosts for leads; after is the address of an author.
func (r *Reader) ExportLeads(ctx context.Context, team watchpost.TeamID, named []string, q watchpost.LeadQuery, after string, yield func(*insight.Lead) error) error {
	key := (&watchpost.Post{AuthorURL: after}).AuthorKey()
	if after != "" && key == "" {
		return errInvalidAfter
	}
	return r.onceNoted(ctx, team, func() error {
		return r.stream(ctx, team, named, &q.PostQuery, func(view persistence.View, fail func(error) bool) error {
			return insight.EachLead(view, persistence.Space(team), r.posts, &q, key, func(lead *insight.Lead) bool { return fail(yield(lead)) })
		})
	})
}

// stream calls read on a view for a query of posts. read passes the errors of its caller
// to fail, which reports whether it may go on.
func (r *Reader) stream(ctx context.Context, team watchpost.TeamID, named []string, q *watchpost.PostQuery, read func(view persistence.View, fail func(error) bool) error) error {
	var failure error
	err := r.onPosts(ctx, team, named, q, func(view persistence.View) error {
		return read(view, func(err error) bool {
			failure = cmp.Or(err, ctx.Err())
			return failure == nil
		})
	})
	if errors.Is(err, insight.ErrEarlier) {
		return err
	}
	return cmp.Or(failure, root.Unavailable(err))
}

// ExportInteractions calls yield with what the team did on the posts of a watchlist, the
// newest first, from the one after a given id on ("": the newest), with its post. Errors
// are those of Interactions; Invalid `Invalid 'after'` for an unknown id. It stops at an
// error of yield and returns it.
func (r *Reader) ExportInteractions(ctx context.Context, team watchpost.TeamID, watchlist string, q watchpost.InteractionQuery, after watchpost.TaskID, yield func(*watchpost.Interaction, *InteractionsPage) error) error {
	q.Page, q.PageSize = 1, 1
	if _, err := r.Interactions(ctx, team, watchlist, q); err != nil { // also completes the index
		return err
	}
	view, err := View(ctx, r.store)
	if err != nil {
		return root.Unavailable(err)
	}
	defer view.Close()
	space, id := persistence.Space(team), watchpost.WatchlistID(watchlist)
	var last watchpost.Interaction
	if after != "" {
		last, err = teamspace.Load[watchpost.Interaction](view, space, teamspace.Key(teamspace.KeyInteraction, after))
		if errors.Is(err, persistence.ErrNotFound) {
			return errInvalidAfter
		}
		if err != nil {
			return root.Unavailable(err)
		}
	}
	tagging, err := r.tagging(view, team)
	if err != nil {
		return root.Unavailable(err)
	}
	q.PageSize = watchpost.MaxInteractionPage
	for ; ; q.Page++ {
		tasks, _, err := engagementindex.Page(view, space, id, &q, r.clock.Now())
		if err != nil {
			return root.Unavailable(err)
		}
		page := InteractionsPage{Asked: map[watchpost.WatchlistID]bool{id: true}, Tagging: tagging}
		if err := page.complete(view, space, tasks); err != nil {
			return root.Unavailable(err)
		}
		for i := range page.Interactions {
			one := &page.Interactions[i]
			if after != "" && last.Compare(one) >= 0 {
				continue
			}
			if err := cmp.Or(yield(one, &page), ctx.Err()); err != nil {
				return err
			}
		}
		if len(tasks) < q.PageSize {
			return nil
		}
	}
}
