package watchpost_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost"
)

func TestTargetsInTheirOrder(t *testing.T) {
	t.Parallel()
	made := func(id watchpost.TargetID, after time.Duration) watchpost.NotificationTarget {
		return watchpost.NotificationTarget{ID: id, CreatedAt: monday.Add(after)}
	}
	want := []watchpost.NotificationTarget{made("z", 0), made("a", time.Millisecond), made("b", time.Millisecond), made("c", time.Second)}
	got := []watchpost.NotificationTarget{want[3], want[2], want[1], want[0]}
	slices.SortFunc(got, watchpost.CompareTargets)
	require.Equal(t, want, got)
}
