package crash

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres/postgrestest"
)

// TestBackupUnderLoad makes backups while clients use the service, and restores the
// last one into an empty store. Everything acknowledged before that backup began is
// there. Sessions go on with the journals that they had, and clients ask again for the
// writes that the store does not know. No write is done twice and no allowance exceeded,
// although the store lacks later actions. A follower of the changes gets the error that
// its cursor is of a time that the store does not know.
func TestBackupUnderLoad(t *testing.T) {
	backups := "WATCHPOST_BACKUP_TO=" + filepath.Join(t.TempDir(), "backups")
	variables, restored := []string{backups}, []string{backups}
	if os.Getenv("WATCHPOST_TEST_STORE") == "postgres" {
		server, err := postgrestest.Start()
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, server.Close()) })
		url, err := server.NewDatabase(t.Context())
		require.NoError(t, err)
		variables, restored = append(variables, "WATCHPOST_STORE="+server.URL("postgres")), append(restored, "WATCHPOST_STORE="+url)
	}
	d := newCrashTest(t, newSeed(t), variables, false)
	d.maxWrites = writes
	f := d.newFollower()
	followed := f.follow()
	end := d.startClients()
	var promised *truth
	for n := 1; n <= 3; n++ { // a full one, and two that add to it
		d.eventually("more is acknowledged", func() bool { return d.acknowledged() >= 40*n })
		promised = d.promised()
		d.admin("/admin/backup", map[string]any{}, nil)
	}
	d.eventually("the backup lacks something", func() bool { return d.acknowledged() >= 160 })
	end()
	followed()
	last := d.truth.watchlists

	d.restore(restored)
	d.startService()
	f.checkRestored()
	d.hasWatchlists(promised.watchlists, last)
	d.truth.tasks, d.truth.watchlists = promised.tasks, nil
	known := map[string]bool{}
	for _, w := range promised.writes {
		known[w.key] = true
	}
	for _, w := range d.truth.writes {
		switch {
		case known[w.key]:
		case writeKinds[w.kind].kind == "invitation": // they are closed for the week
			w.status = "unknown to the restored store"
		default:
			w.answer, w.task, w.refused = nil, "", false
		}
	}
	d.checkAllowances()
	d.settleWrites()
	d.nextDay()
	d.settle()
	d.checkWrites()
	t.Logf("%d watchlists, %d tasks and %d writes were acknowledged before the backup; %d writes in all",
		len(promised.watchlists), len(promised.tasks), len(promised.writes), len(d.truth.writes))
}

// acknowledged counts the tasks and writes with a reply.
func (d *crashTest) acknowledged() int {
	now := d.promised()
	return len(now.tasks) + len(now.writes)
}

// promised returns the acknowledged state.
func (d *crashTest) promised() *truth {
	now := &truth{}
	d.truth.mu.Lock()
	defer d.truth.mu.Unlock()
	now.watchlists, now.tasks = maps.Clone(d.truth.watchlists), maps.Clone(d.truth.tasks)
	for _, w := range d.truth.writes {
		if w.answer != nil {
			now.writes = append(now.writes, w)
		}
	}
	return now
}

// restore ends the service and restores the newest backup; variables name the store.
func (d *crashTest) restore(variables []string) {
	d.service.Kill()
	key := filepath.Join(d.data, "master.key")
	d.data = filepath.Join(d.dir, "restored")
	d.variables = append(variables, "WATCHPOST_MASTER_KEY_FILE="+key)
	_, place, _ := strings.Cut(variables[0], "=")
	command := exec.Command(d.binary, "restore", "--from", place, "--data", d.data)
	command.Env = append(os.Environ(), d.variables...)
	output, err := command.CombinedOutput()
	require.NoError(d.t, err, "%s", output)
	require.Contains(d.t, string(output), " 0 problems of the index")
	d.up = make(chan struct{})
}

// hasWatchlists compares the service's watchlists with names that were acknowledged
// before its moment; last are the names at the end of all requests.
func (d *crashTest) hasWatchlists(before, last map[string]string) {
	for id, name := range before {
		status, body := d.request("GET", "/api-keyword-watchlist?id="+id, nil)
		switch {
		case name == "":
			require.Equal(d.t, http.StatusNotFound, status, "deleted watchlist %s: %s", id, body)
		case last[id] == name:
			require.Equal(d.t, http.StatusOK, status, "watchlist %s: %s", id, body)
			require.Equal(d.t, name, field(body, "name"))
		case last[id] != "":
			require.Equal(d.t, http.StatusOK, status, "watchlist %s: %s", id, body)
		}
	}
	status, body := d.request("GET", "/api-keyword-watchlist", nil)
	require.Equal(d.t, http.StatusOK, status)
	var list struct{ Watchlists []json.RawMessage }
	require.NoError(d.t, json.Unmarshal(body, &list))
	require.NotEmpty(d.t, list.Watchlists)
}
