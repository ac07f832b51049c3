package actors

import (
	"context"
	"errors"
	"time"

	"watchpost/actors/insight"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// RequireExtension returns an ExtensionRequired error unless a session of the team was
// active within LivenessWindow. The team's newest sign of life is kept where it
// can be read without asking; it only ever grows older by the clock.
func (r *reading) RequireExtension(ctx context.Context, team watchpost.TeamID) error {
	if last, known := r.env.presence.Load(team); known && watchpost.ExtensionActive(last.(time.Time), r.env.Clock.Now()) {
		return nil
	}
	_, err := askTeam(ctx, r.base, team, RequireExtension{})
	return err
}

// TaskStatus returns a client's task, open or final (NotFound). A task without an actor
// is read from the store.
func (r *reading) TaskStatus(ctx context.Context, team watchpost.TeamID, id watchpost.TaskID) (TaskView, error) {
	if view, known := r.env.finished.find(team, id); known {
		return view, nil
	}
	notFound := watchpost.Errorf(watchpost.NotFound, watchpost.TextTaskNotFound)
	if !watchpost.ValidID(string(id)) {
		return TaskView{}, notFound
	}
	reply, err := r.Deliver(ctx, string(team), taskStatus{id})
	if err != nil {
		return TaskView{}, err
	}
	if view, open := reply.(TaskView); open {
		return view, nil
	}
	why, _ := reply.(inStore)
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return TaskView{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	defer view.Close()
	task, err := teamspace.Load[watchpost.Task](view, persistence.Space(team), teamspace.Key(teamspace.KeyTask, id))
	switch {
	case errors.Is(err, persistence.ErrNotFound), err == nil && task.Type.Scan():
		return TaskView{}, notFound
	case err != nil:
		return TaskView{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	return waitingView(&task, why.reason, why.notBefore, r.env.Clock.Now()), nil
}

// AwaitTask returns a channel that is closed when a task ends, or may have to be asked
// for again. The caller calls done when it stops waiting.
func (r *reading) AwaitTask(id watchpost.TaskID) (ended <-chan struct{}, done func()) {
	return r.env.finished.await(id)
}

// WatchlistAccess returns nil when the id is a watchlist of the team, NotFound
// when there is none of that id, Forbidden when it is another team's.
func (r *reading) WatchlistAccess(ctx context.Context, team watchpost.TeamID, id string) error {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	defer view.Close()
	return watchlistAccess(view, team, id)
}

// ListAccess is WatchlistAccess for a list that watchlists follow.
func (r *reading) ListAccess(ctx context.Context, team watchpost.TeamID, id string) error {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	defer view.Close()
	return access(view, team, teamspace.DirList, id, watchpost.TextListNotFound)
}

func watchlistAccess(view persistence.View, team watchpost.TeamID, id string) error {
	return access(view, team, teamspace.DirWatchlist, id, watchpost.TextWatchlistNotFound)
}

// access looks up in the directory whose something is.
func access(view persistence.View, team watchpost.TeamID, kind, id, notFound string) error {
	owner, err := teamspace.Lookup[teamspace.OwnerEntry](view, kind, id)
	switch {
	case id == "" || len(id) > 100 || errors.Is(err, persistence.ErrNotFound):
		return watchpost.Errorf(watchpost.NotFound, "%s", notFound)
	case err != nil:
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	case owner.Team != team:
		return watchpost.Errorf(watchpost.Forbidden, watchpost.TextAccessDenied)
	}
	return nil
}

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
func (r *reading) Posts(ctx context.Context, team watchpost.TeamID, named []string, q watchpost.PostQuery, also ...PostCount) (PostsPage, error) {
	page, err := r.queryPosts(ctx, team, named, q, also)
	return page, root.Unavailable(err)
}

// Lead is an author of posts, and what the team has to do with the author.
type Lead = insight.Lead

// Leads returns a page of the authors of the posts that a query selects, on a snapshot of
// the store and past the team's actors. named are as those of Posts. Errors: Invalid
// `Invalid watchlist ID(s)`, Forbidden for another team's, Unavailable for a failed read.
func (r *reading) Leads(ctx context.Context, team watchpost.TeamID, named []string, q watchpost.LeadQuery) (page insight.LeadsPage, err error) {
	for {
		err = r.onPosts(ctx, team, named, &q.PostQuery, func(view persistence.View) error {
			page, err = insight.Leads(view, persistence.Space(team), r.env.posts, &q)
			return err
		})
		if !errors.Is(err, insight.ErrEarlier) {
			return page, root.Unavailable(err)
		}
		if _, err := askTeam(ctx, r.base, team, noteAcquaintances{}); err != nil {
			return page, err
		}
	}
}

// Trends counts the posts that a query selects by time and group, on a snapshot of the store
// and past the team's actors. named are as those of Posts, and so are the errors.
func (r *reading) Trends(ctx context.Context, team watchpost.TeamID, named []string, q trend.Query) (found trend.Trend, err error) {
	if err := q.Span(r.env.Clock.Now()); err != nil {
		return found, err
	}
	err = r.onPosts(ctx, team, named, &q.PostQuery, func(view persistence.View) error {
		found, err = insight.Trend(view, persistence.Space(team), r.env.posts, &q)
		return err
	})
	return found, root.Unavailable(err)
}

// onPosts opens a view for a query of posts, fills in the watchlists of the query, and
// calls read.
func (r *reading) onPosts(ctx context.Context, team watchpost.TeamID, named []string, q *watchpost.PostQuery, read func(persistence.View) error) error {
	view, err := r.viewFor(ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	if q.Tagging, err = r.env.watchlists.Of(view, team); err != nil {
		return err
	}
	if q.Live, err = namedWatchlists(view, team, q.Tagging.Live, named); err != nil {
		return err
	}
	q.Named = len(named) > 0
	return read(view)
}

// noteAcquaintances asks for what tasks of an earlier build tell of people, some at once.
type noteAcquaintances struct{}

func (t *team) onNoteAcquaintances() {
	view, err := t.env.View()
	if err != nil {
		t.Fail(err)
		return
	}
	defer view.Close()
	batch := &persistence.Batch{}
	if err := insight.NoteEarlier(view, t.Space, batch); err != nil {
		t.Fail(err)
		return
	}
	t.Commit(batch, root.Done{})
}

// PostLanguages returns the languages that a team's posts may be in: one that is not
// among them finds none. Errors: Unavailable.
func (r *reading) PostLanguages(ctx context.Context, team watchpost.TeamID) (map[string]bool, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	languages, err := r.env.posts.Languages(view, persistence.Space(team))
	return languages, root.Unavailable(err)
}

func (r *reading) queryPosts(ctx context.Context, team watchpost.TeamID, named []string, q watchpost.PostQuery, also []PostCount) (PostsPage, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return PostsPage{}, err
	}
	defer view.Close()
	live, err := r.env.watchlists.Of(view, team)
	if err != nil {
		return PostsPage{}, err
	}
	if q.Live, err = namedWatchlists(view, team, live.Live, named); err != nil {
		return PostsPage{}, err
	}
	q.Tagging, q.Named = live, len(named) > 0
	found, err := r.env.posts.Query(view, persistence.Space(team), &q)
	r.env.metrics.postCache.Set(float64(r.env.posts.CacheBytes()))
	if err != nil {
		return PostsPage{}, err
	}
	queries := make([]*watchpost.PostQuery, len(also))
	for i := range also {
		q := &also[i].Query
		if q.Live, err = namedWatchlists(view, team, live.Live, also[i].Named); err != nil {
			return PostsPage{}, err
		}
		q.Tagging, q.Named, queries[i] = live, len(also[i].Named) > 0, q
	}
	counts, err := r.env.posts.Counts(view, persistence.Space(team), queries)
	return PostsPage{Posts: found.Posts, Count: found.Count, Asked: q.Live, Tagging: live, Counts: counts}, err
}

// PostPage is one post, and what PostsPage says of its posts.
type PostPage struct {
	Post    *watchpost.Post
	Asked   map[watchpost.WatchlistID]bool
	Tagging *watchpost.Tagging
}

// Post returns a post that one of the team's watchlists collected (NotFound).
func (r *reading) Post(ctx context.Context, team watchpost.TeamID, id watchpost.PostID) (PostPage, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return PostPage{}, root.Unavailable(err)
	}
	defer view.Close()
	live, err := r.env.watchlists.Of(view, team)
	if err != nil {
		return PostPage{}, root.Unavailable(err)
	}
	post, err := postindex.Get(view, persistence.Space(team), id)
	if errors.Is(err, persistence.ErrNotFound) || err == nil && !post.Collected(func(w watchpost.WatchlistID) bool { return live.Live[w] }) {
		return PostPage{}, watchpost.Errorf(watchpost.NotFound, watchpost.TextPostNotFound)
	}
	return PostPage{post, live.Live, live}, root.Unavailable(err)
}

// viewFor returns a view for one request. It cannot be read any more when the
// request has ended: a query with many posts to look at ends with it.
func (d *base) viewFor(ctx context.Context) (persistence.View, error) {
	view, err := d.env.Store.View(ctx)
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

// namedWatchlists checks the watchlists that a request names; none means all.
func namedWatchlists(view persistence.View, team watchpost.TeamID, live map[watchpost.WatchlistID]bool, named []string) (map[watchpost.WatchlistID]bool, error) {
	if len(named) == 0 {
		return live, nil
	}
	wanted := map[watchpost.WatchlistID]bool{}
	var foreign error
	for _, id := range named {
		if live[watchpost.WatchlistID(id)] {
			wanted[watchpost.WatchlistID(id)] = true
			continue
		}
		err := watchlistAccess(view, team, id)
		switch {
		case err == nil:
			wanted[watchpost.WatchlistID(id)] = true
		case watchpost.KindOf(err) == watchpost.NotFound:
			return nil, watchpost.Errorf(watchpost.Invalid, "Invalid watchlist ID(s)")
		case watchpost.KindOf(err) == watchpost.Forbidden:
			foreign = err // an unknown id is reported first
		default:
			return nil, err
		}
	}
	return wanted, foreign
}

// Teams lists all teams, oldest first.
func (r *reading) Teams(ctx context.Context) ([]watchpost.Team, error) {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	teams := []watchpost.Team{}
	err = teamspace.EachEntry(view, teamspace.DirTeam, func(id string, e teamspace.TeamEntry) error {
		teams = append(teams, r.listed(watchpost.TeamID(id), e))
		return nil
	})
	return teams, root.Unavailable(err)
}

// HasTeams reports whether there is a team.
func (r *reading) HasTeams(ctx context.Context) (bool, error) {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return false, root.Unavailable(err)
	}
	defer view.Close()
	found, err := teamspace.AnyTeam(view)
	return found, root.Unavailable(err)
}

// listed returns a team by its line in the directory.
func (r *reading) listed(id watchpost.TeamID, e teamspace.TeamEntry) watchpost.Team {
	return watchpost.Team{ID: id, Name: e.Name, CreatedAt: e.CreatedAt,
		Plan: watchpost.PlanAt(e.Plan, e.PlanExpiresAt, r.env.Clock.Now()), PlanExpiresAt: e.PlanExpiresAt, KeyRotationAskedAt: e.KeyRotationAskedAt}
}

// liveTeam returns the record of a team that is not being deleted (NotFound).
func liveTeam(view persistence.View, space persistence.Space) (teamspace.TeamRecord, error) {
	record, err := teamspace.Load[teamspace.TeamRecord](view, space, []byte(teamspace.KeyTeam))
	if errors.Is(err, persistence.ErrNotFound) || err == nil && record.Deleting {
		err = watchpost.Errorf(watchpost.NotFound, "Team not found")
	}
	return record, err
}

// TeamsOf lists the team of an email, or none.
func (r *reading) TeamsOf(ctx context.Context, email string) ([]watchpost.Team, error) {
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirEmail, email)
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, root.Unavailable(err)
	}
	line, err := teamspace.Read[teamspace.TeamEntry](ctx, r.env.Store, teamspace.DirTeam, string(owner.Team))
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, nil // deleted meanwhile
	}
	return []watchpost.Team{r.listed(owner.Team, line)}, root.Unavailable(err)
}

// passOver returns the error of a request to one of all teams, but for a team that
// another node serves, or that is gone.
func passOver(err error) error {
	var elsewhere *root.ElsewhereError
	if errors.As(err, &elsewhere) || err != nil && watchpost.KindOf(err) == watchpost.NotFound {
		return nil
	}
	return err
}
