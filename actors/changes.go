package actors

import (
	"context"
	"errors"
	"maps"
	"slices"

	"watchpost/actors/changefeed"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// ChangesPage is one page of the changes of a team, with the objects that changed.
type ChangesPage struct {
	changefeed.Page
	changefeed.Data
	// Tasks are those of Data as get-task-status shows them, Watchlists what the team
	// has of them.
	Tasks      map[watchpost.TaskID]TaskView
	Watchlists map[watchpost.WatchlistID]WatchlistView
	// Asked and Tagging are as those of a PostsPage.
	Asked   map[watchpost.WatchlistID]bool
	Tagging *watchpost.Tagging
}

// Changes reads the next changes of a team, on a snapshot of the store and past the team's
// actors. named are the watchlists that the request asks for (none: all). Errors: Invalid
// `Invalid watchlist ID(s)`, Forbidden for another team's, changefeed.StaleError,
// Unavailable.
func (r *reading) Changes(ctx context.Context, team watchpost.TeamID, named []string, q changefeed.Query) (page ChangesPage, err error) {
	if page, err = r.readChanges(ctx, team, named, q); err != nil {
		var stale *changefeed.StaleError
		if errors.As(err, &stale) {
			return page, stale
		}
		return page, root.Unavailable(err)
	}
	page.Tasks = map[watchpost.TaskID]TaskView{}
	for id, task := range page.Data.Tasks {
		page.Tasks[id] = viewOf(task)
	}
	page.Watchlists = map[watchpost.WatchlistID]WatchlistView{}
	if !slices.ContainsFunc(page.Changes, func(c watchpost.Change) bool { return c.Type == watchpost.ChangeWatchlist }) {
		return page, nil
	}
	views, err := askTeam(ctx, r.base, team, ListWatchlists{})
	for _, v := range views {
		page.Watchlists[v.Watchlist.ID] = v
	}
	return page, err
}

func (r *reading) readChanges(ctx context.Context, team watchpost.TeamID, named []string, q changefeed.Query) (page ChangesPage, err error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return page, err
	}
	defer view.Close()
	if page.Tagging, err = r.env.watchlists.Of(view, team); err != nil {
		return page, err
	}
	space := persistence.Space(team)
	if page.Asked = page.Tagging.Live; len(named) > 0 {
		followed, err := changefeed.DeletedWatchlists(view, space, named)
		if err != nil {
			return page, err
		}
		maps.Copy(followed, page.Tagging.Live)
		if q.Watchlists, err = namedWatchlists(view, team, followed, named); err != nil {
			return page, err
		}
		page.Asked = q.Watchlists
	}
	reader := &changefeed.Reader{View: view, Space: space, Now: r.env.Clock.Now()}
	if page.Page, err = reader.Page(&q); err != nil {
		return page, err
	}
	page.Data, err = reader.Data(r.env.posts, &page.Page)
	for id, p := range page.Posts {
		if p == nil || !p.Collected(page.Tagging.Live) {
			delete(page.Posts, id)
		}
	}
	return page, err
}

// AwaitChanges is Changes, and waits for the first change until the context waiting ends.
// Then, or when another node takes the team over, it returns a page without changes.
func (r *reading) AwaitChanges(ctx, waiting context.Context, team watchpost.TeamID, named []string, q changefeed.Query) (ChangesPage, error) {
	if waiting.Err() != nil || q.Now {
		return r.Changes(ctx, team, named, q)
	}
	news, err := r.Follow(team)
	if err != nil {
		return ChangesPage{}, err
	}
	defer news.Close()
	for {
		page, err := r.Changes(ctx, team, named, q)
		if err != nil || len(page.Changes) > 0 || page.More {
			return page, err
		}
		if _, more := news.Next(waiting); !more {
			return page, ctx.Err()
		}
		q.Earliest, q.From = false, page.Cursor
	}
}
