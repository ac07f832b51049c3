package deploy

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres/postgrestest"
	"watchpost/specs/process"
)

const token = "specs-operator-token"

// service is a running service.
type service struct {
	t   *testing.T
	url string
	*process.Process
}

func serve(t *testing.T, binary, dir string, args ...string) service {
	t.Helper()
	p, err := process.Launch("service", dir, binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-token", token}, args...)...)
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	url, err := p.URL()
	require.NoError(t, err)
	return service{t, url, p}
}

// ask sends a request that must succeed.
func (s service) ask(method, path, header, value, body string, reply any) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	request.Header.Set(header, value)
	response, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	defer http.DefaultClient.CloseIdleConnections()
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	require.Less(s.t, response.StatusCode, http.StatusMultipleChoices, "%s", raw)
	require.NoError(s.t, json.Unmarshal(raw, reply))
}

func (s service) found() (key string) {
	var made struct {
		Key string `json:"api_key"`
	}
	s.ask("POST", "/admin/teams", "Authorization", "Bearer "+token, `{"email":"ada@example.com","plan":"growth"}`, &made)
	s.create(made.Key, "before")
	return made.Key
}

func (s service) create(key, name string) {
	s.t.Helper()
	var made struct{ ID string }
	s.ask("POST", "/api-keyword-watchlist", "X-Api-Key", key, `{"name":"`+name+`","keywords":["tea"]}`, &made)
}

func (s service) names(key string) (names []string) {
	s.t.Helper()
	var list struct{ Watchlists []struct{ Name string } }
	s.ask("GET", "/api-keyword-watchlist", "X-Api-Key", key, "", &list)
	for _, w := range list.Watchlists {
		names = append(names, w.Name)
	}
	return names
}

// TestRestore restores both kinds of backup as the runbook says. The team's key
// and its watchlist of before the backup are there, the later one is not.
func TestRestore(t *testing.T) {
	dir := t.TempDir()
	binary, err := process.Build(dir)
	require.NoError(t, err)

	first := serve(t, binary, dir, "--data", "data")
	key := first.found()
	require.NoError(t, first.Stop())
	require.NoError(t, os.CopyFS(filepath.Join(dir, "backup"), os.DirFS(filepath.Join(dir, "data", "store"))))
	again := serve(t, binary, dir, "--data", "data")
	again.create(key, "after")
	require.NoError(t, again.Stop())
	require.NoError(t, os.Rename(filepath.Join(dir, "data", "store"), filepath.Join(dir, "data", "before")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "data", "store"), os.DirFS(filepath.Join(dir, "backup"))))
	require.Contains(t, output(t, dir, binary, "verify", "--data", "data"), "1 teams, 0 posts, 0 problems")
	require.Equal(t, []string{"before"}, serve(t, binary, dir, "--data", "data").names(key))

	server, err := postgrestest.Start("fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	url, err := server.NewDatabase(t.Context())
	require.NoError(t, err)
	restored, err := server.NewDatabase(t.Context())
	require.NoError(t, err)
	running := serve(t, binary, dir, "--data", "second", "--store", url)
	key = running.found()
	dump := filepath.Join(dir, "dump")
	output(t, dir, server.Program("pg_dump"), "--format=custom", "--file="+dump, url)
	running.create(key, "after")
	require.NoError(t, running.Stop())
	output(t, dir, server.Program("pg_restore"), "--exit-on-error", "--dbname="+restored, dump)
	require.Contains(t, output(t, dir, binary, "verify", "--store", restored), "1 teams, 0 posts, 0 problems")
	require.Equal(t, []string{"before"}, serve(t, binary, dir, "--data", "second", "--store", restored).names(key))
}
