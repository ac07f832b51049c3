package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writer changes one watchlist through the nodes in turn, and reads it through
// others. There is one writer per team, so a reply must show the last
// acknowledged number, or a later one that was sent without an answer.
type writer struct {
	w            *world
	team         team
	watchlist    string
	acknowledged atomic.Int64
	// longest is the longest time from the first try of a change to its
	// acknowledgement, in nanoseconds, since it was reset.
	longest    atomic.Int64
	unanswered atomic.Int64 // no reply, or the text for an overload
	wrong      atomic.Pointer[error]
}

// down holds the nodes that clients do not ask: a load balancer would not.
type down struct {
	mu    sync.Mutex
	nodes [nodes]bool
}

func (d *down) set(i int, is bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.nodes[i] = is
}

func (d *down) next(i int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i = (i + 1) % nodes; d.nodes[i]; i = (i + 1) % nodes {
	}
	return i
}

func (c *writer) run(d *down, stop <-chan struct{}) {
	at, began := 0, time.Now()
	for {
		select {
		case <-stop:
			return
		default:
		}
		at = d.next(at)
		number := c.acknowledged.Load() + 1
		body := map[string]string{"id": c.watchlist, "name": strconv.FormatInt(number, 10)}
		if status, reply := c.w.request(at, "PUT", "/api-keyword-watchlist", body, "X-Api-Key", c.team.Key); !c.answered(status, reply) {
			continue
		}
		c.acknowledged.Store(number)
		c.longest.Store(max(c.longest.Load(), int64(time.Since(began))))
		at = d.next(at)
		status, reply := c.w.request(at, "GET", "/api-keyword-watchlist?id="+c.watchlist, nil, "X-Api-Key", c.team.Key)
		if c.answered(status, reply) {
			var read struct{ Name string }
			if json.Unmarshal(reply, &read) != nil || read.Name != strconv.FormatInt(number, 10) {
				c.fail(fmt.Errorf("node %d shows %s after %d was acknowledged", at, reply, number))
			}
		}
		began = time.Now()
	}
}

// answered reports a reply of success. A request may be refused as unavailable.
func (c *writer) answered(status int, reply []byte) bool {
	switch status {
	case http.StatusOK:
		return true
	case 0:
	default:
		if string(reply) != `{"error":"Temporarily unavailable, retry later"}` {
			c.fail(fmt.Errorf("%d %s", status, reply))
		}
	}
	c.unanswered.Add(1)
	return false
}

func (c *writer) fail(err error) { c.wrong.CompareAndSwap(nil, &err) }

// TestNodesFail kills, freezes and stops nodes while clients change and read. No
// acknowledged change is lost and no read is older than one.
func TestNodesFail(t *testing.T) {
	w := newWorld(t)
	writers := make([]*writer, 9)
	var d down
	stop := make(chan struct{})
	var running sync.WaitGroup
	for k := range writers {
		c := &writer{w: w, team: w.found(k%nodes, k)}
		var made struct{ ID string }
		w.get(k%nodes, "POST", "/api-keyword-watchlist", map[string]any{"name": "0", "keywords": []string{"tea"}}, &made, "X-Api-Key", c.team.Key)
		c.watchlist = made.ID
		writers[k] = c
		running.Go(func() { c.run(&d, stop) })
	}
	end := sync.OnceFunc(func() { close(stop); running.Wait() })
	t.Cleanup(end)
	more := func() {
		t.Helper()
		for _, c := range writers {
			to := c.acknowledged.Load() + 5
			w.eventually("every team goes on", func() bool { return c.acknowledged.Load() >= to || c.wrong.Load() != nil })
			if wrong := c.wrong.Load(); wrong != nil {
				t.Fatal(*wrong)
			}
		}
	}
	// during runs a fault, and logs the longest change and the number of requests
	// without an answer.
	during := func(what string, fault func()) {
		t.Helper()
		for _, c := range writers {
			c.longest.Store(0)
			c.unanswered.Store(0)
		}
		fault()
		more()
		longest, unanswered := time.Duration(0), int64(0)
		for _, c := range writers {
			longest, unanswered = max(longest, time.Duration(c.longest.Load())), unanswered+c.unanswered.Load()
		}
		t.Logf("%s: longest change %v, %d requests without an answer", what, longest, unanswered)
	}
	during("no fault", more)

	during("kill -9", func() {
		d.set(2, true)
		w.nodes[2].process.Kill()
	})
	during("start", func() { w.start(2); d.set(2, false) })

	// A writer that has asked the frozen node waits for it; the others go on.
	during("SIGSTOP and SIGCONT", func() {
		d.set(1, true)
		w.signal(1, syscall.SIGSTOP)
		w.eventually("the frozen node is removed", func() bool { return !strings.Contains(w.nodesCommand(), w.nodes[1].advertise) })
		for _, c := range writers {
			w.eventually("its teams are served elsewhere", func() bool {
				status, reply := w.request(0, "GET", "/api-keyword-watchlist?id="+c.watchlist, nil, "X-Api-Key", c.team.Key)
				return c.answered(status, reply)
			})
		}
		w.signal(1, syscall.SIGCONT)
		d.set(1, false)
	})

	during("SIGTERM", func() {
		d.set(0, true)
		require.NoError(t, w.nodes[0].process.Stop())
	})
	end()

	for _, c := range writers {
		var read struct{ Name string }
		w.get(1, "GET", "/api-keyword-watchlist?id="+c.watchlist, nil, &read, "X-Api-Key", c.team.Key)
		last, err := strconv.ParseInt(read.Name, 10, 64)
		require.NoError(t, err)
		require.GreaterOrEqual(t, last, c.acknowledged.Load())
		require.LessOrEqual(t, last, c.acknowledged.Load()+1)
	}
	for i := 1; i < nodes; i++ {
		require.NoError(t, w.nodes[i].process.Fault())
	}
}
