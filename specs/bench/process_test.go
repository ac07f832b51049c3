package bench

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/specs/cluster/local"
	"watchpost/specs/process"
)

// binary is the program under measurement, built once.
var binary string

// bareVariable makes this test binary another program: a bare peer of task
// lives or of idle sockets, the load generator of many sessions, or, if it
// names a file, a bare peer that answers requests with the file's bytes.
const bareVariable = "WATCHPOST_BENCH_BARE"

const (
	bareTasks   = "tasks"
	bareSockets = "sockets"
	bareLoad    = "load"
)

func TestMain(m *testing.M) {
	switch file := os.Getenv(bareVariable); file {
	case "":
	case bareTasks:
		runBare()
		return
	case bareSockets:
		runBareSockets()
		return
	case bareLoad:
		runLoad()
		return
	default:
		runBytes(file)
		return
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		os.Exit(m.Run()) // no benchmark runs, so no binary is needed
	}
	dir, err := os.MkdirTemp("", "watchpost-bench-")
	if err != nil {
		panic(err)
	}
	code := 1
	if binary, err = process.Build(dir, "-trimpath", "-ldflags", "-s -w"); err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// server is a server started for a measurement and stopped after it.
type server struct {
	t       testing.TB
	url     string
	process *process.Process
	took    time.Duration // from start to ready
}

const adminToken = local.AdminToken

// startWatchpost starts the service in a folder.
func startWatchpost(t testing.TB, dir string) *server {
	t.Helper()
	began := time.Now()
	p := start(t, binary, "serve", "--listen", "127.0.0.1:0", "--data", dir, "--admin-token", adminToken, "--test-clock")
	response, err := http.Get(p.url + "/readyz")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	p.took = time.Since(began)
	return p
}

// startBare starts this test binary as another program.
func startBare(t testing.TB, program string) *server {
	t.Helper()
	return start(t, "/usr/bin/env", bareVariable+"="+program, os.Args[0])
}

func start(t testing.TB, program string, args ...string) *server {
	t.Helper()
	p, err := process.Launch(filepath.Base(program), t.TempDir(), program, args...)
	require.NoError(t, err)
	t.Cleanup(p.Kill)
	url, err := p.URL()
	require.NoError(t, err)
	return &server{t: t, url: url, process: p}
}

// memory returns the resident and the anonymous memory of the process in bytes.
func (p *server) memory() (resident, anonymous int64) {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.process.PID()))
	require.NoError(p.t, err)
	field := func(name string) int64 {
		for line := range strings.Lines(string(status)) {
			if rest, found := strings.CutPrefix(line, name+":"); found {
				kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				require.NoError(p.t, err)
				return kib << 10
			}
		}
		return 0
	}
	return field("VmRSS"), field("RssAnon")
}

// admin calls the admin API and decodes the reply.
func (p *server) admin(method, path string, body, reply any) {
	p.t.Helper()
	p.call(method, path, "Authorization", "Bearer "+adminToken, body, reply)
}

func (p *server) call(method, path, header, value string, body, reply any) {
	p.t.Helper()
	encoded, err := json.Marshal(body)
	require.NoError(p.t, err)
	request, err := http.NewRequest(method, p.url+path, bytes.NewReader(encoded))
	require.NoError(p.t, err)
	request.Header.Set(header, value)
	response, err := client.Do(request)
	require.NoError(p.t, err)
	answer, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	require.NoError(p.t, response.Body.Close())
	require.Less(p.t, response.StatusCode, 300, "%s %s: %s", method, path, answer)
	if reply != nil {
		require.NoError(p.t, json.Unmarshal(answer, reply))
	}
}

// client keeps a connection for each caller.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}
