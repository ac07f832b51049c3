package access

import (
	"bytes"
	"context"
	"errors"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// strangersForgotten bounds the counts of earlier days that one mail deletes.
const strangersForgotten = 100

// takeStrangerMail counts a mail that an address has not asked for; false: it has had those
// of the day. All teams and nodes count in one space. Each count begins with an
// epoch, so that one that another node made meanwhile is counted again.
func (r *Mails) takeStrangerMail(ctx context.Context, email string) (taken bool, err error) {
	for {
		epoch, err := r.env.Store.Activate(ctx, teamspace.StrangersSpace)
		if err != nil {
			return false, err
		}
		batch, err := r.countStrangerMail(ctx, email)
		if err != nil || batch == nil {
			return false, err
		}
		err = persistence.Commit(ctx, r.env.Store, teamspace.StrangersSpace, epoch, batch)
		if !errors.Is(err, persistence.ErrFenced) {
			return err == nil, err
		}
	}
}

// countStrangerMail returns the batch that counts one more mail; nil when there were
// enough.
func (r *Mails) countStrangerMail(ctx context.Context, email string) (*persistence.Batch, error) {
	view, err := r.env.Store.View(ctx)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	day := watchpost.Daily.Key(r.env.Clock.Now())
	key := teamspace.StrangerKey(day, r.env.Keyring.Hash("stranger", email))
	mails, err := teamspace.Load[int](view, teamspace.StrangersSpace, key)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return nil, err
	}
	if mails >= watchpost.MaxStrangerMails {
		return nil, nil
	}
	batch := &persistence.Batch{}
	err = view.Scan(teamspace.StrangersSpace, nil, teamspace.StrangerKey(day, ""), func(earlier, _ []byte) bool {
		batch.Delete(bytes.Clone(earlier))
		return len(batch.Writes) < strangersForgotten
	})
	batch.Put(key, teamspace.Encode(mails+1))
	return batch, err
}
