package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"watchpost/internal/cluster"
	"watchpost/persistence/postgres"
)

// nodesCommand shows the nodes of a cluster, as its database knows them.
type nodesCommand struct {
	Store string `help:"PostgreSQL database of the cluster: postgres://user@host/database. Also from the file named by WATCHPOST_STORE_FILE."`

	List  nodesList  `cmd:"" default:"1" help:"List the nodes: address, version, teams in memory, state, and time left of the lease."`
	Drain nodesDrain `cmd:"" help:"Move the teams of a node to the others. It goes on forwarding requests until it is stopped; a restart ends the drain."`
}

type nodesList struct{}

// Run prints a line for each node.
func (nodesList) Run(ctx context.Context, c *nodesCommand) error {
	config, err := c.config()
	if err != nil {
		return err
	}
	nodes, err := cluster.List(ctx, config)
	if err != nil {
		return fmt.Errorf("list the nodes: %w", err)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(out, "NODE\tVERSION\tTEAMS\tSTATE\tLEASE") // Flush returns the error
	for _, n := range nodes {
		_, _ = fmt.Fprintf(out, "%s\t%s\t%d\t%s\t%s\n", n.ID, n.Build, n.Teams, n.State(), n.Lease.Round(100*time.Millisecond))
	}
	return out.Flush()
}

type nodesDrain struct {
	Node string `arg:"" help:"Address of the node, as the list shows it."`
}

// Run starts the drain.
func (d nodesDrain) Run(ctx context.Context, c *nodesCommand) error {
	config, err := c.config()
	if err != nil {
		return err
	}
	if err := cluster.DrainMember(ctx, config, d.Node); err != nil {
		return fmt.Errorf("drain: %w", err)
	}
	fmt.Printf("%s gives its teams to the other nodes\n", d.Node)
	return nil
}

func (c *nodesCommand) config() (*pgx.ConnConfig, error) {
	url, err := secret(c.Store, "WATCHPOST_STORE")
	if err != nil {
		return nil, err
	}
	if !isDatabase(url) {
		return nil, errors.New("--store: want postgres://user@host/database")
	}
	return postgres.ConnConfig(url)
}
