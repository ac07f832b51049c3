package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/root"
	"watchpost/http/endpoint"
	"watchpost/persistence"
)

// teamActor is a small team: it counts. Package root gives it its epoch, its commits and its end, as
// it does for the service's teams.
type teamActor struct {
	root.Actor
	state teamState
}

// teamState is what a team stores: how many writes it has carried out, and which.
type teamState struct {
	Count int
	// Keys are the counts after each write, by its Idempotency-Key.
	Keys map[string]int
}

const stateKey = "state"

// add is a request to carry out a write once; read asks for the count.
type (
	add  struct{ key string }
	read struct{}
)

// AnsweredWith implements root.Request.
func (add) AnsweredWith(int) {}

// AnsweredWith implements root.Request.
func (read) AnsweredWith(int) {}

func newTeamActor(p *process, name string) actor.Actor {
	return &teamActor{Actor: root.NewActor(p.registryEnv, name)}
}

// Receive implements actor.Actor.
func (t *teamActor) Receive(c actor.Context) {
	if !t.Handle(c, t.load) {
		return
	}
	switch m := c.Message().(type) {
	case add:
		count, known := t.state.Keys[m.key]
		if known {
			t.Answer(count, nil)
			return
		}
		t.state.Count++
		t.state.Keys[m.key] = t.state.Count
		stored, err := json.Marshal(t.state)
		if err != nil {
			panic(err)
		}
		batch := &persistence.Batch{}
		batch.Put([]byte(stateKey), stored)
		t.Commit(batch, t.state.Count)
	case read:
		t.Answer(t.state.Count, nil)
	case root.CanPassivate:
		t.Context.Respond(t.Commits.Idle())
	case root.ClockAdvances:
		t.Answer(root.Done{}, nil)
	default:
		t.Env.Log.Error("unknown message", "message", root.TypeName(m))
	}
}

func (t *teamActor) load(v persistence.View) error {
	t.state = teamState{Keys: map[string]int{}}
	stored, err := v.Get(t.Space, []byte(stateKey))
	if err != nil {
		return nil //nolint:nilerr // there is nothing yet
	}
	return json.Unmarshal(stored, &t.state)
}

// routes adds the routes of teams. What surrounds the handler is what surrounds the
// service's: a deadline, and the edge.
func (p *process) routes(s *endpoint.Server) {
	place := s.PlacedBy(func(r *http.Request) string { return r.URL.Query().Get("team") })
	serve := func(ask func(*http.Request) (int, error)) http.Handler {
		return s.WithDeadline(place(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			count, err := ask(r)
			if err != nil {
				s.WriteError(r, err)
				return
			}
			endpoint.StateOf(r.Context()).WriteJSON(http.StatusOK, fmt.Append(nil, count))
		})))
	}
	s.API.Page(http.MethodGet, "/count", serve(func(r *http.Request) (int, error) {
		return root.Ask(r.Context(), p.registry, r.URL.Query().Get("team"), read{})
	}))
	s.API.Page(http.MethodPost, "/count", serve(func(r *http.Request) (int, error) {
		return root.Ask(r.Context(), p.registry, r.URL.Query().Get("team"), add{r.Header.Get(endpoint.HeaderIdempotencyKey)})
	}))
}

// team is what the world knows of a team.
type team struct {
	name string
	// acked is the highest count that a client has got, read or written.
	acked int
	keys  map[string]int // the counts of acknowledged writes, by their keys
	state teamState      // as it is stored
	epoch persistence.Epoch
}

// stored checks a commit: history has one writer, which knows all that was written.
func (w *world) stored(name persistence.Space, at *space) {
	for _, t := range w.teams {
		if t.name != string(name) {
			continue
		}
		var now teamState
		if err := json.Unmarshal(at.pairs[stateKey], &now); err != nil {
			w.fail("%s stores what cannot be read: %v", name, err)
			return
		}
		for key, count := range t.state.Keys {
			if now.Keys[key] != count {
				w.fail("%s lost the write %s: two nodes wrote", name, key)
			}
		}
		if len(now.Keys) != now.Count {
			w.fail("%s counts %d writes of %d keys", name, now.Count, len(now.Keys))
		}
		t.state, t.epoch = now, at.epoch
		w.note("stored", fmt.Sprint(name, now.Count, at.epoch))
	}
}

// check checks what holds at every moment: at most one node serves a team.
func (w *world) check() {
	if w.followed != nil {
		w.followed.check(w)
	}
	for _, t := range w.teams {
		var here *process
		for _, p := range w.slots {
			if p == nil || p.dead.Load() || !p.joined || !p.node.Serves(t.name) {
				continue
			}
			if here != nil {
				w.fail("%s and %s both serve %s", here.name, p.name, t.name)
				return
			}
			here = p
		}
	}
}

// gaveUp checks a process that has drained: it serves nothing if another member does not drain.
func (p *process) gaveUp() {
	w := p.w
	for id, m := range w.db.members {
		if id == p.name || m.draining {
			continue
		}
		for _, t := range w.teams {
			if p.node.Serves(t.name) {
				w.fail("%s has drained and serves %s", p.name, t.name)
			}
		}
	}
}

// client sends one request after the other for a team, to any node.
type client struct {
	w    *world
	id   int
	team *team
	sent int // counts its requests

	// The write that is repeated until it is acknowledged; "": none.
	key string
}

// Bounds of a request.
const (
	// within is how long a request may take at a node that runs and is reached.
	within = 20 * time.Second
	pause  = 1200 * time.Millisecond
)

// next sends the next request after a while.
func (c *client) next() {
	c.w.after(c.w.between(time.Millisecond, pause), fmt.Sprintf("client %d", c.id), func() {
		if to := c.choose(); to >= 0 && !c.w.healing {
			c.request(to, nil)
		} else {
			c.next()
		}
	})
}

// choose returns a node that accepts connections; -1: there is none.
func (c *client) choose() int {
	var up []int
	for i, p := range c.w.slots {
		if p != nil && !p.dead.Load() && p.joined && !p.stopped {
			up = append(up, i)
		}
	}
	if len(up) == 0 {
		return -1
	}
	return up[c.w.random.IntN(len(up))]
}

// request sends a request to a node. then is called with the end of it; nil: next.
func (c *client) request(to int, then func(ok bool)) {
	w := c.w
	c.sent++
	id := fmt.Sprintf("c%d-%d", c.id, c.sent)
	method, header := http.MethodGet, http.Header{"X-Request-Id": {id}}
	if c.key != "" || w.oneIn(2) {
		if c.key == "" {
			c.key = "k" + id
		}
		method = http.MethodPost
		header.Set(endpoint.HeaderIdempotencyKey, c.key)
	}
	r, err := http.NewRequest(method, "http://client/count?team="+c.team.name, http.NoBody)
	if err != nil {
		panic(err)
	}
	r.Header = header
	at := &asked{c: c, id: id, key: c.key, write: method == http.MethodPost, sent: w.now(), acked: c.team.acked, p: w.slots[to], then: then}
	e := &exchange{w: w, key: id + " at " + address(to), from: clientParty, to: to, reply: at.reply}
	e.send(r, nil, false)
	w.after(within, id+" is late", func() { at.late(e) })
}

// asked is a request that was sent.
type asked struct {
	c     *client
	id    string
	key   string
	write bool
	sent  time.Duration
	acked int // the count that was acknowledged then
	p     *process
	over  bool
	then  func(ok bool)
}

func (a *asked) end(ok bool) {
	a.over = true
	if a.then != nil {
		a.then(ok)
		return
	}
	a.c.next()
}

// late ends a request that has no reply. A node that runs, and from which nothing was
// lost, has to reply.
func (a *asked) late(e *exchange) {
	if a.over {
		return
	}
	if w := a.c.w; !a.p.dead.Load() && a.p.frozen < a.sent && !w.excused(a) {
		w.fail("request %s at %s was not answered within %s", a.id, a.p.name, within)
	}
	e.end()
	a.end(false)
}

// reply takes the reply to a request.
func (a *asked) reply(r httpReply) {
	w, t := a.c.w, a.c.team
	if a.over {
		return
	}
	if r.err != nil || r.status != http.StatusOK {
		if r.err == nil && r.status != http.StatusInternalServerError && r.status != http.StatusServiceUnavailable {
			w.fail("request %s was answered by %d %s", a.id, r.status, r.body)
		}
		w.metrics.refused++
		w.note("refused", fmt.Sprint(a.id, " ", r.status, r.err))
		if a.write && w.oneIn(4) {
			a.c.key = "" // it gives up, and does not know whether the write was carried out
		}
		a.end(false)
		return
	}
	var count int
	if err := json.Unmarshal(r.body, &count); err != nil {
		w.fail("request %s was answered by %q", a.id, r.body)
		return
	}
	w.note("answered", fmt.Sprint(a.id, " ", count))
	w.metrics.answered++
	switch before, known := t.keys[a.key]; {
	case !a.write:
		if count < a.acked {
			w.fail("request %s at %s read %d of %s, which was at %d when it was sent", a.id, a.p.name, count, t.name, a.acked)
		}
	case known && before != count:
		w.fail("write %s had the count %d, and then %d", a.key, before, count)
	case t.state.Keys[a.key] != count:
		w.fail("write %s was acknowledged as %d and is stored as %d", a.key, count, t.state.Keys[a.key])
	default:
		t.keys[a.key] = count
		a.c.key = ""
	}
	t.acked = max(t.acked, count)
	a.end(true)
}
