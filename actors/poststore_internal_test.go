package actors

import (
	"log/slog"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// TestPanicWhilePostsArePrepared checks that a bug in parsing a post ends the
// postStore, as a bug in the post store itself would, and not the process.
func TestPanicWhilePostsArePrepared(t *testing.T) {
	t.Parallel()
	metrics := NewMetrics()
	env := &environment{log: slog.New(slog.DiscardHandler), metrics: metrics, pool: newPoolDispatcher()}
	env.run = freely{env.pool}
	env.rules = newRules(env)
	env.system = newSystem(env.log, metrics)
	defer env.system.Shutdown()
	defer close(env.pool.stopped)
	f := newPostStore(env, "team", nil) // without an index no post can be prepared
	f.schedule, f.known = postStoreSchedule{most: 1}, true
	ended := make(chan struct{})
	root := env.system.Root.Copy().WithGuardian(stopOnFailure)
	pid := root.Spawn(propsOf(env, func() actor.Actor {
		return actor.ReceiveFunc(func(c actor.Context) {
			f.Receive(c)
			if _, stopped := c.Message().(*actor.Stopped); stopped {
				close(ended)
			}
		})
	}))
	root.Send(pid, ingest{posts: []reportedPost{{post: watchpost.Post{Content: "go"}, text: text.New("go")}}})
	select {
	case <-ended:
	case <-time.After(time.Minute):
		require.FailNow(t, "the post store goes on")
	}
}
