package actors

import (
	"context"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
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
func (r *Registry) Interactions(ctx context.Context, team watchpost.TeamID, watchlist string, q watchpost.InteractionQuery) (InteractionsPage, error) {
	page, err := r.queryInteractions(ctx, team, watchlist, q)
	return page, unavailable(err)
}

func (r *Registry) queryInteractions(ctx context.Context, team watchpost.TeamID, watchlist string, q watchpost.InteractionQuery) (InteractionsPage, error) {
	// The view comes after the lock: one that waited for it would be older than
	// the log, and all of the log would be read again for it.
	log := r.env.engagements.of(team)
	log.mu.Lock()
	defer log.mu.Unlock()
	view, err := r.viewFor(ctx)
	if err != nil {
		return InteractionsPage{}, err
	}
	defer view.Close()
	page := InteractionsPage{Posts: map[string]*watchpost.Post{}}
	if page.Tagging, err = r.env.watchlists.of(view, team); err != nil {
		return page, err
	}
	if !page.Tagging.Live[watchpost.WatchlistID(watchlist)] {
		err := watchlistAccess(view, team, watchlist)
		if watchpost.KindOf(err) == watchpost.NotFound {
			return page, watchpost.Errorf(watchpost.Invalid, "Invalid watchlist ID: %s", watchlist)
		}
		if err != nil {
			return page, err
		}
	}
	page.Asked = map[watchpost.WatchlistID]bool{watchpost.WatchlistID(watchlist): true}
	more, err := log.refresh(view, persistence.Space(team))
	r.env.engagements.grown(team, log, more, len(log.engagements))
	if err != nil {
		return page, err
	}
	engagements, err := log.on(view, persistence.Space(team), r.env.posts, watchpost.WatchlistID(watchlist))
	if err != nil {
		return page, err
	}
	page.Interactions, page.Summary = q.SelectSorted(engagements, r.env.clock.Now())
	return page, page.complete(view, persistence.Space(team), log)
}

// complete reads the interactions of the page, and their posts.
func (p *InteractionsPage) complete(view persistence.View, space persistence.Space, log *engagementCache) (err error) {
	for i := range p.Interactions {
		one := &p.Interactions[i]
		if *one, err = teamspace.Load[watchpost.Interaction](view, space, teamspace.Key(teamspace.KeyInteraction, one.ID)); err != nil {
			return err
		}
		if p.Posts[one.Target] != nil {
			continue
		}
		if p.Posts[one.Target], err = postindex.ByURN(view, space, log.targets[one.Target].post.urn); err != nil {
			return err
		}
	}
	return nil
}
