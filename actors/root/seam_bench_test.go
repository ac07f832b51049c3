package root

import (
	"log/slog"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"
)

// BenchmarkSeam measures what Scheduling costs the service: a request to an actor that
// answers at once, and the one call of Turn that each request makes. The two alternate, so
// that both meet the same machine.
func BenchmarkSeam(b *testing.B) {
	const each = 1000
	metrics := NewMetrics()
	system := newSystem(slog.New(slog.DiscardHandler), &metrics)
	pool := newPoolDispatcher()
	b.Cleanup(func() { close(pool.stopped); system.Shutdown() })
	c := newCaller(system, Freely{pool})
	echo, err := system.Root.SpawnNamed(actor.PropsFromFunc(
		func(ctx actor.Context) {
			if ctx.Sender() != nil {
				ctx.Respond(ctx.Message())
			}
		},
		actor.WithDispatcher(c.run.Dispatcher()), actor.WithMailbox(c.run.Mailbox),
	), "echo")
	require.NoError(b, err)

	var request any = "request"
	var requests, turns time.Duration
	for b.Loop() {
		begun := time.Now()
		for range each {
			if _, err := c.ask(b.Context(), echo, request); err != nil {
				b.Fatal(err)
			}
		}
		between := time.Now()
		for range each {
			c.run.Turn("reply")
		}
		requests += between.Sub(begun)
		turns += time.Since(between)
	}
	b.ReportMetric(float64(requests.Nanoseconds())/float64(b.N*each), "ns/request")
	b.ReportMetric(float64(turns.Nanoseconds())/float64(b.N*each), "ns/turn")
	b.ReportMetric(100*float64(turns)/float64(requests), "%")
}
