package badger

import "watchpost/persistence/storemetrics"

// newMetrics returns what every engine counts, with the queue and the snapshots.
func newMetrics(queue *queue, views func() int) *storemetrics.Metrics {
	m := storemetrics.New()
	m.Add(
		storemetrics.Gauge("watchpost_store_waiting_batches", "Batches that wait for the committer.", nil, func() float64 {
			waiting, _ := queue.load()
			return float64(waiting)
		}),
		storemetrics.Gauge("watchpost_store_waiting_bytes", "Bytes of the batches that wait for the committer.", nil, func() float64 {
			_, bytes := queue.load()
			return float64(bytes)
		}),
		storemetrics.Gauge("watchpost_store_open_views", "Snapshots that are open.", nil, func() float64 { return float64(views()) }),
	)
	return m
}
