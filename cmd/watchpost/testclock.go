package main

import (
	"context"
	"errors"
	"strconv"
	"time"

	"watchpost/internal/testclock"
	"watchpost/persistence"
)

// clockSpace and clockKey hold the offset of the test clock. No team has an id
// of this form.
const clockSpace persistence.Space = "clock"

var clockKey = []byte("offset")

// openTestClock returns a clock that continues from its stored offset. The nodes of a
// cluster share the offset: the one that is set stores it, and tells the others.
func openTestClock(ctx context.Context, store persistence.Store) (*testclock.Clock, error) {
	view, err := store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	var offset int64
	switch value, err := view.Get(clockSpace, clockKey); {
	case errors.Is(err, persistence.ErrNotFound):
	case err != nil:
		return nil, err
	default:
		if offset, err = strconv.ParseInt(string(value), 10, 64); err != nil {
			return nil, err
		}
	}
	persist := func(offset time.Duration) error {
		ctx := context.Background()
		epoch, err := store.Activate(ctx, clockSpace)
		if err != nil {
			return err
		}
		batch := &persistence.Batch{}
		batch.Put(clockKey, strconv.AppendInt(nil, int64(offset), 10))
		return persistence.Commit(ctx, store, clockSpace, epoch, batch)
	}
	return testclock.New(time.Duration(offset), persist, nil), nil
}
