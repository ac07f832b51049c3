package sim

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// operation is something that people, machines or the network do. Its own seed
// decides the details, so that it stays the same when others are left out.
type operation struct {
	kind kind
	seed uint64
}

type kind string

// weights say how often an operation of a kind is drawn.
var weights = map[kind]int{
	"create": 8, "create-many": 2, "create-again": 3, "poll": 4, "team": 1,
	"connect": 8, "drop": 4, "worker-ends": 3, "browser-wiped": 1, "network-answers": 8,
	"second": 2, "minutes": 4, "lease-ends": 3, "quarter": 2, "hours": 2, "day": 1, "midnight": 2, "monday": 1,
	"restart": 1, "crash": 3, "commit-fails": 4, "read-fails": 2, "panic": 3,
	"watchlist": 1, "watchlist-deleted": 1, "post": 2, "plan": 1,
}

// draw returns the operations of a seed.
func draw(seed uint64, count int) []operation {
	r := rand.New(rand.NewPCG(seed, 2))
	var of []kind
	for _, k := range slices.Sorted(maps.Keys(weights)) {
		of = append(of, slices.Repeat([]kind{k}, weights[k])...)
	}
	ops := make([]operation, count)
	for i := range ops {
		ops[i] = operation{of[r.IntN(len(of))], r.Uint64()}
	}
	return ops
}

// begin begins the next operation.
func (l *life) begin(ops *[]operation) {
	op := (*ops)[0]
	*ops = (*ops)[1:]
	r := rand.New(rand.NewPCG(op.seed, 3))
	of := l.teams[r.IntN(len(l.teams))]
	b := of.browsers[r.IntN(len(of.browsers))]
	l.note("begin", string(op.kind))
	switch op.kind {
	case "create", "create-many", "create-again", "poll", "team", "watchlist", "watchlist-deleted", "plan":
		l.request(op.kind, r, of)
	case "connect", "drop", "worker-ends", "browser-wiped", "network-answers", "post":
		l.happen(op.kind, r, b)
	case "restart", "crash", "commit-fails", "read-fails", "panic":
		l.breakDown(op.kind, r)
	default:
		l.letPass(op.kind, r)
	}
}

// taskKinds are the types of tasks that clients create.
var taskKinds = []watchpost.TaskType{watchpost.TaskProfileFetch, watchpost.TaskCommentPost, watchpost.TaskLikePost, watchpost.TaskSendMessage}

// request begins a request of a client.
func (l *life) request(k kind, r *rand.Rand, of *team) {
	switch k {
	case "create":
		l.create(of, newTask(r), "")
	case "create-many":
		task := taskKinds[r.IntN(len(taskKinds))]
		l.tell("clients of %s ask for 30 of %s", of.name, task)
		for range 30 {
			l.create(of, taskOf(r, task), "")
		}
	case "create-again":
		key := fmt.Sprint("key-", r.IntN(4))
		request, known := of.keys[key]
		if !known {
			request = newTask(r)
			of.keys[key] = request
		}
		l.create(of, request, key)
	case "poll":
		l.poll()
	case "team":
		l.client("team", func(n *node) {
			if _, err := ask[actors.TeamView](n, of, actors.GetTeam{}); err != nil {
				l.bear("team", err)
			}
		})
	case "watchlist":
		of.lists++
		l.tell("%s makes a watchlist", of.name)
		l.watch(of, of.lists)
	case "watchlist-deleted":
		l.tell("%s deletes a watchlist", of.name)
		l.client("watchlist-deleted", func(n *node) { l.unwatch(n, of) })
	case "plan":
		plan := []watchpost.Plan{watchpost.PlanGrowth, watchpost.PlanExpert, watchpost.PlanUltimate, watchpost.PlanUltimate}[r.IntN(4)]
		l.tell("the plan of %s becomes %s", of.name, plan)
		l.client("plan", func(n *node) {
			if _, err := ask[watchpost.Team](n, of, actors.UpdateTeam{Patch: watchpost.TeamPatch{Plan: &plan}}); err != nil {
				l.bear("plan", err)
			}
		})
	}
}

func newTask(r *rand.Rand) actors.CreateTask { return taskOf(r, taskKinds[r.IntN(len(taskKinds))]) }

func taskOf(r *rand.Rand, of watchpost.TaskType) actors.CreateTask {
	return actors.CreateTask{Type: of, Input: fmt.Appendf(nil, `{"task_type":%q,"number":"%d"}`, of, r.Uint64())}
}

// create asks for a task, with an Idempotency-Key unless key is empty.
func (l *life) create(of *team, request actors.CreateTask, key string) {
	l.client("create", func(n *node) {
		made, err := l.created(n, of, request, key)
		if err != nil {
			l.bear("create", err)
			return
		}
		l.tell("%s has made %s %s", of.name, request.Type, made.ID)
		l.checks.task(string(made.ID), of, request.Type)
		if key != "" {
			l.checks.replied(of, key, made.ID)
		}
	})
}

func (l *life) created(n *node, of *team, request actors.CreateTask, key string) (actors.TaskCreated, error) {
	if key == "" {
		return ask[actors.TaskCreated](n, of, request)
	}
	reply, err := ask[any](n, of, actors.IdempotentRequest{Name: key, Hash: key, Request: request})
	if err != nil {
		return actors.TaskCreated{}, err
	}
	if again, ok := reply.(actors.ReplayedReply); ok {
		reply = again.Reply
	}
	return reply.(actors.TaskCreated), nil
}

// poll asks for every task.
func (l *life) poll() {
	for _, p := range l.checks.all() {
		if p.kind.Scan() {
			continue
		}
		l.client("poll", func(n *node) {
			answered := p.answered
			ctx, cancel := context.WithTimeout(n.ctx, 30*time.Second)
			defer cancel()
			view, err := n.registry.TaskStatus(ctx, p.team.id, p.id)
			if err != nil {
				l.bear("poll", err)
				return
			}
			l.checks.view(p, answered, &view)
		})
	}
}

func (l *life) watch(of *team, number int) {
	l.client("watchlist", func(n *node) {
		_, err := ask[actors.WatchlistView](n, of, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
			Type: watchpost.KeywordWatchlist, Name: fmt.Sprint("list ", number), Frequency: watchpost.FetchFrequency(time.Hour),
			Keywords: []watchpost.KeywordEntry{{Keyword: "go"}},
		}})
		if err != nil && watchpost.KindOf(err) != watchpost.PlanLimit {
			l.bear("watchlist", err)
		}
	})
}

func (l *life) unwatch(n *node, of *team) {
	views, err := ask[[]actors.WatchlistView](n, of, actors.ListWatchlists{})
	if err == nil && len(views) > 0 {
		_, err = ask[root.Done](n, of, actors.DeleteWatchlist{Type: watchpost.KeywordWatchlist, ID: views[0].Watchlist.ID})
	}
	if err != nil && watchpost.KindOf(err) != watchpost.NotFound {
		l.bear("delete watchlist", err)
	}
}

// happen is what happens to a browser, or on the network.
func (l *life) happen(k kind, r *rand.Rand, b *browser) {
	switch k {
	case "connect":
		b.connect()
		l.nextBeat = l.now()
	case "drop":
		l.tell("the connection of %s breaks", b)
		b.drop()
	case "worker-ends":
		l.tell("the worker of %s ends", b)
		b.crash()
	case "browser-wiped":
		l.tell("%s loses the journal", b)
		b.wipe()
	case "network-answers":
		how := append(slices.Clone(refusals), silentDone, silentDone, silentNot, strange)[r.IntN(len(refusals)+4)]
		l.tell("the network will answer %s: %s", b.account.Name, how)
		l.network.answers[b.urn()] = append(l.network.answers[b.urn()], how)
	case "post":
		l.network.publish()
	}
}

// breakDown is what happens to the service and its store.
func (l *life) breakDown(k kind, r *rand.Rand) {
	l.tell("the service: %s", k)
	switch k {
	case "restart":
		l.restart()
	case "crash":
		l.kill(l.node)
		l.boot()
	case "commit-fails":
		l.node.store.faultIn, l.node.store.fault = 1+r.IntN(6), []fault{before, after}[r.IntN(2)]
	case "read-fails":
		l.node.store.readFaultIn = 1 + r.IntN(30)
	case "panic":
		l.mu.Lock()
		l.panicAt = 1 + r.IntN(60)
		l.mu.Unlock()
	}
}

// letPass lets time pass when everything is at rest. Over an hour the laptops sleep,
// mostly.
func (l *life) letPass(k kind, r *rand.Rand) {
	now := l.now()
	until := map[kind]time.Time{
		"second": now.Add(time.Second), "minutes": now.Add(time.Duration(r.IntN(600)) * time.Second),
		"lease-ends": now.Add(protocol.LeaseTime + time.Second), "quarter": now.Add(15*time.Minute + time.Second),
		"hours": now.Add(7 * time.Hour), "day": now.Add(25 * time.Hour),
		"midnight": watchpost.Daily.Reset(now), "monday": watchpost.Weekly.Reset(now),
	}[k]
	l.tell("time passes until %s", until.Format("Mon 2 Jan 15:04:05"))
	if until.Sub(now) > time.Hour && r.IntN(10) > 0 {
		l.nextBeat = time.Time{}
	}
	if k == "minutes" {
		l.nextBeat = now
	}
	if until.After(l.target) {
		l.target = until
	}
}
