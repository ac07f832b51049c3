package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres/postgrestest"
	"watchpost/specs/process"
)

// Sizes of a drill. The short form has fewer teams.
const (
	drillTeams     = 6
	shortTeams     = 4
	clientsPerTeam = 3
	// commentCap is how many comments an account may write on a day.
	commentCap = 25
)

// TestDrill has faults happen to a cluster under load, one after the other, and checks
// every reply. Clients and sessions know one address, that of HAProxy with the shipped
// file; a third of the clients send every request once. The history of each team is linearizable, which includes that nothing
// acknowledged is lost, that no read is older than an acknowledged write, and that the
// plan's number of watchlists is kept. A reader of each change feed gets each change once. Each comment reaches the network once, and no
// account exceeds its allowance. Everything answers in the end. Times are logged, and
// not judged.
//
// Without WATCHPOST_DRILL_MINUTES each fault of a short list happens once. SEED replays
// the order of the faults and the requests of the clients.
func TestDrill(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv("WATCHPOST_DRILL_SEED"); given != "" {
		var err error
		seed, err = strconv.ParseUint(given, 10, 64)
		require.NoError(t, err)
	}
	minutes, _ := strconv.Atoi(os.Getenv("WATCHPOST_DRILL_MINUTES")) // 0 for the short form
	t.Logf("seed %d: replay with SEED=%d", seed, seed)
	d := newDrill(t, seed, minutes > 0, "")
	for _, of := range d.teams {
		of.follower = d.follow(of)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	d.round(fault{"none", func(*drill) {}})
	if minutes == 0 {
		for _, i := range random.Perm(len(shortFaults)) {
			d.round(shortFaults[i])
		}
	} else {
		for end := time.Now().Add(time.Duration(minutes) * time.Minute); time.Now().Before(end); {
			for _, i := range random.Perm(len(longFaults)) {
				if time.Now().Before(end) {
					d.round(longFaults[i])
				}
			}
		}
		d.round(fault{"failover to the standby", (*drill).failover})
	}
	d.finish()
	t.Log("\n" + d.figures.table())
}

// drill is a cluster under load.
type drill struct {
	*world
	seed    uint64
	long    bool
	began   time.Time
	primary *postgrestest.Server
	standby *postgrestest.Server // of the long form
	// databases are the links of each node to the primary and to the standby.
	databases [nodes][2]*link
	peers     [nodes]*link // in front of each node, for the others
	proxy     string       // the address that clients and sessions know
	network   string
	sessions  []*process.Process
	teams     []*drillTeam
	figures   figures
	wrong     atomic.Pointer[error]
}

// newDrill starts a cluster. Its nodes run the program of this revision, or binary.
func newDrill(t *testing.T, seed uint64, long bool, binary string) *drill {
	d := &drill{seed: seed, long: long, began: time.Now()}
	var err error
	settings := []string{"synchronous_commit=on"}
	if !long {
		settings = append(settings, "fsync=off") // the machine does not crash, and the database is up sooner
	}
	if d.primary, err = postgrestest.StartWithClock(settings...); errors.Is(err, postgrestest.ErrNoClock) {
		d.primary, err = postgrestest.Start(settings...)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.primary.Close()) })
	if long {
		d.standby, err = d.primary.Standby()
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, d.standby.Close()) })
	}
	d.world = emptyWorld(t)
	d.drainTime = "5s" // the default, which world.launch takes away
	d.store = d.primary.URL("postgres")
	for i := range d.nodes {
		n := &d.nodes[i]
		n.binary, n.listen, n.clusterListen = binary, freeAddress(t), freeAddress(t)
		d.peers[i] = newLink(t, func() (net.Conn, error) { return net.Dial("tcp", n.clusterListen) })
		n.advertise = d.peers[i].address()
		hosts := ""
		for k, server := range []*postgrestest.Server{d.primary, d.standby} {
			if server == nil {
				continue
			}
			d.databases[i][k] = newLink(t, func() (net.Conn, error) { return net.Dial("unix", server.Socket()) })
			if hosts != "" {
				hosts += ","
			}
			hosts += d.databases[i][k].address()
		}
		n.store = "postgres://watchpost@" + hosts + "/postgres?sslmode=disable"
		d.start(i)
	}
	d.proxy, _ = d.startProxy()
	d.people()
	return d
}

func (d *drill) now() time.Duration { return time.Since(d.began) }

func (d *drill) fail(err error) { d.wrong.CompareAndSwap(nil, &err) }

// people makes the teams, each with a session on the network, and finds posts to
// comment on.
func (d *drill) people() {
	t := d.t
	network, err := process.Launch("network", d.dir, d.binary, "network", "--listen", "127.0.0.1:0", "--control")
	require.NoError(t, err)
	t.Cleanup(network.Kill)
	d.network, err = network.URL()
	require.NoError(t, err)
	count := shortTeams
	if d.long {
		count = drillTeams
	}
	for k := range count {
		of := &drillTeam{team: d.found(k%nodes, k), number: k, comments: map[string]string{}}
		var made struct{ ID string }
		d.get(k%nodes, "POST", "/api-keyword-watchlist", map[string]any{"name": "0", "keywords": []string{"team"}}, &made, "X-Api-Key", of.Key)
		of.watchlist, of.history.start = made.ID, teamState{name: "0"}
		session, err := process.Launch(fmt.Sprintf("session %d", k), d.dir, d.binary, "session", "--server", "http://"+d.proxy, "--network-url", d.network,
			"--token", d.token(k%nodes, of.team), "--account", fmt.Sprintf("drill-%d", k), "--journal", filepath.Join(d.dir, fmt.Sprintf("journal-%d", k)))
		require.NoError(t, err)
		t.Cleanup(session.Kill)
		d.sessions = append(d.sessions, session)
		d.teams = append(d.teams, of)
	}
	for _, of := range d.teams {
		d.eventually("posts are collected", func() bool {
			var page struct {
				Data []struct {
					URN string `json:"network_post_urn"`
				}
			}
			d.get(of.number%nodes, "GET", "/api-posts", nil, &page, "X-Api-Key", of.Key)
			if len(page.Data) > 0 {
				of.post = page.Data[0].URN
			}
			return of.post != ""
		})
	}
}

// round runs the clients while a fault happens and until every team goes on, and
// checks their histories.
func (d *drill) round(f fault) {
	d.t.Helper()
	stop := make(chan struct{})
	var running sync.WaitGroup
	for _, of := range d.teams {
		of.answered.Store(0)
		for k := range clientsPerTeam {
			c := of.client(d, k)
			running.Go(func() { c.run(stop) })
		}
	}
	end := sync.OnceFunc(func() { close(stop); running.Wait() })
	defer end()
	d.goOn()
	f.happen(d)
	d.goOn()
	end()
	d.mustBeRight()
	operations := 0
	for _, of := range d.teams {
		reader := of.client(d, clientsPerTeam)
		reader.read()
		d.mustBeRight()
		n := len(of.history.operations)
		last := of.history.operations[n-1].Output.(answer)
		require.True(d.t, last.known, "the last read of a round is answered")
		result, checked := of.history.check(last.state, d.now())
		if result != porcupine.Ok {
			file := filepath.Join(os.TempDir(), fmt.Sprintf("watchpost-drill-%d-team%d.txt", d.seed, of.number))
			_ = os.WriteFile(file, fmt.Appendf(nil, "%+v", checked), 0o600) // for a person
			d.t.Fatalf("%s: the history of team %d is not linearizable (%s): %s", f.name, of.number, result, file)
		}
		operations += len(checked)
	}
	d.t.Log(d.figures.end(f.name, operations))
	for i := range d.nodes {
		require.NoError(d.t, d.nodes[i].process.Fault())
	}
}

// client returns the client of that number; it goes on where the last round ended.
func (of *drillTeam) client(d *drill, number int) *drillClient {
	for len(of.clients) <= number {
		k := len(of.clients)
		of.clients = append(of.clients, &drillClient{d: d, of: of, number: k, once: k == clientsPerTeam-1, random: rand.New(rand.NewPCG(d.seed, uint64(1+of.number*10+k)))})
	}
	return of.clients[number]
}

// goOn waits until every team has answered more requests.
func (d *drill) goOn() {
	d.t.Helper()
	for _, of := range d.teams {
		to := of.answered.Load() + 20
		d.eventually("every team goes on", func() bool { return of.answered.Load() >= to || d.wrong.Load() != nil })
	}
	d.mustBeRight()
}

func (d *drill) mustBeRight() {
	d.t.Helper()
	if wrong := d.wrong.Load(); wrong != nil {
		d.t.Fatal(*wrong)
	}
}

// finish waits for the tasks, compares the writes at the network with them, and
// verifies the stored posts.
func (d *drill) finish() {
	t := d.t
	completed := map[string]bool{}
	tasks := 0
	for _, of := range d.teams {
		for text, id := range of.comments {
			tasks++
			d.eventually("the task of "+text+" ends, or waits for tomorrow", func() bool {
				var task struct {
					Data struct {
						Status string
						Reason string `json:"pending_reason"`
					}
				}
				status, raw := d.requestAt(d.proxy, "GET", "/network-agent/get-task-status?api_agent_task_id="+id, nil, "X-Api-Key", of.Key)
				if status != http.StatusOK || json.Unmarshal(raw, &task) != nil {
					return false
				}
				completed[text] = task.Data.Status == "completed"
				return task.Data.Status != "pending" || task.Data.Reason == "daily_cap"
			})
		}
	}
	for _, of := range d.teams {
		var done []string
		for text, id := range of.comments {
			if completed[text] {
				done = append(done, id)
			}
		}
		if of.follower != nil {
			of.follower.check(done)
		}
	}
	d.mustBeRight()
	written, accounts := d.written()
	for text, times := range written {
		require.Equal(t, 1, times, "%q was written more than once", text)
	}
	for text, done := range completed {
		if done {
			require.Equal(t, 1, written[text], "%q was completed, and not written", text)
		}
	}
	for account, number := range accounts {
		require.LessOrEqual(t, number, commentCap, "comments of %s", account)
	}
	stopped := make([]error, nodes)
	var stopping sync.WaitGroup
	for i := range d.nodes {
		stopping.Go(func() { stopped[i] = d.nodes[i].process.Stop() })
	}
	stopping.Wait()
	require.NoError(t, errors.Join(stopped...))
	store := d.primary
	if d.standby != nil {
		store = d.standby // the primary is gone
	}
	verify, err := process.LaunchWith([]string{"WATCHPOST_STORE=" + store.URL("postgres")}, "verify", d.dir, d.binary, "verify")
	require.NoError(t, err)
	<-verify.Done()
	require.Zero(t, verify.ExitCode(), verify.Tail())
	t.Logf("%d tasks that write, %d writes at the network, each once", tasks, len(written))
}

// written counts the comments of today at the network, by text and by account.
func (d *drill) written() (texts, accounts map[string]int) {
	response, err := d.client.Get(d.network + "/_control/writes")
	require.NoError(d.t, err)
	defer response.Body.Close()
	var all struct {
		Writes []struct {
			Account, Kind, Text string
			At                  time.Time
		}
	}
	require.NoError(d.t, json.NewDecoder(response.Body).Decode(&all))
	texts, accounts = map[string]int{}, map[string]int{}
	for _, w := range all.Writes {
		if w.Kind == "comment" {
			texts[w.Text]++
			accounts[w.Account+w.At.UTC().Format(" on 2006-01-02")]++
		}
	}
	return texts, accounts
}
