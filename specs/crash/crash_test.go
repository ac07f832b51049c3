// Package crash kills the running service and checks that every reply it gave
// is still true.
package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"watchpost/persistence/postgres/postgrestest"
	"watchpost/specs/process"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(binDir)
		os.Exit(code)
	}))
}

// binDir is the folder of the program, once binary has built it.
var binDir string

// binary builds the program once.
var binary = sync.OnceValues(func() (_ string, err error) {
	if binDir, err = os.MkdirTemp("", "watchpost-crash-"); err != nil {
		return "", err
	}
	return process.Build(binDir)
})

// WATCHPOST_CRASH_SEED replays a run: the same clients send the same requests,
// and the kills follow the same pauses. WATCHPOST_CRASH_MINUTES sets how long the
// kills go on.
const (
	kills     = 30
	longKills = 200
	clients   = 4
	accounts  = 3
	// maxAttempts keeps the clients within the plan's quota of watchlists: an
	// unacknowledged one may exist anyway.
	maxAttempts = 20
)

// TestCrash kills the service, and sometimes a session, with signal 9 while
// clients use it. At the end every acknowledged change must exist, final tasks
// must be unchanged, every begun task must end, and the network must have each
// write once and within its account's allowance. A follower of the changes has each
// once.
func TestCrash(t *testing.T) {
	seed := newSeed(t)
	n, minutes := kills, 0
	if os.Getenv("WATCHPOST_LONG") != "" {
		n = longKills
	}
	if given := os.Getenv("WATCHPOST_CRASH_MINUTES"); given != "" {
		var err error
		minutes, err = strconv.Atoi(given)
		require.NoError(t, err)
	}
	long := n == longKills || minutes > 0
	d := newCrashTest(t, seed, store(t), long)
	d.maxWrites = writes
	if long {
		d.maxWrites = longWrites
	}
	f := d.newFollower()
	followed := f.follow()
	end := time.Now().Add(time.Duration(minutes) * time.Minute)
	done := d.work(func(killed int) bool {
		if minutes > 0 {
			return time.Now().Before(end)
		}
		return killed < n
	})
	followed()
	if d.day == 0 { // the history has seven days
		f.checkAgain()
	}
	followed = f.follow()
	d.settleWrites()
	d.checkAllowances()
	d.settle()
	d.checkWrites()
	followed()
	f.check()
	d.check()
	t.Logf("%d kills, %d watchlists, %d tasks acknowledged, %d requests unanswered", done, len(d.truth.watchlists), len(d.truth.tasks), d.truth.unanswered)
	d.logFaults()
}

// newSeed returns a seed, or the one to be replayed.
func newSeed(t *testing.T) uint64 {
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv("WATCHPOST_CRASH_SEED"); given != "" {
		var err error
		seed, err = strconv.ParseUint(given, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("seed %d: replay with WATCHPOST_CRASH_SEED=%d", seed, seed)
	return seed
}

// email and account name the member of a session and its account.
func email(i int) string   { return fmt.Sprintf("a%d@example.com", i) }
func account(i int) string { return fmt.Sprintf("crash-%d", i) }

// crashTest is a service with its network and sessions, and the replies it
// gave.
type crashTest struct {
	t       *testing.T
	seed    uint64
	dir     string
	data    string // folder of the service
	binary  string
	address string // of the service, the same after every kill
	url     string
	key     string
	network string
	// variables name the store of the service and of verify.
	variables []string

	// up is closed while the service runs; truth.mu guards it.
	up       chan struct{}
	service  *process.Process
	sessions [accounts]*process.Process
	tokens   [accounts]string
	truth    truth
	targets  targets
	// maxWrites bounds the writes to the network.
	maxWrites int
	// faults are those in addition to the kills; nil: none.
	faults *faults
	// moving is held while the clocks move, and read while clients do a step; it
	// guards day, the number of midnights that have passed.
	moving sync.RWMutex
	day    int
	moved  time.Time // where the clocks were set last
}

// truth is the acknowledged state.
type truth struct {
	mu         sync.Mutex
	watchlists map[string]string          // id → name; "" after deletion
	tasks      map[string]json.RawMessage // id → output seen; nil: none yet
	writes     []*write
	unanswered int
}

// store returns the variables that name the store: files, or PostgreSQL with
// WATCHPOST_TEST_STORE=postgres.
func store(t *testing.T) []string {
	if os.Getenv("WATCHPOST_TEST_STORE") != "postgres" {
		return nil
	}
	server, err := postgrestest.Start()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return []string{"WATCHPOST_STORE=" + server.URL("postgres")}
}

func newCrashTest(t *testing.T, seed uint64, variables []string, long bool) *crashTest {
	d := &crashTest{t: t, variables: variables, seed: seed, dir: t.TempDir(), up: make(chan struct{}), truth: truth{watchlists: map[string]string{}, tasks: map[string]json.RawMessage{}}}
	d.data = filepath.Join(d.dir, "data")
	var err error
	if d.binary, err = binary(); long {
		d.binary, err = process.Build(d.dir, "-tags", "faults")
	}
	require.NoError(t, err)
	network := d.launch("network", "network", "--listen", "127.0.0.1:0", "--seed", "1", "--control", "--test-clock")
	t.Cleanup(network.Kill)
	d.network, err = network.URL()
	require.NoError(t, err)
	d.address = "127.0.0.1:0"
	d.startService()
	if long {
		d.faults = newFaults(d)
	}
	t.Cleanup(func() { d.service.Kill() })
	var team struct {
		ID     string
		APIKey string `json:"api_key"`
	}
	d.admin("/admin/teams", map[string]string{"email": email(0), "plan": "ultimate"}, &team)
	d.key = team.APIKey
	for i := range accounts {
		if i > 0 {
			d.admin("/admin/teams/"+team.ID+"/members", map[string]string{"email": email(i), "role": "member"}, nil)
		}
		var opened struct {
			Token string `json:"session_token"`
		}
		d.admin("/admin/teams/"+team.ID+"/sessions", map[string]string{"email": email(i)}, &opened)
		d.tokens[i] = opened.Token
		d.startSession(i)
		t.Cleanup(func() { d.sessions[i].Kill() })
	}
	// The fetched profile is that of the first session, so all must be
	// connected.
	d.eventually("the sessions are connected", func() bool {
		_, metrics := d.send("GET", "/metrics", http.Header{"Authorization": {"Bearer operator-of-the-crash-test"}}, nil)
		return bytes.Contains(metrics, []byte(fmt.Sprintf("watchpost_sessions_connected %d\n", accounts)))
	})
	d.collectTargets()
	return d
}

func (d *crashTest) launch(name string, args ...string) *process.Process {
	p, err := process.LaunchWith(d.variables, name, d.dir, d.binary, args...)
	require.NoError(d.t, err)
	return p
}

func (d *crashTest) startService() {
	var url string
	for tries := 0; ; tries++ {
		var err error
		d.service, err = process.LaunchWith(append(d.faults.variables(), d.variables...), "service", d.dir, d.binary,
			"serve", "--listen", d.address, "--data", d.data, "--admin-token", "operator-of-the-crash-test", "--test-clock")
		require.NoError(d.t, err)
		if url, err = d.service.URL(); err == nil {
			break
		}
		// A fault of the store may end the service before it serves.
		require.True(d.t, d.faults != nil && tries < 20, "%v", err)
		d.faults.take(d.service)
	}
	if d.url == "" {
		d.url, d.address = url, url[len("http://"):]
	}
	close(d.up)
}

func (d *crashTest) startSession(i int) {
	d.sessions[i] = d.launch("session", "session", "--server", d.sessionURL(), "--token", d.tokens[i], "--network-url", d.network,
		"--account", account(i), "--journal", filepath.Join(d.dir, fmt.Sprintf("journal-%d", i)))
}

// work runs the clients and kills the service while more says so. It returns the
// number of kills.
func (d *crashTest) work(more func(killed int) bool) (killed int) {
	end := d.startClients()
	random := rand.New(rand.NewPCG(d.seed, clients))
	d.faults.begin()
	for ; more(killed); killed++ {
		pause := time.NewTimer(time.Duration(20+random.IntN(300)) * time.Millisecond)
		<-pause.C
		if victim := random.IntN(2 * accounts); victim < accounts && random.IntN(2) == 0 {
			d.sessions[victim].Kill()
			d.startSession(victim)
		}
		d.disturb()
		d.truth.mu.Lock()
		d.up = make(chan struct{})
		d.truth.mu.Unlock()
		d.service.Kill()
		require.NoError(d.t, d.service.Fault())
		d.faults.take(d.service)
		d.startService()
	}
	end()
	d.calm()
	return killed
}

// startClients lets the clients work until the returned function is called.
func (d *crashTest) startClients() (end func()) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() { d.client(rand.New(rand.NewPCG(d.seed, uint64(c))), c, stop) })
	}
	return func() {
		close(stop)
		wg.Wait()
	}
}

// settle waits until all tasks are final. Lost leases have used allowance, so
// the clocks advance by days.
func (d *crashTest) settle() {
	for day := 0; ; day++ {
		require.Less(d.t, day, 10, "tasks do not come to an end")
		open := d.open()
		if len(open) == 0 {
			return
		}
		deadline := time.Now().Add(20 * time.Second)
		for len(open) > 0 && time.Now().Before(deadline) {
			open = d.open()
		}
		d.nextDay()
	}
}

// nextDay advances the clocks by a day, after a sign of life.
func (d *crashTest) nextDay() {
	d.awaitSignOfLife(d.moved)
	d.moveClocks(map[string]string{"advance": "24h"})
}

func (d *crashTest) open() (open []string) {
	for id := range d.truth.tasks {
		if !d.poll(id) {
			open = append(open, id)
		}
	}
	for _, w := range d.truth.writes {
		if !d.final(w) {
			open = append(open, w.task)
		}
	}
	return open
}

// check compares the service's data with the acknowledged state.
func (d *crashTest) check() {
	for id, name := range d.truth.watchlists {
		status, body := d.request("GET", "/api-keyword-watchlist?id="+id, nil)
		if name == "" {
			require.Equal(d.t, http.StatusNotFound, status, "deleted watchlist %s: %s", id, body)
			continue
		}
		require.Equal(d.t, http.StatusOK, status, "watchlist %s: %s", id, body)
		require.Equal(d.t, name, field(body, "name"))
	}
	require.NotEmpty(d.t, d.truth.tasks)
	require.NoError(d.t, d.service.Stop())
	verify := exec.Command(d.binary, "verify", "--data", d.data)
	verify.Env = append(os.Environ(), d.variables...)
	output, err := verify.CombinedOutput()
	require.NoError(d.t, err, "posts and their index differ: %s", output)
}

// expect reports whether a reply is correct. While the test kills the service,
// a missing reply or the text of a temporary error is allowed.
func (d *crashTest) expect(status, want int, body []byte) bool {
	d.truth.mu.Lock()
	defer d.truth.mu.Unlock()
	return d.expectLocked(status, want, body)
}

func (d *crashTest) expectLocked(status, want int, body []byte) bool {
	switch {
	case status == want:
		return true
	case status == 0, status == http.StatusInternalServerError && field(body, "error") == "Temporarily unavailable, retry later",
		// A read that failed has the words of its resource.
		d.faults != nil && status == http.StatusInternalServerError && strings.HasPrefix(field(body, "error"), "Failed to "):
		d.truth.unanswered++
	default:
		d.t.Errorf("got %d, want %d: %s", status, want, body)
	}
	return false
}

// eventually polls a condition.
func (d *crashTest) eventually(what string, so func() bool) {
	d.t.Helper()
	deadline := time.Now().Add(process.Patience)
	for !so() {
		if time.Now().After(deadline) {
			d.t.Fatal("not in time: " + what)
		}
	}
}

func field(body []byte, name string) string {
	var object map[string]any
	_ = json.Unmarshal(body, &object)
	value, _ := object[name].(string)
	return value
}
