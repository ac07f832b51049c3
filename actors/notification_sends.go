package actors

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"watchpost/actors/root"
	"watchpost/internal/mail/outgoing"
	"watchpost/internal/notify"
	"watchpost/watchpost"
)

// Bounds of the attempts under way of a node. A host that does not answer keeps no
// others waiting.
const (
	maxSends       = 64
	maxSendsToHost = 8
)

// sends makes the attempts of all teams of a node.
type sends struct {
	sender  *notify.Sender
	mailer  outgoing.Mailer
	run     root.Scheduling
	ctx     context.Context // of attempts
	cancel  context.CancelFunc
	workers conc.WaitGroup

	mu      sync.Mutex
	running int
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

func newSends(sender *notify.Sender, mailer outgoing.Mailer, run root.Scheduling) *sends {
	if sender == nil {
		sender = notify.New(notify.Options{})
	}
	s := &sends{sender: sender, mailer: mailer, run: run, hosts: map[string]*sendsToHost{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

func (s *sends) close() {
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
func (s *sends) queue(host string, attempt func()) {
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
func (s *sends) start(h *sendsToHost) {
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
		s.workers.Go(func() {
			s.run.Turn("send to " + h.name)
			s.make(h, attempt)
		})
	}
}

// make makes an attempt, unless the node stops: a stored delivery is tried again.
func (s *sends) make(h *sendsToHost, attempt func()) {
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

// mailTimeout bounds how long a mailer may take to accept a mail.
const mailTimeout = 8 * time.Second

// attempt makes one attempt.
func (s *sends) attempt(t *watchpost.NotificationTarget, secret string, m notify.Message) watchpost.Attempt {
	if !t.Kind.Needs(watchpost.TargetUsers) {
		return s.sender.Send(s.ctx, t, secret, m)
	}
	if len(t.Emails) == 0 {
		return watchpost.Attempt{Error: "no member of the target has signed in yet"}
	}
	ctx, cancel := context.WithTimeout(s.ctx, mailTimeout)
	defer cancel()
	subject, body := notify.MailText(t, m)
	for _, to := range t.Emails {
		if err := s.mailer.Send(ctx, outgoing.Mail{To: to, Subject: subject, Body: body}); err != nil {
			return watchpost.Attempt{Error: "the mail was not accepted"}
		}
	}
	return watchpost.Attempt{}
}
