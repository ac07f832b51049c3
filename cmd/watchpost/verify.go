package main

import (
	"context"
	"errors"
	"fmt"

	"watchpost"
	"watchpost/actors"
)

// verifyCommand checks the data folder of a stopped service.
type verifyCommand struct {
	Data   string `default:"./data" type:"path" help:"Folder of the data. The service must be stopped."`
	Store  string `help:"PostgreSQL database of the service, when it has one: postgres://user@host/database. The service must be stopped."`
	Repair bool   `help:"Rebuild damaged parts of the index from the stored posts."`
}

// Run compares the posts with their index. It returns an error if problems
// remain.
func (c *verifyCommand) Run(ctx context.Context) error {
	store, err := openStopped(ctx, c.Data, c.Store)
	if err != nil {
		return err
	}
	sum, err := actors.VerifyPosts(ctx, store, c.Repair, func(team watchpost.TeamID, problem string) {
		fmt.Printf("team %s: %s\n", team, problem)
	})
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	fmt.Printf("%d teams, %d posts, %d problems\n", sum.Teams, sum.Posts, sum.Problems)
	switch {
	case sum.Lost > 0:
		return fmt.Errorf("%d posts are lost", sum.Lost)
	case sum.Problems > 0 && c.Repair:
		fmt.Println("repaired")
	case sum.Problems > 0:
		return errors.New("the index differs from the posts: run verify --repair to rebuild it")
	}
	return nil
}
