package reads

import (
	"context"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/engagementindex"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// InteractionsPage is one page of what a team did on the posts of a watchlist.
type InteractionsPage struct {
	Interactions []watchpost.Interaction
	Summary      watchpost.InteractionSummary
	// Posts holds the post of each interaction, by its Target.
	Posts map[string]*watchpost.Post
	// Asked and Tagging are as those of a PostsPage.
	Asked   map[watchpost.WatchlistID]bool
	Tagging *watchpost.Tagging
}

// Interactions runs a query over what the team did on the posts that a
// watchlist collected, on a snapshot of the store and past the team's actors.
// Errors: Invalid `Invalid watchlist ID: <id>`, Forbidden for another team's,
// Unavailable for a failed read.
func (r *Reader) Interactions(ctx context.Context, team watchpost.TeamID, watchlist string, q watchpost.InteractionQuery) (InteractionsPage, error) {
	page, err := r.queryInteractions(ctx, team, watchlist, q)
	return page, root.Unavailable(err)
}

func (r *Reader) queryInteractions(ctx context.Context, team watchpost.TeamID, watchlist string, q watchpost.InteractionQuery) (InteractionsPage, error) {
	for {
		page, whole, err := r.listedInteractions(ctx, team, watchlist, q)
		if err != nil || whole {
			return page, err
		}
		// An earlier build, or a post with very many interactions: once, and not for long.
		if err := r.host.ListEngagements(ctx, team); err != nil {
			return page, err
		}
	}
}

// listedInteractions answers from the index; whole is false when that is not complete.
func (r *Reader) listedInteractions(ctx context.Context, team watchpost.TeamID, watchlist string, q watchpost.InteractionQuery) (page InteractionsPage, whole bool, err error) {
	view, err := View(ctx, r.store)
	if err != nil {
		return page, false, err
	}
	defer view.Close()
	id, space := watchpost.WatchlistID(watchlist), persistence.Space(team)
	if page.Tagging, err = r.tagging(view, team); err != nil {
		return page, false, err
	}
	if !page.Tagging.Live[id] {
		err := watchlistAccess(view, team, watchlist)
		if watchpost.KindOf(err) == watchpost.NotFound {
			err = watchpost.Errorf(watchpost.Invalid, "Invalid watchlist ID: %s", watchlist)
		}
		if err != nil {
			return page, false, err
		}
	}
	page.Asked = map[watchpost.WatchlistID]bool{id: true}
	if whole, err = engagementindex.Whole(view, space); err != nil || !whole {
		return page, false, err
	}
	tasks, sum, err := engagementindex.Page(view, space, id, &q, r.clock.Now())
	if err != nil {
		return page, false, err
	}
	page.Summary = sum
	return page, true, page.complete(view, space, tasks)
}

// complete reads the interactions of the page, and their posts.
func (p *InteractionsPage) complete(view persistence.View, space persistence.Space, tasks []watchpost.TaskID) error {
	p.Posts = map[string]*watchpost.Post{}
	for _, task := range tasks {
		one, err := teamspace.Load[watchpost.Interaction](view, space, teamspace.Key(teamspace.KeyInteraction, task))
		if err != nil {
			return err
		}
		p.Interactions = append(p.Interactions, one)
		if p.Posts[one.Target] != nil {
			continue
		}
		flags, err := teamspace.Load[teamspace.EngagementFlags](view, space, teamspace.EngagementFlagsKey(one.Target))
		if err != nil {
			return err
		}
		if p.Posts[one.Target], err = postindex.ByURN(view, space, flags.URN); err != nil {
			return err
		}
	}
	return nil
}
