package signin

import (
	"errors"
	"slices"
	"time"

	"watchpost/internal/passkey"
	"watchpost/watchpost"
)

// Sign-ins by passkey that wait for the browser's answer. Their challenges are not
// stored: strangers ask for them, and after a restart the browser begins again.

// Bounds of the sign-ins that wait, of a client and of a shard; past them the oldest
// makes room.
const (
	ceremoniesPerClient = 50
	ceremoniesPerShard  = 4000
)

// beginSignIn begins a sign-in by passkey, in place of one that the browser had begun;
// answered by signInBegun.
type beginSignIn struct{ client, nonce string }

// takeSignIn takes the sign-in that a browser has begun, once; answered by
// passkey.Ceremony or Unauthenticated.
type takeSignIn struct{ client, nonce string }

type signInBegun struct{ options []byte }

// waitingSignIn is a sign-in that a browser has begun.
type waitingSignIn struct {
	client, nonce string
	ceremony      passkey.Ceremony
	ends          time.Time
}

// signInCeremonies are the sign-ins that wait, oldest first.
type signInCeremonies []waitingSignIn

func (s *shard) onBeginSignIn(m beginSignIn) error {
	options, ceremony, err := s.site.Request()
	if err != nil {
		return err
	}
	now := s.Env.Clock.Now()
	s.ceremonies.forget(now)
	s.ceremonies.add(waitingSignIn{m.client, m.nonce, ceremony, now.Add(passkey.CeremonyTime)})
	s.Answer(signInBegun{options}, nil)
	return nil
}

func (s *shard) onTakeSignIn(m takeSignIn) error {
	s.ceremonies.forget(s.Env.Clock.Now())
	ceremony, waits := s.ceremonies.take(m.client, m.nonce)
	if !waits {
		return RefusePasskey(errors.New("no sign-in of the browser waits"))
	}
	s.Answer(ceremony, nil)
	return nil
}

func (cs *signInCeremonies) add(w waitingSignIn) {
	cs.take(w.client, w.nonce)
	ofClient := func(other waitingSignIn) bool { return other.client == w.client }
	of := 0
	for _, other := range *cs {
		if ofClient(other) {
			of++
		}
	}
	switch {
	case of >= ceremoniesPerClient:
		i := slices.IndexFunc(*cs, ofClient)
		*cs = slices.Delete(*cs, i, i+1)
	case len(*cs) >= ceremoniesPerShard:
		*cs = slices.Delete(*cs, 0, 1)
	}
	*cs = append(*cs, w)
}

func (cs *signInCeremonies) take(client, nonce string) (c passkey.Ceremony, waits bool) {
	i := slices.IndexFunc(*cs, func(w waitingSignIn) bool { return w.client == client && w.nonce == nonce })
	if i < 0 {
		return c, false
	}
	c = (*cs)[i].ceremony
	*cs = slices.Delete(*cs, i, i+1)
	return c, true
}

// forget drops the sign-ins whose time is over.
func (cs *signInCeremonies) forget(now time.Time) {
	*cs = slices.DeleteFunc(*cs, func(w waitingSignIn) bool { return !now.Before(w.ends) })
}

// RefusePasskey is the error of a passkey that proves nothing.
func RefusePasskey(cause error) error {
	return watchpost.WrapError(watchpost.Unauthenticated, "This passkey was not accepted.", cause)
}
