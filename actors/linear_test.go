package actors_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence/faultstore"
	"watchpost/watchpost"
)

// linearInput is a request in a history: of watchlists, of invitations, or of the
// task of one Idempotency-Key.
type linearInput struct{ of, kind, name string }

// linearOutput is its answer; without one the outcome is unknown.
type linearOutput struct {
	unknown bool
	refused bool
	value   string // names of watchlists, the id of a task, or its state
}

// anyTask is the id of a task that was perhaps made by a request without an answer.
const anyTask = "?"

// linearStep tells whether an answer is right in a state, and what the state is
// then. The state of watchlists is their names, sorted; of invitations a number; of a
// task its id and whether it is done.
func linearStep(state string, in linearInput, out linearOutput) (bool, string) {
	switch in.of {
	case "watchlists":
		names := strings.Fields(state)
		at, there := slices.BinarySearch(names, in.name)
		full := len(names) >= watchpost.PlanGrowth.Quotas().Watchlists
		switch in.kind {
		case "read":
			return out.unknown || out.value == state, state
		case "create":
			if full {
				return out.unknown || out.refused, state
			}
			return !out.refused, strings.Join(slices.Insert(names, at, in.name), " ")
		default: // delete
			if !there {
				return out.unknown || out.refused, state
			}
			return !out.refused, strings.Join(slices.Delete(names, at, at+1), " ")
		}
	case "invitations":
		made := len(state)
		if allowance, _ := watchpost.AllowanceOf(watchpost.ActionInvitation); made >= allowance.Limit {
			return out.unknown || out.refused, state
		}
		return !out.refused, state + "|"
	default: // a task
		id, done, _ := strings.Cut(state, " ")
		switch in.kind {
		case "create":
			switch {
			case id == "" && out.unknown:
				return true, anyTask
			case id == "" || id == anyTask && !out.unknown:
				return true, strings.TrimSpace(out.value + " " + done)
			}
			return out.unknown || out.value == id, state
		case "finish":
			return true, id + " done"
		default: // poll
			return out.unknown || (out.value == "completed") == (done != ""), state
		}
	}
}

// linearModel checks watchlists, invitations and each task for themselves. An
// unknown change may also have done nothing.
var linearModel = porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		parts := map[string][]porcupine.Operation{}
		for _, o := range history {
			of := o.Input.(linearInput).of
			parts[of] = append(parts[of], o)
		}
		var all [][]porcupine.Operation
		for _, part := range parts {
			all = append(all, part)
		}
		return all
	},
	Init: func() []any { return []any{""} },
	Step: func(state, input, output any) []any {
		out := output.(linearOutput)
		right, next := linearStep(state.(string), input.(linearInput), out)
		switch {
		case !right:
			return nil
		case out.unknown && next != state:
			return []any{state, next}
		}
		return []any{next}
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%v → %+v", input, output) },
}

// historian writes down a history. Its time is the order of calls and answers.
type historian struct {
	now     atomic.Int64
	mu      sync.Mutex
	history []porcupine.Operation
}

// op carries out a request and notes it.
func (h *historian) op(client int, in linearInput, request func() linearOutput) linearOutput {
	call := h.now.Add(1)
	out := request()
	end := h.now.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if out.unknown {
		end = math.MaxInt64 // it may have an effect later
	}
	h.history = append(h.history, porcupine.Operation{ClientId: client, Input: in, Output: out, Call: call, Return: end})
	return out
}

// TestLinearizable has clients and a session use one team at once while commits
// fail and the process crashes. There is an order of the requests in which each
// answer about watchlists, invitations and tasks is right: quotas are used up
// exactly, an Idempotency-Key leads to one task, and no one sees less than before.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	rounds := 3
	if os.Getenv("WATCHPOST_LONG") != "" {
		rounds = 40
	}
	engine := actorstest.Engine(t)
	for seed := range uint64(rounds) {
		l := newLinearLife(t, seed, actorstest.New(t, actorstest.On(engine)))
		var clients sync.WaitGroup
		for c := range 6 {
			clients.Go(func() { l.client(c) })
		}
		stop, worked := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(worked)
			l.work(stop)
		}()
		clients.Wait()
		close(stop)
		<-worked
		l.w.End()
		l.attribute()
		result := porcupine.CheckOperationsTimeout(linearModel.ToModel(), l.history, actorstest.Wait)
		require.Equal(t, porcupine.Ok, result, "seed %d", seed)
	}
}

// linearLife is one history.
type linearLife struct {
	historian
	t    *testing.T
	w    *actorstest.World
	team *actorstest.Team
	s    *actorstest.Session
	seed uint64

	known    sync.Map // ids, by the name of a watchlist or the key of a task
	finished []finishedTask
}

// finishedTask is a result that the session has sent; acked is 0 when it does not
// know whether it arrived.
type finishedTask struct {
	id          string
	sent, acked int64
}

func newLinearLife(t *testing.T, seed uint64, w *actorstest.World) *linearLife {
	l := &linearLife{t: t, w: w, team: w.CreateTeam(t, watchpost.PlanGrowth), seed: seed}
	l.s = l.team.Session(t, "ada-"+watchpost.NewSecret(4))
	for range 90 { // of a hundred
		l.invite(0)
	}
	w.Store.Play(faultstore.Mix{Before: 150, After: 150, Slow: 10}, seed)
	return l
}

// answered turns an error into an answer.
func (l *linearLife) answered(value string, err error) linearOutput {
	switch watchpost.KindOf(err) {
	case watchpost.Unavailable:
		l.w.Advance(time.Second) // the team waits after a failure
		return linearOutput{unknown: true}
	case watchpost.PlanLimit, watchpost.InvitationCap, watchpost.NotFound:
		return linearOutput{refused: true}
	}
	if err != nil {
		l.t.Error(err)
	}
	return linearOutput{value: value}
}

// client sends requests.
func (l *linearLife) client(c int) {
	random := rand.New(rand.NewPCG(l.seed, uint64(c)))
	for i := range 40 {
		name := fmt.Sprintf("w%d", random.IntN(8))
		switch random.IntN(8) {
		case 0, 1:
			name := fmt.Sprintf("w%d-%d", c, i)
			l.op(c, linearInput{"watchlists", "create", name}, func() linearOutput {
				view, err := actorstest.Try[actors.WatchlistView](l.team, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
					Type: watchpost.KeywordWatchlist, Name: name, Frequency: watchpost.FetchFrequency(24 * time.Hour), Disabled: true,
					Keywords: []watchpost.KeywordEntry{{Keyword: "go"}},
				}})
				if err == nil {
					l.known.Store(name, view.Watchlist.ID)
				}
				return l.answered("", err)
			})
		case 2:
			l.remove(c, random)
		case 3:
			l.op(c, linearInput{"watchlists", "read", ""}, func() linearOutput {
				views, err := actorstest.Try[[]actors.WatchlistView](l.team, actors.ListWatchlists{})
				var names []string
				for _, v := range views {
					names = append(names, v.Watchlist.Name)
				}
				slices.Sort(names)
				return l.answered(strings.Join(names, " "), err)
			})
		case 4:
			l.invite(c)
		case 5:
			l.create(c, name)
		default:
			l.poll(c, name)
		}
	}
}

// remove deletes a watchlist that a client has made.
func (l *linearLife) remove(c int, random *rand.Rand) {
	var names []string
	l.known.Range(func(name, id any) bool {
		if _, of := id.(watchpost.WatchlistID); of {
			names = append(names, name.(string))
		}
		return true
	})
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	name := names[random.IntN(len(names))]
	id, _ := l.known.Load(name)
	l.op(c, linearInput{"watchlists", "delete", name}, func() linearOutput {
		_, err := actorstest.Try[any](l.team, actors.DeleteWatchlist{Type: watchpost.KeywordWatchlist, ID: id.(watchpost.WatchlistID)})
		return l.answered("", err)
	})
}

// create sends the request of an Idempotency-Key.
func (l *linearLife) create(c int, key string) {
	out := l.op(c, linearInput{"task " + key, "create", ""}, func() linearOutput {
		reply, err := actorstest.Try[any](l.team, actors.IdempotentRequest{Name: key, Hash: "h", Request: actorstest.NewTask(watchpost.TaskProfileFetch)})
		if again, replayed := reply.(actors.ReplayedReply); replayed {
			reply = again.Reply
		}
		made, _ := reply.(actors.TaskCreated)
		return l.answered(string(made.ID), err)
	})
	if out.value != "" {
		l.known.Store("task "+key, out.value)
	}
}

func (l *linearLife) poll(c int, key string) {
	id, made := l.known.Load("task " + key)
	if !made {
		return
	}
	l.op(c, linearInput{"task " + key, "poll", ""}, func() linearOutput {
		view, err := l.w.Registry.TaskStatus(l.t.Context(), l.team.ID, watchpost.TaskID(id.(string)))
		return l.answered(string(view.State), err)
	})
}

func (l *linearLife) invite(c int) {
	l.op(c, linearInput{"invitations", "create", ""}, func() linearOutput {
		_, err := actorstest.Try[actors.TaskCreated](l.team, actorstest.NewTask(watchpost.TaskConnectionRequest))
		return l.answered("", err)
	})
}

// work does the tasks until stop is closed.
func (l *linearLife) work(stop <-chan struct{}) {
	connected := false
	under := map[string]protocol.Frame{} // tasks in hand
	for {
		if !connected || !l.s.Open() {
			clear(under)
			if connected = l.s.Hello() == nil; !connected {
				l.w.Advance(time.Second)
			}
		}
		select {
		case <-stop:
			return
		case f := <-l.frames(connected):
			l.hear(f, under)
		case <-time.After(time.Millisecond):
		}
	}
}

func (l *linearLife) frames(connected bool) <-chan protocol.Frame {
	if !connected {
		return nil
	}
	return l.s.Frames()
}

func (l *linearLife) hear(f protocol.Frame, under map[string]protocol.Frame) {
	switch f.Type {
	case protocol.TypeTask:
		under[f.Task] = f
		if watchpost.TaskType(f.TaskType).Writes() {
			l.s.Send(protocol.Frame{Type: protocol.TypeActing, Task: f.Task, Lease: f.Lease})
			return
		}
		l.finish(f)
	case protocol.TypeGo:
		if task, held := under[f.Task]; held && task.Lease == f.Lease {
			l.finish(task)
		}
	case protocol.TypeAck:
		for i := range l.finished {
			if l.finished[i].id == f.Task {
				l.finished[i].acked = l.now.Add(1)
			}
		}
	}
}

func (l *linearLife) finish(f protocol.Frame) {
	l.finished = append(l.finished, finishedTask{id: f.Task, sent: l.now.Add(1)})
	l.s.Result(f, map[string]string{"name": "Ada"})
}

// attribute adds the results to the history, as far as an answer has told the key of
// their task.
func (l *linearLife) attribute() {
	keys := map[string]string{}
	l.known.Range(func(name, id any) bool {
		if id, of := id.(string); of {
			keys[id] = name.(string)
		}
		return true
	})
	for _, f := range l.finished {
		of, told := keys[f.id]
		if !told {
			continue
		}
		o := porcupine.Operation{ClientId: 6, Input: linearInput{of, "finish", ""}, Output: linearOutput{unknown: f.acked == 0}, Call: f.sent, Return: f.acked}
		if f.acked == 0 {
			o.Return = math.MaxInt64
		}
		l.history = append(l.history, o)
	}
}

// TestLinearModelFindsFaults checks histories that no correct service can give.
func TestLinearModelFindsFaults(t *testing.T) {
	t.Parallel()
	type op struct {
		in        linearInput
		out       linearOutput
		call, end int64
	}
	lists := func(kind, name string) linearInput { return linearInput{"watchlists", kind, name} }
	task := func(kind string) linearInput { return linearInput{"task a", kind, ""} }
	ok, unknown, refused := linearOutput{}, linearOutput{unknown: true}, linearOutput{refused: true}
	says := func(value string) linearOutput { return linearOutput{value: value} }
	var invited []op
	for i := range int64(101) {
		invited = append(invited, op{linearInput{"invitations", "create", ""}, ok, 2*i + 1, 2*i + 2})
	}
	for name, test := range map[string]struct {
		ops  []op
		fits bool
	}{
		"in order":            {[]op{{lists("create", "a"), ok, 1, 2}, {lists("read", ""), says("a"), 3, 4}}, true},
		"lost":                {[]op{{lists("create", "a"), ok, 1, 2}, {lists("read", ""), says(""), 3, 4}}, false},
		"unknown, seen later": {[]op{{lists("create", "a"), unknown, 1, 99}, {lists("read", ""), says(""), 3, 4}, {lists("read", ""), says("a"), 5, 6}}, true},
		"seen and gone":       {[]op{{lists("create", "a"), unknown, 1, 99}, {lists("read", ""), says("a"), 3, 4}, {lists("read", ""), says(""), 5, 6}}, false},
		"refused with room":   {[]op{{lists("create", "a"), refused, 1, 2}}, false},
		"deleted twice":       {[]op{{lists("create", "a"), ok, 1, 2}, {lists("delete", "a"), ok, 3, 4}, {lists("delete", "a"), ok, 5, 6}}, false},
		"over the cap":        {invited, false},
		"at the cap":          {invited[:100], true},
		"one key, two tasks":  {[]op{{task("create"), says("x"), 1, 2}, {task("create"), says("y"), 3, 4}}, false},
		"one key, one task":   {[]op{{task("create"), unknown, 1, 99}, {task("create"), says("y"), 3, 4}, {task("create"), says("y"), 5, 6}}, true},
		"forgotten result":    {[]op{{task("create"), says("x"), 1, 2}, {task("finish"), ok, 3, 4}, {task("poll"), says("pending"), 5, 6}}, false},
		"early result":        {[]op{{task("create"), says("x"), 1, 2}, {task("poll"), says("completed"), 3, 4}}, false},
	} {
		var history []porcupine.Operation
		for i, o := range test.ops {
			history = append(history, porcupine.Operation{ClientId: i, Input: o.in, Output: o.out, Call: o.call, Return: o.end})
		}
		require.Equal(t, test.fits, porcupine.CheckOperations(linearModel.ToModel(), history), name)
	}
}
