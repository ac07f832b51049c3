package rules

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// TestReadPage: pages of every size have each action once: the open ones, oldest first,
// then those that have ended, newest first.
func TestReadPage(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)
	actions := func(n int, state watchpost.RuleActionState) (all []watchpost.RuleAction) {
		for i := range n {
			all = append(all, watchpost.RuleAction{ID: watchpost.RuleActionID(watchpost.NewID(now.Add(time.Duration(i) * time.Second))), State: state})
		}
		return all
	}
	for open := range 4 {
		for ended := range 4 {
			for limit := 1; limit <= 8; limit++ {
				waiting, over := actions(open, watchpost.RuleProposed), actions(ended, watchpost.RuleDone)
				slices.Reverse(over)
				want, got := slices.Concat(waiting, over), []watchpost.RuleAction(nil)
				for cursor := ""; len(got) <= len(want); {
					page, err := ReadPage(cursor, limit,
						func() ([]watchpost.RuleAction, error) { return slices.Clone(waiting), nil },
						func(before watchpost.RuleActionID, most int) ([]watchpost.RuleAction, error) {
							rest := over
							if before != "" {
								rest = slices.DeleteFunc(slices.Clone(over), func(a watchpost.RuleAction) bool { return a.ID >= before })
							}
							return rest[:min(most, len(rest))], nil
						})
					require.NoError(t, err)
					require.LessOrEqual(t, len(page.Actions), limit)
					got = append(got, page.Actions...)
					if page.Next == "" {
						break
					}
					require.Len(t, page.Actions, limit, "only the last page may have fewer")
					cursor = page.Next
				}
				require.Equal(t, want, got, "%d open, %d ended, %d on a page", open, ended, limit)
			}
		}
	}
}

// TestReadPageCursor: a cursor that no page had is refused, before anything is read.
func TestReadPageCursor(t *testing.T) {
	t.Parallel()
	for _, cursor := range []string{"o", "e", "x", "x" + watchpost.NewID(time.Unix(0, 0)), "o-", fmt.Sprintf("e%s!", watchpost.NewID(time.Unix(0, 0)))} {
		_, err := ReadPage(cursor, 10, nil, nil)
		require.EqualError(t, err, "Invalid 'after'", cursor)
		require.Equal(t, watchpost.Invalid, watchpost.KindOf(err), cursor)
	}
}
