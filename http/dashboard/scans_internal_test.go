package dashboard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/internal/protocol"
	"watchpost/internal/words"
	"watchpost/watchpost"
)

// TestWhyNothingIsFound: each reason for which the API says that a task is pending
// has its own text on the watchlists' page and in an empty feed.
func TestWhyNothingIsFound(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 7, 16, 40, 0, 0, time.UTC)
	ada := actors.MemberPresence{Member: "ada", Connected: true, Account: &protocol.Account{SignedIn: true}}
	signedOut := ada
	signedOut.Pauses = []actors.Pause{{Reason: actors.PauseNetworkLimit, Action: watchpost.ActionLike}, {Reason: actors.PauseSignedOut}}
	away := ada
	away.Connected = false
	for _, c := range []struct {
		name                      string
		reason                    watchpost.PendingReason
		until                     time.Duration
		presence                  []actors.MemberPresence
		state, detail, head, text string
	}{
		{"running", watchpost.PendingRunning, 0, []actors.MemberPresence{ada}, "Looking now", "A browser is looking for new posts.", "Looking for the first posts", "The first scan is under way."},
		{"queued", watchpost.PendingQueued, 0, []actors.MemberPresence{ada}, "Due", "The scan waits for its turn.", "Not scanned yet", "The scan waits for its turn."},
		{"retry", watchpost.PendingRetry, 10 * time.Minute, []actors.MemberPresence{ada}, "Waiting", "The last scan failed and is tried again at 16:50 UTC.", "Not scanned yet", "tried again at 16:50 UTC."},
		{"used up", watchpost.PendingDailyCap, 440 * time.Minute, []actors.MemberPresence{ada}, "Waiting", "Today’s scans are used up. Goes on at 00:00 UTC, in 7 h 20 min.", "Today’s scans are used up", "in 7 h 20 min."},
		{"withheld", watchpost.PendingDailyCap, 20 * time.Minute, []actors.MemberPresence{ada}, "Waiting", "It has had its share of today’s scans; the rest is kept for other watchlists. Asked again at 17:00 UTC.", "Not scanned yet", "the rest is kept for other watchlists."},
		{"paused", watchpost.PendingPaused, 0, []actors.MemberPresence{signedOut}, "Waiting", "The account of Ada is paused: signed out of the network.", "Not scanned yet", "signed out of the network."},
		{"offline", watchpost.PendingExtensionOffline, 0, []actors.MemberPresence{away}, "Waiting", "No browser with the extension is connected.", "Not scanned yet", "The first scan begins when one is."},
		{"never paired", watchpost.PendingExtensionOffline, 0, nil, "Waiting", "No browser with the extension is connected.", "Not scanned yet", "No browser with the extension is paired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			team := actors.TeamView{Team: watchpost.Team{Plan: watchpost.PlanGrowth, Members: []watchpost.Member{{ID: "ada", FullName: "Ada"}}}, Presence: c.presence}
			team.Limits.WeeklyPosts = 10
			lists := []actors.WatchlistView{{Watchlist: watchpost.Watchlist{ID: "w", Type: watchpost.KeywordWatchlist}, LastScanAt: now.Add(-2 * time.Hour), NextScanAt: now.Add(-time.Hour)}}
			lists[0].Waits = c.reason
			if c.until > 0 {
				lists[0].NotBefore = now.Add(c.until)
			}
			other := actors.WatchlistView{Watchlist: watchpost.Watchlist{ID: "v"}, Waits: watchpost.PendingExtensionOffline}
			state, _, _, detail := healthOf(words.English(), &lists[0], &team, now)
			require.Equal(t, c.state, state)
			require.Equal(t, "Looked 2 h ago. "+c.detail, detail)

			lists[0].LastScanAt = time.Time{}
			state, _, _, detail = healthOf(words.English(), &lists[0], &team, now)
			require.Equal(t, "Not scanned yet", state)
			require.Equal(t, c.detail, detail)
			empty := whyEmpty(words.English(), append(lists, other), &team, now, true)
			require.Equal(t, c.head, empty.Head)
			require.Contains(t, empty.Text, c.text)
			require.NotNil(t, whyEmpty(words.English(), append(lists, other), &team, now, false), "filters are not the reason before the first scan")
		})
	}
}

func TestWhyNothingIsFoundThough(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 7, 16, 40, 0, 0, time.UTC)
	team := actors.TeamView{Team: watchpost.Team{Plan: watchpost.PlanFree}}
	team.Limits.WeeklyPosts = 10
	scanned := actors.WatchlistView{
		Watchlist: watchpost.Watchlist{ID: "w", Type: watchpost.KeywordWatchlist}, LastScanAt: now.Add(-time.Hour), NextScanAt: now.Add(time.Hour), PostsThisWeek: 10,
	}
	state, _, _, detail := healthOf(words.English(), &scanned, &team, now)
	require.Equal(t, "Week is full", state)
	require.Equal(t, "Looked 1 h ago. New posts are dropped until Monday 14 January, the limit of the Free plan.", detail)
	require.Equal(t, "No posts found", whyEmpty(words.English(), []actors.WatchlistView{scanned}, &team, now, true).Head)
	require.Nil(t, whyEmpty(words.English(), []actors.WatchlistView{scanned}, &team, now, false), "other filters are the reason")

	paused := actors.WatchlistView{Watchlist: watchpost.Watchlist{ID: "w", Type: watchpost.KeywordWatchlist, Disabled: true}}
	require.Equal(t, "Paused", whyEmpty(words.English(), []actors.WatchlistView{paused}, &team, now, true).Head)
	excluded := actors.WatchlistView{Watchlist: watchpost.Watchlist{ID: "w", Type: watchpost.PeopleWatchlist}}
	require.Equal(t, "The Free plan does not include this kind of watchlist.", whyEmpty(words.English(), []actors.WatchlistView{excluded}, &team, now, true).Text)
	require.Equal(t, "No watchlist yet", whyEmpty(words.English(), nil, &team, now, true).Head)
}
