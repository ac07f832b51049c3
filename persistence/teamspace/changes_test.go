package teamspace_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// TestChangesAreSmall: a post takes at most 100 bytes more for the change feed, also one
// that is stored alone.
func TestChangesAreSmall(t *testing.T) {
	t.Parallel()
	size := func(posts int) int {
		r := teamspace.ChangesRecord{Writer: 1 << 63, At: time.Date(2030, 1, 7, 0, 0, 0, 0, time.UTC)}
		for i := range posts {
			r.Changes = append(r.Changes, watchpost.Change{
				Type: watchpost.ChangePost, Action: watchpost.PostMatched, ID: fmt.Sprintf("00000000-0000-7000-8000-%012x", i), Watchlist: "00000000-0000-7000-9000-000000000001",
			})
		}
		return (len(teamspace.ChangesKey(uint64(posts))) + len(r.Encode())) / posts
	}
	require.LessOrEqual(t, size(1), 100)
	require.LessOrEqual(t, size(100), 20)
}
