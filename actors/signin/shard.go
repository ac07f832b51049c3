package signin

import (
	"crypto/subtle"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/root"
	"watchpost/internal/passkey"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Name is the name of the first shard of sign-in, and the beginning of the names of the
// others. It is no team id.
const Name = "sign-in"

// shards is how many actors share the sign-ins: addresses and clients are
// spread over them by hash.
const shards = 64

// shardOf returns the name of the shard that decides about an address or a
// client.
func shardOf(kind, name string) string {
	h := fnv.New32a()
	_, _ = io.WriteString(h, kind+name)
	n := h.Sum32() % shards
	if n == 0 {
		return Name
	}
	return Name + "-" + strconv.Itoa(int(n))
}

// Has reports whether a root actor is a shard of sign-in.
func Has(name string) bool {
	return name == Name || strings.HasPrefix(name, Name+"-")
}

// Limits of one-time codes.
const (
	otpTime         = 10 * time.Minute
	otpTries        = 5
	otpWrongPerDay  = 20
	mailsPerAddress = 3 // in otpTime
	mailsPerDay     = 10
	// Further mails to an address, in otpTime and a day, for clients that signed in
	// before: those of others do not use them up.
	keptMails       = 2
	keptMailsPerDay = 5
	mailsPerClient  = 30  // in an hour
	triesPerClient  = 100 // in an hour
)

// shard is the root actor of one shard of one-time codes.
//
// Owner and lifetime: the registry spawns it at the first sign-in of the shard
// and passivates it when it is unused. It reads a record when a request needs
// it. Every decision is durable before the answer: a code is used once, and its
// wrong tries are counted, whatever crashes. Requests of strangers store nothing
// but what a mailed code needs.
type shard struct {
	root.Actor
	site      *passkey.Site                          // that passkeys are for; nil: there are none
	addresses map[string]*teamspace.AddressRecord    // read or written since activation, by email
	clients   map[string]*teamspace.ClientRecord     // the same, by client
	blocks    map[string]*watchpost.InvitationBlocks // the same, by email
	// tries counts the codes that a client has tried. It is not stored: a
	// restart begins from zero, while the tries of each code are durable.
	tries      map[string]*clientTries
	ceremonies signInCeremonies
	// swept is the key where the search for stale records goes on.
	swept []byte
}

// takeMail counts a mail for a client; answered by mailTaken.
type takeMail struct{ client string }

// mailTaken carries the moment that was counted; zero when the limit forbids
// the mail.
type mailTaken struct{ at time.Time }

// returnMail takes back a mail that was counted and not sent; answered by Done.
type returnMail struct {
	client string
	at     time.Time
}

// sendCode asks for a new code; answered by codeMade.
type sendCode struct{ email, fullName, nonce string }

// codeMade carries the code to mail; an empty one when a limit forbids it.
type codeMade struct{ code string }

// takeTry counts a try for a client; answered by Done or Unauthenticated.
type takeTry struct{ client string }

// verifyCode checks a code, and uses it up unless it is kept; answered by codeAccepted or
// Unauthenticated.
type verifyCode struct {
	OneTimeCode
	kept bool
}

// blockInvitations changes what an address blocks; answered by Done.
type blockInvitations struct {
	email   string
	team    watchpost.TeamID // "": all
	blocked bool
}

type codeAccepted struct{ fullName string }

// New makes the root actor of a shard. site is nil when there are no passkeys.
func New(env *root.Environment, site *passkey.Site, name string) actor.Actor {
	return &shard{
		Actor: root.NewActor(env, name), site: site, addresses: map[string]*teamspace.AddressRecord{},
		clients: map[string]*teamspace.ClientRecord{}, blocks: map[string]*watchpost.InvitationBlocks{},
		tries: map[string]*clientTries{},
	}
}

// Receive implements actor.Actor.
func (s *shard) Receive(c actor.Context) {
	if !s.Handle(c, s.load) {
		return
	}
	if err := s.decide(c.Message()); err != nil {
		s.Answer(nil, err)
	}
}

// decide handles a message; an error is the answer of a request that decided
// nothing.
func (s *shard) decide(message any) error {
	switch m := message.(type) {
	case takeMail:
		return s.onTakeMail(m)
	case returnMail:
		return s.onReturnMail(m)
	case sendCode:
		return s.onSend(m)
	case takeTry:
		return s.onTry(m)
	case verifyCode:
		return s.onVerify(m)
	case beginSignIn:
		return s.onBeginSignIn(m)
	case takeSignIn:
		return s.onTakeSignIn(m)
	case blockInvitations:
		return s.onBlock(m)
	case root.CanPassivate:
		if err := s.sweep(forgottenAtOnce); err != nil {
			return err
		}
		s.Context.Respond(s.Commits.Idle() && s.swept == nil && len(s.tries) == 0 && len(s.ceremonies) == 0)
		return nil
	case root.ClockAdvances:
		s.Answer(root.Done{}, nil)
		return nil
	}
	s.Env.Log.Error("unknown message", "actor", s.Name, "message", root.TypeName(message))
	return watchpost.Errorf(watchpost.Internal, watchpost.TextInternal)
}

// load deletes stale records; the others are read when they are needed.
func (s *shard) load(view persistence.View) error {
	batch := &persistence.Batch{}
	if err := s.forget(view, batch, forgottenAtOnce); err != nil {
		return err
	}
	s.Commits.Submit(batch, nil)
	return nil
}

func (s *shard) onTakeMail(m takeMail) error {
	now := s.Env.Clock.Now()
	c, batch, err := s.client(m.client)
	if err != nil {
		return err
	}
	mails := recent(c.Mails, now, time.Hour)
	if len(mails) >= mailsPerClient {
		s.Commit(batch, mailTaken{})
		return nil
	}
	s.putClient(batch, m.client, &teamspace.ClientRecord{Mails: append(mails, now)})
	s.Commit(batch, mailTaken{now})
	return nil
}

func (s *shard) onReturnMail(m returnMail) error {
	c, batch, err := s.client(m.client)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(c.Mails, m.at.Equal); i >= 0 {
		s.putClient(batch, m.client, &teamspace.ClientRecord{Mails: slices.Delete(slices.Clone(c.Mails), i, i+1)})
	}
	s.Commit(batch, root.Done{})
	return nil
}

func (s *shard) onSend(m sendCode) error {
	now := s.Env.Clock.Now()
	a, batch, err := s.address(m.email)
	if err != nil {
		return err
	}
	a.Mails, a.Kept = recent(a.Mails, now, 24*time.Hour), recent(a.Kept, now, 24*time.Hour)
	kept := signedInBefore(s.Env.Keyring, m.email, m.nonce) && room(a.Kept, now, keptMails, keptMailsPerDay)
	switch {
	case room(a.Mails, now, mailsPerAddress, mailsPerDay):
		a.Mails = append(a.Mails, now)
	case kept:
		a.Kept = append(a.Kept, now)
	default:
		s.Commit(batch, codeMade{})
		return nil
	}
	code := watchpost.NewOTP()
	a.Hash, a.Ends, a.Tries, a.FullName = s.hash(m.email, code), now.Add(otpTime), 0, m.fullName
	s.bind(a, m, now)
	s.putAddress(batch, m.email, a)
	s.Commit(batch, codeMade{code})
	return nil
}

// room reports whether one more mail is within the limits in otpTime and a day.
func room(mails []time.Time, now time.Time, inOTPTime, inDay int) bool {
	return len(mails) < inDay && len(recent(mails, now, otpTime)) < inOTPTime
}

func (s *shard) hash(email, code string) string {
	return s.Env.Keyring.Hash("otp "+email, code)
}

// maxTriers bounds the clients whose tries a shard counts at a time. Past it
// the count of any one of them makes room: the limits of each address hold.
const maxTriers = 10_000

func (s *shard) onTry(m takeTry) error {
	now := s.Env.Clock.Now()
	t := s.tries[m.client]
	if t == nil || now.Sub(t.since) >= time.Hour {
		if t == nil && len(s.tries) >= maxTriers {
			for client := range s.tries {
				delete(s.tries, client)
				break
			}
		}
		t = &clientTries{since: now}
		s.tries[m.client] = t
	}
	if t.times >= triesPerClient {
		return ErrOTP()
	}
	t.times++
	s.Answer(root.Done{}, nil)
	return nil
}

// onVerify counts a wrong try where a code is in force, and stores nothing where
// there is none.
func (s *shard) onVerify(m verifyCode) error {
	now := s.Env.Clock.Now()
	a, batch, err := s.address(m.Email)
	if err != nil {
		return err
	}
	if i := s.asked(a, m, now); i >= 0 {
		return s.verifyAsked(a, batch, m, i)
	}
	if !codeInForce(a, now) {
		s.Commit(batch, ErrOTP())
		return nil
	}
	if day := watchpost.Daily.Key(now); a.WrongDay != day {
		a.WrongDay, a.Wrong = day, 0
	}
	hash := s.hash(m.Email, m.OTP)
	right := subtle.ConstantTimeCompare([]byte(hash), []byte(a.Hash)) == 1
	if right && a.Wrong < otpWrongPerDay {
		return s.accept(a, batch, m, hash, a.FullName)
	}
	if !right {
		noteFailure(a, m.Client, now)
		a.Wrong++
		if a.Tries++; a.Tries >= otpTries {
			a.Hash = ""
		}
	}
	s.putAddress(batch, m.Email, a)
	s.Commit(batch, ErrOTP())
	return nil
}

// ErrOTP is the error of a code that is not accepted.
func ErrOTP() error {
	return watchpost.Errorf(watchpost.Unauthenticated, "Invalid or expired OTP")
}
