package specs_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres/postgrestest"
)

// databases is the PostgreSQL server of the scripts, started once.
var databases struct {
	sync.Mutex
	server *postgrestest.Server
}

// newDatabase returns the connection string of an empty database.
func newDatabase() (string, error) {
	databases.Lock()
	defer databases.Unlock()
	if databases.server == nil {
		s, err := postgrestest.Start("fsync=off", "max_connections=300")
		if err != nil {
			return "", err
		}
		databases.server = s
	}
	return databases.server.NewDatabase(context.Background())
}

func closeDatabases() {
	if databases.server != nil {
		if err := databases.server.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// onPostgres are the scripts that every run repeats on PostgreSQL: the ones that
// use the store most. WATCHPOST_TEST_STORE=postgres repeats all.
var onPostgres = []string{
	"account-claims.txtar", "doctor.txtar", "get-api-posts-pages.txtar", "idempotency-key.txtar", "member-removal.txtar", "put-api-posts.txtar", "team-isolation.txtar",
}

// onFiles are the scripts about the files of the embedded store.
var onFiles = map[string]string{
	"backup.txtar":                    "restores into a folder",
	"asked-again-after-restore.txtar": "restores into a folder",
	"enrich.txtar":                    "reprocess refuses a path that is no data folder",
	"operations.txtar":                "metrics of the disk and of the store's size",
	"restart.txtar":                   "verify refuses the folder of a running service",
}

// TestSpecsOnPostgres runs scripts with the store in PostgreSQL.
func TestSpecsOnPostgres(t *testing.T) {
	runScripts(t, testscript.Params{Files: scriptsOn(t, "postgres", onPostgres, onFiles), Setup: func(env *testscript.Env) error {
		_, err := worldOnDatabase(env)
		return err
	}})
}

// scriptsOn returns the scripts that every run repeats on a store or, when
// WATCHPOST_TEST_STORE names it, all but those that are about something else.
func scriptsOn(t *testing.T, store string, some []string, others ...map[string]string) []string {
	if os.Getenv("WATCHPOST_TEST_STORE") == store {
		some = slices.DeleteFunc(slices.Sorted(maps.Keys(scripts(t))), func(name string) bool {
			return slices.ContainsFunc(others, func(o map[string]string) bool { return o[name] != "" })
		})
	}
	files := make([]string, 0, len(some))
	for _, name := range some {
		files = append(files, filepath.Join(scriptFolder, name))
	}
	return files
}

// worldOnDatabase makes the world of a script with an empty database.
func worldOnDatabase(env *testscript.Env) (*world, error) {
	url, err := newDatabase()
	if err != nil {
		return nil, err
	}
	if err := newWorld(env); err != nil {
		return nil, err
	}
	w := env.Values[worldKey{}].(*world)
	w.variables = []string{"WATCHPOST_STORE=" + url}
	return w, nil
}

// TestLossOfPostgres stops the database again and again while a client changes a
// watchlist. The service stays up and says why it is not ready; then it goes on each
// time, nothing acknowledged is lost, and no outage counts as a crash of the team.
func TestLossOfPostgres(t *testing.T) {
	t.Parallel()
	server, err := postgrestest.Start()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	w := isolatedWorld(t)
	w.variables = []string{"WATCHPOST_STORE=" + server.URL("postgres")}
	w.play(t, "service\nteam ACME growth ada@acme.example\nhello ADA ada@acme.example ada")
	created := w.ask(t, http.StatusOK, "ACME", "POST", "/api-keyword-watchlist", `{"name":"0","keywords":["tea"]}`)
	id, err := created.member("id")
	require.NoError(t, err)

	var acknowledged atomic.Int64
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- w.rename(id, &acknowledged, stop) }()
	more := func() {
		t.Helper()
		to := acknowledged.Load() + 10
		require.NoError(t, w.until(func() error {
			if n := acknowledged.Load(); n < to {
				return fmt.Errorf("%d changes were acknowledged", n)
			}
			return nil
		}))
	}
	more()
	for range 6 {
		require.NoError(t, server.Stop())
		w.play(t, "as nobody GET /readyz\neventually json reason ~ 'the database does not answer'\nstatus 503")
		require.NoError(t, server.Run())
		w.play(t, "as nobody GET /readyz\neventually json status == ok")
		ready := time.Now()
		more()
		t.Logf("10 changes within %v of the end of the outage", time.Since(ready))
	}
	close(stop)
	require.NoError(t, <-ended)
	line, refused := w.logged(`"actor is refused for a while"`)
	require.True(t, refused, "a team that is refused is in the log")
	require.Contains(t, line, `"store_failed":true`)
	_, crashed := w.logged(`"store_failed":false`)
	require.False(t, crashed)

	read := w.ask(t, http.StatusOK, "ACME", "GET", "/api-keyword-watchlist?id="+id, "")
	name, err := read.member("name")
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(acknowledged.Load()), name)
	w.play(t, "as operator GET /metrics\ntext ~ '(?m)^watchpost_store_up 1$'\ntext ~ '(?m)^watchpost_store_pool_used\\{pool=\"views\"\\}'\n"+
		"service stop\nrun verify --data $DATA\nstatus 0\ntext ~ '^1 teams, 0 posts, 0 problems\\n0 records of journals, 0 problems$'")
}

// TestOneServicePerDatabase starts a second service on the database of a running
// one, and verify. Both are refused, and the error names the running process.
func TestOneServicePerDatabase(t *testing.T) {
	t.Parallel()
	url, err := newDatabase()
	require.NoError(t, err)
	w := isolatedWorld(t)
	w.variables = []string{"WATCHPOST_STORE=" + url}
	w.play(t, "service\nrun verify --data $DATA\nstatus 1\n"+
		"text ~ 'the database is in use by another process .watchpost, process [0-9]+ on .+: stop that process first'\n"+
		"run serve --listen 127.0.0.1:0 --data $DATA/second\nstatus 1\ntext ~ 'the database is in use by another process'\n"+
		"service stop\nrun verify --data $DATA\nstatus 0")
}

// rename gives a watchlist one number after the other as its name, until stop
// is closed. A change that is refused because the store is away is repeated.
func (w *world) rename(id string, acknowledged *atomic.Int64, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		n := acknowledged.Load() + 1
		r, err := w.request("ACME", "PUT", "/api-keyword-watchlist", fmt.Appendf(nil, `{"id":%q,"name":"%d"}`, id, n))
		switch {
		case err != nil:
			return err
		case r.status == http.StatusOK:
			acknowledged.Store(n)
		case r.status != http.StatusInternalServerError:
			return fmt.Errorf("change %d: %s", n, r)
		}
	}
}
