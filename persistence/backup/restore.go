package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"watchpost/persistence"
)

// restoreSpace is where a store says that it was restored. No team has this name.
const restoreSpace persistence.Space = "restore"

var (
	restoredKey = []byte("restored")
	unfinished  = persistence.DirectoryKey{Kind: "restore", Name: "unfinished"}
)

// restored is what a store keeps of its restore.
type restored struct {
	At     time.Time `json:"at"`
	Backup string    `json:"backup"`
}

// Check returns ErrUnfinished for the target of a restore that has not ended.
func Check(ctx context.Context, store persistence.Store) error {
	of, begun, err := began(ctx, store)
	switch {
	case err != nil || !begun:
		return err
	case of == "":
		return fmt.Errorf("%w: empty it and run watchpost restore again", ErrUnfinished)
	}
	return fmt.Errorf("%w: run watchpost restore with --backup %s again, or begin with an empty one", ErrUnfinished, of)
}

// began returns the backup that a restore into the store has begun with; "" when an
// earlier build began it.
func began(ctx context.Context, store persistence.Store) (of string, begun bool, err error) {
	view, err := store.View(ctx)
	if err != nil {
		return "", false, err
	}
	defer view.Close()
	name, err := view.Lookup(unfinished)
	if errors.Is(err, persistence.ErrNotFound) {
		return "", false, nil
	}
	return string(name), err == nil, err
}

// RestoredAt returns when the store was restored; zero: never.
func RestoredAt(ctx context.Context, store persistence.Store) (time.Time, error) {
	view, err := store.View(ctx)
	if err != nil {
		return time.Time{}, err
	}
	defer view.Close()
	var r restored
	value, err := view.Get(restoreSpace, restoredKey)
	if errors.Is(err, persistence.ErrNotFound) {
		return time.Time{}, nil
	}
	if err == nil {
		err = json.Unmarshal(value, &r)
	}
	return r.At, err
}

// Empty returns ErrNotEmpty for a store that has data.
func Empty(ctx context.Context, store persistence.Store) error {
	view, err := store.View(ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	empty := true
	err = view.Spaces(func(persistence.Space) bool {
		empty = false
		return false
	})
	kinds, err2 := view.Kinds()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if !empty || len(kinds) > 0 {
		return ErrNotEmpty
	}
	return nil
}

// Restore writes a backup into an empty store (ErrNotEmpty, ErrDamaged). Until it
// returns nil the store says that it is unfinished. A restore of the same backup that was
// interrupted starts again: the existing records are a part of the backup. Over one of
// another backup it is refused (ErrUnfinished). now is asked at the end for the time that
// the store keeps as that of the restore.
func Restore(ctx context.Context, files Files, manifest string, m Manifest, decrypt func([]byte) ([]byte, error), to persistence.Store, now func() (time.Time, error)) error {
	t := &target{ctx: ctx, store: to}
	if err := t.begin(manifest); err != nil {
		return err
	}
	var seen Manifest
	space := ""
	err := each(ctx, files, manifest, &m, decrypt, func(r record) error {
		seen.count(r, &space)
		return t.add(r)
	})
	if err == nil {
		err = m.compare(seen)
	}
	if err == nil {
		err = t.flush()
	}
	if err != nil {
		return err
	}
	at, err := now()
	if err != nil {
		return err
	}
	record, err := json.Marshal(restored{at.UTC(), manifest})
	if err != nil {
		return err
	}
	return t.mark(func(b *persistence.Batch) {
		b.Put(restoredKey, record)
		b.Set(unfinished, nil)
	})
}

// target writes records in batches.
type target struct {
	ctx   context.Context
	store persistence.Store
	space persistence.Space
	batch persistence.Batch
}

// begin marks an empty store as the target of a restore of that backup, unless it is so
// already.
func (t *target) begin(manifest string) error {
	of, begun, err := began(t.ctx, t.store)
	if err != nil {
		return err
	}
	if begun && of == manifest {
		return nil
	}
	if begun {
		return Check(t.ctx, t.store)
	}
	if err := Empty(t.ctx, t.store); err != nil {
		return err
	}
	return t.mark(func(b *persistence.Batch) { b.Set(unfinished, []byte(manifest)) })
}

func (t *target) mark(write func(*persistence.Batch)) error {
	epoch, err := t.store.Activate(t.ctx, restoreSpace)
	if err != nil {
		return err
	}
	var batch persistence.Batch
	write(&batch)
	return persistence.Commit(t.ctx, t.store, restoreSpace, epoch, &batch)
}

func (t *target) add(r record) error {
	space := persistence.Space(r.name)
	if r.directory {
		space = restoreSpace
	}
	size, ops := t.batch.Size()
	if space != t.space || ops == persistence.MaxBatchOps || size+len(r.name)+len(r.key)+len(r.value) > persistence.MaxBatchBytes {
		if err := t.flush(); err != nil {
			return err
		}
		t.space = space
	}
	if r.directory {
		t.batch.Set(persistence.DirectoryKey{Kind: r.name, Name: string(r.key)}, r.value)
	} else {
		t.batch.Put(r.key, r.value)
	}
	return nil
}

func (t *target) flush() error {
	if t.batch.Empty() {
		return nil
	}
	epoch, err := t.store.Activate(t.ctx, t.space)
	if err != nil {
		return err
	}
	batch := t.batch
	t.batch = persistence.Batch{}
	return persistence.Commit(t.ctx, t.store, t.space, epoch, &batch)
}
