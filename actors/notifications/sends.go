package notifications

import (
	"context"
	"fmt"
	"net/url"
	"sync"

	"github.com/sourcegraph/conc"

	"watchpost/actors/root"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/notify"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// Bounds of the attempts under way of a node. A host that does not answer keeps no
// others waiting.
const (
	maxSends       = 64
	maxSendsToHost = 8
)

// SendsOptions is what NewSends needs.
type SendsOptions struct {
	Env    *root.Environment
	Sender *notify.Sender // nil: one that reaches public addresses only
	Mailer outgoing.Mailer
	Posts  *postindex.Index
	// Origin is the address of the service for browsers, without a path; empty: the
	// operator has not said it, and messages have no links to it.
	Origin string
	// Tagging returns what a view says of a team's watchlists and tags.
	Tagging func(persistence.View, watchpost.TeamID) (*watchpost.Tagging, error)
	// Panicked counts an attempt that ended in a panic.
	Panicked func()
}

// Sends makes the attempts of all teams of a node, in goroutines that end with Close.
type Sends struct {
	env      *root.Environment
	sender   *notify.Sender
	mailer   outgoing.Mailer
	posts    *postindex.Index
	origin   string
	tagging  func(persistence.View, watchpost.TeamID) (*watchpost.Tagging, error)
	panicked func()

	ctx     context.Context // of attempts
	cancel  context.CancelFunc
	workers conc.WaitGroup

	mu      sync.Mutex
	running int
	begun   int // numbers the attempts: each has a name of its own
	hosts   map[string]*sendsToHost
	turns   []*sendsToHost // hosts with waiting attempts and room, in their turn
}

// sendsToHost are the attempts at a host.
type sendsToHost struct {
	name    string
	running int
	waiting []func()
	turn    bool // it is in turns
}

// NewSends returns what makes the attempts of a node.
func NewSends(o SendsOptions) *Sends {
	if o.Sender == nil {
		o.Sender = notify.New(notify.Options{})
	}
	s := &Sends{env: o.Env, sender: o.Sender, mailer: o.Mailer, posts: o.Posts, origin: o.Origin, tagging: o.Tagging, panicked: o.Panicked, hosts: map[string]*sendsToHost{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close ends the attempts under way and waits for them. Later ones are not made.
func (s *Sends) Close() {
	s.cancel()
	s.workers.Wait()
}

// hostOf returns the host that gets a target's messages; the mailer and the API of
// Telegram are one each.
func hostOf(t *watchpost.NotificationTarget) string {
	u, err := url.Parse(t.URL)
	if err != nil || u.Host == "" {
		return string(t.Kind)
	}
	return u.Host
}

// queue makes an attempt as soon as the node and the host have room. Hosts take turns.
func (s *Sends) queue(host string, attempt func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts[host]
	if h == nil {
		h = &sendsToHost{name: host}
		s.hosts[host] = h
	}
	h.waiting = append(h.waiting, attempt)
	s.start(h)
}

// start gives a host its turn, and begins what there is room for. The caller holds mu.
func (s *Sends) start(h *sendsToHost) {
	for {
		if !h.turn && len(h.waiting) > 0 && h.running < maxSendsToHost {
			h.turn = true
			s.turns = append(s.turns, h)
		}
		if len(s.turns) == 0 || s.running == maxSends {
			return
		}
		h = s.turns[0]
		s.turns = s.turns[1:]
		attempt := h.waiting[0]
		h.waiting[0], h.waiting, h.turn = nil, h.waiting[1:], false
		h.running++
		s.running++
		s.begun++
		name := fmt.Sprintf("send %d to %s", s.begun, h.name)
		s.workers.Go(func() {
			s.env.Run.Turn(name)
			s.make(h, attempt)
		})
	}
}

// make makes an attempt, unless the node stops: a stored delivery is tried again.
func (s *Sends) make(h *sendsToHost, attempt func()) {
	if s.ctx.Err() == nil {
		attempt()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	h.running--
	if h.running == 0 && len(h.waiting) == 0 {
		delete(s.hosts, h.name)
	}
	s.start(h)
}
