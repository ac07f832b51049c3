package mail_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors"
	"watchpost/internal/mail"
	"watchpost/internal/mail/mailtest"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// office is an outbox with a scripted mail server.
type office struct {
	*mail.Outbox
	server  *mailtest.Server
	clock   *watchpost.SettableClock
	metrics *actors.Metrics
	log     *bytes.Buffer // read only after Close
}

func open(t *testing.T) *office {
	t.Helper()
	o := &office{server: mailtest.Start(t, mailtest.Options{}), clock: watchpost.NewSettableClock(0, nil, nil), metrics: actors.NewMetrics(), log: &bytes.Buffer{}}
	o.Outbox = mail.NewOutbox(mailer(t, o.server), o.clock, slog.New(slog.NewTextHandler(o.log, nil)), o.metrics)
	t.Cleanup(func() {
		o.server.Resume()
		require.NoError(t, o.Close(context.Background()))
		o.clock.Close()
	})
	return o
}

// count returns one event counter of the mail metric.
func (o *office) count(t *testing.T, event string) float64 {
	t.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(o.metrics.Collectors()...)
	families, err := r.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() != "watchpost_mails_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			if m.GetLabel()[0].GetValue() == event {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

func (o *office) await(t *testing.T, event string, n float64) {
	t.Helper()
	require.Eventually(t, func() bool { return o.count(t, event) == n }, mailtest.Wait, time.Millisecond, event)
}

// TestOutboxDoesNotWait: Send returns before the mail server answers.
func TestOutboxDoesNotWait(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.server.Hang()
	for range 20 {
		before := time.Now()
		require.NoError(t, o.Send(context.Background(), letter))
		require.Less(t, time.Since(before), time.Second)
	}
	require.Empty(t, o.server.Mails())
	o.server.Resume()
	o.server.Await(20)
	o.await(t, actors.MailSent, 20)
}

func TestOutboxTriesAgain(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.server.Refuse(451, 421)
	require.NoError(t, o.Send(context.Background(), letter))
	o.await(t, actors.MailRetried, 1)
	require.NoError(t, o.clock.Advance(5*time.Second))
	o.await(t, actors.MailRetried, 2)
	require.NoError(t, o.clock.Advance(30*time.Second))
	require.Equal(t, letter.To, o.server.Await(1)[0].To)
	o.await(t, actors.MailSent, 1)
	require.Zero(t, o.count(t, actors.MailFailed))
}

func TestOutboxGivesUp(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.server.Refuse(550)
	require.NoError(t, o.Send(context.Background(), letter))
	o.await(t, actors.MailFailed, 1)
	require.Equal(t, 1, o.server.Tries(), "what is refused for good is not tried again")

	o.server.Refuse(451, 451, 451, 451, 451)
	require.NoError(t, o.Send(context.Background(), letter))
	for n := range 4 {
		o.await(t, actors.MailRetried, float64(n+1))
		require.NoError(t, o.clock.Advance(5*time.Minute))
	}
	o.await(t, actors.MailFailed, 2)
	require.Empty(t, o.server.Mails())
	require.NoError(t, o.Close(context.Background()))
	require.Contains(t, o.log.String(), letter.To)
	require.NotContains(t, o.log.String(), "123456")
}

func TestOutboxCloses(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.server.Refuse(451)
	require.NoError(t, o.Send(context.Background(), letter))
	o.await(t, actors.MailRetried, 1)
	require.NoError(t, o.Send(context.Background(), letter))
	require.NoError(t, o.Close(context.Background()))
	require.Len(t, o.server.Mails(), 1, "what waits is delivered, what was to be tried again is not")
	require.Equal(t, 1.0, o.count(t, actors.MailFailed))
	require.Error(t, o.Send(context.Background(), letter))
	require.NoError(t, o.Close(context.Background()))

	hanging := open(t)
	hanging.server.Hang()
	require.NoError(t, hanging.Send(context.Background(), letter))
	require.Eventually(t, func() bool { return hanging.server.Tries() == 1 }, mailtest.Wait, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, hanging.Close(ctx), context.DeadlineExceeded)
	require.Equal(t, 1.0, hanging.count(t, actors.MailFailed))
}
