package watchpost_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestAcquaintances(t *testing.T) {
	t.Parallel()
	done := func(kind watchpost.TaskType, input, output string) *watchpost.Task {
		return &watchpost.Task{Type: kind, State: watchpost.TaskCompleted, Input: watchpost.ParseTaskInput(json.RawMessage(input)), Output: json.RawMessage(output)}
	}
	failed := done(watchpost.TaskSendMessage, `{"recipient_urn":"urn:network:member:42"}`, "")
	failed.State = watchpost.TaskFailed
	late := *failed
	late.Resolved = &watchpost.Resolution{Acted: true}
	many := strings.Repeat(`{"profile_slug":"x","profile_urn":"urn:network:member:7"},`, 600)
	for name, c := range map[string]struct {
		task *watchpost.Task
		want []watchpost.Acquaintance
	}{
		"a message":           {done(watchpost.TaskSendMessage, `{"recipient_urn":"urn:network:member:42"}`, `{"sent":true}`), []watchpost.Acquaintance{{Key: "profile:42", Contacted: true}}},
		"one that failed":     {failed, nil},
		"one that acted":      {&late, []watchpost.Acquaintance{{Key: "profile:42", Contacted: true}}},
		"an invitation":       {done(watchpost.TaskConnectionRequest, `{"profile_urn":"https://network.example/in/jane"}`, `{"sent":true}`), []watchpost.Acquaintance{{Key: "profile/jane", Contacted: true}}},
		"a profile":           {done(watchpost.TaskProfileFetch, `{}`, `{"profile_slug":"jane","profile_urn":"urn:network:member:42"}`), []watchpost.Acquaintance{{Key: "profile/jane", Same: "profile:42"}}},
		"one without a slug":  {done(watchpost.TaskProfileFetch, `{}`, `{"profile_urn":"urn:network:member:42"}`), nil},
		"a slug of digits":    {done(watchpost.TaskProfileFetch, `{}`, `{"profile_slug":"42","profile_urn":"urn:network:member:7"}`), []watchpost.Acquaintance{{Key: "profile/42", Same: "profile:7"}}},
		"a search":            {done(watchpost.TaskProfilesSearch, `{}`, `{"profiles":[{"profile_slug":"a","degree":1},{"profile_slug":"b","profile_urn":"urn:network:member:2","degree":2},{"profile_slug":"c","degree":3}]}`), []watchpost.Acquaintance{{Key: "profile/a", Connected: true}, {Key: "profile/b", Same: "profile:2"}}},
		"connections":         {done(watchpost.TaskConnectionsFetch, `{}`, `{"connections":[{"profile_slug":"a","profile_urn":"urn:network:member:1"}]}`), []watchpost.Acquaintance{{Key: "profile/a", Same: "profile:1", Connected: true}}},
		"a like":              {done(watchpost.TaskLikePost, `{"social_urn":"urn:network:activity:1"}`, `{"liked":true}`), nil},
		"an output unlike it": {done(watchpost.TaskProfilesSearch, `{}`, `{"profiles":7}`), nil},
	} {
		require.Equal(t, c.want, watchpost.Acquaintances(c.task), name)
	}
	require.Len(t, watchpost.Acquaintances(done(watchpost.TaskConnectionsFetch, `{}`, fmt.Sprintf(`{"connections":[%s]}`, strings.TrimSuffix(many, ",")))), 500)
}

// TestLeadFilters: each word is part of the name or the headline of the author's newest post,
// the author is of the kind, and new ones have no older post.
func TestLeadFilters(t *testing.T) {
	t.Parallel()
	old := &watchpost.Post{ID: "2", PostedAt: time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC), AuthorName: "José Old", AuthorURL: "https://network.example/in/jose", AuthorHeadline: "Driver"}
	newest := *old
	newest.ID, newest.PostedAt, newest.AuthorName, newest.AuthorHeadline = "1", old.PostedAt.Add(1), "José García", "Director of Logistics"
	for words, want := range map[string]int{
		"": 1, "jose": 1, "GARCI\u0301A  logis": 1, "director garcia": 1, "old": 0, "jose driver": 0, "joselogis": 0,
	} {
		q := watchpost.LeadQuery{MinPosts: 1, Words: words}
		page, count := q.Select([]*watchpost.Post{old, &newest})
		require.Equal(t, want, count, words)
		require.Len(t, page, want, words)
	}
	for kind, want := range map[watchpost.LeadKind]int{"": 1, watchpost.LeadPerson: 1, watchpost.LeadCompany: 0} {
		q := watchpost.LeadQuery{MinPosts: 1, Kind: kind}
		_, count := q.Select([]*watchpost.Post{old, &newest})
		require.Equal(t, want, count, kind)
	}
	for since, want := range map[time.Time]int{{}: 1, old.PostedAt: 1, newest.PostedAt: 0, newest.PostedAt.Add(1): 0} {
		q := watchpost.LeadQuery{PostQuery: watchpost.PostQuery{From: newest.PostedAt}, MinPosts: 1, NewSince: since}
		_, count := q.Select([]*watchpost.Post{old, &newest})
		require.Equal(t, want, count, since)
	}
}
