package actors_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/watchpost"
)

// heldHook is a server that takes messages and keeps their senders waiting.
type heldHook struct {
	*httptest.Server
	release chan struct{}
	once    sync.Once
	mu      sync.Mutex
	held    int
	most    int
	total   int
}

func newHeldHook(t *testing.T) *heldHook {
	t.Helper()
	h := &heldHook{release: make(chan struct{})}
	h.Server = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		h.mu.Lock()
		h.held++
		h.total++
		h.most = max(h.most, h.held)
		h.mu.Unlock()
		<-h.release
		h.mu.Lock()
		h.held--
		h.mu.Unlock()
	}))
	t.Cleanup(func() {
		h.answer()
		h.Close()
	})
	return h
}

// answer answers waiting and later requests.
func (h *heldHook) answer() { h.once.Do(func() { close(h.release) }) }

func (h *heldHook) counts() (held, most, total int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held, h.most, h.total
}

// TestHostThatDoesNotAnswer: the attempts at one host are bounded, and those at others do
// not wait for them.
func TestHostThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	const targets, atOnce = watchpost.MaxNotificationTargets - 1, 8
	w, team, s, h, scan, _ := notified(t)
	slow := newHeldHook(t)
	for range targets {
		newTarget(t, team, h, func(n *watchpost.NotificationTarget) { n.URL = slow.URL })
	}
	s.Part(scan, 0, postBy(w, "ada"))
	s.ExpectAck(scan)
	require.Eventually(t, func() bool { held, _, _ := slow.counts(); return held == atOnce }, actorstest.Wait, time.Millisecond)
	last := newTarget(t, team, h, nil)
	require.Equal(t, watchpost.DeliveryDelivered, actorstest.Must[watchpost.Delivery](t, team, actors.SendNow{ID: last.Target.ID}).State, "another host")
	slow.answer()
	require.Eventually(t, func() bool { _, _, total := slow.counts(); return total == targets }, actorstest.Wait, time.Millisecond)
	_, most, _ := slow.counts()
	require.Equal(t, atOnce, most)
	for _, v := range targetsOf(t, team) {
		require.Empty(t, v.Paused)
	}
}
