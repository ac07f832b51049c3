package badger

import (
	"errors"
	"time"

	db "github.com/dgraph-io/badger/v4"
)

// discardRatio is the share of a value-log file that must be garbage for the
// file to be rewritten.
const discardRatio = 0.5

// collectGarbage rewrites value-log files until Close. With the options of
// this package no value goes to the value log, so there is nothing to rewrite
// and no commit waits for it; a folder written with another threshold may have
// some. The ticker runs on wall time, because garbage collection is not part
// of the service's behaviour.
func (s *Store) collectGarbage() {
	if len(s.db.damage) > 0 {
		return // it would take what cannot be read for garbage
	}
	ticker := time.NewTicker(s.options.GCEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
			s.rewriteLogs()
		}
	}
}

// rewriteLogs collects until nothing is left to rewrite or the store closes.
func (s *Store) rewriteLogs() {
	for {
		select {
		case <-s.stop:
			return
		default:
		}
		s.writing.Lock()
		err := s.db.RunValueLogGC(discardRatio)
		s.writing.Unlock()
		if errors.Is(err, db.ErrNoRewrite) {
			return
		}
		if err != nil {
			s.options.Logger.Warn("collecting the value log", "error", err)
			return
		}
	}
}
