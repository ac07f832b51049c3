package cluster

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"watchpost/specs/process"
)

// drillTeam is a team with its clients.
type drillTeam struct {
	team
	number    int
	watchlist string // the one that is renamed
	post      string // the URN of the post that is commented on
	history   history
	clients   []*drillClient

	mu       sync.Mutex
	comments map[string]string // text → task
	answered atomic.Int64      // requests in this round
}

// drillClient sends the requests of one user of a team, one after the other.
type drillClient struct {
	d      *drill
	of     *drillTeam
	number int
	random *rand.Rand
	at     int // the node of the last request
	count  int
	made   [][2]string // id and name of its own watchlists
}

// overload is the decided text for a request that cannot be served now.
const overload = `{"error":"Temporarily unavailable, retry later"}`

// run sends requests until stop is closed. It finishes the last one.
func (c *drillClient) run(stop <-chan struct{}) {
	for {
		pause := time.NewTimer(time.Duration(10+c.random.IntN(60)) * time.Millisecond)
		select {
		case <-stop:
			pause.Stop()
			return
		case <-pause.C:
		}
		c.count++
		name := fmt.Sprintf("c%d-%d", c.number, c.count)
		switch choice := c.random.IntN(100); {
		case choice < 45:
			c.read()
		case choice < 70:
			c.rename(name)
		case choice < 84:
			c.create(name)
		case choice < 97 || c.of.post == "":
			c.remove()
		default:
			c.comment(name)
		}
		c.of.answered.Add(1)
	}
}

// reply is what a request got in the end. tries counts the attempts.
type reply struct {
	status int
	body   []byte
	tries  int
}

// send sends a request to the nodes in turn until one answers; without again it is
// sent once. Status 0 means that there was no answer.
func (c *drillClient) send(again bool, method, path string, body any, headers ...string) reply {
	began, allUp := time.Now(), true
	next := time.NewTicker(20 * time.Millisecond) // paces the tries
	defer next.Stop()
	r := reply{}
	for {
		c.at = c.d.down.next(c.at)
		r.tries++
		before := c.d.down.mark(c.at)
		r.status, r.body = c.d.request(c.at, method, path, body, append(headers, "X-Api-Key", c.of.Key)...)
		allUp = allUp && before == c.d.down.mark(c.at) && before%2 == 0
		over := r.status == http.StatusInternalServerError && string(r.body) == overload
		if r.status != 0 && !over {
			c.d.figures.took(time.Since(began), allUp)
			return r
		}
		c.d.figures.missed(r.status == 0)
		if again && time.Since(began) > process.Patience {
			c.d.fail(fmt.Errorf("no answer in the end: %s %s", method, path))
			again = false
		}
		if !again {
			return reply{tries: r.tries}
		}
		select {
		case <-next.C:
		case <-c.d.t.Context().Done():
			return reply{tries: r.tries}
		}
	}
}

// record adds a request to the history.
func (c *drillClient) record(kind, value string, do func() (answer, error)) {
	call := c.d.now()
	a, err := do()
	if err != nil {
		c.d.fail(fmt.Errorf("team %d, client %d, %s %s: %w", c.of.number, c.number, kind, value, err))
		return
	}
	if kind == kindRead && !a.known {
		return // it changes nothing
	}
	c.of.history.add(c.number, change{kind, value}, a, call, c.d.now())
}

func (r reply) error() error { return fmt.Errorf("%d %s", r.status, r.body) }

func (c *drillClient) read() {
	c.record(kindRead, "", func() (answer, error) {
		r := c.send(true, "GET", "/api-keyword-watchlist", nil)
		if r.status == 0 {
			return answer{}, nil
		}
		var listed struct{ Watchlists []struct{ ID, Name string } }
		if r.status != http.StatusOK || json.Unmarshal(r.body, &listed) != nil {
			return answer{}, r.error()
		}
		a := answer{known: true}
		var made []string
		for _, w := range listed.Watchlists {
			if w.ID == c.of.watchlist {
				a.state.name = w.Name
			} else {
				made = append(made, w.Name)
			}
		}
		slices.Sort(made)
		a.state.made = strings.Join(made, " ")
		return a, nil
	})
}

func (c *drillClient) rename(name string) {
	c.record(kindRename, name, func() (answer, error) {
		r := c.send(false, "PUT", "/api-keyword-watchlist", map[string]string{"id": c.of.watchlist, "name": name})
		if r.status != http.StatusOK && r.status != 0 {
			return answer{}, r.error()
		}
		return answer{known: r.status == http.StatusOK}, nil
	})
}

func (c *drillClient) create(name string) {
	c.record(kindCreate, name, func() (answer, error) {
		r := c.send(true, "POST", "/api-keyword-watchlist", map[string]any{"name": name, "keywords": []string{"tea"}}, "Idempotency-Key", name)
		var created struct{ ID string }
		switch {
		case r.status == 0:
			return answer{}, nil
		case r.status == http.StatusPaymentRequired && strings.Contains(string(r.body), "Your plan includes up to"):
			return answer{known: true, full: true}, nil
		case r.status != http.StatusOK || json.Unmarshal(r.body, &created) != nil || created.ID == "":
			return answer{}, r.error()
		}
		c.made = append(c.made, [2]string{created.ID, name})
		return answer{known: true}, nil
	})
}

// remove deletes a watchlist of this client. After an attempt without an answer it
// may be gone already.
func (c *drillClient) remove() {
	if len(c.made) == 0 {
		return
	}
	first := c.made[0]
	c.made = c.made[1:]
	c.record(kindDelete, first[1], func() (answer, error) {
		r := c.send(true, "DELETE", "/api-keyword-watchlist?id="+first[0], nil)
		if r.status != 0 && r.status != http.StatusOK && (r.status != http.StatusNotFound || r.tries == 1) {
			return answer{}, r.error()
		}
		return answer{known: r.status != 0}, nil
	})
}

// comment creates a task that writes to the network.
func (c *drillClient) comment(name string) {
	text := fmt.Sprintf("team %d %s", c.of.number, name)
	r := c.send(true, "POST", "/network-agent/comment-post", map[string]string{"social_urn": c.of.post, "comment_text": text}, "Idempotency-Key", name)
	if r.status == 0 {
		return // unacknowledged: at most one write
	}
	var created struct {
		Task string `json:"api_agent_task_id"`
	}
	if r.status != http.StatusOK || json.Unmarshal(r.body, &created) != nil || created.Task == "" {
		c.d.fail(fmt.Errorf("comment: %w", r.error()))
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.comments[text] = created.Task
}

// down holds the nodes that clients do not ask: a load balancer would not.
type down struct {
	mu    sync.Mutex
	nodes [nodes]bool
	marks [nodes]int // counts the changes; odd while a node is down
}

func (d *down) set(i int, is bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.nodes[i] != is {
		d.nodes[i] = is
		d.marks[i]++
	}
}

// mark tells whether a node was down between two calls.
func (d *down) mark(i int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.marks[i]
}

func (d *down) next(i int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i = (i + 1) % nodes; d.nodes[i]; i = (i + 1) % nodes {
	}
	return i
}

// figures are those of one round.
type figures struct {
	mu            sync.Mutex
	answered      int
	longest       time.Duration // from the first try to the answer
	longestUp     time.Duration // of requests that met no node with a fault
	cut, overload int           // tries without a reply, and with the decided text
	times         []time.Duration
}

func (f *figures) took(d time.Duration, up bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered++
	f.longest = max(f.longest, d)
	if up {
		f.longestUp = max(f.longestUp, d)
	}
	f.times = append(f.times, d)
}

func (f *figures) missed(cut bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cut {
		f.cut++
	} else {
		f.overload++
	}
}

// round returns the figures since the last call as a row of a table.
func (f *figures) round(fault string, linear int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.Sort(f.times)
	at := func(q float64) time.Duration {
		if len(f.times) == 0 {
			return 0
		}
		return f.times[int(q*float64(len(f.times)-1))]
	}
	ms := func(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }
	row := fmt.Sprintf("| %s | %d | %d | %s | %s | %s | %s | %d | %d |", fault, f.answered, linear, ms(at(0.5)), ms(at(0.99)), ms(f.longestUp), ms(f.longest), f.cut, f.overload)
	f.answered, f.longest, f.longestUp, f.cut, f.overload, f.times = 0, 0, 0, 0, 0, nil
	return row
}
