package signin

import (
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// What an address has to do with invitations beyond a team: whose it blocks, and the
// entries of those that have expired.

func (s *shard) onBlock(m blockInvitations) error {
	batch := &persistence.Batch{}
	err := s.withView(func(view persistence.View) error {
		stored, err := readSignIn(s, view, s.blocks, teamspace.KeyBlocks, m.email)
		if err != nil {
			return err
		}
		blocks := stored.Changed(m.team, m.blocked)
		s.blocks[m.email] = &blocks
		if key := teamspace.Key(teamspace.KeyBlocks, m.email); blocks.All || len(blocks.Teams) > 0 {
			batch.Put(key, teamspace.Encode(blocks))
		} else {
			batch.Delete(key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.Commit(batch, root.Done{})
	return nil
}

// expiredKept is how long after its end an invitation's entry is left to its team, which
// changes none that has expired.
const expiredKept = 24 * time.Hour

// forgetInvitations removes the entries of invitations of an address that have expired
// and whose team is not in memory.
func (s *shard) forgetInvitations(batch *persistence.Batch, email string) error {
	now := s.Env.Clock.Now()
	return s.withView(func(view persistence.View) error {
		left := forgottenAtOnce
		return teamspace.Invitations(view, email, func(id watchpost.InvitationID, e teamspace.InvitationEntry) bool {
			if now.Sub(e.Ends) >= expiredKept {
				batch.Set(persistence.DirectoryKey{Kind: teamspace.DirInvitation, Name: teamspace.InvitationName(email, id)}, nil)
				left--
			}
			return left > 0
		})
	})
}
