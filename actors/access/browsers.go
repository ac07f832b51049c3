package access

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/internal/text"
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

// RequireFresh returns whose browser it is that has just signed in, by the id of its web
// session (Forbidden).
func (bs *Browsers) RequireFresh(id string) (watchpost.MemberID, error) {
	r, known := bs.byID[id]
	if !known || r.Link || !watchpost.FreshlySignedIn(r.CreatedAt, bs.Env.Clock.Now()) {
		return "", watchpost.Errorf(watchpost.Forbidden, watchpost.TextNotFresh)
	}
	return r.Member, nil
}

func errSignedOut() error {
	return watchpost.Errorf(watchpost.Unauthenticated, "Signed out")
}

// Browsers is the component of a team that owns the web sessions and sign-in links of its
// members, by their keyed hash, and the browsers that are known of a member.
type Browsers struct {
	*root.Actor
	host  Host
	team  watchpost.TeamID
	byID  map[string]teamspace.WebSessionRecord
	known map[watchpost.MemberID]teamspace.BrowsersRecord
}

// NewBrowsers returns the component of a team, which runs in the team's actor.
func NewBrowsers(a *root.Actor, host Host) *Browsers {
	return &Browsers{
		Actor: a, host: host, team: watchpost.TeamID(a.Name),
		byID: map[string]teamspace.WebSessionRecord{}, known: map[watchpost.MemberID]teamspace.BrowsersRecord{},
	}
}

// Receive handles a message, and reports whether it is one of the component's.
func (bs *Browsers) Receive(message any) bool {
	switch m := message.(type) {
	case openWebSession:
		bs.onOpen(m)
	case CreateSignInLink:
		bs.onCreateLink(m)
	case redeemLink:
		bs.onRedeemLink(m)
	case ListWebSessions:
		bs.Answer(bs.views(m.Member), nil)
	case EndWebSessions:
		bs.onEnd(m)
	case webSessionUsed:
		bs.onUsed(m)
	default:
		return false
	}
	return true
}

// Load reads the web sessions. It ends those that have expired, and those that a
// removal of their member had left to do.
func (bs *Browsers) Load(view persistence.View) error {
	err := teamspace.LoadAll(view, bs.Space, teamspace.KeyWebSession, func(hash string, r teamspace.WebSessionRecord) {
		bs.byID[hash] = r
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, bs.Space, teamspace.KeyBrowsers, func(member string, r teamspace.BrowsersRecord) {
		bs.known[watchpost.MemberID(member)] = r
	})
	if err != nil {
		return err
	}
	st := &root.Steps{}
	for hash, r := range ordered.ByKey(bs.byID) {
		if _, err := bs.host.Member(r.Member); err != nil {
			bs.end(st, hash)
		}
	}
	bs.forget(st)
	bs.SubmitSteps(st, nil)
	return nil
}

func (bs *Browsers) onOpen(m openWebSession) {
	member, err := bs.host.MemberByEmail(m.email)
	if err != nil {
		bs.Answer(nil, err)
		return
	}
	st := &root.Steps{}
	bs.makeRoom(st, member.ID, false)
	opened := bs.open(st.Room(openOps), member, m.browser)
	bs.SubmitSteps(st, bs.Env.ReplyTo(bs.Context.Sender(), opened))
}

func (bs *Browsers) onCreateLink(m CreateSignInLink) {
	member, err := bs.host.MemberByEmail(m.Email)
	if err != nil {
		bs.Answer(nil, err)
		return
	}
	st := &root.Steps{}
	bs.makeRoom(st, member.ID, true)
	batch := st.Room(NoteOps + putOps)
	bs.host.Note(batch, watchpost.AuditLinkMade, "", member.Email)
	r := teamspace.WebSessionRecord{Member: member.ID, Ends: bs.Env.Clock.Now().Add(signInLinkTime), Link: true}
	bs.SubmitSteps(st, bs.Env.ReplyTo(bs.Context.Sender(), bs.put(batch, r)))
}

// onRedeemLink uses a link up and opens a session for its member: both in one
// batch, so that a link never opens two.
func (bs *Browsers) onRedeemLink(m redeemLink) {
	link, known := bs.byID[m.hash]
	if !known || !link.Link || !bs.Env.Clock.Now().Before(link.Ends) {
		bs.Answer(nil, errSignedOut())
		return
	}
	st := &root.Steps{}
	bs.makeRoom(st, link.Member, false)
	batch := st.Room(redeemOps)
	bs.endIn(batch, m.hash)
	bs.host.SignedIn(batch, link.Member, byLink)
	member, _ := bs.host.Member(link.Member) // its links end with a member
	opened := bs.open(batch, member, m.browser)
	bs.SubmitSteps(st, bs.Env.ReplyTo(bs.Context.Sender(), opened))
}

func (bs *Browsers) onEnd(m EndWebSessions) {
	st := &root.Steps{}
	for hash, r := range ordered.ByKey(bs.byID) {
		if r.Member == m.Member && (m.ID == "" || m.ID == hash) {
			bs.end(st, hash)
		}
	}
	if len(st.Batches) > 0 {
		what := "one browser"
		if m.ID == "" {
			what = "everywhere"
		}
		bs.host.Note(st.Room(NoteOps), watchpost.AuditSignedOut, m.Member, what)
	}
	bs.SubmitSteps(st, bs.Env.ReplyTo(bs.Context.Sender(), root.Done{}))
}

// onUsed moves the end of a session. Those that earlier builds opened have none that
// moves: it comes nearer then.
func (bs *Browsers) onUsed(m webSessionUsed) {
	r, known := bs.byID[m.hash]
	now := bs.Env.Clock.Now()
	if !known || r.Link || usedUntil(r.Ends, now) {
		return
	}
	ends := endOf(r.CreatedAt, now)
	if ends.Equal(r.Ends) {
		return
	}
	r.Ends = ends
	bs.byID[m.hash] = r
	batch := &persistence.Batch{}
	bs.store(batch, m.hash, r)
	bs.Commits.Submit(batch, nil)
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
func (bs *Browsers) makeRoom(st *root.Steps, member watchpost.MemberID, links bool) {
	bs.forget(st)
	most := webSessionsPerMember
	if links {
		most = signInLinksPerMember
	}
	var of []string
	for hash, r := range bs.byID {
		if r.Member == member && r.Link == links {
			of = append(of, hash)
		}
	}
	// The first to end is the one that was not used for longest.
	slices.SortFunc(of, func(a, b string) int { return cmp.Or(bs.byID[a].Ends.Compare(bs.byID[b].Ends), cmp.Compare(a, b)) })
	for _, hash := range of[:max(0, len(of)-most+1)] {
		bs.end(st, hash)
	}
}

// open adds a session of a member, for which there is room.
func (bs *Browsers) open(batch *persistence.Batch, member watchpost.Member, b Browser) WebSessionOpened {
	now := bs.Env.Clock.Now()
	bs.host.NoteLanguage(batch, member.ID, b.Language)
	if noted, err := bs.host.Member(member.ID); err == nil {
		member = noted
	}
	opened := bs.put(batch, teamspace.WebSessionRecord{Member: member.ID, CreatedAt: now, Ends: endOf(now, now), Agent: text.ClipBytes(b.Agent, maxAgent)})
	opened.Ends, opened.Member, opened.newBrowser = now.Add(webSessionTime), member, bs.meet(batch, member.ID, b)
	return opened
}

// putOps and endOps are the operations of a session or link that begins or ends; openOps
// those of a session with its browser and its language; redeemOps those of a link that becomes one.
const (
	putOps    = 2
	endOps    = 2
	openOps   = putOps + 2
	redeemOps = endOps + openOps + SignedInOps
)

// put stores a session or link under a new secret.
func (bs *Browsers) put(batch *persistence.Batch, r teamspace.WebSessionRecord) WebSessionOpened {
	opened := WebSessionOpened{Token: watchpost.NewWebToken(bs.team), Ends: r.Ends}
	hash := bs.Env.Keyring.Hash(r.Kind(), opened.Token)
	bs.byID[hash] = r
	bs.store(batch, hash, r)
	return opened
}

// store writes a session or link, and what finds it.
func (bs *Browsers) store(batch *persistence.Batch, hash string, r teamspace.WebSessionRecord) {
	batch.Put(teamspace.Key(teamspace.KeyWebSession, hash), teamspace.Encode(r))
	batch.Set(persistence.DirectoryKey{Kind: r.Kind(), Name: hash}, teamspace.Encode(teamspace.OwnerEntry{Team: bs.team, Member: r.Member, Ends: r.Ends}))
}

func (bs *Browsers) end(st *root.Steps, hash string) { bs.endIn(st.Room(endOps), hash) }

// endIn ends a session or link in the batch of what replaces it.
func (bs *Browsers) endIn(batch *persistence.Batch, hash string) {
	r := bs.byID[hash]
	batch.Delete(teamspace.Key(teamspace.KeyWebSession, hash))
	batch.Set(persistence.DirectoryKey{Kind: r.Kind(), Name: hash}, nil)
	delete(bs.byID, hash)
}

// EndAll ends the sessions and links of a member that is removed.
func (bs *Browsers) EndAll(st *root.Steps, member watchpost.MemberID) {
	for hash, r := range ordered.ByKey(bs.byID) {
		if r.Member == member {
			bs.end(st, hash)
		}
	}
}

// forget ends expired sessions and links.
func (bs *Browsers) forget(st *root.Steps) {
	now := bs.Env.Clock.Now()
	for hash, r := range ordered.ByKey(bs.byID) {
		if !now.Before(r.Ends) {
			bs.end(st, hash)
		}
	}
}

// views returns the sessions of a member, newest first.
func (bs *Browsers) views(member watchpost.MemberID) []WebSessionView {
	views := []WebSessionView{}
	for hash, r := range bs.byID {
		if r.Member == member && !r.Link {
			views = append(views, WebSessionView{hash, r.CreatedAt, r.Ends, r.Agent})
		}
	}
	slices.SortFunc(views, func(a, b WebSessionView) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return views
}

// browsersKept bounds the browsers that are known of a member: the ones that signed in
// last.
const browsersKept = 20

// meet notes that a member signs in with a browser. It reports whether the browser is
// new, which it is not for a member who never signed in before.
func (bs *Browsers) meet(batch *persistence.Batch, member watchpost.MemberID, b Browser) (isNew bool) {
	bare, _, _ := strings.Cut(b.Nonce, ".")
	hash := bs.Env.Keyring.Hash("browser "+string(member), bare)
	known := slices.Clone(bs.known[member].Known)
	isNew = len(known) > 0
	if i := slices.Index(known, hash); i >= 0 {
		isNew, known = false, slices.Delete(known, i, i+1)
	}
	known = append(known, hash)
	r := teamspace.BrowsersRecord{Known: known[max(0, len(known)-browsersKept):]}
	bs.known[member] = r
	batch.Put(teamspace.Key(teamspace.KeyBrowsers, member), teamspace.Encode(r))
	return isNew
}

// Forget forgets the browsers of a member who is removed.
func (bs *Browsers) Forget(batch *persistence.Batch, member watchpost.MemberID) {
	delete(bs.known, member)
	batch.Delete(teamspace.Key(teamspace.KeyBrowsers, member))
}
