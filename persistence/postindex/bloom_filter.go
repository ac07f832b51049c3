package postindex

// bloomFilter tells of most terms that a segment has no post with them, so that a
// rare value costs a look into the few segments that hold it only. It is a
// Bloom filter: each term sets some bits, and a term with a bit that is not set is
// not there. Terms are hashes, so their own bits choose the places.
type bloomFilter []byte

const (
	filterBits   = 12 // for each term
	filterProbes = 6
	maxFilter    = 512 << 10
)

func newBloomFilter(terms []term) bloomFilter {
	f := make(bloomFilter, min(max(8, (len(terms)*filterBits/8+7)&^7), maxFilter))
	for _, t := range terms {
		f.probe(t, func(at uint64) bool {
			f[at/8] |= 1 << (at % 8)
			return true
		})
	}
	return f
}

// mayHave reports whether the term may be there.
func (f bloomFilter) mayHave(t term) bool {
	if len(f) == 0 || t.unfiltered() {
		return true
	}
	return f.probe(t, func(at uint64) bool { return f[at/8]&(1<<(at%8)) != 0 })
}

// probe calls is for each of the term's bits until it returns false.
func (f bloomFilter) probe(t term, is func(at uint64) bool) bool {
	bits := uint64(len(f)) * 8
	a, b := uint64(t), mix(uint64(t))|1
	for range filterProbes {
		if !is(a % bits) {
			return false
		}
		a += b
	}
	return true
}

// mix spreads a term's bits again (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// decodeBloomFilter checks the size of a filter.
func decodeBloomFilter(value []byte) (bloomFilter, error) {
	if len(value) == 0 || len(value)%8 != 0 {
		return nil, errDamaged
	}
	return value, nil
}
