package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"watchpost/actors/vault"
	"watchpost/internal/backupstore"
	"watchpost/persistence/backup"
	"watchpost/persistence/badger"
)

// fullPlace is a place of backups that takes nothing more when it is full.
type fullPlace struct {
	backup.Files
	full bool
}

// Put implements backup.Files.
func (f *fullPlace) Put(ctx context.Context, name string, content []byte) error {
	if f.full {
		return errors.New("no space left on device")
	}
	return f.Files.Put(ctx, name, content)
}

// TestBackupMetrics: backups that were made and that failed are counted, and the newest
// one is known from the start, also when another node made it.
func TestBackupMetrics(t *testing.T) {
	t.Parallel()
	store, err := badger.Open(badger.Options{InMemory: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	keyring, err := vault.NewKeyring(make([]byte, vault.MasterKeySize))
	require.NoError(t, err)
	dir := t.TempDir()
	files, err := backupstore.Open(dir)
	require.NoError(t, err)
	place := &fullPlace{Files: files}
	fresh := func() *backups {
		return &backups{
			files: place, store: store, clock: wallClock(), log: slog.New(slog.DiscardHandler), metrics: newBackupMetrics(),
			options: backup.Options{Seal: keyring.SealBackup},
		}
	}
	b := fresh()
	show := func(b *backups) (made, failed, newest float64) {
		return valueOfMetric(t, b.metrics.made.WithLabelValues(backupMade)), valueOfMetric(t, b.metrics.made.WithLabelValues(backupFailed)), valueOfMetric(t, b.metrics.newest)
	}
	require.NoError(t, b.look(t.Context()))
	_, _, newest := show(b)
	require.Zero(t, newest, "there is none")
	_, err = b.create(t.Context(), true)
	require.NoError(t, err)
	place.full = true
	_, err = b.create(t.Context(), true)
	require.Error(t, err)
	made, failed, newest := show(b)
	require.Equal(t, []float64{1, 1}, []float64{made, failed})

	later := fresh()
	require.NoError(t, later.look(t.Context()))
	_, _, read := show(later)
	require.Equal(t, newest, read)
	require.Positive(t, read)
}

// valueOfMetric reads a counter or a gauge.
func valueOfMetric(t *testing.T, c prometheus.Collector) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	require.NoError(t, registry.Register(c))
	families, err := registry.Gather()
	require.NoError(t, err)
	m := families[0].GetMetric()[0]
	return m.GetCounter().GetValue() + m.GetGauge().GetValue()
}

// TestBackupPlaceIsTried: a folder that cannot be written to is refused when the service
// starts, by the name of its flag.
func TestBackupPlaceIsTried(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := openBackups(&serveCommand{BackupTo: filepath.Join(file, "backups"), Data: "data"}, nil, nil, nil, nil)
	require.ErrorContains(t, err, "--backup-to "+file)
	require.ErrorContains(t, err, "ReadWritePaths=")
}
