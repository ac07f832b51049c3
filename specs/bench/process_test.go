package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// binary is the program under measurement, built once.
var binary string

// bareVariable makes this test binary the bare peer instead.
const bareVariable = "WATCHPOST_BENCH_BARE"

func TestMain(m *testing.M) {
	if os.Getenv(bareVariable) != "" {
		runBare()
		return
	}
	dir, err := os.MkdirTemp("", "watchpost-bench-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "watchpost")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, "../../cmd/watchpost")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	code := 1
	if err = build.Run(); err == nil {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// process is a server that was started for a measurement.
type process struct {
	t    testing.TB
	url  string
	cmd  *exec.Cmd
	took time.Duration // from start to ready
}

const adminToken = "bench"

// startWatchpost starts the service in a fresh folder, or in dir.
func startWatchpost(t testing.TB, dir string) *process {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	began := time.Now()
	cmd := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--data", dir, "--admin-token", adminToken, "--test-clock")
	p := start(t, cmd, func(line string) string {
		var entry struct{ Msg, URL string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "serving" {
			return entry.URL
		}
		return ""
	})
	response, err := http.Get(p.url + "/readyz")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	p.took = time.Since(began)
	return p
}

// startBare starts the bare peer.
func startBare(t testing.TB) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), bareVariable+"=1")
	return start(t, cmd, func(line string) string {
		if url, found := strings.CutPrefix(line, "bare "); found {
			return url
		}
		return ""
	})
}

// start runs a server and waits for the line on standard error that tells its
// address. The process is ended with the test.
func start(t testing.TB, cmd *exec.Cmd, address func(line string) string) *process {
	t.Helper()
	pipe, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &process{t: t, cmd: cmd}
	lines := bufio.NewScanner(pipe)
	for p.url == "" && lines.Scan() {
		p.url = address(lines.Text())
	}
	require.NotEmpty(t, p.url, "the server did not tell its address")
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, pipe)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-drained
		_ = cmd.Wait()
	})
	return p
}

// memory returns the resident and the anonymous memory of the process in bytes.
func (p *process) memory() (resident, anonymous int64) {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
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
func (p *process) admin(method, path string, body, reply any) {
	p.t.Helper()
	p.call(method, path, "Authorization", "Bearer "+adminToken, body, reply)
}

// api calls the API with a team's key and decodes the reply.
func (p *process) api(method, path, key string, body, reply any) {
	p.t.Helper()
	p.call(method, path, "x-api-key", key, body, reply)
}

func (p *process) call(method, path, header, value string, body, reply any) {
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

// client keeps a connection for each of the callers.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}
