package postgres

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"watchpost/persistence/storemetrics"
)

// newMetrics returns what every engine counts, with the database and the pools.
func newMetrics(s *Store) *storemetrics.Metrics {
	m := storemetrics.New()
	m.Add(
		storemetrics.Gauge("watchpost_store_waiting_batches", "Batches that wait for the committer.", nil, func() float64 { return float64(s.committer.load()) }),
		storemetrics.Gauge("watchpost_store_open_views", "Snapshots that are open.", nil, func() float64 {
			s.mu.Lock()
			defer s.mu.Unlock()
			return float64(len(s.open))
		}),
		storemetrics.Gauge("watchpost_store_size_bytes", "What the database takes on the disk of its server.", nil, (&databaseSize{s: s}).read),
		storemetrics.Gauge("watchpost_store_up", "1 while the database answers.", nil, func() float64 {
			if s.Fault() != nil {
				return 0
			}
			return 1
		}),
	)
	m.Add(poolMetrics("commits", s.commits)...)
	m.Add(poolMetrics("views", s.views)...)
	return m
}

func poolMetrics(name string, pool *pgxpool.Pool) []prometheus.Collector {
	of := prometheus.Labels{"pool": name}
	return []prometheus.Collector{
		storemetrics.Gauge("watchpost_store_pool_used", "Connections in use.", of, func() float64 { return float64(pool.Stat().AcquiredConns()) }),
		storemetrics.Gauge("watchpost_store_pool_size", "Connections that are open.", of, func() float64 { return float64(pool.Stat().TotalConns()) }),
		storemetrics.Gauge("watchpost_store_pool_limit", "Connections that may be open.", of, func() float64 { return float64(pool.Stat().MaxConns()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "watchpost_store_pool_wait_seconds_total", Help: "Time for which callers waited for a connection.", ConstLabels: of,
		}, func() float64 { return pool.Stat().EmptyAcquireWaitTime().Seconds() }),
	}
}
