package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"watchpost/persistence"
)

// migrations[i] makes data of format i+1 that of format i+2. A migration may be
// interrupted and is then repeated, and a slow node may repeat it after the later
// ones, so it must be idempotent and leave data of later formats as they are. specs/formats has a store of every format.
var migrations []func(context.Context, persistence.Store) error

// formatSpace and formatEntry hold the version. No team has an id of this form.
const formatSpace persistence.Space = "format"

var formatEntry = persistence.DirectoryKey{Kind: "format", Name: "version"}

// formatAttempts bounds the repetitions when several nodes start at once.
const formatAttempts = 10

// checkFormat brings older data to the format of this build, whose migrations it is
// given, and refuses data of a newer one. A store that has no version gets it: it is
// empty, or of a build before versions.
func checkFormat(ctx context.Context, store persistence.Store, steps []func(context.Context, persistence.Store) error) error {
	known := len(steps) + 1
	var err error
	for attempts := 0; attempts < formatAttempts; {
		var stored int
		if stored, err = storedFormat(ctx, store); err != nil {
			return err
		}
		next := known
		switch {
		case stored == known:
			return nil
		case stored > known:
			return fmt.Errorf("the data has format %d, and this build (%s) knows %d: start the newer build, or restore a backup of before the upgrade", stored, version, known)
		case stored > 0:
			if err := steps[stored-1](ctx, store); err != nil {
				return fmt.Errorf("migrate the data from format %d: %w", stored, err)
			}
			next = stored + 1
		}
		err = noteFormat(ctx, store, stored, next)
		if err != nil && !errors.Is(err, persistence.ErrConflict) && !errors.Is(err, persistence.ErrFenced) {
			return err
		}
		if err != nil {
			attempts++ // another node was faster
		}
	}
	return err
}

// noteFormat replaces the version, which is 0 when there is none.
func noteFormat(ctx context.Context, store persistence.Store, from, to int) error {
	epoch, err := store.Activate(ctx, formatSpace)
	if err != nil {
		return err
	}
	var before []byte
	if from > 0 {
		before = strconv.AppendInt(nil, int64(from), 10)
	}
	batch := &persistence.Batch{}
	batch.CompareAndSet(formatEntry, before, strconv.AppendInt(nil, int64(to), 10))
	return persistence.Commit(ctx, store, formatSpace, epoch, batch)
}

// storedFormat returns the version of a store; 0 when it has none.
func storedFormat(ctx context.Context, store persistence.Store) (int, error) {
	view, err := store.View(ctx)
	if err != nil {
		return 0, err
	}
	defer view.Close()
	value, err := view.Lookup(formatEntry)
	if errors.Is(err, persistence.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	stored, err := strconv.Atoi(string(value))
	if err != nil || stored < 1 || strconv.Itoa(stored) != string(value) {
		return 0, fmt.Errorf("the data's format %q is no number that a build has written", value)
	}
	return stored, nil
}
