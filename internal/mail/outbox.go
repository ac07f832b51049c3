package mail

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"watchpost/internal/mail/outgoing"
	"watchpost/watchpost"
)

// Outbox is a Mailer that stores each mail and delivers it in the background through
// another Mailer. Callers do not wait for a mail server, and the latency of a reply
// does not reveal whether a mail was sent. It retries temporary failures while the mail
// is useful. A mail is sent at least once: after a crash this process, or another node,
// sends what waits.
type Outbox struct {
	next  outgoing.Mailer
	shelf *Shelf
	clock watchpost.Clock
	log   *slog.Logger
	count func(event string)

	ctx       context.Context // of deliveries
	cancel    context.CancelFunc
	stop      context.CancelFunc // ends the takeovers
	codes     chan letter
	others    chan letter // the other mails; a team may cause many
	takeovers sync.WaitGroup
	workers   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	timers map[*letter]watchpost.Timer // of mails that wait for a retry
}

// letter is a mail and its number of failed deliveries.
type letter struct {
	mail     shelvedMail
	failures int
}

// Bounds of an outbox.
const (
	// outboxSize is the maximum number of waiting codes, and of other mails.
	outboxSize = 1000
	// carriers is the number of concurrent deliveries of codes, and of other mails.
	carriers = 4
	// takeOverEvery is the time between two looks for mails of senders that are gone.
	takeOverEvery = 5 * time.Second
	// staleAfter is the age at which a mail that was taken over is dropped. A code is
	// useless long before.
	staleAfter = time.Hour
	// shelfTimeout bounds a change of the stored mails.
	shelfTimeout = 30 * time.Second
)

// retryAfter are the pauses before the second and later attempts. Their sum is
// shorter than the validity of a one-time code.
var retryAfter = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute}

// NewOutbox starts an outbox in front of next. It calls count with the events of mails.
// Close ends it.
func NewOutbox(next outgoing.Mailer, shelf *Shelf, clock watchpost.Clock, log *slog.Logger, count func(event string)) *Outbox {
	o := &Outbox{
		next: next, shelf: shelf, clock: clock, log: log, count: count,
		codes: make(chan letter, outboxSize), others: make(chan letter, outboxSize), timers: map[*letter]watchpost.Timer{},
	}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	for range carriers {
		o.workers.Go(func() { o.carry(o.codes) })
		o.workers.Go(func() { o.carry(o.others) })
	}
	var ctx context.Context
	ctx, o.stop = context.WithCancel(o.ctx)
	o.takeovers.Go(func() { o.takeOverUntil(ctx) })
	return o
}

// Errors of an outbox that rejects a mail.
var (
	errFull   = errors.New("mail: too many mails wait")
	errClosed = errors.New("mail: closed")
)

// Send implements outgoing.Mailer. It returns when the mail is stored; the result of the
// delivery is logged and counted. A mail to no one takes the same time.
func (o *Outbox) Send(ctx context.Context, m outgoing.Mail) error {
	o.mu.Lock()
	closed := o.closed
	o.mu.Unlock()
	if closed {
		return errClosed
	}
	bounded, cancel := context.WithTimeout(ctx, shelfTimeout)
	defer cancel()
	shelved, err := o.shelf.put(bounded, m)
	if err != nil {
		return err
	}
	if err := o.put(letter{mail: shelved}); errors.Is(err, errFull) {
		o.remove(shelved)
		return err
	}
	return nil // after Close another process sends it
}

func (o *Outbox) put(l letter) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return errClosed
	}
	queue := o.others
	if l.mail.Code {
		queue = o.codes
	}
	select {
	case queue <- l:
		return nil
	default:
		return errFull
	}
}

func (o *Outbox) carry(queue <-chan letter) {
	for l := range queue {
		if l.mail.To == "" {
			o.remove(l.mail)
			continue
		}
		mine, err := o.shelf.mine(o.ctx, l.mail)
		if err == nil && !mine {
			continue // another node has taken it over
		}
		// A mail may be sent while the store does not answer.
		if err = o.next.Send(o.ctx, l.mail.Mail); err == nil {
			o.count(outgoing.Sent)
			o.remove(l.mail)
			continue
		}
		l.failures++
		if !o.later(l, err) {
			o.fail(l, err)
		}
	}
}

// remove deletes a stored mail.
func (o *Outbox) remove(m shelvedMail) {
	ctx, cancel := context.WithTimeout(context.Background(), shelfTimeout)
	defer cancel()
	if err := o.shelf.remove(ctx, m); err != nil {
		o.log.Warn("a mail stays stored, and may be sent again after a restart", "to", m.To, "error", err)
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
		o.leave(l, err)
		return true
	}
	pause := retryAfter[l.failures-1]
	o.log.Warn("mail is tried again", "to", l.mail.To, "in", pause, "error", err)
	o.count(outgoing.Retried)
	o.timers[&l] = o.clock.At(o.clock.Now().Add(pause), func() {
		o.mu.Lock()
		delete(o.timers, &l)
		o.mu.Unlock()
		if err := o.put(l); errors.Is(err, errFull) {
			o.fail(l, err)
		}
	})
	return true
}

// leave leaves a mail to the next process.
func (o *Outbox) leave(l letter, err error) {
	o.log.Warn("mail not sent yet: it stays stored for the next start, or another node", "to", l.mail.To, "error", err)
}

func (o *Outbox) fail(l letter, err error) {
	o.count(outgoing.Failed)
	o.log.Error("mail not sent", "to", l.mail.To, "attempts", l.failures, "error", err)
	o.remove(l.mail)
}

// takeOverUntil takes over the mails of senders that are gone, until ctx ends.
func (o *Outbox) takeOverUntil(ctx context.Context) {
	for {
		taken, err := o.shelf.takeOver(ctx)
		if err != nil && ctx.Err() == nil {
			o.log.Warn("cannot take over all mails that another process left", "error", err)
		}
		for _, m := range taken {
			l := letter{mail: m}
			if o.clock.Now().Sub(m.at) > staleAfter {
				o.fail(l, errStale)
			} else if err := o.put(l); errors.Is(err, errFull) {
				o.fail(l, err)
			}
		}
		due := make(chan struct{})
		timer := o.clock.At(o.clock.Now().Add(takeOverEvery), func() { close(due) })
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-due:
		}
	}
}

var errStale = errors.New("mail: too old")

// Close rejects new mails and returns when the waiting ones are delivered or ctx has
// ended. Mails that were not delivered, and pending retries, stay stored.
func (o *Outbox) Close(ctx context.Context) error {
	o.stop()
	o.takeovers.Wait()
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil
	}
	o.closed = true
	for l, timer := range o.timers {
		if timer.Stop() {
			o.leave(*l, errClosed)
		}
	}
	close(o.codes)
	close(o.others)
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
