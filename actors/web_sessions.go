package actors

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// Web sessions: a member's browser that is signed in to the dashboard. Its
// secret is stored as a keyed hash only.

const (
	// webSessionTime is how long a browser stays signed in.
	webSessionTime = 30 * 24 * time.Hour
	// signInLinkTime is how long a sign-in link can be used.
	signInLinkTime = time.Hour
	// webSessionsPerMember and signInLinksPerMember bound the browsers and the
	// unused links of a member; the oldest ends when another one begins.
	webSessionsPerMember = 20
	signInLinksPerMember = 20
	maxAgent             = 200
)

// OpenWebSession signs a member in to the dashboard (NotFound `User not
// found`); answered by WebSessionOpened.
type OpenWebSession struct {
	Email string // normalised
	Agent string // the browser's User-Agent
}

// CreateSignInLink makes a secret that opens one web session of a member
// (NotFound `User not found`); answered by WebSessionOpened, whose token only
// Registry.RedeemSignInLink takes.
type CreateSignInLink struct{ Email string }

// WebSessionOpened carries the secret of a web session, which is shown only once.
type WebSessionOpened struct {
	Token string
	Ends  time.Time
}

// ListWebSessions is answered by []WebSessionView of a member, newest first.
type ListWebSessions struct{ Member watchpost.MemberID }

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

// redeemLink takes a sign-in link, by its keyed hash; answered by WebSessionOpened.
type redeemLink struct{ hash, agent string }

// WebSession is whose browser sends a request.
type WebSession struct {
	ID     string
	Team   watchpost.TeamID
	Member watchpost.MemberID
}

// WebSession returns the web session of a token, or an Unauthenticated error. It
// reads the directory, past the team's actors: a session that has ended is not
// in it any more.
func (r *Registry) WebSession(ctx context.Context, token string) (WebSession, error) {
	hash := r.env.keyring.hash(teamspace.DirWebSession, token)
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.store, teamspace.DirWebSession, hash)
	switch {
	case token == "" || errors.Is(err, persistence.ErrNotFound):
		return WebSession{}, errSignedOut()
	case err != nil:
		return WebSession{}, unavailable(err)
	case !r.env.clock.Now().Before(owner.Ends):
		return WebSession{}, errSignedOut()
	}
	return WebSession{ID: hash, Team: owner.Team, Member: owner.Member}, nil
}

// RedeemSignInLink opens a web session by a sign-in link, which can be used once
// (Unauthenticated).
func (r *Registry) RedeemSignInLink(ctx context.Context, token, agent string) (WebSessionOpened, error) {
	hash := r.env.keyring.hash(teamspace.DirSignInLink, token)
	owner, err := teamspace.Read[teamspace.OwnerEntry](ctx, r.env.store, teamspace.DirSignInLink, hash)
	if errors.Is(err, persistence.ErrNotFound) {
		return WebSessionOpened{}, errSignedOut()
	}
	if err != nil {
		return WebSessionOpened{}, unavailable(err)
	}
	return Ask(ctx, r, owner.Team, redeemLink{hash, agent})
}

// requireFresh returns an error unless a browser has just signed in (Forbidden).
func (ws *webSessions) requireFresh(id string) error {
	if r, known := ws.byID[id]; !known || r.Link || !watchpost.FreshlySignedIn(r.CreatedAt, ws.env.clock.Now()) {
		return watchpost.Errorf(watchpost.Forbidden, watchpost.TextNotFresh)
	}
	return nil
}

func errSignedOut() error {
	return watchpost.Errorf(watchpost.Unauthenticated, "Signed out")
}

// webSessions is the component of a team that owns the web sessions and sign-in
// links of its members, by their keyed hash.
type webSessions struct {
	*rootActor
	team *team
	byID map[string]teamspace.WebSessionRecord
}

func newWebSessions(t *team) *webSessions {
	return &webSessions{rootActor: &t.rootActor, team: t, byID: map[string]teamspace.WebSessionRecord{}}
}

func (ws *webSessions) receive(message any) bool {
	switch m := message.(type) {
	case OpenWebSession:
		ws.onOpen(m)
	case CreateSignInLink:
		ws.onCreateLink(m)
	case redeemLink:
		ws.onRedeemLink(m)
	case ListWebSessions:
		ws.answer(ws.views(m.Member), nil)
	case EndWebSessions:
		ws.onEnd(m)
	default:
		return false
	}
	return true
}

// load reads the web sessions. It ends those that have expired, and those that a
// removal of their member had left to do.
func (ws *webSessions) load(view persistence.View) error {
	err := teamspace.LoadAll(view, ws.space, teamspace.KeyWebSession, func(hash string, r teamspace.WebSessionRecord) {
		ws.byID[hash] = r
	})
	if err != nil {
		return err
	}
	st := &steps{}
	for hash, r := range ws.byID {
		if _, known := ws.team.members.byID(r.Member); !known {
			ws.end(st, hash)
		}
	}
	ws.forget(st)
	ws.submitSteps(st, nil)
	return nil
}

func (ws *webSessions) onOpen(m OpenWebSession) {
	member, err := ws.team.members.byEmail(m.Email)
	if err != nil {
		ws.answer(nil, err)
		return
	}
	st := &steps{}
	ws.makeRoom(st, member.ID, false)
	opened := ws.open(st.room(putOps), member.ID, m.Agent)
	ws.submitSteps(st, replyTo(ws.env, ws.ctx.Sender(), opened))
}

func (ws *webSessions) onCreateLink(m CreateSignInLink) {
	member, err := ws.team.members.byEmail(m.Email)
	if err != nil {
		ws.answer(nil, err)
		return
	}
	st := &steps{}
	ws.makeRoom(st, member.ID, true)
	batch := st.room(auditOps + putOps)
	ws.team.audit.note(batch, watchpost.AuditLinkMade, "", member.Email)
	r := teamspace.WebSessionRecord{Member: member.ID, Ends: ws.env.clock.Now().Add(signInLinkTime), Link: true}
	ws.submitSteps(st, replyTo(ws.env, ws.ctx.Sender(), ws.put(batch, r)))
}

// onRedeemLink uses a link up and opens a session for its member: both in one
// batch, so that a link never opens two.
func (ws *webSessions) onRedeemLink(m redeemLink) {
	link, known := ws.byID[m.hash]
	if !known || !link.Link || !ws.env.clock.Now().Before(link.Ends) {
		ws.answer(nil, errSignedOut())
		return
	}
	st := &steps{}
	ws.makeRoom(st, link.Member, false)
	batch := st.room(redeemOps)
	ws.endIn(batch, m.hash)
	ws.team.personSeen(batch)
	ws.team.members.signedIn(batch, link.Member)
	ws.team.audit.note(batch, watchpost.AuditSignedIn, link.Member, subjectLink)
	opened := ws.open(batch, link.Member, m.agent)
	ws.submitSteps(st, replyTo(ws.env, ws.ctx.Sender(), opened))
}

func (ws *webSessions) onEnd(m EndWebSessions) {
	st := &steps{}
	for hash, r := range ws.byID {
		if r.Member == m.Member && (m.ID == "" || m.ID == hash) {
			ws.end(st, hash)
		}
	}
	if len(st.batches) > 0 {
		what := "one browser"
		if m.ID == "" {
			what = "everywhere"
		}
		ws.team.audit.note(st.room(auditOps), watchpost.AuditSignedOut, m.Member, what)
	}
	ws.submitSteps(st, replyTo(ws.env, ws.ctx.Sender(), Done{}))
}

// makeRoom ends what has expired, and the oldest browsers or links of a member
// until there is room for one more.
func (ws *webSessions) makeRoom(st *steps, member watchpost.MemberID, links bool) {
	ws.forget(st)
	most := webSessionsPerMember
	if links {
		most = signInLinksPerMember
	}
	var of []string
	for hash, r := range ws.byID {
		if r.Member == member && r.Link == links {
			of = append(of, hash)
		}
	}
	// All of a sort last equally long, so the first to end is the oldest.
	slices.SortFunc(of, func(a, b string) int { return cmp.Or(ws.byID[a].Ends.Compare(ws.byID[b].Ends), cmp.Compare(a, b)) })
	for _, hash := range of[:max(0, len(of)-most+1)] {
		ws.end(st, hash)
	}
}

// open adds a session of a member, for which there is room.
func (ws *webSessions) open(batch *persistence.Batch, member watchpost.MemberID, agent string) WebSessionOpened {
	now := ws.env.clock.Now()
	return ws.put(batch, teamspace.WebSessionRecord{Member: member, CreatedAt: now, Ends: now.Add(webSessionTime), Agent: clip(agent, maxAgent)})
}

// putOps and endOps are the operations of a session or link that begins or ends;
// redeemOps those of a link that becomes a session, with personSeen, signedIn and the audit.
const (
	putOps    = 2
	endOps    = 2
	redeemOps = endOps + putOps + 2 + auditOps
)

// put stores a session or link under a new secret.
func (ws *webSessions) put(batch *persistence.Batch, r teamspace.WebSessionRecord) WebSessionOpened {
	opened := WebSessionOpened{Token: watchpost.NewSecret(webSecret), Ends: r.Ends}
	hash := ws.env.keyring.hash(r.Kind(), opened.Token)
	ws.byID[hash] = r
	batch.Put(teamspace.Key(teamspace.KeyWebSession, hash), teamspace.Encode(r))
	batch.CompareAndSet(persistence.DirectoryKey{Kind: r.Kind(), Name: hash}, nil,
		teamspace.Encode(teamspace.OwnerEntry{Team: ws.team.id, Member: r.Member, Ends: r.Ends}))
	return opened
}

// webSecret is the length of a secret in bytes; it is written in hexadecimal.
const webSecret = 24

func (ws *webSessions) end(st *steps, hash string) { ws.endIn(st.room(endOps), hash) }

// endIn ends a session or link in the batch of what replaces it.
func (ws *webSessions) endIn(batch *persistence.Batch, hash string) {
	r := ws.byID[hash]
	batch.Delete(teamspace.Key(teamspace.KeyWebSession, hash))
	batch.Set(persistence.DirectoryKey{Kind: r.Kind(), Name: hash}, nil)
	delete(ws.byID, hash)
}

// endAll ends the sessions of a member that is removed.
func (ws *webSessions) endAll(st *steps, member watchpost.MemberID) {
	for hash, r := range ws.byID {
		if r.Member == member {
			ws.end(st, hash)
		}
	}
}

// forget ends expired sessions and links.
func (ws *webSessions) forget(st *steps) {
	now := ws.env.clock.Now()
	for hash, r := range ws.byID {
		if !now.Before(r.Ends) {
			ws.end(st, hash)
		}
	}
}

// views returns the sessions of a member, newest first.
func (ws *webSessions) views(member watchpost.MemberID) []WebSessionView {
	views := []WebSessionView{}
	for hash, r := range ws.byID {
		if r.Member == member && !r.Link {
			views = append(views, WebSessionView{hash, r.CreatedAt, r.Ends, r.Agent})
		}
	}
	slices.SortFunc(views, func(a, b WebSessionView) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return views
}
