package sim

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

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
	"create": 8, "create-many": 2, "create-again": 3, "cancel": 4, "poll": 4, "team": 1,
	"connect": 8, "drop": 4, "worker-ends": 3, "browser-wiped": 1, "network-answers": 8,
	"second": 2, "minutes": 4, "lease-ends": 3, "quarter": 2, "hours": 2, "day": 1, "midnight": 2, "monday": 1,
	"before-midnight": 2, "before-monday": 1,
	"restart": 1, "crash": 3, "commit-fails": 4, "read-fails": 2, "store-full": 1, "store-away": 1, "panic": 3, "backup": 2, "restore": 1,
	"watchlist": 2, "watchlist-deleted": 1, "post": 3, "plan": 1,
	"rule": 3, "rule-deleted": 1, "rules-stop": 1, "rules-go": 1, "rule-decides": 3, "target": 2, "mail-answers": 2,
	"delete-later": 2, "deletion-undone": 2,
	"member-joins": 2, "member-leaves": 2, "key-rotates": 1, "team-deleted": 1,
}

// themes are kinds that a life may have more often: a fault that needs several of them
// appears in lives of its theme, and hardly ever in an even mixture.
var themes = [][]kind{
	{},
	{"create", "backup", "restore", "crash", "network-answers"},
	{"rule", "post", "watchlist", "rule-decides", "rules-stop", "rules-go", "hours", "crash"},
	{"create", "create-many", "before-midnight", "before-monday", "crash", "network-answers"},
	{"create", "member-joins", "member-leaves", "team-deleted", "drop"},
	{"target", "mail-answers", "post", "watchlist", "hours", "crash"},
	{"watchlist", "rule", "target", "post", "delete-later", "deletion-undone", "second", "crash", "commit-fails"},
	{"create", "network-answers", "day", "lease-ends", "worker-ends"},
	{"create", "cancel", "connect", "network-answers", "crash", "commit-fails", "second"},
	{"create", "create-again", "crash", "commit-fails", "panic", "restart", "read-fails", "store-full", "store-away"},
}

// shares are how often a seed draws a kind that is not of its theme, in parts of its
// weight, and ofTheme one that is.
var shares = []int{0, 1, 1, 3}

const ofTheme = 6

// draw returns the operations of a seed.
func draw(seed uint64, count int) []operation {
	r := rand.New(rand.NewPCG(seed, 2))
	var of []kind
	theme := themes[r.IntN(len(themes))]
	for _, k := range slices.Sorted(maps.Keys(weights)) {
		share := shares[r.IntN(len(shares))]
		switch {
		case slices.Contains(theme, k):
			share = ofTheme
		case k == "create" || k == "connect":
			share = max(share, 1)
		}
		of = append(of, slices.Repeat([]kind{k}, weights[k]*share)...)
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
	l.seen.note("operation " + string(op.kind))
	l.wake()
	switch op.kind {
	case "create", "create-many", "create-again", "cancel", "poll", "team", "watchlist", "watchlist-deleted", "plan":
		l.request(op.kind, r, of)
	case "connect", "drop", "worker-ends", "browser-wiped", "network-answers", "post":
		l.happen(op.kind, r, b)
	case "restart", "crash", "commit-fails", "read-fails", "store-full", "store-away", "panic", "backup", "restore", "mail-answers":
		l.breakDown(op.kind, r)
	case "rule", "rule-deleted", "rules-stop", "rules-go", "rule-decides", "target":
		engaging{l}.engage(op.kind, r, of)
	case "delete-later", "deletion-undone":
		deleting{l}.do(op.kind, r, of)
	case "member-joins", "member-leaves", "key-rotates", "team-deleted":
		people{l}.manage(op.kind, r, of)
	default:
		l.letPass(op.kind, r)
	}
}

// wake opens the laptops if it is time.
func (l *life) wake() {
	if l.wakeAt.IsZero() || l.now().Before(l.wakeAt) {
		return
	}
	l.wakeAt, l.nextBeat = time.Time{}, l.now()
	for b := range l.browsers() {
		b.connect()
		l.network.answers[b.urn()] = append(l.network.answers[b.urn()], slow)
	}
	for _, of := range l.teams { // something is under way when the period ends
		l.create(of, taskOf(l.random, watchpost.TaskCommentPost), "", "")
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
		how := append(slices.Clone(refusals), silentDone, silentDone, silentNot, strange, slow, slow, slow)[r.IntN(len(refusals)+7)]
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
	case "store-full":
		l.node.store.fullUntil = l.now().Add(time.Duration(1+r.IntN(90)) * time.Second)
		l.lateUntil = l.node.store.fullUntil.Add(patience)
	case "store-away":
		l.node.store.awayUntil = l.now().Add(time.Duration(1+r.IntN(90)) * time.Second)
	case "panic":
		l.mu.Lock()
		l.panicAt = 1 + r.IntN(60)
		l.mu.Unlock()
	case "backup":
		l.save()
	case "restore":
		l.restore()
	case "mail-answers":
		for range 1 + r.IntN(4) {
			l.mailAnswers = append(l.mailAnswers, mailFaults[r.IntN(len(mailFaults))])
		}
	}
}

// letPass lets time pass when there is nothing else to do. Over an hour the laptops
// sleep, mostly.
func (l *life) letPass(k kind, r *rand.Rand) {
	now := l.now()
	until := map[kind]time.Time{
		"second": now.Add(time.Second), "minutes": now.Add(time.Duration(r.IntN(600)) * time.Second),
		"lease-ends": now.Add(protocol.LeaseTime + time.Second), "quarter": now.Add(15*time.Minute + time.Second),
		"hours": now.Add(7 * time.Hour), "day": now.Add(25 * time.Hour),
		"midnight": watchpost.Daily.Reset(now), "monday": watchpost.Weekly.Reset(now),
		"before-midnight": watchpost.Daily.Reset(now).Add(-time.Duration(1+r.IntN(300)) * time.Second),
		"before-monday":   watchpost.Weekly.Reset(now).Add(-time.Duration(1+r.IntN(300)) * time.Second),
	}[k]
	l.tell("time passes until %s", until.Format("Mon 2 Jan 15:04:05"))
	if until.Sub(now) > time.Hour && r.IntN(10) > 0 {
		l.nextBeat = time.Time{}
	}
	if k == "minutes" {
		l.nextBeat = now
	}
	if k == "before-midnight" || k == "before-monday" { // browsers are there when the period ends
		l.wakeAt = until
	}
	if until.After(l.target) {
		l.target = until
	}
}
