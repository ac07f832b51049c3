package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// long skips a test that takes minutes.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("WATCHPOST_LONG") == "" {
		t.Skip("WATCHPOST_LONG is not set")
	}
}

// runMake runs a target of the Makefile in a folder.
func runMake(t *testing.T, dir string, args ...string) (said string, err error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "make", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}

// TestReleaseIsReproducible runs make release in two copies of the repository, the second
// time with an empty build cache.
func TestReleaseIsReproducible(t *testing.T) {
	long(t)
	tools := filepath.Dir(tool(t, "nfpm"))
	var sums [2]string
	for i := range sums {
		root := filepath.Join(t.TempDir(), "copy")
		copied, err := exec.CommandContext(t.Context(), "git", "clone", "-q", "../..", root).CombinedOutput()
		require.NoError(t, err, string(copied))
		require.NoError(t, os.Mkdir(filepath.Join(root, "bin"), 0o700))
		require.NoError(t, os.Symlink(tools, filepath.Join(root, "bin", "tools")))
		if i == 1 {
			t.Setenv("GOCACHE", t.TempDir())
		}
		said, err := runMake(t, root, "release", "VERSION=v1.2.3", "PLATFORMS=linux/amd64")
		require.NoError(t, err, said)
		content, err := os.ReadFile(filepath.Join(root, "dist", "SHA256SUMS"))
		require.NoError(t, err)
		sums[i] = string(content)
		check := exec.CommandContext(t.Context(), "sha256sum", "--strict", "-c", "SHA256SUMS")
		check.Dir = filepath.Join(root, "dist")
		out, err := check.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	require.Equal(t, sums[0], sums[1])
	require.Contains(t, sums[0], "watchpost_1.2.3_linux_amd64.tar.gz")
	require.Contains(t, sums[0], "watchpost_1.2.3_amd64.deb")
}

// vulnerabilities writes a database of vulnerabilities of Go, in which a function of a
// module has one; without a module it has none.
func vulnerabilities(t *testing.T, module, function string) (url string) {
	t.Helper()
	const entry = `"id":"GO-2026-0001","modified":"2026-01-01T00:00:00Z"`
	files := map[string]string{"index/db.json": `{"modified":"2026-01-01T00:00:00Z"}`, "index/modules.json": `[]`, "index/vulns.json": `[]`}
	if module != "" {
		files["index/modules.json"] = `[{"path":"` + module + `","vulns":[{` + entry + `}]}]`
		files["index/vulns.json"] = `[{` + entry + `}]`
		files["ID/GO-2026-0001.json"] = `{"schema_version":"1.3.1",` + entry + `,"published":"2026-01-01T00:00:00Z","details":"A fault for a test","database_specific":{"url":"https://vulnerabilities.example/1"},
			"affected":[{"package":{"name":"` + module + `","ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],
			"ecosystem_specific":{"imports":[{"path":"` + module + `","symbols":["` + function + `"]}]}}]}`
	}
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return "file://" + dir
}

// TestAudit runs make audit: with databases that know of nothing, with a vulnerability that
// the program has, with one of an npm package, with a check that fails, and with databases
// that cannot be read: only that is no failure.
func TestAudit(t *testing.T) {
	long(t)
	tool(t, "govulncheck")
	var advisories atomic.Value
	advisories.Store("{}")
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/security/advisories/bulk") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = fmt.Fprint(w, advisories.Load())
	}))
	t.Setenv("npm_config_registry", registry.URL)
	t.Setenv("npm_config_fetch_retries", "0")
	t.Setenv("npm_config_cache", t.TempDir())
	audit := func(database string) (string, error) { return runMake(t, "../..", "audit", "VULNDB="+database) }

	said, err := audit(vulnerabilities(t, "", ""))
	require.NoError(t, err, said)
	for _, text := range []string{"all modules verified", "github.com/dgraph-io/badger/v4", "No vulnerabilities found", "extension: no known vulnerabilities", "http/dashboard: no known vulnerabilities"} {
		require.Contains(t, said, text)
	}
	said, err = audit(vulnerabilities(t, "github.com/alecthomas/kong", "New"))
	require.Error(t, err, said)
	require.Contains(t, said, "audit: known vulnerabilities, see above")

	broken := filepath.Join(t.TempDir(), "bin")
	require.NoError(t, os.MkdirAll(filepath.Join(broken, "tools"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(broken, "tools", "govulncheck"), []byte("#!/bin/sh\necho panic; exit 2\n"), 0o700))
	installed, err := filepath.Glob("../../bin/tools/govulncheck-*")
	require.NoError(t, err)
	require.Len(t, installed, 1)
	require.NoError(t, os.WriteFile(filepath.Join(broken, "tools", filepath.Base(installed[0])), nil, 0o600))
	said, err = runMake(t, "../..", "audit", "BIN="+broken)
	require.Error(t, err, said)
	require.Contains(t, said, "audit: govulncheck failed, see above")

	unreadable := "file://" + filepath.Join(t.TempDir(), "none")
	advisories.Store(`{"htmx.org":[{"id":1,"url":"https://advisories.example/1","title":"A fault for a test","severity":"high","vulnerable_versions":"<99"}]}`)
	said, err = audit(unreadable)
	require.Error(t, err, said)
	require.Contains(t, said, "VULNERABILITIES OF GO MODULES WERE NOT CHECKED")
	require.Contains(t, said, "audit: known vulnerabilities in http/dashboard, see above")

	registry.Close()
	said, err = audit(unreadable)
	require.NoError(t, err, said)
	require.Contains(t, said, "VULNERABILITIES OF NPM PACKAGES OF extension WERE NOT CHECKED")
}
