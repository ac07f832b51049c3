// Package reads answers what a request asks of the store: posts, leads, trends, coverage,
// what a team did on its posts, its journal, the list of teams, and an export of all that
// a team has. It reads snapshots past the actors, and asks them the questions of Host only.
package reads

import (
	"context"

	"watchpost/actors/insight"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Host asks the actors of a team for what a snapshot lacks.
type Host interface {
	// NoteAcquaintances notes some of what tasks of an earlier build tell of people.
	NoteAcquaintances(context.Context, watchpost.TeamID) error
	// ListEngagements completes the index of engagements.
	ListEngagements(context.Context, watchpost.TeamID) error
	// ScanStates returns how the scans of the team's watchlists stand.
	ScanStates(context.Context, watchpost.TeamID) (map[watchpost.WatchlistID]insight.ScanState, error)
	// NoteExport notes in the team's audit that everything of the team is read.
	NoteExport(context.Context, watchpost.TeamID) error
	// ShownTask returns a task as get-task-status shows it. It asks no actor.
	ShownTask(*watchpost.Task) any
}

// Options is what New needs.
type Options struct {
	Store persistence.Store
	Clock watchpost.Clock
	Posts *postindex.Index
	// Tagging returns what a view says of a team's watchlists and tags.
	Tagging func(persistence.View, watchpost.TeamID) (*watchpost.Tagging, error)
	Host    Host
	// Cached is called after a query with the size of the cache of Posts, in bytes.
	Cached func(bytes int)
}

// Reader reads the store for requests.
type Reader struct {
	store   persistence.Store
	clock   watchpost.Clock
	posts   *postindex.Index
	tagging func(persistence.View, watchpost.TeamID) (*watchpost.Tagging, error)
	host    Host
	cached  func(bytes int)
}

// New returns a Reader.
func New(o Options) *Reader {
	return &Reader{store: o.Store, clock: o.Clock, posts: o.Posts, tagging: o.Tagging, host: o.Host, cached: o.Cached}
}

// postsView returns a view for a query of a team's posts.
func (r *Reader) postsView(ctx context.Context, team watchpost.TeamID) (persistence.View, error) {
	return View(persistence.Expect(ctx, persistence.Space(team), teamspace.KeyLastWatchlistChange, postindex.FirstKey), r.store)
}

// View returns a view for one request. It cannot be read any more when the
// request has ended: a query with many posts to look at ends with it.
func View(ctx context.Context, store persistence.Store) (persistence.View, error) {
	view, err := store.View(ctx)
	if err != nil {
		return nil, err
	}
	return &requestView{View: view, ctx: ctx}, nil
}

type requestView struct {
	persistence.View
	ctx   context.Context
	reads uint
}

// readsAtOnce is how many reads there are between two looks at the context.
const readsAtOnce = 16

// Get implements persistence.View.
func (v *requestView) Get(space persistence.Space, key []byte) ([]byte, error) {
	if v.reads++; v.reads%readsAtOnce == 0 {
		if err := v.ctx.Err(); err != nil {
			return nil, err
		}
	}
	return v.View.Get(space, key)
}
