package badger

import "watchpost/persistence"

// epochs knows the newest epoch of the spaces that were written lately. It
// belongs to the committer's goroutine.
//
// A space whose batch failed is fenced by taking its next epoch for nobody:
// every later batch of the failed epoch is then simply an old one. So there is
// no mark of failure that must be kept in memory, and any space may be
// forgotten as soon as its epoch is durable.
type epochs struct {
	// limit bounds each of the two generations. What was not used during a
	// whole generation is forgotten and read again when asked for.
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

// age ends a generation when it is full. It must be called only while every
// epoch that was set is durable.
func (e *epochs) age() {
	if len(e.young) >= e.limit {
		e.old, e.young = e.young, make(map[persistence.Space]persistence.Epoch, e.limit)
	}
}
