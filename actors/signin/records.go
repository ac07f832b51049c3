package signin

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// clientTries counts the codes that a client has tried within an hour.
type clientTries struct {
	since time.Time
	times int
}

// readSignIn returns the record of that name, empty when there is none. A record
// read or written since activation is newer than the store's.
func readSignIn[R any](s *shard, view persistence.View, known map[string]*R, kind, name string) (*R, error) {
	if r := known[name]; r != nil {
		return r, nil
	}
	r, err := teamspace.Load[R](view, s.Space, teamspace.Key(kind, name))
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return nil, err
	}
	return &r, nil
}

// withView runs f on a snapshot of the store; its error is Unavailable.
func (s *shard) withView(f func(persistence.View) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), root.ActivationTimeout)
	defer cancel()
	view, err := s.Env.Store.View(ctx)
	if err == nil {
		defer view.Close()
		err = f(view)
	}
	if err != nil {
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	return nil
}

// address returns the record of an email, and a batch with stale records to
// delete along with the decision.
func (s *shard) address(email string) (a *teamspace.AddressRecord, batch *persistence.Batch, err error) {
	batch = &persistence.Batch{}
	err = s.withView(func(view persistence.View) (err error) {
		if a, err = readSignIn(s, view, s.addresses, teamspace.KeyAddress, email); err != nil {
			return err
		}
		return s.forget(view, batch, lookedAt)
	})
	return a, batch, err
}

// client is address for the record of a client.
func (s *shard) client(name string) (c *teamspace.ClientRecord, batch *persistence.Batch, err error) {
	batch = &persistence.Batch{}
	err = s.withView(func(view persistence.View) (err error) {
		if c, err = readSignIn(s, view, s.clients, teamspace.KeyClient, name); err != nil {
			return err
		}
		return s.forget(view, batch, lookedAt)
	})
	return c, batch, err
}

func (s *shard) putAddress(batch *persistence.Batch, email string, a *teamspace.AddressRecord) {
	s.addresses[email] = a
	batch.Put(teamspace.Key(teamspace.KeyAddress, email), teamspace.Encode(a))
}

func (s *shard) putClient(batch *persistence.Batch, name string, c *teamspace.ClientRecord) {
	s.clients[name] = c
	batch.Put(teamspace.Key(teamspace.KeyClient, name), teamspace.Encode(c))
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

// How many stored records are looked at, to delete those that limit nothing any
// more: lookedAt by each decision, which is more than it can add,
// forgottenAtOnce at activation and before passivation.
const (
	lookedAt        = 4
	forgottenAtOnce = 900
)

// sweep deletes stale records, of the next most ones.
func (s *shard) sweep(most int) error {
	batch := &persistence.Batch{}
	if err := s.withView(func(view persistence.View) error { return s.forget(view, batch, most) }); err != nil {
		return err
	}
	s.Commits.Submit(batch, nil)
	return nil
}

// forget deletes the stale ones of the next most stored records, round and
// round but no record twice, and the tries of clients that count no more.
func (s *shard) forget(view persistence.View, batch *persistence.Batch, most int) error {
	now := s.Env.Clock.Now()
	for client, t := range s.tries {
		if now.Sub(t.since) >= time.Hour {
			delete(s.tries, client)
		}
	}
	s.ceremonies.forget(now)
	from, left := s.swept, most
	s.swept = nil
	if err := s.forgetIn(view, batch, from, nil, &left); err != nil || s.swept != nil || from == nil {
		return err
	}
	return s.forgetIn(view, batch, nil, from, &left)
}

// forgetIn deletes the stale ones of the next left records from one key up to another. It
// notes the first that it has not looked at.
func (s *shard) forgetIn(view persistence.View, batch *persistence.Batch, from, to []byte, left *int) (failure error) {
	now := s.Env.Clock.Now()
	err := view.Scan(s.Space, from, to, func(k, v []byte) bool {
		if *left == 0 {
			s.swept = bytes.Clone(k)
			return false
		}
		*left--
		failure = s.forgetStale(batch, string(k[:1]), string(k[1:]), v, now)
		return failure == nil
	})
	return errors.Join(err, failure)
}

// forgetStale deletes a record if it is stale. A record in memory is newer than
// the stored value.
func (s *shard) forgetStale(batch *persistence.Batch, kind, name string, stored []byte, now time.Time) error {
	var stale bool
	switch kind {
	case teamspace.KeyAddress:
		a := s.addresses[name]
		if a == nil {
			a = &teamspace.AddressRecord{}
			if err := teamspace.Decode(stored, a); err != nil {
				return err
			}
		}
		if stale = staleAddress(a, now); stale {
			delete(s.addresses, name)
		}
	case teamspace.KeyClient:
		c := s.clients[name]
		if c == nil {
			c = &teamspace.ClientRecord{}
			if err := teamspace.Decode(stored, c); err != nil {
				return err
			}
		}
		if stale = staleClient(c, now); stale {
			delete(s.clients, name)
		}
	}
	if stale {
		batch.Delete(teamspace.Key(kind, name))
	}
	return nil
}

// staleClient reports whether the record can be deleted without effect.
func staleClient(c *teamspace.ClientRecord, now time.Time) bool {
	return len(recent(c.Mails, now, time.Hour)) == 0
}

// staleAddress reports whether the record can be deleted without effect.
func staleAddress(a *teamspace.AddressRecord, now time.Time) bool {
	return !codeInForce(a, now) && len(recent(a.Mails, now, 24*time.Hour)) == 0 && len(recent(a.Kept, now, 24*time.Hour)) == 0 && a.WrongDay != watchpost.Daily.Key(now) &&
		!slices.ContainsFunc(a.Failures, func(f teamspace.SignInFailure) bool { return now.Sub(f.At) < failuresKeptFor })
}

// codeInForce reports whether the address has a code that can be redeemed.
func codeInForce(a *teamspace.AddressRecord, now time.Time) bool {
	return a.Hash != "" && now.Before(a.Ends)
}

// Bounds of the wrong codes that are kept of an address.
const (
	failuresKept    = 20
	failuresKeptFor = 30 * 24 * time.Hour
)

// noteFailure adds a wrong code to those of an address.
func noteFailure(a *teamspace.AddressRecord, client string, now time.Time) {
	a.Failures = slices.DeleteFunc(append(a.Failures, teamspace.SignInFailure{At: now, Client: client}), func(f teamspace.SignInFailure) bool {
		return now.Sub(f.At) >= failuresKeptFor
	})
	a.Failures = a.Failures[max(0, len(a.Failures)-failuresKept):]
}
