package headless

import (
	"context"
	"slices"
	"strings"

	"watchpost/internal/protocol"
)

// AccountOf makes the slug of a network account from a member's email.
func AccountOf(email string) string {
	mailbox, _, _ := strings.Cut(email, "@")
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(mailbox)), "-")
}

// nameAccount chooses the account to sign in as, unless the options name it. It
// prefers the account that the member works as, because another one gets no
// tasks. The caller holds the mutex.
func (s *session) nameAccount(works *protocol.Account) {
	if s.opts.Account != "" || s.net.account() != "" {
		return
	}
	slug := AccountOf(s.email)
	if works != nil && works.Slug != "" {
		slug = works.Slug
	}
	if slug == "" {
		s.log.Error("session: the welcome lacks the member; set the account to sign in as")
		return
	}
	s.net.setAccount(slug)
	close(s.named)
}

// takeAccount waits until the session knows its account and signs it in. It
// returns false if ctx ends first.
func (s *session) takeAccount(ctx context.Context) bool {
	if s.opts.Account != "" {
		return true
	}
	select {
	case <-s.named:
		s.signIn(ctx)
		return true
	case <-ctx.Done():
		return false
	}
}

// signIn signs the account in to the network. It logs a failure; the next
// heartbeat tries again.
func (s *session) signIn(ctx context.Context) {
	if err := s.net.signIn(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("session: not signed in to the network", "account", s.net.account(), "error", err)
	}
}

// receiveStatus stores the account that the member works as and, with
// Options.Bind, confirms the session's own account.
func (s *session) receiveStatus(f protocol.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.askedLocked(f)
	s.bound = ""
	if f.Account != nil {
		s.bound = f.Account.URN
	}
	s.nameAccount(f.Account)
	if !slices.ContainsFunc(f.Blocked, func(b protocol.Blocked) bool { return b.Reason == protocol.BlockedOtherAccount }) {
		return
	}
	// Once per run: otherwise two sessions of a member that both confirm would
	// take the account from each other in a loop.
	if s.opts.Bind && !s.confirmed && s.account.SignedIn {
		s.confirmed = true
		s.sendLocked(protocol.Frame{Type: protocol.TypeBind, Account: s.accountLocked()})
		return
	}
	s.log.Warn("session: signed in to another account than the member's; no tasks until the session signs in to it or confirms this one", "member_account", s.bound)
}

// memberAccount returns the URN of the account that the member works as: the
// bound one, before the first status the one that is signed in. The caller
// holds the mutex.
func (s *session) memberAccount() string {
	if s.bound != "" {
		return s.bound
	}
	return s.account.URN
}

// actAs returns the URN of the account that a write acts as. It is a fault when
// the session is signed in to another account than that of the task or of the
// member.
func (s *session) actAs(e Entry) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	as := s.memberAccount()
	if strings.EqualFold(s.account.URN, as) && (e.Account == "" || strings.EqualFold(e.Account, as)) {
		return as, nil
	}
	return "", faultf(protocol.CodeSignedOut, "signed in to the network as %q, not as the account that the task is for", s.account.Slug)
}
