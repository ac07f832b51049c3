package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/actors/root"
	"watchpost/watchpost"
)

// taskKinds are the types of tasks that clients create.
var taskKinds = []watchpost.TaskType{
	watchpost.TaskProfileFetch, watchpost.TaskCommentPost, watchpost.TaskLikePost, watchpost.TaskSendMessage, watchpost.TaskConnectionRequest,
}

// request begins a request of a client.
func (l *life) request(k kind, r *rand.Rand, of *team) {
	switch k {
	case "create":
		l.create(of, newTask(r, of), "", "")
	case "create-many":
		task := taskKinds[r.IntN(len(taskKinds))]
		l.tell("clients of %s ask for 30 of %s", of.name, task)
		for range 30 {
			l.create(of, taskOf(r, task), "", "")
		}
	case "create-again":
		key := fmt.Sprint("key-", r.IntN(4))
		request, known := of.keys[key]
		if !known {
			request = newTask(r, of)
			of.keys[key] = request
		}
		hash := key
		if r.IntN(6) == 0 {
			hash, of.mixed[key] = "another body", true
		}
		l.create(of, request, key, hash)
	case "cancel":
		l.cancelOne(r, of)
	case "poll":
		l.poll()
	case "team":
		l.client("team", func(n *node) {
			if _, err := ask[actors.TeamView](n, of, actors.GetTeam{}); err != nil {
				l.bear(of, "team", err)
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
				l.bear(of, "plan", err)
			}
		})
	}
}

// newTask returns the request of a task: some like the same posts, or invite the same
// people, in the names of several members.
func newTask(r *rand.Rand, of *team) actors.CreateTask {
	request := taskOf(r, taskKinds[r.IntN(len(taskKinds))])
	target := map[watchpost.TaskType]string{
		watchpost.TaskLikePost: "social_urn", watchpost.TaskConnectionRequest: "profile_urn",
	}[request.Type]
	if target != "" && r.IntN(4) > 0 {
		request.Input = fmt.Appendf(nil, `{"task_type":%q,%q:"urn:network:activity:700%d"}`, request.Type, target, r.IntN(4))
	}
	if who := of.writers(); request.Type.Writes() && r.IntN(2) == 0 {
		request.Email = &who[r.IntN(len(who))]
	}
	return request
}

func taskOf(r *rand.Rand, of watchpost.TaskType) actors.CreateTask {
	return actors.CreateTask{Type: of, Input: fmt.Appendf(nil, `{"task_type":%q,"number":"%d"}`, of, r.Uint64())}
}

// effectOf names what a request does that must not be done twice; "": nothing.
func effectOf(of *team, request actors.CreateTask) string {
	task := watchpost.Task{Type: request.Type, Input: watchpost.ParseTaskInput(request.Input)}
	effect, counted := task.Effect()
	if !counted {
		return ""
	}
	email := of.founder
	if request.Email != nil {
		email = *request.Email
	}
	return email + " " + effect.Key()
}

// create asks for a task, with an Idempotency-Key and a hash of its body unless the key
// is empty.
func (l *life) create(of *team, request actors.CreateTask, key, hash string) {
	l.client("create", func(n *node) {
		effect := ""
		if key == "" { // a kept reply may name a task that has failed since
			effect = effectOf(of, request)
		}
		before := l.checks.effectBefore(of, effect)
		made, err := l.created(n, of, request, key, hash)
		switch {
		case err != nil && of.mixed[key] && watchpost.KindOf(err) == watchpost.Conflict:
			return
		case err != nil:
			l.bear(of, "create", err, watchpost.InvitationCap, watchpost.NotFound)
			return
		}
		l.tell("%s has made %s %s", of.name, request.Type, made.ID)
		l.checks.task(string(made.ID), of, request.Type)
		l.checks.asked(of, effect, made.ID, before)
		if key != "" {
			l.checks.replied(of, key, hash, made.ID)
		}
	})
}

func (l *life) created(n *node, of *team, request actors.CreateTask, key, hash string) (actors.TaskCreated, error) {
	if key == "" {
		return ask[actors.TaskCreated](n, of, request)
	}
	reply, err := ask[any](n, of, actors.IdempotentRequest{Name: key, Hash: hash, Request: request})
	if err != nil {
		return actors.TaskCreated{}, err
	}
	if again, ok := reply.(actors.ReplayedReply); ok {
		reply = again.Reply
	}
	return reply.(actors.TaskCreated), nil
}

// cancelOne takes one of the newest tasks back. From the answer on nothing is done for it:
// checks.truth holds its end against the network with each poll that follows.
func (l *life) cancelOne(r *rand.Rand, of *team) {
	newest := slices.DeleteFunc(l.checks.all(), func(p *promised) bool { return p.team != of || p.kind.Scan() })
	if len(newest) == 0 {
		return
	}
	p := newest[len(newest)-1-r.IntN(min(len(newest), 6))]
	l.client("cancel", func(n *node) {
		then := *p
		view, err := ask[actors.TaskView](n, of, actors.CancelTask{ID: p.id})
		if err != nil {
			l.bear(of, "cancel", err, watchpost.Conflict, watchpost.NotFound)
			return
		}
		l.tell("%s has cancelled %s %s", of.name, p.kind, p.id)
		l.checks.view(p, then, &view)
	})
}

// poll asks for every task.
func (l *life) poll() {
	for _, p := range l.checks.all() {
		if p.kind.Scan() {
			continue
		}
		l.client("poll", func(n *node) {
			then := *p
			ctx, cancel := context.WithTimeout(n.ctx, patience)
			defer cancel()
			view, err := n.registry.TaskStatus(ctx, p.team.id, p.id)
			if err != nil {
				l.bear(p.team, "poll", err)
				return
			}
			l.checks.view(p, then, &view)
		})
	}
}

func (l *life) watch(of *team, number int) {
	l.client("watchlist", func(n *node) {
		_, err := ask[actors.WatchlistView](n, of, actors.CreateWatchlist{Watchlist: newWatchlist(fmt.Sprint("list ", number))})
		if err != nil {
			l.bear(of, "watchlist", err, watchpost.PlanLimit)
		}
	})
}

func newWatchlist(name string) watchpost.Watchlist {
	return watchpost.Watchlist{
		Type: watchpost.KeywordWatchlist, Name: name, Frequency: watchpost.FetchFrequency(time.Hour), Keywords: []watchpost.KeywordEntry{{Keyword: "go"}},
	}
}

func (l *life) unwatch(n *node, of *team) {
	views, err := ask[[]actors.WatchlistView](n, of, actors.ListWatchlists{})
	if err == nil && len(views) > 0 {
		deletions{l.checks}.mayGo(string(views[0].Watchlist.ID))
		_, err = ask[root.Done](n, of, actors.DeleteWatchlist{Type: watchpost.KeywordWatchlist, ID: views[0].Watchlist.ID})
	}
	if err != nil {
		l.bear(of, "delete watchlist", err, watchpost.NotFound)
	}
}
