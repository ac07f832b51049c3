package poststore

import (
	"bytes"
	"errors"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/changefeed"
	"watchpost/internal/enrich"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// A change of the labels or keywords of a watchlist lets the tags count no more,
// at the reply, that it does not give now; see loadTagging. Its posts are then
// classified again here, in batches, and get the tags that are new. The open work is
// stored under KeyRetag until all of the team's posts were looked at, so that a restart
// begins again; a post that is right already is not written.

// Retag asks the post store to classify the posts of the team again, as far as that is
// to be done.
type Retag struct {
	after    []byte   // the last post that was looked at
	begun    bool     // what follows was read
	seen     [][]byte // keys under KeyRetag that this pass serves
	looked   bool     // all posts are looked at; some of the keys may be left
	contexts Contexts
	rules    map[ruleKey]*enrich.Rules // by watchlist and keyword
}

// ruleKey names what a watchlist asks of the posts of one keyword.
type ruleKey struct {
	watchlist watchpost.WatchlistID
	keyword   string
}

// retagAtOnce bounds the posts that one turn looks at.
const retagAtOnce = 200

// PutRetag notes in the batch of a changed watchlist that its posts are to be
// classified again.
func PutRetag(batch *persistence.Batch, id watchpost.WatchlistID, change string) {
	batch.Put(append(teamspace.Key(teamspace.KeyRetag, id), change...), []byte{})
	batch.Put([]byte(teamspace.KeyLastWatchlistChange), []byte("changed "+string(id)+" "+change))
}

// ThenRetag lets the post store classify posts again once a change is durable.
func ThenRetag(root *actor.RootContext, postStore *actor.PID) func(error) {
	return func(err error) {
		if err == nil {
			root.Send(postStore, Retag{})
		}
	}
}

// SameTags reports whether a changed watchlist gives the tags that it gave.
func SameTags(old, next *watchpost.Watchlist) bool {
	return bytes.Equal(teamspace.Encode(old.Labels), teamspace.Encode(next.Labels)) &&
		(len(old.Labels) > 0 || bytes.Equal(teamspace.Encode(watchpost.KeywordTexts(old.Keywords)), teamspace.Encode(watchpost.KeywordTexts(next.Keywords))))
}

// pendingRetags returns the keys of pending classifications.
func pendingRetags(view persistence.View, space persistence.Space) (keys [][]byte, err error) {
	err = view.Scan(space, []byte(teamspace.KeyRetag), persistence.PrefixEnd([]byte(teamspace.KeyRetag)), func(k, _ []byte) bool {
		keys = append(keys, bytes.Clone(k))
		return true
	})
	return keys, err
}

// retag looks at the next posts.
func (f *PostStore) retag(view persistence.View, m *Retag) error {
	if !m.begun {
		if err := m.begin(view, f.Space); err != nil {
			return err
		}
	}
	if len(m.seen) == 0 {
		return nil // nothing is to be done
	}
	batch := &persistence.Batch{}
	if !m.looked {
		var changes []watchpost.Change
		err := f.change(view, batch, nil, func(w *postindex.Writer) (err error) {
			m.after, changes, err = m.write(view, f, w)
			return err
		})
		if err != nil {
			return err
		}
		changefeed.Note(batch, changes...)
		m.looked = m.after == nil
	}
	switch {
	case !batch.Empty():
		f.commit(Decision{Batch: batch}, m, nil)
	case m.looked:
		f.commit(Decision{Batch: batch}, m.finish(batch), nil)
	default: // others have their turn all the same
		f.schedule.writing = true
		f.ctx.Send(f.ctx.Self(), stored{rest: m})
	}
	return nil
}

// maxRetagKeys bounds the keys that a batch deletes.
const maxRetagKeys = persistence.MaxBatchOps / 2

// finish notes that all posts are as they should be. There may be more keys than a batch
// may delete: rest goes on, and a restart before the last begins again.
func (m *Retag) finish(batch *persistence.Batch) (rest any) {
	n := min(len(m.seen), maxRetagKeys)
	for _, k := range m.seen[:n] {
		batch.Delete(k)
	}
	last := m.seen[n-1]
	if m.seen, m.looked = m.seen[n:], true; len(m.seen) > 0 {
		return m
	}
	batch.Put([]byte(teamspace.KeyLastWatchlistChange), append([]byte("classified "), last...))
	return nil
}

// RetagPending reports whether a restart has interrupted a classification.
func RetagPending(view persistence.View, space persistence.Space) (bool, error) {
	pending, err := pendingRetags(view, space)
	return len(pending) > 0, err
}

// begin reads the pending classifications.
func (m *Retag) begin(view persistence.View, space persistence.Space) (err error) {
	if m.seen, err = pendingRetags(view, space); err != nil {
		return err
	}
	m.rules, m.begun = map[ruleKey]*enrich.Rules{}, true
	m.contexts, err = LoadContexts(view, space)
	return err
}

// write puts those of the next posts whose tags are not what their watchlists
// give. It returns the last that it looked at; nil when there are no more.
func (m *Retag) write(view persistence.View, f *PostStore, w *postindex.Writer) (last []byte, changes []watchpost.Change, err error) {
	n := 0
	var failure error
	last, err = postindex.EachStored(view, f.Space, m.after, func(s *postindex.Stored, p *watchpost.Post) bool {
		n++
		before, old := teamspace.Encode(p), *p
		tagged := f.Guard(f.Team, "classify", p.URN, p.Content, func() { m.contexts.tag(p, m.rules) })
		if tagged && !bytes.Equal(before, teamspace.Encode(p)) {
			failure = w.Put(p)
			switch {
			case errors.Is(failure, postindex.ErrUnindexable):
				failure = nil // it stays as it was
			case failure == nil:
				changes = append(changes, p.ChangesSince(&old)...)
			}
		}
		return failure == nil && n < retagAtOnce && !w.Full(roomBytes, roomOps)
	})
	return last, changes, errors.Join(failure, err)
}
