package actors_test

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/stored"
	"watchpost/internal/protocol"
	"watchpost/persistence/teamspace"
)

// TestPostsThatPanic: a post that the rules cannot bear is refused. The rest of its scan
// is stored, the scan is acknowledged, and the team goes on without a restart.
func TestPostsThatPanic(t *testing.T) {
	t.Parallel()
	for step, content := range map[string]string{"understand": "go cannot be understood", "match": "go cannot be matched"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			var log lockedBuffer
			w, team, s := house(t, actorstest.With(func(o *actors.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) }))
			list := keywordWatchlist(t, team, "go")
			scan := s.Expect(protocol.TypeTask)
			endScan(s, scan, true, post(w, "one", "go one"), post(w, "bad", content), post(w, "two", "go two"))
			require.Len(t, team.Posts(t, list.ID), 2)
			require.InDelta(t, 1, w.PostEvents("refused"), 0)
			require.True(t, s.Open(), "the team was not ended")
			require.Contains(t, log.String(), "post refused")
			require.NotContains(t, log.String(), content)

			done(t, team, actors.GetTeam{})
			w.Restart()
			found, err := stored.Inspect(w.Context(), w.Store)
			require.NoError(t, err)
			require.Len(t, found.Refused, 1)
			refused := found.Refused[0]
			require.Equal(t, []string{string(team.ID), step, content}, []string{string(refused.Team), refused.Step, refused.Content})
			require.NotEmpty(t, refused.Reason)
		})
	}
}

// TestRefusedPostsAreBounded: the last ones are kept, each once.
func TestRefusedPostsAreBounded(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	var posts []protocol.Post
	for i := range 30 {
		bad := post(w, fmt.Sprint("bad-", i), "go cannot be understood")
		posts = append(posts, bad, bad)
	}
	endScan(s, scan, true, posts...)
	done(t, team, actors.GetTeam{})
	require.Len(t, storedKeys(t, w, team, teamspace.KeyRefused), 20)
	w.Restart()
	done(t, team, actors.GetTeam{})
	require.Len(t, storedKeys(t, w, team, teamspace.KeyRefused), 20)
	require.Empty(t, team.Posts(t))
}
