package postindex

// mergeTask is the next maintenance of an index. At most one of the fields is
// set.
type mergeTask struct {
	flush    int // number of the buffer's oldest versions that become a segment
	from, to int // these segments become one
	clean    bool
}

func (j mergeTask) any() bool { return j.flush > 0 || j.to > 0 || j.clean }

// maxFlush bounds a flush, as one batch deletes its entries.
const maxFlush = 1500

// nextMerge returns the next task: first the ones that speed up queries.
func (o Options) nextMerge(m *manifest) mergeTask {
	if n := m.bufferLength(); n >= o.BufferPosts {
		return mergeTask{flush: min(n, maxFlush, o.SegmentPosts)}
	}
	for size := o.BufferPosts; size < o.SegmentPosts; size *= o.MergeFactor {
		if j := o.nextMergeAmong(m.segments, size); j.any() {
			return j
		}
	}
	for i := range m.segments {
		if s := &m.segments[i]; 2*s.deleted > s.posts {
			return mergeTask{from: i, to: i + 1}
		}
	}
	return mergeTask{clean: len(m.garbage) > 0 || m.building > 0}
}

// nextMergeAmong looks for neighbours of at most some size that together make one of
// the next size, or that are too many.
func (o Options) nextMergeAmong(segments []segmentInfo, size int) mergeTask {
	next := min(size*o.MergeFactor, o.SegmentPosts)
	for from := range segments {
		sum, to := 0, from
		for to < len(segments) && segments[to].live() <= size && sum+segments[to].live() <= o.SegmentPosts {
			sum += segments[to].live()
			to++
		}
		full := to < len(segments) && segments[to].live() <= size // the next does not fit
		if n := to - from; n > 1 && (sum >= next || full || n >= 2*o.MergeFactor) {
			return mergeTask{from: from, to: to}
		}
	}
	return mergeTask{}
}
