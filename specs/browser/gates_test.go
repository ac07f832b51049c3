package browser_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"watchpost/internal/fakenetwork"
)

// writeGate counts the writes that the network applied, and can hold back
// their replies.
type writeGate struct {
	mu      sync.Mutex
	counts  map[string]int
	holding map[string]*held
}

// held is a write that was applied and not answered yet.
type held struct {
	applied chan struct{} // closed when it was applied
	answer  chan struct{} // closed to release the reply
}

func newWriteGate() *writeGate {
	return &writeGate{counts: map[string]int{}, holding: map[string]*held{}}
}

func writeKey(account string, kind fakenetwork.WriteKind) string { return account + " " + string(kind) }

// applied implements fakenetwork.Options.OnWrite.
func (g *writeGate) applied(w fakenetwork.Write) {
	g.mu.Lock()
	key := writeKey(w.Account, w.Kind)
	g.counts[key]++
	h := g.holding[key]
	delete(g.holding, key)
	g.mu.Unlock()
	if h != nil {
		close(h.applied)
		<-h.answer
	}
}

// count returns the number of writes of a kind by an account.
func (g *writeGate) count(account string, kind fakenetwork.WriteKind) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.counts[writeKey(account, kind)]
}

// hold holds back the reply to the next write of a kind by an account.
func (g *writeGate) hold(t testing.TB, account string, kind fakenetwork.WriteKind) *held {
	h := &held{applied: make(chan struct{}), answer: make(chan struct{})}
	g.mu.Lock()
	g.holding[writeKey(account, kind)] = h
	g.mu.Unlock()
	t.Cleanup(h.release)
	return h
}

// await waits until the write was applied.
func (h *held) await(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case <-h.applied:
	case <-ctx.Done():
		t.Fatal("no write has reached the network")
	}
}

// release releases the reply.
func (h *held) release() {
	select {
	case <-h.answer:
	default:
		close(h.answer)
	}
}

// requestGate can hold back requests before the network sees them.
type requestGate struct {
	mu      sync.Mutex
	holding []heldRequest
}

type heldRequest struct {
	*held
	match func(*http.Request) bool
}

// hold holds back the next request that matches.
func (g *requestGate) hold(t testing.TB, match func(*http.Request) bool) *held {
	h := &held{applied: make(chan struct{}), answer: make(chan struct{})}
	g.mu.Lock()
	g.holding = append(g.holding, heldRequest{h, match})
	g.mu.Unlock()
	t.Cleanup(h.release)
	return h
}

// pass returns when the request may go on.
func (g *requestGate) pass(r *http.Request) {
	g.mu.Lock()
	n := slices.IndexFunc(g.holding, func(one heldRequest) bool { return one.match(r) })
	if n < 0 {
		g.mu.Unlock()
		return
	}
	h := g.holding[n]
	g.holding = slices.Delete(g.holding, n, n+1)
	g.mu.Unlock()
	close(h.applied)
	<-h.answer
}
