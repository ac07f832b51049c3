package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"watchpost/actors/journal"
	"watchpost/actors/stored"
	"watchpost/http/admin"
	"watchpost/watchpost"
)

// upkeepFlags say whose posts a command looks after: those of a stopped service, or of
// a running one through its admin API.
type upkeepFlags struct {
	Data   string     `default:"./data" type:"path" help:"Folder of the data of a stopped service."`
	Store  string     `help:"PostgreSQL database of a stopped service, when it has one: postgres://user@host/database."`
	Online bool       `help:"Ask the running service at --server, in a cluster any node. A team takes no requests while its posts are rewritten."`
	Admin  adminFlags `embed:""`
}

// openStore opens the store of the stopped service.
func (f *upkeepFlags) openStore(ctx context.Context, write, acceptLoss bool) (*store, error) {
	url, err := secret(f.Store, "WATCHPOST_STORE")
	if err != nil {
		return nil, err
	}
	if url == "" {
		if _, err := storeFolder(f.Data); err != nil {
			return nil, fmt.Errorf("--data %w", err)
		}
	}
	if write {
		return openToWrite(ctx, f.Data, url, acceptLoss)
	}
	return openToRead(ctx, f.Data, url, newLog(slog.LevelWarn))
}

// eachTeam has the running service do something with each team, and calls done with its
// reply.
func eachTeam[R any](ctx context.Context, f *upkeepFlags, action string, body any, done func(team watchpost.TeamID, reply R)) error {
	var listed struct{ Teams []shownTeam }
	if err := f.Admin.call(ctx, "list the teams", http.MethodGet, "/admin/teams", nil, &listed); err != nil {
		return err
	}
	for _, team := range listed.Teams {
		var reply R
		if err := f.Admin.call(ctx, action+" team "+team.ID, http.MethodPost, "/admin/teams/"+team.ID+"/"+action, body, &reply); err != nil {
			return err
		}
		done(watchpost.TeamID(team.ID), reply)
	}
	return nil
}

// verifyCommand checks the stored posts and journals.
type verifyCommand struct {
	upkeepFlags `embed:""`

	Repair     bool `help:"Rebuild damaged parts of the index from the stored posts. What would be lost is listed, and nothing is changed then."`
	AcceptLoss bool `env:"-" help:"With --repair: drop what cannot be read, for ever. Restore a backup instead, if there is one."`

	journals journal.Verification
}

// Run compares the posts with their index, and checks the chains of the journals. It
// returns an error if problems remain.
func (c *verifyCommand) Run(ctx context.Context) error {
	verify := c.stopped
	switch {
	case c.AcceptLoss && !c.Repair:
		return errors.New("--accept-loss needs --repair")
	case c.AcceptLoss && c.Online:
		return errors.New("--accept-loss is for a stopped service: stop it, and leave out --online")
	case c.Online:
		verify = c.running
	}
	sum, err := verify(ctx, func(team watchpost.TeamID, problem string) {
		fmt.Printf("team %s: %s\n", team, problem)
	})
	if err != nil {
		return err
	}
	fmt.Printf("%d teams, %d posts, %d problems\n", sum.Teams, sum.Posts, sum.Problems)
	fmt.Printf("%d records of journals, %d problems\n", c.journals.Records, c.journals.Problems)
	switch {
	case c.journals.Problems > 0:
		return errors.New("a journal was changed after it was written: compare it with a backup")
	case sum.Damaged > 0:
		return fmt.Errorf("%d teams have lost records: restore a backup; without one, verify --repair --accept-loss drops what cannot be read", sum.Damaged)
	case sum.Lost > 0 && !c.AcceptLoss:
		return fmt.Errorf("a repair would lose %d posts: nothing was changed for their teams: restore a backup; without one, stop the service and run verify --repair --accept-loss", sum.Lost)
	case sum.Lost > 0:
		return fmt.Errorf("%d posts are lost", sum.Lost)
	case sum.Problems > 0 && c.Repair:
		fmt.Println("repaired")
	case sum.Problems > 0:
		return errors.New("the index differs from the posts: run verify --repair to rebuild it")
	}
	return nil
}

func (c *verifyCommand) stopped(ctx context.Context, report func(watchpost.TeamID, string)) (stored.Verification, error) {
	store, err := c.openStore(ctx, c.Repair, c.AcceptLoss)
	if err != nil {
		return stored.Verification{}, err
	}
	sum, err := stored.VerifyPosts(ctx, store, stored.Repairing{Index: c.Repair, AcceptLoss: c.AcceptLoss}, report)
	if err == nil {
		c.journals, err = journal.VerifyAll(ctx, store, report)
	}
	return sum, errors.Join(err, store.Close())
}

func (c *verifyCommand) running(ctx context.Context, report func(watchpost.TeamID, string)) (sum stored.Verification, err error) {
	err = eachTeam(ctx, &c.upkeepFlags, "verify", map[string]bool{"repair": c.Repair}, func(team watchpost.TeamID, found admin.VerifiedTeam) {
		sum.Teams++
		sum.Posts += found.Posts
		sum.Problems += found.Problems
		sum.Lost += found.Lost
		c.journals.Records += found.JournalRecords
		c.journals.Problems += found.JournalProblems
		for _, problem := range found.Found {
			report(team, problem)
		}
	})
	return sum, err
}
