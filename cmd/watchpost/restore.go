package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"watchpost/actors/stored"
	"watchpost/persistence/backup"
	"watchpost/watchpost"
)

// restoreCommand restores a backup.
type restoreCommand struct {
	Choice backupChoice `embed:""`
	Data   string       `default:"./data" type:"path" help:"Folder to restore into; its store must not exist."`
	Store  string       `help:"Empty PostgreSQL database to restore into, instead of files in --data: postgres://user@host/database. Also from the file named by WATCHPOST_STORE_FILE."`
	Keys   backupKeys   `embed:""`
}

// Run writes the backup into the store, then checks the posts and their index.
func (c *restoreCommand) Run(ctx context.Context) error {
	keyring, err := c.Keys.keyring(filepath.Join(c.Data, "master.key"))
	if err != nil {
		return fmt.Errorf("the master key of the backup's service is needed, and never part of a backup: %w", err)
	}
	files, name, m, decrypt, err := c.Choice.open(ctx, keyring, c.Keys.AcceptUnsealed)
	if err != nil {
		return err
	}
	url, err := secret(c.Store, "WATCHPOST_STORE")
	if err != nil {
		return err
	}
	if url == "" {
		if err := checkOwner(filepath.Join(c.Data, "store")); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return err
	}
	to, err := openStore(ctx, c.Data, url, newLog(slog.LevelWarn), 0)
	if err != nil {
		return err
	}
	err = backup.Restore(ctx, files, name, m, decrypt, to, func() (time.Time, error) {
		clock, err := openTestClock(ctx, to) // goes on from the offset of the backup, if there is one
		if err != nil {
			return time.Time{}, err
		}
		defer clock.Close()
		return clock.Now(), nil
	})
	var posts stored.Verification
	if err == nil {
		posts, err = stored.VerifyPosts(ctx, to, stored.Repairing{}, func(team watchpost.TeamID, problem string) {
			fmt.Printf("team %s: %s\n", team, problem)
		})
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	fmt.Printf("restored %s of %s: %d records, %d directory entries; %d teams, %d posts, %d problems of the index\n",
		name, m.CreatedAt.Format(time.RFC3339), m.Records, m.Entries, posts.Teams, posts.Posts, posts.Problems)
	fmt.Println("Writes that were open end as outcome_unknown, allowances begin with the next day and the next week, and rules are stopped: what was done since the backup is not known.")
	return nil
}
