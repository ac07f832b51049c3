package cluster

// channel is the channel of notifications. They carry nothing: a node that gets
// one reads the view.
const channel = "watchpost_cluster"

// joinSQL makes a process a member, in place of an earlier process with the same id, if the
// session $1 holds the lock of the node. So the statement of a process that has gone does
// nothing when it arrives late.
const joinSQL = `
WITH joined AS (
	INSERT INTO node SELECT $3, $4::text, $5::text, clock_timestamp() + $6::interval, 0, $7::boolean, 0
	WHERE ` + locked + `
	ON CONFLICT (id) DO UPDATE SET incarnation = excluded.incarnation, build = excluded.build,
		expires_at = excluded.expires_at, seen = 0, draining = excluded.draining, teams = 0
	RETURNING id),
moved AS (UPDATE cluster_view SET version = version + 1 WHERE EXISTS (SELECT FROM joined))
SELECT pg_notify('` + channel + `', '') FROM joined`

// renewSQL extends a lease and reads the view. It returns all rows when the view is another
// one than that of version $5, and otherwise those that have not changed since the snapshot
// $6. The snapshot of the statement, which the next one gets, shows the own row as it was
// before.
const renewSQL = `
WITH renewed AS (
	UPDATE node SET expires_at = clock_timestamp() + $3::interval, teams = $4
	WHERE id = $1 AND incarnation = $2 RETURNING id)
SELECT EXISTS (SELECT FROM renewed),
	(SELECT version FROM cluster_view), pg_current_snapshot()::text,
	array_agg(id ORDER BY id), array_agg(draining ORDER BY id), array_agg(seen ORDER BY id),
	array_agg(` + beat + ` ORDER BY id), array_agg(` + unchanged + ` ORDER BY id)
FROM node, (SELECT pg_current_xact_id()::text::bigint AS xid, NULLIF($6::text, '')::pg_snapshot AS before) AS last
WHERE (SELECT version FROM cluster_view) <> $5 OR ` + unchanged

// unchanged reports whether the last transaction that wrote a row is visible in an earlier
// snapshot. No clock has a part in it. xmin is the lower half of the transaction's id, which
// precedes that of this statement.
const unchanged = `coalesce(pg_visible_in_snapshot((xid - ((xid - xmin::text::bigint) & 4294967295))::text::xid8, before), false)`

// beat differs after each renewal of a member, however the clock runs.
const beat = `incarnation || ' ' || extract(epoch FROM expires_at)::text`

// confirmSQL notes that a node has ended the actors of names that it does not own in a view.
const confirmSQL = `
WITH confirmed AS (UPDATE node SET seen = $3 WHERE id = $1 AND incarnation = $2 AND seen < $3 RETURNING id)
SELECT pg_notify('` + channel + `', '') FROM confirmed`

// expireSQL removes members that have not renewed since.
const expireSQL = `
WITH expired AS (DELETE FROM node USING unnest($1::text[], $2::text[]) AS last (member, beat)
	WHERE id = member AND ` + beat + ` = last.beat RETURNING id),
moved AS (UPDATE cluster_view SET version = version + 1 WHERE EXISTS (SELECT FROM expired) RETURNING version)
SELECT id, pg_notify('` + channel + `', '') FROM expired`

// locked reports whether the session $1 holds the lock of the node $3. $2 is nodeLock.
const locked = `EXISTS (SELECT FROM pg_locks, hashtextextended($2 || $3, 0) AS key
	WHERE pid = $1 AND locktype = 'advisory' AND granted AND objsubid = 1
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND classid::bigint = key >> 32 & 4294967295 AND objid::bigint = key & 4294967295)`

// reportDeadSQL removes a member that cannot be connected to, if its session lock is
// free too, and the session of the node that reports it has not ended as well.
const reportDeadSQL = `
WITH dead AS (DELETE FROM node WHERE id = $4 AND pg_try_advisory_xact_lock(hashtextextended($2 || $4, 0)) AND ` + locked + ` RETURNING id),
moved AS (UPDATE cluster_view SET version = version + 1 WHERE EXISTS (SELECT FROM dead) RETURNING version)
SELECT id, pg_notify('` + channel + `', '') FROM dead`

// leaveSQL ends a membership.
const leaveSQL = `
WITH gone AS (DELETE FROM node WHERE id = $1 AND incarnation = $2 RETURNING id),
moved AS (UPDATE cluster_view SET version = version + 1 WHERE EXISTS (SELECT FROM gone))
SELECT pg_notify('` + channel + `', '') FROM gone`

// drainSQL makes a member give up its names.
const drainSQL = `
WITH drained AS (UPDATE node SET draining = true WHERE id = $1 AND NOT draining RETURNING id),
moved AS (UPDATE cluster_view SET version = version + 1 WHERE EXISTS (SELECT FROM drained))
SELECT pg_notify('` + channel + `', '') FROM drained`

// nextViewSQL begins a view with the same members.
const nextViewSQL = `
WITH moved AS (UPDATE cluster_view SET version = version + 1 WHERE EXISTS (SELECT FROM node WHERE id = $1 AND incarnation = $2) RETURNING version)
SELECT pg_notify('` + channel + `', '') FROM moved`

const listSQL = `
SELECT id, build, draining, teams, seen >= (SELECT version FROM cluster_view), extract(epoch FROM expires_at - clock_timestamp())::float8
FROM node ORDER BY id`
