package cluster

import (
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"watchpost/internal/cluster"
	"watchpost/persistence/postgres/postgrestest"
)

// fault is something that happens to a cluster under load, and ends.
type fault struct {
	name   string
	happen func(*drill)
}

var shortFaults = []fault{
	{"kill -9, start", (*drill).kill},
	{"graceful stop, join", (*drill).restart},
	{"SIGSTOP until removed, SIGCONT", func(d *drill) { d.stopAndContinue(0) }},
	{"node cut from the database until removed", func(d *drill) { d.cutFromDatabase(0) }},
	{"two nodes cut from each other until they serve", func(d *drill) { d.cutPair(0) }},
	{"PostgreSQL crash", (*drill).crashDatabase},
}

var longFaults = append([]fault{
	{"rolling restart", (*drill).rollingRestart},
	{"drain, restart", (*drill).drain},
	{"SIGSTOP 15 s, SIGCONT", func(d *drill) { d.stopAndContinue(15 * time.Second) }},
	{"node cut from the database 12 s", func(d *drill) { d.cutFromDatabase(12 * time.Second) }},
	{"node cut from the other nodes 8 s", (*drill).cutFromPeers},
	{"node cut from the other nodes and the database 12 s", (*drill).isolate},
	{"two nodes cut from each other 8 s", func(d *drill) { d.cutPair(8 * time.Second) }},
	{"clock of a node 10 min forward, back, 10 min behind", (*drill).stepClock},
	{"PostgreSQL restart", (*drill).restartDatabase},
	{"PostgreSQL frozen 12 s", (*drill).freezeDatabase},
	{"clock of the database 10 s forward, back, 10 s behind", (*drill).stepDatabaseClock},
	{"database 20 ms slower per packet, 8 s", (*drill).slowDatabase},
}, shortFaults[0], shortFaults[1], shortFaults[5])

// victim is the node of the next fault: the one with the most teams.
func (d *drill) victim() (most int) {
	teams := -1
	for line := range strings.Lines(d.nodesCommand()) {
		fields := strings.Fields(line)
		for i := range d.nodes {
			if len(fields) < 3 || fields[0] != d.nodes[i].advertise {
				continue
			}
			if n, err := strconv.Atoi(fields[2]); err == nil && n > teams {
				most, teams = i, n
			}
		}
	}
	return most
}

func (d *drill) kill() {
	i := d.victim()
	d.nodes[i].process.Kill()
	d.peers[i].refuse()
	d.goOn()
	require.NoError(d.t, d.peers[i].admit())
	d.start(i)
}

func (d *drill) restart() { d.restartNode(d.victim()) }

func (d *drill) restartNode(i int) {
	require.NoError(d.t, d.nodes[i].process.Stop())
	d.start(i)
}

func (d *drill) rollingRestart() {
	for i := range nodes {
		d.restartNode(i)
		d.goOn()
	}
}

func (d *drill) drain() {
	i := d.victim()
	d.nodesCommand("drain", d.nodes[i].advertise)
	d.eventually("the node is drained", func() bool { return strings.Contains(d.nodesCommand(), "drained") })
	d.goOn()
	d.restartNode(i)
}

// stopAndContinue freezes a node for a time, or until the others have removed it.
func (d *drill) stopAndContinue(d1 time.Duration) {
	i := d.victim()
	began := time.Now()
	d.signal(i, syscall.SIGSTOP)
	d.removed(i)
	time.Sleep(d1 - time.Since(began))
	d.signal(i, syscall.SIGCONT)
	d.whole()
}

func (d *drill) cutFromDatabase(d1 time.Duration) {
	i := d.victim()
	began := time.Now()
	for _, l := range d.databases[i] {
		if l != nil {
			l.freeze()
			defer l.thaw()
		}
	}
	d.removed(i)
	time.Sleep(d1 - time.Since(began))
	for _, l := range d.databases[i] {
		if l != nil {
			l.thaw()
		}
	}
	d.whole()
}

func (d *drill) cutFromPeers() {
	const long = 8 * time.Second
	l := d.peers[d.victim()]
	l.freeze()
	defer l.thaw()
	time.Sleep(long)
}

// isolate leaves a node nothing but its clients.
func (d *drill) isolate() {
	const long = 12 * time.Second
	i := d.victim()
	began := time.Now()
	ways := []*link{d.peers[i]}
	for _, l := range d.databases[i] {
		if l != nil {
			ways = append(ways, l)
		}
	}
	for _, l := range ways {
		l.freeze()
		defer l.thaw()
	}
	for k := range nodes {
		if k != i {
			d.peers[k].freezeFrom(d.nodes[i].process.PID())
			defer d.peers[k].thaw()
			ways = append(ways, d.peers[k])
		}
	}
	d.removed(i)
	time.Sleep(long - time.Since(began))
	for _, l := range ways {
		l.thaw()
	}
	d.whole()
}

// freezeDatabase has the database answer no node for longer than a lease.
func (d *drill) freezeDatabase() {
	const long = 12 * time.Second
	for i := range d.databases {
		d.databases[i][0].freeze()
		defer d.databases[i][0].thaw()
	}
	time.Sleep(long)
	for i := range d.databases {
		d.databases[i][0].thaw()
	}
	d.whole()
}

// stepDatabaseClock steps the wall clock of the database by two leases: forward, back,
// behind, and right again.
func (d *drill) stepDatabaseClock() {
	const step = 2 * cluster.DefaultTTL
	for _, offset := range []time.Duration{step, 0, -step, 0} {
		err := d.primary.StepClock(d.t.Context(), offset)
		if errors.Is(err, postgrestest.ErrNoClock) {
			d.t.Log("the clock of the database is not stepped: " + err.Error())
			return
		}
		require.NoError(d.t, err)
		d.goOn()
	}
}

// cutPair cuts a node from one other for a time, and until each serves every team: both
// still reach the third and the database.
func (d *drill) cutPair(d1 time.Duration) {
	began := time.Now()
	i := d.victim()
	k := (i + 1) % nodes
	pids := [2]int{d.nodes[i].process.PID(), d.nodes[k].process.PID()}
	d.peers[i].freezeFrom(pids[1])
	d.peers[k].freezeFrom(pids[0])
	defer d.peers[i].thaw()
	defer d.peers[k].thaw()
	for _, of := range d.teams {
		for _, edge := range []int{i, k} {
			d.eventually("a team is served at a node that is cut from its owner", func() bool {
				status, _ := d.request(edge, "GET", "/api-team", nil, "X-Api-Key", of.Key)
				return status == http.StatusOK
			})
		}
	}
	d.t.Logf("both serve every team after %v", time.Since(began).Round(time.Millisecond))
	d.goOn()
	time.Sleep(d1 - time.Since(began))
}

// stepClock steps the wall clock of a node forward, back, behind, and right again. No
// step crosses the end of the day, which would begin an allowance early.
func (d *drill) stepClock() {
	const step = 10 * time.Minute // of the build tag clockstep
	i, now := d.victim(), time.Now().UTC()
	if os.Getenv("WATCHPOST_BINARY") != "" || now.Add(-2*step).Day() != now.Add(2*step).Day() {
		d.t.Log("the clock is not stepped: the program cannot, or the day ends soon")
		return
	}
	for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGUSR2, syscall.SIGUSR1} {
		d.signal(i, s)
		d.goOn()
	}
}

func (d *drill) restartDatabase() {
	began := time.Now()
	require.NoError(d.t, d.primary.Stop())
	d.runDatabase(began)
}

func (d *drill) crashDatabase() {
	began := time.Now()
	require.NoError(d.t, d.primary.Crash())
	d.runDatabase(began)
}

// runDatabase starts the database again, and logs what a commit has waited for.
func (d *drill) runDatabase(began time.Time) {
	ended := time.Now()
	require.NoError(d.t, d.primary.Run())
	ready := time.Now()
	if d.standby != nil {
		conn, err := pgx.Connect(d.t.Context(), d.primary.URL("postgres"))
		require.NoError(d.t, err)
		defer func() { require.NoError(d.t, conn.Close(d.t.Context())) }()
		d.eventually("the standby follows", func() (follows bool) {
			require.NoError(d.t, conn.QueryRow(d.t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')").Scan(&follows))
			return follows
		})
	}
	d.t.Logf("database: ended after %v, ready after %v, standby after %v", ended.Sub(began).Round(time.Millisecond), ready.Sub(began).Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}

func (d *drill) slowDatabase() {
	const delay, long = 20 * time.Millisecond, 8 * time.Second
	for i := range d.databases {
		d.databases[i][0].slow(delay)
		defer d.databases[i][0].slow(0)
	}
	time.Sleep(long)
}

// failover ends the primary for good.
func (d *drill) failover() {
	require.NoError(d.t, d.primary.Crash())
	require.NoError(d.t, d.standby.Promote())
	d.store = d.standby.URL("postgres")
}

// removed waits until the other nodes have removed one.
func (d *drill) removed(i int) {
	d.eventually("a node is removed", func() bool { return !strings.Contains(d.nodesCommand(), d.nodes[i].advertise) })
}

// whole waits until all nodes serve.
func (d *drill) whole() {
	began := time.Now()
	d.eventually("all nodes serve", func() bool { return strings.Count(d.nodesCommand(), "serving") == nodes })
	d.t.Logf("whole again after %v", time.Since(began).Round(time.Millisecond))
}
