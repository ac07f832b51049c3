package postgres

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"watchpost/persistence"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// view implements persistence.View: a read-only transaction on a connection of
// its own.
type view struct {
	store *Store
	// deadline is that of the context that opened the view; zero without one.
	deadline time.Time
	// mu is held during a round trip, not while a caller looks at its result:
	// a closing store waits for the round trip only.
	mu   sync.Mutex
	conn *pgxpool.Conn // nil when the view is closed
	// ahead are the values at the keys that the caller expects to need (persistence.Expect),
	// in the order of keys, with nil where there is none.
	ahead struct {
		space  persistence.Space
		keys   [][]byte
		values [][]byte
	}
}

// The snapshot is taken by the first statement after beginSQL. It is read at once: a later
// one would see batches that were committed after the view was opened.
const (
	beginSQL    = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	snapshotSQL = beginSQL + "; SELECT 1"
	getAllSQL   = "SELECT key, value FROM pair WHERE space = $1 AND key = ANY($2)"
)

// View implements persistence.Store. It waits for a connection while too many
// views are open.
func (s *Store) View(ctx context.Context) (persistence.View, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := &view{store: s}
	v.deadline, _ = ctx.Deadline()
	ctx, cancel := context.WithTimeout(ctx, statementPatience)
	defer cancel()
	conn, err := s.views.Acquire(ctx)
	if err != nil {
		return nil, s.failure("view", err)
	}
	if err := v.begin(ctx, conn.Conn()); err != nil {
		conn.Release()
		return nil, s.failure("view", err)
	}
	v.conn = conn
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		conn.Release() // it is in a transaction, so the pool closes it
		return nil, persistence.ErrClosed
	}
	s.open[v] = struct{}{}
	return v, nil
}

// begin takes the snapshot, in one round trip with the values that the caller expects to
// need.
func (v *view) begin(ctx context.Context, conn *pgx.Conn) error {
	space, keys := persistence.Expected(ctx)
	if len(keys) == 0 {
		_, err := conn.PgConn().Exec(ctx, snapshotSQL).ReadAll()
		return err
	}
	found := make(valuesByKey, len(keys))
	batch := &pgx.Batch{}
	batch.Queue(beginSQL)
	batch.Queue(getAllSQL, []byte(space), keys).Query(found.collect)
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	v.ahead.space, v.ahead.keys, v.ahead.values = space, keys, found.at(keys)
	return nil
}

// Close implements persistence.View. It does not wait for the end of the transaction.
func (v *view) Close() {
	v.store.mu.Lock()
	delete(v.store.open, v)
	v.store.mu.Unlock()
	v.mu.Lock()
	conn := v.conn
	v.conn = nil
	v.mu.Unlock()
	if conn == nil {
		return
	}
	go func() { // the pool waits for it when it closes
		ctx, cancel := context.WithTimeout(context.Background(), statementPatience)
		defer cancel()
		_, _ = conn.Conn().PgConn().Exec(ctx, "ROLLBACK").ReadAll() // after an error the pool closes the connection
		conn.Release()
	}()
}

// read runs one query of the view.
func (v *view) read(op string, query func(ctx context.Context, conn *pgx.Conn) error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.conn == nil {
		return persistence.ErrClosed
	}
	ctx, cancel := context.WithTimeout(context.Background(), statementPatience)
	defer cancel()
	if !v.deadline.IsZero() {
		var bounded context.CancelFunc
		ctx, bounded = context.WithDeadline(ctx, v.deadline)
		defer bounded()
	}
	err := query(ctx, v.conn.Conn())
	if err == nil || errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	return wrap(op, err)
}

// Get implements persistence.View.
func (v *view) Get(space persistence.Space, key []byte) ([]byte, error) {
	if value, known, err := v.readAhead(space, key); known || err != nil {
		return value, err
	}
	return v.value("get", "SELECT value FROM pair WHERE space = $1 AND key = $2", []byte(space), noNull(key))
}

// readAhead returns the value at a key that was read when the view was opened.
func (v *view) readAhead(space persistence.Space, key []byte) (value []byte, known bool, err error) {
	if space != v.ahead.space {
		return nil, false, nil
	}
	i := slices.IndexFunc(v.ahead.keys, func(k []byte) bool { return bytes.Equal(k, key) })
	if i < 0 {
		return nil, false, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.conn == nil:
		return nil, false, persistence.ErrClosed
	case v.ahead.values[i] == nil:
		return nil, false, persistence.ErrNotFound
	}
	return bytes.Clone(v.ahead.values[i]), true, nil
}

// Lookup implements persistence.View.
func (v *view) Lookup(key persistence.DirectoryKey) ([]byte, error) {
	return v.value("lookup", "SELECT value FROM directory WHERE kind = $1 AND name = $2", []byte(key.Kind), []byte(key.Name))
}

func (v *view) value(op, sql string, args ...any) (value []byte, err error) {
	err = v.read(op, func(ctx context.Context, conn *pgx.Conn) error {
		err := conn.QueryRow(ctx, sql, args...).Scan(&value)
		if errors.Is(err, pgx.ErrNoRows) {
			return persistence.ErrNotFound
		}
		return err
	})
	return value, err
}

// GetAll implements persistence.View.
func (v *view) GetAll(space persistence.Space, keys [][]byte) ([][]byte, error) {
	return v.values("get", getAllSQL, []byte(space), keys)
}

// LookupAll implements persistence.View.
func (v *view) LookupAll(kind string, names []string) ([][]byte, error) {
	keys := make([][]byte, len(names))
	for i, name := range names {
		keys[i] = []byte(name)
	}
	return v.values("lookup", "SELECT name, value FROM directory WHERE kind = $1 AND name = ANY($2)", []byte(kind), keys)
}

// values returns the values at the keys in a range, with one query.
func (v *view) values(op, sql string, of []byte, keys [][]byte) ([][]byte, error) {
	found := make(valuesByKey, len(keys))
	err := v.read(op, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, sql, of, keys)
		if err != nil {
			return err
		}
		return found.collect(rows)
	})
	if err != nil {
		return nil, err
	}
	return found.at(keys), nil
}

// valuesByKey are what a query has returned.
type valuesByKey map[string][]byte

func (p valuesByKey) collect(rows pgx.Rows) error {
	var key, value []byte
	_, err := pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		p[string(key)] = value
		return nil
	})
	return err
}

// at returns the values at keys, nil where there is none. Each is the caller's to change.
func (p valuesByKey) at(keys [][]byte) [][]byte {
	values, returned := make([][]byte, len(keys)), make(map[string]bool, len(keys))
	for i, key := range keys {
		value, ok := p[string(key)]
		if ok && returned[string(key)] {
			value = append([]byte{}, value...)
		}
		values[i], returned[string(key)] = value, true
	}
	return values
}

// The scans, a page at a time. A range without an end has a statement of its
// own: with "OR" in the condition the index would be read past the end.
const (
	scanSQL       = "SELECT key, value FROM pair WHERE space = $1 AND key >= $2 AND key < $3 ORDER BY key LIMIT $4"
	scanOnSQL     = "SELECT key, value FROM pair WHERE space = $1 AND key >= $2 ORDER BY key LIMIT $3"
	scanSpacesSQL = "SELECT name, ''::bytea FROM space WHERE name >= $1 ORDER BY name LIMIT $2"
	nextKindSQL   = "SELECT kind FROM directory WHERE kind >= $1 ORDER BY kind LIMIT 1"
	scanKindSQL   = "SELECT name, value FROM directory WHERE kind = $1 AND name >= $2 ORDER BY name LIMIT $3"
)

// Scan implements persistence.View.
func (v *view) Scan(space persistence.Space, from, to []byte, yield func(key, value []byte) bool) error {
	start := noNull(from)
	return v.scan(func(last []byte) (string, []any) {
		if last != nil {
			start = after(last)
		}
		if len(to) == 0 {
			return scanOnSQL, []any{[]byte(space), start}
		}
		return scanSQL, []any{[]byte(space), start, to}
	}, yield)
}

// ScanDirectory implements persistence.View.
func (v *view) ScanDirectory(kind, from string, yield func(name string, value []byte) bool) error {
	start := []byte(from)
	return v.scan(func(last []byte) (string, []any) {
		if last != nil {
			start = after(last)
		}
		return scanKindSQL, []any{[]byte(kind), start}
	}, func(name, value []byte) bool { return yield(string(name), value) })
}

// Spaces implements persistence.View.
func (v *view) Spaces(yield func(persistence.Space) bool) error {
	start := []byte{}
	return v.scan(func(last []byte) (string, []any) {
		if last != nil {
			start = after(last)
		}
		return scanSpacesSQL, []any{start}
	}, func(name, _ []byte) bool { return yield(persistence.Space(name)) })
}

// Kinds implements persistence.View. It seeks past the entries of each kind.
func (v *view) Kinds() (kinds []string, err error) {
	for start := []byte{}; ; {
		kind, err := v.value("kinds", nextKindSQL, start)
		if errors.Is(err, persistence.ErrNotFound) {
			return kinds, nil
		}
		if err != nil {
			return nil, err
		}
		kinds, start = append(kinds, string(kind)), after(kind)
	}
}

// Sizes of a page. The first is small, because many scans look at a few
// records; later ones grow while they hold few bytes.
const (
	firstPage = 16
	lastPage  = 1024
	pageBytes = 1 << 20
)

type record struct{ key, value []byte }

// scan yields the records of one query after the other. next returns the query
// for the records after the last key (nil: from the start), to which scan adds
// the limit.
func (v *view) scan(next func(last []byte) (sql string, args []any), yield func(key, value []byte) bool) error {
	var last []byte
	for limit := firstPage; ; {
		sql, args := next(last)
		page, size, err := v.page(sql, append(args, limit))
		if err != nil {
			return err
		}
		for _, r := range page {
			if !yield(r.key, r.value) {
				return nil
			}
		}
		if len(page) < limit && size < pageBytes {
			return nil
		}
		last = page[len(page)-1].key
		if size < pageBytes/4 {
			limit = min(4*limit, lastPage)
		} else {
			limit = max(limit/2, 1)
		}
	}
}

// page reads the records of a query until they have pageBytes.
func (v *view) page(sql string, args []any) (page []record, size int, err error) {
	err = v.read("scan", func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for size < pageBytes && rows.Next() {
			var r record
			if err := rows.Scan(&r.key, &r.value); err != nil {
				return err
			}
			page, size = append(page, r), size+len(r.key)+len(r.value)
		}
		rows.Close()
		return rows.Err()
	})
	return page, size, err
}

// after returns the first key after key.
func after(key []byte) []byte { return append(key[:len(key):len(key)], 0) }

// noNull returns b, or an empty slice for nil, which would be NULL.
func noNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
