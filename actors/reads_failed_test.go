package actors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestFailedReadsPastTheActors: a read that Registry makes without a team's
// actor fails with the error of Ask, whichever read of it is lost, and works
// the next time.
func TestFailedReadsPastTheActors(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go").ID
	endScan(s, s.Expect(protocol.TypeTask), true, post(w, "1", "go"))
	s.Finish(s.ExpectTask(created(t, team, request(watchpost.TaskLikePost, likeOf))))
	reads := map[string]func() error{
		"posts": func() error {
			_, err := w.Registry.Posts(w.Context(), team.ID, []string{string(list)}, watchpost.PostQuery{Page: 1, PageSize: 1})
			return err
		},
		"posts of an unknown watchlist": func() error {
			_, err := w.Registry.Posts(w.Context(), team.ID, []string{"x"}, watchpost.PostQuery{Page: 1, PageSize: 1})
			return err
		},
		"interactions": func() error {
			_, err := w.Registry.Interactions(w.Context(), team.ID, string(list), watchpost.InteractionQuery{Page: 1, PageSize: 1})
			return err
		},
		"teams": func() error {
			_, err := w.Registry.Teams(w.Context())
			return err
		},
	}
	for name, read := range reads {
		w.Restart() // without caches
		whole := read()
		for nth := 1; ; nth++ {
			w.Restart()
			made := 0
			w.Store.LoseReads(func(actorstest.Read) bool { made++; return made == nth })
			err := read()
			w.Store.LoseReads(nil)
			if made < nth {
				require.Greater(t, nth, 2, name)
				break
			}
			require.Equal(t, watchpost.Unavailable, watchpost.KindOf(err), "%s, read %d: %v", name, nth, err)
			require.Equal(t, whole, read(), name)
		}
	}
}
