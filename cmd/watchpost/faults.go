//go:build faults

package main

import (
	"log/slog"
	"os"
	"strconv"
	"time"

	"watchpost/persistence/faultstore"
)

// drillMix is how often the store of a drill meets a fault. Those that end the
// process are rare enough for it to do some work in between.
var drillMix = faultstore.Mix{Before: 300, After: 300, Slow: 20, Full: 100, Read: 20_000}

// drillPause is how late an answer is, and how long the disk is full.
const drillPause = 30 * time.Millisecond

// A build for drills has faults: WATCHPOST_FAULTS_STORE is the seed of the
// store's, and WATCHPOST_FAULTS_CLOCK by how much the clock jumps at the start.
func init() { startFaults = injectFaults }

func injectFaults(s *service) error {
	if given := os.Getenv("WATCHPOST_FAULTS_CLOCK"); given != "" {
		jump, err := time.ParseDuration(given)
		if err != nil {
			return err
		}
		s.testClock.Jump(jump)
	}
	given := os.Getenv("WATCHPOST_FAULTS_STORE")
	if given == "" {
		return nil
	}
	seed, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		return err
	}
	wrapped := faultstore.New(s.store.Store)
	wrapped.Fatal()
	wrapped.Pause(drillPause)
	wrapped.Observe(func(f faultstore.Fault) { s.log.Info("fault", slog.String("of", "store: "+f.String())) })
	wrapped.Play(drillMix, seed)
	s.store.Store = wrapped
	if s.store.failed == nil {
		s.store.failed = wrapped.Failed()
		return nil
	}
	engine, failed := s.store.failed, make(chan error, 1)
	s.store.failed = failed
	go func() {
		select {
		case err := <-engine:
			failed <- err
		case err := <-wrapped.Failed():
			failed <- err
		}
	}()
	return nil
}
