package crash

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/specs/process"
	"watchpost/specs/relay"
)

// faults are those of the long form in addition to kills: faults of the network, of the
// frames between sessions and service, of the store, and of the clocks, all drawn
// from the seed. It runs a build with the tag faults.
type faults struct {
	seed    uint64
	random  *rand.Rand
	relay   *relay.Relay
	url     string // of the relay
	on      bool
	starts  uint64
	counts  map[string]int
	crossed time.Time // the last midnight, in real time
}

// frameFault is to one of how many frames a fault happens.
const frameFault = 25

// midnightEvery is the real time between two midnights of the test.
const midnightEvery = 45 * time.Second

// networkFaults are what an account meets on the network (fakenetwork.Faults).
var networkFaults = []map[string]any{
	{"lose_answers": 1}, {"lose_answers": 3}, {"lose_writes": 1}, {"lose_writes": 3}, {"slow": "300ms"},
	{"signed_out": true}, {"challenge": true}, {"layout_changed": true}, {"rate_limited": true},
}

func newFaults(d *crashTest) *faults {
	f := &faults{seed: d.seed, random: rand.New(rand.NewPCG(d.seed, clients+1)), relay: relay.New(d.address, d.seed), counts: map[string]int{}}
	server := httptest.NewServer(f.relay)
	d.t.Cleanup(server.Close)
	d.t.Cleanup(f.relay.Calm)
	f.url = server.URL
	// A Saturday at noon, whatever the hour of the test: a clock that goes back some hours
	// stays within the day.
	start := noonOf(d.now())
	for start.Weekday() != time.Saturday || start.Before(d.now()) {
		start = start.AddDate(0, 0, 1)
	}
	d.setClocks(start)
	return f
}

// sessionURL is where sessions connect.
func (d *crashTest) sessionURL() string {
	if d.faults == nil {
		return d.url
	}
	return d.faults.url
}

// begin begins the faults of the service.
func (f *faults) begin() {
	if f != nil {
		f.on, f.crossed = true, time.Now()
		f.relay.Disturb(frameFault)
	}
}

// variables give the service its faults for one start.
func (f *faults) variables() []string {
	if f == nil || !f.on {
		return nil
	}
	f.starts++
	v := []string{fmt.Sprint("WATCHPOST_FAULTS_STORE=", f.seed+f.starts)}
	if f.random.IntN(8) == 0 {
		back := []string{"-1s", "-5m", "-3h"}[f.random.IntN(3)]
		v = append(v, "WATCHPOST_FAULTS_CLOCK="+back)
		f.counts["clock: goes back"]++
	}
	return v
}

// take counts the faults of a service that has ended.
func (f *faults) take(p *process.Process) {
	if f == nil {
		return
	}
	for _, kind := range []string{"error before", "error after", "slow", "disk full"} {
		f.counts["store: "+kind] += strings.Count(p.Output(), `"of":"store: `+kind+`"`)
	}
}

// disturb sometimes gives an account a fault of the network, or ends all of them,
// suspends the service, or lets midnight pass.
func (d *crashTest) disturb() {
	f := d.faults
	if f == nil {
		return
	}
	switch f.random.IntN(6) {
	case 0, 1:
		fault := networkFaults[f.random.IntN(len(networkFaults))]
		d.setNetworkFaults(f.random.IntN(accounts), fault)
		for name := range fault {
			f.counts["network: "+strings.ReplaceAll(name, "_", " ")]++
		}
	case 2:
		d.endNetworkFaults()
	}
	if f.random.IntN(20) == 0 && d.service.Suspend(time.Duration(f.random.IntN(1500))*time.Millisecond) == nil {
		f.counts["clock: suspended"]++
	}
	if time.Since(f.crossed) > midnightEvery {
		d.midnight()
		f.crossed = time.Now()
	}
}

// midnight lets sessions work over a midnight; the second one begins a Monday.
// Clients wait meanwhile, and know all replies: a key is remembered for a day.
//
// One session connects before: the pauses of the others grow with each life of the
// service that is too short for them, and the team needs a sign of life in 48 hours.
func (d *crashTest) midnight() {
	d.moving.Lock()
	defer d.moving.Unlock()
	f := d.faults
	began := d.now()
	f.on = false // the service keeps running
	d.restart()
	d.settleWrites()
	d.sessions[0].Kill()
	d.setNetworkFaults(0, map[string]any{})
	d.startSession(0)
	d.awaitSignOfLife(began)
	kind, next := "clock: over midnight", d.now().Truncate(24*time.Hour).AddDate(0, 0, 1)
	if next.Weekday() == time.Monday {
		kind = "clock: over Monday"
	}
	d.setClocks(next.Add(-2 * time.Second))
	d.eventually("midnight", func() bool { return d.now().Hour() == 0 && d.now().Second() >= 2 })
	d.setClocks(noonOf(d.now()))
	d.day++
	f.counts[kind]++
	f.on = true
	d.restart()
}

// restart kills the service and starts it with the faults of now.
func (d *crashTest) restart() {
	d.truth.mu.Lock()
	d.up = make(chan struct{})
	d.truth.mu.Unlock()
	d.service.Kill()
	require.NoError(d.t, d.service.Fault())
	d.faults.take(d.service)
	d.startService()
}

// now is the network's time. The service's is the same, unless it has gone back.
func (d *crashTest) now() time.Time {
	status, body := d.sendTo(d.network, "GET", "/_control/clock", nil, nil)
	require.Equal(d.t, http.StatusOK, status, "%s", body)
	now, err := time.Parse(time.RFC3339, field(body, "now"))
	require.NoError(d.t, err)
	return now
}

// noonOf is noon of a moment's day.
func noonOf(t time.Time) time.Time { return t.Truncate(24 * time.Hour).Add(12 * time.Hour) }

func (d *crashTest) setClocks(to time.Time) {
	d.moveClocks(map[string]string{"set": to.Format(time.RFC3339)})
}

// moveClocks moves the clocks, the network's first.
func (d *crashTest) moveClocks(by map[string]string) {
	status, reply := d.sendTo(d.network, "POST", "/_control/clock", nil, by)
	require.Equal(d.t, http.StatusOK, status, "%s", reply)
	d.admin("/admin/clock", by, nil)
	d.moved = d.now()
}

// awaitSignOfLife waits until a session has given a sign of life since a moment: moving
// the clocks is none, and the team may use the network for 48 hours after one.
func (d *crashTest) awaitSignOfLife(since time.Time) {
	d.eventually("a session gives a sign of life", func() bool {
		status, body := d.request("GET", "/api-team", nil)
		var team struct {
			Members []struct {
				Extension struct {
					LastActive time.Time `json:"last_active_at"`
				}
			}
		}
		if !d.expect(status, http.StatusOK, body) {
			return false
		}
		require.NoError(d.t, json.Unmarshal(body, &team), "%s", body)
		for _, m := range team.Members {
			if m.Extension.LastActive.After(since) {
				return true
			}
		}
		return false
	})
}

// calm ends all faults, and restarts a service that has some.
func (d *crashTest) calm() {
	if d.faults == nil {
		return
	}
	d.endNetworkFaults()
	d.faults.on = false
	d.restart()
	d.faults.relay.Calm()
}

// setNetworkFaults replaces the faults of an account.
func (d *crashTest) setNetworkFaults(of int, faults map[string]any) {
	status, reply := d.sendTo(d.network, "POST", "/_control/faults", nil, map[string]any{"account": account(of), "faults": faults})
	require.Equal(d.t, http.StatusOK, status, "%s", reply)
}

func (d *crashTest) endNetworkFaults() {
	status, reply := d.sendTo(d.network, "DELETE", "/_control/faults", nil, nil)
	require.Equal(d.t, http.StatusOK, status, "%s", reply)
}

// logFaults prints how often each fault happened.
func (d *crashTest) logFaults() {
	if d.faults == nil {
		return
	}
	for fault, n := range d.faults.relay.Counts() {
		d.faults.counts["session: "+string(fault)] = n
	}
	for _, kind := range slices.Sorted(maps.Keys(d.faults.counts)) {
		d.t.Logf("%6d  %s", d.faults.counts[kind], kind)
	}
}
