package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"testing/synctest"
	"time"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/vault"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// life is one life of the service with its teams.
type life struct {
	*scheduler
	seed    uint64
	disk    *disk
	node    *node // the process that runs now
	keyring *vault.Keyring
	// mailAnswers are the mailer's answers to the next mails. mails are the delivered
	// mails, by the name of the target that begins them.
	mailAnswers []mailFault
	mails       map[string]string
	network     *network
	checks      *checks
	teams       []*team

	// target is until when time passes as soon as nothing can run; beats says that
	// browsers send heartbeats meanwhile.
	target   time.Time
	nextBeat time.Time // zero: none are sent
	// lateUntil is until when requests may have no answer in time: the store was full.
	lateUntil time.Time
	wakeAt    time.Time // when the laptops wake up; zero: when they are connected again
	// stalls is one in how many steps lets time pass although work waits, crowd one in
	// how many begins an operation although others are under way; 0: none.
	stalls, crowd int
	story         []string

	seen       seen
	saved      *backup   // the newest; nil: none was made
	restoredAt time.Time // zero: never
}

// team is a team with its members' browsers.
type team struct {
	name     string
	id       watchpost.TeamID
	founder  string
	browsers []*browser
	lists    int
	later    []deletable // whose deletion waits, as members know
	// guest is the browser of a new member; joined: a member was invited since the last
	// one left.
	guest           *browser
	joining, joined bool
	apiKey          string
	rotating        bool
	targets         []string // the names of notification targets that were made
	ruleGoes        int      // how often its rules were let go on
	dead            bool     // it was deleted, or a restore knows nothing of it
	// keys are the inputs that were sent with an Idempotency-Key, by the key.
	keys map[string]actors.CreateTask
	// mixed are the keys with which two bodies were sent.
	mixed map[string]bool
}

func newLife(seed uint64, trace func(string)) *life {
	l := &life{scheduler: newScheduler(seed, trace), seed: seed, disk: newDisk(), mails: map[string]string{}, seen: seen{}}
	l.keyring, _ = vault.NewKeyring(bytes.Repeat([]byte{7}, vault.MasterKeySize))
	l.network, l.checks = newNetwork(l), newChecks(l)
	l.disk.watch = l.checks.lasting
	l.stalls = []int{0, 0, 500, 100}[l.random.IntN(4)]
	l.crowd = []int{0, 3, 10, 40}[l.random.IntN(4)]
	l.boot()
	return l
}

// tell adds a line to the story of the life.
func (l *life) tell(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	l.note("told", what)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.story = append(l.story, l.now().Format("02 15:04:05 ")+what)
}

// bear takes an error that clients and browsers must expect: the store failed, the
// process ended, a planned panic happened, the team was deleted, or one of the kinds
// also. Another ends the life.
func (l *life) bear(of *team, what string, err error, also ...watchpost.Kind) {
	if errors.Is(err, context.DeadlineExceeded) && l.stalls == 0 && l.now().After(l.lateUntil) {
		l.fail("%s has no answer: %v", what, err)
	}
	kind := watchpost.KindOf(err)
	gone := of.dead && (kind == watchpost.NotFound || kind == watchpost.Unauthenticated)
	if kind != watchpost.Unavailable && (kind != watchpost.Internal || !l.panicked) && !gone && !slices.Contains(also, kind) {
		l.fail("%s: %v", what, err)
	}
}

// patience is how long clients wait for an answer.
const patience = 30 * time.Second

// ask sends a request of a client.
func ask[R any](n *node, of *team, request any) (R, error) {
	var nothing R
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	reply, err := n.registry.Call(ctx, of.id, request)
	if err != nil {
		return nothing, err
	}
	return reply.(R), nil
}

// places are where the teams are: the accounts of a place stay when its team is deleted.
var places = []string{"east", "west"}

// found makes the teams with their members and browsers.
func (l *life) found() {
	for _, name := range places {
		of := newTeam(name)
		l.teams = append(l.teams, of)
		l.wait("found "+name, func() {
			if err := l.foundTeam(l.node, of, name); err != nil {
				l.fail("found %s: %v", name, err)
			}
		})
	}
}

func newTeam(name string) *team {
	return &team{name: name, keys: map[string]actors.CreateTask{}, mixed: map[string]bool{}}
}

// foundTeam makes a team. Its members have the accounts of that place.
func (l *life) foundTeam(n *node, of *team, place string) error {
	of.founder = "ada@" + of.name + ".example"
	made, err := n.registry.CreateTeam(n.ctx, actors.CreateTeam{Plan: watchpost.PlanUltimate, Email: of.founder, FullName: "Ada", SignedIn: true})
	if err != nil {
		return err
	}
	of.id, of.apiKey = made.Team.ID, made.APIKey
	second := "bob@" + of.name + ".example"
	if _, err := ask[watchpost.Member](n, of, actors.AddMember{Email: second, FullName: "Bob", Role: watchpost.RoleMember}); err != nil {
		return err
	}
	for i, email := range []string{of.founder, second, of.founder} {
		opened, err := ask[actors.SessionOpened](n, of, actors.OpenSession{Email: email})
		if err != nil {
			return err
		}
		slug := []string{"ada", "bob", "ada"}[i] + "-" + place
		name := []string{"ada", "bob", "ada's laptop"}[i] + " of " + of.name
		of.browsers = append(of.browsers, l.newBrowser(of, name, email, slug, opened))
	}
	return nil
}

func (l *life) newBrowser(of *team, name, email, slug string, opened actors.SessionOpened) *browser {
	b := &browser{
		life: l, name: name, team: of, email: email, token: opened.Token, account: actorstest.Account(slug), id: "journal-" + name,
		member: opened.Member.ID, skew: time.Duration(l.random.IntN(7200)-3600) * time.Second,
	}
	b.hears, b.says = choice{"hear " + name, b.take}, choice{"say " + name, b.say}
	b.closes, b.works = choice{"closed " + name, b.drop}, choice{"work " + name, b.work}
	return b
}

// wait runs f as a client, and everything else until it is done.
func (l *life) wait(what string, f func()) {
	done := l.spawn(l.node, what, f)
	limit := l.now().Add(10 * time.Minute)
	for l.runUntil(done.Load, 100*time.Millisecond) {
		if l.now().After(limit) {
			l.fail("%s does not end", what)
		}
	}
}

// runUntil lets one thing run, or time pass when nothing can; false when done says so
// or the life has failed.
func (l *life) runUntil(done func() bool, pause time.Duration) bool {
	synctest.Wait()
	if done() || l.failed() {
		return false
	}
	if !l.step(l.browserChoices) && !l.failed() {
		l.sleep(l.now().Add(pause))
	}
	return true
}

// browsers are those of the teams that are there.
func (l *life) browsers() iter.Seq[*browser] {
	return func(yield func(*browser) bool) {
		for _, of := range l.teams {
			for _, b := range of.browsers {
				if !yield(b) {
					return
				}
			}
		}
	}
}

func (l *life) browserChoices(all []choice) []choice {
	for b := range l.browsers() {
		all = b.choices(all)
	}
	return all
}

// turn lets one thing run, or begins an operation, or lets time pass; false when there is
// nothing left to do.
func (l *life) turn(ops *[]operation) bool {
	synctest.Wait()
	if l.stalls > 0 && l.random.IntN(l.stalls) == 0 {
		l.sleep(l.now().Add(time.Duration(1+l.random.IntN(30_000)) * time.Millisecond))
	}
	if len(*ops) > 0 && l.crowd > 0 && l.random.IntN(l.crowd) == 0 {
		l.begin(ops)
		synctest.Wait()
	}
	return l.step(l.browserChoices)
}

// maxSteps bounds the steps until there is nothing left to do.
const maxSteps = 300_000

// rest lets everything run that needs no time.
func (l *life) rest() {
	var nothing []operation
	for range maxSteps {
		if !l.turn(&nothing) {
			return
		}
	}
	l.fail("never at rest")
}

// pass lets time pass.
func (l *life) pass(d time.Duration) {
	l.target = l.now().Add(d)
	for !l.failed() {
		l.rest()
		if !l.now().Before(l.target) {
			return
		}
		l.sleep(l.wakes(l.target))
	}
}

// wakes returns when the next browser does something by itself, at the latest until.
func (l *life) wakes(until time.Time) time.Time {
	l.beat()
	if !l.nextBeat.IsZero() && l.nextBeat.Before(until) {
		until = l.nextBeat
	}
	if at := l.node.store.fullUntil; at.After(l.now()) && at.Before(until) {
		until = at
	}
	for b := range l.browsers() {
		if at := b.wakes(); at.After(l.now()) && at.Before(until) {
			until = at
		}
	}
	return until
}

// beat sends the heartbeats that are due.
func (l *life) beat() {
	now := l.now()
	if l.nextBeat.IsZero() || now.Before(l.nextBeat) {
		return
	}
	l.nextBeat = time.Time{}
	for b := range l.browsers() {
		if b.welcomed {
			b.heartbeat()
			l.nextBeat = now.Add(protocol.HeartbeatEvery)
		}
	}
}

// play plays the operations.
func (l *life) play(ops []operation) {
	l.found()
	for at, steps := l.now(), 0; steps < 1_000_000; steps++ { // at one moment: weeks of heartbeats have more
		if l.failed() {
			return
		}
		if now := l.now(); now.After(at) {
			at, steps = now, 0
		}
		switch now := l.now(); {
		case l.turn(&ops):
		case l.failed():
		case l.target.After(now):
			if until := l.wakes(l.target); until.After(now) {
				l.sleep(until)
			}
		case len(ops) > 0:
			l.begin(&ops)
		default:
			l.settle()
			return
		}
	}
	l.fail("the life does not end")
}

// settle ends the life well: the faults end, all browsers are there, days pass. Then
// nothing waits any more, and all that was said still holds after a restart and a crash.
func (l *life) settle() {
	l.tell("the faults end")
	l.stalls, l.crowd = 0, 0
	l.mu.Lock()
	l.panicAt = 0
	l.mu.Unlock()
	l.node.store.calm()
	clear(l.network.answers)
	l.mailAnswers = nil
	for day := 0; day < 9 && !l.failed(); day++ {
		for range 3 {
			for b := range l.browsers() {
				if !b.welcomed && !b.over {
					b.connect()
				}
			}
			l.nextBeat = l.now()
			l.pass(3 * time.Minute)
		}
		l.poll()
		if l.rest(); day > 0 && l.checks.open() == "" {
			break
		}
		l.nextBeat = time.Time{} // the laptops sleep
		l.pass(watchpost.Daily.Reset(l.now()).Add(time.Hour).Sub(l.now()))
	}
	if waiting := l.checks.open(); waiting != "" && !l.failed() {
		l.fail("all browsers were there for days, and these wait: %s", waiting)
	}
	for b := range l.browsers() {
		b.drop()
	}
	l.rest()
	for _, next := range []func(){l.restart, func() { l.kill(l.node); l.boot() }} {
		if l.failed() {
			return
		}
		next()
		l.poll()
		l.pass(time.Hour)
	}
	if !l.failed() {
		l.checks.whole(context.Background())
	}
}

// end frees everything that still waits.
func (l *life) end() {
	for b := range l.browsers() {
		if b.hangUp != nil {
			b.hangUp()
		}
	}
	l.kill(l.node)
	time.Sleep(5 * time.Minute) // what waits with a bound in real time
	for _, n := range l.gone() {
		l.reap(n)
	}
	synctest.Wait()
	l.dismiss()
}

// gone returns the nodes that goroutines still wait for.
func (l *life) gone() (nodes []*node) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.parked {
		nodes = append(nodes, p.node)
	}
	return nodes
}

// client runs a request of a client, which need not be answered.
func (l *life) client(what string, f func(n *node)) *atomic.Bool {
	n := l.node
	return l.spawn(n, what, func() { f(n) })
}
