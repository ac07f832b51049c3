package mail

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"watchpost/actors/vault"
	"watchpost/internal/mail/outgoing"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Shelf keeps mails in the store until they are sent, so that they survive the
// process. Each mail has one sender, which is a process; another takes over what a
// sender left behind. Mails are sealed: they carry codes.
type Shelf struct {
	o     ShelfOptions
	space persistence.Space

	mu    sync.Mutex
	epoch persistence.Epoch // 0: to be taken
}

// ShelfOptions are what a Shelf needs.
type ShelfOptions struct {
	Store   persistence.Store
	Keyring *vault.Keyring
	Clock   watchpost.Clock
	// Sender names this process: by its place, which has one process at a time, and by a
	// unique part after a space.
	Sender string
	// Alive reports whether another sender may still send.
	Alive func(sender string) bool
}

// shelvedMail is a stored mail of this sender.
type shelvedMail struct {
	outgoing.Mail
	at time.Time

	id     string
	stored []byte
}

// NewShelf returns the shelf of a process.
func NewShelf(o ShelfOptions) *Shelf {
	place, _, _ := strings.Cut(o.Sender, " ")
	return &Shelf{o: o, space: persistence.Space("mails of " + place)}
}

// put stores a mail.
func (s *Shelf) put(ctx context.Context, m outgoing.Mail) (shelvedMail, error) {
	now := s.o.Clock.Now()
	shelved := shelvedMail{Mail: m, at: now, id: watchpost.NewID(now)}
	plain, err := json.Marshal(m)
	if err != nil {
		return shelved, err
	}
	shelved.stored = teamspace.Encode(teamspace.MailEntry{Sender: s.o.Sender, At: now, Sealed: s.o.Keyring.Seal(string(plain), shelved.id)})
	return shelved, s.change(ctx, shelved.id, nil, shelved.stored)
}

// remove deletes a mail that was sent, or never will be.
func (s *Shelf) remove(ctx context.Context, m shelvedMail) error {
	err := s.change(ctx, m.id, m.stored, nil)
	if errors.Is(err, persistence.ErrConflict) {
		return nil // another sender has it
	}
	return err
}

// mine reports whether a mail is still this sender's to send.
func (s *Shelf) mine(ctx context.Context, m shelvedMail) (bool, error) {
	view, err := s.o.Store.View(ctx)
	if err != nil {
		return false, err
	}
	defer view.Close()
	stored, err := view.Lookup(persistence.DirectoryKey{Kind: teamspace.DirMail, Name: m.id})
	if errors.Is(err, persistence.ErrNotFound) {
		return false, nil
	}
	return bytes.Equal(stored, m.stored), err
}

// takeOver makes the mails of senders that are gone this one's, and returns them. A mail
// that cannot be read is left, and part of the error.
func (s *Shelf) takeOver(ctx context.Context) (taken []shelvedMail, err error) {
	left, err := s.left(ctx)
	for id, stored := range left {
		m, failure := s.takeOverOne(ctx, id, stored)
		switch {
		case errors.Is(failure, persistence.ErrConflict): // another was faster
		case failure != nil:
			err = errors.Join(err, fmt.Errorf("mail %s: %w", id, failure))
		default:
			taken = append(taken, m)
		}
	}
	return taken, err
}

func (s *Shelf) takeOverOne(ctx context.Context, id string, stored []byte) (m shelvedMail, err error) {
	var entry teamspace.MailEntry
	if err := teamspace.Decode(stored, &entry); err != nil {
		return m, err
	}
	plain, err := s.o.Keyring.Open(entry.Sealed, id)
	if err != nil {
		return m, err
	}
	entry.Sender = s.o.Sender
	m = shelvedMail{at: entry.At, id: id, stored: teamspace.Encode(entry)}
	if err := json.Unmarshal([]byte(plain), &m.Mail); err != nil {
		return m, err
	}
	return m, s.change(ctx, id, stored, m.stored)
}

// left returns the mails of senders that are gone, by id, and those that cannot be decoded.
func (s *Shelf) left(ctx context.Context) (map[string][]byte, error) {
	view, err := s.o.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	left := map[string][]byte{}
	err = view.ScanDirectory(teamspace.DirMail, "", func(id string, stored []byte) bool {
		var entry teamspace.MailEntry
		if teamspace.Decode(stored, &entry) != nil || entry.Sender != s.o.Sender && !s.o.Alive(entry.Sender) {
			left[id] = bytes.Clone(stored)
		}
		return true
	})
	return left, err
}

// change changes the entry of a mail. A failure ends the epoch, so the next change takes
// another.
func (s *Shelf) change(ctx context.Context, id string, expect, value []byte) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 2 {
		if s.epoch == 0 {
			if s.epoch, err = s.o.Store.Activate(ctx, s.space); err != nil {
				s.epoch = 0
				return err
			}
		}
		batch := &persistence.Batch{}
		batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirMail, Name: id}, expect, value)
		if err = persistence.Commit(ctx, s.o.Store, s.space, s.epoch, batch); err == nil {
			return nil
		}
		s.epoch = 0
		if !errors.Is(err, persistence.ErrFenced) {
			return err // otherwise the epoch had ended before, and nothing was written
		}
	}
	return err
}
