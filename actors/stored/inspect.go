package stored

import (
	"context"
	"errors"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Inspection is what an operator may want to know of a store at one moment.
type Inspection struct {
	Teams int
	// Deleting are teams whose deletion has not ended.
	Deleting []watchpost.TeamID
	// Mails wait for the mail server, the oldest since OldestMail.
	Mails      int
	OldestMail time.Time
	// Newest is the latest moment that the store knows: of the master key, a team, or
	// the newest task of each team. Zero: none.
	Newest time.Time
	// Refused are the posts that teams could not take, by team.
	Refused []RefusedPost
}

// Inspect reads a store, which may be in use.
func Inspect(ctx context.Context, store persistence.Store) (Inspection, error) {
	var found Inspection
	view, err := store.View(ctx)
	if err != nil {
		return found, err
	}
	defer view.Close()
	key, err := teamspace.Load[teamspace.KeyFingerprint](view, teamspace.KeyringSpace, teamspace.FingerprintKey)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return found, err
	}
	found.note(key.CreatedAt)
	if found.Deleting, err = teamspace.Names[watchpost.TeamID](view, teamspace.DirDeleting); err != nil {
		return found, err
	}
	return found, errors.Join(
		teamspace.EachEntry(view, teamspace.DirMail, func(_ string, m teamspace.MailEntry) error {
			if found.Mails++; found.OldestMail.IsZero() || m.At.Before(found.OldestMail) {
				found.OldestMail = m.At
			}
			return nil
		}),
		teamspace.EachEntry(view, teamspace.DirTeam, func(id string, team teamspace.TeamEntry) error {
			found.Teams++
			found.note(team.CreatedAt)
			refused := teamspace.LoadAll(view, persistence.Space(id), teamspace.KeyRefused, func(_ string, r teamspace.RefusedPost) {
				found.Refused = append(found.Refused, RefusedPost{watchpost.TeamID(id), r})
			})
			return errors.Join(refused, found.noteNewestTask(view, persistence.Space(id)))
		}),
	)
}

// noteNewestTask looks at the first entry of the team's journal, which is the newest.
func (found *Inspection) noteNewestTask(view persistence.View, team persistence.Space) error {
	from := []byte(teamspace.KeyJournal)
	var failure error
	err := view.Scan(team, from, persistence.PrefixEnd(from), func(_, value []byte) bool {
		var entry watchpost.JournalEntry
		if failure = teamspace.Decode(value, &entry); failure == nil {
			found.note(entry.At)
			found.note(entry.EndedAt)
		}
		return false
	})
	return errors.Join(err, failure)
}

func (found *Inspection) note(at time.Time) {
	if at.After(found.Newest) {
		found.Newest = at
	}
}

// RefusedPost is a post that a team could not take.
type RefusedPost struct {
	Team watchpost.TeamID
	teamspace.RefusedPost
}
