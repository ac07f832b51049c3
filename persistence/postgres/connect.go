package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/tern/v2/migrate"
)

// Bounds in time. The server ends a statement itself; the client's patience is
// longer, and covers a server that cannot be reached.
const (
	statementTimeout  = "10s"
	idleTimeout       = "60s" // of a view that is not read
	statementPatience = 12 * time.Second
	pingPatience      = 2 * time.Second
	connectTimeout    = 5 * time.Second
	migrationPatience = 10 * time.Minute
)

// Connections. The committer and the probe use one each; activations, which
// come in storms after a fault, share the others.
const (
	commitConnections = 6
	viewConnections   = 16
)

// settings are the session's parameters, unless the URL sets them.
//
// Every statement finds its rows by a primary key. A generic plan for arrays
// of unknown length does that also while the tables are small or have no
// statistics, and is made once per connection.
var settings = map[string]string{
	"application_name":                    "watchpost",
	"statement_timeout":                   statementTimeout,
	"idle_in_transaction_session_timeout": idleTimeout,
	"plan_cache_mode":                     "force_generic_plan",
	"enable_seqscan":                      "off",
	"jit":                                 "off",
	// The server ends the sessions of a machine that has gone, and frees their locks. That
	// takes longer than the lease of a node (internal/cluster).
	"tcp_keepalives_idle":     "10",
	"tcp_keepalives_interval": "5",
	"tcp_keepalives_count":    "3",
}

// keepalive finds out that the machine of the server has gone. The driver's own waits five
// minutes.
var keepalive = net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}

// configure returns the configurations of both pools.
func configure(url string) (commits, views *pgxpool.Config, err error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, nil, wrap("connection string", err) // the error hides the password
	}
	for name, value := range settings {
		if _, given := config.ConnConfig.RuntimeParams[name]; !given {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	config.ConnConfig.DialFunc = (&net.Dialer{KeepAliveConfig: keepalive}).DialContext
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	// Of several hosts, the one that takes writes: a standby lags behind what
	// was acknowledged.
	if config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = viewConnections
	}
	commits, views = config.Copy(), config
	commits.MaxConns = commitConnections
	return commits, views, nil
}

//go:embed migrations/*.sql
var migrations embed.FS

// prepare checks the server and brings the tables up to date. One migration
// runs at a time, under an advisory lock. A database that a later version has
// changed is refused.
func prepare(ctx context.Context, config *pgx.ConnConfig, before func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, migrationPatience)
	defer cancel()
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return wrap("connect", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is under way
	if err := check(ctx, conn); err != nil {
		return err
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	migrator, err := migrate.NewMigrator(ctx, conn, "watchpost_schema_version")
	if err != nil {
		return wrap("migrate", err)
	}
	if err := migrator.LoadMigrations(files); err != nil {
		return wrap("migrate", err)
	}
	version, err := migrator.GetCurrentVersion(ctx)
	if err != nil {
		return wrap("migrate", err)
	}
	if before != nil && version > 0 && int(version) < len(migrator.Migrations) {
		if err := before(ctx, conn); err != nil {
			return wrap("migrate", err)
		}
	}
	if err := migrator.Migrate(ctx); err != nil {
		return wrap("migrate", err)
	}
	return nil
}

// oldest is the oldest server that the tests run on.
const oldest = 150000

// check refuses a server that cannot keep the contract.
func check(ctx context.Context, conn *pgx.Conn) error {
	var version int
	var name, synchronous string
	err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version'),
		current_setting('synchronous_commit')`).Scan(&version, &name, &synchronous)
	switch {
	case err != nil:
		return wrap("connect", err)
	case version < oldest:
		return fmt.Errorf("persistence/postgres: the server has version %s: 15 or later is needed", name)
	case synchronous == "off":
		return errors.New("persistence/postgres: synchronous_commit is off, so a crash of the server would lose acknowledged writes: set it on")
	}
	return nil
}

// Transient reports whether an error of the database may pass with time: it was not
// reached, did not answer in time, starts or stops, or has no connections left.
func Transient(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch refused.Code[:2] {
		case "08", "40", "53", "55", "57":
			return true
		}
		return false
	}
	var unreached *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &unreached) || errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}

// ConnConfig returns the configuration of one connection with the settings of the
// store, for what else is kept in its database.
func ConnConfig(url string) (*pgx.ConnConfig, error) {
	config, _, err := configure(url)
	if err != nil {
		return nil, err
	}
	return config.ConnConfig, nil
}
