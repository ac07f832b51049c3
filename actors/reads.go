package actors

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"watchpost/actors/changefeed"
	"watchpost/actors/insight"
	"watchpost/actors/poststore"
	"watchpost/actors/reads"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

type (
	// PostsPage is one page of a query's result and the count of all of it.
	PostsPage = reads.PostsPage
	// PostCount asks how many posts of the named watchlists match a query.
	PostCount = reads.PostCount
	// StoredPost is a post as it is kept.
	StoredPost = postindex.Stored
	// ExportedPost is a post of an export, with the watchlists that count.
	ExportedPost = reads.ExportedPost
	// ExportedRule is a rule of an export, with its members.
	ExportedRule = reads.ExportedRule
	// Lead is an author of posts, and what the team has to do with the author.
	Lead = insight.Lead
	// InteractionsPage is one page of what a team did on the posts of a watchlist.
	InteractionsPage = reads.InteractionsPage
	// JournalPage is a page of the journal, newest first.
	JournalPage = reads.JournalPage
	// JournalCause is why tasks of a type failed.
	JournalCause = reads.JournalCause
)

// reading answers from a snapshot of the store, or asks an actor for state that is not
// stored.
type reading struct {
	*base
	*reads.Reader
}

func newReading(d *base) reading {
	return reading{d, reads.New(reads.Options{
		Store: d.env.Store, Clock: d.env.Clock, Posts: d.env.posts, Tagging: d.env.watchlists.Of, Host: readHost{d},
		Cached: func(bytes int) { d.env.metrics.postCache.Set(float64(bytes)) },
	})}
}

// viewFor returns a view for one request, which ends with it.
func (d *base) viewFor(ctx context.Context) (persistence.View, error) {
	return reads.View(ctx, d.env.Store)
}

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
	key := teamspace.Key(teamspace.KeyTask, id)
	view, err := r.env.Store.View(persistence.Expect(ctx, persistence.Space(team), string(key)))
	if err != nil {
		return TaskView{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	defer view.Close()
	task, err := teamspace.Load[watchpost.Task](view, persistence.Space(team), key)
	switch {
	case errors.Is(err, persistence.ErrNotFound), err == nil && task.Type.Scan():
		return TaskView{}, notFound
	case err != nil:
		return TaskView{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	return waitingView(&task, why.reason, why.notBefore, r.env.Clock.Now()), nil
}

// NewestFetch returns the newest completed fetch of the person or company that one of
// some keys names (reference.Reference.Key); nil without any that is kept. Errors:
// Unavailable.
func (r *reading) NewestFetch(ctx context.Context, team watchpost.TeamID, keys ...string) (*watchpost.Task, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return nil, root.Unavailable(err)
	}
	defer view.Close()
	task, err := newestFetch(view, persistence.Space(team), keys)
	return task, root.Unavailable(err)
}

// AwaitTask returns a channel that is closed when a task ends, or may have to be asked
// for again. The caller calls done when it stops waiting.
func (r *reading) AwaitTask(id watchpost.TaskID) (ended <-chan struct{}, done func()) {
	return r.env.finished.await(id)
}

// TasksPage is a page of a team's tasks, newest first, and the count of those on all
// pages.
type TasksPage struct {
	Tasks []TaskView
	Count int
}

// Tasks returns the tasks of callers that a query selects. It reads the journal, which
// has an entry for each: their inputs and outputs are read for the page only. Errors:
// Unavailable.
func (r *reading) Tasks(ctx context.Context, team watchpost.TeamID, q watchpost.TaskQuery) (TasksPage, error) {
	from, to := (q.Page-1)*q.Size, q.Page*q.Size
	ids := q.IDs
	var count int
	if len(ids) == 0 {
		var err error
		if ids, count, err = r.taskIDs(ctx, team, &q, from, to); err != nil {
			return TasksPage{}, root.Unavailable(err)
		}
	} else {
		ids = slices.Compact(slices.Sorted(slices.Values(ids)))
		slices.Reverse(ids)
		count = len(ids)
	}
	page := TasksPage{Tasks: make([]TaskView, 0, len(ids)), Count: count}
	for _, id := range ids {
		view, err := r.TaskStatus(ctx, team, id)
		switch {
		case err != nil && watchpost.KindOf(err) == watchpost.NotFound, err == nil && len(q.IDs) > 0 && !q.Matches(view.ID, view.Type, view.State):
			page.Count--
		case err != nil:
			return TasksPage{}, err
		default:
			page.Tasks = append(page.Tasks, view)
		}
	}
	if len(q.IDs) > 0 {
		page.Tasks = page.Tasks[min(from, len(page.Tasks)):min(to, len(page.Tasks))]
	}
	return page, nil
}

// taskIDs returns the tasks that a query selects, of those that are kept, from one place to
// another, and the count of all.
func (r *reading) taskIDs(ctx context.Context, team watchpost.TeamID, q *watchpost.TaskQuery, from, to int) ([]watchpost.TaskID, int, error) {
	view, err := r.viewFor(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer view.Close()
	var kept time.Time
	if before, ends := r.env.keepTasks.Expires(watchpost.KeepForever, r.env.Clock.Now()); ends {
		kept = before
	}
	return reads.TaskIDs(view, persistence.Space(team), q, kept, from, to)
}

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
		if q.Watchlists, err = reads.Named(view, team, followed, named); err != nil {
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

// readHost asks actors for what reads of the store lack.
type readHost struct{ *base }

// NoteAcquaintances implements reads.Host.
func (h readHost) NoteAcquaintances(ctx context.Context, team watchpost.TeamID) error {
	_, err := askTeam(ctx, h.base, team, noteAcquaintances{})
	return err
}

// ListEngagements implements reads.Host.
func (h readHost) ListEngagements(ctx context.Context, team watchpost.TeamID) error {
	_, err := askTeam(ctx, h.base, team, listEngagements{})
	return err
}

// NoteExport implements reads.Host.
func (h readHost) NoteExport(ctx context.Context, team watchpost.TeamID) error {
	_, err := askTeam(ctx, h.base, team, noteExport{})
	return err
}

// ShownTask implements reads.Host.
func (readHost) ShownTask(t *watchpost.Task) any { return viewOf(t) }

// ScanStates implements reads.Host.
func (h readHost) ScanStates(ctx context.Context, team watchpost.TeamID) (map[watchpost.WatchlistID]insight.ScanState, error) {
	return askTeam(ctx, h.base, team, getScanStates{})
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

// listEngagements asks for what the index of engagements lacks; answered by Done when it
// is whole.
type listEngagements struct{}

func (t *team) onListEngagements() {
	t.Context.Send(t.postStore, poststore.MendEngagements{Then: t.env.ReplyTo(t.Context.Sender(), root.Done{})})
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
