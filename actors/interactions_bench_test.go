package actors_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// BenchmarkLargeTeamInteractions answers for a page of a team that has commented on
// 20,000 posts. The first request lists what an earlier build has recorded.
func BenchmarkLargeTeamInteractions(b *testing.B) {
	const deeds, atOnce = 20_000, 100
	engine := actorstest.Engine(b)
	w := actorstest.New(b, actorstest.On(engine))
	team := w.CreateTeam(b, watchpost.PlanUltimate).ID
	space := persistence.Space(team)
	epoch, err := engine.Activate(b.Context(), space)
	require.NoError(b, err)
	list := watchpost.WatchlistID(watchpost.NewID(actorstest.Start))
	record := func(v any) []byte {
		value, err := json.Marshal(v)
		require.NoError(b, err)
		return append([]byte{1}, value...)
	}
	index := postindex.New(postindex.Options{})
	for n := 0; n < deeds; n += atOnce {
		batch := &persistence.Batch{}
		view, err := engine.View(b.Context())
		require.NoError(b, err)
		posts, err := index.Writer(view, space, batch)
		require.NoError(b, err)
		batch.Put([]byte("w"+list), record(watchpost.Watchlist{ID: list, Type: watchpost.KeywordWatchlist}))
		batch.Put([]byte("W"), []byte("created"))
		for i := range atOnce {
			n := n + i
			at := actorstest.Start.Add(time.Duration(n) * time.Minute)
			urn := fmt.Sprintf("urn:network:activity:%d", 7_000_000_000_000_000_000+n)
			task := watchpost.TaskID(watchpost.NewID(at))
			batch.Put([]byte("n"+task), record(watchpost.Interaction{ID: task, Kind: watchpost.InteractionComment, Text: "Well done", At: at, URN: urn, Target: watchpost.PostKey(urn), Author: watchpost.Author{ID: fmt.Sprint("member", n%10)}}))
			batch.Put([]byte("d"+watchpost.PostKey(urn)), record(map[string]any{"commented": true, "urn": urn}))
			require.NoError(b, posts.Put(&watchpost.Post{
				ID: watchpost.PostID(watchpost.NewID(at)), URN: urn, Content: "Our telemetry pipeline is faster than before", PostedAt: at, CreatedAt: at, Commented: true,
				Matches: []watchpost.Match{{Watchlist: list, At: at}},
			}))
		}
		_, err = posts.Finish()
		require.NoError(b, err)
		view.Close()
		require.NoError(b, persistence.Commit(b.Context(), engine, space, epoch, batch))
		require.NoError(b, index.MergeAll(b.Context(), engine, space, epoch))
	}
	w.Crash()
	ask := func() {
		page, err := w.Registry.Interactions(w.Context(), team, string(list), watchpost.InteractionQuery{Page: 1, PageSize: 10})
		require.NoError(b, err)
		require.Equal(b, deeds, page.Summary.Total)
	}
	begun := time.Now()
	ask()
	first := time.Since(begun)
	for b.Loop() {
		ask()
	}
	b.ReportMetric(float64(first.Milliseconds()), "ms-first")
}
