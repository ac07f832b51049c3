package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	sqlite3 "github.com/mattn/go-sqlite3" // also the driver

	"watchpost/watchpost"
)

// sqlite is SQLite with an index in the order of each page, the text under
// FTS5, and maintained counts for the team and each watchlist. It runs in this
// process, as our engine does.
type sqlite struct {
	dir    string
	reads  *sql.DB // a connection that keeps its prepared statements
	writes *sql.DB
	known  map[string]*sql.Stmt
}

const sqliteSchema = `
CREATE TABLE posts (
	n INTEGER PRIMARY KEY, id TEXT NOT NULL, posted INTEGER NOT NULL, engagement INTEGER NOT NULL,
	watchlist INTEGER NOT NULL, author INTEGER NOT NULL, influence INTEGER NOT NULL,
	trending INTEGER NOT NULL, interacted INTEGER NOT NULL, language TEXT NOT NULL, kind TEXT NOT NULL
);
CREATE TABLE documents (n INTEGER PRIMARY KEY, document TEXT NOT NULL);
CREATE TABLE labels (label INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (label, n)) WITHOUT ROWID;
CREATE TABLE counts (watchlist INTEGER PRIMARY KEY, posts INTEGER NOT NULL);
CREATE VIRTUAL TABLE texts USING fts5(content, content='', columnsize=0);
`

const sqliteIndexes = `
CREATE UNIQUE INDEX posts_id ON posts (id);
CREATE INDEX posts_recent ON posts (posted DESC, id);
CREATE INDEX posts_watchlist ON posts (watchlist, posted DESC, id);
CREATE INDEX posts_author ON posts (author, posted DESC, id);
CREATE INDEX posts_language ON posts (language, posted DESC, id);
CREATE INDEX posts_language_kind ON posts (language, kind, posted DESC, id);
CREATE INDEX posts_trending ON posts (posted DESC, id) WHERE trending;
CREATE INDEX posts_interacted ON posts (posted DESC, id) WHERE interacted;
CREATE INDEX posts_engagement ON posts (engagement DESC, posted DESC, id);
CREATE INDEX posts_watchlist_engagement ON posts (watchlist, engagement DESC, posted DESC, id);
CREATE INDEX posts_language_influence ON posts (language, influence DESC, posted DESC, id);
INSERT INTO counts SELECT -1, count(*) FROM posts;
INSERT INTO counts SELECT watchlist, count(*) FROM posts GROUP BY watchlist;
INSERT INTO texts (texts) VALUES ('optimize');
ANALYZE;
PRAGMA wal_checkpoint(TRUNCATE);
`

func openSQLite(ctx context.Context) (s *sqlite, err error) {
	dir, err := os.MkdirTemp("", "posts-sqlite-")
	if err != nil {
		return nil, err
	}
	s = &sqlite{dir: dir, known: map[string]*sql.Stmt{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	dsn := "file:" + filepath.Join(dir, "posts.db") + "?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=60000&_cache_size=-1048576"
	if s.writes, err = sql.Open("sqlite3", dsn); err != nil {
		return s, err
	}
	s.writes.SetMaxOpenConns(1)
	if _, err := s.writes.ExecContext(ctx, sqliteSchema); err != nil {
		if strings.Contains(err.Error(), "no such module: fts5") {
			err = fmt.Errorf("%w: build with -tags sqlite_fts5", err)
		}
		return s, err
	}
	if s.reads, err = sql.Open("sqlite3", dsn); err != nil {
		return s, err
	}
	s.reads.SetMaxOpenConns(1)
	_, err = s.reads.ExecContext(ctx, "PRAGMA mmap_size = 8589934592")
	return s, err
}

func (s *sqlite) name() string { return "SQLite" }

func (s *sqlite) version() string {
	version, _, _ := sqlite3.Version()
	return "SQLite " + version + " with FTS5 (mattn/go-sqlite3)"
}

func (s *sqlite) load(ctx context.Context, entries []*entry) error {
	return s.transact(ctx, func(tx *sql.Tx) error { return s.insert(ctx, tx, entries) })
}

func (s *sqlite) transact(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.writes.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (s *sqlite) insert(ctx context.Context, tx *sql.Tx, entries []*entry) (err error) {
	prepare := func(sql string) *insertion {
		if err != nil {
			return nil
		}
		var statement *insertion
		statement, err = prepared(ctx, tx, sql)
		return statement
	}
	post := prepare("INSERT INTO posts VALUES (?,?,?,?,?,?,?,?,?,?,?)")
	document := prepare("INSERT INTO documents VALUES (?,?)")
	text := prepare("INSERT INTO texts (rowid, content) VALUES (?,?)")
	label := prepare("INSERT INTO labels VALUES (?,?)")
	if err != nil {
		return err
	}
	for _, e := range entries {
		p, n := &e.post, e.number+1
		post.exec(n, string(p.ID), p.PostedAt.UnixMilli(), p.Engagement(), e.watchlist, e.author, p.Influence,
			p.Trending(), p.Liked || p.Commented, p.Language, p.Type)
		document.exec(n, string(e.document))
		text.exec(n, e.text())
		for _, l := range e.labels {
			label.exec(l, n)
		}
	}
	return errors.Join(post.close(), document.close(), text.close(), label.close())
}

// insertion is a statement of a transaction that keeps its first failure.
type insertion struct {
	ctx       context.Context
	statement *sql.Stmt
	err       error
}

func prepared(ctx context.Context, tx *sql.Tx, text string) (*insertion, error) {
	statement, err := tx.PrepareContext(ctx, text)
	return &insertion{ctx: ctx, statement: statement}, err
}

func (s *insertion) exec(arguments ...any) {
	if s.err == nil {
		_, s.err = s.statement.ExecContext(s.ctx, arguments...)
	}
}

func (s *insertion) close() error { return errors.Join(s.err, s.statement.Close()) }

func (s *sqlite) finish(ctx context.Context) error {
	_, err := s.writes.ExecContext(ctx, sqliteIndexes)
	return err
}

func (s *sqlite) add(ctx context.Context, entries []*entry) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		lists, posts := tally(entries)
		for i, list := range lists {
			if _, err := tx.ExecContext(ctx, "UPDATE counts SET posts = posts + ? WHERE watchlist = ?", posts[i], list); err != nil {
				return err
			}
		}
		return s.insert(ctx, tx, entries)
	})
}

// ask reads count and page in one transaction, thus one snapshot.
func (s *sqlite) ask(ctx context.Context, q *query) (a answer, err error) {
	count, page, arguments := s.statements(q)
	counting, err := s.prepare(ctx, count)
	if err != nil {
		return a, err
	}
	paging, err := s.prepare(ctx, page)
	if err != nil {
		return a, err
	}
	tx, err := s.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	if err := tx.StmtContext(ctx, counting).QueryRowContext(ctx, arguments[:strings.Count(count, "?")]...).Scan(&a.count); err != nil {
		return a, fmt.Errorf("%s: %w", count, err)
	}
	rows, err := tx.StmtContext(ctx, paging).QueryContext(ctx, arguments...)
	if err != nil {
		return a, fmt.Errorf("%s: %w", page, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		var document sql.RawBytes
		if err := rows.Scan(&id, &document); err != nil {
			return a, err
		}
		a.ids = append(a.ids, id)
		a.bytes += len(string(document))
	}
	return a, rows.Err()
}

func (s *sqlite) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if known := s.known[text]; known != nil {
		return known, nil
	}
	statement, err := s.reads.PrepareContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	s.known[text] = statement
	return statement, nil
}

// conditions returns the conditions of a query with their arguments.
func (s *sqlite) conditions(q *query) (where []string, arguments []any) {
	condition := func(sql string, values ...any) {
		arguments = append(arguments, values...)
		where = append(where, sql)
	}
	anyOf := func(numbers []int) (holders string, values []any) {
		for _, n := range numbers {
			values = append(values, n)
		}
		return strings.TrimSuffix(strings.Repeat("?,", len(numbers)), ","), values
	}
	if len(q.watchlists) > 0 {
		holders, values := anyOf(q.watchlists)
		condition("watchlist IN ("+holders+")", values...)
	}
	if q.language != "" {
		condition("language = ?", q.language)
	}
	if q.kind != "" {
		condition("kind = ?", q.kind)
	}
	if match := s.match(q); match != "" {
		condition("p.n IN (SELECT rowid FROM texts WHERE texts MATCH ?)", match)
	}
	if q.trending {
		where = append(where, "trending")
	}
	if q.interacted {
		where = append(where, "interacted")
	}
	if !q.from.IsZero() {
		condition("posted >= ? AND posted < ?", q.from.UnixMilli(), q.to.UnixMilli())
	}
	if len(q.labels) > 0 {
		holders, values := anyOf(q.labels)
		condition("p.n IN (SELECT n FROM labels WHERE label IN ("+holders+"))", values...)
	}
	if q.author >= 0 {
		condition("author = ?", q.author)
	}
	return where, arguments
}

// match returns the FTS5 query; "" without a text search.
func (s *sqlite) match(q *query) (match string) {
	for _, t := range q.terms {
		match += `"` + t + `" `
	}
	if len(q.phrase) > 0 {
		match += `"` + strings.Join(q.phrase, " ") + `"`
	}
	return match
}

// statements returns the statements for count and page, and the arguments: the
// count uses the first of them.
func (s *sqlite) statements(q *query) (count, page string, arguments []any) {
	where, arguments := s.conditions(q)
	filter := ""
	if len(where) > 0 {
		filter = " WHERE " + strings.Join(where, " AND ")
	}
	switch {
	case len(where) == 0:
		count = "SELECT posts FROM counts WHERE watchlist = -1"
	case len(where) == 1 && len(q.watchlists) > 0:
		count = "SELECT sum(posts) FROM counts AS p" + filter
	case len(where) == 1 && s.match(q) != "":
		count = "SELECT count(*) FROM texts WHERE texts MATCH ?"
	default:
		count = "SELECT count(*) FROM posts AS p" + filter
	}
	limit := fmt.Sprintf(" LIMIT %d OFFSET %d", watchpost.PageSize, (q.page-1)*watchpost.PageSize)
	page = "SELECT c.id, d.document FROM (SELECT n, id, posted, engagement, influence FROM posts AS p" + filter +
		" ORDER BY " + postgresOrders[q.order] + limit + ") AS c JOIN documents AS d USING (n)"
	return count, page, arguments
}

func (s *sqlite) size() (int64, error) { return folderSize(s.dir) }

func (s *sqlite) close() error {
	var all []error
	for _, statement := range s.known {
		all = append(all, statement.Close())
	}
	for _, db := range []*sql.DB{s.reads, s.writes} {
		if db != nil {
			all = append(all, db.Close())
		}
	}
	return errors.Join(append(all, os.RemoveAll(s.dir))...)
}
