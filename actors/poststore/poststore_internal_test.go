package poststore

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
// PostStore, as a bug in the post store itself would, and not the process.
func TestPanicWhilePostsArePrepared(t *testing.T) {
	t.Parallel()
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))
	defer system.Shutdown()
	f := New(Options{Space: "team", Turn: func(string) {}, Guard: func(_ *actor.PID, _, _, _ string, do func()) bool {
		do()
		return true
	}}) // without an index no post can be prepared
	f.schedule, f.known = schedule{most: 1}, true
	ended := make(chan struct{})
	stop := actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })
	root := system.Root.Copy().WithGuardian(stop)
	pid := root.Spawn(actor.PropsFromProducer(func() actor.Actor {
		return actor.ReceiveFunc(func(c actor.Context) {
			f.Receive(c)
			if _, stopped := c.Message().(*actor.Stopped); stopped {
				close(ended)
			}
		})
	}))
	root.Send(pid, Ingest{Posts: []Reported{{Post: watchpost.Post{Content: "go"}, Text: text.New("go")}}})
	select {
	case <-ended:
	case <-time.After(time.Minute):
		require.FailNow(t, "the post store goes on")
	}
}
