package poststore

import (
	"errors"
	"time"

	"watchpost/actors/changefeed"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// Expire deletes the next posts that were stored before a moment.
type Expire struct {
	After  []byte
	Before time.Time
	// Done gets how many were deleted, and after which post the next batch begins; nil
	// when there is none.
	Done func(deleted int, next []byte, err error)
}

// expireAtOnce bounds the posts that one batch looks at.
const expireAtOnce = 200

// expire deletes the next posts.
func (f *PostStore) expire(view persistence.View, m Expire) error {
	batch := &persistence.Batch{}
	var changes []watchpost.Change
	deleted, n, young, next := 0, 0, false, []byte(nil)
	err := f.change(view, batch, nil, func(w *postindex.Writer) error {
		var failure error
		last, err := postindex.Each(view, f.Space, m.After, func(p *watchpost.Post) bool {
			if young = !p.CreatedAt.Before(m.Before); young {
				return false
			}
			if n++; p.Expired(m.Before) {
				failure = w.Delete(p)
				changes = append(changes, p.Removal()...)
				deleted++
			}
			return failure == nil && n < expireAtOnce && !w.Full(roomBytes, roomOps)
		})
		if !young {
			next = last
		}
		return errors.Join(failure, err)
	})
	if err != nil {
		return err
	}
	changefeed.Note(batch, changes...)
	f.commit(Decision{Batch: batch}, nil, func(err error) { m.Done(deleted, next, err) })
	return nil
}
