package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"watchpost/actors/stored"
	"watchpost/persistence/badger"
	"watchpost/persistence/migrate"
	"watchpost/watchpost"
)

// migrateCommand copies the store of a stopped service into an empty one.
type migrateCommand struct {
	From string `help:"Store to copy: a data folder, or postgres://user@host/database. Also from the file named by WATCHPOST_FROM_FILE. The service must be stopped."`
	To   string `help:"Empty store to copy into: a data folder, or postgres://user@host/database. Also from the file named by WATCHPOST_TO_FILE."`
}

// reportEvery is the least time between two lines of progress.
const reportEvery = 5 * time.Second

// Run copies, compares both stores and checks the posts of the copy. Run again
// after an interruption, it goes on.
func (c *migrateCommand) Run(ctx context.Context) error {
	from, to, err := c.open(ctx)
	if err != nil {
		return err
	}
	err = c.copy(ctx, from, to)
	if err := errors.Join(err, to.Close(), from.Close()); err != nil {
		return err
	}
	fmt.Println("done: start the service with the new store and the same master key; keep the old store until then, and do not use both")
	return nil
}

// open opens and locks both stores.
func (c *migrateCommand) open(ctx context.Context) (from, to *store, err error) {
	source, err := secret(c.From, "WATCHPOST_FROM")
	if err != nil {
		return nil, nil, err
	}
	target, err := secret(c.To, "WATCHPOST_TO")
	if err != nil {
		return nil, nil, err
	}
	if source == "" || target == "" {
		return nil, nil, errors.New("--from and --to are required")
	}
	if from, err = openSource(ctx, source); err != nil {
		return nil, nil, fmt.Errorf("--from: %w", err)
	}
	if to, err = openTarget(ctx, target); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("--to: %w", err), from.Close())
	}
	return from, to, nil
}

// openSource opens a store that no service uses and that is only read.
func openSource(ctx context.Context, place string) (*store, error) {
	url := ""
	if isDatabase(place) {
		url = place
	}
	return openToRead(ctx, place, url, newLog(slog.LevelWarn))
}

// openTarget opens a store that no service uses, or makes it.
func openTarget(ctx context.Context, place string) (*store, error) {
	log := newLog(slog.LevelWarn)
	if isDatabase(place) {
		return openStore(ctx, "", place, log, 0)
	}
	folder := filepath.Join(place, "store")
	if err := checkOwner(folder); err != nil {
		return nil, err
	}
	return openFolder(badger.Options{Dir: folder, Logger: log})
}

func (c *migrateCommand) copy(ctx context.Context, from, to *store) error {
	if err := migrate.Check(ctx, to); errors.Is(err, migrate.ErrUnfinished) {
		fmt.Println("an earlier copy was interrupted: going on")
	}
	last := time.Now()
	sum, err := migrate.Copy(ctx, from, to, func(done, of int, sum migrate.Sum) {
		if time.Since(last) >= reportEvery {
			last = time.Now()
			fmt.Printf("%d of %d spaces, %d records, %d written\n", done, of, sum.Records, sum.Written)
		}
	})
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	fmt.Printf("%d spaces, %d records, %d directory entries, %d bytes; %d written; all counts and checksums are equal\n",
		sum.Spaces, sum.Records, sum.Entries, sum.Bytes, sum.Written)
	posts, err := stored.VerifyPosts(ctx, to, stored.Repairing{}, func(team watchpost.TeamID, problem string) {
		fmt.Printf("team %s: %s\n", team, problem)
	})
	if err != nil {
		return fmt.Errorf("check the posts: %w", err)
	}
	fmt.Printf("%d teams, %d posts, %d problems of the index\n", posts.Teams, posts.Posts, posts.Problems)
	if posts.Problems > 0 {
		fmt.Println("the source has the same problems, because the copy is equal: run verify --repair on the copy")
	}
	return migrate.Finish(ctx, to)
}
