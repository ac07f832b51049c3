package watchpost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestLeasedInput: a session receives the normalized input; the task keeps the
// request's input.
func TestLeasedInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind        watchpost.TaskType
		given, want string
	}{
		{watchpost.TaskProfilesSearch, `{"title":"CTO"}`, `{"title":"CTO"}`},
		{watchpost.TaskProfilesSearch, `{"title":"CTO","count":3}`, `{"title":"CTO","count":3}`},
		{watchpost.TaskProfilesSearch, `{"title":"CTO","count":500}`, `{"title":"CTO","count":50}`},
		{watchpost.TaskProfilesSearch, `{"title":"CTO","limit":3}`, `{"title":"CTO","count":3}`},
		{watchpost.TaskProfilesSearch, `{"title":"CTO","limit":51}`, `{"title":"CTO","count":50}`},
		{watchpost.TaskProfilesSearch, `{"title":"CTO","limit":3,"count":4}`, `{"title":"CTO","count":4}`},
		{watchpost.TaskProfilesSearch, `{"title":"CTO","limit":3,"count":null}`, `{"title":"CTO","count":3}`},
		{watchpost.TaskConnectionRequest, `{"profile_urn":"1","note":" Hi \n"}`, `{"profile_urn":"1","note":"Hi"}`},
		{watchpost.TaskConnectionRequest, `{"profile_urn":"1","note":"Hi"}`, `{"profile_urn":"1","note":"Hi"}`},
		{watchpost.TaskConnectionRequest, `{"profile_urn":"1","note":" \t "}`, `{"profile_urn":"1"}`},
		{watchpost.TaskConnectionRequest, `{"profile_urn":"1"}`, `{"profile_urn":"1"}`},
	} {
		task := watchpost.Task{Type: c.kind, Input: watchpost.ParseTaskInput([]byte(c.given))}
		require.JSONEq(t, c.want, string(task.LeasedInput()), c.given)
		require.Equal(t, c.given, string(task.Input.JSON()))
	}
}

// TestOnePersonInSeveralSpellings: a person named twice costs one unit and is
// leased once.
func TestOnePersonInSeveralSpellings(t *testing.T) {
	t.Parallel()
	task := watchpost.Task{
		Type:  watchpost.TaskProfilesPosts,
		Input: watchpost.ParseTaskInput([]byte(`{"profile_urns":["urn:network:member:123456","https://network.example/in/Jane-Doe/","123456","jane-doe"]}`)),
	}
	require.Equal(t, 2, task.Units())
	task.Lease = &watchpost.Lease{Units: 2}
	require.JSONEq(t, `{"profile_urns":["urn:network:member:123456","https://network.example/in/Jane-Doe/"]}`, string(task.LeasedInput()))
}

// TestSlicesOfPeopleAndCompanies: people come first, in one slice. Each company
// is its own slice, leased as a fetch of a company's posts.
func TestSlicesOfPeopleAndCompanies(t *testing.T) {
	t.Parallel()
	task := watchpost.Task{
		Type: watchpost.TaskProfilesPosts, State: watchpost.TaskPending,
		Input: watchpost.ParseTaskInput([]byte(`{"profile_urns":["https://network.example/company/Acme/","1","/company/acme","urn:network:organization:42","jane-doe"]}`)),
	}
	for i, want := range []struct {
		kind  watchpost.TaskType
		units int
		input string
	}{
		{watchpost.TaskProfilesPosts, 2, `{"profile_urns":["1","jane-doe"]}`},
		{watchpost.TaskCompanyPosts, 1, `{"company_slug":"https://network.example/company/Acme/"}`},
		{watchpost.TaskCompanyPosts, 1, `{"company_slug":"urn:network:organization:42"}`},
	} {
		require.Equal(t, want.kind, task.LeasedType(), i)
		require.Equal(t, want.units, task.Units(), i)
		handed, ok := task.WithLease(watchpost.Lease{ID: "l", Units: task.Units()})
		require.True(t, ok, i)
		require.Equal(t, want.kind, handed.LeasedType(), i)
		require.JSONEq(t, want.input, string(handed.LeasedInput()), i)
		var rest bool
		task, rest, ok = handed.AddPage(*handed.Lease, nil, true)
		require.True(t, ok, i)
		require.Equal(t, i < 2, rest, i)
	}
}
