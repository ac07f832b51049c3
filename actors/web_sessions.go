package actors

import (
	"cmp"
	"slices"
	"time"

	"watchpost/actors/intake"
	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Web sessions: a member's browser that is signed in to the dashboard. Its
// secret is stored as a keyed hash only.

const (
	// webSessionTime is how long a browser stays signed in, webSessionUnused how long
	// without use. A use is noted when it moves the end by webSessionNoted, so that most
	// pages write nothing.
	webSessionTime   = 30 * 24 * time.Hour
	webSessionUnused = 7 * 24 * time.Hour
	webSessionNoted  = time.Hour
	// signInLinkTime is how long a sign-in link can be used.
	signInLinkTime = time.Hour
	// webSessionsPerMember and signInLinksPerMember bound the browsers and the
	// unused links of a member; the oldest ends when another one begins.
	webSessionsPerMember = 20
	signInLinksPerMember = 20
	maxAgent             = 200
)

// requireFresh returns an error unless a browser has just signed in (Forbidden).
func (ws *webSessions) requireFresh(id string) error {
	if r, known := ws.byID[id]; !known || r.Link || !watchpost.FreshlySignedIn(r.CreatedAt, ws.env.Clock.Now()) {
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
	team     *team
	byID     map[string]teamspace.WebSessionRecord
	browsers map[watchpost.MemberID]teamspace.BrowsersRecord
}

func newWebSessions(t *team) *webSessions {
	return &webSessions{rootActor: &t.rootActor, team: t, byID: map[string]teamspace.WebSessionRecord{}, browsers: map[watchpost.MemberID]teamspace.BrowsersRecord{}}
}

func (ws *webSessions) receive(message any) bool {
	switch m := message.(type) {
	case openWebSession:
		ws.onOpen(m)
	case CreateSignInLink:
		ws.onCreateLink(m)
	case redeemLink:
		ws.onRedeemLink(m)
	case ListWebSessions:
		ws.Answer(ws.views(m.Member), nil)
	case EndWebSessions:
		ws.onEnd(m)
	case webSessionUsed:
		ws.onUsed(m)
	default:
		return false
	}
	return true
}

// load reads the web sessions. It ends those that have expired, and those that a
// removal of their member had left to do.
func (ws *webSessions) load(view persistence.View) error {
	err := teamspace.LoadAll(view, ws.Space, teamspace.KeyWebSession, func(hash string, r teamspace.WebSessionRecord) {
		ws.byID[hash] = r
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, ws.Space, teamspace.KeyBrowsers, func(member string, r teamspace.BrowsersRecord) {
		ws.browsers[watchpost.MemberID(member)] = r
	})
	if err != nil {
		return err
	}
	st := &root.Steps{}
	for hash, r := range ordered.ByKey(ws.byID) {
		if _, known := ws.team.members.byID(r.Member); !known {
			ws.end(st, hash)
		}
	}
	ws.forget(st)
	ws.SubmitSteps(st, nil)
	return nil
}

func (ws *webSessions) onOpen(m openWebSession) {
	member, err := ws.team.members.byEmail(m.email)
	if err != nil {
		ws.Answer(nil, err)
		return
	}
	st := &root.Steps{}
	ws.makeRoom(st, member.ID, false)
	opened := ws.open(st.Room(openOps), member, m.browser)
	ws.SubmitSteps(st, ws.env.ReplyTo(ws.Context.Sender(), opened))
}

func (ws *webSessions) onCreateLink(m CreateSignInLink) {
	member, err := ws.team.members.byEmail(m.Email)
	if err != nil {
		ws.Answer(nil, err)
		return
	}
	st := &root.Steps{}
	ws.makeRoom(st, member.ID, true)
	batch := st.Room(auditOps + putOps)
	ws.team.audit.note(batch, watchpost.AuditLinkMade, "", member.Email)
	r := teamspace.WebSessionRecord{Member: member.ID, Ends: ws.env.Clock.Now().Add(signInLinkTime), Link: true}
	ws.SubmitSteps(st, ws.env.ReplyTo(ws.Context.Sender(), ws.put(batch, r)))
}

// onRedeemLink uses a link up and opens a session for its member: both in one
// batch, so that a link never opens two.
func (ws *webSessions) onRedeemLink(m redeemLink) {
	link, known := ws.byID[m.hash]
	if !known || !link.Link || !ws.env.Clock.Now().Before(link.Ends) {
		ws.Answer(nil, errSignedOut())
		return
	}
	st := &root.Steps{}
	ws.makeRoom(st, link.Member, false)
	batch := st.Room(redeemOps)
	ws.endIn(batch, m.hash)
	ws.team.personSeen(batch)
	ws.team.members.signedIn(batch, link.Member)
	ws.team.audit.note(batch, watchpost.AuditSignedIn, link.Member, subjectLink)
	member, _ := ws.team.members.byID(link.Member) // its links end with a member
	opened := ws.open(batch, member, m.browser)
	ws.SubmitSteps(st, ws.env.ReplyTo(ws.Context.Sender(), opened))
}

func (ws *webSessions) onEnd(m EndWebSessions) {
	st := &root.Steps{}
	for hash, r := range ordered.ByKey(ws.byID) {
		if r.Member == m.Member && (m.ID == "" || m.ID == hash) {
			ws.end(st, hash)
		}
	}
	if len(st.Batches) > 0 {
		what := "one browser"
		if m.ID == "" {
			what = "everywhere"
		}
		ws.team.audit.note(st.Room(auditOps), watchpost.AuditSignedOut, m.Member, what)
	}
	ws.SubmitSteps(st, ws.env.ReplyTo(ws.Context.Sender(), root.Done{}))
}

// onUsed moves the end of a session. Those that earlier builds opened have none that
// moves: it comes nearer then.
func (ws *webSessions) onUsed(m webSessionUsed) {
	r, known := ws.byID[m.hash]
	now := ws.env.Clock.Now()
	if !known || r.Link || usedUntil(r.Ends, now) {
		return
	}
	ends := endOf(r.CreatedAt, now)
	if ends.Equal(r.Ends) {
		return
	}
	r.Ends = ends
	ws.byID[m.hash] = r
	batch := &persistence.Batch{}
	ws.store(batch, m.hash, r)
	ws.Commits.Submit(batch, nil)
}

// endOf returns when a session ends that began and was used then.
func endOf(began, used time.Time) time.Time {
	latest, unused := began.Add(webSessionTime), used.Add(webSessionUnused)
	if unused.Before(latest) {
		return unused
	}
	return latest
}

// makeRoom ends expired browsers and links, and the oldest ones of a member until there
// is room for one more.
func (ws *webSessions) makeRoom(st *root.Steps, member watchpost.MemberID, links bool) {
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
	// The first to end is the one that was not used for longest.
	slices.SortFunc(of, func(a, b string) int { return cmp.Or(ws.byID[a].Ends.Compare(ws.byID[b].Ends), cmp.Compare(a, b)) })
	for _, hash := range of[:max(0, len(of)-most+1)] {
		ws.end(st, hash)
	}
}

// open adds a session of a member, for which there is room.
func (ws *webSessions) open(batch *persistence.Batch, member watchpost.Member, b Browser) WebSessionOpened {
	now := ws.env.Clock.Now()
	opened := ws.put(batch, teamspace.WebSessionRecord{Member: member.ID, CreatedAt: now, Ends: endOf(now, now), Agent: intake.Clip(b.Agent, maxAgent)})
	opened.Ends, opened.Member, opened.newBrowser = now.Add(webSessionTime), member, ws.meet(batch, member.ID, b)
	return opened
}

// putOps and endOps are the operations of a session or link that begins or ends; openOps
// those of a session with its browser; redeemOps those of a link that becomes one, with
// personSeen, signedIn and the audit.
const (
	putOps    = 2
	endOps    = 2
	openOps   = putOps + 1
	redeemOps = endOps + openOps + 2 + auditOps
)

// put stores a session or link under a new secret.
func (ws *webSessions) put(batch *persistence.Batch, r teamspace.WebSessionRecord) WebSessionOpened {
	opened := WebSessionOpened{Token: watchpost.NewWebToken(ws.team.id), Ends: r.Ends}
	hash := ws.env.Keyring.Hash(r.Kind(), opened.Token)
	ws.byID[hash] = r
	ws.store(batch, hash, r)
	return opened
}

// store writes a session or link, and what finds it.
func (ws *webSessions) store(batch *persistence.Batch, hash string, r teamspace.WebSessionRecord) {
	batch.Put(teamspace.Key(teamspace.KeyWebSession, hash), teamspace.Encode(r))
	batch.Set(persistence.DirectoryKey{Kind: r.Kind(), Name: hash}, teamspace.Encode(teamspace.OwnerEntry{Team: ws.team.id, Member: r.Member, Ends: r.Ends}))
}

func (ws *webSessions) end(st *root.Steps, hash string) { ws.endIn(st.Room(endOps), hash) }

// endIn ends a session or link in the batch of what replaces it.
func (ws *webSessions) endIn(batch *persistence.Batch, hash string) {
	r := ws.byID[hash]
	batch.Delete(teamspace.Key(teamspace.KeyWebSession, hash))
	batch.Set(persistence.DirectoryKey{Kind: r.Kind(), Name: hash}, nil)
	delete(ws.byID, hash)
}

// endAll ends the sessions of a member that is removed.
func (ws *webSessions) endAll(st *root.Steps, member watchpost.MemberID) {
	for hash, r := range ordered.ByKey(ws.byID) {
		if r.Member == member {
			ws.end(st, hash)
		}
	}
}

// forget ends expired sessions and links.
func (ws *webSessions) forget(st *root.Steps) {
	now := ws.env.Clock.Now()
	for hash, r := range ordered.ByKey(ws.byID) {
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
