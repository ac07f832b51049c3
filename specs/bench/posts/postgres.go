package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"watchpost/persistence/postgres/postgrestest"
	"watchpost/watchpost"
)

// postgres is a separate PostgreSQL server on a socket in its folder, with the
// indexes that suit the mix best: one in the order of each page, a stored text
// vector under GIN, and maintained counts for the team and each watchlist. A
// post belongs to one watchlist here, which saves a join.
type postgres struct {
	server *postgrestest.Server
	pool   *pgxpool.Pool
	about  string
}

func (p *postgres) exec(ctx context.Context, sql string) error {
	for statement := range strings.SplitSeq(sql, ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := p.pool.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// postgresSchema keeps rows narrow: the document is stored out of line, the
// vector inline and uncompressed.
const postgresSchema = `
CREATE TABLE posts (
	id uuid NOT NULL, team int NOT NULL, posted timestamptz NOT NULL, engagement bigint NOT NULL,
	watchlist smallint NOT NULL, author int NOT NULL, influence smallint NOT NULL,
	trending bool NOT NULL, interacted bool NOT NULL, language text NOT NULL, kind text NOT NULL, labels smallint[] NOT NULL,
	content text NOT NULL, vector tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('simple', content)) STORED,
	document text NOT NULL
) WITH (toast_tuple_target = 256);
ALTER TABLE posts ALTER document SET STORAGE EXTERNAL, ALTER content SET STORAGE EXTERNAL, ALTER vector SET STORAGE PLAIN;
ALTER TABLE posts ALTER vector SET STATISTICS 1000, ALTER labels SET STATISTICS 1000;
CREATE TABLE counts (team int NOT NULL, watchlist smallint NOT NULL, posts bigint NOT NULL, PRIMARY KEY (team, watchlist)) WITH (fillfactor = 10);
`

const postgresIndexes = `
ALTER TABLE posts ADD PRIMARY KEY (id);
CREATE INDEX ON posts (team, posted DESC, id);
CREATE INDEX ON posts (team, watchlist, posted DESC, id);
CREATE INDEX ON posts (team, author, posted DESC, id);
CREATE INDEX ON posts (team, language, posted DESC, id);
CREATE INDEX ON posts (team, language, kind, posted DESC, id);
CREATE INDEX ON posts (team, posted DESC, id) WHERE trending;
CREATE INDEX ON posts (team, posted DESC, id) WHERE interacted;
CREATE INDEX ON posts (team, engagement DESC, posted DESC, id);
CREATE INDEX ON posts (team, watchlist, engagement DESC, posted DESC, id);
CREATE INDEX ON posts (team, language, influence DESC, posted DESC, id);
CREATE INDEX ON posts USING gin (labels);
CREATE INDEX ON posts USING gin (vector);
INSERT INTO counts SELECT team, -1, count(*) FROM posts GROUP BY team;
INSERT INTO counts SELECT team, watchlist, count(*) FROM posts GROUP BY team, watchlist;
VACUUM (ANALYZE) posts;
VACUUM (ANALYZE) counts;
CHECKPOINT;
`

var postgresColumns = []string{
	"id", "team", "posted", "engagement", "watchlist", "author", "influence", "trending", "interacted", "language", "kind", "labels", "content", "document",
}

func postgresRow(e *entry) []any {
	p := &e.post
	labels := make([]int16, len(e.labels))
	for i, l := range e.labels {
		labels[i] = int16(l)
	}
	return []any{
		string(p.ID), int32(1), p.PostedAt, p.Engagement(), int16(e.watchlist), int32(e.author), int16(p.Influence),
		p.Trending(), p.Liked || p.Commented, p.Language, p.Type, labels, e.text(), string(e.document),
	}
}

func (p *postgres) name() string { return "PostgreSQL" }

func (p *postgres) version() string { return "PostgreSQL " + p.about + ", pgx" }

func (p *postgres) load(ctx context.Context, entries []*entry) error {
	_, err := p.pool.CopyFrom(ctx, pgx.Identifier{"posts"}, postgresColumns,
		pgx.CopyFromSlice(len(entries), func(i int) ([]any, error) { return postgresRow(entries[i]), nil }))
	return err
}

func (p *postgres) finish(ctx context.Context) error { return p.exec(ctx, postgresIndexes) }

// add writes the posts and the counts in one transaction.
func (p *postgres) add(ctx context.Context, entries []*entry) error {
	return pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"posts"}, postgresColumns,
			pgx.CopyFromSlice(len(entries), func(i int) ([]any, error) { return postgresRow(entries[i]), nil })); err != nil {
			return err
		}
		lists, posts := tally(entries)
		_, err := tx.Exec(ctx, "UPDATE counts SET posts = counts.posts + more.posts FROM unnest($1::int[], $2::bigint[]) AS more (watchlist, posts) "+
			"WHERE counts.team = 1 AND counts.watchlist = more.watchlist", lists, posts)
		return err
	})
}

// tally counts posts by watchlist; -1 is all.
func tally(entries []*entry) (lists []int32, posts []int64) {
	counts := map[int32]int64{-1: int64(len(entries))}
	for _, e := range entries {
		counts[int32(e.watchlist)]++
	}
	for list, n := range counts {
		lists, posts = append(lists, list), append(posts, n)
	}
	return lists, posts
}

// ask sends both statements in one round trip.
func (p *postgres) ask(ctx context.Context, q *query) (answer, error) {
	var a answer
	batch := &pgx.Batch{}
	count, page, arguments := p.statements(q)
	batch.Queue(count, arguments[:strings.Count(count, "$")]...).QueryRow(func(row pgx.Row) error { return row.Scan(&a.count) })
	batch.Queue(page, arguments...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var id [16]byte
			raw := rows.RawValues()
			copy(id[:], raw[0])
			a.ids = append(a.ids, uuidText(id))
			a.bytes += len(string(raw[1]))
		}
		return rows.Err()
	})
	return a, p.pool.SendBatch(ctx, batch).Close()
}

var postgresOrders = map[watchpost.PostOrder]string{
	watchpost.RecentFirst:   "posted DESC, id",
	watchpost.MostEngaging:  "engagement DESC, posted DESC, id",
	watchpost.MostInfluence: "influence DESC, posted DESC, id",
}

// conditions returns the conditions of a query with their arguments. Of
// several watchlists, w is the current one.
func (p *postgres) conditions(q *query) (where []string, arguments []any) {
	where = []string{"team = 1"}
	condition := func(sql string, value any) {
		arguments = append(arguments, value)
		where = append(where, fmt.Sprintf(sql, len(arguments)))
	}
	switch {
	case len(q.watchlists) > 1:
		arguments = append(arguments, shorts(q.watchlists))
		where = append(where, "watchlist = w")
	case len(q.watchlists) == 1:
		condition("watchlist = $%d", int16(q.watchlists[0]))
	}
	if q.language != "" {
		condition("language = $%d", q.language)
	}
	if q.kind != "" {
		condition("kind = $%d", q.kind)
	}
	if len(q.terms) > 0 {
		condition("vector @@ plainto_tsquery('simple', $%d)", strings.Join(q.terms, " "))
	}
	if len(q.phrase) > 0 {
		condition("vector @@ phraseto_tsquery('simple', $%d)", strings.Join(q.phrase, " "))
	}
	if q.trending {
		where = append(where, "trending")
	}
	if q.interacted {
		where = append(where, "interacted")
	}
	if !q.from.IsZero() {
		condition("posted >= $%d", q.from)
		condition("posted < $%d", q.to)
	}
	if len(q.labels) > 0 {
		condition("labels && $%d", shorts(q.labels))
	}
	if q.author >= 0 {
		condition("author = $%d", int32(q.author))
	}
	return where, arguments
}

// statements returns the statements for count and page, and the arguments: the
// count uses the first of them.
func (p *postgres) statements(q *query) (count, page string, arguments []any) {
	where, arguments := p.conditions(q)
	filter, order := strings.Join(where, " AND "), postgresOrders[q.order]
	several := len(q.watchlists) > 1
	kept := len(where) == 1 || len(where) == 2 && len(q.watchlists) > 0
	switch {
	case kept && several:
		count = "SELECT sum(posts)::bigint FROM counts WHERE team = 1 AND watchlist = ANY($1)"
	case kept && len(where) == 2:
		count = "SELECT posts FROM counts WHERE team = 1 AND watchlist = $1"
	case kept:
		count = "SELECT posts FROM counts WHERE team = 1 AND watchlist = -1"
	default:
		count = "SELECT count(*) FROM posts WHERE " + filter
	}
	limit := fmt.Sprintf(" LIMIT %d OFFSET %d", watchpost.PageSize, (q.page-1)*watchpost.PageSize)
	switch {
	case several: // the newest posts of each watchlist, then the newest of those
		page = "SELECT id, document FROM unnest($1::smallint[]) AS w CROSS JOIN LATERAL (SELECT id, document, posted FROM posts WHERE " +
			filter + " ORDER BY " + order + " LIMIT " + strconv.Itoa(watchpost.PageSize) + ") AS each ORDER BY " + order + limit
	case q.page > 1: // for skipped posts PostgreSQL reads the index only
		page = "SELECT p.id, p.document FROM (SELECT id FROM posts WHERE " + filter + " ORDER BY " + order + limit +
			") AS chosen JOIN posts AS p USING (id) ORDER BY p.posted DESC, p.id"
	default:
		page = "SELECT id, document FROM posts WHERE " + filter + " ORDER BY " + order + limit
	}
	return count, page, arguments
}

func shorts(numbers []int) []int16 {
	all := make([]int16, len(numbers))
	for i, n := range numbers {
		all[i] = int16(n)
	}
	return all
}

func (p *postgres) size() (int64, error) {
	var n int64
	err := p.pool.QueryRow(context.Background(), "SELECT pg_total_relation_size('posts') + pg_total_relation_size('counts')").Scan(&n)
	return n, err
}
