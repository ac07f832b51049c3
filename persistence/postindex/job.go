package postindex

// job is what an index has to do next so that it stays small and fast. At most
// one of the fields is set.
type job struct {
	seal     int // the first so many versions of the tail become a segment
	from, to int // these segments become one
	clean    bool
}

func (j job) any() bool { return j.seal > 0 || j.to > 0 || j.clean }

// maxSeal bounds what is sealed at once, as the entries are deleted in one
// batch.
const maxSeal = 1500

// due returns what is to be done next: first what makes queries slow.
func (o Options) due(m *manifest) job {
	if n := m.tailLength(); n >= o.TailPosts {
		return job{seal: min(n, maxSeal, o.SegmentPosts)}
	}
	for size := o.TailPosts; size < o.SegmentPosts; size *= o.Fan {
		if j := o.dueAmong(m.segments, size); j.any() {
			return j
		}
	}
	for i := range m.segments {
		if s := &m.segments[i]; 2*s.dead > s.posts {
			return job{from: i, to: i + 1}
		}
	}
	return job{clean: len(m.garbage) > 0 || m.building > 0}
}

// dueAmong looks for neighbours of at most some size that together make one of
// the next size, or that are too many.
func (o Options) dueAmong(segments []segmentInfo, size int) job {
	next := min(size*o.Fan, o.SegmentPosts)
	for from := range segments {
		sum, to := 0, from
		for to < len(segments) && segments[to].live() <= size && sum+segments[to].live() <= o.SegmentPosts {
			sum += segments[to].live()
			to++
		}
		full := to < len(segments) && segments[to].live() <= size // the next does not fit
		if n := to - from; n > 1 && (sum >= next || full || n >= 2*o.Fan) {
			return job{from: from, to: to}
		}
	}
	return job{}
}
