package postindex

import (
	"context"
	"errors"
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/persistence"
)

// Fold is the making of a segment from the tail or from smaller segments, or
// the clearing away of what is no longer used. It goes in steps, each of one
// batch, between which posts may be written. Only the last step changes what
// queries see.
type Fold struct {
	job      job
	snapshot *snapshot // as it began; its view is that of the step
	inputs   []*input
	segment  segmentInfo
	folded   *folded
	begun    bool
	// todo is what is left to be written; a task that returns true has done
	// enough for one step.
	todo []func(*persistence.Batch) (bool, error)
}

// input is a source that is folded.
type input struct {
	source
	dead *roaring.Bitmap // when the fold began; nil: none
	// place holds for each of its posts the ordinal in the new segment, -1 for
	// a dead one.
	place []int32
}

// stepOps is how many operations a step has, about.
const stepOps = 1000

// Fold begins what is due next; nil when nothing is.
func (x *Index) Fold(view persistence.View, space persistence.Space) (*Fold, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	j := x.options.due(s.manifest)
	if !j.any() {
		return nil, nil
	}
	f, m := &Fold{job: j, snapshot: s}, s.manifest
	if j.clean {
		return f, nil
	}
	sources, err := f.sources()
	if err != nil {
		return nil, err
	}
	f.folded = &folded{}
	for _, source := range sources {
		if err := f.take(source); err != nil {
			return nil, err
		}
	}
	f.segment = segmentInfo{id: m.segment, posts: f.folded.posts(), blockBits: f.blockBits()}
	if f.segment.posts > 0 {
		f.segment.first, f.segment.last = f.folded.version(0), f.folded.version(f.segment.posts-1)
		for c := range f.segment.spans {
			f.segment.spans[c] = spanOf(f.folded.columns[c])
		}
		f.plan()
	}
	return f, nil
}

func (f *Fold) options() *Options { return &f.snapshot.index.options }

// sources returns what is to be folded, by rising versions.
func (f *Fold) sources() (all []source, err error) {
	s := f.snapshot
	if f.job.seal > 0 {
		t, err := s.tailSource(s.tail)
		if err != nil {
			return nil, err
		}
		t.entries = t.entries[:f.job.seal]
		return []source{t}, nil
	}
	for _, info := range s.segments[f.job.from:f.job.to] {
		all = append(all, &segment{snapshot: s, info: info})
	}
	return all, nil
}

// take gives the live posts of a source their places and takes over their
// values.
func (f *Fold) take(s source) error {
	in := &input{source: s, place: make([]int32, s.posts())}
	var err error
	if in.dead, err = s.dead(); err != nil {
		return err
	}
	next := int32(f.folded.posts())
	for i := range in.place {
		if in.dead != nil && in.dead.ContainsInt(i) {
			in.place[i] = -1
			continue
		}
		in.place[i] = next
		next++
	}
	f.inputs = append(f.inputs, in)
	return f.folded.take(in)
}

// blockBits chooses the number of blocks by the size of the inputs' terms.
func (f *Fold) blockBits() int {
	size := 0
	for _, in := range f.inputs {
		switch s := in.source.(type) {
		case *segment:
			size += int(int64(s.info.bytes) * int64(s.info.live()) / int64(s.info.posts))
		case *tailSource:
			for i, e := range s.entries {
				if in.place[i] >= 0 {
					size += 6 * len(e.terms)
				}
			}
		}
	}
	return bits.Len(uint(size / f.options().BlockBytes))
}

// Apart reports whether the next step only adds to the segment that is being
// made, which nobody reads yet. Such a step may be taken while batches before
// it are still on their way to the store; others must see them.
func (f *Fold) Apart() bool { return f.begun && len(f.todo) > 0 }

// Merges reports whether the fold leaves the tail alone, so that as long as that
// is not full posts may be written beside it and the index does not fall behind.
func (f *Fold) Merges() bool { return f.job.to > 0 }

// Seals is the number of versions that the fold takes off the tail when it is
// done.
func (f *Fold) Seals() int { return f.job.seal }

// Step writes the next part to a batch, which must be handed to the store before
// that of the next step; see Apart. due is true in the last one when there is
// more to fold.
func (f *Fold) Step(view persistence.View, batch *persistence.Batch) (done, due bool, err error) {
	f.snapshot.view = view
	switch {
	case f.job.clean:
		due, err = f.clean(batch)
		return true, due, err
	case !f.begun && f.segment.posts > 0:
		f.begun = true
		return false, false, f.begin(batch)
	case len(f.todo) > 0:
		return false, false, f.add(batch)
	}
	due, err = f.finish(batch)
	return true, due, err
}

// add writes parts of the segment, as many as make a step.
func (f *Fold) add(batch *persistence.Batch) error {
	for len(f.todo) > 0 {
		enough, err := f.todo[0](batch)
		if err != nil {
			return err
		}
		if size, ops := batch.Size(); enough || size > f.options().StepBytes || ops > stepOps {
			break
		}
	}
	return nil
}

// begin takes the segment's number, so that what a crash leaves of it is known.
func (f *Fold) begin(batch *persistence.Batch) error {
	m, err := f.present()
	if err != nil {
		return err
	}
	m.dropBuilding()
	m.building, m.segment = f.segment.id, f.segment.id+1
	batch.Put([]byte(keyManifest), m.encode())
	return nil
}

// present returns the manifest as it is now.
func (f *Fold) present() (*manifest, error) {
	m, err := readManifest(f.snapshot.view, f.snapshot.space)
	if err != nil {
		return nil, manifestFault(f.snapshot.space, err)
	}
	return m, nil
}

// dropBuilding gives up the segment that was being built.
func (m *manifest) dropBuilding() {
	if m.building > 0 {
		m.garbage = append(m.garbage, m.building)
		m.building = 0
	}
}

// finish puts the segment in the place of its inputs. Posts that died while it
// was built are dead in it.
func (f *Fold) finish(batch *persistence.Batch) (due bool, err error) {
	now, err := f.snapshot.index.draft(f.snapshot.view, f.snapshot.space)
	if err != nil {
		return false, err
	}
	dead := roaring.New()
	m := now.manifest
	if f.job.seal > 0 {
		f.inputs[0].died(m.tailDead, dead)
		for i := range f.job.seal {
			batch.Delete(versionKey(keyEntry, m.tail+uint64(i)))
		}
		m.cutTail(f.job.seal)
		f.job.from, f.job.to = len(m.segments), len(m.segments)
	} else {
		for i, in := range f.inputs {
			s := &segment{snapshot: now, info: m.segments[f.job.from+i]}
			set, err := s.dead()
			if err != nil {
				return false, err
			}
			in.died(set, dead)
			m.garbage = append(m.garbage, s.info.id)
		}
	}
	var made []segmentInfo
	if f.segment.posts > 0 {
		f.segment.dead = int(dead.GetCardinality())
		made = []segmentInfo{f.segment}
		m.building = 0
		if f.segment.dead > 0 {
			value, err := dead.ToBytes()
			if err != nil {
				return false, err
			}
			batch.Put(partKey(f.segment.id, partDead), value)
		}
	}
	m.segments = append(m.segments[:f.job.from:f.job.from], append(made, m.segments[f.job.to:]...)...)
	batch.Put([]byte(keyManifest), m.encode())
	return f.options().due(m).any(), nil
}

// died adds the places of the posts that are dead now and were not when the
// fold began.
func (in *input) died(now, dead *roaring.Bitmap) {
	if now == nil {
		return
	}
	now.Iterate(func(ordinal uint32) bool {
		if int(ordinal) < len(in.place) && in.place[ordinal] >= 0 {
			dead.Add(uint32(in.place[ordinal]))
		}
		return true
	})
}

// cutTail takes the first versions off the tail.
func (m *manifest) cutTail(n int) {
	rest := roaring.New()
	m.tailDead.Iterate(func(at uint32) bool {
		if int(at) >= n {
			rest.Add(at - uint32(n))
		}
		return true
	})
	m.tail, m.tailDead = m.tail+uint64(n), rest
}

// clean deletes parts of segments that are no longer used.
func (f *Fold) clean(batch *persistence.Batch) (due bool, err error) {
	m, err := f.present()
	if err != nil {
		return false, err
	}
	m.dropBuilding()
	for len(m.garbage) > 0 {
		full := false
		from := segmentKey(m.garbage[0])
		err := f.snapshot.view.Scan(f.snapshot.space, from, persistence.PrefixEnd(from), func(key, _ []byte) bool {
			batch.Delete(append([]byte(nil), key...))
			_, ops := batch.Size()
			full = ops >= stepOps
			return !full
		})
		if err != nil {
			return false, err
		}
		if full {
			break
		}
		m.garbage = m.garbage[1:]
	}
	batch.Put([]byte(keyManifest), m.encode())
	return f.options().due(m).any(), nil
}

// FoldAll folds until nothing is due; for tools, where nothing else writes.
func (x *Index) FoldAll(ctx context.Context, store persistence.Store, space persistence.Space, epoch persistence.Epoch) error {
	var f *Fold
	for {
		batch := &persistence.Batch{}
		done, err := x.foldStep(ctx, store, space, &f, batch)
		if err != nil || f == nil {
			return err
		}
		if !batch.Empty() {
			if err := persistence.Commit(ctx, store, space, epoch, batch); err != nil {
				return err
			}
		}
		if done {
			f = nil
		}
	}
}

// foldStep does a step of *f, or of what is due; *f is nil when nothing is.
func (x *Index) foldStep(ctx context.Context, store persistence.Store, space persistence.Space, f **Fold, batch *persistence.Batch) (done bool, err error) {
	view, err := store.View(ctx)
	if err != nil {
		return false, err
	}
	defer view.Close()
	if *f == nil {
		if *f, err = x.Fold(view, space); err != nil || *f == nil {
			return false, err
		}
	}
	done, _, err = (*f).Step(view, batch)
	return done, err
}

var errFolded = errors.New("postindex: not kept while folding")
