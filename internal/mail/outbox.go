package mail

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"watchpost"
	"watchpost/actors"
)

// Outbox is a Mailer that accepts each mail immediately and delivers it in the
// background through another Mailer. Callers do not wait for a mail server, and
// the latency of a reply does not reveal whether a mail was sent. It retries
// temporary failures while the mail is useful. The queue is not stored: a crash
// loses it, and members request a code again.
type Outbox struct {
	next    actors.Mailer
	clock   watchpost.Clock
	log     *slog.Logger
	metrics *actors.Metrics

	ctx     context.Context // of deliveries
	cancel  context.CancelFunc
	queue   chan letter
	workers sync.WaitGroup

	mu     sync.Mutex
	closed bool
	timers map[*letter]watchpost.Timer // of mails that wait for a retry
}

// letter is a mail and its number of failed deliveries.
type letter struct {
	mail     actors.Mail
	failures int
}

// Bounds of an outbox.
const (
	// outboxSize is the maximum number of waiting mails.
	outboxSize = 1000
	// carriers is the number of concurrent deliveries.
	carriers = 4
)

// retryAfter are the pauses before the second and later attempts. Their sum is
// shorter than the validity of a one-time code.
var retryAfter = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute}

// NewOutbox starts an outbox in front of next. Close ends it.
func NewOutbox(next actors.Mailer, clock watchpost.Clock, log *slog.Logger, metrics *actors.Metrics) *Outbox {
	o := &Outbox{
		next: next, clock: clock, log: log, metrics: metrics,
		queue: make(chan letter, outboxSize), timers: map[*letter]watchpost.Timer{},
	}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	for range carriers {
		o.workers.Go(o.carry)
	}
	return o
}

// Errors of an outbox that rejects a mail.
var (
	errFull   = errors.New("mail: too many mails wait")
	errClosed = errors.New("mail: closed")
)

// Send implements actors.Mailer. It returns at once; the result of the
// delivery is logged and counted.
func (o *Outbox) Send(_ context.Context, m actors.Mail) error { return o.put(letter{mail: m}) }

func (o *Outbox) put(l letter) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return errClosed
	}
	select {
	case o.queue <- l:
		return nil
	default:
		return errFull
	}
}

func (o *Outbox) carry() {
	for l := range o.queue {
		err := o.next.Send(o.ctx, l.mail)
		if err == nil {
			o.metrics.Mail(actors.MailSent)
			continue
		}
		l.failures++
		if !o.later(l, err) {
			o.fail(l, err)
		}
	}
}

// later schedules a retry if one is left.
func (o *Outbox) later(l letter, err error) bool {
	var delivery *DeliveryError
	if !errors.As(err, &delivery) || !delivery.Temporary || l.failures > len(retryAfter) {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	pause := retryAfter[l.failures-1]
	o.log.Warn("mail is tried again", "to", l.mail.To, "in", pause, "error", err)
	o.metrics.Mail(actors.MailRetried)
	o.timers[&l] = o.clock.At(o.clock.Now().Add(pause), func() {
		o.mu.Lock()
		delete(o.timers, &l)
		o.mu.Unlock()
		if err := o.put(l); err != nil {
			o.fail(l, err)
		}
	})
	return true
}

func (o *Outbox) fail(l letter, err error) {
	o.metrics.Mail(actors.MailFailed)
	o.log.Error("mail not sent", "to", l.mail.To, "attempts", l.failures, "error", err)
}

// Close rejects new mails. It tries pending retries immediately and returns
// when the waiting mails are delivered or ctx has ended, which drops them.
func (o *Outbox) Close(ctx context.Context) error {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil
	}
	o.closed = true
	for l, timer := range o.timers {
		if timer.Stop() {
			o.fail(*l, errClosed)
		}
	}
	close(o.queue)
	o.mu.Unlock()
	done := make(chan struct{})
	go func() {
		o.workers.Wait()
		close(done)
	}()
	defer o.cancel()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		o.cancel() // cancels running deliveries
		<-done
		return ctx.Err()
	}
}
