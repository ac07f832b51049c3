package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"watchpost/internal/cluster"
	"watchpost/persistence"
	"watchpost/persistence/backup"
	"watchpost/persistence/badger"
	"watchpost/persistence/migrate"
	"watchpost/persistence/postgres"
	"watchpost/persistence/teamspace"
)

// store is an engine with what the service shows of it.
type store struct {
	persistence.Store
	collector prometheus.Collector
	// failed receives the error that stopped all writing.
	failed <-chan error
	// release lets another process open the database; nil for files, whose engine
	// locks them, and for nodes of a cluster, which share the database.
	release func()
	// writable returns why writes are refused, or nil.
	writable func() error
	// free returns the free bytes of the store's disk; nil for a database.
	free func() int64
}

// openStore opens the database of a URL or, without one, the files in the data
// folder. minFree is for files only, in bytes.
func openStore(ctx context.Context, data, url string, log *slog.Logger, minFree int64) (*store, error) {
	if url == "" {
		return openFolder(badger.Options{Dir: filepath.Join(data, "store"), Logger: log, MinFree: minFree})
	}
	if !isDatabase(url) {
		return nil, errors.New("--store: want postgres://user@host/database")
	}
	lost := make(chan error, 1)
	release, err := lockDatabase(ctx, url, log, func(err error) { lost <- err })
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	s, err := openDatabase(ctx, url, log, nil) // no other process uses it
	if err != nil {
		release()
		return nil, err
	}
	s.failed, s.release = lost, release
	return s, nil
}

// awaitDatabase is openDatabase for a node of a cluster, which waits for a database
// that does not answer yet until ctx ends: the nodes and the database start in any
// order. During an upgrade, nodes of a newer build write to it too.
func awaitDatabase(ctx context.Context, url string, log *slog.Logger) (*store, error) {
	for {
		s, err := openDatabase(ctx, url, log, cluster.BeforeMigration)
		if err == nil {
			s.Store = teamspace.KeepUnknown(s.Store)
			return s, nil
		}
		if !postgres.Transient(err) && !errors.Is(err, cluster.ErrConnected) {
			return nil, err
		}
		log.Warn("cannot open the database yet: trying again", "error", err)
		again := time.NewTimer(time.Second)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return nil, errors.Join(err, ctx.Err())
		}
	}
}

// openDatabase opens a database that other nodes may use too.
func openDatabase(ctx context.Context, url string, log *slog.Logger, beforeMigration func(context.Context, *pgx.Conn) error) (*store, error) {
	s, err := postgres.Open(ctx, postgres.Options{URL: url, Logger: log, BeforeMigration: beforeMigration})
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	return &store{Store: s, collector: s.Collector(), writable: func() error {
		if s.Fault() != nil {
			// The fault names hosts and users; /readyz is public.
			return errors.New("the database does not answer; the log has the reason")
		}
		return nil
	}}, nil
}

func openFolder(o badger.Options) (*store, error) {
	s, err := badger.Open(o)
	if err != nil {
		return nil, err
	}
	return &store{Store: s, collector: s.Collector(), failed: s.Failed(), free: func() int64 { return s.Disk().Free }, writable: func() error {
		if d := s.Disk(); d.Low {
			return fmt.Errorf("disk nearly full: %d MiB are free, less than the %d MiB of --min-free-disk", d.Free>>20, d.Min>>20)
		}
		return nil
	}}, nil
}

// lockDatabase keeps other processes from writing to the database until release
// is called. lost is called when another process took it while it could not be
// reached.
func lockDatabase(ctx context.Context, url string, log *slog.Logger, lost func(error)) (release func(), err error) {
	config, err := postgres.ConnConfig(url)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return cluster.Alone(ctx, config, fmt.Sprintf("watchpost, process %d on %s", os.Getpid(), host), log, lost)
}

// Close closes the engine, then lets other processes in.
func (s *store) Close() error {
	err := s.Store.Close()
	if s.release != nil {
		s.release()
	}
	return err
}

// openToRead opens the store of a service that is stopped, without a change to its files;
// it must exist, and be whole.
func openToRead(ctx context.Context, data, url string, log *slog.Logger) (*store, error) {
	s, err := openAnyToRead(ctx, data, url, log)
	return whole(ctx, s, err)
}

// openAnyToRead is openToRead, also for a store that a copy or a restore has left unfinished.
func openAnyToRead(ctx context.Context, data, url string, log *slog.Logger) (*store, error) {
	if url != "" {
		return openStore(ctx, data, url, log, 0)
	}
	folder, err := storeFolder(data)
	if err != nil {
		return nil, err
	}
	return openFolder(badger.Options{Dir: folder, Logger: log, ReadOnly: true})
}

// openToWrite opens the store of a service that is stopped; it must exist, and be whole.
// With acceptLoss what cannot be read is dropped.
func openToWrite(ctx context.Context, data, url string, acceptLoss bool) (*store, error) {
	log := newLog(slog.LevelWarn)
	if url != "" {
		s, err := openStore(ctx, data, url, log, 0)
		return whole(ctx, s, err)
	}
	folder, err := storeFolder(data)
	if err == nil {
		err = checkOwner(folder)
	}
	if err != nil {
		return nil, err
	}
	s, err := openFolder(badger.Options{Dir: folder, Logger: log, AcceptLoss: acceptLoss})
	return whole(ctx, s, err)
}

// whole closes and refuses a store that a copy or a restore has left unfinished: it has a
// part of the teams and looks like one without faults.
func whole(ctx context.Context, s *store, err error) (*store, error) {
	if err != nil {
		return nil, err
	}
	if err := checkFinished(ctx, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// checkFinished finds a copy or a restore that has not ended.
func checkFinished(ctx context.Context, s persistence.Store) error {
	return errors.Join(migrate.Check(ctx, s), backup.Check(ctx, s))
}

// storeFolder returns the folder of the store in a data folder, which must exist.
func storeFolder(data string) (string, error) {
	folder := filepath.Join(data, "store")
	if _, err := os.Stat(folder); err != nil {
		return "", fmt.Errorf("%s: not the data folder of a service: %w", data, err)
	}
	return folder, nil
}

// checkOwner keeps root from leaving files in the folder of another user, who could not
// read them. A folder that is missing belongs to the owner of the one above.
func checkOwner(folder string) error {
	info, err := os.Stat(folder)
	for ; errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder); info, err = os.Stat(folder) {
		folder = filepath.Dir(folder)
	}
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if user := os.Geteuid(); known && user == 0 && int(owner.Uid) != user {
		return fmt.Errorf("%s belongs to user %d, who could not read what root leaves there: run this as that user: sudo -u '#%d' watchpost …", folder, owner.Uid, owner.Uid)
	}
	return nil
}
