package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"watchpost/persistence"
)

// dataFormat is the version of what the service stores. A change that earlier builds
// would misread takes the next number.
const dataFormat = 1

// formatSpace and formatEntry hold the version. No team has an id of this form.
const formatSpace persistence.Space = "format"

var formatEntry = persistence.DirectoryKey{Kind: "format", Name: "version"}

// formatAttempts bounds the repetitions when several nodes start on an empty database.
const formatAttempts = 10

// checkFormat refuses data of a newer build, and notes the version in a store that
// has none: an empty one, or one of a build before versions.
func checkFormat(ctx context.Context, store persistence.Store) error {
	var err error
	for range formatAttempts {
		var stored int
		if stored, err = storedFormat(ctx, store); err != nil {
			return err
		}
		switch {
		case stored > dataFormat:
			return fmt.Errorf("the data has format %d, and this build (%s) knows %d: start the newer build, or restore a backup of before the upgrade", stored, version, dataFormat)
		case stored != 0:
			return nil
		}
		var epoch persistence.Epoch
		if epoch, err = store.Activate(ctx, formatSpace); err != nil {
			return err
		}
		batch := &persistence.Batch{}
		batch.CompareAndSet(formatEntry, nil, strconv.AppendInt(nil, dataFormat, 10))
		err = persistence.Commit(ctx, store, formatSpace, epoch, batch)
		if !errors.Is(err, persistence.ErrConflict) && !errors.Is(err, persistence.ErrFenced) {
			return err
		}
	}
	return err
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
	if err != nil || stored < 1 {
		return 0, fmt.Errorf("the data's format %q is no number", value)
	}
	return stored, nil
}
