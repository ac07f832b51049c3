package actors_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// ruleWrites are the writes that rules have asked for, as the batches that became
// durable show them.
type ruleWrites struct {
	mu      sync.Mutex
	space   persistence.Space
	tasks   map[string]map[watchpost.TaskID]watchpost.TaskState // of a post, by URN
	acted   map[string]map[watchpost.TaskID]bool                // those that have begun to act
	decided map[string]map[watchpost.RuleActionID]bool
	wrong   []string
}

// enter takes up a batch that is durable.
func (o *ruleWrites) enter(space persistence.Space, batch *persistence.Batch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if space != o.space {
		return
	}
	for _, write := range batch.Writes {
		key := string(write.Key)
		if write.Value == nil {
			continue
		}
		var task watchpost.Task
		var action watchpost.RuleAction
		switch {
		case strings.HasPrefix(key, teamspace.KeyTask) && teamspace.Decode(write.Value, &task) == nil && !task.Type.Scan():
			if engagement, ok := task.Engagement(); ok {
				o.enterTask(engagement.URN, &task)
			}
		case strings.HasPrefix(key, teamspace.KeyRuleAction) && teamspace.Decode(write.Value, &action) == nil:
			note(o.decided, action.URN, action.ID, true)
		}
	}
}

// enterTask checks that a post has one open task at most, and one at most that acts: a
// task that did not act is followed by another when it is over.
func (o *ruleWrites) enterTask(urn string, task *watchpost.Task) {
	note(o.tasks, urn, task.ID, task.State)
	open := 0
	for _, state := range o.tasks[urn] {
		if !state.Final() {
			open++
		}
	}
	if open > 1 {
		o.wrong = append(o.wrong, fmt.Sprintf("%d open tasks for %s", open, urn))
	}
	if task.State == watchpost.TaskPending && task.Attempts > 0 {
		o.wrong = append(o.wrong, "a task of a rule waits again: "+urn)
	}
	switch {
	case task.State == watchpost.TaskActing, task.State == watchpost.TaskCompleted:
		if note(o.acted, urn, task.ID, true); len(o.acted[urn]) > 1 {
			o.wrong = append(o.wrong, fmt.Sprintf("%d tasks act on %s", len(o.acted[urn]), urn))
		}
	case task.State == watchpost.TaskFailed && task.Failure.RetrySafe: // it did not act
		delete(o.acted[urn], task.ID)
	}
}

func newRuleWrites(space persistence.Space) *ruleWrites {
	return &ruleWrites{
		space: space, tasks: map[string]map[watchpost.TaskID]watchpost.TaskState{}, acted: map[string]map[watchpost.TaskID]bool{},
		decided: map[string]map[watchpost.RuleActionID]bool{},
	}
}

func note[K comparable, V any](all map[string]map[K]V, name string, k K, v V) {
	if all[name] == nil {
		all[name] = map[K]V{}
	}
	all[name][k] = v
}

// TestRulesNeverTwice drives a team with two rules through random scans, crashes,
// restarts, lost commits, tasks given back and time. Whatever happens, each post that
// is stored leads to one decision and to one task at most that acts, and none is passed
// over while the member is there: each post has another author, and the rules want all.
func TestRulesNeverTwice(t *testing.T) {
	t.Parallel()
	engine := actorstest.Engine(t)
	playLives(t, 12, 25, func(r *rapid.T, steps int) {
		life := newRuleLife(t, r, engine)
		defer life.w.End()
		for range steps {
			life.step()
		}
		life.finish()
	})
}

// ruleLife is one run.
type ruleLife struct {
	t       *testing.T
	r       *rapid.T
	w       *actorstest.World
	team    *actorstest.Team
	s       *actorstest.Session
	saw     *ruleWrites
	network []protocol.Post // what each scan finds
	up      bool
	ending  bool // nothing goes wrong any more
	away    bool // the member was, for so long that rules passed posts over
}

func newRuleLife(t *testing.T, r *rapid.T, engine persistence.Store) *ruleLife {
	l := &ruleLife{t: t, r: r, saw: newRuleWrites("")}
	l.w = actorstest.New(t, actorstest.On(engine), actorstest.Watching(l.saw.enter))
	l.team = l.w.CreateTeam(t, watchpost.PlanUltimate)
	l.saw.space = persistence.Space(l.team.ID)
	l.s = l.team.Session(t, "ada-"+watchpost.NewSecret(4))
	list := keywordWatchlist(t, l.team, "go")
	always := watchpost.DailyHours{Until: 24 * 60}
	for range 2 {
		makeRule(t, l.w, l.team, list.ID, watchpost.ActionLike, func(r *watchpost.EngagementRule) { r.Hours = always })
	}
	return l
}

func (l *ruleLife) step() {
	switch rapid.SampledFrom([]string{"post", "post", "work", "work", "work", "hour", "day", "crash", "restart", "lose", "drop"}).Draw(l.r, "step") {
	case "post":
		for range rapid.IntRange(1, 30).Draw(l.r, "posts") {
			l.network = append(l.network, postBy(l.w, fmt.Sprint("author-", len(l.network))))
		}
	case "work":
		l.work()
	case "hour":
		l.advance(61 * time.Minute)
	case "day":
		l.advance(25 * time.Hour)
	case "crash":
		l.w.Crash()
		l.up = false
	case "restart":
		l.w.Restart()
		l.up = false
	case "lose":
		fault := rapid.SampledFrom([]actorstest.Fault{actorstest.Before, actorstest.After}).Draw(l.r, "fault")
		l.w.Store.Fail(l.saw.space, rapid.IntRange(1, 6).Draw(l.r, "nth"), fault)
	case "drop":
		if l.up && l.s.Open() {
			l.s.Drop()
		}
		l.up = false
	}
}

// advance lets time pass, and notes when the member has not been seen for two days: what
// arrived before and is looked at then is no one's to act on.
func (l *ruleLife) advance(d time.Duration) {
	l.w.Advance(d)
	view, err := l.w.Store.View(l.w.Context())
	require.NoError(l.t, err)
	defer view.Close()
	require.NoError(l.t, teamspace.LoadAll(view, l.saw.space, teamspace.KeyLiveness, func(_ string, seen time.Time) {
		l.away = l.away || !watchpost.ExtensionActive(seen, l.w.Now())
	}))
}

// work connects the session and does its tasks.
func (l *ruleLife) work() {
	if !l.up || !l.s.Open() {
		if l.up = l.s.Hello() == nil; !l.up {
			l.w.Advance(time.Second) // an actor that has failed waits
			return
		}
	}
	frames, up := l.s.TrySettle()
	l.up = up
	for _, f := range frames {
		switch {
		case f.Type != protocol.TypeTask:
		case watchpost.TaskType(f.TaskType).Scan():
			exhausted := true
			l.s.Result(f, protocol.PostsOutput{Posts: l.network, Exhausted: &exhausted})
		default:
			l.write(f)
		}
	}
}

// write does a like, or gives it back without having acted.
func (l *ruleLife) write(f protocol.Frame) {
	do := "act"
	if !l.ending {
		do = rapid.SampledFrom([]string{"act", "act", "act", "release", "fail"}).Draw(l.r, "write")
	}
	switch do {
	case "release":
		l.s.Release(f)
	case "fail":
		l.s.Error(f, protocol.CodeTimeout, actorstest.Lie)
	default:
		l.s.Send(protocol.Frame{Type: protocol.TypeActing, Task: f.Task, Lease: f.Lease})
		l.s.Result(f, map[string]any{})
	}
}

// rest returns when the rules have looked at every post that is stored.
func (l *ruleLife) rest() {
	require.Eventually(l.t, func() bool {
		view, err := actorstest.Try[actors.RulesView](l.team, actors.ListRules{})
		if err != nil {
			l.w.Advance(time.Second) // an actor that has failed waits
			return false
		}
		return len(view.Rules) == 2 && len(storedKeys(l.t, l.w, l.team, teamspace.KeyArrival)) == 0
	}, actorstest.Wait, time.Millisecond)
}

// finish lets everything come to rest, and checks it.
func (l *ruleLife) finish() {
	l.w.Store.FailWhen(nil)
	l.ending = true
	for range 12 {
		l.w.Advance(61 * time.Minute)
		for range 3 {
			l.work()
		}
	}
	l.rest()
	stored, decided := l.outcome()
	l.saw.mu.Lock()
	defer l.saw.mu.Unlock()
	if len(l.saw.wrong) > 0 {
		l.r.Fatalf("%v", l.saw.wrong)
	}
	// The rules have room for this number of open actions; beyond it posts are passed over.
	if room := watchpost.MaxOpenRuleActions; !l.away && len(stored) <= room && decided != len(stored) {
		l.r.Fatalf("%d decisions and arrivals for %d posts", decided, len(stored))
	}
	for urn := range stored {
		if n := len(l.saw.decided[urn]); n > 1 {
			l.r.Fatalf("%d decisions on %s", n, urn)
		}
	}
}

// outcome returns the posts that are stored, and how many marks of decisions there are
// for them, or arrivals, all in one snapshot: posts may still come.
func (l *ruleLife) outcome() (stored map[string]bool, decided int) {
	view, err := l.w.Store.View(l.w.Context())
	require.NoError(l.t, err)
	defer view.Close()
	stored = map[string]bool{}
	_, err = postindex.Each(view, l.saw.space, nil, func(p *watchpost.Post) bool {
		stored[p.URN] = true
		return true
	})
	require.NoError(l.t, err)
	for _, prefix := range []string{"Rp", teamspace.KeyArrival} {
		require.NoError(l.t, view.Scan(l.saw.space, []byte(prefix), persistence.PrefixEnd([]byte(prefix)), func(_, _ []byte) bool {
			decided++
			return true
		}))
	}
	return stored, decided
}
