package actors

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/watchpost"
)

// recorder is the context of an actor whose messages a test delivers itself.
type recorder struct {
	actor.Context
	self *actor.PID
	sent []any
}

// Self implements actor.Context.
func (r *recorder) Self() *actor.PID { return r.self }

// Send implements actor.Context.
func (r *recorder) Send(_ *actor.PID, message any) { r.sent = append(r.sent, message) }

// sentOf returns the messages of one type, oldest first, and forgets all.
func sentOf[M any](r *recorder) (messages []M) {
	for _, sent := range r.sent {
		if m, ok := sent.(M); ok {
			messages = append(messages, m)
		}
	}
	r.sent = nil
	return messages
}

// account is a session actor with connections, outside a tree.
func account(clock watchpost.Clock, connections int) (*sessionActor, *recorder) {
	r := &recorder{self: actor.NewPID("", "session")}
	s := &sessionActor{env: &environment{Environment: &root.Environment{Clock: clock}}, ctx: r, team: actor.NewPID("", "team"), account: "urn:a", Standing: dispatch.NewStanding("urn:a")}
	for i := range connections {
		s.connections = append(s.connections, &connection{session: watchpost.SessionID(strconv.Itoa(i)), Readiness: dispatch.Readiness{SignedIn: true}})
	}
	return s, r
}

var wednesday = time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)

var fetches, _ = watchpost.AllowanceOf(watchpost.ActionProfileFetch)

// TestHandOutOverMidnight: a task that was assigned just before a reset and
// leased just after it costs a unit of both days, like any other that is held at
// the reset.
func TestHandOutOverMidnight(t *testing.T) {
	t.Parallel()
	midnight := watchpost.Daily.Reset(wednesday)
	clock := &fixedClock{now: midnight.Add(-time.Millisecond)}
	s, sent := account(clock, 1)
	metrics := NewMetrics()
	r := &recorder{self: actor.NewPID("", "task")}
	work := newTask(&environment{Environment: &root.Environment{Clock: clock, System: actor.NewActorSystem()}, metrics: metrics}, watchpost.Task{ID: "task", Type: watchpost.TaskProfileFetch, State: watchpost.TaskPending}, s.team)
	work.ctx = r
	pass := func() (last decided) {
		for _, d := range sentOf[decided](r) {
			s.onTaskDecided(taskDecided{taskChange: d.task})
			last = d
		}
		return last
	}

	s.onAssign(assign{id: "task", task: r.self, kind: watchpost.TaskProfileFetch, units: 1, session: "0"})
	offers := sentOf[offer](sent)
	clock.now = midnight.Add(time.Millisecond)
	work.env.Clock = neverRings{clock}
	work.onOffer(offers[0])
	pass()
	require.Equal(t, 1, s.Ledger.Used(fetches, wednesday))
	require.Equal(t, fetches.Limit-1, s.Ledger.Room(fetches.Action, midnight), "set aside before the task has noted it")
	work.onCarryOver(sentOf[carryOver](sent)[0])
	pass()
	require.Equal(t, 1, s.Ledger.Used(fetches, midnight))
	require.Len(t, work.debits, 2)

	work.decide(work.state, taskChange{event: taskStays, refund: 1}, nil)
	require.False(t, pass().batch.Empty())
	require.Zero(t, s.Ledger.Used(fetches, wednesday), "given back to the days that were debited")
	require.Zero(t, s.Ledger.Used(fetches, midnight))
	require.Empty(t, work.debits)
}

// TestReportAtMidnight: a task that was handed out at a reset costs a unit of both days,
// also when its report passes the session actor before that knows of the new day, or its
// task before that has heard of it. A task that is given back costs neither.
func TestReportAtMidnight(t *testing.T) {
	t.Parallel()
	midnight := watchpost.Daily.Reset(wednesday)
	for _, c := range []struct {
		name   string
		next   func(watchpost.Task) watchpost.Task
		change taskChange
		used   int
	}{
		{"done", func(task watchpost.Task) watchpost.Task { next, _ := task.Complete(nil, midnight); return next }, taskChange{event: taskEnded}, 1},
		{"not done", func(task watchpost.Task) watchpost.Task { next, _ := task.Release(midnight); return next }, taskChange{event: taskReturned, refund: 1}, 0},
		{"goes on", func(task watchpost.Task) watchpost.Task { return task }, taskChange{event: taskStays}, 1},
	} {
		for _, known := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, new day known: %t", c.name, known), func(t *testing.T) {
				t.Parallel()
				clock := &fixedClock{now: midnight.Add(-time.Millisecond)}
				s, sent := account(clock, 1)
				work, pass := handedOut(s, sent, clock)
				clock.now = midnight
				if known {
					s.beginDay(clock.now)
				}
				work.decide(c.next(work.state), c.change, nil)
				pass()
				for _, m := range sentOf[carryOver](sent) { // it comes too late
					work.onCarryOver(m)
				}
				pass()
				require.Equal(t, c.used, s.Ledger.Used(fetches, wednesday))
				require.Equal(t, c.used, s.Ledger.Used(fetches, midnight))
				require.Equal(t, fetches.Limit-c.used, s.Ledger.Room(fetches.Action, midnight))
				require.Len(t, work.debits, 2*c.used)
			})
		}
	}
}

// handedOut returns a task that a session actor's only connection holds, and what passes
// its decisions on to the session actor.
func handedOut(s *sessionActor, sent *recorder, clock *fixedClock) (work *task, pass func()) {
	r := &recorder{self: actor.NewPID("", "task")}
	env := &environment{Environment: &root.Environment{Clock: neverRings{clock}, System: actor.NewActorSystem()}, metrics: NewMetrics()}
	work = newTask(env, watchpost.Task{ID: "task", Type: watchpost.TaskProfileFetch, State: watchpost.TaskPending}, s.team)
	work.ctx = r
	pass = func() {
		for _, d := range sentOf[decided](r) {
			s.onTaskDecided(taskDecided{taskChange: d.task})
		}
	}
	s.onAssign(assign{id: "task", task: r.self, kind: watchpost.TaskProfileFetch, units: 1, session: "0"})
	work.onOffer(sentOf[offer](sent)[0])
	pass()
	return work, pass
}

// neverRings is a clock whose timers no test waits for.
type neverRings struct{ watchpost.Clock }

// At implements watchpost.Clock.
func (neverRings) At(time.Time, func()) watchpost.Timer { return stoppedTimer{} }

type stoppedTimer struct{}

// Stop implements watchpost.Timer.
func (stoppedTimer) Stop() bool { return true }

// fixedClock stands where it is set.
type fixedClock struct {
	watchpost.Clock
	now time.Time
}

// Now implements watchpost.Clock.
func (c *fixedClock) Now() time.Time { return c.now }

// TestManyTasksHeldAtMidnight: the tasks that an account holds at a reset count in the
// new period before anything is assigned in it. A task that is given back before it has
// noted the debit does not count.
func TestManyTasksHeldAtMidnight(t *testing.T) {
	t.Parallel()
	midnight := watchpost.Daily.Reset(wednesday)
	clock := &fixedClock{now: midnight.Add(-time.Hour)}
	const held, limit = 39, 40
	s, sent := account(clock, limit+1)
	give := func(i int) offer {
		s.onAssign(assign{
			id: watchpost.TaskID(strconv.Itoa(i)), task: actor.NewPID("", strconv.Itoa(i)),
			kind: watchpost.TaskProfileFetch, units: 1, session: watchpost.SessionID(strconv.Itoa(i)),
		})
		return sentOf[offer](sent)[0]
	}
	for i := range held {
		o := give(i)
		task, ok := watchpost.Task{ID: watchpost.TaskID(strconv.Itoa(i)), Type: watchpost.TaskProfileFetch, State: watchpost.TaskPending}.WithLease(o.lease)
		require.True(t, ok)
		s.onTaskDecided(taskDecided{taskChange: &taskChange{task: task, event: taskLeased, debited: []watchpost.Debit{o.debit}}})
	}
	require.Equal(t, held, s.Ledger.Used(fetches, clock.now))

	clock.now = midnight
	require.NotEmpty(t, give(held).lease.ID, "the last unit of the new day")
	require.Empty(t, give(limit).lease.ID, "no unit is left before one task has noted its debit")
	require.Zero(t, s.Ledger.Used(fetches, midnight))
	s.onTaskDecided(taskDecided{taskChange: &taskChange{task: watchpost.Task{ID: "0", State: watchpost.TaskCompleted}, event: taskEnded}})
	require.NotEmpty(t, give(limit).lease.ID, "one was given back before it was debited to the new day")
	require.Equal(t, held, s.Ledger.Used(fetches, wednesday))
}

// TestOpenTasksAreBounded: at the bound a client's task is refused until one
// has ended. Scans count.
func TestOpenTasksAreBounded(t *testing.T) {
	t.Parallel()
	team := newTeam(&environment{Environment: &root.Environment{Clock: &fixedClock{now: wednesday}}}, "team")
	for i := range maxOpenTasks - 1 {
		team.tasks.open[watchpost.TaskID(strconv.Itoa(i))] = &openTask{}
	}
	require.NoError(t, team.tasks.checkRoom())
	team.tasks.open["scan"] = &openTask{scan: true}
	require.Equal(t, watchpost.Unavailable, watchpost.KindOf(team.tasks.checkRoom()))
	delete(team.tasks.open, "0")
	require.NoError(t, team.tasks.checkRoom())
}
