package cluster

import "github.com/prometheus/client_golang/prometheus"

// metrics are of this node.
type metrics struct {
	lapses, removed, takeovers prometheus.Counter
	collectors                 []prometheus.Collector
}

func newMetrics(n *Node) *metrics {
	m := &metrics{
		lapses: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "watchpost_cluster_lease_lapses_total", Help: "How often the lease of this node ended before it was renewed.",
		}),
		removed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "watchpost_cluster_removed_nodes_total", Help: "Other nodes that this node removed from the cluster.",
		}),
	}
	m.takeovers = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "watchpost_cluster_takeovers_total", Help: "Teams that this node activated for the first time since they belonged to another node.",
	})
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			n.mu.Lock()
			defer n.mu.Unlock()
			return value()
		})
	}
	m.collectors = []prometheus.Collector{
		m.lapses, m.removed, m.takeovers,
		gauge("watchpost_cluster_lease_seconds", "Time until the lease of this node ends; negative after its end.",
			func() float64 { return (n.leaseEnd - n.o.Machine.SinceBoot()).Seconds() }),
		gauge("watchpost_cluster_nodes", "Members of the cluster that this node knows.",
			func() float64 { return float64(len(n.own.views.current().Members)) }),
		gauge("watchpost_cluster_view", "Version of the view that this node knows.",
			func() float64 { return float64(n.own.views.current().Version) }),
	}
	return m
}

// Collectors returns the metrics; their names begin with watchpost_cluster_.
func (n *Node) Collectors() []prometheus.Collector { return n.metrics.collectors }
