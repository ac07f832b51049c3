package mail_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/vault"
	"watchpost/internal/mail"
	"watchpost/internal/mail/mailtest"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/testclock"
	"watchpost/persistence"
	"watchpost/persistence/badger"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// events counts the events of mails.
type events struct {
	mu     sync.Mutex
	counts map[string]int
}

func (e *events) count(event string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts[event]++
}

func (e *events) of(event string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts[event]
}

// office is an outbox with a scripted mail server.
type office struct {
	*mail.Outbox
	store  persistence.Store
	alive  bool // of the other senders
	server *mailtest.Server
	clock  *testclock.Clock
	events *events
	log    *bytes.Buffer // read only after Close
}

func open(t *testing.T) *office {
	t.Helper()
	store, err := badger.Open(badger.Options{Dir: t.TempDir(), Logger: discard()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return openOn(t, store, false)
}

// openOn is open on a store of another outbox, which is alive or gone.
func openOn(t *testing.T, store persistence.Store, alive bool) *office {
	t.Helper()
	o := &office{store: store, alive: alive, server: mailtest.Start(t, mailtest.Options{}), clock: testclock.New(0, nil, nil), events: &events{counts: map[string]int{}}, log: &bytes.Buffer{}}
	keyring, err := vault.NewKeyring(bytes.Repeat([]byte{7}, vault.MasterKeySize))
	require.NoError(t, err)
	shelf := mail.NewShelf(mail.ShelfOptions{Store: store, Keyring: keyring, Clock: o.clock, Sender: "here " + rand.Text(), Alive: func(string) bool { return alive }})
	o.Outbox = mail.NewOutbox(mailer(t, o.server), shelf, o.clock, slog.New(slog.NewTextHandler(o.log, nil)), o.events.count)
	t.Cleanup(func() {
		o.server.Resume()
		require.NoError(t, o.Close(context.Background()))
		o.clock.Close()
	})
	return o
}

// stored counts the mails in the store.
func (o *office) stored(t *testing.T) (n int) {
	t.Helper()
	view, err := o.store.View(t.Context())
	require.NoError(t, err)
	defer view.Close()
	require.NoError(t, view.ScanDirectory(teamspace.DirMail, "", func(string, []byte) bool { n++; return true }))
	return n
}

func (o *office) await(t *testing.T, event string, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return o.events.of(event) == n }, mailtest.Wait, time.Millisecond, event)
}

// TestOutboxDoesNotWait: Send returns before the mail server answers.
func TestOutboxDoesNotWait(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.server.Hang()
	for range 20 {
		require.NoError(t, o.Send(context.Background(), letter))
	}
	require.Empty(t, o.server.Mails())
	o.server.Resume()
	o.server.Await(20)
	o.await(t, outgoing.Sent, 20)
}

func TestOutboxTriesAgain(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.server.Refuse(451, 421)
	require.NoError(t, o.Send(context.Background(), letter))
	o.await(t, outgoing.Retried, 1)
	require.NoError(t, o.clock.Advance(5*time.Second))
	o.await(t, outgoing.Retried, 2)
	require.NoError(t, o.clock.Advance(30*time.Second))
	require.Equal(t, letter.To, o.server.Await(1)[0].To)
	o.await(t, outgoing.Sent, 1)
	require.Zero(t, o.events.of(outgoing.Failed))
}

func TestOutboxGivesUp(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.server.Refuse(550)
	require.NoError(t, o.Send(context.Background(), letter))
	o.await(t, outgoing.Failed, 1)
	require.Equal(t, 1, o.server.Tries(), "what is refused for good is not tried again")

	o.server.Refuse(451, 451, 451, 451, 451)
	require.NoError(t, o.Send(context.Background(), letter))
	for n := range 4 {
		o.await(t, outgoing.Retried, n+1)
		require.NoError(t, o.clock.Advance(5*time.Minute))
	}
	o.await(t, outgoing.Failed, 2)
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
	o.await(t, outgoing.Retried, 1)
	require.NoError(t, o.Send(context.Background(), letter))
	require.NoError(t, o.Close(context.Background()))
	require.Len(t, o.server.Mails(), 1, "what waits is delivered, what was to be tried again is not")
	require.Zero(t, o.events.of(outgoing.Failed))
	require.Equal(t, 1, o.stored(t))
	require.Error(t, o.Send(context.Background(), letter))
	require.NoError(t, o.Close(context.Background()))

	hanging := open(t)
	hanging.server.Hang()
	require.NoError(t, hanging.Send(context.Background(), letter))
	require.Eventually(t, func() bool { return hanging.server.Tries() == 1 }, mailtest.Wait, time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, hanging.Close(ctx), context.DeadlineExceeded)
	require.Equal(t, 1, hanging.stored(t))
}

// TestNextSenderTakesOver leaves mails in the store: the next process sends them, each
// once, and not while the first may still send. A sent mail is not stored any more.
func TestNextSenderTakesOver(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.server.Refuse(451, 451)
	require.NoError(t, o.Send(context.Background(), letter))
	require.NoError(t, o.Send(context.Background(), letter))
	o.await(t, outgoing.Retried, 2)

	other := openOn(t, o.store, true)
	require.NoError(t, other.Send(context.Background(), letter))
	require.Len(t, other.server.Await(1), 1)
	other.await(t, outgoing.Sent, 1)
	require.Eventually(t, func() bool { return o.stored(t) == 2 }, mailtest.Wait, time.Millisecond)

	next := openOn(t, o.store, false)
	require.Len(t, next.server.Await(2), 2)
	next.await(t, outgoing.Sent, 2)
	require.Eventually(t, func() bool { return o.stored(t) == 0 }, mailtest.Wait, time.Millisecond)
	require.NoError(t, o.clock.Advance(5*time.Second))
	require.NoError(t, o.Close(context.Background()))
	require.Empty(t, o.server.Mails(), "another process has sent them")
	require.Len(t, next.server.Mails(), 2)
}

// TestUnreadableMailIsPassedOver: a stored mail that cannot be decoded or opened stays, is
// logged, and holds up no other.
func TestUnreadableMailIsPassedOver(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.server.Refuse(451, 451)
	require.NoError(t, o.Send(context.Background(), letter))
	require.NoError(t, o.Send(context.Background(), letter))
	o.await(t, outgoing.Retried, 2)
	epoch, err := o.store.Activate(t.Context(), "someone")
	require.NoError(t, err)
	batch := &persistence.Batch{}
	for name, value := range map[string][]byte{"0": []byte("{"), "1": teamspace.Encode(teamspace.MailEntry{Sealed: []byte("of another key")})} {
		batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirMail, Name: name}, nil, value)
	}
	require.NoError(t, persistence.Commit(t.Context(), o.store, "someone", epoch, batch))

	next := openOn(t, o.store, false)
	require.Len(t, next.server.Await(2), 2)
	next.await(t, outgoing.Sent, 2)
	require.Eventually(t, func() bool { return o.stored(t) == 2 }, mailtest.Wait, time.Millisecond)
	require.NoError(t, next.Close(context.Background()))
	require.Contains(t, next.log.String(), "mail 0:")
	require.Contains(t, next.log.String(), "mail 1:")
}

// TestMailToNobody is stored and dropped.
func TestMailToNobody(t *testing.T) {
	t.Parallel()
	o := open(t)
	require.NoError(t, o.Send(context.Background(), outgoing.Mail{Body: "nothing"}))
	require.Eventually(t, func() bool { return o.stored(t) == 0 }, mailtest.Wait, time.Millisecond)
	require.Zero(t, o.server.Tries())
}

// heldMailer hands codes on, and holds other mails until their delivery is cancelled.
type heldMailer struct{ codes chan outgoing.Mail }

// Send implements outgoing.Mailer.
func (h heldMailer) Send(ctx context.Context, m outgoing.Mail) error {
	if m.Code {
		h.codes <- m
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

// TestCodesWaitForNoOtherMail: a code is delivered even when the queue of other mails is
// full.
func TestCodesWaitForNoOtherMail(t *testing.T) {
	t.Parallel()
	store, err := badger.Open(badger.Options{InMemory: true, Logger: discard()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	keyring, err := vault.NewKeyring(bytes.Repeat([]byte{7}, vault.MasterKeySize))
	require.NoError(t, err)
	shelf := mail.NewShelf(mail.ShelfOptions{Store: store, Keyring: keyring, Clock: watchpost.SystemClock{}, Sender: "here", Alive: func(string) bool { return true }})
	held := heldMailer{make(chan outgoing.Mail, 1)}
	o := mail.NewOutbox(held, shelf, watchpost.SystemClock{}, discard(), func(string) {})
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.ErrorIs(t, o.Close(ctx), context.Canceled)
	})
	for err == nil {
		err = o.Send(t.Context(), outgoing.Mail{To: "ada@example.com", Body: "2 new posts"})
	}
	require.EqualError(t, err, "mail: too many mails wait")
	code := outgoing.Mail{To: "ada@example.com", Body: "123456", Code: true}
	require.NoError(t, o.Send(t.Context(), code))
	require.Equal(t, code, <-held.codes)
}
