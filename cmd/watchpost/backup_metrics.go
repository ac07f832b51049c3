package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"watchpost/persistence/backup"
)

// backupMetrics say how backups fare. They exist with --backup-to only: an alert on them
// must not fire where none are wanted.
type backupMetrics struct {
	made   *prometheus.CounterVec // outcome
	newest prometheus.Gauge
}

func newBackupMetrics() *backupMetrics {
	m := &backupMetrics{
		made: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "watchpost", Name: "backups_total", Help: "Backups that this node was asked for, by their outcome.",
		}, []string{"outcome"}),
		newest: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: "watchpost", Name: "backup_newest_timestamp_seconds",
			Help: "When the newest backup at the place of --backup-to was made, in seconds since 1970; 0 while there is none.",
		}),
	}
	for _, outcome := range []string{backupMade, backupFailed} {
		m.made.WithLabelValues(outcome)
	}
	return m
}

// The outcomes of a backup.
const (
	backupMade   = "made"
	backupFailed = "failed"
)

// count counts a backup that was asked for.
func (m *backupMetrics) count(made backup.Manifest, err error) {
	if err != nil {
		m.made.WithLabelValues(backupFailed).Inc()
		return
	}
	m.made.WithLabelValues(backupMade).Inc()
	m.newest.Set(float64(made.CreatedAt.Unix()))
}

// look reads which backup is the newest.
func (b *backups) look(ctx context.Context) error {
	names, err := backup.Backups(ctx, b.files)
	if err != nil {
		return err
	}
	newest := 0.0
	for _, name := range names {
		if made, err := backup.MadeAt(name); err == nil {
			newest = max(newest, float64(made.Unix()))
		}
	}
	b.metrics.newest.Set(newest)
	return nil
}
