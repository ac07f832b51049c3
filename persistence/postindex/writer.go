package postindex

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// What one post adds to a batch at most.
const (
	// MaxRecord bounds the bytes of a stored post.
	MaxRecord = 256 << 10
	// maxPut bounds the bytes of all that a Put writes but the deleted of a
	// segment, putOps the operations.
	maxPut = MaxRecord + 8*maxTerms + 64<<10
	putOps = 5
	// maxDead bounds the bytes of a segment's deleted.
	maxDead = 9 << 10
	// maxManifest bounds what Finish adds.
	maxManifest = 64 << 10
)

// ErrUnindexable means that a post cannot be stored: it is larger than MaxRecord, its
// id is no UUID, its urn too long, or a moment outside of the years that the
// index knows. Nothing was written.
var ErrUnindexable = errors.New("the post cannot be stored")

// ErrBufferFull means that MaxBuffer versions wait to be flushed. Nothing was written;
// a Merge makes room.
var ErrBufferFull = errors.New("too many posts wait to be merged into the index")

// Writer adds to a batch what a change of a team's posts writes. Batches of one
// team must be made one after the other: each from a view that shows the one
// before.
type Writer struct {
	*snapshot
	batch *persistence.Batch
	// written are the versions that this batch made, 0 of a deleted post.
	written map[uuid]uint64
	// pendingDeletes are the deleted of the segments that have more of them now.
	pendingDeletes map[int]*roaring.Bitmap
	// known are the watchlists that posts bear marks of, once they are read.
	known             map[string]bool
	watchlistsChanged bool // known has changed
	changed           bool
}

// Writer begins a change.
func (x *Index) Writer(view persistence.View, space persistence.Space, batch *persistence.Batch) (*Writer, error) {
	s, err := x.draft(view, space)
	if err != nil {
		return nil, err
	}
	return &Writer{snapshot: s, batch: batch, written: map[uuid]uint64{}, pendingDeletes: map[int]*roaring.Bitmap{}}, nil
}

// Full reports whether the batch has no room for another post of any size, and
// for bytes and ops more.
func (w *Writer) Full(bytes, ops int) bool { return w.BufferFull() || !w.room(bytes+maxPut, ops) }

// Fits reports whether the batch has room for a post, and for bytes and
// ops more.
func (w *Writer) Fits(p *watchpost.Post, text TextTerms, bytes, ops int) bool {
	return !w.BufferFull() && w.room(bytes+putBytes(p, text), ops)
}

// room reports whether the batch has room for a post of the given size with its
// index entries, and for ops more operations.
func (w *Writer) room(bytes, ops int) bool {
	size, n := w.batch.Size()
	size += bytes + (len(w.pendingDeletes)+1)*maxDead + maxManifest
	n += ops + putOps + len(w.pendingDeletes) + 1 + 2
	return size <= persistence.MaxBatchBytes && n <= persistence.MaxBatchOps
}

// putBytes bounds the bytes that PutText writes for a post, without encoding it
// and without sets of deleted posts.
func putBytes(p *watchpost.Post, text TextTerms) int {
	const (
		escaped = 6       // bytes that JSON makes of one at most
		fixed   = 4 << 10 // keys, member names, numbers, moments
		element = 64      // what stands around a tag, match or URL
		facets  = 24      // terms that every post may have
	)
	shown := len(p.ID) + len(p.URL) + 2*len(p.URN) + len(p.Content) + len(p.AuthorName) + len(p.AuthorURL) + len(p.AuthorHeadline) +
		len(p.AuthorImageURL) + len(p.Type) + len(p.Language) + len(p.ImageText) + len(p.Sentiment) + len(p.Seniority) + len(p.Source)
	for i, url := range p.ImageURLs {
		shown += len(url) + element
		if i == 0 {
			shown += len(url) // the first is shown twice
		}
	}
	for _, url := range p.Videos {
		shown += len(url) + element
	}
	for _, t := range p.Tags {
		shown += 2*len(t.Name) + len(t.Description) + element
	}
	size := fixed + escaped*shown + 8*(len(text.terms)+facets+len(p.Tags)+3*len(p.Matches))
	for _, m := range p.Matches {
		size += len(m.Watchlist) + len(m.Keyword) + element + 10*len(m.Tags)
	}
	return min(size, maxPut) // a larger one is not written
}

// Put writes a post in place of the one with its id, if there is one (ErrUnfit).
// A post keeps its urn.
func (w *Writer) Put(p *watchpost.Post) error {
	p = stored(p)
	text := text.New(p.Content).WithImage(p.ImageText)
	return w.put(p, w.index.TextTerms(p.Language, text))
}

// PutText is Put with the terms of the post's text, in its language, made
// before.
func (w *Writer) PutText(p *watchpost.Post, text TextTerms) error {
	if stored(p) != p { // it will be read again with another text
		return w.Put(p)
	}
	return w.put(p, text)
}

// put writes a post as it will be read again.
func (w *Writer) put(p *watchpost.Post, text TextTerms) error {
	if w.BufferFull() {
		return ErrBufferFull
	}
	record, err := encodeRecord(p)
	if err != nil {
		return err
	}
	if len(record) > MaxRecord {
		return fmt.Errorf("%w: post %s: want at most %d bytes, have %d", ErrUnindexable, p.ID, MaxRecord, len(record))
	}
	version := w.next
	e, err := newTextEntry(p, version, text)
	if err != nil {
		return err
	}
	if err := w.deleteVersion(e.id); err != nil {
		return err
	}
	if err := w.noteWatchlists(p); err != nil {
		return err
	}
	number := binary.AppendUvarint(nil, version)
	w.batch.Put(versionKey(keyRecord, version), record)
	w.batch.Put(versionKey(keyEntry, version), e.encode())
	w.batch.Put(idKey(e.id), number)
	w.batch.Put(urnKey(p.URN), number)
	w.written[e.id] = version
	w.next++
	w.changed = true
	return nil
}

// Delete removes a post; an absent post is no error.
func (w *Writer) Delete(p *watchpost.Post) error {
	id, ok := parseID(p.ID)
	if !ok {
		return nil
	}
	if err := w.deleteVersion(id); err != nil {
		return err
	}
	w.batch.Delete(idKey(id))
	w.batch.Delete(urnKey(stored(p).URN))
	w.written[id] = 0
	w.changed = true
	return nil
}

// deleteVersion lets the present version of a post, if there is one, be deleted.
func (w *Writer) deleteVersion(id uuid) error {
	version, known := w.written[id]
	if !known {
		var err error
		version, err = readVersion(w.view, w.space, idKey(id))
		if errors.Is(err, persistence.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("posts of team %s, version of id %x: %w", w.space, id, err)
		}
	}
	if version == 0 {
		return nil
	}
	w.batch.Delete(versionKey(keyRecord, version))
	if version >= w.bufferFirst {
		w.bufferDeleted.Add(uint32(version - w.bufferFirst))
		return nil
	}
	return w.deleteFlushed(version)
}

// deleteFlushed lets a version in a segment be deleted.
func (w *Writer) deleteFlushed(version uint64) error {
	i, known := w.find(version)
	if !known {
		return recordFault(w.space, version, errDamaged)
	}
	s := &segment{snapshot: w.snapshot, info: w.segments[i]}
	docNum, known, err := docNumOf(s, version)
	if err != nil {
		return err
	}
	if !known {
		return recordFault(w.space, version, errDamaged)
	}
	deleted := w.pendingDeletes[i]
	if deleted == nil {
		before, err := s.deleted()
		if err != nil {
			return err
		}
		if deleted = roaring.New(); before != nil {
			deleted = before.Clone()
		}
		w.pendingDeletes[i] = deleted
	}
	if deleted.CheckedAdd(uint32(docNum)) {
		w.segments[i].deleted++
	}
	return nil
}

// docNumOf returns the document number of a version in a source.
func docNumOf(s segmentReader, version uint64) (docNum int, known bool, err error) {
	versions, err := s.column(columnVersion)
	if err != nil {
		return 0, false, err
	}
	docNum = sort.Search(s.posts(), func(o int) bool { return uint64(versions.at(o)) >= version })
	return docNum, docNum < s.posts() && uint64(versions.at(docNum)) == version, nil
}

// noteWatchlists notes which watchlists the post bears marks of.
func (w *Writer) noteWatchlists(p *watchpost.Post) error {
	if w.known == nil {
		known, err := w.knownWatchlists()
		if err != nil {
			return err
		}
		w.known = map[string]bool{}
		for _, of := range known {
			w.known[string(of.id)] = true
		}
	}
	for _, m := range p.Matches {
		if id := string(m.Watchlist); !w.known[id] {
			w.known[id], w.watchlistsChanged = true, true
		}
	}
	return nil
}

// Forget notes that no post bears the mark of a watchlist any more.
func (w *Writer) Forget(id watchpost.WatchlistID) error {
	if err := w.noteWatchlists(&watchpost.Post{}); err != nil {
		return err
	}
	if w.known[string(id)] {
		delete(w.known, string(id))
		w.watchlistsChanged, w.changed = true, true
	}
	return nil
}

// BufferFull reports whether nothing more can be put before a part of the buffer is
// flushed.
func (w *Writer) BufferFull() bool { return w.bufferLength() >= w.index.options.MaxBuffer }

// Buffered is the number of versions in the buffer, with those of this batch.
func (w *Writer) Buffered() int { return w.bufferLength() }

// Next is the number that the next version of a post will have.
func (w *Writer) Next() uint64 { return w.next }

// Finish ends the change: the batch is whole then. due is true when there is
// something to merge.
func (w *Writer) Finish() (due bool, err error) {
	if !w.changed {
		return w.index.options.nextMerge(w.manifest).any(), nil
	}
	for i, deleted := range w.pendingDeletes {
		// The count in the manifest told the states apart until now.
		deleted.RunOptimize()
		value, err := deleted.ToBytes()
		if err != nil {
			return false, err
		}
		w.batch.Put(partKey(w.segments[i].id, partDeleted), value)
	}
	if w.watchlistsChanged {
		w.watchlists++
		w.batch.Put([]byte(keyWatchlists), encodeWatchlists(w.known))
	}
	w.batch.Put([]byte(keyManifest), w.encode())
	return w.index.options.nextMerge(w.manifest).any(), nil
}
