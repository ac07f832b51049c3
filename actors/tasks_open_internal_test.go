package actors

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

// TestTallyIsARecount compares the counts of open tasks with a recount after each
// random change.
func TestTallyIsARecount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		work := newTasks(newTeam(&environment{}, "team"))
		for range rapid.IntRange(1, 80).Draw(r, "steps") {
			id := watchpost.TaskID(fmt.Sprint(rapid.IntRange(0, 12).Draw(r, "task")))
			open := work.open[id]
			due := wednesday.Add(time.Duration(rapid.IntRange(-9, 9).Draw(r, "due")) * time.Minute)
			switch {
			case open == nil:
				open = &openTask{scan: rapid.Bool().Draw(r, "scan"), due: due, member: watchpost.MemberID(rapid.SampledFrom([]string{"", "m", "n"}).Draw(r, "member"))}
				if rapid.Bool().Draw(r, "held") {
					work.hold(id, open, "s")
				}
				work.open[id] = open
				work.tally.opened(id, open)
			case rapid.Bool().Draw(r, "hold"):
				work.hold(id, open, watchpost.SessionID(rapid.SampledFrom([]string{"", "s", "o"}).Draw(r, "session")))
			case rapid.Bool().Draw(r, "earlier"):
				work.tally.dueEarlier(open, due)
			case rapid.Bool().Draw(r, "end"):
				open.ended = true
				work.tally.count(open)
			default:
				delete(work.open, id)
				work.tally.closed(id, open)
			}
			requireRecount(r, work)
		}
	})
}

func requireRecount(r *rapid.T, work *tasks) {
	var waits, scans, runs, members int
	var oldest time.Time
	for id, open := range work.open {
		if open.member != "" {
			members++
			require.Same(r, open, work.tally.byMember[open.member][id])
		}
		switch {
		case open.ended:
		case open.holder != "":
			if open.scan {
				runs++
			}
		default:
			waits++
			if open.scan {
				scans++
				oldest = watchpost.Earlier(oldest, open.due)
			}
		}
	}
	require.Equal(r, [3]int{waits, scans, runs}, [3]int{work.tally.waiting, work.tally.waitingScans.Len(), work.tally.runningScans})
	require.Equal(r, oldest, work.tally.oldestScan())
	for _, of := range work.tally.byMember {
		members -= len(of)
	}
	require.Zero(r, members)
}
