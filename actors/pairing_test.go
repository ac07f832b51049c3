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

// pairings counts the codes in the directory.
func pairings(t *testing.T, w *actorstest.World) (n int) {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	require.NoError(t, view.ScanDirectory("pairing", "", func(string, []byte) bool { n++; return true }))
	return n
}

// TestUnusedPairingCodesAreForgotten when the next one is made, or when the
// team is passivated, which comes after that.
func TestUnusedPairingCodesAreForgotten(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	email := team.Member(t, "bob")
	pair := func() actors.PairingCode {
		return actorstest.Must[actors.PairingCode](t, team, actors.CreatePairingCode{Email: email})
	}
	var last actors.PairingCode
	for n := range 130 {
		last = pair()
		require.Equal(t, n+1, pairings(t, w))
	}
	_, err := w.Registry.SignInSession(w.Context(), protocol.SignInRequest{Code: last.Code}, "192.0.2.1")
	require.NoError(t, err)
	require.Equal(t, 129, pairings(t, w))
	w.SetClock(last.ExpiresAt.Add(2 * time.Second))
	fresh := pair()
	require.Equal(t, 30, pairings(t, w), "a hundred at a time")
	_, err = w.Registry.SignInSession(w.Context(), protocol.SignInRequest{Code: fresh.Code}, "192.0.2.1")
	require.NoError(t, err, "one that is good stays")
	pair()
	require.Equal(t, 1, pairings(t, w))
	for pairings(t, w) > 0 {
		w.Advance(time.Minute)
	}
	require.Empty(t, storedKeys(t, w, team, "c"))
	require.Eventually(t, func() bool {
		w.Advance(time.Minute)
		return w.Gauge("watchpost_teams_active") == 0
	}, actorstest.Wait, time.Millisecond)
}
