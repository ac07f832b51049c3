package doctor

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"watchpost/internal/cluster"
	"watchpost/persistence/postgres"
)

// checkDatabase looks at the database server and the nodes that share it.
func (e *examination) checkDatabase(ctx context.Context) {
	const check = "versions"
	config, err := postgres.ConnConfig(e.Database)
	if err != nil {
		e.fail(check, err, "correct --store")
		return
	}
	var server string
	err = ask(ctx, config, `SELECT current_setting('server_version')`, &server)
	if err != nil {
		e.fail(check, err, "the database does not answer")
		return
	}
	e.ok(check, "PostgreSQL %s", server)
	var sums string
	switch err := ask(ctx, config, `SELECT current_setting('data_checksums')`, &sums); {
	case err != nil:
		e.fail(check, err, "the database does not answer")
	case sums != "on":
		e.warn("store", "stop the server and run pg_checksums --enable", "the database has no checksums: damage of its disk would be served")
	default:
		e.ok("store", "the database has checksums")
	}
	if !e.Node.Clustered {
		return
	}
	nodes, err := cluster.List(ctx, config)
	if err != nil {
		e.fail(check, err, "the database does not answer")
	}
	for _, n := range nodes {
		switch {
		case n.Lease <= 0:
			e.warn(check, "start it again, or wait: the others have its teams", "node %s has no lease", n.ID)
		case n.Build != e.Build:
			e.warn(check, "end the upgrade of all nodes", "node %s is build %s, and this one is %s", n.ID, n.Build, e.Build)
		default:
			e.ok(check, "node %s is %s", n.ID, n.State())
		}
		if e.Running && n.ID != e.Node.Advertise {
			e.checkReached(ctx, n.ID)
		}
	}
}

// checkReached has this node and another one connect to each other.
func (e *examination) checkReached(ctx context.Context, node string) {
	const check = "nodes"
	if err := e.Node.Reached(ctx, []string{node}); err != nil {
		e.fail(check, err, "check --advertise, the names and dates of the certificates, and firewalls")
		return
	}
	e.ok(check, "this node and %s reach each other", node)
}

// databaseClock returns how far the clock of the database is ahead of this machine's.
// It may be wrong by half the time of the answer.
func databaseClock(ctx context.Context, url string) (time.Duration, error) {
	config, err := postgres.ConnConfig(url)
	if err != nil {
		return 0, err
	}
	var there time.Time
	asked := time.Now()
	if err := ask(ctx, config, `SELECT clock_timestamp()`, &there); err != nil {
		return 0, err
	}
	return there.Sub(asked.Add(time.Since(asked) / 2)), nil
}

// ask reads one value with a new connection.
func ask(ctx context.Context, config *pgx.ConnConfig, query string, value any) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is under way
	return conn.QueryRow(ctx, query).Scan(value)
}
