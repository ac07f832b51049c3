package access

import (
	"context"
	"errors"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/mail/outgoing"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Browser is where a member signs in to the dashboard.
type Browser struct {
	// Nonce is that of its sign-ins. It names the browser, also after a sign-in.
	Nonce string
	Agent string // its User-Agent
	// Name is what the User-Agent says in words of ours; "" when it says nothing known.
	Name string
	// Language is the code of the language of its pages; "" when it has asked for none that
	// there is.
	Language string
}

// openWebSession signs a member in to the dashboard (NotFound `User not
// found`); answered by WebSessionOpened.
type openWebSession struct {
	email   string
	browser Browser
}

func (openWebSession) AnsweredWith(WebSessionOpened) {}

// CreateSignInLink makes a secret that opens one web session of a member
// (NotFound `User not found`); answered by WebSessionOpened, whose token only
// Browsing.RedeemSignInLink takes.
type CreateSignInLink struct{ Email string }

func (CreateSignInLink) AnsweredWith(WebSessionOpened) {}

// WebSessionOpened carries the secret of a web session, which is shown only once. Ends
// is its end at the latest.
type WebSessionOpened struct {
	Token  string
	Ends   time.Time
	Member watchpost.Member
	// newBrowser is set when the member has signed in before, and not with this browser.
	newBrowser bool
}

// ListWebSessions is answered by []WebSessionView of a member, newest first.
type ListWebSessions struct{ Member watchpost.MemberID }

func (ListWebSessions) AnsweredWith([]WebSessionView) {}

// WebSessionView is a web session as its member sees it.
type WebSessionView struct {
	ID        string
	CreatedAt time.Time
	Ends      time.Time
	Agent     string
}

// EndWebSessions ends a web session of a member or, without an id, all of them;
// answered by Done.
type EndWebSessions struct {
	Member watchpost.MemberID
	ID     string
}

func (EndWebSessions) AnsweredWith(root.Done) {}

// webSessionUsed notes that a web session is in use, by its keyed hash.
type webSessionUsed struct{ hash string }

// redeemLink takes a sign-in link, by its keyed hash; answered by WebSessionOpened.
type redeemLink struct {
	hash    string
	browser Browser
}

func (redeemLink) AnsweredWith(WebSessionOpened) {}

// Browsing is the browsers that are signed in to the dashboard, from outside the mailboxes.
type Browsing struct {
	*base
	mails *Mails
}

// WebSession is whose browser sends a request.
type WebSession struct {
	ID     string
	Team   watchpost.TeamID
	Member watchpost.MemberID
	ends   time.Time
}

// WebSession returns the web session of a token, or an Unauthenticated error. It
// reads the directory, past the team's actors: a session that has ended is not
// in it any more.
func (r *Browsing) WebSession(ctx context.Context, token string) (WebSession, error) {
	hash := r.env.Keyring.Hash(teamspace.DirWebSession, token)
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirWebSession, hash)
	switch {
	case token == "" || errors.Is(err, persistence.ErrNotFound):
		return WebSession{}, errSignedOut()
	case err != nil:
		return WebSession{}, root.Unavailable(err)
	case !r.env.Clock.Now().Before(owner.Ends):
		return WebSession{}, errSignedOut()
	}
	return WebSession{ID: hash, Team: owner.Team, Member: owner.Member, ends: owner.Ends}, nil
}

// NoteWebSessionUse notes that a browser is in use, unless that was noted not long ago.
// It does not wait.
func (r *Browsing) NoteWebSessionUse(s WebSession) {
	if !usedUntil(s.ends, r.env.Clock.Now()) {
		r.Tell(string(s.Team), webSessionUsed{s.ID})
	}
}

// usedUntil reports whether the end of a web session says that it is in use.
func usedUntil(ends, now time.Time) bool {
	left := ends.Sub(now)
	return left > webSessionUnused-webSessionNoted && left <= webSessionUnused
}

// OpenWebSession signs in to the dashboard the person that has just proved to be the
// member of that email (NotFound `User not found`).
func (r *Browsing) OpenWebSession(ctx context.Context, team watchpost.TeamID, email string, b Browser) (WebSessionOpened, error) {
	opened, err := askTeam(ctx, r.base, team, openWebSession{email, b})
	if err == nil {
		r.tellOfBrowser(ctx, opened, b)
	}
	return opened, err
}

// RedeemSignInLink opens a web session by a sign-in link, which can be used once
// (Unauthenticated).
func (r *Browsing) RedeemSignInLink(ctx context.Context, token string, b Browser) (WebSessionOpened, error) {
	hash := r.env.Keyring.Hash(teamspace.DirSignInLink, token)
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.Store, teamspace.DirSignInLink, hash)
	if errors.Is(err, persistence.ErrNotFound) {
		return WebSessionOpened{}, errSignedOut()
	}
	if err != nil {
		return WebSessionOpened{}, root.Unavailable(err)
	}
	opened, err := askTeam(ctx, r.base, owner.Team, redeemLink{hash, b})
	if err == nil {
		r.tellOfBrowser(ctx, opened, b)
	}
	return opened, err
}

// tellOfBrowser mails a member after a sign-in with a new browser.
func (r *Browsing) tellOfBrowser(ctx context.Context, opened WebSessionOpened, b Browser) {
	if !opened.newBrowser {
		return
	}
	from, _ := root.OriginOf(ctx)
	r.mails.Mail(ctx, opened.Member, outgoing.NewSignIn(RecipientOf(opened.Member), r.env.Clock.Now(), b.Name, from.Client))
}
