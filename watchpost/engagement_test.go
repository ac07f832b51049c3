package watchpost

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEffectKeys(t *testing.T) {
	t.Parallel()
	const post = "urn:network:activity:7000000000000000001"
	key := func(kind TaskType, account AccountURN, input string) string {
		task := Task{Type: kind, Account: account, Member: "m", Input: ParseTaskInput([]byte(input))}
		e, ok := task.Effect()
		require.True(t, ok, input)
		return e.Key()
	}
	like := key(TaskLikePost, "a", `{"social_urn":"`+post+`"}`)
	require.Equal(t, like, key(TaskLikePost, "a", `{"social_urn":"https://x/feed/update/`+post+`","actor_type":"user","company_title":"x"}`))
	company := `{"social_urn":"` + post + `","actor_type":"company","company_title":%q}`
	different := map[string]bool{like: true}
	for _, k := range []string{
		key(TaskLikePost, "b", `{"social_urn":"`+post+`"}`),
		key(TaskLikePost, "", `{"social_urn":"`+post+`"}`),
		key(TaskLikePost, "a", `{"social_urn":"urn:network:activity:7000000000000000002"}`),
		key(TaskLikePost, "a", fmt.Sprintf(company, "One")),
		key(TaskLikePost, "a", fmt.Sprintf(company, "user")),
		key(TaskConnectionRequest, "a", `{"profile_urn":"urn:network:member:7000000000000000001"}`),
	} {
		require.False(t, different[k], k)
		different[k] = true
	}
	for _, none := range []Task{
		{Type: TaskCommentPost, Input: ParseTaskInput([]byte(`{"social_urn":"` + post + `"}`))}, {Type: TaskProfileFetch, Input: ParseTaskInput([]byte(`{"profile_urn":"1"}`))},
		{Type: TaskSendMessage, Input: ParseTaskInput([]byte(`{"profile_urn":"1"}`))}, {Type: TaskLikePost, Input: ParseTaskInput([]byte(`{}`))}, {Type: TaskLikePost},
	} {
		_, ok := none.Effect()
		require.False(t, ok, "%+v", none)
	}
}

func TestSelectInteractions(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)
	var all []Interaction
	for n := range 25 { // one every 12 hours, likes and comments alternate
		kind := InteractionLike
		if n%2 == 1 {
			kind = InteractionComment
		}
		all = append(all, Interaction{
			ID: TaskID(fmt.Sprintf("%02d", n)), Kind: kind, At: now.Add(-time.Duration(n) * 12 * time.Hour), Author: Author{ID: fmt.Sprint("a", n%3)},
		})
	}
	query := func(q InteractionQuery) ([]Interaction, InteractionSummary) {
		if q.Page == 0 {
			q.Page, q.PageSize = 1, 10
		}
		return q.Select(all, now)
	}
	page, sum := query(InteractionQuery{})
	require.Len(t, page, 10)
	require.Equal(t, all[:10], page)
	require.Equal(t, []int{25, 13, 12}, []int{sum.Total, sum.Likes, sum.Comments})
	require.Len(t, sum.Graph, 7)
	require.Equal(t, InteractionDay{"2030-01-09", 1, 1}, sum.Graph[6])
	require.Equal(t, InteractionDay{"2030-01-03", 1, 1}, sum.Graph[0])

	page, sum = query(InteractionQuery{Kind: InteractionComment, Page: 2, PageSize: 10})
	require.Len(t, page, 2)
	require.Equal(t, []int{12, 13, 12}, []int{sum.Total, sum.Likes, sum.Comments}, "the kind bounds the pages only")
	page, sum = query(InteractionQuery{Actors: []string{"a1", "nobody"}})
	require.Len(t, page, 8)
	require.Equal(t, 8, sum.Likes+sum.Comments)
	for _, past := range []int{4, 1 << 40} {
		page, sum = query(InteractionQuery{Page: past, PageSize: 10})
		require.Empty(t, page)
		require.Equal(t, 25, sum.Total)
	}
}

func TestAddPage(t *testing.T) {
	t.Parallel()
	task := Task{ID: "t", Type: TaskProfilesPosts, State: TaskPending, Input: ParseTaskInput([]byte(`{"profile_urns":["1","2","3"]}`))}
	require.Equal(t, 3, task.Units())
	task, _ = task.WithLease(Lease{ID: "l1", Units: 2})
	require.JSONEq(t, `{"profile_urns":["1","2"]}`, string(task.LeasedInput()))
	first := *task.Lease
	task, rest, ok := task.AddPage(first, []json.RawMessage{json.RawMessage(`{"n":1}`)}, true)
	require.True(t, rest && ok)
	require.Equal(t, TaskPending, task.State)
	require.Equal(t, 1, task.Units())
	_, _, ok = task.AddPage(first, nil, true)
	require.False(t, ok, "a slice counts once")
	task, _ = task.WithLease(Lease{ID: "l2", Units: 1})
	require.JSONEq(t, `{"profile_urns":["3"]}`, string(task.LeasedInput()))
	task, rest, ok = task.AddPage(*task.Lease, []json.RawMessage{json.RawMessage(`{"n":2}`)}, true)
	require.True(t, !rest && ok)
	output, err := task.PagedOutput()
	require.NoError(t, err)
	require.JSONEq(t, `{"posts":[{"n":1},{"n":2}]}`, string(output))

	plain := Task{Type: TaskProfileFetch, Input: ParseTaskInput([]byte(`{"profile_slug":"x"}`))}
	require.Equal(t, 1, plain.Units())
	require.Equal(t, plain.Input.JSON(), plain.LeasedInput())
}

// TestNewestPosts: posts that do not fit are dropped, oldest first.
func TestNewestPosts(t *testing.T) {
	t.Parallel()
	post := func(day int) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"posted_at":"2030-01-%02dT00:00:00Z"}`, day))
	}
	posts := []json.RawMessage{post(3), post(1), post(2), json.RawMessage(`{"posted_at":"never, not at all at no time"}`)}
	size := len(`{"posts":[]}`) + 2*(len(post(1))+1)
	require.Equal(t, []json.RawMessage{post(3), post(2)}, newest(posts, size))
	require.Equal(t, posts, newest(posts, 1000))
	require.Empty(t, newest(posts, 0))
}

func TestResolve(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)
	task := Task{Type: TaskLikePost, State: TaskPending}
	task, _ = task.WithLease(Lease{ID: "first", Session: "s"})
	task, _ = task.LoseLease(now)
	task, _ = task.WithLease(Lease{ID: "last", Session: "s"})
	task, _ = task.Act("last", now)
	unknown, _ := task.Fail(TaskFailure{Code: FailOutcomeUnknown}, now)
	other, _ := task.Fail(TaskFailure{Code: "not_found"}, now)
	restored := unknown
	restored.Restored = true
	resolved := func(acted bool) Task {
		known := unknown
		known.Resolved = &Resolution{acted, now.Add(-time.Hour)}
		return known
	}
	for name, c := range map[string]struct {
		task  Task
		under string
		acted bool
		tells bool
	}{
		"the last attempt acted":                      {unknown, "last", true, true},
		"the last attempt did not act":                {unknown, "last", false, true},
		"an earlier attempt acted: it is done":        {unknown, "first", true, true},
		"an earlier attempt did not act: nothing":     {unknown, "first", false, false},
		"it is not final":                             {task, "last", true, false},
		"it failed, and that is known":                {other, "last", true, false},
		"it is known that it was done":                {resolved(true), "last", false, false},
		"it is known that it was not done":            {resolved(false), "last", true, false},
		"restored: a later attempt may be missing":    {restored, "last", false, false},
		"restored, and the attempt that is there did": {restored, "last", true, true},
	} {
		lease, given := c.task.FindLease("s", "", c.under)
		require.True(t, given, name)
		next, ok := c.task.Resolve(lease, c.acted, now)
		require.Equal(t, c.tells, ok, name)
		if ok {
			require.Equal(t, &Resolution{c.acted, now}, next.Resolved, name)
			next.Resolved = nil
		}
		require.Equal(t, c.task, next, "%s: nothing else changes", name)
	}
}
