package actors

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/sourcegraph/conc/panics"

	"watchpost/actors/intake"
	"watchpost/actors/root"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// Posts are what strangers write. One that the rules for posts cannot bear must not end
// the team: its session would report it again to the next activation. So each post is
// cleaned, matched and understood behind a guard. One that panics is refused: it is
// counted, logged without its text, and kept for doctor. The rest of its scan goes on.

// beforeStep runs behind the guard before each step of the work on a post; tests let one
// text panic.
var beforeStep = func(_, _ string) {}

// Bounds of the refused posts that are kept of a team.
const (
	refusalsKept   = 20
	refusalContent = 64 << 10
)

// refusal tells a team that one of its posts was refused.
type refusal struct{ record teamspace.RefusedPost }

// guard does a step of the work on a post; false when it panicked, and the post is
// refused. It may be called by any goroutine.
func (env *environment) guard(team *actor.PID, step, urn, content string, do func()) bool {
	var catcher panics.Catcher
	catcher.Try(func() {
		beforeStep(step, content)
		do()
	})
	failure := catcher.Recovered()
	if failure == nil {
		return true
	}
	// Another panic than one of the runtime may quote the text.
	reason := fmt.Sprintf("panic of type %T", failure.Value)
	if err, ok := failure.Value.(runtime.Error); ok {
		reason = err.Error()
	}
	env.metrics.posts.WithLabelValues("refused").Inc()
	env.Log.Error("post refused", "team", team.Id, "step", step, "urn", urn, "reason", reason, "stack", string(failure.Stack))
	env.System.Root.Send(team, refusal{teamspace.RefusedPost{
		At: env.Clock.Now(), Step: step, URN: text.ClipBytes(urn, intake.MaxURN), Reason: text.ClipBytes(reason, intake.MaxText), Content: text.ClipBytes(content, refusalContent),
	}})
	return false
}

// refusals is the component of a team that keeps its last refused posts.
type refusals struct {
	*rootActor
	kept []keptRefusal // oldest first
}

type keptRefusal struct {
	key string
	at  int64
}

func newRefusals(t *team) *refusals { return &refusals{rootActor: &t.rootActor} }

func (rf *refusals) load(view persistence.View) error {
	err := teamspace.LoadAll(view, rf.Space, teamspace.KeyRefused, func(id string, r teamspace.RefusedPost) {
		rf.kept = append(rf.kept, keptRefusal{teamspace.KeyRefused + id, r.At.UnixNano()})
	})
	slices.SortFunc(rf.kept, func(a, b keptRefusal) int { return cmp.Compare(a.at, b.at) })
	return err
}

// receive keeps a refused post; one that comes again takes its old place.
func (rf *refusals) receive(message any) bool {
	m, ok := message.(refusal)
	if !ok {
		return false
	}
	key := string(teamspace.RefusedKey(m.record.URN, m.record.Step))
	rf.kept = slices.DeleteFunc(rf.kept, func(k keptRefusal) bool { return k.key == key })
	rf.kept = append(rf.kept, keptRefusal{key, m.record.At.UnixNano()})
	st := &root.Steps{}
	st.Room(1).Put([]byte(key), teamspace.Encode(m.record))
	for ; len(rf.kept) > refusalsKept; rf.kept = rf.kept[1:] {
		st.Room(1).Delete([]byte(rf.kept[0].key))
	}
	rf.SubmitSteps(st, nil)
	return true
}
