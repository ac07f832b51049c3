package actors_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/notify"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// hook is a server that takes notifications.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []string // bodies
	ids    []string
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{status: 200}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.got, h.ids = append(h.got, string(body)), append(h.ids, r.Header.Get("webhook-id"))
		w.WriteHeader(h.status)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) answer(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}

func (h *hook) received() (bodies, ids []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.got...), append([]string(nil), h.ids...)
}

// await returns the messages once there are n messages.
func (h *hook) await(t *testing.T, n int) (bodies, ids []string) {
	t.Helper()
	require.Eventually(t, func() bool { got, _ := h.received(); return len(got) >= n }, actorstest.Wait, time.Millisecond)
	return h.received()
}

// notified is a team with a hook and a watchlist whose scan is handed out.
func notified(t *testing.T) (*actorstest.World, *actorstest.Team, *actorstest.Session, *hook, protocol.Frame, watchpost.Watchlist) {
	t.Helper()
	sender := notify.New(notify.Options{Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	w, team, s := house(t, actorstest.With(func(o *actors.Options) { o.Notify = sender }))
	list := keywordWatchlist(t, team, "go")
	return w, team, s, newHook(t), s.Expect(protocol.TypeTask), list
}

func newTarget(t *testing.T, team *actorstest.Team, h *hook, change func(*watchpost.NotificationTarget)) actors.TargetCreated {
	t.Helper()
	target := watchpost.NotificationTarget{Name: "Hook", Kind: watchpost.TargetWebhook, URL: h.URL, PerHour: watchpost.DefaultPerHour}
	if change != nil {
		change(&target)
	}
	return actorstest.Must[actors.TargetCreated](t, team, actors.CreateTarget{Target: target})
}

func targetsOf(t *testing.T, team *actorstest.Team) []actors.TargetView {
	t.Helper()
	return actorstest.Must[[]actors.TargetView](t, team, actors.ListTargets{})
}

// TestNotification: new posts are delivered once in order; a stored one is
// delivered after a crash, with the same id.
func TestNotification(t *testing.T) {
	t.Parallel()
	w, team, s, h, scan, _ := notified(t)
	made := newTarget(t, team, h, nil)
	require.True(t, strings.HasPrefix(made.Secret, "whsec_"))
	h.answer(500)
	s.Part(scan, 0, postBy(w, "ada"))
	s.ExpectAck(scan)
	_, first := h.await(t, 1)
	require.Eventually(t, func() bool { return !targetsOf(t, team)[0].FailingSince.IsZero() }, actorstest.Wait, time.Millisecond)
	require.NotEmpty(t, storedKeys(t, w, team, "tq"))
	h.answer(200)
	w.Crash()
	require.NoError(t, w.Registry.ResumeNotifications(w.Context()))
	w.Advance(time.Minute)
	bodies, ids := h.await(t, 2)
	require.Equal(t, first[0], ids[1], "the same delivery")
	require.Equal(t, 1, strings.Count(bodies[1], "says ada"))
	require.Eventually(t, func() bool { return targetsOf(t, team)[0].Waiting == 0 }, actorstest.Wait, time.Millisecond)
	require.Empty(t, storedKeys(t, w, team, "tq"))
	log, err := w.Registry.Deliveries(w.Context(), team.ID, made.Target.ID)
	require.NoError(t, err)
	require.Len(t, log, 1)
	require.Equal(t, []any{watchpost.DeliveryDelivered, 2}, []any{log[0].State, log[0].Attempts})

	t.Run("test and replay", func(t *testing.T) {
		sent := actorstest.Must[watchpost.Delivery](t, team, actors.SendNow{ID: made.Target.ID})
		require.Equal(t, watchpost.DeliveryDelivered, sent.State)
		again := actorstest.Must[watchpost.Delivery](t, team, actors.SendNow{ID: made.Target.ID, Delivery: log[0].ID})
		require.Equal(t, "replay", again.Kind)
		bodies, _ := h.await(t, 4)
		require.Contains(t, bodies[3], "says ada")
		actorstest.Fails(t, team, watchpost.NotFound, actors.SendNow{ID: made.Target.ID, Delivery: "x"})
		actorstest.Fails(t, team, watchpost.NotFound, actors.SendNow{ID: "x"})
	})
}

// TestArrivalsOutliveTheirNode: posts that were stored and not looked at are delivered
// by the next owner of the team, although no session and no request comes.
func TestArrivalsOutliveTheirNode(t *testing.T) {
	t.Parallel()
	w, team, s, h, scan, _ := notified(t)
	newTarget(t, team, h, nil)
	looked := make(chan struct{})
	var once sync.Once
	w.Store.FailWhen(func(_ persistence.Space, b *persistence.Batch) actorstest.Fault {
		for _, write := range b.Writes {
			if write.Delete && strings.HasPrefix(string(write.Key), teamspace.KeyArrival) {
				once.Do(func() { close(looked) })
				return actorstest.Before
			}
		}
		return actorstest.None
	})
	s.Part(scan, 0, postBy(w, "ada"))
	select {
	case <-looked:
	case <-time.After(actorstest.Wait):
		require.Fail(t, "no look at the arrival")
	}
	w.Store.FailWhen(nil)
	w.Crash()
	require.NotEmpty(t, storedKeys(t, w, team, teamspace.KeyArrival))
	require.NoError(t, w.Registry.ResumeNotifications(w.Context()))
	bodies, _ := h.await(t, 1)
	require.Contains(t, bodies[0], "says ada")
	require.Eventually(t, func() bool { return targetsOf(t, team)[0].Waiting == 0 }, actorstest.Wait, time.Millisecond)
	require.Zero(t, outboxes(t, w))
}

// outboxes counts the teams with the entry of waiting notifications.
func outboxes(t *testing.T, w *actorstest.World) (found int) {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	require.NoError(t, view.ScanDirectory(teamspace.DirOutbox, "", func(string, []byte) bool { found++; return true }))
	return found
}

// TestEnabledTarget: what waits for a target that is disabled and enabled again is
// delivered after a restart too.
func TestEnabledTarget(t *testing.T) {
	t.Parallel()
	w, team, s, h, scan, _ := notified(t)
	made := newTarget(t, team, h, func(n *watchpost.NotificationTarget) { n.Batch = 30 * time.Minute })
	s.Part(scan, 0, postBy(w, "ada"))
	s.ExpectAck(scan)
	require.Eventually(t, func() bool { return targetsOf(t, team)[0].Waiting == 1 }, actorstest.Wait, time.Millisecond)
	disable := func(off bool) {
		actorstest.Must[actors.TargetView](t, team, actors.UpdateTarget{ID: made.Target.ID, Patch: watchpost.TargetPatch{Disabled: &off}})
	}
	disable(true)
	require.Eventually(t, func() bool { return outboxes(t, w) == 0 }, actorstest.Wait, time.Millisecond)
	disable(false)
	w.Crash()
	require.NoError(t, w.Registry.ResumeNotifications(w.Context()))
	w.Advance(31 * time.Minute)
	h.await(t, 1)
}

// TestBotTokenChanges: messages to a chat are sent with the bot's new token.
func TestBotTokenChanges(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 2)
	bots := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	t.Cleanup(bots.Close)
	sender := notify.New(notify.Options{Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Telegram: bots.URL})
	_, team, _ := house(t, actorstest.With(func(o *actors.Options) { o.Notify = sender }))
	made := actorstest.Must[actors.TargetCreated](t, team, actors.CreateTarget{
		Target: watchpost.NotificationTarget{Name: "Chat", Kind: watchpost.TargetTelegram, Chat: "42", PerHour: watchpost.DefaultPerHour}, Secret: "1:old",
	})
	actorstest.Must[watchpost.Delivery](t, team, actors.SendNow{ID: made.Target.ID})
	require.Equal(t, "/bot1:old/sendMessage", <-asked)
	actorstest.Must[actors.TargetView](t, team, actors.UpdateTarget{ID: made.Target.ID, Patch: watchpost.TargetPatch{Token: new("2:new")}})
	actorstest.Must[watchpost.Delivery](t, team, actors.SendNow{ID: made.Target.ID})
	require.Equal(t, "/bot2:new/sendMessage", <-asked)
}

// TestHookOfAWatchlistChanges: another slack_webhook_url delivers although the one before
// was paused, and one that is removed leaves nothing.
func TestHookOfAWatchlistChanges(t *testing.T) {
	t.Parallel()
	w, team, s, h, scan, list := notified(t)
	patch(t, team, list, watchpost.WatchlistPatch{SlackURL: &h.URL})
	h.answer(410)
	s.Part(scan, 0, postBy(w, "ada"))
	s.ExpectAck(scan)
	require.Eventually(t, func() bool { return targetsOf(t, team)[0].Paused != "" }, actorstest.Wait, time.Millisecond)
	s.Part(scan, 1, postBy(w, "bob"))
	s.ExpectAck(scan)
	require.Eventually(t, func() bool { return targetsOf(t, team)[0].Waiting == 1 }, actorstest.Wait, time.Millisecond)
	other := newHook(t)
	patch(t, team, list, watchpost.WatchlistPatch{SlackURL: &other.URL})
	bodies, _ := other.await(t, 1)
	require.Contains(t, bodies[0], "says bob")
	require.Eventually(t, func() bool { return !targetsOf(t, team)[0].DeliveredAt.IsZero() }, actorstest.Wait, time.Millisecond)
	patch(t, team, list, watchpost.WatchlistPatch{SlackURL: ptr("")})
	require.Empty(t, targetsOf(t, team))
	require.Empty(t, storedKeys(t, w, team, "t"))
}

// TestDeliveryLog: each delivery has one place in the log of a target, also when another
// was sent between two of its attempts.
func TestDeliveryLog(t *testing.T) {
	t.Parallel()
	w, team, s, h, scan, _ := notified(t)
	made := newTarget(t, team, h, nil)
	h.answer(500)
	s.Part(scan, 0, postBy(w, "ada"))
	s.ExpectAck(scan)
	require.Eventually(t, func() bool { return !targetsOf(t, team)[0].FailingSince.IsZero() }, actorstest.Wait, time.Millisecond)
	send := func() { actorstest.Must[watchpost.Delivery](t, team, actors.SendNow{ID: made.Target.ID}) }
	w.Advance(time.Second)
	send()
	h.answer(200)
	w.Advance(time.Minute)
	require.Eventually(t, func() bool { return targetsOf(t, team)[0].Waiting == 0 }, actorstest.Wait, time.Millisecond)
	const kept = 100
	for range 2 {
		w.Advance(time.Hour) // an hour has room for 60
		for range kept/2 - 1 {
			send()
		}
	}
	log, err := w.Registry.Deliveries(w.Context(), team.ID, made.Target.ID)
	require.NoError(t, err)
	require.Len(t, log, kept)
	require.Equal(t, "posts", log[kept-1].Kind, "the first one")
}

// TestFailingTarget: a target is tried for a day, then it is paused; a successful
// test resumes it. 410 pauses at once.
func TestFailingTarget(t *testing.T) {
	t.Parallel()
	w, team, s, h, scan, _ := notified(t)
	made := newTarget(t, team, h, nil)
	h.answer(503)
	s.Part(scan, 0, postBy(w, "ada"))
	s.ExpectAck(scan)
	h.await(t, 1)
	require.Eventually(t, func() bool { return !targetsOf(t, team)[0].FailingSince.IsZero() }, actorstest.Wait, time.Millisecond) // before the clock goes on
	for range 60 {                                                                                                                // the pauses grow to an hour
		w.Advance(50 * time.Minute)
		if targetsOf(t, team)[0].Paused != "" {
			break
		}
	}
	view := targetsOf(t, team)[0]
	require.Equal(t, "answered 503 Service Unavailable", view.Paused)
	require.False(t, w.Now().Before(actorstest.Start.Add(24*time.Hour)))
	log, err := w.Registry.Deliveries(w.Context(), team.ID, made.Target.ID)
	require.NoError(t, err)
	require.Equal(t, watchpost.DeliveryFailed, log[0].State)
	require.Greater(t, log[0].Attempts, 20)
	h.answer(200)
	actorstest.Must[watchpost.Delivery](t, team, actors.SendNow{ID: made.Target.ID})
	require.Empty(t, targetsOf(t, team)[0].Paused)
}

// brokenMailer panics.
type brokenMailer struct{}

// Send implements outgoing.Mailer.
func (brokenMailer) Send(context.Context, outgoing.Mail) error { panic("scripted") }

// TestDeliveryThatPanics: the delivery has failed, and the team goes on.
func TestDeliveryThatPanics(t *testing.T) {
	t.Parallel()
	w, team, _ := house(t, actorstest.With(func(o *actors.Options) { o.Mailer = brokenMailer{} }))
	link := actorstest.Must[actors.WebSessionOpened](t, team, actors.CreateSignInLink{Email: team.Email})
	_, err := w.Registry.RedeemSignInLink(w.Context(), link.Token, actors.Browser{})
	require.NoError(t, err)
	made := actorstest.Must[actors.TargetCreated](t, team, actors.CreateTarget{Target: watchpost.NotificationTarget{
		Name: "Mail", Kind: watchpost.TargetEmail, Emails: []string{team.Email}, PerHour: 1,
	}})
	sent := actorstest.Must[watchpost.Delivery](t, team, actors.SendNow{ID: made.Target.ID})
	require.Equal(t, watchpost.DeliveryFailed, sent.State)
	require.Equal(t, "the message cannot be made", sent.Error)
}

// TestTargetsOfAWatchlist: slack_webhook_url delivers; conditions, batches and
// quiet hours hold back; a deleted one leaves nothing.
func TestTargetsOfAWatchlist(t *testing.T) {
	t.Parallel()
	w, team, s, h, scan, list := notified(t)
	slack := h.URL
	patch(t, team, list, watchpost.WatchlistPatch{SlackURL: &slack})
	none := newTarget(t, team, h, func(n *watchpost.NotificationTarget) { n.If.MinRelevance = 10 })
	batch := newTarget(t, team, h, func(n *watchpost.NotificationTarget) {
		n.Watchlist, n.Batch = list.ID, 30*time.Minute
		n.Quiet = watchpost.DailyHours{From: 0, Until: 12 * 60} // it is ten
	})
	s.Part(scan, 0, postBy(w, "ada"), postBy(w, "bob"))
	s.ExpectAck(scan)
	bodies, _ := h.await(t, 1)
	require.Contains(t, bodies[0], `"blocks"`, "Slack")
	waiting := map[watchpost.TargetID]int{}
	for _, v := range targetsOf(t, team) {
		waiting[v.Target.ID] = v.Waiting
	}
	require.Equal(t, []int{0, 2}, []int{waiting[none.Target.ID], waiting[batch.Target.ID]})
	w.Advance(110 * time.Minute)
	got, _ := h.received()
	require.Len(t, got, 1, "quiet")
	w.Advance(15 * time.Minute)
	bodies, _ = h.await(t, 2)
	require.Contains(t, bodies[1], "posts.new")
	require.Equal(t, 2, strings.Count(bodies[1], "says "), "one message")

	actorstest.Fails(t, team, watchpost.NotFound, actors.CreateTarget{Target: watchpost.NotificationTarget{Name: "x", Kind: watchpost.TargetSlack, URL: h.URL, PerHour: 1, Watchlist: "nowhere"}})
	actorstest.Fails(t, team, watchpost.NotFound, actors.DeleteTarget{ID: watchpost.TargetID(list.ID)})
	done(t, team, actors.DeleteTarget{ID: none.Target.ID})
	done(t, team, actors.DeleteWatchlist{Type: list.Type, ID: list.ID})
	require.Empty(t, targetsOf(t, team))
	require.Eventually(t, func() bool { return len(storedKeys(t, w, team, "t")) == 0 }, actorstest.Wait, time.Millisecond)
}
