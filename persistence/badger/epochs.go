package badger

import "watchpost/persistence"

// epochs holds the newest epochs of recently written spaces. Only the
// committer's goroutine uses it.
//
// A failed batch fences its space: the committer takes the next epoch without
// giving it to a writer, so every later batch of the failed epoch is stale. No
// failure flag is needed in memory, and any space may be evicted as soon as
// its epoch is durable.
type epochs struct {
	// limit bounds each of the two generations. An entry that is unused for a
	// whole generation is evicted and read again on demand.
	limit      int
	young, old map[persistence.Space]persistence.Epoch
	load       func(persistence.Space) (persistence.Epoch, error)
}

func newEpochs(limit int, load func(persistence.Space) (persistence.Epoch, error)) *epochs {
	return &epochs{limit: limit, young: map[persistence.Space]persistence.Epoch{}, load: load}
}

// current returns the newest epoch of a space, 0 before its first activation.
func (e *epochs) current(space persistence.Space) (persistence.Epoch, error) {
	if epoch, ok := e.young[space]; ok {
		return epoch, nil
	}
	epoch, ok := e.old[space]
	if !ok {
		var err error
		if epoch, err = e.load(space); err != nil {
			return 0, err
		}
	}
	e.young[space] = epoch
	return epoch, nil
}

func (e *epochs) set(space persistence.Space, epoch persistence.Epoch) { e.young[space] = epoch }

// age ends a full generation. It must be called only while every epoch that
// was set is durable.
func (e *epochs) age() {
	if len(e.young) >= e.limit {
		e.old, e.young = e.young, make(map[persistence.Space]persistence.Epoch, e.limit)
	}
}
