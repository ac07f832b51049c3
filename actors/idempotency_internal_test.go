package actors

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors/root"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestKeptReplies: each kind of reply is stored under its name and read as the
// same value. The names are stored: they must not change.
func TestKeptReplies(t *testing.T) {
	t.Parallel()
	view := WatchlistView{Watchlist: watchpost.Watchlist{ID: "w", Type: watchpost.KeywordWatchlist, Keywords: []watchpost.KeywordEntry{{ID: "e", Keyword: "go"}}}}
	replies := map[string]any{
		"task": TaskCreated{ID: "t"}, "watchlist": view, "followed": Followed{WatchlistView: view, Added: 3},
		"member": watchpost.Member{ID: "m", Email: "ada@example.com"},
		"target": TargetCreated{View: TargetView{Target: watchpost.NotificationTarget{ID: "n"}}, Sealed: []byte("sealed")},
		"key":    KeyCreated{ScopedKeyView: ScopedKeyView{}},
		"rule":   RuleView{Rule: watchpost.EngagementRule{ID: "r", Name: "Likes"}, Proposed: 2},
	}
	require.Len(t, replies, len(keptReplies))
	for kind, reply := range replies {
		require.Equal(t, kind, kindOfReply(reply))
		raw, err := json.Marshal(reply)
		require.NoError(t, err)
		kept, err := keptReply(&teamspace.IdempotencyRecord{Kind: kind, Reply: raw})
		require.NoError(t, err, kind)
		require.Equal(t, reply, kept, kind)
	}
	for _, other := range []any{root.Done{}, &TaskCreated{ID: "t"}, APIKey{Key: "secret"}, nil} {
		require.Empty(t, kindOfReply(other), "%T", other)
	}
	_, err := keptReply(&teamspace.IdempotencyRecord{Kind: "unknown", Reply: []byte(`{}`)})
	require.EqualError(t, err, `kept reply of the unknown kind "unknown"`)
	_, err = keptReply(&teamspace.IdempotencyRecord{Kind: "task", Reply: []byte(`[]`)})
	require.Error(t, err)
}
