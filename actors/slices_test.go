package actors_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestSlices: a task that costs more than there is left goes on the next day;
// its caller sees one task.
func TestSlices(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	urns := func(n int, from int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"urn:network:member:%d"`, from+i))
		}
		return strings.Join(list, ",")
	}
	posts := func(n int) protocol.PostsOutput {
		return protocol.PostsOutput{Posts: []protocol.Post{{URN: fmt.Sprint("urn:network:activity:", n), PostedAt: w.Now(), Content: fmt.Sprint("post ", n)}}}
	}
	first := created(t, team, request(watchpost.TaskProfilesPosts, `{"profile_urns":[`+urns(30, 0)+`]}`))
	frame := s.ExpectTask(first)
	require.JSONEq(t, `{"profile_urns":[`+urns(30, 0)+`]}`, string(frame.Input))
	require.Equal(t, 30, team.Used(t, s.Email, watchpost.ActionPeopleScan))
	s.Result(frame, posts(0))
	s.ExpectAck(frame)

	id := created(t, team, request(watchpost.TaskProfilesPosts, `{"profile_urns":[`+urns(50, 0)+`]}`))
	frame = s.ExpectTask(id)
	require.JSONEq(t, `{"profile_urns":[`+urns(20, 0)+`]}`, string(frame.Input), "20 are left today")
	s.Result(frame, posts(1))
	s.ExpectAck(frame)
	s.ExpectNone()
	require.Equal(t, watchpost.Daily.Reset(w.Now()), wantPending(t, team, id, watchpost.PendingDailyCap).NotBefore)
	require.Equal(t, 50, team.Used(t, s.Email, watchpost.ActionPeopleScan))
	w.Crash()
	s.Connect()
	s.ExpectNone()

	w.SetClock(watchpost.Daily.Reset(w.Now()))
	frame = s.ExpectTask(id)
	require.JSONEq(t, `{"profile_urns":[`+urns(30, 20)+`]}`, string(frame.Input))
	t.Run("a slice that was not begun is given back", func(t *testing.T) {
		s.Release(frame)
		s.ExpectNone()
		require.Zero(t, team.Used(t, s.Email, watchpost.ActionPeopleScan))
		w.Advance(time.Minute) // the pause before another attempt
		s.Heartbeat()
	})
	frame = s.ExpectTask(id)
	s.Error(frame, "not_found", actorstest.Lie) // none of these; but of those before
	s.ExpectAck(frame)
	view := team.Status(t, id)
	require.Equal(t, watchpost.TaskCompleted, view.State)
	var output struct{ Posts []map[string]any }
	require.NoError(t, json.Unmarshal(view.Output, &output))
	require.Len(t, output.Posts, 1)
	require.Equal(t, "post 1", output.Posts[0]["content"])
	require.Zero(t, team.Used(t, s.Email, watchpost.ActionPeopleScan))

	t.Run("none exists", func(t *testing.T) {
		id := created(t, team, request(watchpost.TaskProfilesPosts, `{"profile_urns":["1","2"]}`))
		frame := s.ExpectTask(id)
		s.Error(frame, "not_found", actorstest.Lie)
		s.ExpectAck(frame)
		wantFailure(t, team.Status(t, id), "not_found", false)
	})
}

// TestLateSlice: the late answer to a slice counts once, and calls the newer
// attempt off.
func TestLateSlice(t *testing.T) {
	t.Parallel()
	w, team, a := house(t)
	b := team.SessionOf(t, team.Member(t, "bob"), "bob")
	for range 48 { // of 50 units
		a.Finish(a.ExpectTask(created(t, team, request(watchpost.TaskProfilesPosts, `{"profile_urns":["1"]}`))))
	}
	id := created(t, team, request(watchpost.TaskProfilesPosts, `{"profile_urns":["1","2","3","4"]}`))
	first := a.ExpectTask(id)
	require.JSONEq(t, `{"profile_urns":["1","2"]}`, string(first.Input))
	a.Drop()
	w.Advance(leaseOver)
	b.Connect()
	second := b.ExpectTask(id)
	require.JSONEq(t, `{"profile_urns":["1","2","3","4"]}`, string(second.Input))
	a.Connect(actorstest.Listed(first, protocol.StateDone))
	post := protocol.Post{URN: aPost, PostedAt: w.Now()}
	a.Result(first, protocol.PostsOutput{Posts: []protocol.Post{post}})
	a.ExpectAck(first)
	require.Equal(t, second.Task, b.Expect(protocol.TypeCancel).Task)
	third := b.ExpectTask(id)
	require.JSONEq(t, `{"profile_urns":["3","4"]}`, string(third.Input))
	a.Result(first, protocol.PostsOutput{Posts: []protocol.Post{post}})
	a.ExpectAck(first)
	b.Result(second, protocol.PostsOutput{Posts: []protocol.Post{post}})
	b.ExpectAck(second)
	b.Finish(third)
	var output struct{ Posts []any }
	require.NoError(t, json.Unmarshal(team.Status(t, id).Output, &output))
	require.Len(t, output.Posts, 1)
}

// TestSlicesOfCompanies: the companies of a task that fetches posts wait for
// their own allowance, whatever is left of that of the people.
func TestSlicesOfCompanies(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	for range 49 {
		s.Finish(s.ExpectTask(created(t, team, request(watchpost.TaskCompanyPosts, `{"company_slug":"x"}`))))
	}
	id := created(t, team, request(watchpost.TaskProfilesPosts, `{"profile_urns":["/company/a","1","/company/b","2"]}`))
	people := s.ExpectTask(id)
	require.Equal(t, string(watchpost.TaskProfilesPosts), people.TaskType)
	require.JSONEq(t, `{"profile_urns":["1","2"]}`, string(people.Input))
	s.Finish(people)
	company := s.ExpectTask(id)
	require.Equal(t, string(watchpost.TaskCompanyPosts), company.TaskType)
	require.JSONEq(t, `{"company_slug":"/company/a"}`, string(company.Input))
	require.Equal(t, 2, team.Used(t, s.Email, watchpost.ActionPeopleScan))
	require.Equal(t, 50, team.Used(t, s.Email, watchpost.ActionCompanyScan))
	s.Finish(company)
	s.ExpectNone()
	require.Equal(t, watchpost.Daily.Reset(w.Now()), wantPending(t, team, id, watchpost.PendingDailyCap).NotBefore)
	w.Crash()
	s.Connect()
	s.ExpectNone()
	s.Finish(s.ExpectTask(created(t, team, request(watchpost.TaskProfilesPosts, `{"profile_urns":["3"]}`))))

	w.SetClock(watchpost.Daily.Reset(w.Now()))
	company = s.ExpectTask(id)
	require.JSONEq(t, `{"company_slug":"/company/b"}`, string(company.Input))
	s.Finish(company)
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State)
	require.Zero(t, team.Used(t, s.Email, watchpost.ActionPeopleScan))
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionCompanyScan))
}

// TestLateSliceOfPeople: while a task waits for the people's allowance, a late
// answer about them makes it wait for that of the companies instead.
func TestLateSliceOfPeople(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	for range 49 {
		s.Finish(s.ExpectTask(created(t, team, request(watchpost.TaskProfilesPosts, `{"profile_urns":["1"]}`))))
	}
	id := created(t, team, request(watchpost.TaskProfilesPosts, `{"profile_urns":["1","/company/a"]}`))
	people := s.ExpectTask(id)
	s.Drop()
	w.Advance(leaseOver)
	s.Connect(actorstest.Listed(people, protocol.StateDone))
	wantPending(t, team, id, watchpost.PendingDailyCap)
	s.Result(people, map[string]any{})
	s.ExpectAck(people)
	company := s.ExpectTask(id)
	require.JSONEq(t, `{"company_slug":"/company/a"}`, string(company.Input))
	s.Finish(company)
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State)
	require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionCompanyScan))
}
