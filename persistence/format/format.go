// Package format has the version of the stored data, and the steps that bring older
// data to that of this build.
package format

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"watchpost/persistence"
)

// Step makes data of one format that of the next.
type Step func(context.Context, persistence.Store) error

// Steps are the migrations: Steps[i] makes data of format i+1 that of format i+2. One may be
// interrupted and is then repeated, and a slow node may repeat it after the later
// ones, so it must be idempotent and leave data of later formats as they are.
// specs/formats has a store of every format.
var Steps []Step

// Known is the format of this build.
func Known() int { return len(Steps) + 1 }

// Space holds the version. No team has an id of this form.
const Space persistence.Space = "format"

// Entry holds the version.
var Entry = persistence.DirectoryKey{Kind: "format", Name: "version"}

// attemptsAtOnce bounds the repetitions when several nodes start at once.
const attemptsAtOnce = 10

// Check brings older data to the format of this build, whose name and steps it is
// given, and refuses data of a newer one. A store that has no version gets it: it is
// empty, or of a build before versions.
func Check(ctx context.Context, store persistence.Store, build string, steps []Step) error {
	known := len(steps) + 1
	var err error
	for attempts := 0; attempts < attemptsAtOnce; {
		var stored int
		if stored, err = Stored(ctx, store); err != nil {
			return err
		}
		next := known
		switch {
		case stored == known:
			return nil
		case stored > known:
			return fmt.Errorf("the data has format %d, and this build (%s) knows %d: start the newer build, or restore a backup of before the upgrade", stored, build, known)
		case stored > 0:
			if err := steps[stored-1](ctx, store); err != nil {
				return fmt.Errorf("migrate the data from format %d: %w", stored, err)
			}
			next = stored + 1
		}
		err = note(ctx, store, stored, next)
		if err != nil && !errors.Is(err, persistence.ErrConflict) && !errors.Is(err, persistence.ErrFenced) {
			return err
		}
		if err != nil {
			attempts++ // another node was faster
		}
	}
	return err
}

// note replaces the version, which is 0 when there is none.
func note(ctx context.Context, store persistence.Store, from, to int) error {
	epoch, err := store.Activate(ctx, Space)
	if err != nil {
		return err
	}
	var before []byte
	if from > 0 {
		before = strconv.AppendInt(nil, int64(from), 10)
	}
	batch := &persistence.Batch{}
	batch.CompareAndSet(Entry, before, strconv.AppendInt(nil, int64(to), 10))
	return persistence.Commit(ctx, store, Space, epoch, batch)
}

// Stored returns the version of a store; 0 when it has none.
func Stored(ctx context.Context, store persistence.Store) (int, error) {
	view, err := store.View(ctx)
	if err != nil {
		return 0, err
	}
	defer view.Close()
	value, err := view.Lookup(Entry)
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
