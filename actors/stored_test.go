package actors_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// storedUse reads the ledger's record of a day: what a restart would find.
func storedUse(t *testing.T, w *actorstest.World, team *actorstest.Team, s *actorstest.Session, action watchpost.Action, at time.Time) int {
	t.Helper()
	a, _ := watchpost.AllowanceOf(action)
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	key := "a" + a.Period.Key(at) + "\x00" + string(s.URN()) + "\x00" + string(action)
	value, err := view.Get(persistence.Space(team.ID), []byte(key))
	require.NoError(t, err)
	var record struct{ Used int }
	require.NoError(t, json.Unmarshal(value[1:], &record))
	return record.Used
}

// storedKeys are the keys of the team's space with a prefix.
func storedKeys(t *testing.T, w *actorstest.World, team *actorstest.Team, prefix string) []string {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	keys := []string{}
	require.NoError(t, view.Scan(persistence.Space(team.ID), []byte(prefix), persistence.PrefixEnd([]byte(prefix)), func(k, _ []byte) bool {
		keys = append(keys, string(k))
		return true
	}))
	return keys
}

// always makes every commit of a team fail.
func always(team *actorstest.Team, fault actorstest.Fault) func(persistence.Space, *persistence.Batch) actorstest.Fault {
	return func(space persistence.Space, _ *persistence.Batch) actorstest.Fault {
		if space == persistence.Space(team.ID) {
			return fault
		}
		return actorstest.None
	}
}
