package postindex

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"watchpost/persistence"
)

// repair makes an index again.
type repair struct {
	index  *Index
	ctx    context.Context
	store  persistence.Store
	space  persistence.Space
	epoch  persistence.Epoch
	accept bool
	report func(problem string)

	lost int // posts
	// unread are the versions that cannot be read.
	unread map[uint64]bool
	// kept are the keys of the posts, of each the newest version.
	kept     map[uuid]keptPost
	next     uint64   // above all versions
	segments []uint32 // that have parts
}

type keptPost struct {
	version uint64
	key     []byte
}

// ErrLoss means that a repair would lose posts. Nothing was changed.
var ErrLoss = errors.New("a repair loses posts")

// Repair throws the index of a team away and makes it again of the posts. Nothing else
// may use the team meanwhile. Posts that cannot be read, or that only the index knows,
// are reported: with accept they are lost, and without it the repair ends with ErrLoss.
// When it is interrupted it may be begun again.
func (x *Index) Repair(ctx context.Context, store persistence.Store, space persistence.Space, accept bool, report func(problem string)) error {
	r := &repair{index: x, ctx: ctx, store: store, space: space, accept: accept, report: report, unread: map[uint64]bool{}, kept: map[uuid]keptPost{}, next: 1}
	err := r.collect()
	if err == nil && r.lost > 0 && !accept {
		err = ErrLoss
	}
	if err != nil {
		return err
	}
	if r.epoch, err = store.Activate(ctx, space); err != nil {
		return err
	}
	for _, step := range []func() error{r.clear, r.write} {
		if err := step(); err != nil {
			return err
		}
	}
	return x.MergeAll(ctx, store, space, r.epoch)
}

// view calls f with a snapshot.
func (r *repair) view(f func(persistence.View) error) error {
	view, err := r.store.View(r.ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	return f(view)
}

func (r *repair) commit(batch *persistence.Batch) error {
	return persistence.Commit(r.ctx, r.store, r.space, r.epoch, batch)
}

// lose reports a post that cannot be kept.
func (r *repair) lose(format string, args ...any) {
	r.lost++
	r.report(fmt.Sprintf(format, args...))
}

// collect finds the posts.
func (r *repair) collect() error {
	return r.view(func(view persistence.View) error {
		if m, err := readManifest(view, r.space); err == nil {
			r.next = m.next
		}
		err := view.Scan(r.space, []byte("p"), persistence.PrefixEnd([]byte("p")), func(key, value []byte) bool {
			if id, ok := segmentOf(key); ok && !slices.Contains(r.segments, id) {
				r.segments = append(r.segments, id)
			}
			if version, known := versionOf(key); bytes.HasPrefix(key, []byte(keyRecord)) && known {
				r.next = max(r.next, version+1)
				r.keep(key, value, version)
			}
			return true
		})
		return errors.Join(err, r.findMissing(view))
	})
}

// findMissing looks for posts that the index knows by their ids and whose records are
// gone.
func (r *repair) findMissing(view persistence.View) error {
	return view.Scan(r.space, []byte(keyID), persistence.PrefixEnd([]byte(keyID)), func(key, value []byte) bool {
		var id uuid
		if copy(id[:], key[len(keyID):]); len(key) != len(keyID)+len(id) || r.kept[id].key != nil {
			return true
		}
		if at := (&reader{b: value}).uint(); !r.unread[at] {
			r.lose("post %x is lost: its record is missing", id)
		}
		return true
	})
}

// keep notes a post unless there is a newer version of it.
func (r *repair) keep(key, value []byte, version uint64) {
	p, err := readPost(value)
	if err == nil {
		err = indexable(p)
	}
	if err != nil {
		r.unread[version] = true
		r.lose("key %q is lost: %v", key, err)
		return
	}
	id, _ := parseID(p.ID)
	if r.kept[id].version <= version {
		r.kept[id] = keptPost{version, bytes.Clone(key)}
	}
}

// clear begins an empty index, and removes all that led to posts.
func (r *repair) clear() error {
	m := newManifest()
	m.next, m.bufferFirst, m.garbage = r.next, r.next, r.segments
	for _, id := range r.segments {
		m.segment = max(m.segment, id+1)
	}
	m.watchlists = r.next // no set that was read before has this number
	batch := &persistence.Batch{}
	batch.Put([]byte(keyManifest), m.encode())
	batch.Delete([]byte(keyWatchlists))
	if err := r.commit(batch); err != nil {
		return err
	}
	for _, prefix := range []string{keyEntry, keyID, keyURN} {
		for more := true; more; {
			batch := &persistence.Batch{}
			err := r.view(func(view persistence.View) error {
				return view.Scan(r.space, []byte(prefix), persistence.PrefixEnd([]byte(prefix)), func(key, _ []byte) bool {
					batch.Delete(bytes.Clone(key))
					return len(batch.Writes) < stepOps
				})
			})
			more = len(batch.Writes) == stepOps
			if err == nil && !batch.Empty() {
				err = r.commit(batch)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes all posts again, the oldest version first.
func (r *repair) write() error {
	left := make([]keptPost, 0, len(r.kept))
	for _, k := range r.kept {
		left = append(left, k)
	}
	slices.SortFunc(left, func(a, b keptPost) int { return cmp.Compare(a.version, b.version) })
	for len(left) > 0 {
		batch := &persistence.Batch{}
		err := r.view(func(view persistence.View) error {
			w, err := r.index.Writer(view, r.space, batch)
			if err != nil {
				return err
			}
			for ; len(left) > 0 && !w.Full(0, 1) && w.bufferLength() < 2*r.index.options.BufferPosts; left = left[1:] {
				if err := r.rewrite(w, left[0]); err != nil {
					return err
				}
			}
			_, err = w.Finish()
			return err
		})
		if err != nil {
			return err
		}
		if err := r.commit(batch); err != nil {
			return err
		}
		if err := r.index.MergeAll(r.ctx, r.store, r.space, r.epoch); err != nil {
			return err
		}
	}
	return r.dropOld()
}

func (r *repair) rewrite(w *Writer, k keptPost) error {
	value, err := w.view.Get(r.space, k.key)
	if err != nil {
		return err
	}
	p, err := readPost(value)
	if err != nil {
		return err
	}
	err = w.Put(p)
	if errors.Is(err, ErrUnindexable) && r.accept {
		r.lose("post %s is lost: %v", p.ID, err)
		err = nil
	}
	w.batch.Delete(k.key)
	return err
}

// dropOld removes what could not be read or had a newer version.
func (r *repair) dropOld() error {
	batch := &persistence.Batch{}
	err := r.view(func(view persistence.View) error {
		return view.Scan(r.space, []byte("p"), persistence.PrefixEnd([]byte("p")), func(key, _ []byte) bool {
			version, known := versionOf(key)
			if bytes.HasPrefix(key, []byte(keyRecord)) && (!known || version < r.next) {
				batch.Delete(bytes.Clone(key))
			}
			return len(batch.Writes) < persistence.MaxBatchOps
		})
	})
	if err != nil || batch.Empty() {
		return err
	}
	if err := r.commit(batch); err != nil {
		return err
	}
	return r.dropOld()
}
