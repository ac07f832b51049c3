package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestEngagementsUnderAnyName checks that engagement with a post under one of its names
// is known when the post is collected, for the first time or again.
func TestEngagementsUnderAnyName(t *testing.T) {
	t.Parallel()
	for name, collectedFirst := range map[string]bool{"before it is collected": false, "on a stored post": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			shared := post(w, "", "go")
			shared.URN, shared.URL = "urn:network:share:9000000000000000009", "/posts/ada-activity-7000000000000000001-x"
			collect := func() watchpost.Watchlist {
				list := keywordWatchlist(t, team, "go")
				endScan(s, s.Expect(protocol.TypeTask), true, shared)
				return list
			}
			if collectedFirst {
				list := collect()
				s.Finish(s.ExpectTask(created(t, team, request(watchpost.TaskLikePost, likeOf))))
				require.True(t, team.Posts(t)[0].Liked)
				done(t, team, actors.DeleteWatchlist{Type: list.Type, ID: list.ID})
				require.Eventually(t, func() bool { return len(storedKeys(t, w, team, "pB")) == 0 }, actorstest.Wait, time.Millisecond)
			} else {
				s.Finish(s.ExpectTask(created(t, team, request(watchpost.TaskLikePost, likeOf))))
			}
			list := collect()
			require.Len(t, team.Posts(t), 1)
			require.True(t, team.Posts(t)[0].Liked)
			page, err := w.Registry.Interactions(w.Context(), team.ID, string(list.ID), watchpost.InteractionQuery{Page: 1, PageSize: 10})
			require.NoError(t, err)
			require.Len(t, page.Interactions, 1)
		})
	}
}
