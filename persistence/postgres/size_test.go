package postgres

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres/postgrestest"
)

// TestSizeOfTheDatabase: the metric has the size that the server says, and keeps it when
// the server is away.
func TestSizeOfTheDatabase(t *testing.T) {
	t.Parallel()
	own, err := postgrestest.Start("fsync=off")
	require.NoError(t, err)
	s := mustOpen(t, newDatabase(t, own))
	shown := func() float64 {
		registry := prometheus.NewRegistry()
		require.NoError(t, registry.Register(s.Collector()))
		families, err := registry.Gather()
		require.NoError(t, err)
		for _, f := range families {
			if f.GetName() == "watchpost_store_size_bytes" {
				return f.GetMetric()[0].GetGauge().GetValue()
			}
		}
		return 0
	}
	var size float64
	require.NoError(t, s.views.QueryRow(t.Context(), "SELECT pg_database_size(current_database())").Scan(&size))
	require.InEpsilon(t, size, shown(), 0.2)
	before := shown()
	require.NoError(t, own.Close())
	require.Equal(t, before, shown())
	require.NoError(t, s.Close())
}
