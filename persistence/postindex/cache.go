package postindex

import (
	"hash/maphash"
	"sync"
	"unique"

	"watchpost/persistence"
)

// cache is a sharded LRU cache of bounded size for all teams' indexes. Values are
// immutable: a key names one state, and a new state has a new key. It is not
// golang-lru, which bounds the number of entries and not their bytes.
type cache struct {
	seed   maphash.Seed
	shards [16]shard
}

type shard struct {
	mu    sync.Mutex
	nodes map[cacheKey]*node
	ring  node // of the most recently used first
	bytes int
	most  int
}

// cacheKey names a value: its kind and its number. The space is interned,
// as hashing its text would be most of a look-up.
type cacheKey struct {
	space unique.Handle[persistence.Space]
	kind  byte
	a, b  uint64
}

func keyOf(space persistence.Space, kind byte, a, b uint64) cacheKey {
	return cacheKey{unique.Make(space), kind, a, b}
}

type node struct {
	key        cacheKey
	value      any
	size       int
	prev, next *node
}

// nodeSize is the overhead of an entry in bytes.
const nodeSize = 200

func newCache(most int) *cache {
	c := &cache{seed: maphash.MakeSeed()}
	for i := range c.shards {
		s := &c.shards[i]
		s.nodes, s.most = map[cacheKey]*node{}, most/len(c.shards)
		s.ring.prev, s.ring.next = &s.ring, &s.ring
	}
	return c
}

func (c *cache) shard(k cacheKey) *shard {
	return &c.shards[maphash.Comparable(c.seed, k)%uint64(len(c.shards))]
}

func (c *cache) get(k cacheKey) (any, bool) {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.nodes[k]
	if n == nil {
		return nil, false
	}
	if s.ring.next != n {
		n.unlink()
		s.front(n)
	}
	return n.value, true
}

// put adds or replaces a value of size bytes.
func (c *cache) put(k cacheKey, value any, size int) {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.nodes[k]; old != nil {
		s.drop(old)
	}
	n := &node{key: k, value: value, size: size + nodeSize}
	s.nodes[k] = n
	s.front(n)
	s.bytes += n.size
	for s.bytes > s.most && s.ring.prev != &s.ring {
		s.drop(s.ring.prev)
	}
}

// used returns the bytes that are held.
func (c *cache) used() (bytes int) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		bytes += s.bytes
		s.mu.Unlock()
	}
	return bytes
}

func (s *shard) drop(n *node) {
	n.unlink()
	delete(s.nodes, n.key)
	s.bytes -= n.size
}

func (s *shard) front(n *node) {
	n.prev, n.next = &s.ring, s.ring.next
	n.prev.next, n.next.prev = n, n
}

func (n *node) unlink() { n.prev.next, n.next.prev = n.next, n.prev }
