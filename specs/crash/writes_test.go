package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// The numbers of writes. The long one is more than two days' allowance of
// comments.
const (
	writes     = 120
	longWrites = 600
)

// writeKinds are the agent tasks that change the network, with the network's names of
// their actions.
var writeKinds = []struct {
	path, kind     string
	targets        func(g *targets, account int) []string
	target, text   string // fields of the body
	allowanceNamed watchpost.Action
}{
	{"like-post", "like", func(g *targets, _ int) []string { return g.posts }, "social_urn", "", watchpost.ActionLike},
	{"comment-post", "comment", func(g *targets, _ int) []string { return g.posts }, "social_urn", "comment_text", watchpost.ActionComment},
	{"send-message", "message", func(g *targets, account int) []string { return g.friends[account] }, "recipient_urn", "message", watchpost.ActionMessage},
	{"send-connection-request", "invitation", func(g *targets, _ int) []string { return g.strangers }, "profile_urn", "note", watchpost.ActionInvitation},
}

// targets are posts and people of the network that writes are made to.
type targets struct {
	posts, strangers []string
	friends          [accounts][]string // each account's connections
}

// write is one write that a client has asked for, under one Idempotency-Key.
type write struct {
	kind    int // index in writeKinds
	account int
	target  string
	text    string
	key     string

	answer []byte // nil: no reply yet
	// refused says that the last reply was 429: the network has closed
	// invitations for the week.
	refused bool
	task    string
	day     int    // of the test, when it was first asked for
	status  string // "completed" or "failed" at the end
	// safe is retry_safe of a failed one.
	safe bool
}

// networkWrite is what the network says was done.
type networkWrite struct {
	Account, Kind, Target, Text string
	At                          time.Time
	Repeated                    bool
}

// collectTargets asks the service for posts and people.
func (d *crashTest) collectTargets() {
	status, body := d.request("POST", "/api-keyword-watchlist", map[string]any{"name": "targets", "keywords": []string{"team"}})
	require.Equal(d.t, http.StatusOK, status, "%s", body)
	d.eventually("posts to write to", func() bool {
		_, body := d.request("GET", "/api-posts?page_size=100", nil)
		var reply struct {
			Data []struct {
				URN string `json:"network_post_urn"`
			}
		}
		require.NoError(d.t, json.Unmarshal(body, &reply), "%s", body)
		d.targets.posts = nil
		for _, p := range reply.Data {
			d.targets.posts = append(d.targets.posts, p.URN)
		}
		return len(d.targets.posts) >= 20
	})
	people := func(path string, body map[string]any, list string) (urns []string) {
		status, reply := d.request("POST", "/network-agent/"+path, body)
		require.Equal(d.t, http.StatusOK, status, "%s", reply)
		id := field(reply, "api_agent_task_id")
		d.truth.tasks[id] = nil
		d.eventually(path, func() bool { return d.poll(id) })
		var output map[string]json.RawMessage
		require.NoError(d.t, json.Unmarshal(d.truth.tasks[id], &output))
		var rows []struct {
			URN string `json:"profile_urn"`
		}
		require.NoError(d.t, json.Unmarshal(output[list], &rows))
		for _, row := range rows {
			urns = append(urns, row.URN)
		}
		return urns
	}
	for i := range accounts {
		d.targets.friends[i] = people("fetch-connections", map[string]any{"count": 50, "user_email": email(i)}, "connections")
	}
	d.targets.strangers = people("search-profiles", map[string]any{"keywords": "engineer", "count": 50}, "profiles")
}

// write asks for a new write, or again for one of the client's own with the same
// key. Of equal writes by one account to one target there is only one.
func (d *crashTest) write(random *rand.Rand, own []*write) []*write {
	if len(own) > 0 && random.IntN(3) == 0 {
		// A key is remembered for a day.
		if w := own[random.IntN(len(own))]; w.day == d.day {
			d.askFor(w)
		}
		return own
	}
	d.truth.mu.Lock()
	number := len(d.truth.writes)
	if number >= d.maxWrites {
		d.truth.mu.Unlock()
		return own
	}
	kind := number % len(writeKinds)
	nth := number / len(writeKinds) // of this kind
	of := writeKinds[kind].targets(&d.targets, nth%accounts)
	w := &write{kind: kind, account: nth % accounts, target: of[(nth/accounts)%len(of)], text: fmt.Sprintf("words number %d", number), key: fmt.Sprintf("crash-%d", number), day: d.day}
	d.truth.writes = append(d.truth.writes, w)
	d.truth.mu.Unlock()
	d.askFor(w)
	return append(own, w)
}

// askFor sends the request of a write. Every reply to one key is the same.
func (d *crashTest) askFor(w *write) {
	kind := writeKinds[w.kind]
	body := map[string]any{kind.target: w.target, "user_email": email(w.account)}
	if kind.text != "" {
		body[kind.text] = w.text
	}
	status, answer := d.send("POST", "/network-agent/"+kind.path, http.Header{"X-Api-Key": {d.key}, "Idempotency-Key": {w.key}}, body)
	if w.refused = status == http.StatusTooManyRequests && kind.kind == "invitation"; w.refused {
		if w.answer != nil {
			d.t.Errorf("key %s: refused after %s", w.key, w.answer)
		}
		return
	}
	if !d.expect(status, http.StatusOK, answer) {
		return
	}
	d.truth.mu.Lock()
	defer d.truth.mu.Unlock()
	if w.answer != nil && string(w.answer) != string(answer) {
		d.t.Errorf("key %s: replies %s and %s", w.key, w.answer, answer)
	}
	w.answer, w.task = answer, field(answer, "api_agent_task_id")
}

// settleWrites asks again for each write without a reply: the client never
// learnt whether it was accepted. It is called before the clock moves, because a
// key is remembered for a day.
func (d *crashTest) settleWrites() {
	for _, w := range d.truth.writes {
		d.eventually("a reply to "+w.key, func() bool {
			if w.answer == nil && !w.refused {
				d.askFor(w)
			}
			return w.answer != nil || w.refused
		})
	}
}

// final reports whether a write has its outcome.
func (d *crashTest) final(w *write) bool {
	if w.refused {
		w.status, w.safe = "refused", true
	}
	if w.status != "" {
		return true
	}
	status, body := d.request("GET", "/network-agent/get-task-status?api_agent_task_id="+w.task, nil)
	if !d.expect(status, http.StatusOK, body) {
		return false
	}
	var reply struct {
		Data struct {
			Status string
			Output struct {
				Safe bool `json:"retry_safe"`
			} `json:"task_output"`
		}
	}
	require.NoError(d.t, json.Unmarshal(body, &reply), "%s", body)
	if reply.Data.Status == "pending" {
		return false
	}
	w.status, w.safe = reply.Data.Status, reply.Data.Output.Safe
	return true
}

// checkWrites compares the outcomes with what the network did: a completed
// write is there once, one that may be asked for again is not there, and no
// write is there twice.
func (d *crashTest) checkWrites() {
	done := map[networkWrite]int{}
	for _, n := range d.networkWrites() {
		done[networkWrite{Account: n.Account, Kind: n.Kind, Target: n.Target, Text: n.Text}]++
	}
	for n, times := range done {
		require.Equal(d.t, 1, times, "done more than once: %+v", n)
	}
	asked := map[networkWrite]bool{}
	count := map[string]int{}
	for _, w := range d.truth.writes {
		n := networkWrite{Account: account(w.account), Kind: writeKinds[w.kind].kind, Target: w.target}
		if writeKinds[w.kind].text != "" {
			n.Text = w.text
		}
		outcome := w.status
		switch {
		case w.status == "completed":
			require.Equal(d.t, 1, done[n], "completed, and not on the network: %+v", n)
		case w.safe:
			outcome += ", may be repeated"
			require.Zero(d.t, done[n], "may be repeated, and is on the network: %+v", n)
		}
		count[outcome]++
		asked[n] = true
	}
	for n := range done {
		require.True(d.t, asked[n], "nobody asked for %+v", n)
	}
	d.t.Logf("%d writes: %v", len(d.truth.writes), count)
}

// checkAllowances counts the writes of each account on each day. It is called
// before settle moves the clocks: until then the service and the network have the
// same days.
func (d *crashTest) checkAllowances() {
	type period struct {
		account string
		start   time.Time
	}
	for _, kind := range writeKinds {
		allowance, ok := watchpost.AllowanceOf(kind.allowanceNamed)
		require.True(d.t, ok)
		used := map[period]int{}
		for _, n := range d.networkWrites() {
			if n.Kind == kind.kind {
				used[period{n.Account, allowance.Period.Start(n.At)}]++
			}
		}
		for p, n := range used {
			// The network's clock is a little ahead: a write that the service counts at the
			// end of a day may be in the network's next day.
			require.LessOrEqual(d.t, n, allowance.Limit+min(d.day, 1), "%s of %+v", kind.kind, p)
		}
	}
}

func (d *crashTest) networkWrites() []networkWrite {
	status, body := d.sendTo(d.network, "GET", "/_control/writes", nil, nil)
	require.Equal(d.t, http.StatusOK, status)
	var reply struct{ Writes []networkWrite }
	require.NoError(d.t, json.Unmarshal(body, &reply))
	return reply.Writes
}
