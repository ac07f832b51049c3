package main

import (
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/stretchr/testify/require"
)

// TestMemoryIsBoundByTheCgroup: GOMEMLIMIT takes precedence over the cgroup's
// limit. Without either there is no limit, however much memory is in use.
func TestMemoryIsBoundByTheCgroup(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	now := func() int64 { return debug.SetMemoryLimit(-1) }
	log := slog.New(slog.DiscardHandler)
	boundMemory(memlimit.Limit(1<<30), log)
	require.InDelta(t, 0.9*(1<<30), now(), 1)
	boundMemory(func() (uint64, error) { return 0, memlimit.ErrNoLimit }, log)
	require.EqualValues(t, int64(math.MaxInt64), now())
	boundMemory(func() (uint64, error) { return 0, errors.New("no cgroups here") }, log)
	require.EqualValues(t, int64(math.MaxInt64), now())
	t.Setenv("GOMEMLIMIT", "off")
	boundMemory(memlimit.Limit(1<<30), log)
	require.EqualValues(t, int64(math.MaxInt64), now())
}

// TestServeChecks: an unsafe or impossible configuration is refused before
// anything is opened. The error names the flag.
func TestServeChecks(t *testing.T) {
	t.Parallel()
	const token = "sixteen-letters-"
	for says, c := range map[string]serveCommand{
		"--listen 0.0.0.0:0 is not loopback":     {Listen: "0.0.0.0:0"},
		"--ops-listen 0.0.0.0:0 is not loopback": {Listen: "127.0.0.1:0", OpsListen: "0.0.0.0:0"},
		"--ops-listen: ":                         {Listen: "127.0.0.1:0", OpsListen: "nonsense"},
		"--admin-token: want at least 16":        {Listen: "127.0.0.1:0", AdminToken: token[:15]},
		"--min-free-disk: want 0":                {Listen: "127.0.0.1:0", MinFree: 63},
		"--public-url: http://watch.example.com": {Listen: "127.0.0.1:0", PublicURL: "http://watch.example.com"},
		"--oidc-issuer needs --public-url":       {Listen: "127.0.0.1:0", OIDC: oidcFlags{Issuer: "https://id.example.com"}},
		"--oidc-issuer is missing":               {Listen: "127.0.0.1:0", Registration: "oidc"},
		"--oidc-issuer http://id.example.com":    {Listen: "127.0.0.1:0", PublicURL: "https://w.example", OIDC: oidcFlags{Issuer: "http://id.example.com", ClientID: "w", ClientSecret: "s", Domains: []string{"a.example"}}},
		"--oidc-domains *: want mail domains":    {Listen: "127.0.0.1:0", PublicURL: "https://w.example", OIDC: oidcFlags{Issuer: "https://id.example.com", ClientID: "w", ClientSecret: "s", Domains: []string{"*"}}},
		"the demo serves this machine only":      {Listen: "0.0.0.0:0", AdminToken: "demo", demo: true},
	} {
		require.ErrorContains(t, c.check(), says)
	}
	for _, c := range []serveCommand{
		{Listen: "127.0.0.1:0", OpsListen: "[::1]:0", AdminToken: token, MinFree: 64},
		{Listen: "0.0.0.0:0", OpsListen: "0.0.0.0:0", Insecure: true},
		{Listen: "localhost:0", AdminToken: "demo", demo: true},
	} {
		require.NoError(t, c.check())
	}
}

// TestTeamSendsNoTokenInClear: the token is sent to another machine without TLS
// only with --insecure.
func TestTeamSendsNoTokenInClear(t *testing.T) {
	t.Parallel()
	for server, refused := range map[string]bool{
		"http://127.0.0.1:8080": false, "http://localhost": false, "http://[::1]:1": false, "https://remote.example": false,
		"http://remote.example": true, "http://10.0.0.1:8080": true, "remote.example": true, "": true,
	} {
		err := (&adminFlags{Server: server}).checkServer()
		require.Equal(t, refused, err != nil, "%s: %v", server, err)
	}
	require.NoError(t, (&adminFlags{Server: "http://remote.example", Insecure: true}).checkServer())
	err := (&adminFlags{Server: "http://remote.example", AdminToken: "x"}).call(t.Context(), "list the teams", "GET", "/admin/teams", nil, nil)
	require.EqualError(t, err, "list the teams: --server http://remote.example: the admin token would travel in clear: use https, or give --insecure")
}

// TestOwnNamesOnly: a foreign name is refused even if it resolves to this
// machine.
func TestOwnNamesOnly(t *testing.T) {
	t.Parallel()
	h := ownNamesOnly(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for host, status := range map[string]int{
		"127.0.0.1:8080": 204, "localhost:1": 204, "localhost": 204, "[::1]:80": 204, "[::1]": 204,
		"evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example:80": 421, "": 421,
	} {
		r := httptest.NewRequest(http.MethodGet, "/admin/teams", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Equal(t, status, w.Code, host)
	}
}

// TestMaxSessions: the bound is the flag's, or follows from the memory limit.
func TestMaxSessions(t *testing.T) {
	t.Parallel()
	require.Equal(t, 7, (&serveCommand{MaxSessions: 7}).maxSessions(2<<30))
	require.Zero(t, (&serveCommand{}).maxSessions(math.MaxInt64), "no limit")
	require.Equal(t, 19_660, (&serveCommand{}).maxSessions(2<<30))
}
