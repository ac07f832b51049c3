package dashboard

import (
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// closest orders the reasons for waiting, those of the scans that are done next first.
var closest = []watchpost.PendingReason{
	watchpost.PendingRunning, watchpost.PendingQueued, watchpost.PendingRetry, watchpost.PendingDailyCap, watchpost.PendingWeeklyCap,
	watchpost.PendingPaused, watchpost.PendingExtensionOffline,
}

// waitText says why scans that are due are not done yet. short is a word or two for a
// state.
func waitText(l *actors.WatchlistView, team *actors.TeamView, now time.Time) (short, text string) {
	connected := slices.ContainsFunc(team.Presence, func(p actors.MemberPresence) bool { return p.Connected })
	switch l.Waits {
	case watchpost.PendingRunning:
		return "Looking now", "A browser is looking for new posts."
	case watchpost.PendingRetry:
		return "Waiting", "The last scan failed and is tried again at " + clockTime(l.NotBefore, now) + " UTC."
	case watchpost.PendingDailyCap, watchpost.PendingWeeklyCap:
		reset := watchpost.Daily.Reset(now)
		if withheld(l, now) {
			return "Waiting", "It has had its share of today’s scans; the rest is kept for other watchlists. Asked again at " + clockTime(l.NotBefore, now) + " UTC."
		}
		return "Waiting", "Today’s scans are used up. Goes on at " + clockTime(reset, now) + " UTC, in " + inTime(reset.Sub(now)) + "."
	case watchpost.PendingPaused:
		return "Waiting", pausedText(l.Watchlist.Type.ScanTask(), team, now)
	case watchpost.PendingExtensionOffline:
		if connected {
			return "Waiting", "No connected browser has an account of its own."
		}
		return "Waiting", "No browser with the extension is connected."
	case "":
		if !connected {
			return "Waiting", "No browser with the extension is connected."
		}
	}
	return "Due", "The scan waits for its turn."
}

// withheld reports whether scans wait while the accounts may do more today.
func withheld(l *actors.WatchlistView, now time.Time) bool {
	return l.Waits == watchpost.PendingDailyCap && l.NotBefore.After(now) && l.NotBefore.Before(watchpost.Daily.Reset(now))
}

// pausedText says which account is paused that could do a task of that type, and why.
func pausedText(kind watchpost.TaskType, team *actors.TeamView, now time.Time) string {
	for _, p := range team.Presence {
		for _, pause := range p.Pauses {
			if pause.TaskType != "" && pause.TaskType != kind || pause.Action != "" && pause.Action != kind.Action() {
				continue
			}
			m, _ := team.Team.Member(p.Member)
			text := "The account of " + nameOf(m) + " is paused: " + pauseTexts[pause.Reason][0] + "."
			if pause.Until.After(now) {
				text += " Goes on at " + clockTime(pause.Until, now) + " UTC."
			}
			return text
		}
	}
	return "The accounts are paused; the team page says why."
}
