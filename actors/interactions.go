package actors

import (
	"context"
	"errors"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
)

// InteractionsPage is one page of what a team did on the posts of a watchlist.
type InteractionsPage struct {
	Interactions []watchpost.Interaction
	Summary      watchpost.InteractionSummary
	// Posts holds the post of each interaction, by its Target.
	Posts map[string]*watchpost.Post
	// Asked and Live are as those of a PostsPage.
	Asked, Live map[watchpost.WatchlistID]bool
}

// Interactions runs a query over what the team did on the posts that a
// watchlist collected, on a snapshot of the store and past the team's actors.
// Errors: Invalid `Invalid watchlist ID: <id>`, Forbidden for another team's.
func (r *Registry) Interactions(ctx context.Context, team watchpost.TeamID, watchlist string, q watchpost.InteractionQuery) (InteractionsPage, error) {
	view, err := r.env.store.View(ctx)
	if err != nil {
		return InteractionsPage{}, err
	}
	defer view.Close()
	page := InteractionsPage{Posts: map[string]*watchpost.Post{}}
	if page.Live, err = r.env.live.of(view, team); err != nil {
		return page, err
	}
	if !page.Live[watchpost.WatchlistID(watchlist)] {
		err := watchlistAccess(view, team, watchlist)
		if watchpost.KindOf(err) == watchpost.NotFound {
			return page, watchpost.Errorf(watchpost.Invalid, "Invalid watchlist ID: %s", watchlist)
		}
		if err != nil {
			return page, err
		}
	}
	page.Asked = map[watchpost.WatchlistID]bool{watchpost.WatchlistID(watchlist): true}
	all, err := page.collect(view, persistence.Space(team))
	if err != nil {
		return page, err
	}
	page.Interactions, page.Summary = q.Select(all, r.env.clock.Now())
	return page, nil
}

// collect reads the interactions with posts of the watchlist, and those posts.
func (p *InteractionsPage) collect(view persistence.View, space persistence.Space) ([]watchpost.Interaction, error) {
	var all []watchpost.Interaction
	if err := loadAll(view, space, keyInteract, func(_ string, i watchpost.Interaction) { all = append(all, i) }); err != nil {
		return nil, err
	}
	kept := all[:0]
	for _, i := range all {
		post, known := p.Posts[i.Target]
		if !known {
			var err error
			if post, err = donePost(view, space, i.Target); err != nil {
				return nil, err
			}
			if post != nil && !post.Collected(func(id watchpost.WatchlistID) bool { return p.Asked[id] }) {
				post = nil
			}
			p.Posts[i.Target] = post
		}
		if post != nil {
			kept = append(kept, i)
		}
	}
	return kept, nil
}

// donePost returns the stored post that something was done to; nil when it is
// not stored.
func donePost(view persistence.View, space persistence.Space, target string) (*watchpost.Post, error) {
	deeds, err := load[deedsRecord](view, space, deedsKey(target))
	if err == nil && deeds.URN != "" {
		var post *watchpost.Post
		if post, err = postindex.ByURN(view, space, deeds.URN); err == nil {
			return post, nil
		}
	}
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return nil, err
	}
	return nil, nil // one that is not stored is no fault
}
