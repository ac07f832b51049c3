package root

import (
	"context"
	"fmt"

	"watchpost/persistence"
)

// ownedStore is a store whose epochs go to the owners of spaces only. A node may lose a
// space while it takes the epoch: it is frozen, or the database does not answer. The next
// owner answers reads from memory, which needs no epoch, so it would not see what this node
// wrote under a newer one. When the node still serves the space after that, no other has
// begun with it before, and one that begins later takes a newer epoch.
type ownedStore struct {
	persistence.Store
	serves func(name string) bool
}

// Activate implements persistence.Store.
func (s ownedStore) Activate(ctx context.Context, space persistence.Space) (persistence.Epoch, error) {
	epoch, err := s.Store.Activate(ctx, space)
	if err == nil && !s.serves(string(space)) {
		return 0, fmt.Errorf("%w: another node serves %s", persistence.ErrFenced, space)
	}
	return epoch, err
}
