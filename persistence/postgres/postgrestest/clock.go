package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrNoClock means that the clock of a server cannot be stepped here.
var ErrNoClock = errors.New("libfaketime is not installed: make deploy-tools installs it")

// StartWithClock is Start for a server whose wall clock StepClock steps.
func StartWithClock(settings ...string) (*Server, error) {
	found, err := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNoClock
	}
	return start(found[0], settings...)
}

// clock is the file with the offset of the server's clock.
func (s *Server) clock() string { return filepath.Join(s.dir, "clock") }

// environment has the server's processes read the offset again each second. Their
// monotonic clock stays right, as that of a machine does.
func (s *Server) environment() []string {
	if s.clockLibrary == "" {
		return nil
	}
	return append(os.Environ(), "LD_PRELOAD="+s.clockLibrary, "FAKETIME_TIMESTAMP_FILE="+s.clock(),
		"FAKETIME_CACHE_DURATION=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_DISABLE_SHM=1")
}

// StepClock sets the offset of the server's wall clock, and waits until the server's
// time shows it.
func (s *Server) StepClock(ctx context.Context, offset time.Duration) error {
	if s.clockLibrary == "" {
		return ErrNoClock
	}
	if err := s.setClock(offset); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is under way
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		var now time.Time
		if err := conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
			return err
		}
		if off := time.Until(now) - offset; off.Abs() < 2*time.Second {
			return nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Server) setClock(offset time.Duration) error {
	return os.WriteFile(s.clock(), fmt.Appendf(nil, "%+.1f\n", offset.Seconds()), 0o644)
}
