package actorstest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// Team is a team and what its owner knows of it.
type Team struct {
	W     *World
	ID    watchpost.TeamID
	Key   string
	Email string // of its first admin

	known known
}

// known are the tasks of a team that a test has heard of.
type known struct {
	mu  sync.Mutex
	ids []string
}

func (k *known) add(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !slices.Contains(k.ids, id) {
		k.ids = append(k.ids, id)
	}
}

func (k *known) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.ids)
}

// CreateTeam founds a team.
func (w *World) CreateTeam(t testing.TB, plan watchpost.Plan) *Team {
	t.Helper()
	w.teams++
	email := fmt.Sprintf("founder-%s@example.com", watchpost.NewSecret(6))
	made, err := w.Registry.CreateTeam(w.Context(), actors.CreateTeam{Plan: plan, Email: email, FullName: fmt.Sprintf("Founder %d", w.teams)})
	require.NoError(t, err)
	return &Team{W: w, ID: made.Team.ID, Key: made.APIKey, Email: email}
}

// Try sends a request to the team.
func Try[R any](team *Team, request any) (R, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Wait)
	defer cancel()
	var none R
	reply, err := team.W.Registry.Call(ctx, team.ID, request)
	if err != nil {
		return none, err
	}
	typed, ok := reply.(R)
	if !ok {
		return none, fmt.Errorf("%T is answered with %T", request, reply)
	}
	return typed, nil
}

// Must sends a request that is to succeed.
func Must[R any](t testing.TB, team *Team, request any) R {
	t.Helper()
	reply, err := Try[R](team, request)
	require.NoError(t, err)
	return reply
}

// Fails sends a request that is to be refused with that kind.
func Fails(t testing.TB, team *Team, kind watchpost.Kind, request any) error {
	t.Helper()
	reply, err := Try[any](team, request)
	require.Error(t, err, "%+v", reply)
	require.Equal(t, kind, watchpost.KindOf(err), "%v", err)
	return err
}

// Create makes an agent task of a type with a new input.
func (team *Team) Create(t testing.TB, kind watchpost.TaskType) watchpost.TaskID {
	t.Helper()
	id := Must[actors.TaskCreated](t, team, NewTask(kind)).ID
	team.known.add(string(id))
	return id
}

// NewTask is a request for a task of that type.
func NewTask(kind watchpost.TaskType) actors.CreateTask {
	return actors.CreateTask{Type: kind, Input: []byte(fmt.Sprintf(`{"task_type":%q,"number":%q}`, kind, watchpost.NewSecret(4)))}
}

// Status polls a task.
func (team *Team) Status(t testing.TB, id watchpost.TaskID) actors.TaskView {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Wait)
	defer cancel()
	view, err := team.W.Registry.TaskStatus(ctx, team.ID, id)
	require.NoError(t, err)
	return view
}

// Used is how much of an allowance the account of the team's connected session
// for that member has used.
func (team *Team) Used(t testing.TB, email string, action watchpost.Action) int {
	t.Helper()
	view := Must[actors.TeamView](t, team, actors.GetTeam{})
	member, ok := view.Team.MemberByEmail(email)
	require.True(t, ok)
	for _, p := range view.Presence {
		if p.Member != member.ID {
			continue
		}
		for _, u := range p.Used {
			if u.Action == action {
				return u.Used
			}
		}
	}
	require.Failf(t, "no allowance", "%s of %s: not connected?", action, email)
	return 0
}

// Posts returns all posts of the team, newest first.
func (team *Team) Posts(t testing.TB, watchlists ...watchpost.WatchlistID) []*watchpost.Post {
	t.Helper()
	var named []string
	for _, id := range watchlists {
		named = append(named, string(id))
	}
	page, err := team.W.Registry.Posts(team.W.Context(), team.ID, named, watchpost.PostQuery{Order: watchpost.RecentFirst, Page: 1, PageSize: watchpost.MaxPageSize})
	require.NoError(t, err)
	require.Len(t, page.Posts, min(page.Count, watchpost.MaxPageSize))
	return Decoded(t, page.Posts)
}

// Decoded decodes stored posts.
func Decoded(t testing.TB, stored []*postindex.Stored) []*watchpost.Post {
	t.Helper()
	posts := make([]*watchpost.Post, len(stored))
	for i, s := range stored {
		var err error
		posts[i], err = s.Post()
		require.NoError(t, err)
	}
	return posts
}
