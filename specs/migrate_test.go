package specs_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestMigrate copies the files of a stopped service into PostgreSQL. The copy is
// killed in the middle: the service refuses the half of a store, a second run
// completes it, and the service works with it. Then the way back. Readers of the change
// feed go on with their cursors.
func TestMigrate(t *testing.T) {
	t.Parallel()
	url, err := newDatabase()
	require.NoError(t, err)
	w := isolatedWorld(t)
	w.play(t, `
service
team ACME growth ada@acme.example
team BETA free bob@beta.example
hello ADA ada@acme.example ada
as ACME GET /api-changes
save BEFORE cursor
as ACME POST /api-keyword-watchlist '{"name":"Tea","keywords":["tea"]}'
status 200
save ID id
as ACME GET /api-changes
save AFTER cursor
run migrate --from $DATA --to `+url+`
status 1
text contains 'folder is in use'
service stop
run migrate --from nowhere --to `+url+`
status 1
text contains 'not the data folder of a service'
run migrate --from $DATA --to other
status 0
run migrate --from $DATA --to other
status 1
text contains 'the target is not empty'
`)
	killDuring(t, w, url)
	w.play(t, `
run serve --data $DATA --store '`+url+`'
status 1
text contains 'the store is an unfinished copy: run watchpost migrate again'
run migrate --from $DATA --to `+url+`
status 0
text contains 'an earlier copy was interrupted: going on'
text contains 'all counts and checksums are equal'
text contains '2 teams, 0 posts, 0 problems of the index'
run migrate --from $DATA --to `+url+`
status 1
text contains 'the target is not empty'
`)
	w.variables = []string{"WATCHPOST_STORE=" + url}
	check := `
as ACME GET /api-keyword-watchlist?id=$ID
json name == Tea
as ACME GET /api-changes?types=watchlist&cursor=$BEFORE
json changes[*].action == '["created"]'
as ACME GET /api-changes?types=watchlist&cursor=$AFTER
json changes == '[]'
as BETA GET /api-team
json plan == free
`
	w.play(t, "service"+check+`
as ACME PUT /api-keyword-watchlist '{"id":"$ID","name":"Coffee"}'
status 200
as ACME GET /api-changes?types=watchlist&cursor=$AFTER
json changes[*].action == '["changed"]'
service stop
run migrate --from `+url+` --to other
status 1
text contains 'the target is not empty'
run migrate --from `+url+` --to back
status 0
text contains 'all counts and checksums are equal'
`)
	w.variables = nil
	w.play(t, "service --data back --master-key-file $DATA/master.key\nas ACME GET /api-keyword-watchlist?id=$ID\njson name == Coffee\n"+
		"as ACME GET /api-changes?types=watchlist&cursor=$BEFORE\njson changes[*].action == '[\"created\",\"changed\"]'\n")
}

// killDuring kills a copy while the database holds up its first statement that
// writes to a team's space.
func killDuring(t *testing.T, w *world, url string) {
	t.Helper()
	ctx := t.Context()
	w.play(t, "run verify --store "+url+"\nstatus 0") // makes the tables
	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `
		CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
		CREATE TRIGGER hold BEFORE INSERT ON pair FOR EACH ROW EXECUTE FUNCTION hold();
		SELECT pg_advisory_lock(1)`)
	require.NoError(t, err)
	copying, err := launchWith(nil, "migrate", w.dir, "migrate", "--from", filepath.Join(w.dir, "data"), "--to", url)
	require.NoError(t, err)
	t.Cleanup(copying.Kill)
	require.NoError(t, w.until(func() error {
		var waiting int
		err := conn.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 1").Scan(&waiting)
		if err == nil && waiting == 0 {
			err = fmt.Errorf("no statement waits\n%s", copying.Tail())
		}
		return err
	}))
	copying.Kill()
	_, err = conn.Exec(ctx, "SELECT pg_advisory_unlock(1); DROP TRIGGER hold ON pair")
	require.NoError(t, err)
}
