package sim

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"watchpost/actors"
	"watchpost/actors/journal"
	"watchpost/actors/stored"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// promised is a task as its clients and browsers know it.
type promised struct {
	id   watchpost.TaskID
	team *team
	kind watchpost.TaskType
	// answered: a readable result was acknowledged. final is the first final answer.
	answered bool
	final    *actors.TaskView
}

// checks holds the service to its promises.
type checks struct {
	life  *life
	mu    sync.Mutex
	tasks map[string]*promised
	// used and debits are what lasts of the ledgers and of the tasks' debits, ended
	// the final records.
	used   map[string]map[string]int
	debits map[string]map[string][]watchpost.Debit
	ended  map[string]string
	latest time.Time
	// replies are those to creations with an Idempotency-Key, effects the tasks that were
	// named last for writes that must not be done twice.
	replies map[string]reply
	effects map[string]watchpost.TaskID
	// given are the leases that browsers got, but not those that a restore has undone.
	given  map[string]bool
	stored storedState
}

// reply is the id that a creation was answered with, and when that was.
type reply struct {
	id   watchpost.TaskID
	hash string
	at   time.Time
}

// keyLasts is how long a repetition with an Idempotency-Key is the same request.
const keyLasts = 24 * time.Hour

func newChecks(l *life) *checks {
	return &checks{
		life: l, tasks: map[string]*promised{}, used: map[string]map[string]int{}, debits: map[string]map[string][]watchpost.Debit{},
		ended: map[string]string{}, replies: map[string]reply{}, effects: map[string]watchpost.TaskID{}, given: map[string]bool{}, stored: newStored(),
	}
}

// task returns the record of a task, and creates it if there is none.
func (c *checks) task(id string, of *team, kind watchpost.TaskType) *promised {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.tasks[id]
	if p == nil {
		p = &promised{id: watchpost.TaskID(id), team: of, kind: kind}
		if of.dead {
			return p // it need not last
		}
		c.tasks[id] = p
	}
	if p.team != of {
		c.life.fail("task %s of %s is shown to %s", id, p.team.name, of.name)
	}
	return p
}

// all returns the tasks of teams that are there, in the order of their ids.
func (c *checks) all() []*promised {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.SortedFunc(maps.Values(c.tasks), func(a, b *promised) int { return cmp.Compare(a.id, b.id) })
	return slices.DeleteFunc(all, func(p *promised) bool { return p.team.dead })
}

// cancelled reports whether a client knows that the task is cancelled.
func (p *promised) cancelled() bool {
	return p.final != nil && strings.Contains(string(p.final.Output), `"`+watchpost.FailCancelled+`"`)
}

// handedOut looks at a task that goes to a browser. A write may have been cancelled while
// it was on its way: no go follows.
func (c *checks) handedOut(b *browser, f *protocol.Frame) {
	p := c.task(f.Task, b.team, watchpost.TaskType(f.TaskType))
	if p.final != nil && !p.kind.Scan() && (!p.kind.Writes() || !p.cancelled()) {
		c.life.fail("task %s is handed out after its end", f.Task)
	}
	c.mu.Lock()
	c.given[f.Lease] = true
	c.mu.Unlock()
}

// wrote looks at a write that is done on the network.
func (c *checks) wrote(task string) {
	c.mu.Lock()
	p := c.tasks[task]
	c.mu.Unlock()
	if p != nil && p.cancelled() {
		c.life.fail("write %s is done after its cancellation was acknowledged", task)
	}
}

// acknowledged notes that the service took a result.
func (c *checks) acknowledged(b *browser, e *entry) {
	if e.state != protocol.StateDone || e.report.Error != nil || string(e.report.Output) == "[]" {
		return
	}
	c.mu.Lock()
	given := c.given[e.lease]
	c.mu.Unlock()
	if given { // a restored service takes the results of leases that it does not know, and drops them
		c.task(e.task, b.team, e.kind).answered = true
	}
}

// lasting looks at each batch that lasts.
func (c *checks) lasting(space persistence.Space, b *persistence.Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.batch(string(space), b)
	changed := false
	for _, w := range b.Writes {
		if w.Delete || len(w.Key) == 0 {
			continue
		}
		of, id := string(w.Key[:1]), string(w.Key[1:])
		switch of {
		case teamspace.KeyLedger:
			var record teamspace.LedgerRecord
			c.decode(w.Value, &record)
			put(c.used, string(space), id, record.Used)
			changed = true
		case teamspace.KeyOpen:
			var debits []watchpost.Debit
			c.decode(w.Value, &debits)
			put(c.debits, string(space), id, debits)
			changed = true
		case teamspace.KeyTask:
			c.record(string(space), id, w.Value)
			changed = true
		}
	}
	if changed {
		c.balance(string(space))
	}
}

func put[V any](to map[string]map[string]V, space, key string, value V) {
	if to[space] == nil {
		to[space] = map[string]V{}
	}
	to[space][key] = value
}

func (c *checks) decode(value []byte, record any) {
	if err := teamspace.Decode(value, record); err != nil {
		c.life.fail("a record cannot be read: %v: %q", err, value)
	}
}

// record looks at the new record of a task. One that has ended changes no more,
// unless the truth about an unknown outcome comes late.
func (c *checks) record(space, id string, value []byte) {
	var task, ended watchpost.Task
	c.decode(value, &task)
	if before, ok := c.ended[id]; ok && before != string(value) && !task.Type.Scan() {
		c.decode([]byte(before), &ended)
		late := ended.Resolved == nil && task.Resolved != nil && ended.Failure != nil && ended.Failure.Code == watchpost.FailOutcomeUnknown
		if !late {
			c.life.fail("task %s is written after its end: %s, then %s", id, before, value)
		}
		if late && !task.Resolved.Acted && len(task.Past) > 0 {
			last := task.Past[len(task.Past)-1].Attempt
			kept := slices.DeleteFunc(slices.Clone(c.debits[space][id]), func(d watchpost.Debit) bool { return d.Attempt == last })
			put(c.debits, space, id, kept)
		}
	}
	if task.State.Final() {
		c.ended[id] = string(value)
	}
}

// balance holds a team's ledger against the debits of its tasks and the allowances.
// Debits that are older than those of the week before are not given back.
func (c *checks) balance(space string) {
	if now := c.life.now(); now.After(c.latest) {
		c.latest = now
	}
	known := watchpost.Weekly.Start(c.latest).AddDate(0, 0, -7).Format(time.DateOnly)
	sum := map[string]int{}
	for _, debits := range c.debits[space] {
		for _, d := range debits {
			sum[d.Period+"\x00"+string(d.Account)+"\x00"+string(d.Action)] += d.Count()
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.used[space])) {
		used := c.used[space][key]
		limit, _ := watchpost.AllowanceOf(watchpost.Action(key[strings.LastIndexByte(key, 0)+1:]))
		if used > limit.Limit || used < sum[key] || used != sum[key] && key[:len(known)] >= known {
			c.life.fail("the ledger %q says %d of %d, and the debits of the tasks say %d", key, used, limit.Limit, sum[key])
		}
	}
}

// view looks at the answer of a task. then is what was known of it when it was asked:
// an answer that comes late may be older than what another answer has shown since.
func (c *checks) view(p *promised, then promised, view *actors.TaskView) {
	switch {
	case view.State.Final():
		c.truth(p, then.answered, view)
		c.ends(p, then.final, view)
	case then.final != nil:
		c.changed(p.id, then.final, view)
	case then.answered:
		c.life.fail("task %s: its result was acknowledged, and it is %s", p.id, view.State)
	case view.Reason == "":
		c.life.fail("task %s waits without a reason", p.id)
	}
}

// ends looks at an answer with the end of a task: it is the only one, but for a late truth.
func (c *checks) ends(p *promised, then, view *actors.TaskView) {
	switch now := p.final; {
	case now == nil, lateTruth(now, view):
		p.final = view
	case sameEnd(now, view), lateTruth(view, now) && (then == nil || sameEnd(then, view)):
	default:
		c.changed(p.id, now, view)
	}
}

func (c *checks) changed(id watchpost.TaskID, before, view *actors.TaskView) {
	c.life.fail("task %s changed after its end: %s %s, then %s %s", id, before.State, before.Output, view.State, view.Output)
}

func sameEnd(a, b *actors.TaskView) bool {
	return a.State == b.State && string(a.Output) == string(b.Output) && a.CompletedAt.Equal(b.CompletedAt)
}

// truth holds what a task says of its end against what the network knows.
func (c *checks) truth(p *promised, answered bool, view *actors.TaskView) {
	_, done := c.life.network.done[string(p.id)]
	var said struct {
		RetrySafe bool `json:"retry_safe"`
		Resolved  *struct {
			Acted bool `json:"acted"`
		} `json:"resolved"`
	}
	_ = json.Unmarshal(view.Output, &said) // an output without these fields says nothing
	switch {
	case view.State == watchpost.TaskCompleted && p.kind.Writes() && !done:
		c.life.fail("task %s is completed, and the network knows nothing of it", p.id)
	case view.State == watchpost.TaskCompleted && !p.kind.Writes() && !strings.Contains(string(view.Output), markOf(string(p.id))):
		c.life.fail("task %s says what no browser sent: %s", p.id, view.Output)
	case view.State == watchpost.TaskFailed && p.kind.Writes() && said.RetrySafe && done:
		c.life.fail("task %s says that it may be repeated, and it is done: %s", p.id, view.Output)
	case answered && c.life.restoredAt.IsZero() && strings.Contains(string(view.Output), `"`+watchpost.FailOutcomeUnknown+`"`) && said.Resolved == nil:
		c.life.fail("task %s: that it is done was acknowledged, and it says %s", p.id, view.Output)
	case said.Resolved != nil && said.Resolved.Acted != done:
		c.life.fail("task %s says that it was done: %t, and that is not so: %s", p.id, said.Resolved.Acted, view.Output)
	}
}

// lateTruth reports whether an answer shows the truth about an unknown outcome, which
// the one before did not, and nothing else that is new.
func lateTruth(before, now *actors.TaskView) bool {
	old, shown := string(before.Output), string(now.Output)
	return strings.Contains(old, watchpost.FailOutcomeUnknown) && !strings.Contains(old, `"resolved"`) &&
		strings.HasPrefix(shown, strings.TrimSuffix(old, "}")+`,"resolved":{"acted":`)
}

// replied holds the reply to a creation with an Idempotency-Key against earlier ones. Two
// bodies under one key are two requests, and one of them is refused.
func (c *checks) replied(of *team, key, hash string, id watchpost.TaskID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := of.name + " " + key
	first, known := c.replies[name]
	now := c.life.now()
	switch {
	case !known || now.Sub(first.at) >= keyLasts:
		c.replies[name] = reply{id, hash, now}
	case first.id != id:
		c.life.fail("the key %s has made two tasks: %s and %s", name, first.id, id)
	case first.hash != hash:
		c.life.fail("the key %s has answered two bodies with %s", name, id)
	}
}

// whole checks the store at the end.
func (c *checks) whole(ctx context.Context) {
	report := func(team watchpost.TeamID, problem string) { c.life.fail("team %s: %s", team, problem) }
	if _, err := stored.VerifyPosts(ctx, c.life.node.store, stored.Repairing{}, report); err != nil {
		c.life.fail("the posts cannot be verified: %v", err)
	}
	if _, err := journal.VerifyAll(ctx, c.life.node.store, report); err != nil {
		c.life.fail("the journals cannot be verified: %v", err)
	}
	c.delivered(ctx)
	c.directory(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.covered()
	deletions{c}.end()
	for _, id := range slices.Sorted(maps.Keys(c.tasks)) {
		p := c.tasks[id]
		if p.team.dead {
			continue
		}
		if _, ok := c.life.disk.spaces[persistence.Space(p.team.id)].find(teamspace.KeyTask + id); !ok && !p.kind.Scan() {
			c.life.fail("task %s was acknowledged or handed out, and is not stored", id)
		}
	}
}

// open lists the tasks that have not ended, with why.
func (c *checks) open() string {
	var waiting []string
	for _, p := range c.all() {
		if p.final == nil && !p.kind.Scan() {
			waiting = append(waiting, fmt.Sprint(p.kind, " ", p.id))
		}
	}
	return strings.Join(waiting, ", ")
}
