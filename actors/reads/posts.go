package reads

import (
	"context"
	"errors"
	"math"
	"time"

	"watchpost/actors/insight"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// PostsPage is one page of a query's result and the count of all of it.
type PostsPage struct {
	Posts []*postindex.Stored
	Count int
	// Asked holds the watchlists whose posts were asked for; Tagging says which
	// the team has, and which tags count: a post may still bear the mark of a
	// watchlist that was deleted.
	Asked   map[watchpost.WatchlistID]bool
	Tagging *watchpost.Tagging
	// Counts answers the PostCounts of the request, in their order.
	Counts []int
}

// PostCount asks how many posts of the named watchlists match a query.
type PostCount struct {
	Named []string
	Query watchpost.PostQuery
}

// Posts runs a query over the posts of a team, on a snapshot of the store and
// past the team's actors. named are the watchlists that the request asks for
// (none: all); q.Live is filled here. also are counted on the same snapshot, so
// that their numbers agree with the page. Errors: Invalid `Invalid watchlist
// ID(s)`, Forbidden for another team's, Unavailable for a failed read.
func (r *Reader) Posts(ctx context.Context, team watchpost.TeamID, named []string, q watchpost.PostQuery, also ...PostCount) (PostsPage, error) {
	page, err := r.queryPosts(ctx, team, named, q, also)
	return page, root.Unavailable(err)
}

func (r *Reader) queryPosts(ctx context.Context, team watchpost.TeamID, named []string, q watchpost.PostQuery, also []PostCount) (PostsPage, error) {
	view, err := r.postsView(ctx, team)
	if err != nil {
		return PostsPage{}, err
	}
	defer view.Close()
	live, err := r.tagging(view, team)
	if err != nil {
		return PostsPage{}, err
	}
	if q.Live, err = Named(view, team, live.Live, named); err != nil {
		return PostsPage{}, err
	}
	q.Tagging, q.Named = live, len(named) > 0
	found, err := r.posts.Query(view, persistence.Space(team), &q)
	r.cached(r.posts.CacheBytes())
	if err != nil {
		return PostsPage{}, err
	}
	queries := make([]*watchpost.PostQuery, len(also))
	for i := range also {
		q := &also[i].Query
		if q.Live, err = Named(view, team, live.Live, also[i].Named); err != nil {
			return PostsPage{}, err
		}
		q.Tagging, q.Named, queries[i] = live, len(also[i].Named) > 0, q
	}
	counts, err := r.posts.Counts(view, persistence.Space(team), queries)
	return PostsPage{Posts: found.Posts, Count: found.Count, Asked: q.Live, Tagging: live, Counts: counts}, err
}

// PostPage is one post, and what PostsPage says of its posts.
type PostPage struct {
	Post    *watchpost.Post
	Asked   map[watchpost.WatchlistID]bool
	Tagging *watchpost.Tagging
}

// Post returns a post that one of the team's watchlists collected (NotFound).
func (r *Reader) Post(ctx context.Context, team watchpost.TeamID, id watchpost.PostID) (PostPage, error) {
	view, err := r.postsView(ctx, team)
	if err != nil {
		return PostPage{}, root.Unavailable(err)
	}
	defer view.Close()
	live, err := r.tagging(view, team)
	if err != nil {
		return PostPage{}, root.Unavailable(err)
	}
	post, err := postindex.Get(view, persistence.Space(team), id)
	if errors.Is(err, persistence.ErrNotFound) || err == nil && !post.Collected(func(w watchpost.WatchlistID) bool { return live.Live[w] }) {
		return PostPage{}, watchpost.Errorf(watchpost.NotFound, watchpost.TextPostNotFound)
	}
	return PostPage{post, live.Live, live}, root.Unavailable(err)
}

// PostLanguages returns the languages that a team's posts may be in: one that is not
// among them finds none. Errors: Unavailable.
func (r *Reader) PostLanguages(ctx context.Context, team watchpost.TeamID) (map[string]bool, error) {
	view, err := r.postsView(ctx, team)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	languages, err := r.posts.Languages(view, persistence.Space(team))
	return languages, root.Unavailable(err)
}

// Leads returns a page of the authors of the posts that a query selects, on a snapshot of
// the store and past the team's actors. named are as those of Posts. Errors: Invalid
// `Invalid watchlist ID(s)`, Forbidden for another team's, Unavailable for a failed read.
func (r *Reader) Leads(ctx context.Context, team watchpost.TeamID, named []string, q watchpost.LeadQuery) (page insight.LeadsPage, err error) {
	err = r.onceNoted(ctx, team, func() error {
		return r.onPosts(ctx, team, named, &q.PostQuery, func(view persistence.View) (err error) {
			page, err = insight.Leads(view, persistence.Space(team), r.posts, &q)
			return err
		})
	})
	return page, root.Unavailable(err)
}

// Histories returns what a team has to do with authors, by their keys, with the number of
// their posts since a moment. Errors: Unavailable.
func (r *Reader) Histories(ctx context.Context, team watchpost.TeamID, authors []string, since time.Time) (all map[string]insight.History, err error) {
	err = r.onceNoted(ctx, team, func() error {
		var q watchpost.PostQuery
		return r.onPosts(ctx, team, nil, &q, func(view persistence.View) (err error) {
			all, err = insight.Histories(view, persistence.Space(team), r.posts, q, authors, since)
			return err
		})
	})
	return all, root.Unavailable(err)
}

// onceNoted reads what tasks tell of people, once those of an earlier build were looked at.
func (r *Reader) onceNoted(ctx context.Context, team watchpost.TeamID, read func() error) error {
	for {
		err := read()
		if !errors.Is(err, insight.ErrEarlier) {
			return err
		}
		if err := r.host.NoteAcquaintances(ctx, team); err != nil {
			return err
		}
	}
}

// Trends counts the posts that a query selects by time and group, on a snapshot of the store
// and past the team's actors. named are as those of Posts, and so are the errors.
func (r *Reader) Trends(ctx context.Context, team watchpost.TeamID, named []string, q trend.Query) (trend trend.Trend, err error) {
	if err := q.Span(r.clock.Now()); err != nil {
		return trend, err
	}
	err = r.onPosts(ctx, team, named, &q.PostQuery, func(view persistence.View) error {
		trend, err = insight.Trend(view, persistence.Space(team), r.posts, &q)
		return err
	})
	return trend, root.Unavailable(err)
}

// TryAlert returns the days of the last 90 of which the alert of a target would have told,
// the oldest first. Errors: Unavailable.
func (r *Reader) TryAlert(ctx context.Context, team watchpost.TeamID, t *watchpost.NotificationTarget) (days []trend.Spike, err error) {
	now := r.clock.Now()
	var q watchpost.PostQuery
	err = r.onPosts(ctx, team, nil, &q, func(view persistence.View) error {
		_, days, err = insight.Alerts(view, persistence.Space(team), r.posts, t, q.Tagging, trend.AlertTrial(now), now)
		return err
	})
	return days, root.Unavailable(err)
}

// TryKeywords shows what entries, with the conditions of their watchlist, would have done
// with the newest stored posts of all watchlists: those of one match its own keywords, so
// they would show no post that another keyword finds. It bounds the samples of each kind.
// Errors: Unavailable.
func (r *Reader) TryKeywords(ctx context.Context, team watchpost.TeamID, entries []watchpost.KeywordEntry, conditions watchpost.WatchlistConditions, samples int) (*watchpost.BackTest, error) {
	b := watchpost.NewBackTest(entries, conditions, samples)
	var q watchpost.PostQuery
	err := r.onPosts(ctx, team, nil, &q, func(view persistence.View) error {
		return insight.TryKeywords(view, persistence.Space(team), r.posts, q, b)
	})
	return b, root.Unavailable(err)
}

// Coverage returns a page of what the scans of a team's watchlists have seen, by day. named
// are as those of Posts, and so are the errors.
func (r *Reader) Coverage(ctx context.Context, team watchpost.TeamID, named []string, q insight.CoverageQuery) (page insight.CoveragePage, err error) {
	states, err := r.host.ScanStates(ctx, team)
	if err != nil {
		return page, err
	}
	q.States, q.Now = states, r.clock.Now()
	var posts watchpost.PostQuery
	err = r.onPosts(ctx, team, named, &posts, func(view persistence.View) error {
		page, err = insight.Cover(view, persistence.Space(team), posts.Live, &q)
		return err
	})
	return page, root.Unavailable(err)
}

// MissedDays returns the past days since a moment that insight.CoveragePage.Missed names, as
// far as it is known what scans have brought. named are as those of Posts, and so are the
// errors.
func (r *Reader) MissedDays(ctx context.Context, team watchpost.TeamID, named []string, since time.Time) (days []time.Time, watchlists int, err error) {
	today := watchpost.Daily.Start(r.clock.Now())
	q := insight.CoverageQuery{From: since, To: today, Page: 1, PageSize: math.MaxInt}
	if known := today.AddDate(0, 0, 1-watchpost.CoverageDays); q.From.Before(known) {
		q.From = known
	}
	page, err := r.Coverage(ctx, team, named, q)
	if err != nil {
		return nil, 0, err
	}
	days, watchlists = page.Missed()
	return days, watchlists, nil
}

// onPosts opens a view for a query of posts, fills in the watchlists of the query, and
// calls read.
func (r *Reader) onPosts(ctx context.Context, team watchpost.TeamID, named []string, q *watchpost.PostQuery, read func(persistence.View) error) error {
	view, err := r.postsView(ctx, team)
	if err != nil {
		return err
	}
	defer view.Close()
	if q.Tagging, err = r.tagging(view, team); err != nil {
		return err
	}
	if q.Live, err = Named(view, team, q.Tagging.Live, named); err != nil {
		return err
	}
	q.Named = len(named) > 0
	return read(view)
}
