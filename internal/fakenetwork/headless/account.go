package headless

import (
	"slices"
	"strings"

	"watchpost/internal/protocol"
)

// receiveStatus stores the account that the member works as and, with
// Options.Bind, confirms the session's own account.
func (s *session) receiveStatus(f protocol.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bound = ""
	if f.Account != nil {
		s.bound = f.Account.URN
	}
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
	s.log.Warn("session: signed in to another account than the member's; no task comes until one of the two is changed", "member_account", s.bound)
}

// ownAccount returns the fault of a write that would run as another account
// than the member's.
func (s *session) ownAccount() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound == "" || strings.EqualFold(s.bound, s.account.URN) {
		return nil
	}
	return faultf(protocol.CodeSignedOut, "signed in to the network as %q, not as the member's account", s.account.Slug)
}
