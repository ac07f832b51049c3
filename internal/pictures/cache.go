package pictures

import (
	"container/list"
	"sync"
	"time"
)

// outcome is what became of a fetch.
type outcome struct {
	picture *Picture // nil with an error
	err     error
	until   time.Time
}

// entry is an outcome in the cache.
type entry struct {
	outcome
	address string
}

// entryBytes is what an entry takes next to its address and image: the structs, its
// element of the list, and its place in the map.
const entryBytes = 256

// size is the memory of an entry in bytes.
func (e *entry) size() int {
	n := entryBytes + len(e.address)
	if e.picture != nil {
		n += cap(e.picture.Content)
	}
	return n
}

// cache keeps the outcomes that were asked for last, up to a bound of bytes.
type cache struct {
	mu    sync.Mutex
	most  int        // bytes; guarded by mu, as all fields
	held  int        // bytes
	order *list.List // of *entry, the last used first
	known map[string]*list.Element
}

func newCache(most int) *cache {
	return &cache{most: most, order: list.New(), known: map[string]*list.Element{}}
}

// get returns the outcome for an address, unless it is too old.
func (c *cache) get(address string, now time.Time) (outcome, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.known[address]
	if at == nil {
		return outcome{}, false
	}
	e := at.Value.(*entry)
	if !now.Before(e.until) {
		c.remove(at)
		return outcome{}, false
	}
	c.order.MoveToFront(at)
	return e.outcome, true
}

// put keeps an outcome, and removes those that were not used for longest.
func (c *cache) put(address string, o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := c.known[address]; before != nil {
		c.remove(before)
	}
	e := &entry{o, address}
	c.known[address] = c.order.PushFront(e)
	c.held += e.size()
	for c.held > c.most {
		c.remove(c.order.Back())
	}
}

// remove removes an entry; mu is held.
func (c *cache) remove(at *list.Element) {
	e := c.order.Remove(at).(*entry)
	delete(c.known, e.address)
	c.held -= e.size()
}
