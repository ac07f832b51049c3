package actors

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/actors/protocol"
	"watchpost/persistence"
)

// signInName is the name of the one actor that keeps one-time codes. It is no
// team id, so that it never meets a team.
const signInName = "sign-in"

// Limits of one-time codes.
const (
	otpTime         = 10 * time.Minute
	otpTries        = 5
	otpWrongPerDay  = 20
	mailsPerAddress = 3 // in otpTime
	mailsPerDay     = 10
	mailsPerClient  = 30 // in an hour
)

// signIn is the top actor of one-time codes.
//
// Owner and lifetime: the registry spawns it at the first sign-in and puts it
// to rest when nobody signs in. Every decision is durable before it is told: a
// code is used once, and its wrong tries are counted, whatever crashes.
type signIn struct {
	top
	addresses map[string]*addressRecord // by email
	clients   map[string]*clientRecord  // by network address
}

// Keys of the sign-in space: "a" <email> → addressRecord, "c" <client> →
// clientRecord.
const (
	keyAddress = "a"
	keyClient  = "c"
)

// addressRecord is what is known of an email's attempts to sign in.
type addressRecord struct {
	Hash     string      `json:"hash,omitempty"` // of the code in force; "": none
	Ends     time.Time   `json:"ends,omitzero"`
	Tries    int         `json:"tries,omitempty"` // wrong ones against this code
	FullName string      `json:"full_name,omitempty"`
	Mails    []time.Time `json:"mails,omitempty"` // of the last day
	WrongDay string      `json:"wrong_day,omitempty"`
	Wrong    int         `json:"wrong,omitempty"` // tries on WrongDay
}

// clientRecord holds the mails that a client address caused in the last hour.
type clientRecord struct {
	Mails []time.Time `json:"mails"`
}

// sendCode asks for a new code; answered by codeMade.
type sendCode struct{ email, fullName, client string }

// codeMade carries the code to mail; an empty one when a limit forbids it.
type codeMade struct{ code string }

// verifyCode redeems a code; answered by codeAccepted or Unauthenticated.
type verifyCode struct{ email, code string }

type codeAccepted struct{ fullName string }

func newSignIn(env *environment, name string) *signIn {
	return &signIn{top: newTop(env, name), addresses: map[string]*addressRecord{}, clients: map[string]*clientRecord{}}
}

// Receive implements actor.Actor.
func (s *signIn) Receive(c actor.Context) {
	if !s.handle(c, s.load) {
		return
	}
	switch m := c.Message().(type) {
	case sendCode:
		s.onSend(m)
	case verifyCode:
		s.onVerify(m)
	case areYouIdle:
		batch := &persistence.Batch{}
		s.forget(batch, s.env.clock.Now(), forgottenAtOnce)
		s.journal.submit(batch, nil)
		c.Respond(s.journal.idle()) // only when nothing is left to forget
	case renewLeases:
		s.answer(Done{}, nil)
	default:
		s.env.log.Error("unknown message", "actor", s.name, "message", typeName(m))
		s.answer(nil, watchpost.Errorf(watchpost.Internal, watchpost.TextInternal))
	}
}

// load takes up what still says something, and forgets some of the rest.
func (s *signIn) load(view persistence.View) error {
	err := loadAll(view, s.space, keyAddress, func(email string, r addressRecord) { s.addresses[email] = &r })
	if err != nil {
		return err
	}
	err = loadAll(view, s.space, keyClient, func(client string, r clientRecord) { s.clients[client] = &r })
	if err != nil {
		return err
	}
	batch := &persistence.Batch{}
	s.forget(batch, s.env.clock.Now(), forgottenAtOnce)
	s.journal.submit(batch, nil)
	return nil
}

// recent keeps the moments that are less than window before now.
func recent(moments []time.Time, now time.Time, window time.Duration) []time.Time {
	var kept []time.Time
	for _, m := range moments {
		if now.Sub(m) < window {
			kept = append(kept, m)
		}
	}
	return kept
}

// How many records of each kind are looked at, to forget those that have no
// meaning any more: lookedAt by each decision, which is more than it can add,
// forgottenAtOnce when the actor begins and whenever it may be put to rest.
const (
	lookedAt        = 4
	forgottenAtOnce = 900
)

// forget deletes records that say nothing any more, of the first most in the
// order of a map, which is none: with enough decisions each has its turn.
func (s *signIn) forget(batch *persistence.Batch, now time.Time, most int) {
	left := most
	for email, a := range s.addresses {
		if left--; left < 0 {
			break
		}
		if a.stale(now) {
			delete(s.addresses, email)
			batch.Delete(key(keyAddress, email))
		}
	}
	left = most
	for client, c := range s.clients {
		if left--; left < 0 {
			break
		}
		if c.stale(now) {
			delete(s.clients, client)
			batch.Delete(key(keyClient, client))
		}
	}
}

// stale reports whether the record says no more than none would.
func (c *clientRecord) stale(now time.Time) bool { return len(recent(c.Mails, now, time.Hour)) == 0 }

// stale reports whether the record says no more than none would.
func (a *addressRecord) stale(now time.Time) bool {
	return (a.Hash == "" || !now.Before(a.Ends)) && len(recent(a.Mails, now, 24*time.Hour)) == 0 && a.WrongDay != watchpost.Daily.Key(now)
}

func (s *signIn) onSend(m sendCode) {
	now := s.env.clock.Now()
	batch := &persistence.Batch{}
	s.forget(batch, now, lookedAt)
	a, c := s.addresses[m.email], s.clients[m.client]
	if a == nil {
		a = &addressRecord{}
		s.addresses[m.email] = a
	}
	if c == nil {
		c = &clientRecord{}
		s.clients[m.client] = c
	}
	a.Mails = recent(a.Mails, now, 24*time.Hour)
	c.Mails = recent(c.Mails, now, time.Hour)
	if len(recent(a.Mails, now, otpTime)) >= mailsPerAddress || len(a.Mails) >= mailsPerDay || len(c.Mails) >= mailsPerClient {
		s.commit(batch, codeMade{})
		return
	}
	code := watchpost.NewOTP()
	a.Mails, c.Mails = append(a.Mails, now), append(c.Mails, now)
	a.Hash, a.Ends, a.Tries, a.FullName = s.hash(m.email, code), now.Add(otpTime), 0, m.fullName
	batch.Put(key(keyAddress, m.email), encode(a))
	batch.Put(key(keyClient, m.client), encode(c))
	s.commit(batch, codeMade{code})
}

func (s *signIn) hash(email, code string) string {
	return s.env.keyring.hash("otp "+email, code)
}

func (s *signIn) onVerify(m verifyCode) {
	now := s.env.clock.Now()
	batch := &persistence.Batch{}
	s.forget(batch, now, lookedAt)
	a := s.addresses[m.email]
	if a == nil {
		a = &addressRecord{} // counted like any other, so that both look alike
		s.addresses[m.email] = a
	}
	if day := watchpost.Daily.Key(now); a.WrongDay != day {
		a.WrongDay, a.Wrong = day, 0
	}
	hash := s.hash(m.email, m.code)
	right := a.Hash != "" && now.Before(a.Ends) && subtle.ConstantTimeCompare([]byte(hash), []byte(a.Hash)) == 1
	if right && a.Wrong < otpWrongPerDay {
		a.Hash = ""
		batch.Put(key(keyAddress, m.email), encode(a))
		s.commit(batch, codeAccepted{a.FullName})
		return
	}
	if !right {
		a.Wrong++
		if a.Tries++; a.Tries >= otpTries {
			a.Hash = ""
		}
	}
	batch.Put(key(keyAddress, m.email), encode(a))
	s.commit(batch, errOTP())
}

func errOTP() error {
	return watchpost.Errorf(watchpost.Unauthenticated, "Invalid or expired OTP")
}

// SignedIn is who signed in with a one-time code.
type SignedIn struct {
	Team   watchpost.Team
	Member watchpost.Member
	APIKey string
}

// SendOTP mails a one-time code to a normalised address unless a limit forbids
// it. The caller is told neither that nor what became of the mail: the answer
// is the same whoever the address belongs to. client is the client's network
// address.
func (r *Registry) SendOTP(ctx context.Context, email, fullName, client string) error {
	made, err := ask[codeMade](ctx, r, signInName, sendCode{email, fullName, client})
	if err == nil && made.code != "" {
		r.post(ctx, otpMail(email, made.code))
	}
	return err
}

// signInAttempts bounds how often a sign-in is tried again when the email has
// found another team meanwhile.
const signInAttempts = 3

// VerifyOTP redeems a one-time code (Unauthenticated). An unknown email
// becomes the founder of a free team.
func (r *Registry) VerifyOTP(ctx context.Context, email, otp string) (SignedIn, error) {
	accepted, err := ask[codeAccepted](ctx, r, signInName, verifyCode{email, otp})
	if err != nil {
		return SignedIn{}, err
	}
	var signed SignedIn
	for range signInAttempts {
		signed, err = r.signInto(ctx, email, accepted.fullName)
		if kind := watchpost.KindOf(err); err == nil || kind != watchpost.NotFound && kind != watchpost.Conflict {
			break
		}
	}
	return signed, err
}

// signInto signs a person in to the team of the email, or to a new one. It is
// NotFound or Conflict when that has just changed.
func (r *Registry) signInto(ctx context.Context, email, fullName string) (SignedIn, error) {
	owner, err := readDirectory[ownerEntry](r.env, dirEmail, email)
	if errors.Is(err, persistence.ErrNotFound) {
		made, err := r.Found(ctx, CreateTeam{Plan: watchpost.PlanFree, Email: email, FullName: fullName, SignedIn: true})
		if err != nil {
			return SignedIn{}, err
		}
		return SignedIn{Team: made.Team, Member: made.Team.Members[0], APIKey: made.APIKey}, nil
	}
	if err != nil {
		return SignedIn{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	return Ask[SignedIn](ctx, r, owner.Team, signInMember{email})
}

// signInMember notes that a person has signed in; answered by SignedIn.
type signInMember struct{ email string }

func (t *team) onSignInMember(m signInMember) {
	member, err := t.memberByEmail(m.email)
	if err != nil {
		t.answer(nil, err)
		return
	}
	key, err := t.env.keyring.open(t.record.SealedKey, string(t.id))
	if err != nil {
		t.answer(nil, err)
		return
	}
	batch := &persistence.Batch{}
	t.personSeen(batch)
	t.commit(batch, SignedIn{Team: t.value(), Member: member, APIKey: key})
}

// personSeen notes that a person of the team was there just now.
func (t *team) personSeen(batch *persistence.Batch) {
	t.record.SignedInAt = t.env.clock.Now()
	batch.Put([]byte(keyTeam), encode(t.record))
}

// Found creates a team under a new id (Conflict when the email belongs to one).
func (r *Registry) Found(ctx context.Context, c CreateTeam) (TeamCreated, error) {
	return Ask[TeamCreated](ctx, r, watchpost.TeamID(watchpost.NewID(r.env.clock.Now())), c)
}

// SignInSession redeems a pairing code, or an email and its one-time code, for
// a session token (Unauthenticated).
func (r *Registry) SignInSession(ctx context.Context, req protocol.SignInRequest) (SessionOpened, error) {
	if req.Code == "" {
		signed, err := r.VerifyOTP(ctx, req.Email, req.OTP)
		if err != nil {
			return SessionOpened{}, err
		}
		return Ask[SessionOpened](ctx, r, signed.Team.ID, OpenSession{Email: signed.Member.Email})
	}
	code := watchpost.NormalisePairingCode(req.Code)
	hash := r.env.keyring.hash(dirPairing, code)
	owner, err := readDirectory[ownerEntry](r.env, dirPairing, hash)
	if errors.Is(err, persistence.ErrNotFound) {
		return SessionOpened{}, errPairing()
	}
	if err != nil {
		return SessionOpened{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	return Ask[SessionOpened](ctx, r, owner.Team, redeemPairing{hash})
}
