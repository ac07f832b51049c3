package root

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
)

func TestChangesOfBatch(t *testing.T) {
	t.Parallel()
	batch := &persistence.Batch{}
	for _, key := range []string{"kone", "oone", "ktwo", "p1", "p2", "w1", "?", "Ra1", "Rr1", "tl1", "A1"} {
		batch.Put([]byte(key), nil)
	}
	const member, post = "00000000-0000-7000-8000-00000000000a", "00000000-0000-7000-8000-00000000000b"
	for _, key := range []string{"hv" + member, "ht" + member, "hm" + member + post, "ha" + post, "hm", "h"} {
		batch.Put([]byte(key), nil)
	}
	batch.Delete([]byte("s1"))
	require.Equal(t, []Change{{Topic: TopicTask, ID: "one"}, {Topic: TopicTask, ID: "two"}, {Topic: TopicPosts}, {Topic: TopicWatchlists}, {Topic: TopicRules}, {Topic: TopicNotifications}, {Topic: TopicTeam},
		{Topic: TopicTriage, Member: member}, {Topic: TopicTriage, ID: post, Member: member}, {Topic: TopicTriage, ID: post}}, changesOf(batch))
}

// TestSubscription loses nothing, however late its reader is.
func TestSubscription(t *testing.T) {
	t.Parallel()
	r := &Registry{env: &Environment{changes: newSubscriptions()}}
	sub, err := r.Subscribe("team", "member")
	require.NoError(t, err)
	read := func() []Change {
		changes, more := sub.Next(t.Context())
		require.True(t, more)
		return changes
	}
	require.Equal(t, []Change{{Topic: TopicAll}}, read())
	for range 3 {
		r.env.changes.publish("team", []Change{{Topic: TopicTask, ID: "one"}, {Topic: TopicPosts}})
	}
	r.env.changes.publish("other", []Change{{Topic: TopicTask, ID: "two"}})
	require.Equal(t, []Change{{Topic: TopicTask, ID: "one"}, {Topic: TopicPosts}}, read(), "the same changes are one")
	for i := range maxChanges + 1 {
		r.env.changes.publish("team", []Change{{Topic: TopicTask, ID: fmt.Sprint(i)}})
	}
	require.Equal(t, []Change{{Topic: TopicAll}}, read(), "too many mean everything")

	r.env.changes.publish("team", []Change{{Topic: TopicTriage, Member: "other"}, {Topic: TopicTriage, Member: "member"}})
	require.Equal(t, []Change{{Topic: TopicTriage, Member: "member"}}, read(), "what concerns another member only")

	done, cancel := context.WithCancel(t.Context())
	cancel()
	_, more := sub.Next(done)
	require.False(t, more)
	r.env.changes.end(func(team string) bool { return team == "team" })
	r.env.changes.publish("team", []Change{{Topic: TopicTeam}})
	require.Equal(t, []Change{{Topic: TopicTeam}}, read())
	r.env.changes.end(func(string) bool { return false })
	_, more = sub.Next(t.Context())
	require.False(t, more)
	sub.Close()
	require.Empty(t, r.env.changes.byTeam)
}

// TestSubscriptionsOfAMember: the oldest of a member ends, and none of others.
func TestSubscriptionsOfAMember(t *testing.T) {
	t.Parallel()
	r := &Registry{env: &Environment{changes: newSubscriptions()}}
	other, err := r.Subscribe("team", "other")
	require.NoError(t, err)
	elsewhere, err := r.Subscribe("elsewhere", "member")
	require.NoError(t, err)
	var subs []*Subscription
	for n := range 3 * maxSubscriptions {
		sub, err := r.Subscribe("team", "member")
		require.NoError(t, err)
		subs = append(subs, sub)
		if n%4 == 0 {
			sub.Close()
		}
	}
	open := 0
	for n, sub := range slices.Backward(subs) {
		ended := true
		select {
		case <-sub.over:
		default:
			ended = false
			open++
		}
		require.Equal(t, n%4 == 0 || open == maxSubscriptions && ended, ended, "the newest %d are open, of those that were not closed", maxSubscriptions)
	}
	require.Equal(t, maxSubscriptions, open)
	for _, sub := range []*Subscription{other, elsewhere} {
		changes, more := sub.Next(t.Context())
		require.True(t, more)
		require.NotEmpty(t, changes)
	}
}
