package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

// Status is a member as the database shows it.
type Status struct {
	ID, Build string
	Draining  bool
	Teams     int
	// Confirmed means that the member knows the current members.
	Confirmed bool
	// Lease is the time until its lease ends.
	Lease time.Duration
}

// State says in a word what the member does.
func (s Status) State() string {
	switch {
	case s.Lease <= 0:
		return "expired"
	case !s.Confirmed:
		return "joining" // or it has not yet ended what others own now
	case s.Draining:
		return "drained"
	}
	return "serving"
}

// List returns the members by id.
func List(ctx context.Context, config *pgx.ConnConfig) (members []Status, err error) {
	err = once(ctx, config, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, listSQL)
		if err != nil {
			return err
		}
		var s Status
		var lease float64
		_, err = pgx.ForEachRow(rows, []any{&s.ID, &s.Build, &s.Draining, &s.Teams, &s.Confirmed, &lease}, func() error {
			s.Lease = time.Duration(lease * float64(time.Second))
			members = append(members, s)
			return nil
		})
		return err
	})
	return members, err
}

// DrainMember makes a member give up its names.
func DrainMember(ctx context.Context, config *pgx.ConnConfig, id string) error {
	return once(ctx, config, func(conn *pgx.Conn) error {
		var known bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM node WHERE id = $1)", id).Scan(&known); err != nil {
			return err
		}
		if !known {
			return fmt.Errorf("no node %s in the cluster", id)
		}
		_, err := conn.Exec(ctx, drainSQL, id)
		return err
	})
}

func once(ctx context.Context, config *pgx.ConnConfig, do func(*pgx.Conn) error) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	return do(conn)
}

// ErrConnected means that nodes of an earlier build are connected to the database.
var ErrConnected = errors.New("the tables have to be changed for this build, which nodes of an earlier build do not bear: stop them all")

// BeforeMigration returns ErrConnected while a node is connected to the database.
// Otherwise it keeps nodes out until the connection is closed.
func BeforeMigration(ctx context.Context, conn *pgx.Conn) error {
	err := (&guard{locks: []Lock{lockAlone()}}).prepare(ctx, &session{conn: conn})
	var inUse *inUseError
	if errors.As(err, &inUse) {
		return fmt.Errorf("%w: %s", ErrConnected, inUse.holder)
	}
	return err
}

// Alone refuses a database that another process writes to, and keeps others out
// until release is called. Their error shows name. failed is called when another
// process has taken the database while this one could not reach it.
func Alone(ctx context.Context, config *pgx.ConnConfig, name string, log *slog.Logger, failed func(error)) (release func(), err error) {
	guarding, stop := context.WithCancel(context.WithoutCancel(ctx))
	config = named(config, name)
	open := func(ctx context.Context) (Session, error) { return openSession(ctx, config) }
	g := &guard{open: open, machine: realMachine{}, log: log, locks: []Lock{lockAlone()}, failed: failed, wait: aloneWait}
	ended, err := g.start(ctx, guarding)
	if err != nil {
		stop()
		return nil, err
	}
	return func() { stop(); <-ended }, nil
}
