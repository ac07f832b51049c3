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
	follower  *follower // nil in a cluster of builds that may have no change feed

	mu               sync.Mutex
	comments         map[string]string // text → task
	created, deleted []string          // watchlists, as clients were told
	answered         atomic.Int64      // requests in this round
}

// told notes a watchlist that a reply has named to a client.
func (of *drillTeam) told(all *[]string, id string) {
	of.mu.Lock()
	defer of.mu.Unlock()
	*all = append(*all, id)
}

// drillClient sends the requests of one user of a team, one after the other, to the proxy.
type drillClient struct {
	d      *drill
	of     *drillTeam
	number int
	// once means that it sends every request once, without an Idempotency-Key.
	once   bool
	random *rand.Rand
	count  int
	made   []madeWatchlist // its own that are there, as far as it knows
	failed bool            // its last request
}

type madeWatchlist struct {
	id, name string
	asked    bool // a deletion was not answered
}

// overload is the decided text for a request that cannot be served now.
const overload = `{"error":"Temporarily unavailable, retry later"}`

// run sends requests until stop is closed. It finishes the last one.
func (c *drillClient) run(stop <-chan struct{}) {
	for {
		wait := time.Duration(10+c.random.IntN(60)) * time.Millisecond
		if c.failed && c.once {
			wait += time.Second / 2 // as a person does
		}
		pause := time.NewTimer(wait)
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
	}
}

// reply is what a request got in the end. tries counts the attempts.
type reply struct {
	status int
	body   []byte
	tries  int
}

// unanswered reports whether a reply leaves open whether the request was carried out.
// Then cut tells that the connection has ended, or the proxy gave up; otherwise a node or
// the proxy has sent the decided text.
func unanswered(status int, body []byte) (cut, is bool) {
	switch status {
	case 0, http.StatusBadGateway, http.StatusGatewayTimeout:
		return true, true
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
		return false, string(body) == overload
	}
	return false, false
}

// send sends a request until it is answered, if this client and the request allow that;
// otherwise once. Status 0 means that there was no answer.
func (c *drillClient) send(again bool, method, path string, body any, headers ...string) reply {
	began := time.Now()
	next := time.NewTicker(50 * time.Millisecond) // paces the tries
	defer next.Stop()
	again = again && !c.once
	for r := (reply{}); ; {
		r.tries++
		r.status, r.body = c.d.requestAt(c.d.proxy, method, path, body, append(headers, "X-Api-Key", c.of.Key)...)
		cut, missed := unanswered(r.status, r.body)
		if c.failed = missed; missed {
			c.d.figures.missed(cut)
		}
		if !missed || !again {
			c.d.figures.took(time.Since(began), again, !missed)
		}
		switch {
		case !missed:
			c.of.answered.Add(1)
			return r
		case !again:
			return reply{tries: r.tries}
		case time.Since(began) > process.Patience:
			c.d.fail(fmt.Errorf("no answer in the end: %s %s", method, path))
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
		before := c.made
		c.made = nil
		for _, w := range listed.Watchlists {
			if w.ID == c.of.watchlist {
				a.state.name = w.Name
				continue
			}
			made = append(made, w.Name)
			if strings.HasPrefix(w.Name, c.prefix()) {
				asked := slices.Contains(before, madeWatchlist{w.ID, w.Name, true})
				c.made = append(c.made, madeWatchlist{w.ID, w.Name, asked})
			}
		}
		slices.Sort(made)
		if len(slices.Compact(slices.Clone(made))) < len(made) {
			c.d.figures.double()
			return answer{}, fmt.Errorf("a creation was carried out twice: %v", made)
		}
		a.state.made = strings.Join(made, " ")
		return a, nil
	})
}

// prefix begins the names of this client's watchlists.
func (c *drillClient) prefix() string { return fmt.Sprintf("c%d-", c.number) }

// key is for requests that this client may repeat.
func (c *drillClient) key(name string) []string {
	if c.once {
		return nil
	}
	return []string{"Idempotency-Key", name}
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
		r := c.send(true, "POST", "/api-keyword-watchlist", map[string]any{"name": name, "keywords": []string{"tea"}}, c.key(name)...)
		var created struct{ ID string }
		switch {
		case r.status == 0:
			return answer{}, nil
		case r.status == http.StatusPaymentRequired && strings.Contains(string(r.body), "Your plan includes up to"):
			return answer{known: true, full: true}, nil
		case r.status != http.StatusOK || json.Unmarshal(r.body, &created) != nil || created.ID == "":
			return answer{}, r.error()
		}
		c.made = append(c.made, madeWatchlist{id: created.ID, name: name})
		c.of.told(&c.of.created, created.ID)
		return answer{known: true}, nil
	})
}

// remove deletes a watchlist of this client. After an attempt without an answer it
// may be gone already; the next read tells.
func (c *drillClient) remove() {
	if len(c.made) == 0 {
		return
	}
	first := &c.made[0]
	c.record(kindDelete, first.name, func() (answer, error) {
		r := c.send(true, "DELETE", "/api-keyword-watchlist?id="+first.id, nil)
		gone := r.status == http.StatusNotFound && (first.asked || r.tries > 1)
		switch {
		case r.status == 0:
			first.asked = true
			return answer{}, nil
		case r.status != http.StatusOK && !gone:
			return answer{}, r.error()
		}
		before := gone && first.asked
		c.of.told(&c.of.deleted, first.id)
		c.made = c.made[1:]
		return answer{known: true, gone: before}, nil
	})
}

// comment creates a task that writes to the network.
func (c *drillClient) comment(name string) {
	text := fmt.Sprintf("team %d %s", c.of.number, name)
	r := c.send(true, "POST", "/network-agent/comment-post", map[string]string{"social_urn": c.of.post, "comment_text": text}, c.key(name)...)
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
