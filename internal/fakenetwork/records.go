package fakenetwork

import (
	"sync"
	"time"

	"watchpost/internal/fakenetwork/page"
	"watchpost/watchpost"
)

// WriteKind is a kind of write at the site.
type WriteKind string

// The kinds of writes. Sessions do the first four, which the caps limit;
// people do the others too.
const (
	WriteLike       WriteKind = "like"
	WriteComment    WriteKind = "comment"
	WriteMessage    WriteKind = "message"
	WriteInvitation WriteKind = "invitation"

	WritePost       WriteKind = "post"
	WriteUnlike     WriteKind = "unlike"
	WriteWithdrawal WriteKind = "withdrawal" // of an invitation that the account sent
	WriteAcceptance WriteKind = "acceptance" // of an invitation that the account got
	WriteRefusal    WriteKind = "refusal"    // of a received invitation
)

// Write is one write that the site applied.
type Write struct {
	// Account is the slug of the member who was signed in.
	Account string `json:"account"`
	// Actor is the URN of the member or company that acted.
	Actor  string    `json:"actor"`
	Kind   WriteKind `json:"kind"`
	Target string    `json:"target"` // urn of the post or member
	Text   string    `json:"text,omitempty"`
	URN    string    `json:"urn,omitempty"` // of the comment or message
	At     time.Time `json:"at"`
	// Repeated marks a like of a post that was liked already. It changed
	// nothing, but it was requested twice.
	Repeated bool `json:"repeated,omitempty"`
}

// Caps are the network's own limits per account: likes, comments and messages
// a day (00:00 UTC), invitations a week (Monday 00:00 UTC), by the Clock.
type Caps struct {
	Likes       int
	Comments    int
	Messages    int
	Invitations int
}

// DefaultCaps are high: the service's own allowances are reached first.
var DefaultCaps = Caps{Likes: 200, Comments: 200, Messages: 300, Invitations: 100}

// of returns the limit of a kind of write and its period.
func (c Caps) of(kind WriteKind) (limit int, period watchpost.Period) {
	switch kind {
	case WriteLike:
		return c.Likes, watchpost.Daily
	case WriteComment:
		return c.Comments, watchpost.Daily
	case WriteMessage:
		return c.Messages, watchpost.Daily
	default:
		return c.Invitations, watchpost.Weekly
	}
}

// records holds the accounts and their writes.
type records struct {
	world *world
	caps  Caps

	mu          sync.Mutex
	created     []*member
	bySlug      map[string]*member
	byID        map[uint64]*member
	cookies     map[string]*signedIn
	named       map[writeName]Write        // writes by their X-Write-Id names
	likes       map[uint64]map[string]bool // by post: the actors' URNs
	comments    map[uint64][]remark
	threads     map[pair][]message
	invitations map[pair]invitation
	accepted    map[pair]time.Time // connections by accepted invitations
	used        map[usage]int
	writes      []Write
	lists       []List
	written     []*post // by accounts, oldest first
	lastURN     uint64
}

// signedIn is the sign-in of a cookie.
type signedIn struct {
	member *member
	csrf   string
}

// writeName is a member's name for a write.
type writeName struct {
	member uint64
	name   string
}

// known returns the write with that name, if it was applied.
func (r *records) known(m *member, name string) (Write, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w, known := r.named[writeName{m.id, name}]
	return w, known
}

// remember stores the name of a write, if it has one.
func (r *records) remember(m *member, name string, w Write) {
	if name == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.named[writeName{m.id, name}] = w
}

// pair is two members; for threads the smaller id comes first, for invitations
// the sender.
type pair struct{ a, b uint64 }

func thread(a, b *member) pair { return pair{min(a.id, b.id), max(a.id, b.id)} }

// remark is a comment by an account.
type remark struct {
	urn   string
	actor page.Actor
	text  string
	at    time.Time
}

type message struct {
	urn  string
	from *member
	text string
	at   time.Time
}

type invitation struct {
	from, to *member
	note     string
	at       time.Time
}

// usage identifies a counter of a cap.
type usage struct {
	account uint64
	kind    WriteKind
	period  string
}

func newRecords(w *world, caps Caps) *records {
	return &records{
		world: w, caps: caps,
		bySlug:      make(map[string]*member),
		byID:        make(map[uint64]*member),
		cookies:     make(map[string]*signedIn),
		named:       make(map[writeName]Write),
		likes:       make(map[uint64]map[string]bool),
		comments:    make(map[uint64][]remark),
		threads:     make(map[pair][]message),
		invitations: make(map[pair]invitation),
		accepted:    make(map[pair]time.Time),
		used:        make(map[usage]int),
	}
}

// member returns the member with a slug, generated or signed up.
func (r *records) member(slug string) *member {
	if m := r.world.memberBySlug[slug]; m != nil {
		return m
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bySlug[slug]
}

// memberOfID returns the member with an id.
func (r *records) memberOfID(id uint64) *member {
	if m := r.world.memberByID[id]; m != nil {
		return m
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// everyone returns all members.
func (r *records) everyone() []*member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append(append([]*member(nil), r.world.members...), r.created...)
}

// join returns the member with a slug, creating one if needed.
func (r *records) join(slug string) *member {
	if m := r.world.memberBySlug[slug]; m != nil {
		return m
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.bySlug[slug]; m != nil {
		return m
	}
	m := r.world.createMember(slug, func(id uint64) bool { return r.byID[id] != nil })
	r.created = append(r.created, m)
	r.bySlug[slug], r.byID[m.id] = m, m
	return m
}

// signIn creates a cookie for a member.
func (r *records) signIn(m *member) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	cookie := watchpost.NewSecret(16)
	r.cookies[cookie] = &signedIn{member: m, csrf: watchpost.NewSecret(16)}
	return cookie
}

// session returns the sign-in of a cookie, nil for an unknown one.
func (r *records) session(cookie string) *signedIn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cookies[cookie]
}

// drop invalidates a cookie.
func (r *records) drop(cookie string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.cookies, cookie)
}

// dropAccount invalidates all cookies of an account.
func (r *records) dropAccount(slug string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for cookie, s := range r.cookies {
		if s.member.slug == slug {
			delete(r.cookies, cookie)
		}
	}
}

// Writes returns all applied writes in order.
func (s *Site) Writes() []Write {
	s.records.mu.Lock()
	defer s.records.mu.Unlock()
	return append([]Write(nil), s.records.writes...)
}

// WriteCount returns the number of writes of a kind by an account (its slug)
// to a target (a URN). Empty arguments match any.
func (s *Site) WriteCount(account string, kind WriteKind, target string) int {
	n := 0
	for _, w := range s.Writes() {
		if (account == "" || w.Account == account) && (kind == "" || w.Kind == kind) && (target == "" || w.Target == target) {
			n++
		}
	}
	return n
}
