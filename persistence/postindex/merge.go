package postindex

import (
	"context"
	"errors"
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"

	"watchpost/persistence"
)

// Merge flushes the buffer into a segment, merges segments, or deletes unused
// parts. It runs in steps of one batch each. Posts may be written between the
// steps. Only the last step changes the results of queries.
type Merge struct {
	task     mergeTask
	snapshot *snapshot // as it began; its view is that of the step
	inputs   []*input
	segment  segmentInfo
	builder  *segmentBuilder
	begun    bool
	// todo lists the remaining tasks; a task returns true when it has written
	// enough for one step.
	todo []func(*persistence.Batch) (bool, error)
}

// input is a source that is merged.
type input struct {
	segmentReader
	deleted *roaring.Bitmap // when the merge began; nil: none
	// docMap holds for each of its posts the document number in the new segment, -1 for
	// a deleted one.
	docMap []int32
}

// stepOps is how many operations a step has, about.
const stepOps = 1000

// NextMerge begins the next merge; it returns nil when none is due.
func (x *Index) NextMerge(view persistence.View, space persistence.Space) (*Merge, error) {
	s, err := x.snapshot(view, space)
	if err != nil {
		return nil, err
	}
	j := x.options.nextMerge(s.manifest)
	if !j.any() {
		return nil, nil
	}
	f, m := &Merge{task: j, snapshot: s}, s.manifest
	if j.clean {
		return f, nil
	}
	sources, err := f.readers()
	if err != nil {
		return nil, err
	}
	f.builder = &segmentBuilder{}
	for _, source := range sources {
		if err := f.take(source); err != nil {
			return nil, err
		}
	}
	f.segment = segmentInfo{id: m.segment, posts: f.builder.posts(), blockBits: f.blockBits()}
	if f.segment.posts > 0 {
		f.segment.first, f.segment.last = f.builder.version(0), f.builder.version(f.segment.posts-1)
		for c := range f.segment.minMax {
			f.segment.minMax[c] = minMaxOf(f.builder.columns[c])
		}
		f.plan()
	}
	return f, nil
}

func (f *Merge) options() *Options { return &f.snapshot.index.options }

// readers returns the inputs of the merge, by rising versions.
func (f *Merge) readers() (all []segmentReader, err error) {
	s := f.snapshot
	if f.task.flush > 0 {
		t, err := s.bufferReader(s.bufferFirst)
		if err != nil {
			return nil, err
		}
		t.entries = t.entries[:f.task.flush]
		return []segmentReader{t}, nil
	}
	for _, info := range s.segments[f.task.from:f.task.to] {
		all = append(all, &segment{snapshot: s, info: info})
	}
	return all, nil
}

// take gives the live posts of a source their places and takes over their
// values.
func (f *Merge) take(s segmentReader) error {
	in := &input{segmentReader: s, docMap: make([]int32, s.posts())}
	var err error
	if in.deleted, err = s.deleted(); err != nil {
		return err
	}
	next := int32(f.builder.posts())
	for i := range in.docMap {
		if in.deleted != nil && in.deleted.ContainsInt(i) {
			in.docMap[i] = -1
			continue
		}
		in.docMap[i] = next
		next++
	}
	f.inputs = append(f.inputs, in)
	return f.builder.add(in)
}

// blockBits chooses the number of blocks by the size of the inputs' terms.
func (f *Merge) blockBits() int {
	size := 0
	for _, in := range f.inputs {
		switch s := in.segmentReader.(type) {
		case *segment:
			size += int(int64(s.info.bytes) * int64(s.info.live()) / int64(s.info.posts))
		case *bufferReader:
			for i, e := range s.entries {
				if in.docMap[i] >= 0 {
					size += 6 * len(e.terms)
				}
			}
		}
	}
	return bits.Len(uint(size / f.options().BlockBytes))
}

// Apart reports whether the next step only adds to the segment that is being
// built, which queries do not read yet. Such a step may run before earlier batches
// are durable; other steps must see them.
func (f *Merge) Apart() bool { return f.begun && len(f.todo) > 0 }

// Merges reports whether the merge leaves the buffer unchanged. Posts may then be
// written in parallel until the buffer is full.
func (f *Merge) Merges() bool { return f.task.to > 0 }

// Flushes returns the number of versions that the merge removes from the buffer.
func (f *Merge) Flushes() int { return f.task.flush }

// Step writes the next part to a batch, which must be handed to the store before
// that of the next step; see Apart. due is true in the last one when there is
// more to merge.
func (f *Merge) Step(view persistence.View, batch *persistence.Batch) (done, due bool, err error) {
	f.snapshot.view = view
	switch {
	case f.task.clean:
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
func (f *Merge) add(batch *persistence.Batch) error {
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
func (f *Merge) begin(batch *persistence.Batch) error {
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
func (f *Merge) present() (*manifest, error) {
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
// was built are deleted in it.
func (f *Merge) finish(batch *persistence.Batch) (due bool, err error) {
	now, err := f.snapshot.index.draft(f.snapshot.view, f.snapshot.space)
	if err != nil {
		return false, err
	}
	deleted := roaring.New()
	m := now.manifest
	if f.task.flush > 0 {
		f.inputs[0].deletedSince(m.bufferDeleted, deleted)
		for i := range f.task.flush {
			batch.Delete(versionKey(keyEntry, m.bufferFirst+uint64(i)))
		}
		m.trimBuffer(f.task.flush)
		f.task.from, f.task.to = len(m.segments), len(m.segments)
	} else {
		for i, in := range f.inputs {
			s := &segment{snapshot: now, info: m.segments[f.task.from+i]}
			set, err := s.deleted()
			if err != nil {
				return false, err
			}
			in.deletedSince(set, deleted)
			m.garbage = append(m.garbage, s.info.id)
		}
	}
	var made []segmentInfo
	if f.segment.posts > 0 {
		f.segment.deleted = int(deleted.GetCardinality())
		made = []segmentInfo{f.segment}
		m.building = 0
		if f.segment.deleted > 0 {
			value, err := deleted.ToBytes()
			if err != nil {
				return false, err
			}
			batch.Put(partKey(f.segment.id, partDeleted), value)
		}
	}
	m.segments = append(m.segments[:f.task.from:f.task.from], append(made, m.segments[f.task.to:]...)...)
	batch.Put([]byte(keyManifest), m.encode())
	return f.options().nextMerge(m).any(), nil
}

// deletedSince adds the places of the posts that are deleted now and were not when the
// merge began.
func (in *input) deletedSince(now, deleted *roaring.Bitmap) {
	if now == nil {
		return
	}
	now.Iterate(func(docNum uint32) bool {
		if int(docNum) < len(in.docMap) && in.docMap[docNum] >= 0 {
			deleted.Add(uint32(in.docMap[docNum]))
		}
		return true
	})
}

// trimBuffer takes the first versions off the buffer.
func (m *manifest) trimBuffer(n int) {
	rest := roaring.New()
	m.bufferDeleted.Iterate(func(at uint32) bool {
		if int(at) >= n {
			rest.Add(at - uint32(n))
		}
		return true
	})
	m.bufferFirst, m.bufferDeleted = m.bufferFirst+uint64(n), rest
}

// clean deletes parts of segments that are no longer used.
func (f *Merge) clean(batch *persistence.Batch) (due bool, err error) {
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
	return f.options().nextMerge(m).any(), nil
}

// MergeAll merges until nothing is due; for tools, where nothing else writes.
func (x *Index) MergeAll(ctx context.Context, store persistence.Store, space persistence.Space, epoch persistence.Epoch) error {
	var f *Merge
	for {
		batch := &persistence.Batch{}
		done, err := x.mergeStep(ctx, store, space, &f, batch)
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

// mergeStep runs a step of *f, or of the next merge; *f is nil when none is due.
func (x *Index) mergeStep(ctx context.Context, store persistence.Store, space persistence.Space, f **Merge, batch *persistence.Batch) (done bool, err error) {
	view, err := store.View(ctx)
	if err != nil {
		return false, err
	}
	defer view.Close()
	if *f == nil {
		if *f, err = x.NextMerge(view, space); err != nil || *f == nil {
			return false, err
		}
	}
	done, _, err = (*f).Step(view, batch)
	return done, err
}

var errBuilding = errors.New("postindex: not kept while merging")
