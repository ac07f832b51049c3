package actors_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// TestTeamStateMachine drives a team at random: requests, frames, broken
// connections, lost and slow commits, lost reads, restarts, crashes and time, in any order. It
// checks the invariants on the API's answers, on the messages to sessions, and on
// every batch that becomes durable:
//
//   - a task that was acknowledged is there for good;
//   - it has one final result, which never changes and which a session sent;
//   - a result that was acknowledged stands;
//   - a write is let go once, until its session says that it did not act;
//   - a write of an unknown outcome is not said to be undone before that session says so;
//   - the usage of an account is the sum handed out and not given back;
//   - no account is handed more than its allowance.
//
// TestLivesUnderFaults adds faults.
func TestTeamStateMachine(t *testing.T) {
	t.Parallel()
	engine := actorstest.Engine(t)
	playLives(t, 20, 40, func(r *rapid.T, steps int) {
		m := newMachine(t, r, engine)
		defer m.w.End()
		for range steps {
			m.step()
		}
		m.finish()
	})
}

// machine is one run with the state it must match.
type machine struct {
	t        *testing.T
	r        *rapid.T
	w        *actorstest.World
	team     *actorstest.Team
	sessions []*fakeSession
	expected *expectedState

	tasks []*promised
	byID  map[string]*promised
	// story is what happened: rapid draws the same again, but what the actors
	// do in between is not the same.
	story []string

	faults lifeFaults
	random *rand.Rand // of the faults; nil: there are none
}

func (m *machine) tell(format string, args ...any) {
	m.story = append(m.story, m.w.Now().Format("02T15:04:05 ")+fmt.Sprintf(format, args...))
}

func (m *machine) fail(format string, args ...any) {
	m.r.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(m.story, "\n"))
}

// promised is a task as the test knows it.
type promised struct {
	id       watchpost.TaskID
	kind     watchpost.TaskType
	sent     []string         // marks in the results that sessions sent
	answered bool             // a result that counts was acknowledged
	final    *actors.TaskView // the first final view
	let      string           // the lease under which it was let go; "": none
	back     map[int]bool     // attempts that may have been given back
	surely   map[int]bool     // attempts that surely were
	undone   map[string]bool  // leases under which a session said that it did not act
}

// fakeSession is a session with its journal.
type fakeSession struct {
	*actorstest.Session
	connected bool
	journal   []*held
	out, in   []protocol.Frame // that are late
}

// held is an entry of a session's journal.
type held struct {
	frame protocol.Frame
	state string
	let   bool // to act
	// report is the result that waits for its ack; nil before it is done.
	report *protocol.Frame
	counts bool // the report is a result that the task can end with
}

// String implements fmt.Stringer.
func (p *fakeSession) String() string { return p.Account.Slug }

// String implements fmt.Stringer.
func (h *held) String() string {
	return fmt.Sprint(h.frame.Task, " ", h.frame.Lease, " ", h.frame.Attempt, " ", h.state)
}

func newMachine(t *testing.T, r *rapid.T, engine persistence.Store) *machine {
	m := &machine{t: t, r: r, expected: newExpectedState(), byID: map[string]*promised{}}
	m.w = actorstest.New(t, actorstest.On(engine), actorstest.Watching(m.expected.enter))
	m.expected.now = m.w.Now
	m.team = m.w.CreateTeam(t, watchpost.PlanUltimate)
	m.expected.follow(persistence.Space(m.team.ID))
	unique := watchpost.NewSecret(4)
	m.sessions = []*fakeSession{
		{Session: m.team.Session(t, "ada-"+unique)},
		{Session: m.team.SessionOf(t, m.team.Member(t, "bob"), "bob-"+unique)},
		{Session: m.team.Session(t, "ada-"+unique)}, // another browser of ada
	}
	return m
}

// step does one thing at random.
func (m *machine) step() {
	r := m.r
	p := m.sessions[rapid.IntRange(0, len(m.sessions)-1).Draw(r, "session")]
	step := rapid.SampledFrom([]string{
		"create", "create", "create", "many", "connect", "connect", "connect", "drop", "work", "work", "work", "work", "work", "work",
		"heartbeat", "second", "lease", "quarter", "hours", "day", "midnight", "monday", "backwards", "suspended",
		"restart", "crash", "lose", "lose-read", "slow", "stall", "poll",
	}).Draw(r, "step")
	m.tell("step %s %s", step, p)
	switch step {
	case "create":
		m.create(rapid.SampledFrom([]watchpost.TaskType{watchpost.TaskProfileFetch, watchpost.TaskCommentPost, watchpost.TaskLikePost}).Draw(r, "kind"))
	case "many":
		for range 12 {
			m.create(watchpost.TaskCommentPost)
		}
		for range 12 {
			m.settle()
			for _, p := range m.sessions {
				for _, h := range slices.Clone(p.journal) {
					m.report(p, h, "ok")
				}
			}
		}
	case "connect":
		m.connect(p)
	case "drop":
		if p.connected {
			p.Drop()
			p.connected = false
		}
	case "work":
		m.work(p)
	case "heartbeat":
		if p.connected {
			var running []protocol.Frame
			for _, h := range p.journal {
				running = append(running, h.frame)
			}
			p.Heartbeat(running...)
		}
	case "second":
		m.w.Advance(time.Second)
	case "lease":
		m.w.Advance(leaseOver)
	case "quarter":
		m.w.Advance(15*time.Minute + time.Second)
	case "hours":
		m.w.Advance(7 * time.Hour)
	case "day":
		m.w.Advance(25 * time.Hour)
	case "midnight":
		m.until(midnight(m.w.Now()))
	case "monday":
		m.until(monday(m.w.Now()))
	case "backwards", "suspended":
		m.jump(step)
	case "restart":
		m.w.Restart()
		m.cutOff()
		m.arm()
	case "crash":
		m.crash()
	case "lose":
		fault := rapid.SampledFrom([]actorstest.Fault{actorstest.Before, actorstest.After}).Draw(r, "fault")
		m.w.Store.Fail(persistence.Space(m.team.ID), rapid.IntRange(1, 4).Draw(r, "nth"), fault)
	case "lose-read":
		m.w.Store.LoseRead(rapid.IntRange(1, 30).Draw(r, "nth"), func(actorstest.Read) bool { return true })
	case "slow":
		m.slow()
	case "stall":
		m.stall()
	case "poll":
		m.poll()
	}
	m.settle()
	m.revive()
	m.expected.check(m)
}

// slow lets sessions go on, and a client ask for a task, while no commit lands.
func (m *machine) slow() {
	kind := rapid.SampledFrom([]watchpost.TaskType{watchpost.TaskProfileFetch, watchpost.TaskLikePost}).Draw(m.r, "kind")
	m.w.Store.Block()
	made := make(chan func(), 1)
	go func() {
		task, err := actorstest.Try[actors.TaskCreated](m.team, actorstest.NewTask(kind))
		made <- func() { m.made(task, err, kind) }
	}()
	for range rapid.IntRange(1, 6).Draw(m.r, "moves") {
		m.work(m.sessions[rapid.IntRange(0, len(m.sessions)-1).Draw(m.r, "worker")])
	}
	m.w.Store.Release()
	(<-made)()
}

// stall lets sessions go on while the actor of one of them is stuck.
func (m *machine) stall() {
	where := rapid.SampledFrom([]string{"onTaskDecided", "onAssign", "onHeartbeat", "onFrame"}).Draw(m.r, "where")
	_, release := m.w.HoldIn("actors.(*sessionActor)." + where)
	for range rapid.IntRange(1, 6).Draw(m.r, "moves") {
		p := m.sessions[rapid.IntRange(0, len(m.sessions)-1).Draw(m.r, "worker")]
		if p.connected && rapid.Bool().Draw(m.r, "beats") {
			p.Heartbeat()
		}
		m.work(p)
	}
	release()
}

func (m *machine) cutOff() {
	for _, p := range m.sessions {
		p.connected = false
		p.out, p.in = nil, nil
	}
}

// patiently does a request again while the answer is that it may be.
func patiently[R any](m *machine, request func() (R, error)) R {
	for range 200 {
		reply, err := request()
		if err == nil {
			return reply
		}
		if watchpost.KindOf(err) != watchpost.Unavailable {
			m.fail("%v", err)
		}
		m.revive()
		m.w.Advance(time.Second)
	}
	m.fail("unavailable for ever")
	panic("unreachable")
}

func (m *machine) create(kind watchpost.TaskType) {
	made, err := actorstest.Try[actors.TaskCreated](m.team, actorstest.NewTask(kind))
	m.made(made, err, kind)
}

func (m *machine) made(made actors.TaskCreated, err error, kind watchpost.TaskType) {
	if err != nil {
		if watchpost.KindOf(err) != watchpost.Unavailable {
			m.fail("create: %v", err)
		}
		return
	}
	m.known(string(made.ID), kind)
}

// known is the test's record of a task. One whose create was not answered may
// turn up in a session's hands.
func (m *machine) known(id string, kind watchpost.TaskType) *promised {
	c := m.byID[id]
	if c == nil {
		c = &promised{id: watchpost.TaskID(id), kind: kind, back: map[int]bool{}, surely: map[int]bool{}, undone: map[string]bool{}}
		m.byID[id] = c
		m.tasks = append(m.tasks, c)
	}
	return c
}

func (m *machine) connect(p *fakeSession) {
	var listed []protocol.JournalTask
	for _, h := range p.journal {
		listed = append(listed, actorstest.Listed(h.frame, h.state))
	}
	if err := p.Hello(listed...); err != nil {
		if watchpost.KindOf(err) != watchpost.Unavailable {
			m.fail("hello: %v", err)
		}
		p.connected = p.connected && p.Open()
		return
	}
	p.connected = true
	p.out, p.in = nil, nil
	// A finished action without an acknowledgement is reported again. A session
	// that was about to act asks again.
	for _, h := range p.journal {
		switch {
		case h.report != nil:
			m.send(p, *h.report)
		case h.state == protocol.StateActing:
			m.send(p, protocol.Frame{Type: protocol.TypeActing, Task: h.frame.Task, Lease: h.frame.Lease})
		}
	}
}

// work does something with a task of the journal.
func (m *machine) work(p *fakeSession) {
	if !p.connected || len(p.journal) == 0 {
		return
	}
	h := p.journal[rapid.IntRange(0, len(p.journal)-1).Draw(m.r, "entry")]
	m.report(p, h, rapid.SampledFrom([]string{"accept", "ok", "ok", "ok", "ok", "release", "not_found", "signed_out", "page_not_understood", "network_limit",
		"timeout", "outcome_unknown", "weird", "unreadable", "again"}).Draw(m.r, "report"))
}

// failures are the moves that report one before the network was touched.
const failures = "not_found signed_out page_not_understood network_limit timeout weird"
