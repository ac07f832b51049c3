package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"watchpost/persistence"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const activateSQL = `
INSERT INTO space AS s (name, epoch) VALUES ($1, 1)
ON CONFLICT (name) DO UPDATE SET epoch = s.epoch + 1
RETURNING epoch`

// fenceSQL ends epochs in which a batch failed: it takes the next ones without
// giving them to a writer.
const fenceSQL = `
UPDATE space s SET epoch = s.epoch + 1 FROM unnest($1::bytea[], $2::bigint[]) AS w (name, epoch)
WHERE s.name = w.name AND s.epoch = w.epoch`

// groupSQL writes the pairs of several spaces and returns the numbers of the
// spaces whose epoch is the newest; nothing is written to the others.
//
// FOR SHARE makes a concurrent activation wait until the group is committed,
// so its writer reads the group. EXISTS or FOR KEY SHARE would let it pass
// between check and commit.
const groupSQL = `
WITH fence AS MATERIALIZED (
	SELECT w.n, s.name FROM unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS w (name, epoch, n)
	JOIN space s ON s.name = w.name AND s.epoch = w.epoch
	ORDER BY s.name FOR SHARE OF s),
puts AS (
	INSERT INTO pair SELECT f.name, t.key, t.value
	FROM unnest($3::bigint[], $4::bytea[], $5::bytea[]) AS t (n, key, value) JOIN fence f ON f.n = t.n
	ON CONFLICT (space, key) DO UPDATE SET value = excluded.value),
deletes AS (
	DELETE FROM pair p USING unnest($6::bigint[], $7::bytea[]) AS t (n, key) JOIN fence f ON f.n = t.n
	WHERE p.space = f.name AND p.key = t.key)
SELECT n FROM fence`

// directorySQL writes one batch that changes the directory, if its epoch is the
// newest and every entry holds the expected value; it returns both.
//
// A concurrent writer can create an entry that is expected to be absent after
// the statement's snapshot. So such an entry is inserted plainly: the loser
// gets a unique violation, and nothing is written.
const directorySQL = `
WITH fence AS MATERIALIZED (
	SELECT name FROM space WHERE name = $1 AND epoch = $2 FOR SHARE),
change AS MATERIALIZED (
	SELECT * FROM unnest($3::bytea[], $4::bytea[], $5::bool[], $6::bytea[], $7::bytea[]) AS c (kind, name, always, expect, value)),
entry AS MATERIALIZED (
	SELECT d.kind, d.name, d.value FROM directory d JOIN change c ON d.kind = c.kind AND d.name = c.name
	ORDER BY d.kind, d.name FOR UPDATE OF d),
ok AS MATERIALIZED (
	SELECT f.name FROM fence f WHERE NOT EXISTS (
		SELECT FROM change c LEFT JOIN entry e ON e.kind = c.kind AND e.name = c.name
		WHERE NOT c.always AND c.expect IS DISTINCT FROM e.value)),
created AS (
	INSERT INTO directory SELECT c.kind, c.name, c.value FROM change c, ok
	WHERE c.value IS NOT NULL AND NOT c.always AND c.expect IS NULL),
changed AS (
	INSERT INTO directory SELECT c.kind, c.name, c.value FROM change c, ok
	WHERE c.value IS NOT NULL AND (c.always OR c.expect IS NOT NULL)
	ON CONFLICT (kind, name) DO UPDATE SET value = excluded.value),
removed AS (
	DELETE FROM directory d USING change c, ok WHERE c.value IS NULL AND d.kind = c.kind AND d.name = c.name),
puts AS (
	INSERT INTO pair SELECT ok.name, t.key, t.value FROM unnest($8::bytea[], $9::bytea[]) AS t (key, value), ok
	ON CONFLICT (space, key) DO UPDATE SET value = excluded.value),
deletes AS (
	DELETE FROM pair p USING unnest($10::bytea[]) AS t (key), ok WHERE p.space = ok.name AND p.key = t.key)
SELECT EXISTS (SELECT FROM fence), EXISTS (SELECT FROM ok)`

// SQLSTATEs of a statement that the database has taken back, whole, for the sake of others.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
)

// untilDone sends a statement again when the database has taken it back for the sake of
// others. A single server does that after a deadlock, those of several servers often.
func untilDone(ctx context.Context, statement func() error) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := statement()
		var fault *pgconn.PgError
		if !errors.As(err, &fault) || fault.Code != serializationFailure && fault.Code != deadlockDetected {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// writeGroup commits the batches of a group and returns which of its spaces
// were accepted.
func (s *Store) writeGroup(ctx context.Context, g *group) (accepted []bool, err error) {
	names, epochs := arrays(g.spaces)
	p := foldPairs(g.requests, g.number)
	err = untilDone(ctx, func() error {
		rows, err := s.commits.Query(ctx, groupSQL, names, epochs, p.putTo, p.putKeys, p.putValues, p.deleteFrom, p.deleteKeys)
		if err != nil {
			return err
		}
		accepted = make([]bool, len(g.spaces))
		var n int64
		_, err = pgx.ForEachRow(rows, []any{&n}, func() error {
			accepted[n-1] = true
			return nil
		})
		return err
	})
	return accepted, err
}

// endEpochs makes the end of epochs durable.
func (s *Store) endEpochs(ctx context.Context, ended []spaceEpoch) error {
	names, epochs := arrays(ended)
	return untilDone(ctx, func() error {
		_, err := s.commits.Exec(ctx, fenceSQL, names, epochs)
		return err
	})
}

func arrays(spaces []spaceEpoch) (names [][]byte, epochs []int64) {
	for _, w := range spaces {
		names, epochs = append(names, []byte(w.space)), append(epochs, int64(w.epoch))
	}
	return names, epochs
}

// writeDirectory commits a batch that changes the directory. It returns
// ErrFenced or ErrConflict when nothing was written.
func (s *Store) writeDirectory(ctx context.Context, r *request) error {
	changes, consistent := foldDirectory(r.batch.Directory)
	var p pairs
	if consistent { // otherwise it only finds out whether the epoch is stale
		p = foldPairs([]*request{r}, map[persistence.Space]int64{r.space: 1})
	}
	var kinds, names, expects, values [][]byte
	var always []bool
	for _, c := range changes {
		kinds, names, always = append(kinds, []byte(c.Key.Kind)), append(names, []byte(c.Key.Name)), append(always, c.Always)
		expects, values = append(expects, c.Expect), append(values, c.Value)
	}
	var current, ok bool
	err := untilDone(ctx, func() error {
		return s.commits.QueryRow(ctx, directorySQL, []byte(r.space), int64(r.epoch),
			kinds, names, always, expects, values, p.putKeys, p.putValues, p.deleteKeys).Scan(&current, &ok)
	})
	var violation *pgconn.PgError
	switch {
	case errors.As(err, &violation) && violation.Code == uniqueViolation && violation.TableName == "directory":
		return persistence.ErrConflict
	case err != nil:
		return err
	case !current:
		return persistence.ErrFenced
	case !ok || !consistent:
		return persistence.ErrConflict
	}
	return nil
}

const uniqueViolation = "23505"

// foldDirectory turns changes that are made in turn into one for each entry:
// the first expectation and the last value. It reports false when a change does
// not expect what an earlier one has set.
func foldDirectory(writes []persistence.DirectoryWrite) (changes []persistence.DirectoryWrite, consistent bool) {
	at := map[persistence.DirectoryKey]int{}
	for i := range writes {
		w := &writes[i]
		n, known := at[w.Key]
		if !known {
			at[w.Key] = len(changes)
			changes = append(changes, *w)
			continue
		}
		if !w.Holds(changes[n].Value) {
			return nil, false
		}
		changes[n].Value = w.Value
	}
	// Two statements that create the same entries wait for each other in one
	// order.
	slices.SortFunc(changes, func(a, b persistence.DirectoryWrite) int {
		if c := strings.Compare(a.Key.Kind, b.Key.Kind); c != 0 {
			return c
		}
		return strings.Compare(a.Key.Name, b.Key.Name)
	})
	return changes, true
}

// pairs are the writes of a group as arrays, the last one for each key. The
// numbers of the spaces count from 1.
type pairs struct {
	putTo, deleteFrom              []int64
	putKeys, putValues, deleteKeys [][]byte
}

func foldPairs(requests []*request, number map[persistence.Space]int64) (p pairs) {
	type place struct {
		n   int64
		key string
	}
	last := map[place]*persistence.Write{}
	for _, r := range requests {
		if r.err != nil || r.batch == nil {
			continue
		}
		for i := range r.batch.Writes {
			w := &r.batch.Writes[i]
			last[place{number[r.space], string(w.Key)}] = w
		}
	}
	for at, w := range last {
		if w.Delete {
			p.deleteFrom, p.deleteKeys = append(p.deleteFrom, at.n), append(p.deleteKeys, w.Key)
			continue
		}
		value := w.Value
		if value == nil {
			value = []byte{} // nil would be NULL
		}
		p.putTo, p.putKeys, p.putValues = append(p.putTo, at.n), append(p.putKeys, w.Key), append(p.putValues, value)
	}
	return p
}
