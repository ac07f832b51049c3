package cluster

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgreSQL is the Database of the service.
type postgreSQL struct {
	config *pgx.ConnConfig // of sessions
	pool   *pgxpool.Pool
}

// openPostgres returns the database with a pool for statements, each connected within a
// time.
func openPostgres(ctx context.Context, c *pgx.ConnConfig, within time.Duration) (*postgreSQL, error) {
	config, err := pgxpool.ParseConfig("")
	if err != nil {
		return nil, err
	}
	config.ConnConfig, config.MaxConns = c.Copy(), 2
	config.ConnConfig.ConnectTimeout = within
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return &postgreSQL{c, pool}, err
}

// Close implements Database.
func (p *postgreSQL) Close() { p.pool.Close() }

// Renew implements Database.
func (p *postgreSQL) Renew(ctx context.Context, r Renewal) (reply Renewed, err error) {
	var ids, beats []string
	var draining, unchanged []bool
	var seen []int64
	err = p.pool.QueryRow(ctx, renewSQL, r.ID, r.Incarnation, r.TTL, r.Teams, r.Known, r.Snapshot).
		Scan(&reply.Renewed, &reply.Version, &reply.Snapshot, &ids, &draining, &seen, &beats, &unchanged)
	for i, id := range ids {
		reply.Rows = append(reply.Rows, Row{Member{id, draining[i], seen[i]}, beats[i], unchanged[i]})
	}
	return reply, err
}

// Join implements Database.
func (p *postgreSQL) Join(ctx context.Context, j Joining) (bool, error) {
	joined, err := p.pool.Exec(ctx, joinSQL, j.Session, nodeLock, j.ID, j.Incarnation, j.Build, j.TTL, j.Draining)
	return joined.RowsAffected() > 0, err
}

// Confirm implements Database.
func (p *postgreSQL) Confirm(ctx context.Context, id, incarnation string, view int64) error {
	_, err := p.pool.Exec(ctx, confirmSQL, id, incarnation, view)
	return err
}

// Expire implements Database.
func (p *postgreSQL) Expire(ctx context.Context, ids, beats []string) ([]string, error) {
	return p.remove(ctx, expireSQL, ids, beats)
}

// ReportDead implements Database.
func (p *postgreSQL) ReportDead(ctx context.Context, id, by string, session uint32) ([]string, error) {
	return p.remove(ctx, reportDeadSQL, session, nodeLock, by, id)
}

// remove deletes members by a statement that returns their ids.
func (p *postgreSQL) remove(ctx context.Context, sql string, args ...any) (removed []string, err error) {
	rows, err := p.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	var id string
	var sent any
	_, err = pgx.ForEachRow(rows, []any{&id, &sent}, func() error {
		removed = append(removed, id)
		return nil
	})
	return removed, err
}

// Leave implements Database.
func (p *postgreSQL) Leave(ctx context.Context, id, incarnation string) error {
	_, err := p.pool.Exec(ctx, leaveSQL, id, incarnation)
	return err
}

// Drain implements Database.
func (p *postgreSQL) Drain(ctx context.Context, id string) error {
	_, err := p.pool.Exec(ctx, drainSQL, id)
	return err
}

// NextView implements Database.
func (p *postgreSQL) NextView(ctx context.Context, id, incarnation string) error {
	_, err := p.pool.Exec(ctx, nextViewSQL, id, incarnation)
	return err
}

// Session implements Database.
func (p *postgreSQL) Session(ctx context.Context) (Session, error) { return openSession(ctx, p.config) }

// session is a Session in PostgreSQL.
type session struct {
	conn *pgx.Conn
	id   uint32
}

func openSession(ctx context.Context, config *pgx.ConnConfig) (Session, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	// A pooler between the two gives the connection another number.
	s := &session{conn: conn}
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&s.id); err != nil {
		closeConn(conn)
		return nil, err
	}
	return s, nil
}

// ID implements Session.
func (s *session) ID() uint32 { return s.id }

// TryLock implements Session.
func (s *session) TryLock(ctx context.Context, l Lock) (locked bool, err error) {
	sql, arg := "SELECT pg_try_advisory_lock($1)", any(writerLock)
	switch {
	case l.Node != "":
		sql, arg = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))", nodeLock+l.Node
	case l.Shared:
		sql = "SELECT pg_try_advisory_lock_shared($1)"
	}
	err = s.conn.QueryRow(ctx, sql, arg).Scan(&locked)
	return locked, err
}

// holderSQL names a process that holds the lock of the database.
const holderSQL = `
SELECT a.application_name || coalesce(' at ' || host(a.client_addr), '') FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.pid <> pg_backend_pid() AND l.objsubid = 1
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND l.classid::bigint = $1::bigint >> 32 AND l.objid::bigint = $1::bigint & 4294967295 LIMIT 1`

// Holder implements Session.
func (s *session) Holder(ctx context.Context) string {
	holder := "unknown"
	_ = s.conn.QueryRow(ctx, holderSQL, writerLock).Scan(&holder) // the process may have gone meanwhile
	return holder
}

// Listen implements Session.
func (s *session) Listen(ctx context.Context) error {
	_, err := s.conn.Exec(ctx, "LISTEN "+channel)
	return err
}

// Notification implements Session.
func (s *session) Notification(ctx context.Context) error {
	_, err := s.conn.WaitForNotification(ctx)
	return err
}

// Ping implements Session.
func (s *session) Ping(ctx context.Context) error { return s.conn.Ping(ctx) }

// Close implements Session.
func (s *session) Close(ctx context.Context) error { return s.conn.Close(ctx) }

// named returns a configuration whose sessions carry a name that holderSQL shows.
func named(config *pgx.ConnConfig, name string) *pgx.ConnConfig {
	config = config.Copy()
	config.RuntimeParams["application_name"] = name
	return config
}
